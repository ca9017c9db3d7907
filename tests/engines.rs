//! One suite for every engine: the same random problems, the oracle's verdict, every witness replayed.

mod oracle;

use oracle::{problems, truth};
use prequel::engine::Engine;
use prequel::engine::otf::{Otf, Search};
use prequel::engine::run::{Limits, Run};
use prequel::model::{Answer, Evidence};

/// How many networks; `make fuzz` raises it.
fn networks() -> u64 {
    std::env::var("PREQUEL_FUZZ_NETWORKS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000)
}

/// Where the seeds start; `make fuzz` moves it.
fn first_seed() -> u64 {
    std::env::var("PREQUEL_FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Every engine with every option that changes how it works.
fn configurations() -> Vec<(&'static str, Box<dyn Engine>, usize)> {
    let otf = |search, reduce| -> Box<dyn Engine> { Box::new(Otf { search, reduce }) };
    vec![
        ("otf", otf(Search::Breadth, true), 1),
        ("otf --no-por", otf(Search::Breadth, false), 1),
        ("otf --search depth", otf(Search::Depth, true), 1),
        ("otf --search depth --no-por", otf(Search::Depth, false), 1),
        ("otf --threads 2", otf(Search::Breadth, true), 2),
        ("otf --threads 2 --no-por", otf(Search::Breadth, false), 2),
    ]
}

#[test]
fn every_engine_agrees_with_the_plain_product_on_random_networks() {
    let configurations = configurations();
    let mut decided = [0usize; 2];
    for seed in first_seed()..first_seed() + networks() {
        for problem in problems(seed) {
            let truth = truth(&problem);
            decided[usize::from(truth.verdict)] += 1;
            for (name, engine, threads) in &configurations {
                if engine.accepts(&problem).is_err() {
                    continue;
                }
                // Threads are started per run: a tenth of the problems is enough for them.
                if *threads > 1 && seed % 10 != 0 {
                    continue;
                }
                let run = Run::new(Limits { threads: *threads, ..Limits::default() }, seed);
                let case = format!("{name} on {} of network {seed}", problem.query.kind());
                let evidence = match engine.solve(&problem, &run) {
                    Answer::True(evidence) => {
                        assert!(truth.verdict, "{case}: true is wrong");
                        evidence
                    }
                    Answer::False(evidence) => {
                        assert!(!truth.verdict, "{case}: false is wrong");
                        evidence
                    }
                    Answer::Unknown(why) => panic!("{case}: unknown without limits: {why}"),
                };
                match evidence {
                    Evidence::Witness(trace) => {
                        prequel::evidence::witness::check(&problem, &trace).unwrap_or_else(|e| panic!("{case}: {e}"));
                        if !name.contains("depth") && problem.query.kind() != "safety" {
                            assert_eq!(Some(trace.steps.len()), truth.shortest, "{case}: not a shortest witness");
                        }
                    }
                    Evidence::Exhausted => {
                        assert_ne!(truth.verdict, problem.query.witness_shows(), "{case}: no witness");
                        let states = run.effort().states_total;
                        assert!(states <= truth.states as u64, "{case}: {states} states of {}", truth.states);
                        if name.contains("no-por") {
                            assert_eq!(states, truth.states as u64, "{case}");
                        }
                    }
                }
            }
        }
    }
    let total = decided[0] + decided[1];
    assert!(decided.iter().all(|&n| n * 10 > total), "both verdicts must be common: {decided:?}");
}
