//! A state of a program, unpacked: cells, processes and channels, as a stack in the order in which they came to be.
//!
//! Only the youngest process can go away, and the channels that came after it go with it, so a stack is enough.

use super::data::{Action, Event, Node, Program, Run, Send, Setup, Steps, Then, Transition};
use super::endless::Endless;
use super::expression::{Binary, Expression, Fault, Pattern, Place, Probe, Receive, Remote};
use super::knowledge::{Everything, Knowledge, Question};
use std::cell::Cell;

/// Processes and channels that SPIN can number.
pub const MOST: usize = 255;
/// Steps of one `d_step` that are waited for.
const MOST_STEPS: u32 = 10_000_000;
/// Cells of a process before its variables: its proctype and its control state.
pub const HEAD: usize = 2;

/// An unpacked state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Machine {
    /// Globals, then processes and channels. A process is its proctype, its control state and its cells; a channel is its type,
    /// its length and its messages.
    pub cells: Vec<i32>,
    /// Where each process starts.
    pub processes: Vec<u32>,
    /// Where each channel starts; the first one is number 1.
    pub channels: Vec<u32>,
    /// The rendezvous channel on which a message waits for its receiver, or zero.
    pub handshake: i32,
    /// Who sent that message by which transition, where senders move last.
    pub sender: Option<(u32, u32)>,
    /// Nothing could move, so `timeout` holds.
    pub timeout: bool,
    /// An assertion did not hold in the last step; with the statement, if it stands inside of another.
    pub violated: Option<Option<u32>>,
    /// A send or receive of the last step was not what the trace wants.
    pub strayed: Option<Fault>,
}

impl Machine {
    /// Becomes a copy without giving up its memory.
    #[inline]
    pub fn copy_from(&mut self, other: &Machine) {
        self.cells.clear();
        self.cells.extend_from_slice(&other.cells);
        self.processes.clear();
        self.processes.extend_from_slice(&other.processes);
        self.channels.clear();
        self.channels.extend_from_slice(&other.channels);
        self.handshake = other.handshake;
        self.sender = other.sender;
        self.timeout = other.timeout;
        self.violated = other.violated;
        self.strayed = other.strayed;
    }

    /// The proctype of a process.
    #[inline]
    pub fn proctype(&self, pid: usize) -> usize {
        self.cells[self.processes[pid] as usize] as usize
    }

    /// The control state of a process.
    #[inline]
    pub fn control(&self, pid: usize) -> usize {
        self.cells[self.processes[pid] as usize + 1] as usize
    }

    /// Whether all that a process can still do is to go away.
    pub fn has_ended(&self, program: &Program, pid: usize) -> bool {
        let transitions = &program.proctypes[self.proctype(pid)].states[self.control(pid)].transitions;
        transitions.iter().all(|transition| transition.action == Action::End)
    }

    /// Sends a process to a control state.
    #[inline]
    pub fn set_control(&mut self, pid: usize, state: u32) {
        let at = self.processes[pid] as usize + 1;
        self.cells[at] = state as i32;
    }

    /// The first state of a program.
    pub fn initial(program: &Program) -> Result<Machine, Fault> {
        let mut machine = Machine { cells: program.initial.clone(), ..Machine::default() };
        for &ty in &program.channels {
            machine.add_channel(program, ty)?;
        }
        for &proctype in program.claim.iter().chain(&program.active) {
            let priority = program.proctypes[proctype as usize].priority;
            machine.add_process(program, proctype, priority, &[], Everything)?;
        }
        Ok(machine)
    }

    fn add_channel(&mut self, program: &Program, ty: u32) -> Result<i32, Fault> {
        if self.channels.len() >= MOST {
            return Err(Fault::Channels);
        }
        let kind = &program.channel_types[ty as usize];
        self.channels.push(self.cells.len() as u32);
        self.cells.push(ty as i32);
        self.cells.resize(self.cells.len() + 1 + kind.slots() * kind.fields.len(), 0);
        Ok(self.channels.len() as i32)
    }

