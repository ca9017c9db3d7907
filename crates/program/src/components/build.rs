//! The fixed point: states of all parts and the labels between them, until nothing new is found.
//!
//! A process is run on any combination of states that the other parts can have on their own, so some states of a component may be
//! out of reach in the network; none is missing.

use super::Limits;
use super::counter::Bounds;
use super::domain::{Domains, States};
use super::moves::{Kind, Moves, Offer, Outcome};
use super::part::{Contents, Message, Part, Touch, changed, fits};
use super::path::Owed;
use super::refusal::Refusal;
use crate::data::{Action, Node, Program};
use crate::machine::Machine;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Processes at a time that are waited for.
const MOST_SLOTS: usize = 64;

/// Where a process that went wrong goes.
pub const WRONG: u32 = u32::MAX;

/// A way of moving together.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Joint {
    /// The process that moves, or that sends.
    pub slot: u32,
    /// The rendezvous that this is, and the process that receives.
    pub meeting: Option<(u32, u32)>,
    /// What is asked of other parts and done to them.
    pub touches: Vec<Touch>,
    /// Messages that no other process takes; before the rendezvous of this step, or after it.
    pub refused: Vec<(bool, i32, Message)>,
    /// Something goes wrong.
    pub wrong: bool,
}

/// What senders offer in the same way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct OfferKey {
    slot: u32,
    touches: Vec<Touch>,
    refused: Vec<(bool, i32, Message)>,
    channel: i32,
    message: Message,
    owed: Option<Owed>,
}

/// Half of a rendezvous.
#[derive(Debug)]
pub struct Sending {
    /// Who sends.
    pub slot: u32,
    /// What.
    pub offer: Offer,
    /// From which states to which.
    pub moves: IndexSet<(u32, Contents, Vec<u32>), FxBuildHasher>,
    /// The ways in which it is received.
    pub joints: IndexSet<u32, FxBuildHasher>,
    /// What the sender asked and did before.
    pub touches: Vec<Touch>,
    /// The statements with which the sender began.
    pub began: BTreeSet<u32>,
}

/// What a state was found to depend on.
#[derive(Clone, Debug)]
struct Visit {
    asked: FxHashMap<Part, usize>,
    /// How many processes there could be, and how many each could start.
    counts: Option<(RangeInclusive<usize>, usize)>,
}

/// The parts of a program and what they do.
#[derive(Debug)]
pub struct Build<'a> {
    /// Of which program.
    pub program: &'a Program,
    /// Globals and channels as they start.
    pub base: Machine,
    /// States of all parts.
    pub domains: Domains,
    /// All labels.
    pub joints: IndexSet<Joint, FxBuildHasher>,
    /// Moves of each slot: from, label, to; those of senders apart.
    pub moves: Vec<IndexSet<(u32, u32, u32), FxBuildHasher>>,
    /// Halves of rendezvous.
    pub sendings: Vec<Sending>,
    /// For each label the statements with which it begins, of the process that moves or receives.
    pub began: Vec<BTreeSet<u32>>,
    /// Statements that start processes, with the slots that these come to.
    pub starts: BTreeSet<(u32, u32)>,
    limits: Limits<'a>,
    sending_numbers: IndexMap<OfferKey, u32, FxBuildHasher>,
    visits: Vec<Vec<Option<Visit>>>,
    receptions: FxHashMap<(u32, u32, u32), Visit>,
    /// For each state of a slot: how many processes it has started itself on its way at least, and how many are there because of
    /// it at most.
    runs: Vec<Vec<(u32, u32)>>,
    /// How many processes are there at most because of one of each proctype.
    offspring: Vec<u32>,
    /// Counts the changes of that.
    generation: usize,
    /// Paths that were followed.
    paths: usize,
    /// Looks at what was known already, and those since the limits were looked at.
    looks: usize,
    unasked: usize,
    /// The first slot whose process can go away.
    ends: usize,
    /// For each label, how far the states of the parts that it changes were looked at.
    followed: Vec<Followed>,
    /// The bounds of counters.
    pub bounds: Bounds,
    /// How many steps they were found with.
    bounded: (usize, usize),
    transitions: usize,
}

