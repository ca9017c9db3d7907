//! Labelled transition systems in compressed rows.
//!
//! One array of edges, one array of row offsets; rows are sorted by label, then target, without duplicates.
//! Nothing is allocated per state: 50 million transitions are 400 MB plus four bytes a state.

use super::index::{LabelId, StateId};
use fixedbitset::FixedBitSet;

/// One outgoing edge of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Edge {
    /// What the edge does.
    pub label: LabelId,
    /// Where it leads.
    pub target: StateId,
}

/// One transition, source included: the form in which systems are built.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Transition {
    /// Where it starts.
    pub source: StateId,
    /// What it does.
    pub label: LabelId,
    /// Where it leads.
    pub target: StateId,
}

impl Transition {
    /// A transition from plain numbers.
    pub fn new(source: u32, label: LabelId, target: u32) -> Self {
        Self { source: StateId(source), label, target: StateId(target) }
    }
}

/// A labelled transition system with one initial state and a set of marked states.
///
/// What a mark means is the holder's business: accepting for a monitor, marked for nonblocking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lts {
    initial: StateId,
    /// `offsets[s]..offsets[s + 1]` is the row of state `s`; the last entry is a sentinel.
    offsets: Vec<u32>,
    edges: Vec<Edge>,
    marked: FixedBitSet,
}

impl Lts {
    /// Builds the rows: sorts, drops duplicates, marks nothing.
    ///
    /// # Panics
    /// When a state is not below `states`, or there are more than `u32::MAX` transitions; readers check both.
    pub fn new(initial: StateId, states: usize, mut transitions: Vec<Transition>) -> Self {
        assert!(initial.at() < states, "initial state {initial:?} of {states}");
        assert!(u32::try_from(transitions.len()).is_ok(), "too many transitions for 32-bit rows");
        let mut offsets = vec![0u32; states + 1];
        for t in &transitions {
            assert!(t.target.at() < states, "target {:?} of {states} states", t.target);
            offsets[t.source.at() + 1] += 1;
        }
        for s in 0..states {
            offsets[s + 1] += offsets[s];
        }
        let edges = if transitions.is_sorted_by_key(|t| t.source) {
            transitions.into_iter().map(|t| Edge { label: t.label, target: t.target }).collect()
        } else {
            transitions.shrink_to_fit();
            let mut next = offsets.clone();
            let mut edges = vec![Edge { label: LabelId::TAU, target: StateId(0) }; transitions.len()];
            for t in transitions {
                let slot = &mut next[t.source.at()];
                edges[*slot as usize] = Edge { label: t.label, target: t.target };
                *slot += 1;
            }
            edges
        };
        Self::from_unsorted_rows(initial, offsets, edges)
    }

    /// Takes over rows that are in place but not sorted inside; drops duplicate edges in place.
    pub fn from_unsorted_rows(initial: StateId, mut offsets: Vec<u32>, mut edges: Vec<Edge>) -> Self {
        let states = offsets.len() - 1;
        let mut kept = 0usize;
        let mut start = 0usize;
        for s in 0..states {
            let end = offsets[s + 1] as usize;
            let row = &mut edges[start..end];
            if !row.is_sorted() {
                row.sort_unstable();
            }
            offsets[s] = kept as u32;
            for at in start..end {
                if at == start || edges[at] != edges[kept - 1] {
                    edges[kept] = edges[at];
                    kept += 1;
                }
            }
            start = end;
        }
        offsets[states] = kept as u32;
        edges.truncate(kept);
        Self { initial, offsets, edges, marked: FixedBitSet::new() }
    }

    /// The same system with exactly these states marked.
    pub fn with_marked(mut self, marked: impl IntoIterator<Item = StateId>) -> Self {
        self.marked = FixedBitSet::with_capacity(self.num_states());
        for s in marked {
            self.marked.insert(s.at());
        }
        if self.marked.is_clear() {
            self.marked = FixedBitSet::new();
        }
        self
    }

    /// The same system with another initial state.
    pub fn with_initial(mut self, initial: StateId) -> Self {
        assert!(initial.at() < self.num_states());
        self.initial = initial;
        self
    }

    /// The same rows under other labels; rows are sorted again, edges that became equal are merged.
    pub fn relabelled(mut self, mut to: impl FnMut(LabelId) -> LabelId) -> Self {
        for e in &mut self.edges {
            e.label = to(e.label);
        }
        let marked = std::mem::take(&mut self.marked);
        Self { marked, ..Self::from_unsorted_rows(self.initial, self.offsets, self.edges) }
    }

    /// Where it starts.
    #[inline]
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// How many states.
    #[inline]
    pub fn num_states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many transitions.
    #[inline]
    pub fn num_transitions(&self) -> usize {
        self.edges.len()
    }

