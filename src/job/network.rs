//! Questions about a network: an engine answers, and nothing is believed before its witness was replayed.

use super::certificate::certificate;
use super::decision::Decision;
use super::des;
use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::finding::{Finding, ProcessChange, Reduction};
use super::models::Models;
use super::observer::Observer;
use super::portfolio::rules::{Entry, Shape};
use super::portfolio::{Attempt, Contest, Contestant, Found, contest, rules};
use super::question::Question;
use super::scope::Scope;
use super::spin::BeforeSpin;
use super::verdict::Verdict;
use super::witness::NetworkWitness;
use super::words::counted;
use prequel_engine::Engine;
use prequel_engine::transform::Stop;
use prequel_evidence as evidence;
use prequel_model::run::Run;
use prequel_model::{Answer, Evidence, Origin, Problem, Query, StateId, Trace, Why};
use std::sync::Arc;

/// A question about a network.
#[derive(Clone, Debug)]
pub struct NetworkQuestion<'a> {
    /// Where the network comes from.
    pub models: &'a Models,
    /// What is asked.
    pub question: &'a Question,
    /// Who is asked.
    pub engine: &'a EngineChoice,
    /// What is done before SPIN is asked.
    pub before: Option<&'a BeforeSpin>,
    /// Whether what the verdict rests on is to be written down.
    pub certificate: bool,
    /// Whether there is an initial state: no state is reachable otherwise, and nobody is asked.
    pub starts: bool,
}

/// Answers a question that was put to a network.
pub fn answer(
    asked: &NetworkQuestion<'_>,
    (problem, origin): (Problem, Origin),
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let components = problem.network.components().len();
    let problem = Arc::new(problem);
    let Solved { engine, answer, witness, reduction, run: own, portfolio } = if !asked.starts {
        Solved::bare("none", Answer::found(&problem.query, Ok(None)))
    } else if asked.engine.is_auto() && asked.before.is_none() && run.limits.states.is_none() {
        by_contest(asked, &problem, run, observer)?
    } else {
        by_engine(asked, &problem, run, observer)?
    };
    let run = own.as_deref().unwrap_or(run);
    let trap = match (&problem.query, &witness) {
        (Query::Nonblocking, Some((_, last))) => Some(des::trap(&problem.network, last)),
        _ => None,
    };
    let unasked = if matches!(problem.query, Query::Nonblocking) { des::STATED } else { "the formula" };
    let query = asked.question.text().unwrap_or_else(|| unasked.into());
    let certificate = if asked.certificate { certificate(&problem, &query, &answer, run)? } else { None };
    let finding = Finding {
        components_used: run.needed().map_or(components, |needs| needs.components.len()),
        scope: run.needed().map(|needs| Scope::new(&problem.network, needs)),
        stubborn: asked.engine.reduce && !matches!(problem.query, Query::Nonblocking),
        reduction,
        trap,
        portfolio,
        ..Finding::new(engine, verdict(&answer), query, run.effort(), components)
    };
    let dialect = &asked.models.reading.dialect;
    // Somebody who lost and has not noticed yet may still look at the problem.
    let problem = Arc::try_unwrap(problem).unwrap_or_else(|shared| (*shared).clone());
    let witness = witness.map(|(trace, _)| NetworkWitness::new(problem, origin, trace, dialect));
    Ok(Decision { certificate, ..Decision::new(finding, witness) })
}

/// An answer whose witness was replayed, who gave it, and what it took.
struct Solved {
    engine: String,
    answer: Answer,
    witness: Option<Replayed>,
    /// What was done to the network before.
    reduction: Option<Reduction>,
    /// The run of who answered, where that is one of its own.
    run: Option<Arc<Run>>,
    portfolio: Vec<Attempt>,
}

impl Solved {
    /// An answer that nothing shows.
    fn bare(engine: &str, answer: Answer) -> Self {
        let engine = engine.to_owned();
        Self { engine, answer, witness: None, reduction: None, run: None, portfolio: Vec::new() }
    }
}