/// Looks between two at the limits.
const BETWEEN: usize = 1 << 12;
/// What a case costs that is followed through a statement, as many states of a search.
const PATH: usize = 128;

type Attempt<T> = Result<T, Refusal>;

impl<'a> Build<'a> {
    /// The parts as they start.
    pub fn new(program: &'a Program, limits: Limits<'a>) -> Attempt<Self> {
        let machine = Machine::initial(program)
            .map_err(|fault| Refusal::of("start", format!("the program cannot start: {fault}")))?;
        let mut base = machine.clone();
        // Frames come back one at a time; channels that processes made keep their numbers.
        let mut cells = program.initial.clone();
        for at in &mut base.channels {
            let kind = &program.channel_types[machine.cells[*at as usize] as usize];
            let start = *at as usize;
            *at = cells.len() as u32;
            cells.extend_from_slice(&machine.cells[start..start + 2 + kind.slots() * kind.fields.len()]);
        }
        base.cells = cells;
        base.processes.clear();
        let mut domains = Domains::new(program.globals.len(), base.channels.len());
        for (number, &at) in base.channels.iter().enumerate() {
            if program.channel_types[base.cells[at as usize] as usize].capacity > 0 {
                domains.add(Part::Channel(number as u32 + 1), [0].into());
            }
        }
        for (number, cell) in program.globals.iter().enumerate() {
            if cell.stored {
                domains.add(Part::Cell(number as u32), [program.initial[number]].into());
            }
        }
        let mut build = Self {
            program,
            base,
            domains,
            joints: IndexSet::default(),
            moves: Vec::new(),
            sendings: Vec::new(),
            began: Vec::new(),
            starts: BTreeSet::new(),
            limits,
            sending_numbers: IndexMap::default(),
            visits: Vec::new(),
            receptions: FxHashMap::default(),
            runs: Vec::new(),
            offspring: vec![0; program.proctypes.len()],
            generation: 0,
            paths: 0,
            looks: 0,
            unasked: 0,
            ends: usize::MAX,
            followed: Vec::new(),
            bounds: Bounds::default(),
            bounded: (0, 0),
            transitions: 0,
        };
        for (slot, &at) in machine.processes.iter().enumerate() {
            let cells = program.proctypes[machine.proctype(slot)].cells.len();
            let frame: Contents = machine.cells[at as usize..at as usize + 2 + cells].into();
            build.domains.slots.push(std::iter::once(frame).collect());
        }
        build.level();
        Ok(build)
    }

    /// Goes on until nothing new is found.
    pub fn close(&mut self) -> Attempt<()> {
        loop {
            let mut news = self.visit()?;
            news |= self.meet()?;
            news |= self.follow()?;
            if !news {
                return Ok(());
            }
        }
    }

    /// Gives every slot and state its place in the tables.
    fn level(&mut self) {
        let slots = self.domains.slots.len();
        self.moves.resize_with(slots, IndexSet::default);
        self.visits.resize_with(slots, Vec::new);
        self.runs.resize_with(slots, Vec::new);
        for (slot, states) in self.domains.slots.iter().enumerate() {
            self.visits[slot].resize(states.len(), None);
            self.runs[slot].resize(states.len(), (0, 0));
        }
    }

    fn is_stale(&self, visit: &Visit, slot: usize, state: usize) -> bool {
        visit.asked.iter().any(|(&part, &states)| self.domains.of(part).len() != states)
            || visit.counts.as_ref().is_some_and(|(counts, generation)| {
                *generation != self.generation || *counts != self.counts(slot, state)
            })
    }

