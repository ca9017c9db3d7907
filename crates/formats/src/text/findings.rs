//! What is found wrong or odd in a text, with its place.

use super::errors::Errors;
use super::suggest;
use crate::diag::{Diagnostic, Place, Span};

/// Warnings beyond this many are left out.
const MOST_WARNINGS: usize = 10;

/// What is found wrong or odd in a text.
pub struct Findings<'a> {
    /// What messages call the text.
    pub file: &'a str,
    /// The text.
    pub text: &'a [u8],
    /// What is wrong.
    pub errors: Errors,
    /// What is odd.
    pub warnings: Vec<Diagnostic>,
}

impl<'a> Findings<'a> {
    /// Nothing so far.
    pub fn new(file: &'a str, text: &'a [u8]) -> Self {
        Self { file, text, errors: Errors::default(), warnings: Vec::new() }
    }

    /// What follows is about another text.
    pub fn about(&mut self, file: &'a str, text: &'a [u8]) {
        (self.file, self.text) = (file, text);
    }

    /// The line of a byte, counted from 1.
    pub fn line(&self, at: usize) -> usize {
        Place::in_text(self.text, at..at).line
    }

    /// An error at a place of the text.
    pub fn error(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        let (file, text) = (self.file, self.text);
        self.errors.push(|| Diagnostic::error(file, message).at(Place::in_text(text, span)).help(help));
    }

    /// A warning at a place of the text.
    pub fn warn(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        if self.warnings.len() < MOST_WARNINGS {
            let place = Place::in_text(self.text, span);
            self.warnings.push(Diagnostic::warning(self.file, message).at(place).help(help));
        }
    }

    /// A name that nothing has. `plural` says what could have it.
    pub fn unknown<'n>(
        &mut self,
        span: Span,
        (what, plural): (&str, &str),
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) {
        let help = suggest::help(name, plural, known);
        self.error(span, format!("there is no {what} `{name}`"), help);
    }

    /// Goes on only where nothing is wrong, with what is odd.
    pub fn none(self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        self.errors.none(self.file)?;
        Ok(self.warnings)
    }
}
