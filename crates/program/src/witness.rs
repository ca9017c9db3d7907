//! What leads to a violation, for people and for a second look: a list of steps, and a way to do them again.

use super::data::{Action, Program, Then, Transition};
use super::endless::{Cycle, EndlessKind};
use super::expand::{RawStep, START, Sink, Violation, Work, expand, may_end, processes_may_end};
use super::expression::{Expression, Fault};
use super::machine::{HEAD, Machine};
use super::sought::holds;
use rustc_hash::FxHashSet;

/// Steps from the start to a violation.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    /// In order. The halves of a rendezvous are two steps.
    pub steps: Vec<Step>,
    /// What happens in the last step, or behind it.
    pub violation: Violation,
}

/// A step of one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Number of the process as the program counts them; none for the claim.
    pub process: Option<u32>,
    /// Which transition of its control state.
    pub transition: u32,
    /// Which statement of [`Program::statements`].
    pub statement: u32,
    /// What has another value after it.
    pub changes: Vec<Change>,
}

/// A variable that has another value after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    what: Changed,
    /// After the step.
    pub value: i32,
}

/// Whose value it is. Runs may have many steps, so that names are made only for those that are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Changed {
    /// A global variable, by its cell.
    Global(u32),
    /// The number of messages in a channel, by its place among the channels.
    Length(u32),
    /// A variable of a process, by its cell; the claim has the number -1.
    Local { process: i32, proctype: u32, cell: u32 },
}

impl Change {
    /// Whether it is a number of messages.
    pub fn is_length(&self) -> bool {
        matches!(self.what, Changed::Length(_))
    }

    /// The new value as people write it.
    pub fn text(&self, program: &Program) -> String {
        match self.what {
            Changed::Global(cell) => program.worded(program.globals[cell as usize].ty, self.value),
            Changed::Length(_) => self.value.to_string(),
            Changed::Local { proctype, cell, .. } => {
                program.worded(program.proctypes[proctype as usize].cells[cell as usize].ty, self.value)
            }
        }
    }

    /// What it is called in the program.
    pub fn name(&self, program: &Program) -> String {
        match self.what {
            Changed::Global(cell) => program.globals[cell as usize].name.to_string(),
            Changed::Length(channel) => format!("len({})", program.channel_name(channel as usize)),
            Changed::Local { process, proctype, cell } => {
                let kind = &program.proctypes[proctype as usize];
                format!("{}({process}):{}", kind.name, kind.cells[cell as usize].name)
            }
        }
    }
}

impl Witness {
    /// The states between steps, first and last included: those inside of an `atomic` and between the halves of a rendezvous are
    /// left out. None if there are no such steps.
    pub fn states(&self, program: &Program) -> Option<Vec<Machine>> {
        let mut machine = Machine::initial(program).ok()?;
        let mut states = vec![machine.clone()];
        for (number, step) in self.steps.iter().enumerate() {
            let process = step.process.map_or(0, |process| process as usize + program.base());
            if process >= machine.processes.len() {
                return None;
            }
            let state = &program.proctypes[machine.proctype(process)].states[machine.control(process)];
            let atomic = state.transitions.get(step.transition as usize)?.atomic;
            let raw =
                RawStep { process: process as u32, transition: step.transition, statement: step.statement, before: 0 };
            Step::take(program, &mut machine, raw);
            let next = self.steps.get(number + 1);
            // Who is in the middle of an `atomic` has the next step, unless it is blocked.
            let goes_on = atomic && next.is_some_and(|next| next.process == step.process);
            if next.is_none() || machine.handshake == 0 && !goes_on {
                states.push(machine.clone());
            }
        }
        Some(states)
    }
}

