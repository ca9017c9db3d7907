//! SPIN's trails and our witnesses, each from the other. Both are checked by whoever takes them: a witness is replayed on the
//! program, a trail by SPIN.

use super::report::Fault;
use super::table::{Numbered, Table};
use super::trail::Trail;
use prequel_program as program;
use prequel_program::{Cycle, Endless, Program, Step, Violation, Walk, Witness};

/// SPIN's numbers for the proctypes of a program.
pub type Numbers = [Result<Numbered, String>];

/// How far a trail was followed.
struct Followed<'a> {
    walk: Walk<'a>,
    steps: Vec<Step>,
    /// Where its cycle starts, and behind how many steps of ours that is.
    cycle: Option<(Walk<'a>, usize)>,
}

/// Follows a trail in a program, until somebody has seen enough.
fn along<'a>(
    mut walk: Walk<'a>,
    program: &Program,
    numbers: &Numbers,
    merged: &[Table],
    trail: &Trail,
    enough: impl Fn(&Walk<'_>) -> bool,
) -> Result<Followed<'a>, String> {
    let mut steps: Vec<Step> = Vec::new();
    let mut cycle = None;
    for (at, &(process, id)) in trail.steps.iter().enumerate() {
        if trail.cycle == Some(at) {
            cycle = Some((walk.clone(), steps.len()));
        }
        if enough(&walk) {
            break;
        }
        let lost = |why: &str| format!("step {} of the trail (process {process}, transition {id}): {why}", at + 1);
        if walk.fault().is_some() {
            return Err(lost("the program went wrong before it"));
        }
        let (kind, state) = walk.control(process).ok_or_else(|| lost("there is no such process"))?;
        let numbered = numbers[kind].as_ref().map_err(Clone::clone)?;
        let from = numbered.states[state];
        let row = merged[numbered.proctype].rows.iter().find(|row| row.from == from && row.id == id);
        let goal = row.ok_or_else(|| lost(&format!("`pan` has no such transition in state {from}")))?.to;
        let first = numbered.transitions[state].iter().position(|&other| other == id);
        let mut transition = first.ok_or_else(|| lost("our program has no such transition"))?;
        loop {
            steps.push(walk.step(process, transition).map_err(|why| lost(&why.to_string()))?);
            let Some((kind, state)) = walk.control(process).filter(|_| goal != 0 && walk.fault().is_none()) else {
                break;
            };
            if numbered.states[state] == goal {
                break;
            }
            // The rest of statements taken as one: there is no choice among them.
            if program.proctypes[kind].states[state].transitions.len() != 1 {
                return Err(lost("statements that are taken as one have a choice among them"));
            }
            transition = 0;
        }
    }
    Ok(Followed { walk, steps, cycle })
}

/// The steps of a program that a trail stands for, whatever they show. `merged` are the tables of a `pan` like the one that wrote it.
pub fn steps(program: &Program, numbers: &Numbers, merged: &[Table], trail: &Trail) -> Result<Vec<Step>, String> {
    let walk = Walk::start(program).map_err(|fault| format!("our program does not start: {fault}"))?;
    let Followed { mut walk, mut steps, .. } = along(walk, program, numbers, merged, trail, |_| false)?;
    // `pan` writes the step that goes wrong where it is one of several taken as one, but not where it stands alone.
    if walk.fault().is_none() {
        let wrong =
            [Fault::Assertion, Fault::RunTime].into_iter().find_map(|fault| last_step(program, &walk, fault).ok());
        if let Some((step, _)) = wrong {
            let process = step.process.map_or(0, |process| process as usize + program.base());
            let last = trail.steps.last().map(|&(process, _)| process);
            if last == Some(process) && walk.step(process, step.transition as usize).is_ok() {
                steps.push(step);
            }
        }
    }
    Ok(steps)
}

/// The steps of a program that a trail stands for. `merged` are the tables of the very `pan` that wrote the trail: where it takes
/// several statements as one step, they tell how far that step goes. `endless` are the runs without an end that were looked for.
pub fn witness(
    program: &Program,
    numbers: &Numbers,
    merged: &[Table],
    trail: &Trail,
    fault: Fault,
    endless: Endless,
) -> Result<Witness, String> {
    let walk = match Walk::start(program) {
        Ok(walk) => walk,
        Err(fault) if trail.steps.is_empty() => {
            let violation = Violation::Fault { fault, process: 0, statement: 0 };
            return Ok(Witness { steps: Vec::new(), violation });
        }
        Err(fault) => return Err(format!("our program does not start: {fault}")),
    };
    // `pan` may write one step too many, left over from another path, behind the end of a claim.
    let enough = |walk: &Walk<'_>| fault == Fault::Claim && walk.shows(Violation::Claim);
    let Followed { mut walk, mut steps, cycle } = along(walk, program, numbers, merged, trail, enough)?;
    let violation = match fault {
        Fault::InvalidEndState => Violation::EndState,
        Fault::Claim => Violation::Claim,
        Fault::AcceptanceCycle | Fault::NonProgressCycle => {
            // A trail that ends where its cycle would start ends where nothing moves any more.
            let (start, from) = cycle.unwrap_or_else(|| (walk.clone(), steps.len()));
            let from = close(program, &mut walk, start, &mut steps, from)?;
            Violation::Cycle(Cycle { from, of: endless })
        }
        Fault::Assertion | Fault::RunTime | Fault::Trace => match walk.fault() {
            Some(shown) => violation(fault, shown, steps.last())?,
            None => {
                let (step, violation) = last_step(program, &walk, fault)?;
                steps.push(step);
                violation
            }
        },
    };
    Ok(Witness { steps, violation })
}

