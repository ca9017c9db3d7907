//! `lazy`: looks only at the components that the question needs.
//!
//! L. Jezequel, D. Lime: *Lazy Reachability Analysis in Distributed Systems* (CONCUR 2016). The components that the goal mentions
//! are looked at alone. Where one reaches its share of the goal by labels that nobody else takes part in, it is done; else
//! a component that it would have to meet on the way is added. Components that are never added need not be looked at: they
//! can stand still.
//!
//! | step of the paper | here |
//! | --- | --- |
//! | partial states (Definition 8) | `goal::partial_states` |
//! | Algorithm 1, SOLVE | `solve::solve` |
//! | complete (Definition 12): a path that meets nobody else | `part::Part::companions` |
//! | the path that synchronises with few others (Section 4.1) | `part::Part::companions` |
//! | CONCRETISE and MERGE (Algorithms 2 and 3): a component, or the part that it is in, is added | `part::Part::join` |
//! | trimming (Section 4.1) | `part::Part::join` |
//!
//! **Departures.** With several partial states, Algorithm 1 is wrong: different parts may reach different ones
//! (`lazy-multi-goal`). Here each is asked for on its own. Parts stay disjoint: a component that another part has is not copied,
//! the parts are joined. Products are computed completely, as in the paper's prototype, so that nothing has to be taken back.
//!
//! **Beyond the paper.** Between additions, what has become private is hidden and the part is minimised modulo the words of its
//! interface that reach the goal. That is sound as long as a label is hidden only when all who take part in it are in the part
//! (`lazy-early-hide`) and labels that nobody can do any more stay in the alphabet (`lazy-blocked-after-trim`). Families in which
//! every component is needed, like token rings, become polynomial. `minimise=off` is the prototype. A safety question is one of
//! whether its monitor reaches a marked state.

mod goal;
mod part;
mod solve;
mod witness;

use super::{Engine, EngineOption};
use crate::engine::run::Run;
use crate::model::{Answer, Evidence, Goal, Problem, Query, Why};
pub use part::Next;
use solve::{Found, System};

/// The engine and its options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lazy {
    /// Whether parts are minimised between additions.
    pub minimise: bool,
    /// Which of the components on a path is added.
    pub next: Next,
}

impl Default for Lazy {
    fn default() -> Self {
        Self { minimise: true, next: Next::Interface }
    }
}

const OPTIONS: &[EngineOption] = &[
    EngineOption {
        name: "minimise",
        values: "on|off",
        default: "on",
        about: "hide what is private and minimise between additions; off: complete products, as in the paper's prototype",
    },
    EngineOption {
        name: "next",
        values: "interface|first",
        default: "interface",
        about: "add the component that leaves the fewest labels open, or the first one on the path",
    },
];

impl Engine for Lazy {
    fn name(&self) -> &'static str {
        "lazy"
    }

    fn about(&self) -> &'static str {
        "looks only at the components that the question needs; the answer holds for larger systems too"
    }

    fn queries(&self) -> &'static [&'static str] {
        &["reach", "safety"]
    }

    fn options(&self) -> &'static [EngineOption] {
        OPTIONS
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match (name, value) {
            ("minimise", "on") => self.minimise = true,
            ("minimise", "off") => self.minimise = false,
            ("minimise", _) => return Err(format!("`{value}` is neither on nor off")),
            ("next", "interface") => self.next = Next::Interface,
            ("next", "first") => self.next = Next::First,
            ("next", _) => return Err(format!("`{value}` is neither interface nor first")),
            _ => return Err(format!("there is no option `{name}`")),
        }
        Ok(())
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        Answer::found(&problem.query, self.decide(problem, run))
    }
}

impl Lazy {
    /// The witness, if there is one.
    fn decide(&self, problem: &Problem, run: &Run) -> Result<Option<Evidence>, Why> {
        let network = &problem.network;
        let (system, goal) = match &problem.query {
            Query::Reach(goal) => (System::new(network, None), goal.clone()),
            Query::Safety(monitor) => {
                let system = System::new(network, Some(&monitor.automaton));
                let accepting = monitor.automaton.lts.marked().collect();
                (system, Goal::In(crate::model::ComponentId::new(network.components().len()), accepting))
            }
            Query::DeadlockFree | Query::Nonblocking => unreachable!("refused"),
        };
        let states = goal::partial_states(&goal, &system).map_err(|why| Why::Refused(format!("lazy: {why}")))?;
        let mut needed = Vec::new();
        for state in &states {
            match solve::solve(&system, state, self, run)? {
                Found::Reached(parts) => {
                    let (trace, labels) = witness::trace(network, &system, state, &parts, run)?;
                    let components = parts.iter().flat_map(|part| part.members.iter().copied());
                    run.needs(components.filter(|c| c.at() < network.components().len()).collect(), labels);
                    return Ok(Some(Evidence::Witness(trace)));
                }
                Found::Refuted(by) => needed.extend(by),
            }
        }
        needed.retain(|c| c.at() < network.components().len());
        run.needs(needed, Vec::new());
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
