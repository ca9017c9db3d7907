//! Is partial-order reduction right where runs without an end are asked for? Random programs whose processes share little, random
//! formulas and `never` claims, most of which do not count, accept and progress labels, each searched with the reduction and without,
//! and each witness replayed.

use crate::endless::program;
use crate::endless_random::number;
use prequel_engine::otf::program::{Outcome, verify};
use prequel_engine::otf::{Otf, Search};
use prequel_model::rng::Rng;
use prequel_model::run::{Limits, Run};
use prequel_program::{Claim, Endless, Kept, Program, Reduction, Sought, replay};
use std::fmt::Write;

/// Programs are left out that are larger without the reduction.
const LARGE: u64 = 3_000;

/// What the formulas are about.
const ATOMS: [&str; 14] = [
    "x == 0",
    "x == 1",
    "y != 0",
    "y == 2",
    "z == 1",
    "x == y",
    "len(c) == 1",
    "len(d) == 0",
    "len(d) < 2",
    "P0@S1",
    "P1@S0",
    "P1:l == 1",
    "_nr_pr > 3",
    "P0[0]:l == 0",
];

fn pick<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from[rng.below(from.len())]
}

/// A formula with X that cannot tell how often a state is repeated: something comes to hold.
fn with_next(rng: &mut Rng) -> String {
    let (a, b) = (pick(rng, &ATOMS), pick(rng, &ATOMS));
    match rng.below(3) {
        0 => format!("[] (({a}) -> X (({a}) || ({b})))"),
        1 => format!("<> (!({a}) && X ({a}))"),
        _ => format!("[] (({a}) && X !({a}) -> X <> ({b}))"),
    }
}

/// A claim of the user's. Most wait in each state for something to hold, as those do that do not count.
fn never(rng: &mut Rng) -> String {
    let (states, patient) = (rng.between(1, 3), rng.chance(80));
    let mut text = "never {\n".to_owned();
    for state in 0..states {
        let accept = if rng.chance(50) { format!("accept_{state}: ") } else { String::new() };
        let _ = writeln!(text, "  C{state}: {accept}if");
        let (a, to) = (pick(rng, &ATOMS), rng.below(states + 1));
        if patient {
            let stay = pick(rng, &["true", "!", "=", "else"]);
            let stays = match stay {
                "!" => format!("!({a})"),
                "=" => format!("({a})"),
                other => other.into(),
            };
            let asserts = if rng.chance(25) {
                format!("  :: assert(!({})) -> goto C{state}\n", pick(rng, &ATOMS))
            } else {
                "".into()
            };
            let _ = writeln!(text, "  :: ({a}) -> goto C{to}\n{asserts}  :: {stays} -> goto C{state}");
        } else {
            let _ =
                writeln!(text, "  :: ({a}) -> goto C{to}\n  :: ({}) -> goto C{}", pick(rng, &ATOMS), rng.below(states));
        }
        text.push_str("  fi;\n");
    }
    let _ = writeln!(text, "  C{states}: skip }}");
    text
}

/// A formula without X, with at most so many temporal operators.
fn formula(rng: &mut Rng, temporal: usize) -> String {
    if temporal == 0 {
        return format!("({})", pick(rng, &ATOMS));
    }
    let first = rng.below(temporal);
    match rng.below(8) {
        0 | 1 => format!("([] {})", formula(rng, temporal - 1)),
        2 | 3 => format!("(<> {})", formula(rng, temporal - 1)),
        4 => format!("({} U {})", formula(rng, first), formula(rng, temporal - 1 - first)),
        5 => format!("({} -> {})", formula(rng, first), formula(rng, temporal - first)),
        6 => format!("(!{} && {})", formula(rng, first), formula(rng, temporal - first)),
        _ => format!("({} || !{})", formula(rng, first), formula(rng, temporal - first)),
    }
}

