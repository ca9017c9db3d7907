//! Queries on a Petri net: answered on its markings, or through the network of its components.

mod info;
mod network;
mod replay;
mod witness;

pub use info::info;
pub use network::{as_network, problem};
pub use replay::replayed;
pub use witness::NetWitness;

use super::choice::EngineArgs;
use super::exit::Failure;
use super::input::{QueryArgs, ReadingArgs};
use super::output::Output;
use super::progress;
use super::report::{Answered, Verdict};
use crate::open::NetFile;
use prequel_engine::otf::net::{Outcome, explore};
use prequel_evidence as evidence;
use prequel_formats::formula;
use prequel_formats::formula::Formula;
use prequel_formats::text::suggest;
use prequel_model::run::Run;
use prequel_model::{Condition, NetQuery, TransitionId, Why};

/// A question about a net.
pub struct Asked<'a> {
    /// The net, and the formulas beside it.
    pub file: &'a NetFile,
    /// What is asked.
    pub query: &'a QueryArgs,
    /// How to read what the query names.
    pub reading: &'a ReadingArgs,
    /// Who is asked.
    pub engine: &'a EngineArgs,
    /// Whether the network is wanted where the net itself would do.
    pub as_network: bool,
}

/// An answer, with a witness where there is one.
pub type Told<'a> = (Answered, Option<NetWitness<'a>>);

/// The formulas that are asked about: the one that is named, or all where no query is given.
pub fn formulas<'a>(file: &'a NetFile, query: &QueryArgs) -> Result<Vec<&'a Formula>, Failure> {
    match &query.formula {
        Some(name) => match file.formulas.iter().find(|formula| formula.name == *name) {
            Some(formula) => Ok(vec![formula]),
            None => {
                let help = suggest::help(name, "formulas", file.formulas.iter().map(|f| &*f.name));
                Err(Failure::input("--formula", format!("there is no formula `{name}`"), help))
            }
        },
        None if query.text().is_none() => Ok(file.formulas.iter().collect()),
        None => Ok(Vec::new()),
    }
}

/// What the query asks of the markings; nothing where it is about labels, or something that markings alone do not tell.
pub fn about_markings(file: &NetFile, query: &QueryArgs) -> Result<Option<NetQuery>, Failure> {
    if let Some(reach) = &query.reach {
        return Ok(Some(NetQuery::Possible(formula::reach(&reach.text, &file.net)?)));
    }
    Ok(query.deadlock_free.then_some(NetQuery::Impossible(Condition::Dead)))
}

/// Answers the one query of the command line.
pub fn answer<'a>(asked: &Asked<'a>, run: &Run, output: &Output) -> Result<Told<'a>, Failure> {
    let text = asked.query.text().expect("a query was asked");
    match about_markings(asked.file, asked.query)? {
        Some(query) => decide(asked, &query, text, run, output),
        None => network::labels(asked, text, run, output),
    }
}

/// Decides a formula of a file.
pub fn decide_formula<'a>(
    asked: &Asked<'a>,
    formula: &Formula,
    run: &Run,
    output: &Output,
) -> Result<Told<'a>, Failure> {
    let text = format!("formula {}", formula.name);
    match &formula.query {
        Ok(query) => decide(asked, query, text, run, output),
        Err(why) => {
            Ok((Answered::new("none", Verdict::Unknown(Why::Refused(why.clone())), text, run.effort(), 1), None))
        }
    }
}

fn decide<'a>(
    asked: &Asked<'a>,
    query: &NetQuery,
    text: String,
    run: &Run,
    output: &Output,
) -> Result<Told<'a>, Failure> {
    let direct = matches!(asked.engine.name.as_str(), "auto" | "otf") && !asked.as_network;
    if !direct && !matches!(query, NetQuery::Initially(_)) {
        return network::decide(asked, query, text, run, output);
    }
    let net = &asked.file.net;
    let outcome = progress::watch(run, "otf", output, || explore(net, query, asked.engine.otf(), run));
    let (verdict, shown) = match outcome {
        Outcome::Found(sequence) => {
            let shown = asked.shown(query, sequence, &text)?;
            (verdict(query.witness_shows()), Some(shown))
        }
        Outcome::Absent => (verdict(!query.witness_shows()), None),
        Outcome::Unknown(why) => (Verdict::Unknown(why), None),
    };
    let mut answered = Answered::new("otf", verdict, text, run.effort(), 1);
    answered.stubborn = !asked.engine.no_por && !matches!(query, NetQuery::Initially(_));
    Ok((answered, shown))
}

fn verdict(holds: bool) -> Verdict {
    if holds { Verdict::True } else { Verdict::False }
}

impl<'a> Asked<'a> {
    /// A sequence as a witness, once it was replayed.
    fn shown(&self, query: &NetQuery, sequence: Vec<TransitionId>, text: &str) -> Result<NetWitness<'a>, Failure> {
        evidence::net::check(&self.file.net, query, &sequence).map_err(rejected)?;
        let conclusion = match query.condition() {
            Condition::Dead => "here nothing can fire".to_owned(),
            _ if query.witness_shows() => format!("here the condition of {text} holds"),
            _ => format!("here the condition of {text} does not hold"),
        };
        Ok(NetWitness { file: self.file, sequence, verdict: query.witness_shows(), conclusion })
    }
}

fn rejected(why: impl std::fmt::Display) -> Failure {
    Failure::Internal(format!("the witness does not show the verdict: {why}"))
}
