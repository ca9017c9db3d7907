//! Every parser on damaged input: never a panic, every error at its place, and what is accepted is understood.
//!
//! Inputs are made from valid ones by seeded damage, so a failure comes back. `make fuzz` tries more of them.

use crate::damage::damaged;
use crate::fuzz::{first_seed, number};
use prequel::engine::Engine;
use prequel::engine::algo::compare::{Verdict, compare};
use prequel::engine::algo::equivalence::Equivalence;
use prequel::engine::algo::explicit::explicit;
use prequel::engine::symbolic::{Method, Symbolic};
use prequel::evidence::certificate::{Certificate, CertifiedProof, check, check_changed};
use prequel::families::random_circuit::distance;
use prequel::formats::aut::Dialect;
use prequel::formats::diag::{Diagnostic, Severity};
use prequel::formats::picture::view::View;
use prequel::formats::supremica::{ACCEPTING, wdes, wmod};
use prequel::formats::witness::{SavedQuery, saved};
use prequel::formats::{aiger, aut, certificate, dve, exp, goal, monitor, path, pattern, smv, witness};
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use prequel::model::{
    Answer, Circuit, Component, Evidence, LabelId, Labels, Lts, Monitor, Network, Origin, Problem, Query, StateId,
    Trace, Transition,
};
use prequel::program::dve as dve_program;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How many inputs per parser; `make fuzz` raises it.
fn inputs() -> u64 {
    number("PREQUEL_FUZZ_NETWORKS", 3000)
}

/// Messages about a file as a whole, which have no place in it.
const WHOLE_FILE: [&str; 2] = ["the file is empty", "more errors"];

