//! Runs without an end: claims, labels, fairness and non-progress, on small programs with known answers.

use prequel_engine::otf::program::{Outcome, verify};
use prequel_engine::otf::{Otf, Search};
use prequel_formats::promela;
use prequel_model::run::{Limits, Run};
use prequel_program::{
    Claim, Cycle, Endless, Program, ReplayError, Sought, Violation, Witness, compile, optimised, replay, retrace,
};
use std::path::Path;

/// What is asked of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Runs with an end only.
    Safety,
    /// What the claim accepts; without a claim, runs through accept labels.
    Acceptance,
    /// Runs without progress; claims are left out.
    NonProgress,
    /// Processes that can never move again.
    Stuck,
}

pub fn program(text: &str, claim: Claim<'_>) -> Result<Program, String> {
    let told = |errors: Vec<prequel_formats::diag::Diagnostic>| errors[0].headline();
    let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).map_err(told)?;
    compile(&model, claim).map(|(program, _)| program).map_err(told)
}

/// A program with its first formula, and with what is searched instead; none if that is too large or there is no formula.
pub fn program_as_searched(text: &str) -> Option<Program> {
    let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).ok()?;
    optimised(&model, Claim::Never).ok().map(|(program, _)| program).filter(Program::has_formula)
}

/// The witness against a program, replayed; none if it holds.
pub fn violated(program: &Program, question: Question, fair: bool) -> Option<Witness> {
    let sought = match question {
        Question::Safety if program.claim.is_none() => Sought::Violation,
        Question::Safety => Sought::Fault,
        Question::Acceptance if program.claim.is_none() => Sought::Endless(Endless { fair, ..Endless::ACCEPTING }),
        Question::Acceptance if fair => Sought::FairViolation,
        Question::Acceptance => Sought::Violation,
        Question::NonProgress => Sought::Endless(Endless { fair, ..Endless::NON_PROGRESS }),
        Question::Stuck => Sought::Stuck,
    };
    match verify(program, sought, Otf::plain(Search::Breadth), &Run::new(Limits::default(), 0)) {
        Outcome::Holds => None,
        Outcome::Violated(witness) => {
            assert_eq!(replay(program, &witness), Ok(()), "{witness:#?}");
            Some(witness)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_reads_otherwise_than_it_looks_is_warned_of() {
    let warned = |text: &str, claim: Claim<'_>| {
        let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
        let (_, warnings) = compile(&model, claim).expect("a program");
        warnings.iter().map(|warning| warning.headline()).collect::<Vec<_>>()
    };
    let hidden = "byte x; active proctype A() { do :: atomic { x = 1; x = 2; progress_a: x = 0 } od }";
    let [label] = &warned(hidden, Claim::None)[..] else { panic!("{hidden}") };
    assert!(label.contains("label `progress_a` stands in the middle of an `atomic`"), "{label}");
    let shown = "byte x; active proctype A() { accept: do :: atomic { x = 1; x = 0 }; progress: x = 2 od }";
    assert_eq!(warned(shown, Claim::None), Vec::<String>::new());
    let counting = "byte x; active proctype A() { _nr_pr == 1 -> x = 1 } ltl f { [] (x == 0) }";
    let [count] = &warned(counting, Claim::Named("f"))[..] else { panic!("{counting}") };
    assert!(count.contains("`_nr_pr` counts the formula f too"), "{count}");
    assert_eq!(warned(counting, Claim::None), Vec::<String>::new());
}

/// The witness programs that stand beside the project, with the right answers.
#[test]
fn witness_programs_have_their_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/algorithms/witness-liveness");
    let Ok(expected) = std::fs::read_to_string(folder.join("expected.tsv")) else {
        eprintln!("skipped: there is no {}", folder.display());
        return;
    };
    let mut wrong = Vec::new();
    for row in expected.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [file, claim, asked, right, ..] = fields[..] else { panic!("{row}") };
        let text = std::fs::read_to_string(folder.join(file)).expect("a witness program");
        let (question, fair) = match asked {
            "safety" => (Question::Safety, false),
            "acceptance" => (Question::Acceptance, false),
            "acceptance-fair" => (Question::Acceptance, true),
            "nonprogress" => (Question::NonProgress, false),
            "nonprogress-fair" => (Question::NonProgress, true),
            other => panic!("{other}"),
        };
        let chosen = match claim {
            _ if question == Question::NonProgress => Claim::None,
            "" => Claim::Never,
            name => Claim::Named(name),
        };
        let verdict = match program(&text, chosen) {
            Err(_) => "refused",
            Ok(program) => ["true", "false"][usize::from(violated(&program, question, fair).is_some())],
        };
        if verdict != right {
            wrong.push(format!("{file} {claim} {asked}: {verdict}, not {right}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Programs with the answers to: acceptance, acceptance by fair runs, and where it matters non-progress, the same by fair runs.
const PROGRAMS: &[(&str, &str, &[bool])] = &[
    ("a run that ends goes on with its last state", "bool p; active proctype A() { skip } ltl f { <> p }", &[false, false]),
    ("so does one that is blocked", "bool p; active proctype A() { p } ltl f { [] <> p }", &[false, false]),
    (
        "the claim reads the repeated state once for each of its moves",
        "bool p; active proctype A() { p = 1 } never { !p; p; p; p; p; p }",
        &[false, false],
    ),
    ("the claim moves first", "byte x; active proctype A() { x = 1; do :: x = 3 - x od } never { x == 0 }", &[false, false]),
    (
        "a claim that cannot move drops the run",
        "byte x; active proctype A() { x = 1; assert(0) } never { do :: x == 0 od }",
        &[true, true],
    ),
    (
        "the step into a state that the claim refuses is made",
        "byte x; active proctype A() { x = 1; assert(x == 0); x = 2 } never { do :: x < 2 od }",
        &[false, false],
    ),
    (
        "to be accepting at first is not enough",
        "byte x; active proctype A() { do :: x = 1 - x od } never { accept_a: true; b: do :: x < 2 od }",
        &[true, true],
    ),
    (
        "labels of processes say nothing about a formula",
        "bool p = 1; active proctype A() { byte x; accept: do :: x = 1 - x od } ltl f { [] p }",
        &[true, true],
    ),
    (
        "but they do beside a claim without labels of its own",
        "active proctype A() { accept: false } never { do :: true od }",
        &[false, false],
    ),
    ("accept at a standstill", "byte x; active proctype A() { x = 1; accept: x == 2 }", &[false, false]),
    (
        "who rests at accept need not move",
        "byte x; active proctype A() { accept: x == 2 } active proctype B() { do :: x = 1 - x od }",
        &[false, false],
    ),
    (
        "inside of atomic there is no state, and the label of a guard counts behind it",
        "byte x; active proctype A() { do :: atomic { x = 1; accept: progress: x = 2; x = 0 } od }",
        &[true, true, false, false],
    ),
    (
        "an atomic that blocks shows its state",
        "byte x, y; active proctype A() { do :: atomic { x = 1; y == 1; x = 0 } od }
         active proctype B() { do :: y = 1 - y od } ltl f { [] (x == 0) }",
        &[false, false],
    ),
    (
        "weak fairness: whoever can move all the time moves",
        "bool p; active proctype A() { byte y; do :: y = 1 - y od } active proctype B() { p = 1 } ltl f { <> p }",
        &[false, true],
    ),
    (
        "whoever goes round need not go away, beside somebody who is blocked: SPIN misses it with fairness",
        "byte x; active proctype A() { x == 9 } active proctype B() { accept: if :: x = 0 -> goto accept :: x = 0 fi }",
        &[false, false],
    ),
    (
        "nor by more than one step",
        "byte x; active proctype A() { x == 9 } active proctype B() { do :: x = 1 - x :: x != 1 -> break od }",
        &[true, true, false, false],
    ),
    (
        "not strong: whoever can move now and then need not",
        "bool p, q; active proctype A() { do :: q = 1 - q od } active proctype B() { q -> p = 1 } ltl f { <> p }",
        &[false, false],
    ),
    (
        "by process, not by statement",
        "bool p; active proctype A() { byte y; do :: y = 1 - y :: p = 1; break od } ltl f { <> p }",
        &[false, false],
    ),
    (
        "an ended process cannot move while a younger one is there",
        "bool p; active proctype A() { skip } active proctype B() { byte y; do :: y = 1 - y od } ltl f { <> p }",
        &[false, false],
    ),
    (
        "both sides of a rendezvous move and can move",
        "chan c = [0] of { bit }; bool p; active proctype A() { do :: c!0 od } active proctype B() { do :: c?_ od }
         active proctype C() { p = 1 } ltl f { <> p }",
        &[false, true],
    ),
    (
        "whoever is sent to by rendezvous all the time can move all the time: SPIN finds a fair run that rests",
        "chan c = [0] of { bit }; active proctype R() { accept: c?_ }
         active proctype S() { byte y; do :: c!0 :: y = 1 - y od }",
        &[false, true],
    ),
    (
        "once a rendezvous is over its partners hold nobody up: SPIN misses the fair run where the third could also end",
        "byte x; chan c = [0] of { bit }; active proctype A() { c!0 } active proctype B() { c?_ }
         active proctype C() { accept: do :: x = 1 :: x == 1 -> break od }",
        &[false, false],
    ),
    (
        "acceptance while nothing moves is fair, by way of two states of the claim",
        "bool p; active proctype A() { skip }
         never { t: if :: true -> goto accept_u fi; accept_u: if :: true -> goto t fi }",
        &[false, false],
    ),
    (
        "processes that come and go, counted with the claim",
        "bool p; proctype B() { skip } active proctype A() { do :: run B(); _nr_pr == 3 od }
         active proctype C() { do :: p = 1 od } ltl f { <> p }",
        &[false, true],
    ),
    (
        "progress at the head of the loop",
        "byte x; active proctype A() { progress: do :: x = 1 - x od }",
        &[true, true, true, true],
    ),
    (
        "one process at rest at a progress label excuses everybody",
        "byte x; active proctype A() { do :: x = 1 - x od } active proctype B() { progress: x == 2 }",
        &[true, true, true, true],
    ),
    ("a run that ends is no lack of progress", "byte x; active proctype A() { x = 1; x == 2 }", &[true, true, true, true]),
    (
        "progress that only a fair run makes",
        "byte x; active proctype A() { do :: x = 1 - x od } active proctype B() { byte y; do :: y = 1; progress: y = 0 od }",
        &[true, true, false, true],
    ),
    (
        "np_ says the same in a claim",
        "byte x; active proctype A() { do :: x = 1 - x od } active proctype B() { byte y; do :: y = 1; progress: y = 0 od }
         never { do :: true :: np_ -> break od; accept: do :: np_ od }",
        &[false, true, false, true],
    ),
    (
        "timeout in the program, under a claim",
        "byte x; active proctype A() { timeout -> x = 1 } active proctype B() { x == 1 -> x = 2 } ltl f { <> (x == 2) }",
        &[true, true],
    ),
    (
        "timeout in a claim holds where nothing moves",
        "byte x; active proctype A() { x = 1; x == 5 } never { do :: !timeout :: timeout && x == 1 -> break od }",
        &[false, false],
    ),
    (
        "and nowhere else",
        "byte x; active proctype A() { do :: x = 1 - x od } never { do :: !timeout :: timeout -> break od }",
        &[true, true],
    ),
    (
        "who moved last",
        "byte x; active [2] proctype A() { byte y; do :: y = 1 - y od } ltl f { [] <> (_last == 1) }",
        &[false, true],
    ),
    (
        "who can move",
        "byte x; active [2] proctype A() { byte y; do :: y = 1 - y od }
         never { do :: true :: enabled(0) && _last != 0 -> break od; accept: do :: enabled(0) && _last != 0 od }",
        &[false, true],
    ),
    (
        "else in a claim",
        "byte x; active proctype A() { x = 1; x = 2 } never { do :: x < 2 :: else -> break od }",
        &[false, false],
    ),
    ("a loop that never changes anything", "bool p; active proctype A() { do :: skip od } ltl f { <> p }", &[false, false]),
    (
        "a claim that counts steps",
        "byte x; active proctype A() { do :: x = 1; x = 0 od } never { x == 0; x == 1; x == 0; x == 1 }",
        &[false, false],
    ),
    (
        "a d_step is one step",
        "byte x; active proctype A() { do :: d_step { x = 1; x = 0 } od } ltl f { [] (x == 0) }",
        &[true, true],
    ),
];

#[test]
fn small_programs_have_their_verdicts() {
    for (why, text, holds) in PROGRAMS {
        let questions = [
            (Question::Acceptance, false),
            (Question::Acceptance, true),
            (Question::NonProgress, false),
            (Question::NonProgress, true),
        ];
        for (&holds, (question, fair)) in holds.iter().zip(questions) {
            let claim = if question == Question::NonProgress { Claim::None } else { Claim::Never };
            let program = program(text, claim).unwrap_or_else(|error| panic!("{why}: {error}"));
            assert_eq!(violated(&program, question, fair).is_none(), holds, "{why}: {question:?}, fair: {fair}");
        }
    }
}

/// A lasso is rejected if its cycle is not closed, not accepting, not fair, or not without progress.
#[test]
fn a_lasso_that_shows_nothing_is_rejected() {
    let text =
        "bool p; active proctype A() { byte y; do :: y = 1 - y od } active proctype B() { p = 1 } ltl f { <> p }";
    let unfair = program(text, Claim::Never).expect("a program");
    let witness = violated(&unfair, Question::Acceptance, false).expect("unfair runs violate it");
    let Violation::Cycle(cycle) = witness.violation else { panic!("{witness:?}") };
    let with = |of: Endless| Witness { violation: Violation::Cycle(Cycle { of, ..cycle }), ..witness.clone() };
    assert_eq!(replay(&unfair, &with(cycle.of)), Ok(()));
    assert_eq!(replay(&unfair, &with(Endless { fair: true, ..cycle.of })), Err(ReplayError::NoViolation));
    let short = Witness { steps: witness.steps[..witness.steps.len() - 1].to_vec(), ..witness.clone() };
    assert_eq!(replay(&unfair, &short), Err(ReplayError::NoViolation));
    let none = Cycle { from: witness.steps.len(), ..cycle };
    let empty = Witness { violation: Violation::Cycle(none), ..witness.clone() };
    assert_eq!(replay(&unfair, &empty), Err(ReplayError::NoViolation), "something moves");
    let text = "byte x; active proctype A() { do :: x = 1; progress: x = 0 od }";
    let program = program(text, Claim::None).expect("a program");
    let steps = retrace(&program, &[(Some(0), 0), (Some(0), 0)]).expect("steps");
    for of in [Endless::NON_PROGRESS, Endless::ACCEPTING] {
        let witness = Witness { steps: steps.clone(), violation: Violation::Cycle(Cycle { from: 0, of }) };
        assert_eq!(replay(&program, &witness), Err(ReplayError::NoViolation), "{of:?}");
    }
}

/// More processes than one word of marks is for.
#[test]
fn fairness_is_for_any_number_of_processes() {
    let text = |count: usize| {
        format!(
            "byte left = {count}; active [{count}] proctype A() {{ left-- }}
             active proctype B() {{ byte y; do :: y = 1 - y od }} ltl f {{ <> (left < {count}) }}"
        )
    };
    for count in [3, 70] {
        let program = program(&text(count), Claim::Never).expect("a program");
        assert!(violated(&program, Question::Acceptance, false).is_some());
        assert!(violated(&program, Question::Acceptance, true).is_none(), "{count} processes");
    }
}

/// What could happen counts, not what does: a choice that may lead to a dead end, a process that may be passed over for ever.
#[test]
fn a_process_is_stuck_where_it_can_never_move_again() {
    let stuck = |text: &str| {
        let program = program(text, Claim::None).expect("a program");
        violated(&program, Question::Stuck, false).map(|witness| (witness.violation, witness.steps.len()))
    };
    let choice = "bool p; active proctype A() { if :: p = 1 :: skip fi; do :: p -> skip od }";
    assert_eq!(stuck(choice), Some((Violation::Stuck(0), 1)));
    let starved = "bool p; active proctype A() { do :: p = 0 :: p = 1 od } active proctype B() { p -> skip }";
    assert_eq!(stuck(starved), None, "it may move at any time, fair or not");
    let ended = "active proctype A() { skip } active proctype B() { do :: skip od }";
    assert_eq!(stuck(ended), None, "an ended process is not stuck");
    let waiting = "bool p; active proctype A() { p -> skip } active proctype B() { byte y; do :: y = 1 - y od }";
    assert_eq!(stuck(waiting), Some((Violation::Stuck(0), 0)));
}

#[test]
fn a_claim_takes_no_part() {
    for statement in ["c!1", "c?_", "run A()"] {
        let text = format!("chan c = [1] of {{ byte }}; active proctype A() {{ skip }} never {{ {statement} }}");
        assert!(program(&text, Claim::Never).is_err_and(|why| why.contains("takes no part")), "{statement}");
    }
}