    /// Starts a process; gives its number as the program sees it.
    fn add_process<K: Knowledge>(
        &mut self,
        program: &Program,
        proctype: u32,
        priority: u8,
        arguments: &[i32],
        knowledge: K,
    ) -> Result<i32, Fault> {
        if self.processes.len() >= MOST {
            return Err(Fault::Processes);
        }
        let kind = &program.proctypes[proctype as usize];
        let (pid, frame) = (self.processes.len(), self.cells.len());
        self.processes.push(frame as u32);
        self.cells.push(proctype as i32);
        self.cells.push(0);
        self.cells.resize(frame + HEAD + kind.cells.len(), 0);
        for (at, &value) in arguments.iter().enumerate().take(kind.parameters as usize) {
            self.cells[frame + HEAD + at] = kind.cells[at].ty.store(value);
        }
        if program.priorities
            && let Some(cell) = self.cells.last_mut()
        {
            *cell = i32::from(priority);
        }
        for setup in &kind.prologue {
            match setup {
                Setup::Value(cell, value) => {
                    let value = Context::knowing(program, self, pid, knowledge).checked(value)?;
                    self.cells[frame + HEAD + *cell as usize] = kind.cells[*cell as usize].ty.store(value);
                }
                Setup::Channel(cell, ty) => {
                    self.cells[frame + HEAD + *cell as usize] = self.add_channel(program, *ty)?;
                }
            }
        }
        Ok(pid as i32 - program.base() as i32)
    }

    fn remove_process(&mut self) {
        let Some(frame) = self.processes.pop() else { return };
        self.channels.retain(|&channel| channel < frame);
        self.cells.truncate(frame as usize);
    }

    /// Whether an action can be done by a process; `before` tells whether another transition of the process can.
    #[inline]
    pub fn enabled(&self, program: &Program, pid: usize, action: &Action, before: bool) -> Result<bool, Fault> {
        self.enabled_as(program, pid, action, before, Everything)
    }

    /// The same for somebody who may not know all of the state.
    #[inline]
    pub fn enabled_as<K: Knowledge>(
        &self,
        program: &Program,
        pid: usize,
        action: &Action,
        before: bool,
        knowledge: K,
    ) -> Result<bool, Fault> {
        let context = Context::knowing(program, self, pid, knowledge);
        let enabled = context.enabled(action, before);
        context.fault.get().map_or(Ok(enabled), Err)
    }

    /// Takes a transition of its control state whose action is enabled; control stays where it is, until [`Machine::leave`].
    #[inline]
    pub fn take(&mut self, program: &Program, pid: usize, number: usize, transition: &Transition) -> Result<(), Fault> {
        self.take_as(program, pid, number, transition, Everything)
    }

    /// The same for somebody who may not know all of the state.
    #[inline]
    pub fn take_as<K: Knowledge>(
        &mut self,
        program: &Program,
        pid: usize,
        number: usize,
        transition: &Transition,
        knowledge: K,
    ) -> Result<(), Fault> {
        self.execute_as(program, pid, &transition.action, knowledge)?;
        if program.senders_last {
            return self.take_last(program, pid, number, transition, knowledge);
        }
        if !transition.then.is_empty() {
            self.take_rest(program, pid, transition, knowledge)?;
        }
        Ok(())
    }

    /// A sender waits until the receiver has moved; the receiver lets it move then.
    fn take_last<K: Knowledge>(
        &mut self,
        program: &Program,
        pid: usize,
        number: usize,
        own: &Transition,
        knowledge: K,
    ) -> Result<(), Fault> {
        if self.handshake != 0 {
            self.sender = Some((pid as u32, number as u32));
            return Ok(());
        }
        self.take_rest(program, pid, own, knowledge)?;
        if let Some((sender, number)) = self.sender.take() {
            let sender = sender as usize;
            knowledge.control(sender, self.control(sender) as u32);
            let state = &program.proctypes[self.proctype(sender)].states[self.control(sender)];
            let transition = &state.transitions[number as usize];
            self.take_rest(program, sender, transition, knowledge)?;
            if let Some(target) = transition.target {
                knowledge.set(self.processes[sender] as usize + 1);
                self.set_control(sender, target);
            }
        }
        Ok(())
    }

