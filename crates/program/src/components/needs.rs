//! What a statement has to know: the first cell, channel or process that it looks at and that is not known yet.
//!
//! The order is that of the computation itself, so what a short-circuit leaves out is not asked for. Values come from the machine,
//! which is right as soon as nothing is missing before them.

use super::part::{Fact, Part};
use super::path::{Path, UNKNOWN};
use crate::data::{Action, Node, Program, Setup, Steps};
use crate::expression::{Binary, Expression, Fault, Pattern, Place, Probe, Receive, Remote};
use crate::machine::{Context, HEAD, MOST as MOST_PROCESSES};

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

/// Why a statement cannot be done yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// This must be known.
    Need(Need),
    /// It fails.
    Fault(Fault),
    /// It looks at the process whose message it took in the same step.
    LooksAtSender,
}

type Known = Result<(), Stop>;

/// What is asked of a channel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Room,
    Some,
    Head,
    Length,
    Whole,
}

/// Looks for what is missing.
pub struct Needs<'a> {
    program: &'a Program,
    path: &'a Path,
    context: Context<'a>,
    /// How many processes there can be at all.
    slots: usize,
}

impl<'a> Needs<'a> {
    /// In a step of a process.
    pub fn new(program: &'a Program, path: &'a Path, slots: usize) -> Self {
        Self { program, path, context: Context::new(program, &path.machine, path.pid), slots }
    }

