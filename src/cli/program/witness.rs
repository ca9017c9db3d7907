//! A run of a program, in every form that a command shows it.

use crate::cli::witness::{Shown, pictures};
use crate::job::Failure;
use crate::job::program::{ProgramWitness, SAVED_RUN, Shows, Step};
use prequel_formats::picture::extent::{Extent, Line};
use prequel_formats::picture::page::{Chart, Page};
use prequel_formats::promela::Text;
use prequel_model::run::Run;
use serde_json::{Value, json};

impl Shown for ProgramWitness {
    fn saved(&self, query: &str) -> Vec<u8> {
        let violation = matches!(self.shows(), Shows::Violation(_)).then(|| self.conclusion());
        let saved = json!({
            "schema": 1,
            "kind": SAVED_RUN,
            "query": query,
            "violation": violation,
            "shows": self.conclusion(),
            "cycle": self.repeated_from(),
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
                "changes": self.changes(step).map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>(),
            })
        };
        self.steps().iter().map(step).collect()
    }

    fn repeated_from(&self) -> Option<usize> {
        self.cycle().map(|from| from + 1)
    }

    fn table(&self, extent: Extent) -> String {
        let head = ["#", "process", "statement", "changes", "line"].map(str::to_owned);
        let row = |at: usize| {
            let step = &self.steps()[at];
            let changes: Vec<String> = self.changes(step).map(|(name, value)| format!("{name} = {value}")).collect();
            [(at + 1).to_string(), process(step), self.text(step).to_owned(), changes.join(", "), self.place(step)]
        };
        let shown: Vec<Line<usize>> = extent.lines(self.steps().len()).collect();
        let rows: Vec<Line<[String; 5]>> = shown.iter().cloned().map(|line| line.map(row)).collect();
        let cells = |column: usize| rows.iter().filter_map(Line::step).chain([&head]).map(move |row| &row[column]);
        let width = |column: usize| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0).min(60);
        let widths: Vec<usize> = (0..5).map(width).collect();
        let line = |row: &[String; 5]| {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{:<width$}", crop(cell, width)));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut lines = vec![line(&head)];
        for (shown, row) in shown.iter().zip(&rows) {
            match row {
                Line::Step(row) => {
                    if self.cycle().is_some_and(|from| shown.step() == Some(&from)) {
                        lines.push("-- again and again:".into());
                    }
                    lines.push(line(row));
                }
                Line::LeftOut(steps) => {
                    lines.push(steps.to_string());
                    if let Some(from) = self.cycle().filter(|&from| steps.contains(from)) {
                        lines.push(format!("-- again and again, from step {} on:", from + 1));
                    }
                }
            }
        }
        lines.push(self.conclusion());
        lines.join("\n")
    }

    fn text_chart(&self) -> Result<String, Failure> {
        pictures::text_chart(&self.drawing().view())
    }

    fn svg(&self) -> Result<Vec<u8>, Failure> {
        pictures::svg(&self.drawing().view())
    }

    fn dot(&self) -> Result<Vec<u8>, Failure> {
        Ok(pictures::dot(&self.drawing().view()))
    }

    fn page(&self) -> Page {
        let row = |step: &Step| {
            let changes = self.changes(step).map(|(name, value)| format!("{name} = {value}"));
            vec![process(step), self.text(step).to_owned(), changes.collect::<Vec<_>>().join(", "), self.place(step)]
        };
        let drawing = self.drawing();
        Page {
            shows: self.conclusion(),
            columns: vec!["process", "statement", "changes", "line"],
            rows: self.steps().iter().map(row).collect(),
            cycle: self.cycle(),
            values: self.values(),
            lines: self.steps().iter().map(|step| vec![self.place(step)]).collect(),
            chart: Chart::of(&drawing.view(), &drawing.starts).map_err(|why| why.to_string()),
        }
    }

    fn trail(&self, text: Option<&Text>, run: &Run) -> Result<Vec<u8>, Failure> {
        let Some(text) = text else {
            let help = "leave it away, or save the run with --witness FILE";
            return Err(Failure::input("--trail", "a trail is a run of a Promela model", help));
        };
        ProgramWitness::trail(self, text, run)
    }
}

/// A cell's text in at most so many characters.
fn crop(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

fn process(step: &Step) -> String {
    step.process.map_or("never".into(), |number| number.to_string())
}
