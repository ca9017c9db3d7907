//! What is written has the same distance to a bad state, and what was latches stays latches.

use super::*;
use prequel_families::random_circuit::{circuit, distance};
use prequel_model::Part;

fn written(circuit: &Circuit, form: Form) -> Vec<u8> {
    let mut text = Vec::new();
    write(circuit, form, &mut text).unwrap();
    text
}

fn again(text: &[u8]) -> Circuit {
    let read = crate::aiger::read("t", text);
    read.unwrap_or_else(|errors| panic!("{}\n{errors:?}", String::from_utf8_lossy(text))).0
}

#[test]
fn random_circuits_are_as_far_from_bad_states_as_they_were() {
    let (mut seed, mut reached, mut safe) = (0, 0, 0);
    while reached < 25 || safe < 25 {
        seed += 1;
        let circuit = circuit(seed);
        if file(&circuit, None).inputs.len() + file(&circuit, None).latches.len() > 8 {
            continue;
        }
        let truth = distance(&circuit);
        // Enough of either: a search state by state takes a while.
        let count = if truth.is_some() { &mut reached } else { &mut safe };
        if *count == 25 {
            continue;
        }
        *count += 1;
        for form in [Form::Ascii, Form::Binary] {
            let text = written(&circuit, form);
            assert_eq!(distance(&again(&text)), truth, "seed {seed}\n{}", String::from_utf8_lossy(&text));
        }
    }
}

/// A counter of two bits that starts with an unknown low bit, and an input that it is never together with.
const COUNTER: &[u8] = b"aag 5 1 2 0 2 1 1\n2\n4 5 4\n6 10\n8\n3\n8 4 6\n10 9 7\ni0 go\nl0 n[0]\nl1 n[1]\nc\nx\n";

#[test]
fn latches_stay_latches() {
    let circuit = again(COUNTER);
    let file = file(&circuit, None);
    let names: Vec<&str> = file.latches.iter().map(|latch| &*latch.name).collect();
    assert_eq!(names, ["n[0]", "n[1]", "later", "ok"], "the constraint is recorded, nothing is chosen");
    assert_eq!(file.inputs.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["go", "first n[0]"]);
    let text = written(&circuit, Form::Ascii);
    assert_eq!(distance(&again(&text)), distance(&circuit));
    assert!(written(&circuit, Form::Binary).len() < text.len());
}

#[test]
fn there_is_always_an_input() {
    let mut circuit = Circuit::default();
    let word = circuit.word("x", Kind::Truth);
    let (now, next) = (circuit.aig.input(word.bits[0].now()), circuit.aig.input(word.bits[0].next()));
    let step = circuit.aig.equal(next, !now);
    circuit.parts.push(Part { name: "x".into(), initial: !now, step });
    circuit.bad = Some(now);
    let text = String::from_utf8(written(&circuit, Form::Ascii)).unwrap();
    assert_eq!(text, "aag 2 1 1 0 0 1\n2\n4 5\n4\ni0 unused\nl0 x\nc\nwritten by prequel\n");
}

#[test]
fn first_states_that_are_no_values_are_recorded() {
    let mut circuit = Circuit::default();
    let [x, y] = ["x", "y"].map(|name| circuit.word(name, Kind::Truth).bits[0]);
    let [x, y] = [x, y].map(|bit| (circuit.aig.input(bit.now()), circuit.aig.input(bit.next())));
    let (initial, step) = (circuit.aig.xor(x.0, y.0), circuit.aig.equal(x.1, y.0));
    circuit.parts.push(Part { name: "p".into(), initial, step });
    circuit.bad = Some(circuit.aig.and(x.0, y.0));
    let file = file(&circuit, None);
    let names: Vec<&str> = file.latches.iter().map(|latch| &*latch.name).collect();
    assert_eq!(names, ["x", "later", "ok"]);
    assert_eq!(file.inputs.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["y", "first x"]);
    assert_eq!((distance(&circuit), distance(&again(&written(&circuit, Form::Binary)))), (Some(1), Some(1)));
}

/// The toggle that starts with 0 and is never looked at after a step that was not allowed.
#[test]
fn a_witness_circuit_has_the_latches_of_the_circuit() {
    let circuit = again(COUNTER);
    let mut aig = Aig::default();
    let both: Vec<Lit> = (0..2).map(|at| aig.input(Bit(1 + at).now())).collect();
    let set = !aig.all(both);
    let mut text = Vec::new();
    witness(&circuit, "what the\nfile states", (&aig, set), Form::Ascii, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let own = String::from_utf8(written(&circuit, Form::Ascii)).unwrap();
    let head =
        |text: &str| text.lines().next().unwrap().split(' ').skip(2).take(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(head(&text), head(&own), "{text}");
    for line in ["i0 = 2", "i1 = 4", "l0 = 6", "l3 = 12", "WITNESS b0 what the file states"] {
        assert!(text.lines().any(|l| l == line), "`{line}` is not in\n{text}");
    }
    assert!(again(text.as_bytes()).bad.is_some());
}