/// Why a witness cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// The process or transition is not there.
    #[error("step {}: there is no such process or statement", .0 + 1)]
    NoStep(usize),
    /// It cannot be executed then.
    #[error("step {}: the statement cannot be executed", .0 + 1)]
    Blocked(usize),
    /// Variables change otherwise.
    #[error("step {}: the variables change in another way", .0 + 1)]
    Changes(usize),
    /// An `atomic` is interrupted.
    #[error("step {}: another process is in the middle of an atomic sequence", .0 + 1)]
    Interrupted(usize),
    /// Claim and processes take turns.
    #[error("step {}: it is the turn of the {}", .0 + 1, if *.1 { "claim" } else { "processes" })]
    Turn(usize, bool),
    /// What it should show does not happen.
    #[error("the violation does not happen")]
    NoViolation,
    /// The last state is passed through and not seen.
    #[error("the run ends in the middle of a step")]
    Unfinished,
    /// What is asked for does not hold in the last state.
    #[error("the goal does not hold in the last state")]
    NoGoal,
}

impl Step {
    /// Takes a step that is known to be possible, and notes what it changes.
    pub fn take(program: &Program, machine: &mut Machine, raw: RawStep) -> Step {
        let before = machine.clone();
        let process = raw.process as usize;
        let state = &program.proctypes[machine.proctype(process)].states[machine.control(process)];
        let transition = &state.transitions[raw.transition as usize];
        machine.timeout = true;
        // A guard that cannot be computed is a fault, and what stands behind it is not done.
        if machine.enabled(program, process, &transition.action, false).is_ok() {
            let _ = machine.take(program, process, raw.transition as usize, transition);
        }
        settle(program, machine, process, transition);
        Step {
            process: raw.process.checked_sub(program.base() as u32),
            transition: raw.transition,
            statement: raw.statement,
            changes: changes(program, &before, machine),
        }
    }
}

/// What is done after every action.
fn settle(program: &Program, machine: &mut Machine, process: usize, transition: &Transition) {
    machine.timeout = false;
    machine.violated = None;
    machine.strayed = None;
    machine.leave(process, transition);
    if let (Some(last), Some(number)) = (program.last, process.checked_sub(program.base())) {
        machine.cells[last as usize] = number as i32;
    }
}

/// The variables and numbers of messages that differ, with their new values.
fn changes(program: &Program, before: &Machine, after: &Machine) -> Vec<Change> {
    let mut changes = Vec::new();
    for at in 0..program.globals.len() {
        if before.cells[at] != after.cells[at] {
            changes.push(Change { what: Changed::Global(at as u32), value: after.cells[at] });
        }
    }
    for (number, &at) in after.channels.iter().enumerate().filter(|(number, _)| *number < before.channels.len()) {
        let (old, new) = (before.channels[number] as usize, at as usize);
        if before.cells[old] == after.cells[new] && before.cells[old + 1] != after.cells[new + 1] {
            changes.push(Change { what: Changed::Length(number as u32), value: after.cells[new + 1] });
        }
    }
    for (pid, &at) in after.processes.iter().enumerate().filter(|(pid, _)| *pid < before.processes.len()) {
        let proctype = after.proctype(pid);
        if before.processes[pid] != at || before.proctype(pid) != proctype {
            continue;
        }
        let (process, proctype) = (pid as i32 - program.base() as i32, proctype as u32);
        for (cell, at) in (at as usize + HEAD..).take(program.proctypes[proctype as usize].cells.len()).enumerate() {
            if before.cells[at] != after.cells[at] {
                let what = Changed::Local { process, proctype, cell: cell as u32 };
                changes.push(Change { what, value: after.cells[at] });
            }
        }
    }
    changes
}

/// Does the steps of a witness again, one by one, and sees whether they are possible and show what they should.
pub fn replay(program: &Program, witness: &Witness) -> Result<(), ReplayError> {
    if witness.steps.is_empty() && Machine::initial(program).is_err() {
        return Ok(());
    }
    let shown = match witness.violation {
        Violation::Cycle(cycle) => {
            let (before, again) = witness.steps.split_at_checked(cycle.from).ok_or(ReplayError::NoViolation)?;
            follow(program, before)?.repeats(again, cycle)?
        }
        violation => follow(program, &witness.steps)?.shows(violation),
    };
    if shown { Ok(()) } else { Err(ReplayError::NoViolation) }
}

