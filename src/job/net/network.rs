//! Queries on a net through the network of its components: engines for networks answer, the witness is lifted back.

use super::{NetQuestion, NetWitness, about_markings, formulas, rejected};
use crate::job::decision::Decision;
use crate::job::failure::Failure;
use crate::job::finding::Finding;
use crate::job::models::Reading;
use crate::job::network::check_evidence;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::job::scope::Scope;
use crate::job::words::counted;
use crate::open::NetFile;
use prequel_engine::otf::Otf;
use prequel_engine::{Engine as _, Refusal};
use prequel_evidence::net::Firing;
use prequel_evidence::witness::NetworkRun;
use prequel_evidence::{Asked, Checked, Verdict};
use prequel_model::run::{Limits, Run, Watch};
use prequel_model::{Answer, Condition, Evidence, NetQuery, Origin, PlaceId, Problem, Query, Trace, TransitionId, Why};
use prequel_net::split::{Split, split_within};
use std::sync::Arc;

/// A net for commands that need a network. Units that hold one token only as the file says are looked at first.
pub fn as_network(file: &NetFile, run: &Run, observer: &dyn Observer) -> Result<Split, Failure> {
    let split = to_draw(file, &run.watch())?;
    observer.note(&format!("{}: {}", file.name, split.method));
    let Some(goal) = split.second_token() else { return Ok(split) };
    let problem = Problem { network: split.network.clone(), query: Query::Reach(goal) };
    let states = Some(run.limits.states.unwrap_or(MOST_STATES));
    let looking = run.within(Limits { states, ..run.limits.clone() });
    match observer.during(&looking, "units", || Otf::default().solve(&problem, &looking)) {
        Answer::False(_) => Ok(split),
        Answer::True(Evidence::Witness(trace)) => {
            Err(Refusal::new(second_token(file, &split, &problem, &trace)?).into())
        }
        Answer::True(_) => Err(Failure::Internal("a marking that is reached without a path".into())),
        Answer::Unknown(why) => {
            let why = format!(
                "{}: whether the units hold one token each was not found out: {why}; raise --states",
                file.name
            );
            Err(Refusal::new(why).into())
        }
    }
}

/// States that are looked at to find out whether units hold one token each, unless `--states` says otherwise.
const MOST_STATES: u64 = 10_000_000;

/// The query of a command on the network of a net.
pub fn problem(
    file: &NetFile,
    question: &Question,
    reading: &Reading,
    run: &Run,
    observer: &dyn Observer,
) -> Result<(Problem, Origin), Failure> {
    let split = as_network(file, run, observer)?;
    let asked = match (about_markings(file, question)?, formulas(file, question)?.as_slice()) {
        (None, [one]) => Some(one.query.clone().map_err(Refusal::new)?),
        (None, [_, _, ..]) => {
            return Err(Failure::input("formulas", "this is for one of them", "choose one with --formula NAME"));
        }
        (asked, _) => asked,
    };
    let query = match asked {
        None => return question.ask((split.network, split.origin), reading, observer),
        Some(NetQuery::Impossible(Condition::Dead)) => Query::DeadlockFree,
        Some(NetQuery::Possible(condition)) => Query::Reach(split.goal(&file.net, &condition).map_err(Refusal::new)?),
        Some(_) => {
            return Err(Refusal::new("a network is asked for markings that are reached (EF), or deadlocks").into());
        }
    };
    Ok((Problem { network: split.network, query }, split.origin))
}

/// The network, without a word about it.
pub fn to_draw(file: &NetFile, watch: &Watch) -> Result<Split, Failure> {
    split_within(&file.net, watch)
        .map_err(|why| Refusal::new(format!("{}: the net is not split into components: {why}", file.name)).into())
}

/// Decides a question about markings.
pub fn decide(
    asked: &NetQuestion<'_>,
    query: &NetQuery,
    text: String,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let refused = |why: String| refused(asked, why, text.clone(), run);
    let split = match split_within(&asked.file.net, &run.watch()) {
        Ok(split) => split,
        Err(why) => return Ok(refused(format!("the net is not split into components: {why}"))),
    };
    let goal = match query {
        NetQuery::Impossible(Condition::Dead) => Query::DeadlockFree,
        _ => match split.goal(&asked.file.net, query.condition()) {
            Ok(goal) => Query::Reach(goal),
            Err(why) => return Ok(refused(format!("{why}; the engine otf takes this question on the net itself"))),
        },
    };
    let shown = |_: Checked<NetworkRun>, sequence| asked.shown(query, sequence, &text);
    solve(asked, &split, (goal, query), &text, shown, run, observer)
}

/// Answers a question about labels, or one that markings alone do not tell.
pub fn labels(asked: &NetQuestion<'_>, text: String, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    let split = match split_within(&asked.file.net, &run.watch()) {
        Ok(split) => split,
        Err(why) => return Ok(refused(asked, format!("the net is not split into components: {why}"), text, run)),
    };
    let read = (split.network.clone(), split.origin.clone());
    let (problem, _) = asked.question.ask(read, asked.reading, observer)?;
    let shown = |trace: Checked<NetworkRun>, sequence: Vec<TransitionId>| {
        let conclusion = format!("this run does not obey {text}");
        Ok(NetWitness::of_labels(asked.file.clone(), asked.fired(None, sequence)?, trace.verdict(), conclusion))
    };
    let query = &problem.query;
    solve(asked, &split, (query.clone(), query), &text, shown, run, observer)
}

