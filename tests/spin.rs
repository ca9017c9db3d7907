//! What SPIN makes of the Promela that we write: the oracle's verdicts, exactly the product's states, trails that replay.
//!
//! Each search costs a run of the C compiler, so there are far fewer networks than elsewhere. Without SPIN or a C compiler
//! every test here says so and passes.

mod oracle;

use oracle::{Truth, asked_of, dump, problems, truth};
use prequel::emit::promela;
use prequel::engine::Engine;
use prequel::engine::run::{Limits, Run};
use prequel::evidence::witness;
use prequel::external::engine::Spin;
use prequel::external::spin::{Options, Tools};
use prequel::families::find;
use prequel::families::random::{Shape, network};
use prequel::model::{Answer, Evidence, Origin, Problem};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many networks: a hundredth of what `make fuzz` asks for elsewhere, within reason.
fn networks() -> u64 {
    let asked = std::env::var("PREQUEL_FUZZ_NETWORKS").ok().and_then(|n| n.parse::<u64>().ok());
    asked.map_or(16, |n| (n / 100).clamp(16, 400))
}

/// Where the seeds start; `make fuzz` moves it.
fn first_seed() -> u64 {
    std::env::var("PREQUEL_FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn missing() -> bool {
    let missing = Tools::find().err();
    missing.inspect(|why| eprintln!("skipped: {why}")).is_some()
}

/// SPIN without optimised C: the compiler takes longer than the searches.
fn spin(reduce: bool) -> Spin {
    Spin { options: Options { reduce, optimise: false } }
}

/// Solves a problem; says what is wrong with the answer, if anything.
fn solve(problem: &Problem, truth: &Truth, reduce: bool) -> Result<(), String> {
    let run = Run::new(Limits::default(), 0);
    let engine = spin(reduce);
    engine.accepts(problem).map_err(|e| e.to_string())?;
    let answer = engine.solve(problem, &run);
    if answer.word() != truth.verdict.to_string() {
        return Err(format!("{answer:?}, but it is {}", truth.verdict));
    }
    match answer {
        Answer::True(Evidence::Witness(trace)) | Answer::False(Evidence::Witness(trace)) => {
            witness::check(problem, &trace).map(drop).map_err(|e| format!("{e}: {trace:?}"))
        }
        _ if truth.verdict == problem.query.witness_shows() => Err("no witness".into()),
        _ => {
            let (states, all) = (run.effort().states_total, truth.states as u64);
            let fits = if reduce { states <= all } else { states == all };
            if fits { Ok(()) } else { Err(format!("{states} states, the product has {all}")) }
        }
    }
}

/// What tells the ways of writing apart: channels, joint steps, labels without a choice, labels with one.
const WAYS: [&str; 4] = ["!1 -> goto", " } /* a", "d_step { (", "atomic { (at_m0"];

/// Solves a problem in every way that there is for it; gives the program.
fn solve_all(problem: &Problem, truth: &Truth, what: &str) -> String {
    let promela = promela::write(problem, &Origin::default()).unwrap();
    for reduce in [false, true] {
        if reduce && !promela.reducible {
            continue;
        }
        if let Err(wrong) = solve(problem, truth, reduce) {
            let case = dump::keep(problem, "spin");
            let kind = problem.query.kind();
            panic!("{kind} of {what}: {wrong}\nto run it: {}\n{}", case.command(), promela.text);
        }
    }
    promela.text
}

#[test]
fn spin_agrees_with_the_plain_product_on_random_networks() {
    if missing() {
        return;
    }
    let next = AtomicU64::new(first_seed());
    let end = first_seed() + networks();
    let used = WAYS.map(|_| AtomicU64::new(0));
    let work = || {
        while let Some(seed) = Some(next.fetch_add(1, Relaxed)).filter(|&seed| seed < end) {
            // Every fourth network has so many transitions per label that joint steps are not written out.
            let problems = match seed % 4 {
                1 => asked_of(network(seed, &Shape { components: 3, states: 6, labels: 2, degree: 4 }), seed),
                _ => problems(seed),
            };
            for problem in problems {
                let text = solve_all(&problem, &truth(&problem), &format!("network {seed}"));
                for (way, used) in WAYS.iter().zip(&used) {
                    used.fetch_add(u64::from(text.contains(way)), Relaxed);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    assert!(used.iter().all(|n| n.load(Relaxed) > 1), "all ways of writing must occur: {used:?} of {WAYS:?}");
}

#[test]
fn spin_agrees_on_families() {
    if missing() {
        return;
    }
    for (family, size) in
        [("philo", 3), ("philo-dict", 3), ("philo-sync", 3), ("cyclic", 3), ("counter", 4), ("dac", 4)]
    {
        let instance = (find(family).expect("a family").build)(size, 0);
        for asked in instance.queries {
            let problem = Problem { network: instance.network.clone(), query: asked.query };
            let truth = truth(&problem);
            assert!(asked.expected.is_none_or(|expected| expected == truth.verdict));
            solve_all(&problem, &truth, &format!("{family} {size}: {}", asked.text));
        }
    }
}