/// Whether findings are fit for people.
fn presentable(findings: &[Diagnostic], text: &[u8], name: &str) -> Result<(), String> {
    for d in findings {
        let fault = |what: &str| Err(format!("{what}: {d:?}"));
        if d.file.is_empty() || d.message.is_empty() || d.render().is_empty() {
            return fault("a finding without a file or a message");
        }
        match &d.place {
            None if d.severity == Severity::Error && !WHOLE_FILE.iter().any(|m| d.message.contains(m)) => {
                return fault("an error without a place");
            }
            Some(place) if d.file == name => {
                let lines = text.split(|&b| b == b'\n').count();
                if place.line == 0 || place.line > lines || place.span.end > place.text.len() {
                    return fault("a place outside of the text");
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// What a parser made of a text: errors, or what is wrong with what it accepted.
type Outcome = Result<Result<(), String>, Vec<Diagnostic>>;

/// Tries a parser on damaged texts; a failing one is kept in a file. Both accepted and refused texts must be common.
fn attack(name: &str, seeds: &[&[u8]], parse: impl Fn(&[u8]) -> Outcome) {
    let seeds: Vec<Vec<u8>> = seeds.iter().map(|s| s.to_vec()).collect();
    let (mut accepted, mut refused) = (0, 0);
    let mut attempt = |text: &[u8], what: String| {
        let outcome = catch_unwind(AssertUnwindSafe(|| match parse(text) {
            Ok(understood) => understood.map(|()| true),
            Err(errors) if errors.is_empty() => Err("refused without an error".to_owned()),
            Err(errors) => presentable(&errors, text, name).map(|()| false),
        }));
        let fault = match outcome {
            Ok(Ok(fine)) => {
                if fine {
                    accepted += 1
                } else {
                    refused += 1
                }
                return fine;
            }
            Ok(Err(fault)) => fault,
            Err(_) => "a panic".to_owned(),
        };
        let file = tempfile::Builder::new().prefix("prequel-input-").tempfile().unwrap();
        fs::write(file.path(), text).unwrap();
        let (_, path) = file.keep().unwrap();
        panic!("{name}, {what}: {fault}\nthe input is {}", path.display());
    };
    for (at, text) in seeds.iter().enumerate() {
        assert!(attempt(text, format!("undamaged {at}")), "{name}: undamaged input {at} is refused");
    }
    for seed in first_seed()..first_seed() + inputs() {
        let text = damaged(&mut Rng::new(seed), &seeds);
        attempt(&text, format!("seed {seed}"));
    }
    let total = inputs();
    assert!(
        accepted * 200 > total && refused * 10 > total,
        "{name}: {accepted} accepted, {refused} refused of {total}"
    );
}

/// Two components that share `go`; `hidden` is not seen.
fn network() -> Network {
    let mut labels = Labels::new();
    let [go, stop, back, hidden] = ["go", "stop", "G !1", "hidden"].map(|n| labels.intern(n));
    labels.show(hidden, LabelId::TAU);
    let t = Transition::new;
    let left = Lts::new(StateId(0), 3, vec![t(0, go, 1), t(1, stop, 2), t(1, hidden, 0), t(2, back, 0)]);
    let right = Lts::new(StateId(0), 2, vec![t(0, go, 1), t(1, LabelId::TAU, 0)]);
    Network::new(labels, vec![Component::new("left", left), Component::new("right", right)])
}

fn fits(holds: bool, what: impl Into<String>) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.into()) }
}

/// Whether two networks do the same, with labels compared by name.
fn behaves_as(left: &Network, right: &Network) -> bool {
    let mut labels = Labels::new();
    let mut product = |network: &Network| {
        let lts = explicit(network, |_, _| Ok(())).unwrap();
        lts.relabelled(|l| if l.is_tau() { l } else { labels.intern(network.labels().name(l)) })
    };
    let (left, right) = (product(left), product(right));
    compare(&left, &right, Equivalence::Strong, None).unwrap() == Verdict::Equivalent
}

#[test]
fn automata() {
    let seeds: [&[u8]; 4] = [
        b"des (0,3,3)\n(0,\"go\",1)\n(1,\"G !1 \\\"x\\\"\",2)\n(2,i,0)\n",
        b"des (1, 2, 2)\r\n(0, bare(label), 1)\r\n(1, tau, 0)\r\n",
        b"# comment\ndes(0,1,2)\n\n(0,\"a, b\",1)",
        b"des (0,0,1)\n",
    ];
    attack("m.aut", &seeds, |text| {
        let mut labels = Labels::new();
        let (lts, _) = aut::read("m.aut", text, &Dialect::default(), &mut labels)?;
        let mut out = Vec::new();
        prequel::formats::aut::write(&lts, |l| labels.name(l), &mut out).unwrap();
        let again = aut::read("m.aut", &out, &Dialect::default(), &mut labels);
        Ok(fits(again.is_ok_and(|(again, _)| again == lts), "it is another system after writing"))
    });
}

#[test]
fn networks() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.aut", "des (0,2,2)\n(0,\"go\",1)\n(1,\"G !1\",0)\n"), ("b.aut", "des (0,1,2)\n(0,go,1)\n")]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let seeds: [&[u8]; 6] = [
        b"\"a.aut\" |[go]| \"b.aut\"\n",
        b"label par\n   \"go\", \"G !1\" -> \"a.aut\"\n|| \"go\" -> \"b.aut\"\nend par\n",
        b"hide go in (\"a.aut\" ||| \"b.aut\") end hide",
        b"total rename \"G !1\" -> \"G !2\", go -> stop in \"a.aut\" || \"a.aut\" end rename (* comment *)",
        b"par go in \"a.aut\" || \"b.aut\" end par",
        b"par using go * _ -> one, _ * go -> two, go * go -> both in \"a.aut\" || \"b.aut\" end par",
    ];
    attack("n.exp", &seeds, |text| {
        let ((network, _), _) = exp::read("n.exp", text, folder.path(), &Dialect::default())?;
        let written = prequel::formats::exp::write(&network, "again");
        let Ok(files) = written else { return Ok(Ok(())) };
        let again = tempfile::tempdir().unwrap();
        for (path, text) in &files {
            let path = again.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let read = exp::read("again.exp", &files[0].1, again.path(), &Dialect::default());
        Ok(match read {
            Ok(((other, _), _)) => fits(behaves_as(&network, &other), "another network after writing"),
            Err(errors) => Err(format!("what was written is refused: {}", errors[0].render())),
        })
    });
}

#[test]
fn goals() {
    let (network, origin) = (network(), Origin::default());
    let seeds: [&[u8]; 4] =
        [b"left@0 & right@1", b"!(left@1 | 'right'@\"0\") && true", b"left@2||left@1", b"((((!!false))))"];
    attack("--reach", &seeds, |text| {
        let text = String::from_utf8_lossy(text);
        let goal = goal::read("--reach", &text, &network, &origin)?;
        let shown = goal::show(&goal, &network, &origin);
        let again = goal::read("--reach", &shown, &network, &origin)?;
        let everywhere = (0..3).flat_map(|l| (0..2).map(move |r| [StateId(l), StateId(r)]));
        let same = everywhere.into_iter().all(|s| goal.holds(&|c| s[c.at()]) == again.holds(&|c| s[c.at()]));
        Ok(fits(same, format!("shown as {shown}, which means something else")))
    });
}

#[test]
fn patterns() {
    let network = network();
    let seeds: [&[u8]; 7] = [
        b"never(go)",
        b"precedes(go, {stop, \"G !1\"})",
        b"mutex(go/stop, \"G !1\"/stop)",
        b"at-most(3, go, stop)",
        b"exactly(2, go, stop)",
        b"responds-within(go, {stop, go}, 4)",
        b"excluded(go, stop, \"G !1\")",
    ];
    attack("--pattern", &seeds, |text| {
        let text = String::from_utf8_lossy(text);
        let read = pattern::read(&text)?;
        let shown = read.to_string();
        if pattern::read(&shown).as_ref() != Ok(&read) {
            return Ok(Err(format!("shown as {shown}, which means something else")));
        }
        pattern::monitor(&text, &network)?;
        Ok(Ok(()))
    });
}

/// Whether a monitor is one of the network: over its labels, with places for what it names.
fn belongs(monitor: &Monitor, network: &Network) -> Result<(), String> {
    let seen = |l: &LabelId| !l.is_tau() && l.at() < network.labels().len() && !network.participants(*l).is_empty();
    fits(monitor.automaton.alphabet().iter().all(seen), "it is over labels that nobody takes part in")
}

#[test]
fn monitors() {
    let network = network();
    let seeds: [&[u8]; 3] = [
        b"des (0,3,2)\n(0,go,1)\n(1,accept,1)\n(0,i,0)\n",
        b"des (0,4,3)\n(0,\"G !1\",1)\n(0,*,0)\n(1,*,2)\n(2,accept,2)\n",
        b"des (0,2,2)\n(0,go,1)\n(0,stop,1)\n",
    ];
    attack("m.aut", &seeds, |text| {
        let (monitor, warnings) = monitor::monitor("m.aut", text, &Dialect::default(), &network)?;
        Ok(presentable(&warnings, text, "m.aut").and_then(|()| belongs(&monitor, &network)))
    });
}

#[test]
fn properties() {
    let network = network();
    let seeds: [&[u8]; 2] = [b"des (0,2,2)\n(0,go,1)\n(1,\"stop\",0)\n", b"des (0,1,1)\n(0,\"G !1\",0)\n"];
    attack("p.aut", &seeds, |text| {
        let (monitor, warnings) = monitor::property("p.aut", text, &Dialect::default(), &network)?;
        Ok(presentable(&warnings, text, "p.aut").and_then(|()| belongs(&monitor, &network)))
    });
}

/// Models with every construct of DVE.
const DVE: [&[u8]; 3] = [
    b"const int N = 2; byte a[N] = {1, 2}, b = 255; channel c; channel {byte, int} d[2];\n\
      process p { int x = -1; state s, t; commit t; init s; assert s: x < 5 or a[0] == 1;\n\
        trans s -> t { guard b == 1 and not q.u, x imply a[b % N]; sync c!x + 1; effect a[1] = 2, x = x - 1; },\n\
          -> s { sync d?{x, b}; } t -> s { guard q->y > 0; };\n\
      }\n\
      process q { byte y; state u; init u; accept u; trans u -> u { sync c?y; }, u -> u { sync d!{1, 2}; }; }\n\
      system async;",
    b"/* one */ byte x; // two\nprocess p { state a; init a; trans a -> a { effect x = (x << 1) | ~x & 3 ^ -x; }; } system async;",
    b"process p { state a; init a; } process l { state s; init s; trans s -> s {}; } system async property l;",
];

#[test]
fn dve_models() {
    attack("m.dve", &DVE, |text| {
        let (system, warnings) = dve::read("m.dve", text)?;
        let (stated, more) = dve_program::compile(&system, dve_program::View::Assertions)?;
        let (bare, _) = dve_program::compile(&system, dve_program::View::Bare)?;
        let alike = stated.proctypes.len() == bare.proctypes.len() && stated.globals == bare.globals;
        let told = [warnings, more].concat();
        Ok(presentable(&told, text, "m.dve").and_then(|()| fits(alike, "the views differ in more than assertions")))
    });
}

#[test]
fn dve_goals() {
    let (system, _) = dve::read("m.dve", DVE[0]).unwrap();
    let seeds: [&[u8]; 3] =
        [b"p.s and b == 255 imply q->y < 3", b"p@t | !q@u & a[b] != 2", b"((a[1] + N) * 2 >= p->x)"];
    attack("--reach", &seeds, |text| {
        let text = String::from_utf8_lossy(text);
        let goal = dve::read_goal("--reach", &text)?;
        let view = dve_program::View::Bare;
        dve_program::compile_with(&system, view, Some(("--reach", &text, &goal)))?;
        Ok(Ok(()))
    });
}

/// What is read must be written and read back as the same.
fn written_back(des: &prequel::model::Des) -> Result<(), String> {
    let mut text = Vec::new();
    prequel::formats::supremica::wdes::write(des, &mut text).unwrap();
    let Ok((again, _)) = wdes::read("again.wdes", &text, ACCEPTING) else { return fits(false, "it is not read back") };
    let sizes = |des: &prequel::model::Des| -> Vec<(usize, usize, usize)> {
        let size = |c: &Component| (c.lts.num_states(), c.lts.num_transitions(), c.alphabet().len());
        des.network.components().iter().map(size).collect()
    };
    // Names that XML cannot hold are replaced, and may then be the same.
    let plain = String::from_utf8_lossy(&text).chars().all(|c| c != '\u{fffd}');
    fits(!plain || sizes(des) == sizes(&again), "it is read back as something else")
}

#[test]
fn flat_automata() {
    let seed = br#"<ProductDES Name="m" xmlns="http://waters.sourceforge.net/xsd/des">
<EventList><Event Kind="PROPOSITION" Name=":accepting"/><Event Kind="CONTROLLABLE" Name="a[1]"/><Event Kind="UNCONTROLLABLE" Name="b"/></EventList>
<AutomataList><Automaton Kind="PLANT" Name="p"><EventRefList><EventRef Name=":accepting"/><EventRef Name="a[1]"/><EventRef Name="b"/></EventRefList>
<StateList><State Name="s" Initial="true"><EventRefList><EventRef Name=":accepting"/></EventRefList></State><State Name="t"/></StateList>
<TransitionList><Transition Source="s" Event="a[1]" Target="t"/><Transition Source="t" Event="b" Target="s"/></TransitionList></Automaton>
<Automaton Kind="PROPERTY" Name="q"><EventRefList><EventRef Name="b"/></EventRefList><StateList><State Name="x" Initial="true"/></StateList></Automaton></AutomataList>
</ProductDES>"#;
    attack("m.wdes", &[seed], |text| {
        let (des, warnings) = wdes::read("m.wdes", text, ACCEPTING)?;
        Ok(presentable(&warnings, text, "m.wdes").and_then(|()| written_back(&des)))
    });
}

#[test]
fn modules() {
    let seeds = [
        include_bytes!("cli/doc-supremica.in/tools.wmod").as_slice(),
        include_bytes!("cli/doc-supremica.in/counter.wmod"),
    ];
    attack("m.wmod", &seeds, |text| {
        let (des, warnings) = wmod::read("m.wmod", text, std::path::Path::new("no such folder"), ACCEPTING)?;
        Ok(presentable(&warnings, text, "m.wmod").and_then(|()| written_back(&des)))
    });
}

/// The file of a short path through the network.
fn witness_file(network: &Network, origin: &Origin) -> Vec<u8> {
    let (mut trace, mut state) = (Trace::default(), network.initial());
    for _ in 0..3 {
        let step = network.steps(&state).into_iter().next().unwrap();
        step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
        trace.steps.push(step);
    }
    let lines = vec![vec![]; trace.steps.len()];
    let view = View { network, origin, trace: &trace, lines: &lines, cycle: None, arrows: &[] };
    let query = SavedQuery { kind: "deadlock-free".into(), text: "--deadlock-free".into() };
    let mut text = Vec::new();
    prequel::formats::witness::write(&saved(&view, query, false), &mut text).unwrap();
    text
}

#[test]
fn witnesses() {
    let (network, origin) = (network(), Origin::default());
    let text = witness_file(&network, &origin);
    let compact = serde_json::to_vec(&serde_json::from_slice::<serde_json::Value>(&text).unwrap()).unwrap();
    attack("w.json", &[&text, &compact], |text| {
        let (read, warnings) = witness::read("w.json", text, &network, &origin)?;
        // Any path or none: replaying must say so, not panic.
        let _ = read.trace.replay(&network);
        Ok(presentable(&warnings, text, "w.json"))
    });
}

/// A certificate of which the set of states is damaged may be refused, or be another one that shows the same: never something wrong.
#[test]
fn certificates_with_invariants() {
    let network = network();
    let [stop, back] = ["stop", "G !1"].map(|name| network.labels().get(name).unwrap());
    let t = Transition::new;
    let twice = Lts::new(StateId(0), 3, vec![t(0, stop, 1), t(1, back, 0), t(1, stop, 2)]).with_marked([StateId(2)]);
    let automaton = Component::new("twice", twice);
    let problem = Problem { network, query: Query::Safety(Monitor { automaton }) };
    let answer = Symbolic::new(Method::Bdd).solve(&problem, &Run::new(Limits::default(), 0));
    let Answer::True(Evidence::Invariant(set)) = answer else { panic!("it never stops twice: {answer:?}") };
    let saved = Certificate::new(&problem, "", true, CertifiedProof::invariant(&problem.network, &set));
    let compact = saved.to_json();
    let value: serde_json::Value = serde_json::from_slice(&compact).unwrap();
    let pretty = serde_json::to_vec_pretty(&value).unwrap();
    assert!(check(&problem, &saved, 0_usize).is_ok());
    attack("c.json", &[&compact, &pretty], |text| {
        let (read, _) = certificate::read("c.json", text)?;
        let Ok(read) = Certificate::try_from(read) else { return Ok(fits(true, "it is no certificate")) };
        let shown = [check(&problem, &read, 100_usize), check_changed(&problem, &read, 100_usize)];
        let wrong = read.verdict == Some(false) && shown.iter().any(Result::is_ok);
        Ok(fits(!wrong, "a wrong verdict is shown"))
    });
}

#[test]
fn damage_is_done_and_comes_back() {
    let seeds = [b"des (0,1,2)\n(0,\"a\",1)\n".to_vec()];
    let texts: Vec<Vec<u8>> = (0..200).map(|seed| damaged(&mut Rng::new(seed), &seeds)).collect();
    let changed = texts.iter().filter(|t| **t != seeds[0]).count();
    assert!(changed > 180, "{changed}");
    assert!(texts.iter().enumerate().all(|(seed, t)| damaged(&mut Rng::new(seed as u64), &seeds) == *t));
}

/// Whether a circuit is as far from its bad states after it was written and read; looked at state by state where it is small.
fn survives(circuit: &Circuit, text: &[u8], again: Result<Circuit, Vec<Diagnostic>>) -> Result<(), String> {
    let again = again.map_err(|errors| format!("{}\n{}", errors[0].render(), String::from_utf8_lossy(text)))?;
    let small = circuit.bits <= 5 && again.bits <= 9;
    fits(!small || distance(circuit) == distance(&again), "another circuit after writing")
}

#[test]
fn smv_files() {
    let seeds: [&[u8]; 5] = [
        b"MODULE a\nvar x: bool;\ninit(x) := FALSE;\nnext(x) := !x xor y;\nMODULE b\nvar y: bool;\nnext(y) := x & y;\nSPEC G !(x & y)\n",
        b"MODULE main\nVAR c : m(TRUE, n); n : 0..5;\nASSIGN init(n) := 0; next(n) := case c.on & n < 5 : n + 1; TRUE : {0, n}; esac;\nMODULE m(p, q)\nVAR on : boolean;\nASSIGN next(on) := p & q mod 2 = 0;\n",
        b"MODULE main -- names\nVAR at : {idle, busy}; IVAR i : -2..1; DEFINE d := at = idle & i in -2..-1;\nTRANS next(at) = busy -> d INIT at = idle INVAR i != 0; INVARSPEC !(at = busy)",
        b"MODULE main FROZENVAR f : {1, 2, 5}; VAR x : 0..3; ASSIGN x := f / 2; INVARSPEC x <= 2 <-> (f = 5 ? TRUE : x * 2 > 0)",
        b"MODULE main VAR x : 1..3; INIT -x < -1 TRANS next(x) = x union x CTLSPEC NAME one := AG (x != 3 | FALSE);",
    ];
    attack("m.smv", &seeds[..4], |text| {
        let (circuit, _) = smv::read("m.smv", text)?;
        let mut out = Vec::new();
        prequel::formats::smv::write(&circuit, &mut out).unwrap();
        let again = smv::read("m.smv", &out).map(|(again, _)| again);
        Ok(survives(&circuit, &out, again))
    });
    let errors = smv::read("m.smv", seeds[4]).unwrap_err();
    assert_eq!(errors.len(), 1, "a union is no value: {errors:?}");
}

#[test]
fn aiger_files() {
    let seeds: [&[u8]; 4] = [
        b"aag 3 1 1 0 1 1\n2\n4 7\n4\n6 3 5\ni0 set\nl0 on\nb0 was set\nc\nanything\n",
        b"aag 5 1 2 0 2 1 1\n2\n4 5 4\n6 10\n8\n3\n8 4 6\n10 9 7\ni0 go\nl0 n[0]\nl1 n[1]\n",
        b"aig 3 1 1 0 1 1\n7\n4\n\x01\x02i0 set\n",
        b"aag 1 0 1 2 0\r\n2 3 1\r\n2\r\n3\r\n",
    ];
    attack("m.aag", &seeds, |text| {
        let (circuit, _) = aiger::read("m.aag", text)?;
        let mut out = Vec::new();
        prequel::formats::aiger::write(&circuit, prequel::formats::aiger::Form::Binary, &mut out).unwrap();
        let again = aiger::read("m.aig", &out).map(|(again, _)| again);
        Ok(survives(&circuit, &out, again))
    });
}

#[test]
fn goals_about_circuits() {
    let (circuit, _) = smv::read("m.smv", b"MODULE main VAR x : 0..5; at : {idle, busy}; b : boolean;").unwrap();
    let seeds: [&[u8]; 3] =
        [b"x + 1 >= 3 & at = busy", b"b -> at in {idle, busy} xor x = 2", b"(x mod 2 = 1) ? !b : x < 4"];
    attack("--reach", &seeds, |text| {
        let text = String::from_utf8_lossy(text);
        smv::read_goal(smv::Goal { option: "--reach", text: &text }, &mut circuit.clone())?;
        Ok(Ok(()))
    });
}

#[test]
fn saved_paths_and_invariants() {
    let (circuit, _) = smv::read("m.smv", b"MODULE main VAR x : 0..5; at : {idle, busy};").unwrap();
    let state = r#"{"x": "3", "at": "busy"}"#;
    let witness = format!(
        r#"{{"schema": 1, "kind": "circuit-witness", "query": "", "verdict": "false", "states": [{state}, {state}]}}"#
    );
    let invariant = r#"{"inputs": [["x", 0], ["at", 0]], "gates": [[2, 5]], "holds": 7}"#;
    let certificate = format!(
        r#"{{"schema": 1, "kind": "circuit-witness", "query": "", "verdict": "true", "invariant": {invariant}}}"#
    );
    for seed in first_seed()..first_seed() + inputs() {
        let text = damaged(&mut Rng::new(seed), &[witness.clone().into_bytes(), certificate.clone().into_bytes()]);
        let Ok(saved) = path::read("w.json", &text, path::PATH) else { continue };
        let _ = saved.states.map(|states| path::path("w.json", &states, &circuit));
        let _ = saved.invariant.map(|set| path::set("w.json", &set, &circuit));
    }
}
