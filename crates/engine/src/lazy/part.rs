//! A part: some components together, as one system over the labels that others take part in too.

use super::Lazy;
use super::system::{Owners, System};
use crate::algo::TooLarge;
use crate::algo::equivalence::{Equivalence, minimise_while};
use crate::algo::trim::trim;
use crate::race::{Lane, Stop};
use prequel_model::{ComponentId, LabelId, Lts, StateId, Transition};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which path to the goal says who is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// One that meets few components outside.
    Few,
    /// A shortest one.
    Short,
}

/// States of several components that are not worth making fewer: a hundred thousand parts may be no larger.
const SMALL: usize = 24;

/// Some components, as far as they matter for the goal.
#[derive(Debug)]
pub struct Part {
    /// The labels that are not hidden, sorted; also those that nobody can do any more.
    pub alphabet: Vec<LabelId>,
    /// What they do together. Marked is where all of them are as the goal wants; from every state a marked one can be
    /// reached.
    pub lts: Lts,
    /// What it was made of.
    pub of: Of,
}

/// What a part was made of.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// One component.
    Leaf(ComponentId),
    /// Two parts, by their numbers. (A part of a hundred thousand components is as deep.)
    Joint([usize; 2]),
}

impl Part {
    /// A component alone; `wanted` is where it must be, anywhere if absent.
    pub fn leaf(
        system: &System<'_>,
        c: ComponentId,
        wanted: Option<&[StateId]>,
        options: &Lazy,
        lane: &Lane<'_>,
    ) -> Self {
        let component = system.component(c);
        let lts = match wanted {
            Some(states) => component.lts.clone().with_marked(states.iter().copied()),
            None => component.lts.clone().with_marked(component.lts.states()),
        };
        let private = |label: LabelId| system.participants(label).len() == 1;
        Self::new(component.alphabet().to_vec(), lts, private, Of::Leaf(c), options, lane)
    }

    /// What is left of a system for the goal.
    fn new(
        mut alphabet: Vec<LabelId>,
        lts: Lts,
        private: impl Fn(LabelId) -> bool,
        of: Of,
        options: &Lazy,
        lane: &Lane<'_>,
    ) -> Self {
        let mut lts = trim(&lts).lts;
        if options.minimise {
            alphabet.retain(|&l| !private(l));
            lts = lts.relabelled(|l| if l.is_tau() || private(l) { LabelId::TAU } else { l });
            let hides = || lts.transitions().any(|t| t.label.is_tau());
            if lts.num_states() > SMALL || matches!(of, Of::Leaf(_)) && hides() {
                lts = smaller(lts, lane);
            }
        }
        Self { alphabet, lts, of }
    }

    /// Whether it takes part in a label.
    pub fn takes_part(&self, label: LabelId) -> bool {
        self.alphabet.binary_search(&label).is_ok()
    }

    /// Two parts, which have these numbers, as one.
    pub fn join(
        [one, other]: [&Part; 2],
        numbers: [usize; 2],
        private: impl Fn(LabelId) -> bool,
        options: &Lazy,
        lane: &Lane<'_>,
    ) -> Result<Part, Stop> {
        let lts = product([one, other], lane)?;
        let mut alphabet: Vec<LabelId> = one.alphabet.iter().chain(&other.alphabet).copied().collect();
        alphabet.sort_unstable();
        alphabet.dedup();
        Ok(Self::new(alphabet, lts, private, Of::Joint(numbers), options, lane))
    }

