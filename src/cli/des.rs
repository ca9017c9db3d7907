//! Queries on Supremica's files.

use super::exit::Failure;
use super::input::{QueryArgs, ReadingArgs};
use super::output::{Output, counted};
use prequel_engine::Refusal;
use prequel_engine::algo::trapped::Trapped;
use prequel_engine::des;
use prequel_model::des::Role;
use prequel_model::{Des, Network, Origin, Problem, Query, Step};
use serde_json::{Value, json};

/// What is asked where no query is given.
pub const STATED: &str = "nonblocking";

/// Puts a query to the system. One of which no state is reachable is refused: there is nothing to search.
pub fn problem(
    of: &Des,
    query: &QueryArgs,
    reading: &ReadingArgs,
    output: &Output,
) -> Result<(Problem, Origin), Failure> {
    if let Some(c) = of.without_start() {
        let name = &of.network.component(c).name;
        return Err(Refusal::new(format!("automaton `{name}` has no initial state: no state is reachable")).into());
    }
    question(of, query, reading, output)
}

/// Puts a query to the automata, whether anything is reachable or not; without one it is nonblocking.
pub fn question(
    of: &Des,
    query: &QueryArgs,
    reading: &ReadingArgs,
    output: &Output,
) -> Result<(Problem, Origin), Failure> {
    if query.controllable {
        return Ok(des::controllable(of));
    }
    if query.included {
        if of.with_role(|role| role == Role::Property).next().is_none() {
            let help = "only automata of kind PROPERTY are looked at";
            return Err(Failure::input("--included", "this file has no properties", help));
        }
        return Ok(des::included(of)?);
    }
    let (network, origin) = of.system();
    if query.nonblocking || query.text().is_none() {
        return Ok((Problem { network, query: Query::Nonblocking }, origin));
    }
    query.ask((network, origin), reading, output)
}

/// Where a blocking run ends up, in words.
pub fn tell(network: &Network, trapped: Option<&Trapped>) -> String {
    let Some(trapped) = trapped else {
        return "it ends where no marked state can be reached, though much can still happen".into();
    };
    let names = |steps: &[Step]| steps.iter().map(|s| network.labels().seen(s.label)).collect::<Vec<_>>().join(", ");
    if trapped.states == 1 && trapped.dead == 1 {
        return "it ends in a deadlock: nothing can happen, and not all components are marked".into();
    }
    let more = if trapped.more { "more than " } else { "" };
    let states = format!("{more}{}", counted(trapped.states, "state"));
    let dead = match trapped.dead {
        _ if trapped.more => String::new(),
        0 => String::new(),
        1 => ", one of them a deadlock".into(),
        dead => format!(", {dead} of them deadlocks"),
    };
    let way = if trapped.way.is_empty() { String::new() } else { format!("{}, then ", names(&trapped.way)) };
    if trapped.cycle.is_empty() {
        let way = names(&trapped.way);
        return format!(
            "it ends on the way to a deadlock: {states} can still be reached{dead}, none is marked\nfor example: {way}"
        );
    }
    format!(
        "it ends in a livelock: {states} can still be reached{dead}, none is marked\nfor example: {way}for ever {}",
        names(&trapped.cycle)
    )
}

/// The same for machines.
pub fn json(network: &Network, trapped: Option<&Trapped>) -> Value {
    let Some(trapped) = trapped else { return Value::Null };
    let names = |steps: &[Step]| steps.iter().map(|s| network.labels().seen(s.label)).collect::<Vec<_>>();
    json!({
        "kind": if trapped.cycle.is_empty() { "deadlock" } else { "livelock" },
        "states": trapped.states,
        "more_states": trapped.more,
        "deadlocks": trapped.dead,
        "way": names(&trapped.way),
        "cycle": names(&trapped.cycle),
    })
}
