//! What steps do, and what done by others would make a difference to them.
//!
//! Both are sets of marks. A step conflicts with another if one does what the other minds; marks are made in pairs, so that it does
//! not matter who is asked. Two steps without conflict that are both possible can be taken in either order, with the same result,
//! and neither makes the other impossible. One may well make the other possible: a send and a receive on a buffered channel have no
//! conflict. Who waits asks for that apart ([`Effects::lacks`]).

use super::known::Known;
use super::table::each_action;
use crate::data::{Action, Node, Program, Run, Setup, State, Then, Transition};
use crate::expression::{Binary, Expression, Pattern, Place, Probe, Receive, Remote};

/// Marks for global cells and for channels; where there are more of them, some share their marks.
const CELLS: u32 = 256;
const CHANNELS: u32 = 48;
/// Likewise for channels that processes make.
const OWN_CHANNELS: u32 = 16;

/// A set of marks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marks(Box<[u64]>);

impl Marks {
    fn insert(&mut self, mark: u32) {
        self.0[mark as usize / 64] |= 1 << (mark % 64);
    }

    /// Adds all of another set; tells whether there were new ones.
    pub fn join(&mut self, other: &Marks) -> bool {
        let mut new = false;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            new |= more & !*word != 0;
            *word |= more;
        }
        new
    }

    /// Whether two sets have a mark in common.
    #[inline]
    pub fn meets(&self, other: &Marks) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// Which mark stands for what.
#[derive(Debug)]
pub struct Resources {
    /// For each global cell that is part of a state and set by somebody.
    cells: Vec<Option<u32>>,
    channels: u32,
    /// Where the marks of channels begin.
    first_channel: u32,
    first_own: u32,
    /// Messages may change hands at once.
    rendezvous: bool,
    /// Start of a process, end of one, a look at their number.
    processes: u32,
    /// For each proctype whose variables others look at.
    watched: Vec<Option<u32>>,
    /// Control states that others look for, with their proctypes.
    labels: Vec<(u32, u32, u32)>,
    words: usize,
}

/// Marks of a channel.
#[derive(Clone, Copy)]
enum Port {
    Send,
    Receive,
    /// It matters whether there is room.
    Room,
    /// It matters what the first message is.
    Head,
    Offer,
    Accept,
    /// Somebody comes to where a message is accepted, or goes from there.
    Come,
    /// It matters whether somebody is there.
    Ask,
}
const PORTS: u32 = 8;
const PORT_LIST: [Port; PORTS as usize] =
    [Port::Send, Port::Receive, Port::Room, Port::Head, Port::Offer, Port::Accept, Port::Come, Port::Ask];

impl Resources {
    /// For a program whose global cells have these constants; `watched` are the proctypes whose variables remote references name,
    /// `labels` are proctypes with the control states that they name.
    pub fn new(program: &Program, constants: &[Option<i32>], watched: &[bool], labels: &[(u32, u32)]) -> Self {
        let mut count = 0;
        let cells = program.globals.iter().zip(constants).map(|(cell, constant)| {
            (cell.stored && constant.is_none()).then(|| {
                count += 1;
                (count - 1) % CELLS
            })
        });
        let cells: Vec<Option<u32>> = cells.collect();
        let first_channel = 2 * count.min(CELLS);
        let channels = (program.channels.len() as u32).min(CHANNELS);
        let first_own = first_channel + PORTS * channels;
        let processes = first_own + OWN_CHANNELS;
        let mut next = processes + 3;
        let mut pair = || {
            next += 2;
            next - 2
        };
        let watched = watched.iter().map(|&watched| watched.then(&mut pair)).collect();
        let labels = labels.iter().map(|&(proctype, state)| (proctype, state, pair())).collect();
        let words = (next as usize).div_ceil(64);
        let rendezvous = program.channel_types.iter().any(|kind| kind.capacity == 0);
        Self { cells, channels, first_channel, first_own, rendezvous, processes, watched, labels, words }
    }

    /// The empty set.
    pub fn none(&self) -> Marks {
        Marks(vec![0; self.words].into())
    }

    fn port(&self, channel: u32, port: Port) -> u32 {
        self.first_channel + (channel - 1) % self.channels * PORTS + port as u32
    }
}

/// Collects what a step does and minds.
#[derive(Clone, Debug)]
pub struct Effects<'a> {
    program: &'a Program,
    resources: &'a Resources,
    known: &'a Known<'a>,
    /// What it does.
    pub does: Marks,
    /// What it minds.
    pub minds: Marks,
}

