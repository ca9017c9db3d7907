//! Paths of circuits, replayed state by state.

use super::checked::Replay;
use prequel_model::{Bit, Circuit, Lit, Part};
use std::sync::Arc;

/// Why a path does not show that a bad state is reached.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejected {
    /// A path has a state at least.
    #[error("there is no state in it")]
    Empty,
    /// A state has a value for every variable.
    #[error("state {0} has not as many values as there are variables")]
    Width(usize),
    /// It does not begin at first.
    #[error("`{0}` does not begin in the first state")]
    NotInitial(String),
    /// A component does not allow a step.
    #[error("step {step}: `{part}` does not allow it")]
    NoStep {
        /// Counted from 1.
        step: usize,
        /// Who does not.
        part: String,
    },
    /// The last state is not what is looked for.
    #[error("the last state is not one that is looked for")]
    NotBad,
}

/// A path of a circuit to a bad state.
#[derive(Clone, Debug)]
pub struct CircuitPath {
    /// The circuit.
    pub circuit: Arc<Circuit>,
    /// The values of all bits, state by state.
    pub states: Vec<Vec<bool>>,
    /// The verdict on the question whose states are the bad ones.
    pub shows: bool,
}

impl Replay for CircuitPath {
    type End = ();
    type Rejected = Rejected;

    fn replay(&self) -> Result<(), Rejected> {
        check(&self.circuit, &self.states)
    }

    fn shows(&self) -> Option<bool> {
        Some(self.shows)
    }
}

fn holds(circuit: &Circuit, f: Lit, now: &[bool], next: &[bool]) -> bool {
    let value = |input: u32| {
        let (bit, after) = Bit::of(input);
        (if after { next } else { now })[bit.0 as usize]
    };
    circuit.aig.values(&[f], value)[0]
}

/// Checks that a path begins in a first state, and that all components allow all of its steps.
pub fn replay(circuit: &Circuit, path: &[Vec<bool>]) -> Result<(), Rejected> {
    if let Some(at) = path.iter().position(|state| state.len() != circuit.bits as usize) {
        return Err(Rejected::Width(at));
    }
    let first = path.first().ok_or(Rejected::Empty)?;
    let denies = |part: &&Part| !holds(circuit, part.initial, first, first);
    if let Some(part) = circuit.parts.iter().find(denies) {
        return Err(Rejected::NotInitial(part.name.to_string()));
    }
    for (at, pair) in path.windows(2).enumerate() {
        let denies = |part: &&Part| !holds(circuit, part.step, &pair[0], &pair[1]);
        if let Some(part) = circuit.parts.iter().find(denies) {
            return Err(Rejected::NoStep { step: at + 1, part: part.name.to_string() });
        }
    }
    Ok(())
}

/// Checks that a path leads to a bad state.
pub fn check(circuit: &Circuit, path: &[Vec<bool>]) -> Result<(), Rejected> {
    replay(circuit, path)?;
    let last = path.last().ok_or(Rejected::Empty)?;
    if holds(circuit, circuit.bad(), last, last) { Ok(()) } else { Err(Rejected::NotBad) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::Kind;

    #[test]
    fn only_a_path_from_the_first_state_to_a_bad_one_is_accepted() {
        let mut circuit = Circuit::default();
        let word = circuit.word("x", Kind::Truth);
        let (now, next) = (circuit.aig.input(word.bits[0].now()), circuit.aig.input(word.bits[0].next()));
        let step = circuit.aig.xor(now, next);
        circuit.parts.push(Part { name: "flip".into(), initial: !now, step });
        circuit.bad = Some(now);
        let path = |values: &[bool]| values.iter().map(|&value| vec![value]).collect::<Vec<_>>();
        assert_eq!(check(&circuit, &path(&[false, true])), Ok(()));
        assert_eq!(check(&circuit, &path(&[false, true, false])), Err(Rejected::NotBad));
        assert_eq!(check(&circuit, &path(&[true])), Err(Rejected::NotInitial("flip".into())));
        assert_eq!(check(&circuit, &path(&[false, false])), Err(Rejected::NoStep { step: 1, part: "flip".into() }));
        assert_eq!(check(&circuit, &[]), Err(Rejected::Empty));
        assert_eq!(check(&circuit, &[vec![]]), Err(Rejected::Width(0)));
    }
}