    /// What was asked for the last time, unless more than that has changed.
    fn unless_counts(&self, visit: Visit, slot: usize, state: usize) -> Option<FxHashMap<Part, usize>> {
        let now = (self.counts(slot, state), self.generation);
        if visit.counts.is_some_and(|counts| counts != now) { None } else { Some(visit.asked) }
    }

    /// How many processes there can be when a process is in a state. Whoever started a process outlives it, so those that are
    /// there come from those that are there from the start.
    fn counts(&self, slot: usize, state: usize) -> RangeInclusive<usize> {
        let active = &self.program.active;
        let (least, own) = self.runs[slot][state];
        let most = |(pid, kind): (usize, &u32)| {
            let first = self.domains.slots[slot][state].first() == Some(&(*kind as i32));
            if pid == slot && first { own } else { self.offspring[*kind as usize] }
        };
        let most: u32 = active.iter().enumerate().map(most).sum();
        self.ends.min(active.len() + least as usize)..=active.len() + most as usize
    }

    fn visit(&mut self) -> Attempt<bool> {
        let mut news = false;
        for slot in 0..self.domains.slots.len() {
            // States that are found on the way have their turn at once.
            let mut next = 0;
            while next < self.domains.slots[slot].len() {
                let state = next;
                next += 1;
                self.look(1)?;
                let frame = self.domains.slots[slot][state].clone();
                let fresh = self.visits[slot][state].as_ref().is_some_and(|visit| !self.is_stale(visit, slot, state));
                if frame.is_empty() || fresh {
                    continue;
                }
                news = true;
                let last = self.visits[slot][state].take().and_then(|visit| self.unless_counts(visit, slot, state));
                let counts = self.counts(slot, state);
                let mut moves = Moves::new(self.program, &self.base, &self.domains, counts).again(last);
                moves.all(slot, &frame)?;
                let Moves { counts, asked, asked_count, found, paths, starts, .. } = moves;
                self.work(paths, slot)?;
                self.starts.extend(starts);
                if asked_count && *counts.end() > MOST_SLOTS {
                    return Err(self.too_many_processes(slot, &frame));
                }
                let counts = asked_count.then_some((counts, self.generation));
                self.visits[slot][state] = Some(Visit { asked, counts });
                for outcome in found {
                    self.enter(slot as u32, state as u32, outcome)?;
                }
            }
        }
        Ok(news)
    }

    fn work(&mut self, paths: usize, slot: usize) -> Attempt<()> {
        self.paths += paths + 1;
        self.limits.allow((paths + 1) * PATH)?;
        if self.paths <= self.limits.paths {
            return Ok(());
        }
        let message = format!("process {slot} takes the search for values beyond {} cases", self.limits.paths);
        Err(Refusal::of("cases", message))
    }

    /// Counts so many looks at what is known already.
    fn look(&mut self, looks: usize) -> Attempt<()> {
        self.unasked += looks;
        if self.unasked < BETWEEN {
            return Ok(());
        }
        let looks = std::mem::take(&mut self.unasked);
        self.looks += looks;
        self.limits.allow(looks)?;
        if self.looks <= self.limits.looks {
            return Ok(());
        }
        let message = format!("the search for values does not come to an end within {} looks", self.limits.looks);
        Err(Refusal::of("looks", message))
    }

    fn too_many_processes(&self, slot: usize, frame: &[i32]) -> Refusal {
        let state = &self.program.proctypes[frame[0] as usize].states[frame[1] as usize];
        let statement = state.transitions.first().map_or(0, |transition| transition.statement);
        let message = format!("process {slot} may start more processes than can be foreseen");
        Refusal::at("run without bound", statement, message)
    }

