//! Random programs, claims and formulas against a naive reference: the product as the definition has it, all components of it.
//!
//! Formulas need no automaton there: a state of the product is one of the program with the truth of each temporal part of the formula,
//! guessed; a step has to agree with the guesses, and what an until promises has to come.

use crate::endless::{Question, program, program_as_searched, violated};
use crate::toy::{Condition, Graph, Toy};
use prequel_model::rng::Rng;
use prequel_program::{Claim, Violation, replay, restated};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The number in an environment variable, or the usual one.
pub fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A formula over conditions.
#[derive(Clone, Debug)]
enum Formula {
    Atom(Condition),
    Not(Box<Formula>),
    And(Box<(Formula, Formula)>),
    Next(Box<Formula>),
    Until(Box<(Formula, Formula)>),
}

impl Formula {
    /// With at most so many temporal operators.
    fn random(rng: &mut Rng, temporal: usize, next: bool) -> Self {
        let half = |rng: &mut Rng, left: usize| {
            let first = rng.below(left + 1);
            Box::new((Self::random(rng, first, next), Self::random(rng, left - first, next)))
        };
        let not = |inner: Self| Formula::Not(Box::new(inner));
        let truth = || Formula::Atom(Condition::True);
        match (temporal, rng.below(7)) {
            (0, 0) => not(Self::random(rng, 0, next)),
            (0, _) => Formula::Atom(Condition::random(rng)),
            (_, 0) => not(Self::random(rng, temporal, next)),
            (_, 1) => Formula::And(half(rng, temporal)),
            (_, 2) if next => Formula::Next(Box::new(Self::random(rng, temporal - 1, next))),
            (_, 3 | 4) => Formula::Until(Box::new((truth(), Self::random(rng, temporal - 1, next)))),
            // Always.
            (_, 5) => not(Formula::Until(Box::new((truth(), not(Self::random(rng, temporal - 1, next)))))),
            _ => Formula::Until(half(rng, temporal - 1)),
        }
    }

    fn text(&self) -> String {
        match self {
            Formula::Atom(condition) => format!("({})", condition.text()),
            Formula::Not(a) => format!("!({})", a.text()),
            Formula::And(pair) => format!("({} && {})", pair.0.text(), pair.1.text()),
            Formula::Next(a) => format!("X ({})", a.text()),
            Formula::Until(pair) => format!("({} U {})", pair.0.text(), pair.1.text()),
        }
    }

    /// Its temporal parts, the innermost first.
    fn parts<'a>(&'a self, parts: &mut Vec<&'a Formula>) {
        match self {
            Formula::Atom(_) => {}
            Formula::Not(a) => a.parts(parts),
            Formula::Next(a) => {
                a.parts(parts);
                parts.push(self);
            }
            Formula::And(pair) | Formula::Until(pair) => {
                pair.0.parts(parts);
                pair.1.parts(parts);
                if matches!(self, Formula::Until(_)) {
                    parts.push(self);
                }
            }
        }
    }

    /// Whether it holds, by the guesses for its temporal parts.
    fn holds(&self, x: u8, parts: &[&Formula], guess: u32) -> bool {
        match self {
            Formula::Atom(condition) => condition.holds(x),
            Formula::Not(a) => !a.holds(x, parts, guess),
            Formula::And(pair) => pair.0.holds(x, parts, guess) && pair.1.holds(x, parts, guess),
            Formula::Next(_) | Formula::Until(_) => {
                let at = parts.iter().position(|part| std::ptr::eq(*part, self)).expect("it is a part");
                guess >> at & 1 == 1
            }
        }
    }
}

/// A product: nodes with edges, each with its marks.
#[derive(Default)]
struct Product {
    edges: Vec<Vec<(usize, u32)>>,
    first: Vec<usize>,
    /// A run with an end is a violation already.
    ended: bool,
}

