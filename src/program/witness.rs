//! What leads to a violation, for people and for a second look: a list of steps, and a way to do them again.

use super::data::{Action, Program, Trace};
use super::expand::{RawStep, START, Violation};
use super::expression::{Expression, Fault};
use super::machine::{HEAD, Machine};
use super::sought::holds;

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
    /// Variables that have another value after it.
    pub changes: Vec<(String, i32)>,
}

/// Why a witness cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// The process or transition is not there.
    #[error("step {0}: there is no such process or statement")]
    NoStep(usize),
    /// It cannot be executed then.
    #[error("step {0}: the statement cannot be executed")]
    Blocked(usize),
    /// Variables change otherwise.
    #[error("step {0}: the variables change in another way")]
    Changes(usize),
    /// An `atomic` is interrupted.
    #[error("step {0}: another process is in the middle of an atomic sequence")]
    Interrupted(usize),
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
        let _ = machine.execute(program, process, &transition.action);
        settle(program, machine, process, transition.target);
        Step {
            process: raw.process.checked_sub(program.base() as u32),
            transition: raw.transition,
            statement: raw.statement,
            changes: changes(program, &before, machine),
        }
    }
}

/// What is done after every action.
fn settle(program: &Program, machine: &mut Machine, process: usize, target: Option<u32>) {
    machine.timeout = false;
    machine.violated = None;
    machine.strayed = None;
    if let Some(target) = target {
        machine.set_control(process, target);
    }
    if let (Some(last), Some(number)) = (program.last, process.checked_sub(program.base())) {
        machine.cells[last as usize] = number as i32;
    }
}

