//! Certificates of circuits: an invariant that is checked by a SAT solver, or a path that is walked.

use super::{CircuitAnswer, CircuitQuestion, question};
use crate::job::failure::Failure;
use crate::job::question::Question;
use crate::job::verdict::Verdict;
use crate::open as model;
use crate::open::CircuitFile;
use prequel_evidence as evidence;
use prequel_evidence::certificate::Proof;
use prequel_evidence::invariant::Rejected;
use prequel_formats::path;
use prequel_formats::path::{CERTIFICATE, SCHEMA, Saved};
use prequel_model::Why;
use prequel_model::run::Run;
use std::path::Path;

/// The certificate of an answer, checked; none where there is no answer.
pub fn certificate(question: &CircuitQuestion, answer: &CircuitAnswer, run: &Run) -> Result<Option<Vec<u8>>, Failure> {
    let circuit = &question.circuit;
    let (states, invariant) = match (&answer.shown, &answer.invariant) {
        (Some(shown), _) => (Some(path::states(circuit, shown.path())), None),
        (None, Some(invariant)) => {
            let watch = run.watch();
            evidence::invariant::check(circuit, (&invariant.aig, invariant.holds), move || watch.allowed().is_err())
                .map_err(|why| Failure::Internal(format!("the certificate does not show the verdict: {why}")))?;
            (None, Some(path::saved_set(circuit, &invariant.aig, invariant.holds)))
        }
        (None, None) => return Ok(None),
    };
    let verdict = answer.finding.verdict.word().to_owned();
    let (schema, kind, query) = (SCHEMA, CERTIFICATE.to_owned(), question.text.clone());
    let saved = Saved { schema, kind, query, verdict, states, invariant };
    let mut text = serde_json::to_vec(&saved).expect("plain data prints");
    text.push(b'\n');
    Ok(Some(text))
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
    let reason = match (&saved.states, &saved.invariant) {
        (Some(states), _) => {
            let path = path::path(&name, states, circuit)?;
            evidence::circuit::check(circuit, &path).err().map(|why| why.to_string())
        }
        (None, Some(set)) => {
            let (aig, holds) = path::set(&name, set, circuit)?;
            let watch = run.watch();
            match evidence::invariant::check(circuit, (&aig, holds), move || watch.allowed().is_err()) {
                Err(Rejected::Stopped) => {
                    let text = "a limit was reached before it was checked";
                    let why = run.allowed().err().unwrap_or(Why::Incomplete(text.into()));
                    return Err(Failure::Undecided(text.into(), why));
                }
                checked => checked.err().map(|why| why.to_string()),
            }
        }
        (None, None) => Some("it has neither a path nor an invariant".into()),
    };
    // A path shows that something is reached, an invariant that it is not.
    let shown = Verdict::from(question.shows == saved.states.is_some());
    let reason = reason.or((shown.word() != saved.verdict).then(|| format!("it would show {}", shown.word())));
    let proof = match (&saved.states, &saved.invariant) {
        (Some(_), _) => Proof::Witness,
        (None, Some(_)) => Proof::Invariant,
        (None, None) => Proof::None,
    };
    Ok(CircuitAudit { query: question.text, verdict: saved.verdict, proof, reason })
}
