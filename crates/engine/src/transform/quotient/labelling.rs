//! Lower and upper bounds of the labels, and the refinement loop (Sections 5 and 6).
//!
//! Labels are kept as one set of triples. The lower set only grows: a triple is derived once, with a pointer to what it was
//! derived from, and when a class is split its triples are handed on to both halves. The upper set is computed when it is
//! asked for. A triple whose may steps all lead into the lower set is closed and never looked at again; an open one waits at
//! the classes that its weak edges lead to, and is looked at again when one of those is split.
//!
//! Forward the triples are those that are reachable; the initial class of every part is a singleton, without which the lower
//! set would claim too much (`Q_init_class_not_singleton`). Backward they are those from which the error can be reached. There,
//! only (cm, p) count that can be reached while N does what it likes, within what merged states must agree on: every quotient
//! of N can do no more than that. Nothing less will do: not what is reachable with N itself (`Q_bwd_restricted_to_reachable`).

use super::allowance::{Allowance, Meter};
use super::error::{About, Doubt, Error, Holds};
use super::part::{Direction, Part};
use super::partition::{Class, Partition};
use super::system::{Abstract, Step, System, Via};
use super::triples::{Key, Layout, Triples};
use prequel_model::{StateId, Why};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Why an analysis was given up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// More triples than allowed.
    Labels(usize),
    /// More effort than allowed.
    Effort,
    /// Tuples of classes do not fit 128 bits.
    Wide,
    /// A limit of the run.
    Limit(Why),
}

/// Why a triple is in the lower set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It is the initial one, or the error holds of it.
    Start,
    /// This step leads to the error.
    Error(Via),
    /// From (forward) or to (backward) another one by this step.
    Step(u32, Via),
    /// It is part of another one, whose class was split.
    Part(u32),
}

/// A reason in eight bytes.
#[derive(Clone, Copy, Debug)]
struct Packed {
    from: u32,
    via: u32,
}

impl Packed {
    const NONE: u32 = u32::MAX;

    fn new(reason: Reason) -> Self {
        let (from, via) = match reason {
            Reason::Start => (Self::NONE, Self::NONE),
            Reason::Error(via) => (Self::NONE, via.code()),
            Reason::Step(from, via) => (from, via.code()),
            Reason::Part(from) => (from, Self::NONE),
        };
        Self { from, via }
    }

    fn reason(self) -> Reason {
        match (self.from, self.via) {
            (Self::NONE, Self::NONE) => Reason::Start,
            (Self::NONE, via) => Reason::Error(Via::from_code(via)),
            (from, Self::NONE) => Reason::Part(from),
            (from, via) => Reason::Step(from, Via::from_code(via)),
        }
    }
}

/// What the lower set rests on: enough to follow each triple to a concrete path.
#[derive(Debug)]
pub struct Proof {
    /// How triples are packed.
    pub layout: Layout,
    /// The classes of each part.
    pub partitions: Vec<Partition>,
    low: Triples,
    reasons: Vec<Packed>,
}

impl Proof {
    /// The triple of the current classes of some states, if it is in the lower set.
    pub fn find(&self, states: &[StateId]) -> Option<u32> {
        let classes = self.partitions.iter().zip(states).map(|(partition, &s)| partition.class(s));
        self.low.find(classes.enumerate().fold(0, |key, (part, class)| self.layout.with(key, part, class)))
    }

    /// Whether a state of a part is in its class of a triple.
    pub fn inside(&self, triple: u32, part: usize, state: StateId) -> bool {
        self.partitions[part].contains(self.layout.get(self.low.key(triple), part), state)
    }

    /// Why a triple is there.
    pub fn reason(&self, triple: u32) -> Reason {
        self.reasons[triple as usize].reason()
    }
}

/// The (cm, p) that are reachable while N does what it likes, within what merged states must agree on.
#[derive(Debug)]
struct Within<'a> {
    reached: Triples,
    /// The parts read forward; N's classes are the states that agree.
    parts: Vec<Part<'a>>,
}

