//! The subset construction (Rabin and Scott 1959), strong and weak, without an allocation per subset.
//!
//! All subsets lie one after the other in one array; a hash table of their numbers finds them again. The empty subset is no
//! state: what cannot be done has no edge. A subset is marked if one of its members is.

use super::TooLarge;
use fixedbitset::FixedBitSet;
use hashbrown::HashTable;
use prequel_model::{Edge, LabelId, Lts, StateId, Steps};
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The deterministic system with the same (marked) traces; at most `cap` states, if there is a cap.
///
/// States are numbered in the order in which a breadth-first search meets them.
pub fn determinise(lts: &Lts, steps: Steps, cap: Option<usize>) -> Result<Lts, TooLarge> {
    determinise_while(lts, steps, cap, &|| true)
}

/// As [`determinise`], unless it is to stop before the end; it asks now and then.
pub fn determinise_while(
    lts: &Lts,
    steps: Steps,
    cap: Option<usize>,
    go_on: &dyn Fn() -> bool,
) -> Result<Lts, TooLarge> {
    let mut subsets = Subsets::new(lts, steps);
    let mut offsets = vec![0u32];
    let mut edges = Vec::new();
    let (mut next, mut asked) = (0, 0);
    while next < subsets.len() {
        // Few subsets of many members are as much work as many of few.
        if subsets.members.len() - asked > 1 << 14 {
            asked = subsets.members.len();
            if !go_on() {
                return Err(TooLarge::Stopped);
            }
        }
        subsets.successors(StateId::new(next), &mut edges);
        assert!(u32::try_from(edges.len()).is_ok(), "too many transitions for 32-bit rows");
        offsets.push(edges.len() as u32);
        if let Some(cap) = cap.filter(|&cap| subsets.len() > cap) {
            return Err(TooLarge::Subsets(cap));
        }
        next += 1;
    }
    let marked = (0..subsets.len()).map(StateId::new).filter(|&s| subsets.is_marked(s));
    Ok(Lts::from_unsorted_rows(StateId(0), offsets, edges).with_marked(marked))
}

/// The subsets met so far; number 0 is the initial one.
pub(super) struct Subsets<'a> {
    lts: &'a Lts,
    steps: Steps,
    /// Members of all subsets, each subset sorted.
    members: Vec<StateId>,
    ends: Vec<usize>,
    index: HashTable<u32>,
    /// Edges that leave the subset at hand.
    leaving: Vec<Edge>,
    /// Members of the subset being made, and whether a state is among them.
    fresh: Vec<StateId>,
    is_fresh: FixedBitSet,
}

impl<'a> Subsets<'a> {
    pub(super) fn new(lts: &'a Lts, steps: Steps) -> Self {
        let mut subsets = Self {
            lts,
            steps,
            members: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
            leaving: Vec::new(),
            fresh: Vec::new(),
            is_fresh: FixedBitSet::with_capacity(lts.num_states()),
        };
        subsets.add(lts.initial());
        subsets.intern();
        subsets
    }

    /// How many subsets were met.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The states in a subset.
    fn members(&self, subset: StateId) -> &[StateId] {
        members(&self.members, &self.ends, subset.0)
    }

    /// Whether some member is marked.
    pub(super) fn is_marked(&self, subset: StateId) -> bool {
        self.lts.has_marked() && self.members(subset).iter().any(|&s| self.lts.is_marked(s))
    }

    /// Appends the edges of a subset, one per label, in label order.
    pub(super) fn successors(&mut self, subset: StateId, into: &mut Vec<Edge>) {
        let mut leaving = std::mem::take(&mut self.leaving);
        leaving.clear();
        for &s in self.members(subset) {
            leaving.extend_from_slice(self.lts.row(s));
        }
        if self.steps == Steps::Weak {
            leaving.retain(|e| !e.label.is_tau());
        }
        leaving.sort_unstable();
        leaving.dedup();
        for group in leaving.chunk_by(|e, f| e.label == f.label) {
            group.iter().for_each(|e| self.add(e.target));
            let target = self.intern();
            into.push(Edge { label: group[0].label, target });
        }
        self.leaving = leaving;
    }

    /// Adds a state to the subset being made.
    fn add(&mut self, s: StateId) {
        if !self.is_fresh.put(s.at()) {
            self.fresh.push(s);
        }
    }

