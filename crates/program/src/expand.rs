//! The steps that a state offers: interleaving, rendezvous, atomicity, escapes, `timeout` and the claim.
//!
//! A state in the middle of an `atomic` is passed through and not given out, unless the process is blocked there; so is the
//! moment between the two halves of a rendezvous.

use super::data::{Action, Program, Trace, Transition};
use super::endless::Cycle;
use super::expression::Fault;
use super::knowledge::{Everything, Knowledge};
use super::machine::{Context, Machine};
use super::reduction::Processes;
use rustc_hash::FxHashSet;

/// Inner states of atomic sequences that are passed through before they are remembered, so that loops are noticed.
pub const UNREMEMBERED: usize = 256;
/// Inner states of atomic sequences between two states that are waited for.
const MOST_INNER: usize = 2_000_000;
/// No step before.
pub const START: u32 = u32::MAX;

/// What is wrong with a step or a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    /// A statement of a process went wrong.
    Fault {
        /// What happened.
        fault: Fault,
        /// To which process, as the program counts them.
        process: usize,
        /// In which statement.
        statement: u32,
    },
    /// Nothing can move, and some process is not where it may end.
    EndState,
    /// The claim was matched to its end; the formula that it was made of does not hold.
    Claim,
    /// The last steps lead back to where they start: again and again.
    Cycle(Cycle),
    /// Whatever happens, the process of this number never moves again, though it has not ended.
    Stuck(usize),
}

/// A step of one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawStep {
    /// Position of the process, the claim counted.
    pub process: u32,
    /// Which transition of its control state.
    pub transition: u32,
    /// Which statement.
    pub statement: u32,
    /// The step before it since the last state that was given out, or `u32::MAX`.
    pub before: u32,
}

/// The steps of an expansion up to one, the last first.
pub fn chain(trail: &[RawStep], last: u32) -> impl Iterator<Item = RawStep> {
    let at = |step: u32| trail.get(step as usize).copied();
    std::iter::successors(at(last), move |step| at(step.before))
}

/// Where steps lead to.
pub trait Sink {
    /// Whether steps are noted, and who can move.
    const TRAIL: bool;
    /// Whether the last state of a run is repeated for ever: where no process can move, the claim makes one move at a time, and
    /// without a claim the state leads to itself. Otherwise all that the claim comes to by itself is given out at once.
    const REPEATS: bool = false;
    /// Whether a state can be given out again with the claim elsewhere.
    const FANS: bool = false;
    /// A state was reached by a step.
    fn state(&mut self, machine: &Machine, trail: &[RawStep], step: u32);
    /// The last state that was given out was reached once more, with the claim at this control state.
    fn again(&mut self, _claim: u32) {}
    /// No process can move, so that the last state is repeated, after this step of the claim if there is one.
    fn repeated(&mut self, _: &Machine, _: u32) {}
    /// Something is wrong after a step; tells whether to go on.
    fn violation(&mut self, violation: Violation, step: u32) -> bool;
}

/// An inner state of an atomic sequence.
#[derive(Debug)]
struct Inner {
    machine: Machine,
    process: usize,
    step: u32,
}

/// What is kept between expansions so that nothing is allocated.
#[derive(Debug, Default)]
pub struct Work {
    pool: Vec<Machine>,
    pending: Vec<Inner>,
    remembered: FxHashSet<(Vec<i32>, usize)>,
    /// Where the claim goes.
    targets: Vec<u32>,
    /// Steps of the present expansion, if they are noted.
    pub trail: Vec<RawStep>,
    /// Positions of the processes that can move, both sides of a rendezvous among them, some of them twice; if steps are noted.
    pub movable: Vec<u32>,
    /// Nothing else is of interest.
    pub(crate) stopped: bool,
}

/// Gives all states that are one step away, and all violations on the way.
pub fn expand<S: Sink>(program: &Program, base: &mut Machine, work: &mut Work, sink: &mut S) {
    expand_some(program, base, None, work, sink);
}

