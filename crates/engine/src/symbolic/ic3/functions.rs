//! What a step demands, taken apart: variables that are functions of the state before, and what else is said of steps.

use prequel_model::{Aig, Bit, Lit, Node};
use rustc_hash::{FxHashMap, FxHashSet};

/// Variables that are functions of the state before, and what else the steps demand. That a variable is what its function says can
/// always be met, so it matters only where a value is asked for, or where something else is said of it.
pub fn functions(aig: &Aig, steps: &[Lit]) -> (FxHashMap<Bit, Lit>, Vec<Lit>) {
    let mut conjuncts: Vec<Lit> = steps.iter().flat_map(|&f| aig.conjuncts(f)).collect();
    conjuncts.sort_unstable();
    conjuncts.dedup();
    let after = |f: Lit| match aig.node(f) {
        Node::Input(input) => Some(Bit::of(input)).filter(|(_, after)| *after).map(|(bit, _)| bit),
        _ => None,
    };
    // `x' ⇔ f` is two conjuncts: not both x' and ¬f, not both ¬x' and f.
    let mut halves: FxHashMap<(Bit, bool), Vec<(usize, Lit)>> = FxHashMap::default();
    for (at, &conjunct) in conjuncts.iter().enumerate() {
        if let Some(bit) = after(conjunct) {
            let value = if conjunct.is_negated() { Lit::FALSE } else { Lit::TRUE };
            halves.entry((bit, true)).or_default().push((at, value));
            halves.entry((bit, false)).or_default().push((at, value));
        } else if let (true, Node::And(a, b)) = (conjunct.is_negated(), aig.node(conjunct)) {
            for (one, other) in [(a, b), (b, a)] {
                if let Some(bit) = after(one) {
                    let f = if one.is_negated() { other } else { !other };
                    halves.entry((bit, one.is_negated())).or_default().push((at, f));
                }
            }
        }
    }
    let (mut functions, mut used) = (FxHashMap::default(), FxHashSet::default());
    for (&(bit, _), negative) in halves.iter().filter(|((_, sign), _)| !sign) {
        let positive = halves.get(&(bit, true)).map_or(&[][..], Vec::as_slice);
        let pairs = negative.iter().flat_map(|&(a, f)| positive.iter().map(move |&(b, g)| (a, b, f, g)));
        let of_now = |f: Lit| aig.support(f).into_iter().all(|input| !Bit::of(input).1);
        if let Some((a, b, f, _)) = pairs.into_iter().find(|&(_, _, f, g)| f == g && of_now(f)) {
            functions.insert(bit, f);
            used.extend([a, b]);
        }
    }
    let relations = (0..conjuncts.len()).filter(|at| !used.contains(at)).map(|at| conjuncts[at]);
    (functions, relations.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_from_relations() {
        let mut aig = Aig::default();
        let [x, y, z] = [0, 1, 2].map(Bit);
        let [now_x, now_y] = [x, y].map(|bit| aig.input(bit.now()));
        let [next_x, next_y, next_z] = [x, y, z].map(|bit| aig.input(bit.next()));
        let f = aig.xor(now_x, now_y);
        let function = aig.equal(next_x, f);
        let related = aig.implies(next_y, next_z);
        let step = aig.all([function, related]);
        let (found, others) = functions(&aig, &[step]);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [(x, f)]);
        assert_eq!(others, [related]);
        // What else is said of it is about its function then.
        let also = aig.implies(next_x, next_z);
        let (found, mut others) = functions(&aig, &[step, also]);
        others.sort_unstable();
        assert_eq!((found.len(), others), (1, vec![related, also]));
        let constant = aig.and(next_x, !next_z);
        let (found, others) = functions(&aig, &[constant]);
        assert_eq!((found.len(), others.len()), (2, 0));
    }
}
