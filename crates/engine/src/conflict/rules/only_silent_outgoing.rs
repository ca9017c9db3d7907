//! Only Silent Outgoing Rule: an unmarked state that can only go on silently goes; steps into it lead to where it led.
//!
//! It must be unmarked, for omega is something else that it could do, and it must be able to go on. If it was initial, all that it led to
//! is. Silent cycles are left alone.

use super::Abstraction;
use super::only_silent_incoming::few;
use crate::algo::predecessors::Predecessors;
use crate::algo::scc;
use crate::conflict::fsm::{Fsm, StateMap};
use prequel_model::{Lts, StateId, Transition};

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    let lts = fsm.lts();
    let cycles = scc::components(lts, |_, e| e.label.is_tau());
    let before = Predecessors::of(lts);
    let only_silent = |s: StateId| {
        let row = lts.row(s);
        !row.is_empty()
            && !lts.is_marked(s)
            && row.iter().all(|e| e.label.is_tau() && cycles.of(e.target) != cycles.of(s))
    };
    // What a state stands for: itself, or what is left of where it led. What lies below comes first.
    let mut order: Vec<StateId> = lts.states().collect();
    order.sort_unstable_by_key(|&s| cycles.of(s));
    let mut stands: Vec<StateId> = Vec::new();
    let mut range = vec![0..0; fsm.len()];
    let (mut gone, mut all) = (0, Vec::new());
    for s in order {
        all.clear();
        if only_silent(s) {
            all.extend(lts.row(s).iter().flat_map(|e| &stands[range[e.target.at()].clone()]));
            all.sort_unstable();
            all.dedup();
        }
        if all.is_empty() || !few(before.all(s).len(), all.len()) {
            all.clear();
            all.push(s);
        } else {
            gone += 1;
        }
        range[s.at()] = stands.len()..stands.len() + all.len();
        stands.extend_from_slice(&all);
    }
    (gone > 0).then(|| {
        let for_state = |s: StateId| &stands[range[s.at()].clone()];
        let stays = |s: StateId| for_state(s) == [s];
        let transitions = lts
            .transitions()
            .filter(|t| stays(t.source))
            .flat_map(|t| for_state(t.target).iter().map(move |&target| Transition { target, ..t }));
        let initial: Vec<StateId> = fsm.initial().iter().flat_map(|&s| for_state(s)).copied().collect();
        let whole = Lts::new(
            initial[0],
            fsm.len(),
            transitions.filter(|t| !t.label.is_tau() || t.source != t.target).collect(),
        );
        let whole = Fsm::new(whole.with_marked(lts.marked()), initial, fsm.alphabet().iter().copied());
        let kept = lts.states().filter(|&s| stays(s)).map(StateId::at).collect();
        let (fsm, map): (Fsm, StateMap) = whole.restricted(&kept);
        Abstraction { fsm, map, levels: None }
    })
}