/// Gives the states that are one step of some of the processes away, and the violations on the way; all of them, if none of these
/// processes can move or nothing is said about them.
pub fn expand_some<S: Sink>(
    program: &Program,
    base: &mut Machine,
    some: Option<Processes>,
    work: &mut Work,
    sink: &mut S,
) {
    work.start();
    if program.claim.is_none() {
        if !moves(program, base, some, START, work, sink) && !work.stopped {
            if !may_end(program, base) {
                sink.violation(Violation::EndState, START);
            }
            if S::REPEATS {
                sink.repeated(base, START);
            }
        }
        return;
    }
    if program.watches_standstill {
        base.timeout = !moves(program, base, None, START, work, &mut Nobody);
        work.start();
    }
    let mut targets = std::mem::take(&mut work.targets);
    if S::FANS && claim_looks(program, base, &mut targets) {
        expand_beside(program, base, &targets, some, work, sink);
        work.targets = targets;
        return;
    }
    work.targets = targets;
    for (mut middle, step) in claim_moves(program, base, START, work, sink) {
        middle.timeout = false;
        if claim_ended(program, &middle) && !sink.violation(Violation::Claim, step) {
            return;
        }
        if moves(program, &mut middle, some, step, work, sink) || work.stopped {
            work.pool.push(middle);
        } else {
            stutter(program, middle, step, work, sink);
        }
        if work.stopped {
            return;
        }
    }
}

/// The states that the claim moves to, where all that it does is to look, as nearly always; tells whether it is so.
fn claim_looks(program: &Program, base: &Machine, targets: &mut Vec<u32>) -> bool {
    targets.clear();
    for transition in &program.proctypes[base.proctype(0)].states[base.control(0)].transitions {
        let only_looks = match &transition.action {
            Action::Skip | Action::Else | Action::Condition(_) => true,
            // What is wrong has to be told with the step.
            Action::Assert(value) => Context::new(program, base, 0).checked(value).is_ok_and(|value| value != 0),
            _ => false,
        };
        match (base.enabled(program, 0, &transition.action, !targets.is_empty()), transition.target) {
            _ if transition.action == Action::End => {}
            (Ok(false), _) => {}
            (Ok(true), Some(target)) if only_looks && !transition.atomic && transition.then.is_empty() => {
                targets.push(target);
            }
            _ => return false,
        }
    }
    true
}

/// The steps of the system are computed once for all moves of the claim: they do not depend on where it is.
fn expand_beside<S: Sink>(
    program: &Program,
    base: &mut Machine,
    targets: &[u32],
    some: Option<Processes>,
    work: &mut Work,
    sink: &mut S,
) {
    base.timeout = false;
    let (before, states) = (base.control(0) as u32, &program.proctypes[base.proctype(0)].states);
    let ended = targets.iter().any(|&target| states[target as usize].end);
    if ended && !sink.violation(Violation::Claim, START) {
        return;
    }
    let Some((&first, others)) = targets.split_first() else { return };
    base.set_control(0, first);
    if !moves(program, base, some, START, work, &mut Beside { others, sink }) && !work.stopped {
        for &target in targets {
            base.set_control(0, target);
            let last = work.copy(base);
            stutter(program, last, START, work, sink);
        }
    }
    base.set_control(0, before);
}

/// Gives every state out once for each move of the claim.
struct Beside<'s, S> {
    /// Where else the claim goes.
    others: &'s [u32],
    sink: &'s mut S,
}

impl<S: Sink> Sink for Beside<'_, S> {
    const TRAIL: bool = S::TRAIL;

    #[inline]
    fn state(&mut self, machine: &Machine, trail: &[RawStep], step: u32) {
        self.sink.state(machine, trail, step);
        self.others.iter().for_each(|&claim| self.sink.again(claim));
    }

    fn violation(&mut self, violation: Violation, step: u32) -> bool {
        self.sink.violation(violation, step)
    }
}

/// Asks only whether there are steps.
struct Nobody;

impl Sink for Nobody {
    const TRAIL: bool = false;

    fn state(&mut self, _: &Machine, _: &[RawStep], _: u32) {}