    /// Goes where a transition leads that was taken; a sender that moves last stays until then.
    #[inline]
    pub fn leave(&mut self, pid: usize, transition: &Transition) {
        if let Some(target) = transition.target
            && self.sender.is_none()
        {
            self.set_control(pid, target);
        }
    }

    fn take_rest<K: Knowledge>(
        &mut self,
        program: &Program,
        pid: usize,
        transition: &Transition,
        knowledge: K,
    ) -> Result<(), Fault> {
        if self.violated == Some(None) {
            self.violated = Some(Some(transition.statement));
        }
        for then in &transition.then {
            match then {
                Then::Reset(cell) => {
                    let at = self.processes[pid] as usize + HEAD + *cell as usize;
                    knowledge.set(at);
                    self.cells[at] = 0;
                }
                Then::Do { action, statement, .. } => {
                    let done = self.execute_as(program, pid, action, knowledge);
                    if done.is_err() || self.violated == Some(None) {
                        self.violated = Some(Some(*statement));
                    }
                    done?;
                }
            }
        }
        Ok(())
    }

    /// Does an action that is enabled.
    #[inline]
    pub fn execute(&mut self, program: &Program, pid: usize, action: &Action) -> Result<(), Fault> {
        self.execute_as(program, pid, action, Everything)
    }

    /// The same for somebody who may not know all of the state.
    #[inline]
    pub fn execute_as<K: Knowledge>(
        &mut self,
        program: &Program,
        pid: usize,
        action: &Action,
        knowledge: K,
    ) -> Result<(), Fault> {
        match action {
            Action::Skip | Action::Else | Action::Condition(_) => Ok(()),
            Action::Assign(place, value) => {
                let context = Context::knowing(program, self, pid, knowledge);
                let value = context.value(value);
                let target = place.as_ref().map(|place| (context.address(place), place.ty));
                context.fault.get().map_or(Ok(()), Err)?;
                if let Some((at, ty)) = target {
                    knowledge.set(at);
                    self.cells[at] = ty.store(value);
                }
                Ok(())
            }
            Action::Assert(value) => {
                // No error: what comes after a violated assertion is a state like any other.
                if Context::knowing(program, self, pid, knowledge).checked(value)? == 0 {
                    self.violated = self.violated.or(Some(None));
                }
                Ok(())
            }
            Action::Print(values) => {
                let context = Context::knowing(program, self, pid, knowledge);
                for value in values {
                    context.value(value);
                }
                context.fault.get().map_or(Ok(()), Err)
            }
            Action::Send(send) => self.send(program, pid, send, knowledge),
            Action::Receive(receive) => self.receive(program, pid, receive, knowledge),
            Action::Run(run) => self.run(program, pid, run, knowledge),
            Action::SetPriority(pair) => {
                let context = Context::knowing(program, self, pid, knowledge);
                let (number, priority) = (context.value(&pair.0), context.value(&pair.1));
                let cell = context.priority_cell(number);
                context.fault.get().map_or(Ok(()), Err)?;
                // A process that is not there has no priority.
                let Some(cell) = cell else { return Ok(()) };
                if !(1..=255).contains(&priority) {
                    return Err(Fault::Priority);
                }
                knowledge.set(cell);
                self.cells[cell] = priority;
                Ok(())
            }
            Action::End => {
                self.remove_process();
                Ok(())
            }
            Action::Steps(steps) => self.steps(program, pid, steps, knowledge),
        }
    }

