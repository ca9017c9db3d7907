//! Processes that cannot be replaced in the user's text, and why.

use prequel_formats::diag::{Diagnostic, Place};
use prequel_program::Program;

/// Why a process cannot be replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// What it is about, in a few words that do not depend on the model.
    pub construct: &'static str,
    /// What is wrong.
    pub message: String,
    /// Where, if it is one statement.
    pub statement: Option<u32>,
    /// Which process.
    pub process: Option<String>,
}

impl Refusal {
    /// About a statement, if there is one to name.
    pub fn new(construct: &'static str, statement: Option<u32>, message: impl Into<String>) -> Self {
        Self { construct, message: message.into(), statement, process: None }
    }

    /// With the name of the process.
    pub fn of(self, process: &str) -> Self {
        Self { process: Some(process.into()), ..self }
    }

    /// For people.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        let place = self.statement.and_then(|number| program.statements.get(number as usize));
        let file = place.or(program.statements.first()).map_or("-", |statement| &*statement.file);
        let process = self.process.as_deref().unwrap_or("a process");
        let mut found = Diagnostic::error(file, format!("`{process}` cannot be replaced here: {}", self.message));
        if let Some(statement) = place {
            let text = statement.text.as_bytes();
            found = found.at(Place::in_line(statement.line, text, 0..text.len()));
        }
        found.help("leave this process as it is, or write the whole network as Promela")
    }
}
