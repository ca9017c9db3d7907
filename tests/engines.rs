//! One suite for every engine: the same random problems, the oracle's verdict, every witness replayed.

use crate::fuzz::{first_seed, number};
use crate::mutants::mutant;
use crate::nonblocking;
use crate::oracle::traps::{Trap, traps};
use crate::oracle::{Truth, asked_of, dump, problems, truth};
use prequel::engine::Engine;
use prequel::engine::conflict::Conflict;
use prequel::engine::icc::Icc;
use prequel::engine::lazy::Lazy;
use prequel::engine::learn::Learn;
use prequel::engine::minimise::Minimise;
use prequel::engine::otf::{Otf, Search};
use prequel::engine::quotient::Quotient;
use prequel::engine::symbolic::{Method, Symbolic};
use prequel::evidence::certificate;
use prequel::evidence::certificate::{Certificate, CertifiedProof};
use prequel::families::random;
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use prequel::model::{
    Answer, Component, Evidence, Goal, LabelId, Labels, Lts, Monitor, Network, Problem, Query, StateId, Transition,
};
use std::process::Command;

/// How many networks; `make fuzz` raises it.
fn networks() -> u64 {
    number("PREQUEL_FUZZ_NETWORKS", 2_000)
}

/// The longest path that `bmc` asks for.
const BMC_DEPTH: u32 = 12;

/// Every engine with every option that changes how it works.
fn configurations() -> Vec<(&'static str, Box<dyn Engine>, usize)> {
    let otf = |search, reduce| -> Box<dyn Engine> { Box::new(Otf { search, reduce }) };
    let quotient = |steps| -> Box<dyn Engine> {
        let mut engine = Quotient::new(Otf::default());
        engine.transform.options.steps = steps;
        Box::new(engine)
    };
    let symbolic = |method| -> Box<dyn Engine> { Box::new(Symbolic { depth: BMC_DEPTH, ..Symbolic::new(method) }) };
    vec![
        ("otf", otf(Search::Breadth, true), 1),
        ("otf --no-por", otf(Search::Breadth, false), 1),
        ("otf --search depth", otf(Search::Depth, true), 1),
        ("otf --search depth --no-por", otf(Search::Depth, false), 1),
        ("otf --threads 2", otf(Search::Breadth, true), 2),
        ("otf --threads 2 --no-por", otf(Search::Breadth, false), 2),
        ("quotient", quotient(None), 1),
        ("quotient, two steps", quotient(Some(2)), 1),
        ("icc", Box::new(Icc::default()), 1),
        ("icc --threads 3", Box::new(Icc::default()), 3),
        ("minimise", Box::new(Minimise::default()), 1),
        ("lazy", Box::new(Lazy::default()), 1),
        ("lazy, complete products", Box::new(Lazy { minimise: false, ..Lazy::default() }), 1),
        ("lazy, on the fly", Box::new(Lazy { complete: false, ..Lazy::default() }), 1),
        ("lazy --threads 3", Box::new(Lazy::default()), 3),
        ("bmc", symbolic(Method::Bmc), 1),
        ("bdd", symbolic(Method::Bdd), 1),
        ("itp", symbolic(Method::Itp), 1),
        ("citp", symbolic(Method::Citp), 1),
        ("citp-a", symbolic(Method::CitpA), 1),
        ("citp-pa", symbolic(Method::CitpPa), 1),
        ("ic3", symbolic(Method::Ic3), 1),
        ("learn", Box::new(Learn), 1),
        ("conflict", Box::new(Conflict::default()), 1),
    ]
}

/// An engine with options chosen by a seed, and how to ask for them: every combination comes up sooner or later.
fn shuffled(mut engine: Box<dyn Engine>, seed: u64) -> (String, Box<dyn Engine>) {
    let mut rng = Rng::new(seed ^ 0x0b5e55ed);
    let mut name = engine.name().to_owned();
    for option in engine.options() {
        let value = match option.values {
            // The default bounds are far away, small ones make the fall-back common: not too common.
            "N" if matches!(option.name, "checks" | "largest") && rng.chance(80) => option.default,
            // Levels settle most of the small systems, and then there is no search.
            "N" if option.name == "level" => [option.default, "0", "0", "0", "500"][rng.below(5)],
            "N" => [option.default, "0", "1", "4", "9"][rng.below(5)],
            values => {
                let values: Vec<&str> = values.split('|').collect();
                values[rng.below(values.len())]
            }
        };
        engine.set(option.name, value).expect("a listed value");
        name += &format!(" --engine-option {}={value}", option.name);
    }
    (name, engine)
}

