//! What a verdict rests on, written down and checked.

use super::convert::encoded;
use super::decision::SavedCertificate;
use super::failure::Failure;
use prequel_engine::Refusal;
use prequel_evidence::Checked;
use prequel_evidence::certificate::{Bounds, Certificate, Certified, CertifiedProof, Proof, Rejected, reached};
use prequel_evidence::invariant::CircuitInvariant;
use prequel_formats::aiger;
use prequel_formats::aiger::Form;
use prequel_formats::smtlib;
use prequel_model::run::Run;
use prequel_model::{Answer, LocationSet, Problem, Query, Why};
use std::path::Path;
use std::rc::Rc;

/// How a certificate is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CertificateForm {
    /// As `prequel audit` reads it.
    Json,
    /// As proof obligations, which any SMT solver answers.
    SmtLib,
    /// As a witness circuit, for programs that check certificates of hardware.
    Aiger(Form),
}

impl CertificateForm {
    /// The form that a file has, by its extension.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("smt2") => Self::SmtLib,
            Some("aag") => Self::Aiger(Form::Ascii),
            Some("aig") => Self::Aiger(Form::Binary),
            _ => Self::Json,
        }
    }
}

/// That a run shows the verdict, so that nothing is left to a solver.
pub fn shown_by_a_run() -> Failure {
    let why = "this form is for what is not reached, and here a run shows what is: --witness FILE saves it";
    Refusal::new(why).into()
}

/// States of a smaller network that are looked at, where nothing else is said.
const MOST_STATES: usize = 20_000_000;

/// How much of a run's limits a check may use.
pub fn bounds(run: &Run) -> Bounds {
    let states = run.limits.states.map_or(MOST_STATES, |states| usize::try_from(states).unwrap_or(usize::MAX));
    let watch = run.watch();
    Bounds { states, stop: Rc::new(move || watch.allowed().is_err()) }
}

/// That a limit was reached: which, if it can still be told.
pub fn stopped(text: String, run: &Run) -> Failure {
    let why = run.allowed().err().unwrap_or(Why::Incomplete(text.clone()));
    Failure::Undecided(text, why)
}

/// The certificate of an answer, checked where it holds a proof. Where there is no answer there is none.
pub fn certificate(
    problem: &Problem,
    query: &str,
    answer: &Answer,
    form: CertificateForm,
    run: &Run,
) -> Result<Option<SavedCertificate>, Failure> {
    let (verdict, evidence) = match answer {
        Answer::True(evidence) => (true, evidence),
        Answer::False(evidence) => (false, evidence),
        Answer::Unknown(_) => return Ok(None),
    };
    let proof = CertifiedProof::of(&problem.network, evidence, run.needed());
    let certificate = Certificate::new(problem, query, verdict, proof);
    if form != CertificateForm::Json {
        return by_set(problem, query, &certificate, form, run).map(Some);
    }
    if certificate.proof_for(&problem.query) == Proof::None && !matches!(problem.query, Query::Nonblocking) {
        return Ok(Some(SavedCertificate::claim(certificate.to_json())));
    }
    match Checked::new(Certified { problem, certificate, bounds: bounds(run) }) {
        Ok(shown) => Ok(Some(SavedCertificate::proved(shown.run().certificate.to_json(), shown.verdict()))),
        Err(why) => Err(uncertified(why, run)),
    }
}

/// What a certificate leaves of the states, for programs of others. It is checked here first.
fn by_set(
    problem: &Problem,
    query: &str,
    certificate: &Certificate,
    form: CertificateForm,
    run: &Run,
) -> Result<SavedCertificate, Failure> {
    let Some(verdict) = certificate.verdict.filter(|&verdict| verdict != problem.query.witness_shows()) else {
        return Err(shown_by_a_run());
    };
    if matches!(problem.query, Query::Nonblocking) {
        return Err(uncertified(Rejected::Query(problem.query.kind()), run));
    }
    let set = reached(problem, certificate, &bounds(run)).map_err(|why| uncertified(why, run))?;
    let invariant = CertifiedProof::invariant(&problem.network, &set);
    let certificate = Certificate::new(problem, query, verdict, invariant);
    let shown =
        Checked::new(Certified { problem, certificate, bounds: bounds(run) }).map_err(|why| uncertified(why, run))?;
    let text = match form {
        CertificateForm::Aiger(form) => witness_circuit(problem, query, &set, form, run)?,
        _ => smtlib::network(problem, query, &set).expect("the question is about reaching a state"),
    };
    Ok(SavedCertificate::proved(text, shown.verdict()))
}

/// The witness circuit of a set, beside the circuit that `prequel convert` makes of the network and the question.
fn witness_circuit(
    problem: &Problem,
    query: &str,
    set: &LocationSet,
    form: Form,
    run: &Run,
) -> Result<Vec<u8>, Failure> {
    let encoded = encoded(problem)?;
    let (aig, holds) = encoded.function(&problem.network, set);
    let circuit = &encoded.circuit;
    let set = (&aig, holds);
    let stop = bounds(run).stop;
    Checked::new(CircuitInvariant { circuit, set, shows: !problem.query.witness_shows(), stop }).map_err(|why| {
        let text = format!("no certificate: in the circuit of the network {why}");
        Failure::Undecided(text.clone(), run.allowed().err().unwrap_or(Why::Incomplete(text)))
    })?;
    let mut text = Vec::new();
    aiger::witness(circuit, query, set, form, &mut text).expect("memory takes it");
    Ok(text)
}

/// Why there is no certificate.
fn uncertified(why: Rejected, run: &Run) -> Failure {
    let text = format!("no certificate: {why}");
    match why {
        Rejected::Query(_) => Refusal::new(text).into(),
        Rejected::TooLarge(most) => Failure::Undecided(text, Why::States(most as u64)),
        Rejected::Stopped => stopped(text, run),
        why => Failure::Internal(format!("the certificate does not show the verdict: {why}")),
    }
}
