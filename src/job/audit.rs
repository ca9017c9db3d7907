//! A saved certificate checked again, by code that shares nothing with the engines but the data model.

use super::certificate::{bounds, stopped};
use super::circuit::CircuitAudit;
use super::failure::Failure;
use super::models::Models;
use super::observer::Observer;
use super::program::ProgramAudit;
use super::question::Question;
use crate::open::bytes;
use prequel_engine::Refusal;
use prequel_evidence::certificate::{Certificate, CertificateFile, Proof, Rejected, check, check_changed};
use prequel_formats::certificate;
use prequel_model::run::Run;
use prequel_model::{Origin, Problem, Why};
use std::path::PathBuf;

/// Which certificate is checked, on which model.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The model.
    pub models: Models,
    /// What is asked; what the certificate names, if nothing is.
    pub question: Question,
    /// The file of the certificate.
    pub certificate: PathBuf,
    /// Whether the model is another one, whose processes were changed.
    pub changed: bool,
}

/// What an audit finds.
#[derive(Debug)]
pub enum Audited {
    /// Of a circuit.
    Circuit(CircuitAudit),
    /// Of a program.
    Program(ProgramAudit),
    /// Of a network.
    Network(Box<NetworkAudit>),
}

/// What an audit of a network finds.
#[derive(Debug)]
pub struct NetworkAudit {
    /// What was asked, in words.
    pub query: Option<String>,
    /// The certificate as it was read.
    pub file: CertificateFile,
    /// What shows the verdict, if anything.
    pub proof: Proof,
    /// The certificate that was accepted, or why it shows nothing.
    pub shown: Result<Accepted, String>,
}

/// A certificate that shows its verdict.
#[derive(Debug)]
pub struct Accepted {
    /// The certificate.
    pub certificate: Certificate,
    /// How many states were looked at.
    pub states: usize,
}

/// Checks a certificate again.
pub fn audit(request: &Audit, run: &Run, observer: &dyn Observer) -> Result<Audited, Failure> {
    request.models.subject(run, observer)?.audit(request, run, observer)
}

/// Checks the certificate of a network, to which a question is put once it is known.
pub(super) fn of_network(
    request: &Audit,
    ask: impl FnOnce(&Question) -> Result<(Problem, Origin), Failure>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Audited, Failure> {
    let Audit { question, certificate: path, changed, .. } = request;
    let name = path.display().to_string();
    let (file, warnings) = certificate::read(&name, &bytes(path)?)?;
    observer.warn(&warnings);
    let asked = match question {
        Question::Stated => Question::from_text(file.query()).ok_or_else(|| {
            let message = format!("`{}` is no query", file.query());
            Failure::input(name.clone(), message, "give the query on the command line")
        })?,
        asked => asked.clone(),
    };
    let (problem, _) = ask(&asked)?;
    let certificate = match Certificate::try_from(file.clone()) {
        Ok(certificate) => certificate,
        Err(why) => return Ok(found(asked, file, Proof::None, Err(why.to_string()))),
    };
    let checked = match changed {
        true => check_changed(&problem, &certificate, bounds(run)),
        false => check(&problem, &certificate, bounds(run)),
    };
    let proof = certificate.proof_for(&problem.query);
    let shown = match checked {
        Err(why @ Rejected::Other { .. }) => {
            let help = "give the model and the query that it was made for; for a changed model, add --changed";
            return Err(Failure::input(name, why.to_string(), help));
        }
        Err(why @ (Rejected::Witnessed | Rejected::Query(_))) => return Err(Refusal::new(why.to_string()).into()),
        Err(why @ Rejected::Stopped) => return Err(stopped(why.to_string(), run)),
        Err(why @ Rejected::TooLarge(most)) => {
            let text = format!("{}; raise it with --states", rejection(proof, &why));
            return Err(Failure::Undecided(text, Why::States(most as u64)));
        }
        Err(why) => Err(rejection(proof, &why)),
        Ok(states) => Ok(Accepted { certificate, states }),
    };
    Ok(found(asked, file, proof, shown))
}

fn found(asked: Question, file: CertificateFile, proof: Proof, shown: Result<Accepted, String>) -> Audited {
    Audited::Network(Box::new(NetworkAudit { query: asked.text(), file, proof, shown }))
}

/// Why a certificate shows nothing; an empty one has no smaller network.
fn rejection(proof: Proof, why: &Rejected) -> String {
    match (proof, why) {
        (Proof::None, Rejected::Reached) => {
            "it holds no proof, and the network reaches what the verdict says is not reached".into()
        }
        (Proof::None, Rejected::TooLarge(most)) => {
            format!("the certificate holds no proof, and the network has more than {most} states")
        }
        _ => why.to_string(),
    }
}
