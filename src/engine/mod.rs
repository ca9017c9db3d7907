//! Engines: ways to answer a problem. One file or folder each, and the one list of them.

pub mod otf;
pub mod run;

use crate::model::{Answer, Problem};
use run::Run;

/// Why an engine does not take a problem, in one sentence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

impl Refusal {
    /// Says why.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// A way to answer problems.
pub trait Engine {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn about(&self) -> &'static str;

    /// Whether it takes this problem; an engine never answers another question than the one asked.
    fn accepts(&self, problem: &Problem) -> Result<(), Refusal>;

    /// Answers. The problem is one that it accepts.
    fn solve(&self, problem: &Problem, run: &Run) -> Answer;
}
