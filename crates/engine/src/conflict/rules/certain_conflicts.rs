//! Limited Certain Conflicts Rule (Definition 11): states that block in every context in which they are reached become one.
//!
//! Level 0: states that cannot reach a marked state. Level i + 1: every path to a mark passes a state that can silently reach level i, or takes
//! a label that may lead there. Computed as its complement: a state is *good* if it is marked, or leads to a good state, without
//! passing such a place. All levels are kept: Algorithm 2 needs them.
//!
//! Beyond the paper: a label that all others allow always counts like a silent step, since no context keeps the machine from it.
//!
//! The abstraction has no more than the paper's: a transition stays if its label cannot lead into conflict as well, and one into conflict leads to
//! the bottom state, which is unmarked and has no successor.

use super::Abstraction;
use crate::algo::predecessors::Predecessors;
use crate::conflict::fsm::{Fsm, StateMap, search};
use crate::conflict::special::Others;
use fixedbitset::FixedBitSet;
use prequel_model::{Edge, LabelId, Lts, StateId, Transition};

pub fn apply(fsm: &Fsm, others: &Others) -> Option<Abstraction> {
    let conflicts = Conflicts::of(fsm, others)?;
    let lts = fsm.lts();
    let (lcc, risky) = (&conflicts.states, &conflicts.risky);
    let good: FixedBitSet = (0..fsm.len()).filter(|&s| !lcc.contains(s)).collect();
    let bottom = StateId::new(good.count_ones(..));
    let numbering = StateMap::numbering(fsm.len(), good.ones());
    let map = StateMap::classes(fsm.len(), |s| numbering.of(s).unwrap_or(bottom));
    let to = |s: StateId| map.of(s).expect("every state has a class");
    let transitions = lts.transitions().filter(|t| good.contains(t.source.at())).filter(|t| {
        let edge = Edge { label: t.label, target: t.target };
        t.label.is_tau() || lcc.contains(t.target.at()) || !risky.has(t.source, &edge)
    });
    let moved = transitions.map(|t| Transition { source: to(t.source), label: t.label, target: to(t.target) });
    let mut initial: Vec<StateId> = fsm.initial().iter().map(|&s| to(s)).collect();
    if initial.contains(&bottom) {
        initial = vec![bottom];
    }
    let rows = Lts::new(initial[0], bottom.at() + 1, moved.collect());
    let rows = rows.with_marked(lts.marked().filter(|s| good.contains(s.at())).map(to));
    debug_assert!(rows.row(bottom).is_empty());
    debug_assert!(rows.states().all(|s| !rows.has(s, LabelId::TAU, bottom)), "no silent step into conflict");
    let abstracted = Fsm::new(rows, initial, fsm.alphabet().iter().copied());
    // A single state that blocks, alone under its bottom, is what it was.
    let changed = conflicts.states.count_ones(..) > 1
        || abstracted.lts().num_transitions() < lts.num_transitions()
        || abstracted.initial().len() < fsm.initial().len();
    changed.then(|| Abstraction { fsm: abstracted, map, levels: Some(conflicts.levels) })
}

/// The limited certain conflicts of a machine.
struct Conflicts {
    states: FixedBitSet,
    levels: Vec<Option<u32>>,
    /// Which labels may lead into conflict, from which states.
    risky: Risky,
}

impl Conflicts {
    /// None where no state blocks.
    fn of(fsm: &Fsm, others: &Others) -> Option<Self> {
        let before = Predecessors::of(fsm.lts());
        let reversed = fsm.lts().reversed();
        let good = fsm.coreachable(&before);
        if good.count_ones(..) == fsm.len() {
            return None;
        }
        let complement = |set: &FixedBitSet| (0..fsm.len()).filter(|&s| !set.contains(s)).collect::<FixedBitSet>();
        let mut states = complement(&good);
        let mut levels = vec![None; fsm.len()];
        states.ones().for_each(|s| levels[s] = Some(0));
        let mut level = 0;
        loop {
            let near = others_cannot_prevent(fsm, others, &reversed, &states);
            let risky = Risky::of(fsm, &before, &near);
            let marked = fsm.lts().marked().filter(|s| !near.contains(s.at()));
            // Backwards over steps that lead into no conflict.
            let good = search(fsm.len(), marked, |s, next| {
                let edges = reversed.row(s).iter();
                let safe = edges.filter(|e| {
                    let edge = Edge { label: e.label, target: s };
                    !near.contains(e.target.at()) && (e.label.is_tau() || !risky.has(e.target, &edge))
                });
                next.extend(safe.map(|e| e.target));
            });
            let more = complement(&good);
            debug_assert!(states.is_subset(&more), "levels increase");
            if more == states {
                return Some(Self { states, levels, risky });
            }
            level += 1;
            more.difference(&states).for_each(|s| levels[s] = Some(level));
            states = more;
        }
    }
}

/// The states from which the machine can go into conflict whatever others do.
fn others_cannot_prevent(fsm: &Fsm, others: &Others, reversed: &Lts, conflicts: &FixedBitSet) -> FixedBitSet {
    search(fsm.len(), conflicts.ones().map(StateId::new), |s, next| {
        let edges = reversed.row(s).iter();
        next.extend(edges.filter(|e| e.label.is_tau() || others.always_allow(e.label)).map(|e| e.target));
    })
}

/// Pairs of states and labels that may lead into conflict, with silent steps before.
struct Risky {
    /// For each label that occurs in such a pair: the states.
    by_label: Vec<(LabelId, FixedBitSet)>,
}

impl Risky {
    fn of(fsm: &Fsm, before: &Predecessors, near: &FixedBitSet) -> Self {
        let into = fsm.lts().transitions().filter(|t| !t.label.is_tau() && near.contains(t.target.at()));
        let mut pairs: Vec<(LabelId, StateId)> = into.map(|t| (t.label, t.source)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let by_label = pairs.chunk_by(|a, b| a.0 == b.0);
        let by_label =
            by_label.map(|same| (same[0].0, fsm.silently_before(same.iter().map(|&(_, s)| s), before))).collect();
        Self { by_label }
    }

    fn has(&self, s: StateId, edge: &Edge) -> bool {
        let at = self.by_label.binary_search_by_key(&edge.label, |&(label, _)| label);
        at.is_ok_and(|at| self.by_label[at].1.contains(s.at()))
    }
}
