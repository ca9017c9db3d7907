//! Silent Continuation Rule (Proposition 13): unstable states are merged that are reached alike (Definition 10).
//!
//! Each of them must be able to become *stable*, by at least one silent step. Having a silent step is not enough: it may go
//! round for ever.

use super::Abstraction;
use super::incoming::Incoming;
use crate::algo::predecessors::Predecessors;
use crate::conflict::fsm::Fsm;

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    let lts = fsm.lts();
    let stable = |s| fsm.silent(s).is_empty();
    if lts.states().filter(|&s| !stable(s)).count() < 2 {
        return None;
    }
    let become_stable = fsm.silently_before(lts.states().filter(|&s| stable(s)), &Predecessors::of(lts));
    let incoming = Incoming::of(fsm)?;
    let (classes, count) =
        incoming.classes(fsm.len(), |s| (!stable(s) && become_stable.contains(s.at())).then_some(&[][..]));
    Abstraction::merged(fsm, &classes, count)
}