impl Product {
    /// Whether there is a cycle with all of these marks among the edges that count.
    fn has_cycle(&self, all: u32, counts: impl Fn(u32) -> bool) -> bool {
        let reach = |from: &[usize], counts: &dyn Fn(u32) -> bool| {
            let (mut seen, mut open) = (vec![false; self.edges.len()], from.to_vec());
            while let Some(at) = open.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    open.extend(self.edges[at].iter().filter(|(_, marks)| counts(*marks)).map(|&(to, _)| to));
                }
            }
            seen
        };
        let reached = reach(&self.first, &|_| true);
        let from: Vec<Vec<bool>> = (0..self.edges.len()).map(|at| reach(&[at], &counts)).collect();
        (0..self.edges.len()).filter(|&at| reached[at]).any(|at| {
            let component = |to: usize| from[at][to] && from[to][at];
            let inside = (0..self.edges.len()).filter(|&n| component(n)).flat_map(|n| &self.edges[n]);
            let inside = inside.filter(|(to, marks)| component(*to) && counts(*marks)).map(|(_, marks)| *marks);
            inside.reduce(|a, b| a | b).is_some_and(|marks| marks & all == all)
        })
    }
}

/// Marks from this one on are those of processes.
const PROCESSES: u32 = 16;

/// The marks of a step that each process moves or cannot.
fn fairness(toy: &Toy, graph: &Graph, state: usize, movers: &[usize]) -> u32 {
    let has = |process: &usize| movers.contains(process) || !graph.able[state].contains(process);
    (0..toy.processes.len()).filter(has).map(|process| 1 << (PROCESSES + process as u32)).sum()
}

fn everybody(toy: &Toy) -> u32 {
    (0..toy.processes.len()).map(|process| 1 << (PROCESSES + process as u32)).sum()
}

/// The steps of a state: where nothing moves it is repeated.
fn repeated(graph: &Graph, state: usize) -> Vec<(Vec<usize>, usize)> {
    if graph.edges[state].is_empty() { vec![(Vec::new(), state)] } else { graph.edges[state].clone() }
}

/// The verdict on the claim: `true` if it is never matched.
fn claim_holds(toy: &Toy, graph: &Graph, fair: bool) -> bool {
    let mut numbers = HashMap::from([((0, 0), 0)]);
    let mut open = vec![(0, 0)];
    let mut product = Product { edges: vec![Vec::new()], first: vec![0], ended: false };
    while let Some((state, claim)) = open.pop() {
        let from = numbers[&(state, claim)];
        for (condition, to) in &toy.claim[claim].steps {
            if !condition.holds(graph.states[state].x) {
                continue;
            }
            if *to == toy.claim.len() {
                product.ended = true;
                continue;
            }
            for (movers, next) in repeated(graph, state) {
                let count = numbers.len();
                let number = *numbers.entry((next, *to)).or_insert(count);
                if number == count {
                    open.push((next, *to));
                    product.edges.push(Vec::new());
                }
                let marks = u32::from(toy.claim[claim].accept) | fairness(toy, graph, state, &movers);
                product.edges[from].push((number, marks));
            }
        }
    }
    let all = 1 | if fair { everybody(toy) } else { 0 };
    !product.ended && !product.has_cycle(all, |_| true)
}