    fn enter(&mut self, slot: u32, state: u32, outcome: Outcome) -> Attempt<()> {
        let Outcome { touches, refused, to, runs, kind, statement } = outcome;
        match kind {
            Kind::Done | Kind::Wrong => {
                let wrong = matches!(kind, Kind::Wrong);
                let joint = self.joint(Joint { slot, meeting: None, touches, refused, wrong }, statement)?;
                self.arrive(slot, state, joint, to, &runs, wrong)
            }
            Kind::Offer(offer) => {
                let (channel, message) = (offer.channel, offer.message.clone());
                let owed = offer.path.owed.clone();
                let key = OfferKey { slot, touches, refused, channel, message, owed };
                let next = self.sendings.len() as u32;
                let number = *self.sending_numbers.entry(key.clone()).or_insert(next);
                if number == next {
                    let (moves, joints, began) = Default::default();
                    self.sendings.push(Sending { slot, offer: *offer, moves, joints, touches: key.touches, began });
                }
                let sending = &mut self.sendings[number as usize];
                sending.began.insert(statement);
                sending.moves.insert((state, to.clone(), runs.clone()));
                if !sending.joints.is_empty() {
                    self.come_to(slot, state, to, &runs)?;
                }
                Ok(())
            }
        }
    }

    fn joint(&mut self, joint: Joint, statement: u32) -> Attempt<u32> {
        let (number, new) = self.joints.insert_full(joint);
        if new {
            self.followed.push(Followed::default());
            self.began.push(BTreeSet::new());
        }
        self.began[number].insert(statement);
        if number >= self.limits.labels {
            let program = self.program;
            let of = self.joints[number].slot;
            let name =
                &program.proctypes[self.domains.slots[of as usize][0].first().map_or(0, |&kind| kind as usize)].name;
            let message = format!("process {of} (`{name}`) takes the network beyond {} labels", self.limits.labels);
            return Err(Refusal::of("labels", message));
        }
        Ok(number as u32)
    }

    fn arrive(&mut self, slot: u32, from: u32, joint: u32, to: Contents, runs: &[u32], wrong: bool) -> Attempt<()> {
        let to = if wrong {
            WRONG
        } else {
            if to.is_empty() {
                self.ends = self.ends.min(slot as usize);
            }
            self.come_to(slot, from, to, runs)?
        };
        if self.moves[slot as usize].insert((from, joint, to)) {
            self.pay(1)?;
        }
        Ok(())
    }

    fn pay(&mut self, transitions: usize) -> Attempt<()> {
        self.transitions += transitions;
        if self.transitions > self.limits.transitions {
            let message = format!("the components have more than {} transitions", self.limits.transitions);
            return Err(Refusal::of("transitions", message));
        }
        Ok(())
    }

    /// A process comes to a state.
    fn come_to(&mut self, slot: u32, from: u32, to: Contents, runs: &[u32]) -> Attempt<u32> {
        let there = !to.is_empty();
        let part = Part::Slot(slot);
        let states = self.domains.of(part).len();
        self.domains.add(part, to.clone());
        let (states, number) =
            (self.domains.of(part).len() > states, self.domains.of(part).get_index_of(&to).unwrap_or(0));
        self.level();
        if there {
            let before = self.runs[slot as usize][from as usize];
            let cap = |runs: u32| runs.min(MOST_SLOTS as u32 + 1);
            let come: u32 = runs.iter().map(|&kind| 1 + self.offspring[kind as usize]).sum();
            let more = (cap(before.0 + runs.len() as u32), cap(before.1 + come));
            let known = &mut self.runs[slot as usize][number];
            let now = if states { more } else { (known.0.min(more.0), known.1.max(more.1)) };
            if *known != now {
                *known = now;
                self.forget(slot, number);
            }
            let offspring = &mut self.offspring[to[0] as usize];
            if *offspring < now.1 {
                *offspring = now.1;
                self.generation += 1;
            }
        }
        self.check_size(part)?;
        Ok(number as u32)
    }

