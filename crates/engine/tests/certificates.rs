//! Certificates of engines beside the truth: what is shown is accepted, as it is written and read again; and nothing is accepted where the
//! claim is false, however a certificate was changed, or whatever other network it was made for.

use prequel_engine::conflict::Conflict;
use prequel_engine::icc::Icc;
use prequel_engine::lazy::Lazy;
use prequel_engine::learn::Learn;
use prequel_engine::minimise::Minimise;
use prequel_engine::otf::Otf;
use prequel_engine::quotient::Quotient;
use prequel_engine::symbolic::{Method, Symbolic};
use prequel_engine::{Engine, EngineOption};
use prequel_evidence::certificate::{Certificate, CertificateFile, CertifiedProof, Proof, check, fingerprint};
use prequel_families::random::{self, Shape};
use prequel_formats::certificate;
use prequel_model::rng::Rng;
use prequel_model::run::{Limits, Run};
use prequel_model::{Answer, Component, Evidence, Lts, Network, Problem, Query};
use serde_json::Value;

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn seeds() -> std::ops::Range<u64> {
    let first = number("PREQUEL_FUZZ_SEED", 0);
    first..first + number("PREQUEL_FUZZ_CERTIFICATES", 400)
}

/// Each kind of question that certificates are about.
fn problems(seed: u64) -> Vec<Problem> {
    let shape = match seed % 4 {
        0 => Shape { components: 6, states: 4, labels: 9, degree: 3 },
        _ => Shape::default(),
    };
    let network = random::network(seed, &shape);
    let mut rng = Rng::new(!seed);
    let (goal, monitor) = (random::goal(&mut rng, &network), random::monitor(&mut rng, &network));
    let queries = [Query::DeadlockFree, Query::Reach(goal), Query::Safety(monitor)];
    let problem = |query| Problem { network: network.clone(), query };
    let mut problems: Vec<Problem> = queries.into_iter().map(problem).collect();
    let marked = |component: &Component, rng: &mut Rng| {
        let marks: Vec<_> = component.lts.states().filter(|_| rng.chance(60)).collect();
        let alphabet = component.alphabet().iter().copied();
        Component::with_alphabet(component.name.clone(), component.lts.clone().with_marked(marks), alphabet)
    };
    let components = network.components().iter().map(|component| marked(component, &mut rng)).collect();
    problems.push(Problem { network: Network::new(network.labels().clone(), components), query: Query::Nonblocking });
    problems
}

/// Whether what is looked for is reached, by looking at all states.
fn is_reached(problem: &Problem) -> bool {
    if matches!(problem.query, Query::Nonblocking) {
        return matches!(Otf::default().solve(problem, &Run::new(Limits::default(), 0)), Answer::False(_));
    }
    check(problem, &claim(problem, CertifiedProof::Nothing), usize::MAX).is_err()
}

/// That nothing is reached.
fn claim(problem: &Problem, proof: CertifiedProof) -> Certificate {
    Certificate::new(problem, "random", !problem.query.witness_shows(), proof)
}

/// Options by seed.
fn set(engine: &mut dyn Engine, rng: &mut Rng) {
    for EngineOption { name, values, default, .. } in engine.options() {
        let value = match values {
            "N" if name == "level" => [default, "0", "0", "0"][rng.below(4)],
            "N" if name == "checks" || name == "largest" => default,
            "N" => [default, "0", "1", "4", "9"][rng.below(5)],
            values => {
                let values: Vec<&str> = values.split('|').collect();
                values[rng.below(values.len())]
            }
        };
        engine.set(name, value).expect("a listed value");
    }
}

/// What an engine shows for the answer that nothing is reached.
fn shown(engine: &dyn Engine, problem: &Problem) -> Option<Evidence> {
    engine.accepts(problem).ok()?;
    let run = Run::new(Limits::default(), 0);
    run.prove();
    match engine.solve(problem, &run) {
        Answer::True(evidence) | Answer::False(evidence) => {
            (!matches!(evidence, Evidence::Witness(_))).then_some(evidence)
        }
        Answer::Unknown(why) => panic!("unknown without limits: {why}"),
    }
}

/// A certificate as it is read again from its file.
fn read_again(certificate: &Certificate) -> Certificate {
    let (file, _) = certificate::read("c.json", &certificate.to_json()).expect("it was written by us");
    assert_eq!(CertificateFile::from(certificate.clone()), file);
    let read = Certificate::try_from(file).expect("it was written by us");
    assert_eq!(&read, certificate);
    read
}

