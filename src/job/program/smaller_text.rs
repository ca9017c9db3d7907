//! The user's text with smaller processes, whichever way they became smaller.

use super::{FoldedModel, ProgramWitness, SmallerModel};
use crate::job::failure::Failure;
use crate::job::finding::ProcessChange;
use prequel_formats::promela::Text;
use prequel_formats::promela::syntax::Model;
use prequel_program::{Program, Witness};

/// A text with smaller processes, and the way back from it.
pub enum SmallerText {
    /// By residual statements.
    Folded(FoldedModel),
    /// By quotients of components.
    Replaced(SmallerModel),
}

impl SmallerText {
    /// What became of each process.
    pub fn changes(&self) -> Vec<ProcessChange> {
        match self {
            SmallerText::Folded(folded) => folded.changes(),
            SmallerText::Replaced(replaced) => {
                let (network, together) = replaced.replaced();
                ProcessChange::all(network, &together.network, &together.replaced)
            }
        }
    }

    /// The text, for SPIN.
    pub fn model(&self) -> Text {
        match self {
            SmallerText::Folded(folded) => folded.model(),
            SmallerText::Replaced(replaced) => replaced.model(),
        }
    }

    /// The text as we read it, and the program that it means.
    pub fn emitted(&self) -> Result<(&Model, Program), Failure> {
        match self {
            SmallerText::Folded(folded) => folded.emitted(),
            SmallerText::Replaced(replaced) => replaced.emitted(),
        }
    }

    /// The run of the user's model that a run of this one stands for, replayed.
    pub fn lift(&self, emitted: &Program, witness: &Witness) -> Result<ProgramWitness, Failure> {
        match self {
            SmallerText::Folded(folded) => folded.lift(emitted, witness),
            SmallerText::Replaced(replaced) => replaced.lift(emitted, witness),
        }
    }
}
