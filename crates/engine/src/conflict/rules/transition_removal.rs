//! Observation equivalent transition removal: a transition goes if others make up for it, with silent steps before or after.
//!
//! All weak steps stay, so the machine is observation equivalent, state by state. Nothing is to be done on the way back: a path of the
//! abstraction is one of the original.

use super::{Abstraction, MOST_WEAK};
use crate::algo::bisimulation::{saturate_within, without_redundant_in};
use crate::conflict::fsm::Fsm;

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    let silent = fsm.lts().states().any(|s| !fsm.silent(s).is_empty());
    if !silent {
        return None;
    }
    let weak = saturate_within(fsm.lts(), MOST_WEAK).ok()?;
    let lean = without_redundant_in(fsm.lts(), &weak);
    (lean.num_transitions() < fsm.lts().num_transitions()).then(|| Abstraction::same(fsm.with_lts(lean)))
}