/// Engines that take a network apart show it by steps.
#[test]
fn what_compositional_engines_derive_is_accepted() {
    let mut steps = 0;
    for seed in seeds() {
        let mut rng = Rng::new(seed);
        let (mut icc, mut minimise) = (Icc::default(), Minimise::default());
        set(&mut icc, &mut rng);
        set(&mut minimise, &mut rng);
        let (icc, minimise): (Box<dyn Engine>, Box<dyn Engine>) = (Box::new(icc), Box::new(minimise));
        for problem in problems(seed).into_iter().filter(|problem| !is_reached(problem)) {
            let conflict: Box<dyn Engine> = Box::new(Conflict::default());
            for engine in [&icc, &minimise, &conflict, &(Box::new(Learn) as Box<dyn Engine>)] {
                if engine.name() == "learn" && problem.network.components().len() > 5 {
                    continue;
                }
                let (kind, name) = (problem.query.kind(), engine.name());
                let Some(evidence) = shown(&**engine, &problem) else { continue };
                let certificate = claim(&problem, CertifiedProof::of(&problem.network, &evidence, None));
                if certificate.proof.kind() == Proof::None && name == "icc" {
                    continue; // It gave up, and looked at all states.
                }
                assert_eq!(certificate.proof.kind(), Proof::Steps, "{name} on {kind} of network {seed}");
                let checked = check(&problem, &read_again(&certificate), usize::MAX);
                assert!(checked.is_ok(), "{name} on {kind} of network {seed}: {}", checked.unwrap_err());
                steps += 1;
            }
        }
    }
    assert!(steps > 0);
}

/// Engines whose answers come with proofs.
fn provers() -> Vec<Box<dyn Engine>> {
    let mut search = Icc::default();
    search.set("level", "0").expect("an option");
    vec![
        Box::new(Icc::default()),
        Box::new(search),
        Box::new(Minimise::default()),
        Box::new(Learn),
        Box::new(Conflict::default()),
        Box::new(Lazy::default()),
        Box::new(Quotient::new(Otf::default())),
        Box::new(Symbolic::new(Method::Ic3)),
    ]
}

/// The same network with fewer transitions.
fn smaller(problem: &Problem, rng: &mut Rng) -> Problem {
    let less = |component: &Component, rng: &mut Rng| {
        let lts = &component.lts;
        let kept = lts.transitions().filter(|_| !rng.chance(25)).collect();
        let lts = Lts::new(lts.initial(), lts.num_states(), kept).with_marked(lts.marked());
        Component::with_alphabet(component.name.clone(), lts, component.alphabet().iter().copied())
    };
    let components = problem.network.components().iter().map(|component| less(component, rng)).collect();
    Problem { network: Network::new(problem.network.labels().clone(), components), query: problem.query.clone() }
}

/// Changes something somewhere in a file.
fn damage(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let keys: Vec<String> = fields
                .keys()
                .filter(|key| !matches!(&***key, "schema" | "kind" | "model" | "query" | "verdict"))
                .cloned()
                .collect();
            if keys.is_empty() {
                return;
            }
            let key = rng.pick(&keys).clone();
            if rng.chance(10) {
                fields.remove(&key);
            } else {
                damage(&mut fields[&key], rng);
            }
        }
        Value::Array(values) if !values.is_empty() => {
            let (at, other) = (rng.below(values.len()), rng.below(values.len()));
            match rng.below(12) {
                0 => drop(values.remove(at)),
                1 => values.swap(at, other),
                2 => values[at] = values[other].clone(),
                3 => values.insert(at, values[other].clone()),
                4 => values.truncate(at),
                _ => damage(&mut values[at], rng),
            }
        }
        Value::Number(old) => {
            let old = old.as_u64().unwrap_or(0);
            let new = [
                old.saturating_add(1),
                old.saturating_sub(1),
                0,
                rng.below(6) as u64,
                old ^ 1,
                u64::MAX >> rng.below(64),
            ];
            *value = (*rng.pick(&new)).into();
        }
        Value::Bool(old) => *value = (!*old).into(),
        other => *other = [Value::Null, 0.into(), true.into(), Value::Array(Vec::new())][rng.below(4)].clone(),
    }
}

