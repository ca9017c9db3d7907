//! A check that an editor asks for: what it finds becomes remarks beside the text, the steps of a run among them.

use super::place::{path, uri, whole_line};
use crate::job;
use crate::job::{Check, Failure, Models, Silent, Verdict, Witness};
use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, Uri};
use prequel_model::run::{Limits, Run};
use std::time::Duration;

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Steps beyond which only the last ones are listed: an editor shows all of them.
const MOST_STEPS: usize = 500;

/// What a check came to.
#[derive(Clone, Debug)]
pub struct Checked {
    /// In one sentence.
    pub summary: String,
    /// Beside the text.
    pub remarks: Vec<Diagnostic>,
}

/// Decides what a saved model states.
pub fn check(of: &Uri) -> Checked {
    let run = Run::new(Limits { time: Some(PATIENCE), ..Limits::default() }, 0);
    let request = Check { reached: true, ..Check::stated(Models::from(path(of))) };
    // Models that have no statements are checked all the same.
    let decided = match job::check(&request, &run, &Silent) {
        Err(Failure::Input(found)) if found.iter().any(|found| found.file == "--unreached") => {
            job::check(&Check { reached: false, ..request }, &run, &Silent)
        }
        decided => decided,
    };
    let decision = match decided {
        Ok(decision) => decision,
        Err(why) => return Checked { summary: first_line(&why.to_string()), remarks: Vec::new() },
    };
    let mut remarks = Vec::new();
    let parts = decision.parts.iter().chain([&decision]);
    for part in parts {
        if let (Verdict::False { .. }, Some(Witness::Program(witness))) = (&part.finding.verdict, &part.witness) {
            remarks.extend(violation(witness, of));
        }
    }
    if let Some(reached) = &decision.finding.reached {
        let name = path(of).display().to_string();
        for (kind, missed) in &reached.never {
            let own = missed.iter().filter(|statement| statement.file == name);
            remarks.extend(own.map(|statement| Diagnostic {
                range: whole_line(statement.line),
                severity: Some(DiagnosticSeverity::HINT),
                source: Some("prequel".into()),
                message: format!("no run of {kind} does `{}`", statement.text),
                tags: Some(vec![DiagnosticTag::UNNECESSARY]),
                ..Diagnostic::default()
            }));
        }
    }
    Checked { summary: decision.finding.summary(), remarks }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// A violation at the line where it shows, with the steps that lead there.
fn violation(witness: &job::program::ProgramWitness, of: &Uri) -> Option<Diagnostic> {
    let place = |place: &str| {
        let (file, line) = place.rsplit_once(':')?;
        Some((file.to_owned(), line.parse::<usize>().ok()?))
    };
    let name = path(of).display().to_string();
    let first = witness.steps().len().saturating_sub(MOST_STEPS);
    let step = |(at, (step, told)): (usize, (&job::program::Step, Option<job::program::Told>))| {
        let (file, line) = place(&witness.place(step))?;
        let told = told?;
        let said = [told.who.clone(), witness.text(step).to_owned(), told.passed(), told.changed()];
        let said: Vec<String> = said.into_iter().filter(|part| !part.is_empty()).collect();
        let location = Location { uri: uri(&file)?, range: whole_line(line) };
        Some(DiagnosticRelatedInformation { location, message: format!("{}. {}", at + 1, said.join(" | ")) })
    };
    let steps = witness.steps().iter().zip(witness.told(|at| at >= first)).enumerate();
    let related: Vec<DiagnosticRelatedInformation> = steps.filter_map(step).collect();
    let last = witness.steps().last().and_then(|step| place(&witness.place(step)));
    let line = last.filter(|(file, _)| *file == name).map_or(1, |(_, line)| line);
    let waiting = witness.waiting().into_iter().map(|waiting| format!("\n{}", waiting.words()));
    Some(Diagnostic {
        range: whole_line(line),
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some("prequel".into()),
        message: witness.conclusion() + &waiting.collect::<String>(),
        related_information: Some(related),
        ..Diagnostic::default()
    })
}
