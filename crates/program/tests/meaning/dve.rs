//! What each construct of DVE means, by the states that are reached and by what is found.

use prequel_engine::otf::program::{Outcome, verify};
use prequel_engine::otf::{Otf, Search};
use prequel_formats::dve;
use prequel_model::run::{Limits, Run};
use prequel_program::components::{Limits as Sizes, components};
use prequel_program::dve::{View, compile, compile_with, with_property};
use prequel_program::{Fault, Program, Sought, Violation, replay, replay_steps};

fn program(text: &str, view: View) -> Program {
    let (system, _) = dve::read("m.dve", text.as_bytes()).unwrap_or_else(|errors| panic!("{}", errors[0].render()));
    compile(&system, view).unwrap_or_else(|errors| panic!("{}", errors[0].render())).0
}

fn search(program: &Program, sought: Sought<'_>) -> (Outcome, u64) {
    let run = Run::new(Limits::default(), 0);
    let outcome = verify(program, sought, Otf::plain(Search::Breadth), &run);
    (outcome, run.effort().states_peak)
}

/// The states of a model, which must be those of its network too.
fn states(text: &str) -> u64 {
    let program = program(text, View::Bare);
    let (outcome, states) = search(&program, Sought::Nothing);
    assert!(matches!(outcome, Outcome::Explored(_)), "{outcome:?}");
    let split = components(&program, Sizes::default()).unwrap_or_else(|why| panic!("{}", why[0].render()));
    let product = prequel_engine::algo::explicit::explicit(&split.network, |_, _| Ok(())).expect("no limit");
    assert_eq!(product.num_states() as u64, states, "the network has other states");
    states
}

/// Whether a goal is reached; the run to it is done again.
fn reaches(text: &str, goal: &str) -> bool {
    let (system, _) = dve::read("m.dve", text.as_bytes()).expect("a model");
    let asked = dve::read_goal("--reach", goal).unwrap_or_else(|errors| panic!("{}", errors[0].render()));
    let compiled = compile_with(&system, View::Bare, Some(("--reach", goal, &asked)));
    let ((program, goal), _) = compiled.unwrap_or_else(|errors| panic!("{}", errors[0].render()));
    let goal = goal.expect("a goal");
    match search(&program, Sought::Goal(&goal)).0 {
        Outcome::Reached(steps) => {
            assert_eq!(replay_steps(&program, &steps, Some(&goal)), Ok(()));
            true
        }
        Outcome::Holds => false,
        other => panic!("{other:?}"),
    }
}

fn headlines(text: &str) -> Vec<String> {
    let (system, _) = dve::read("m.dve", text.as_bytes()).expect("it can be read");
    let errors = compile(&system, View::Bare).expect_err("it means nothing");
    errors.iter().map(|error| error.headline()).collect()
}

#[test]
fn effects_follow_each_other_and_guards_come_before() {
    let text = "byte x = 1, y; process p { state a, b; init a;
        trans a -> b { guard x == 1, y == 0; effect x = x + 1, y = x * 2; }; } system async;";
    assert_eq!(states(text), 2);
    assert!(reaches(text, "x == 2 && y == 4 && p.b"));
    assert!(!reaches(text, "p@b and y == 2"));
}

#[test]
fn values_wrap_in_bytes_and_ints() {
    let text = "byte x; int y = 32767; process p { state a, b; init a;
        trans a -> b { effect x = x - 1, y = y + 1; }; } system async;";
    assert!(reaches(text, "x == 255 and y == -32768"));
}