/// What a process does in one step: it has a global variable and a channel of its choice, and a variable of its own.
fn deed(rng: &mut Rng, global: &str, channel: &str, rare: bool) -> String {
    let (value, other) = (rng.below(3), pick(rng, &["x", "y", "z"]));
    match rng.below(if rare { 25 } else { 18 }) {
        0..=2 => "l = 1 - l".into(),
        3 => "l == 1".into(),
        4 => "skip".into(),
        5 => format!("{global} = {value}"),
        6 => format!("{global} = ({global} + 1) % 3"),
        7 => format!("{global} != {value}"),
        8 => format!("atomic {{ {global} == {value} -> l = 1; {global} = 0 }}"),
        9 => format!("d_step {{ {global} = {value}; l = 0 }}"),
        10 => format!("atomic {{ l = 0; {channel}!{value}; l = 1 }}"),
        11 | 12 => format!("{channel}!{value}"),
        13 => format!("{channel}?l"),
        14 => format!("{channel}?_"),
        15 => "r!1".into(),
        16 => "r?l".into(),
        17 => "else".into(),
        18 => format!("nempty({channel})"),
        19 => "timeout".into(),
        20 => format!("assert({global} != {value})"),
        21 => "P0@S1".into(),
        22 => "P1:l == 0".into(),
        23 => format!("atomic {{ _nr_pr < 6 -> run W({value}) }}"),
        _ => format!("{other} = {value}"),
    }
}

/// Processes, and so many formulas.
pub fn text(rng: &mut Rng, formulas: usize) -> String {
    let rare = rng.chance(40);
    let mut text = "byte x, y, z; chan c = [1] of { byte }; chan d = [2] of { byte }; chan r = [0] of { byte };
proctype W(byte n) { byte l; l = n; z = l }\n"
        .to_owned();
    for process in 0..rng.between(2, 4).max(2) {
        let (global, channel) = (pick(rng, &["x", "y", "z"]), pick(rng, &["c", "d"]));
        let count = rng.between(2, 4);
        let _ = writeln!(text, "active proctype P{process}() {{ byte l;");
        for at in 0..count {
            let label =
                |rng: &mut Rng, name: &str| if rng.chance(20) { format!("{name}_{at}: ") } else { String::new() };
            let _ = writeln!(text, "S{at}: {}{}if", label(rng, "accept"), label(rng, "progress"));
            let mut otherwise = false;
            for _ in 0..rng.between(1, 3) {
                let deed = deed(rng, global, channel, rare);
                if deed != "else" || !std::mem::replace(&mut otherwise, true) {
                    let to = if rng.below(12) == 0 { count } else { rng.below(count) };
                    let _ = writeln!(text, "  :: {deed} -> goto S{to}");
                }
            }
            text.push_str("  fi;\n");
        }
        let _ = writeln!(text, "S{count}: skip }}");
    }
    for number in 0..formulas {
        let temporal = rng.between(1, 3);
        let _ = writeln!(text, "ltl f{number} {{ {} }}", formula(rng, temporal));
    }
    text
}

/// Whether nothing is found, and the states that were stored; nothing if there are too many.
fn search(program: &Program, sought: Sought<'_>, reduce: bool) -> Option<(bool, u64)> {
    // What is there may come later where less is searched.
    let states = if reduce { 100 * LARGE } else { LARGE };
    let run = Run::new(Limits { states: Some(states), ..Limits::default() }, 0);
    match verify(program, sought, Otf { search: Search::Breadth, reduce }, &run) {
        Outcome::Holds => Some((true, run.effort().states_total)),
        Outcome::Violated(witness) => {
            assert_eq!(replay(program, &witness), Ok(()), "{witness:#?}");
            Some((false, run.effort().states_total))
        }
        Outcome::Unknown(_) => None,
        other => panic!("{other:?}"),
    }
}

/// How many verdicts of either kind were compared, and the states where nothing is found, without the reduction and with it.
#[derive(Default)]
struct Compared {
    held: u64,
    failed: u64,
    whole: u64,
    reduced: u64,
    /// Claims of users, and formulas with X, of whose runs some are left out.
    other: u64,
}

impl Compared {
    fn compare(&mut self, text: &str, claim: Claim<'_>, sought: Sought<'_>, what: &str) {
        let read = match program(text, claim) {
            Err(why) if why.contains("too large") => return,
            read => read.unwrap_or_else(|why| panic!("{what}: {why}\n{text}")),
        };
        let Some((holds, states)) = search(&read, sought, false) else { return };
        let (kept, fewer) = search(&read, sought, true).unwrap_or_else(|| panic!("{what}: more states\n{text}"));
        assert_eq!(kept, holds, "{what}\n{text}");
        let without_next = read.property.as_ref().is_none_or(|p| p.formula.as_ref().is_some_and(|f| !f.contains('X')));
        self.other += u64::from(!without_next && Reduction::of(&read, Kept::Claim).is_some());
        if holds {
            assert!(fewer <= states, "{what}: {fewer} states instead of {states}\n{text}");
            (self.held, self.whole, self.reduced) = (self.held + 1, self.whole + states, self.reduced + fewer);
        } else {
            self.failed += 1;
        }
    }
}