/// The answer of the engine that was asked for, or of the first that takes the problem.
fn by_engine(
    asked: &NetworkQuestion<'_>,
    problem: &Arc<Problem>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Solved, Failure> {
    let engine = match asked.engine.choose(problem) {
        Ok(engine) => engine,
        // A refusal is an answer too, and is reported like one.
        Err(Failure::Refused(why)) => {
            return Ok(Solved::bare(&asked.engine.name, Answer::Unknown(Why::Refused(why.to_string()))));
        }
        Err(failure) => return Err(failure),
    };
    let (models, components) = (asked.models.names().join(" "), problem.network.components().len());
    observer.remark(&format!("{models}: {}, engine {}", counted(components, "component"), engine.name()));
    let solved = || solve(asked, &*engine, problem, run, observer);
    let (answer, reduction) = observer.during(run, engine.name(), solved)?;
    let (answer, witness) = check_evidence(problem, answer)?;
    let engine = engine.name().to_owned();
    Ok(Solved { engine, answer, witness, reduction, run: None, portfolio: Vec::new() })
}

/// An engine's name, its answer and the witness, replayed.
type Entered = (&'static str, Answer, Option<Replayed>);

/// The answer of whoever has one first.
fn by_contest(
    asked: &NetworkQuestion<'_>,
    problem: &Arc<Problem>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Solved, Failure> {
    // Options of one engine are for nobody in particular.
    asked.engine.named()?;
    let lineup = rules::for_network(&problem.query, &Shape::of(problem));
    let contestants: Vec<Contestant<Entered>> =
        lineup.iter().filter_map(|entry| contestant(entry, asked.engine, problem)).collect();
    if contestants.is_empty() {
        return by_engine(asked, problem, run, observer);
    }
    let (models, components) = (asked.models.names().join(" "), problem.network.components().len());
    let names: Vec<&str> = contestants.iter().map(|contestant| contestant.name).collect();
    observer.remark(&format!("{models}: {}, engines {}", counted(components, "component"), names.join(", ")));
    let contest = contest(contestants, run, observer)?;
    let why = contest.reason();
    let Contest { won, attempts: portfolio } = contest;
    Ok(match won {
        Some(((engine, answer, witness), own)) => {
            Solved { engine: engine.into(), answer, witness, reduction: None, run: Some(own), portfolio }
        }
        None => Solved { portfolio, ..Solved::bare("auto", Answer::Unknown(why)) },
    })
}

/// An engine that takes the problem, as one of several.
fn contestant(entry: &Entry, choice: &EngineChoice, problem: &Arc<Problem>) -> Option<Contestant<Entered>> {
    let (choice, shares) = (choice.entry(entry), choice.shares(entry));
    choice.choose(problem).ok()?;
    let problem = problem.clone();
    let work = move |run: &Run| {
        let engine = choice.choose(&problem)?;
        match check_evidence(&problem, engine.solve(&problem, run))? {
            (Answer::Unknown(why), _) => Ok(Found::Nothing(why)),
            (answer, witness) => Ok(Found::Answer((engine.name(), answer, witness))),
        }
    };
    Some(Contestant { name: entry.name, shares, work: Box::new(work) })
}

fn verdict(answer: &Answer) -> Verdict {
    match answer {
        Answer::True(_) => Verdict::True,
        Answer::False(_) => Verdict::False,
        Answer::Unknown(why) => Verdict::Unknown(why.clone()),
    }
}

/// The engine's answer, on smaller components where `prequel spin` makes them; a witness is lifted back.
fn solve(
    asked: &NetworkQuestion<'_>,
    engine: &dyn Engine,
    problem: &Problem,
    run: &Run,
    observer: &dyn Observer,
) -> Result<(Answer, Option<Reduction>), Failure> {
    let Some(before) = asked.before else { return Ok((engine.solve(problem, run), None)) };
    let transform = before.reduction.transform(&problem.network, before.options())?;
    let (reducing, before_it) = (run.again(), run.elapsed());
    let smaller = match transform.apply(problem, &reducing) {
        Ok(smaller) => smaller,
        Err(Stop::Refused(why)) => return Err(why.into()),
        Err(Stop::Limit(why)) => return Ok((Answer::Unknown(why), None)),
        Err(Stop::Broken(why)) => return Err(Failure::Internal(why.to_string())),
    };
    let time = reducing.elapsed().saturating_sub(before_it);
    run.phase("reduce", time);
    let (own, small) = (&problem.network, &smaller.problem.network);
    let changes = ProcessChange::all(own, small, &smaller.replaced);
    observer.say(&ProcessChange::table(&changes));
    let reduction = Reduction { processes: Ok(changes), time };
    let lift = |evidence| match evidence {
        Evidence::Witness(trace) => smaller.lift(&trace).map(Evidence::Witness),
        other => Ok(other),
    };
    let answer = engine.solve(&smaller.problem, run);
    if before.compare {
        let beside = run.again();
        let original = engine.solve(problem, &beside);
        for (what, answer, run) in [("original", &original, &beside), ("smaller", &answer, run)] {
            let (effort, word) = (run.effort(), answer.word());
            let search = effort.phases.iter().find(|(name, _)| *name == "search").map_or(0.0, |(_, seconds)| *seconds);
            let (states, transitions) = (effort.states_total, effort.transitions);
            observer.say(&format!(
                "SPIN on the {what} model: {word}, {states} states, {transitions} transitions, {search:.3} s of search"
            ));
        }
    }
    let lifted = match answer {
        Answer::True(evidence) => lift(evidence).map(Answer::True),
        Answer::False(evidence) => lift(evidence).map(Answer::False),
        unknown => Ok(unknown),
    };
    lifted.map(|answer| (answer, Some(reduction))).map_err(|why| Failure::Internal(why.to_string()))
}

/// A witness, and the global state at its end.
pub type Replayed = (Trace, Vec<StateId>);

/// The witness of an answer, replayed. One that does not replay never leaves the program, nor does a verdict that needs one and has
/// none; and an answer whose witness cannot be checked is none.
pub fn check_evidence(problem: &Problem, answer: Answer) -> Result<(Answer, Option<Replayed>), Failure> {
    let (Answer::True(Evidence::Witness(trace)) | Answer::False(Evidence::Witness(trace))) = &answer else {
        if answer.word() == problem.query.witness_shows().to_string() {
            return Err(Failure::Internal("there is no witness for a verdict that needs one".into()));
        }
        return Ok((answer, None));
    };
    match evidence::witness::check(problem, trace) {
        Ok(last) => {
            let replayed = (trace.clone(), last);
            Ok((answer, Some(replayed)))
        }
        Err(why @ evidence::witness::Rejected::TooLarge { .. }) => {
            let steps = counted(trace.steps.len(), "step");
            let why = format!("a witness of {steps} was found but not checked: {why}");
            Ok((Answer::Unknown(Why::Incomplete(why)), None))
        }
        Err(why) => Err(Failure::Internal(format!("the witness does not show the verdict: {why}"))),
    }
}