/// Does steps again, and sees whether they are possible and end in a state where others may move; in it the goal must hold.
pub fn replay_steps(program: &Program, steps: &[Step], goal: Option<&Expression>) -> Result<(), ReplayError> {
    let Walk { machine, faults, exclusive, .. } = follow(program, steps)?;
    if faults.iter().any(|(fault, _)| !fault.is_passed()) {
        return Err(ReplayError::Blocked(steps.len().saturating_sub(1)));
    }
    if machine.handshake != 0 || exclusive.is_some_and(|owner| can_move(program, &machine, owner)) {
        return Err(ReplayError::Unfinished);
    }
    match goal {
        Some(goal) if holds(program, &machine, goal) != Ok(true) => Err(ReplayError::NoGoal),
        _ => Ok(()),
    }
}

/// Whether every process may end where these steps lead to: an invalid end state is the trace's fault then.
pub fn leads_to_end_of_processes(program: &Program, steps: &[Step]) -> bool {
    follow(program, steps).is_ok_and(|walk| processes_may_end(program, &walk.machine))
}

/// The process that can never move again behind steps, if there is one.
pub fn stuck_after(program: &Program, steps: &[Step]) -> Result<Option<usize>, ReplayError> {
    let walk = follow(program, steps)?;
    Ok(stuck(program, &walk.machine).into_iter().next().filter(|_| walk.is_state()))
}

/// The numbers of the processes that have not ended and never move again, whatever happens: all states from here on are looked at.
fn stuck(program: &Program, machine: &Machine) -> Vec<usize> {
    let base = program.base();
    let mut stuck: Vec<usize> = (base..machine.processes.len()).map(|process| process - base).collect();
    let (mut seen, mut work) = (FxHashSet::default(), Work::default());
    let mut open = Successors(vec![machine.clone()]);
    while let Some(mut machine) = open.0.pop() {
        if stuck.is_empty() || !seen.insert(machine.clone()) {
            continue;
        }
        let able = movable(program, &machine);
        let waits =
            |number: &usize| number + base < machine.processes.len() && !machine.has_ended(program, number + base);
        stuck.retain(|number| waits(number) && !able.contains(number));
        expand(program, &mut machine, &mut work, &mut open);
    }
    stuck
}

/// States that are still to be looked at.
struct Successors(Vec<Machine>);

impl Sink for Successors {
    const TRAIL: bool = false;

    fn state(&mut self, machine: &Machine, _: &[RawStep], _: u32) {
        self.0.push(machine.clone());
    }

    fn violation(&mut self, _: Violation, _: u32) -> bool {
        true
    }
}

/// The violation that steps end with, once they were done again.
pub fn end_of(program: &Program, steps: &[Step]) -> Result<Violation, ReplayError> {
    let fault = follow(program, steps)?.fault();
    let shown =
        |violation: Violation| replay(program, &Witness { steps: steps.to_vec(), violation }).map(|()| violation);
    match (fault, steps.last()) {
        (Some((Fault::Assertion, _)), Some(last)) if last.process.is_none() && program.has_formula() => {
            shown(Violation::Claim)
        }
        (Some((fault, statement)), Some(last)) => {
            let process = last.process.map_or(0, |process| process as usize);
            shown(Violation::Fault { fault, process, statement })
        }
        _ => shown(Violation::EndState).or_else(|_| shown(Violation::Claim)),
    }
}

/// The steps that processes take by these transitions of their control states, as far as they can be done at all. Whether they
/// may be done then is for replay to say.
pub fn retrace(program: &Program, moves: &[(Option<u32>, u32)]) -> Result<Vec<Step>, ReplayError> {
    let Ok(mut machine) = Machine::initial(program) else { return Err(ReplayError::NoStep(0)) };
    let mut steps = Vec::new();
    for (number, &(process, transition)) in moves.iter().enumerate() {
        let process = process.map_or(0, |process| process as usize + program.base());
        if process >= machine.processes.len() {
            return Err(ReplayError::NoStep(number));
        }
        let state = &program.proctypes[machine.proctype(process)].states[machine.control(process)];
        let taken = state.transitions.get(transition as usize).ok_or(ReplayError::NoStep(number))?;
        machine.timeout = true;
        // What a claim sees depends on whether others can move.
        if process >= program.base() && machine.enabled(program, process, &taken.action, false) == Ok(false) {
            return Err(ReplayError::Blocked(number));
        }
        let raw = RawStep { process: process as u32, transition, statement: taken.statement, before: START };
        steps.push(Step::take(program, &mut machine, raw));
    }
    Ok(steps)
}