fn formula_holds(toy: &Toy, graph: &Graph, formula: &Formula, fair: bool) -> bool {
    let mut parts = Vec::new();
    formula.parts(&mut parts);
    let guesses = 1u32 << parts.len();
    let node = |state: usize, guess: u32| state * guesses as usize + guess as usize;
    let mut product = Product { edges: vec![Vec::new(); graph.states.len() * guesses as usize], ..Product::default() };
    let mut promises = 0;
    for state in 0..graph.states.len() {
        let x = graph.states[state].x;
        for guess in 0..guesses {
            if state == 0 && !formula.holds(x, &parts, guess) {
                product.first.push(node(state, guess));
            }
            let mut kept = 0;
            for (at, part) in parts.iter().enumerate() {
                if let Formula::Until(pair) = part {
                    promises |= 1 << at;
                    if guess >> at & 1 == 0 || pair.1.holds(x, &parts, guess) {
                        kept |= 1 << at;
                    }
                }
            }
            for (movers, next) in repeated(graph, state) {
                for guessed in 0..guesses {
                    let agrees = |(at, part): (usize, &&Formula)| {
                        let (now, then) = (guess >> at & 1 == 1, guessed >> at & 1 == 1);
                        match part {
                            Formula::Next(a) => now == a.holds(graph.states[next].x, &parts, guessed),
                            Formula::Until(pair) => {
                                now == (pair.1.holds(x, &parts, guess) || pair.0.holds(x, &parts, guess) && then)
                            }
                            _ => true,
                        }
                    };
                    if parts.iter().enumerate().all(agrees) {
                        let marks = kept | fairness(toy, graph, state, &movers);
                        product.edges[node(state, guess)].push((node(next, guessed), marks));
                    }
                }
            }
        }
    }
    let all = promises | if fair { everybody(toy) } else { 0 };
    !product.has_cycle(all, |_| true)
}

fn labels_hold(toy: &Toy, graph: &Graph, question: Question, fair: bool) -> bool {
    let edges = |state: usize| {
        let marked = |state: usize| match question {
            Question::NonProgress => !toy.is_at(&graph.states[state], |location| location.progress),
            _ => toy.is_at(&graph.states[state], |location| location.accept),
        };
        let edge = |(movers, to): (Vec<usize>, usize)| {
            let both = marked(state) && (question != Question::NonProgress || marked(to));
            (to, u32::from(both) | fairness(toy, graph, state, &movers))
        };
        // A run that ends is none without progress.
        let steps = if question == Question::NonProgress { graph.edges[state].clone() } else { repeated(graph, state) };
        steps.into_iter().map(edge).collect()
    };
    let product = Product { edges: (0..graph.states.len()).map(edges).collect(), first: vec![0], ended: false };
    let all = 1 | if fair { everybody(toy) } else { 0 };
    !product.has_cycle(all, |marks| question != Question::NonProgress || marks & 1 == 1)
}

/// A question with its text and the right answer.
pub struct Case {
    pub what: String,
    pub text: String,
    /// Which claim of the text is asked, if one is.
    pub claim: Option<&'static str>,
    pub question: Question,
    pub fair: bool,
    pub holds: bool,
    /// Some process can come to its end and go away.
    pub loses_somebody: bool,
}

/// Questions about a random program.
pub fn cases(seed: u64) -> Vec<Case> {
    let mut rng = Rng::new(seed);
    let toy = Toy::random(&mut rng);
    let (graph, next) = (toy.graph(), rng.chance(30));
    let formula = {
        let temporal = rng.between(1, 3);
        Formula::random(&mut rng, temporal, next)
    };
    let (mut cases, loses_somebody) = (Vec::new(), graph.loses_somebody());
    for fair in [false, true] {
        let fairly = if fair { " of fair runs" } else { "" };
        let mut add = |what: &str, text: String, claim: Option<&'static str>, question: Question, holds: bool| {
            let what = format!("seed {seed}: {what}{fairly}");
            cases.push(Case { what, text, claim, question, fair, holds, loses_somebody });
        };
        let acceptance = Question::Acceptance;
        let (claim, plain, labelled) = (toy.never(), toy.text(false), toy.text(true));
        // SPIN may not read X, and then it reads nothing of the text.
        let ltl = format!("ltl f {{ {} }}", formula.text());
        let claimed = format!("{plain}{claim}{}", if next { "" } else { &ltl });
        add("claim", claimed.clone(), Some("claim"), acceptance, claim_holds(&toy, &graph, fair));
        let stated = if next { format!("{plain}{ltl}") } else { claimed };
        add("formula", stated, Some("f"), acceptance, formula_holds(&toy, &graph, &formula, fair));
        add("accept labels", labelled.clone(), None, acceptance, labels_hold(&toy, &graph, acceptance, fair));
        let progress = Question::NonProgress;
        add("non-progress", labelled, None, progress, labels_hold(&toy, &graph, progress, fair));
    }
    cases
}