/// Every engine that has options, with options by seed.
fn shuffled_configurations(seed: u64) -> Vec<(String, Box<dyn Engine>)> {
    let engines: [Box<dyn Engine>; 6] = [
        Box::new(Icc::default()),
        Box::new(Minimise::default()),
        Box::new(Lazy::default()),
        Box::new(Conflict::default()),
        Box::new(Symbolic::new(Method::Bdd)),
        Box::new(Symbolic::new(Method::CitpPa)),
    ];
    engines.into_iter().map(|engine| shuffled(engine, seed)).collect()
}

/// Solves a problem; says what is wrong with the answer, if anything.
fn solve(name: &str, engine: &dyn Engine, run: &Run, problem: &Problem, truth: &Truth) -> Result<(), String> {
    let ensure = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
    let evidence = match engine.solve(problem, run) {
        Answer::True(evidence) => {
            ensure(truth.verdict, "true is wrong")?;
            evidence
        }
        Answer::False(evidence) => {
            ensure(!truth.verdict, "false is wrong")?;
            evidence
        }
        // It finds witnesses, and never tells that there is none.
        Answer::Unknown(_) if name == "bmc" && truth.shortest.is_none_or(|steps| steps > BMC_DEPTH as usize) => {
            return Ok(());
        }
        Answer::Unknown(why) => return Err(format!("unknown without limits: {why}")),
    };
    match evidence {
        Evidence::Witness(trace) => {
            prequel::evidence::witness::check(problem, &trace).map_err(|e| e.to_string())?;
            let shortest = name.contains("otf") && !name.contains("depth") || matches!(name, "bmc" | "bdd");
            let any_length = !shortest || problem.query.kind() == "safety";
            let steps = trace.steps.len();
            ensure(any_length || Some(steps) == truth.shortest, &format!("{steps} steps, not a shortest witness"))
        }
        // Merged states may do more than each of them: the smaller network can have more states than the original.
        Evidence::Quotients(_) | Evidence::Parts(_) | Evidence::Invariant(_) | Evidence::Derivation(_) => {
            ensure(truth.verdict != problem.query.witness_shows(), "no witness")?;
            let proof = CertifiedProof::of(&problem.network, &evidence, None);
            let text = Certificate::new(problem, "", truth.verdict, proof).to_json();
            let (read, _) = prequel::formats::certificate::read("c.json", &text).map_err(|e| e[0].headline())?;
            let states = if let Evidence::Invariant(_) = evidence { 0 } else { usize::MAX };
            let certificate = Certificate::try_from(read).map_err(|e| e.to_string())?;
            certificate::check(problem, &certificate, states).map(drop).map_err(|e| e.to_string())
        }
        Evidence::Exhausted => {
            ensure(truth.verdict != problem.query.witness_shows(), "no witness")?;
            ensure(!is_symbolic(name), "no invariant")?;
            let derives = name == "learn" || name.starts_with("minimise");
            ensure(!run.proves() || !derives, "no derivation")?;
            let (states, all) = (run.effort().states_total, truth.states as u64);
            if !name.contains("otf") {
                return Ok(());
            }
            ensure(states <= all, &format!("{states} states of {all}"))?;
            ensure(states == all || !name.contains("no-por"), &format!("only {states} states of {all}"))
        }
    }
}

/// Each question to them takes milliseconds: a part of the networks is enough.
fn is_symbolic(name: &str) -> bool {
    let method = name.split(' ').next().unwrap_or_default();
    matches!(method, "bmc" | "bdd" | "itp" | "citp" | "citp-a" | "citp-pa" | "ic3")
}

/// L* is exponential: families are not for it. Diagrams can be, too: of many components that share one action word, and of interpolants.
fn too_large(name: &str, problem: &Problem, truth: &Truth) -> bool {
    let (components, labels) = (problem.network.components().len(), problem.network.labels().len());
    name == "learn" && components > 6 || is_symbolic(name) && (components > 4 || labels > 16 || truth.states > 300)
}

