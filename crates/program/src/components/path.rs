//! A step in the making: the cells that it knows or has set, and what it asked of the parts of the program so far.

use super::part::{Change, Contents, Fact, Message, Part, Touch, changed, fits};
use crate::data::Program;
use crate::machine::{HEAD, Machine};
use std::collections::BTreeMap;

/// What a global holds that is neither known nor set. Only an `int` could really hold it, and such a program is refused.
pub const UNKNOWN: i32 = i32::MIN + 0x0BAD;

/// What is asked of a part so far, and done to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Known {
    /// What is so before the step.
    pub facts: Vec<Fact>,
    /// What was done to a channel of which not everything is known.
    pub changes: Vec<Change>,
}

impl Known {
    /// Everything that the channel holds, if it is known.
    pub fn whole(&self) -> Option<&Contents> {
        self.facts.iter().find_map(|fact| if let Fact::Whole(whole) = fact { Some(whole) } else { None })
    }
}

/// A step in the making.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Path {
    /// Globals, channels and the process that moves; what is not known has some fitting value that nobody looks at.
    pub machine: Machine,
    /// Who moves.
    pub pid: usize,
    /// Who sent the message that this process received in the same step.
    pub sender: Option<usize>,
    /// What is known of other parts.
    pub known: BTreeMap<Part, Known>,
    /// Messages on rendezvous channels that no other process takes; before the rendezvous of this step, or after it.
    pub refused: Vec<(bool, i32, Message)>,
    /// Whether the number of processes is known.
    pub counted: bool,
    /// Processes that were started.
    pub started: Vec<u32>,
    /// Whether it rests on a state of a part that was not there the last time.
    pub fresh: bool,
    /// The statement of the process that moves with which it began.
    pub began: Option<u32>,
    /// Globals that the process set, where senders move last.
    pub wrote: Vec<u32>,
    /// What the sender does when this process has moved.
    pub owed: Option<Owed>,
}

/// What a sender that moves last does to globals.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Owed {
    /// Which cells it sets, and to what.
    pub sets: Vec<(u32, i32)>,
    /// The cells that this depends on.
    pub reads: Vec<u32>,
    /// Something goes wrong then.
    pub wrong: bool,
}

impl Path {
    /// The start of a step of a process in a state. It is fresh if such steps were not looked for before.
    pub fn new(program: &Program, base: &Machine, pid: usize, frame: &[i32], fresh: bool) -> Self {
        let mut machine = base.clone();
        for (cell, value) in program.globals.iter().zip(&mut machine.cells) {
            if cell.stored {
                *value = UNKNOWN;
            }
        }
        let (sender, known, refused, started, counted, began, wrote, owed) = Default::default();
        let mut path = Self { machine, pid, sender, known, refused, counted, started, fresh, began, wrote, owed };
        path.extend_to(pid);
        path.install(pid, frame);
        path
    }

    /// Goes on with the process that takes a message.
    pub fn hand_over(&self, pid: usize, frame: &[i32], fresh: bool) -> Self {
        let mut path = Self { fresh, began: None, wrote: Vec::new(), ..self.clone() };
        path.install(self.pid, &[-1; HEAD]);
        (path.sender, path.pid) = (Some(self.pid), pid);
        path.install(pid, frame);
        path
    }

    /// Lets there be so many processes that nothing is known of.
    pub fn extend_to(&mut self, count: usize) {
        self.machine.processes.truncate(count);
        while self.machine.processes.len() < count {
            self.machine.processes.push(self.machine.cells.len() as u32);
            self.machine.cells.extend([-1; HEAD]);
        }
    }

    /// Puts a process in its place.
    pub fn install(&mut self, slot: usize, frame: &[i32]) {
        if self.machine.processes.len() <= slot {
            self.extend_to(slot + 1);
        }
        self.machine.processes[slot] = self.machine.cells.len() as u32;
        self.machine.cells.extend_from_slice(frame);
    }

