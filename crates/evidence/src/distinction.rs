//! What tells two systems apart, tried on both.
//!
//! A trace is followed by the set of states that it may lead to, a statement by the sets of states in which its parts hold. Both take
//! time in the size of the systems for each label.

use super::checked::Replay;
use prequel_model::{Distinction, Formula, LabelId, Lts, Side, StateId, Steps};

/// Two systems that are said to differ.
#[derive(Clone, Debug)]
pub struct Differing {
    /// The first.
    pub left: Lts,
    /// The second.
    pub right: Lts,
    /// What tells them apart.
    pub distinction: Distinction,
    /// The kind of its steps.
    pub steps: Steps,
}

/// Why a distinction is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejected {
    /// The side that it should be true of.
    #[error("it is not true of the {0} system, of which it should be")]
    Neither(&'static str),
    /// The side that it should not be true of.
    #[error("it is true of the {0} system too")]
    Both(&'static str),
}

impl Replay for Differing {
    type End = ();
    type Rejected = Rejected;

    fn replay(&self) -> Result<(), Rejected> {
        let (left, right) = ((&self.left, "left"), (&self.right, "right"));
        let ((can, its_name), (cannot, other)) = match self.by() {
            Side::Left => (left, right),
            Side::Right => (right, left),
        };
        if !self.is_true_of(can) {
            return Err(Rejected::Neither(its_name));
        }
        if self.is_true_of(cannot) { Err(Rejected::Both(other)) } else { Ok(()) }
    }

    /// That they are not equivalent.
    fn shows(&self) -> Option<bool> {
        Some(false)
    }
}

impl Differing {
    /// The side of which it should be true.
    fn by(&self) -> Side {
        match &self.distinction {
            Distinction::Trace { by, .. } | Distinction::MarkedTrace { by, .. } => *by,
            Distinction::Formula(_) => Side::Left,
        }
    }

    fn is_true_of(&self, lts: &Lts) -> bool {
        match &self.distinction {
            Distinction::Trace { trace, .. } => after(lts, trace, self.steps).contains(&true),
            Distinction::MarkedTrace { trace, .. } => {
                let now = after(lts, trace, self.steps);
                lts.states().any(|s| now[s.at()] && lts.is_marked(s))
            }
            Distinction::Formula(formula) => holding(lts, formula, self.steps)[lts.initial().at()],
        }
    }
}

/// A set of states, as whether each is in it.
type Set = Vec<bool>;

/// Adds what a step along a label leads to from a set that grows; `back` goes against the edges.
fn spread(lts: &Lts, mut set: Set, label: LabelId, back: bool) -> Set {
    let rows = if back { Some(predecessors(lts, label)) } else { None };
    let mut open: Vec<StateId> = lts.states().filter(|s| set[s.at()]).collect();
    while let Some(s) = open.pop() {
        let ends: Vec<StateId> = match &rows {
            Some(rows) => rows[s.at()].clone(),
            None => lts.row_on(s, label).iter().map(|e| e.target).collect(),
        };
        for end in ends {
            if !std::mem::replace(&mut set[end.at()], true) {
                open.push(end);
            }
        }
    }
    set
}

/// Where the edges of a label come from.
fn predecessors(lts: &Lts, label: LabelId) -> Vec<Vec<StateId>> {
    let mut rows = vec![Vec::new(); lts.num_states()];
    for t in lts.transitions().filter(|t| t.label == label) {
        rows[t.target.at()].push(t.source);
    }
    rows
}

/// The states that a trace may lead to.
fn after(lts: &Lts, trace: &[LabelId], steps: Steps) -> Set {
    let mut now = vec![false; lts.num_states()];
    now[lts.initial().at()] = true;
    let silent = |set: Set| if steps == Steps::Weak { spread(lts, set, LabelId::TAU, false) } else { set };
    now = silent(now);
    for &label in trace {
        let mut next = vec![false; lts.num_states()];
        let here = lts.states().filter(|s| now[s.at()]);
        here.flat_map(|s| lts.row_on(s, label)).for_each(|e| next[e.target.at()] = true);
        now = silent(next);
    }
    now
}

/// The states in which a statement holds.
fn holding(lts: &Lts, formula: &Formula, steps: Steps) -> Set {
    match formula {
        Formula::Marked => lts.states().map(|s| lts.is_marked(s)).collect(),
        Formula::Not(inner) => holding(lts, inner, steps).into_iter().map(|holds| !holds).collect(),
        Formula::Can(label, then) => {
            let mut there = vec![true; lts.num_states()];
            for inner in then {
                there.iter_mut().zip(holding(lts, inner, steps)).for_each(|(all, one)| *all &= one);
            }
            let before = |there: &Set| {
                let leads = |s: StateId| lts.row_on(s, *label).iter().any(|e| there[e.target.at()]);
                lts.states().map(leads).collect::<Set>()
            };
            let silent = |set: Set| spread(lts, set, LabelId::TAU, true);
            match steps {
                Steps::Strong => before(&there),
                // Staying is a silent step.
                Steps::Weak if label.is_tau() => silent(there),
                Steps::Weak => silent(before(&silent(there))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Checked;
    use super::*;
    use prequel_model::Transition;

    const A: LabelId = LabelId(1);
    const B: LabelId = LabelId(2);

    fn lts(edges: &[(u32, LabelId, u32)]) -> Lts {
        let states = edges.iter().map(|(from, _, to)| from.max(to) + 1).max().unwrap_or(1);
        Lts::new(StateId(0), states as usize, edges.iter().map(|&(s, l, t)| Transition::new(s, l, t)).collect())
    }

    fn checked(left: &Lts, right: &Lts, distinction: Distinction, steps: Steps) -> Result<(), Rejected> {
        Checked::new(Differing { left: left.clone(), right: right.clone(), distinction, steps }).map(drop)
    }

    #[test]
    fn a_trace_counts_if_only_one_side_can_do_it() {
        let (one, two) = (lts(&[(0, A, 1)]), lts(&[(0, A, 1), (1, B, 0)]));
        let trace = |trace: &[LabelId], by| Distinction::Trace { trace: trace.into(), by };
        assert_eq!(checked(&one, &two, trace(&[A, B], Side::Right), Steps::Strong), Ok(()));
        assert_eq!(checked(&two, &one, trace(&[A, B], Side::Left), Steps::Strong), Ok(()));
        assert_eq!(checked(&one, &two, trace(&[A, B], Side::Left), Steps::Strong), Err(Rejected::Neither("left")));
        assert_eq!(checked(&one, &two, trace(&[A], Side::Left), Steps::Strong), Err(Rejected::Both("right")));
    }

    #[test]
    fn silent_steps_count_where_steps_are_strong() {
        let (plain, silent) = (lts(&[(0, A, 1)]), lts(&[(0, LabelId::TAU, 1), (1, A, 2), (2, LabelId::TAU, 3)]));
        let trace = |by| Distinction::Trace { trace: vec![A], by };
        assert_eq!(checked(&plain, &silent, trace(Side::Left), Steps::Strong), Ok(()));
        assert_eq!(checked(&plain, &silent, trace(Side::Left), Steps::Weak), Err(Rejected::Both("right")));
    }

    #[test]
    fn marks_after_a_trace_are_looked_at() {
        let marked = lts(&[(0, A, 1), (1, LabelId::TAU, 2)]).with_marked([StateId(2)]);
        let plain = lts(&[(0, A, 1), (1, LabelId::TAU, 2)]);
        let trace = |by| Distinction::MarkedTrace { trace: vec![A], by };
        assert_eq!(checked(&marked, &plain, trace(Side::Left), Steps::Weak), Ok(()));
        assert_eq!(checked(&marked, &plain, trace(Side::Left), Steps::Strong), Err(Rejected::Neither("left")));
    }

    #[test]
    fn a_statement_counts_if_it_is_true_on_the_left_only() {
        let fair = lts(&[(0, A, 1), (1, A, 2), (1, B, 2)]);
        let moody = lts(&[(0, A, 1), (0, A, 2), (1, A, 3), (2, B, 3)]);
        // After some first step nothing but A is left.
        let cannot = Formula::Not(Box::new(Formula::Can(B, vec![])));
        let formula = || Distinction::Formula(Formula::Can(A, vec![cannot.clone()]));
        assert_eq!(checked(&moody, &fair, formula(), Steps::Strong), Ok(()));
        assert_eq!(checked(&moody, &fair, formula(), Steps::Weak), Ok(()));
        assert_eq!(checked(&fair, &moody, formula(), Steps::Strong), Err(Rejected::Neither("left")));
        assert_eq!(checked(&moody, &moody, formula(), Steps::Strong), Err(Rejected::Both("right")));
    }

    #[test]
    fn what_was_checked_shows_that_they_are_not_equivalent() {
        let distinction = Distinction::Trace { trace: vec![A], by: Side::Left };
        let differing = Differing { left: lts(&[(0, A, 0)]), right: lts(&[]), distinction, steps: Steps::Weak };
        let verdict = Checked::new(differing).expect("it is so").verdict();
        assert_eq!((verdict.word(), verdict.is_checked()), ("false", true));
    }
}