#[test]
fn both_guards_of_a_rendezvous_see_the_state_before_and_the_sender_acts_last() {
    let text = "byte x; channel c;
        process s { state a, b; init a; trans a -> b { guard x == 0; sync c!7; effect x = x + 1; }; }
        process r { byte got; state a, b; init a; trans a -> b { guard x == 0; sync c?got; effect x = 10; }; }
        system async;";
    let program = program(text, View::Bare);
    assert_eq!(search(&program, Sought::Nothing).1, 2);
    assert!(reaches(text, "x == 11 and r->got == 7 and s.b and r.b"), "the receiver's effect comes first");
    let why = components(&program, Sizes::default()).expect_err("the order of effects matters");
    assert!(why[0].headline().contains("sets `x`, and an effect of the sender reads it"), "{why:?}");
}

#[test]
fn a_guard_may_look_at_the_state_of_the_sender() {
    let text = "channel c;
        process s { state a, b; init a; trans a -> b { sync c!; }; }
        process r { state a, b; init a; trans a -> b { guard s.a; sync c?; }; } system async;";
    assert!(reaches(text, "r.b"));
    let text = text.replace("guard s.a", "guard s.b");
    assert!(!reaches(&text, "r.b"));
}

#[test]
fn what_the_sender_sets_wins() {
    let text = "byte x, y; channel c;
        process s { state a, b; init a; trans a -> b { sync c!x + 1; effect y = 1; }, b -> a { effect x = 1; }; }
        process r { byte v; state a, b; init a; trans a -> b { sync c?v; effect y = 2; }, b -> a { effect y = v; }; }
        system async;";
    assert!(reaches(text, "r.b and y == 1"));
    assert!(!reaches(text, "r.b and s.b and y == 2 and r->v == 1 and x == 0"));
    states(text);
}

#[test]
fn a_buffer_keeps_messages_in_order() {
    let text = "channel {byte, int} c[2]; byte sum;
        process s { state a, b, d; init a; trans a -> b { sync c!{1, -5}; }, b -> d { sync c!{2, 300}; },
          d -> d { guard 0; }; }
        process r { byte x; int y; state a; init a; trans a -> a { sync c?{x, y}; effect sum = sum + x; }; }
        system async;";
    assert!(reaches(text, "r->x == 1 and r->y == -5 and s.d"));
    assert!(reaches(text, "r->x == 2 and r->y == 300 and sum == 3"));
    assert!(!reaches(text, "r->x == 2 and sum == 2"));
    states(text);
}

#[test]
fn arrays_have_elements_and_an_index_outside_is_an_error() {
    let text = "const byte N = 2; byte a[N + 1] = {3, 4}, i; process p { byte l[2] = {1, 1}; state s; init s;
        trans s -> s { guard i < 3; effect a[i] = a[i] + l[0], i = i + 1; }; } system async;";
    assert_eq!(states(text), 4);
    assert!(reaches(text, "a[0] == 4 and a[1] == 5 and a[2] == 1 and a == 4"));
    let program = program(&text.replace("i < 3", "i < 4"), View::Assertions);
    let Outcome::Violated(witness) = search(&program, Sought::Violation).0 else { panic!("index 3 is outside") };
    assert!(matches!(witness.violation, Violation::Fault { fault: Fault::Index, .. }));
    assert_eq!(replay(&program, &witness), Ok(()));
}

#[test]
fn a_guard_that_cannot_be_computed_is_an_error_before_any_effect() {
    let text = "byte a[2], x; process p { state q, r; init q;
        trans q -> r { effect x = 1; }, r -> q { guard a[7] != 255 && x == 1; effect x = 0; }; } system async;";
    let program = program(text, View::Assertions);
    let Outcome::Violated(witness) = search(&program, Sought::Violation).0 else { panic!("index 7 is outside") };
    assert!(matches!(witness.violation, Violation::Fault { fault: Fault::Index, .. }));
    assert_eq!(replay(&program, &witness), Ok(()));
}