/// One analysis: a direction, partitions of the parts, and the labels.
#[derive(Debug)]
pub struct Labelling<'a> {
    system: &'a System<'a>,
    process: usize,
    direction: Direction,
    parts: Vec<Part<'a>>,
    layout: Layout,
    low: Triples,
    reasons: Vec<Packed>,
    /// How many steps from where the analysis starts.
    distance: Vec<u32>,
    /// Not known to be closed.
    open: Vec<bool>,
    /// To be looked at.
    todo: VecDeque<u32>,
    /// Open ones, nearest first; some are closed or gone by now.
    frontier: BinaryHeap<Reverse<(u32, u32)>>,
    /// For each class of each part, the triples with a weak edge into it.
    waiting: Vec<Vec<Vec<u32>>>,
    /// Backward: the (cm, p) that count.
    within: Option<Within<'a>>,
    /// Why the analysis cannot go on: what it says is not complete then.
    halted: Option<Halt>,
    /// Backward: triples of which the error may hold.
    unsure: Vec<Key>,
    /// A triple of the lower set from which a step leads to the error, or of which it holds (forward).
    violation: Option<u32>,
    most: usize,
}

impl<'a> Labelling<'a> {
    /// Sets up a forward analysis: every part has its initial state and the others.
    pub fn forward(system: &'a System<'a>, process: usize, most: usize) -> Result<Self, Halt> {
        let classes = |part: usize| {
            let lts = system.lts(part);
            Partition::by_keys(&lts.states().map(|s| s != lts.initial()).collect::<Vec<_>>())
        };
        let mut new = Self::with_classes(system, process, Direction::Forward, most, classes)?;
        let start = new.view().key_of(&system.initial());
        new.add(start, Reason::Start, 0);
        Ok(new)
    }

    /// Sets up a backward analysis. It starts with the given classes of the environment, or one class of each part.
    pub fn backward(
        system: &'a System<'a>,
        process: usize,
        most: usize,
        before: Option<&[Partition]>,
        allowance: &Allowance<'_>,
    ) -> Result<Self, Halt> {
        let classes = |part: usize| match before {
            Some(before) => Partition::by_keys(before[part].classes()),
            None => Partition::by_keys(&vec![0; system.lts(part).num_states()]),
        };
        let mut new = Self::with_classes(system, process, Direction::Backward, most, classes)?;
        let blocks = Partition::by_keys(&system.error.seeds(system, process));
        let free = |at: usize| if at == process { blocks.clone() } else { new.parts[at].partition.clone() };
        let parts: Vec<Part> =
            (0..new.parts.len()).map(|at| Part::new(system.lts(at), Direction::Forward, free(at))).collect();
        new.within = Some(Within { reached: Triples::default(), parts });
        new.look_around(allowance)?;
        let within = new.within.take().expect("it was set up");
        let mut meter = Meter::default();
        for &key in within.reached.keys() {
            for &n in blocks.members(new.layout.get(key, process)) {
                new.look_at(new.layout.with(key, process, n.0));
            }
            meter.looked_at(0, allowance)?;
            if new.low.len() + new.unsure.len() > most {
                return Err(Halt::Labels(most));
            }
        }
        new.within = Some(within);
        Ok(new)
    }

    fn with_classes(
        system: &'a System<'a>,
        process: usize,
        direction: Direction,
        most: usize,
        classes: impl Fn(usize) -> Partition,
    ) -> Result<Self, Halt> {
        let parts: Vec<Part> = (0..system.parts.len())
            .map(|part| {
                // The process and the monitor are not abstracted.
                let exact =
                    part == process || matches!(system.error, Error::Accepting { monitor, .. } if monitor == part);
                let lts = system.lts(part);
                let partition = if exact { Partition::discrete(lts.num_states()) } else { classes(part) };
                Part::new(lts, direction, partition)
            })
            .collect();
        let most_classes: Vec<usize> = parts.iter().map(|part| part.partition.most()).collect();
        let layout = Layout::new(&most_classes, process).ok_or(Halt::Wide)?;
        let waiting = parts.iter().map(|part| vec![Vec::new(); part.partition.len()]).collect();
        let (low, reasons, distance, open) = (Triples::default(), Vec::new(), Vec::new(), Vec::new());
        let (todo, frontier, unsure) = (VecDeque::new(), BinaryHeap::new(), Vec::new());
        let (within, halted, violation) = (None, None, None);
        Ok(Self {
            system,
            process,
            direction,
            parts,
            layout,
            low,
            reasons,
            distance,
            open,
            todo,
            frontier,
            waiting,
            within,
            halted,
            unsure,
            violation,
            most,
        })
    }

    fn view(&self) -> Abstract<'_, 'a> {
        Abstract { system: self.system, layout: &self.layout, parts: &self.parts }
    }

