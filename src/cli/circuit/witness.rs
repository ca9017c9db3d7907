//! A path of a circuit, in every form that a command shows it.

use crate::cli::witness::Shown;
use crate::job::Failure;
use crate::job::circuit::CircuitWitness;
use prequel_formats::path;
use prequel_formats::path::{PATH, SCHEMA, Saved};
use prequel_formats::picture::extent::{Extent, Line};
use prequel_formats::picture::page::{Page, Values};
use prequel_formats::promela::Text;
use prequel_model::run::Run;
use serde_json::{Value, json};

/// Variables listed in a row before the rest is only counted.
const MOST_WORDS: usize = 12;

fn no_picture<T>(option: &str) -> Result<T, Failure> {
    let message = "a picture shows who takes part in which action, and a circuit has no actions";
    Err(Failure::input(option, message, "leave it away: the table shows the witness in any case"))
}

/// The first few, and how many more there are.
fn few(texts: Vec<String>) -> String {
    let more = texts.len().saturating_sub(MOST_WORDS);
    let tail = if more > 0 { format!(" … {more} more") } else { String::new() };
    format!("{}{tail}", texts.into_iter().take(MOST_WORDS).collect::<Vec<_>>().join(", "))
}

impl Shown for CircuitWitness {
    fn saved(&self, query: &str) -> Vec<u8> {
        let saved = Saved {
            schema: SCHEMA,
            kind: PATH.into(),
            query: query.into(),
            verdict: self.verdict().word().into(),
            states: Some(path::states(self.circuit(), self.path())),
            invariant: None,
        };
        let mut text = serde_json::to_vec_pretty(&saved).expect("plain data prints");
        text.push(b'\n');
        text
    }

    fn steps_json(&self) -> Value {
        let step = |at: usize| {
            let changes = self.changes(at).into_iter();
            let changes = changes.map(|(name, from, to)| json!({ "variable": name, "from": from, "to": to }));
            json!({ "changes": changes.collect::<Vec<_>>() })
        };
        (0..self.steps()).map(step).collect()
    }

    fn table(&self, extent: Extent) -> String {
        let first = self.circuit().words.iter().map(|word| format!("{} {}", word.name, word.shown(&self.path()[0])));
        let width = self.steps().to_string().len();
        let line = |number: &str, told: String| format!("{number:<width$}  {told}").trim_end().to_owned();
        let row = |at: usize| {
            let changes = self.changes(at).into_iter().map(|(name, from, to)| format!("{name} {from}→{to}"));
            line(&(at + 1).to_string(), few(changes.collect()))
        };
        let mut lines = vec![line("#", "variables".into()), line("0", few(first.collect()))];
        let states = |step: usize| &self.path()[step..step + 2];
        let shown = extent.lines(self.steps(), |one, other| states(one) == states(other));
        lines.extend(shown.into_iter().map(|step| match step.map(row) {
            Line::Step(row) => row,
            Line::LeftOut(steps) => steps.to_string(),
        }));
        format!("{}\n{}", lines.join("\n"), self.conclusion())
    }

    fn text_chart(&self, _: bool) -> Result<String, Failure> {
        no_picture("--chart")
    }

    fn svg(&self, _: bool) -> Result<Vec<u8>, Failure> {
        no_picture("--chart")
    }

    fn dot(&self) -> Result<Vec<u8>, Failure> {
        no_picture("--dot")
    }

    fn page(&self, _: bool) -> Page {
        let words = &self.circuit().words;
        let number = |name: &str| words.iter().position(|word| *word.name == *name);
        let told = |(name, _, to): (&str, String, String)| Some((number(name)?, Some(to)));
        let row = |at: usize| {
            let changes = self.changes(at).into_iter().map(|(name, from, to)| format!("{name} {from}→{to}"));
            vec![changes.collect::<Vec<_>>().join(", ")]
        };
        Page {
            shows: self.conclusion().to_owned(),
            columns: vec!["variables"],
            rows: (0..self.steps()).map(row).collect(),
            cycle: None,
            values: Values {
                names: words.iter().map(|word| word.name.to_string()).collect(),
                first: words.iter().map(|word| Some(word.shown(&self.path()[0]))).collect(),
                changes: (0..self.steps()).map(|at| self.changes(at).into_iter().filter_map(told).collect()).collect(),
            },
            lines: Vec::new(),
            chart: Err("there is no chart: a circuit has no actions".into()),
        }
    }

    fn trail(&self, _: Option<&Text>, _: &Run) -> Result<Vec<u8>, Failure> {
        let help = "leave it away, or save the witness with --witness FILE";
        Err(Failure::input("--trail", "a trail is a run of a Promela model, and this is a circuit", help))
    }
}