/// Whether somebody who gets this file accepts it.
fn is_accepted(problem: &Problem, mut file: Value) -> bool {
    file["model"] = fingerprint(problem).into();
    let Ok((read, _)) = certificate::read("c.json", file.to_string().as_bytes()) else { return false };
    Certificate::try_from(read).is_ok_and(|certificate| check(problem, &certificate, 1 << 16).is_ok())
}

/// Proofs of networks with fewer transitions, as they are and damaged, are put to networks in which what is looked for is reached.
#[test]
fn no_forged_certificate_is_accepted_where_the_claim_is_false() {
    let provers = provers();
    let (mut forged, mut of) = (0u64, vec![0u64; provers.len()]);
    for seed in seeds() {
        let mut rng = Rng::new(seed);
        for problem in problems(seed).into_iter().filter(is_reached) {
            let fewer = smaller(&problem, &mut rng);
            if is_reached(&fewer) {
                continue;
            }
            for (at, engine) in provers.iter().enumerate() {
                let large = problem.network.components().len() > 4;
                if large && matches!(engine.name(), "learn" | "ic3") {
                    continue;
                }
                let Some(evidence) = shown(&**engine, &fewer) else { continue };
                let honest = claim(&fewer, CertifiedProof::of(&fewer.network, &evidence, None));
                let honest: Value = serde_json::from_slice(&honest.to_json()).expect("it is JSON");
                let mut file = honest.clone();
                for change in 0..12 {
                    if change % 4 == 0 {
                        file = honest.clone();
                    }
                    if change > 0 {
                        damage(&mut file, &mut rng);
                    }
                    let name = engine.name();
                    assert!(
                        !is_accepted(&problem, file.clone()),
                        "{name}, network {seed}, {}: {file}",
                        problem.query.kind()
                    );
                    forged += 1;
                    of[at] += 1;
                }
            }
        }
    }
    println!("{forged} forged certificates: {of:?}");
    assert!(of.iter().all(|&some| some > 0), "{of:?}");
}

/// Steps that name what there is not, or more states than edges, are rejected before anything is made of them.
#[test]
fn numbers_beyond_the_model_are_rejected() {
    let problem = problems(1).remove(2);
    let name = &problem.network.component(prequel_model::ComponentId(0)).name;
    let file = |steps: &str| -> Value {
        let head = r#""schema": 1, "kind": "certificate", "model": "0", "query": "--deadlock-free", "verdict": "true""#;
        serde_json::from_str(&format!(r#"{{{head}, "replaced": [], "steps": {steps}}}"#)).expect("it is JSON")
    };
    let steps = |labels: &str, automata: &str, last: &str| {
        file(&format!(r#"{{"shows": "no-word", "labels": [{labels}], "automata": [{automata}], "last": [{last}]}}"#))
    };
    for (file, why) in [
        (steps("", "", "3"), "it is made from step 4, which is none before it"),
        (steps("", "", r#""nobody""#), "the model has no component `nobody`"),
        (steps(r#""nothing""#, "", ""), "the model has no label `nothing`"),
        (steps("", r#"{"hears": [0], "edges": []}"#, ""), "step 1 does not follow: there is no label 0"),
        (
            steps("", r#"{"hears": [], "edges": [[0, null, 4294967295]]}"#, ""),
            "state 4294967295 is one of an automaton with 1 edges",
        ),
        (steps("", r#"{"hears": [], "edges": [], "initial": 9}"#, ""), "state 9 is one of an automaton with 0 edges"),
        (
            steps("", r#"{"from": [0], "hears": [], "edges": []}"#, ""),
            "it is made from step 1, which is none before it",
        ),
        (steps("", r#"{"from": [], "without": 0, "hears": [], "edges": []}"#, ""), "is no assumption"),
        (
            steps(&format!(r#"["{name}", 4294967295]"#), r#"{"hears": [0], "edges": []}"#, ""),
            "an end that nobody looks at",
        ),
        (steps("", "", ""), "reaches what the verdict says is not reached"),
    ] {
        let (read, _) = certificate::read("c.json", file.to_string().as_bytes()).expect("it is well-formed");
        let mut read = Certificate::try_from(read).expect("it has one proof");
        read.model = fingerprint(&problem);
        let told = check(&problem, &read, usize::MAX).expect_err("it shows nothing").to_string();
        assert!(told.contains(why), "{told} instead of {why}");
    }
}
