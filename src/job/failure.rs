//! Why there is no answer.

use prequel_engine::Refusal;
use prequel_formats::diag::{Diagnostic, Severity};
use prequel_model::Why;
use std::fmt;

/// Why a job could not be done.
#[derive(Clone, Debug)]
pub enum Failure {
    /// What is wrong with the input.
    Input(Vec<Diagnostic>),
    /// An engine does not take the problem.
    Refused(Refusal),
    /// A limit was reached before the work was done: what is said of it, and which.
    Undecided(String, Why),
    /// A program cannot be put into components, for these reasons.
    Unsuitable(Vec<Diagnostic>),
    /// Evidence was rejected by its own check, or something else that must not happen.
    Internal(String),
}

impl Failure {
    /// A failure with one message about one file or option.
    pub fn input(file: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Failure::Input(vec![Diagnostic::error(file, message).help(help)])
    }

    /// The kind of reason in one word, for machines.
    pub fn reason_kind(&self) -> &'static str {
        match self {
            Failure::Input(_) => "input",
            Failure::Refused(_) | Failure::Unsuitable(_) => "refused",
            Failure::Undecided(_, why) => why.kind(),
            Failure::Internal(_) => "internal",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(diagnostics) => {
                for d in diagnostics {
                    writeln!(f, "{}\n", d.render())?;
                }
                let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
                write!(f, "{errors} error{}; nothing was written", if errors == 1 { "" } else { "s" })
            }
            Failure::Unsuitable(diagnostics) => {
                for d in diagnostics {
                    writeln!(f, "{}\n", d.render())?;
                }
                write!(f, "refused: this command needs a network, and the program cannot be split into components")
            }
            Failure::Undecided(text, _) => write!(f, "undecided: {text}"),
            Failure::Refused(why) => write!(f, "refused: {why}"),
            Failure::Internal(what) => write!(f, "internal error: {what}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Failure::Input(diagnostics)
    }
}

impl From<Why> for Failure {
    fn from(why: Why) -> Self {
        Failure::Undecided(why.to_string(), why)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}
