//! `auto` on a program: its search as it is, breadth-first and depth-first, beside engines for the network of its components.

use super::network::{SplitProgram, Unsplit};
use super::{ProgramQuestion, search};
use crate::job::decision::Decision;
use crate::job::engine_choice::EngineChoice;
use crate::job::failure::Failure;
use crate::job::models::Reading;
use crate::job::observer::{Observer, Silent};
use crate::job::portfolio::rules::{Entry, Shape};
use crate::job::portfolio::{Contest, Contestant, Found, contest, rules};
use crate::job::question::Question;
use crate::open::ProgramFile;
use prequel_evidence::Verdict;
use prequel_model::Why;
use prequel_model::run::Run;
use std::sync::Arc;

/// What is asked, for threads that nobody may wait for.
struct Shared {
    promela: ProgramFile,
    question: Question,
    reading: Reading,
    engine: EngineChoice,
}

impl Shared {
    /// The question as one engine is asked it.
    fn asked<'a>(&'a self, engine: &'a EngineChoice) -> ProgramQuestion<'a> {
        let Self { promela, question, reading, .. } = self;
        ProgramQuestion { promela, question, reading, engine, as_network: false, before: None }
    }
}

/// The answer of whoever has one first.
pub fn answer(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    asked.engine.named()?;
    let shared = Arc::new(Shared {
        promela: asked.promela.clone(),
        question: asked.question.clone(),
        reading: asked.reading.clone(),
        engine: asked.engine.clone(),
    });
    // Runs without an end have one search, and components are about those with one.
    let endless = asked.is_endless();
    let searches = if endless { &rules::SEARCHES[..1] } else { &rules::SEARCHES[..] };
    let mut contestants: Vec<Contestant<Decision>> = searches.iter().map(|entry| searching(entry, &shared)).collect();
    if !endless {
        contestants.push(splitting(&shared));
    }
    let contest = contest(contestants, run, observer)?;
    let why = contest.reason();
    let Contest { won, attempts } = contest;
    let mut decision = match won {
        Some((decision, _)) => decision,
        None => {
            let components = asked.promela.program.active.len();
            Decision::bare(asked.finding("auto", Verdict::Unknown(why), run, components))
        }
    };
    decision.finding.portfolio = attempts;
    Ok(decision)
}

/// The search of the program as it is.
fn searching(entry: &Entry, shared: &Arc<Shared>) -> Contestant<Decision> {
    let (choice, shares, shared) = (shared.engine.entry(entry), shared.engine.shares(entry), shared.clone());
    let work = move |run: &Run| Ok(found(search(&shared.asked(&choice), run, &Silent)?));
    Contestant { name: entry.name, shares, endless: false, work: Box::new(work) }
}

/// The network of the program, made once for all engines that take it.
fn splitting(shared: &Arc<Shared>) -> Contestant<Decision> {
    let shared = shared.clone();
    let work = move |run: &Run| match SplitProgram::new(&shared.asked(&shared.engine), run, &Silent)? {
        Err(Unsplit { why, .. }) => Ok(Found::Nothing(run.allowed().err().unwrap_or(Why::Refused(why)))),
        Ok(split) => {
            let split = Arc::new(split);
            let Some(first) = split.problems.first() else { unreachable!("something is asked") };
            let lineup = Shape::of(first).lineup;
            let others = lineup.iter().filter(|entry| entry.engine != "otf");
            let next = others.filter_map(|entry| composing(entry, &shared, &split));
            Ok(Found::Next(next.collect()))
        }
    };
    Contestant { name: "components", shares: rules::PREPARATION, endless: false, work: Box::new(work) }
}

/// An engine that takes all questions about the network.
fn composing(entry: &Entry, shared: &Arc<Shared>, split: &Arc<SplitProgram>) -> Option<Contestant<Decision>> {
    let (choice, shares) = (shared.engine.entry(entry), shared.engine.shares(entry));
    let (shared, split) = (shared.clone(), split.clone());
    if split.problems.iter().any(|problem| choice.choose(problem).is_err()) {
        return None;
    }
    let work = move |run: &Run| Ok(found(split.answer(&shared.asked(&choice), run, &Silent)?));
    Some(Contestant { name: entry.name, shares, endless: false, work: Box::new(work) })
}

fn found(decision: Decision) -> Found<Decision> {
    match &decision.finding.verdict {
        // All there is to search was searched: nobody can say more.
        Verdict::Unknown(Why::Incomplete(_)) => Found::Answer(decision),
        Verdict::Unknown(why) => Found::Nothing(why.clone()),
        Verdict::True { .. } | Verdict::False { .. } => Found::Answer(decision),
    }
}
