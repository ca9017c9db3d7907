//! Small files in both forms, and what is wrong with others.

use super::*;
use crate::diag::Diagnostic;

fn headlines(text: &[u8]) -> Vec<String> {
    read("t.aag", text).unwrap_err().iter().map(Diagnostic::headline).collect()
}

/// The values of the functions that make a circuit, for two states given by their bits.
fn allowed(circuit: &Circuit, now: u32, next: u32) -> (bool, bool, bool) {
    let value = |input: u32| {
        let (bit, after) = Bit::of(input);
        (if after { next } else { now }) >> bit.0 & 1 == 1
    };
    let all = |f: fn(&Part) -> Lit| {
        circuit.aig.values(&circuit.parts.iter().map(f).collect::<Vec<_>>(), value).into_iter().all(|v| v)
    };
    (all(|part| part.initial), all(|part| part.step), circuit.aig.values(&[circuit.bad()], value)[0])
}

/// A latch that an input can set, for ever.
const ONCE: &str = "aag 3 1 1 0 1 1\n2\n4 7\n4\n6 3 5\ni0 set\nl0 on\nb0 was set\nc\nanything\n";

#[test]
fn a_latch_steps_as_its_literal_says() {
    let (circuit, _) = read("t.aag", ONCE.as_bytes()).unwrap();
    let names: Vec<&str> = circuit.words.iter().map(|word| &*word.name).collect();
    assert_eq!((names, circuit.parts.len(), &*circuit.parts[0].name), (vec!["set", "on"], 1, "on"));
    for (now, next) in (0..4).flat_map(|now| (0..4).map(move |next| (now, next))) {
        let (set, on, after) = (now & 1 == 1, now & 2 == 2, next & 2 == 2);
        assert_eq!(allowed(&circuit, now, next), (!on, after == (on || set), on), "{now} {next}");
    }
}

#[test]
fn the_binary_form_means_the_same() {
    let (ascii, _) = read("t.aag", ONCE.as_bytes()).unwrap();
    // 6 = 5 & 3: the differences are 1 and 2.
    let (binary, _) = read("t.aig", b"aig 3 1 1 0 1 1\n7\n4\n\x01\x02i0 set\n").unwrap();
    for (now, next) in (0..4).flat_map(|now| (0..4).map(move |next| (now, next))) {
        assert_eq!(allowed(&ascii, now, next), allowed(&binary, now, next));
    }
    let words: Vec<&str> = binary.words.iter().map(|word| &*word.name).collect();
    assert_eq!(words, ["set", "l0"]);
}

#[test]
fn first_values_constraints_and_outputs() {
    let text = b"aag 4 1 3 1 0 0 1\n2\n4 4 0\n6 6 1\n8 8 8\n8\n3\n";
    let (circuit, _) = read("t.aag", text).unwrap();
    // The input is never set, the first latch is 0, the second 1, the third anything; the output is the third.
    let first: Vec<u32> = (0..16).filter(|&s| allowed(&circuit, s, s).0).collect();
    assert_eq!(first, [0b0100, 0b1100]);
    assert!(allowed(&circuit, 0b1100, 0b1100).1 && !allowed(&circuit, 0b1100, 0b1101).1);
    assert!(allowed(&circuit, 0b1100, 0).2 && !allowed(&circuit, 0b0100, 0).2);
}

#[test]
fn bits_of_a_word_are_one_component() {
    let (circuit, _) = read("t.aag", b"aag 3 0 3 0 0\n2 3\n4 5\n6 7\nl0 x[0]\nl1 x[1]\nl2 y\n").unwrap();
    let parts: Vec<&str> = circuit.parts.iter().map(|part| &*part.name).collect();
    assert_eq!((parts, circuit.bad), (vec!["x", "y"], None));
}

#[test]
fn what_is_wrong_has_a_place() {
    assert_eq!(headlines(b""), ["t.aag:1:1: this is no AIGER file"]);
    assert_eq!(headlines(b"aag 1 2 3"), ["t.aag:1:1: the header has 3 numbers"]);
    assert_eq!(headlines(b"aag 1 1 1 0 0\n2\n4 2"), ["t.aag:1:5: 1 variables, but inputs, latches and gates are 2"]);
    assert_eq!(headlines(b"aag 1 1 0 1 0\n2\n9\n"), ["t.aag:3:1: the literal 9 is too large"]);
    assert_eq!(headlines(b"aag 2 1 0 1 0\n2\n4\n"), ["t.aag:3:1: the literal 4 is no input, no latch and no gate"]);
    assert_eq!(headlines(b"aag 2 1 1 0 0\n2\n2 2\n"), ["t.aag:3:1: a second definition of the literal 2"]);
    assert_eq!(
        headlines(b"aag 2 0 0 1 2\n2\n2 4 4\n4 2 3\n"),
        ["t.aag:4:3: the gate 4 is made of itself, through 2", "t.aag:4:5: the gate 4 is made of itself, through 3",]
    );
    assert_eq!(headlines(b"aag 3 1 0 1 2\n2\n4\n4 2 2\n"), ["t.aag:4:6: the file ends after 1 of 2 gates"]);
    assert_eq!(
        headlines(b"aag 1 0 1 0 0 0 0 1 1\n2 2\n1\n"),
        [
            "t.aag:1:19: justice properties are about infinite runs, and are not read",
            "t.aag:1:21: fairness constraints are about infinite runs, and are not read",
        ]
    );
    assert_eq!(headlines(b"aag 1 0 1 0 0\n2 2 3\n"), ["t.aag:2:5: no first value of this latch"]);
    assert_eq!(
        headlines(b"aag 1 1 0 0 0\n2\ni7 x\n"),
        ["t.aag:3:1: this names nothing; are the counts of the header right?"]
    );
    assert_eq!(headlines(b"aig 3 1 1 0 1 1\n7\n4\n\x01"), ["t.aag:1:1: the file ends in gate 1 of 1, at byte 20"]);
    assert!(headlines(b"aig 3 1 1 0 1 1\n7\n4\n\x00\x01")[0].contains("not made of what comes before it"));
    assert!(headlines(b"aig 4000000000 4000000000 0 0 0\n")[0].contains("more than"));
}
