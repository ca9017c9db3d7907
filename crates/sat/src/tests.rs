//! Interpolants of random partitions, each condition checked by solvers of their own.

use super::*;
use prequel_model::Lit;
use prequel_model::rng::Rng;

const VARIABLES: usize = 9;

/// Random clauses in random parts.
fn parts(rng: &mut Rng) -> Vec<Vec<Vec<i32>>> {
    let mut parts = vec![Vec::new(); 1 + rng.below(5)];
    for _ in 0..30 + rng.below(25) {
        let clause: Vec<i32> = (0..1 + rng.below(3))
            .map(|_| {
                let variable = 1 + rng.below(VARIABLES) as i32;
                if rng.chance(50) { variable } else { -variable }
            })
            .collect();
        let part = rng.below(parts.len());
        parts[part].push(clause);
    }
    parts
}

fn solver(parts: &[Vec<Vec<i32>>], proofs: bool) -> Solver {
    let mut solver = Solver::new(proofs);
    for _ in 0..VARIABLES {
        solver.variable();
    }
    for (at, clauses) in parts.iter().enumerate() {
        clauses.iter().for_each(|clause| solver.add(at as u32, clause));
    }
    solver
}

/// Whether clauses and a function of the same variables can hold together.
fn possible(parts: &[Vec<Vec<i32>>], of: &Interpolants, f: Lit) -> bool {
    let mut solver = solver(parts, false);
    Encoder::new(&of.aig, 0).demand(&mut solver, f, &mut |_, number| number as i32);
    matches!(solver.solve(|| false), Outcome::Satisfiable)
}

#[test]
fn interpolants_follow_from_their_part_speak_of_shared_variables_and_are_contradictory_together() {
    let (mut refuted, mut several) = (0, 0);
    for seed in 0..6000 {
        let parts = parts(&mut Rng::new(seed));
        let mut solver = solver(&parts, true);
        if matches!(solver.solve(|| false), Outcome::Satisfiable) {
            continue;
        }
        refuted += 1;
        let of = solver.interpolants().expect("the proof replays");
        let of_part = |part: usize| of.of.get(&(part as u32)).copied().unwrap_or(Lit::TRUE);
        for (at, clauses) in parts.iter().enumerate() {
            assert!(
                !possible(std::slice::from_ref(clauses), &of, !of_part(at)),
                "seed {seed}: part {at} does not imply it"
            );
            let occurs = |clauses: &[Vec<i32>], v: u32| clauses.iter().flatten().any(|l| l.unsigned_abs() == v);
            for v in of.aig.support(of_part(at)) {
                let elsewhere = parts.iter().enumerate().any(|(other, clauses)| other != at && occurs(clauses, v));
                assert!(occurs(clauses, v) && elsewhere, "seed {seed}: variable {v} is not shared");
            }
        }
        let mut all = of.aig.clone();
        let together = all.all((0..parts.len()).map(of_part));
        let of = Interpolants { aig: all, of: of.of };
        assert!(!possible(&[], &of, together), "seed {seed}: together they are possible");
        several += usize::from(of.of.len() > 1);
    }
    assert!(refuted > 2000 && several > 1000, "{refuted} refuted, {several} of them with several parts");
}