fn follow<'a>(program: &'a Program, steps: &[Step]) -> Result<Walk<'a>, ReplayError> {
    let Ok(mut walk) = Walk::start(program) else { return Err(ReplayError::NoStep(0)) };
    walk.follow(steps)?;
    Ok(walk)
}

/// A program that is run one chosen step after the other.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    program: &'a Program,
    machine: Machine,
    /// The process in the middle of an atomic sequence.
    exclusive: Option<usize>,
    /// What went wrong in the last step, and in which statement.
    faults: Vec<(Fault, u32)>,
    /// Steps taken.
    count: usize,
    /// The last step was the claim's.
    claimed: bool,
}

impl<'a> Walk<'a> {
    /// At the beginning, unless that goes wrong already.
    pub fn start(program: &'a Program) -> Result<Self, Fault> {
        let machine = Machine::initial(program)?;
        Ok(Self { program, machine, exclusive: None, faults: Vec::new(), count: 0, claimed: false })
    }

    /// Of which program.
    pub(crate) fn program(&self) -> &'a Program {
        self.program
    }

    /// The state that it is in.
    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Whether nothing went wrong that ends a run.
    pub(crate) fn may_go_on(&self) -> bool {
        self.faults.iter().all(|(fault, _)| fault.is_passed())
    }

    /// Does steps again.
    fn follow(&mut self, steps: &[Step]) -> Result<(), ReplayError> {
        steps.iter().try_for_each(|step| self.follow_one(step))
    }

    fn follow_one(&mut self, step: &Step) -> Result<(), ReplayError> {
        let (number, process) = (self.count, step.process.map_or(0, |at| at as usize + self.program.base()));
        let taken = self.step(process, step.transition as usize)?;
        if taken.statement != step.statement {
            return Err(ReplayError::NoStep(number));
        }
        if taken.changes != step.changes {
            return Err(ReplayError::Changes(number));
        }
        Ok(())
    }

    /// Does the steps of a cycle; tells whether they lead back to where they start and show what they should: every edge has both of
    /// its ends without progress, or some edge leaves an accepting state; and each process, where that counts, moves or cannot move
    /// at some time.
    fn repeats(mut self, steps: &[Step], Cycle { of, .. }: Cycle) -> Result<bool, ReplayError> {
        let start = self.clone();
        let marked = |walk: &Self| of.is_marked(walk.program, &walk.machine);
        if steps.is_empty() {
            // Nothing moves any more.
            return Ok(of.kind == EndlessKind::Accepting && self.is_state() && self.stands_still() && marked(&self));
        }
        let (mut all, mut some) = (self.is_state(), self.is_state() && marked(&self));
        let mut moved = vec![false; super::machine::MOST];
        self.note_unable(&mut moved);
        for step in steps {
            self.follow_one(step)?;
            step.process.iter().for_each(|&process| moved[process as usize] = true);
            if self.is_state() {
                all &= marked(&self);
                some |= marked(&self);
                self.note_unable(&mut moved);
            }
        }
        let shown = match of.kind {
            EndlessKind::Accepting => some,
            EndlessKind::NonProgress => all && marked(&start) && !self.stands_still(),
        };
        Ok(shown && (!of.fair || moved.iter().all(|&moved| moved)) && self.is_state() && self.is_at(&start))
    }

    /// Notes whose turn it could not be in this state.
    fn note_unable(&self, unable: &mut [bool]) {
        let able = movable(self.program, &self.machine);
        unable.iter_mut().enumerate().filter(|(process, _)| !able.contains(process)).for_each(|(_, is)| *is = true);
    }

    /// Whether this is no moment inside of a step: an atomic sequence that goes on, a rendezvous, or the time between the claim and
    /// the processes.
    fn is_state(&self) -> bool {
        self.machine.handshake == 0
            && self.owner().is_none()
            && (self.program.claim.is_none() || self.is_turn_of_claim())
    }

    /// Who goes on with an atomic sequence: one that is blocked has lost it.
    fn owner(&self) -> Option<usize> {
        self.exclusive.filter(|&owner| owner < self.program.base() || can_move(self.program, &self.machine, owner))
    }

    /// Whether what comes now may come then too: all is the same but for hidden variables, which are no part of a state.
    pub fn is_at(&self, other: &Walk<'_>) -> bool {
        let (here, there) = (&self.machine, &other.machine);
        let stored = |cell: usize| self.program.globals.get(cell).is_none_or(|cell| cell.stored);
        let same = |cell: usize| here.cells[cell] == there.cells[cell] || !stored(cell);
        (&here.processes, &here.channels, here.handshake) == (&there.processes, &there.channels, there.handshake)
            && here.cells.len() == there.cells.len()
            && (0..here.cells.len()).all(same)
            && (self.owner(), self.is_turn_of_claim()) == (other.owner(), other.is_turn_of_claim())
    }

    /// Whether the claim is next, where there is one: it and the processes take turns, and an atomic sequence of either is one
    /// turn. Where no process can move, the claim goes on by itself.
    pub(crate) fn is_turn_of_claim(&self) -> bool {
        let (program, machine) = (self.program, &self.machine);
        match self.exclusive {
            _ if machine.handshake != 0 => false,
            Some(0) => true,
            Some(owner) if can_move(program, machine, owner) => false,
            _ => !self.claimed || self.stands_still(),
        }
    }

    fn stands_still(&self) -> bool {
        stands_still(self.program, &self.machine)
    }

    /// Whether the claim is in the middle of an atomic sequence.
    pub(super) fn is_inside_claim(&self) -> bool {
        self.program.claim.is_some() && self.exclusive == Some(0)
    }

    /// How many processes there are, the claim counted.
    pub fn processes(&self) -> usize {
        self.machine.processes.len()
    }

    /// The proctype of a process, the claim counted, and its control state.
    pub fn control(&self, process: usize) -> Option<(usize, usize)> {
        (process < self.processes()).then(|| (self.machine.proctype(process), self.machine.control(process)))
    }

    /// What went wrong in the last step, and in which statement.
    pub fn fault(&self) -> Option<(Fault, u32)> {
        self.faults.first().copied()
    }

    /// Takes a transition of the control state of a process, the claim counted.
    pub fn step(&mut self, process: usize, transition: usize) -> Result<Step, ReplayError> {
        let (program, number) = (self.program, self.count);
        if process >= self.processes() {
            return Err(ReplayError::NoStep(number));
        }
        if program.claim.is_some() {
            let turn = self.is_turn_of_claim();
            if turn != (process == 0) {
                return Err(ReplayError::Turn(number, turn));
            }
        }
        let machine = &mut self.machine;
        // A violated assertion is passed; nothing comes after another fault.
        if self.faults.iter().any(|(fault, _)| !fault.is_passed())
            || super::machine::Context::new(program, machine, process).outranked()
        {
            return Err(ReplayError::Blocked(number));
        }
        if let Some(owner) = self.exclusive
            && owner != process
            && machine.handshake == 0
            && can_move(program, machine, owner)
        {
            return Err(ReplayError::Interrupted(number));
        }
        let state = &program.proctypes[machine.proctype(process)].states[machine.control(process)];
        let Some(chosen) = state.transitions.get(transition) else { return Err(ReplayError::NoStep(number)) };
        let before = machine.clone();
        if process >= program.base() && machine.handshake == 0 && !anyone_can_move(program, machine) {
            machine.timeout = true;
        }
        if program.watches_standstill && process < program.base() {
            machine.timeout = stands_still(program, machine);
        }
        let siblings = || state.transitions[..transition].iter();
        let others = siblings().any(|t| can_do(program, machine, process, &t.action));
        self.faults.clear();
        match machine.enabled(program, process, &chosen.action, others) {
            Ok(true) => {
                let result = machine.take(program, process, transition, chosen);
                self.faults.extend(result.err().map(|fault| (fault, chosen.statement)));
                let violated = machine.violated.map(|inside| inside.unwrap_or(chosen.statement));
                self.faults.extend(violated.map(|statement| (Fault::Assertion, statement)));
                self.faults.extend(machine.strayed.map(|fault| (fault, chosen.statement)));
                if others && program.proctypes[before.proctype(process)].deterministic {
                    self.faults.push((Fault::Choice, chosen.statement));
                }
            }
            Ok(false) => return Err(ReplayError::Blocked(number)),
            Err(fault) => self.faults.push((fault, chosen.statement)),
        }
        settle(program, machine, process, chosen);
        self.exclusive = if machine.handshake == 0 && chosen.atomic { Some(process) } else { None };
        self.claimed = process < program.base();
        self.count += 1;
        Ok(Step {
            process: process.checked_sub(program.base()).map(|number| number as u32),
            transition: transition as u32,
            statement: chosen.statement,
            changes: changes(program, &before, machine),
        })
    }

    /// Whether the steps so far show a violation.
    pub fn shows(&self, violation: Violation) -> bool {
        let (program, machine) = (self.program, &self.machine);
        let ends =
            |machine: &Machine, pid: usize| program.proctypes[machine.proctype(pid)].states[machine.control(pid)].end;
        match violation {
            Violation::Fault { fault, .. } => {
                self.faults.iter().any(|(shown, _)| *shown == fault) || fault == Fault::Endless
            }
            Violation::EndState => self.stands_still() && !may_end(program, machine),
            Violation::Claim => {
                let failed =
                    || program.has_formula() && self.faults.iter().any(|(fault, _)| *fault == Fault::Assertion);
                program.claim.is_some() && (ends(machine, 0) || failed())
            }
            // A run is looked at as a whole: see `replay`.
            Violation::Cycle(_) => false,
            Violation::Stuck(process) => self.is_state() && stuck(program, machine).contains(&process),
        }
    }
}

