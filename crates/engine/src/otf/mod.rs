//! `otf`: the product explored on the fly, breadth-first or depth-first, on one or more threads.
//!
//! The baseline of all five papers ("OTF" in the ICC paper) and the oracle of every other engine. A property or monitor is one
//! more component; a search for a deadlock, a goal or an accepting monitor is a search for a target state.
//!
//! | step | function |
//! | --- | --- |
//! | packed states and successors | [`crate::algo::product::Product`] |
//! | visited set | `store` |
//! | breadth-first by levels, shortest witness | `breadth::search` |
//! | depth-first | `depth::search` |
//! | stubborn sets guided by the question | `stubborn::Scratch` |
//! | from packed states to a trace | [`Product::step_between`] |
//! | programs that are run directly | [`program`] |
//! | markings of Petri nets | [`net`] |
//! | runs without an end: cycles with all marks, on one thread or several | `cycles::search_together`, of programs `program_cycles::search` |
//! | the same for formulas about networks and nets | [`temporal`] |
//! | a run along known steps, and the claim beside them | [`guided`] |
//! | from where no marked state can be reached | `nonblocking::search`; depth first by strongly connected components, `components::search` |
//!
//! Departure from the ICC paper: it checks without partial-order reduction; here `--no-por` gives that.

mod breadth;
mod components;
mod cycles;
mod depth;
mod graph;
pub mod guided;
pub mod net;
mod network;
mod nonblocking;
mod path;
pub mod program;
mod program_cycles;
mod space;
mod store;
mod stubborn;
pub mod temporal;

use super::Engine;
use crate::algo::product::Product;
use network::NetworkSpace;
use prequel_model::run::Run;
use prequel_model::{Answer, ComponentId, Evidence, Goal, Problem, Query, StateId, Why};
pub use space::{Expansion, Space};

/// The order of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Search {
    /// Level by level: the witness is a shortest one.
    #[default]
    Breadth,
    /// Deep first: one thread, and the witness is as long as it happens to be.
    Depth,
}

/// Why a search ended without an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A limit was reached.
    Limit(Why),
    /// States need more words than the space gives them.
    Outgrown,
}

impl From<Why> for Stop {
    fn from(why: Why) -> Self {
        Stop::Limit(why)
    }
}

/// A path of packed states from the initial one to a target, or to one that a target step leaves; `None` when there is no target.
pub fn search<S: Space>(space: &S, order: Search, run: &Run) -> Result<Option<Vec<Vec<u64>>>, Stop> {
    match order {
        Search::Breadth => breadth::search(space, run),
        Search::Depth => depth::search(space, run),
    }
}

/// The on-the-fly engine and its options.
#[derive(Clone, Copy, Debug)]
pub struct Otf {
    /// In which order.
    pub search: Search,
    /// Whether to explore only stubborn sets.
    pub reduce: bool,
}

impl Default for Otf {
    fn default() -> Self {
        Self { search: Search::Breadth, reduce: true }
    }
}

impl Otf {
    /// In this order, without reduction.
    pub fn plain(search: Search) -> Self {
        Self { search, reduce: false }
    }
}

impl Engine for Otf {
    fn name(&self) -> &'static str {
        "otf"
    }

    fn about(&self) -> &'static str {
        "explores the product on the fly; shortest witness, partial-order reduction, threads"
    }

    fn queries(&self) -> &'static [&'static str] {
        &["deadlock-free", "reach", "safety", "nonblocking"]
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        let network = &problem.network;
        let mut parts: Vec<_> = network.components().iter().collect();
        let monitored;
        let target = match &problem.query {
            Query::DeadlockFree => None,
            Query::Reach(goal) => Some(goal),
            Query::Safety(monitor) => {
                let accepting: Vec<StateId> = monitor.automaton.lts.marked().collect();
                monitored = Goal::In(ComponentId::new(parts.len()), accepting);
                parts.push(&monitor.automaton);
                Some(&monitored)
            }
            Query::Nonblocking => return nonblocking::answer(problem, self.search, run),
        };
        let space = NetworkSpace { product: Product::new(network.labels().len(), parts), target, reduce: self.reduce };
        let found = search(&space, self.search, run);
        let shows = problem.query.witness_shows();
        match found {
            Err(Stop::Limit(why)) => Answer::Unknown(why),
            Err(Stop::Outgrown) => unreachable!("the states of a product all have the same size"),
            Ok(None) if shows => Answer::False(Evidence::Exhausted),
            Ok(None) => Answer::True(Evidence::Exhausted),
            Ok(Some(path)) => {
                let trace = Evidence::Witness(space.trace(&path, network.components().len()));
                if shows { Answer::True(trace) } else { Answer::False(trace) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::find;
    use prequel_model::run::Limits;

    /// Large enough for every worker to get portions of many levels and for the store to grow many times.
    #[test]
    fn threads_change_neither_states_nor_transitions() {
        for (family, size) in [("philo", 9), ("philo-dict", 8), ("cyclic", 6), ("counter", 13)] {
            let network = (find(family).expect("a family").build)(size, 0).network;
            let problem = Problem { network, query: Query::Reach(Goal::Or(vec![])) };
            let counts = [1, 2, 3].map(|threads| {
                let run = Run::new(Limits { threads, ..Limits::default() }, 0);
                let engine = Otf { search: Search::Breadth, reduce: false };
                assert!(matches!(engine.solve(&problem, &run), Answer::False(Evidence::Exhausted)));
                (run.effort().states_total, run.effort().transitions)
            });
            assert!(counts[0].0 > 5_000, "{family}: {} states are too few to tell", counts[0].0);
            assert!(counts.iter().all(|c| *c == counts[0]), "{family}: {counts:?}");
        }
    }
}