/// `PREQUEL_FUZZ_LIVENESS` programs from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_programs_keep_their_verdicts_on_runs_without_an_end() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 300));
    let mut compared = Compared::default();
    for seed in first..first + count {
        let text = text(&mut Rng::new(seed), 3);
        for formula in ["f0", "f1", "f2"] {
            for sought in [Sought::Violation, Sought::Endless(Endless::ACCEPTING)] {
                compared.compare(&text, Claim::Named(formula), sought, &format!("seed {seed}: {formula}, {sought:?}"));
            }
        }
        for endless in [Endless::ACCEPTING, Endless::NON_PROGRESS] {
            compared.compare(&text, Claim::None, Sought::Endless(endless), &format!("seed {seed}: {endless:?}"));
        }
    }
    let Compared { held, failed, whole, reduced, .. } = compared;
    println!("{count} programs from seed {first}: {held} hold, {failed} do not; {whole} states, {reduced} reduced");
    assert!(held > count && failed > count, "{held} hold, {failed} do not");
    assert!(reduced * 20 < whole * 19, "there is no reduction to speak of: {whole} states, {reduced} reduced");
}

/// `PREQUEL_FUZZ_LIVENESS` programs from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_programs_keep_their_verdicts_on_claims_of_users() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 300));
    let mut compared = Compared::default();
    for seed in first..first + count {
        let mut rng = Rng::new(seed ^ 0xc1a1);
        let (processes, claim) = (text(&mut rng, 0), never(&mut rng));
        let next = format!("ltl f {{ {} }}\n", with_next(&mut rng));
        // A claim that leaves acceptance to labels of processes is not reduced.
        let claims = [processes.replace("accept_", "label_") + &claim, processes + &next];
        for text in claims {
            for sought in [Sought::Violation, Sought::Endless(Endless::ACCEPTING)] {
                compared.compare(&text, Claim::Never, sought, &format!("seed {seed}: {sought:?}"));
            }
        }
    }
    let Compared { held, failed, whole, reduced, other } = compared;
    println!(
        "{count} programs from seed {first}: {held} hold, {failed} do not; {other} reduced; {whole} states, {reduced}"
    );
    assert!(held > count / 2 && failed > count / 2, "{held} hold, {failed} do not");
    assert!(other > count / 2, "only {other} are reduced");
}

/// Claims that tell how often a state is repeated, and programs that would have another verdict if runs were left out.
#[test]
fn claims_that_count_see_every_run() {
    let two =
        "byte x; active proctype A() { byte l; l = 1; l = 2 } active proctype B() { byte m; m = 1; x = 1; x = 2 }\n";
    let programs = [
        ("steps are counted", format!("{two}never {{ x == 0; x == 0; x == 0; x == 1; x == 1; x == 2 }}")),
        ("steps are counted by a formula", format!("{two}ltl f {{ !(X X (x == 1)) }}")),
        (
            "runs are followed that end in a violation of another kind",
            "byte x; active proctype A() { byte l; l = 1; l = 2 }
             active proctype B() { byte m; m = 1; x = 1; assert(false) }
             never { x == 0; x == 0; x == 0; x == 1; false }"
                .to_owned(),
        ),
    ];
    for (name, text) in programs {
        let mut program = program(&text, Claim::Never).expect("a program");
        for reduce in [false, true] {
            let found = search(&program, Sought::Violation, reduce);
            assert!(found.is_some_and(|(holds, _)| !holds), "{name}, reduced: {reduce}: {found:?}");
        }
        // It is the decision that keeps them.
        program.property.as_mut().expect("a claim").stutters = true;
        let found = search(&program, Sought::Violation, true);
        assert!(found.is_some_and(|(holds, _)| holds), "{name}, taken for one that does not count: {found:?}");
    }
}

