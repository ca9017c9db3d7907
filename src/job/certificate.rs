//! What a verdict rests on, written down and checked.

use super::decision::SavedCertificate;
use super::failure::Failure;
use prequel_engine::Refusal;
use prequel_evidence::Checked;
use prequel_evidence::certificate::{Bounds, Certificate, Certified, CertifiedProof, Proof, Rejected};
use prequel_model::run::Run;
use prequel_model::{Answer, Problem, Query, Why};
use std::rc::Rc;

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
    run: &Run,
) -> Result<Option<SavedCertificate>, Failure> {
    let (verdict, evidence) = match answer {
        Answer::True(evidence) => (true, evidence),
        Answer::False(evidence) => (false, evidence),
        Answer::Unknown(_) => return Ok(None),
    };
    let proof = CertifiedProof::of(&problem.network, evidence, run.needed());
    let certificate = Certificate::new(problem, query, verdict, proof);
    if certificate.proof_for(&problem.query) == Proof::None && !matches!(problem.query, Query::Nonblocking) {
        return Ok(Some(SavedCertificate::claim(certificate.to_json())));
    }
    match Checked::new(Certified { problem, certificate, bounds: bounds(run) }) {
        Ok(shown) => Ok(Some(SavedCertificate::proved(shown.run().certificate.to_json(), shown.verdict()))),
        Err(Rejected::Query(kind)) => Err(Refusal::new(format!("no certificate: {}", Rejected::Query(kind))).into()),
        Err(why @ Rejected::TooLarge(most)) => {
            Err(Failure::Undecided(format!("no certificate: {why}"), Why::States(most as u64)))
        }
        Err(why @ Rejected::Stopped) => Err(stopped(format!("no certificate: {why}"), run)),
        Err(why) => Err(Failure::Internal(format!("the certificate does not show the verdict: {why}"))),
    }
}
