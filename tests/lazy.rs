//! Lazy reachability beside the plain product: random networks and goals, every option, every witness replayed, every certificate
//! checked, and false ones rejected.

use crate::fuzz::{first_seed, number};
use crate::mutants::mutant;
use crate::oracle::traps::traps;
use crate::oracle::{asked_of, dump, problems, truth};
use prequel::engine::Engine;
use prequel::engine::lazy::Lazy;
use prequel::evidence::certificate::{
    Certificate, CertifiedNeeds, CertifiedProof, CertifiedStep, Rejected, check, check_changed,
};
use prequel::families::random;
use prequel::families::random::Shape;
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use prequel::model::{
    Answer, Component, ComponentId, Evidence, Goal, LabelId, Lts, Network, Problem, Query, StateId, Transition,
};

/// How many systems; `make fuzz` raises it.
fn systems() -> u64 {
    number("PREQUEL_FUZZ_NETWORKS", 2_000)
}

/// Several partial states over few components, so that they overlap; a component that one does not mention may be anywhere.
fn partial_states(rng: &mut Rng, network: &Network) -> Goal {
    let count = network.components().len();
    let few: Vec<ComponentId> = (0..rng.between(1, 4)).map(|_| ComponentId::new(rng.below(count))).collect();
    let at =
        |rng: &mut Rng, c: ComponentId| Goal::at(c, StateId::new(rng.below(network.component(c).lts.num_states())));
    let one = |rng: &mut Rng| {
        let mentioned: Vec<ComponentId> = few.iter().copied().filter(|_| rng.chance(70)).collect();
        Goal::And(mentioned.into_iter().map(|c| at(rng, c)).collect())
    };
    Goal::Or((0..rng.between(1, 4)).map(|_| one(rng)).collect())
}

/// A random network, a row, a ring or a changed trap, with a question about it.
fn problem(seed: u64, traps: &[Problem]) -> Problem {
    let mut rng = Rng::new(seed ^ 0x1a2);
    let network = match rng.below(10) {
        0..3 if !traps.is_empty() => {
            let changed = mutant(&traps[rng.below(traps.len())], seed);
            if rng.chance(50) {
                return changed;
            }
            changed.network
        }
        3 => {
            let mut asked = problems(seed);
            asked.retain(|problem| Lazy::default().accepts(problem).is_ok());
            return asked.swap_remove(rng.below(asked.len()));
        }
        7 => return asked_of(random::chain(rng.between(3, 6), seed).network, seed).swap_remove(1),
        4 => random::ring(rng.between(3, 6), seed).network,
        5 | 6 => random::network(seed, &Shape { components: 6, states: 3, labels: 9, degree: 3 }),
        _ => random::network(seed, &Shape::default()),
    };
    let query = match rng.below(8) {
        0 => Query::Safety(random::monitor(&mut rng, &network)),
        1 | 2 => Query::Reach(random::goal(&mut rng, &network)),
        _ => Query::Reach(partial_states(&mut rng, &network)),
    };
    Problem { network, query }
}

/// The engine with options by seed, and how they are asked for.
fn shuffled(rng: &mut Rng) -> (String, Lazy) {
    let mut engine = Lazy::default();
    let mut name = String::from("lazy");
    for option in engine.options() {
        let values = if option.values == "N" { "0|1|4|16|100" } else { option.values };
        let values: Vec<&str> = values.split('|').collect();
        let value = *rng.pick(&values);
        engine.set(option.name, value).expect("a listed value");
        name += &format!(" --engine-option {}={value}", option.name);
    }
    (name, engine)
}

/// The certificate of an answer.
fn certificate(problem: &Problem, answer: &Answer, run: &Run) -> Certificate {
    let (verdict, evidence) = match answer {
        Answer::True(evidence) => (true, evidence),
        Answer::False(evidence) => (false, evidence),
        Answer::Unknown(why) => panic!("unknown without limits: {why}"),
    };
    assert!(matches!(evidence, Evidence::Witness(_) | Evidence::Parts(_)), "neither a witness nor parts: {evidence:?}");
    let needs = run.needed().expect("it says what it needs");
    Certificate::new(problem, "", verdict, CertifiedProof::of(&problem.network, evidence, Some(needs)))
}

/// All traps that `lazy` can be asked about.
fn trapped() -> Vec<Problem> {
    let traps = traps().into_iter().map(|trap| trap.problem);
    traps.filter(|problem| Lazy::default().accepts(problem).is_ok()).collect()
}

