//! What files mean, looked at state by state, and what is wrong with others.

use super::*;
use prequel_model::Bit;

/// The paper's counter of two cells, and what it claims of the second.
const COUNTER: &str = "
MODULE cell1
  var bit1: bool;
  var in1: bool;
  var out1: bool;
  init(bit1) := FALSE;
  init(in1) := TRUE;
  init(out1) := FALSE;
  next(bit1) := bit1 xor in1;
  next(out1) := bit1 & in1;
MODULE cell2
  var bit2: bool;
  var in2: bool;
  var out2: bool;
  init(bit2) := FALSE; init(in2) := FALSE; init(out2) := FALSE;
  next(in2) := out1;
  next(bit2) := bit2 xor in2;
  next(out2) := bit2 & in2;
  SPEC G !(out2 & bit2 & in2)
";

fn circuit(text: &str) -> Circuit {
    read("t.smv", text.as_bytes()).unwrap_or_else(|errors| panic!("{:#?}", headlines(&errors))).0
}

fn headlines(errors: &[Diagnostic]) -> Vec<String> {
    errors.iter().map(Diagnostic::headline).collect()
}

fn wrong(text: &str) -> Vec<String> {
    headlines(&read("t.smv", text.as_bytes()).unwrap_err())
}

/// All states that are reached, as people read them, in the order of a search; and whether a bad one is among them.
fn reached(circuit: &Circuit) -> (Vec<String>, bool) {
    let bits = circuit.bits as usize;
    assert!(bits <= 12, "too many for a search by hand");
    let states: Vec<Vec<bool>> = (0..1u32 << bits).map(|s| (0..bits).map(|at| s >> at & 1 == 1).collect()).collect();
    let holds = |f: Lit, now: &[bool], next: &[bool]| {
        let value = |input: u32| {
            let (bit, after) = Bit::of(input);
            (if after { next } else { now })[bit.0 as usize]
        };
        circuit.aig.values(&[f], value)[0]
    };
    let all = |f: fn(&prequel_model::Part) -> Lit, now: &[bool], next: &[bool]| {
        circuit.parts.iter().all(|part| holds(f(part), now, next))
    };
    let mut found: Vec<&Vec<bool>> = states.iter().filter(|s| all(|part| part.initial, s, s)).collect();
    let mut at = 0;
    while at < found.len() {
        let here = found[at];
        for next in &states {
            if !found.contains(&next) && all(|part| part.step, here, next) {
                found.push(next);
            }
        }
        at += 1;
    }
    let bad = found.iter().any(|s| holds(circuit.bad(), s, s));
    let shown = |state: &&Vec<bool>| {
        circuit.words.iter().map(|word| format!("{}={}", word.name, word.shown(state))).collect::<Vec<_>>().join(" ")
    };
    (found.iter().map(shown).collect(), bad)
}

#[test]
fn the_papers_counter_has_its_cells_as_components_and_keeps_what_it_claims() {
    let circuit = circuit(COUNTER);
    let names = |list: Vec<&str>| list.join(" ");
    assert_eq!(names(circuit.parts.iter().map(|part| &*part.name).collect()), "cell1 cell2");
    assert_eq!(names(circuit.words.iter().map(|w| &*w.name).collect()), "bit1 in1 out1 bit2 in2 out2");
    let (states, bad) = reached(&circuit);
    assert!(!bad && states.len() > 8, "{states:?}");
    let (goal, _) =
        read_with("t.smv", COUNTER.as_bytes(), Some(Goal { option: "--reach", text: "cell1.bit1 & out2" })).unwrap();
    assert!(reached(&goal).1);
}

#[test]
fn instances_with_parameters_are_components() {
    let (states, bad) = reached(&circuit(
        "MODULE main
         VAR a : cell(TRUE); b : cell(a.carry);
         INVARSPEC !(a.on & b.on)
         MODULE cell(carried)
         VAR on : boolean;
         ASSIGN init(on) := FALSE; next(on) := on xor carried;
         DEFINE carry := on & carried;",
    ));
    let expected = ["a.on=false b.on=false", "a.on=true b.on=false", "a.on=false b.on=true", "a.on=true b.on=true"];
    assert_eq!((states, bad), (expected.map(String::from).to_vec(), true));
}