    /// Finds out which (cm, p) are reachable by may steps while N may do what a state of its block can.
    fn look_around(&mut self, allowance: &Allowance<'_>) -> Result<(), Halt> {
        let Some(Within { parts, .. }) = self.within.take() else { return Ok(()) };
        let free = Abstract { system: self.system, layout: &self.layout, parts: &parts };
        let mut reached = Triples::default();
        reached.insert(free.key_of(&self.system.initial()));
        let closed = self.close(&free, reached, |_| true, allowance);
        let (reached, outcome) = match closed {
            Ok(reached) => (reached, Ok(())),
            Err(halt) => {
                self.halted = Some(halt.clone());
                (Triples::default(), Err(halt))
            }
        };
        self.within = Some(Within { reached, parts });
        outcome
    }

    /// Backward: where the error holds, there is a triple of the lower set; where it may, there is a doubt.
    fn look_at(&mut self, key: Key) {
        match self.view().error(key) {
            Holds::No => {}
            Holds::Yes(via) => self.add(key, via.map_or(Reason::Start, Reason::Error), 0),
            Holds::Doubt(_) => self.unsure.push(key),
        }
    }

    /// Closes a set under may steps of the triples that `expand` lets through.
    fn close(
        &self,
        view: &Abstract<'_, '_>,
        mut set: Triples,
        expand: impl Fn(Key) -> bool,
        allowance: &Allowance<'_>,
    ) -> Result<Triples, Halt> {
        let (mut at, mut next, mut meter) = (0, Vec::new(), Meter::default());
        while at < set.len() {
            let key = set.key(at as u32);
            at += 1;
            if expand(key) {
                view.steps(key, &mut |step| next.push(step.target));
                meter.looked_at(next.len(), allowance)?;
                for target in next.drain(..).filter(|&target| self.counts(target)) {
                    set.insert(target);
                }
                if set.len() > self.most {
                    return Err(Halt::Labels(self.most));
                }
            }
        }
        meter.report(allowance)?;
        Ok(set)
    }

    /// Whether a triple is one that labels speak of.
    #[inline]
    fn counts(&self, key: Key) -> bool {
        if let Error::Accepting { monitor, lts, .. } = self.system.error
            && lts.is_marked(StateId(self.layout.get(key, monitor)))
        {
            return false;
        }
        self.within.as_ref().is_none_or(|within| {
            let block = within.parts[self.process].partition.class(StateId(self.layout.get(key, self.process)));
            within.reached.contains(self.layout.with(key, self.process, block))
        })
    }

    /// Whether a triple of the lower set is still one: its classes are there, and it counts.
    fn is_label(&self, key: Key) -> bool {
        self.view().is_current(key) && self.counts(key)
    }

    /// Adds a triple to the lower set, if it is not there; it is looked at later.
    fn add(&mut self, key: Key, reason: Reason, distance: u32) {
        let (at, new) = self.low.insert(key);
        if new {
            self.reasons.push(Packed::new(reason));
            self.distance.push(distance);
            self.open.push(true);
            self.todo.push_back(at);
        }
    }

    /// Closes the lower set under must steps.
    pub fn analyse(&mut self, allowance: &Allowance<'_>) -> Result<(), Halt> {
        let (mut steps, mut meter) = (Vec::new(), Meter::default());
        while let Some(&triple) = self.todo.front() {
            if self.low.len() > self.most {
                return Err(Halt::Labels(self.most));
            }
            self.examine(triple, &mut steps);
            self.todo.pop_front();
            meter.looked_at(steps.len(), allowance)?;
        }
        meter.report(allowance)
    }

    /// Looks at the steps of a triple: must steps add to the lower set, the others leave it open.
    fn examine(&mut self, triple: u32, steps: &mut Vec<Step>) {
        let key = self.low.key(triple);
        let distance = self.distance[triple as usize];
        if !self.is_label(key) {
            return;
        }
        if self.direction == Direction::Forward && self.violation.is_none() {
            // All members are reachable: for a step into π it is enough that some of them have it.
            let safety = matches!(self.system.error, Error::Accepting { .. });
            match self.view().error(key) {
                Holds::Yes(_) => self.violation = Some(triple),
                Holds::Doubt(_) if safety => self.violation = Some(triple),
                _ => {}
            }
        }
        steps.clear();
        self.view().steps(key, &mut |step| steps.push(step));
        let mut open = false;
        for step in steps.iter() {
            if self.low.contains(step.target) || !self.counts(step.target) {
                continue;
            }
            match step.weak {
                None => self.add(step.target, Reason::Step(triple, step.via), distance + 1),
                Some(weak) => {
                    open = true;
                    let waiting = &mut self.waiting[weak.part][weak.to as usize];
                    if waiting.last() != Some(&triple) {
                        waiting.push(triple);
                    }
                }
            }
        }
        self.open[triple as usize] = open;
        if open {
            self.frontier.push(Reverse((distance, triple)));
        }
    }