/// Verdicts, and every witness replayed. `PREQUEL_FUZZ_LIVENESS` programs from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_programs_have_the_verdicts_of_the_definition() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 300));
    let (mut held, mut failed, mut large) = (0, 0, 0);
    for seed in first..first + count {
        for Case { what, text, claim, question, fair, holds, .. } in cases(seed) {
            let chosen = claim.map_or(Claim::None, Claim::Named);
            let program = match program(&text, chosen) {
                Err(why) if why.contains("automaton of this formula is too large") => {
                    large += 1;
                    continue;
                }
                read => read.unwrap_or_else(|why| panic!("{what}: {why}\n{text}")),
            };
            let verdict = violated(&program, question, fair).is_none();
            assert_eq!(verdict, holds, "{what}\n{text}");
            if holds { held += 1 } else { failed += 1 }
        }
    }
    println!("{count} programs from seed {first}: {held} questions hold, {failed} do not, {large} are too large");
    assert!(large * 200 <= count, "{large} formulas are too large");
    assert!(held > count && failed > count, "{held} hold, {failed} do not");
}

/// The same formulas with smaller claims, where there are any: verdicts, and every witness told in the steps of SPIN's claim, unless it
/// has an end that SPIN's claim does not see.
#[test]
fn smaller_claims_give_the_same_verdicts() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 300));
    let (mut smaller, mut told, mut ended) = (0, 0, 0);
    for seed in first..first + count {
        for Case { what, text, question, fair, holds, .. } in cases(seed) {
            let Some(program) = program_as_searched(&text).filter(|program| program.smaller_claim.is_some()) else {
                continue;
            };
            smaller += 1;
            let witness = violated(program.with_smaller_claim(), question, fair);
            assert_eq!(witness.is_none(), holds, "{what}\n{text}");
            let Some(witness) = witness else { continue };
            match restated(&program, &witness) {
                Some(restated) => {
                    assert_eq!(replay(&program, &restated), Ok(()), "{what}\n{text}\n{restated:#?}");
                    told += 1;
                }
                None => {
                    assert_eq!(witness.violation, Violation::Claim, "{what}\n{text}");
                    ended += 1;
                }
            }
        }
    }
    println!("{count} programs from seed {first}: {smaller} smaller claims, {told} runs told by SPIN's, {ended} not");
    assert!(count < 300 || told > 0, "{smaller} {told} {ended}");
}

/// Whether from every state each process can come to move, or to its end.
fn nobody_is_stuck(toy: &Toy, graph: &Graph) -> bool {
    let free = |state: usize, process: usize| {
        graph.able[state].contains(&process) || graph.states[state].at[process] > toy.processes[process].len()
    };
    let comes_to = |from: usize, process: usize| {
        let (mut seen, mut open) = (vec![false; graph.states.len()], vec![from]);
        while let Some(at) = open.pop() {
            if free(at, process) {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(graph.edges[at].iter().map(|(_, to)| *to));
            }
        }
        false
    };
    (0..graph.states.len()).all(|state| (0..toy.processes.len()).all(|process| comes_to(state, process)))
}

/// The same programs, asked whether anybody stays blocked for ever.
#[test]
fn nobody_is_stuck_in_random_programs_where_the_definition_says_so() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 300));
    let (mut held, mut failed) = (0, 0);
    for seed in first..first + count {
        let toy = Toy::random(&mut Rng::new(seed));
        let (text, holds) = (toy.text(false), nobody_is_stuck(&toy, &toy.graph()));
        let program = program(&text, Claim::None).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        assert_eq!(violated(&program, Question::Stuck, false).is_none(), holds, "seed {seed}\n{text}");
        if holds { held += 1 } else { failed += 1 }
    }
    println!("{count} programs from seed {first}: in {held} nobody is stuck, in {failed} somebody");
    assert!(held > count / 20 && failed > count / 20, "{held} hold, {failed} do not");
}