#[test]
fn ranges_names_sets_and_cases_are_what_they_are_in_nusmv() {
    let (states, bad) = reached(&circuit(
        "MODULE main
         VAR n : 1..3; at : {idle, busy};
         ASSIGN
           init(n) := 1;
           next(n) := case n < 3 & at = busy : n + 1; TRUE : n; esac;
           init(at) := idle;
           next(at) := at = idle ? {idle, busy} : busy;
         INVARSPEC at in {idle, busy} & n in 1..3 & (n = 3 -> at = busy)",
    ));
    let expected = ["n=1 at=idle", "n=1 at=busy", "n=2 at=busy", "n=3 at=busy"];
    assert_eq!((states, bad), (expected.map(String::from).to_vec(), false));
    // Three of four codes, a hole in the middle, inputs, frozen variables, and conditions on all states.
    let (states, _) = reached(&circuit(
        "MODULE main
         VAR x : {1, 2, 5}; IVAR i : boolean; FROZENVAR f : 0..2;
         ASSIGN init(x) := 5; next(x) := i ? 1 : 2;
         INIT f > 0 INVAR f != 2;",
    ));
    assert_eq!(states.len(), 6, "{states:?}");
    assert!(states.iter().all(|s| s.contains("f=1")), "{states:?}");
    let (states, _) =
        reached(&circuit("MODULE main VAR x : 0..4; TRANS next(x) in {x, x + 2} & next(x) mod 2 = x mod 2 INIT x = 0"));
    assert_eq!(states, ["x=0", "x=2", "x=4"]);
    // What is always assigned follows at once.
    let (states, _) = reached(&circuit(
        "MODULE main VAR x : 0..3; y : 0..6; ASSIGN init(x) := {0, 1}; next(x) := 3 - x; y := 2 * x;",
    ));
    assert_eq!(states, ["x=0 y=0", "x=1 y=2", "x=3 y=6", "x=2 y=4"]);
}

#[test]
fn what_is_undefined_or_misspelt_is_told_with_what_may_be_meant() {
    let errors =
        read("t.smv", b"MODULE main\nVAR count : 0..3;\nASSIGN next(count) := cuont;\nINIT zz = 1").unwrap_err();
    assert_eq!(headlines(&errors), ["t.smv:3:23: there is no `cuont`", "t.smv:4:6: there is no `zz`"]);
    assert_eq!(errors[0].help.as_deref(), Some("did you mean `count`?"));
    assert_eq!(wrong("MODULE main VAR a : b(1);"), ["t.smv:1:21: there is no module `b`"]);
    let minus = read("t.smv", b"MODULE main VAR x : 0..3; INIT x-1 = 0").unwrap_err();
    assert!(minus[0].help.as_deref().unwrap().contains("put blanks around it"), "{minus:?}");
}

#[test]
fn circles_of_definitions_are_found() {
    assert_eq!(
        wrong("MODULE main\nDEFINE a := b;\n b := !c; c := a;\nINIT a"),
        ["t.smv:3:11: a circle of definitions: a needs b needs c needs a"]
    );
    assert_eq!(wrong("MODULE main DEFINE a := !a;"), ["t.smv:1:20: a circle of definitions: a needs a"]);
    let chain: String = (1..20_000).rev().map(|n| format!("d{n} := !d{};\n", n - 1)).collect();
    let (_, bad) =
        reached(&circuit(&format!("MODULE main VAR x : boolean; INVARSPEC d19999 -> d19999 DEFINE\n{chain} d0 := x;")));
    assert!(!bad);
}

#[test]
fn what_does_not_fit_is_found_just_where_it_can_happen() {
    let over = "MODULE main\nVAR x : 0..7;\nASSIGN init(x) := 0;\n next(x) := x + 1;";
    let errors = read("t.smv", over.as_bytes()).unwrap_err();
    assert_eq!(headlines(&errors), ["t.smv:4:13: a value that does not fit: `x` is one of 0..7"]);
    assert_eq!(errors[0].help.as_deref(), Some("this is so with x = 7"));
    circuit("MODULE main VAR x : 0..7; ASSIGN next(x) := x < 7 ? x + 1 : 0;");
    circuit("MODULE main VAR x : 0..6; ASSIGN next(x) := (x + 1) mod 7;");
    circuit("MODULE main VAR x : 1..6; y : 0..6; ASSIGN y := 6 / x;");
    assert_eq!(wrong("MODULE main VAR x : 0..6; y : 0..6; INIT y = 6 / x").len(), 1);
    let nothing = wrong("MODULE main VAR x : 0..6; b : boolean; ASSIGN next(b) := case x < 3 : b; x > 3 : !b; esac;");
    assert_eq!(nothing, ["t.smv:1:58: there can be a case for which nothing is said here"]);
    circuit("MODULE main VAR x : 0..6; b : boolean; ASSIGN next(b) := case x < 3 : b; x >= 3 : !b; esac;");
    let names = wrong("MODULE main VAR a : {p, q}; b : {q, r}; ASSIGN next(a) := b;");
    assert_eq!(names, ["t.smv:1:59: a value that does not fit: `a` is one of p, q"]);
}

