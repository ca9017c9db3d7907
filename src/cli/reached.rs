//! What a program comes to, for people and programs: what is never done, what holds for nothing, how large states are.

use super::output::counted;
use crate::job::{NeverDone, Reached};
use prequel_formats::diag::{Diagnostic, Place};
use serde_json::{Value, json};

/// How that is told.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unreached {
    /// As a list before the answer
    List,
    /// As warnings
    Warn,
}

/// As a list.
pub fn told(reached: &Reached) -> String {
    let Reached { never, vacuous, states, bytes, depth } = reached;
    let mut lines = Vec::new();
    for (kind, missed) in never {
        lines.push(format!("never reached in {kind}:"));
        lines.extend(missed.iter().map(|NeverDone { file, line, text }| format!("  {file}:{line}  {text}")));
    }
    if never.is_empty() {
        lines.push("every statement is reached".into());
    }
    for (formula, condition) in vacuous {
        lines.push(format!("formula {formula} says nothing here: `{condition}` never holds"));
    }
    let (states, steps) = (counted(*states, "state"), counted(*depth, "step"));
    lines.push(format!("{states} of {bytes} bytes as it is written, the furthest {steps} from the start"));
    lines.join("\n")
}

/// As warnings.
pub fn warnings(reached: &Reached) -> Vec<Diagnostic> {
    let statement = |(kind, missed): &(String, Vec<NeverDone>)| {
        let warning = |NeverDone { file, line, text }: &NeverDone| {
            let place = Place { line: *line, text: text.clone(), span: 0..text.len() };
            Diagnostic::warning(file, format!("no run of {kind} does this")).at(place)
        };
        missed.iter().map(warning).collect::<Vec<_>>()
    };
    let formula = |(formula, condition): &(String, String)| {
        let help = "it holds whatever the processes do; is the condition what was meant?";
        Diagnostic::warning(format!("formula {formula}"), format!("`{condition}` never holds")).help(help)
    };
    reached.never.iter().flat_map(statement).chain(reached.vacuous.iter().map(formula)).collect()
}

/// As JSON.
pub fn json(reached: &Reached) -> Value {
    let statement =
        |NeverDone { file, line, text }: &NeverDone| json!({ "line": format!("{file}:{line}"), "statement": text });
    let kind = |(name, missed): &(String, Vec<NeverDone>)| json!({ "proctype": name, "statements": missed.iter().map(statement).collect::<Vec<_>>() });
    json!({
        "unreached": reached.never.iter().map(kind).collect::<Vec<_>>(),
        "vacuous": reached.vacuous.iter().map(|(name, condition)| json!({ "formula": name, "condition": condition })).collect::<Vec<_>>(),
        "states": reached.states,
        "state_bytes": reached.bytes,
        "depth": reached.depth,
    })
}