/// SPIN's verifiers of the program at hand, without reduction: one for each text, and another where progress is asked for.
struct Verifiers {
    folder: PathBuf,
    /// Their texts, and whether progress is asked for.
    built: Vec<(String, bool)>,
}

fn said(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let said = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    Some(String::from_utf8_lossy(&said.stdout).into_owned())
}

impl Verifiers {
    /// Where the verifier for a case is, in a folder of its own.
    fn of(&mut self, case: &Case) -> Option<PathBuf> {
        let progress = case.question == Question::NonProgress;
        let known = self.built.iter().position(|(text, np)| *text == case.text && *np == progress);
        let folder = self.folder.join(known.unwrap_or(self.built.len()).to_string());
        if known.is_none() {
            std::fs::create_dir_all(&folder).expect("the folder is ours");
            std::fs::write(folder.join("m.pml"), &case.text).expect("the folder is there");
            // Nothing of the program before is left.
            ["pan", "pan.c"].into_iter().for_each(|file| drop(std::fs::remove_file(folder.join(file))));
            said("spin", &["-a", "-o1", "-o2", "-o3", "m.pml"], &folder)?;
            let np: &[&str] = if progress { &["-DNP"] } else { &[] };
            said("tcc", &[&["-w", "-o", "pan", "pan.c", "-DNOREDUCE"], np].concat(), &folder)?;
            self.built.push((case.text.clone(), progress));
        }
        Some(folder)
    }

    /// What SPIN says of a case; nothing where it says nothing.
    fn ask(&mut self, case: &Case) -> Option<bool> {
        let folder = self.of(case)?;
        let asked = if case.question == Question::NonProgress { "-l" } else { "-a" };
        let fair = case.fair.then_some("-f");
        let claim = case.claim.iter().flat_map(|name| ["-N", name]);
        let options: Vec<&str> = [asked, "-E", "-m20000", "-w14"].into_iter().chain(fair).chain(claim).collect();
        let said = said("./pan", &options, &folder)?;
        match said.split_once("errors: ")?.1.split_whitespace().next()?.parse::<u64>().ok()? {
            0 if said.contains("search depth too small") => None,
            errors => Some(errors == 0),
        }
    }
}

/// SPIN is right without fairness. With fairness it misses what a claim accepts while nothing moves, some runs through a rendezvous, and some
/// beside which a process could have gone away, and it may not come to an end; and it takes whoever could receive by rendezvous all the
/// time for unable to move, which we do not (`PROGRAMS` in `endless` has the smallest of each). One program for sixty of the test before.
#[test]
fn spin_says_the_same_where_it_is_right() {
    let runs = |program: &str| Command::new(program).arg("-V").output().is_ok();
    if !runs("spin") || !runs("tcc") {
        eprintln!("skipped: spin or tcc is not here");
        return;
    }
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 300).div_ceil(60));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder of our own");
    let (mut same, mut silent, mut missed, mut stricter) = (0, 0, 0, 0);
    for seed in first..first + count {
        let mut verifiers = Verifiers { folder: folder.clone(), built: Vec::new() };
        for case in cases(seed) {
            match verifiers.ask(&case) {
                None => silent += 1,
                Some(verdict) if verdict == case.holds => same += 1,
                Some(true) if case.fair && (case.claim.is_some() || case.text.contains("c!")) => missed += 1,
                Some(true) if case.fair && case.loses_somebody => missed += 1,
                Some(false) if case.fair && case.text.contains("c!") => stricter += 1,
                Some(verdict) => panic!("{}: SPIN says {verdict}\n{}", case.what, case.text),
            }
        }
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
    println!("{count} programs from seed {first}: SPIN says the same of {same}, nothing of {silent}, misses {missed}");
    println!("{stricter} times it takes a receiver for unable that is sent to all the time");
    assert!(same > 0, "SPIN says nothing at all of {} questions", 8 * count);
    // Only where there are enough to say so: SPIN is not that bad.
    assert!(count < 50 || missed * 50 < same, "{missed} missed, {same} are the same");
}
