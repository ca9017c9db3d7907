//! What a step knows of a state, and what a statement lacks: the first cell, channel or process that it looks at and that is not known
//! yet. The statement is computed by the one interpreter ([`crate::machine`]), which asks here.

use super::part::{Fact, Part};
use super::path::{Path, UNKNOWN};
use crate::data::Program;
use crate::knowledge::{Knowledge, Question};
use crate::machine::{MOST as MOST_PROCESSES, Machine};
use std::cell::Cell;

/// A question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// What a cell holds.
    Value(u32),
    /// Whether a channel is there.
    Present(u32),
    /// Whether a channel has room.
    Room(u32),
    /// Whether a channel holds messages.
    Some(u32),
    /// The first message of a channel.
    Head(u32),
    /// How many messages a channel holds.
    Length(u32),
    /// All that a channel holds.
    Whole(u32),
    /// How many processes there are.
    Count,
    /// Whether there is a younger process.
    Younger,
    /// What process has a number.
    Kind(u32),
    /// Whether a process is in a control state.
    At(u32, u32),
    /// A cell of another process.
    Local(u32, u32),
}

/// Why a statement cannot be computed yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// This must be known.
    Need(Need),
    /// It looks at the process whose message it took in the same step.
    LooksAtSender,
}

/// What a step knows.
pub struct Needs<'a> {
    program: &'a Program,
    path: &'a Path,
    /// How many processes there can be at all.
    slots: usize,
    /// The first thing that was not known.
    stop: Cell<Option<Stop>>,
    /// It uses a channel that went away with its process: a fault, whatever else it looks at.
    gone: Cell<bool>,
}

impl<'a> Needs<'a> {
    /// In a step of a process.
    pub fn new(program: &'a Program, path: &'a Path, slots: usize) -> Self {
        Self { program, path, slots, stop: Cell::new(None), gone: Cell::new(false) }
    }

    /// Computes something with what is known, or tells what it lacks.
    pub fn compute<T>(self, computation: impl FnOnce(&Self) -> T) -> Result<T, Stop> {
        let value = computation(&self);
        self.stop.get().map_or(Ok(value), Err)
    }

    fn note(&self, stop: Stop) {
        if self.stop.get().is_none() && !self.gone.get() {
            self.stop.set(Some(stop));
        }
    }

    fn need(&self, need: Need) {
        self.note(Stop::Need(need));
    }

    fn facts(&self, part: Part) -> &'a [Fact] {
        self.path.known.get(&part).map_or(&[], |known| &known.facts)
    }

    fn own(&self, slot: usize) -> bool {
        slot == self.path.pid || self.path.started.contains(&(slot as u32))
    }

    /// What is missing of a channel that keeps messages.
    fn missing(&self, number: u32, question: Question) -> Option<Need> {
        let part = Part::Channel(number);
        let facts = self.facts(part);
        if number as usize > self.program.channels.len() && facts.is_empty() {
            return Some(Need::Present(number));
        }
        if self.path.known.get(&part).is_some_and(|known| !known.changes.is_empty()) {
            return Some(Need::Whole(number));
        }
        let known = |fact: &Fact| match (question, fact) {
            (_, Fact::Whole(_)) => true,
            (Question::Whole, _) => false,
            (_, Fact::Some(false) | Fact::Length(_)) => true,
            (Question::Room, fact) => matches!(fact, Fact::Room(..)),
            (Question::Some, fact) => matches!(fact, Fact::Some(_) | Fact::Head(_)),
            (Question::Head, fact) => matches!(fact, Fact::Head(_)),
            (Question::Length, _) => false,
        };
        if facts.iter().any(known) && !(question == Question::Head && lengthy(facts)) {
            return None;
        }
        Some(match question {
            Question::Room => Need::Room(number),
            Question::Some => Need::Some(number),
            Question::Head => Need::Head(number),
            Question::Length => Need::Length(number),
            Question::Whole => Need::Whole(number),
        })
    }
}