/// The step with which a cycle starts. SPIN sets variables to zero that nobody reads any more, so that its cycle may be none of
/// ours; such variables are as they were, or set in the cycle, so the same steps taken once more are one.
fn close(
    program: &Program,
    walk: &mut Walk<'_>,
    start: Walk<'_>,
    steps: &mut Vec<Step>,
    from: usize,
) -> Result<usize, String> {
    if walk.is_at(&start) {
        return Ok(from);
    }
    let (again, first) = (steps[from..].to_vec(), walk.clone());
    for step in &again {
        let process = step.process.map_or(0, |process| process as usize + program.base());
        let taken = walk.step(process, step.transition as usize);
        steps.push(taken.map_err(|why| format!("the cycle cannot be taken twice: {why}"))?);
    }
    if walk.is_at(&first) { Ok(from + again.len()) } else { Err("the cycle does not come back to its start".into()) }
}

/// What went wrong in a step, if it is what SPIN says.
fn violation(
    wanted: Fault,
    (fault, statement): (program::Fault, u32),
    step: Option<&Step>,
) -> Result<Violation, String> {
    let assertion = matches!(fault, program::Fault::Assertion | program::Fault::Index);
    if assertion != (wanted == Fault::Assertion) {
        return Err(format!("SPIN reports {wanted:?}, our program {fault}"));
    }
    let process = step.and_then(|step| step.process).map_or(0, |process| process as usize);
    Ok(Violation::Fault { fault, process, statement })
}

/// The step that goes wrong where a trail ends before it.
fn last_step(program: &Program, walk: &Walk<'_>, wanted: Fault) -> Result<(Step, Violation), String> {
    for process in (0..walk.processes()).rev() {
        let Some((kind, state)) = walk.control(process) else { continue };
        for transition in 0..program.proctypes[kind].states[state].transitions.len() {
            let mut next = walk.clone();
            let Ok(step) = next.step(process, transition) else { continue };
            if let Some(shown) = next.fault()
                && let Ok(violation) = violation(wanted, shown, Some(&step))
            {
                return Ok((step, violation));
            }
        }
    }
    Err(format!("SPIN reports {wanted:?}, and our program shows none after the same steps"))
}

/// Where a process is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// Its number; none for the claim.
    pub process: Option<usize>,
    /// SPIN's number of its state.
    pub state: u32,
}

/// The trail of steps of ours, one for each statement, and where everybody is at its end.
pub fn trail(
    program: &Program,
    numbers: &Numbers,
    steps: &[Step],
    shown: Option<Violation>,
) -> Result<(Trail, Vec<Location>), String> {
    let mut walk = Walk::start(program).map_err(|fault| format!("the program does not start: {fault}"))?;
    let mut trail = Trail::default();
    if let Some(Violation::Cycle(cycle)) = shown {
        trail.cycle = Some(cycle.from);
    }
    if let Some(claim) = program.claim {
        trail.claim = Some(numbers[claim as usize].as_ref().map_err(Clone::clone)?.proctype);
    }
    for step in steps {
        let process = step.process.map_or(0, |process| process as usize + program.base());
        let (kind, state) = walk.control(process).ok_or("a step of no process")?;
        let numbered = numbers[kind].as_ref().map_err(Clone::clone)?;
        trail.steps.push((process, numbered.transitions[state][step.transition as usize]));
        walk.step(process, step.transition as usize).map_err(|why| why.to_string())?;
    }
    let mut locations = Vec::new();
    for process in 0..walk.processes() {
        let (kind, state) = walk.control(process).expect("it is one of them");
        let state = numbers[kind].as_ref().map_err(Clone::clone)?.states[state];
        locations.push(Location { process: process.checked_sub(program.base()), state });
    }
    Ok((trail, locations))
}

/// Whether SPIN, following a trail, came to its end: all steps were taken, everybody is where we say, and what goes wrong in
/// the last step goes wrong there too. `said` is what `spin -t -p` prints.
pub fn follows(said: &str, steps: usize, locations: &[Location], shown: Option<Violation>) -> Result<(), String> {
    let (before, after) =
        said.split_once("spin: trail ends after ").ok_or("SPIN does not come to the end of the trail")?;
    if after.split(' ').next() != Some(steps.to_string().as_str()) {
        return Err(format!("SPIN takes another number of steps than the trail has: {steps}"));
    }
    let mistaken = match shown {
        Some(Violation::Fault { fault: program::Fault::Assertion, .. }) => {
            !before.contains("Error: assertion violated")
        }
        Some(Violation::Fault { fault: program::Fault::Index, .. }) => !before.contains("Error: indexing"),
        // Where nothing moves any more there is nothing to be repeated.
        Some(Violation::Cycle(cycle)) => cycle.from < steps && !before.contains("START OF CYCLE"),
        _ => false,
    };
    if mistaken {
        return Err("SPIN does not see what goes wrong in the last step".into());
    }
    // A process that failed may be anywhere.
    let failed = match shown {
        Some(Violation::Fault { process, .. }) => Some(Some(process)),
        _ => None,
    };
    for wanted in locations.iter().filter(|location| failed != Some(location.process)) {
        let row = after.lines().find(|row| process_of(row) == Some(wanted.process));
        if row.and_then(state_of) != Some(wanted.state) {
            return Err(format!("at the end of the trail SPIN has {wanted:?} in another state: {row:?}"));
        }
    }
    Ok(())
}

/// The process of `  7: proc  0 (P:1) m.pml:2 (state 2)`; `proc  -` is the claim.
fn process_of(row: &str) -> Option<Option<usize>> {
    let (number, _) = row.split_once(":\tproc ")?.1.trim_start().split_once(" (")?;
    if number == "-" { Some(None) } else { number.parse().ok().map(Some) }
}

fn state_of(row: &str) -> Option<u32> {
    row.rsplit_once("(state ")?.1.split(')').next()?.parse().ok()
}
