//! A saved witness, done again on a model.

use super::failure::Failure;
use super::models::Models;
use super::observer::Observer;
use super::question::Question;
use super::temporal;
use super::witness::{NetworkWitness, Witness};
use crate::open::bytes;
use prequel_evidence::Checked;
use prequel_evidence::witness::{NetworkRun, seen_as};
use prequel_formats::picture::page::Source;
use prequel_formats::witness;
use prequel_model::run::Run;
use prequel_model::{Goal, Network, Origin, Problem, Query};
use std::path::PathBuf;
use std::sync::Arc;

/// Which witness is done again, on which model.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The model.
    pub models: Models,
    /// The file of the witness.
    pub witness: PathBuf,
    /// What its end must show. If nothing is asked, a path of a network or net must be one, and shows what it likes; a run of a program
    /// or a path of a circuit must show what was asked when it was saved.
    pub question: Question,
}

/// What came of it.
#[derive(Debug)]
pub struct Replayed {
    /// What was asked when the witness was saved.
    pub saved_query: String,
    /// How many steps it has.
    pub steps: usize,
    /// What a program was read from.
    pub sources: Vec<Source>,
    /// The witness, or why it does not replay.
    pub shown: Result<Witness, String>,
}

/// Does a saved witness again.
pub fn replay(request: &Replay, run: &Run, observer: &dyn Observer) -> Result<Replayed, Failure> {
    let (subject, question) = request.models.asked(&request.question, run, observer)?;
    subject.replay(&Replay { question, ..request.clone() }, observer)
}

/// Does a path of a network again. The query is what is asked, where that is known before the witness is read.
pub(super) fn on_network(
    (network, origin): (Network, Origin),
    query: Option<Query>,
    request: &Replay,
    observer: &dyn Observer,
) -> Result<Replayed, Failure> {
    let Replay { models, witness: path, question } = request;
    let (saved, warnings) = witness::read(&path.display().to_string(), &bytes(path)?, &network, &origin)?;
    observer.warn(&warnings);
    if let Some(from) = saved.cycle {
        return temporal::replayed((network, origin), saved, from, request);
    }
    let (problem, origin) = match query {
        Some(query) => (Problem { network, query }, origin),
        None if !question.is_stated() => question.ask((network, origin), &models.reading, observer)?,
        // Every end shows that something is reachable, so only the path itself is checked.
        None => (Problem { network, query: Query::Reach(Goal::And(vec![])) }, origin),
    };
    let steps = saved.trace.steps.len();
    let shown = Checked::new(NetworkRun { problem: Arc::new(problem), trace: saved.trace })
        .and_then(|run| seen_as(&run.run().problem.network, &run.run().trace, &saved.actions).map(|()| run))
        .map(|run| NetworkWitness::new(run, origin, &models.reading.dialect).into())
        .map_err(|why| why.to_string());
    Ok(Replayed { saved_query: saved.query.text, steps, sources: Vec::new(), shown })
}
