//! What can still happen from a state on: how much of it there is, where it ends, and what can be repeated for ever.

use super::explicit::{Until, explore};
use super::product::Product;
use super::scc;
use indexmap::IndexSet;
use prequel_model::{Component, Network, StateId, Step};
use std::collections::VecDeque;

/// The part of a network that a state leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trapped {
    /// How many states, itself among them.
    pub states: usize,
    /// There are more of them.
    pub more: bool,
    /// How many of them have no successor, as far as they were looked at.
    pub dead: usize,
    /// The way to the loop, or to a state without successor where nothing can be repeated.
    pub way: Vec<Step>,
    /// Steps that can be repeated for ever; none where every run ends.
    pub cycle: Vec<Step>,
}

/// Looks at what a global state leads to; where that is more than `most` states, at one walk of four times as many steps, and nothing is told of a
/// walk that neither ends nor comes back to where it was.
pub fn trapped(network: &Network, from: &[StateId], most: u64) -> Option<Trapped> {
    let start = |(c, &s): (&Component, &StateId)| {
        let mut moved = c.clone();
        moved.lts = moved.lts.with_initial(s);
        moved
    };
    let parts: Vec<Component> = network.components().iter().zip(from).map(start).collect();
    let product = Product::new(network.labels().len(), parts.iter().collect());
    let mut met = 0;
    let allowed = |states: u64, _| {
        met += states;
        if met > most { Err(()) } else { Ok(()) }
    };
    let Ok(explored) = explore(&product, |label| label, |_| false, Until::Exhausted, allowed) else {
        return walk(&product, most);
    };
    let (lts, words) = (&explored.lts, product.words());
    let dead = lts.states().filter(|&s| lts.row(s).is_empty()).count();
    // A state on a cycle has an edge within its strongly connected component.
    let parts = scc::components(lts, |_, _| true);
    let inside = |s: StateId, t: StateId| parts.of(s) == parts.of(t);
    let looping = |s: StateId| lts.row(s).iter().any(|e| inside(s, e.target));
    let way = path(lts, StateId(0), looping, |_, _| true)
        .or_else(|| path(lts, StateId(0), |s| lts.row(s).is_empty(), |_, _| true))?;
    let end = *way.last().unwrap_or(&StateId(0));
    let cycle = if looping(end) {
        let first = |s: &StateId| inside(end, *s);
        let after = lts.row(end).iter().map(|e| e.target).filter(first);
        let back = |s: StateId| path(lts, s, |t| t == end, inside);
        let shortest = after.filter_map(back).min_by_key(Vec::len)?;
        [vec![end], shortest].concat()
    } else {
        Vec::new()
    };
    let packed = |s: StateId| &explored.states[s.at() * words..(s.at() + 1) * words];
    let steps =
        |path: &[StateId]| path.windows(2).filter_map(|w| product.step_between(packed(w[0]), packed(w[1]))).collect();
    Some(Trapped { states: lts.num_states(), more: false, dead, way: steps(&way), cycle: steps(&cycle) })
}

/// Walks until nothing can happen or a state comes again; it prefers to come back.
fn walk(product: &Product, most: u64) -> Option<Trapped> {
    let words = product.words();
    let mut path: IndexSet<Vec<u64>> = IndexSet::from([product.initial()]);
    let mut next = Vec::new();
    let steps = |path: &[&Vec<u64>]| path.windows(2).filter_map(|w| product.step_between(w[0], w[1])).collect();
    while path.len() as u64 <= 4 * most {
        next.clear();
        product.successors(path.last()?, &mut next);
        if next.is_empty() {
            let states: Vec<&Vec<u64>> = path.iter().collect();
            return Some(Trapped {
                states: most as usize,
                more: true,
                dead: 1,
                way: steps(&states),
                cycle: Vec::new(),
            });
        }
        if let Some(back) = next.chunks_exact(words).filter_map(|s| path.get_index_of(s)).max() {
            let states: Vec<&Vec<u64>> = path.iter().collect();
            let cycle: Vec<&Vec<u64>> = states[back..].iter().copied().chain([states[back]]).collect();
            let (way, cycle) = (steps(&states[..=back]), steps(&cycle));
            return Some(Trapped { states: most as usize, more: true, dead: 0, way, cycle });
        }
        // Not always the same component's step: one that only counts would take long to come back.
        let at = path.len() % (next.len() / words);
        path.insert(next[at * words..(at + 1) * words].to_vec());
    }
    None
}

