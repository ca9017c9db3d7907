//! The steps of one process on its own: run on what it knows, split wherever it has to know more.
//!
//! What statements mean is the interpreter's ([`crate::machine`]). Here is when they have their turn, as in [`crate::expand`] but
//! seen from one process: an `atomic` goes on until it ends or is blocked, `else` and escapes ask for the statements before them, and
//! half of a rendezvous waits for its other half. The crate's README says why that is not one.

mod split;

use super::domain::Domains;
use super::last::note_writes;
use super::needs::Needs;
use super::part::{Change, Contents, Fact, Message, Part, Touch};
use super::path::{Path, UNKNOWN};
use super::refusal::Refusal;
use crate::data::{Action, Node, Program, Steps, Then, Transition};
use crate::expression::{Expression, Fault};
use crate::machine::{Context, Machine};
use crate::value::ValueType;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::RangeInclusive;

/// A way in which a process can move.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What is asked of other parts and done to them.
    pub touches: Vec<Touch>,
    /// Messages that no other process takes; before the rendezvous of this step, or after it.
    pub refused: Vec<(bool, i32, Message)>,
    /// The process after it.
    pub to: Contents,
    /// The proctypes of the processes that it starts.
    pub runs: Vec<u32>,
    /// What kind of step.
    pub kind: Kind,
    /// The statement with which it began.
    pub statement: u32,
}

/// Kinds of steps.
#[derive(Clone, Debug)]
pub enum Kind {
    /// It is done.
    Done,
    /// Something goes wrong.
    Wrong,
    /// Half of a rendezvous.
    Offer(Box<Offer>),
}

/// A message that waits for a receiver.
#[derive(Clone, Debug)]
pub struct Offer {
    /// On which channel.
    pub channel: i32,
    /// Its fields.
    pub message: Message,
    /// What the sender knew and did.
    pub path: Path,
}

/// Finds the moves of a process.
pub struct Moves<'a> {
    /// Of which program.
    pub program: &'a Program,
    /// Globals and channels as they start.
    pub base: &'a Machine,
    /// What the parts can hold.
    pub domains: &'a Domains,
    /// How many processes there can be when this one starts another or counts them.
    pub counts: RangeInclusive<usize>,
    /// Parts that were asked for, and how many states they had.
    pub asked: FxHashMap<Part, usize>,
    /// What was asked for the last time, if the rest is as it was then: only steps that rest on something new are looked for.
    last: Option<FxHashMap<Part, usize>>,
    /// Parts of that with more states than then.
    grown: Vec<Part>,
    /// Whether the number of processes was asked for.
    pub asked_count: bool,
    /// What was found.
    pub found: Vec<Outcome>,
    /// Statements that start processes, with the slots that these come to.
    pub starts: Vec<(u32, u32)>,
    /// How many paths were followed.
    pub paths: usize,
    inner: Vec<Path>,
}

pub(super) type Attempt<T> = Result<T, Refusal>;
/// The state after an action, and what went wrong in it.
type Executed = (Machine, Option<Fault>);
/// Ways in which a step goes on, and what goes wrong in them.
pub(super) type Ways = Vec<(Path, Option<Fault>)>;

impl<'a> Moves<'a> {
    /// With the states that parts are known to have.
    pub fn new(program: &'a Program, base: &'a Machine, domains: &'a Domains, counts: RangeInclusive<usize>) -> Self {
        let (asked, found, inner, grown, starts) = Default::default();
        let (last, asked_count, paths) = Default::default();
        Self { program, base, domains, counts, asked, last, grown, asked_count, found, starts, paths, inner }
    }

    /// Looks only for steps that rest on states of parts that were not there the last time.
    pub fn again(mut self, last: Option<FxHashMap<Part, usize>>) -> Self {
        if let Some(last) = &last {
            let size = |part: Part| self.domains.of(part).len();
            self.grown = last.iter().filter(|(part, states)| size(**part) > **states).map(|(part, _)| *part).collect();
            self.asked = last.keys().map(|&part| (part, size(part))).collect();
        }
        self.last = last;
        self
    }

    /// All moves of a process in a state, rendezvous receives aside.
    pub fn all(&mut self, pid: usize, frame: &[i32]) -> Attempt<()> {
        let path = Path::new(self.program, self.base, pid, frame, self.last.is_none());
        self.node(path, false)?;
        for path in self.go_on()? {
            self.stays(path, frame);
        }
        Ok(())
    }

