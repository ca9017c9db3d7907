//! Observation equivalence (Definition 9): weakly bisimilar states are merged.
//!
//! Omega counts as an event like any other, so marks are first put wherever they can be reached silently: two states with
//! different marks, but marked alike after silent steps, may be equivalent. The quotient is that of the original
//! transitions and marks (Definition 7). Where there are too many weak steps, branching bisimilar states are merged instead.

use super::{Abstraction, MOST_WEAK};
use crate::algo::bisimulation::weak_partition_within;
use crate::algo::predecessors::Predecessors;
use crate::conflict::fsm::Fsm;
use prequel_model::StateId;

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    let lts = fsm.lts();
    let weakly = fsm.silently_before(lts.marked(), &Predecessors::of(lts));
    let partition = weak_partition_within(&lts.clone().with_marked(weakly.ones().map(StateId::new)), MOST_WEAK);
    let classes: Vec<u32> = lts.states().map(|s| partition.class(s).0).collect();
    Abstraction::merged(fsm, &classes, partition.len())
}
