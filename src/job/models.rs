//! Which model files, and how they are read.

use super::failure::Failure;
use super::observer::Observer;
use super::question::Question;
use super::subject::Subject;
use crate::open;
use crate::open::{CircuitFile, Claims, Format, Model};
use prequel_engine::Refusal;
use prequel_formats::diag::{Diagnostic, Read};
use prequel_formats::promela::Text;
use prequel_formats::{aut, marking};
use prequel_model::run::{Run, Watch};
use std::path::PathBuf;

/// Files that are one model, and how to read them.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// The files; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// How to read them.
    pub reading: Reading,
}

/// How to read files.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The format, where the extension does not tell.
    pub from: Option<Format>,
    /// What is open to choice in `.aut`.
    pub dialect: aut::Dialect,
    /// Macros that are defined before a Promela model is read.
    pub defines: Vec<(String, String)>,
    /// Whether a Promela program is searched as it is written, and not in its optimised form.
    pub as_written: bool,
    /// Which claims and formulas of a Promela model are looked at; all, if nothing is said.
    pub claims: Option<Claims>,
    /// Whether only those runs of a Promela model without an end count that are fair to every process.
    pub fair: bool,
    /// What marks a state.
    pub marking: Option<String>,
    /// Whether C that is embedded in a Promela model may be compiled and run by SPIN.
    pub allow_c: bool,
}

impl From<PathBuf> for Models {
    fn from(path: PathBuf) -> Self {
        Self { paths: vec![path], ..Self::default() }
    }
}

impl Models {
    /// Reads the models, and tells what is asked of them: a formula of the command line is a question where a model has none of its own.
    pub fn asked(
        &self,
        question: &Question,
        run: &Run,
        observer: &dyn Observer,
    ) -> Result<(Box<dyn Subject>, Question), Failure> {
        let (model, warnings) = self.reading.model(&self.paths, run)?;
        let text = match &self.reading.claims {
            Some(Claims::Named(text) | Claims::Formula(text)) if model.takes_formulas() => text.clone(),
            _ => return Ok((self.reading.checked((model, warnings), observer)?, question.clone())),
        };
        if !question.is_stated() {
            let help = "ask one after the other";
            return Err(Failure::input("--ltl", "a formula is a question of its own, and there is another", help));
        }
        let reading = Reading { claims: None, ..self.reading.clone() };
        Ok((reading.checked((model, warnings), observer)?, Question::Temporal(text)))
    }

    /// Reads the models, whatever they are.
    pub fn subject(&self, run: &Run, observer: &dyn Observer) -> Result<Box<dyn Subject>, Failure> {
        self.reading.subject(&self.paths, run, observer)
    }

    /// The models as the user wrote them.
    pub fn names(&self) -> Vec<String> {
        self.paths.iter().map(|path| path.display().to_string()).collect()
    }

    /// The text of a Promela model that could not be read.
    pub fn promela_text(&self) -> Option<Text> {
        open::promela_text(&self.paths, &self.reading.options(Watch::default()))
    }
}

impl Reading {
    /// The label whose loops mark states.
    pub fn marking(&self) -> &str {
        self.marking.as_deref().unwrap_or(marking::OMEGA)
    }

    fn options(&self, watch: Watch) -> open::Options {
        let Reading { from, dialect, defines, as_written, claims, marking, allow_c, fair: _ } = self.clone();
        let claims = claims.unwrap_or_default();
        open::Options { from, dialect, defines, as_written, claims, marking, allow_c, watch }
    }

    /// Reads files as one model, whatever it is.
    pub fn subject(&self, paths: &[PathBuf], run: &Run, observer: &dyn Observer) -> Result<Box<dyn Subject>, Failure> {
        self.checked(self.model(paths, run)?, observer)
    }

    fn model(&self, paths: &[PathBuf], run: &Run) -> Read<Model> {
        open::read(paths, &self.options(run.watch()))
    }

    /// A model, where all options are about something that it has.
    fn checked(
        &self,
        (model, warnings): (Model, Vec<Diagnostic>),
        observer: &dyn Observer,
    ) -> Result<Box<dyn Subject>, Failure> {
        observer.warn(&warnings);
        if self.claims.is_some() && !model.is_program() {
            let help = match model.takes_formulas() {
                true => "leave it away: this model states none; `prequel check` decides one that is given",
                false => "leave it away: this model states none",
            };
            return Err(Failure::input("--ltl", "only Promela and DVE models have ltl formulas and claims", help));
        }
        if self.fair && !model.is_promela() {
            let help = "leave it away: it is about the runs of processes without an end";
            return Err(Failure::input("--fair", "only runs of a Promela model are fair or not", help));
        }
        Ok(model.into())
    }
}

/// Why a job for networks does nothing with a circuit.
pub fn no_network(file: &CircuitFile) -> Failure {
    let why =
        format!("{}: a circuit is no network: `check` answers questions about it, `convert` writes it", file.name);
    Refusal::new(why).into()
}
