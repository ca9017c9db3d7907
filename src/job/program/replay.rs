//! A saved run of a program, done again.

use super::witness::ProgramWitness;
use super::{OWN, coverage, own};
use crate::job::failure::Failure;
use crate::job::question::Question;
use crate::open::ProgramFile;
use prequel_engine::Refusal;
use prequel_program::saved_run::SavedRun;
use prequel_program::{Cycle, Endless, Program, ReplayError, Sought, Violation, Witness, end_of, stuck_after};

/// The run, if it can be done and shows what was asked; what was asked when it was saved, if nothing is.
pub fn replayed(
    promela: &ProgramFile,
    saved: &SavedRun,
    question: &Question,
) -> Result<Result<ProgramWitness, ReplayError>, Failure> {
    if question.about_labels() || *question == Question::Nonblocking {
        let why = "a run of a program is replayed on the program, and this query is about the labels of its network";
        return Err(Refusal::new(why).into());
    }
    let asked = question.text().unwrap_or_else(|| saved.query.clone());
    let fair = asked.ends_with(" --fair") || asked.ends_with(" of fair runs");
    let asked = asked.strip_suffix(" --fair").unwrap_or(&asked).to_owned();
    let before = Question::from_text(&saved.query);
    let goal = if question.is_stated() { before.as_ref().and_then(Question::reach) } else { question.reach() };
    if let Some(reach) = goal {
        let (program, goal) = promela.with_goal(&reach.place, &reach.text)?;
        let steps = saved.steps(&program);
        return Ok(steps.and_then(|steps| ProgramWitness::reaching(program, steps, goal, reach.given.clone())));
    }
    let stated = asked.starts_with(OWN);
    let fault = match asked.as_str() {
        "--deadlock-free" => Some(Sought::EndState),
        "--assertions" => Some(Sought::Fault),
        "--no-stuck" => Some(Sought::Stuck),
        "--accept-labels" => Some(Sought::Endless(Endless { fair, ..Endless::ACCEPTING })),
        "--non-progress" => Some(Sought::Endless(Endless { fair, ..Endless::NON_PROGRESS })),
        _ if stated && fair => Some(Sought::FairViolation),
        _ if stated => Some(Sought::Violation),
        _ => None,
    };
    let mut followed = Err(ReplayError::NoStep(0));
    for program in programs(promela, &asked)? {
        followed = follow(program, saved, fault, &asked);
        if followed.is_ok() {
            break;
        }
    }
    match followed {
        Err(_) if stated && is_another(promela, &asked, fair) => {
            let why = format!("the run was saved for {asked}; choose that claim with --ltl NAME");
            Err(Refusal::new(why).into())
        }
        followed => Ok(followed),
    }
}

/// Whether what a model states is more or less than what was asked.
fn is_another(promela: &ProgramFile, asked: &str, fair: bool) -> bool {
    coverage(promela, &Question::default(), promela.asks_labels()).is_some_and(|all| own(&all, fair) != asked)
}

/// The programs that such a run may be one of: what the model states is asked of one for each claim.
fn programs(promela: &ProgramFile, asked: &str) -> Result<Vec<Program>, Failure> {
    let claims = promela.asked_claims();
    if asked == "--assertions" {
        return Ok(vec![promela.with_assertions()?]);
    }
    if !asked.starts_with(OWN) {
        return Ok(vec![promela.without_claim()?]);
    }
    // Accept labels are asked of the program alone.
    let alone = claims.is_empty() || promela.asks_labels() || promela.asks_assertions_apart();
    let alone = alone.then(|| promela.with_assertions());
    let mut programs = Vec::new();
    for name in claims {
        let program = promela.with_claim(name)?.program;
        // A run that SPIN's claim does not see the end of was found with a smaller one.
        let smaller = program.smaller_claim.as_deref().cloned();
        programs.extend(std::iter::once(program).chain(smaller));
    }
    programs.extend(alone.transpose()?);
    Ok(programs)
}

/// Does the steps again; at their end there must be what is sought, or nothing in particular.
fn follow(
    program: Program,
    saved: &SavedRun,
    sought: Option<Sought<'_>>,
    asked: &str,
) -> Result<ProgramWitness, ReplayError> {
    let steps = saved.steps(&program)?;
    let violation = match (sought, saved.cycle()) {
        (None, _) => return ProgramWitness::of_labels(program, steps, None, asked.into()),
        (Some(Sought::Stuck), _) => match stuck_after(&program, &steps)? {
            Some(process) => Violation::Stuck(process),
            None => return Err(ReplayError::NoViolation),
        },
        (Some(Sought::Endless(of)), Some(from)) => Violation::Cycle(Cycle { from, of }),
        (Some(Sought::Violation | Sought::FairViolation), Some(from)) => {
            let of = Endless { fair: sought == Some(Sought::FairViolation), ..Endless::ACCEPTING };
            Violation::Cycle(Cycle { from, of })
        }
        (Some(sought), _) => {
            let violation = end_of(&program, &steps)?;
            if !sought.is(violation) {
                return Err(ReplayError::NoViolation);
            }
            violation
        }
    };
    ProgramWitness::violating(program, Witness { steps, violation })
}
