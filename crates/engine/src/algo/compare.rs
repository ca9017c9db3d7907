//! Are two systems equivalent, and if not, what tells them apart.
//!
//! Bisimulations: the partition of the disjoint union. Traces: a breadth-first walk over pairs of subsets, which are made
//! on the way and not beforehand; the first difference met is a shortest one.

use super::TooLarge;
use super::bisimulation::{self, Bisimulation, partition, quotient, saturate};
use super::determinise::Subsets;
use super::equivalence::{Equivalence, Method};
use super::formula::distinguish;
use super::trim::trim_reachable;
use prequel_model::{Distinction, LabelId, Lts, Side, StateId, Steps, Transition};
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

/// Whether two systems are equivalent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// They are.
    Equivalent,
    /// They are not.
    Different(Difference),
}

/// What tells two systems apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// This does: a shortest trace; or a statement, where no trace does (or none was found within the cap).
    Shown {
        /// What.
        distinction: Distinction,
        /// The kind of its steps.
        steps: Steps,
    },
    /// They are weakly bisimilar: only the options that are lost along silent steps differ.
    SilentChoice,
    /// They are branching bisimilar: only one of two matching states can go round silently for ever.
    Divergence,
    /// They are different, but what tells them apart would be too long to be read.
    Unexplained,
}

/// How many pairs of subsets a search for a distinguishing trace may visit, where it serves the explanation only.
const EXPLANATION_CAP: usize = 1 << 18;

/// Compares the initial states of two systems over one label table.
///
/// The cap bounds the number of pairs of subsets, so only the trace equivalences can fail; for a bisimulation, reaching
/// it means another explanation. Branching equivalences are taken without root condition.
pub fn compare(left: &Lts, right: &Lts, equivalence: Equivalence, cap: Option<usize>) -> Result<Verdict, TooLarge> {
    let difference = match equivalence.method() {
        Method::Traces(steps) => {
            let distinction = distinguishing_trace(left, right, steps, cap)?;
            distinction.map(|distinction| Difference::Shown { distinction, steps })
        }
        Method::Bisimulation(kind) => {
            let union = Union::of(left, right);
            if union.bisimilar(kind)? {
                None
            } else {
                let steps = if kind == Bisimulation::Strong { Steps::Strong } else { Steps::Weak };
                let cap = cap.unwrap_or(EXPLANATION_CAP).min(EXPLANATION_CAP);
                let trace = distinguishing_trace(&quotient(left, kind)?, &quotient(right, kind)?, steps, Some(cap));
                Some(match trace {
                    Ok(Some(distinction)) => Difference::Shown { distinction, steps },
                    // Where the explanation would be too large, there is none; the verdict stands.
                    Ok(None) | Err(_) => union.difference(kind, steps).unwrap_or(Difference::Unexplained),
                })
            }
        }
    };
    Ok(difference.map_or(Verdict::Equivalent, Verdict::Different))
}

/// The reachable parts of two systems side by side.
struct Union {
    lts: Lts,
    left: StateId,
    right: StateId,
}

impl Union {
    fn of(left: &Lts, right: &Lts) -> Self {
        let (left, right) = (trim_reachable(left).lts, trim_reachable(right).lts);
        let by = left.num_states() as u32;
        let moved = |s: StateId| StateId(s.0 + by);
        let transitions = left
            .transitions()
            .chain(right.transitions().map(|t| Transition {
                source: moved(t.source),
                label: t.label,
                target: moved(t.target),
            }))
            .collect();
        let lts = Lts::new(left.initial(), left.num_states() + right.num_states(), transitions)
            .with_marked(left.marked().chain(right.marked().map(moved)));
        Self { lts, left: left.initial(), right: moved(right.initial()) }
    }

    fn bisimilar(&self, kind: Bisimulation) -> Result<bool, TooLarge> {
        Ok(partition(&self.lts, kind)?.together(self.left, self.right))
    }

    /// What tells the sides apart beyond traces, if they are not bisimilar.
    fn difference(&self, kind: Bisimulation, steps: Steps) -> Result<Difference, TooLarge> {
        let logical = if steps == Steps::Strong { Bisimulation::Strong } else { Bisimulation::Weak };
        let (classes, small) = bisimulation::full_quotient(&self.lts, logical)?;
        let (left, right) = (classes.class(self.left), classes.class(self.right));
        if left == right {
            // Only the branching kinds are finer than weak bisimilarity.
            let branching = kind == Bisimulation::DpBranching && self.bisimilar(Bisimulation::Branching)?;
            return Ok(if branching { Difference::Divergence } else { Difference::SilentChoice });
        }
        let graph = if steps == Steps::Strong { small } else { with_empty_steps(&saturate(&small)?) };
        let distinction = distinguish(&graph, left, right).map(Distinction::Formula);
        Ok(distinction.map_or(Difference::Unexplained, |distinction| Difference::Shown { distinction, steps }))
    }
}

