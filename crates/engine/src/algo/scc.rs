//! Strongly connected components of a part of the edges.
//!
//! Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972) with its recursion on an explicit stack:
//! a chain of ten million states must not need ten million stack frames.

use prequel_model::{Edge, Lts, StateId};

/// Which component each state is in.
///
/// Components are numbered against the edges: an edge between two components leads to the lower number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Components {
    of: Vec<u32>,
    count: usize,
}

impl Components {
    /// The component of a state.
    #[inline]
    pub fn of(&self, s: StateId) -> u32 {
        self.of[s.at()]
    }

    /// How many components.
    pub fn count(&self) -> usize {
        self.count
    }
}

/// Marks a state without a number yet.
const NONE: u32 = u32::MAX;

/// The components of the graph of those edges that `keep` lets through.
pub fn components(lts: &Lts, keep: impl Fn(StateId, &Edge) -> bool) -> Components {
    let states = lts.num_states();
    let mut order = vec![NONE; states];
    let mut low = vec![NONE; states];
    let mut of = vec![NONE; states];
    let mut open: Vec<StateId> = Vec::new();
    let mut path: Vec<(StateId, u32)> = Vec::new();
    let (mut seen, mut count) = (0u32, 0u32);
    for root in lts.states() {
        let mut enter = (order[root.at()] == NONE).then_some(root);
        loop {
            if let Some(s) = enter.take() {
                order[s.at()] = seen;
                low[s.at()] = seen;
                seen += 1;
                open.push(s);
                path.push((s, 0));
            }
            let Some((s, next)) = path.last_mut() else { break };
            let s = *s;
            if let Some(e) = lts.row(s).get(*next as usize) {
                *next += 1;
                if !keep(s, e) {
                    continue;
                }
                let t = e.target;
                if order[t.at()] == NONE {
                    enter = Some(t);
                } else if of[t.at()] == NONE {
                    low[s.at()] = low[s.at()].min(order[t.at()]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent.at()] = low[parent.at()].min(low[s.at()]);
            }
            if low[s.at()] == order[s.at()] {
                while let Some(member) = open.pop() {
                    of[member.at()] = count;
                    if member == s {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    Components { of, count: count as usize }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random;
    use prequel_model::rng::Rng;
    use prequel_model::{LabelId, Transition};

    /// The naive twin: reachability between all pairs.
    fn reach(lts: &Lts, keep: &impl Fn(StateId, &Edge) -> bool) -> Vec<Vec<bool>> {
        lts.states()
            .map(|from| {
                let mut seen = vec![false; lts.num_states()];
                let mut todo = vec![from];
                seen[from.at()] = true;
                while let Some(s) = todo.pop() {
                    for e in lts.row(s).iter().filter(|e| keep(s, e)) {
                        if !std::mem::replace(&mut seen[e.target.at()], true) {
                            todo.push(e.target);
                        }
                    }
                }
                seen
            })
            .collect()
    }

    #[test]
    fn components_are_mutual_reachability_in_reverse_topological_order() {
        for seed in 0..1500 {
            let mut rng = Rng::new(seed);
            let lts = random::lts(&mut rng, 15, &[LabelId(1), LabelId(2)], 3);
            let only_one = rng.chance(50);
            let keep = |_: StateId, e: &Edge| !only_one || e.label == LabelId(1);
            let found = components(&lts, keep);
            let reach = reach(&lts, &keep);
            for s in lts.states() {
                for t in lts.states() {
                    let together = reach[s.at()][t.at()] && reach[t.at()][s.at()];
                    assert_eq!(found.of(s) == found.of(t), together, "seed {seed}: {s:?} {t:?}");
                    assert!(!reach[s.at()][t.at()] || found.of(t) <= found.of(s), "seed {seed}: order");
                }
                assert!((found.of(s) as usize) < found.count());
            }
        }
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let states = 1_000_000u32;
        let chain = (0..states - 1).map(|s| Transition::new(s, LabelId::TAU, s + 1)).collect();
        assert_eq!(components(&Lts::new(StateId(0), states as usize, chain), |_, _| true).count(), states as usize);
    }
}
