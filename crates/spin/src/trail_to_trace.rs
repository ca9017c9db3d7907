//! From the lines that SPIN executed to a trace of the network.

use crate::promela::{Meaning, Promela};
use prequel_model::{Component, ComponentId, LabelId, Move, Problem, Query, StateId, Step, Trace};

/// Follows a trail through the network. The result is checked by whoever takes it, like any witness.
pub fn lift(problem: &Problem, promela: &Promela, lines: &[usize]) -> Result<Trace, String> {
    let mut walk = Walk::new(problem);
    for &line in lines {
        match promela.meaning(line) {
            Some(Meaning::Begins(step)) => walk.begin(step.clone())?,
            Some(Meaning::Joins(mine)) => walk.join(*mine)?,
            Some(Meaning::Whole(label, movers)) => {
                let step = walk.only_step(*label, movers)?;
                walk.begin(step)?;
            }
            // The end of a block, or the assertion itself.
            None => {}
        }
    }
    // A monitor is no part of the network: its moves are left out, and so are its own taus.
    let own = problem.network.components().len();
    for step in &mut walk.steps {
        step.moves.retain(|m| m.component.at() < own);
        step.moves.sort_unstable_by_key(|m| m.component);
    }
    walk.steps.retain(|step| !step.moves.is_empty());
    Ok(Trace { steps: walk.steps })
}

/// Where everybody is, the monitor too, and the steps so far.
struct Walk<'a> {
    components: Vec<&'a Component>,
    state: Vec<StateId>,
    steps: Vec<Step>,
}

impl<'a> Walk<'a> {
    fn new(problem: &'a Problem) -> Self {
        let mut components: Vec<&Component> = problem.network.components().iter().collect();
        if let Query::Safety(monitor) = &problem.query {
            components.push(&monitor.automaton);
        }
        let state = components.iter().map(|c| c.lts.initial()).collect();
        Self { components, state, steps: Vec::new() }
    }

    fn begin(&mut self, step: Step) -> Result<(), String> {
        self.steps.push(Step { label: step.label, moves: Vec::new() });
        step.moves.into_iter().try_for_each(|mine| self.join(mine))
    }

    fn join(&mut self, mine: Move) -> Result<(), String> {
        let at = &mut self.state[mine.component.at()];
        if *at != mine.from {
            return Err(format!("a transition from state {:?} was taken in state {at:?}", mine.from));
        }
        *at = mine.to;
        self.steps.last_mut().ok_or("the first line joins no step")?.moves.push(mine);
        Ok(())
    }

    /// The step on a label that leaves nobody a choice.
    fn only_step(&self, label: LabelId, movers: &[ComponentId]) -> Result<Step, String> {
        let only = |&component: &ComponentId| {
            let from = self.state[component.at()];
            match self.components[component.at()].lts.row_on(from, label) {
                [edge] => Ok(Move { component, from, to: edge.target }),
                row => Err(format!("{} transitions where there is one", row.len())),
            }
        };
        Ok(Step { label, moves: movers.iter().map(only).collect::<Result<_, _>>()? })
    }
}