/// Whether a sequence shows what a query about labels asks.
pub fn shows(
    file: &NetFile,
    sequence: &[TransitionId],
    question: &Question,
    reading: &Reading,
    observer: &dyn Observer,
) -> Result<Result<(), String>, Failure> {
    let split = to_draw(file, &Watch::default())?;
    let (problem, _) = question.ask((split.network.clone(), split.origin.clone()), reading, observer)?;
    let checked = Checked::new(NetworkRun { problem: &problem, trace: split.trace(sequence) });
    Ok(checked.map(|_| ()).map_err(|why| why.to_string()))
}

fn refused(asked: &NetQuestion<'_>, why: String, text: String, run: &Run) -> Decision {
    Decision::bare(Finding::new(&asked.engine.name, Verdict::Unknown(Why::Refused(why)), text, run.effort(), 1))
}

/// Which engine said what, or why none did.
type Said = Result<(&'static str, Answer), String>;

/// Lets an engine answer the question as it is put to the network, which stands for one about the net, once it has shown that the units
/// hold one token each where only the file says so.
fn solve(
    asked: &NetQuestion<'_>,
    split: &Split,
    (query, of_net): (Query, &impl Asked),
    text: &str,
    shown: impl FnOnce(Checked<NetworkRun>, Vec<TransitionId>) -> Result<NetWitness, Failure>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    observer.remark(&format!("{}: {}", asked.file.name, split.method));
    let count = split.network.components().len();
    let ask = |query: Query| -> Result<(Problem, Said), Failure> {
        let problem = Problem { network: split.network.clone(), query };
        let engine = match asked.engine.choose(&problem) {
            Ok(engine) => engine,
            Err(Failure::Refused(why)) => return Ok((problem, Err(why.to_string()))),
            Err(failure) => return Err(failure),
        };
        let answer = observer.during(run, engine.name(), || engine.solve(&problem, run));
        let name = engine.name();
        Ok((problem, Ok((name, answer))))
    };
    if let Some(goal) = split.second_token() {
        let (problem, answer) = ask(Query::Reach(goal))?;
        match answer {
            Ok((_, Answer::False(_))) => {}
            Ok((_, Answer::True(Evidence::Witness(trace)))) => {
                return Ok(refused(asked, second_token(asked.file, split, &problem, &trace)?, text.into(), run));
            }
            Ok((_, Answer::True(_))) => return Err(rejected("some unit gets a second token, and no path shows it")),
            Ok((name, Answer::Unknown(why))) => {
                return Ok(Decision::bare(Finding::new(name, Verdict::Unknown(why), text.into(), run.effort(), count)));
            }
            Err(why) => return Ok(refused(asked, why, text.into(), run)),
        }
    }
    let (problem, answer) = ask(query)?;
    let (name, answer) = match answer {
        Ok(answered) => answered,
        Err(why) => return Ok(refused(asked, why, text.into(), run)),
    };
    // A witness may show that something holds, or that it does not: on the net as on the network, or the other way round.
    let (verdict, witness) = match check_evidence(Arc::new(problem), &answer)? {
        (_, Some(trace)) => {
            let sequence = split.sequence(&trace.run().trace);
            let witness = shown(trace, sequence)?;
            (witness.verdict().clone(), Some(witness))
        }
        (open @ Verdict::Unknown(_), None) => {
            return Ok(Decision::bare(Finding::new(name, open, text.into(), run.effort(), count)));
        }
        (_, None) => (Verdict::absent(of_net), None),
    };
    let mut finding = Finding::new(name, verdict, text.into(), run.effort(), count);
    finding.stubborn = asked.engine.reduce;
    // Where units were looked at first, all of them were needed.
    if let Some(needs) = run.needed().filter(|_| split.second_token().is_none()) {
        finding.components_used = needs.components.len();
        finding.scope = Some(Scope::new(&split.network, needs));
    }
    Ok(Decision::new(finding, witness))
}

/// Says which places of a unit are marked together, once the path there was replayed.
fn second_token(file: &NetFile, split: &Split, problem: &Problem, trace: &Trace) -> Result<String, Failure> {
    let net = &file.net;
    let path = Checked::new(NetworkRun { problem, trace: trace.clone() }).map_err(rejected)?;
    let firing = Firing { net: net.clone(), query: None, sequence: split.sequence(trace) };
    let fired = Checked::new(firing).map_err(rejected)?;
    let (unit, marking) = (split.unit_with_second(path.end()), fired.end());
    let unit = unit.ok_or_else(|| rejected("no unit has a second token"))?;
    let of_unit = |p: PlaceId| net.units().is_some_and(|units| &*units.names[units.of_place[p.at()] as usize] == unit);
    let marked: Vec<String> = net
        .places()
        .filter(|&p| of_unit(p) && marking[p.at()] > 0)
        .map(|p| format!("`{}` ({})", net.place(p), marking[p.at()]))
        .collect();
    let (steps, marked) = (counted(trace.steps.len(), "step"), marked.join(", "));
    Ok(format!("the NUPN section says that the net is safe, but after {steps} unit `{unit}` holds {marked}"))
}
