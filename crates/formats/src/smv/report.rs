//! What is wrong with a text, each thing once.

use super::syntax::Span;
use crate::diag::Diagnostic;
use crate::text::findings::Findings;
use rustc_hash::FxHashSet;

/// Collects what is wrong with a text. Expressions are looked at more than once, for the state before and after a step: what is said
/// already is not said again.
pub struct Report<'a> {
    findings: Findings<'a>,
    said: FxHashSet<(usize, String)>,
}

impl<'a> Report<'a> {
    /// For a text; `file` is what messages call it.
    pub fn new(file: &'a str, text: &'a [u8]) -> Self {
        Self { findings: Findings::new(file, text), said: FxHashSet::default() }
    }

    /// The same, now about another text.
    pub fn about(&mut self, file: &'a str, text: &'a [u8]) {
        self.findings.about(file, text);
        self.said.clear();
    }

    /// What is wrong, and what to do about it.
    pub fn error(&mut self, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        let message = message.into();
        if self.said.insert((span.start, message.clone())) {
            self.findings.error(span.clone(), message, help);
        }
    }

    /// Something found while reading words.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        self.findings.errors.push(|| diagnostic);
    }

    /// That something is there a second time.
    pub fn second(&mut self, span: &Span, what: &str, name: &str, first: &Span) {
        let line = self.findings.line(first.start);
        let help = format!("the first one is in line {line}; leave one of them away");
        self.error(span, format!("a second {what} `{name}`"), help);
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.findings.errors.is_empty()
    }

    /// Goes on only where nothing is wrong.
    pub fn none(self) -> Result<(), Vec<Diagnostic>> {
        self.findings.none().map(|_| ())
    }
}