    /// Lets a state be visited again as if for the first time: what it has started must reach the states after it.
    fn forget(&mut self, slot: u32, state: usize) {
        self.visits[slot as usize][state] = None;
        for sending in 0..self.sendings.len() as u32 {
            self.receptions.remove(&(sending, slot, state as u32));
        }
    }

    fn check_size(&self, part: Part) -> Attempt<()> {
        let states = self.domains.of(part).len();
        let limit = if let Part::Cell(_) = part { self.limits.values } else { self.limits.states };
        if states <= limit {
            return Ok(());
        }
        let (construct, what) = match part {
            Part::Slot(slot) => {
                let kind =
                    self.domains.of(part).last().and_then(|frame| frame.first()).map_or(0, |&kind| kind as usize);
                ("states of a process", format!("process {slot} (`{}`) has", self.program.proctypes[kind].name))
            }
            Part::Cell(cell) => {
                ("values of a variable", format!("`{}` takes", self.program.globals[cell as usize].name))
            }
            Part::Channel(channel) => ("contents of a channel", format!("channel {channel} holds")),
        };
        Err(Refusal::of(
            construct,
            format!("{what} more than {limit} different states when the parts are taken one by one"),
        ))
    }

    /// Brings halves of rendezvous together.
    fn meet(&mut self) -> Attempt<bool> {
        let mut news = false;
        let receiving: Vec<Vec<usize>> = self.domains.slots.iter().map(|states| self.receiving(states)).collect();
        for number in 0..self.sendings.len() {
            for (slot, states) in receiving.iter().enumerate() {
                if slot as u32 == self.sendings[number].slot {
                    continue;
                }
                self.look(states.len())?;
                for &state in states {
                    let frame = self.domains.slots[slot][state].clone();
                    let key = (number as u32, slot as u32, state as u32);
                    let fresh = self.receptions.get(&key).is_some_and(|visit| !self.is_stale(visit, slot, state));
                    if fresh {
                        continue;
                    }
                    let sending = &self.sendings[number];
                    if !sending.offer.path.admits(Part::Slot(slot as u32), &frame) {
                        continue;
                    }
                    let last = self.receptions.remove(&key).and_then(|visit| self.unless_counts(visit, slot, state));
                    let counts = self.counts(slot, state);
                    let mut moves = Moves::new(self.program, &self.base, &self.domains, counts).again(last);
                    moves.receive(&sending.offer, slot, &frame)?;
                    let Moves { counts, asked, asked_count, found, paths, starts, .. } = moves;
                    self.work(paths, slot)?;
                    self.starts.extend(starts);
                    let counts = asked_count.then_some((counts, self.generation));
                    self.receptions.insert(key, Visit { asked, counts });
                    for outcome in found {
                        news |= self.receive(number as u32, slot as u32, state as u32, outcome)?;
                    }
                }
            }
        }
        Ok(news)
    }

    /// The states of a slot that may take a message.
    fn receiving(&self, states: &States) -> Vec<usize> {
        let mut known: FxHashMap<(i32, i32), bool> = FxHashMap::default();
        let mut receives = |frame: &Contents| {
            let &[kind, control, ..] = &**frame else { return false };
            *known.entry((kind, control)).or_insert_with(|| {
                let state = &self.program.proctypes[kind as usize].states[control as usize];
                state.transitions.iter().any(|transition| may_receive(&transition.action))
            })
        };
        states.iter().enumerate().filter(|(_, frame)| receives(frame)).map(|(state, _)| state).collect()
    }