#[test]
fn while_somebody_is_committed_only_committed_processes_move_and_meet() {
    let free = "process q { state a, b; init a; trans a -> b {}; } ";
    let text = format!(
        "process p {{ state a, b, c; init a; commit b; trans a -> b {{}}, b -> c {{}}; }} {free} system async;"
    );
    // From b,a only p moves, and b,b is reached by q moving first.
    assert_eq!(states(&text), 6);
    assert_eq!(
        states(&text.replace("b -> c {}", "b -> c { guard 0; }")),
        4,
        "a committed process that is stuck stops all"
    );
    let meet = "channel c; process p { state a, b; init a; commit a; trans a -> b { sync c!; }; }
        process q { state a, b; init a; COMMIT trans a -> b { sync c?; }; }
        process r { state a, b; init a; trans a -> b {}; } system async;";
    assert_eq!(states(&meet.replace("COMMIT", "")), 1, "a committed process does not meet another");
    assert!(reaches(&meet.replace("COMMIT", "commit a;"), "p.b and q.b"));
    let other = meet.replace("commit a;", "").replace("COMMIT", "commit a;");
    assert_eq!(states(&other), 1, "whoever sends or receives");
    assert_eq!(states(&meet.replace("commit a;", "").replace("COMMIT", "")), 4);
}

#[test]
fn implication_binds_least_and_words_are_operators() {
    let one = |guard: &str| {
        let text =
            format!("byte x = 2; process p {{ state a, b; init a; trans a -> b {{ guard {guard}; }}; }} system async;");
        states(&text) == 2
    };
    assert!(one("x == 1 imply x == 5") && one("x == 2 imply x < 3") && !one("x == 2 imply x == 5"));
    assert!(one("false imply false imply false") && !one("(false imply false) imply false"));
    assert!(one("not x == 1") == one("(not x) == 1"), "`not` binds tightly");
    assert!(one("x == 1 or x == 2 and true") && one("(x & 2) != 0 and (x ^ 3) == 1 and x << 1 == 4 and x % 2 == 0"));
}

#[test]
fn an_assertion_holds_whenever_its_process_is_there() {
    let text = "byte x; process p { state a, b; init a; assert b: x < 2; trans a -> b {}, b -> a {}; }
        process q { state s; init s; trans s -> s { guard x < 2; effect x = x + 1; }; } system async;";
    let stated = program(text, View::Assertions);
    let Outcome::Violated(witness) = search(&stated, Sought::Violation).0 else { panic!("x becomes 2") };
    assert!(matches!(witness.violation, Violation::Fault { fault: Fault::Assertion, .. }));
    assert_eq!(replay(&stated, &witness), Ok(()));
    let holds = program(&text.replace("x < 2; trans", "x < 3; trans"), View::Assertions);
    assert_eq!(search(&holds, Sought::Violation).0, Outcome::Holds);
    assert_eq!(search(&stated, Sought::Nothing).1, search(&program(text, View::Bare), Sought::Nothing).1);
}

#[test]
fn a_deadlock_is_one_in_the_bare_system_alone() {
    let text = "process p { state a, b; init a; trans a -> b {}; } system async;";
    assert!(matches!(search(&program(text, View::Bare), Sought::EndState).0, Outcome::Violated(_)));
    assert_eq!(search(&program(text, View::Assertions), Sought::Violation).0, Outcome::Holds);
}

#[test]
fn a_property_process_is_no_part_of_the_system() {
    let text = "process p { state a; init a; commit a; } process LTL { state s; init s; accept s; trans s -> s {}; }
        system async property LTL;";
    let (system, _) = dve::read("m.dve", text.as_bytes()).expect("a model");
    let (program, warnings) = compile(&system, View::Bare).expect("a program");
    assert_eq!((program.proctypes.len(), program.claim, warnings.len()), (1, None, 0));
}

