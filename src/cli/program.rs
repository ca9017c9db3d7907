//! Queries on a Promela program, answered by running it.

use super::exit::Failure;
use super::input::QueryArgs;
use super::output::Output;
use super::progress;
use super::report::{Answered, Verdict};
use super::witness::Shown;
use crate::engine::Refusal;
use crate::engine::otf::Search;
use crate::engine::run::Run;
use crate::model::Why;
use crate::program::{Outcome, Program, Step, Violation, Witness, replay, verify};
use crate::read::model::Unstated;
use serde_json::{Value, json};

/// What a program states by itself, in words. With a claim, end states are not looked at, as in SPIN.
fn own(program: &Program) -> String {
    let stated = program.property.as_ref().map_or("end states".into(), |property| property.title());
    format!("what the model states (assertions, {stated})")
}

/// A question about a program.
pub struct Asked<'a> {
    /// The program.
    pub program: &'a Program,
    /// Formulas of the model that are no part of it.
    pub formulas: &'a [Unstated],
    /// What is asked; what the model states, if nothing.
    pub query: &'a QueryArgs,
    /// Who is asked.
    pub engine: &'a str,
}

/// Answers a query on a program; a violation comes with its witness, replayed.
pub fn answer<'a>(
    asked: &Asked<'a>,
    order: Search,
    run: &Run,
    output: &Output,
) -> Result<(Answered, Option<ProgramWitness<'a>>), Failure> {
    let Asked { program, formulas, query, engine } = *asked;
    let asked = query.text();
    let refusal = match (&asked, engine) {
        (Some(asked), _) => {
            Some(format!("{asked} is not decided on a Promela program; without a query, what the model states is"))
        }
        (None, "auto" | "otf") => None,
        (None, other) => Some(format!("{other} does not take Promela programs")),
    };
    let outcome = match refusal {
        Some(why) => Outcome::Unknown(Why::Refused(Refusal::new(why).to_string())),
        None => progress::watch(run, "otf", output, || verify(program, order, true, run)),
    };
    let (verdict, witness) = match outcome {
        Outcome::Holds | Outcome::Explored(_) => (without_formulas(formulas), None),
        Outcome::Violated(witness) => (Verdict::False, Some(witness)),
        Outcome::Unknown(why) => (Verdict::Unknown(why), None),
    };
    if let Some(witness) = &witness {
        replay(program, witness)
            .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
    }
    let engine = if engine == "auto" { "otf" } else { engine };
    let answered = Answered {
        engine: engine.into(),
        verdict,
        effort: run.effort(),
        query: asked.unwrap_or_else(|| own(program)),
        components: program.active.len(),
    };
    Ok((answered, witness.map(|witness| ProgramWitness { program, witness })))
}

/// What it means that no violation was found: a claim that was looked at in part leaves the question open.
fn without_formulas(formulas: &[Unstated]) -> Verdict {
    match formulas {
        [] => Verdict::True,
        [Unstated { name, file, line }, ..] => Verdict::Unknown(Why::Refused(format!(
            "no run with an end violates it, but {name} at {file}:{line} speaks of runs without an end too: --engine spin decides it"
        ))),
    }
}

/// Steps of a program to a violation. Built only from witnesses that were replayed.
pub struct ProgramWitness<'a> {
    program: &'a Program,
    witness: Witness,
}

impl ProgramWitness<'_> {
    fn place(&self, step: &Step) -> String {
        let statement = &self.program.statements[step.statement as usize];
        format!("{}:{}", statement.file, statement.line)
    }

    fn text(&self, step: &Step) -> &str {
        &self.program.statements[step.statement as usize].text
    }

    fn process(&self, step: &Step) -> String {
        step.process.map_or("never".into(), |number| number.to_string())
    }

    /// What is violated, in one line.
    fn violation(&self) -> String {
        match self.witness.violation {
            Violation::Fault { fault, process, statement } => {
                let statement = &self.program.statements[statement as usize];
                format!("{fault} in process {process} at {}:{}: {}", statement.file, statement.line, statement.text)
            }
            Violation::EndState => "invalid end state: nothing can move, and some process is not at an end".into(),
            Violation::Claim => match self.program.property.as_ref().and_then(|p| p.formula.as_ref().map(|f| (p, f))) {
                None => "the never claim is matched to its end".into(),
                Some((property, formula)) => {
                    format!("formula {} at {}:{} is violated: {formula}", property.name, property.file, property.line)
                }
            },
        }
    }

    fn no_picture() -> Failure {
        Failure::input(
            "--chart",
            "pictures of program runs are not drawn yet",
            "leave it away: the table shows the run",
        )
    }
}

impl Shown for ProgramWitness<'_> {
    fn saved(&self, query: &str) -> Vec<u8> {
        let saved = json!({
            "schema": 1,
            "kind": "program-witness",
            "query": query,
            "violation": self.violation(),
            "steps": self.steps_json(),
        });
        let mut text = serde_json::to_vec_pretty(&saved).expect("a JSON value prints");
        text.push(b'\n');
        text
    }

    fn steps_json(&self) -> Value {
        let step = |step: &Step| {
            json!({
                "process": step.process,
                "statement": self.text(step),
                "line": self.place(step),
                "changes": step.changes.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>(),
            })
        };
        self.witness.steps.iter().map(step).collect()
    }

    fn table(&self) -> String {
        let head = ["#", "process", "statement", "changes", "line"].map(str::to_owned);
        let row = |(number, step): (usize, &Step)| {
            let changes: Vec<String> = step.changes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            [
                (number + 1).to_string(),
                self.process(step),
                self.text(step).to_owned(),
                changes.join(", "),
                self.place(step),
            ]
        };
        let rows: Vec<[String; 5]> = self.witness.steps.iter().enumerate().map(row).collect();
        let width = |column: usize| {
            rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or(0).min(60)
        };
        let widths: Vec<usize> = (0..5).map(width).collect();
        let line = |row: &[String; 5]| {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{:<width$}", crop(cell, width)));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut lines = vec![line(&head)];
        lines.extend(rows.iter().map(line));
        lines.push(self.violation());
        lines.join("\n")
    }

    fn text_chart(&self) -> Result<String, Failure> {
        Err(Self::no_picture())
    }

    fn svg(&self) -> Result<Vec<u8>, Failure> {
        Err(Self::no_picture())
    }

    fn dot(&self) -> Result<Vec<u8>, Failure> {
        Err(Self::no_picture())
    }
}

/// A cell's text in at most so many characters.
fn crop(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
