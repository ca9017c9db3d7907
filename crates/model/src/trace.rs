//! Traces of a network, and their replay.

use super::index::{ComponentId, LabelId, StateId};
use super::network::Network;

/// One component's part in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// Who moves.
    pub component: ComponentId,
    /// From where.
    pub from: StateId,
    /// To where.
    pub to: StateId,
}

/// One step of the whole network: a label and the moves of all its participants, in component order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What happens.
    pub label: LabelId,
    /// Who moves how; a single component for tau.
    pub moves: Vec<Move>,
}

/// A path of the network from its initial state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// Why a trace is not a path of a network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// The label's participants and the components that move differ.
    #[error("step {step}: `{label}` must move {expected}, but {found} moves")]
    Participants {
        /// Counted from 1.
        step: usize,
        /// The label's name.
        label: String,
        /// Who takes part.
        expected: String,
        /// Who moves in the trace.
        found: String,
    },
    /// A component is somewhere else than the trace says.
    #[error("step {step}: `{component}` is in state {actual:?}, not {claimed:?}")]
    Elsewhere {
        /// Counted from 1.
        step: usize,
        /// The component's name.
        component: String,
        /// Where it is.
        actual: StateId,
        /// Where the trace claims it is.
        claimed: StateId,
    },
    /// A component has no such transition.
    #[error("step {step}: `{component}` has no transition {from:?} -{label}-> {to:?}")]
    NoTransition {
        /// Counted from 1.
        step: usize,
        /// The component's name.
        component: String,
        /// The label's name.
        label: String,
        /// Claimed source.
        from: StateId,
        /// Claimed target.
        to: StateId,
    },
}

impl Trace {
    /// Walks the trace on a network and gives the global state at its end.
    pub fn replay(&self, network: &Network) -> Result<Vec<StateId>, ReplayError> {
        let mut state = network.initial();
        for (at, step) in self.steps.iter().enumerate() {
            step.apply(network, &mut state, at + 1)?;
        }
        Ok(state)
    }
}

impl Step {
    /// Takes the step from a global state in place: no copy of a hundred thousand local states for two that change.
    /// `number` is for the error message; after an error the state means nothing.
    fn apply(&self, network: &Network, state: &mut [StateId], number: usize) -> Result<(), ReplayError> {
        let label = || network.labels().name(self.label).to_owned();
        let movers: Vec<ComponentId> = self.moves.iter().map(|m| m.component).collect();
        let complete = if self.label.is_tau() {
            movers.len() == 1
        } else {
            !movers.is_empty() && movers == network.participants(self.label)
        };
        if !complete {
            let names = |ids: &[ComponentId]| {
                let names: Vec<&str> = ids.iter().map(|&c| &*network.component(c).name).collect();
                if names.is_empty() { "nobody".into() } else { names.join(", ") }
            };
            let expected =
                if self.label.is_tau() { "one component".into() } else { names(network.participants(self.label)) };
            return Err(ReplayError::Participants { step: number, label: label(), expected, found: names(&movers) });
        }
        for m in &self.moves {
            let component = network.component(m.component);
            let name = || component.name.to_string();
            if state[m.component.at()] != m.from {
                let actual = state[m.component.at()];
                return Err(ReplayError::Elsewhere { step: number, component: name(), actual, claimed: m.from });
            }
            if !component.lts.has(m.from, self.label, m.to) {
                let (from, to) = (m.from, m.to);
                return Err(ReplayError::NoTransition { step: number, component: name(), label: label(), from, to });
            }
            state[m.component.at()] = m.to;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Labels;
    use crate::lts::{Lts, Transition};
    use crate::network::Component;

    fn pair() -> (Network, LabelId) {
        let mut labels = Labels::new();
        let a = labels.intern("a");
        let lts = Lts::new(StateId(0), 2, vec![Transition::new(0, a, 1)]);
        (Network::new(labels, vec![Component::new("x", lts.clone()), Component::new("y", lts)]), a)
    }

    fn step(label: LabelId, moves: &[(u32, u32, u32)]) -> Trace {
        let moves = moves
            .iter()
            .map(|&(c, f, t)| Move { component: ComponentId(c), from: StateId(f), to: StateId(t) })
            .collect();
        Trace { steps: vec![Step { label, moves }] }
    }

    #[test]
    fn a_real_step_replays() {
        let (network, a) = pair();
        assert_eq!(step(a, &[(0, 0, 1), (1, 0, 1)]).replay(&network), Ok(vec![StateId(1), StateId(1)]));
    }

    #[test]
    fn each_kind_of_false_step_is_rejected() {
        let (network, a) = pair();
        let rejects = |trace: Trace| trace.replay(&network).unwrap_err().to_string();
        assert_eq!(rejects(step(a, &[(0, 0, 1)])), "step 1: `a` must move x, y, but x moves");
        assert_eq!(rejects(step(a, &[(0, 1, 1), (1, 0, 1)])), "step 1: `x` is in state 0, not 1");
        assert_eq!(rejects(step(a, &[(0, 0, 0), (1, 0, 1)])), "step 1: `x` has no transition 0 -a-> 0");
        assert!(rejects(step(LabelId::TAU, &[])).contains("nobody moves"));
    }
}
