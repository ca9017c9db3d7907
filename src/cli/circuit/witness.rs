//! A path of a circuit, in every form that a command shows it.

use super::question;
use crate::cli::exit::Failure;
use crate::cli::input::QueryArgs;
use crate::cli::witness::Shown;
use crate::open as model;
use crate::open::CircuitFile;
use prequel_evidence as evidence;
use prequel_formats::path;
use prequel_formats::path::{PATH, SCHEMA, Saved};
use prequel_formats::promela::Text;
use prequel_model::Circuit;
use prequel_model::run::Run;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// A path and what it shows. Built only from paths that were replayed.
pub struct CircuitWitness {
    circuit: Arc<Circuit>,
    path: Vec<Vec<bool>>,
    verdict: bool,
    conclusion: String,
}

/// Variables listed in a row before the rest is only counted.
const MOST_WORDS: usize = 12;

impl CircuitWitness {
    /// A path that was replayed.
    pub fn new(circuit: Arc<Circuit>, path: Vec<Vec<bool>>, verdict: bool, query: &str) -> Self {
        let conclusion = if verdict {
            format!("here the condition of {query} holds")
        } else {
            format!("here {query} does not hold")
        };
        Self { circuit, path, verdict, conclusion }
    }

    /// How many steps it has.
    pub fn steps(&self) -> usize {
        self.path.len() - 1
    }

    /// The words that a step changes: the name, from what, to what.
    fn changes(&self, step: usize) -> Vec<(&str, String, String)> {
        let (before, after) = (&self.path[step], &self.path[step + 1]);
        let changed = |word: &&prequel_model::Word| word.value(before) != word.value(after);
        let words = self.circuit.words.iter().filter(changed);
        words.map(|word| (&*word.name, word.shown(before), word.shown(after))).collect()
    }

    fn no_picture<T>(&self, option: &str) -> Result<T, Failure> {
        let message = "a picture shows who takes part in which action, and a circuit has no actions";
        Err(Failure::input(option, message, "leave it away: the table shows the witness in any case"))
    }
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
            verdict: self.verdict.to_string(),
            states: Some(path::states(&self.circuit, &self.path)),
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

    fn table(&self) -> String {
        let first = self.circuit.words.iter().map(|word| format!("{} {}", word.name, word.shown(&self.path[0])));
        let mut rows = vec![("#".to_owned(), "variables".to_owned()), ("0".to_owned(), few(first.collect()))];
        for step in 0..self.steps() {
            let changes = self.changes(step).into_iter().map(|(name, from, to)| format!("{name} {from}→{to}"));
            rows.push(((step + 1).to_string(), few(changes.collect())));
        }
        let width = rows.iter().map(|(number, _)| number.len()).max().unwrap_or(0);
        let lines = rows.into_iter().map(|(number, told)| format!("{number:<width$}  {told}").trim_end().to_owned());
        format!("{}\n{}", lines.collect::<Vec<_>>().join("\n"), self.conclusion)
    }

    fn text_chart(&self) -> Result<String, Failure> {
        self.no_picture("--chart")
    }

    fn svg(&self) -> Result<Vec<u8>, Failure> {
        self.no_picture("--chart")
    }

    fn dot(&self) -> Result<Vec<u8>, Failure> {
        self.no_picture("--dot")
    }

    fn trail(&self, _: Option<&Text>, _: &Run) -> Result<Vec<u8>, Failure> {
        let help = "leave it away, or save the witness with --witness FILE";
        Err(Failure::input("--trail", "a trail is a run of a Promela model, and this is a circuit", help))
    }
}

/// A path that was saved, walked again: the inner error is why it cannot be, or why its end does not show what is asked. Without a
/// query, what was asked when it was saved.
pub fn replayed(
    file: &CircuitFile,
    witness: &Path,
    query: &QueryArgs,
) -> Result<(Saved, usize, Result<CircuitWitness, String>), Failure> {
    let name = witness.display().to_string();
    let saved = path::read(&name, &model::bytes(witness)?, PATH)?;
    let before = QueryArgs::from_text(&saved.query).unwrap_or_default();
    let asked = if query.text().is_some() { query } else { &before };
    let question = question(file, asked)?;
    let path = path::path(&name, saved.states.as_deref().unwrap_or_default(), &question.circuit)?;
    let steps = path.len().saturating_sub(1);
    let checked = evidence::circuit::check(&question.circuit, &path).map_err(|why| why.to_string());
    let shown = checked.map(|()| CircuitWitness::new(question.circuit, path, question.shows, &question.text));
    Ok((saved, steps, shown))
}
