//! A path of a circuit that shows something.

use super::question;
use crate::job::failure::Failure;
use crate::job::question::Question;
use crate::open as model;
use crate::open::CircuitFile;
use prequel_evidence::circuit::CircuitPath;
use prequel_evidence::{Checked, Verdict};
use prequel_formats::path;
use prequel_formats::path::{PATH, Saved};
use prequel_model::{Circuit, Word};
use std::path::Path;

/// A path and what it shows.
#[derive(Debug)]
pub struct CircuitWitness {
    run: Checked<CircuitPath>,
    conclusion: String,
}

impl CircuitWitness {
    /// A path that was replayed.
    pub(super) fn new(run: Checked<CircuitPath>, query: &str) -> Self {
        let conclusion = if run.run().shows {
            format!("here the condition of {query} holds")
        } else {
            format!("here {query} does not hold")
        };
        Self { run, conclusion }
    }

    /// Of which circuit.
    pub fn circuit(&self) -> &Circuit {
        &self.run.run().circuit
    }

    /// The values of all bits, state by state.
    pub fn path(&self) -> &[Vec<bool>] {
        &self.run.run().states
    }

    /// The verdict that it shows.
    pub fn verdict(&self) -> Verdict {
        self.run.verdict()
    }

    /// What is so at its end, in one line.
    pub fn conclusion(&self) -> &str {
        &self.conclusion
    }

    /// How many steps it has.
    pub fn steps(&self) -> usize {
        self.path().len() - 1
    }

    /// The words that a step changes: the name, from what, to what.
    pub fn changes(&self, step: usize) -> Vec<(&str, String, String)> {
        let (before, after) = (&self.path()[step], &self.path()[step + 1]);
        let changed = |word: &&Word| word.value(before) != word.value(after);
        let words = self.circuit().words.iter().filter(changed);
        words.map(|word| (&*word.name, word.shown(before), word.shown(after))).collect()
    }
}

/// A path that was saved, walked again: the inner error is why it cannot be, or why its end does not show what is asked. Without a
/// query, what was asked when it was saved.
pub fn replayed(
    file: &CircuitFile,
    witness: &Path,
    asked: &Question,
) -> Result<(Saved, usize, Result<CircuitWitness, String>), Failure> {
    let name = witness.display().to_string();
    let saved = path::read(&name, &model::bytes(witness)?, PATH)?;
    let before = Question::from_text(&saved.query).unwrap_or_default();
    let asked = if asked.is_stated() { &before } else { asked };
    let question = question(file, asked)?;
    let path = path::path(&name, saved.states.as_deref().unwrap_or_default(), &question.circuit)?;
    let steps = path.len().saturating_sub(1);
    let checked = Checked::new(question.path(path)).map_err(|why| why.to_string());
    Ok((saved, steps, checked.map(|run| CircuitWitness::new(run, &question.text))))
}