/// A claim of the user's that does not count, and a formula with X: the same states are left out as with a formula.
#[test]
fn what_claims_of_users_do_not_see_is_left_out() {
    let program_of = |claim: &str| {
        let text = format!(
            "byte x; active [3] proctype A() {{ byte l; l = 1; l = 2; l = 3; l = 4 }} active proctype B() {{ x = 1; x = 2 }}\n{claim}"
        );
        program(&text, Claim::Never).expect("a program")
    };
    for claim in [
        "never { T0: do :: x == 1 -> goto accept :: true od; accept: do :: x == 1 od }",
        "never { do :: x == 3 -> break :: else od }",
        "ltl f { ! <> (x == 1 && X (x != 1 && X <> (x == 1))) }",
    ] {
        let program = program_of(claim);
        let states = |reduce: bool| search(&program, Sought::Violation, reduce).expect("few states");
        let ((holds, whole), (kept, reduced)) = (states(false), states(true));
        assert!(holds && kept && whole > 300 && reduced < 90, "{claim}: {whole} states, {reduced} reduced");
    }
}

/// Formulas that do not hold, and what would be left out if the reduction did not look at it.
#[test]
fn what_a_formula_sees_is_not_left_out() {
    let programs = [
        (
            "a loop that concerns nobody is not preferred for ever",
            "bool p; active proctype B() { p = 1 } active proctype A() { byte y; do :: y = 1 - y od } ltl f { [] !p }",
        ),
        (
            "it is not enough that a component has one state in which everybody moves",
            "bool p, q; active proctype B() { p = 1 }
             active proctype A() { byte y; do :: y = 1 - y :: y = 0; q = 1; q = 0 od }
             ltl f { ! <> (p && [] !q) }",
        ),
        (
            "nor is a run that never leaves a loop",
            "bool p; active proctype B() { p = 1 } active proctype A() { byte y; do :: y = 1 - y od } ltl f { <> p }",
        ),
        (
            "variables of a process are seen",
            "active proctype A() { byte l; l = 1; l = 2 } active proctype B() { byte l; l = 1; l = 2 }
             ltl f { [] !(A:l == 1 && B:l == 2) }",
        ),
        (
            "and where it is",
            "active proctype A() { byte l; l = 1; there: l = 2; l = 3 } active proctype B() { byte l; l = 1; here: l = 2 }
             ltl f { [] !(A@there && B@here) }",
        ),
        (
            "and how many there are",
            "active proctype A() { byte l; l = 1; l = 2 } active proctype B() { byte l; l = 1 }
             ltl f { [] (_nr_pr > 2 || A:l == 2) }",
        ),
        (
            "and what is in a channel",
            "chan c = [2] of { byte }; chan d = [2] of { byte };
             active proctype A() { c!1; c?_ } active proctype B() { d!1; d?_ } ltl f { [] !(len(c) == 1 && len(d) == 1) }",
        ),
        (
            "and what the receiver of a rendezvous does with it",
            "chan c = [0] of { bit }; bool p, q; active proctype A() { c!1; q = 0 } active proctype B() { c?p; q = 0 }
             active proctype C() { q = 1 } ltl f { [] !(p && q) }",
        ),
    ];
    for (name, text) in programs {
        let program = program(text, Claim::Named("f")).expect("a program");
        for reduce in [false, true] {
            let found = search(&program, Sought::Violation, reduce);
            assert!(found.is_some_and(|(holds, _)| !holds), "{name}, reduced: {reduce}: {found:?}");
        }
    }
}

/// What the formula does not see is taken one after the other, and everything where the formula counts.
#[test]
fn what_a_formula_does_not_see_is_left_out() {
    let text =
        "byte x; active [3] proctype A() { byte l; l = 1; l = 2; l = 3; l = 4 } active proctype B() { x = 1; x = 2 }
        ltl f { [] (x == 1 -> <> (x == 2)) } ltl g { X (x == 0 || x == 1) && [] (x != 3) }";
    let states = |claim: &str, reduce: bool| {
        let program = program(text, Claim::Named(claim)).expect("a program");
        search(&program, Sought::Violation, reduce).filter(|(holds, _)| *holds).map(|(_, states)| states)
    };
    let (whole, reduced) = (states("f", false), states("f", true));
    assert!(whole.is_some_and(|states| states > 300), "{whole:?}");
    assert!(reduced.is_some_and(|states| states < 60), "{reduced:?}");
    assert_eq!(states("g", false), states("g", true));
}
