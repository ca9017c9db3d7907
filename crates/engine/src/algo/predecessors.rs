//! Incoming edges without their labels: who leads here, and does it do so silently.
//!
//! Half the size of [`Lts::reversed`] and built without sorting; refinement and backward searches need no more.

use prequel_model::{Lts, StateId};

/// The sources of the edges into each state, those of tau edges first.
#[derive(Clone, Debug)]
pub struct Predecessors {
    offsets: Vec<u32>,
    /// Where, in the row of a state, the sources of visible edges begin.
    visible_from: Vec<u32>,
    sources: Vec<StateId>,
}

impl Predecessors {
    /// Collects the incoming edges of all states.
    pub fn of(lts: &Lts) -> Self {
        let states = lts.num_states();
        let mut offsets = vec![0u32; states + 1];
        let mut visible_from = vec![0u32; states];
        for t in lts.transitions() {
            offsets[t.target.at() + 1] += 1;
            visible_from[t.target.at()] += u32::from(t.label.is_tau());
        }
        for s in 0..states {
            offsets[s + 1] += offsets[s];
            visible_from[s] += offsets[s];
        }
        let mut next_silent = offsets.clone();
        let mut next_visible = visible_from.clone();
        let mut sources = vec![StateId(0); lts.num_transitions()];
        for t in lts.transitions() {
            let next = if t.label.is_tau() { &mut next_silent } else { &mut next_visible };
            let slot = &mut next[t.target.at()];
            sources[*slot as usize] = t.source;
            *slot += 1;
        }
        Self { offsets, visible_from, sources }
    }

    /// Sources of all edges into a state; one source may occur once per label.
    #[inline]
    pub fn all(&self, s: StateId) -> &[StateId] {
        &self.sources[self.offsets[s.at()] as usize..self.offsets[s.at() + 1] as usize]
    }

    /// Sources of the tau edges into a state.
    #[inline]
    pub fn silent(&self, s: StateId) -> &[StateId] {
        &self.sources[self.offsets[s.at()] as usize..self.visible_from[s.at()] as usize]
    }

    /// Sources of the visible edges into a state; one source may occur once per label.
    #[inline]
    pub fn visible(&self, s: StateId) -> &[StateId] {
        &self.sources[self.visible_from[s.at()] as usize..self.offsets[s.at() + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random;
    use prequel_model::LabelId;
    use prequel_model::rng::Rng;

    #[test]
    fn predecessors_are_the_reversed_edges() {
        for seed in 0..300 {
            let lts = random::lts(&mut Rng::new(seed), 12, &[LabelId(1), LabelId(2)], 3);
            let (predecessors, reversed) = (Predecessors::of(&lts), lts.reversed());
            let sorted = |sources: &[StateId]| {
                let mut sources = sources.to_vec();
                sources.sort_unstable();
                sources
            };
            for s in lts.states() {
                let expected = |tau: bool| {
                    let row = reversed.row(s).iter().filter(|e| e.label.is_tau() == tau);
                    sorted(&row.map(|e| e.target).collect::<Vec<_>>())
                };
                assert_eq!(sorted(predecessors.silent(s)), expected(true));
                assert_eq!(sorted(predecessors.visible(s)), expected(false));
                assert_eq!(predecessors.all(s).len(), reversed.row(s).len());
            }
        }
    }
}
