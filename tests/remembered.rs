//! Is what a process did before what it does now? Every state of random programs is expanded by the interpreter and by what is
//! remembered of other states: the same successors and violations, in the same order.

use crate::fuzz::number;
use crate::random_promela;
use prequel::formats::dve::read;
use prequel::formats::promela;
use prequel::model::rng::Rng;
use prequel::program::dve::{View, compile as dve};
use prequel::program::{
    Base, Claim, Layout, Machine, Memo, Of, PackedSink, Processes, Program, RawStep, Sink, Violation, Work, compile,
    expand_remembered, expand_some, optimised,
};
use rayon::prelude::*;
use std::collections::HashSet;
use std::path::Path;

/// States that are looked at.
const LARGE: usize = 1_500;

/// What comes of a state.
#[derive(Default, PartialEq, Eq, Debug)]
struct Outcome {
    states: Vec<u64>,
    violations: Vec<Violation>,
    outgrown: bool,
}

impl PackedSink for Outcome {
    fn packed(&mut self) -> &mut Vec<u64> {
        &mut self.states
    }

    fn outgrown(&mut self) {
        self.outgrown = true;
    }

    fn violation(&mut self, violation: Violation) -> bool {
        self.violations.push(violation);
        true
    }
}

/// Packs what the interpreter gives out, each state from its start.
struct Packer<'s>(&'s Layout, Outcome);

impl Sink for Packer<'_> {
    const TRAIL: bool = false;

    fn state(&mut self, machine: &Machine, _: &[RawStep], _: u32) {
        self.1.outgrown |= self.0.pack(machine, &mut self.1.states).is_err();
    }

    fn violation(&mut self, violation: Violation, _: u32) -> bool {
        self.1.violations.push(violation);
        true
    }
}

/// How many states of a program were compared.
fn compare(program: &Program, rng: &mut Rng) -> Result<usize, String> {
    let Ok(first) = Machine::initial(program) else { return Ok(0) };
    let layout = Layout::new(program, Layout::first_guess(program) + 2);
    let (mut memo, mut work, mut machine, mut base) =
        (Memo::default(), Work::default(), Machine::default(), Base::default());
    let mut open = Vec::new();
    if !Memo::suits(program) || layout.pack(&first, &mut open).is_err() {
        return Ok(0);
    }
    let (words, mut seen, mut at) = (layout.words(), HashSet::from([open.clone()]), 0);
    while at < open.len() && seen.len() < LARGE {
        let state = open[at..at + words].to_vec();
        at += words;
        for some in [Some(rng.below(15) as Processes), None] {
            layout.unpack_base(&state, &mut machine, &mut base);
            let some = some.map(|some| some & ((1 << machine.processes.len()) - 1));
            let mut right = Packer(&layout, Outcome::default());
            expand_some(program, &mut machine, some, &mut work, &mut right);
            let mut remembered = Outcome::default();
            if rng.chance(20) {
                memo.unpack(&layout, &state);
            }
            let of = Of { program, layout: &layout, state: &state };
            expand_remembered(of, some, &mut memo, &mut work, &mut remembered);
            if remembered != right.1 {
                return Err(format!("{state:x?}, processes {some:?}: {remembered:x?} instead of {:x?}", right.1));
            }
            if right.1.outgrown {
                return Ok(at / words);
            }
            for next in right.1.states.chunks_exact(words).filter(|_| some.is_none()) {
                if seen.insert(next.to_vec()) {
                    open.extend_from_slice(next);
                }
            }
        }
    }
    Ok(at / words)
}

/// A text as it is and optimised.
fn compare_text(text: &str, seed: u64) -> usize {
    let Ok((model, _)) = promela::read("model.pml", text.as_bytes(), Path::new("."), &[]) else { return 0 };
    let programs = [compile(&model, Claim::None), optimised(&model, Claim::None)];
    let compared = programs.iter().flatten().map(|(program, _)| {
        compare(program, &mut Rng::new(seed)).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"))
    });
    compared.sum()
}