/// A shortest path along some edges to a state that is wanted, both ends included.
fn path(
    lts: &prequel_model::Lts,
    from: StateId,
    wanted: impl Fn(StateId) -> bool,
    along: impl Fn(StateId, StateId) -> bool,
) -> Option<Vec<StateId>> {
    let mut before: Vec<Option<StateId>> = vec![None; lts.num_states()];
    before[from.at()] = Some(from);
    let mut open = VecDeque::from([from]);
    while let Some(s) = open.pop_front() {
        if wanted(s) {
            let mut path = vec![s];
            while *path.last()? != from {
                path.push(before[path.last()?.at()]?);
            }
            path.reverse();
            return Some(path);
        }
        for e in lts.row(s).iter().filter(|e| along(s, e.target)) {
            if before[e.target.at()].is_none() {
                before[e.target.at()] = Some(s);
                open.push_back(e.target);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::{LabelId, Labels, Lts, Transition};

    fn network(states: usize, edges: &[(u32, &str, u32)]) -> Network {
        let mut labels = Labels::new();
        let edges = edges.iter().map(|&(s, label, t)| Transition::new(s, labels.intern(label), t)).collect();
        Network::new(labels.clone(), vec![Component::new("x", Lts::new(StateId(0), states, edges))])
    }

    fn names(network: &Network, steps: &[Step]) -> Vec<String> {
        steps.iter().map(|s| network.labels().name(s.label).to_owned()).collect()
    }

    #[test]
    fn a_deadlock_is_one_state() {
        let network = network(2, &[(0, "a", 1)]);
        let found = trapped(&network, &[StateId(1)], 10).unwrap();
        assert_eq!(found, Trapped { states: 1, more: false, dead: 1, way: vec![], cycle: vec![] });
    }

    #[test]
    fn the_nearest_cycle_is_shown_with_the_way_to_it() {
        let network = network(5, &[(0, "a", 1), (1, "b", 2), (2, "c", 1), (0, "d", 3), (3, "e", 4)]);
        let found = trapped(&network, &[StateId(0)], 10).unwrap();
        assert_eq!((found.states, found.dead), (5, 1));
        assert_eq!(names(&network, &found.way), ["a"]);
        assert_eq!(names(&network, &found.cycle), ["b", "c"]);
    }

    #[test]
    fn where_nothing_repeats_the_way_leads_to_the_end() {
        let network = network(4, &[(0, "a", 1), (1, "b", 2), (0, "c", 2)]);
        let found = trapped(&network, &[StateId(0)], 10).unwrap();
        assert_eq!((found.states, found.dead), (3, 1));
        assert_eq!((names(&network, &found.way), found.cycle.len()), (vec!["c".to_owned()], 0));
        // Too much to look at all of it: a walk.
        let found = trapped(&network, &[StateId(0)], 2).unwrap();
        assert_eq!((found.states, found.more, found.dead), (2, true, 1));
        assert_eq!(
            names(&network, &found.way).last().map(String::as_str),
            Some(if found.way.len() == 1 { "c" } else { "b" })
        );
        assert_eq!(trapped(&network, &[StateId(0)], 0), None);
    }

    #[test]
    fn a_walk_finds_a_cycle_where_there_is_too_much_to_look_at() {
        let edges: Vec<(u32, &str, u32)> = (0..9).map(|s| (s, "on", s + 1)).chain([(9, "back", 6)]).collect();
        let network = network(10, &edges);
        let found = trapped(&network, &[StateId(0)], 3).unwrap();
        assert!(found.more && found.states == 3);
        assert_eq!((found.way.len(), names(&network, &found.cycle).join(" ")), (6, "on on on back".into()));
        assert_eq!(trapped(&network, &[StateId(0)], 2), None);
    }

    #[test]
    fn a_self_loop_is_a_cycle() {
        let network = network(2, &[(0, "a", 0), (0, "b", 1)]);
        let found = trapped(&network, &[StateId(0)], 10).unwrap();
        assert_eq!(names(&network, &found.cycle), ["a"]);
        assert!(found.cycle[0].label != LabelId::TAU);
    }
}