impl<'a> Effects<'a> {
    /// Nothing yet.
    pub fn new(program: &'a Program, resources: &'a Resources, known: &'a Known<'a>) -> Self {
        Self { program, resources, known, does: resources.none(), minds: resources.none() }
    }

    /// A process of a proctype moves from one control state to another, or to any where none is given.
    pub fn moves(&mut self, proctype: u32, from: u32, to: Option<u32>) {
        let labels = self
            .resources
            .labels
            .iter()
            .filter(|&&(kind, state, _)| kind == proctype && (state == from || to.is_none_or(|to| state == to)));
        let seen = labels.map(|&(.., mark)| mark).chain(self.resources.watched[proctype as usize]);
        for mark in seen {
            self.does.insert(mark);
            self.minds.insert(mark + 1);
        }
    }

    /// A process comes to a control state, or goes from it: a rendezvous may become possible, or stop to be. That is noticed where it
    /// decides between other steps, and in the middle of an `atomic`.
    pub fn is_at(&mut self, state: &State) {
        if !self.resources.rendezvous {
            return;
        }
        for transition in &state.transitions {
            each_action(transition, &mut |action| {
                if let Action::Receive(receive) = action {
                    self.meets(&receive.channel, Port::Come, Port::Ask);
                }
            });
        }
    }

    /// A transition that can be taken, without what comes after it in an `atomic`.
    pub fn transition(&mut self, transition: &Transition) {
        self.action(&transition.action);
        self.rest(transition);
    }

    /// A transition in the middle of a step: whether it can be taken matters too.
    pub fn inner(&mut self, transition: &Transition) {
        self.guard(&transition.action);
        self.transition(transition);
    }

    fn rest(&mut self, transition: &Transition) {
        for then in &transition.then {
            if let Then::Do { action, .. } = then {
                self.action(action);
            }
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else => {}
            Action::Condition(value) => self.holds(value),
            Action::Assign(place, value) => {
                self.reads(value);
                place.iter().for_each(|place| self.writes(place));
            }
            Action::Assert(value) => self.reads(value),
            // What is printed is no part of a state.
            Action::Print(values) => {
                values.iter().filter(|value| self.known.may_fault(value)).for_each(|value| self.reads(value));
            }
            Action::Send(send) => {
                send.guard.iter().chain([&send.channel]).chain(&send.arguments).for_each(|value| self.reads(value));
                self.sends(&send.channel, send.sorted);
            }
            Action::Receive(receive) => self.receives(receive),
            Action::Run(run) => self.runs(run),
            Action::SetPriority(pair) => {
                self.reads(&pair.0);
                self.reads(&pair.1);
            }
            Action::End => self.ends(),
            Action::Steps(steps) => {
                for node in &steps.nodes {
                    if let Node::Do(inside, ..) = node {
                        self.guard(inside);
                        self.action(inside);
                    }
                }
            }
        }
    }

    /// Whether an action is possible matters.
    pub fn guard(&mut self, action: &Action) {
        match action {
            Action::Condition(value) => self.reads(value),
            Action::Send(send) => {
                send.guard.iter().chain([&send.channel]).for_each(|value| self.reads(value));
                self.probes(&send.channel);
                self.meets(&send.channel, Port::Offer, Port::Accept);
                self.meets(&send.channel, Port::Ask, Port::Come);
            }
            Action::Receive(receive) => {
                self.matches(receive);
                self.probes(&receive.channel);
                self.meets(&receive.channel, Port::Accept, Port::Offer);
            }
            Action::Steps(_) => self.action(action),
            _ => {}
        }
    }

    /// What others must do at least once before an action that is not possible becomes so; `empty` if a channel has no message.
    pub fn lacks(mut self, action: &Action, empty: bool) -> Marks {
        match action {
            Action::Send(send) if self.is_buffer(&send.channel) => {
                send.guard.iter().chain([&send.channel]).for_each(|value| self.reads(value));
                self.pair(&send.channel, Port::Room, Port::Receive);
            }
            Action::Receive(receive) if self.is_buffer(&receive.channel) && empty => {
                self.reads(&receive.channel);
                self.pair(&receive.channel, Port::Head, Port::Send);
            }
            // The first message must become another one, or any message come that fits.
            Action::Receive(receive) if self.is_buffer(&receive.channel) => {
                self.matches(receive);
                self.pair(&receive.channel, Port::Head, Port::Receive);
                if receive.random {
                    self.pair(&receive.channel, Port::Head, Port::Send);
                }
            }
            other => self.guard(other),
        }
        self.minds
    }

