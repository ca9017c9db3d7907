//! Saved runs of programs in: which transition each process took, with what it is called and changes for a second look.

use crate::{Change, Program, ReplayError, Step, retrace};
use prequel_formats::diag::Diagnostic;
use serde::Deserialize;

/// What `kind` says in the file of a run.
pub const KIND: &str = "program-witness";
/// The version of the layout.
const SCHEMA: u32 = 1;

/// A saved run.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct SavedRun {
    schema: u32,
    kind: String,
    /// What was asked when it was saved.
    pub query: String,
    /// The step, counted from 1, from which on all are repeated for ever.
    #[serde(default)]
    cycle: Option<usize>,
    steps: Vec<SavedStep>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
struct SavedStep {
    process: Option<u32>,
    transition: u32,
    statement: String,
    line: String,
    changes: Vec<SavedChange>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
struct SavedChange {
    name: String,
    value: i32,
}

/// Reads the file of a run.
pub fn read(file: &str, text: &[u8]) -> Result<SavedRun, Vec<Diagnostic>> {
    let wrong = |message: String| {
        vec![Diagnostic::error(file, message).help("`prequel check MODEL.pml --witness FILE` saves a run")]
    };
    let saved: SavedRun = serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
    if saved.kind != KIND {
        return Err(wrong(format!("this is a `{}`, not a `{KIND}`", saved.kind)));
    }
    if saved.schema != SCHEMA {
        return Err(wrong(format!("schema {}, but this version reads schema {SCHEMA}", saved.schema)));
    }
    Ok(saved)
}

impl SavedRun {
    /// The steps in a program. Whether they are possible is for replay to say.
    pub fn steps(&self, program: &Program) -> Result<Vec<Step>, ReplayError> {
        let moves: Vec<(Option<u32>, u32)> = self.steps.iter().map(|step| (step.process, step.transition)).collect();
        let steps = retrace(program, &moves)?;
        for (number, (step, saved)) in steps.iter().zip(&self.steps).enumerate() {
            let statement = &program.statements[step.statement as usize];
            if *statement.text != *saved.statement || format!("{}:{}", statement.file, statement.line) != saved.line {
                return Err(ReplayError::NoStep(number));
            }
            let same = |change: &Change, saved: &SavedChange| {
                change.name(program) == saved.name && change.value == saved.value
            };
            let changes = &step.changes;
            if changes.len() != saved.changes.len() || !changes.iter().zip(&saved.changes).all(|(a, b)| same(a, b)) {
                return Err(ReplayError::Changes(number));
            }
        }
        Ok(steps)
    }

    /// The steps before those that are repeated for ever.
    pub fn cycle(&self) -> Option<usize> {
        self.cycle.map(|first| first.saturating_sub(1))
    }

    /// How many steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}