    fn send<K: Knowledge>(&mut self, program: &Program, pid: usize, send: &Send, knowledge: K) -> Result<(), Fault> {
        let context = Context::knowing(program, self, pid, knowledge);
        let number = context.value(&send.channel);
        let Some(channel) = context.channel(number) else {
            return Err(context.fault.get().unwrap_or(Fault::NoChannel));
        };
        let kind = &program.channel_types[context.machine.cells[channel] as usize];
        let width = kind.fields.len();
        if send.arguments.len() != width {
            return Err(Fault::Arity);
        }
        let mut message = [0i32; 16];
        let mut long;
        let message = if width <= message.len() {
            &mut message[..width]
        } else {
            long = vec![0; width];
            &mut long[..]
        };
        for ((into, argument), ty) in message.iter_mut().zip(&send.arguments).zip(&kind.fields) {
            *into = context.value(argument);
            if !send.sorted {
                *into = ty.store(*into);
            }
        }
        context.fault.get().map_or(Ok(()), Err)?;
        let length = self.cells[channel + 1] as usize;
        let start = channel + 2;
        let mut at = length;
        if send.sorted {
            // The last place is empty before.
            knowledge.shifted(start..start + (length + 1) * width);
            let messages = self.cells[start..start + length * width].chunks_exact(width);
            at = messages.take_while(|other| &**other <= message).count();
            self.cells.copy_within(start + at * width..start + length * width, start + (at + 1) * width);
            for (value, ty) in message.iter_mut().zip(&kind.fields) {
                *value = ty.store(*value);
            }
        }
        self.cells[start + at * width..start + (at + 1) * width].copy_from_slice(message);
        knowledge.set_all(start + at * width..start + (at + 1) * width);
        knowledge.shifted(channel + 1..channel + 2);
        self.cells[channel + 1] += 1;
        if kind.capacity == 0 {
            self.handshake = number;
        }
        self.event(program, true, number)
    }

    fn receive<K: Knowledge>(
        &mut self,
        program: &Program,
        pid: usize,
        receive: &Receive,
        knowledge: K,
    ) -> Result<(), Fault> {
        let context = Context::knowing(program, self, pid, knowledge);
        let number = context.value(&receive.channel);
        let slot = context.find(receive);
        context.fault.get().map_or(Ok(()), Err)?;
        let (Some(channel), Some(slot)) = (context.channel(number), slot) else { return Err(Fault::NoChannel) };
        let width = program.channel_types[self.cells[channel] as usize].fields.len();
        if receive.patterns.len() != width {
            return Err(Fault::Arity);
        }
        let (start, length) = (channel + 2, self.cells[channel + 1] as usize);
        for (field, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Store(place) = pattern {
                // One after the other: a later index may read what an earlier field was stored in.
                let context = Context::knowing(program, self, pid, knowledge);
                let at = context.address(place);
                context.fault.get().map_or(Ok(()), Err)?;
                knowledge.set(at);
                self.cells[at] = place.ty.store(self.cells[start + slot * width + field]);
            }
        }
        if !receive.keep {
            self.event(program, false, number)?;
            knowledge.shifted(channel + 1..start + length * width);
            self.cells.copy_within(start + (slot + 1) * width..start + length * width, start + slot * width);
            self.cells[start + (length - 1) * width..start + length * width].fill(0);
            self.cells[channel + 1] -= 1;
        }
        self.handshake = 0;
        Ok(())
    }

    /// Tells the trace of a send or receive: the message is in the channel. As in SPIN, it is always the last that is sent
    /// and the first that is received.
    fn event(&mut self, program: &Program, send: bool, number: i32) -> Result<(), Fault> {
        let Some(trace) = &program.trace else { return Ok(()) };
        let context = Context::new(program, self, program.base());
        let on_channel = |event: &Event| event.send == send && context.value(&event.channel) == number;
        if !trace.states.iter().flat_map(|state| &state.events).any(|(event, _)| on_channel(event)) {
            return Ok(());
        }
        let Some(channel) = context.channel(number) else { return Err(Fault::NoChannel) };
        let width = program.channel_types[self.cells[channel] as usize].fields.len();
        let slot = if send { (self.cells[channel + 1] - 1).max(0) as usize } else { 0 };
        let message = &self.cells[channel + 2 + slot * width..channel + 2 + (slot + 1) * width];
        let fits = |event: &Event| {
            let fields = event.fields.iter().zip(message);
            on_channel(event)
                && fields.into_iter().all(|(wanted, is)| wanted.as_ref().is_none_or(|w| context.value(w) == *is))
        };
        let now = self.cells[trace.cell as usize] as u32;
        let state = &trace.states[now as usize];
        let mut open = state.events.iter().filter(|(event, _)| now != trace.end && fits(event)).map(|(_, to)| *to);
        let (next, strayed) = match (open.next(), open.next()) {
            (Some(_), Some(_)) => return Err(Fault::AmbiguousEvent),
            (Some(to), None) => (to, (trace.negated && to == trace.end).then_some(Fault::AllEvents)),
            // Only the first try counts.
            (None, _) if trace.negated => (trace.end, None),
            (None, _) => (now, Some(Fault::NoEvent)),
        };
        context.fault.get().map_or(Ok(()), Err)?;
        self.cells[trace.cell as usize] = next as i32;
        self.strayed = self.strayed.or(strayed);
        Ok(())
    }