    /// The number of the subset being made, closed under tau if steps are weak; begins another one.
    fn intern(&mut self) -> StateId {
        if self.steps == Steps::Weak {
            let mut at = 0;
            while at < self.fresh.len() {
                let lts = self.lts;
                for e in lts.row_on(self.fresh[at], LabelId::TAU) {
                    self.add(e.target);
                }
                at += 1;
            }
        }
        self.fresh.sort_unstable();
        let Self { members: all, ends, index, fresh, is_fresh, .. } = self;
        fresh.iter().for_each(|s| is_fresh.remove(s.at()));
        let hashed = hash(fresh);
        let found = index.find(hashed, |&n| members(all, ends, n) == fresh.as_slice()).copied();
        let number = found.unwrap_or_else(|| {
            let number = u32::try_from(ends.len()).expect("fewer than 2^32 subsets fit into memory");
            all.extend_from_slice(fresh);
            ends.push(all.len());
            index.insert_unique(hashed, number, |&n| hash(members(all, ends, n)));
            number
        });
        fresh.clear();
        StateId(number)
    }
}

/// One subset of the array of all.
fn members<'m>(all: &'m [StateId], ends: &[usize], subset: u32) -> &'m [StateId] {
    let at = subset as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &all[start..ends[at]]
}

fn hash(states: &[StateId]) -> u64 {
    let mut hasher = FxHasher::default();
    states.iter().for_each(|s| hasher.write_u32(s.0));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::bisimulation::naive;
    use prequel_model::Transition;
    use std::collections::{BTreeMap, BTreeSet};

    /// The naive twin: sets of states in a map, steps by definition.
    fn naive_determinise(lts: &Lts, steps: Steps) -> Lts {
        let step = |s: StateId| -> Vec<Edge> {
            match steps {
                Steps::Strong => lts.row(s).to_vec(),
                Steps::Weak => naive::weak_row(lts, s),
            }
        };
        let mut first = BTreeSet::from([lts.initial()]);
        if steps == Steps::Weak {
            first.extend(step(lts.initial()).iter().filter(|e| e.label.is_tau()).map(|e| e.target));
        }
        let mut numbers = BTreeMap::from([(first.clone(), 0u32)]);
        let mut order = vec![first];
        let mut transitions = Vec::new();
        let mut next = 0;
        while next < order.len() {
            let mut by_label: BTreeMap<LabelId, BTreeSet<StateId>> = BTreeMap::new();
            for e in order[next].iter().flat_map(|&s| step(s)) {
                if steps == Steps::Strong || !e.label.is_tau() {
                    by_label.entry(e.label).or_default().insert(e.target);
                }
            }
            for (label, set) in by_label {
                let number = *numbers.entry(set.clone()).or_insert_with(|| {
                    order.push(set);
                    order.len() as u32 - 1
                });
                transitions.push(Transition::new(next as u32, label, number));
            }
            next += 1;
        }
        let marked = (0..order.len()).filter(|&n| order[n].iter().any(|&s| lts.is_marked(s))).map(StateId::new);
        Lts::new(StateId(0), order.len(), transitions).with_marked(marked.collect::<Vec<_>>())
    }

    #[test]
    fn subsets_agree_with_naive_construction() {
        for seed in 0..1500 {
            let lts = naive::sample(seed);
            for steps in [Steps::Strong, Steps::Weak] {
                let expected = naive_determinise(&lts, steps);
                assert_eq!(determinise(&lts, steps, None), Ok(expected.clone()), "seed {seed}, {steps:?}: {lts:?}");
                let states = expected.num_states();
                assert_eq!(determinise(&lts, steps, Some(states)), Ok(expected));
                assert_eq!(determinise(&lts, steps, Some(states - 1)), Err(TooLarge::Subsets(states - 1)));
            }
        }
    }

    #[test]
    fn the_cap_stops_an_exponential_construction() {
        // "The n-th letter from the end is a" needs 2^n subsets.
        let (a, b, n) = (LabelId(1), LabelId(2), 40);
        let mut transitions = vec![Transition::new(0, a, 0), Transition::new(0, b, 0), Transition::new(0, a, 1)];
        for s in 1..n {
            transitions.extend([Transition::new(s, a, s + 1), Transition::new(s, b, s + 1)]);
        }
        let lts = Lts::new(StateId(0), n as usize + 1, transitions);
        assert_eq!(determinise(&lts, Steps::Strong, Some(1000)), Err(TooLarge::Subsets(1000)));
    }
}