    fn is_buffer(&self, channel: &Expression) -> bool {
        matches!(self.known.channel(channel), Some((_, false)))
    }

    /// A condition that holds: some of what others do keeps it so.
    fn holds(&mut self, value: &Expression) {
        match value {
            Expression::Binary(Binary::And | Binary::Or, pair) => {
                self.holds(&pair.0);
                self.holds(&pair.1);
            }
            Expression::Probe(Probe::NotEmpty, channel) => {
                self.reads(channel);
                self.pair(channel, Port::Head, Port::Receive);
            }
            Expression::Probe(Probe::NotFull, channel) => {
                self.reads(channel);
                self.pair(channel, Port::Room, Port::Send);
            }
            other => self.reads(other),
        }
    }

    /// An expression is computed.
    pub fn reads(&mut self, expression: &Expression) {
        match expression {
            Expression::Number(_) | Expression::Local(_) | Expression::Pid | Expression::Timeout => {}
            Expression::Global(cell) => self.reads_cell(*cell as usize),
            Expression::Element(place) => self.reads_place(place),
            Expression::Unary(_, a) => self.reads(a),
            Expression::Binary(_, pair) => {
                self.reads(&pair.0);
                self.reads(&pair.1);
            }
            Expression::Conditional(parts) => {
                [&parts.0, &parts.1, &parts.2].into_iter().for_each(|part| self.reads(part));
            }
            Expression::Length(channel) | Expression::Probe(_, channel) => {
                self.reads(channel);
                self.probes(channel);
            }
            Expression::Poll(receive) => {
                self.matches(receive);
                self.probes(&receive.channel);
            }
            Expression::ProcessCount | Expression::NonProgress => self.looks(),
            Expression::At(remote, label) => {
                let label = self.program.labels[*label as usize];
                let marks = self.resources.labels.iter();
                let mut marks = marks.filter(|&&(kind, state, _)| kind == remote.proctype && Some(state) == label);
                self.looks_into(remote, marks.next().map(|&(.., mark)| mark));
            }
            Expression::RemoteCell(remote, place) => {
                self.looks_into(remote, self.resources.watched[remote.proctype as usize]);
                place.indices.iter().for_each(|index| self.reads(&index.at));
            }
            Expression::Enabled(pid) | Expression::Priority(pid) => self.reads(pid),
        }
    }

    fn reads_place(&mut self, place: &Place) {
        place.indices.iter().for_each(|index| self.reads(&index.at));
        if !place.local {
            self.known.cells(place).into_iter().for_each(|cell| self.reads_cell(cell));
        }
    }

    fn reads_cell(&mut self, cell: usize) {
        if let Some(number) = self.resources.cells[cell] {
            self.does.insert(2 * number);
            self.minds.insert(2 * number + 1);
        }
    }

    fn writes(&mut self, place: &Place) {
        place.indices.iter().for_each(|index| self.reads(&index.at));
        if place.local {
            return;
        }
        for number in self.known.cells(place).into_iter().filter_map(|cell| self.resources.cells[cell]) {
            self.does.insert(2 * number + 1);
            self.minds.insert(2 * number);
            self.minds.insert(2 * number + 1);
        }
    }

    /// What a receive must match.
    fn matches(&mut self, receive: &Receive) {
        receive.guard.iter().chain([&receive.channel]).for_each(|value| self.reads(value));
        for pattern in &receive.patterns {
            if let Pattern::Match(value) = pattern {
                self.reads(value);
            }
        }
    }

    fn receives(&mut self, receive: &Receive) {
        self.matches(receive);
        for pattern in &receive.patterns {
            if let Pattern::Store(place) = pattern {
                self.writes(place);
            }
        }
        if !receive.keep {
            self.pair(&receive.channel, Port::Receive, Port::Receive);
            self.pair(&receive.channel, Port::Receive, Port::Head);
        } else {
            self.pair(&receive.channel, Port::Head, Port::Receive);
        }
        self.meets(&receive.channel, Port::Accept, Port::Offer);
    }

    fn sends(&mut self, channel: &Expression, sorted: bool) {
        self.pair(channel, Port::Send, Port::Send);
        self.pair(channel, Port::Send, Port::Room);
        if sorted {
            // It may become the first message.
            self.pair(channel, Port::Receive, Port::Receive);
            self.pair(channel, Port::Receive, Port::Head);
        }
        self.meets(channel, Port::Offer, Port::Accept);
    }