    fn run<K: Knowledge>(&mut self, program: &Program, pid: usize, run: &Run, knowledge: K) -> Result<(), Fault> {
        let context = Context::knowing(program, self, pid, knowledge);
        let arguments: Vec<i32> = run.arguments.iter().map(|argument| context.value(argument)).collect();
        context.fault.get().map_or(Ok(()), Err)?;
        knowledge.count();
        let number = self.add_process(program, run.proctype, run.priority, &arguments, knowledge)?;
        if let Some(place) = &run.into {
            let context = Context::knowing(program, self, pid, knowledge);
            let at = context.address(place);
            context.fault.get().map_or(Ok(()), Err)?;
            knowledge.set(at);
            self.cells[at] = place.ty.store(number);
        }
        Ok(())
    }

    fn steps<K: Knowledge>(&mut self, program: &Program, pid: usize, steps: &Steps, knowledge: K) -> Result<(), Fault> {
        let mut at = 0;
        for _ in 0..MOST_STEPS {
            match self.step(program, pid, steps, at, knowledge)? {
                Some(next) => at = next,
                None => return Ok(()),
            }
        }
        Err(Fault::Endless)
    }

    /// One node of a `d_step`; gives the next, if there is one.
    #[inline]
    pub fn step<K: Knowledge>(
        &mut self,
        program: &Program,
        pid: usize,
        steps: &Steps,
        at: u32,
        knowledge: K,
    ) -> Result<Option<u32>, Fault> {
        Ok(Some(match &steps.nodes[at as usize] {
            Node::Exit => return Ok(None),
            Node::Jump(to) => *to,
            Node::Do(action, to, statement) => {
                if !self.enabled_as(program, pid, action, false, knowledge)? {
                    return Err(Fault::BlockedInside);
                }
                self.execute_as(program, pid, action, knowledge)?;
                if self.violated == Some(None) {
                    self.violated = Some(Some(*statement));
                }
                if self.handshake != 0 {
                    return Err(Fault::RendezvousInside);
                }
                *to
            }
            Node::Choose(options) => {
                let context = Context::knowing(program, self, pid, knowledge);
                let open = options.iter().find(|&&option| context.opens(steps, option));
                context.fault.get().map_or(Ok(()), Err)?;
                *open.ok_or(Fault::BlockedInside)?
            }
        }))
    }
}

/// A computation by a process in a state; what goes wrong is noted and the computation goes on with a zero.
pub struct Context<'a, K = Everything> {
    program: &'a Program,
    machine: &'a Machine,
    pid: usize,
    frame: usize,
    knowledge: K,
    /// The first thing that went wrong.
    pub fault: Cell<Option<Fault>>,
}

impl<'a> Context<'a> {
    /// For a process in a state.
    #[inline]
    pub fn new(program: &'a Program, machine: &'a Machine, pid: usize) -> Self {
        Self::knowing(program, machine, pid, Everything)
    }
}