    /// The process that moves.
    pub fn frame(&self, program: &Program, slot: usize) -> Contents {
        let at = self.machine.processes[slot] as usize;
        let cells = program.proctypes[self.machine.proctype(slot)].cells.len();
        self.machine.cells[at..at + HEAD + cells].into()
    }

    /// What a channel holds now.
    pub fn queue(&self, program: &Program, channel: u32) -> Contents {
        let at = self.machine.channels[channel as usize - 1] as usize;
        let width = program.channel_types[self.machine.cells[at] as usize].fields.len();
        let length = self.machine.cells[at + 1] as usize;
        self.machine.cells[at + 1..at + 2 + length * width].into()
    }

    /// Lets a channel hold something.
    pub fn fill(&mut self, channel: u32, contents: &[i32]) {
        let at = self.machine.channels[channel as usize - 1] as usize + 1;
        self.machine.cells[at..at + contents.len()].copy_from_slice(contents);
    }

    /// Adds a fact, with a state of the part that fits.
    pub fn learn(&mut self, part: Part, fact: Fact, example: &[i32]) {
        match part {
            Part::Cell(cell) => self.machine.cells[cell as usize] = example[0],
            Part::Channel(channel) => {
                let known = self.known.entry(part).or_default();
                let now = changed(&std::mem::take(&mut known.changes), example);
                if !now.is_empty() {
                    self.fill(channel, &now);
                }
            }
            Part::Slot(slot) if example.is_empty() => self.install(slot as usize, &[-1; HEAD]),
            Part::Slot(slot) => self.install(slot as usize, example),
        }
        let known = self.known.entry(part).or_default();
        if matches!(fact, Fact::Whole(_)) {
            known.facts.clear();
        }
        known.facts.push(fact);
    }

    /// Learns what the same step came to know of the state before it later on.
    pub fn recall(&mut self, program: &Program, later: &Path) {
        for (&part, known) in &later.known {
            if self.known.get(&part) == Some(known) {
                continue;
            }
            match (part, known.facts.as_slice()) {
                (Part::Cell(cell), [Fact::Value(value)]) => self.machine.cells[cell as usize] = *value,
                (Part::Slot(slot), [first, ..]) if *first != Fact::Present(false) => {
                    self.install(slot as usize, &later.frame(program, slot as usize));
                }
                _ => {}
            }
            self.known.insert(part, known.clone());
        }
        self.fresh = later.fresh;
    }

    /// Whether a state of a part fits what is known of it.
    pub fn admits(&self, part: Part, contents: &[i32]) -> bool {
        self.known.get(&part).is_none_or(|known| fits(&known.facts, contents))
    }

    /// Everything that the step asks and does.
    pub fn touches(&self, program: &Program) -> Vec<Touch> {
        let mut touches = Vec::new();
        for (&part, known) in &self.known {
            let (mut facts, mut changes) = (known.facts.clone(), known.changes.clone());
            facts.sort_unstable();
            match (part, known.whole()) {
                (Part::Channel(channel), Some(whole)) => {
                    let now = self.queue(program, channel);
                    if now != *whole {
                        changes = vec![Change::Set(now)];
                    }
                }
                (Part::Cell(cell), _) => {
                    let now = self.machine.cells[cell as usize];
                    if facts != [Fact::Value(now)] {
                        changes = vec![Change::Set([now].into())];
                    }
                }
                (Part::Slot(slot), _) if self.started.contains(&slot) => {
                    changes = vec![Change::Set(self.frame(program, slot as usize))];
                }
                _ => {}
            }
            touches.push(Touch { part, facts, changes });
        }
        for (cell, value) in program.globals.iter().zip(&self.machine.cells).enumerate() {
            let part = Part::Cell(cell as u32);
            if value.0.stored && *value.1 != UNKNOWN && !self.known.contains_key(&part) {
                touches.push(Touch { part, facts: vec![], changes: vec![Change::Set([*value.1].into())] });
            }
        }
        touches.sort_unstable();
        touches
    }
}
