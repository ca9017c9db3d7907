//! Processes on which no assertion depends: where end states do not count, they may stand still from the start.
//!
//! Such a process can go wrong nowhere, sets nothing and uses no channel that anybody reads or uses who can, or on whom they depend.
//! So its steps can be taken out of any run, and what is left is a run that goes wrong in the same way; and a run in which it stands
//! still is one of the user's program. Nobody may be able to tell that it does: where somebody asks what processes do or how many there
//! are, or starts some, all stay.

use super::domain::cells;
use super::facts::constant_channel;
use super::fold::may_fail;
use super::{Facts, Unfolding};
use crate::data::{Action, Node, Program, Setup};
use crate::expression::{Expression, Pattern, Place};
use rustc_hash::FxHashSet;

/// The kinds of processes on which no assertion depends. What each of them does is known by its unfolding, or by its text.
pub fn outside<'u>(
    program: &Program,
    facts: &Facts<'_>,
    unfolding: impl Fn(usize) -> Option<&'u Unfolding>,
) -> Vec<bool> {
    let uses: Vec<Uses> = (0..program.proctypes.len())
        .map(|kind| {
            let mut uses = Uses::default();
            let proctype = &program.proctypes[kind];
            let channels = proctype.prologue.iter().any(|setup| matches!(setup, Setup::Channel(..)));
            uses.wrong = channels || proctype.deterministic || !facts.labels[kind].is_empty();
            uses.tells = proctype.provided.is_some();
            for setup in &proctype.prologue {
                if let Setup::Value(_, value) = setup {
                    uses.value(program, value);
                }
            }
            match unfolding(kind) {
                Some(unfolding) => unfolding.labels.values().for_each(|label| uses.action(program, &label.action)),
                None => {
                    let transitions = proctype.states.iter().flat_map(|state| &state.transitions);
                    transitions.for_each(|transition| uses.action(program, &transition.action));
                }
            }
            uses
        })
        .collect();
    let apart = program.priorities || program.senders_last || program.last.is_some() || program.trace.is_some();
    if apart || facts.counted.is_some() || uses.iter().any(|uses| uses.tells) {
        return vec![false; uses.len()];
    }
    let mut inside: Vec<bool> = uses.iter().map(|uses| uses.wrong).collect();
    loop {
        let depends = |kind: usize| {
            let within = uses.iter().zip(&inside).filter(|(_, inside)| **inside);
            within.map(|(other, _)| other).any(|other| other.depends_on(&uses[kind]))
        };
        let more: Vec<usize> = (0..inside.len()).filter(|&kind| !inside[kind] && depends(kind)).collect();
        if more.is_empty() {
            return inside.into_iter().map(|inside| !inside).collect();
        }
        more.into_iter().for_each(|kind| inside[kind] = true);
    }
}

/// What the processes of a kind do to others.
#[derive(Default)]
struct Uses {
    reads: FxHashSet<u32>,
    sets: FxHashSet<u32>,
    /// Channels by their numbers; zero for one that is not known.
    channels: FxHashSet<i32>,
    /// Something of it can go wrong, or is not looked at any closer.
    wrong: bool,
    /// It can tell what other processes do, or starts some.
    tells: bool,
}

impl Uses {
    /// Whether something can be otherwise for a process if another stands still.
    fn depends_on(&self, other: &Uses) -> bool {
        let shared = self.channels.iter().any(|channel| other.channels.contains(channel));
        let unknown = self.channels.contains(&0) && !other.channels.is_empty()
            || other.channels.contains(&0) && !self.channels.is_empty();
        shared || unknown || self.reads.iter().any(|cell| other.sets.contains(cell))
    }

    fn action(&mut self, program: &Program, action: &Action) {
        super::values(action, &mut |value| self.value(program, value));
        match action {
            Action::Skip | Action::Else | Action::End | Action::Condition(_) | Action::Print(_) => {}
            Action::Assign(place, _) => place.iter().for_each(|place| self.place(place)),
            Action::Send(send) => {
                self.channel(program, &send.channel, send.arguments.len());
                self.wrong |= send.guard.is_some();
            }
            Action::Receive(receive) => {
                self.channel(program, &receive.channel, receive.patterns.len());
                self.wrong |= receive.guard.is_some() || receive.keep;
                for pattern in &receive.patterns {
                    if let Pattern::Store(place) = pattern {
                        self.place(place);
                    }
                }
            }
            Action::Assert(_) | Action::SetPriority(_) => self.wrong = true,
            Action::Run(_) => self.tells = true,
            Action::Steps(steps) => {
                for (at, node) in steps.nodes.iter().enumerate() {
                    match node {
                        Node::Do(action, to, _) => {
                            // Neither may it stand still in the middle, nor have no end.
                            let first = at == 0 && matches!(action, Action::Condition(_));
                            let plain = matches!(action, Action::Skip | Action::Assign(..) | Action::Print(_));
                            self.wrong |= !(first || plain) || *to <= at as u32;
                            self.action(program, action);
                        }
                        Node::Exit => {}
                        Node::Choose(_) | Node::Jump(_) => self.wrong = true,
                    }
                }
            }
        }
    }

    fn place(&mut self, place: &Place) {
        self.wrong |= !place.indices.is_empty();
        if !place.local {
            self.sets.extend(cells(place));
        }
    }

    fn channel(&mut self, program: &Program, channel: &Expression, fields: usize) {
        let number = constant_channel(program, channel).filter(|number| *number > 0).unwrap_or(0);
        let kind = (number as usize).checked_sub(1).and_then(|at| program.channels.get(at));
        let fits = kind.is_some_and(|&kind| program.channel_types[kind as usize].fields.len() == fields);
        self.wrong |= !fits;
        self.channels.insert(number);
    }

    fn value(&mut self, program: &Program, value: &Expression) {
        self.wrong |= may_fail(value);
        value.visit(&mut |part| match part {
            Expression::Global(cell) => _ = self.reads.insert(*cell),
            Expression::Element(place) if !place.local => self.reads.extend(cells(place)),
            Expression::Length(channel) | Expression::Probe(_, channel) => {
                self.channels.insert(constant_channel(program, channel).unwrap_or(0));
            }
            Expression::Poll(receive) => {
                self.channels.insert(constant_channel(program, &receive.channel).unwrap_or(0));
            }
            Expression::Timeout
            | Expression::NonProgress
            | Expression::ProcessCount
            | Expression::At(..)
            | Expression::RemoteCell(..)
            | Expression::Enabled(_)
            | Expression::Priority(_) => self.tells = true,
            _ => {}
        });
    }
}