    fn violation(&mut self, _: Violation, _: u32) -> bool {
        true
    }
}

/// The system stands still: only the claim goes on.
fn stutter<S: Sink>(program: &Program, mut from: Machine, step: u32, work: &mut Work, sink: &mut S) {
    if S::REPEATS {
        sink.repeated(&from, step);
        work.pool.push(from);
        return;
    }
    from.timeout = program.watches_standstill;
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut open = vec![(from, step)];
    while let Some((machine, step)) = open.pop() {
        for (next, step) in claim_moves(program, &machine, step, work, sink) {
            if seen.insert(next.control(0)) {
                sink.state(&next, &work.trail, step);
                if claim_ended(program, &next) && !sink.violation(Violation::Claim, step) {
                    work.stopped = true;
                    return;
                }
                open.push((next, step));
            }
        }
    }
}

fn claim_ended(program: &Program, machine: &Machine) -> bool {
    program.proctypes[machine.proctype(0)].states[machine.control(0)].end
}

/// The states after a move of the claim.
fn claim_moves<S: Sink>(
    program: &Program,
    from: &Machine,
    step: u32,
    work: &mut Work,
    sink: &mut S,
) -> Vec<(Machine, u32)> {
    let (mut done, mut open) = (Vec::new(), vec![(work.copy(from), step)]);
    let mut steps = 0;
    while let Some((machine, before)) = open.pop() {
        let state = &program.proctypes[machine.proctype(0)].states[machine.control(0)];
        let mut any = false;
        for (number, transition) in state.transitions.iter().enumerate() {
            if transition.action == Action::End {
                // The claim was matched to its end, and that was said already.
                continue;
            }
            let enabled = machine.enabled(program, 0, &transition.action, any);
            if enabled == Ok(false) {
                continue;
            }
            let mut next = work.copy(&machine);
            let result = enabled.and_then(|_| next.take(program, 0, number, transition));
            any = true;
            let fault = result.err().or(next.violated.map(|_| Fault::Assertion));
            let step = work.note::<S>(0, number, transition.statement, before);
            if let Some(fault) = fault {
                let violation = if fault == Fault::Assertion && program.has_formula() {
                    Violation::Claim
                } else {
                    Violation::Fault { fault, process: 0, statement: transition.statement }
                };
                if !sink.violation(violation, step) {
                    work.stopped = true;
                    return Vec::new();
                }
                if fault != Fault::Assertion {
                    work.pool.push(next);
                    continue;
                }
            }
            next.violated = None;
            if let Some(target) = transition.target {
                next.set_control(0, target);
            }
            steps += 1;
            // A loop inside an atomic of a claim never gives the system its turn.
            if transition.atomic && steps < UNREMEMBERED {
                open.push((next, step));
            } else {
                done.push((next, step));
            }
        }
        work.pool.push(machine);
    }
    done
}

/// The moves of some processes, of all where none of these can move; tells whether there is one.
fn moves<S: Sink>(
    program: &Program,
    from: &mut Machine,
    some: Option<Processes>,
    step: u32,
    work: &mut Work,
    sink: &mut S,
) -> bool {
    let first = program.base();
    let (mut any, mut left) = (false, some.unwrap_or(0));
    while left != 0 && !work.stopped {
        let process = left.ilog2() as usize;
        left &= !(1 << process);
        any |= process_moves(program, from, process, step, work, sink);
    }
    if any || work.stopped {
        return any;
    }
    for timeout in [false, true] {
        from.timeout = timeout;
        for process in (first..from.processes.len()).rev() {
            if process_moves(program, from, process, step, work, sink) {
                any = true;
                work.can_move::<S>(process);
            }
            if work.stopped {
                break;
            }
        }
        if any || work.stopped {
            break;
        }
    }
    from.timeout = false;
    any
}

