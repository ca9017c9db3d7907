//! `auto`: whoever wins has the oracle's verdict, and one thread with one seed gives the same answer each time.
//!
//! Random problems are small, so turns are made small here too: otherwise the first engine would answer before the second is asked.
//! `make fuzz` asks about `PREQUEL_FUZZ_AUTO` problems of each kind.

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
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// `auto` with turns of some size.
fn auto(rng: &mut Rng) -> EngineChoice {
    let turn = [1, 3, 10, 40, 200, 2_000][rng.below(6)];
    EngineChoice { options: vec![("turn".into(), turn.to_string())], ..EngineChoice::default() }
}

/// As many seeds as there are problems of a kind.
fn seeds(usual: u64) -> Range<u64> {
    first_seed()..first_seed() + number("PREQUEL_FUZZ_AUTO", usual)
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
    let asked = NetworkQuestion { models, question, engine, before: None, certificate: None, starts: true };
    let answer = network::answer(&asked, (problem.clone(), Origin::default()), &run(threads, seed), &Silent);
    answer.unwrap_or_else(|failure| panic!("network {seed}: {failure}"))
}

/// What does not depend on the clock: who answered what, and what became of the others.
fn told(decision: &Decision) -> (String, &'static str, Vec<(&'static str, Outcome)>) {
    let finding = &decision.finding;
    let attempts = finding.portfolio.iter().map(|Attempt { engine, outcome, .. }| (*engine, outcome.clone()));
    (finding.engine.clone(), finding.verdict.word(), attempts.collect())
}

/// Who won how often, the verdict being that of the plain product each time; with one thread twice the same.
fn winners<P: IntoIterator<Item = Problem>>(problems: fn(u64) -> P, usual: u64) -> BTreeMap<String, u64> {
    let mut winners: BTreeMap<String, u64> = BTreeMap::new();
    for seed in seeds(usual) {
        let mut rng = Rng::new(seed);
        for problem in problems(seed) {
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
    winners
}

#[test]
fn auto_agrees_with_the_plain_product_on_random_networks() {
    let winners = winners(problems, 200);
    assert!(winners.len() > 2, "the same engines win all the time: {winners:?}");
}

#[test]
fn auto_agrees_with_the_plain_product_on_random_automata() {
    let winners = winners(|seed| [nonblocking::problem(seed)], 200);
    assert!(winners.len() > 1, "the same engine wins all the time: {winners:?}");
}

/// What the model states, asked of some engine.
fn stated(file: &Path, engine: EngineChoice, run: &Run) -> Result<Decision, Failure> {
    check(&Check { engine, ..Check::stated(file.to_owned()) }, run, &Silent)
}

/// States of a random program before it counts as too large.
const MOST: u64 = 20_000;

#[test]
fn auto_agrees_with_the_plain_search_on_random_programs() {
    let folder = tempfile::tempdir().expect("a folder for models");
    let (file, mut winners, mut larger) = (folder.path().join("model.pml"), BTreeMap::<String, u64>::new(), 0);
    for seed in seeds(60) {
        std::fs::write(&file, random_promela::wide(seed).text).expect("room for a model");
        let search = EngineChoice { reduce: false, ..EngineChoice::called("otf") };
        let few = Run::new(Limits { states: Some(MOST), ..Limits::default() }, seed);
        let Ok(expected) = stated(&file, search, &few) else { continue };
        if let Verdict::Unknown(_) = expected.finding.verdict {
            larger += 1;
            continue;
        }
        let (engine, run) = (auto(&mut Rng::new(seed)), run(threads(seed), seed));
        let decision = stated(&file, engine, &run).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        let verdicts = [&decision, &expected].map(|decision| decision.finding.verdict.word());
        assert_eq!(verdicts[0], verdicts[1], "seed {seed}");
        let won = |attempt: &&Attempt| attempt.outcome == Outcome::Won;
        let winner = decision.finding.portfolio.iter().find(won).map_or("nobody", |attempt| attempt.engine);
        *winners.entry(winner.to_owned()).or_default() += 1;
    }
    println!("{winners:?}, {larger} left out");
    assert!(winners.len() > 1, "the same engine wins all the time: {winners:?}");
}

#[test]
fn auto_agrees_with_all_paths_on_random_circuits() {
    let mut compared = 0;
    for seed in seeds(60) {
        let circuit = Arc::new(random_circuit::circuit(seed));
        if circuit.bits > 6 {
            continue;
        }
        let question = CircuitQuestion { circuit: circuit.clone(), text: "it".into(), shows: false };
        let answer = circuit::answer(&question, &auto(&mut Rng::new(seed)), &run(threads(seed), seed), &Silent);
        let verdict = answer.unwrap_or_else(|why| panic!("circuit {seed}: {why}")).finding.verdict;
        assert_eq!(verdict.word(), random_circuit::distance(&circuit).is_none().to_string(), "circuit {seed}");
        compared += 1;
    }
    println!("{compared} circuits compared");
}

#[test]
fn a_limit_ends_all_of_them_in_time_and_is_named() {
    let network = (prequel::families::find("philo").expect("a family").build)(400, 0).network;
    let problem = Problem { network, query: prequel::model::Query::DeadlockFree };
    let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let (models, question, engine) = (&Models::default(), &Question::DeadlockFree, &EngineChoice::default());
    let asked = NetworkQuestion { models, question, engine, before: None, certificate: None, starts: true };
    let decision = network::answer(&asked, (problem, Origin::default()), &Run::new(limits, 0), &Silent);
    let Verdict::Unknown(why) = decision.expect("no failure").finding.verdict else { panic!("there was no time") };
    assert_eq!(why.kind(), "time");
}
