//! All states of a network, straight from the definition.

use crate::model::{Network, StateId, Step};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// There are more states than may be looked at.
pub(super) struct TooMany(pub usize);

/// Looks at every reachable state with its steps, until `look` fails; tells how many there are.
pub(super) fn explore<E: From<TooMany>>(
    network: &Network,
    most: usize,
    mut look: impl FnMut(&[StateId], &[Step]) -> Result<(), E>,
) -> Result<usize, E> {
    let mut seen: FxHashSet<Vec<StateId>> = FxHashSet::from_iter([network.initial()]);
    let mut queue = VecDeque::from([network.initial()]);
    while let Some(state) = queue.pop_front() {
        let steps = network.steps(&state);
        look(&state, &steps)?;
        for step in steps {
            let mut next = state.clone();
            step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
            if seen.contains(&next) {
                continue;
            }
            if seen.len() >= most {
                return Err(TooMany(most).into());
            }
            seen.insert(next.clone());
            queue.push_back(next);
        }
    }
    Ok(seen.len())
}