/// The variables and messages that differ, with their new values.
fn changes(program: &Program, before: &Machine, after: &Machine) -> Vec<(String, i32)> {
    let mut changes = Vec::new();
    for (at, cell) in program.globals.iter().enumerate() {
        if before.cells[at] != after.cells[at] {
            changes.push((cell.name.to_string(), after.cells[at]));
        }
    }
    for (number, &at) in after.channels.iter().enumerate().filter(|(number, _)| *number < before.channels.len()) {
        let (old, new) = (before.channels[number] as usize, at as usize);
        if before.cells[old] == after.cells[new] && before.cells[old + 1] != after.cells[new + 1] {
            changes.push((format!("len({})", program.channel_name(number)), after.cells[new + 1]));
        }
    }
    for (pid, &at) in after.processes.iter().enumerate().filter(|(pid, _)| *pid < before.processes.len()) {
        let kind = &program.proctypes[after.proctype(pid)];
        if before.processes[pid] != at || before.proctype(pid) != after.proctype(pid) {
            continue;
        }
        for (cell, named) in kind.cells.iter().enumerate() {
            let cell = at as usize + HEAD + cell;
            if before.cells[cell] != after.cells[cell] {
                let pid = pid as i64 - program.base() as i64;
                changes.push((format!("{}({pid}):{}", kind.name, named.name), after.cells[cell]));
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
    let Followed { mut machine, faults, .. } = follow(program, &witness.steps)?;
    let shown = match witness.violation {
        Violation::Fault { fault, .. } => faults.contains(&fault) || fault == Fault::Endless,
        Violation::EndState => {
            machine.timeout = true;
            let ends = |pid: usize| program.proctypes[machine.proctype(pid)].states[machine.control(pid)].end;
            let trace_ends = |t: &Trace| t.states[machine.cells[t.cell as usize] as usize].end;
            let all_end = (0..machine.processes.len()).all(ends) && program.trace.as_ref().is_none_or(trace_ends);
            !anyone_can_move(program, &machine) && !all_end
        }
        Violation::Claim => {
            program.claim.is_some()
                && (program.proctypes[machine.proctype(0)].states[machine.control(0)].end
                    || program.has_formula() && faults.contains(&Fault::Assertion))
        }
    };
    if shown { Ok(()) } else { Err(ReplayError::NoViolation) }
}

/// Does steps again, and sees whether they are possible and end in a state where others may move; in it the goal must hold.
pub fn replay_steps(program: &Program, steps: &[Step], goal: Option<&Expression>) -> Result<(), ReplayError> {
    let Followed { machine, faults, exclusive } = follow(program, steps)?;
    if faults.iter().any(|fault| !fault.is_passed()) {
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

/// The violation that steps end with, once they were done again.
pub fn end_of(program: &Program, steps: &[Step]) -> Result<Violation, ReplayError> {
    let faults = follow(program, steps)?.faults;
    let shown =
        |violation: Violation| replay(program, &Witness { steps: steps.to_vec(), violation }).map(|()| violation);
    match (faults.first(), steps.last()) {
        (Some(Fault::Assertion), Some(last)) if last.process.is_none() && program.has_formula() => {
            shown(Violation::Claim)
        }
        (Some(&fault), Some(last)) => {
            let process = last.process.map_or(0, |process| process as usize);
            shown(Violation::Fault { fault, process, statement: last.statement })
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
        if machine.enabled(program, process, &taken.action, false) == Ok(false) {
            return Err(ReplayError::Blocked(number));
        }
        let raw = RawStep { process: process as u32, transition, statement: taken.statement, before: START };
        steps.push(Step::take(program, &mut machine, raw));
    }
    Ok(steps)
}

/// Where steps lead to.
struct Followed {
    machine: Machine,
    /// What went wrong in the last step.
    faults: Vec<Fault>,
    /// The process in the middle of an atomic sequence.
    exclusive: Option<usize>,
}

fn follow(program: &Program, steps: &[Step]) -> Result<Followed, ReplayError> {
    let Ok(mut machine) = Machine::initial(program) else { return Err(ReplayError::NoStep(0)) };
    let mut exclusive: Option<usize> = None;
    let mut faults: Vec<Fault> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let process = step.process.map_or(0, |process| process as usize + program.base());
        if process >= machine.processes.len() {
            return Err(ReplayError::NoStep(number));
        }
        // A violated assertion is passed; nothing comes after another fault.
        if faults.iter().any(|fault| !fault.is_passed())
            || super::machine::Context::new(program, &machine, process).outranked()
        {
            return Err(ReplayError::Blocked(number));
        }
        if let Some(owner) = exclusive
            && owner != process
            && machine.handshake == 0
            && can_move(program, &machine, owner)
        {
            return Err(ReplayError::Interrupted(number));
        }
        let state = &program.proctypes[machine.proctype(process)].states[machine.control(process)];
        let Some(transition) =
            state.transitions.get(step.transition as usize).filter(|t| t.statement == step.statement)
        else {
            return Err(ReplayError::NoStep(number));
        };
        let before = machine.clone();
        if process >= program.base() && machine.handshake == 0 && !anyone_can_move(program, &machine) {
            machine.timeout = true;
        }
        let siblings = || state.transitions[..step.transition as usize].iter();
        let others = siblings().any(|t| can_do(program, &machine, process, &t.action));
        match machine.enabled(program, process, &transition.action, others) {
            Ok(true) => {
                let result = machine.execute(program, process, &transition.action);
                let noted = machine.violated.map(|_| Fault::Assertion).into_iter().chain(machine.strayed);
                faults = result.err().into_iter().chain(noted).collect();
                if others && program.proctypes[before.proctype(process)].deterministic {
                    faults.push(Fault::Choice);
                }
            }
            Ok(false) => return Err(ReplayError::Blocked(number)),
            Err(fault) => faults = vec![fault],
        }
        settle(program, &mut machine, process, transition.target);
        if changes(program, &before, &machine) != step.changes {
            return Err(ReplayError::Changes(number));
        }
        exclusive = if machine.handshake == 0 && transition.atomic { Some(process) } else { None };
    }
    Ok(Followed { machine, faults, exclusive })
}

fn anyone_can_move(program: &Program, machine: &Machine) -> bool {
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
fn can_do(program: &Program, machine: &Machine, process: usize, action: &Action) -> bool {
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
    (program.base()..after.processes.len()).filter(|&other| other != process).any(|other| {
        let state = &program.proctypes[after.proctype(other)].states[after.control(other)];
        state.transitions.iter().any(|t| after.enabled(program, other, &t.action, false).unwrap_or(true))
    })
}