#[test]
fn lazy_agrees_with_the_plain_product_whatever_its_options() {
    let traps = trapped();
    let mut decided = [0usize; 2];
    for seed in first_seed()..first_seed() + systems() {
        let problem = problem(seed, &traps);
        if Lazy::default().accepts(&problem).is_err() {
            continue;
        }
        let expected = truth(&problem).verdict;
        let mut rng = Rng::new(seed);
        // Threads are started per run: some of the problems are enough for them.
        let threads = if seed % 10 == 0 { rng.between(2, 8) } else { 1 };
        let (mut name, engine) = shuffled(&mut rng);
        name += &format!(" --threads {threads}");
        let run = Run::new(Limits { threads, ..Limits::default() }, seed);
        let answer = engine.solve(&problem, &run);
        let shown = check(&problem, &certificate(&problem, &answer, &run), usize::MAX);
        if answer.word() != expected.to_string() || shown.is_err() {
            let case = dump::keep(&problem, &name);
            panic!("{name} on system {seed}: {}, {shown:?}\nto run it: {}", answer.word(), case.command());
        }
        decided[usize::from(expected)] += 1;
    }
    let total = decided[0] + decided[1];
    assert!(total * 10 > systems() as usize * 9 || systems() < 100, "only {total} were asked");
    assert!(decided.iter().all(|&n| n * 10 > total), "both verdicts must be common: {decided:?}");
}

/// The small systems on which a reading of the paper goes wrong, with every combination of options.
#[test]
fn lazy_avoids_the_traps_of_the_paper() {
    let traps = traps().into_iter().filter(|trap| trap.name.starts_with("lazy-") || trap.name.starts_with("fam-"));
    let traps: Vec<_> = traps.filter(|trap| Lazy::default().accepts(&trap.problem).is_ok()).collect();
    for trap in &traps {
        for seed in 0..200 {
            let (name, engine) = shuffled(&mut Rng::new(seed));
            let threads = if seed < 8 { 1 + seed as usize } else { 1 };
            let run = Run::new(Limits { threads, ..Limits::default() }, 0);
            let answer = engine.solve(&trap.problem, &run);
            assert_eq!(answer.word(), trap.expected.to_string(), "{name} on {}", trap.name);
            let shown = check(&trap.problem, &certificate(&trap.problem, &answer, &run), usize::MAX);
            assert!(shown.is_ok(), "{name} on {}: {shown:?}", trap.name);
        }
    }
    assert!(traps.is_empty() || traps.len() >= 20, "only {} traps were understood", traps.len());
}

/// One thread or another number of them: the verdict is the same, and with the same number so is the witness.
#[test]
fn a_race_ends_the_same_every_time() {
    for seed in 0..60 {
        let problem = problem(seed, &[]);
        if Lazy::default().accepts(&problem).is_err() {
            continue;
        }
        let ended = |threads: usize| {
            let run = Run::new(Limits { threads, ..Limits::default() }, 0);
            format!("{:?} {:?}", Lazy::default().solve(&problem, &run), run.needed())
        };
        for threads in [1, 2, 4] {
            assert_eq!(ended(threads), ended(threads), "system {seed}, {threads} threads");
        }
    }
}

/// What needs some components holds whatever else is there: the others are replaced by some that do anything, or nothing at all.
#[test]
fn an_answer_holds_for_every_system_with_the_same_components() {
    let mut tried = [0usize; 2];
    for seed in 0..2_000 {
        let problem = problem(seed, &[]);
        let Query::Reach(goal) = &problem.query else { continue };
        let run = Run::new(Limits::default(), 0);
        let answer = Lazy::default().solve(&problem, &run);
        let needs = run.needed().expect("it says what it needs").clone();
        let (labels, components) = problem.network.clone().into_parts();
        let other = |(at, component): (usize, &Component)| {
            if needs.components.contains(&ComponentId::new(at)) {
                return component.clone();
            }
            // A goal may speak of it where it does not matter: it keeps its states.
            let states = component.lts.num_states();
            let kept = component.alphabet().iter().copied().filter(|l| !needs.labels.contains(l));
            let kept: Vec<LabelId> = kept.collect();
            let all = (0..states as u32)
                .flat_map(|s| kept.iter().map(move |&l| Transition::new(s, l, (s + 1) % states as u32)));
            let edges = if seed % 2 == 0 { all.collect() } else { Vec::new() };
            Component::with_alphabet(component.name.clone(), Lts::new(StateId(0), states, edges), kept.iter().copied())
        };
        let components = components.iter().enumerate().map(other).collect();
        let changed = Problem { network: Network::new(labels, components), query: Query::Reach(goal.clone()) };
        assert_eq!(truth(&changed).verdict.to_string(), answer.word(), "system {seed}");
        tried[usize::from(answer.word() == "true")] += 1;
        // The certificate of what is not reached is good for the changed system as well.
        if let Answer::False(_) = answer {
            let certificate = certificate(&problem, &answer, &run);
            assert!(check_changed(&changed, &certificate, usize::MAX).is_ok(), "system {seed}");
        }
    }
    assert!(tried.iter().all(|&n| n > 200), "{tried:?}");
}

