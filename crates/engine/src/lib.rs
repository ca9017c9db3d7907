#![doc = include_str!("../README.md")]

pub mod algo;
pub mod conflict;
pub mod des;
pub mod icc;
pub mod lazy;
pub mod learn;
pub mod minimise;
pub mod option;
pub mod otf;
pub mod petri;
pub mod quotient;
mod race;
mod safety;
pub mod symbolic;
pub mod transform;
mod weave;

pub use option::EngineOption;
use prequel_model::run::Run;
use prequel_model::{Answer, Problem};
use symbolic::Symbolic;

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

/// What is known of the program behind an external engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct External {
    /// Its version; none where it is not installed.
    pub version: Option<String>,
}

/// A way to answer problems.
pub trait Engine {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn about(&self) -> &'static str;

    /// The kinds of query that it decides, as [`prequel_model::Query::kind`] names them.
    fn queries(&self) -> &'static [&'static str];

    /// Whether it takes this problem; an engine never answers another question than the one asked.
    fn accepts(&self, problem: &Problem) -> Result<(), Refusal> {
        self.decides(problem)
    }

    /// Whether the query is of a kind that it decides.
    fn decides(&self, problem: &Problem) -> Result<(), Refusal> {
        let kind = problem.query.kind();
        if self.queries().contains(&kind) {
            return Ok(());
        }
        Err(Refusal::new(format!("{} decides {}, not {kind}", self.name(), self.queries().join(", "))))
    }

    /// What can be switched.
    fn options(&self) -> Vec<EngineOption> {
        Vec::new()
    }

    /// Sets one of its options; says what is wrong with the value, if anything.
    fn set(&mut self, name: &str, _value: &str) -> Result<(), String> {
        Err(format!("there is no option `{name}`"))
    }

    /// The program of others that it runs, if it is not ours. `auto` never chooses such an engine.
    fn external(&self) -> Option<External> {
        None
    }

    /// Whether it looks at states one by one, so that their number says how much work it was.
    fn counts_states(&self) -> bool {
        true
    }

    /// The engine for circuits that it is, if it is one: those take a circuit as it is.
    fn symbolic(&self) -> Option<Symbolic> {
        None
    }

    /// Answers. The problem is one that it accepts.
    fn solve(&self, problem: &Problem, run: &Run) -> Answer;
}
