//! Runs without an end: which of them are violations, what each step of the product of program and claim contributes to one, and
//! the steps along a lasso.
//!
//! The product is SPIN's: a state is one in which the claim is about to move; it reads the state and moves first, then one process
//! moves, and both are one edge. An `atomic`, a `d_step` and a rendezvous are one step each. Where no process can move, the state
//! is repeated for ever, and the claim reads it again with each edge. A cycle is a violation if its edges have all marks between
//! them: that of acceptance and, under weak fairness, one for each process, which an edge has if the process moves, or if it cannot
//! move before the edge. A number that no process has cannot move.

use super::data::Program;
use super::expand::{RawStep, Sink, Violation, Work, chain, expand, expand_some};
use super::layout::Layout;
use super::machine::Machine;
use super::reduction::Processes;
use super::sought::Sought;
use super::witness::Step;

/// A kind of runs without an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Endless {
    /// What makes them violations.
    pub kind: EndlessKind,
    /// Only those in which every process moves or cannot move again and again: weak fairness.
    pub fair: bool,
}

/// What makes a run without an end a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndlessKind {
    /// The claim comes to an accept label again and again, or some process rests at one again and again, unless the claim is a
    /// formula's.
    Accepting,
    /// From some time on no process is ever at a progress label, though some of them move.
    NonProgress,
}

impl Endless {
    /// Those that come to an accept label, fair or not.
    pub const ACCEPTING: Self = Self { kind: EndlessKind::Accepting, fair: false };
    /// Those without progress, fair or not.
    pub const NON_PROGRESS: Self = Self { kind: EndlessKind::NonProgress, fair: false };

    /// Whether what makes a run a violation is so in a state: some label is there, or no progress label is.
    pub fn is_marked(&self, program: &Program, machine: &Machine) -> bool {
        let state = |process: usize| &program.proctypes[machine.proctype(process)].states[machine.control(process)];
        match self.kind {
            // Accept labels of processes say nothing about a formula.
            EndlessKind::Accepting if program.has_formula() => state(0).accept,
            EndlessKind::Accepting => (0..machine.processes.len()).any(|process| state(process).accept),
            EndlessKind::NonProgress => {
                (program.base()..machine.processes.len()).all(|process| !state(process).progress)
            }
        }
    }
}

/// The end of a run without an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// The step with which it starts; behind the last step, if nothing moves any more.
    pub from: usize,
    /// What it shows.
    pub of: Endless,
}

/// Words of marks: enough for every process that there can be.
pub const MOST_MARK_WORDS: usize = 4;

/// Marks of an edge: the lowest bit of the first word is acceptance, the others are the numbers of processes.
pub type Marks = [u64; MOST_MARK_WORDS];

/// The mark of acceptance, in the first word.
pub const ACCEPT: u64 = 1;

/// The marks of all processes.
const PROCESSES: Marks = [!ACCEPT, u64::MAX, u64::MAX, u64::MAX];

fn insert(marks: &mut Marks, process: usize) {
    let bit = process + 1;
    marks[bit / 64] |= 1 << (bit % 64);
}

/// Where edges lead to.
pub trait EdgeSink {
    /// Whether it takes the last edge again with the claim elsewhere.
    const FANS: bool = false;
    /// An edge leads to a state; it has these marks, and those that [`edges`] returns.
    fn edge(&mut self, machine: &Machine, marks: &Marks, step: u32);
    /// There is an edge like the last one to a state with the claim at this control state.
    fn again(&mut self, _claim: u32) {}
    /// Something is wrong after a step; tells whether to go on.
    fn violation(&mut self, violation: Violation, step: u32) -> bool;
}

/// Gives all edges of a state, or those of some processes, and all violations with an end on the way. Returns marks that all of these
/// edges have besides: those of processes that cannot move.
pub fn edges<S: EdgeSink>(
    program: &Program,
    endless: Endless,
    base: &mut Machine,
    some: Option<Processes>,
    work: &mut Work,
    sink: &mut S,
) -> Marks {
    let marked = endless.is_marked(program, base);
    if !endless.fair {
        expand_some(program, base, some, work, &mut Marking::<S, false> { program, endless, marked, sink });
        return PROCESSES;
    }
    expand_some(program, base, some, work, &mut Marking::<S, true> { program, endless, marked, sink });
    unable(program, work)
}

/// The marks of processes that could not move in an expansion.
fn unable(program: &Program, work: &Work) -> Marks {
    let mut able = Marks::default();
    work.movable.iter().for_each(|&process| insert(&mut able, process as usize - program.base()));
    std::array::from_fn(|word| PROCESSES[word] & !able[word])
}

