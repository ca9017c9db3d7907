//! All states of a network, straight from the definition.

use super::certificate::Bounds;
use prequel_model::{Network, StateId, Step};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// Why not all states were looked at.
pub(super) enum Ended {
    /// There are more than may be looked at.
    TooMany(usize),
    /// Somebody said so.
    Stopped,
}

/// States between two questions whether to go on.
const BETWEEN: usize = 1 << 5;

/// Looks at every reachable state with its steps, until `look` fails; tells how many there are.
pub(super) fn explore<E: From<Ended>>(
    network: &Network,
    bounds: &Bounds,
    mut look: impl FnMut(&[StateId], &[Step]) -> Result<(), E>,
) -> Result<usize, E> {
    let mut seen: FxHashSet<Vec<StateId>> = FxHashSet::from_iter([network.initial()]);
    let mut queue = VecDeque::from([network.initial()]);
    let mut looked = 0usize;
    let most = bounds.states;
    while let Some(state) = queue.pop_front() {
        if looked.is_multiple_of(BETWEEN) && (bounds.stop)() {
            return Err(Ended::Stopped.into());
        }
        looked += 1;
        let steps = network.steps(&state);
        look(&state, &steps)?;
        for step in steps {
            let mut next = state.clone();
            step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
            if seen.contains(&next) {
                continue;
            }
            if seen.len() >= most {
                return Err(Ended::TooMany(most).into());
            }
            seen.insert(next.clone());
            queue.push_back(next);
        }
    }
    Ok(seen.len())
}
