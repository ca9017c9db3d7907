//! Incoming equivalence (Definition 10): states that are reached alike.
//!
//! (i) Both, or neither, can be reached silently from an initial state: that is not the same as being initial.
//! (ii) The same states reach them under the same visible labels, with silent steps before *and after*. Silent steps alone do not
//! count: with them, no more than silent cycles would be left.
//!
//! Not a rule by itself: two rules add to it what makes them sound.

use super::MOST_WEAK;
use crate::algo::bisimulation::saturate_within;
use crate::conflict::fsm::Fsm;
use fixedbitset::FixedBitSet;
use prequel_model::{Edge, LabelId, Lts, StateId};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// What is known about how states are reached.
pub struct Incoming {
    initial: FixedBitSet,
    /// Weak steps.
    pub weak: Lts,
    /// Weak steps against their direction.
    reversed: Lts,
}

impl Incoming {
    /// None where there are too many weak steps.
    pub fn of(fsm: &Fsm) -> Option<Self> {
        let weak = saturate_within(fsm.lts(), MOST_WEAK).ok()?;
        let initial = fsm.silently_after(fsm.initial().iter().copied());
        Some(Self { initial, reversed: weak.reversed(), weak })
    }

    fn key<'a>(&'a self, s: StateId, extra: &'a [LabelId]) -> (bool, &'a [LabelId], &'a [Edge]) {
        let row = self.reversed.row(s);
        let silent = row.partition_point(|e| e.label.is_tau());
        (self.initial.contains(s.at()), extra, &row[silent..])
    }

    /// The class of each state when those states are merged that are reached alike and have the same `extra`; a state without is
    /// alone. Also the number of classes.
    pub fn classes<'a>(&'a self, states: usize, extra: impl Fn(StateId) -> Option<&'a [LabelId]>) -> (Vec<u32>, usize) {
        let key = |s: StateId| extra(s).map(|extra| self.key(s, extra));
        let hash = |s: StateId| {
            let mut hasher = FxHasher::default();
            key(s).hash(&mut hasher);
            hasher.finish()
        };
        let ids = (0..states).map(StateId::new);
        let mut order: Vec<(u64, StateId)> = ids.filter(|&s| extra(s).is_some()).map(|s| (hash(s), s)).collect();
        // Rows are looked at only where hashes agree.
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| key(a.1).cmp(&key(b.1))).then(a.1.cmp(&b.1)));
        let mut first_of: Vec<StateId> = (0..states).map(StateId::new).collect();
        for group in order.chunk_by(|a, b| a.0 == b.0 && key(a.1) == key(b.1)) {
            group.iter().for_each(|&(_, s)| first_of[s.at()] = group[0].1);
        }
        let mut classes = vec![0; states];
        let mut count = 0;
        for s in (0..states).map(StateId::new) {
            classes[s.at()] = if first_of[s.at()] == s {
                count += 1;
                count as u32 - 1
            } else {
                classes[first_of[s.at()].at()]
            };
        }
        (classes, count)
    }
}
