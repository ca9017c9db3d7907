//! Queries on a circuit: symbolic engines answer, on the circuit as it is.

mod audit;
mod witness;

pub use audit::{CircuitAudit, audit, certificate};
pub use witness::{CircuitWitness, replayed};

use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::finding::Finding;
use super::observer::Observer;
use super::question::Question;
use super::verdict::Verdict;
use super::words::counted;
use crate::engines::engines;
use crate::open::CircuitFile;
use prequel_engine::Refusal;
use prequel_engine::otf::Otf;
use prequel_engine::symbolic;
use prequel_engine::symbolic::{Invariant, Method, Symbolic};
use prequel_evidence as evidence;
use prequel_model::run::Run;
use prequel_model::{Circuit, Why};
use std::sync::Arc;

/// What a file states, in words.
pub const STATED: &str = "what the file states";

/// A circuit whose bad states are those that a query is about.
pub struct CircuitQuestion {
    /// The circuit.
    pub circuit: Arc<Circuit>,
    /// The question, in words.
    pub text: String,
    /// The verdict that a path to a bad state shows.
    pub shows: bool,
}

/// Puts a question to a circuit: a goal, or what the file states.
pub fn question(file: &CircuitFile, question: &Question) -> Result<CircuitQuestion, Failure> {
    match (question, question.text()) {
        (Question::Reach(reach), Some(text)) => {
            let circuit = file.with_goal(&reach.place, &reach.text)?;
            Ok(CircuitQuestion { circuit, text, shows: true })
        }
        (_, Some(text)) => {
            let option = text.split(' ').next().unwrap_or_default();
            let why =
                format!("a circuit has states and no labels: it is asked --reach, or what it states, not {option}");
            Err(Refusal::new(why).into())
        }
        (_, None) if file.circuit.bad.is_none() => {
            let help = "add --reach EXPR, or state an invariant in the file";
            Err(Failure::input("no query", "this file states nothing by itself", help))
        }
        (_, None) => Ok(CircuitQuestion { circuit: file.circuit.clone(), text: STATED.into(), shows: false }),
    }
}

/// An answer, with a witness or an invariant where there is one.
pub struct CircuitAnswer {
    /// What is said.
    pub finding: Finding,
    /// A path, replayed.
    pub shown: Option<CircuitWitness>,
    /// A set that is not left.
    pub invariant: Option<Invariant>,
}

/// The engine that is asked for; the compositional one that chooses components by itself, if none is.
fn engine(choice: &EngineChoice) -> Result<Symbolic, Failure> {
    let Some(engine) = choice.named()? else { return Ok(Symbolic::new(Method::CitpPa)) };
    engine.symbolic().ok_or_else(|| {
        let all = engines(Otf::default());
        let names: Vec<&str> = all.iter().filter(|e| e.symbolic().is_some()).map(|e| e.name()).collect();
        Refusal::new(format!("{} takes no circuits; {} do", choice.name, names.join(", "))).into()
    })
}

/// Answers a question about a circuit.
pub fn answer(
    question: &CircuitQuestion,
    choice: &EngineChoice,
    run: &Run,
    observer: &dyn Observer,
) -> Result<CircuitAnswer, Failure> {
    let circuit = &question.circuit;
    let (name, (verdict, shown, invariant)) = match engine(choice) {
        // A refusal is an answer too, and is reported like one.
        Err(Failure::Refused(why)) => {
            (choice.name.clone(), (Verdict::Unknown(Why::Refused(why.to_string())), None, None))
        }
        Err(failure) => return Err(failure),
        Ok(engine) => {
            let name = prequel_engine::Engine::name(&engine);
            observer.remark(&format!("{}, engine {name}", counted(circuit.parts.len(), "component")));
            let told = observer.during(run, name, || engine.decide(circuit, run));
            let told = match told {
                Err(why) => (Verdict::Unknown(why), None, None),
                Ok(symbolic::Verdict::Invariant(invariant)) => (Verdict::from(!question.shows), None, Some(invariant)),
                Ok(symbolic::Verdict::Path(path)) => {
                    evidence::circuit::check(circuit, &path)
                        .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
                    let shown = CircuitWitness::new(circuit.clone(), path, question.shows, &question.text);
                    (Verdict::from(question.shows), Some(shown), None)
                }
            };
            (name.to_owned(), told)
        }
    };
    let finding = Finding::new(name, verdict, question.text.clone(), run.effort(), circuit.parts.len());
    Ok(CircuitAnswer { finding, shown, invariant })
}
