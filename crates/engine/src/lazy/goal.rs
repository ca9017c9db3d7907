//! Partial states (Definition 8): which components are mentioned, and where they must be.

use super::system::System;
use crate::Refusal;
use prequel_model::{ComponentId, Goal, StateId};

/// Partial states that a goal may come to.
const MOST: usize = 4096;

/// Components in ascending order, each with the states it may be in; all others are anywhere.
pub type PartialState = Vec<(ComponentId, Vec<StateId>)>;

/// One of a goal's alternatives.
#[derive(Debug)]
pub struct Alternative {
    /// The partial states of which one must be reached.
    pub states: Vec<PartialState>,
    /// Components of which more is asked than any state of theirs has: they rule out the rest of the alternative.
    pub torn: Vec<ComponentId>,
}

/// The alternatives of which one must be reached.
pub fn alternatives(goal: &Goal, system: &System<'_>) -> Result<Vec<Alternative>, Refusal> {
    let mut count = 0;
    let mut all = Vec::new();
    for (goal, positive) in goal.alternatives() {
        let mut choice = Choice { system, torn: Vec::new() };
        let states = choice.of(goal, positive)?;
        count += states.len();
        bounded(count)?;
        all.push(Alternative { states, torn: choice.torn });
    }
    Ok(all)
}

/// Where a component may stand at the end.
pub fn may_end(state: &PartialState, c: ComponentId, s: StateId) -> bool {
    let wanted = state.binary_search_by_key(&c, |(c, _)| *c);
    wanted.is_err() || wanted.is_ok_and(|at| state[at].1.binary_search(&s).is_ok())
}

/// A goal on its way to a choice of partial states.
struct Choice<'a> {
    system: &'a System<'a>,
    torn: Vec<ComponentId>,
}

impl Choice<'_> {
    /// The goal, or what it denies, as a choice of partial states.
    fn of(&mut self, goal: &Goal, positive: bool) -> Result<Vec<PartialState>, Refusal> {
        match (goal, positive) {
            (Goal::In(c, states), _) => {
                let all = self.system.component(*c).lts.states();
                let states: Vec<StateId> = all.filter(|s| states.binary_search(s).is_ok() == positive).collect();
                Ok(self.met(vec![(*c, states)]).into_iter().collect())
            }
            (Goal::Not(goal), _) => self.of(goal, !positive),
            (Goal::Or(goals), true) | (Goal::And(goals), false) => {
                let mut any = Vec::new();
                for goal in goals {
                    any.extend(self.of(goal, positive)?);
                    bounded(any.len())?;
                }
                Ok(any)
            }
            (Goal::And(goals), true) | (Goal::Or(goals), false) => self.conjunction(goals, positive),
        }
    }

    fn conjunction(&mut self, goals: &[Goal], positive: bool) -> Result<Vec<PartialState>, Refusal> {
        let mut choices = Vec::with_capacity(goals.len());
        for goal in goals {
            let states = self.of(goal, positive)?;
            if states.is_empty() {
                return Ok(Vec::new());
            }
            choices.push(states);
        }
        // Conditions without a choice come together at once: there may be one for each of very many components.
        let (single, several): (Vec<_>, Vec<_>) = choices.into_iter().partition(|states| states.len() == 1);
        let single = single.into_iter().flatten().flatten().collect();
        let mut all: Vec<PartialState> = self.met(single).into_iter().collect();
        for states in several {
            bounded(all.len().saturating_mul(states.len()))?;
            let mut both = Vec::new();
            for one in &all {
                both.extend(states.iter().filter_map(|other| self.met(one.iter().chain(other).cloned().collect())));
            }
            all = both;
        }
        Ok(all)
    }

    /// Conditions as one partial state; none if no state of some component satisfies all of them.
    fn met(&mut self, mut conditions: PartialState) -> Option<PartialState> {
        conditions.sort_by_key(|(c, _)| *c);
        let mut state: PartialState = Vec::with_capacity(conditions.len());
        for (c, states) in conditions {
            match state.last_mut().filter(|(last, _)| *last == c) {
                Some((_, known)) => known.retain(|s| states.binary_search(s).is_ok()),
                None => state.push((c, states)),
            }
        }
        match state.iter().find(|(_, states)| states.is_empty()) {
            Some((torn, _)) => {
                self.torn.push(*torn);
                None
            }
            None => Some(state),
        }
    }
}

fn bounded(count: usize) -> Result<(), Refusal> {
    if count > MOST {
        return Err(Refusal::new(format!("the goal is a choice of more than {MOST} partial states")));
    }
    Ok(())
}
