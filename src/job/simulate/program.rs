//! Runs of programs, one statement at a time.

use super::stepped::{Stepped, System};
use super::{Guide, Offered, Simulate, Simulation, Taken};
use crate::job::failure::Failure;
use crate::job::program::replayed;
use crate::job::question::Question;
use crate::open::{ProgramFile, bytes};
use prequel_engine::Refusal;
use prequel_formats::diag::Diagnostic;
use prequel_model::run::Run;
use prequel_program::telling::Teller;
use prequel_program::{Choice, Expression, Program, Step, Walk, equations, saved_run};
use prequel_spin::file::{File, Trouble};
use prequel_spin::tools::Tools;
use prequel_spin::trail::Trail;
use std::path::Path;

struct Processes<'a> {
    file: &'a ProgramFile,
    program: &'a Program,
}

/// Runs a program.
pub fn simulate(
    file: &ProgramFile,
    request: &Simulate,
    run: &Run,
    with: &mut dyn FnMut(&mut dyn Simulation) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (program, steps) = match &request.guide {
        None => {
            (if file.states_assertions_apart() { file.with_assertions()? } else { file.without_claim()? }, Vec::new())
        }
        Some(Guide::Witness(path)) => saved(file, path)?,
        Some(Guide::Trail(path)) => along_trail(file, path, run)?,
    };
    if let Err(fault) = Walk::start(&program) {
        return Err(Failure::input(
            &file.name,
            format!("it does not start: {fault}"),
            "see what its variables start as",
        ));
    }
    let guide = steps.iter().map(|step| choice(&program, step)).collect();
    with(&mut Stepped::new(Processes { file, program: &program }, guide))
}

fn choice(program: &Program, step: &Step) -> Choice {
    let process = step.process.map_or(0, |process| process as usize + program.base());
    Choice { process, transition: step.transition as usize, statement: step.statement }
}

/// The program of a saved run, and its steps.
fn saved(file: &ProgramFile, path: &Path) -> Result<(Program, Vec<Step>), Failure> {
    let name = path.display().to_string();
    let saved = saved_run::read(&name, &bytes(path)?)?;
    match replayed(file, &saved, &Question::default())? {
        Ok(witness) => Ok((witness.program().clone(), witness.steps().to_vec())),
        Err(why) => {
            let help = "save one of this model with `prequel check MODEL --witness FILE`";
            Err(Failure::input(name, why.to_string(), help))
        }
    }
}

/// The program of a trail, and its steps: SPIN's numbers tell which statement each is.
fn along_trail(file: &ProgramFile, path: &Path, run: &Run) -> Result<(Program, Vec<Step>), Failure> {
    let name = path.display().to_string();
    let Some(source) = file.source() else { return Err(super::no_trail(path)) };
    let text = String::from_utf8_lossy(&bytes(path)?).into_owned();
    let help =
        "SPIN writes one beside the model when its search finds an error; `prequel check MODEL --trail` writes one too";
    let trail =
        Trail::read(&text).map_err(|line| Failure::input(&name, format!("`{line}` is no line of a trail"), help))?;
    let tools = Tools::find().map_err(|why| Refusal::new(format!("a trail has SPIN's numbers, and {why}")))?;
    // A claim that runs beside the processes is one of the model's, or the one that SPIN makes to look for progress.
    let mut programs = Vec::new();
    if trail.claim.is_some() {
        for claim in file.asked_claims() {
            programs.push((file.with_claim(claim)?.program, trail.clone()));
        }
    }
    programs.push((file.without_claim()?, trail.without_claim()));
    let mut lost = String::new();
    for (program, trail) in programs {
        let mut opened = File::open(&source.text, tools, run).map_err(refused)?;
        match opened.follow(&program, &trail) {
            Ok(steps) => return Ok((program, steps)),
            Err(Trouble::Lost(why)) if lost.is_empty() => lost = why,
            Err(Trouble::Lost(_)) => {}
            Err(other) => return Err(refused(other)),
        }
    }
    Err(Failure::input(name, format!("this is no trail of the model: {lost}"), help))
}

fn refused(trouble: Trouble) -> Failure {
    match trouble {
        Trouble::Undecided(why) => why.into(),
        other => Refusal::new(format!("the trail cannot be followed: {other}")).into(),
    }
}

impl<'a> System for Processes<'a> {
    type State = (Walk<'a>, Teller<'a>);
    type Move = Choice;
    type Expression = (Program, Expression);

    fn start(&self) -> Self::State {
        let start = Walk::start(self.program).ok().zip(Teller::start(self.program));
        start.expect("that it starts was seen before")
    }

    fn moves(&self, (walk, _): &Self::State) -> Vec<Choice> {
        walk.choices()
    }

    fn offered(&self, (walk, _): &Self::State, choice: &Choice) -> Offered {
        let (kind, _) = walk.control(choice.process).unwrap_or_default();
        Offered {
            who: self.program.process_name(kind, choice.process),
            what: self.program.statements[choice.statement as usize].text.to_string(),
            place: self.program.place_of(choice.statement),
        }
    }

    fn take(&self, state: &mut Self::State, choice: &Choice) -> Taken {
        let offered = self.offered(state, choice);
        let (walk, teller) = state;
        let values = walk.looked_at(*choice);
        let Some(step) = walk.choose(*choice) else { return Taken::default() };
        let told = teller.tell(&step);
        let fault = walk.fault().map(|(fault, statement)| {
            let text = &self.program.statements[statement as usize].text;
            // Inside of a longer step other values count.
            let values = Some(&values).filter(|values| statement == choice.statement && !values.is_empty());
            let values = values.map_or_else(String::new, |values| format!(", where {}", equations(values)));
            format!("{fault} in {} at {}: {text}{values}", offered.who, self.program.place_of(statement))
        });
        Taken { offered, process: step.process, message: told.passed(), changes: told.changed(), fault }
    }

    fn values(&self, (walk, _): &Self::State) -> Vec<(String, String)> {
        walk.all_values()
    }

    fn places(&self, (walk, _): &Self::State) -> Vec<String> {
        let place = |(name, next): (String, Vec<u32>)| {
            let texts: Vec<&str> = next.iter().map(|&at| &*self.program.statements[at as usize].text).collect();
            let at = next.first().map_or_else(String::new, |&at| format!(" at {}", self.program.place_of(at)));
            format!("{name}{at}: {}", texts.join(" | "))
        };
        walk.places().into_iter().map(place).collect()
    }

    fn read(&self, text: &str) -> Result<(Program, Expression), Vec<Diagnostic>> {
        self.file.with_goal("expression", text)
    }

    fn value(&self, (walk, _): &Self::State, (program, expression): &(Program, Expression)) -> String {
        walk.worded(program, expression).unwrap_or_else(|fault| fault.to_string())
    }

    fn end(&self, (walk, _): &Self::State) -> Vec<String> {
        if !walk.is_over() {
            return vec!["the run ends with what went wrong".into()];
        }
        let waiting = walk.waiting();
        if waiting.iter().all(|waiting| waiting.may_end) {
            return vec!["the end: every process has ended, or waits where it may end".into()];
        }
        let words = waiting.iter().map(|waiting| format!("  {}", waiting.words()));
        std::iter::once("nothing can move:".to_owned()).chain(words).collect()
    }
}
