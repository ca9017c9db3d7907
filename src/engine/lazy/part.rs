//! A part: some components together, as one system over the labels that others take part in too.

use super::Lazy;
use super::solve::{Owners, System};
use crate::algo::bisimulation::{Bisimulation, quotient};
use crate::algo::equivalence::{Equivalence, minimise};
use crate::algo::trim::trim;
use crate::engine::run::Run;
use crate::model::{ComponentId, LabelId, Lts, StateId, Transition, Why};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which of the components on a path is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The one that leaves the fewest labels to others.
    Interface,
    /// The one with the smallest number.
    First,
}

/// Some components, as far as they matter for the goal.
#[derive(Debug)]
pub struct Part {
    /// The components.
    pub members: Vec<ComponentId>,
    /// The labels that are not hidden, sorted; also those that nobody can do any more.
    pub alphabet: Vec<LabelId>,
    /// What they do together. Marked is where all of them are as the goal wants; from every state a marked one can be
    /// reached.
    pub lts: Lts,
    /// What it was made of.
    pub of: Of,
}

/// What a part was made of.
#[derive(Debug)]
pub enum Of {
    /// One component.
    Leaf,
    /// Two parts.
    Joint(Box<[Part; 2]>),
}

impl Part {
    /// A component alone; `wanted` is where it must be, anywhere if absent.
    pub fn leaf(system: &System<'_>, c: ComponentId, wanted: Option<&[StateId]>, options: &Lazy) -> Self {
        let component = system.component(c);
        let lts = match wanted {
            Some(states) => component.lts.clone().with_marked(states.iter().copied()),
            None => component.lts.clone().with_marked(component.lts.states()),
        };
        let private = |label: LabelId| system.participants(label).len() == 1;
        Self::new(vec![c], component.alphabet().to_vec(), lts, private, Of::Leaf, options)
    }

    /// What is left of a system for the goal.
    fn new(
        members: Vec<ComponentId>,
        mut alphabet: Vec<LabelId>,
        lts: Lts,
        private: impl Fn(LabelId) -> bool,
        of: Of,
        options: &Lazy,
    ) -> Self {
        let mut lts = trim(&lts).lts;
        if options.minimise {
            alphabet.retain(|&l| !private(l));
            lts = smaller(lts.relabelled(|l| if l.is_tau() || private(l) { LabelId::TAU } else { l }));
        }
        Self { members, alphabet, lts, of }
    }

    /// Whether it takes part in a label.
    pub fn takes_part(&self, label: LabelId) -> bool {
        self.alphabet.binary_search(&label).is_ok()
    }

    /// Two parts as one.
    pub fn join(
        one: Part,
        other: Part,
        private: impl Fn(LabelId) -> bool,
        options: &Lazy,
        run: &Run,
    ) -> Result<Part, Why> {
        let lts = product(&one, &other, run)?;
        let members = one.members.iter().chain(&other.members).copied().collect();
        let mut alphabet: Vec<LabelId> = one.alphabet.iter().chain(&other.alphabet).copied().collect();
        alphabet.sort_unstable();
        alphabet.dedup();
        Ok(Self::new(members, alphabet, lts, private, Of::Joint(Box::new([one, other])), options))
    }

    /// The components outside that a path to the goal meets: a path that meets few of them, and is short. None where
    /// nothing is marked.
    ///
    /// The set that is kept for each state is the first that is found: fewest components exactly would be a hard problem.
    pub fn companions(&self, system: &System<'_>, owners: &Owners, id: u32) -> Option<Vec<ComponentId>> {
        let lts = &self.lts;
        let mut outside: FxHashMap<LabelId, Vec<ComponentId>> = FxHashMap::default();
        let mut best: Vec<Option<Vec<ComponentId>>> = vec![None; lts.num_states()];
        let mut open = BinaryHeap::from([Reverse((0usize, 0u32, lts.initial(), Vec::<ComponentId>::new()))]);
        while let Some(Reverse((_, length, state, met))) = open.pop() {
            if best[state.at()].is_some() {
                continue;
            }
            if lts.is_marked(state) {
                return Some(met);
            }
            for edge in lts.row(state) {
                if best[edge.target.at()].is_some() {
                    continue;
                }
                let mut next = met.clone();
                if !edge.label.is_tau() {
                    let others = outside.entry(edge.label).or_insert_with(|| {
                        system.participants(edge.label).iter().copied().filter(|&c| !owners.has(id, c)).collect()
                    });
                    next.extend_from_slice(others);
                    next.sort_unstable();
                    next.dedup();
                }
                open.push(Reverse((next.len(), length + 1, edge.target, next)));
            }
            best[state.at()] = Some(met);
        }
        None
    }

    /// Which of them is added.
    pub fn choose(
        &self,
        companions: &[ComponentId],
        system: &System<'_>,
        owners: &Owners,
        id: u32,
        parts: &[Option<Part>],
        next: Next,
    ) -> ComponentId {
        if next == Next::First {
            return companions[0];
        }
        let left_open = |c: ComponentId| {
            let owner = owners.part_of(c);
            let alphabet = match owner {
                Some(part) => &parts[part as usize].as_ref().expect("parts own their members").alphabet[..],
                None => system.component(c).alphabet(),
            };
            let new = alphabet.iter().filter(|&&l| !self.takes_part(l));
            let open = |&&l: &&LabelId| !owners.enclose(system, [id, owner.unwrap_or(id)], Some(c), l);
            self.alphabet.iter().chain(new).filter(open).count()
        };
        let fewest = companions.iter().copied().min_by_key(|&c| (left_open(c), c));
        fewest.expect("there is one")
    }
}

/// The reachable product of two parts: labels of both together, others alone. Marked where both are.
pub fn product(one: &Part, other: &Part, run: &Run) -> Result<Lts, Why> {
    let shared: Vec<LabelId> = one.alphabet.iter().copied().filter(|&l| other.takes_part(l)).collect();
    let together = |l: LabelId| shared.binary_search(&l).is_ok();
    let mut states = vec![(one.lts.initial(), other.lts.initial())];
    let mut number: FxHashMap<(StateId, StateId), u32> = FxHashMap::from_iter([(states[0], 0)]);
    let mut transitions = Vec::new();
    let check = run.check();
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
fn smaller(lts: Lts) -> Lts {
    let cap = 2 * lts.num_states() + 16;
    let small = match minimise(&lts, Equivalence::WeakTrace, Some(cap)) {
        Ok(deterministic) => deterministic,
        Err(_) => quotient(&lts, Bisimulation::Branching).expect("only weak bisimulation can be too large"),
    };
    if small.num_states() < lts.num_states() || small.num_transitions() < lts.num_transitions() { small } else { lts }
}
