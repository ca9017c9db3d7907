//! Acceptance by states: several sets of edges are waited for one after the other.
//!
//! Each component has copies only for the sets that make a difference in it, and none if all of its cycles are accepted or none is
//! (T. Babiak et al., *Compositional approach to suspension and other improvements to LTL translation*, SPIN 2013). What all edges of a
//! state have counts as soon as the state is reached.

use super::automaton::{Automaton, Edge};
use rustc_hash::FxHashMap;

/// How sets are waited for.
#[derive(Clone, Debug)]
pub struct Way {
    /// The sets, the first one first.
    pub order: Vec<u32>,
    /// Whether a component is entered as if all sets had just been met.
    pub enters_accepting: bool,
    /// Whether the edge that leaves an accepting state counts already.
    pub eager: bool,
}

/// An automaton for the same words with one set, to which all edges of a state belong or none.
pub fn by_states(automaton: &Automaton, way: &Way) -> Automaton {
    if automaton.states.is_empty() {
        return Automaton { states: Vec::new(), sets: 1 };
    }
    let components = automaton.components();
    let accepting = automaton.accepting(&components);
    let component = |state: usize| components.of[state];
    let inner = |state: usize| {
        let stays = move |edge: &&Edge| component(edge.to) == component(state);
        automaton.states[state].iter().filter(stays)
    };
    let has = |marks: u64, set: u32| marks >> set & 1 == 1;
    // For each component the sets that are waited for.
    let sets: Vec<Vec<u32>> = (0..components.count)
        .map(|number| {
            let edges: Vec<u64> = (0..automaton.states.len())
                .filter(|&state| component(state) == number)
                .flat_map(|state| inner(state).map(|edge| edge.marks))
                .collect();
            let mut kept = way.order.clone();
            kept.retain(|&set| !edges.iter().all(|&marks| has(marks, set)));
            let mut at = 0;
            while at < kept.len() {
                let follows =
                    |&from: &u32| from != kept[at] && edges.iter().all(|&m| !has(m, from) || has(m, kept[at]));
                if kept.iter().any(follows) {
                    kept.remove(at);
                } else {
                    at += 1;
                }
            }
            kept
        })
        .collect();
    let common: Vec<u64> =
        (0..automaton.states.len()).map(|state| inner(state).fold(u64::MAX, |all, edge| all & edge.marks)).collect();
    let advanced = |mut level: usize, marks: u64, state: usize| {
        let sets = &sets[component(state)];
        while level < sets.len() && has(marks | common[state], sets[level]) {
            level += 1;
        }
        level
    };
    let entered = |state: usize| match accepting[component(state)] {
        true if way.enters_accepting => sets[component(state)].len(),
        true => advanced(0, 0, state),
        false => 0,
    };
    let first = (0, entered(0));
    let mut numbers = FxHashMap::from_iter([(first, 0)]);
    let (mut order, mut states) = (vec![first], Vec::new());
    while states.len() < order.len() {
        let (state, level) = order[states.len()];
        let here = component(state);
        let accepts = accepting[here] && level == sets[here].len();
        let mut edges = Vec::new();
        for edge in &automaton.states[state] {
            let next = if component(edge.to) != here {
                entered(edge.to)
            } else if accepts && !way.eager && !sets[here].is_empty() {
                0
            } else if accepting[here] {
                advanced(if accepts { 0 } else { level }, edge.marks, edge.to)
            } else {
                0
            };
            let to = *numbers.entry((edge.to, next)).or_insert_with(|| {
                order.push((edge.to, next));
                order.len() - 1
            });
            edges.push(Edge { to, when: edge.when, marks: u64::from(accepts) });
        }
        states.push(edges);
    }
    Automaton { states, sets: 1 }
}

/// The orders in which so many sets are tried.
pub fn orders(sets: u32) -> Vec<Vec<u32>> {
    const MOST: u32 = 4;
    let all: Vec<u32> = (0..sets).collect();
    if sets > MOST {
        return vec![all.clone(), all.into_iter().rev().collect()];
    }
    let mut orders = vec![Vec::new()];
    for _ in 0..sets {
        let longer = |order: &Vec<u32>| {
            let order = order.clone();
            let rest: Vec<u32> = all.iter().copied().filter(|set| !order.contains(set)).collect();
            rest.into_iter().map(move |set| [&order[..], &[set]].concat())
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}