/// Puts a problem to every engine, with all fixed configurations and with options by seed.
fn agree(problem: &Problem, seed: u64, configurations: &[(&str, Box<dyn Engine>, usize)]) -> bool {
    let truth = truth(problem);
    let ask = |name: &str, engine: &dyn Engine, threads: usize| {
        // Threads are started per run: a tenth of the problems is enough for them.
        if engine.accepts(problem).is_err()
            || threads > 1 && !seed.is_multiple_of(10)
            || too_large(name, problem, &truth)
        {
            return;
        }
        if is_symbolic(name) && !seed.is_multiple_of(50) {
            return;
        }
        let run = Run::new(Limits { threads, ..Limits::default() }, seed);
        // What a proof is written down for is answered in the same way.
        if seed.is_multiple_of(2) {
            run.prove();
        }
        if let Err(what) = solve(name, engine, &run, problem, &truth) {
            let case = dump::keep(problem, name);
            let kind = problem.query.kind();
            panic!("{name} on {kind} of network {seed}: {what}\nto run it: {}", case.command());
        }
    };
    configurations.iter().for_each(|(name, engine, threads)| ask(name, &**engine, *threads));
    shuffled_configurations(seed).iter().for_each(|(name, engine)| ask(name, &**engine, 1));
    truth.verdict
}

#[test]
fn every_engine_agrees_with_the_plain_product_on_random_networks() {
    let configurations = configurations();
    let mut decided = [0usize; 2];
    for seed in first_seed()..first_seed() + networks() {
        for problem in problems(seed).into_iter().chain([nonblocking::problem(seed)]) {
            decided[usize::from(agree(&problem, seed, &configurations))] += 1;
        }
    }
    let total = decided[0] + decided[1];
    assert!(decided.iter().all(|&n| n * 10 > total), "both verdicts must be common: {decided:?}");
}

/// Random networks rarely set the traps that compositional engines fall into; small changes of systems that do, often do.
fn agree_on_changed(traps: &[Trap]) {
    let configurations = configurations();
    let mut decided = [0usize; 2];
    for seed in first_seed()..first_seed() + if traps.is_empty() { 0 } else { networks() / 2 } {
        let problem = mutant(&traps[seed as usize % traps.len()].problem, seed);
        decided[usize::from(agree(&problem, seed, &configurations))] += 1;
    }
    let total = decided[0] + decided[1];
    assert!(total == 0 || decided.iter().all(|&n| n * 10 > total), "both verdicts must be common: {decided:?}");
}

#[test]
fn every_engine_agrees_with_the_plain_product_on_changed_traps() {
    agree_on_changed(&traps());
}

#[test]
fn every_engine_agrees_with_the_plain_product_on_changed_traps_of_nonblocking() {
    agree_on_changed(&nonblocking::traps());
}

/// How many systems for `icc` alone; `make fuzz` raises it.
fn systems() -> u64 {
    number("PREQUEL_FUZZ_ICC", 2_000)
}

/// Half of them changed traps, the rest rows, rings and uniform networks; every combination of options comes up.
#[test]
fn icc_agrees_with_the_plain_product_whatever_its_options() {
    let traps = traps();
    let mut decided = [0usize; 2];
    for seed in first_seed()..first_seed() + systems() {
        let mut rng = Rng::new(seed ^ 0x1cc);
        let mut problems = match rng.below(10) {
            0..5 if !traps.is_empty() => vec![mutant(&traps[rng.below(traps.len())].problem, seed)],
            kind @ 5..8 => {
                let build = if kind == 7 { random::ring } else { random::chain };
                asked_of(build(rng.between(3, 5), seed).network, seed)
            }
            _ => problems(seed),
        };
        let problem = problems.swap_remove(rng.below(problems.len()));
        let truth = truth(&problem);
        let (name, engine) = shuffled(Box::new(Icc::default()), seed);
        if engine.accepts(&problem).is_err() {
            continue;
        }
        let run = Run::new(Limits::default(), seed);
        if let Err(what) = solve(&name, &*engine, &run, &problem, &truth) {
            let case = dump::keep(&problem, &name);
            panic!("{} of system {seed}: {what}\nto run it: {}", problem.query.kind(), case.command());
        }
        decided[usize::from(truth.verdict)] += 1;
    }
    let total = decided[0] + decided[1];
    assert!(decided.iter().all(|&n| n * 10 > total), "both verdicts must be common: {decided:?}");
}

