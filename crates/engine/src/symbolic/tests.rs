//! Random small circuits beside brute force, and the systems that the paper's steps or obvious shortcuts fail on.

use super::*;
use prequel_families::random_circuit;
use prequel_families::random_circuit::{distance, holds};
use prequel_model::run::Limits;
use prequel_model::{Kind, Lit, Part};

const METHODS: [Method; 7] =
    [Method::Bmc, Method::Bdd, Method::Ic3, Method::Itp, Method::Citp, Method::CitpA, Method::CitpPa];

/// Every way to answer: each method, and by each check of what is assumed where it has one.
fn ways() -> impl Iterator<Item = Symbolic> {
    let with = |check| move |method| Symbolic { check, ..Symbolic::new(method) };
    let backward = [Method::Bdd, Method::CitpA].map(with(Check::Backward));
    let others = METHODS.into_iter().filter(|method| !matches!(method, Method::Bmc | Method::Bdd));
    METHODS.into_iter().map(with(Check::Bdd)).chain(backward).chain(others.map(with(Check::Ic3)))
}

/// A number from the environment, as `make fuzz` sets it.
fn number_of(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

/// Random circuits of so few bits that brute force is quick.
fn small() -> impl Iterator<Item = Circuit> {
    (number_of("PREQUEL_FUZZ_SEED", 0)..).map(random_circuit::circuit).filter(|circuit| circuit.bits <= 6)
}

/// A circuit that takes steps to go wrong.
fn wrong() -> Circuit {
    small().find(|circuit| distance(circuit) > Some(0)).expect("there is one")
}

fn number(state: &[bool]) -> u64 {
    state.iter().enumerate().map(|(bit, &value)| u64::from(value) << bit).sum()
}

/// Asks every engine; every path is walked, and shortest where that is promised.
fn agree(circuit: &Circuit, what: &str) -> bool {
    let truth = distance(circuit);
    let shared = Arc::new(circuit.clone());
    for way in ways() {
        let method = way.method;
        let engine = Symbolic { depth: 1 << circuit.bits, ..way };
        let verdict = engine.decide(&shared, &Run::new(Limits::default(), 0));
        match (verdict, truth) {
            (Ok(Verdict::Invariant(_)), None) => {}
            (Err(Why::Incomplete(_)), None) if method == Method::Bmc => {}
            (Ok(Verdict::Path(path)), Some(truth)) => {
                let path: Vec<u64> = path.iter().map(|state| number(state)).collect();
                let all = |f: fn(&Part) -> Lit, s, t| holds(circuit, circuit.parts.iter().map(f), s, t);
                assert!(all(|part| part.initial, path[0], 0), "{what}: {method:?} does not begin at first");
                assert!(path.windows(2).all(|p| all(|part| part.step, p[0], p[1])), "{what}: {method:?} makes no step");
                let last = *path.last().expect("a path has a state");
                assert!(holds(circuit, [circuit.bad()].into_iter(), last, 0), "{what}: {method:?} ends well");
                let shortest = matches!(method, Method::Bmc | Method::Bdd);
                assert!(!shortest || path.len() as u32 == truth + 1, "{what}: {method:?} is not shortest");
            }
            (other, truth) => panic!("{what}: {way:?} says {other:?}, the truth is {truth:?}"),
        }
    }
    truth.is_none()
}

#[test]
fn every_method_agrees_with_brute_force_on_random_circuits() {
    let all = number_of("PREQUEL_FUZZ_CIRCUITS", 600);
    let each = small().take(all as usize).enumerate();
    let safe = each.filter(|(at, circuit)| agree(circuit, &format!("circuit {at}"))).count() as u64;
    assert!(safe * 10 > all && safe * 10 < all * 9, "both verdicts must be common: {safe} of {all} are safe");
}

/// A system of the shared witnesses: clauses by component.
fn read(text: &str) -> (Circuit, bool) {
    let mut circuit = Circuit::default();
    let (mut names, mut bad, mut safe) = (Vec::new(), Vec::new(), None);
    let (mut initial, mut steps): (Vec<Vec<Lit>>, Vec<Vec<Lit>>) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let clause = |circuit: &mut Circuit, names: &[String]| {
            let literals: Vec<Lit> = rest
                .split('|')
                .map(|literal| {
                    let literal = literal.trim();
                    let name = literal.trim_start_matches('!').trim_end_matches('\'');
                    let bit = Bit(names.iter().position(|n| n == name).expect("a declared variable") as u32);
                    let input = if literal.ends_with('\'') { bit.next() } else { bit.now() };
                    circuit.aig.input(input).negated_if(literal.starts_with('!'))
                })
                .collect();
            circuit.aig.any(literals)
        };
        match word {
            "vars:" => {
                names = rest.split_whitespace().map(str::to_owned).collect();
                names.iter().for_each(|name| drop(circuit.word(name.clone(), Kind::Truth)));
            }
            "component" => {
                initial.push(Vec::new());
                steps.push(Vec::new());
            }
            "init" => initial.last_mut().expect("a component").push(clause(&mut circuit, &names)),
            "trans" => steps.last_mut().expect("a component").push(clause(&mut circuit, &names)),
            "bad" => bad.push(clause(&mut circuit, &names)),
            "expected:" => safe = Some(rest == "safe"),
            _ => {}
        }
    }
    for (initial, step) in initial.into_iter().zip(steps) {
        let (initial, step) = (circuit.aig.all(initial), circuit.aig.all(step));
        circuit.parts.push(Part { name: "part".into(), initial, step });
    }
    circuit.bad = Some(circuit.aig.all(bad));
    (circuit, safe.expect("what is expected"))
}

