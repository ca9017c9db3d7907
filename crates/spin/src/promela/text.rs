//! Promela line by line, with what each line stands for.

use prequel_model::{ComponentId, LabelId, Move, Step};
use std::fmt::{self, Write as _};

/// What a line does in the network, when its statement is executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Begins a step with these moves; further ones may follow.
    Begins(Step),
    /// One more move of the step that has begun.
    Joins(Move),
    /// A whole step of these components on a label that leaves each of them only one way to go.
    Whole(LabelId, Vec<ComponentId>),
}

/// A text under construction.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub text: String,
    line: usize,
    /// By line, counted from 1.
    pub meanings: Vec<(usize, Meaning)>,
}

impl Text {
    /// Adds a line.
    pub fn line(&mut self, line: impl fmt::Display) {
        self.line += 1;
        let _ = writeln!(self.text, "{line}");
    }

    /// Adds a line that does something.
    pub fn doing(&mut self, meaning: Meaning, line: impl fmt::Display) {
        self.line(line);
        self.meanings.push((self.line, meaning));
    }
}
