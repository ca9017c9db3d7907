//! Who stands next to whom: an order in which those that have much in common are near each other.

use prequel_model::{Bit, Circuit};
use rustc_hash::FxHashMap;

/// Groups larger than this say nothing of who is near whom.
const LARGEST_GROUP: usize = 8;

/// Orders `many` things of which some belong together: next comes what has most in common with those that are there already,
/// counted less the larger the group; it begins with what has least in common with the others, which is an end of a row.
pub fn arranged(many: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut near: Vec<FxHashMap<usize, f64>> = vec![FxHashMap::default(); many];
    for group in groups.iter().filter(|group| (2..=LARGEST_GROUP.max(many / 4)).contains(&group.len())) {
        let weight = 1.0 / (group.len() - 1) as f64;
        for &a in group {
            for &b in group.iter().filter(|&&b| b != a) {
                *near[a].entry(b).or_default() += weight;
            }
        }
    }
    let mut left: Vec<usize> = (0..many).collect();
    let mut pull = vec![0.0f64; many];
    let mut order = Vec::with_capacity(many);
    while !left.is_empty() {
        // A pull of zero means a new group of neighbours: begin at an end of it.
        let degree = |thing: usize| near[thing].len();
        let better = |a: usize, b: usize| match pull[a].total_cmp(&pull[b]) {
            std::cmp::Ordering::Equal => degree(a).cmp(&degree(b)).then(a.cmp(&b)).is_lt(),
            other => other.is_gt(),
        };
        let best = (0..left.len()).reduce(|a, b| if better(left[b], left[a]) { b } else { a });
        let next = left.remove(best.expect("somebody is left"));
        for (&other, weight) in &near[next] {
            pull[other] += weight;
        }
        order.push(next);
    }
    order
}

/// The variables of a circuit from the top of decision diagrams to their bottom: those that most parts look at first, then
/// part after part.
pub fn variables(circuit: &Circuit) -> Vec<Bit> {
    let bits = circuit.bits as usize;
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); bits];
    let mut own: Vec<Vec<usize>> = Vec::new();
    for (at, part) in circuit.parts.iter().enumerate() {
        let mut seen: Vec<(Bit, bool)> = circuit.aig.support(part.step).into_iter().map(Bit::of).collect();
        seen.extend(circuit.aig.support(part.initial).into_iter().map(Bit::of));
        seen.sort_unstable();
        seen.dedup_by_key(|(bit, _)| *bit);
        seen.iter().for_each(|(bit, _)| users[bit.0 as usize].push(at));
        own.push(seen.into_iter().map(|(bit, _)| bit.0 as usize).collect());
    }
    let many = |bit: &usize| users[*bit].len() > LARGEST_GROUP.min(circuit.parts.len() / 2 + 1);
    let mut order: Vec<usize> = (0..bits).filter(many).collect();
    let mut placed = vec![false; bits];
    order.iter().for_each(|&bit| placed[bit] = true);
    let parts = arranged(circuit.parts.len(), &users);
    for bit in parts.into_iter().flat_map(|part| own[part].clone()).chain(0..bits) {
        if !std::mem::replace(&mut placed[bit], true) {
            order.push(bit);
        }
    }
    order.into_iter().map(|bit| Bit(bit as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stays_a_row_whatever_the_numbers() {
        let order = arranged(5, &[vec![3, 0], vec![0, 4], vec![4, 1], vec![1, 2]]);
        assert!(order == [3, 0, 4, 1, 2] || order == [2, 1, 4, 0, 3], "{order:?}");
    }

    #[test]
    fn everything_is_there_once() {
        let mut order = arranged(6, &[vec![0, 1], vec![4, 5]]);
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }
}
