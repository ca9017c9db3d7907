//! Minimisation and comparison of whole products, beside the definitions of the equivalences taken literally.

use prequel::engine::algo::compare::{Verdict, compare};
use prequel::engine::algo::equivalence::{Equivalence, minimise};
use prequel::engine::algo::explicit::explicit;
use prequel::families::random;
use prequel::families::random::Shape;
use prequel::model::rng::Rng;
use prequel::model::{LabelId, Lts, Network, StateId};
use std::collections::{BTreeSet, HashSet};

/// The product of a random network of which some labels are hidden, so that there is something to abstract from.
fn product(seed: u64) -> Lts {
    let (mut labels, components) = random::network(seed, &Shape::default()).into_parts();
    let mut rng = Rng::new(seed ^ 0x5eed);
    let visible: Vec<LabelId> = labels.visible().collect();
    visible.into_iter().filter(|_| rng.chance(40)).for_each(|l| labels.show(l, LabelId::TAU));
    explicit(&Network::new(labels, components), |_, _| Ok(())).unwrap()
}

fn equivalent(left: &Lts, right: &Lts, equivalence: Equivalence) -> bool {
    compare(left, right, equivalence, None).unwrap() == Verdict::Equivalent
}

/// A state of one of two systems.
type Side<'a> = (&'a Lts, StateId);

/// The states reached by silent steps, the first included.
fn silently(lts: &Lts, from: StateId) -> BTreeSet<StateId> {
    let (mut seen, mut todo) = (BTreeSet::from([from]), vec![from]);
    while let Some(s) = todo.pop() {
        todo.extend(lts.row_on(s, LabelId::TAU).iter().map(|e| e.target).filter(|&t| seen.insert(t)));
    }
    seen
}

/// Whether every step of the first is matched by the second, so that `related` holds afterwards (and, for branching, before).
fn matched(
    equivalence: Equivalence,
    (left, s): Side,
    (right, t): Side,
    related: &dyn Fn(StateId, StateId) -> bool,
) -> bool {
    left.row(s).iter().all(|step| {
        let direct = |u: StateId| right.row_on(u, step.label).iter().map(|e| e.target);
        match equivalence {
            Equivalence::Strong => direct(t).any(|t| related(step.target, t)),
            Equivalence::Weak => {
                let before = silently(right, t);
                let stays = step.label.is_tau() && before.iter().any(|&u| related(step.target, u));
                let after = before.iter().flat_map(|&u| direct(u)).flat_map(|u| silently(right, u));
                stays || after.into_iter().any(|u| related(step.target, u))
            }
            _ => {
                let stays = step.label.is_tau() && related(step.target, t);
                let from = |u: StateId| related(s, u) && direct(u).any(|v| related(step.target, v));
                stays || silently(right, t).into_iter().any(from)
            }
        }
    })
}

/// The greatest relation in which both sides match each other's steps: all pairs, less those that do not.
fn bisimilar(left: &Lts, right: &Lts, equivalence: Equivalence) -> bool {
    let mut related: HashSet<(StateId, StateId)> =
        left.states().flat_map(|s| right.states().map(move |t| (s, t))).collect();
    loop {
        let fails = |&(s, t): &(StateId, StateId)| {
            let there = |s, t| related.contains(&(s, t));
            let back = |t, s| related.contains(&(s, t));
            !matched(equivalence, (left, s), (right, t), &there) || !matched(equivalence, (right, t), (left, s), &back)
        };
        let gone: Vec<_> = related.iter().copied().filter(fails).collect();
        if gone.is_empty() {
            return related.contains(&(left.initial(), right.initial()));
        }
        gone.iter().for_each(|pair| {
            related.remove(pair);
        });
    }
}

/// Whether both have the same words: side by side, the sets of states after each word must offer the same labels.
fn same_words(left: &Lts, right: &Lts, weak: bool) -> bool {
    type States = BTreeSet<StateId>;
    let closed = |lts: &Lts, states: States| -> States {
        if weak { states.iter().flat_map(|&s| silently(lts, s)).collect() } else { states }
    };
    let offered = |lts: &Lts, states: &States| -> BTreeSet<LabelId> {
        let labels = states.iter().flat_map(|&s| lts.row(s)).map(|e| e.label);
        labels.filter(|l| !weak || !l.is_tau()).collect()
    };
    let after = |lts: &Lts, states: &States, label| -> States {
        closed(lts, states.iter().flat_map(|&s| lts.row_on(s, label)).map(|e| e.target).collect())
    };
    let start = (closed(left, States::from([left.initial()])), closed(right, States::from([right.initial()])));
    let (mut seen, mut todo) = (HashSet::from([start.clone()]), vec![start]);
    while let Some((ls, rs)) = todo.pop() {
        let labels = offered(left, &ls);
        if labels != offered(right, &rs) {
            return false;
        }
        for label in labels {
            let next = (after(left, &ls, label), after(right, &rs, label));
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    true
}

/// The definition taken literally, where there is one that is short: divergence has none.
fn by_definition(left: &Lts, right: &Lts, equivalence: Equivalence) -> Option<bool> {
    match equivalence {
        Equivalence::DpBranching => None,
        Equivalence::Trace => Some(same_words(left, right, false)),
        Equivalence::WeakTrace => Some(same_words(left, right, true)),
        bisimulation => Some(bisimilar(left, right, bisimulation)),
    }
}

/// Pairs of states for which the definition is affordable.
const FEW_PAIRS: usize = 400;

#[test]
fn a_minimised_product_is_equivalent_to_the_product_and_cannot_be_minimised_further() {
    let mut smaller = 0;
    for seed in 0..400 {
        let whole = product(seed);
        for equivalence in Equivalence::ALL {
            let small = minimise(&whole, equivalence, None).unwrap();
            assert!(equivalent(&whole, &small, equivalence), "network {seed}, {equivalence}");
            let again = minimise(&small, equivalence, None).unwrap();
            assert_eq!(again.num_states(), small.num_states(), "network {seed}, {equivalence}");
            smaller += usize::from(small.num_states() < whole.num_states());
            if whole.num_states() * small.num_states() <= FEW_PAIRS {
                let truth = by_definition(&whole, &small, equivalence);
                assert_ne!(truth, Some(false), "network {seed}, {equivalence}: not by the definition");
            }
        }
    }
    assert!(smaller > 400, "only {smaller} products became smaller");
}

#[test]
fn comparison_decides_as_the_definitions_do() {
    let mut verdicts = [0; 2];
    for seed in 0..400 {
        let left = product(seed);
        // Quotients under coarser equivalences are near misses; the next network is something else altogether.
        let near = Equivalence::ALL.map(|e| minimise(&left, e, None).unwrap());
        for right in near.iter().chain([&product(seed + 1)]) {
            if left.num_states() * right.num_states() > FEW_PAIRS {
                continue;
            }
            for equivalence in Equivalence::ALL {
                let Some(truth) = by_definition(&left, right, equivalence) else { continue };
                assert_eq!(equivalent(&left, right, equivalence), truth, "network {seed}, {equivalence}");
                assert_eq!(equivalent(right, &left, equivalence), truth, "network {seed}, {equivalence}, swapped");
                verdicts[usize::from(truth)] += 1;
            }
        }
    }
    assert!(verdicts.iter().all(|&n| n > 500), "both verdicts must be common: {verdicts:?}");
}
