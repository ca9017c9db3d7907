//! Certificates of circuits: an invariant that is checked by a SAT solver, or a path that is walked.

use super::{CircuitAnswer, CircuitQuestion, question};
use crate::job::certificate::{CertificateForm, shown_by_a_run};
use crate::job::decision::SavedCertificate;
use crate::job::failure::Failure;
use crate::job::question::Question;
use crate::open as model;
use crate::open::CircuitFile;
use prequel_evidence::invariant::Rejected;
use prequel_evidence::{Checked, Proof};
use prequel_formats::aiger;
use prequel_formats::aiger::Form;
use prequel_formats::path;
use prequel_formats::path::{CERTIFICATE, SCHEMA, Saved};
use prequel_formats::smtlib;
use prequel_model::run::Run;
use prequel_model::{Aig, Lit, Why};
use std::path::Path;

/// The certificate of an answer, checked; none where there is no answer.
pub fn certificate(
    question: &CircuitQuestion,
    answer: &CircuitAnswer,
    form: CertificateForm,
    run: &Run,
) -> Result<Option<SavedCertificate>, Failure> {
    let circuit = &question.circuit;
    if form != CertificateForm::Json && answer.shown.is_some() {
        return Err(shown_by_a_run());
    }
    let (shown, states, invariant) = match (&answer.shown, &answer.invariant) {
        (Some(shown), _) => (shown.verdict(), Some(path::states(circuit, shown.path())), None),
        (None, Some(invariant)) => {
            let set = (&invariant.aig, invariant.holds);
            let checked = Checked::new(question.invariant(set, run))
                .map_err(|why| Failure::Internal(format!("the certificate does not show the verdict: {why}")))?;
            if form == CertificateForm::SmtLib {
                let text = smtlib::circuit(circuit, &question.text, set);
                return Ok(Some(SavedCertificate::proved(text, checked.verdict())));
            }
            if let CertificateForm::Aiger(form) = form {
                return Ok(Some(SavedCertificate::proved(witness_circuit(question, set, form), checked.verdict())));
            }
            (checked.verdict(), None, Some(path::saved_set(circuit, &invariant.aig, invariant.holds)))
        }
        (None, None) => return Ok(None),
    };
    let (schema, kind, query) = (SCHEMA, CERTIFICATE.to_owned(), question.text.clone());
    let saved = Saved { schema, kind, query, verdict: shown.word().to_owned(), states, invariant };
    let mut text = serde_json::to_vec(&saved).expect("plain data prints");
    text.push(b'\n');
    Ok(Some(SavedCertificate::proved(text, shown)))
}

/// The witness circuit of a set, beside the file that `prequel convert` writes of the circuit and the question.
fn witness_circuit(question: &CircuitQuestion, set: (&Aig, Lit), form: Form) -> Vec<u8> {
    let mut text = Vec::new();
    aiger::witness(&question.circuit, &question.text, set, form, &mut text).expect("memory takes it");
    text
}

/// What an audit finds: the query, the verdict that is certified, and why it is not shown, if it is not.
#[derive(Debug)]
pub struct CircuitAudit {
    /// In words.
    pub query: String,
    /// As the certificate has it.
    pub verdict: String,
    /// What the certificate holds.
    pub proof: Proof,
    /// What is wrong with it.
    pub reason: Option<String>,
}

/// Checks a saved certificate again.
pub fn audit(file: &CircuitFile, certificate: &Path, asked: &Question, run: &Run) -> Result<CircuitAudit, Failure> {
    let name = certificate.display().to_string();
    let saved = path::read(&name, &model::bytes(certificate)?, CERTIFICATE)?;
    let before = Question::from_text(&saved.query).unwrap_or_default();
    let question = question(file, if asked.is_stated() { &before } else { asked })?;
    let circuit = &question.circuit;
    let (proof, checked) = match (&saved.states, &saved.invariant) {
        (Some(states), _) => {
            let path = path::path(&name, states, circuit)?;
            (
                Proof::Witness,
                Checked::new(question.path(path)).map(|shown| shown.verdict()).map_err(|why| why.to_string()),
            )
        }
        (None, Some(set)) => {
            let (aig, holds) = path::set(&name, set, circuit)?;
            let checked = match Checked::new(question.invariant((&aig, holds), run)) {
                Err(Rejected::Stopped) => {
                    let text = "a limit was reached before it was checked";
                    let why = run.allowed().err().unwrap_or(Why::Incomplete(text.into()));
                    return Err(Failure::Undecided(text.into(), why));
                }
                checked => checked.map(|shown| shown.verdict()).map_err(|why| why.to_string()),
            };
            (Proof::Invariant, checked)
        }
        (None, None) => (Proof::None, Err("it has neither a path nor an invariant".into())),
    };
    let reason = match checked {
        Ok(shown) => (shown.word() != saved.verdict).then(|| format!("it would show {}", shown.word())),
        Err(why) => Some(why),
    };
    Ok(CircuitAudit { query: question.text, verdict: saved.verdict, proof, reason })
}
