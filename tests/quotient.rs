//! Transforms: the verdict stays what it was after every refinement step, and every witness lifts back and replays.

mod oracle;

use oracle::traps::traps;
use oracle::{dump, problems, truth};
use prequel::engine::Engine as _;
use prequel::engine::otf::Otf;
use prequel::engine::run::{Limits, Run};
use prequel::evidence::witness;
use prequel::model::{Answer, ComponentId, Evidence, Problem};
use prequel::transform::minimise::Minimise;
use prequel::transform::quotient::Quotient;
use prequel::transform::quotient::assume::Options;
use prequel::transform::{Smaller, Transform};

/// How many networks; `make fuzz` raises it.
fn networks(usual: u64) -> u64 {
    std::env::var("PREQUEL_FUZZ_NETWORKS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Where the seeds start; `make fuzz` moves it.
fn first_seed() -> u64 {
    std::env::var("PREQUEL_FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn quotient(replace: Vec<ComponentId>, steps: Option<u64>) -> Quotient {
    Quotient { replace, options: Options { steps, ..Quotient::default().options } }
}

/// What was done over many cases.
#[derive(Default, Debug)]
struct Done {
    transforms: usize,
    smaller: usize,
    lifted: usize,
}

/// Transforms a problem and compares verdicts; a witness of the smaller problem is lifted and replayed on the original.
fn check(problem: &Problem, verdict: bool, transform: &dyn Transform, done: &mut Done) -> Result<Smaller, String> {
    let run = Run::new(Limits::default(), 0);
    let smaller = transform.apply(problem, &run).map_err(|stop| stop.to_string())?;
    done.transforms += 1;
    let states = |p: &Problem| p.network.components().iter().map(|c| c.lts.num_states()).sum::<usize>();
    done.smaller += usize::from(states(&smaller.problem) < states(problem));
    let answer = Otf::default().solve(&smaller.problem, &run);
    if answer.word() != verdict.to_string() {
        return Err(format!("{} on the smaller problem, {verdict} on the original", answer.word()));
    }
    if let Answer::True(Evidence::Witness(trace)) | Answer::False(Evidence::Witness(trace)) = answer {
        let lifted = smaller.lift(&trace).map_err(|e| e.to_string())?;
        witness::check(problem, &lifted).map_err(|e| format!("the lifted witness does not replay: {e}"))?;
        done.lifted += 1;
    }
    Ok(smaller)
}

/// Every process alone, after every possible number of steps.
fn after_every_step(problem: &Problem, verdict: bool, done: &mut Done) -> Result<(), String> {
    for component in problem.network.ids() {
        for steps in 0.. {
            let what = format!("{component:?} after {steps} steps: ");
            let smaller =
                check(problem, verdict, &quotient(vec![component], Some(steps)), done).map_err(|e| what + &e)?;
            if smaller.replaced.iter().all(|r| r.steps < steps) {
                break;
            }
        }
    }
    Ok(())
}

#[test]
fn the_verdict_stays_after_every_refinement_step() {
    let mut done = Done::default();
    for seed in first_seed()..first_seed() + networks(1500) {
        for problem in problems(seed) {
            let verdict = truth(&problem).verdict;
            if let Err(e) = after_every_step(&problem, verdict, &mut done) {
                let case = dump::keep(&problem, "quotient");
                panic!("{} of network {seed}: {e}\nto run it: {}", problem.query.kind(), case.command());
            }
        }
    }
    assert!(done.smaller * 4 > done.transforms && done.lifted * 5 > done.transforms, "{done:?}");
}

#[test]
fn all_processes_one_after_another_keep_the_verdict() {
    let mut done = Done::default();
    for seed in first_seed()..first_seed() + networks(3000) {
        for problem in problems(seed) {
            let verdict = truth(&problem).verdict;
            for steps in [Some(0), Some(1 + seed % 7), None] {
                if let Err(e) = check(&problem, verdict, &quotient(Vec::new(), steps), &mut done) {
                    let case = dump::keep(&problem, "quotient");
                    panic!("{} of network {seed}, {steps:?}: {e}\nto run it: {}", problem.query.kind(), case.command());
                }
            }
        }
    }
    assert!(done.smaller * 4 > done.transforms && done.lifted * 5 > done.transforms, "{done:?}");
}

#[test]
fn minimised_components_keep_the_verdict() {
    let mut done = Done::default();
    for seed in first_seed()..first_seed() + networks(5000) {
        for problem in problems(seed) {
            let verdict = truth(&problem).verdict;
            if let Err(e) = check(&problem, verdict, &Minimise::default(), &mut done) {
                let case = dump::keep(&problem, "otf");
                panic!("{} of network {seed}: {e}\nto run it: {}", problem.query.kind(), case.command());
            }
        }
    }
    assert!(done.smaller * 4 > done.transforms && done.lifted * 5 > done.transforms, "{done:?}");
}

/// Each of them catches a way of getting the method wrong; some of those go unnoticed in thousands of random networks.
#[test]
fn the_witness_systems_keep_their_verdicts_after_every_step() {
    let mut done = Done::default();
    for trap in traps() {
        // Families are large for an oracle that is asked after every step.
        if trap.name.starts_with("fam-") {
            continue;
        }
        let all = quotient(Vec::new(), None);
        after_every_step(&trap.problem, trap.expected, &mut done)
            .and_then(|()| check(&trap.problem, trap.expected, &all, &mut done).map(drop))
            .unwrap_or_else(|e| panic!("{}: {e}", trap.name));
    }
}