/// `PREQUEL_FUZZ_REMEMBERED` programs of each kind from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_programs_do_what_they_did_before() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_REMEMBERED", 150));
    let compared = (first..first + count).into_par_iter().map(|seed| {
        let kinds = [
            random_promela::program(seed).text,
            random_promela::wide(seed).text,
            random_promela::apart(seed).text,
            random_promela::structured::structured(seed),
        ];
        kinds.iter().map(|text| compare_text(text, seed)).sum::<usize>()
    });
    let compared: usize = compared.sum();
    println!("{count} programs of each kind from seed {first}: {compared} states");
    assert!(compared as u64 > 10 * count, "only {compared} states");
}

/// What random programs have rarely: long channels of which messages are taken in any order, rendezvous inside `atomic`, messages
/// that name channels, processes that go away.
#[test]
fn every_kind_of_step_is_remembered() {
    let texts = [
        "chan q = [3] of { byte, byte }; byte x;
         active [2] proctype S() { do :: q!!x,_pid :: q!_pid,1 od }
         active proctype R() { byte l; do :: q??l,1 :: q?<x,l> :: q?x,eval(l) :: q??[1,0] -> x = 1 :: len(q) == 2 -> x = 0 od }",
        "chan r = [0] of { byte, chan }; chan own = [1] of { byte }; byte x;
         active proctype A() { chan c; byte l; do :: atomic { x < 3 -> r!x,own; x++; own?l } od }
         active [2] proctype B() { chan c; byte l; do :: atomic { r?l,c; x = l; c!l } :: r?2,c -> c!7 od }",
        "byte a[4], i; proctype W(byte n) { a[n] = a[n] + 1; a[a[n] % 4] = n; i = 0 }
         active proctype P() { do :: _nr_pr < 3 -> run W(i) :: i = (i + 1) % 4 :: a[i] == 2 -> a[a[i]] = 3 :: timeout -> i = 1 od }",
        "byte x, y; active proctype P() { do :: d_step { x < 3 -> x++; if :: y == x -> y = 0 :: else -> y = x fi } :: else -> x = 0 od }
         active proctype Q() provided (x != 2) { S: { do :: y = 1 - y od } unless { x == 1 }; goto S }
         active proctype R() { byte l; do :: P@L -> L: l = P[0]:_p :: Q[1]@S -> l = 1 :: x / (2 - l) == 1 -> l = 2 od }",
    ];
    for (seed, text) in texts.iter().enumerate() {
        assert!(compare_text(text, seed as u64) > 20 || seed == 3, "{text}");
    }
}

/// A sender of a DVE model moves after its receiver, and looks at other processes.
#[test]
fn programs_of_dve_do_what_they_did_before() {
    let text = "byte x, y; byte a[3]; channel {byte, byte} b[2]; channel c; channel d;
        process s { byte l; state p, q, r; commit r; init p;
          trans p -> q { guard x < 2; sync c!x + 1; effect y = y + 1, l = y; }, q -> p { sync d!; effect x = 0; },
            q -> r { guard y > 1; effect y = 0; }, r -> p { effect a[x] = l; }, p -> p { sync b!{x, l % 2}; }; }
        process t { byte v; state p, q; init p;
          trans p -> q { sync c?v; effect y = v, a[v] = a[y % 3] + 1; }, q -> p { guard s.q and a[1] < 3; effect x = v; },
            p -> p { sync b?{v, x}; }; }
        process u { byte v; state p; init p; trans p -> p { guard y < 4; sync c?v; effect y = y + 1; }, p -> p { sync d?; }; }
        system async;";
    let (system, _) = read("m.dve", text.as_bytes()).expect("a model");
    let (program, _) = dve(&system, View::Bare).expect("a program");
    assert!(compare(&program, &mut Rng::new(1)).unwrap() > 100);
}

/// What a process that is started looks at is not there yet in the state before it.
#[test]
fn a_process_that_starts_looks_at_its_parameters() {
    let text = "byte g; init { atomic { run P(3); run P(2) } }
        proctype P(byte n) { byte x = n; byte y = x + n; do :: g != y -> g = y :: x < 9 -> x = x + n :: else -> break od }";
    assert!(compare_text(text, 1) > 10, "it is remembered");
}
