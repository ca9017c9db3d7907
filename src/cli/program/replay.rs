//! A saved run of a program, done again.

use super::witness::{ProgramWitness, Shows};
use super::{OWN, own};
use crate::cli::exit::Failure;
use crate::cli::input::QueryArgs;
use crate::engine::Refusal;
use crate::program::{ReplayError, Violation, Witness, end_of, replay, replay_steps};
use crate::read::model::ProgramFile;
use crate::read::run::SavedRun;

/// The run, if it can be done and shows what was asked; what was asked when it was saved, if nothing is.
pub fn replayed(
    promela: &ProgramFile,
    saved: &SavedRun,
    query: &QueryArgs,
) -> Result<Result<ProgramWitness, ReplayError>, Failure> {
    if query.about_labels() || query.nonblocking {
        let why = "a run of a program is replayed on the program, and this query is about the labels of its network";
        return Err(Refusal::new(why).into());
    }
    let asked = query.text().unwrap_or_else(|| saved.query.clone());
    let saved_goal = || QueryArgs::from_text(&saved.query)?.reach;
    let goal = if query.text().is_some() { query.reach.clone() } else { saved_goal() };
    if let Some(reach) = goal {
        let (program, goal) = promela.with_goal(&reach.place, &reach.text)?;
        let steps = saved.steps(&program);
        let followed = steps.and_then(|steps| replay_steps(&program, &steps, Some(&goal)).map(|()| steps));
        return Ok(followed.map(|steps| ProgramWitness { program, steps, shows: Shows::Goal(reach.given) }));
    }
    let stated = asked.starts_with(OWN);
    if stated && asked != own(promela) {
        let why = format!("the run was saved for {asked}; choose that claim with --ltl NAME");
        return Err(Refusal::new(why).into());
    }
    let program = if stated { promela.program.clone() } else { promela.without_claim()? };
    let steps = match saved.steps(&program) {
        Ok(steps) => steps,
        Err(why) => return Ok(Err(why)),
    };
    let shows = if let (true, Some(from)) = (stated, saved.cycle()) {
        let violation = Violation::Cycle(from);
        replay(&program, &Witness { steps: steps.clone(), violation }).map(|()| Shows::Violation(violation))
    } else if stated {
        end_of(&program, &steps).map(Shows::Violation)
    } else if asked == "--deadlock-free" {
        let witness = Witness { steps: steps.clone(), violation: Violation::EndState };
        replay(&program, &witness).map(|()| Shows::Violation(Violation::EndState))
    } else {
        replay_steps(&program, &steps, None).map(|()| Shows::Word(asked))
    };
    Ok(shows.map(|shows| ProgramWitness { program, steps, shows }))
}
