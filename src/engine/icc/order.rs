//! The order in which components are looked at (Section 4, "Heuristics to Select an Initial Component Order").

use super::options::{ClassOrder, Options};
use crate::families::rng::Rng;
use crate::model::{Component, LabelId, Lts};

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
        ClassOrder::Linked => order = linked(parts, monitor, &distance),
    }
    order
}

/// How far each part is from the property, through common labels (relation D).
fn distances(parts: &[Component], monitor: &Component) -> Vec<usize> {
    let mut distance = vec![usize::MAX; parts.len()];
    let mut near: Vec<LabelId> = monitor.alphabet().to_vec();
    for round in 0.. {
        near.sort_unstable();
        near.dedup();
        let is_near = |l: &LabelId| near.binary_search(l).is_ok();
        let met: Vec<usize> = (0..parts.len())
            .filter(|&c| distance[c] == usize::MAX && parts[c].alphabet().iter().any(is_near))
            .collect();
        if met.is_empty() {
            break;
        }
        near.clear();
        for c in met {
            distance[c] = round;
            near.extend_from_slice(parts[c].alphabet());
        }
    }
    distance
}

/// Class by class; within a class, next comes the part that shares most labels with those before it and the property.
fn linked(parts: &[Component], monitor: &Component, distance: &[usize]) -> Vec<usize> {
    let labels = parts.iter().chain([monitor]).flat_map(|c| c.alphabet()).map(|l| l.at() + 1).max().unwrap_or(1);
    let mut placed = vec![false; labels];
    monitor.alphabet().iter().for_each(|l| placed[l.at()] = true);
    let mut left: Vec<usize> = (0..parts.len()).collect();
    let mut order = Vec::with_capacity(parts.len());
    while !left.is_empty() {
        let shared = |c: usize| parts[c].alphabet().iter().filter(|l| placed[l.at()]).count();
        let key = |&at: &usize| (distance[left[at]], std::cmp::Reverse(shared(left[at])), left[at]);
        let best = (0..left.len()).min_by_key(key).expect("some are left");
        let c = left.remove(best);
        parts[c].alphabet().iter().for_each(|l| placed[l.at()] = true);
        order.push(c);
    }
    order
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