/// A run of an optimised program in the statements of the program as it is written, up to what goes wrong.
pub fn unmerge(plain: &Program, optimised: &Program, witness: &Witness) -> Result<Witness, ReplayError> {
    let mut steps: Vec<Step> = Vec::new();
    let mut failing = None;
    let (Ok(mut machine), Ok(mut merged)) = (Machine::initial(plain), Machine::initial(optimised)) else {
        return Ok(witness.clone());
    };
    for (number, step) in witness.steps.iter().enumerate() {
        let process = step.process.map_or(0, |process| process as usize + plain.base());
        let no_step = ReplayError::NoStep(number);
        if process >= merged.processes.len() || process >= machine.processes.len() {
            return Err(no_step);
        }
        let kind = &optimised.proctypes[merged.proctype(process)];
        let transition = kind.states[merged.control(process)].transitions.get(step.transition as usize);
        let transition = transition.ok_or_else(|| no_step.clone())?;
        let then = transition.then.iter().filter_map(|then| match then {
            Then::Do { action, element, .. } => Some((*element, *action == Action::Skip)),
            Then::Reset(_) => None,
        });
        for (element, idle) in std::iter::once((transition.element, false)).chain(then) {
            let state = &plain.proctypes[machine.proctype(process)].states[machine.control(process)];
            let found = state.transitions.iter().position(|transition| transition.element == element);
            let Some(found) = found else {
                // A jump that is passed through unless it is merged.
                if idle {
                    continue;
                }
                return Err(no_step);
            };
            let (statement, transition) = (state.transitions[found].statement, found as u32);
            let mut ahead = machine.clone();
            let failed =
                ahead.take(plain, process, found, &state.transitions[found]).is_err() || ahead.violated.is_some();
            failing = failed.then(|| ahead.violated.flatten().unwrap_or(statement));
            let raw = RawStep { process: process as u32, transition, statement, before: 0 };
            steps.push(Step::take(plain, &mut machine, raw));
            if failed && number + 1 == witness.steps.len() && matches!(witness.violation, Violation::Fault { .. }) {
                break;
            }
        }
        let raw =
            RawStep { process: process as u32, transition: step.transition, statement: step.statement, before: 0 };
        Step::take(optimised, &mut merged, raw);
    }
    // The statements of the two programs have different numbers.
    let last = failing.or(steps.last().map(|step| step.statement));
    let violation = match (witness.violation, last) {
        (Violation::Fault { fault, process, .. }, Some(statement)) => Violation::Fault { fault, process, statement },
        (violation, _) => violation,
    };
    Ok(Witness { steps, violation })
}