    fn receive(&mut self, number: u32, slot: u32, state: u32, outcome: Outcome) -> Attempt<bool> {
        let Outcome { mut touches, refused, to, runs, kind, statement } = outcome;
        let wrong = matches!(kind, Kind::Wrong);
        let sender = self.sendings[number as usize].slot;
        if wrong {
            // What the sender did before is part of the step all the same.
            for sent in &self.sendings[number as usize].touches {
                match touches.iter_mut().find(|touch| touch.part == sent.part) {
                    Some(touch) => touch.changes.clone_from(&sent.changes),
                    None => touches.push(sent.clone()),
                }
            }
            touches.sort_unstable();
        }
        touches.retain(|touch| touch.part != Part::Slot(slot));
        let joint = Joint { slot: sender, meeting: Some((number, slot)), touches, refused, wrong };
        let joint = self.joint(joint, statement)?;
        let before = self.transitions;
        self.arrive(slot, state, joint, to, &runs, wrong)?;
        let sending = &mut self.sendings[number as usize];
        if sending.joints.insert(joint) && sending.joints.len() == 1 {
            for (from, to, runs) in sending.moves.clone() {
                self.come_to(sender, from, to, &runs)?;
            }
        }
        Ok(self.transitions != before)
    }

    /// A process that starts in a state has started none itself, even if others come there that have.
    fn starts_at(&mut self, slot: usize, frame: &[i32]) {
        let Some(state) = self.domains.slots[slot].get_index_of(frame) else { return };
        if std::mem::take(&mut self.runs[slot][state].0) != 0 {
            self.forget(slot as u32, state);
        }
    }

    /// Finds the bounds of counters again where there are more steps than before.
    fn bound(&mut self) {
        let senders = self.sendings.iter().map(|sending| sending.moves.len()).sum::<usize>();
        let steps = (self.transitions, senders);
        if self.bounded != steps {
            (self.bounds, self.bounded) = (Bounds::new(self), steps);
        }
    }

    /// Finds the states that labels lead other parts to.
    fn follow(&mut self) -> Attempt<bool> {
        self.bound();
        let mut news = false;
        for number in 0..self.joints.len() {
            let touches = self.joints[number].touches.clone();
            let changing = touches.iter().filter(|touch| !touch.changes.is_empty());
            let Followed { total: before, looked, again } = std::mem::take(&mut self.followed[number]);
            let total: usize = changing.clone().map(|touch| self.domains.of(touch.part).len()).sum();
            if total == before && !again {
                self.followed[number] = Followed { total, looked, again };
                continue;
            }
            let mut beyond = false;
            let mut now = Vec::with_capacity(looked.len());
            for (place, touch) in changing.enumerate() {
                let states = self.domains.of(touch.part).len();
                // What a cell or a channel comes to from a state depends on that state alone, and states only become more.
                let only_new = !again && !matches!(touch.part, Part::Slot(_));
                let first = looked.get(place).copied().filter(|_| only_new).unwrap_or(0);
                now.push(states);
                self.look(states - first)?;
                for at in first..states {
                    let before = &self.domains.of(touch.part)[at];
                    if !fits(&touch.facts, before) {
                        continue;
                    }
                    let after = changed(&touch.changes, before);
                    if !self.bounds.admit(touch.part, &after) {
                        beyond = true;
                        continue;
                    }
                    if !self.domains.of(touch.part).contains(&after) {
                        self.domains.add(touch.part, after.clone());
                        self.level();
                        self.check_size(touch.part)?;
                        news = true;
                    }
                    if let Part::Slot(slot) = touch.part {
                        self.starts_at(slot as usize, &after);
                    }
                }
            }
            // Looked at again when they grow, also by what was just added, or when bounds do.
            self.followed[number] = Followed { total, looked: now, again: beyond };
        }
        Ok(news)
    }
}

/// How far a label was followed.
#[derive(Default, Debug)]
struct Followed {
    /// States of all parts that it changes, when they were last looked at.
    total: usize,
    /// The same for each of them.
    looked: Vec<usize>,
    /// All of them are to be looked at again.
    again: bool,
}

/// Whether an action may take a message from a rendezvous channel.
fn may_receive(action: &Action) -> bool {
    match action {
        Action::Receive(_) => true,
        Action::Steps(steps) => steps.nodes.iter().any(|node| matches!(node, Node::Do(Action::Receive(_), ..))),
        _ => false,
    }
}
