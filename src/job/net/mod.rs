//! Queries on a Petri net: answered on its markings, or through the network of its components.

mod contest;
mod network;
mod replay;
mod witness;

pub use network::{as_network, problem};
pub use replay::replayed;
pub use witness::{Change, NetWitness};

use super::decision::Decision;
use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::finding::Finding;
use super::models::Reading;
use super::observer::Observer;
use super::question::Question;
use crate::open::NetFile;
use prequel_engine::otf::Search;
use prequel_engine::otf::net::{Outcome, explore};
use prequel_evidence::net::Firing;
use prequel_evidence::net_proof::{Rejected, Unreachable};
use prequel_evidence::{Checked, Verdict};
use prequel_formats::formula;
use prequel_formats::formula::Formula;
use prequel_formats::text::suggest;
use prequel_model::run::Run;
use prequel_model::{Condition, Net, NetProof, NetQuery, TransitionId, Why};
use std::rc::Rc;
use std::sync::Arc;

/// A question about a net.
pub struct NetQuestion<'a> {
    /// The net, and the formulas beside it.
    pub file: &'a Arc<NetFile>,
    /// What is asked.
    pub question: &'a Question,
    /// How to read what the question names.
    pub reading: &'a Reading,
    /// Who is asked.
    pub engine: &'a EngineChoice,
    /// Whether the network is wanted where the net itself would do.
    pub as_network: bool,
}

/// The formulas that are asked about: the one that is named, or all where no query is given.
pub fn formulas<'a>(file: &'a NetFile, question: &Question) -> Result<Vec<&'a Formula>, Failure> {
    match question {
        Question::Formula(name) => match file.formulas.iter().find(|formula| formula.name == *name) {
            Some(formula) => Ok(vec![formula]),
            None => {
                let help = suggest::help(name, "formulas", file.formulas.iter().map(|f| &*f.name));
                Err(Failure::input("--formula", format!("there is no formula `{name}`"), help))
            }
        },
        Question::Stated => Ok(file.formulas.iter().collect()),
        _ => Ok(Vec::new()),
    }
}

/// What is asked of the markings; nothing where it is about labels, or something that markings alone do not tell.
pub fn about_markings(file: &NetFile, question: &Question) -> Result<Option<NetQuery>, Failure> {
    Ok(match question {
        Question::Reach(reach) => Some(NetQuery::Possible(formula::reach(&reach.text, &file.net)?)),
        Question::DeadlockFree => Some(NetQuery::Impossible(Condition::Dead)),
        _ => None,
    })
}

/// Answers the one question that is asked.
pub fn answer(asked: &NetQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    let Some(text) = asked.question.text() else {
        let help = "add --deadlock-free, --reach EXPR or a query about labels, or give formula files beside the net";
        return Err(Failure::input("no query", "this net states nothing by itself", help));
    };
    match about_markings(asked.file, asked.question)? {
        Some(query) => decide(asked, &query, text, run, observer),
        None => network::labels(asked, text, run, observer),
    }
}

/// Decides a formula of a file.
pub fn decide_formula(
    asked: &NetQuestion<'_>,
    formula: &Formula,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let text = format!("formula {}", formula.name);
    match &formula.query {
        Ok(query) => decide(asked, query, text, run, observer),
        Err(why) => {
            let verdict = Verdict::Unknown(Why::Refused(why.clone()));
            Ok(Decision::bare(Finding::new("none", verdict, text, run.effort(), 1)))
        }
    }
}

fn decide(
    asked: &NetQuestion<'_>,
    query: &NetQuery,
    text: String,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let (auto, initially) = (asked.engine.is_auto(), matches!(query, NetQuery::Initially(_)));
    let direct = (auto || asked.engine.name == "otf") && !asked.as_network;
    if !direct && !initially {
        return network::decide(asked, query, text, run, observer);
    }
    let (net, how) = (&asked.file.net, asked.engine.otf());
    // Where one order of search is wanted, or one marking looked at, there is nobody to choose from.
    if auto && !initially && how.search == Search::Breadth {
        return contest::answer(asked, query, text, run, observer);
    }
    let (verdict, shown) = match observer.during(run, "otf", || explore(net, query, how, run)) {
        Outcome::Found(sequence) => {
            let shown = asked.shown(query, sequence, &text)?;
            (shown.verdict().clone(), Some(shown))
        }
        Outcome::Absent => (Verdict::absent(query), None),
        Outcome::Unknown(why) => (Verdict::Unknown(why), None),
    };
    let stubborn = asked.engine.reduce && !initially;
    Ok(Decision::new(Finding { stubborn, ..Finding::new("otf", verdict, text, run.effort(), 1) }, shown))
}

impl NetQuestion<'_> {
    /// A sequence as a witness, once it was replayed.
    fn shown(&self, query: &NetQuery, sequence: Vec<TransitionId>, text: &str) -> Result<NetWitness, Failure> {
        let run = self.fired(Some(query), sequence)?;
        let conclusion = match query.condition() {
            Condition::Dead => "here nothing can fire".to_owned(),
            _ if query.witness_shows() => format!("here the condition of {text} holds"),
            _ => format!("here the condition of {text} does not hold"),
        };
        Ok(NetWitness::new(self.file.clone(), run, conclusion))
    }

    /// Fires a sequence.
    fn fired(&self, query: Option<&NetQuery>, sequence: Vec<TransitionId>) -> Result<Checked<Firing>, Failure> {
        let (net, query) = (self.file.net.clone(), query.cloned());
        Checked::new(Firing { net, query, sequence }).map_err(rejected)
    }
}

/// What a proof shows, once it was checked.
fn proved(net: &Net, query: &NetQuery, proof: &NetProof, run: &Run) -> Result<Verdict, Failure> {
    let watch = run.watch();
    let stop = Rc::new(move || watch.allowed().is_err());
    match Checked::new(Unreachable { net, query, proof, stop }) {
        Ok(checked) => Ok(checked.verdict()),
        Err(Rejected::Stopped) => Ok(Verdict::Unknown(run.allowed().err().unwrap_or(Why::Interrupted))),
        Err(why) => Err(Failure::Internal(format!("the proof does not show the verdict: {why}"))),
    }
}

fn rejected(why: impl std::fmt::Display) -> Failure {
    Failure::Internal(format!("the witness does not show the verdict: {why}"))
}
