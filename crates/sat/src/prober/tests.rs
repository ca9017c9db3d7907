//! Many random questions about random clauses, beside CaDiCaL.

use super::*;
use crate::Solver;
use prequel_model::rng::Rng;

fn literal(rng: &mut Rng, variables: i32) -> i32 {
    let variable = 1 + rng.below(variables as usize) as i32;
    if rng.chance(50) { variable } else { -variable }
}

fn clause(rng: &mut Rng, variables: i32, most: usize) -> Vec<i32> {
    (0..1 + rng.below(most)).map(|_| literal(rng, variables)).collect()
}

/// What a question demands beside all clauses: a clause, and literals.
struct Asked {
    clause: Option<Vec<i32>>,
    assumed: Vec<i32>,
}

impl Asked {
    fn random(rng: &mut Rng, variables: i32) -> Self {
        let clause = rng.chance(60).then(|| clause(rng, variables, 4));
        Self { clause, assumed: (0..rng.below(5)).map(|_| literal(rng, variables)).collect() }
    }

    /// Whether CaDiCaL finds an assignment of these clauses that meets it.
    fn possible(&self, clauses: &[Vec<i32>], variables: i32) -> bool {
        let mut solver = Solver::new(false);
        for _ in 0..variables {
            solver.variable();
        }
        clauses.iter().chain(&self.clause).for_each(|clause| solver.add(0, clause));
        self.assumed.iter().for_each(|&literal| solver.assume(literal));
        matches!(solver.solve(|| false), Outcome::Satisfiable)
    }

    fn ask(&self, prober: &mut Prober, variables: i32) -> bool {
        self.clause.iter().for_each(|clause| prober.constrain(clause));
        self.assumed.iter().for_each(|&literal| prober.assume(literal));
        match prober.solve(|| (1..=variables).collect(), |_| false) {
            Outcome::Satisfiable => true,
            Outcome::Unsatisfiable => false,
            Outcome::Stopped => panic!("nobody stops it"),
        }
    }
}

/// Clauses are added between questions; so few are kept of what is learned that forgetting is common.
#[test]
fn every_question_has_the_answer_of_another_solver() {
    let (mut found, mut refuted, mut with_core) = (0, 0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let variables = 5 + rng.below(40) as i32;
        let mut prober = Prober { most: 3, ..Prober::default() };
        for _ in 0..variables {
            prober.variable();
        }
        let mut clauses: Vec<Vec<i32>> = Vec::new();
        for _ in 0..30 {
            for _ in 0..rng.below(variables as usize / 3) {
                let clause = clause(&mut rng, variables, 4);
                prober.add(&clause);
                clauses.push(clause);
            }
            let asked = Asked::random(&mut rng, variables);
            let possible = asked.ask(&mut prober, variables);
            assert_eq!(possible, asked.possible(&clauses, variables), "seed {seed}");
            if possible {
                found += 1;
                let holds = |&literal: &i32| prober.value(literal.abs()) == Some(literal > 0);
                assert!(clauses.iter().chain(&asked.clause).all(|clause| clause.iter().any(holds)), "seed {seed}");
                assert!(asked.assumed.iter().all(holds), "seed {seed}");
            } else {
                refuted += 1;
                let needed: Vec<i32> = asked.assumed.iter().copied().filter(|&l| prober.failed(l)).collect();
                with_core += usize::from(!needed.is_empty() && needed.len() < asked.assumed.len());
                let core = Asked { assumed: needed, ..asked };
                assert!(!core.possible(&clauses, variables), "seed {seed}: what failed is not enough");
            }
        }
    }
    assert!(found > 1_000 && refuted > 1_000 && with_core > 200, "{found} found, {refuted} refuted, {with_core} cores");
}

/// So many pigeons in one hole less: no short refutation.
fn pigeons(pigeons: i32) -> Prober {
    let mut prober = Prober::default();
    let holes = pigeons - 1;
    for _ in 0..pigeons * holes {
        prober.variable();
    }
    let sits = |pigeon: i32, hole: i32| 1 + pigeon * holes + hole;
    for pigeon in 0..pigeons {
        prober.add(&(0..holes).map(|hole| sits(pigeon, hole)).collect::<Vec<_>>());
        for (other, hole) in (0..pigeon).flat_map(|other| (0..holes).map(move |hole| (other, hole))) {
            prober.add(&[-sits(pigeon, hole), -sits(other, hole)]);
        }
    }
    prober
}

#[test]
fn a_long_refutation_is_found_or_given_up_where_somebody_says_so() {
    let all = |prober: &Prober| (1..prober.levels.len() as i32).collect::<Vec<_>>();
    let mut few = pigeons(7);
    let about = all(&few);
    assert!(matches!(few.solve(|| about, |_| false), Outcome::Unsatisfiable));
    let mut many = pigeons(12);
    let about = all(&many);
    let mut looks = 0;
    let outcome = many.solve(
        || about,
        |_| {
            looks += 1;
            looks > 5
        },
    );
    assert!(matches!(outcome, Outcome::Stopped));
}

/// Two functions of other inputs each: only that of the question is decided, and the other stays open.
#[test]
fn only_what_a_question_is_about_is_decided() {
    let mut prober = Prober::default();
    let [a, b, both, c, d, either] = [(); 6].map(|()| prober.variable());
    prober.add(&[-both, a]);
    prober.add(&[-both, b]);
    prober.add(&[both, -a, -b]);
    prober.add(&[-either, c, d]);
    prober.add(&[either, -c]);
    prober.add(&[either, -d]);
    prober.assume(-both);
    assert!(matches!(prober.solve(|| vec![a, b, both], |_| false), Outcome::Satisfiable));
    assert!(prober.value(a) == Some(false) || prober.value(b) == Some(false));
    assert_eq!([c, d, either].map(|v| prober.value(v)), [None; 3]);
}

#[test]
fn restarts_come_after_the_usual_numbers_of_conflicts() {
    assert_eq!((0..15).map(luby).collect::<Vec<_>>(), [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
}