    /// All ways in which a process can take a message.
    pub fn receive(&mut self, offer: &Offer, pid: usize, frame: &[i32]) -> Attempt<()> {
        let path = self.waiting(offer.path.hand_over(pid, frame, self.last.is_none()), offer.channel, &offer.message);
        for (path, _) in self.provided(path)?.into_iter().filter(|(_, allowed)| *allowed) {
            let transitions = self.transitions(&path);
            for at in 0..transitions.len() {
                for path in self.reached(path.clone(), transitions, at)? {
                    self.transition(path, &transitions[at])?;
                }
            }
        }
        let again = self.go_on()?;
        if let Some(path) = again.first().filter(|_| self.found.is_empty() && self.last.is_none()) {
            let statement = self.transitions(path).first().map_or(0, |transition| transition.statement);
            return Err(Refusal::at("endless atomic", statement, "this `atomic` need not end after its rendezvous"));
        }
        Ok(())
    }

    /// Whether a process can take a message; an error if that depends on anything else.
    pub fn takes(&mut self, pid: usize, frame: &[i32], channel: i32, message: &[i32]) -> Attempt<bool> {
        let path = self.waiting(Path::new(self.program, self.base, pid, frame, true), channel, message);
        let depends = |statement| {
            let message =
                "whether this message is taken depends on more than the receiver, and a sender wants to know it";
            Refusal::at("receiver that depends on globals", statement, message)
        };
        let kind = &self.program.proctypes[path.machine.proctype(pid)];
        let transitions = self.transitions(&path);
        let first = transitions.first().map_or(0, |transition| transition.statement);
        if let Some(provided) = &kind.provided {
            let allowed = self.needs(&path).compute(|needs| holds(self.program, &path, provided, needs));
            if !allowed.map_err(|_| depends(first))? {
                return Ok(false);
            }
        }
        for transition in transitions {
            let action = &transition.action;
            let can = |needs: &Needs<'_>| path.machine.enabled_as(self.program, pid, action, true, needs);
            if self.needs(&path).compute(can).map_err(|_| depends(transition.statement))? != Ok(false) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn waiting(&self, mut path: Path, channel: i32, message: &[i32]) -> Path {
        let contents: Vec<i32> = std::iter::once(1).chain(message.iter().copied()).collect();
        path.fill(channel as u32, &contents);
        path.machine.handshake = channel;
        path
    }

    fn transitions(&self, path: &Path) -> &'a [Transition] {
        let kind = &self.program.proctypes[path.machine.proctype(path.pid)];
        &kind.states[path.machine.control(path.pid)].transitions
    }

    /// Follows the atomic sequences that were started; gives the places that were come to twice.
    fn go_on(&mut self) -> Attempt<Vec<Path>> {
        let (mut seen, mut again) = (FxHashSet::default(), Vec::new());
        while let Some(path) = self.inner.pop() {
            if seen.contains(&path) {
                again.push(path);
            } else {
                seen.insert(path.clone());
                self.node(path, true)?;
            }
        }
        Ok(again)
    }

    /// An atomic sequence that may go round for ever is a step that leads nowhere: where it can be entered is no deadlock.
    fn stays(&mut self, path: Path, frame: &[i32]) {
        if path.fresh {
            let mut touches = path.touches(self.program);
            touches.retain_mut(|touch| {
                touch.changes.clear();
                !touch.facts.is_empty()
            });
            let (to, refused) = (frame.into(), path.refused);
            let statement = path.began.unwrap_or(0);
            self.found.push(Outcome { touches, refused, to, runs: vec![], kind: Kind::Done, statement });
        }
    }

    /// A path by whether its process is allowed to move at all.
    fn provided(&mut self, path: Path) -> Attempt<Vec<(Path, bool)>> {
        let program = self.program;
        let Some(provided) = &program.proctypes[path.machine.proctype(path.pid)].provided else {
            return Ok(vec![(path, true)]);
        };
        let statement = self.transitions(&path).first().map_or(0, |transition| transition.statement);
        self.resolve(path, statement, |path, needs| holds(program, path, provided, needs))
    }

    /// The moves from a control state.
    fn node(&mut self, path: Path, inner: bool) -> Attempt<()> {
        let transitions = self.transitions(&path);
        for (path, _) in self.provided(path.clone())?.into_iter().filter(|(_, allowed)| *allowed) {
            for at in 0..transitions.len() {
                for path in self.reached(path.clone(), transitions, at)? {
                    self.transition(path, &transitions[at])?;
                }
            }
        }
        if inner {
            for path in self.blocked(path, transitions)? {
                self.done(path, Kind::Done);
            }
        }
        Ok(())
    }

    /// The ways in which an atomic sequence stops in the middle.
    fn blocked(&mut self, path: Path, transitions: &'a [Transition]) -> Attempt<Vec<Path>> {
        let mut stopped = Vec::new();
        for (path, allowed) in self.provided(path)? {
            if allowed {
                stopped.extend(self.without(path, transitions.iter())?);
            } else {
                stopped.push(path);
            }
        }
        Ok(stopped)
    }

    /// The ways in which a transition has its turn: nothing before it takes that away.
    fn reached(&mut self, path: Path, transitions: &'a [Transition], at: usize) -> Attempt<Vec<Path>> {
        let this = &transitions[at];
        if this.action == Action::Else {
            if path.machine.handshake != 0 {
                return Ok(Vec::new());
            }
            return self.without(path, transitions[..at].iter());
        }
        let before = transitions[..at].iter();
        self.without(path, before.filter(|other| other.escape != 0 && other.escape != this.escape))
    }

    /// The ways in which none of these transitions is possible.
    fn without(&mut self, path: Path, none: impl Iterator<Item = &'a Transition>) -> Attempt<Vec<Path>> {
        let mut paths = vec![path];
        for transition in none {
            let mut left = Vec::new();
            if transition.action == Action::Else {
                // Nothing before it was possible, so it is.
                return Ok(left);
            }
            for path in paths {
                for (path, can) in self.guard(path, &transition.action, transition.statement)? {
                    match can {
                        Ok(false) => left.push(path),
                        Ok(true) => left.extend(self.unmet(path, transition)?),
                        Err(_) => {}
                    }
                }
            }
            paths = left;
        }
        Ok(paths)
    }

    /// The ways in which a send on a rendezvous channel finds no receiver; none for anything else.
    fn unmet(&mut self, path: Path, transition: &'a Transition) -> Attempt<Vec<Path>> {
        let Action::Send(_) = &transition.action else { return Ok(Vec::new()) };
        let mut unmet = Vec::new();
        for (path, (machine, fault)) in self.executed(path, &transition.action, transition.statement)? {
            if fault.is_some() || machine.handshake == 0 {
                continue;
            }
            let mut ahead = Path { machine, ..path.clone() };
            let (channel, message) = self.message(&mut ahead);
            let mut path = path;
            let refusal = (path.sender.is_some(), channel, message);
            if !path.refused.contains(&refusal) {
                path.refused.push(refusal);
            }
            unmet.push(path);
        }
        Ok(unmet)
    }

    /// Takes the message that waits on a rendezvous channel off it.
    pub(super) fn message(&self, path: &mut Path) -> (i32, Message) {
        let channel = path.machine.handshake;
        let message: Message = path.queue(self.program, channel as u32)[1..].into();
        path.fill(channel as u32, &[0]);
        path.machine.handshake = 0;
        (channel, message)
    }

    /// Does a transition that has its turn.
    fn transition(&mut self, mut path: Path, transition: &'a Transition) -> Attempt<()> {
        path.began = path.began.or(Some(transition.statement));
        for (path, can) in self.guard(path, &transition.action, transition.statement)? {
            match can {
                Ok(false) => {}
                Ok(true) => {
                    let after = match &transition.action {
                        Action::Steps(steps) => self.steps(path, steps)?,
                        action => self.act(path, action, transition.statement)?,
                    };
                    for (path, fault) in after {
                        if fault.is_none() && path.machine.handshake != 0 && self.program.senders_last {
                            self.offer_last(path, transition)?;
                            continue;
                        }
                        for (path, fault) in self.rest(path, fault, transition)? {
                            self.after(path, fault, transition)?;
                        }
                    }
                }
                Err(_) => self.done(path, Kind::Wrong),
            }
        }
        Ok(())
    }

    /// Does what comes after the action of a transition in the same step.
    pub(super) fn rest(&mut self, path: Path, fault: Option<Fault>, transition: &'a Transition) -> Attempt<Ways> {
        let mut ways = vec![(path, fault)];
        for then in &transition.then {
            let Then::Do { action, statement, .. } = then else { continue };
            let mut next = Vec::new();
            for (path, fault) in ways {
                match fault {
                    None => next.extend(self.act(path, action, *statement)?),
                    fault => next.push((path, fault)),
                }
            }
            ways = next;
        }
        Ok(ways)
    }

    fn after(&mut self, mut path: Path, fault: Option<Fault>, transition: &Transition) -> Attempt<()> {
        if path.machine.violated.take().is_some() || fault.is_some() {
            self.done(path.clone(), Kind::Wrong);
        }
        if fault.is_some() {
            return Ok(());
        }
        if self.settle(&mut path, transition.statement)? {
            self.done(path, Kind::Wrong);
            return Ok(());
        }
        if transition.action == Action::End {
            self.gone(path);
            return Ok(());
        }
        if let Some(target) = transition.target {
            path.machine.set_control(path.pid, target);
        }
        let statement = transition.statement;
        if path.machine.handshake != 0 {
            if path.sender.is_some() || !path.started.is_empty() {
                let message = "this rendezvous happens in the same step as another one or as the start of a process";
                return Err(Refusal::at("chain of rendezvous", statement, message));
            }
            let (channel, message) = self.message(&mut path);
            let offer = Offer { channel, message, path: path.clone() };
            self.done(path, Kind::Offer(Box::new(offer)));
        } else if transition.atomic {
            self.inner.push(path);
        } else {
            self.done(path, Kind::Done);
        }
        Ok(())
    }

    pub(super) fn done(&mut self, path: Path, kind: Kind) {
        if !path.fresh {
            return;
        }
        let mut touches = path.touches(self.program);
        if matches!(kind, Kind::Wrong) {
            touches.retain_mut(|touch| {
                touch.changes.clear();
                !touch.facts.is_empty()
            });
        }
        let to = path.frame(self.program, path.pid);
        let runs = path.started.iter().map(|&slot| path.machine.proctype(slot as usize) as u32).collect();
        let (refused, statement) = (path.refused, path.began.unwrap_or(0));
        self.found.push(Outcome { touches, refused, to, runs, kind, statement });
    }

    /// The process goes away, and with it the channels that it made.
    fn gone(&mut self, path: Path) {
        let mut touches = path.touches(self.program);
        for (number, states) in self.domains.channels.iter().enumerate().skip(self.program.channels.len()) {
            if states.is_empty() || self.owner(number) != Some(path.pid) {
                continue;
            }
            let part = Part::Channel(number as u32 + 1);
            let changes = vec![Change::Set(Contents::default())];
            match touches.iter_mut().find(|touch| touch.part == part) {
                Some(touch) => touch.changes = changes,
                None => touches.push(Touch { part, facts: vec![], changes }),
            }
        }
        touches.sort_unstable();
        let to = Contents::default();
        let (refused, statement) = (path.refused, path.began.unwrap_or(0));
        self.found.push(Outcome { touches, refused, to, runs: vec![], kind: Kind::Done, statement });
    }

    /// The process that made a channel: they stand in the order in which they came to be.
    fn owner(&self, channel: usize) -> Option<usize> {
        let mut next = self.program.channels.len();
        for (pid, &kind) in self.program.active.iter().enumerate() {
            next += self.program.own_channels(kind);
            if channel < next {
                return Some(pid);
            }
        }
        None
    }

    /// Whether an action can be done, in every way in which that can be.
    fn guard(&mut self, path: Path, action: &Action, statement: u32) -> Attempt<Vec<(Path, Result<bool, Fault>)>> {
        let program = self.program;
        self.resolve(path, statement, |path, needs| path.machine.enabled_as(program, path.pid, action, false, needs))
    }

    /// What an action that can be done makes of the state, and what goes wrong.
    fn executed(&mut self, path: Path, action: &Action, statement: u32) -> Attempt<Vec<(Path, Executed)>> {
        let program = self.program;
        self.resolve(path, statement, |path, needs| {
            let mut machine = path.machine.clone();
            let fault = machine.execute_as(program, path.pid, action, needs).err();
            (machine, fault)
        })
    }

    /// Does an action that can be done.
    fn act(&mut self, path: Path, action: &Action, statement: u32) -> Attempt<Ways> {
        if *action == Action::End {
            // It takes the channels of the process with it: [`Moves::gone`].
            return Ok(vec![(path, None)]);
        }
        let mut after = Vec::new();
        for (path, (machine, fault)) in self.executed(path, action, statement)? {
            after.push((self.acted(path, machine, fault, action, statement)?, fault));
        }
        Ok(after)
    }

    /// Notes what an action did to other parts.
    fn acted(
        &mut self,
        mut path: Path,
        after: Machine,
        fault: Option<Fault>,
        action: &Action,
        statement: u32,
    ) -> Attempt<Path> {
        let context = Context::new(self.program, &path.machine, path.pid);
        let mut channel = None;
        match action {
            Action::Assign(Some(place), value) if place.ty == ValueType::Int && context.value(value) == UNKNOWN => {
                let message = format!("the value {UNKNOWN} is used for bookkeeping");
                return Err(Refusal::at("value", statement, message));
            }
            Action::Send(send) => channel = Some((context.value(&send.channel), true)),
            Action::Receive(receive) if !receive.keep => channel = Some((context.value(&receive.channel), false)),
            Action::Run(_) => self.start(&mut path, statement),
            _ => {}
        }
        if self.program.senders_last {
            note_writes(&mut path, self.program, action);
        }
        let waiting = path.machine.handshake != 0;
        path.machine = after;
        if let (Some((channel, sends)), None) = (channel, fault)
            && !waiting
            && path.machine.handshake == 0
        {
            self.note_change(&mut path, channel as u32, sends);
        }
        Ok(path)
    }

    /// A process is about to be started.
    fn start(&mut self, path: &mut Path, statement: u32) {
        let slot = path.machine.processes.len() as u32;
        path.started.push(slot);
        self.starts.push((statement, slot));
        let known = path.known.entry(Part::Slot(slot)).or_default();
        if known.facts.is_empty() {
            known.facts.push(Fact::Present(false));
        }
    }

    /// Notes what a send or receive did to a buffered channel, unless all of it is known anyway.
    fn note_change(&self, path: &mut Path, channel: u32, sends: bool) {
        let change = if sends {
            let queue = path.queue(self.program, channel);
            let width = (queue.len() - 1).checked_div(queue[0] as usize).unwrap_or(0);
            Change::Push(queue[queue.len() - width..].into())
        } else {
            Change::Pop
        };
        let known = path.known.entry(Part::Channel(channel)).or_default();
        if known.whole().is_none() {
            known.changes.push(change);
        }
    }

    /// Does a `d_step`.
    fn steps(&mut self, path: Path, steps: &Steps) -> Attempt<Ways> {
        let program = self.program;
        let first = self.transitions(&path).first().map_or(0, |transition| transition.statement);
        let mut after = Vec::new();
        let mut open = vec![(path, 0u32)];
        while let Some((path, at)) = open.pop() {
            let (action, statement) = match &steps.nodes[at as usize] {
                Node::Do(action, _, statement) => (Some(action), *statement),
                Node::Jump(_) | Node::Choose(_) | Node::Exit => (None, first),
            };
            if action.is_some() || matches!(steps.nodes[at as usize], Node::Jump(_)) {
                self.pay(statement)?;
            }
            let done = self.resolve(path, statement, |path, needs| {
                let mut machine = path.machine.clone();
                let next = machine.step(program, path.pid, steps, at, needs);
                (machine, next)
            })?;
            for (mut path, (machine, next)) in done {
                if let Some(action) = action {
                    path = self.acted(path, machine, next.err(), action, statement)?;
                }
                match next {
                    Ok(Some(next)) => open.push((path, next)),
                    Ok(None) => after.push((path, None)),
                    Err(fault) => after.push((path, Some(fault))),
                }
            }
        }
        Ok(after)
    }
}

/// Whether a condition of the process that moves holds, as far as that is known.
fn holds(program: &Program, path: &Path, condition: &Expression, needs: &Needs<'_>) -> bool {
    Context::knowing(program, &path.machine, path.pid, needs).value(condition) != 0
}
