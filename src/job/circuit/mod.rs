//! Queries on a circuit: symbolic engines answer, on the circuit as it is.

mod audit;
mod witness;

pub use audit::{CircuitAudit, audit, certificate};
pub use witness::{CircuitWitness, replayed};

use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::finding::Finding;
use super::observer::Observer;
use super::portfolio::{Contest, Contestant, Found, contest, rules};
use super::question::Question;
use super::words::counted;
use crate::engines::engines;
use crate::open::CircuitFile;
use prequel_engine::otf::Otf;
use prequel_engine::symbolic;
use prequel_engine::symbolic::{Invariant, Symbolic};
use prequel_engine::{Engine as _, Refusal};
use prequel_evidence::circuit::CircuitPath;
use prequel_evidence::invariant::CircuitInvariant;
use prequel_evidence::{Asked, Checked, Verdict};
use prequel_model::run::Run;
use prequel_model::{Aig, Circuit, Lit, Why};
use std::rc::Rc;
use std::sync::Arc;

/// What a file states, in words.
pub const STATED: &str = "what the file states";

/// A circuit whose bad states are those that a query is about.
#[derive(Clone)]
pub struct CircuitQuestion {
    /// The circuit.
    pub circuit: Arc<Circuit>,
    /// The question, in words.
    pub text: String,
    /// The verdict that a path to a bad state shows.
    pub shows: bool,
}

impl Asked for CircuitQuestion {
    fn witness_shows(&self) -> bool {
        self.shows
    }
}

impl CircuitQuestion {
    /// A path to a bad state as evidence.
    fn path(&self, states: Vec<Vec<bool>>) -> CircuitPath {
        CircuitPath { circuit: self.circuit.clone(), states, shows: self.shows }
    }

    /// A set of states that is not left as evidence.
    fn invariant<'a>(&'a self, set: (&'a Aig, Lit), run: &Run) -> CircuitInvariant<'a> {
        let watch = run.watch();
        let stop = Rc::new(move || watch.allowed().is_err());
        CircuitInvariant { circuit: &self.circuit, set, shows: !self.shows, stop }
    }
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

/// The engine that is asked for.
fn engine(choice: &EngineChoice) -> Result<Symbolic, Failure> {
    let engine = choice.named()?.and_then(|engine| engine.symbolic());
    engine.ok_or_else(|| {
        let all = engines(Otf::default());
        let names: Vec<&str> = all.iter().filter(|e| e.symbolic().is_some()).map(|e| e.name()).collect();
        Refusal::new(format!("{} takes no circuits; {} do", choice.name, names.join(", "))).into()
    })
}

/// What an engine found, checked: its name, a path or an invariant.
type Told = (&'static str, Verdict, Option<CircuitWitness>, Option<Invariant>);

/// Answers a question about a circuit.
pub fn answer(
    question: &CircuitQuestion,
    choice: &EngineChoice,
    run: &Run,
    observer: &dyn Observer,
) -> Result<CircuitAnswer, Failure> {
    let components = question.circuit.parts.len();
    if choice.is_auto() {
        return by_contest(question, choice, run, observer);
    }
    let finding =
        |engine: &str, verdict| Finding::new(engine, verdict, question.text.clone(), run.effort(), components);
    let engine = match engine(choice) {
        // A refusal is an answer too, and is reported like one.
        Err(Failure::Refused(why)) => {
            let verdict = Verdict::Unknown(Why::Refused(why.to_string()));
            return Ok(CircuitAnswer { finding: finding(&choice.name, verdict), shown: None, invariant: None });
        }
        engine => engine?,
    };
    let name = engine.name();
    observer.remark(&format!("{}, engine {name}", counted(components, "component")));
    let (name, verdict, shown, invariant) = observer.during(run, name, || decide(engine, question, run))?;
    Ok(CircuitAnswer { finding: finding(name, verdict), shown, invariant })
}

/// What one engine finds; a path is walked before it is believed.
fn decide(engine: Symbolic, question: &CircuitQuestion, run: &Run) -> Result<Told, Failure> {
    Ok(match engine.decide(&question.circuit, run) {
        Err(why) => (engine.name(), Verdict::Unknown(why), None, None),
        Ok(symbolic::Verdict::Invariant(invariant)) => {
            (engine.name(), Verdict::absent(question), None, Some(invariant))
        }
        Ok(symbolic::Verdict::Path(path)) => {
            let path = Checked::new(question.path(path))
                .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
            let shown = CircuitWitness::new(path, &question.text);
            (engine.name(), shown.verdict(), Some(shown), None)
        }
    })
}

/// The answer of whoever has one first.
fn by_contest(
    question: &CircuitQuestion,
    choice: &EngineChoice,
    run: &Run,
    observer: &dyn Observer,
) -> Result<CircuitAnswer, Failure> {
    choice.named()?;
    let contestant = |entry: &rules::Entry| {
        let (choice, shares, question) = (choice.entry(entry), choice.shares(entry), question.clone());
        let work = move |run: &Run| match decide(engine(&choice)?, &question, run)? {
            (_, Verdict::Unknown(why), ..) => Ok(Found::Nothing(why)),
            told => Ok(Found::Answer(told)),
        };
        Contestant { name: entry.name, shares, endless: false, work: Box::new(work) }
    };
    let contest = contest(rules::FOR_CIRCUITS.iter().map(contestant).collect(), run, observer)?;
    let why = contest.reason();
    let Contest { won, attempts: portfolio } = contest;
    let (effort, (engine, verdict, shown, invariant)) = match won {
        Some((told, own)) => (own.effort(), told),
        None => (run.effort(), ("auto", Verdict::Unknown(why), None, None)),
    };
    let finding = Finding::new(engine, verdict, question.text.clone(), effort, question.circuit.parts.len());
    Ok(CircuitAnswer { finding: Finding { portfolio, ..finding }, shown, invariant })
}
