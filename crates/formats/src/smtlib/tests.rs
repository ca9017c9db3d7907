use super::*;
use prequel_model::{
    Aig, Bit, Circuit, Component, ComponentId, Goal, Kind, Labels, LocationSet, Lts, Network, Part, Problem, Query,
    StateId, Transition,
};

/// A toggle that goes there and back, and a follower that is never asked to move; its name would end a comment.
fn problem() -> Problem {
    let mut labels = Labels::new();
    let (there, never) = (labels.intern("there"), labels.intern("never"));
    let toggle = Lts::new(StateId(0), 2, vec![Transition::new(0, there, 1), Transition::new(1, there, 0)]);
    let follower = Lts::new(StateId(0), 3, vec![Transition::new(0, never, 2)]);
    let components =
        vec![Component::with_alphabet("toggle", toggle, [never]), Component::new("follower\n(check-sat)", follower)];
    let goal = Goal::In(ComponentId(1), vec![StateId(2)]);
    Problem { network: Network::new(labels, components), query: Query::Reach(goal) }
}

/// That the follower is in state 0.
fn set() -> LocationSet {
    let mut aig = Aig::default();
    let bits: Vec<_> = (0..2).map(|bit| !aig.input(Bit(bit).now())).collect();
    let holds = aig.all(bits);
    LocationSet { bits: vec![(ComponentId(1), 0), (ComponentId(1), 1)], aig, holds }
}

#[test]
fn a_network_is_written_as_three_questions() {
    let text = String::from_utf8(network(&problem(), "--reach 'x'", &set()).unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.iter().filter(|line| **line == "(check-sat)").count(), 3, "{text}");
    for line in [
        "; The question was: --reach 'x'",
        "; c1 is follower\\n(check-sat), with states 0 to 2, at first 0",
        "(define-fun c1=2 () Bool (and (not c1.0) c1.1))",
        "(define-fun c1+=2 () Bool (and (not c1+.0) c1+.1))",
        "(define-fun places () Bool (or c1=0 c1=1 c1=2))",
        "; a=0 is `never`",
        // The toggle has no transition with that label, so nobody can move.
        "(define-fun step () Bool (and (and a=0 false (and c1=0 c1+=2)) (or (and (= c1.0 c1+.0) (= c1.1 c1+.1)) a=0)))",
        "(define-fun looked-for () Bool c1=2)",
        "(define-fun first () Bool c1=0)",
    ] {
        assert!(lines.contains(&line), "`{line}` is not in\n{text}");
    }
    assert!(!text.contains("c0+"), "the set says nothing about the toggle\n{text}");
    balanced(&text);
}

#[test]
fn a_circuit_is_written_as_three_questions() {
    // One bit that stays false.
    let mut circuit = Circuit::default();
    let bit = circuit.word("x", Kind::Truth).bits[0];
    let (now, next) = (circuit.aig.input(bit.now()), circuit.aig.input(bit.next()));
    let step = circuit.aig.equal(now, next);
    circuit.parts.push(Part { name: "x".into(), initial: !now, step });
    circuit.bad = Some(now);
    let text = String::from_utf8(super::circuit(&circuit, "what the file states", (&circuit.aig, !now))).unwrap();
    for line in
        ["; x: v0, the lowest bit first", "(define-fun first () Bool (not v0))", "(define-fun set+ () Bool (not v0+))"]
    {
        assert!(text.lines().any(|l| l == line), "`{line}` is not in\n{text}");
    }
    balanced(&text);
}

/// Whether parentheses match, outside of comments.
fn balanced(text: &str) {
    let code = text.lines().filter(|line| !line.starts_with(';')).flat_map(str::chars);
    let depth = code.fold(0i64, |depth, c| {
        let depth = depth + i64::from(c == '(') - i64::from(c == ')');
        assert!(depth >= 0, "{text}");
        depth
    });
    assert_eq!(depth, 0, "{text}");
}