impl<'a, K: Knowledge> Context<'a, K> {
    /// For a process in a state of which somebody may not know everything.
    #[inline]
    pub fn knowing(program: &'a Program, machine: &'a Machine, pid: usize, knowledge: K) -> Self {
        let frame = machine.processes.get(pid).map_or(0, |&frame| frame as usize) + HEAD;
        Self { program, machine, pid, frame, knowledge, fault: Cell::new(None) }
    }

    fn note(&self, fault: Fault) {
        if self.fault.get().is_none() {
            self.fault.set(Some(fault));
        }
    }

    /// The value of an expression, or what went wrong.
    pub fn checked(&self, expression: &Expression) -> Result<i32, Fault> {
        let value = self.value(expression);
        self.fault.get().map_or(Ok(value), Err)
    }

    /// The value of an expression.
    #[inline]
    pub fn value(&self, expression: &Expression) -> i32 {
        match expression {
            Expression::Number(value) => *value,
            Expression::Global(cell) => self.global(*cell as usize),
            Expression::Local(cell) => self.own(self.frame + *cell as usize),
            other => self.compute(other),
        }
    }

    #[inline]
    fn own(&self, cell: usize) -> i32 {
        self.knowledge.own(cell);
        self.machine.cells[cell]
    }

    #[inline]
    fn global(&self, cell: usize) -> i32 {
        self.knowledge.cell(self.machine, cell);
        self.machine.cells[cell]
    }

    fn compute(&self, expression: &Expression) -> i32 {
        match expression {
            Expression::Number(_) | Expression::Global(_) | Expression::Local(_) => self.value(expression),
            Expression::Element(place) if place.local => self.own(self.address(place)),
            Expression::Element(place) => self.global(self.address(place)),
            Expression::Unary(op, a) => op.apply(self.value(a)),
            Expression::Binary(Binary::And, pair) => i32::from(self.value(&pair.0) != 0 && self.value(&pair.1) != 0),
            Expression::Binary(Binary::Or, pair) => i32::from(self.value(&pair.0) != 0 || self.value(&pair.1) != 0),
            Expression::Binary(op, pair) => {
                let (a, b) = (self.value(&pair.0), self.value(&pair.1));
                op.apply(a, b).unwrap_or_else(|| {
                    self.note(Fault::Division);
                    0
                })
            }
            Expression::Conditional(parts) => {
                if self.value(&parts.0) != 0 {
                    self.value(&parts.1)
                } else {
                    self.value(&parts.2)
                }
            }
            Expression::Length(channel) => {
                let channel = self.holding(self.value(channel), Question::Length);
                channel.map_or(0, |channel| self.machine.cells[channel + 1])
            }
            Expression::Probe(probe, channel) => i32::from(self.probe(*probe, self.value(channel))),
            Expression::Poll(receive) => {
                let Some(channel) = self.channel(self.value(&receive.channel)) else { return 0 };
                if self.program.channel_types[self.machine.cells[channel] as usize].capacity == 0 {
                    self.note(Fault::PollRendezvous);
                    return 0;
                }
                i32::from(self.find(receive).is_some())
            }
            Expression::Timeout => i32::from(self.machine.timeout),
            Expression::NonProgress => {
                self.knowledge.all();
                i32::from(!self.machine.timeout && Endless::NON_PROGRESS.is_marked(self.program, self.machine))
            }
            Expression::Pid => self.pid as i32 - self.program.base() as i32,
            Expression::ProcessCount => {
                self.knowledge.count();
                self.machine.processes.len() as i32
            }
            Expression::At(remote, label) => {
                let (Some(pid), Some(state)) = (self.remote(remote), self.program.labels[*label as usize]) else {
                    return 0;
                };
                self.knowledge.control(pid, state);
                i32::from(state == self.machine.control(pid) as u32)
            }
            Expression::RemoteCell(remote, place) => {
                let Some(pid) = self.remote(remote) else { return 0 };
                let there = Context::new(self.program, self.machine, pid);
                // The indices are computed here, the cell is there.
                let cell = self.address(place) - self.frame;
                self.knowledge.local(pid, cell as u32);
                self.machine.cells[cell + there.frame]
            }
            Expression::Priority(pid) => {
                self.knowledge.all();
                self.priority_cell(self.value(pid)).map_or(0, |cell| self.machine.cells[cell])
            }
            Expression::Enabled(pid) => {
                self.knowledge.all();
                let number = self.value(pid).wrapping_add(self.program.base() as i32);
                match usize::try_from(number) {
                    Ok(other) if other < self.machine.processes.len() && other != self.pid => {
                        i32::from(self.can_move(other))
                    }
                    _ => 0,
                }
            }
        }
    }