#[test]
fn every_method_avoids_the_traps_of_the_witness_systems() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/algorithms/witness");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no {}", folder.display());
        return;
    };
    let mut asked = 0;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("citp-") {
            let text = std::fs::read_to_string(entry.path().join("system.txt")).expect("a system");
            let (circuit, safe) = read(&text);
            assert_eq!(agree(&circuit, &name), safe, "{name}: brute force disagrees with system.txt");
            asked += 1;
        }
    }
    assert_eq!(asked, 5);
}

/// With the partition of `citp-loop-line14`, replacing what is assumed of the first group each time alternates for ever.
#[test]
fn what_is_assumed_of_the_first_group_accumulates() {
    let mut circuit = Circuit::default();
    let [x0, x1, x2] = ["x0", "x1", "x2"].map(|name| circuit.word(name, Kind::Truth).bits[0]);
    let [a, b, c] = [x0, x1, x2].map(|bit| (circuit.aig.input(bit.now()), circuit.aig.input(bit.next())));
    let first = [circuit.aig.equal(b.1, !c.0), circuit.aig.equal(a.1, b.0)];
    let (initial, step) = (circuit.aig.and(!a.0, !b.0), circuit.aig.all(first));
    circuit.parts.push(Part { name: "first".into(), initial, step });
    circuit.parts.push(Part { name: "second".into(), initial: !c.0, step: c.1 });
    circuit.bad = Some(circuit.aig.and(a.0, b.0));
    let run = Run::new(Limits::default(), 0);
    let verdict = refine::compositional(&Work { circuit: &circuit, run: &run, how: Check::Bdd }, vec![0], true);
    assert!(matches!(verdict, Ok(Verdict::Invariant(_))));
    let refinements = run.effort().counts;
    assert!(refinements.iter().any(|&(name, count)| name == "refinements" && count <= 4), "{refinements:?}");
}

/// `ic3` once asked for a bad state and a step from it at once, and overlooked those that have none.
#[test]
fn a_bad_state_without_a_step_is_found() {
    let mut circuit = Circuit::default();
    let bit = circuit.word("x", Kind::Truth).bits[0];
    let (now, next) = (circuit.aig.input(bit.now()), circuit.aig.input(bit.next()));
    let step = circuit.aig.and(!now, next);
    circuit.parts.push(Part { name: "once".into(), initial: !now, step });
    circuit.bad = Some(now);
    assert!(!agree(&circuit, "once"));
}

#[test]
fn an_invariant_that_is_none_is_found_out() {
    let circuit = wrong();
    let run = Run::new(Limits::default(), 0);
    let work = Work { circuit: &circuit, run: &run, how: Check::Bdd };
    for holds in [Lit::TRUE, Lit::FALSE] {
        let invariant = Invariant { aig: prequel_model::Aig::default(), holds };
        assert!(matches!(invariant.check(&work), Err(Why::Broken(_))), "{holds:?}");
    }
}

#[test]
fn limits_are_unknown() {
    let circuit = Arc::new(wrong());
    for method in METHODS {
        let run = Run::new(Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() }, 0);
        assert!(matches!(Symbolic::new(method).decide(&circuit, &run), Err(Why::Time(_))), "{method:?}");
    }
}

#[test]
fn every_option_of_every_method_can_be_set() {
    for method in METHODS {
        option::check_list(Symbolic::new(method).declared(), || Symbolic::new(method));
    }
}