/// All marks but those of processes that neither can move nor have ended; `unable` are those that cannot.
pub fn free(program: &Program, machine: &Machine, unable: &Marks) -> Marks {
    let mut stuck = Marks::default();
    let waiting = |&process: &usize| !machine.has_ended(program, process);
    (program.base()..machine.processes.len()).filter(waiting).for_each(|p| insert(&mut stuck, p - program.base()));
    std::array::from_fn(|word| !(stuck[word] & unable[word]))
}

/// Marks edges: with acceptance, and with who moves where that counts.
struct Marking<'s, S, const FAIR: bool> {
    program: &'s Program,
    endless: Endless,
    /// Whether the state that the edges leave is marked.
    marked: bool,
    sink: &'s mut S,
}

impl<S: EdgeSink, const FAIR: bool> Sink for Marking<'_, S, FAIR> {
    const TRAIL: bool = FAIR;
    const REPEATS: bool = true;
    const FANS: bool = S::FANS;

    fn state(&mut self, machine: &Machine, trail: &[RawStep], step: u32) {
        // Both ends of an edge have to be without progress.
        let target = || self.endless.kind == EndlessKind::Accepting || self.endless.is_marked(self.program, machine);
        let mut marks = [u64::from(self.marked && target()), 0, 0, 0];
        if FAIR {
            let base = self.program.base();
            let movers = chain(trail, step).filter_map(|raw| (raw.process as usize).checked_sub(base));
            movers.for_each(|process| insert(&mut marks, process));
        }
        self.sink.edge(machine, &marks, step);
    }

    fn again(&mut self, claim: u32) {
        self.sink.again(claim);
    }

    fn repeated(&mut self, machine: &Machine, step: u32) {
        // Nothing that moves: there is no progress to be made.
        let repeats = self.program.property.as_ref().is_none_or(|property| property.repeats_ends);
        if repeats && self.endless.kind == EndlessKind::Accepting {
            self.sink.edge(machine, &[u64::from(self.marked), 0, 0, 0], step);
        }
    }

    fn violation(&mut self, violation: Violation, step: u32) -> bool {
        self.sink.violation(violation, step)
    }
}

/// An edge of the product, with its steps.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Where it leads to.
    pub machine: Machine,
    /// All of its marks.
    pub marks: Marks,
    /// In order, those of the claim first.
    pub steps: Vec<RawStep>,
}

/// What can be done in a state: all edges, and all violations with an end, each with the steps to it.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    /// The edges.
    pub edges: Vec<Offer>,
    /// The violations.
    pub violations: Vec<(Violation, Vec<RawStep>)>,
}

/// The same as [`edges`], with the steps of everything, for those who look at few states.
pub fn offers(program: &Program, endless: Endless, base: &mut Machine) -> Offers {
    let (mut work, mut found) = (Work::default(), Offered::default());
    let marked = endless.is_marked(program, base);
    expand(program, base, &mut work, &mut Marking::<_, true> { program, endless, marked, sink: &mut found });
    let besides = if endless.fair { unable(program, &work) } else { PROCESSES };
    let edge = |(machine, marks, last): (Machine, Marks, u32)| {
        let marks = std::array::from_fn(|word| marks[word] | besides[word]);
        Offer { machine, marks, steps: in_order(&work, last) }
    };
    let violations = found.violations.iter().map(|&(violation, last)| (violation, in_order(&work, last))).collect();
    Offers { edges: found.edges.into_iter().map(edge).collect(), violations }
}

/// Collects what there is.
#[derive(Default)]
struct Offered {
    edges: Vec<(Machine, Marks, u32)>,
    violations: Vec<(Violation, u32)>,
}

impl EdgeSink for Offered {
    fn edge(&mut self, machine: &Machine, marks: &Marks, step: u32) {
        self.edges.push((machine.clone(), *marks, step));
    }

    fn violation(&mut self, violation: Violation, step: u32) -> bool {
        self.violations.push((violation, step));
        true
    }
}

/// A lasso in packed states: a stem, and a cycle from its end back to it. Each edge of the cycle is a state with the marks that the
/// edge to the next one has to have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lasso {
    /// From the first state to where the cycle starts.
    pub stem: Vec<Vec<u64>>,
    /// From there on; the last edge leads back.
    pub cycle: Vec<(Vec<u64>, Marks)>,
}