/// A system of weak steps in which staying is one of them.
fn with_empty_steps(lts: &Lts) -> Lts {
    let empty = lts.states().map(|s| Transition { source: s, label: LabelId::TAU, target: s });
    Lts::new(lts.initial(), lts.num_states(), lts.transitions().chain(empty).collect()).with_marked(lts.marked())
}

/// A pair of subsets that one trace leads to.
struct Visit {
    left: StateId,
    right: StateId,
    /// The visit before, and the label from there; the first visit points at itself.
    from: usize,
    label: LabelId,
}

/// A shortest trace that tells two systems apart.
fn distinguishing_trace(
    left: &Lts,
    right: &Lts,
    steps: Steps,
    cap: Option<usize>,
) -> Result<Option<Distinction>, TooLarge> {
    let (mut lefts, mut rights) = (Subsets::new(left, steps), Subsets::new(right, steps));
    let mut visits = vec![Visit { left: StateId(0), right: StateId(0), from: 0, label: LabelId::TAU }];
    let mut seen = FxHashSet::from_iter([(StateId(0), StateId(0))]);
    let (mut left_row, mut right_row) = (Vec::new(), Vec::new());
    if let Some(by) = only(lefts.is_marked(StateId(0)), rights.is_marked(StateId(0))) {
        return Ok(Some(Distinction::MarkedTrace { trace: Vec::new(), by }));
    }
    let mut at = 0;
    while at < visits.len() {
        left_row.clear();
        right_row.clear();
        lefts.successors(visits[at].left, &mut left_row);
        rights.successors(visits[at].right, &mut right_row);
        let trace = |label| path(&visits, at, label);
        for n in 0..left_row.len().max(right_row.len()) {
            // Both rows have one edge per label, in label order: the first place where labels differ is a difference.
            let (l, r) = match (left_row.get(n), right_row.get(n)) {
                (Some(l), Some(r)) if l.label == r.label => (l, r),
                (l, r) => {
                    let before = match (l, r) {
                        (Some(l), Some(r)) => l.label.cmp(&r.label),
                        (Some(_), None) => Ordering::Less,
                        (None, _) => Ordering::Greater,
                    };
                    let (edge, by) = if before == Ordering::Less { (l, Side::Left) } else { (r, Side::Right) };
                    let label = edge.expect("the longer row has an edge here").label;
                    return Ok(Some(Distinction::Trace { trace: trace(label), by }));
                }
            };
            if let Some(by) = only(lefts.is_marked(l.target), rights.is_marked(r.target)) {
                return Ok(Some(Distinction::MarkedTrace { trace: trace(l.label), by }));
            }
        }
        for (l, r) in left_row.iter().zip(&right_row) {
            if seen.insert((l.target, r.target)) {
                visits.push(Visit { left: l.target, right: r.target, from: at, label: l.label });
            }
        }
        if let Some(cap) = cap.filter(|&cap| visits.len() > cap) {
            return Err(TooLarge::Subsets(cap));
        }
        at += 1;
    }
    Ok(None)
}

/// The side for which alone something is true.
fn only(left: bool, right: bool) -> Option<Side> {
    match (left, right) {
        (true, false) => Some(Side::Left),
        (false, true) => Some(Side::Right),
        _ => None,
    }
}

