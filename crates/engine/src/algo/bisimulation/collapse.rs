//! Silent cycles as single states: all states of one are branching bisimilar, even when divergence counts.
//!
//! Only cycles among equally marked states collapse, for a mark tells states apart.

use crate::algo::scc;
use crate::algo::scc::Components;
use fixedbitset::FixedBitSet;
use prequel_model::{Edge, LabelId, Lts, StateId};

/// A system without silent cycles among equally marked states.
pub(super) struct Collapsed {
    /// Tau edges between equally marked states lead to lower state numbers.
    pub lts: Lts,
    /// The collapsed state of each original state.
    pub components: Components,
    /// The collapsed states that can go round silently for ever.
    pub divergent: FixedBitSet,
}

/// Collapses the silent cycles.
pub(super) fn collapse(lts: &Lts) -> Collapsed {
    let inert = |s: StateId, e: &Edge| e.label.is_tau() && lts.is_marked(s) == lts.is_marked(e.target);
    let components = scc::components(lts, inert);
    let states = components.count();
    let mut divergent = FixedBitSet::with_capacity(states);
    let mut offsets = vec![0u32; states + 1];
    let inside = |s: StateId, e: &Edge| e.label == LabelId::TAU && components.of(s) == components.of(e.target);
    for s in lts.states() {
        let c = components.of(s) as usize;
        for e in lts.row(s) {
            if inside(s, e) {
                divergent.insert(c);
            } else {
                offsets[c + 1] += 1;
            }
        }
    }
    for c in 0..states {
        offsets[c + 1] += offsets[c];
    }
    let mut next = offsets.clone();
    let mut edges = vec![Edge { label: LabelId::TAU, target: StateId(0) }; offsets[states] as usize];
    for s in lts.states() {
        let slot = &mut next[components.of(s) as usize];
        for e in lts.row(s).iter().filter(|e| !inside(s, e)) {
            edges[*slot as usize] = Edge { label: e.label, target: StateId(components.of(e.target)) };
            *slot += 1;
        }
    }
    let collapsed = Lts::from_unsorted_rows(StateId(components.of(lts.initial())), offsets, edges)
        .with_marked(lts.marked().map(|s| StateId(components.of(s))));
    Collapsed { lts: collapsed, components, divergent }
}