    /// One refinement step; false where the bounds are equal and there is nothing to refine.
    pub fn refine(&mut self, allowance: &Allowance<'_>) -> Result<bool, Halt> {
        self.halted.clone().map_or(Ok(()), Err)?;
        self.analyse(allowance)?;
        let unsure = std::mem::take(&mut self.unsure);
        self.unsure = unsure.into_iter().filter(|&key| !self.low.contains(key) && self.counts(key)).collect();
        if let Some(&key) = self.unsure.first() {
            let Holds::Doubt(doubt) = self.view().error(key) else { unreachable!("its classes are what they were") };
            self.split_doubt(&doubt, allowance)?;
        } else {
            let Some((triple, weak)) = self.nearest_open() else { return Ok(false) };
            let halves = self.parts[weak.part].split_reached(weak.from, weak.label, weak.to);
            self.after_split(weak.part, weak.to, halves, allowance)?;
            self.todo.push_back(triple);
        }
        self.analyse(allowance)?;
        Ok(true)
    }

    /// The open triple nearest to the start, and what keeps one of its steps from being a must step.
    fn nearest_open(&mut self) -> Option<(u32, super::system::Weak)> {
        while let Some(Reverse((_, triple))) = self.frontier.pop() {
            let key = self.low.key(triple);
            if !self.open[triple as usize] || !self.is_label(key) {
                continue;
            }
            let mut first = None;
            self.view().steps(key, &mut |step| {
                if first.is_none() && !self.low.contains(step.target) && self.counts(step.target) {
                    first = step.weak;
                }
            });
            match first {
                Some(weak) => return Some((triple, weak)),
                None => self.open[triple as usize] = false,
            }
        }
        None
    }

    fn split_doubt(&mut self, doubt: &Doubt, allowance: &Allowance<'_>) -> Result<(), Halt> {
        let part = &mut self.parts[doubt.part];
        let halves = match &doubt.about {
            About::Offers(label) => part.split_offering(doubt.class, *label),
            About::In(states) => part.split_by(doubt.class, states),
        };
        self.after_split(doubt.part, doubt.class, halves, allowance)
    }

    /// Hands everything that is known of a class on to its halves, as far as it counts there.
    fn after_split(
        &mut self,
        part: usize,
        class: Class,
        halves: [Class; 2],
        allowance: &Allowance<'_>,
    ) -> Result<(), Halt> {
        let waiting = std::mem::take(&mut self.waiting[part][class as usize]);
        self.waiting[part].resize(self.parts[part].partition.len(), Vec::new());
        self.todo.extend(waiting);
        if let Some(within) = &mut self.within {
            let mut first = self.parts[part].partition.members(halves[0]).to_vec();
            first.sort_unstable();
            let same = within.parts[part].split_by(class, &first);
            debug_assert_eq!(same, halves, "the same splits of the same partition");
        }
        self.look_around(allowance)?;
        for triple in 0..self.low.len() as u32 {
            let key = self.low.key(triple);
            // Other classes of a triple that is gone were split before; it was handed on then.
            if self.layout.get(key, part) != class || !self.others_current(key, part) {
                continue;
            }
            let (distance, open) = (self.distance[triple as usize], self.open[triple as usize]);
            for half in halves {
                let key = self.layout.with(key, part, half);
                if !self.counts(key) {
                    continue;
                }
                let (at, new) = self.low.insert(key);
                debug_assert!(new, "a new class is in no triple");
                self.reasons.push(Packed::new(Reason::Part(triple)));
                self.distance.push(distance);
                // Where all steps of the whole lead into the lower set, those of its parts do too.
                self.open.push(open);
                if open {
                    self.todo.push_back(at);
                }
            }
        }
        for key in std::mem::take(&mut self.unsure) {
            if self.layout.get(key, part) != class {
                self.unsure.push(key);
                continue;
            }
            for key in halves.map(|half| self.layout.with(key, part, half)) {
                if self.counts(key) {
                    self.look_at(key);
                }
            }
        }
        Ok(())
    }

