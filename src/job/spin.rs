//! The main job: smaller processes, SPIN's answer, its counterexample lifted back and replayed on the model.

use super::certificate::CertificateForm;
use super::check::{Check, check};
use super::decision::Decision;
use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::models::Models;
use super::observer::Observer;
use super::program::ReplacePlan;
use super::question::Question;
use super::reduction::{MOST_TRIPLES, ReductionChoice};
use prequel_engine::transform::quotient::Options;
use prequel_model::run::Run;

/// Labels that an analysis may hold before SPIN is asked.
const MOST_LABELS: usize = 100_000;

/// What SPIN is asked, and what is done before.
#[derive(Clone, Debug)]
pub struct Spin {
    /// The model.
    pub models: Models,
    /// What is asked.
    pub question: Question,
    /// What is done before; nothing where SPIN runs on the model as it is.
    pub before: Option<BeforeSpin>,
    /// Whether SPIN may leave out interleavings that do not matter.
    pub reduce: bool,
    /// How a certificate is written, if one is wanted and the model is a program.
    pub certificate: Option<CertificateForm>,
    /// What is made of one witness, by the name of its option: where there are several, it is not known of which.
    pub one_witness: Option<&'static str>,
}

impl Spin {
    /// What a model states, asked after its processes became smaller.
    pub fn stated(models: impl Into<Models>) -> Self {
        let (models, question) = (models.into(), Question::Stated);
        Self {
            models,
            question,
            before: Some(BeforeSpin::default()),
            reduce: true,
            certificate: None,
            one_witness: None,
        }
    }
}

/// What is done before SPIN is asked.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BeforeSpin {
    /// Which processes are replaced, and how far that goes.
    pub reduction: ReductionChoice,
    /// Whether SPIN is asked about the model as it is, too.
    pub compare: bool,
    /// Who else is asked about a Promela model.
    pub others: Others,
}

/// Who is asked about a Promela model besides SPIN on the smaller one. The first answer counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Others {
    /// SPIN on the smaller model; on the model as it is where nothing became smaller.
    #[default]
    None,
    /// One after another: our own search for a while, smaller processes if they are had soon, SPIN.
    InTurn,
    /// SPIN on the model as it is, and beside it our own search and smaller processes.
    AtOnce,
}

impl BeforeSpin {
    /// When to stop refining: well before that takes longer than SPIN would.
    pub fn options(&self) -> Options {
        Options { labels: MOST_LABELS, effort: Some(MOST_TRIPLES), ..self.reduction.options() }
    }

    /// The same for a Promela model.
    pub fn plan(&self) -> ReplacePlan {
        let (replace, options) = (self.reduction.replace.clone(), self.options());
        ReplacePlan { replace, quotients: true, options, alone: false, quick: false }
    }
}

impl From<Spin> for Check {
    fn from(Spin { models, question, before, reduce, certificate, one_witness }: Spin) -> Self {
        Self { question, engine: EngineChoice::spin(reduce), before, certificate, one_witness, ..Check::stated(models) }
    }
}

/// Replaces processes by smaller ones, runs SPIN on the result, replays its counterexample on the model.
pub fn spin(request: Spin, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    check(&request.into(), run, observer)
}
