//! The naive twin: signatures of all states by their definition, again and again until nothing changes.

use super::Bisimulation;
use prequel_families::random;
use prequel_model::rng::Rng;
use prequel_model::{Edge, LabelId, Lts, StateId};
use std::collections::{BTreeMap, BTreeSet};

/// A random system with marks and, often, many tau edges.
pub(in crate::algo) fn sample(seed: u64) -> Lts {
    let mut rng = Rng::new(seed);
    let labels: Vec<LabelId> = (1..=rng.between(1, 4) as u32).map(LabelId).collect();
    let (states, degree) = (rng.between(1, 16), rng.between(1, 3));
    let lts = random::lts(&mut rng, states, &labels, degree);
    let hidden = rng.below(labels.len() + 1) as u32;
    let lts = if rng.chance(60) { lts.relabelled(|l| if l.0 <= hidden { LabelId::TAU } else { l }) } else { lts };
    let percent = *rng.pick(&[0, 0, 10, 50]);
    let marked: Vec<StateId> = lts.states().filter(|_| rng.chance(percent)).collect();
    lts.with_marked(marked)
}

/// The states reached over tau edges that `keep` lets through, the first included.
fn closure(lts: &Lts, from: StateId, keep: impl Fn(StateId) -> bool) -> BTreeSet<StateId> {
    let mut seen = BTreeSet::from([from]);
    let mut todo = vec![from];
    while let Some(s) = todo.pop() {
        for e in lts.row_on(s, LabelId::TAU) {
            if keep(e.target) && seen.insert(e.target) {
                todo.push(e.target);
            }
        }
    }
    seen
}

/// The weak steps of a state, the empty one included, sorted.
pub(in crate::algo) fn weak_row(lts: &Lts, s: StateId) -> Vec<Edge> {
    let before = closure(lts, s, |_| true);
    let mut row: BTreeSet<Edge> = before.iter().map(|&target| Edge { label: LabelId::TAU, target }).collect();
    for &u in &before {
        for e in lts.row(u).iter().filter(|e| !e.label.is_tau()) {
            row.extend(closure(lts, e.target, |_| true).into_iter().map(|target| Edge { label: e.label, target }));
        }
    }
    row.into_iter().collect()
}

/// The signature of a state under a partition; divergence is a pair of its own.
fn signature(lts: &Lts, kind: Bisimulation, class: &[usize], s: StateId) -> BTreeSet<(Option<LabelId>, usize)> {
    let pairs = |row: &[Edge]| row.iter().map(|e| (Some(e.label), class[e.target.at()])).collect::<BTreeSet<_>>();
    match kind {
        Bisimulation::Strong => pairs(lts.row(s)),
        Bisimulation::Weak => pairs(&weak_row(lts, s)),
        Bisimulation::Branching | Bisimulation::DpBranching => {
            let own = class[s.at()];
            let inert = |t: StateId| class[t.at()] == own;
            let mut all = BTreeSet::new();
            for u in closure(lts, s, inert) {
                all.extend(pairs(lts.row(u)).into_iter().filter(|&p| p != (Some(LabelId::TAU), own)));
                let cycle = || {
                    lts.row_on(u, LabelId::TAU)
                        .iter()
                        .any(|e| inert(e.target) && closure(lts, e.target, inert).contains(&u))
                };
                if kind == Bisimulation::DpBranching && cycle() {
                    all.insert((None, 0));
                }
            }
            all
        }
    }
}

/// The class of each state.
pub(in crate::algo) fn classes(lts: &Lts, kind: Bisimulation) -> Vec<usize> {
    let mut class: Vec<usize> = lts.states().map(|s| usize::from(lts.is_marked(s))).collect();
    let mut count = class.iter().collect::<BTreeSet<_>>().len();
    loop {
        let mut numbers = BTreeMap::new();
        class = lts
            .states()
            .map(|s| {
                let fresh = numbers.len();
                *numbers.entry((class[s.at()], signature(lts, kind, &class, s))).or_insert(fresh)
            })
            .collect();
        if numbers.len() == count {
            return class;
        }
        count = numbers.len();
    }
}