    /// To see whether an action can be done.
    pub fn guard(&self, action: &Action) -> Known {
        if self.path.machine.handshake != 0 && !matches!(action, Action::Receive(_) | Action::Steps(_)) {
            return Ok(());
        }
        match action {
            Action::Condition(value) => self.value(value),
            Action::Send(send) => {
                if !self.allows(&send.guard)? {
                    return Ok(());
                }
                self.channel(&send.channel, if send.sorted { Question::Whole } else { Question::Room }).map(|_| ())
            }
            Action::Receive(receive) => {
                if receive.guard.is_some() && !(self.takes(receive)? && self.allows(&receive.guard)?) {
                    return Ok(());
                }
                self.receive(receive)
            }
            Action::Steps(steps) => self.opens(steps, 0),
            Action::End => self.younger().map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Whether a guard holds.
    fn allows(&self, guard: &Option<Expression>) -> Result<bool, Stop> {
        let Some(guard) = guard else { return Ok(true) };
        self.value(guard)?;
        Ok(self.context.value(guard) != 0)
    }

    /// Whether a receive is on the channel where a message waits, or on one that keeps messages: otherwise nobody asks for its
    /// guard.
    fn takes(&self, receive: &Receive) -> Result<bool, Stop> {
        self.value(&receive.channel)?;
        let (machine, number) = (&self.path.machine, self.context.value(&receive.channel));
        if machine.handshake != 0 {
            return Ok(machine.handshake == number);
        }
        let at = usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).and_then(|n| machine.channels.get(n));
        Ok(at.is_some_and(|&at| self.program.channel_types[machine.cells[at as usize] as usize].capacity > 0))
    }

    /// To do an action that can be done; the inside of a `d_step` asks for itself.
    pub fn effect(&self, action: &Action) -> Known {
        match action {
            Action::Assign(place, value) => {
                self.value(value)?;
                place.iter().try_for_each(|place| self.indices(place))
            }
            Action::Assert(value) => self.value(value),
            Action::Print(values) => values.iter().try_for_each(|value| self.value(value)),
            Action::Send(send) => send.arguments.iter().try_for_each(|argument| self.value(argument)),
            Action::Receive(receive) => receive.patterns.iter().try_for_each(|pattern| match pattern {
                Pattern::Store(place) => self.indices(place),
                Pattern::Match(_) | Pattern::Ignore => Ok(()),
            }),
            Action::Run(run) => {
                run.arguments.iter().try_for_each(|argument| self.value(argument))?;
                run.into.iter().try_for_each(|place| self.indices(place))?;
                self.count()?;
                // What the new process computes first is asked with the process in place.
                let mut ahead = self.path.clone();
                let pid = ahead.machine.processes.len();
                if ahead.machine.execute(self.program, self.path.pid, action).is_err() {
                    return Ok(());
                }
                ahead.pid = pid;
                let there = Needs::new(self.program, &ahead, self.slots);
                self.program.proctypes[run.proctype as usize].prologue.iter().try_for_each(|setup| match setup {
                    Setup::Value(_, value) => there.value(value),
                    Setup::Channel(..) => Ok(()),
                })
            }
            Action::Skip | Action::Else | Action::Condition(_) | Action::End | Action::Steps(_) => Ok(()),
            // Programs with priorities were refused.
            Action::SetPriority(_) => Ok(()),
        }
    }

    /// To see whether a `d_step` can go on at a node.
    pub fn opens(&self, steps: &Steps, mut at: u32) -> Known {
        for _ in 0..=steps.nodes.len() {
            match &steps.nodes[at as usize] {
                Node::Exit => return Ok(()),
                Node::Jump(to) => at = *to,
                Node::Do(action, ..) => return self.guard(action),
                Node::Choose(options) => {
                    for &option in options {
                        self.opens(steps, option)?;
                        if self.context.opens(steps, option) {
                            break;
                        }
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// To compute a value.
    pub fn value(&self, expression: &Expression) -> Known {
        match expression {
            Expression::Number(_) | Expression::Local(_) | Expression::Pid => Ok(()),
            // Programs with these were refused.
            Expression::Timeout | Expression::Enabled(_) | Expression::Priority(_) => Ok(()),
            Expression::Global(cell) => self.cell(*cell as usize),
            Expression::Element(place) => {
                self.indices(place)?;
                if place.local { Ok(()) } else { self.cell(self.context.address(place)) }
            }
            Expression::Unary(_, a) => self.value(a),
            Expression::Binary(op, pair) => {
                self.value(&pair.0)?;
                let counts = match op {
                    Binary::And => self.context.value(&pair.0) != 0,
                    Binary::Or => self.context.value(&pair.0) == 0,
                    _ => true,
                };
                if counts { self.value(&pair.1) } else { Ok(()) }
            }
            Expression::Conditional(parts) => {
                self.value(&parts.0)?;
                self.value(if self.context.value(&parts.0) != 0 { &parts.1 } else { &parts.2 })
            }
            Expression::Length(channel) => self.channel(channel, Question::Length).map(|_| ()),
            Expression::Probe(probe, channel) => {
                let question = match probe {
                    Probe::Full | Probe::NotFull => Question::Room,
                    Probe::Empty | Probe::NotEmpty => Question::Some,
                };
                self.channel(channel, question).map(|_| ())
            }
            Expression::Poll(receive) => self.receive(receive),
            Expression::ProcessCount => self.count(),
            Expression::At(remote, label) => match (self.remote(remote)?, self.program.labels[*label as usize]) {
                (Some(slot), Some(control)) => self.control(slot, control),
                _ => Ok(()),
            },
            Expression::RemoteCell(remote, place) => {
                self.indices(place)?;
                match self.remote(remote)? {
                    Some(slot) => {
                        let frame = self.path.machine.processes[self.path.pid] as usize + HEAD;
                        self.local(slot, (self.context.address(place) - frame) as u32)
                    }
                    None => Ok(()),
                }
            }
        }
    }

    fn cell(&self, at: usize) -> Known {
        let unknown =
            self.program.globals.get(at).is_some_and(|cell| cell.stored) && self.path.machine.cells[at] == UNKNOWN;
        if unknown { Err(Stop::Need(Need::Value(at as u32))) } else { Ok(()) }
    }

    fn indices(&self, place: &Place) -> Known {
        place.indices.iter().try_for_each(|index| self.value(&index.at))
    }

    fn count(&self) -> Known {
        if self.path.counted { Ok(()) } else { Err(Stop::Need(Need::Count)) }
    }

    /// Whether there is a process that came after this one.
    pub fn younger(&self) -> Result<bool, Stop> {
        let next = self.path.pid as u32 + 1;
        if !self.path.started.is_empty() || self.path.sender == Some(next as usize) {
            return Ok(true);
        }
        let tells = |fact: &Fact| if let Fact::Present(there) = fact { *there } else { true };
        self.facts(Part::Slot(next)).first().map(tells).ok_or(Stop::Need(Need::Younger))
    }

    fn facts(&self, part: Part) -> &'a [Fact] {
        self.path.known.get(&part).map_or(&[], |known| &known.facts)
    }

    /// Tells whether it is a channel that keeps messages.
    fn channel(&self, channel: &Expression, question: Question) -> Result<bool, Stop> {
        self.value(channel)?;
        let number = self.context.value(channel);
        let machine = &self.path.machine;
        let at = usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).and_then(|n| machine.channels.get(n));
        // A number that is no channel is a fault of the statement itself.
        let Some(&at) = at else { return Ok(false) };
        let number = number as u32;
        if self.program.channel_types[machine.cells[at as usize] as usize].capacity == 0 {
            return Ok(false);
        }
        let part = Part::Channel(number);
        let facts = self.facts(part);
        if number as usize > self.program.channels.len() {
            // A channel goes away with the process that made it.
            if facts.contains(&Fact::Present(false)) {
                return Err(Stop::Fault(Fault::NoChannel));
            }
            if facts.is_empty() {
                return Err(Stop::Need(Need::Present(number)));
            }
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
        if self.path.known.get(&part).is_some_and(|known| !known.changes.is_empty()) {
            return Err(Stop::Need(Need::Whole(number)));
        }
        if facts.iter().any(known) && !(question == Question::Head && lengthy(facts)) {
            return Ok(true);
        }
        Err(Stop::Need(match question {
            Question::Room => Need::Room(number),
            Question::Some => Need::Some(number),
            Question::Head => Need::Head(number),
            Question::Length => Need::Length(number),
            Question::Whole => Need::Whole(number),
        }))
    }

    fn receive(&self, receive: &Receive) -> Known {
        let waiting = self.path.machine.handshake;
        if waiting == 0 {
            let question = if receive.random { Question::Whole } else { Question::Head };
            if !self.channel(&receive.channel, question)? {
                return Ok(());
            }
        } else {
            self.value(&receive.channel)?;
            if self.context.value(&receive.channel) != waiting {
                return Ok(());
            }
        }
        receive.patterns.iter().try_for_each(|pattern| match pattern {
            Pattern::Match(value) => self.value(value),
            Pattern::Store(_) | Pattern::Ignore => Ok(()),
        })
    }

    /// The process that a remote reference means, once it is known.
    fn remote(&self, remote: &Remote) -> Result<Option<u32>, Stop> {
        let is = |slot: usize| self.path.machine.proctype(slot) == remote.proctype as usize;
        if let Some(pid) = &remote.pid {
            self.value(pid)?;
            let Ok(slot) = usize::try_from(self.context.value(pid)) else { return Ok(None) };
            if slot >= MOST_PROCESSES {
                return Ok(None);
            }
            self.kind(slot)?;
            return Ok(is(slot).then_some(slot as u32));
        }
        // One more than there are: that there is none must stay true when more are found later.
        for slot in 0..=self.slots {
            self.kind(slot)?;
            if is(slot) {
                return Ok(Some(slot as u32));
            }
        }
        Ok(None)
    }

    fn own(&self, slot: usize) -> bool {
        slot == self.path.pid || self.path.started.contains(&(slot as u32))
    }

    fn kind(&self, slot: usize) -> Known {
        if self.path.sender == Some(slot) {
            return Err(Stop::LooksAtSender);
        }
        let known = |fact: &Fact| matches!(fact, Fact::Kind(_) | Fact::Present(false));
        if self.own(slot) || self.facts(Part::Slot(slot as u32)).iter().any(known) {
            return Ok(());
        }
        Err(Stop::Need(Need::Kind(slot as u32)))
    }

    fn control(&self, slot: u32, control: u32) -> Known {
        let known = |fact: &Fact| match fact {
            Fact::At(at, true) => *at >= 0,
            Fact::At(at, false) => *at == control as i32,
            _ => false,
        };
        if self.own(slot as usize) || self.facts(Part::Slot(slot)).iter().any(known) {
            return Ok(());
        }
        Err(Stop::Need(Need::At(slot, control)))
    }

    fn local(&self, slot: u32, cell: u32) -> Known {
        let known = |fact: &Fact| matches!(fact, Fact::Local(at, _) if *at == cell);
        if self.own(slot as usize) || self.facts(Part::Slot(slot)).iter().any(known) {
            return Ok(());
        }
        Err(Stop::Need(Need::Local(slot, cell)))
    }
}

/// A length above zero is known, which says nothing of the first message.
fn lengthy(facts: &[Fact]) -> bool {
    let known = |fact: &Fact| matches!(fact, Fact::Head(_) | Fact::Whole(_) | Fact::Some(false) | Fact::Length(0));
    !facts.iter().any(known)
}