/// The steps of a lasso, and where its cycle starts.
pub fn along_lasso(program: &Program, layout: &Layout, lasso: &Lasso, endless: Endless) -> (Vec<Step>, Cycle) {
    let follower = Follower { program, layout, endless };
    let mut way = follower.path(&lasso.stem);
    let from = way.len();
    for (at, (state, marks)) in lasso.cycle.iter().enumerate() {
        let next = lasso.cycle.get(at + 1).or(lasso.cycle.first()).map_or(&[][..], |(state, _)| state);
        way.extend(follower.edge(state, next, marks));
    }
    (follower.steps(&way), Cycle { from, of: endless })
}

/// The steps along a path of the product to a violation with an end that is looked for, one step behind its last state.
pub fn along_product(
    program: &Program,
    layout: &Layout,
    path: &[Vec<u64>],
    endless: Endless,
    sought: Sought<'_>,
) -> (Vec<Step>, Option<Violation>) {
    let follower = Follower { program, layout, endless };
    let mut way = follower.path(path);
    let mut end = Ended { sought, found: None };
    if let Some(last) = path.last() {
        let work = follower.expand(last, &mut end);
        way.extend(end.found.iter().flat_map(|&(_, step)| in_order(&work, step)));
    }
    (follower.steps(&way), end.found.map(|(violation, _)| violation))
}

/// Finds the steps of edges between packed states.
struct Follower<'a> {
    program: &'a Program,
    layout: &'a Layout,
    endless: Endless,
}

impl Follower<'_> {
    fn path(&self, path: &[Vec<u64>]) -> Vec<RawStep> {
        path.windows(2).flat_map(|pair| self.edge(&pair[0], &pair[1], &Marks::default())).collect()
    }

    /// The steps of an edge between two states with at least these marks.
    fn edge(&self, from: &[u64], to: &[u64], marks: &Marks) -> Vec<RawStep> {
        let mut edges = Edges { layout: self.layout, to, packed: Vec::new(), found: Vec::new() };
        let work = self.expand(from, &mut edges);
        let besides = if self.endless.fair { unable(self.program, &work) } else { PROCESSES };
        let lacks = |found: &Marks, word: usize| marks[word] & !(found[word] | besides[word]) != 0;
        let fits = |(found, _): &&(Marks, u32)| !(0..MOST_MARK_WORDS).any(|word| lacks(found, word));
        edges.found.iter().find(fits).map_or_else(Vec::new, |&(_, last)| in_order(&work, last))
    }

    /// Who moves counts here, and so does the way.
    fn expand<S: EdgeSink>(&self, from: &[u64], sink: &mut S) -> Work {
        let (program, endless) = (self.program, self.endless);
        let (mut machine, mut work) = (Machine::default(), Work::default());
        self.layout.unpack(from, &mut machine);
        let marked = endless.is_marked(program, &machine);
        expand(program, &mut machine, &mut work, &mut Marking::<S, true> { program, endless, marked, sink });
        work
    }

    /// The steps one after the other: what is no part of a state goes on as it is.
    fn steps(&self, way: &[RawStep]) -> Vec<Step> {
        let Ok(mut machine) = Machine::initial(self.program) else { return Vec::new() };
        way.iter().map(|&raw| Step::take(self.program, &mut machine, raw)).collect()
    }
}

/// The steps of an expansion up to one.
fn in_order(work: &Work, last: u32) -> Vec<RawStep> {
    let mut way: Vec<RawStep> = chain(&work.trail, last).collect();
    way.reverse();
    way
}

/// Edges to one state.
struct Edges<'s> {
    layout: &'s Layout,
    to: &'s [u64],
    packed: Vec<u64>,
    found: Vec<(Marks, u32)>,
}

impl EdgeSink for Edges<'_> {
    fn edge(&mut self, machine: &Machine, marks: &Marks, step: u32) {
        self.packed.clear();
        if self.layout.pack(machine, &mut self.packed).is_ok() && self.packed == self.to {
            self.found.push((*marks, step));
        }
    }

    fn violation(&mut self, _: Violation, _: u32) -> bool {
        true
    }
}

/// The first violation that is looked for.
struct Ended<'s> {
    sought: Sought<'s>,
    found: Option<(Violation, u32)>,
}

impl EdgeSink for Ended<'_> {
    fn edge(&mut self, _: &Machine, _: &Marks, _: u32) {}

    fn violation(&mut self, violation: Violation, step: u32) -> bool {
        if self.sought.is(violation) && self.found.is_none() {
            self.found = Some((violation, step));
        }
        true
    }
}