    /// Whether a channel is full, empty, or neither.
    fn probe(&self, probe: Probe, number: i32) -> bool {
        let question = match probe {
            Probe::Full | Probe::NotFull => Question::Room,
            Probe::Empty | Probe::NotEmpty => Question::Some,
        };
        let Some(channel) = self.holding(number, question) else { return false };
        let length = self.machine.cells[channel + 1];
        let slots = self.program.channel_types[self.machine.cells[channel] as usize].slots() as i32;
        match probe {
            Probe::Full => length == slots,
            Probe::NotFull => length < slots,
            Probe::Empty => length == 0,
            Probe::NotEmpty => length > 0,
        }
    }

    /// The cell with the priority of a process, by the number that the program knows it by.
    fn priority_cell(&self, number: i32) -> Option<usize> {
        let pid = usize::try_from(number.wrapping_add(self.program.base() as i32)).ok()?;
        let frame = *self.machine.processes.get(pid)? as usize;
        let cells = self.program.proctypes[self.machine.proctype(pid)].cells.len();
        Some(frame + HEAD + cells).map(|behind| behind - 1)
    }

    /// Whether another process of a higher priority could move, so that this one must wait.
    pub fn outranked(&self) -> bool {
        if !self.program.priorities || self.pid < self.program.base() {
            return false;
        }
        let base = self.program.base();
        let rank = |pid: usize| self.priority_cell((pid - base) as i32).map_or(0, |cell| self.machine.cells[cell]);
        let own = rank(self.pid);
        (base..self.machine.processes.len()).any(|other| {
            let provided = || {
                let provided = &self.program.proctypes[self.machine.proctype(other)].provided;
                let there = Context::new(self.program, self.machine, other);
                provided.as_ref().is_none_or(|condition| there.value(condition) != 0)
            };
            rank(other) > own && provided() && self.can_move(other)
        })
    }

    /// Whether some transition of a process can be done.
    fn can_move(&self, pid: usize) -> bool {
        let context = Context::new(self.program, self.machine, pid);
        let kind = &self.program.proctypes[self.machine.proctype(pid)];
        kind.states[self.machine.control(pid)].transitions.iter().any(|t| context.enabled(&t.action, false))
    }

    /// The process that a remote reference means, if it is there.
    fn remote(&self, remote: &Remote) -> Option<usize> {
        let base = self.program.base();
        let is = |pid: &usize| {
            self.knowledge.kind(*pid);
            let there = *pid < self.machine.processes.len();
            there && self.machine.proctype(*pid) == remote.proctype as usize
        };
        match &remote.pid {
            None => (0..self.knowledge.numbers(self.machine)).find(is),
            Some(pid) => usize::try_from(self.value(pid).wrapping_add(base as i32)).ok().filter(is),
        }
    }

    /// The cell that a place means.
    #[inline]
    pub fn address(&self, place: &Place) -> usize {
        let mut at = place.offset as usize + if place.local { self.frame } else { 0 };
        for index in &place.indices {
            let value = self.value(&index.at);
            if value < 0 || value as u32 >= index.length {
                self.note(Fault::Index);
            } else {
                at += value as usize * index.stride as usize;
            }
        }
        at
    }