/// Nothing that is reached is ruled out, whatever parts are named.
#[test]
fn no_parts_rule_out_what_is_reached() {
    let mut rejected = 0;
    for seed in 0..1_500 {
        let problem = problem(seed, &[]);
        if Lazy::default().accepts(&problem).is_err() {
            continue;
        }
        let truth = truth(&problem);
        if truth.verdict != problem.query.witness_shows() {
            continue;
        }
        let mut rng = Rng::new(seed);
        for _ in 0..4 {
            let part = |rng: &mut Rng| problem.network.ids().filter(|_| rng.chance(60)).collect::<Vec<_>>();
            let parts: Vec<Vec<ComponentId>> = (0..rng.below(4)).map(|_| part(&mut rng)).collect();
            let parts = CertifiedProof::parts(&problem.network, &parts);
            let lie = Certificate::new(&problem, "", !truth.verdict, parts);
            let verdict = check(&problem, &lie, usize::MAX);
            assert!(matches!(verdict, Err(Rejected::Open { .. })), "system {seed}: {verdict:?}");
            rejected += 1;
        }
    }
    assert!(rejected > 1_000, "{rejected}");
}

fn steps_of(certificate: &mut Certificate) -> &mut Vec<CertifiedStep> {
    let CertifiedProof::Witness { steps, .. } = &mut certificate.proof else { panic!("no witness") };
    steps
}

fn needs(certificate: &mut Certificate) -> &mut CertifiedNeeds {
    let CertifiedProof::Witness { needs: Some(needs), .. } = &mut certificate.proof else { panic!("no needs") };
    needs
}

fn parts_of(certificate: &mut Certificate) -> &mut Vec<Vec<String>> {
    let CertifiedProof::Parts(parts) = &mut certificate.proof else { panic!("no parts") };
    parts
}

#[test]
fn a_corrupted_certificate_is_rejected() {
    let (mut witnesses, mut parts) = (0, 0);
    for seed in 0..1_500 {
        let problem = problem(seed, &[]);
        if Lazy::default().accepts(&problem).is_err() {
            continue;
        }
        let run = Run::new(Limits::default(), 0);
        let answer = Lazy::default().solve(&problem, &run);
        let right = certificate(&problem, &answer, &run);
        let fails = |change: &dyn Fn(&mut Certificate), why: fn(&Rejected) -> bool| {
            let mut wrong = right.clone();
            change(&mut wrong);
            let verdict = check(&problem, &wrong, usize::MAX);
            assert!(verdict.as_ref().is_err_and(why), "system {seed}: {verdict:?}");
        };
        match &right.proof {
            CertifiedProof::Witness { steps, .. } if !steps.is_empty() => {
                witnesses += 1;
                let mover = &steps[0].moves[0].0;
                fails(&|c| needs(c).components.retain(|name| name != mover), |w| matches!(w, Rejected::Needs(_)));
                if steps.iter().any(|step| step.label.is_some()) {
                    fails(&|c| needs(c).labels.clear(), |w| matches!(w, Rejected::Needs(_)));
                }
                fails(&|c| needs(c).labels.push("nobody".into()), |w| matches!(w, Rejected::Unknown(_)));
                fails(&|c| steps_of(c)[0].moves.clear(), |w| matches!(w, Rejected::Witness(_)));
            }
            CertifiedProof::Parts(given) if !given.is_empty() => {
                parts += 1;
                fails(&|c| parts_of(c).clear(), |w| matches!(w, Rejected::Open { .. }));
                fails(&|c| parts_of(c)[0].push("nobody".into()), |w| matches!(w, Rejected::Unknown(_)));
                fails(&|c| c.model.push('0'), |w| matches!(w, Rejected::Other { .. }));
                fails(&|c| c.verdict = c.verdict.map(|verdict| !verdict), |w| matches!(w, Rejected::NoWitness));
            }
            _ => {}
        }
    }
    assert!(witnesses > 200 && parts > 200, "{witnesses} witnesses, {parts} parts");
}
