//! A run of a program, in every form that a command shows it.

use crate::cli::exit::Failure;
use crate::cli::witness::{Shown, pictures};
use prequel_engine::Refusal;
use prequel_formats::promela::Text;
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::drawing::drawing;
use prequel_program::saved_run::KIND;
use prequel_program::{Fault, Program, Step, Violation, leads_to_end_of_processes};
use prequel_spin::file::{File, Trouble};
use prequel_spin::spin::Tools;
use serde_json::{Value, json};

/// Steps of a program and what they show. Built only from runs that were replayed.
pub struct ProgramWitness {
    /// Of which program.
    pub program: Program,
    /// In order.
    pub steps: Vec<Step>,
    /// What the end of it shows.
    pub shows: Shows,
}

/// What a run shows.
pub enum Shows {
    /// A violation.
    Violation(Violation),
    /// That a goal holds at its end.
    Goal(String),
    /// That its labels are not allowed by a property.
    Word(String),
}

impl ProgramWitness {
    fn place(&self, step: &Step) -> String {
        let statement = &self.program.statements[step.statement as usize];
        format!("{}:{}", statement.file, statement.line)
    }

    fn text(&self, step: &Step) -> &str {
        &self.program.statements[step.statement as usize].text
    }

    /// The step that a cycle starts with.
    fn cycle(&self) -> Option<usize> {
        if let Shows::Violation(Violation::Cycle(from)) = self.shows { Some(from) } else { None }
    }

    fn process(&self, step: &Step) -> String {
        step.process.map_or("never".into(), |number| number.to_string())
    }

    /// What is shown, in one line.
    fn conclusion(&self) -> String {
        match &self.shows {
            Shows::Violation(Violation::Fault { fault, process, statement }) => {
                let statement = &self.program.statements[*statement as usize];
                format!("{fault} in process {process} at {}:{}: {}", statement.file, statement.line, statement.text)
            }
            Shows::Violation(Violation::EndState) => {
                let trace = self.program.trace.is_some() && leads_to_end_of_processes(&self.program, &self.steps);
                let open = if trace { "the trace is not completed" } else { "some process is not at an end" };
                format!("invalid end state: nothing can move, and {open}")
            }
            Shows::Violation(Violation::Claim) => {
                match self.program.property.as_ref().and_then(|stated| stated.formula.as_ref().map(|f| (stated, f))) {
                    None => "the never claim is matched to its end".into(),
                    Some((stated, formula)) => {
                        format!("formula {} at {}:{} is violated: {formula}", stated.name, stated.file, stated.line)
                    }
                }
            }
            Shows::Violation(Violation::Cycle(from)) => {
                let what = format!("steps {} to {} can be repeated for ever", from + 1, self.steps.len());
                let claim = self.program.property.as_ref().filter(|_| self.program.claim.is_some());
                match claim.map(|stated| (stated, &stated.formula)) {
                    None => what,
                    Some((stated, None)) => format!("{what}: the never claim {} accepts this run", stated.name),
                    Some((stated, Some(formula))) => {
                        format!(
                            "{what}: formula {} at {}:{} is violated: {formula}",
                            stated.name, stated.file, stated.line
                        )
                    }
                }
            }
            Shows::Goal(goal) => format!("here {goal} holds"),
            Shows::Word(query) => format!("this run does not obey {query}"),
        }
    }
}

impl Shown for ProgramWitness {
    fn saved(&self, query: &str) -> Vec<u8> {
        let violation = matches!(self.shows, Shows::Violation(_)).then(|| self.conclusion());
        let saved = json!({
            "schema": 1,
            "kind": KIND,
            "query": query,
            "violation": violation,
            "shows": self.conclusion(),
            "cycle": self.cycle().map(|from| from + 1),
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
                "transition": step.transition,
                "statement": self.text(step),
                "line": self.place(step),
                "changes": step.changes.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>(),
            })
        };
        self.steps.iter().map(step).collect()
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
        let rows: Vec<[String; 5]> = self.steps.iter().enumerate().map(row).collect();
        let width = |column: usize| {
            rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or(0).min(60)
        };
        let widths: Vec<usize> = (0..5).map(width).collect();
        let line = |row: &[String; 5]| {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{:<width$}", crop(cell, width)));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut lines = vec![line(&head)];
        for (number, row) in rows.iter().enumerate() {
            if self.cycle() == Some(number) {
                lines.push("-- again and again:".into());
            }
            lines.push(line(row));
        }
        lines.push(self.conclusion());
        lines.join("\n")
    }

    fn text_chart(&self) -> Result<String, Failure> {
        pictures::text_chart(&drawing(&self.program, &self.steps).view())
    }

    fn svg(&self) -> Result<Vec<u8>, Failure> {
        pictures::svg(&drawing(&self.program, &self.steps).view())
    }

    fn dot(&self) -> Result<Vec<u8>, Failure> {
        Ok(pictures::dot(&drawing(&self.program, &self.steps).view()))
    }

    fn trail(&self, text: Option<&Text>, run: &Run) -> Result<Vec<u8>, Failure> {
        let Some(text) = text else {
            let help = "leave it away, or save the run with --witness FILE";
            return Err(Failure::input("--trail", "a trail is a run of a Promela model", help));
        };
        let shown = if let Shows::Violation(violation) = self.shows { Some(violation) } else { None };
        if let Some(Violation::Fault { fault: fault @ (Fault::Endless | Fault::Division), .. }) = shown {
            return Err(Refusal::new(format!("SPIN follows no trail to this: {fault}")).into());
        }
        let tools = Tools::find().map_err(|why| Refusal::new(format!("the trail needs SPIN's numbers, and {why}")))?;
        let written = File::open(text, tools, run).and_then(|mut file| file.trail(&self.program, &self.steps, shown));
        written.map(String::into_bytes).map_err(|trouble| match trouble {
            Trouble::Lost(why) => Failure::Internal(format!("SPIN does not follow the trail: {why}")),
            Trouble::Undecided(Why::External(why)) => Failure::Internal(why),
            other => Refusal::new(format!("no trail was written: {other}")).into(),
        })
    }
}

/// A cell's text in at most so many characters.
fn crop(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
