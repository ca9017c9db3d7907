//! The product of a network as one system: its reachable states, with the actions that an observer sees.

use super::product::Product;
use hashbrown::HashTable;
use prequel_model::{LabelId, Lts, Network, StateId, Transition, Why};
use rustc_hash::FxHasher;
use std::hash::Hasher as _;

/// Builds the reachable product. A state is marked when every component that has marks is in a marked state.
///
/// `allowed` is asked now and then with the numbers of states and transitions that are new since it was last asked.
pub fn explicit(network: &Network, allowed: impl FnMut(u64, u64) -> Result<(), Why>) -> Result<Lts, Why> {
    let product = Product::new(network.labels().len(), network.components().iter().collect());
    let marking: Vec<_> = network.ids().filter(|&c| network.component(c).lts.has_marked()).collect();
    let is_marked = |packed: &[u64]| {
        !marking.is_empty() && marking.iter().all(|&c| network.component(c).lts.is_marked(product.local(packed, c)))
    };
    Ok(explore(&product, |label| network.labels().action(label), is_marked, Until::Exhausted, allowed)?.lts)
}

/// What was explored of a product.
#[derive(Debug)]
pub struct Explored {
    /// As one system, its states numbered as they were met.
    pub lts: Lts,
    /// The packed states in this order.
    pub states: Vec<u64>,
}

/// When an exploration ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Until {
    /// When there is nothing left.
    Exhausted,
    /// When the first marked state was met: edges that were not yet looked at are missing then.
    Marked,
}

/// Explores a product breadth first and gives what was met as one system, its edges under the labels that `seen` gives them.
///
/// `allowed` is as in [`explicit`].
pub fn explore<E>(
    product: &Product,
    seen: impl Fn(LabelId) -> LabelId,
    is_marked: impl Fn(&[u64]) -> bool,
    until: Until,
    allowed: impl FnMut(u64, u64) -> Result<(), E>,
) -> Result<Explored, E> {
    explore_from(product, product.initial(), seen, is_marked, until, allowed)
}

/// As [`explore`], from these packed states, which are all different; they get the first numbers.
pub fn explore_from<E>(
    product: &Product,
    from: Vec<u64>,
    seen: impl Fn(LabelId) -> LabelId,
    is_marked: impl Fn(&[u64]) -> bool,
    until: Until,
    mut allowed: impl FnMut(u64, u64) -> Result<(), E>,
) -> Result<Explored, E> {
    let words = product.words();
    let mut states: Vec<u64> = from;
    let mut table: HashTable<u32> = HashTable::new();
    let mut marked: Vec<StateId> = Vec::new();
    for (at, state) in states.chunks_exact(words).enumerate() {
        table.insert_unique(hash(state), at as u32, |&n| hash(&states[n as usize * words..(n as usize + 1) * words]));
        marked.extend(is_marked(state).then_some(StateId::new(at)));
    }
    let (mut transitions, mut out, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    let (mut at, mut reported) = (0, (0, 0));
    'search: while at * words < states.len() && (until == Until::Exhausted || marked.is_empty()) {
        out.clear();
        labels.clear();
        product.labelled_successors(&states[at * words..(at + 1) * words], &mut out, &mut labels);
        for (next, &label) in out.chunks_exact(words).zip(&labels) {
            let stored = |n: u32| &states[n as usize * words..(n as usize + 1) * words];
            let count = (states.len() / words) as u32;
            let entry = table.entry(hash(next), |&n| stored(n) == next, |&n| hash(stored(n)));
            let target = *entry.or_insert(count).get();
            transitions.push(Transition::new(at as u32, seen(label), target));
            if target == count {
                states.extend_from_slice(next);
                if is_marked(next) {
                    marked.push(StateId(target));
                    if until == Until::Marked {
                        break 'search;
                    }
                }
            }
        }
        at += 1;
        // Often at first: who allows few states must hear of them. States with many successors take long.
        let many = transitions.len() as u64 - reported.1 >= 1 << 15;
        if at % 4096 == 0 || (at >= 64 && at.is_power_of_two()) || many {
            let now = ((states.len() / words) as u64, transitions.len() as u64);
            allowed(now.0 - reported.0, now.1 - reported.1)?;
            reported = now;
        }
    }
    allowed((states.len() / words) as u64 - reported.0, transitions.len() as u64 - reported.1)?;
    let lts = Lts::new(StateId(0), states.len() / words, transitions).with_marked(marked);
    Ok(Explored { lts, states })
}

fn hash(state: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    state.iter().for_each(|&w| hasher.write_u64(w));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random::{Shape, network};
    use std::collections::{BTreeSet, HashMap};

    /// The definition, with states numbered as they are found.
    fn naive(network: &Network) -> (usize, BTreeSet<(usize, LabelId, usize)>) {
        let mut number = HashMap::from([(network.initial(), 0)]);
        let (mut order, mut edges, mut at) = (vec![network.initial()], BTreeSet::new(), 0);
        while at < order.len() {
            for step in network.steps(&order[at].clone()) {
                let mut next = order[at].clone();
                step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
                let fresh = number.len();
                let target = *number.entry(next.clone()).or_insert(fresh);
                if target == fresh {
                    order.push(next);
                }
                edges.insert((at, network.labels().action(step.label), target));
            }
            at += 1;
        }
        (order.len(), edges)
    }

    /// Same size and same traces; numbering differs, so compare what does not depend on it.
    #[test]
    fn the_product_is_that_of_the_definition() {
        for seed in 0..800 {
            let network = network(seed, &Shape::default());
            let lts = explicit(&network, |_, _| Ok(())).unwrap();
            let (states, edges) = naive(&network);
            assert_eq!((lts.num_states(), lts.num_transitions()), (states, edges.len()), "seed {seed}");
            let profile = |edges: &mut dyn Iterator<Item = (usize, LabelId)>| {
                let mut by_state: HashMap<usize, Vec<LabelId>> = HashMap::new();
                edges.for_each(|(s, l)| by_state.entry(s).or_default().push(l));
                let mut rows: Vec<_> = by_state
                    .into_values()
                    .map(|mut row| {
                        row.sort();
                        row
                    })
                    .collect();
                rows.sort();
                rows
            };
            let ours = profile(&mut lts.transitions().map(|t| (t.source.at(), t.label)));
            assert_eq!(ours, profile(&mut edges.iter().map(|e| (e.0, e.1))), "seed {seed}");
        }
    }

    #[test]
    fn a_limit_stops_it() {
        let network = network(3, &Shape { components: 8, ..Shape::default() });
        assert_eq!(explicit(&network, |_, _| Err(Why::States(1))), Err(Why::States(1)));
    }
}
