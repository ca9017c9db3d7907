//! Silent Incoming Rule: a silent step into an unstable state becomes what that state can do.
//!
//! Instead of `x -tau-> y`, where `y` has a silent step itself, `x` gets the transitions and the mark of `y`. To see that this is sound, give
//! `x` a `y` of its own, which changes nothing; that one is only reached silently, so the rule of only silent incoming applies. `y`
//! must be unstable: a stable state is a commitment that `x` has not made. Silent cycles are left alone.
//!
//! A step is replaced where the machine does not get more transitions by it.

use super::Abstraction;
use crate::algo::scc;
use crate::conflict::fsm::Fsm;
use fixedbitset::FixedBitSet;
use prequel_model::{Edge, Lts, StateId};

pub fn apply(fsm: &Fsm) -> Option<Abstraction> {
    inherit(fsm, |_, own, theirs| theirs.iter().filter(|e| !own.contains(e)).count() <= 1)
}

/// Replaces silent steps into unstable states where `worth` says so of the target, the row of the source and that of the target.
pub fn inherit(fsm: &Fsm, worth: impl Fn(StateId, &[Edge], &[Edge]) -> bool) -> Option<Abstraction> {
    let lts = fsm.lts();
    let cycles = scc::components(lts, |_, e| e.label.is_tau());
    let leaves = |s: StateId, e: &Edge| e.label.is_tau() && cycles.of(e.target) != cycles.of(s);
    // And on no silent cycle: it would be inherited for ever.
    let unstable = |s: StateId| !fsm.silent(s).is_empty() && fsm.silent(s).iter().all(|e| leaves(s, e));
    // What lies below comes first: its rows are final.
    let mut order: Vec<StateId> = lts.states().collect();
    order.sort_unstable_by_key(|&s| cycles.of(s));
    let mut rows: Vec<Edge> = Vec::with_capacity(lts.num_transitions());
    let mut range = vec![0..0; fsm.len()];
    let mut marked = FixedBitSet::with_capacity(fsm.len());
    lts.marked().for_each(|s| marked.insert(s.at()));
    let (mut row, mut changed) = (Vec::new(), false);
    for s in order {
        row.clear();
        row.extend_from_slice(lts.row(s));
        let mut at = 0;
        while at < row.len() {
            let edge: Edge = row[at];
            let theirs = range[edge.target.at()].clone();
            if leaves(s, &edge) && unstable(edge.target) && worth(edge.target, &row, &rows[theirs.clone()]) {
                row.remove(at);
                for &e in &rows[theirs] {
                    // Behind the place at hand: what is inherited is looked at, too. Where it leads to is below.
                    if !row.contains(&e) {
                        row.push(e);
                    }
                }
                marked.set(s.at(), marked.contains(s.at()) || marked.contains(edge.target.at()));
                changed = true;
            } else {
                at += 1;
            }
        }
        range[s.at()] = rows.len()..rows.len() + row.len();
        rows.extend_from_slice(&row);
    }
    changed.then(|| {
        let mut offsets = vec![0u32];
        let mut edges = Vec::with_capacity(rows.len());
        for range in range {
            edges.extend_from_slice(&rows[range]);
            offsets.push(edges.len() as u32);
        }
        let lts = Lts::from_unsorted_rows(lts.initial(), offsets, edges);
        Abstraction::same(fsm.with_lts(lts.with_marked(marked.ones().map(StateId::new))))
    })
}
