//! Parts of a system: what can be reached, and what can still reach a mark.

use super::predecessors::Predecessors;
use fixedbitset::FixedBitSet;
use prequel_model::{Edge, Lts, StateId};

/// A part of a system, and where its states went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trimmed {
    /// The part, its states in their old order, marks kept.
    pub lts: Lts,
    /// The new number of each old state that is still there.
    pub new_of: Vec<Option<StateId>>,
}

/// The states that can be reached from the initial one.
pub fn reachable(lts: &Lts) -> FixedBitSet {
    search(lts.num_states(), [lts.initial()], |s| lts.row(s).iter().map(|e| e.target))
}

/// The states from which a marked state can be reached.
pub fn coreachable(lts: &Lts) -> FixedBitSet {
    let predecessors = Predecessors::of(lts);
    search(lts.num_states(), lts.marked(), |s| predecessors.all(s).iter().copied())
}

/// The part that can be reached from the initial state.
pub fn trim_reachable(lts: &Lts) -> Trimmed {
    keep(lts, reachable(lts))
}

/// The part from which a marked state can be reached. The initial state stays in any case.
pub fn trim_coreachable(lts: &Lts) -> Trimmed {
    keep(lts, coreachable(lts))
}

/// The part that lies on paths from the initial to a marked state. The initial state stays in any case.
pub fn trim(lts: &Lts) -> Trimmed {
    // A path from the initial to a marked state lies in both sets as a whole, so no second round is needed.
    let mut states = coreachable(lts);
    states.intersect_with(&reachable(lts));
    keep(lts, states)
}

/// The part made of these states and the initial one.
fn keep(lts: &Lts, mut states: FixedBitSet) -> Trimmed {
    states.insert(lts.initial().at());
    let mut new_of = vec![None; lts.num_states()];
    for (new, old) in states.ones().enumerate() {
        new_of[old] = Some(StateId::new(new));
    }
    if states.count_ones(..) == lts.num_states() {
        return Trimmed { lts: lts.clone(), new_of };
    }
    let mut offsets = vec![0u32];
    let mut edges = Vec::new();
    for old in states.ones() {
        let row = lts.row(StateId::new(old)).iter();
        edges.extend(row.filter_map(|e| Some(Edge { label: e.label, target: new_of[e.target.at()]? })));
        offsets.push(edges.len() as u32);
    }
    let initial = new_of[lts.initial().at()].expect("the initial state is kept");
    let part =
        Lts::from_unsorted_rows(initial, offsets, edges).with_marked(lts.marked().filter_map(|s| new_of[s.at()]));
    Trimmed { lts: part, new_of }
}

/// Everything that can be reached from some states in steps of `next`.
fn search<Next: Iterator<Item = StateId>>(
    states: usize,
    from: impl IntoIterator<Item = StateId>,
    next: impl Fn(StateId) -> Next,
) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(states);
    let mut todo: Vec<StateId> = from.into_iter().filter(|s| !seen.put(s.at())).collect();
    while let Some(s) = todo.pop() {
        todo.extend(next(s).filter(|t| !seen.put(t.at())));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random;
    use prequel_model::rng::Rng;
    use prequel_model::{LabelId, Transition};

    /// The naive twin: add what has an edge from (or to) the set until nothing changes.
    fn saturate(lts: &Lts, mut set: Vec<bool>, forward: bool) -> Vec<bool> {
        loop {
            let before = set.clone();
            for t in lts.transitions() {
                let (from, to) = if forward { (t.source, t.target) } else { (t.target, t.source) };
                set[to.at()] |= set[from.at()];
            }
            if set == before {
                return set;
            }
        }
    }

    #[test]
    fn parts_agree_with_naive_closure() {
        for seed in 0..1500 {
            let mut rng = Rng::new(seed);
            let lts = random::lts(&mut rng, 14, &[LabelId(1), LabelId(2)], 2);
            let marks: Vec<StateId> = lts.states().filter(|_| rng.chance(20)).collect();
            let lts = lts.with_marked(marks);
            let forward = saturate(&lts, lts.states().map(|s| s == lts.initial()).collect(), true);
            let backward = saturate(&lts, lts.states().map(|s| lts.is_marked(s)).collect(), false);
            let both: Vec<bool> = forward.iter().zip(&backward).map(|(f, b)| *f && *b).collect();
            for (part, expected) in
                [(trim_reachable(&lts), forward), (trim_coreachable(&lts), backward), (trim(&lts), both)]
            {
                for s in lts.states() {
                    let stays = expected[s.at()] || s == lts.initial();
                    assert_eq!(part.new_of[s.at()].is_some(), stays, "seed {seed}, state {s:?}");
                    if let Some(new) = part.new_of[s.at()] {
                        assert_eq!(part.lts.is_marked(new), lts.is_marked(s));
                    }
                }
                assert_eq!(part.new_of[lts.initial().at()], Some(part.lts.initial()));
                let renamed: Vec<Transition> = lts
                    .transitions()
                    .filter_map(|t| {
                        let (source, target) = (part.new_of[t.source.at()]?, part.new_of[t.target.at()]?);
                        Some(Transition { source, label: t.label, target })
                    })
                    .collect();
                assert_eq!(part.lts.transitions().collect::<Vec<_>>(), renamed, "seed {seed}");
            }
        }
    }

    #[test]
    fn an_initial_state_without_hope_stays_alone() {
        let lts = Lts::new(StateId(1), 3, vec![Transition::new(1, LabelId(1), 0)]).with_marked([StateId(2)]);
        let part = trim(&lts).lts;
        assert_eq!((part.num_states(), part.num_transitions(), part.has_marked()), (1, 0, false));
    }
}
