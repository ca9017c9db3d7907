//! The order in which components are looked at (Section 4, "Heuristics to Select an Initial Component Order").

use super::options::{ClassOrder, Options};
use prequel_model::rng::Rng;
use prequel_model::{Component, LabelId, Lts, Participants};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;

/// An order of the parts, by index.
pub fn initial(parts: &[Component], monitor: &Component, options: &Options, seed: u64) -> Vec<usize> {
    let distance = match options.dependency_order {
        true => distances(parts, monitor),
        false => vec![0; parts.len()],
    };
    let mut order: Vec<usize> = (0..parts.len()).collect();
    match options.class_order {
        ClassOrder::Given => order.sort_by_key(|&c| distance[c]),
        ClassOrder::Small => order.sort_by_key(|&c| (distance[c], parts[c].lts.num_states())),
        ClassOrder::Random => {
            let mut rng = Rng::new(seed);
            let keys: Vec<usize> = parts.iter().map(|_| rng.below(1 << 30)).collect();
            order.sort_by_key(|&c| (distance[c], keys[c]));
        }
        ClassOrder::Linked => link(&mut order, parts, monitor, &distance),
    }
    order
}

/// How far each part is from the property, through common labels (relation D).
fn distances(parts: &[Component], monitor: &Component) -> Vec<usize> {
    let labels = parts.iter().chain([monitor]).flat_map(|c| c.alphabet()).map(|l| l.at() + 1).max().unwrap_or(1);
    let participants = Participants::of(labels, parts.iter());
    let mut distance = vec![usize::MAX; parts.len()];
    let mut looked_at = vec![false; labels];
    let mut near: Vec<LabelId> = monitor.alphabet().to_vec();
    for round in 0.. {
        let mut next = Vec::new();
        for label in near.drain(..).filter(|l| !std::mem::replace(&mut looked_at[l.at()], true)) {
            for c in participants.of_label(label).iter().map(|c| c.at()) {
                if distance[c] == usize::MAX {
                    distance[c] = round;
                    next.extend_from_slice(parts[c].alphabet());
                }
            }
        }
        if next.is_empty() {
            break;
        }
        near = next;
    }
    distance
}

/// Within a class, next comes the part that shares most labels with those before it and the property.
fn link(order: &mut [usize], parts: &[Component], monitor: &Component, distance: &[usize]) {
    let mut placed: FxHashSet<LabelId> = monitor.alphabet().iter().copied().collect();
    order.sort_by_key(|&c| distance[c]);
    for class in order.chunk_by_mut(|&c, &d| distance[c] == distance[d]) {
        for at in 0..class.len() {
            let shared = |c: usize| parts[c].alphabet().iter().filter(|l| placed.contains(l)).count();
            let best = (at..class.len()).min_by_key(|&n| (Reverse(shared(class[n])), class[n]));
            class.swap(at, best.expect("the class goes on"));
            placed.extend(parts[class[at]].alphabet());
        }
    }
}

/// Brings forward the part that takes part in most letters of the shortest word just selected, by rotation.
pub fn select_next(rest: &mut [usize], parts: &[Component], selected: &Lts) {
    let Some(word) = shortest_word(selected) else { return };
    let score = |c: usize| word.iter().filter(|&&l| parts[c].takes_part(l)).count();
    // The first of the best.
    let best = (0..rest.len()).rev().max_by_key(|&at| score(rest[at]));
    if let Some(best) = best {
        rest.rotate_left(best);
    }
}

/// A shortest word that leads to a marked state.
pub fn shortest_word(lts: &Lts) -> Option<Vec<LabelId>> {
    let mut by = vec![None; lts.num_states()];
    let mut seen = vec![false; lts.num_states()];
    let mut queue = vec![lts.initial()];
    seen[lts.initial().at()] = true;
    let mut at = 0;
    while at < queue.len() {
        let s = queue[at];
        if lts.is_marked(s) {
            let (mut word, mut s) = (Vec::new(), s);
            while let Some((from, label)) = by[s.at()] {
                word.push(label);
                s = from;
            }
            word.reverse();
            return Some(word);
        }
        for e in lts.row(s) {
            if !std::mem::replace(&mut seen[e.target.at()], true) {
                by[e.target.at()] = Some((s, e.label));
                queue.push(e.target);
            }
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::Safety;
    use prequel_families::token_ring;
    use prequel_model::{ComponentId, Goal, Problem, Query, StateId};

    /// The token's way round the ring, seen from cell 0: itself, its neighbours, theirs.
    #[test]
    fn components_near_the_property_come_first() {
        let network = token_ring::ring(7, 0).network;
        let goal = Goal::at(ComponentId(0), StateId(2));
        let safety = Safety::of(&Problem { network, query: Query::Reach(goal) }, true).unwrap();
        assert_eq!(distances(&safety.parts, &safety.monitor), [0, 1, 2, 3, 3, 2, 1]);
        for class_order in [ClassOrder::Given, ClassOrder::Small, ClassOrder::Linked, ClassOrder::Random] {
            let options = Options { class_order, ..Options::default() };
            let order = initial(&safety.parts, &safety.monitor, &options, 9);
            assert_eq!(order[0], 0);
            assert!([1, 6].contains(&order[1]) && [1, 6].contains(&order[2]) && order[1] != order[2]);
        }
    }
}
