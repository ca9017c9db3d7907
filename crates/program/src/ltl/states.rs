//! The claim that a formula does not hold, as states of a process that only looks.

use super::automaton::Automaton;
use super::condition::{Condition, Conditions};
use super::simulation::is_accepting;
use super::term::Terms;
use super::{generalised, smallest};
use crate::data::{Action, State, Transition};
use crate::expression::{Binary, Expression, Unary};
use prequel_model::Temporal;

/// The states of a claim for the runs that a formula over expressions excludes; nothing if there are too many. All of its steps are
/// one statement.
pub fn claim_states(formula: &Temporal<Expression>, statement: u32) -> Option<Vec<State>> {
    let mut terms = Terms::default();
    let (atoms, numbered) = formula.numbered();
    let conditions = numbered.map(&mut |&atom| terms.conditions.atom(atom));
    let holds = terms.of(&conditions);
    let fails = terms.not(holds);
    let words = generalised(fails, &mut terms)?;
    let others = generalised(holds, &mut terms);
    let automaton = smallest(&words, others.as_ref(), &mut terms.conditions);
    let mut states: Vec<State> = (0..automaton.states.len())
        .map(|state| written(&automaton, state, &atoms, &mut terms.conditions, statement))
        .collect();
    if states.is_empty() {
        // It follows no run.
        states.push(State::default());
    }
    Some(states)
}

fn written(
    automaton: &Automaton,
    state: usize,
    atoms: &[&Expression],
    conditions: &mut Conditions,
    statement: u32,
) -> State {
    let transition = |element: usize, target: usize, when: Expression| Transition {
        action: Action::Condition(when),
        target: Some(target as u32),
        atomic: false,
        escape: 0,
        statement,
        element: element as u32,
        then: [].into(),
    };
    // What follows is excluded, whatever it is: there the claim ends.
    let end = automaton.accepts_all(state);
    let edges = automaton.states[state].iter().enumerate();
    let transitions =
        edges.map(|(number, edge)| transition(number, edge.to, expression(edge.when, atoms, conditions))).collect();
    State { transitions, end, accept: is_accepting(automaton, state), ..State::default() }
}

/// A condition as a disjunction of conjunctions of atoms.
fn expression(condition: Condition, atoms: &[&Expression], conditions: &mut Conditions) -> Expression {
    let join = |op: Binary, all: Vec<Expression>, neutral: i32| {
        all.into_iter().reduce(|a, b| Expression::binary(op, a, b)).unwrap_or(Expression::Number(neutral))
    };
    let literal = |(atom, holds): (u32, bool)| {
        let atom = atoms[atom as usize].clone();
        if holds { atom } else { Expression::unary(Unary::Not, atom) }
    };
    let cubes = conditions.cubes(condition).into_iter();
    let cases = cubes.map(|cube| join(Binary::And, cube.into_iter().map(literal).collect(), 1)).collect();
    join(Binary::Or, cases, 0)
}
