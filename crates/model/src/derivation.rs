//! Proofs by small checks: automata that follow what a system does, each shown by a few others.
//!
//! A derivation is about words: what the components do on the way to what is looked for. Each of its steps says of an automaton that it
//! follows every such word, as far as it hears it, and is marked at its end. A step is shown by others that say the same of theirs: who
//! follows each of them follows the new one. Where in the end no automata are marked together, there is no such word.

use super::index::{ComponentId, LabelId, StateId};
use super::network::Component;

/// What a step of a derivation is made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Premise {
    /// A component of the network, which may end where the question is about where components are.
    Component(ComponentId),
    /// What is looked for, as an automaton that is marked once it is there.
    Question,
    /// What an earlier step says.
    Step(usize),
}

/// Why an automaton follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ground {
    /// For no reason: it is assumed, and what rests on it holds for words that it accepts.
    Assumed,
    /// Whatever all of these do together, it can do.
    From {
        /// These.
        premises: Vec<Premise>,
        /// Words that this assumption does not accept are accepted by the automaton, so that it no longer rests on it.
        without: Option<usize>,
        /// It may be marked before a word ends.
        early: bool,
    },
}

impl From<Vec<Premise>> for Ground {
    /// What is done together, and nothing else.
    fn from(premises: Vec<Premise>) -> Self {
        Ground::From { premises, without: None, early: false }
    }
}

/// One step of a derivation.
#[derive(Clone, Debug)]
pub struct DerivationStep {
    /// Why.
    pub ground: Ground,
    /// What follows.
    pub automaton: Component,
    /// Whether its marks say something; all of its states are marked otherwise.
    pub has_marks: bool,
}

/// What a derivation shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shows {
    /// That no word leads to what is looked for.
    NoWord,
    /// That somebody can always move: an automaton is at rest only where it refuses what those that it follows refuse.
    NoDeadlock,
    /// That a state in which all are marked can always be reached: an automaton does what those that it is made from do, no more and no less.
    Nonblocking,
}

/// A proof that nothing that is looked for is reached.
#[derive(Clone, Debug)]
pub struct Derivation {
    /// What it shows.
    pub shows: Shows,
    /// Whose ends are looked at, one after the other, where the question is about where components are.
    pub order: Vec<ComponentId>,
    /// The labels of ends, which come after those of the network: whose, and a state in which it ends under it.
    pub ends: Vec<(ComponentId, StateId)>,
    /// Its steps.
    pub steps: Vec<DerivationStep>,
    /// Those that are never marked, or never at rest, together.
    pub last: Vec<Premise>,
}

impl PartialEq for DerivationStep {
    fn eq(&self, other: &Self) -> bool {
        let same = self.automaton.lts == other.automaton.lts && self.automaton.alphabet() == other.automaton.alphabet();
        self.ground == other.ground && self.has_marks == other.has_marks && same
    }
}

impl PartialEq for Derivation {
    fn eq(&self, other: &Self) -> bool {
        (self.shows, &self.order, &self.ends, &self.steps, &self.last)
            == (other.shows, &other.order, &other.ends, &other.steps, &other.last)
    }
}

impl Eq for Derivation {}

impl Derivation {
    /// Nothing yet.
    pub fn new(shows: Shows) -> Self {
        Self { shows, order: Vec::new(), ends: Vec::new(), steps: Vec::new(), last: Vec::new() }
    }

    /// Adds a step, and gives it as a premise of others.
    pub fn add(&mut self, ground: Ground, automaton: Component, has_marks: bool) -> usize {
        self.steps.push(DerivationStep { ground, automaton, has_marks });
        self.steps.len() - 1
    }

    /// The end under which a component ends in a state, by its label.
    pub fn end(&self, labels: usize, label: LabelId) -> Option<(ComponentId, StateId)> {
        label.at().checked_sub(labels).and_then(|at| self.ends.get(at).copied())
    }

    /// Only what the end rests on.
    pub fn ended(mut self, last: Vec<Premise>) -> Self {
        let mut needed = vec![false; self.steps.len()];
        let mut open: Vec<usize> = last.iter().filter_map(Premise::step).collect();
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut needed[at], true) {
                continue;
            }
            if let Ground::From { premises, without, .. } = &self.steps[at].ground {
                open.extend(premises.iter().filter_map(Premise::step).chain(*without));
            }
        }
        let mut number = vec![usize::MAX; needed.len()];
        let kept = (0..needed.len()).filter(|&at| needed[at]);
        kept.enumerate().for_each(|(kept, at)| number[at] = kept);
        let renumbered = |premise: &mut Premise| {
            if let Premise::Step(at) = premise {
                *at = number[*at];
            }
        };
        let mut at = 0;
        self.steps.retain(|_| {
            at += 1;
            needed[at - 1]
        });
        for step in &mut self.steps {
            if let Ground::From { premises, without, .. } = &mut step.ground {
                premises.iter_mut().for_each(renumbered);
                without.iter_mut().for_each(|at| *at = number[*at]);
            }
        }
        self.last = last;
        self.last.iter_mut().for_each(renumbered);
        self
    }
}

impl Premise {
    /// The step that it is.
    pub fn step(&self) -> Option<usize> {
        if let Premise::Step(at) = self { Some(*at) } else { None }
    }
}
