//! Small programs whose numbers of states were compared with SPIN's.

use prequel_engine::otf::program::{Outcome, verify};
use prequel_engine::otf::{Otf, Search};
use prequel_formats::promela;
use prequel_model::run::{Limits, Run};
use prequel_program::{
    Claim, Fault, Program, Sought, Violation, compile, compile_with, end_of, optimised, replay, replay_steps, retrace,
};
use std::path::Path;

fn read(text: &str) -> Result<Program, String> {
    let headlines = |errors: Vec<prequel_formats::diag::Diagnostic>| {
        errors.iter().map(|e| e.headline()).collect::<Vec<_>>().join("\n")
    };
    let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).map_err(headlines)?;
    compile(&model, Claim::Never).map(|(program, _)| program).map_err(headlines)
}

fn states(text: &str) -> u64 {
    let program = read(text).expect("a program");
    let counts = [1, 2].map(|threads| {
        let run = Run::new(Limits { threads, ..Limits::default() }, 0);
        assert!(matches!(verify(&program, Sought::Nothing, Otf::plain(Search::Breadth), &run), Outcome::Explored(_)));
        run.effort().states_peak
    });
    assert_eq!(counts[0], counts[1], "threads");
    counts[0]
}

/// The violation of a program, after its witness was followed.
fn violation(text: &str) -> Option<Violation> {
    let program = read(text).expect("a program");
    match verify(&program, Sought::Violation, Otf::plain(Search::Breadth), &Run::new(Limits::default(), 0)) {
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
    let Outcome::Violated(witness) =
        verify(&program, Sought::Violation, Otf::plain(Search::Breadth), &Run::new(Limits::default(), 0))
    else {
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
    assert!(matches!(verify(&program, Sought::Violation, Otf::plain(Search::Depth), &limited), Outcome::Unknown(_)));
    assert!(limited.effort().checks > 1);
    // What was explored before the last start does not count.
    let program = read(
        "proctype C(int n) { int m = n; m = 0 } init { byte i; do :: i < 4 -> run C(i); i++ :: else -> break od }",
    );
    let run = Run::new(Limits::default(), 0);
    verify(&program.expect("a program"), Sought::Nothing, Otf::plain(Search::Breadth), &run);
    let effort = run.effort();
    assert!(effort.checks > 1);
    assert_eq!(effort.states_total, effort.states_peak);
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

/// Whether a goal is reached, after its run was followed.
fn reaches(text: &str, goal: &str) -> Result<bool, String> {
    let headlines = |errors: Vec<prequel_formats::diag::Diagnostic>| {
        errors.iter().map(|e| e.headline()).collect::<Vec<_>>().join("\n")
    };
    let asked = Some(promela::Goal { option: "--reach", text: goal });
    let ((model, goal), _) =
        promela::read_with("m.pml", text.as_bytes(), Path::new("."), &[], asked, None).map_err(headlines)?;
    let ((program, goal), _) = compile_with(&model, Claim::None, goal.as_ref()).map_err(headlines)?;
    let goal = goal.expect("a goal");
    let found = [Search::Breadth, Search::Depth].map(|order| {
        match verify(&program, Sought::Goal(&goal), Otf::plain(order), &Run::new(Limits::default(), 0)) {
            Outcome::Reached(steps) => {
                assert_eq!(replay_steps(&program, &steps, Some(&goal)), Ok(()), "{steps:#?}");
                // Without its last step the run ends where the goal does not hold, or in the middle of something.
                if let Some((_, fewer)) = steps.split_last() {
                    assert!(replay_steps(&program, fewer, Some(&goal)).is_err(), "{steps:#?}");
                }
                Ok(true)
            }
            Outcome::Holds => Ok(false),
            Outcome::Unknown(why) => Err(why.to_string()),
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(found[0], found[1], "order of search");
    let [found, _] = found;
    found
}

#[test]
fn goals_are_promela() {
    let text = "#define N 3\nmtype = { a, b };\ntypedef T { byte f[2] };\nT t; mtype m = a; byte x; bit w;\n\
                chan c = [2] of { mtype, byte };\nproctype Q(byte y) { c!b,y; there: x = N }\n\
                init { t.f[1] = 2; run Q(7); c?m,x; w = 1 }";
    for goal in [
        "t.f[1] == 2 && x == 0",
        "m == b & !w",
        "x == N",
        "len(c) == 1",
        "nempty(c) & !(full(c) | empty(c))",
        "Q@there",
        "Q[1]@there && x == 7",
        "Q[1]:y == 7 & _nr_pr == 2",
        "c?[b]",
        "(x -> w : 0)",
    ] {
        assert_eq!(reaches(text, goal), Ok(true), "{goal}");
    }
    for goal in ["t.f[0] == 2", "full(c)", "Q[0]@there", "Q[1]:y == 6", "c?[a]", "x == 3 && 0"] {
        assert_eq!(reaches(text, goal), Ok(false), "{goal}");
    }
}

#[test]
fn goals_that_make_no_sense_have_places() {
    let text = "hidden byte h; byte x, y; active proctype P() { l: x = 1; h = 1 }";
    for (goal, message) in [
        ("z == 1", "--reach:1:1: `z` is not declared"),
        ("x == 1 & P@m", "--reach:1:10: `P` has no label `m`"),
        ("x & y", "--reach:1:1: this side of `&` is a number"),
        ("x == 1 | y", "--reach:1:10: this side of `|` is a number"),
        ("h == 1", "--reach:1:1: `h` is hidden"),
        ("_pid == 1", "--reach:1:1: `_pid` cannot"),
        ("timeout", "--reach:1:1: `timeout` cannot"),
        ("x == 1)", "--reach:1:7: expected an operator"),
        ("", "--reach"),
    ] {
        let said = reaches(text, goal).expect_err("it makes no sense");
        assert!(said.starts_with(message), "{goal}: {said}");
    }
}

#[test]
fn goals_are_seen_where_others_could_move() {
    let text = "byte x; active proctype P() { atomic { x = 1; x = 2; x = 3 } }";
    assert_eq!(reaches(text, "x == 1"), Ok(false));
    let text = "byte x; active proctype P() { atomic { x = 1; x == 5; x = 2 } }";
    assert_eq!(reaches(text, "x == 1"), Ok(true), "blocked in the middle");
    let text = "byte x; active proctype P() { assert(x == 1); x = 2 }";
    assert_eq!(reaches(text, "x == 2"), Ok(true), "behind a violated assertion");
    // A jump is passed through unless somebody asks for its label.
    let text = "byte x; active proctype P() { x = 1; here: goto there; there: x = 2 }";
    assert_eq!(reaches(text, "P@here & x == 1"), Ok(true));
    let said = reaches("byte x; active proctype P() { x = 1 }", "4 / (1 - x) == 4 && 0").expect_err("a division");
    assert!(said.contains("division by zero"), "{said}");
}

#[test]
fn end_states_are_found_behind_violated_assertions() {
    let text = "byte x; active proctype P() { assert(x == 1); x = 3; x == 2 }";
    let program = read(text).expect("a program");
    let run = || Run::new(Limits::default(), 0);
    let Outcome::Violated(witness) = verify(&program, Sought::EndState, Otf::plain(Search::Breadth), &run()) else {
        panic!("it is stuck")
    };
    assert_eq!(witness.violation, Violation::EndState);
    assert_eq!(replay(&program, &witness), Ok(()));
    let moves: Vec<_> = witness.steps.iter().map(|step| (step.process, step.transition)).collect();
    assert_eq!(retrace(&program, &moves).as_ref(), Ok(&witness.steps));
    assert_eq!(end_of(&program, &witness.steps), Ok(Violation::EndState));
    let fine = read("byte x; active proctype P() { assert(x == 1) }").expect("a program");
    assert_eq!(verify(&fine, Sought::EndState, Otf::plain(Search::Breadth), &run()), Outcome::Holds);
}

#[test]
fn two_steps_that_others_notice_are_not_merged() {
    // SPIN takes `a[g]` for local, merges both reads into one step, and finds no error here unless merging is off.
    let text = "byte g, h;
        active proctype P() { byte x, y, a[2]; a[1] = 1; x = a[g]; y = a[h]; assert(x == 1 || y == 0) }
        active proctype Q() { g = 1; h = 1 }";
    let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
    let (program, _) = optimised(&model, Claim::Never).expect("a program");
    let outcome = verify(&program, Sought::Violation, Otf::plain(Search::Breadth), &Run::new(Limits::default(), 0));
    let Outcome::Violated(witness) = outcome else { panic!("it is violated") };
    assert_eq!(replay(&program, &witness), Ok(()));
}

/// The violation of an optimised program, told in the statements of the program itself.
fn optimised_violation(text: &str) -> (Program, Violation) {
    let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
    let (program, _) = optimised(&model, Claim::Never).expect("a program");
    match verify(&program, Sought::Violation, Otf::plain(Search::Breadth), &Run::new(Limits::default(), 0)) {
        Outcome::Violated(witness) => {
            assert_eq!(replay(&program, &witness), Ok(()), "{witness:#?}");
            (program, witness.violation)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_assertion_of_an_optimised_program_is_named_by_its_own_statement() {
    let text = "byte x; active proctype P() { byte a; a = 1; a = 2; a = 3; assert(a == 2) }";
    let (program, violation) = optimised_violation(text);
    let Violation::Fault { fault: Fault::Assertion, statement, .. } = violation else { panic!("{violation:?}") };
    assert_eq!(&*program.statements[statement as usize].text, "assert(a == 2)");
}

#[test]
fn an_assertion_in_a_claim_is_found_in_an_optimised_program() {
    for text in [
        "byte x; active proctype P() { x = 1; x = 2 } never { byte y; do :: assert(x < 2); y = 1; y = 2 od }",
        "byte x; active proctype P() { byte a; a = 1; a = 2; x = 1; x = 2 } never { do :: assert(x < 2) :: x < 3 od }",
    ] {
        let (program, violation) = optimised_violation(text);
        let Violation::Fault { fault: Fault::Assertion, statement, .. } = violation else { panic!("{violation:?}") };
        assert_eq!(&*program.statements[statement as usize].text, "assert(x < 2)");
    }
    // A claim that counts steps counts those of the program.
    let counting = "active proctype P() { byte a; a = 1; a = 2; a = 3; a = 4 } never { true; true; true; true }";
    assert_eq!(optimised_violation(counting).1, Violation::Claim);
}

#[test]
fn one_receive_does_not_store_into_a_variable_twice() {
    let receive = |declared: &str, what: &str| {
        read(&format!("chan q = [1] of {{ byte, byte }}; {declared}; active proctype P() {{ {what} }}"))
    };
    for (declared, what) in [
        ("byte x", "q?x,x"),
        ("byte x", "q?x(x)"),
        ("byte x", "q??x,x"),
        ("byte x", "q?<x,x>"),
        ("byte y", "byte x; q?x,x"),
    ] {
        let error = receive(declared, what).expect_err(what);
        assert!(error.contains("this receive stores into `x` twice"), "{what}: {error}");
    }
    // As in SPIN, which does not look into arrays and records.
    for (declared, what) in [
        ("byte x[2]", "q?x[0],x[0]"),
        ("byte x", "q?x,eval(x)"),
        ("byte x", "q?_,_"),
        ("byte x", "q?[x,x]"),
        ("byte x", "q!x,x"),
        ("typedef T { byte a }; T t", "q?t.a,t.a"),
    ] {
        assert_eq!(receive(declared, what).err(), None, "{what}");
    }
}

#[test]
fn types_nested_too_deep_are_an_error() {
    let chain = |depth: usize| {
        let types = (0..depth).map(|at| format!("typedef T{} {{ T{at} y }};", at + 1)).collect::<String>();
        read(&format!("typedef T0 {{ byte x }}; {types} T{depth} t; active proctype P() {{ skip }}"))
    };
    assert!(chain(100).is_ok());
    assert!(chain(20_000).expect_err("too deep").contains("nested more than"));
    let large = "typedef A { byte x[3000] }; typedef B { A a[300]; A c[300] }; B b; active proctype P() { skip }";
    assert!(read(large).expect_err("too large").contains("`B` is too large"));
}

#[test]
fn a_model_without_a_process_is_called_by_its_name() {
    let told = "m.pml: no process runs: there is neither `init` nor an `active` proctype";
    assert_eq!(read("#define N 3\n").err().as_deref(), Some(told));
}

#[test]
fn a_hidden_variable_that_is_read_is_part_of_the_state() {
    let text = "hidden byte h; byte g; active proctype A() { if :: h = 1 :: h = 2 fi; g = 1; assert(h == 1) }";
    assert!(matches!(violation(text), Some(Violation::Fault { fault: Fault::Assertion, .. })));
    assert_eq!(violation("hidden byte h; byte g; active proctype A() { h = 1; g = 1; assert(h == 1) }"), None);
    // What is only set is none.
    assert_eq!(states("hidden byte h; active proctype A() { do :: h++ od }"), 1);
}

#[test]
fn local_is_believed_where_one_process_uses_the_variable() {
    let violated = |text: &str| {
        let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
        let (program, _) = optimised(&model, Claim::Never).expect("a program");
        let run = Run::new(Limits::default(), 0);
        let found = verify(&program, Sought::Violation, Otf::plain(Search::Breadth), &run);
        (matches!(found, Outcome::Violated(_)), run.effort().states_peak)
    };
    let broken = "local byte x; active proctype A() { x = 1; x = 2 } active proctype B() { assert(x != 1) }";
    assert!(violated(broken).0);
    let kept = "local byte x; active proctype A() { x = 1; x = 2; x = 3 }";
    assert!(violated(kept).1 < violated(&kept.replace("local ", "")).1);
}

/// What is no part of a state changes once, not with every state.
#[test]
fn a_run_through_hidden_variables_replays() {
    let text = "hidden byte h; byte x; active proctype A() { h = 1; x = 1; h = 1; x = 2; assert(x == 1) }";
    assert_eq!(fault(text), Some(Fault::Assertion));
    let text = "hidden byte h; bit x; active proctype A() { do :: h = 3; x = 1 - x od } ltl f { [] <> (x == 2) }";
    assert!(matches!(violation(text), Some(Violation::Cycle(_))));
}