/// The moves of one process and of the atomic sequences that they start.
pub fn process_moves<S: Sink>(
    program: &Program,
    from: &Machine,
    process: usize,
    step: u32,
    work: &mut Work,
    sink: &mut S,
) -> bool {
    let any = single_moves(program, from, process, step, work, sink);
    let mut inner_states = 0;
    while let Some(inner) = work.pending.pop() {
        inner_states += 1;
        let known =
            inner_states > UNREMEMBERED && !work.remembered.insert((inner.machine.cells.clone(), inner.process));
        if inner_states > MOST_INNER && !work.stopped {
            let state =
                &program.proctypes[inner.machine.proctype(inner.process)].states[inner.machine.control(inner.process)];
            let statement = state.transitions.first().map_or(0, |t| t.statement);
            let violation =
                Violation::Fault { fault: Fault::Endless, process: inner.process - program.base(), statement };
            work.stopped = !sink.violation(violation, inner.step);
        }
        if !known && !work.stopped && inner_states <= MOST_INNER {
            let moved = single_moves(program, &inner.machine, inner.process, inner.step, work, sink);
            if !moved && !work.stopped {
                // Blocked in the middle: here others may move.
                sink.state(&inner.machine, &work.trail, inner.step);
            }
        }
        work.pool.push(inner.machine);
    }
    if inner_states > UNREMEMBERED {
        work.remembered.clear();
    }
    any
}

/// The moves of one process, each alone, and what others answer to what it offers.
fn single_moves<S: Sink>(
    program: &Program,
    from: &Machine,
    process: usize,
    before: u32,
    work: &mut Work,
    sink: &mut S,
) -> bool {
    own_moves(program, from, process, Everything, work, |work, moved| {
        let Moved { number, transition, mut next, result, other } = moved;
        let step = work.note::<S>(process, number, transition.statement, before);
        if other && program.proctypes[from.proctype(process)].deterministic {
            next.strayed = next.strayed.or(Some(Fault::Choice));
        }
        if result.is_err() || next.violated.is_some() || next.strayed.is_some() {
            let inside = next.violated.take().flatten();
            let fault = result.err().or(next.strayed.take()).unwrap_or(Fault::Assertion);
            let statement = inside.unwrap_or(transition.statement);
            let violation = Violation::Fault { fault, process: process - program.base(), statement };
            if !sink.violation(violation, step) {
                work.stopped = true;
                work.pool.push(next);
                return Happened::Stopped;
            }
            if result.is_err() {
                work.pool.push(next);
                return Happened::Faulty;
            }
        }
        next.arrive(program, process, transition);
        if next.handshake == 0 {
            work.deliver(next, process, transition.atomic, step, sink);
            return Happened::Yes;
        }
        let mut met = false;
        if !from.is_receiving() {
            for other in (program.base()..next.processes.len()).rev().filter(|&other| other != process) {
                if single_moves(program, &next, other, step, work, sink) {
                    met = true;
                    // Whoever moves inside of an atomic sequence need not be able to move before it.
                    if before == START || work.is_claims::<S>(program, before) {
                        work.can_move::<S>(other);
                    }
                }
                if work.stopped {
                    work.pool.push(next);
                    return Happened::Stopped;
                }
            }
        }
        work.pool.push(next);
        // A send that nobody receives did not happen.
        if met { Happened::Yes } else { Happened::No }
    })
}

/// A transition of a process that can be taken, and what comes of it.
pub struct Moved<'p> {
    /// Which of its control state.
    pub number: usize,
    /// The transition.
    pub transition: &'p Transition,
    /// The state after it, where control has not moved.
    pub next: Machine,
    /// Whether it went wrong.
    pub result: Result<(), Fault>,
    /// Another transition of the process was possible before it.
    pub other: bool,
}

/// Whether a transition was taken in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Happened {
    /// It was.
    Yes,
    /// It was not.
    No,
    /// It led to no state.
    Faulty,
    /// It was, and nothing else is of interest.
    Stopped,
}

