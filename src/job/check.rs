//! Decides a question, whatever the model is, and replays the witness.

use super::certificate::CertificateForm;
use super::circuit;
use super::decision::{Decision, SavedCertificate};
use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::finding::Finding;
use super::models::Models;
use super::net;
use super::net::NetQuestion;
use super::network::NetworkQuestion;
use super::observer::Observer;
use super::program;
use super::question::Question;
use super::spin::BeforeSpin;
use super::temporal;
use crate::open::{CircuitFile, NetFile};
use prequel_evidence::Verdict;
use prequel_formats::formula::Formula;
use prequel_model::run::Run;
use std::sync::Arc;

/// What is asked of which model, and of whom.
#[derive(Clone, Debug)]
pub struct Check {
    /// The model.
    pub models: Models,
    /// What is asked.
    pub question: Question,
    /// Who is asked.
    pub engine: EngineChoice,
    /// Whether a program or net is put into components first, also where the engine could run it as it is.
    pub as_network: bool,
    /// How what the verdict rests on is to be written down, if it is.
    pub certificate: Option<CertificateForm>,
    /// What is done before SPIN is asked.
    pub before: Option<BeforeSpin>,
    /// What is made of one witness, by the name of its option: where there are several, it is not known of which.
    pub one_witness: Option<&'static str>,
    /// Whether all that a program comes to is looked at too: what is never done, and what never happens.
    pub reached: bool,
}

impl Check {
    /// What a model states, asked of the first engine that takes it.
    pub fn stated(models: impl Into<Models>) -> Self {
        Self {
            models: models.into(),
            question: Question::Stated,
            engine: EngineChoice::default(),
            as_network: false,
            certificate: None,
            before: None,
            one_witness: None,
            reached: false,
        }
    }

    /// A question, asked of the first engine that takes it.
    pub fn of(models: impl Into<Models>, question: Question) -> Self {
        Self { question, ..Self::stated(models) }
    }

    pub(super) fn of_network(&self, starts: bool) -> NetworkQuestion<'_> {
        let Self { models, question, engine, certificate, before, .. } = self;
        NetworkQuestion { models, question, engine, before: before.as_ref(), certificate: *certificate, starts }
    }
}

/// Reads the model and decides the question; no verdict that needs a witness is given before the witness was replayed.
pub fn check(request: &Check, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    let Check { models, question, engine, .. } = request;
    // Of a model that only SPIN reads it can only be asked what it states by itself.
    let by_itself = question.is_stated() && models.reading.claims.is_none();
    let (subject, question) = match models.asked(question, run, observer) {
        Err(Failure::Input(errors)) if engine.name == "spin" && by_itself => {
            let Some(text) = models.promela_text() else { return Err(errors.into()) };
            return program::unread(&text, errors, run, observer).map(Decision::bare);
        }
        read => read?,
    };
    let reached = if request.reached { subject.reached(&run.first_of(2)).map(Some) } else { Ok(None) };
    let reached = match reached {
        Err(Failure::Undecided(why, _)) => {
            observer.note(&format!("what is never reached is not known: {why}"));
            None
        }
        reached => reached?,
    };
    let mut decision = subject.check(&Check { question, ..request.clone() }, run, observer)?;
    decision.finding.reached = reached;
    Ok(decision)
}

pub(super) fn check_circuit(
    request: &Check,
    file: &CircuitFile,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let question = circuit::question(file, &request.question)?;
    let answer = circuit::answer(&question, &request.engine, run, observer)?;
    let certificate = match request.certificate {
        Some(form) => circuit::certificate(&question, &answer, form, run)?,
        None => None,
    };
    let mut finding = answer.finding;
    if let Some(shown) = certificate.as_ref().and_then(SavedCertificate::verdict) {
        finding.verdict = shown.clone();
    }
    Ok(Decision { certificate, ..Decision::new(finding, answer.shown) })
}

pub(super) fn check_net(
    request: &Check,
    file: &Arc<NetFile>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let Check { models, question, engine, as_network, .. } = request;
    if let Question::Temporal(text) = question {
        return temporal::of_net(request, text, file, run, observer);
    }
    let asked = NetQuestion { file, question, reading: &models.reading, engine, as_network: *as_network };
    match net::formulas(file, question)?.as_slice() {
        [] => net::answer(&asked, run, observer),
        [one] => net::decide_formula(&asked, one, run, observer),
        many => check_formulas(request, &asked, many, run, observer),
    }
}

/// Decides several formulas one after the other: true where all are.
fn check_formulas(
    request: &Check,
    asked: &NetQuestion<'_>,
    many: &[&Formula],
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    if let Some(option) = request.one_witness {
        let help = "choose one with --formula NAME";
        return Err(Failure::input(option, "there are several formulas, and this is for one witness", help));
    }
    let mut parts: Vec<Decision> = Vec::new();
    for formula in many {
        let own = run.again();
        let decision = net::decide_formula(asked, formula, &own, observer)?;
        run.add(&decision.finding.effort);
        observer.answered(&decision.finding);
        parts.push(decision);
    }
    let all = Verdict::all(parts.iter().map(|part| &part.finding.verdict));
    let query = format!("all {} formulas", many.len());
    Ok(Decision { parts, ..Decision::bare(Finding::new("otf", all, query, run.effort(), 1)) })
}
