//! A model that is run one chosen step after the other: by chance, by hand, or along a saved run.

mod network;
mod petri;
mod program;
mod stepped;

pub use network::simulate as network;
pub use petri::simulate as net;
pub use program::simulate as program;

use super::failure::Failure;
use super::models::Models;
use super::observer::Observer;
use prequel_formats::diag::Diagnostic;
use prequel_model::run::Run;
use std::path::PathBuf;

/// What is run, and along what.
#[derive(Clone, Debug)]
pub struct Simulate {
    /// The model.
    pub models: Models,
    /// A run to follow.
    pub guide: Option<Guide>,
}

/// A run to follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guide {
    /// A witness of ours.
    Witness(PathBuf),
    /// A trail of SPIN's.
    Trail(PathBuf),
}

/// A step that may be taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Offered {
    /// By whom.
    pub who: String,
    /// What is done.
    pub what: String,
    /// The `file:line` where it stands, if that is known.
    pub place: String,
}

/// A step that was taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// Who did what.
    pub offered: Offered,
    /// Its number, counted from 0.
    pub process: Option<u32>,
    /// Messages that were sent or received in it.
    pub message: String,
    /// What has another value now.
    pub changes: String,
    /// What went wrong.
    pub fault: Option<String>,
}

/// A run that goes on as somebody says.
pub trait Simulation {
    /// What may be done next, always in the same order.
    fn offered(&self) -> Vec<Offered>;

    /// Takes the step of this place among those that are offered.
    fn take(&mut self, choice: usize) -> Taken;

    /// Undoes the last step; tells whether there was one.
    fn back(&mut self) -> bool;

    /// Steps taken so far.
    fn steps(&self) -> usize;

    /// The place, among the steps that are offered, of the next one of the run to follow. There is none where another step was taken
    /// before, or the run is at its end.
    fn guided(&self) -> Option<usize>;

    /// How many steps the run to follow has.
    fn guide(&self) -> usize;

    /// What has a value now.
    fn values(&self) -> Vec<(String, String)>;

    /// Where everybody is, a line each.
    fn places(&self) -> Vec<String>;

    /// Reads an expression over the model; gives its number.
    fn watch(&mut self, text: &str) -> Result<usize, Vec<Diagnostic>>;

    /// The value of such an expression now.
    fn watched(&self, number: usize) -> String;

    /// Why there is nothing that may be done, in lines.
    fn end(&self) -> Vec<String>;
}

/// Reads a model, and gives somebody a run of it that has not begun.
pub fn simulate(
    request: &Simulate,
    run: &Run,
    observer: &dyn Observer,
    with: &mut dyn FnMut(&mut dyn Simulation) -> Result<(), Failure>,
) -> Result<(), Failure> {
    request.models.subject(run, observer)?.simulate(request, run, observer, with)
}

/// A trail is followed by programs only.
fn no_trail(path: &std::path::Path) -> Failure {
    let help = "give a witness that `prequel check --witness FILE` saved, with --witness FILE";
    Failure::input(path.display().to_string(), "a trail is a run of a Promela model, and this is none", help)
}
