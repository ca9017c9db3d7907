//! Active Events Rule (Proposition 12): states are merged that are reached alike (Definition 10) and can do the same.
//!
//! "Can do" is weak, after any silent steps, and omega counts: a state that can become marked differs from one that cannot.

use super::Abstraction;
use super::incoming::Incoming;
use crate::algo::predecessors::Predecessors;
use crate::conflict::fsm::Fsm;
use prequel_model::LabelId;

/// Stands for omega among the labels that a state can do.
const OMEGA: LabelId = LabelId::TAU;

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    let incoming = Incoming::of(fsm)?;
    let weakly = fsm.silently_before(fsm.lts().marked(), &Predecessors::of(fsm.lts()));
    let (mut active, mut ends): (Vec<LabelId>, Vec<usize>) = (Vec::new(), vec![0]);
    for s in fsm.lts().states() {
        let start = active.len();
        if weakly.contains(s.at()) {
            active.push(OMEGA);
        }
        let visible = incoming.weak.row(s).iter().map(|e| e.label).filter(|l| !l.is_tau());
        for label in visible {
            if active.len() == start || active.last() != Some(&label) {
                active.push(label);
            }
        }
        ends.push(active.len());
    }
    let (classes, count) = incoming.classes(fsm.len(), |s| Some(&active[ends[s.at()]..ends[s.at() + 1]]));
    Abstraction::merged(fsm, &classes, count)
}