#[test]
fn each_variable_is_assigned_once_and_by_its_own_component() {
    assert_eq!(
        wrong("MODULE a\nVAR x : boolean;\nMODULE b\nASSIGN next(x) := TRUE;"),
        ["t.smv:4:13: `x` belongs to `a`, and is assigned by another component"]
    );
    assert_eq!(
        wrong("MODULE a VAR x : boolean; ASSIGN next(x) := TRUE; next(x) := FALSE; x := TRUE;"),
        ["t.smv:1:56: a second assignment to `x`", "t.smv:1:69: a second assignment to `x`"]
    );
    assert_eq!(wrong("MODULE a IVAR i : boolean; ASSIGN next(i) := TRUE;").len(), 1);
    assert_eq!(wrong("MODULE main VAR c : m(x); x : boolean; MODULE m(p) ASSIGN init(p) := TRUE;").len(), 1);
}

#[test]
fn kinds_of_values_do_not_mix() {
    assert_eq!(
        wrong("MODULE a VAR x : 0..3; b : boolean; INIT x & b"),
        ["t.smv:1:42: a truth value is needed here, and this is a number"]
    );
    assert_eq!(
        wrong("MODULE a VAR b : boolean; ASSIGN init(b) := 0;"),
        ["t.smv:1:45: `b` is a truth value, and this is a number"]
    );
    assert_eq!(wrong("MODULE a VAR x : 0..3; INIT x = TRUE").len(), 1);
    assert_eq!(wrong("MODULE a VAR x : {p, q}; y : {r}; INIT x = r").len(), 1);
    assert_eq!(wrong("MODULE a VAR x : boolean; INIT next(x)").len(), 1);
    assert_eq!(wrong("MODULE a VAR x : boolean; TRANS next(next(x))").len(), 1);
    assert_eq!(wrong("MODULE a VAR x : 0..3; INIT {1, 2} = x").len(), 1);
}

#[test]
fn what_is_not_read_is_refused_by_name_and_reading_goes_on() {
    let errors = wrong(
        "MODULE a\nFAIRNESS x\nVAR x : array 0..1 of boolean;\nVAR y : boolean\nSPEC EF x\nSPEC AG x & y\nSPEC AG EF x\nINIT zz",
    );
    assert_eq!(errors.len(), 6, "{errors:#?}");
    assert!(errors[0].contains("fairness") && errors[1].contains("arrays"), "{errors:#?}");
    assert_eq!(errors[2], "t.smv:5:1: expected `;`, found `SPEC`");
    assert_eq!(wrong(""), ["t.smv:1:1: there is no module in this file"]);
    assert_eq!(wrong(&format!("MODULE a INIT {}", "(".repeat(100_000))).len(), 1);
    assert_eq!(wrong("MODULE main VAR c : m; MODULE m VAR d : main;").len(), 1);
}

#[test]
fn goals_are_over_the_words_of_any_circuit() {
    let mut plain = Circuit::default();
    let word = plain.word("count[0]", prequel_model::Kind::Truth);
    let goal = |text| read_goal(Goal { option: "--reach", text }, &mut plain.clone()).map_err(|e| headlines(&e));
    assert!(goal("\"count[0]\"").is_ok());
    assert_eq!(goal("count").unwrap_err(), ["--reach:1:1: there is no `count`"]);
    let lit = read_goal(Goal { option: "--reach", text: "!\"count[0]\"" }, &mut plain).unwrap();
    assert_eq!(lit, !plain.aig.input(word.bits[0].now()));
}
