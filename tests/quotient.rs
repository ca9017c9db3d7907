//! Transforms: the verdict stays what it was after every refinement step, and every witness lifts back and replays.

use crate::fuzz::{first_seed, number};
use crate::mutants::mutant;
use crate::oracle;
use crate::oracle::traps::traps;
use crate::oracle::{dump, problems, truth};
use prequel::engine::Engine as _;
use prequel::engine::icc;
use prequel::engine::otf::Otf;
use prequel::engine::transform::icc::Icc;
use prequel::engine::transform::minimise::Minimise;
use prequel::engine::transform::quotient::{Options, Quotient};
use prequel::engine::transform::together::{Plan, together};
use prequel::engine::transform::{Smaller, Transform};
use prequel::evidence::certificate;
use prequel::evidence::certificate::{Certificate, CertifiedProof, Rejected, Replacement};
use prequel::evidence::witness;
use prequel::families::random;
use prequel::families::random::Shape;
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use prequel::model::{Answer, ComponentId, Evidence, Problem, Query};

/// How many networks; `make fuzz` raises it.
fn networks(usual: u64) -> u64 {
    number("PREQUEL_FUZZ_NETWORKS", usual)
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

/// Asks something of all problems of random networks; `engine` is to look at one where it goes wrong. Often enough something must have
/// become smaller, and a witness been lifted.
fn of_random_networks(
    number: u64,
    engine: &str,
    problems: impl Fn(u64) -> Vec<Problem>,
    mut ask: impl FnMut(&Problem, bool, u64, &mut Done) -> Result<(), String>,
) -> Done {
    let mut done = Done::default();
    for seed in first_seed()..first_seed() + networks(number) {
        for problem in problems(seed) {
            let verdict = truth(&problem).verdict;
            if let Err(e) = ask(&problem, verdict, seed, &mut done) {
                let case = dump::keep(&problem, engine);
                panic!("{} of network {seed}: {e}\nto run it: {}", problem.query.kind(), case.command());
            }
        }
    }
    assert!(done.smaller * 4 > done.transforms && done.lifted * 5 > done.transforms, "{done:?}");
    done
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
    of_random_networks(1500, "quotient", problems, |problem, verdict, _, done| {
        after_every_step(problem, verdict, done)
    });
}

/// A small network, so that every subset of its processes can be looked at after every step: two processes, or more.
fn small(seed: u64) -> Vec<Problem> {
    let components = if seed.is_multiple_of(2) { 2 } else { 4 };
    let shape = Shape { components, states: 4, labels: 5, degree: 2 };
    oracle::asked_of(random::network(seed, &shape), seed)
}

/// Every subset of processes, interrupted after every possible number of steps: the verdict stays, in both directions, every witness
/// lifts, and every certificate audits; one whose map lost an edge never does.
fn every_subset(problem: &Problem, verdict: bool, done: &mut Done, audited: &mut usize) -> Result<(), String> {
    let count = problem.network.components().len();
    for subset in 1..1u32 << count {
        let replace: Vec<ComponentId> = (0..count).filter(|at| subset >> at & 1 == 1).map(ComponentId::new).collect();
        // With and without first passes that take few steps.
        for (steps, first_pass) in (0..).flat_map(|steps| [(Some(steps), None), (None, Some(steps))]) {
            let at = |e: String| format!("{replace:?} after {steps:?} steps, {first_pass:?} at first: {e}");
            let mut transform = quotient(replace.clone(), steps);
            transform.options.first_pass = first_pass;
            let steps = steps.or(first_pass).expect("one of them");
            let smaller = check(problem, verdict, &transform, done).map_err(at)?;
            if verdict != problem.query.witness_shows() {
                let maps = CertifiedProof::maps(&problem.network, &smaller.maps());
                let mut certificate = Certificate::new(problem, "", verdict, maps);
                certificate::check(problem, &certificate, usize::MAX).map_err(|e| at(e.to_string()))?;
                *audited += 1;
                if let CertifiedProof::Maps(maps) = &mut certificate.proof
                    && let Some(first) = maps.iter_mut().find(|r| !r.edges.is_empty())
                {
                    first.edges.remove((subset as usize + steps as usize) % first.edges.len());
                    if certificate::check(problem, &certificate, usize::MAX).is_ok() {
                        return Err(at("a corrupted certificate is accepted".into()));
                    }
                }
            }
            if first_pass.is_some() && smaller.replaced.iter().all(|r| r.steps < steps) {
                break;
            }
        }
    }
    Ok(())
}

#[test]
fn every_subset_of_processes_keeps_the_verdict_after_every_step() {
    let mut audited = 0;
    let done = of_random_networks(250, "quotient", small, |problem, verdict, _, done| {
        every_subset(problem, verdict, done, &mut audited)
    });
    println!("{done:?}, {audited} certificates");
    assert!(audited * 5 > done.transforms, "{audited} certificates, {done:?}");
}

#[test]
fn all_processes_one_after_another_keep_the_verdict() {
    of_random_networks(3000, "quotient", problems, |problem, verdict, seed, done| {
        [Some(0), Some(1 + seed % 7), None].into_iter().try_for_each(|steps| {
            let checked = check(problem, verdict, &quotient(Vec::new(), steps), done);
            checked.map(drop).map_err(|e| format!("{steps:?}: {e}"))
        })
    });
}

#[test]
fn minimised_components_keep_the_verdict() {
    of_random_networks(5000, "otf", problems, |problem, verdict, _, done| {
        check(problem, verdict, &Minimise::default(), done).map(drop)
    });
}

/// Every number of checks after which the search may end, with the engine's own configuration or the paper's.
fn after_every_check(problem: &Problem, verdict: bool, seed: u64, done: &mut Done) -> Result<(), String> {
    let usual = icc::Options { level: 0, ..icc::Options::default() };
    let paper = icc::Options { fold: false, whole: false, patience: u64::MAX, budget: 4, ..usual };
    let options = if seed.is_multiple_of(2) { usual } else { paper };
    let run = Run::new(Limits::default(), 0);
    icc::Icc { options: icc::Options { checks: 60, ..options } }.solve(problem, &run);
    for checks in 0..=run.effort().checks.min(60) {
        for selected in [false, true] {
            if selected && !matches!(problem.query, Query::Safety(_)) {
                continue;
            }
            let transform = Icc { options: icc::Options { checks, ..options }, selected, ..Icc::default() };
            let what = format!("after {checks} checks, selected {selected}: ");
            check(problem, verdict, &transform, done).map_err(|e| what + &e)?;
        }
    }
    // Levels settle most of them, or few states of them lead to the search.
    for level in [100, icc::Options::default().level] {
        let transform = Icc { options: icc::Options { level, ..options }, ..Icc::default() };
        check(problem, verdict, &transform, done).map_err(|e| format!("after levels of {level} states: {e}"))?;
    }
    Ok(())
}

#[test]
fn what_icc_leaves_keeps_the_verdict_after_every_check() {
    let traps = traps();
    let asked = |seed: u64| {
        let changed = traps.get(seed as usize % traps.len().max(1)).map(|trap| mutant(&trap.problem, seed));
        let all = problems(seed).into_iter().chain(changed);
        all.filter(|problem| !matches!(problem.query, Query::DeadlockFree | Query::Nonblocking)).collect()
    };
    of_random_networks(1500, "icc", asked, |problem, verdict, seed, done| {
        after_every_check(problem, verdict, seed, done)
    });
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

/// The certificate of a problem in which nothing is reached, and how large the smaller network is.
fn certified(problem: &Problem, seed: u64) -> Option<(Certificate, usize)> {
    let truth = truth(problem);
    if truth.verdict == problem.query.witness_shows() {
        return None;
    }
    let run = Run::new(Limits::default(), 0);
    let smaller = quotient(Vec::new(), Some(seed % 5)).apply(problem, &run).expect("no limits");
    let maps = CertifiedProof::maps(&problem.network, &smaller.maps());
    let certificate = Certificate::new(problem, "", truth.verdict, maps);
    let states = certificate::check(problem, &certificate, usize::MAX)
        .unwrap_or_else(|e| panic!("{} of network {seed}: {e}", problem.query.kind()));
    Some((certificate, states)).filter(|(c, _)| !c.proof.replaced().is_empty())
}

fn maps(certificate: &mut Certificate) -> &mut Vec<Replacement> {
    let CertifiedProof::Maps(maps) = &mut certificate.proof else { panic!("nothing is replaced") };
    maps
}

/// A changed map is a homomorphism only if it happens to be another one, and then the smaller network is looked at.
#[test]
fn a_certificate_is_accepted_and_a_corrupted_one_never_for_its_maps() {
    let (mut accepted, mut rejected) = (0, [0; 5]);
    for seed in first_seed()..first_seed() + networks(3000) {
        for problem in problems(seed) {
            let Some((certificate, _)) = certified(&problem, seed) else { continue };
            accepted += 1;
            let mut rng = Rng::new(seed);
            let changed = |change: &mut dyn FnMut(&mut Certificate)| {
                let mut changed = certificate.clone();
                change(&mut changed);
                certificate::check(&problem, &changed, usize::MAX)
            };
            let of = rng.below(certificate.proof.replaced().len());
            let Replacement { edges, class_of: classes, .. } = &certificate.proof.replaced()[of];
            // Quotients have no edge without a member's edge: each of them is needed.
            if !edges.is_empty() {
                let lost = rng.below(edges.len());
                let result = changed(&mut |c| drop(maps(c)[of].edges.remove(lost)));
                assert!(matches!(result, Err(Rejected::Lost { .. })), "seed {seed}: {result:?}");
                rejected[0] += 1;
            }
            let result = changed(&mut |c| maps(c)[of].initial += 1);
            assert!(matches!(result, Err(Rejected::Initial { .. })), "seed {seed}: {result:?}");
            let result =
                changed(&mut |c| c.model.replace_range(0..1, if c.model.starts_with('0') { "1" } else { "0" }));
            assert!(matches!(result, Err(Rejected::Other { .. })), "seed {seed}: {result:?}");
            let result = changed(&mut |c| maps(c)[of].class_of.truncate(classes.len() - 1));
            assert!(matches!(result, Err(Rejected::Unknown(_))), "seed {seed}: {result:?}");
            let other = !problem.query.witness_shows();
            let result = changed(&mut |c| c.verdict = Some(!other));
            assert_eq!(result, Err(Rejected::NoWitness), "seed {seed}");
            // Another class of a state: whatever the checker says, it says what the definitions say.
            let most = *classes.iter().max().expect("components have states") as usize;
            let (state, class) = (rng.below(classes.len()), rng.below(most + 1) as u32);
            if classes[state] != class {
                match changed(&mut |c| maps(c)[of].class_of[state] = class) {
                    Ok(_) => rejected[1] += 1,
                    Err(_) => rejected[2] += 1,
                }
            }
        }
    }
    assert!(accepted > 500 && rejected[0] > 300 && rejected[2] > 300, "{accepted} accepted, {rejected:?}");
}

/// A certificate whose maps are fine must not be believed where the smaller network reaches what it should not.
#[test]
fn maps_that_merge_too_much_are_found_out() {
    let mut found = 0;
    for seed in first_seed()..first_seed() + networks(1500) {
        for problem in problems(seed) {
            let truth = truth(&problem);
            // One state for a whole component: a homomorphism for safety, whatever it is good for.
            let all = |c| {
                let lts = &problem.network.component(c).lts;
                prequel::model::ClassMap::of(c, lts, vec![prequel::model::StateId(0); lts.num_states()])
            };
            let maps: Vec<_> = problem.network.ids().map(all).collect();
            let claimed = !problem.query.witness_shows();
            let certificate = Certificate::new(&problem, "", claimed, CertifiedProof::maps(&problem.network, &maps));
            match certificate::check(&problem, &certificate, usize::MAX) {
                Ok(_) => assert_eq!(truth.verdict, claimed, "seed {seed}: a wrong verdict was certified"),
                Err(_) => found += usize::from(truth.verdict != claimed),
            }
        }
    }
    assert!(found > 500, "only {found} wrong claims");
}

/// All queries of a network at once: each keeps its verdict on the one smaller network, and its witnesses lift back.
#[test]
fn several_queries_keep_their_verdicts_together() {
    let (mut smaller, mut lifted) = (0, 0);
    for seed in first_seed()..first_seed() + networks(1500) {
        let problems = problems(seed);
        let network = &problems[0].network;
        let queries: Vec<_> = problems.iter().map(|problem| problem.query.clone()).collect();
        let components: Vec<ComponentId> = network.ids().collect();
        let mut options = Quotient::default().options;
        options.steps = (seed % 3 > 0).then_some(seed % 7);
        let run = Run::new(Limits::default(), 0);
        let plan =
            Plan { components: &components, minimise: seed % 2 == 0, quotients: true, options, accept: &|_, _| Ok(()) };
        let together = together(network, &queries, &plan, &run).expect("random networks are small");
        smaller += usize::from(components.iter().any(|&component| together.changed(component)));
        for (number, problem) in problems.iter().enumerate() {
            let query = together.queries[number].clone();
            let reduced = Problem { network: together.network.clone(), query };
            let answer = Otf::default().solve(&reduced, &run);
            assert_eq!(answer.word(), truth(problem).verdict.to_string(), "seed {seed}, {}", problem.query.kind());
            if let Answer::True(Evidence::Witness(trace)) | Answer::False(Evidence::Witness(trace)) = answer {
                let trace = together.lift(number, &trace).expect("it lifts");
                witness::check(problem, &trace)
                    .unwrap_or_else(|e| panic!("seed {seed}, {}: {e}", problem.query.kind()));
                lifted += 1;
            }
        }
    }
    assert!(smaller > 100 && lifted > 100, "{smaller} smaller, {lifted} lifted");
}
