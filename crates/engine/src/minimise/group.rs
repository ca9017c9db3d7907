//! Which systems are composed next: P. Crouzen and F. Lang, *Smart Reduction: Compositional Verification of Transition Systems*.
//!
//! | of the paper | here |
//! | --- | --- |
//! | candidates: what a label needs to become internal, at most four | `candidates` |
//! | hiding metric: the share of transitions that become internal | `Estimate::hidden` |
//! | interleaving metric: how little they keep each other from moving | `Estimate::interleaving` |
//!
//! All is estimated from averages, as if every state were like every other: a system takes a label t(l)/n times from a state, several
//! take it together with the product of these rates. The size is the product of sizes; what is hidden tends to go when the
//! result is minimised, what is kept from interleaving is never reached. So the cost of a group is its size times its
//! interleaving times what is not hidden of it.

use super::Node;
use prequel_model::LabelId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Systems in a group at most.
const MOST: usize = 4;

/// What is expected of a group.
struct Estimate {
    /// Logarithm of the product of sizes.
    size: f64,
    /// Transitions from a state, of all, and of those that become internal.
    all: f64,
    hidden: f64,
    /// Transitions from a state if everybody moved alone.
    alone: f64,
}

impl Estimate {
    fn of(nodes: &[Node], group: &[usize], shared_by: &[u32]) -> Self {
        let mut rates: FxHashMap<LabelId, (f64, u32)> = FxHashMap::default();
        let (mut size, mut alone, mut silent) = (0.0, 0.0, 0.0);
        for &at in group {
            let states = nodes[at].component.lts.num_states() as f64;
            size += states.ln();
            for &(label, count) in &nodes[at].counts {
                let rate = f64::from(count) / states;
                alone += rate;
                if label.is_tau() {
                    silent += rate;
                } else {
                    let (together, takers) = rates.entry(label).or_insert((1.0, 0));
                    *together *= rate;
                    *takers += 1;
                }
            }
        }
        let (mut all, mut hidden) = (silent, silent);
        for (label, (rate, takers)) in rates {
            let inside = group.iter().filter(|&&at| nodes[at].component.takes_part(label)).count() as u32;
            // One that takes part and never takes it blocks it.
            let rate = if takers < inside { 0.0 } else { rate };
            all += rate;
            if inside == shared_by[label.at()] {
                hidden += rate;
            }
        }
        Self { size, all, hidden, alone }
    }

    /// Logarithm of the expected size after minimisation.
    fn cost(&self) -> f64 {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let interleaving = share(self.all, self.alone);
        let shown = 1.0 - share(self.hidden, self.all);
        // Nothing goes altogether: estimates are no more than that.
        self.size + interleaving.max(0.05).ln() + shown.max(0.05).ln()
    }
}

/// The places of the systems that are composed next.
pub fn next(nodes: &[Node], shared_by: &[u32]) -> Vec<usize> {
    let mut best: Option<(f64, Vec<usize>)> = None;
    for group in candidates(nodes) {
        let cost = Estimate::of(nodes, &group, shared_by).cost();
        if best.as_ref().is_none_or(|(least, other)| cost.total_cmp(least).then(group.cmp(other)).is_lt()) {
            best = Some((cost, group));
        }
    }
    best.map_or_else(
        || {
            // Nobody shares anything: the two smallest.
            let mut order: Vec<usize> = (0..nodes.len()).collect();
            order.sort_by_key(|&at| nodes[at].component.lts.num_states());
            order.truncate(2);
            order
        },
        |(_, group)| group,
    )
}

/// For each label, all that take part in it, if they are few, and each two of them.
fn candidates(nodes: &[Node]) -> Vec<Vec<usize>> {
    let mut takers: FxHashMap<LabelId, Vec<usize>> = FxHashMap::default();
    for (at, node) in nodes.iter().enumerate() {
        node.component.alphabet().iter().for_each(|&l| takers.entry(l).or_default().push(at));
    }
    let mut found: FxHashSet<Vec<usize>> = FxHashSet::default();
    for group in takers.into_values().filter(|group| group.len() > 1) {
        // Of many, those that are next to each other.
        for (at, &one) in group.iter().enumerate() {
            let far = if group.len() <= 2 * MOST { group.len() } else { (at + 2).min(group.len()) };
            found.extend(group[at + 1..far].iter().map(|&other| vec![one, other]));
        }
        if group.len() <= MOST {
            found.insert(group);
        }
    }
    let mut found: Vec<Vec<usize>> = found.into_iter().collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimise::Of;
    use prequel_model::{Component, Lts, StateId, Transition};

    /// A component that takes these labels round and round.
    fn cycle(labels: &[u32]) -> Node {
        let states = labels.len() as u32;
        let step = |(at, &l): (usize, &u32)| Transition::new(at as u32, LabelId(l), (at as u32 + 1) % states);
        let lts = Lts::new(StateId(0), labels.len(), labels.iter().enumerate().map(step).collect());
        Node::new(Component::new("cycle", lts), Of::Leaf(None), 0, false)
    }

    fn shared_by(nodes: &[Node]) -> Vec<u32> {
        let mut shared_by = vec![0; 20];
        nodes.iter().flat_map(|n| n.component.alphabet()).for_each(|l| shared_by[l.at()] += 1);
        shared_by
    }

    fn next_of(nodes: &[Node]) -> Vec<usize> {
        let mut group = next(nodes, &shared_by(nodes));
        group.sort_unstable();
        group
    }

    /// 0 and 2 have everything in common that they do; 1 goes its own way and meets each of them once.
    #[test]
    fn those_come_first_whose_labels_become_internal() {
        let nodes = [cycle(&[1, 2, 3, 8]), cycle(&[10, 11, 12, 8, 9]), cycle(&[1, 2, 3, 9])];
        assert_eq!(next_of(&nodes), [0, 2]);
    }

    /// A label of three becomes internal only when all three are together.
    #[test]
    fn a_group_may_be_more_than_a_pair() {
        let nodes = [cycle(&[1, 1]), cycle(&[1, 1]), cycle(&[1, 1]), cycle(&[10, 11, 12, 13, 14, 15, 16, 17])];
        assert_eq!(next_of(&nodes), [0, 1, 2]);
    }

    #[test]
    fn without_common_labels_the_smallest_come_first() {
        let nodes = [cycle(&[1, 2, 3]), cycle(&[4, 5]), cycle(&[6, 7, 8, 9]), cycle(&[10])];
        assert_eq!(next_of(&nodes), [1, 3]);
    }

    /// A label of all is no reason to compose all at once.
    #[test]
    fn groups_stay_small() {
        let nodes: Vec<Node> = (0..12).map(|own| cycle(&[1, own + 2])).collect();
        assert!(candidates(&nodes).iter().all(|group| group.len() == 2));
        assert_eq!(candidates(&nodes).len(), 11, "neighbours only");
        assert_eq!(candidates(&nodes[..5]).len(), 10, "each two");
        assert_eq!(candidates(&nodes[..4]).len(), 7, "each two, and all of them");
    }

    /// One that takes part in a label and never takes it keeps the others from it.
    #[test]
    fn what_is_blocked_does_not_happen() {
        let blocker = Component::with_alphabet("blocker", Lts::new(StateId(0), 1, Vec::new()), [LabelId(1)]);
        let nodes = [cycle(&[1, 1]), Node::new(blocker, Of::Leaf(None), 0, false)];
        let estimate = Estimate::of(&nodes, &[0, 1], &shared_by(&nodes));
        assert_eq!((estimate.all, estimate.hidden), (0.0, 0.0));
    }
}
