//! A run of a program, in every form that a command shows it.

use crate::cli::columns::Columns;
use crate::cli::witness::{Shown, pictures};
use crate::job::Failure;
use crate::job::program::{ProgramWitness, SAVED_RUN, Shows, Step, Told};
use prequel_formats::picture::extent::{Extent, Line};
use prequel_formats::picture::page::{Chart, Page};
use prequel_formats::promela::Text;
use prequel_model::run::Run;
use serde_json::{Value, json};
use std::collections::HashSet;

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
        let step = |(step, told): (&Step, Option<Told>)| {
            let changes =
                self.changes(step).map(|(name, value, text)| json!({ "name": name, "value": value, "text": text }));
            let told = told.expect("all steps are told");
            json!({
                "process": step.process,
                "process_name": told.who,
                "transition": step.transition,
                "statement": self.text(step),
                "line": self.place(step),
                "message": (!told.messages.is_empty()).then(|| told.passed()),
                "changes": changes.collect::<Vec<_>>(),
            })
        };
        self.steps().iter().zip(self.told(|_| true)).map(step).collect()
    }

    fn repeated_from(&self) -> Option<usize> {
        self.cycle().map(|from| from + 1)
    }

    fn table(&self, extent: Extent) -> String {
        let steps = self.steps();
        let what = |at: usize| (steps[at].process, steps[at].statement);
        let shown = extent.lines(steps.len(), |one, other| what(one) == what(other));
        let wanted: HashSet<usize> = shown.iter().filter_map(Line::step).copied().collect();
        let told = self.told(|at| wanted.contains(&at));
        let row = |at: usize| {
            let told = told[at].as_ref().expect("it is wanted");
            [
                (at + 1).to_string(),
                told.who.clone(),
                self.text(&steps[at]).to_owned(),
                told.passed(),
                told.changed(),
                self.place(&steps[at]),
            ]
        };
        let rows: Vec<Line<[String; 6]>> = shown.iter().cloned().map(|line| line.map(row)).collect();
        let head = ["#", "process", "statement", "message", "changes", "line"];
        let columns = Columns::new(&head, rows.iter().filter_map(Line::step).map(|row| row.as_slice()));
        let mut lines = vec![columns.line(&head)];
        for (shown, row) in shown.iter().zip(&rows) {
            match row {
                Line::Step(row) => {
                    if self.cycle().is_some_and(|from| shown.step() == Some(&from)) {
                        lines.push("-- again and again:".into());
                    }
                    lines.push(columns.line(row));
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
        lines.extend(self.waiting().iter().map(|waiting| format!("  {}", waiting.words())));
        lines.join("\n")
    }

    fn text_chart(&self, channels: bool) -> Result<String, Failure> {
        pictures::text_chart(&self.drawing(channels).view())
    }

    fn svg(&self, channels: bool) -> Result<Vec<u8>, Failure> {
        pictures::svg(&self.drawing(channels).view())
    }

    fn dot(&self) -> Result<Vec<u8>, Failure> {
        Ok(pictures::dot(&self.drawing(true).view()))
    }

    fn page(&self, channels: bool) -> Page {
        let row = |(step, told): (&Step, Option<Told>)| {
            let told = told.expect("all steps are told");
            vec![told.who.clone(), self.text(step).to_owned(), told.passed(), told.changed(), self.place(step)]
        };
        let drawing = self.drawing(channels);
        let waiting = self.waiting().into_iter().map(|waiting| waiting.words());
        Page {
            shows: [self.conclusion()].into_iter().chain(waiting).collect::<Vec<_>>().join(".\n"),
            columns: vec!["process", "statement", "message", "changes", "line"],
            rows: self.steps().iter().zip(self.told(|_| true)).map(row).collect(),
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