/// The labels on the way to a visit, and one more.
fn path(visits: &[Visit], mut at: usize, last: LabelId) -> Vec<LabelId> {
    let mut trace = vec![last];
    while at != 0 {
        trace.push(visits[at].label);
        at = visits[at].from;
    }
    trace.reverse();
    trace
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::bisimulation::naive;
    use crate::algo::determinise::determinise;
    use prequel_model::rng::Rng;
    use prequel_model::{Edge, Formula, Labels};
    use std::collections::{BTreeMap, BTreeSet};

    /// Two systems that are often nearly equivalent: unrelated, or one a minimised or slightly changed copy of the other.
    fn pair(seed: u64) -> (Lts, Lts) {
        let left = naive::sample(2 * seed);
        let mut rng = Rng::new(seed);
        let right = match rng.below(6) {
            0 => naive::sample(2 * seed + 1),
            1 => quotient(&left, Bisimulation::Weak).unwrap(),
            2 => determinise(&left, Steps::Strong, None).unwrap(),
            3 => determinise(&left, Steps::Weak, None).unwrap(),
            _ => {
                let mut transitions: Vec<Transition> = left.transitions().collect();
                let any = |rng: &mut Rng| rng.below(left.num_states()) as u32;
                if !transitions.is_empty() && rng.chance(50) {
                    transitions.swap_remove(rng.below(transitions.len()));
                } else {
                    let label = LabelId::new(rng.below(3));
                    transitions.push(Transition::new(any(&mut rng), label, any(&mut rng)));
                }
                Lts::new(left.initial(), left.num_states(), transitions).with_marked(left.marked())
            }
        };
        if rng.chance(50) { (left, right) } else { (right, left) }
    }

    fn side_by_side(left: &Lts, right: &Lts) -> (Lts, usize, usize) {
        let union = Union::of(left, right);
        (union.lts, union.left.at(), union.right.at())
    }

    /// How many moves tell the deterministic systems of two systems apart, by definition.
    fn distance(left: &Lts, right: &Lts, steps: Steps) -> Option<usize> {
        let determinised = |lts| determinise(lts, steps, None).unwrap();
        let (both, l, r) = side_by_side(&determinised(left), &determinised(right));
        let mut class: Vec<usize> = both.states().map(|s| usize::from(both.is_marked(s))).collect();
        for moves in 0..=both.num_states() {
            if class[l] != class[r] {
                return Some(moves);
            }
            let mut numbers = BTreeMap::new();
            class = both
                .states()
                .map(|s| {
                    let row: BTreeSet<_> = both.row(s).iter().map(|e| (e.label, class[e.target.at()])).collect();
                    let fresh = numbers.len();
                    *numbers.entry((class[s.at()], row)).or_insert(fresh)
                })
                .collect();
        }
        None
    }

    fn step(lts: &Lts, s: StateId, steps: Steps) -> Vec<Edge> {
        match steps {
            Steps::Strong => lts.row(s).to_vec(),
            Steps::Weak => naive::weak_row(lts, s),
        }
    }

    /// The states after a trace, by definition.
    fn after(lts: &Lts, trace: &[LabelId], steps: Steps) -> BTreeSet<StateId> {
        let mut now = BTreeSet::from([lts.initial()]);
        if steps == Steps::Weak {
            now.extend(naive::weak_row(lts, lts.initial()).iter().filter(|e| e.label.is_tau()).map(|e| e.target));
        }
        for label in trace {
            let edges = now.iter().flat_map(|&s| step(lts, s, steps)).filter(|e| e.label == *label);
            now = edges.map(|e| e.target).collect();
        }
        now
    }

    /// Whether a formula holds in a state, by definition.
    fn holds(lts: &Lts, s: StateId, formula: &Formula, steps: Steps) -> bool {
        match formula {
            Formula::Marked => lts.is_marked(s),
            Formula::Not(inner) => !holds(lts, s, inner, steps),
            Formula::Can(label, then) => step(lts, s, steps)
                .iter()
                .any(|e| e.label == *label && then.iter().all(|f| holds(lts, e.target, f, steps))),
        }
    }

    /// Checks a difference on the two systems; says whether it is a shortest trace.
    fn check(left: &Lts, right: &Lts, difference: &Difference, steps: Steps, seed: u64) -> Option<usize> {
        let of = |by: Side| if by == Side::Left { (left, right) } else { (right, left) };
        let Difference::Shown { distinction, steps: own } = difference else { return None };
        assert_eq!(*own, steps);
        match distinction {
            Distinction::Trace { trace, by } => {
                let (can, cannot) = of(*by);
                assert!(!after(can, trace, steps).is_empty(), "seed {seed}: {difference:?}");
                assert!(after(cannot, trace, steps).is_empty(), "seed {seed}: {difference:?}");
                Some(trace.len())
            }
            Distinction::MarkedTrace { trace, by } => {
                let (can, cannot) = of(*by);
                let marked = |lts: &Lts| after(lts, trace, steps).iter().any(|&s| lts.is_marked(s));
                assert!(marked(can) && !marked(cannot), "seed {seed}: {difference:?}");
                Some(trace.len())
            }
            Distinction::Formula(formula) => {
                assert!(holds(left, left.initial(), formula, steps), "seed {seed}: {formula:?}");
                assert!(!holds(right, right.initial(), formula, steps), "seed {seed}: {formula:?}");
                None
            }
        }
    }

    #[test]
    fn trace_verdicts_agree_with_determinisation_and_traces_are_shortest() {
        let mut different = 0;
        for seed in 0..1500 {
            let (left, right) = pair(seed);
            for (equivalence, steps) in [(Equivalence::Trace, Steps::Strong), (Equivalence::WeakTrace, Steps::Weak)] {
                let found = match compare(&left, &right, equivalence, None).unwrap() {
                    Verdict::Equivalent => None,
                    Verdict::Different(difference) => check(&left, &right, &difference, steps, seed),
                };
                assert_eq!(found, distance(&left, &right, steps), "seed {seed}, {equivalence}");
                different += usize::from(found.is_some());
            }
        }
        assert!((500..2500).contains(&different), "{different} of 3000 pairs are different");
    }

    #[test]
    fn bisimulation_verdicts_agree_with_naive_refinement_and_explanations_are_true() {
        let mut explanations: BTreeMap<&str, usize> = BTreeMap::new();
        for seed in 0..1500 {
            let (left, right) = pair(seed);
            let (both, l, r) = side_by_side(&left, &right);
            let bisimilar = |kind| {
                let classes = naive::classes(&both, kind);
                classes[l] == classes[r]
            };
            for (equivalence, kind, steps) in [
                (Equivalence::Strong, Bisimulation::Strong, Steps::Strong),
                (Equivalence::Branching, Bisimulation::Branching, Steps::Weak),
                (Equivalence::DpBranching, Bisimulation::DpBranching, Steps::Weak),
                (Equivalence::Weak, Bisimulation::Weak, Steps::Weak),
            ] {
                let verdict = compare(&left, &right, equivalence, None).unwrap();
                assert_eq!(verdict == Verdict::Equivalent, bisimilar(kind), "seed {seed}, {equivalence}");
                let Verdict::Different(difference) = verdict else { continue };
                let length = check(&left, &right, &difference, steps, seed);
                assert_eq!(length, distance(&left, &right, steps), "seed {seed}, {equivalence}");
                let kind = match difference {
                    Difference::Shown { distinction: Distinction::Trace { .. }, .. } => "trace",
                    Difference::Shown { distinction: Distinction::MarkedTrace { .. }, .. } => "marked trace",
                    Difference::Shown { distinction: Distinction::Formula(_), .. } => "formula",
                    Difference::SilentChoice => {
                        assert!(bisimilar(Bisimulation::Weak) && !bisimilar(Bisimulation::Branching));
                        "silent choice"
                    }
                    Difference::Divergence => {
                        assert!(bisimilar(Bisimulation::Branching) && !bisimilar(Bisimulation::DpBranching));
                        "divergence"
                    }
                    Difference::Unexplained => panic!("seed {seed}: small systems are always explained"),
                };
                *explanations.entry(kind).or_default() += 1;
            }
        }
        assert_eq!(explanations.len(), 5, "{explanations:?}");
        assert!(explanations.values().all(|&n| n >= 5), "{explanations:?}");
    }

    #[test]
    fn the_vending_machines_differ_by_a_formula_of_two_moves() {
        let mut labels = Labels::new();
        let [coin, tea, coffee] = ["coin", "tea", "coffee"].map(|name| labels.intern(name));
        let t = Transition::new;
        let fair = Lts::new(StateId(0), 3, vec![t(0, coin, 1), t(1, tea, 2), t(1, coffee, 2)]);
        let moody = vec![t(0, coin, 1), t(0, coin, 2), t(1, tea, 3), t(2, coffee, 3)];
        let moody = Lts::new(StateId(0), 4, moody);
        let shown = |left, right| match compare(left, right, Equivalence::Strong, None) {
            Ok(Verdict::Different(Difference::Shown { distinction: Distinction::Formula(formula), steps })) => {
                formula.display(&labels, steps).to_string()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(shown(&fair, &moody), "not <coin>not <coffee>true");
        assert_eq!(shown(&moody, &fair), "<coin>not <coffee>true");
        assert_eq!(compare(&fair, &moody, Equivalence::Trace, None), Ok(Verdict::Equivalent));
    }

    #[test]
    fn a_cap_fails_a_trace_comparison_but_not_a_bisimulation() {
        let ring = |n: u32| {
            Lts::new(StateId(0), n as usize, (0..n).map(|s| Transition::new(s, LabelId(1), (s + 1) % n)).collect())
        };
        assert_eq!(compare(&ring(7), &ring(9), Equivalence::Trace, Some(62)), Err(TooLarge::Subsets(62)));
        assert_eq!(compare(&ring(7), &ring(9), Equivalence::Trace, Some(63)), Ok(Verdict::Equivalent));
        assert_eq!(compare(&ring(7), &ring(9), Equivalence::Weak, Some(1)), Ok(Verdict::Equivalent));
    }
}