/// Whether no process can move, not even by `timeout`.
pub(crate) fn stands_still(program: &Program, machine: &Machine) -> bool {
    let mut machine = machine.clone();
    machine.timeout = true;
    !anyone_can_move(program, &machine)
}

/// The numbers of the processes that can move, as the program counts them: both sides of a rendezvous can.
pub(super) fn movable(program: &Program, machine: &Machine) -> Vec<usize> {
    let mut machine = machine.clone();
    machine.timeout = !anyone_can_move(program, &machine);
    let mut able = Vec::new();
    for process in program.base()..machine.processes.len() {
        if !can_move(program, &machine, process) {
            continue;
        }
        able.push(process - program.base());
        let state = &program.proctypes[machine.proctype(process)].states[machine.control(process)];
        for action in state.transitions.iter().map(|transition| &transition.action) {
            if matches!(action, Action::Send(_)) && machine.enabled(program, process, action, false) == Ok(true) {
                let partners = partners(program, &machine, process, action);
                able.extend(partners.into_iter().map(|partner| partner - program.base()));
            }
        }
    }
    able
}

pub(crate) fn anyone_can_move(program: &Program, machine: &Machine) -> bool {
    (program.base()..machine.processes.len()).any(|process| can_move(program, machine, process))
}

fn can_move(program: &Program, machine: &Machine, process: usize) -> bool {
    let kind = &program.proctypes[machine.proctype(process)];
    let context = super::machine::Context::new(program, machine, process);
    if kind.provided.as_ref().is_some_and(|provided| context.value(provided) == 0) {
        return false;
    }
    if context.outranked() {
        return false;
    }
    kind.states[machine.control(process)].transitions.iter().any(|t| can_do(program, machine, process, &t.action))
}