impl Knowledge for &Needs<'_> {
    fn cell(self, machine: &Machine, cell: usize) {
        let stored = self.program.globals.get(cell).is_some_and(|cell| cell.stored);
        if stored && machine.cells[cell] == UNKNOWN {
            self.need(Need::Value(cell as u32));
        }
    }

    fn channel(self, machine: &Machine, number: i32, question: Question) -> bool {
        let (number, at) = (number as u32, machine.channels[number as usize - 1] as usize);
        if self.program.channel_types[machine.cells[at] as usize].capacity == 0 {
            return true;
        }
        if self.facts(Part::Channel(number)).contains(&Fact::Present(false)) {
            self.gone.set(true);
            return false;
        }
        if let Some(need) = self.missing(number, question) {
            self.need(need);
        }
        true
    }

    fn count(self) {
        if !self.path.counted {
            self.need(Need::Count);
        }
    }

    /// One more than there are: that there is none must stay true when more are found later.
    fn numbers(self, _: &Machine) -> usize {
        self.slots + 1
    }

    fn kind(self, slot: usize) {
        if self.path.sender == Some(slot) {
            return self.note(Stop::LooksAtSender);
        }
        let known = |fact: &Fact| matches!(fact, Fact::Kind(_) | Fact::Present(false));
        let known = || self.facts(Part::Slot(slot as u32)).iter().any(known);
        if slot < MOST_PROCESSES && !self.own(slot) && !known() {
            self.need(Need::Kind(slot as u32));
        }
    }

    fn control(self, slot: usize, control: u32) {
        let known = |fact: &Fact| match fact {
            Fact::At(at, true) => *at >= 0,
            Fact::At(at, false) => *at == control as i32,
            _ => false,
        };
        if !self.own(slot) && !self.facts(Part::Slot(slot as u32)).iter().any(known) {
            self.need(Need::At(slot as u32, control));
        }
    }

    fn local(self, slot: usize, cell: u32) {
        let known = |fact: &Fact| matches!(fact, Fact::Local(at, _) if *at == cell);
        if !self.own(slot) && !self.facts(Part::Slot(slot as u32)).iter().any(known) {
            self.need(Need::Local(slot as u32, cell));
        }
    }

    fn is_youngest(self, _: &Machine, _: usize) -> bool {
        let next = self.path.pid as u32 + 1;
        if !self.path.started.is_empty() || self.path.sender == Some(next as usize) {
            return false;
        }
        let absent = |fact: &Fact| *fact == Fact::Present(false);
        let known = self.facts(Part::Slot(next)).first().map(absent);
        if known.is_none() {
            self.need(Need::Younger);
        }
        known.unwrap_or(false)
    }
}

/// A length above zero is known, which says nothing of the first message.
fn lengthy(facts: &[Fact]) -> bool {
    let known = |fact: &Fact| matches!(fact, Fact::Head(_) | Fact::Whole(_) | Fact::Some(false) | Fact::Length(0));
    !facts.iter().any(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Transition;
    use crate::{Claim, compile};
    use prequel_formats::promela;

    /// What the first statement of a process lacks, where these cells are known.
    fn lacks(text: &str, known: &[(usize, i32)], facts: &[(u32, Fact, &[i32])]) -> Option<Need> {
        let (model, _) = promela::read("m.pml", text.as_bytes(), std::path::Path::new("."), &[]).expect("a model");
        let (program, _) = compile(&model, Claim::None).expect("a program");
        let start = Machine::initial(&program).expect("it starts");
        let frame = start.processes[0] as usize;
        let base = Machine { processes: Vec::new(), ..start.clone() };
        let mut path = Path::new(&program, &base, 0, &start.cells[frame..], true);
        known.iter().for_each(|&(cell, value)| path.learn(Part::Cell(cell as u32), Fact::Value(value), &[value]));
        for (channel, fact, example) in facts {
            path.learn(Part::Channel(*channel), fact.clone(), example);
        }
        let Transition { action, .. } = &program.proctypes[0].states[0].transitions[0];
        let done = Needs::new(&program, &path, 1).compute(|needs| {
            let mut machine = path.machine.clone();
            if machine.enabled_as(&program, 0, action, false, needs) == Ok(true) {
                _ = machine.execute_as(&program, 0, action, needs);
            }
        });
        done.err().map(|stop| match stop {
            Stop::Need(need) => need,
            Stop::LooksAtSender => panic!("there is no sender"),
        })
    }

    #[test]
    fn what_a_short_circuit_leaves_out_is_not_asked_for() {
        let text = "byte x, y; active proctype p() { (x == 1 && y == 2); x = 3; y = 4 }";
        assert_eq!(lacks(text, &[], &[]), Some(Need::Value(0)));
        assert_eq!(lacks(text, &[(0, 1)], &[]), Some(Need::Value(1)));
        assert_eq!(lacks(text, &[(0, 0)], &[]), None);
        assert_eq!(lacks(text, &[(0, 1), (1, 2)], &[]), None);
    }

    #[test]
    fn what_is_only_set_is_not_asked_for() {
        assert_eq!(lacks("byte x, y; active proctype p() { x = y; y = x }", &[], &[]), Some(Need::Value(1)));
        assert_eq!(lacks("byte x, y; active proctype p() { x = y; y = x }", &[(1, 7)], &[]), None);
    }

    #[test]
    fn a_message_is_compared_once_it_is_there() {
        let text = "chan c = [2] of { byte }; byte x; active proctype p() { c?eval(x); x = 1; c!1 }";
        assert_eq!(lacks(text, &[], &[]), Some(Need::Head(1)));
        assert_eq!(lacks(text, &[], &[(1, Fact::Some(false), &[0])]), None, "nothing can be received");
        assert_eq!(lacks(text, &[], &[(1, Fact::Head([5].into()), &[1, 5])]), Some(Need::Value(1)));
        assert_eq!(lacks(text, &[(1, 5)], &[(1, Fact::Head([5].into()), &[1, 5])]), None);
    }

    #[test]
    fn an_index_that_the_same_receive_has_set_is_known() {
        let text = "chan c = [2] of { byte, byte }; byte i; byte a[3]; \
            active proctype p() { c?i,a[i]; i = 0; a[0] = a[1]; c!1,1 }";
        assert_eq!(lacks(text, &[], &[(1, Fact::Head([2, 9].into()), &[1, 2, 9])]), None);
    }
}