/// Tells the transitions of a process that it can take by itself, in their order; whoever is told says whether they happen. Tells
/// whether one does.
#[inline]
pub fn own_moves<'p, K: Knowledge>(
    program: &'p Program,
    from: &Machine,
    process: usize,
    knowledge: K,
    work: &mut Work,
    mut tell: impl FnMut(&mut Work, Moved<'p>) -> Happened,
) -> bool {
    let kind = &program.proctypes[from.proctype(process)];
    if let Some(provided) = &kind.provided
        && Context::knowing(program, from, process, knowledge).value(provided) == 0
    {
        return false;
    }
    if program.priorities && Context::new(program, from, process).outranked() {
        return false;
    }
    let (mut any, mut escape) = (false, 0);
    for (number, transition) in kind.states[from.control(process)].transitions.iter().enumerate() {
        if escape != 0 && transition.escape != escape {
            break;
        }
        let enabled = from.enabled_as(program, process, &transition.action, any, knowledge);
        if enabled == Ok(false) {
            continue;
        }
        let mut next = work.copy(from);
        let result = enabled.and_then(|_| next.take_as(program, process, number, transition, knowledge));
        match tell(work, Moved { number, transition, next, result, other: any }) {
            Happened::Yes => (any, escape) = (true, transition.escape),
            Happened::No => escape = 0,
            Happened::Faulty => any = true,
            Happened::Stopped => return true,
        }
    }
    any
}

/// Whether every process is where it may end, and the trace with them. A trace is not asked for its end once all processes are
/// gone: SPIN calls that a valid end, whatever is left of the trace.
pub fn may_end(program: &Program, machine: &Machine) -> bool {
    processes_may_end(program, machine) && (machine.processes.is_empty() || trace_may_end(program, machine))
}

/// Whether every process is where it may end.
pub fn processes_may_end(program: &Program, machine: &Machine) -> bool {
    let ends = |process: usize| program.proctypes[machine.proctype(process)].states[machine.control(process)].end;
    (0..machine.processes.len()).all(ends)
}

fn trace_may_end(program: &Program, machine: &Machine) -> bool {
    let ends = |trace: &Trace| trace.states[machine.cells[trace.cell as usize] as usize].end;
    program.trace.as_ref().is_none_or(ends)
}

impl Machine {
    fn is_receiving(&self) -> bool {
        self.handshake != 0
    }

    /// Comes to where a transition leads that a process has taken.
    #[inline]
    pub fn arrive(&mut self, program: &Program, process: usize, transition: &Transition) {
        self.timeout = false;
        self.leave(process, transition);
        if let Some(last) = program.last {
            self.cells[last as usize] = (process - program.base()) as i32;
        }
    }
}

impl Work {
    /// Nothing was done yet.
    pub fn start(&mut self) {
        self.trail.clear();
        self.movable.clear();
        self.stopped = false;
    }

    /// The memory of a state is free.
    pub fn reuse(&mut self, machine: Machine) {
        self.pool.push(machine);
    }

    /// A copy in memory that was used before.
    #[inline]
    fn copy(&mut self, machine: &Machine) -> Machine {
        let mut copy = self.pool.pop().unwrap_or_default();
        copy.copy_from(machine);
        copy
    }

    #[inline]
    fn can_move<S: Sink>(&mut self, process: usize) {
        if S::TRAIL {
            self.movable.push(process as u32);
        }
    }

    /// Whether a step is one of the claim, if steps are noted.
    fn is_claims<S: Sink>(&self, program: &Program, step: u32) -> bool {
        S::TRAIL && program.claim.is_some() && self.trail[step as usize].process == 0
    }

    #[inline]
    fn note<S: Sink>(&mut self, process: usize, transition: usize, statement: u32, before: u32) -> u32 {
        if !S::TRAIL {
            return START;
        }
        self.trail.push(RawStep { process: process as u32, transition: transition as u32, statement, before });
        self.trail.len() as u32 - 1
    }

    #[inline]
    fn deliver<S: Sink>(&mut self, machine: Machine, process: usize, atomic: bool, step: u32, sink: &mut S) {
        if atomic {
            self.pending.push(Inner { machine, process, step });
        } else {
            sink.state(&machine, &self.trail, step);
            self.pool.push(machine);
        }
    }
}
