//! `auto`: whoever wins has the oracle's verdict, and one thread with one seed gives the same answer each time.
//!
//! Random problems are small, so turns are made small here too: otherwise the first engine would answer before the second is asked.

use crate::fuzz::{first_seed, number};
use crate::nonblocking;
use crate::oracle::{problems, truth};
use crate::random_promela;
use prequel::families::random_circuit;
use prequel::job::circuit::CircuitQuestion;
use prequel::job::network::NetworkQuestion;
use prequel::job::portfolio::{Attempt, Outcome};
use prequel::job::{
    Check, Decision, EngineChoice, Failure, Models, Question, Silent, Verdict, check, circuit, network,
};
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use prequel::model::{Origin, Problem};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// `auto` with turns of some size.
fn auto(rng: &mut Rng) -> EngineChoice {
    let turn = [1, 3, 10, 40, 200, 2_000][rng.below(6)];
    EngineChoice { options: vec![("turn".into(), turn.to_string())], ..EngineChoice::default() }
}

fn run(threads: usize, seed: u64) -> Run {
    Run::new(Limits { threads, ..Limits::default() }, seed)
}

/// One thread for most: only then it is known who wins.
fn threads(seed: u64) -> usize {
    if seed.is_multiple_of(4) { 2 } else { 1 }
}

fn asked(problem: &Problem, engine: &EngineChoice, threads: usize, seed: u64) -> Decision {
    let (models, question) = (&Models::default(), &Question::DeadlockFree);
    let asked = NetworkQuestion { models, question, engine, before: None, certificate: false, starts: true };
    let answer = network::answer(&asked, (problem.clone(), Origin::default()), &run(threads, seed), &Silent);
    answer.unwrap_or_else(|failure| panic!("network {seed}: {failure}"))
}

/// What does not depend on the clock: who answered what, and what became of the others.
fn told(decision: &Decision) -> (String, &'static str, Vec<(&'static str, Outcome)>) {
    let finding = &decision.finding;
    let attempts = finding.portfolio.iter().map(|Attempt { engine, outcome, .. }| (*engine, outcome.clone()));
    (finding.engine.clone(), finding.verdict.word(), attempts.collect())
}

#[test]
fn auto_agrees_with_the_plain_product_on_random_networks() {
    let mut winners: BTreeMap<String, u64> = BTreeMap::new();
    for seed in first_seed()..first_seed() + number("PREQUEL_FUZZ_NETWORKS", 2_000) / 10 {
        let mut rng = Rng::new(seed);
        for problem in problems(seed).into_iter().chain([nonblocking::problem(seed)]) {
            let (engine, threads) = (auto(&mut rng), threads(seed));
            let decision = asked(&problem, &engine, threads, seed);
            let (kind, expected) = (problem.query.kind(), truth(&problem).verdict.to_string());
            assert_eq!(decision.finding.verdict.word(), expected, "{kind} of network {seed}, {engine:?}");
            if threads == 1 {
                assert_eq!(told(&decision), told(&asked(&problem, &engine, 1, seed)), "{kind} of network {seed}");
            }
            *winners.entry(decision.finding.engine).or_default() += 1;
        }
    }
    println!("{winners:?}");
    assert!(winners.len() > 2, "the same engines win all the time: {winners:?}");
}

/// What the model states, asked of some engine.
fn stated(file: &Path, engine: EngineChoice, threads: usize, seed: u64) -> Result<Decision, Failure> {
    check(&Check { engine, ..Check::stated(file.to_owned()) }, &run(threads, seed), &Silent)
}

#[test]
fn auto_agrees_with_the_plain_search_on_random_programs() {
    let folder = tempfile::tempdir().expect("a folder for models");
    let (file, mut winners) = (folder.path().join("model.pml"), BTreeMap::<String, u64>::new());
    for seed in first_seed()..first_seed() + number("PREQUEL_FUZZ_PROGRAMS", 60) {
        std::fs::write(&file, random_promela::wide(seed).text).expect("room for a model");
        let search = EngineChoice { reduce: false, ..EngineChoice::called("otf") };
        let Ok(expected) = stated(&file, search, 1, seed) else { continue };
        let engine = auto(&mut Rng::new(seed));
        let decision = stated(&file, engine, threads(seed), seed).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        let verdicts = [&decision, &expected].map(|decision| decision.finding.verdict.word());
        assert_eq!(verdicts[0], verdicts[1], "seed {seed}");
        *winners.entry(decision.finding.engine).or_default() += 1;
    }
    println!("{winners:?}");
}

#[test]
fn auto_agrees_with_all_paths_on_random_circuits() {
    for seed in first_seed()..first_seed() + number("PREQUEL_FUZZ_CIRCUITS", 600) / 10 {
        let circuit = Arc::new(random_circuit::circuit(seed));
        if circuit.bits > 6 {
            continue;
        }
        let question = CircuitQuestion { circuit: circuit.clone(), text: "it".into(), shows: false };
        let answer = circuit::answer(&question, &auto(&mut Rng::new(seed)), &run(threads(seed), seed), &Silent);
        let verdict = answer.unwrap_or_else(|why| panic!("circuit {seed}: {why}")).finding.verdict;
        assert_eq!(verdict.word(), random_circuit::distance(&circuit).is_none().to_string(), "circuit {seed}");
    }
}

#[test]
fn a_limit_ends_all_of_them_in_time_and_is_named() {
    let network = (prequel::families::find("philo").expect("a family").build)(400, 0).network;
    let problem = Problem { network, query: prequel::model::Query::DeadlockFree };
    let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let (models, question, engine) = (&Models::default(), &Question::DeadlockFree, &EngineChoice::default());
    let asked = NetworkQuestion { models, question, engine, before: None, certificate: false, starts: true };
    let decision = network::answer(&asked, (problem, Origin::default()), &Run::new(limits, 0), &Silent);
    let Verdict::Unknown(why) = decision.expect("no failure").finding.verdict else { panic!("there was no time") };
    assert_eq!(why.kind(), "time");
}
