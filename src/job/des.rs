//! Questions about Supremica's files.

use super::failure::Failure;
use super::finding::Trap;
use super::models::Reading;
use super::observer::Observer;
use super::question::Question;
use prequel_engine::Refusal;
use prequel_engine::algo::trapped::trapped;
use prequel_engine::des;
use prequel_model::des::Role;
use prequel_model::{Des, Network, Origin, Problem, Query, StateId, Step};

/// States after a blocking one that are looked at to tell what can still happen.
const MOST_TRAPPED: u64 = 1 << 12;

/// What is asked where no question is given.
pub const STATED: &str = "nonblocking";

/// Puts a question to the system. One of which no state is reachable is refused: there is nothing to search.
pub fn problem(
    of: &Des,
    asked: &Question,
    reading: &Reading,
    observer: &dyn Observer,
) -> Result<(Problem, Origin), Failure> {
    if let Some(c) = of.without_start() {
        let name = &of.network.component(c).name;
        return Err(Refusal::new(format!("automaton `{name}` has no initial state: no state is reachable")).into());
    }
    question(of, asked, reading, observer)
}

/// Puts a question to the automata, whether anything is reachable or not; without one it is nonblocking.
pub fn question(
    of: &Des,
    asked: &Question,
    reading: &Reading,
    observer: &dyn Observer,
) -> Result<(Problem, Origin), Failure> {
    if *asked == Question::Controllable {
        return Ok(des::controllable(of));
    }
    if *asked == Question::Included {
        if of.with_role(|role| role == Role::Property).next().is_none() {
            let help = "only automata of kind PROPERTY are looked at";
            return Err(Failure::input("--included", "this file has no properties", help));
        }
        return Ok(des::included(of)?);
    }
    let (network, origin) = of.system();
    if matches!(asked, Question::Nonblocking | Question::Stated) {
        return Ok((Problem { network, query: Query::Nonblocking }, origin));
    }
    asked.ask((network, origin), reading, observer)
}

/// What can still happen in a state from which no marked one can be reached.
pub fn trap(network: &Network, from: &[StateId]) -> Trap {
    let Some(found) = trapped(network, from, MOST_TRAPPED) else { return Trap::Large };
    let names =
        |steps: &[Step]| steps.iter().map(|step| network.labels().seen(step.label).to_owned()).collect::<Vec<_>>();
    let (way, cycle) = (names(&found.way), names(&found.cycle));
    Trap::Known { states: found.states, more: found.more, dead: found.dead, way, cycle }
}
