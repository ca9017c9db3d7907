//! τ-loop removal: states of one silent cycle become one state, and silent self-loops go.
//!
//! Whoever is in one of these states can be in each of them whenever it likes.

use super::Abstraction;
use crate::algo::scc;
use crate::conflict::fsm::{Fsm, StateMap};
use prequel_model::StateId;

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    let cycles = scc::components(fsm.lts(), |_, e| e.label.is_tau());
    let loops = fsm.lts().states().any(|s| fsm.silent(s).iter().any(|e| e.target == s));
    (loops || cycles.count() < fsm.len()).then(|| {
        let class = |s: StateId| StateId(cycles.of(s));
        let map = StateMap::classes(fsm.len(), class);
        Abstraction { fsm: fsm.quotient(cycles.count(), class), map, levels: None }
    })
}