    fn others_current(&self, key: Key, part: usize) -> bool {
        let current = |p: usize| !self.parts[p].partition.is_split(self.layout.get(key, p));
        (0..self.parts.len()).all(|p| p == part || current(p))
    }

    /// The upper set: the closure of the lower one under may steps.
    pub fn upper(&self, allowance: &Allowance<'_>) -> Result<Triples, Halt> {
        self.halted.clone().map_or(Ok(()), Err)?;
        let view = self.view();
        let mut upper = Triples::default();
        for &key in self.low.keys().iter().chain(&self.unsure).filter(|&&key| self.is_label(key)) {
            upper.insert(key);
        }
        let closed = |key: Key| self.low.find(key).is_some_and(|triple| !self.open[triple as usize]);
        self.close(&view, upper, |key| !closed(key), allowance)
    }

    /// The classes of N: states with the same labels, where the bounds are equal; a state with an unknown label is alone.
    pub fn classes(&self, upper: &Triples) -> Vec<StateId> {
        let states = self.system.lts(self.process).num_states();
        let mut unknown = vec![false; states];
        for &key in upper.keys().iter().filter(|&&key| !self.low.contains(key)) {
            unknown[self.layout.get(key, self.process) as usize] = true;
        }
        let mut keys: Vec<Key> = self.low.keys().iter().copied().filter(|&key| self.is_label(key)).collect();
        keys.sort_unstable();
        let mut classes = super::extract::Classes::new(&self.system.error.seeds(self.system, self.process));
        for label in keys.chunk_by(|&a, &b| self.layout.rest(a) == self.layout.rest(b)) {
            classes.separate(label.iter().map(|&key| self.layout.get(key, self.process)));
        }
        for (s, _) in unknown.iter().enumerate().filter(|(_, unknown)| **unknown) {
            classes.separate([s as u32].into_iter());
        }
        classes.numbered()
    }

    /// Forward: whether the error is reachable, where this is known.
    pub fn reached(&self) -> Option<u32> {
        self.violation
    }

    /// Whether the lower set says that the error can be reached.
    pub fn decided(&self) -> bool {
        match self.direction {
            Direction::Forward => self.violation.is_some(),
            Direction::Backward => self.initial_triple().1.is_some(),
        }
    }

    /// Forward: a member of a triple at the error: it holds there, or this step leads into it.
    pub fn member_at_error(&self, triple: u32) -> (Vec<StateId>, Option<Via>) {
        let key = self.low.key(triple);
        let class = |part: usize| self.layout.get(key, part);
        let mut state: Vec<StateId> =
            (0..self.parts.len()).map(|part| self.parts[part].partition.members(class(part))[0]).collect();
        let Error::Accepting { monitor, into, .. } = &self.system.error else { return (state, None) };
        for &label in &into[class(*monitor) as usize] {
            if label.is_tau() {
                return (state, Some(Via::tau(*monitor)));
            }
            let choose = |part: usize| {
                let mut members = self.parts[part].partition.members(class(part)).iter().copied();
                members.find(|&s| self.parts[part].offers(s, label)).map(|s| (part, s))
            };
            if let Some(chosen) = self.system.participants(label).map(choose).collect::<Option<Vec<_>>>() {
                chosen.into_iter().for_each(|(part, s)| state[part] = s);
                return (state, Some(Via::label(label)));
            }
        }
        (state, None)
    }

    /// Forward: whether no triple of the upper set is near the error.
    pub fn holds_forward(&self, upper: &Triples) -> bool {
        upper.keys().iter().all(|&key| self.view().error(key) == Holds::No)
    }

    /// Backward: whether the error can be reached from the initial state.
    pub fn initial_triple(&self) -> (Key, Option<u32>) {
        let key = self.view().key_of(&self.system.initial());
        (key, self.low.find(key))
    }

    /// How many triples the lower set holds, gone ones included.
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// The classes of each part.
    pub fn partitions(&self) -> Vec<Partition> {
        self.parts.iter().map(|part| part.partition.clone()).collect()
    }

    /// What the lower set rests on.
    pub fn proof(self) -> Proof {
        let partitions = self.parts.into_iter().map(|part| part.partition).collect();
        Proof { layout: self.layout, partitions, low: self.low, reasons: self.reasons }
    }
}
