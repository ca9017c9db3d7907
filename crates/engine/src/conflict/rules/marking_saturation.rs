//! Marking saturation: states that can silently become marked are marked.
//!
//! What can silently become marked stays the same. More marks make more states equal for what comes later.

use super::Abstraction;
use crate::algo::predecessors::Predecessors;
use crate::conflict::fsm::Fsm;
use prequel_model::StateId;

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    let lts = fsm.lts();
    let weakly = fsm.silently_before(lts.marked(), &Predecessors::of(lts));
    (weakly.count_ones(..) > lts.marked().count())
        .then(|| Abstraction::same(fsm.with_lts(lts.clone().with_marked(weakly.ones().map(StateId::new)))))
}