    /// Where a channel of a number starts.
    #[inline]
    pub fn channel(&self, number: i32) -> Option<usize> {
        let found =
            usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).and_then(|n| self.machine.channels.get(n));
        if found.is_none() {
            self.note(Fault::NoChannel);
        }
        found.map(|&at| at as usize)
    }

    /// Where a channel starts whose contents are asked for.
    #[inline]
    fn holding(&self, number: i32, question: Question) -> Option<usize> {
        let found = self.channel(number)?;
        if self.knowledge.channel(self.machine, number, question) {
            return Some(found);
        }
        self.note(Fault::NoChannel);
        None
    }

    /// The message that a receive would take.
    fn find(&self, receive: &Receive) -> Option<usize> {
        let question = if receive.random { Question::Whole } else { Question::Head };
        let channel = self.holding(self.value(&receive.channel), question)?;
        let width = self.program.channel_types[self.machine.cells[channel] as usize].fields.len();
        let length = self.machine.cells[channel + 1] as usize;
        if length == 0 {
            return None;
        }
        // A question may leave the last fields open.
        if receive.patterns.len() > width {
            self.note(Fault::Arity);
            return None;
        }
        let last = if receive.random { length } else { 1 };
        let start = channel + 2;
        (0..last).find(|slot| {
            let message = &self.machine.cells[start + slot * width..start + (slot + 1) * width];
            receive.patterns.iter().zip(message).all(|(pattern, field)| match pattern {
                Pattern::Match(value) => self.value(value) == *field,
                Pattern::Store(_) | Pattern::Ignore => true,
            })
        })
    }

    /// Whether a guard holds, if there is one.
    #[inline]
    fn allows(&self, guard: &Option<Expression>) -> bool {
        guard.as_ref().is_none_or(|guard| self.value(guard) != 0)
    }

    /// Whether an action can be done.
    fn enabled(&self, action: &Action, before: bool) -> bool {
        if self.machine.handshake != 0 {
            // A message waits for its receiver: nobody does anything else.
            return match action {
                Action::Receive(receive) => {
                    self.value(&receive.channel) == self.machine.handshake
                        && self.allows(&receive.guard)
                        && self.find(receive).is_some()
                }
                Action::Steps(steps) => self.opens(steps, 0),
                _ => false,
            };
        }
        match action {
            Action::Skip | Action::Assign(..) | Action::Assert(_) | Action::Print(_) => true,
            Action::Run(_) | Action::SetPriority(_) => true,
            Action::Else => !before,
            Action::Condition(value) => self.value(value) != 0,
            Action::End => self.knowledge.is_youngest(self.machine, self.pid),
            Action::Send(send) => {
                if !self.allows(&send.guard) {
                    return false;
                }
                let question = if send.sorted { Question::Whole } else { Question::Room };
                let Some(channel) = self.holding(self.value(&send.channel), question) else { return false };
                let slots = self.program.channel_types[self.machine.cells[channel] as usize].slots() as i32;
                self.machine.cells[channel + 1] < slots
            }
            Action::Receive(receive) => {
                let Some(channel) = self.channel(self.value(&receive.channel)) else { return false };
                if self.program.channel_types[self.machine.cells[channel] as usize].capacity == 0 {
                    if receive.keep {
                        self.note(Fault::PollRendezvous);
                    }
                    return false;
                }
                self.allows(&receive.guard) && self.find(receive).is_some()
            }
            Action::Steps(steps) => self.opens(steps, 0),
        }
    }

    /// Whether a `d_step` can go on at a node.
    pub fn opens(&self, steps: &Steps, mut at: u32) -> bool {
        // A cycle of jumps would have no statement in it; the bound ends it.
        for _ in 0..steps.nodes.len() + 1 {
            match &steps.nodes[at as usize] {
                Node::Exit => return self.machine.handshake == 0,
                Node::Jump(to) => at = *to,
                Node::Do(action, ..) => return self.enabled(action, false),
                Node::Choose(options) => return options.iter().any(|&option| self.opens(steps, option)),
            }
        }
        false
    }
}

impl super::data::ChannelType {
    /// Messages that there is room for; a rendezvous channel has room for the one that changes hands.
    pub fn slots(&self) -> usize {
        self.capacity.max(1) as usize
    }
}

impl Program {
    /// How many processes come before those that the program can name: the claim, if there is one.
    pub fn base(&self) -> usize {
        usize::from(self.claim.is_some())
    }
}
