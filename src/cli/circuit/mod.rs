//! Queries on a circuit: symbolic engines answer, on the circuit as it is.

mod audit;
mod convert;
mod info;
mod witness;

pub use audit::{Audited, audit, certificate};
pub use convert::{convert, encoded, text};
pub use info::info;
pub use witness::{CircuitWitness, replayed};

use super::choice::EngineArgs;
use super::exit::Failure;
use super::input::QueryArgs;
use super::output::{Output, counted};
use super::progress;
use super::report::{Answered, Verdict};
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
pub struct Question {
    /// The circuit.
    pub circuit: Arc<Circuit>,
    /// The query, in words.
    pub text: String,
    /// The verdict that a path to a bad state shows.
    pub shows: bool,
}

/// Puts a query to a circuit: a goal, or what the file states.
pub fn question(file: &CircuitFile, query: &QueryArgs) -> Result<Question, Failure> {
    if let Some(reach) = &query.reach {
        let circuit = file.with_goal(&reach.place, &reach.text)?;
        return Ok(Question { circuit, text: query.text().expect("there is one"), shows: true });
    }
    if let Some(text) = query.text() {
        let option = text.split(' ').next().unwrap_or_default();
        let why = format!("a circuit has states and no labels: it is asked --reach, or what it states, not {option}");
        return Err(Refusal::new(why).into());
    }
    if file.circuit.bad.is_none() {
        let help = "add --reach EXPR, or state an invariant in the file";
        return Err(Failure::input("no query", "this file states nothing by itself", help));
    }
    Ok(Question { circuit: file.circuit.clone(), text: STATED.into(), shows: false })
}

/// An answer, with a witness or an invariant where there is one.
pub struct Told {
    /// What is said.
    pub answered: Answered,
    /// A path, replayed.
    pub shown: Option<CircuitWitness>,
    /// A set that is not left.
    pub invariant: Option<Invariant>,
}

/// The engine that is asked for; the compositional one that chooses components by itself, if none is.
fn engine(args: &EngineArgs) -> Result<Symbolic, Failure> {
    let Some(engine) = args.named()? else { return Ok(Symbolic::new(Method::CitpPa)) };
    engine.symbolic().ok_or_else(|| {
        let all = engines(Otf::default());
        let names: Vec<&str> = all.iter().filter(|e| e.symbolic().is_some()).map(|e| e.name()).collect();
        Refusal::new(format!("{} takes no circuits; {} do", args.name, names.join(", "))).into()
    })
}

/// Answers a question about a circuit.
pub fn answer(question: &Question, args: &EngineArgs, run: &Run, output: &Output) -> Result<Told, Failure> {
    let circuit = &question.circuit;
    let verdict = |holds: bool| if holds { Verdict::True } else { Verdict::False };
    let (name, (verdict, shown, invariant)) = match engine(args) {
        // A refusal is an answer too, and is reported like one.
        Err(Failure::Refused(why)) => {
            (args.name.clone(), (Verdict::Unknown(Why::Refused(why.to_string())), None, None))
        }
        Err(failure) => return Err(failure),
        Ok(engine) => {
            let name = prequel_engine::Engine::name(&engine);
            output.remark(format!("{}, engine {name}", counted(circuit.parts.len(), "component")));
            let told = progress::watch(run, name, output, || engine.decide(circuit, run));
            let told = match told {
                Err(why) => (Verdict::Unknown(why), None, None),
                Ok(symbolic::Verdict::Invariant(invariant)) => (verdict(!question.shows), None, Some(invariant)),
                Ok(symbolic::Verdict::Path(path)) => {
                    evidence::circuit::check(circuit, &path)
                        .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
                    let shown = CircuitWitness::new(circuit.clone(), path, question.shows, &question.text);
                    (verdict(question.shows), Some(shown), None)
                }
            };
            (name.to_owned(), told)
        }
    };
    let answered = Answered::new(name, verdict, question.text.clone(), run.effort(), circuit.parts.len());
    Ok(Told { answered, shown, invariant })
}