    /// The components outside that a path to the goal meets. None where nothing is marked.
    ///
    /// The set that is kept for each state is the first that is found: fewest components exactly would be a hard problem.
    pub fn companions(&self, path: Path, system: &System<'_>, owners: &Owners, id: u32) -> Option<Vec<ComponentId>> {
        let lts = &self.lts;
        let mut outside: FxHashMap<LabelId, Vec<ComponentId>> = FxHashMap::default();
        let mut done = vec![false; lts.num_states()];
        let mut open = BinaryHeap::from([Reverse(((0, 0), 0, lts.initial(), Vec::new()))]);
        while let Some(Reverse((_, length, state, met))) = open.pop() {
            if std::mem::replace(&mut done[state.at()], true) {
                continue;
            }
            if lts.is_marked(state) {
                return Some(met);
            }
            for edge in lts.row(state).iter().filter(|edge| !done[edge.target.at()]) {
                let mut next: Vec<ComponentId> = met.clone();
                if !edge.label.is_tau() {
                    let others = outside.entry(edge.label).or_insert_with(|| {
                        system.participants(edge.label).iter().copied().filter(|&c| !owners.has(id, c)).collect()
                    });
                    next.extend_from_slice(others);
                    next.sort_unstable();
                    next.dedup();
                }
                let (few, length) = (next.len(), length + 1usize);
                let key = if path == Path::Few { (few, length) } else { (length, few) };
                open.push(Reverse((key, length, edge.target, next)));
            }
        }
        None
    }
}

/// The reachable product of two parts: labels of both together, others alone. Marked where both are.
pub fn product([one, other]: [&Part; 2], lane: &Lane<'_>) -> Result<Lts, Stop> {
    let shared: Vec<LabelId> = one.alphabet.iter().copied().filter(|&l| other.takes_part(l)).collect();
    let together = |l: LabelId| shared.binary_search(&l).is_ok();
    let mut states = vec![(one.lts.initial(), other.lts.initial())];
    let mut number: FxHashMap<(StateId, StateId), u32> = FxHashMap::from_iter([(states[0], 0)]);
    let mut transitions = Vec::new();
    let check = lane.check();
    let (mut at, mut reported) = (0, (0, 0));
    while at < states.len() {
        let (a, b) = states[at];
        let mut step = |label: LabelId, to: (StateId, StateId)| {
            let target = *number.entry(to).or_insert_with(|| {
                states.push(to);
                states.len() as u32 - 1
            });
            transitions.push(Transition::new(at as u32, label, target));
        };
        for edge in one.lts.row(a) {
            if together(edge.label) {
                other.lts.row_on(b, edge.label).iter().for_each(|e| step(edge.label, (edge.target, e.target)));
            } else {
                step(edge.label, (edge.target, b));
            }
        }
        for edge in other.lts.row(b).iter().filter(|e| !together(e.label)) {
            step(edge.label, (a, edge.target));
        }
        at += 1;
        if at % 4096 == 0 || at == states.len() {
            let now = (states.len() as u64, transitions.len() as u64);
            check.explored(now.0 - reported.0, now.1 - reported.1)?;
            reported = now;
        }
    }
    let marked = |&(_, &(a, b)): &(usize, &(StateId, StateId))| one.lts.is_marked(a) && other.lts.is_marked(b);
    let marked: Vec<StateId> = states.iter().enumerate().filter(marked).map(|(at, _)| StateId::new(at)).collect();
    Ok(Lts::new(StateId(0), states.len(), transitions).with_marked(marked))
}

/// A system with the same words to marked states, as small as is cheap: deterministic where that is not much larger.
fn smaller(lts: Lts, lane: &Lane<'_>) -> Lts {
    let cap = 2 * lts.num_states() + 16;
    let go_on = || lane.allowed();
    let small = match minimise_while(&lts, Equivalence::WeakTrace, Some(cap), &go_on) {
        Err(TooLarge::Stopped) => return lts,
        Err(_) => minimise_while(&lts, Equivalence::Branching, None, &go_on),
        deterministic => deterministic,
    };
    let is_smaller =
        |small: &Lts| small.num_states() < lts.num_states() || small.num_transitions() < lts.num_transitions();
    match small.ok().filter(is_smaller) {
        Some(small) => small,
        None => lts,
    }
}
