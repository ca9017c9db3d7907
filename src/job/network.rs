//! Questions about a network: an engine answers, and nothing is believed before its witness was replayed.

use super::certificate::{CertificateForm, certificate};
use super::decision::{Decision, SavedCertificate};
use super::des;
use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::finding::{Finding, ProcessChange, Reduction};
use super::models::Models;
use super::observer::Observer;
use super::portfolio::rules::{Entry, Shape};
use super::portfolio::{Attempt, Contest, Contestant, Found, contest};
use super::question::Question;
use super::scope::Scope;
use super::spin::BeforeSpin;
use super::witness::NetworkWitness;
use super::words::counted;
use prequel_engine::Engine;
use prequel_engine::transform::Stop;
use prequel_evidence::witness::{NetworkRun, Rejected};
use prequel_evidence::{Checked, Verdict};
use prequel_model::run::Run;
use prequel_model::{Answer, Evidence, Origin, Problem, Query, Why};
use std::borrow::Borrow;
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
    /// How what the verdict rests on is to be written down, if it is.
    pub certificate: Option<CertificateForm>,
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
    if asked.certificate == Some(CertificateForm::Json) {
        run.prove();
    }
    let solved = if !asked.starts {
        Solved::new("none", &problem, Answer::found(&problem.query, Ok(None)))?
    } else if asked.engine.is_auto() && asked.before.is_none() && run.limits.states.is_none() {
        by_contest(asked, &problem, run, observer)?
    } else {
        by_engine(asked, &problem, run, observer)?
    };
    let Solved { engine, answer, mut verdict, witness, reduction, run: own, portfolio } = solved;
    let run = own.as_deref().unwrap_or(run);
    let trap = match (&problem.query, &witness) {
        (Query::Nonblocking, Some(witness)) => Some(des::trap(&problem.network, witness.end())),
        _ => None,
    };
    let unasked = if matches!(problem.query, Query::Nonblocking) { des::STATED } else { "the formula" };
    let query = asked.question.text().unwrap_or_else(|| unasked.into());
    let certificate = match asked.certificate.filter(|_| verdict.holds().is_some()) {
        Some(form) => certificate(&problem, &query, &answer, form, run)?,
        None => None,
    };
    if let Some(shown) = certificate.as_ref().and_then(SavedCertificate::verdict) {
        verdict = shown.clone();
    }
    let finding = Finding {
        components_used: run.needed().map_or(components, |needs| needs.components.len()),
        scope: run.needed().map(|needs| Scope::new(&problem.network, needs)),
        stubborn: asked.engine.reduce && !matches!(problem.query, Query::Nonblocking),
        reduction,
        trap,
        portfolio,
        ..Finding::new(engine, verdict, query, run.effort(), components)
    };
    let dialect = &asked.models.reading.dialect;
    let witness = witness.map(|witness| NetworkWitness::new(witness, origin, dialect));
    Ok(Decision { certificate, ..Decision::new(finding, witness) })
}

/// An answer whose witness was replayed, who gave it, and what it took.
struct Solved {
    engine: String,
    answer: Answer,
    verdict: Verdict,
    witness: Option<Checked<NetworkRun>>,
    /// What was done to the network before.
    reduction: Option<Reduction>,
    /// The run of who answered, where that is one of its own.
    run: Option<Arc<Run>>,
    portfolio: Vec<Attempt>,
}

impl Solved {
    /// An answer, once its witness was replayed.
    fn new(engine: &str, problem: &Arc<Problem>, answer: Answer) -> Result<Self, Failure> {
        let ((verdict, witness), engine) = (check_evidence(problem.clone(), &answer)?, engine.to_owned());
        Ok(Self { engine, answer, verdict, witness, reduction: None, run: None, portfolio: Vec::new() })
    }

    /// That there is no answer.
    fn open(engine: &str, why: Why) -> Self {
        let (engine, answer, verdict) = (engine.to_owned(), Answer::Unknown(why.clone()), Verdict::Unknown(why));
        Self { engine, answer, verdict, witness: None, reduction: None, run: None, portfolio: Vec::new() }
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
            return Ok(Solved::open(&asked.engine.name, Why::Refused(why.to_string())));
        }
        Err(failure) => return Err(failure),
    };
    let (models, components) = (asked.models.names().join(" "), problem.network.components().len());
    observer.remark(&format!("{models}: {}, engine {}", counted(components, "component"), engine.name()));
    let solved = || solve(asked, &*engine, problem, run, observer);
    let (answer, reduction) = observer.during(run, engine.name(), solved)?;
    Ok(Solved { reduction, ..Solved::new(engine.name(), problem, answer)? })
}

/// The answer of whoever has one first.
fn by_contest(
    asked: &NetworkQuestion<'_>,
    problem: &Arc<Problem>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Solved, Failure> {
    // Options of one engine are for nobody in particular.
    asked.engine.named()?;
    let lineup = Shape::of(problem).lineup;
    let contestants: Vec<Contestant<Solved>> =
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
        Some((solved, own)) => Solved { run: Some(own), portfolio, ..solved },
        None => Solved { portfolio, ..Solved::open("auto", why) },
    })
}

/// An engine that takes the problem, as one of several.
fn contestant(entry: &Entry, choice: &EngineChoice, problem: &Arc<Problem>) -> Option<Contestant<Solved>> {
    let (choice, shares) = (choice.entry(entry), choice.shares(entry));
    choice.choose(problem).ok()?;
    let problem = problem.clone();
    let work = move |run: &Run| {
        let engine = choice.choose(&problem)?;
        let solved = Solved::new(engine.name(), &problem, engine.solve(&problem, run))?;
        Ok(match solved.verdict {
            Verdict::Unknown(why) => Found::Nothing(why),
            Verdict::True { .. } | Verdict::False { .. } => Found::Answer(solved),
        })
    };
    Some(Contestant { name: entry.name, shares, endless: false, work: Box::new(work) })
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

/// A verdict, and the witness that it rests on, if it does.
pub type Believed<P> = (Verdict, Option<Checked<NetworkRun<P>>>);

/// The verdict of an answer, and its witness where that is what it rests on. A witness that does not replay never leaves the program,
/// nor does a verdict that needs one and has none; and an answer whose witness cannot be checked is none.
pub fn check_evidence<P: Borrow<Problem>>(problem: P, answer: &Answer) -> Result<Believed<P>, Failure> {
    let query = &problem.borrow().query;
    let (holds, evidence) = match answer {
        Answer::True(evidence) => (true, evidence),
        Answer::False(evidence) => (false, evidence),
        Answer::Unknown(why) => return Ok((Verdict::Unknown(why.clone()), None)),
    };
    let Evidence::Witness(trace) = evidence else {
        if holds == query.witness_shows() {
            return Err(Failure::Internal("there is no witness for a verdict that needs one".into()));
        }
        return Ok((Verdict::absent(query), None));
    };
    match Checked::new(NetworkRun { problem, trace: trace.clone() }) {
        Ok(witness) if witness.verdict().holds() == Some(holds) => Ok((witness.verdict(), Some(witness))),
        Ok(witness) => {
            let (shown, said) = (witness.verdict().word(), answer.word());
            Err(Failure::Internal(format!("the witness shows that the verdict is {shown}, and not {said}")))
        }
        Err(why @ Rejected::TooLarge { .. }) => {
            let steps = counted(trace.steps.len(), "step");
            let why = format!("a witness of {steps} was found but not checked: {why}");
            Ok((Verdict::Unknown(Why::Incomplete(why)), None))
        }
        Err(why) => Err(Failure::Internal(format!("the witness does not show the verdict: {why}"))),
    }
}
