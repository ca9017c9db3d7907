//! All errors of an input, within reason: each carries its source line, and a hostile input has any number of them.

use crate::diag::Diagnostic;

/// Errors reported before the rest is only counted.
pub const MOST_ERRORS: usize = 20;

/// Errors up to a number, the rest counted.
#[derive(Default)]
pub struct Errors {
    list: Vec<Diagnostic>,
    more: usize,
}

impl Errors {
    /// Keeps an error; it is not even built where there are too many.
    pub fn push(&mut self, error: impl FnOnce() -> Diagnostic) {
        if self.list.len() < MOST_ERRORS { self.list.push(error()) } else { self.more += 1 }
    }

    /// Whether there is none so far.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Goes on only where there is no error.
    pub fn none(mut self, file: &str) -> Result<(), Vec<Diagnostic>> {
        if self.more > 0 {
            self.list.push(Diagnostic::error(file, format!("and {} more errors like these", self.more)));
        }
        if self.list.is_empty() { Ok(()) } else { Err(self.list) }
    }
}
