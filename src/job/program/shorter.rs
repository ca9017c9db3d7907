//! A shorter run in the place of a long one.
//!
//! A search that goes deep first may find a violation behind tens of thousands of steps, which nobody reads to the end. Smaller processes
//! have few states, so that a search of theirs can go breadth first where one of the model cannot, and the shortest run that it finds
//! stands for a short one of the model. How far it goes is counted, so that one thread shows the same run every time.

use super::{FoldedModel, ProgramWitness, Shows, SmallerText};
use crate::job::observer::Silent;
use crate::job::reduction::ReductionChoice;
use crate::open::ProgramFile;
use prequel_engine::otf::Otf;
use prequel_engine::otf::program::{Outcome, verify};
use prequel_model::run::{Limits, Run};
use prequel_program::{Program, Sought, Violation, Witness};
use std::time::Duration;

/// A run with no more steps is short enough.
const LONG: usize = 1_000;

/// States that are looked at for a shorter one.
const STATES: u64 = 100_000;

/// How long it is looked for where others are timed as well.
const MOMENT: Duration = Duration::from_millis(250);

/// A run to the same kind of violation in half the steps at most, replayed, if one is found where `long` is too long for people. Where no
/// process becomes smaller none is looked for: the search of the model itself breadth first has had its turn.
pub fn shorter(promela: &ProgramFile, long: &ProgramWitness, run: &Run) -> Option<ProgramWitness> {
    let sought = match long.shows() {
        Shows::Violation(Violation::Fault { .. }) => Sought::Fault,
        Shows::Violation(Violation::EndState) => Sought::EndState,
        _ => return None,
    };
    if long.steps().len() <= LONG || long.program().claim.is_some() {
        return None;
    }
    let states = run.limits.states.map_or(STATES, |limit| limit.min(STATES));
    // With several threads the clock has a say in who answers, and so it may have here.
    let moment = (run.limits.threads > 1).then(|| run.elapsed() + MOMENT);
    let time = run.limits.time.into_iter().chain(moment).min();
    let limits = Limits { time, states: Some(states), threads: 1, ..run.limits.clone() };
    let beside = run.within(limits);
    let choice = ReductionChoice::default();
    let folded = FoldedModel::new(promela, &choice, false, &beside, &Silent).ok().filter(FoldedModel::is_smaller)?;
    let smaller = SmallerText::of(folded, promela, true, &beside).ok()?;
    let (_, program) = smaller.emitted(None).ok()?;
    let found = smaller.lift(&program, &breadth_first(&program, sought, &beside)?).ok()?;
    (2 * found.steps().len() <= long.steps().len()).then_some(found)
}

fn breadth_first(program: &Program, sought: Sought<'_>, run: &Run) -> Option<Witness> {
    match verify(program, sought, Otf::default(), run) {
        Outcome::Violated(witness) => Some(witness),
        _ => None,
    }
}
