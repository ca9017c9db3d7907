//! Saved firing sequences of Petri nets in: by names, so that a sequence survives another order in the file.

use super::suggest;
use crate::diag::Diagnostic;
use crate::model::{Net, TransitionId};
use serde::Deserialize;

/// What `kind` says in the file of a firing sequence.
pub const KIND: &str = "net-witness";
/// The version of the layout.
pub const SCHEMA: u32 = 1;

/// A saved firing sequence.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct SavedFiring {
    schema: u32,
    kind: String,
    /// What was asked when it was saved.
    pub query: String,
    steps: Vec<SavedStep>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
struct SavedStep {
    transition: String,
}

/// Reads the file of a firing sequence; whether it can be fired is for replay to say.
pub fn read(file: &str, text: &[u8], net: &Net) -> Result<(SavedFiring, Vec<TransitionId>), Vec<Diagnostic>> {
    const HELP: &str = "`prequel check NET.pnml --witness FILE` saves a firing sequence";
    let wrong = |message: String, help: String| vec![Diagnostic::error(file, message).help(help)];
    let saved: SavedFiring = serde_json::from_slice(text).map_err(|error| wrong(error.to_string(), HELP.into()))?;
    if saved.kind != KIND {
        return Err(wrong(format!("this is a `{}`, not a `{KIND}`", saved.kind), HELP.into()));
    }
    if saved.schema != SCHEMA {
        let message = format!("schema {}, but this version reads schema {SCHEMA}", saved.schema);
        return Err(wrong(message, HELP.into()));
    }
    let index: rustc_hash::FxHashMap<&str, TransitionId> = net.transitions().map(|t| (net.transition(t), t)).collect();
    let sequence = saved.steps.iter().enumerate().map(|(at, step)| {
        index.get(step.transition.as_str()).copied().ok_or_else(|| {
            let help = suggest::help(&step.transition, "transitions", net.transitions().map(|t| net.transition(t)));
            wrong(format!("step {}: the net has no transition `{}`", at + 1, step.transition), help)
        })
    });
    let sequence = sequence.collect::<Result<_, _>>()?;
    Ok((saved, sequence))
}