/// Whether nothing that a property process accepts is found; what is found is done again.
fn obeys(system: &str, property: &str) -> bool {
    let text = format!("{system} process LTL {{ {property} }} system async property LTL;");
    let (system, _) = dve::read("m.dve", text.as_bytes()).unwrap_or_else(|errors| panic!("{}", errors[0].render()));
    let (program, _) = with_property(&system).unwrap_or_else(|errors| panic!("{}", errors[0].render()));
    match search(&program, Sought::Violation).0 {
        Outcome::Holds => true,
        Outcome::Violated(witness) => {
            assert_eq!(replay(&program, &witness), Ok(()), "{witness:#?}");
            false
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_property_process_moves_with_every_step_and_looks_before_it() {
    let ends = "byte x; process p { state a, b; init a; trans a -> b { effect x = 1; }; }";
    let any = "state s; init s; accept s; trans s -> s {};";
    assert!(obeys(ends, any), "a run that ends is none");
    let turns = "byte x; process p { state a; init a; trans a -> a { guard x < 200; effect x = 1 - x; }; }";
    assert!(!obeys(turns, any));
    let alternates = "state s, t; init s; accept t; trans s -> t { guard x == 0; }, t -> s { guard x == 1; };";
    assert!(!obeys(turns, alternates), "it looks at the state before the step, from the first one on");
    assert!(obeys(turns, &alternates.replace("x == 0", "x == 2")));
    let committed = "process p { state a; init a; commit a; trans a -> a {}; }";
    assert!(!obeys(committed, any), "who is committed does not stop it");
    let counts = "byte n; state s, t; init s; accept t;
        trans s -> s { guard n < 3; effect n = n + 1; }, s -> t { guard n == 3; }, t -> t {};";
    assert!(!obeys(turns, counts), "it has variables of its own");
}

#[test]
fn a_property_process_only_looks() {
    let told = |property: &str| {
        let text = format!(
            "byte x; channel c; process p {{ state a; init a; trans a -> a {{}}; }} process LTL {{ state s; init s; {property} }}
             system async property LTL;"
        );
        let (system, _) = dve::read("m.dve", text.as_bytes()).expect("it can be read");
        with_property(&system).expect_err("it does more")[0].headline()
    };
    assert!(told("trans s -> s { effect x = 1; };").ends_with("a property process changes nothing of the system"));
    assert!(told("trans s -> s { sync c!; };").ends_with("a property process sends and receives nothing"));
    assert!(told("assert s: x == 0;").ends_with("a property process has no assertions"));
    assert!(told("accept t;").ends_with("there is no state `t`"));
    assert!(told("trans s -> s { guard LTL.s; };").ends_with("there is no process `LTL`"));
}

#[test]
fn every_name_without_a_meaning_is_told() {
    let found = headlines(
        "byte count; channel c; channel d[1];
        process p { byte v; state a, b; init z; commit y; trans
          a -> q { guard cout == 1; sync e!; effect w = 1; },
          a -> b { guard p.nowhere or r.a or p->u; sync c!1; effect v[0] = 2; },
          b -> a { sync c!; }; }
        system async;",
    );
    let all = found.join("\n");
    for part in [
        "m.dve:1:32: a channel that holds messages needs the types",
        "m.dve:2:46: there is no state `z`",
        "m.dve:2:56: there is no state `y`",
        "m.dve:3:16: there is no state `q`",
        "there is no variable `cout`",
        "there is no channel `e`",
        "there is no variable `w`",
        "there is no state `nowhere`",
        "there is no process `r`",
        "that process has no variable `u`",
        "`v` is no array",
        "`c` takes 1 value, and this sends 0",
    ] {
        assert!(all.contains(part), "{part} is not in\n{all}");
    }
}

#[test]
fn a_state_that_is_listed_twice_is_an_error() {
    let text = |states: &str| {
        format!("process P {{ state {states}; init a; trans a -> b {{}}, b -> c {{}}, c -> b {{}}; }} system async;")
    };
    let told = "m.dve:1:28: there are two states `b`";
    assert_eq!(headlines(&text("a, b, c, b")), [told]);
    assert_eq!(headlines(&text("a, b, c, a")), ["m.dve:1:28: there are two states `a`"]);
    assert_eq!(headlines(&text("c, c, b, a, c")).len(), 2);
}
