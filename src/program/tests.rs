//! Small programs whose numbers of states were compared with SPIN's.

use super::{Claim, Fault, Outcome, Program, Violation, compile, replay, verify};
use crate::engine::otf::Search;
use crate::engine::run::{Limits, Run};
use crate::read::promela;
use std::path::Path;

fn read(text: &str) -> Result<Program, String> {
    let headlines =
        |errors: Vec<crate::diag::Diagnostic>| errors.iter().map(|e| e.headline()).collect::<Vec<_>>().join("\n");
    let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).map_err(headlines)?;
    compile(&model, Claim::Never).map(|(program, _)| program).map_err(headlines)
}

fn states(text: &str) -> u64 {
    let program = read(text).expect("a program");
    let counts = [1, 2].map(|threads| {
        let run = Run::new(Limits { threads, ..Limits::default() }, 0);
        assert!(matches!(verify(&program, Search::Breadth, false, &run), Outcome::Explored(_)));
        run.effort().states_peak
    });
    assert_eq!(counts[0], counts[1], "threads");
    counts[0]
}

/// The violation of a program, after its witness was followed.
fn violation(text: &str) -> Option<Violation> {
    let program = read(text).expect("a program");
    match verify(&program, Search::Breadth, true, &Run::new(Limits::default(), 0)) {
        Outcome::Violated(witness) => {
            assert_eq!(replay(&program, &witness), Ok(()), "{witness:#?}");
            Some(witness.violation)
        }
        Outcome::Holds => None,
        other => panic!("{other:?}"),
    }
}

fn fault(text: &str) -> Option<Fault> {
    match violation(text) {
        Some(Violation::Fault { fault, .. }) => Some(fault),
        _ => None,
    }
}

#[test]
fn statements_are_steps() {
    assert_eq!(states("byte x; active proctype P() { x = 1; x = 2; x = 3 }"), 5);
    assert_eq!(states("byte x; active proctype P() { atomic { x = 1; x = 2; x = 3 } }"), 3);
    assert_eq!(states("byte x; active proctype P() { d_step { x = 1; x = 2; x = 3 } }"), 3);
}

#[test]
fn an_assertion_is_violated_where_it_stands() {
    let text = "byte x;\nactive [2] proctype P() { byte t = x;\n  t = x; t++; x = t;\n  assert(x != 2) }";
    let program = read(text).expect("a program");
    let Outcome::Violated(witness) = verify(&program, Search::Breadth, true, &Run::new(Limits::default(), 0)) else {
        panic!("it is violated")
    };
    let Violation::Fault { fault: Fault::Assertion, statement, .. } = witness.violation else {
        panic!("{:?}", witness.violation)
    };
    assert_eq!(
        (program.statements[statement as usize].line, &*program.statements[statement as usize].text),
        (4, "assert(x != 2)")
    );
    assert_eq!(replay(&program, &witness), Ok(()));
    let mut shorter = witness.clone();
    shorter.steps.pop();
    assert!(replay(&program, &shorter).is_err());
    let mut other = witness;
    other.steps.swap(0, 2);
    assert!(replay(&program, &other).is_err());
}

#[test]
fn what_goes_wrong_has_a_name() {
    assert_eq!(violation("byte x; active proctype P() { x == 1 }"), Some(Violation::EndState));
    assert_eq!(violation("byte x; active proctype P() { end: x == 1 }"), None);
    assert_eq!(fault("byte a[2]; byte i = 2; active proctype P() { i++; a[i] = 1 }"), Some(Fault::Index));
    assert_eq!(fault("byte x; active proctype P() { x = 4 / x }"), Some(Fault::Division));
    assert_eq!(
        fault("chan c; chan d = [1] of { byte }; active proctype P() { chan e; e = c; e!1 }"),
        Some(Fault::NoChannel)
    );
    assert_eq!(fault("byte x; active proctype P() { d_step { x = 1; x == 2 } }"), Some(Fault::BlockedInside));
    assert_eq!(fault("byte x; proctype C() { x == 1 } init { do :: run C() od }"), Some(Fault::Processes));
    assert_eq!(fault("chan c = [0] of { byte }; active proctype P() { c?[1] }"), Some(Fault::PollRendezvous));
}

#[test]
fn an_endless_atomic_is_left_where_it_can_be() {
    assert_eq!(states("bit x; active proctype P() { atomic { do :: x = 1 - x :: x == 1 -> break od } }"), 3);
    assert_eq!(violation("bit x; active proctype P() { atomic { do :: x = 1 - x od } }"), None);
}

#[test]
fn states_that_outgrow_the_layout_start_the_search_again() {
    let text = "byte x; proctype C(int n) { int m = n; x == 1 } init { byte i; do :: i < 20 -> run C(i); i++ :: else -> break od; x = 1 }";
    let program = read(text).expect("a program");
    let limited = Run::new(Limits { states: Some(20_000), ..Limits::default() }, 0);
    assert!(matches!(verify(&program, Search::Depth, true, &limited), Outcome::Unknown(_)));
    assert!(limited.effort().checks > 1);
}

#[test]
fn claims_are_matched() {
    let text = "byte x; active [2] proctype P() { x++ } never { do :: x == 2 -> break :: else od }";
    assert_eq!(violation(text), Some(Violation::Claim));
    let text = "byte x; active [2] proctype P() { x++ } never { do :: x == 3 -> break :: else od }";
    assert_eq!(violation(text), None);
}

#[test]
fn errors_of_meaning_have_places() {
    let message = |text: &str| read(text).expect_err("it makes no sense");
    assert!(message("mtype = { a }; active proctype P() {\n  a = 3 }").starts_with("m.pml:2:3:"));
    assert!(
        message("byte x; proctype Q(byte a) { x = a } init { run Q(1, 2) }").contains("has 1 parameters, 2 are given")
    );
    assert!(message("byte x; active proctype P() { break }").contains("break"));
    assert!(message("byte x; active proctype P() { goto L }").contains("no label `L`"));
    assert!(message("typedef T { byte a }; T t; active proctype P() { t.b = 1 }").contains("no field `b`"));
    assert!(message("byte a[2]; active proctype P() { a = 1 }").contains("needs an index"));
    assert!(message("proctype P() { skip }").contains("no process runs"));
    assert!(message("byte x; active proctype P() { x = pc_value(0) }").contains("`pc_value` is not supported"));
    let both = "chan c = [0] of { byte }; active proctype P() priority 3 { c!1 }";
    assert!(message(both).contains("cannot be combined with rendezvous"));
}
