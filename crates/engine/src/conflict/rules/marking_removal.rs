//! Marking removal: a mark goes if a marked state can be reached silently, off any silent cycle.
//!
//! "Off any silent cycle" makes this well-founded, so all such marks can go at once. What can silently become marked stays the same;
//! that is all that others see of marks. Fewer marked states are more for the rule of only silent outgoing.

use super::Abstraction;
use crate::algo::predecessors::Predecessors;
use crate::algo::scc;
use crate::conflict::fsm::Fsm;
use prequel_model::StateId;

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    let lts = fsm.lts();
    let cycles = scc::components(lts, |_, e| e.label.is_tau());
    let weakly = fsm.silently_before(lts.marked(), &Predecessors::of(lts));
    let follows = |s: StateId| {
        fsm.silent(s).iter().any(|e| cycles.of(e.target) != cycles.of(s) && weakly.contains(e.target.at()))
    };
    let kept: Vec<StateId> = lts.marked().filter(|&s| !follows(s)).collect();
    (kept.len() < lts.marked().count()).then(|| Abstraction::same(fsm.with_lts(lts.clone().with_marked(kept))))
}
