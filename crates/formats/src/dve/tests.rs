//! What is read of `.dve` files, and how errors are told.

use super::read;
use super::syntax::{Binary, ExpressionKind, Message, System};

fn system(text: &str) -> System {
    read("t.dve", text.as_bytes()).unwrap_or_else(|errors| panic!("{}", errors[0].render())).0
}

fn headlines(text: &str) -> Vec<String> {
    read("t.dve", text.as_bytes()).unwrap_err().iter().map(|error| error.headline()).collect()
}

#[test]
fn a_whole_system_is_read() {
    let text = "
const int N = 3; byte a[3] = {1, 2}, b; channel c, {byte, int} d[2];";
    assert!(read("t.dve", text.as_bytes()).is_err());
    let system = system(
        "const int N = 3;
        byte a[3] = {1, 2}, b;
        channel c; channel {byte, int} d[2];
        process p {
          int x = -1;
          state s, t; commit t; init s;
          assert s: x < 5;
          trans
            s -> t { guard b == 1 and not q.u, x imply a[x]; sync c!x + 1; effect a[x] = 2, x = x - 1; },
            -> s { sync d?{x, b}; }
            t -> s {};
        }
        process q { state u; init u; trans u -> u { sync c?; }; }
        system async;",
    );
    let [p, q] = &system.processes[..] else { panic!("two processes") };
    assert_eq!(system.globals.variables.len(), 3);
    assert_eq!(system.globals.variables[1].initial.len(), 2);
    assert_eq!(system.globals.channels[1].fields.as_ref().map(Vec::len), Some(2));
    assert_eq!((p.states.len(), p.committed.len(), p.assertions.len(), p.transitions.len()), (2, 1, 1, 3));
    assert_eq!(p.transitions[0].guards.len(), 2);
    assert_eq!(p.transitions[0].effects.len(), 2);
    assert_eq!(&*p.transitions[1].from.text, "s", "the state before is meant");
    assert!(matches!(&p.transitions[1].sync.as_ref().unwrap().message, Message::Receive(to) if to.len() == 2));
    assert!(matches!(&q.transitions[0].sync.as_ref().unwrap().message, Message::Receive(to) if to.is_empty()));
}

#[test]
fn operators_bind_as_in_c_and_implication_least() {
    let shape = |text: &str| {
        let text = format!("process p {{ state s; init s; trans s -> s {{ guard {text}; }}; }} system async;");
        (*system(&text).processes[0].transitions[0].guards[0].kind).clone()
    };
    assert!(matches!(shape("1 + 2 * 3 == 7"), ExpressionKind::Binary(Binary::Equal, ..)));
    assert!(matches!(shape("a or b and c"), ExpressionKind::Binary(Binary::Or, ..)));
    assert!(matches!(shape("not a or b"), ExpressionKind::Binary(Binary::Or, ..)));
    let ExpressionKind::Imply(_, right) = shape("a imply b imply c") else { panic!("an implication") };
    assert!(matches!(*right.kind, ExpressionKind::Imply(..)));
}

#[test]
fn every_faulty_process_is_told_of() {
    let found = headlines(
        "process p { state s; init s; trans s -> t { gurd 1; }; }
        process q { state s init s; }
        process r { state s; init s; }
        system sync;",
    );
    assert_eq!(
        found,
        [
            "t.dve:1:45: expected `guard`, `sync`, `effect` or `}`, found `gurd`",
            "t.dve:2:29: expected `,` or `;`, found `init`",
            "t.dve:4:16: systems whose processes all move at once are not read",
        ]
    );
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    let text = format!("process p {{ state s; init s; trans s -> s {{ guard {}1; }}; }}", "(".repeat(100_000));
    assert!(headlines(&text)[0].contains("nested more than"));
    let text = format!("process p {{ state s; init s; trans s -> s {{ guard {}1; }}; }}", "not ".repeat(100_000));
    assert!(headlines(&text)[0].contains("nested more than"));
}
