//! `auto` on the markings of a net: level by level, by a structural argument, by walks, and deep first.

use super::{NetQuestion, NetWitness, proved};
use crate::job::decision::Decision;
use crate::job::engine_choice::EngineChoice;
use crate::job::failure::Failure;
use crate::job::finding::Finding;
use crate::job::models::Reading;
use crate::job::observer::Observer;
use crate::job::portfolio::rules::{Entry, FOR_NETS, WALK};
use crate::job::portfolio::{Contest, Contestant, Found, contest};
use crate::job::question::Question;
use crate::open::NetFile;
use prequel_engine::otf::net::Outcome;
use prequel_engine::petri::{Structural, depth, levels, structural, walk, walk_along};
use prequel_evidence::Verdict;
use prequel_model::NetQuery;
use prequel_model::run::Run;
use std::sync::Arc;

/// What is asked, for threads that nobody may wait for.
struct Shared {
    file: Arc<NetFile>,
    question: Question,
    reading: Reading,
    engine: EngineChoice,
    query: NetQuery,
    text: String,
}

/// A verdict with its witness, and who has it.
type Told = (&'static str, Verdict, Option<NetWitness>);

/// The answer of whoever has one first.
pub fn answer(
    asked: &NetQuestion<'_>,
    query: &NetQuery,
    text: String,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    asked.engine.named()?;
    let shared = Arc::new(Shared {
        file: asked.file.clone(),
        question: asked.question.clone(),
        reading: asked.reading.clone(),
        engine: asked.engine.clone(),
        query: query.clone(),
        text: text.clone(),
    });
    let contest = contest(FOR_NETS.iter().map(|entry| contestant(entry, &shared)).collect(), run, observer)?;
    let why = contest.reason();
    let Contest { won, attempts: portfolio } = contest;
    let (effort, (by, verdict, shown)) = match won {
        Some((told, own)) => (own.effort(), told),
        None => (run.effort(), ("auto", Verdict::Unknown(why), None)),
    };
    let stubborn = asked.engine.reduce && matches!(by, "otf" | "depth");
    let finding = Finding { portfolio, stubborn, ..Finding::new(by, verdict, text, effort, 1) };
    Ok(Decision::new(finding, shown))
}

/// One of them.
fn contestant(entry: &Entry, shared: &Arc<Shared>) -> Contestant<Told> {
    let (name, shares, shared) = (entry.name, shared.engine.shares(entry), shared.clone());
    let work = move |run: &Run| {
        let Shared { file, query, engine, .. } = &*shared;
        match name {
            "structural" => shared.argued(run),
            "walk" => shared.walked(name, run, |own| walk(&file.net, query, own)),
            "depth" => shared.found(name, depth(&file.net, query, engine.otf(), run)),
            _ => shared.found(name, levels(&file.net, query, engine.otf(), run)),
        }
    };
    Contestant { name, shares, endless: name == "walk", work: Box::new(work) }
}

impl Shared {
    /// What a search comes to; a sequence is fired before it is believed.
    fn found(&self, by: &'static str, outcome: Outcome) -> Result<Found<Told>, Failure> {
        let Self { file, question, reading, engine, query, text } = self;
        Ok(match outcome {
            Outcome::Found(sequence) => {
                let asked = NetQuestion { file, question, reading, engine, as_network: false };
                let shown = asked.shown(query, sequence, text)?;
                Found::Answer((by, shown.verdict().clone(), Some(shown)))
            }
            Outcome::Absent => Found::Answer((by, Verdict::absent(query), None)),
            Outcome::Unknown(why) => Found::Nothing(why),
        })
    }

    /// Nothing is kept of where a walk was: its steps are not states that were looked at.
    fn walked(&self, by: &'static str, run: &Run, walk: impl FnOnce(&Run) -> Outcome) -> Result<Found<Told>, Failure> {
        let own = run.again();
        let outcome = walk(&own);
        run.count("walk_steps", own.effort().states_total);
        self.found(by, outcome)
    }

    /// A proof is checked before it is believed; an idea how often to fire what is for walks to follow.
    fn argued(self: &Arc<Self>, run: &Run) -> Result<Found<Told>, Failure> {
        let Self { file, query, .. } = &**self;
        Ok(match structural(&file.net, query, run) {
            Structural::Proved(proof) => match proved(&file.net, query, &proof, run)? {
                Verdict::Unknown(why) => Found::Nothing(why),
                verdict => Found::Answer(("structural", verdict, None)),
            },
            Structural::Hint(counts) => {
                let (shares, shared) = (self.engine.shares(&WALK), self.clone());
                let work = move |run: &Run| {
                    let Shared { file, query, .. } = &*shared;
                    shared.walked("walk", run, |own| walk_along(&file.net, query, &counts, own))
                };
                let name = "walk along the state equation";
                Found::Next(vec![Contestant { name, shares, endless: true, work: Box::new(work) }])
            }
            Structural::Unknown(why) => Found::Nothing(why),
        })
    }
}