/// Whether an action can be done, with a partner if it needs one.
pub(crate) fn can_do(program: &Program, machine: &Machine, process: usize, action: &Action) -> bool {
    // One that fails is done as far as the others are concerned.
    if !machine.enabled(program, process, action, false).unwrap_or(true) {
        return false;
    }
    if !matches!(action, Action::Send(_)) {
        return true;
    }
    let mut after = machine.clone();
    if after.execute(program, process, action).is_err() || after.handshake == 0 {
        return true;
    }
    !partners(program, machine, process, action).is_empty()
}

/// Who can receive what a process sends by rendezvous; nobody, if it does not.
fn partners(program: &Program, machine: &Machine, process: usize, send: &Action) -> Vec<usize> {
    let mut after = machine.clone();
    if after.execute(program, process, send).is_err() || after.handshake == 0 {
        return Vec::new();
    }
    let receives = |&other: &usize| {
        let kind = &program.proctypes[after.proctype(other)];
        let allowed = |condition| super::machine::Context::new(program, &after, other).value(condition) != 0;
        let mut transitions = kind.states[after.control(other)].transitions.iter();
        kind.provided.as_ref().is_none_or(allowed)
            && transitions.any(|t| after.enabled(program, other, &t.action, false).unwrap_or(true))
    };
    (program.base()..after.processes.len()).filter(|&other| other != process).filter(receives).collect()
}