    /// All states in order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + use<> {
        (0..self.num_states()).map(StateId::new)
    }

    /// The edges of a state, sorted by label, then target.
    #[inline]
    pub fn row(&self, s: StateId) -> &[Edge] {
        &self.edges[self.offsets[s.at()] as usize..self.offsets[s.at() + 1] as usize]
    }

    /// The edges of a state under one label.
    #[inline]
    pub fn row_on(&self, s: StateId, label: LabelId) -> &[Edge] {
        let row = self.row(s);
        // Most rows are a handful of edges: a scan beats bisection there.
        if row.len() <= 8 {
            let start = row.iter().take_while(|e| e.label < label).count();
            let len = row[start..].iter().take_while(|e| e.label == label).count();
            &row[start..start + len]
        } else {
            let start = row.partition_point(|e| e.label < label);
            let len = row[start..].partition_point(|e| e.label == label);
            &row[start..start + len]
        }
    }

    /// Whether the transition exists.
    pub fn has(&self, source: StateId, label: LabelId, target: StateId) -> bool {
        self.row_on(source, label).binary_search_by_key(&target, |e| e.target).is_ok()
    }

    /// All transitions, row by row.
    pub fn transitions(&self) -> impl Iterator<Item = Transition> + '_ {
        self.states().flat_map(|source| {
            self.row(source).iter().map(move |e| Transition { source, label: e.label, target: e.target })
        })
    }

    /// The labels on edges, sorted, each once, tau included where it occurs.
    pub fn used_labels(&self) -> Vec<LabelId> {
        // Rows are sorted, so consecutive repeats are common: drop them before sorting the rest.
        let mut labels: Vec<LabelId> = Vec::new();
        let most = self.edges.iter().map(|e| e.label.at()).max().map_or(0, |m| m + 1);
        if most <= 4 * self.edges.len() + 64 {
            let mut seen = FixedBitSet::with_capacity(most);
            self.edges.iter().for_each(|e| seen.insert(e.label.at()));
            labels.extend(seen.ones().map(LabelId::new));
        } else {
            labels.extend(self.edges.iter().map(|e| e.label));
            labels.sort_unstable();
            labels.dedup();
        }
        labels
    }

    /// Whether a state is marked.
    #[inline]
    pub fn is_marked(&self, s: StateId) -> bool {
        self.marked.contains(s.at())
    }

    /// The marked states in order.
    pub fn marked(&self) -> impl Iterator<Item = StateId> + '_ {
        self.marked.ones().map(StateId::new)
    }

    /// Whether any state is marked.
    pub fn has_marked(&self) -> bool {
        !self.marked.is_clear()
    }

    /// Two states with two edges under one label, or an edge under tau: the first such place, if any.
    pub fn nondeterminism(&self) -> Option<(StateId, LabelId)> {
        self.states().find_map(|s| {
            let row = self.row(s);
            if let Some(e) = row.first().filter(|e| e.label.is_tau()) {
                return Some((s, e.label));
            }
            row.windows(2).find(|w| w[0].label == w[1].label).map(|w| (s, w[0].label))
        })
    }

    /// The incoming edges, as rows of `(label, source)` by target.
    pub fn reversed(&self) -> Lts {
        let mut offsets = vec![0u32; self.num_states() + 1];
        for e in &self.edges {
            offsets[e.target.at() + 1] += 1;
        }
        for s in 0..self.num_states() {
            offsets[s + 1] += offsets[s];
        }
        let mut next = offsets.clone();
        let mut edges = vec![Edge { label: LabelId::TAU, target: StateId(0) }; self.edges.len()];
        for t in self.transitions() {
            let slot = &mut next[t.target.at()];
            edges[*slot as usize] = Edge { label: t.label, target: t.source };
            *slot += 1;
        }
        Self::from_unsorted_rows(self.initial, offsets, edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: LabelId = LabelId(1);
    const B: LabelId = LabelId(2);

    fn sample() -> Lts {
        let t = |s, l, d| Transition::new(s, l, d);
        Lts::new(StateId(1), 3, vec![t(1, B, 0), t(0, A, 2), t(1, A, 2), t(1, A, 2), t(1, A, 0), t(0, LabelId::TAU, 0)])
    }

    #[test]
    fn rows_are_sorted_and_free_of_duplicates() {
        let lts = sample();
        assert_eq!(lts.num_transitions(), 5);
        let row: Vec<_> = lts.row(StateId(1)).iter().map(|e| (e.label, e.target.0)).collect();
        assert_eq!(row, [(A, 0), (A, 2), (B, 0)]);
        assert!(lts.row(StateId(2)).is_empty());
    }

    #[test]
    fn row_on_agrees_with_a_filter_on_short_and_long_rows() {
        let transitions = (0..40).map(|n| Transition::new(0, LabelId(1 + n % 7), n)).collect();
        for lts in [sample(), Lts::new(StateId(0), 40, transitions)] {
            for s in lts.states() {
                for l in (0..9).map(LabelId) {
                    let filtered: Vec<_> = lts.row(s).iter().copied().filter(|e| e.label == l).collect();
                    assert_eq!(lts.row_on(s, l), filtered);
                }
            }
        }
    }

    #[test]
    fn relabelling_merges_edges_that_became_equal_and_keeps_marks() {
        let lts = sample().with_marked([StateId(2)]).relabelled(|_| A);
        assert_eq!(lts.row(StateId(1)).len(), 2);
        assert!(lts.is_marked(StateId(2)) && !lts.is_marked(StateId(0)));
    }

    #[test]
    fn reversing_twice_is_the_identity() {
        let lts = sample();
        assert_eq!(lts.reversed().reversed(), lts);
    }

    #[test]
    fn nondeterminism_is_found_at_its_state() {
        assert_eq!(sample().nondeterminism(), Some((StateId(0), LabelId::TAU)));
        let det = Lts::new(StateId(0), 2, vec![Transition::new(0, A, 1), Transition::new(0, B, 1)]);
        assert_eq!(det.nondeterminism(), None);
    }
}
