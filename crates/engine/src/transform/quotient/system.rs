//! The system M || N || Q as parts side by side, and its steps between tuples of classes.
//!
//! The environment is never multiplied out: for partitions of the parts, the must edges of the product partition are exactly the
//! tuples of must edges of the participants (for classes that are not empty, "for all (w1', w2') there is (w1, w2)" separates
//! by part), and a part that takes no part stays where it is. So a step is put together on the fly. The replaced process and
//! the monitor are parts like the others, with every state a class of its own.

use super::error::Error;
use super::part::{ClassEdge, Part};
use super::partition::Class;
use super::triples::{Key, Layout};
use prequel_model::{Component, LabelId, Lts, Participants, Problem, Query, StateId};

/// Who moves in a step: the participants of a label, or one part by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Via(u32);

impl Via {
    const ALONE: u32 = 1 << 31;

    /// The participants of a label.
    pub fn label(label: LabelId) -> Self {
        debug_assert!(!label.is_tau() && label.0 < Self::ALONE);
        Via(label.0)
    }

    /// The internal step of a part.
    pub fn tau(part: usize) -> Self {
        Via(Self::ALONE | part as u32)
    }

    /// The label of the step.
    pub fn as_label(self) -> LabelId {
        if self.0 & Self::ALONE == 0 { LabelId(self.0) } else { LabelId::TAU }
    }

    /// As a number, all ones never.
    pub(super) fn code(self) -> u32 {
        self.0
    }

    pub(super) fn from_code(code: u32) -> Self {
        Via(code)
    }
}

/// The parts of a problem: its components, then the monitor if there is one.
#[derive(Debug)]
pub struct System<'a> {
    /// The parts.
    pub parts: Vec<&'a Component>,
    participants: Participants,
    /// What is to be avoided.
    pub error: Error<'a>,
}

impl<'a> System<'a> {
    /// The parts of a problem whose query is of a kind that is kept.
    pub fn new(problem: &'a Problem) -> Self {
        let mut parts: Vec<&Component> = problem.network.components().iter().collect();
        let error = match &problem.query {
            Query::Safety(monitor) => {
                parts.push(&monitor.automaton);
                Error::accepting(parts.len() - 1, &monitor.automaton.lts)
            }
            Query::Reach(goal) => Error::Goal(goal),
            Query::DeadlockFree | Query::Nonblocking => Error::Stuck,
        };
        let participants = Participants::of(problem.network.labels().len(), parts.iter().copied());
        Self { parts, participants, error }
    }

    /// The system of a part.
    pub fn lts(&self, part: usize) -> &'a Lts {
        &self.parts[part].lts
    }

    /// The parts that take part in a label.
    pub fn participants(&self, label: LabelId) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        self.participants.of_label(label).iter().map(|c| c.at())
    }

    /// The parts that move in a step.
    pub fn movers(&self, via: Via) -> Vec<usize> {
        match via.0 & Via::ALONE {
            0 => self.participants(LabelId(via.0)).collect(),
            _ => vec![(via.0 & !Via::ALONE) as usize],
        }
    }

    /// All parts in their initial states.
    pub fn initial(&self) -> Vec<StateId> {
        self.parts.iter().map(|part| part.lts.initial()).collect()
    }
}

/// An edge of a participant that is no must edge: what stands in the way of a step being one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weak {
    /// Whose.
    pub part: usize,
    /// From which class.
    pub from: Class,
    /// On which label.
    pub label: LabelId,
    /// To which class.
    pub to: Class,
}

/// A step between tuples of classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Where it leads.
    pub target: Key,
    /// Who moves.
    pub via: Via,
    /// The first participant whose edge is no must edge; none for a must step.
    pub weak: Option<Weak>,
}

/// The system behind partitions of its parts.
#[derive(Clone, Copy, Debug)]
pub struct Abstract<'b, 'a> {
    /// The system itself.
    pub system: &'b System<'a>,
    /// How tuples are packed.
    pub layout: &'b Layout,
    /// Its parts with their classes.
    pub parts: &'b [Part<'a>],
}

impl Abstract<'_, '_> {
    /// The tuple of the classes of some states.
    pub fn key_of(&self, states: &[StateId]) -> Key {
        let classes = self.parts.iter().zip(states).map(|(part, &s)| part.partition.class(s));
        classes.enumerate().fold(0, |key, (part, class)| self.layout.with(key, part, class))
    }

    /// Whether all classes of a tuple are there still.
    pub fn is_current(&self, key: Key) -> bool {
        self.parts.iter().enumerate().all(|(part, p)| !p.partition.is_split(self.layout.get(key, part)))
    }

    /// All may steps from a tuple, in the direction of the parts.
    pub fn steps(&self, key: Key, each: &mut impl FnMut(Step)) {
        for (at, part) in self.parts.iter().enumerate() {
            let from = self.layout.get(key, at);
            for &edge in part.row(from) {
                let step = |via| self.moved(Step { target: key, via, weak: None }, at, from, edge);
                if edge.label.is_tau() {
                    each(step(Via::tau(at)));
                    continue;
                }
                let mut others = self.system.participants(edge.label);
                // The first participant proposes, so that each step is found once.
                if others.next() == Some(at) {
                    self.extend(step(Via::label(edge.label)), others, each);
                }
            }
        }
    }

    /// Adds the moves of the remaining participants.
    fn extend(&self, step: Step, mut others: impl Iterator<Item = usize> + Clone, each: &mut impl FnMut(Step)) {
        let Some(other) = others.next() else { return each(step) };
        let (label, from) = (step.via.as_label(), self.layout.get(step.target, other));
        for &edge in self.parts[other].row_on(from, label) {
            self.extend(self.moved(step, other, from, edge), others.clone(), each);
        }
    }

    fn moved(&self, step: Step, part: usize, from: Class, edge: ClassEdge) -> Step {
        let weak = (!edge.must).then_some(Weak { part, from, label: edge.label, to: edge.target });
        Step { target: self.layout.with(step.target, part, edge.target), weak: step.weak.or(weak), ..step }
    }
}
