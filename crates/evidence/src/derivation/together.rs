//! What some automata can do together.

use prequel_model::{Component, LabelId, StateId};
use rustc_hash::FxHashMap;

/// Automata side by side: who hears a label takes part in it.
pub(super) struct Together<'a> {
    parts: Vec<&'a Component>,
    who: FxHashMap<LabelId, Vec<usize>>,
}

impl<'a> Together<'a> {
    pub fn new(parts: Vec<&'a Component>) -> Self {
        let mut who: FxHashMap<LabelId, Vec<usize>> = FxHashMap::default();
        for (at, part) in parts.iter().enumerate() {
            part.alphabet().iter().for_each(|&label| who.entry(label).or_default().push(at));
        }
        Self { parts, who }
    }

    /// Whether one of them hears a label.
    pub fn hears(&self, label: LabelId) -> bool {
        self.who.contains_key(&label)
    }

    pub fn initial(&self) -> Vec<u32> {
        self.parts.iter().map(|part| part.lts.initial().0).collect()
    }

    /// All moves from a state. A label is looked at with the first of those who hear it.
    pub fn moves(&self, state: &[u32], look: &mut impl FnMut(LabelId, &[u32])) {
        let mut next = state.to_vec();
        for (at, part) in self.parts.iter().enumerate() {
            for edge in part.lts.row(StateId(state[at])) {
                let others = match edge.label.is_tau() {
                    true => &[][..],
                    false => match self.who[&edge.label].split_first() {
                        Some((&first, others)) if first == at => others,
                        _ => continue,
                    },
                };
                let ready = |&other: &usize| !self.row(other, state, edge.label).is_empty();
                if others.iter().all(ready) {
                    next[at] = edge.target.0;
                    self.with(others, edge.label, state, &mut next, look);
                    next[at] = state[at];
                }
            }
        }
    }

    fn row(&self, part: usize, state: &[u32], label: LabelId) -> &[prequel_model::Edge] {
        self.parts[part].lts.row_on(StateId(state[part]), label)
    }

    /// Every way in which the others take a label.
    fn with(
        &self,
        others: &[usize],
        label: LabelId,
        state: &[u32],
        next: &mut Vec<u32>,
        look: &mut impl FnMut(LabelId, &[u32]),
    ) {
        let Some((&first, rest)) = others.split_first() else { return look(label, next) };
        for edge in self.row(first, state, label) {
            next[first] = edge.target.0;
            self.with(rest, label, state, next, look);
        }
        next[first] = state[first];
    }
}
