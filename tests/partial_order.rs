//! Is partial-order reduction of programs right? Random programs searched with it, in every order, as they are and optimised, beside the
//! plain search, and each witness replayed.

use crate::fuzz::number;
use crate::random_promela;
use prequel::engine::otf::program::{Outcome, Seen, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::promela;
use prequel::model::run::{Limits, Run};
use prequel::program::{Claim, Program, Sought, compile, optimised, replay};
use rayon::prelude::*;
use std::path::Path;
use std::time::Duration;

/// Larger programs are left out.
const LARGE: u64 = 3_000;

/// Order and threads of a search with reduction.
const WAYS: [(Search, usize); 3] = [(Search::Breadth, 1), (Search::Depth, 1), (Search::Breadth, 2)];

fn limited(threads: usize) -> Run {
    let time = Some(Duration::from_secs(20));
    Run::new(Limits { time, states: Some(LARGE), threads, ..Limits::default() }, 0)
}

/// All that a search sees, and its states.
fn seen(program: &Program, how: Otf, threads: usize) -> Option<(Seen, u64)> {
    let run = limited(threads);
    match verify(program, Sought::Nothing, how, &run) {
        Outcome::Explored(seen) => Some((seen, run.effort().states_total)),
        _ => None,
    }
}

/// What a text is, and what it is searched as.
fn programs(text: &str) -> Option<[Program; 2]> {
    let (model, _) = promela::read("model.pml", text.as_bytes(), Path::new("."), &[]).ok()?;
    let (plain, _) = compile(&model, Claim::None).ok()?;
    let (twin, _) = optimised(&model, Claim::None).ok()?;
    Some([plain, twin])
}

/// Whether a step goes wrong, and whether there is an invalid end state.
fn verdict(seen: Seen) -> (bool, bool) {
    (seen.assertion || seen.other, seen.end_state)
}

/// States without and with reduction, where there is something to compare.
fn compare(text: &str) -> Result<Option<(u64, u64)>, String> {
    let Some(programs) = programs(text) else { return Ok(None) };
    let Some((expected, states)) = seen(&programs[0], Otf::plain(Search::Breadth), 1) else { return Ok(None) };
    let mut fewest = states;
    for (number, program) in programs.iter().enumerate() {
        for (search, threads) in WAYS {
            let how = Otf { search, reduce: true };
            let way = format!("program {number}, {search:?}, {threads} threads");
            let Some((found, fewer)) = seen(program, how, threads) else {
                return Err(format!("{way}: more states than without"));
            };
            if number == 0 && found != expected || verdict(found) != verdict(expected) {
                return Err(format!("{way}: {found:?} instead of {expected:?}"));
            }
            if number == 0 {
                fewest = fewest.min(fewer);
            }
            for sought in [Sought::Violation, Sought::Fault, Sought::EndState] {
                finds(program, sought, how, threads, verdict(expected)).map_err(|why| format!("{way}: {why}"))?;
            }
        }
    }
    Ok(Some((states, fewest)))
}

/// Whether a search finds what it looks for where it is, and shows it.
fn finds(program: &Program, sought: Sought<'_>, how: Otf, threads: usize, is: (bool, bool)) -> Result<(), String> {
    let there = match sought {
        Sought::Fault => is.0,
        Sought::EndState => is.1,
        _ => is.0 || is.1,
    };
    match verify(program, sought, how, &limited(threads)) {
        Outcome::Violated(witness) if there => {
            replay(program, &witness).map_err(|why| format!("{sought:?}: {why}\n{witness:#?}"))
        }
        Outcome::Holds if !there => Ok(()),
        other => Err(format!("{sought:?} is {there}, but {other:?}")),
    }
}

#[test]
fn random_programs_keep_their_verdict() {
    let (count, first) = (number("PREQUEL_FUZZ_PARTIAL_ORDER", 300), number("PREQUEL_FUZZ_SEED", 1));
    let judge = |seed: u64| {
        let text = match seed % 3 {
            0 => random_promela::wide(seed).text,
            _ => random_promela::apart(seed).text,
        };
        compare(&text).map_err(|what| {
            let small = random_promela::shrink::shrink(&text, &mut |text: &str| compare(text).is_err());
            format!("seed {seed}: {what}\n{}\n{small}", compare(&small).err().unwrap_or_default())
        })
    };
    let judged: Vec<_> = (first..first + count).into_par_iter().map(judge).collect();
    let compared: Vec<(u64, u64)> =
        judged.iter().filter_map(|judged| judged.as_ref().ok().copied().flatten()).collect();
    let sum = |pick: fn(&(u64, u64)) -> u64| compared.iter().map(pick).sum::<u64>();
    eprintln!(
        "{} of {count} compared; {} states, {} with reduction",
        compared.len(),
        sum(|states| states.0),
        sum(|states| states.1)
    );
    let failures: Vec<&str> = judged.iter().filter_map(|judged| judged.as_ref().err()).map(|e| e.as_str()).collect();
    assert!(failures.is_empty(), "{} of {count}\n{}", failures.len(), failures[..failures.len().min(5)].join("\n\n"));
    assert!(compared.len() as u64 * 2 > count, "only {} of {count} could be compared", compared.len());
    assert!(sum(|states| states.1) * 10 < sum(|states| states.0) * 9, "there is no reduction to speak of");
}

/// What a text must be found to be: whether a step goes wrong, whether there is an invalid end state.
fn expect(name: &str, text: &str, is: (bool, bool)) {
    let programs = programs(text).unwrap_or_else(|| panic!("{name} is no program"));
    let plain = seen(&programs[0], Otf::plain(Search::Breadth), 1).map(|(seen, _)| verdict(seen));
    assert_eq!(plain, Some(is), "{name}");
    if let Err(what) = compare(text) {
        panic!("{name}: {what}");
    }
}

/// One program for everything that a reduction could leave out wrongly.
#[test]
fn what_matters_to_others_is_not_left_out() {
    let faults = [
        (
            "a loop that concerns nobody is not preferred for ever",
            "
            active proctype B() { byte y; y = 1; assert(y == 0) }
            active proctype A() { byte x; do :: x = 1 - x od }",
        ),
        (
            "nor one of two processes",
            "
            byte g;
            active proctype B() { byte y; y = 1; assert(y == 0) }
            active [2] proctype A() { do :: g = 1 - g od }",
        ),
        (
            "a message may come for an option that waits",
            "
            chan c = [1] of { byte }; chan d = [1] of { byte };
            active proctype B() { d!1 }
            active proctype A() { byte x; c!1; if :: c?x :: d?x -> assert(false) fi }",
        ),
        (
            "somebody else may take the first message away",
            "
            chan c = [2] of { byte };
            active proctype B() { c?1 }
            active proctype A() { c!1; c!2; if :: c?2 -> assert(false) :: c?1 -> c?2 fi }",
        ),
        (
            "a message that is sorted in becomes the first",
            "
            chan c = [2] of { byte };
            active proctype B() { c!!1 }
            active proctype A() { byte x; c!2; c?x; assert(x == 2) }",
        ),
        (
            "whether there is room is seen",
            "
            chan c = [1] of { byte };
            active proctype B() { byte x; c?x }
            active proctype A() { c!1; if :: full(c) -> skip :: else -> assert(false) fi }",
        ),
        (
            "what a process starts with is computed when it starts",
            "
            byte g;
            proctype P() { byte x = g; assert(x == 1) }
            active proctype B() { g = 1 }
            init { run P() }",
        ),
        (
            "an end gives its number to another",
            "
            init { run f() }
            active proctype f() { assert(_pid == 1) }",
        ),
        (
            "an end is counted",
            "
            active proctype B() { assert(_nr_pr == 1) }
            active proctype A() { byte x; x = 1 }",
        ),
        (
            "the channels of a process go with it",
            "
            chan h = [1] of { chan };
            init { chan x; h?x; x!1 }
            active proctype A() { chan d = [1] of { byte }; h!d }",
        ),
        (
            "local variables are seen from elsewhere",
            "
            bool ready;
            active proctype A() { byte x = 1; ready = true; x = 2; end: false }
            active proctype B() { ready; assert(A:x == 2) }",
        ),
        (
            "control states are seen from elsewhere",
            "
            active proctype B() { A@there; assert(false) }
            active proctype A() { byte x; x = 1; there: x = 2; x = 3 }",
        ),
        (
            "so are those that an atomic sequence stops in",
            "
            chan c = [1] of { byte };
            active proctype B() { A@there; assert(false) }
            active proctype A() { byte x; atomic { x = 1; there: c?x; x = 3 } }",
        ),
        (
            "an escape may be opened by others",
            "
            bool g;
            active proctype B() { g = true; end: false }
            active proctype A() { byte x; { x = 1; x = 2; x = 3 } unless { g -> assert(false) } }",
        ),
        (
            "else may be opened by others",
            "
            bool g = true;
            active proctype B() { g = false; end: false }
            active proctype A() { if :: g -> skip :: else -> assert(false) fi }",
        ),
        (
            "control is handed on, and back",
            "
            chan c = [0] of { byte }; chan d = [0] of { byte };
            byte g;
            active proctype A() { c!1; d?_; assert(g == 0) }
            active proctype B() { atomic { c?_; d!1 } }
            active proctype C() { g = 1; end: false }",
        ),
        (
            "the other half of a rendezvous may come later",
            "
            chan c = [0] of { byte };
            active proctype A() { if :: c!1 -> skip :: c!2 -> assert(false) fi }
            active proctype B() { byte x; x = 1; if :: c?1 :: c?2 fi }
            active proctype C() { c?2 }",
        ),
        (
            "whoever receives may go away before else",
            "
            chan r = [0] of { byte }; byte z;
            active proctype A() { byte l; again: if :: r?l :: z = 2 fi; l = 1 - l; l = 1 - l; goto again }
            active proctype B() { if :: r!1 :: else -> assert(false) fi }",
        ),
        (
            "or come to be there",
            "
            chan r = [0] of { byte }; byte z;
            active proctype A() { byte l; do :: l = 1 - l; if :: r?l -> assert(false) :: z = 2 fi od }
            active proctype B() { end: do :: r!1 :: else -> z = 1; z = 2; z = 1 od }",
        ),
        (
            "or be gone in the middle of an atomic sequence",
            "
            chan r = [0] of { byte }; byte y, z;
            active proctype A() { byte l; again: if :: r?l :: z = 2 fi; l = 1 - l; l = 1 - l; goto again }
            active proctype B() { atomic { y = 1; r!1; y = 0 } }
            active proctype C() { end: y == 1 -> assert(false) }",
        ),
        (
            "channels come as parameters",
            "
            chan c[2] = [1] of { byte };
            proctype P(chan in; chan out) { byte x; out!1; in?x; assert(nempty(out)) }
            init { atomic { run P(c[0], c[1]); run P(c[1], c[0]) } }",
        ),
    ];
    for (name, text) in faults {
        let programs = programs(text).unwrap_or_else(|| panic!("{name} is no program"));
        let end = seen(&programs[0], Otf::plain(Search::Breadth), 1).is_some_and(|(seen, _)| seen.end_state);
        expect(name, text, (true, end));
    }
    let ends = [
        (
            "what one waits for may be taken by another",
            "
            chan c = [1] of { byte };
            active proctype S() { c!1 }
            active [2] proctype A() { byte x; x = 1; c?x }",
        ),
        (
            "a process is held by its condition",
            "
            bool g;
            active proctype B() { g = true; g = false; end: false }
            active proctype A() provided (g) { byte x; x = 1; x = 2; end: false }",
        ),
        (
            "a timeout comes where nothing moves",
            "
            bool g;
            active proctype B() { byte x; x = 1; g = true }
            active proctype A() { if :: timeout -> g :: g -> false fi }",
        ),
    ];
    for (name, text) in ends {
        expect(name, text, (false, true));
    }
}

/// Processes that have nothing to do with each other are taken one after the other.
#[test]
fn what_does_not_matter_is_left_out() {
    let text = "chan c[3] = [2] of { byte };
        proctype P(chan own) { byte x; own!1; own!2; own?x; own?x }
        init { atomic { run P(c[0]); run P(c[1]); run P(c[2]) } }";
    let programs = programs(text).expect("a program");
    let states = |how| seen(&programs[0], how, 1).map(|(_, states)| states);
    let (plain, reduced) = (states(Otf::plain(Search::Breadth)), states(Otf::default()));
    assert!(plain.is_some_and(|plain| plain > 150), "{plain:?}");
    assert!(reduced.is_some_and(|reduced| reduced < 25), "{reduced:?}");
}
