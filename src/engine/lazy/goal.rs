//! Partial states (Definition 8): which components are mentioned, and where they must be.

use super::solve::System;
use crate::engine::Refusal;
use crate::model::{ComponentId, Goal, StateId};

/// Partial states that a goal may come to.
const MOST: usize = 4096;

/// Components in ascending order, each with the states it may be in; all others are anywhere.
pub type PartialState = Vec<(ComponentId, Vec<StateId>)>;

/// The partial states of which one must be reached.
pub fn partial_states(goal: &Goal, system: &System<'_>) -> Result<Vec<PartialState>, Refusal> {
    dnf(goal, true, system)
}

/// The goal, or what it denies, as a choice of partial states.
fn dnf(goal: &Goal, positive: bool, system: &System<'_>) -> Result<Vec<PartialState>, Refusal> {
    match (goal, positive) {
        (Goal::In(c, states), _) => {
            let all = system.component(*c).lts.states();
            let states: Vec<StateId> = all.filter(|s| states.binary_search(s).is_ok() == positive).collect();
            Ok(if states.is_empty() { Vec::new() } else { vec![vec![(*c, states)]] })
        }
        (Goal::Not(goal), _) => dnf(goal, !positive, system),
        (Goal::Or(goals), true) | (Goal::And(goals), false) => {
            let mut any = Vec::new();
            for goal in goals {
                any.extend(dnf(goal, positive, system)?);
                bounded(any.len())?;
            }
            Ok(any)
        }
        (Goal::And(goals), true) | (Goal::Or(goals), false) => conjunction(goals, positive, system),
    }
}

fn conjunction(goals: &[Goal], positive: bool, system: &System<'_>) -> Result<Vec<PartialState>, Refusal> {
    let mut choices = Vec::with_capacity(goals.len());
    for goal in goals {
        let states = dnf(goal, positive, system)?;
        if states.is_empty() {
            return Ok(Vec::new());
        }
        choices.push(states);
    }
    // Conditions without a choice come together at once: there may be one for each of very many components.
    let (single, several): (Vec<_>, Vec<_>) = choices.into_iter().partition(|states| states.len() == 1);
    let single = single.into_iter().flatten().flatten().collect();
    let mut all: Vec<PartialState> = met(single).into_iter().collect();
    for states in several {
        bounded(all.len().saturating_mul(states.len()))?;
        let both = |one: &PartialState| {
            let one = one.clone();
            states.iter().filter_map(move |other| met(one.iter().chain(other).cloned().collect())).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(both).collect();
    }
    Ok(all)
}

/// Conditions as one partial state; none if no state of some component satisfies all of them.
fn met(mut conditions: PartialState) -> Option<PartialState> {
    conditions.sort_by_key(|(c, _)| *c);
    let mut state: PartialState = Vec::with_capacity(conditions.len());
    for (c, states) in conditions {
        match state.last_mut().filter(|(last, _)| *last == c) {
            Some((_, known)) => known.retain(|s| states.binary_search(s).is_ok()),
            None => state.push((c, states)),
        }
    }
    state.iter().all(|(_, states)| !states.is_empty()).then_some(state)
}

fn bounded(count: usize) -> Result<(), Refusal> {
    if count > MOST {
        return Err(Refusal::new(format!("the goal is a choice of more than {MOST} partial states")));
    }
    Ok(())
}