/// What needs no search at all, and what engines that take systems apart may trip over.
#[test]
fn every_engine_takes_odd_problems() {
    let mut labels = Labels::new();
    let [a, b] = ["a", "b"].map(|l| labels.intern(l));
    let lts = |states, edges: &[(u32, LabelId, u32)]| {
        Lts::new(StateId(0), states, edges.iter().map(|&(s, l, t)| Transition::new(s, l, t)).collect())
    };
    let single = || Component::new("single", lts(2, &[(0, a, 1), (1, LabelId::TAU, 0)]));
    let empty = || Component::new("empty", lts(1, &[]));
    let blocker = || Component::with_alphabet("blocker", lts(1, &[]), [a]);
    let untouched = || Component::new("untouched", lts(2, &[(0, b, 1), (1, b, 0)]));
    let networks: Vec<Vec<Component>> = vec![
        vec![],
        vec![empty()],
        vec![single()],
        vec![single(), empty()],
        vec![single(), untouched()],
        vec![blocker(), single(), untouched()],
    ];
    let monitor = |lts: Lts, marked: &[u32]| {
        let lts = lts.with_marked(marked.iter().map(|&s| StateId(s)));
        Query::Safety(Monitor { automaton: Component::new("monitor", lts) })
    };
    for (seed, components) in networks.into_iter().enumerate() {
        let has_a = components.iter().any(|c| c.takes_part(a));
        let network = Network::new(labels.clone(), components);
        // The first three name no label of the system.
        let mut queries = vec![
            monitor(lts(1, &[]), &[]),
            monitor(lts(1, &[]), &[0]),
            monitor(lts(2, &[(0, LabelId::TAU, 1)]), &[1]),
            Query::DeadlockFree,
            Query::Nonblocking,
            Query::Reach(Goal::And(vec![])),
            Query::Reach(Goal::Or(vec![])),
        ];
        if has_a {
            queries.push(monitor(lts(2, &[(0, a, 1)]), &[1]));
            queries.push(monitor(lts(2, &[(0, a, 1)]), &[]));
        }
        queries.extend(network.ids().map(|c| Query::Reach(Goal::at(c, StateId(0)))));
        for query in queries {
            agree(&Problem { network: network.clone(), query }, 50 * seed as u64, &configurations());
        }
    }
}

#[test]
fn a_dumped_case_is_the_same_problem() {
    for seed in 0..12 {
        for problem in problems(seed) {
            let truth = truth(&problem);
            let folder = tempfile::tempdir().unwrap();
            let case = dump::write(&problem, "otf --no-por", folder.path());
            let ended = Command::new(env!("CARGO_BIN_EXE_prequel"))
                .args(&case.arguments)
                .arg("--json")
                .current_dir(&case.folder)
                .output()
                .unwrap();
            let said: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
            let what = format!("network {seed}: {}: {}", case.command(), String::from_utf8_lossy(&ended.stderr));
            assert_eq!(said["verdict"], truth.verdict.to_string(), "{what}");
            // The whole product is explored where nothing is found: it must be the same one.
            if said["evidence"]["kind"] == "none" {
                assert_eq!(said["effort"]["states_total"], truth.states, "{what}");
            }
            let written = std::fs::read_to_string(folder.path().join("command")).unwrap();
            assert_eq!(written, format!("{}\n", case.command()));
        }
    }
}

/// Several of these traps occur in fewer than one random network in a thousand.
#[test]
fn every_engine_avoids_the_traps_of_the_witness_systems() {
    let traps = traps();
    for trap in &traps {
        let truth = truth(&trap.problem);
        assert_eq!(truth.verdict, trap.expected, "{}: the oracle disagrees with system.txt", trap.name);
        for (name, engine, threads) in configurations() {
            if engine.accepts(&trap.problem).is_ok() && !too_large(name, &trap.problem, &truth) {
                let run = Run::new(Limits { threads, ..Limits::default() }, 0);
                solve(name, &*engine, &run, &trap.problem, &truth)
                    .unwrap_or_else(|e| panic!("{name} on {}: {e}", trap.name));
            }
        }
        for seed in 0..50 {
            agree(&trap.problem, seed, &[]);
        }
    }
    assert!(traps.is_empty() || traps.len() >= 53, "only {} traps were understood", traps.len());
}

#[test]
fn every_engine_avoids_the_traps_of_nonblocking() {
    let traps = nonblocking::traps();
    for trap in &traps {
        assert_eq!(truth(&trap.problem).verdict, trap.expected, "{}: the oracle disagrees", trap.name);
        for seed in 0..50 {
            agree(&trap.problem, seed, &configurations());
        }
    }
    assert!(traps.is_empty() || traps.len() == 16, "{} traps", traps.len());
}
