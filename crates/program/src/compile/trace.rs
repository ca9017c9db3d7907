//! The automaton of a `trace`.

use crate::data::{Action, Event, Proctype, Trace, TraceState};
use crate::expression::Expression;

/// Makes a trace of an automaton whose conditions are the numbers of events.
pub fn make(negated: bool, automaton: Proctype, events: &[Event], cell: u32, statement: u32) -> Trace {
    let is_end = |state: &crate::data::State| state.transitions.iter().any(|t| t.action == Action::End);
    let mut states: Vec<TraceState> = Vec::new();
    let mut end = automaton.states.len();
    for (number, state) in automaton.states.iter().enumerate() {
        if is_end(state) {
            end = number;
        }
        let events = state.transitions.iter().filter_map(|transition| match (&transition.action, transition.target) {
            (Action::Condition(Expression::Number(event)), Some(to)) => {
                Some((events.get(*event as usize)?.clone(), to))
            }
            _ => None,
        });
        states.push(TraceState { events: events.collect(), end: state.end });
    }
    if end == states.len() {
        // It has no end, but a `notrace` that was not matched goes there.
        states.push(TraceState { events: Vec::new(), end: true });
    }
    Trace { negated, cell, states, end: end as u32, statement }
}
