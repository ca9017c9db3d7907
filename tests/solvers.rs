//! Do solvers that nobody here wrote accept the proof obligations that we write? Whatever a verdict rests on is put as a set of states that
//! is not left, and z3 and cvc5 must answer `unsat` three times; of a set that is wrong they must not.

use crate::fuzz::{first_seed, number};
use crate::oracle::{problems, truth};
use prequel::engine::Engine;
use prequel::engine::lazy::Lazy;
use prequel::engine::otf::Otf;
use prequel::engine::quotient::Quotient;
use prequel::engine::symbolic::{Method, Symbolic, Verdict};
use prequel::evidence::certificate::{Bounds, Certificate, CertifiedProof, reached};
use prequel::families::random_circuit::circuit;
use prequel::formats::smtlib;
use prequel::model::run::{Limits, Run};
use prequel::model::{Answer, Bit, LocationSet, Problem};
use std::process::Command;
use std::sync::Arc;

const UNSAT: &str = "unsat\nunsat\nunsat\n";

/// The solvers that are here, and how each is called.
fn solvers() -> Vec<(&'static str, &'static [&'static str])> {
    let known: [(&str, &[&str]); 2] = [("z3", &[]), ("cvc5", &["--incremental"])];
    let here = |name: &str| Command::new(name).arg("--version").output().is_ok_and(|said| said.status.success());
    let found: Vec<_> = known.into_iter().filter(|(name, _)| here(name)).collect();
    if found.is_empty() {
        eprintln!("skipped: neither z3 nor cvc5 is installed (`make tools`)");
    }
    found
}

/// What a solver says of a text.
fn said((name, options): (&str, &[&str]), text: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("c.smt2");
    std::fs::write(&file, text).expect("room for a file");
    let ended = Command::new(name).args(options).arg(&file).output().expect("it starts");
    String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr)
}

/// What a certificate leaves of the states, if there is one that says that nothing is reached.
fn set(problem: &Problem, engine: &dyn Engine) -> Option<LocationSet> {
    let run = Run::new(Limits::default(), 0);
    engine.accepts(problem).ok()?;
    let (Answer::True(evidence) | Answer::False(evidence)) = engine.solve(problem, &run) else { return None };
    let verdict = !problem.query.witness_shows();
    let proof = CertifiedProof::of(&problem.network, &evidence, run.needed());
    let certificate = Certificate::new(problem, "random", verdict, proof);
    Some(reached(problem, &certificate, &Bounds::from(100_000)).expect("the states can be counted"))
}

#[test]
fn solvers_accept_what_every_kind_of_proof_leaves() {
    let solvers = solvers();
    let engines: [Box<dyn Engine>; 4] = [
        Box::new(Otf::default()),
        Box::new(Lazy::default()),
        Box::new(Quotient::new(Otf::default())),
        Box::new(Symbolic::new(Method::Ic3)),
    ];
    let (first, wanted) = (first_seed(), number("PREQUEL_FUZZ_NETWORKS", 0) / 20 + 120);
    let mut asked = [0u64; 4];
    for seed in first.. {
        if asked.iter().sum::<u64>() >= wanted || solvers.is_empty() {
            break;
        }
        for problem in
            problems(seed).into_iter().filter(|problem| truth(problem).verdict != problem.query.witness_shows())
        {
            // One engine for each problem, each in turn.
            let at = (seed as usize + problem.query.kind().len()) % engines.len();
            let Some(set) = set(&problem, &*engines[at]) else { continue };
            let text = smtlib::network(&problem, "random", &set).expect("a question about reaching a state");
            for &solver in &solvers {
                assert_eq!(said(solver, &text), UNSAT, "seed {seed}, {}, {}", engines[at].name(), solver.0);
            }
            asked[at] += 1;
        }
    }
    println!("{asked:?} certificates of otf, lazy, quotient and ic3");
    assert!(solvers.is_empty() || asked.iter().all(|&asked| asked > 0), "{asked:?}");
}

#[test]
fn solvers_accept_invariants_of_circuits() {
    let (solvers, mut asked) = (solvers(), 0);
    for seed in first_seed()..first_seed() + number("PREQUEL_FUZZ_NETWORKS", 0) / 20 + 80 {
        let (circuit, run) = (circuit(seed), Run::new(Limits::default(), 0));
        let Ok(Verdict::Invariant(found)) = Symbolic::new(Method::Ic3).decide(&Arc::new(circuit.clone()), &run) else {
            continue;
        };
        let text = smtlib::circuit(&circuit, "random", (&found.aig, found.holds));
        for &solver in &solvers {
            assert_eq!(said(solver, &text), UNSAT, "seed {seed}, {}", solver.0);
            asked += 1;
        }
    }
    assert!(solvers.is_empty() || asked > 20, "{asked}");
}

/// A set without the first state shows nothing.
#[test]
fn solvers_reject_sets_that_are_wrong() {
    let (solvers, mut rejected) = (solvers(), 0);
    for seed in first_seed()..first_seed() + 60 {
        for problem in
            problems(seed).into_iter().filter(|problem| truth(problem).verdict != problem.query.witness_shows())
        {
            let Some(mut set) = set(&problem, &Otf::default()) else { continue };
            // Without the state in which everybody is at first.
            let components = problem.network.components();
            let mut here = Vec::new();
            for (bit, (c, place)) in set.bits.iter().enumerate().filter(|(_, (c, _))| c.at() < components.len()) {
                let first = components[c.at()].lts.initial().0 >> place & 1 == 1;
                here.push(set.aig.input(Bit(bit as u32).now()).negated_if(!first));
            }
            let here = set.aig.all(here);
            set.holds = set.aig.and(set.holds, !here);
            let text = smtlib::network(&problem, "random", &set).expect("a question about reaching a state");
            for &solver in &solvers {
                assert!(said(solver, &text).starts_with("sat\n"), "seed {seed}, {}", solver.0);
                rejected += 1;
            }
        }
    }
    assert!(solvers.is_empty() || rejected > 20, "{rejected}");
}
