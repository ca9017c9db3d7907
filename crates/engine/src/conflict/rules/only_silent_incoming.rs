//! Only Silent Incoming Rule: an unstable state that is only reached silently goes; who silently led there can do what it could.
//!
//! It must not be initial: its visible transitions would have nobody to move to. It must be unstable, as in the Silent Incoming Rule, whose
//! special case this is: all steps into the state are replaced at once, and it is gone.

use super::Abstraction;
use super::silent_incoming::inherit;
use crate::algo::predecessors::Predecessors;
use crate::conflict::fsm::Fsm;
use prequel_model::StateId;

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    let before = Predecessors::of(fsm.lts());
    let only_silent = |s: StateId| before.visible(s).is_empty() && fsm.initial().binary_search(&s).is_err();
    inherit(fsm, |target, _, theirs| only_silent(target) && few(before.silent(target).len(), theirs.len()))
}

/// Whether a state with so many steps in and out may go: in between there will be the product of them.
pub fn few(incoming: usize, outgoing: usize) -> bool {
    incoming * outgoing <= 2 * (incoming + outgoing)
}
