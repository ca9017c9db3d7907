//! Weak steps as edges, and the way back.
//!
//! [`saturate`] makes `s =tau=> t` (at least one tau) and `s =a=> t` edges; with it, weak bisimulation is a strong one
//! (Kanellakis and Smolka 1990). Closures are shared along the components of the tau graph, but the result has an edge for
//! every pair, so its size is quadratic at worst: callers minimise by branching bisimulation first.
//!
//! [`without_redundant`] drops edges that follow from others, after Eloranta ("Minimizing the number of transitions with
//! respect to observation equivalence", 1991). It departs from the paper in leaving alone what is on a tau cycle, which
//! happens only between states with different marks.

use crate::algo::TooLarge;
use crate::algo::predecessors::Predecessors;
use crate::algo::scc;
use crate::algo::scc::Components;
use prequel_model::{Edge, LabelId, Lts, StateId};

/// Weak steps beyond which saturation is given up: two gigabytes of edges.
const MOST_STEPS: usize = 1 << 28;

/// The components of the tau edges.
fn silent_components(lts: &Lts) -> Components {
    scc::components(lts, |_, e| e.label.is_tau())
}

/// The system of weak steps. Tau self-loops are left out: every state has the empty step.
pub(in crate::algo) fn saturate(lts: &Lts) -> Result<Lts, TooLarge> {
    saturate_within(lts, MOST_STEPS)
}

/// As [`saturate`], with at most so many weak steps.
pub(crate) fn saturate_within(lts: &Lts, most: usize) -> Result<Lts, TooLarge> {
    let most = most.min(MOST_STEPS);
    let bounded = |rows: &Rows| if rows.edges.len() > most { Err(TooLarge::WeakSteps(most)) } else { Ok(()) };
    let components = &silent_components(lts);
    let mut by_component: Vec<StateId> = lts.states().collect();
    by_component.sort_unstable_by_key(|&s| components.of(s));

    // First what is reached silently, then what is reached by one visible step among silent ones. A component's tau edges
    // lead to lower components, whose rows are there already.
    let mut silent = Rows::default();
    let mut visible = Rows::default();
    let groups = || by_component.chunk_by(|&s, &t| components.of(s) == components.of(t));
    let below = |s: StateId| {
        lts.row_on(s, LabelId::TAU).iter().map(|e| components.of(e.target)).filter(move |&c| c != components.of(s))
    };
    for group in groups() {
        for &s in group {
            silent.edges.push(Edge { label: LabelId::TAU, target: s });
            below(s).for_each(|c| silent.append(c));
        }
        silent.finish();
        bounded(&silent)?;
    }
    for group in groups() {
        for &s in group {
            for e in lts.row(s).iter().filter(|e| !e.label.is_tau()) {
                let reached = silent.row(components.of(e.target));
                visible.edges.extend(reached.iter().map(|r| Edge { label: e.label, target: r.target }));
            }
            below(s).for_each(|c| visible.append(c));
        }
        visible.finish();
        bounded(&visible)?;
    }

    let mut offsets = vec![0u32];
    let mut edges = Vec::new();
    for s in lts.states() {
        let component = components.of(s);
        edges.extend(silent.row(component).iter().filter(|e| e.target != s));
        edges.extend_from_slice(visible.row(component));
        if edges.len() > most {
            return Err(TooLarge::WeakSteps(most));
        }
        offsets.push(edges.len() as u32);
    }
    Ok(Lts::from_unsorted_rows(lts.initial(), offsets, edges).with_marked(lts.marked()))
}

/// Sorted rows of edges that are made one after the other.
#[derive(Default)]
struct Rows {
    ends: Vec<usize>,
    edges: Vec<Edge>,
}

impl Rows {
    fn range(&self, row: u32) -> std::ops::Range<usize> {
        let row = row as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        start..self.ends[row]
    }

    fn row(&self, row: u32) -> &[Edge] {
        &self.edges[self.range(row)]
    }

    /// Adds a finished row to the one being made.
    fn append(&mut self, row: u32) {
        self.edges.extend_from_within(self.range(row));
    }

    /// Finishes the row being made: sorts it and drops duplicates.
    fn finish(&mut self) {
        let start = self.ends.last().copied().unwrap_or(0);
        self.edges[start..].sort_unstable();
        let mut kept = start;
        for at in start..self.edges.len() {
            if at == start || self.edges[at] != self.edges[kept - 1] {
                self.edges[kept] = self.edges[at];
                kept += 1;
            }
        }
        self.edges.truncate(kept);
        self.ends.push(kept);
    }
}

/// The system without edges that others make up for: the weak steps stay the same.
///
/// An edge goes if it is a weak step from a state strictly below its source in the tau graph, or to a state strictly above
/// its target. "Strictly" makes this well-founded, so all such edges can go at once.
pub(super) fn without_redundant(lts: &Lts) -> Result<Lts, TooLarge> {
    Ok(without_redundant_in(lts, &saturate(lts)?))
}

/// As [`without_redundant`], where the weak steps are known already.
pub(crate) fn without_redundant_in(lts: &Lts, weak: &Lts) -> Lts {
    let components = silent_components(lts);
    let predecessors = Predecessors::of(lts);
    let apart = |s: StateId, t: StateId| components.of(s) != components.of(t);
    let redundant = |s: StateId, e: &Edge| {
        let t = e.target;
        let mut below = lts.row_on(s, LabelId::TAU).iter().map(|e| e.target).filter(|&u| apart(s, u));
        if e.label.is_tau() {
            return apart(s, t) && below.any(|u| apart(u, t) && weak.has(u, LabelId::TAU, t));
        }
        let mut above = predecessors.silent(t).iter().filter(|&&u| apart(u, t));
        below.any(|u| weak.has(u, e.label, t)) || above.any(|&u| weak.has(s, e.label, u))
    };
    let mut offsets = vec![0u32];
    let mut edges = Vec::new();
    for s in lts.states() {
        edges.extend(lts.row(s).iter().filter(|e| !redundant(s, e)));
        offsets.push(edges.len() as u32);
    }
    Lts::from_unsorted_rows(lts.initial(), offsets, edges).with_marked(lts.marked())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::bisimulation::naive;

    /// All weak steps, by the definition.
    fn weak_steps(lts: &Lts) -> Vec<Vec<Edge>> {
        lts.states()
            .map(|s| {
                let mut row: Vec<Edge> = naive::weak_row(lts, s);
                row.retain(|e| !(e.label.is_tau() && e.target == s));
                row
            })
            .collect()
    }

    #[test]
    fn saturation_gives_exactly_the_weak_steps_and_redundant_edges_add_none() {
        let mut dropped = 0;
        for seed in 0..1500 {
            let lts = naive::sample(seed);
            let expected = weak_steps(&lts);
            let rows = |lts: &Lts| lts.states().map(|s| lts.row(s).to_vec()).collect::<Vec<_>>();
            assert_eq!(rows(&saturate(&lts).unwrap()), expected, "seed {seed}");
            let lean = without_redundant(&lts).unwrap();
            assert_eq!(weak_steps(&lean), expected, "seed {seed}");
            dropped += lts.num_transitions() - lean.num_transitions();
        }
        assert!(dropped > 200, "only {dropped} edges were ever dropped");
    }
}