    /// How many messages there are, and which, matters.
    fn probes(&mut self, channel: &Expression) {
        self.pair(channel, Port::Head, Port::Receive);
        self.pair(channel, Port::Room, Port::Send);
    }

    /// Something is done with a buffered channel, and something is minded.
    fn pair(&mut self, channel: &Expression, does: Port, minds: Port) {
        match self.known.channel(channel) {
            Some((_, true)) => {}
            Some((number, false)) => {
                self.does.insert(self.resources.port(number, does));
                self.minds.insert(self.resources.port(number, minds));
            }
            None => self.any_channel(channel),
        }
    }

    /// One half of a rendezvous: whoever may take the other half matters.
    fn meets(&mut self, channel: &Expression, does: Port, minds: Port) {
        match self.known.channel(channel) {
            Some((_, false)) => {}
            Some((number, true)) => {
                self.does.insert(self.resources.port(number, does));
                self.minds.insert(self.resources.port(number, minds));
            }
            None => self.any_channel(channel),
        }
    }

    /// A channel that is not known, or that a process made.
    fn any_channel(&mut self, channel: &Expression) {
        match self.known.value(channel).and_then(|number| u32::try_from(number).ok()) {
            Some(number) if number as usize > self.program.channels.len() => {
                self.uses_own(self.resources.first_own + number % OWN_CHANNELS);
            }
            _ => {
                for number in 1..=self.resources.channels {
                    for port in PORT_LIST {
                        self.does.insert(self.resources.port(number, port));
                        self.minds.insert(self.resources.port(number, port));
                    }
                }
                self.uses_own_channels();
            }
        }
    }

    fn uses_own(&mut self, mark: u32) {
        self.does.insert(mark);
        self.minds.insert(mark);
    }

    fn uses_own_channels(&mut self) {
        (0..OWN_CHANNELS).for_each(|number| self.uses_own(self.resources.first_own + number));
    }

    fn runs(&mut self, run: &Run) {
        run.arguments.iter().for_each(|value| self.reads(value));
        let kind = &self.program.proctypes[run.proctype as usize];
        // What it starts with is computed by the new process, of whose cells nothing is known here.
        let known = self.known.of_another();
        let mut there = Effects::new(self.program, self.resources, &known);
        there.is_at(&kind.states[0]);
        for setup in &kind.prologue {
            match setup {
                Setup::Value(_, value) => there.reads(value),
                Setup::Channel(..) => there.uses_own_channels(),
            }
        }
        self.does.join(&there.does);
        self.minds.join(&there.minds);
        run.into.iter().for_each(|place| self.writes(place));
        let (start, end, look) = (self.resources.processes, self.resources.processes + 1, self.resources.processes + 2);
        self.does.insert(start);
        [start, end, look].into_iter().for_each(|mark| self.minds.insert(mark));
    }

    /// The youngest process goes away. Before it, no other one can.
    fn ends(&mut self) {
        let (start, end, look) = (self.resources.processes, self.resources.processes + 1, self.resources.processes + 2);
        self.does.insert(end);
        [start, look].into_iter().for_each(|mark| self.minds.insert(mark));
    }

    /// The channels of a process go away with it.
    pub fn takes_channels_along(&mut self) {
        self.uses_own_channels();
    }

    /// How many processes there are matters.
    fn looks(&mut self) {
        let (start, end, look) = (self.resources.processes, self.resources.processes + 1, self.resources.processes + 2);
        self.does.insert(look);
        self.minds.insert(start);
        self.minds.insert(end);
    }

    /// Whether some process of a proctype is at a control state that has a mark matters.
    pub fn looks_at(&mut self, proctype: u32, state: u32) {
        let marks = self.resources.labels.iter();
        let mark = marks.filter(|&&(kind, at, _)| (kind, at) == (proctype, state)).map(|&(.., mark)| mark).next();
        self.looks();
        mark.into_iter().for_each(|mark| self.minds.insert(mark));
    }

    fn looks_into(&mut self, remote: &Remote, mark: Option<u32>) {
        remote.pid.iter().for_each(|pid| self.reads(pid));
        self.looks();
        if let Some(mark) = mark {
            self.does.insert(mark + 1);
            self.minds.insert(mark);
        }
    }
}
