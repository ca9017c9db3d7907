//! `lazy`: looks only at the components that the question needs.
//!
//! L. Jezequel, D. Lime: *Lazy Reachability Analysis in Distributed Systems* (CONCUR 2016). The components that the goal mentions
//! are looked at alone. Where one reaches its share of the goal by labels that nobody else takes part in, it is done; else
//! a component that it would have to meet on the way is added. Components that are never added need not be looked at: they
//! can stand still.
//!
//! | step of the paper | here |
//! | --- | --- |
//! | partial states (Definition 8) | `goal::alternatives` |
//! | Algorithms 1 and 2 on the fly, with FORGET | `on_the_fly`, over `level`; see there |
//! | Algorithm 1, SOLVE, with complete products (the paper's prototype) | `complete::solve` |
//! | complete (Definition 12): a path that meets nobody else | `part::Part::companions` |
//! | the path that synchronises with few others (Section 4.1) | `part::Part::companions`, `level::View::path` |
//! | which LTS to add | `next::choose` |
//! | CONCRETISE and MERGE (Algorithms 2 and 3): a component, or the part that it is in, is added | `part::Part::join` |
//! | trimming (Section 4.1) | `part::Part::join` |
//! | different choices tested in parallel (Section 5) | `Lazy::alternative`, `race.rs` |
//!
//! **Departures.** With several partial states, Algorithm 1 is wrong: different parts may reach different ones
//! (`lazy-multi-goal`). Here each is asked for on its own. Parts stay disjoint: a component that another part has is not copied,
//! the parts are joined. With complete products nothing has to be taken back.
//!
//! **Beyond the paper.** Between additions, what has become private is hidden and the part is minimised modulo the words of its
//! interface that reach the goal. That is sound as long as a label is hidden only when all who take part in it are in the part
//! (`lazy-early-hide`) and labels that nobody can do any more stay in the alphabet (`lazy-blocked-after-trim`). Families in which
//! every component is needed, like token rings, become polynomial. `minimise=off` is the prototype. A safety question is one of
//! whether its monitor reaches a marked state. Where nothing is reached, the components that show it are named: who wants to
//! check it needs only look at those.

mod complete;
mod goal;
mod level;
mod next;
mod on_the_fly;
mod part;
mod solve;
mod system;
mod witness;

use super::option;
use super::option::Declared;
use super::race::{Lane, Most, Stop, race};
use super::{Engine, EngineOption};
use goal::Alternative;
pub use next::Next;
pub use on_the_fly::Forget;
pub use part::Path;
use prequel_model::run::Run;
use prequel_model::{Answer, ComponentId, Evidence, Goal, Problem, Query, Why};
use solve::{Found, Share};
use system::System;

/// The engine and its options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lazy {
    /// Whether products are computed completely before a component is added.
    pub complete: bool,
    /// Whether parts are minimised between additions; only complete products are.
    pub minimise: bool,
    /// Which path to the goal says who is added.
    pub path: Path,
    /// Which of the components on a path is added.
    pub next: Next,
    /// What is forgotten when a path is taken back, which complete products never need.
    pub forget: Forget,
    /// How many paths of a part may be taken back before all are looked at together.
    pub patience: u64,
}

impl Default for Lazy {
    fn default() -> Self {
        let (path, next, forget) = (Path::Few, Next::Interface, Forget::Nothing);
        Self { complete: true, minimise: true, path, next, forget, patience: 16 }
    }
}

/// What can be set.
const OPTIONS: &[Declared<Lazy>] = &[
    Declared::switch(
        "complete",
        true,
        "compute products completely before a component is added; off: explore them on the fly, path by path",
        |o, on| o.complete = on,
    ),
    Declared::switch(
        "minimise",
        true,
        "hide what is private in complete products and minimise them; off: as in the paper's prototype",
        |o, on| o.minimise = on,
    ),
    Declared::choice(
        "path",
        "few|short",
        "few",
        "add a component of a path that meets few others, or of a shortest one",
        &[|o| o.path = Path::Few, |o| o.path = Path::Short],
    ),
    Declared::choice(
        "next",
        "interface|first",
        "interface",
        "add the component that leaves the fewest labels open, or the first one on the path",
        &[|o| o.next = Next::Interface, |o| o.next = Next::First],
    ),
    Declared::choice(
        "forget",
        "all|nothing",
        "nothing",
        "on the fly: what is forgotten of larger products when a path is taken back",
        &[|o| o.forget = Forget::All, |o| o.forget = Forget::Nothing],
    ),
    Declared::number(
        "patience",
        "16",
        "on the fly: paths of a part that may be taken back before all are looked at together",
        |o, n| o.patience = n,
    ),
];

/// How many alternatives there are to race.
const WAYS: usize = 8;

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

    fn options(&self) -> Vec<EngineOption> {
        option::list(OPTIONS)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        option::set(OPTIONS, self, name, value)
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        Answer::found(&problem.query, self.decide(problem, run).map(Some))
    }
}

/// How the question about a goal ends.
enum Outcome {
    /// This alternative's partial state is reached.
    Reached([usize; 2], Vec<Share>),
    /// For each alternative, who rules it out.
    Refuted(Vec<Vec<ComponentId>>),
}

impl Lazy {
    /// A witness, or who rules out that there is one.
    fn decide(&self, problem: &Problem, run: &Run) -> Result<Evidence, Why> {
        let network = &problem.network;
        let count = network.components().len();
        let watching;
        let (system, goal) = match &problem.query {
            Query::Reach(goal) => (System::new(network, None), goal),
            Query::Safety(monitor) => {
                let accepting = monitor.automaton.lts.marked().collect();
                watching = Goal::In(ComponentId::new(count), accepting);
                (System::new(network, Some(&monitor.automaton)), &watching)
            }
            Query::DeadlockFree | Query::Nonblocking => unreachable!("refused"),
        };
        let refused = |why| Why::Refused(format!("lazy: {why}"));
        let alternatives = goal::alternatives(goal, &system).map_err(refused)?;
        let search = |lane: &Lane<'_>| self.alternative(lane.number()).search(&system, &alternatives, lane);
        let outcome = race(run, WAYS, Most::UNBOUNDED, search).map_err(|stop| match stop {
            Stop::Limit(why) => why,
            Stop::Outrun | Stop::Spent => unreachable!("somebody wins, and all may go as far as they like"),
        })?;
        let of_network = |c: &ComponentId| c.at() < count;
        match outcome {
            Outcome::Reached([alternative, state], shares) => {
                let used = shares.iter().map(|share| share.component).filter(of_network).collect();
                let state = &alternatives[alternative].states[state];
                let (trace, labels) = witness::trace(network, &system, state, shares);
                run.needs(used, labels);
                Ok(Evidence::Witness(trace))
            }
            Outcome::Refuted(mut parts) => {
                for part in &mut parts {
                    part.retain(of_network);
                    part.sort_unstable();
                    part.dedup();
                }
                run.needs(parts.concat(), Vec::new());
                Ok(Evidence::Parts(parts))
            }
        }
    }

    /// The options of a lane: the first takes them as they are, each other differs in one more way.
    fn alternative(&self, lane: usize) -> Self {
        let mut options = *self;
        if lane & 1 != 0 {
            options.complete = !options.complete;
        }
        if lane & 2 != 0 {
            options.next = if options.next == Next::First { Next::Interface } else { Next::First };
        }
        if lane & 4 != 0 {
            options.path = if options.path == Path::Few { Path::Short } else { Path::Few };
        }
        options
    }

    fn search(&self, system: &System<'_>, alternatives: &[Alternative], lane: &Lane<'_>) -> Result<Outcome, Stop> {
        let mut parts = Vec::with_capacity(alternatives.len());
        for (at, alternative) in alternatives.iter().enumerate() {
            let mut part = alternative.torn.clone();
            for (number, state) in alternative.states.iter().enumerate() {
                match solve::solve(system, state, self, lane)? {
                    Found::Reached(shares) => return Ok(Outcome::Reached([at, number], shares)),
                    Found::Refuted(by) => part.extend(by),
                }
            }
            parts.push(part);
        }
        Ok(Outcome::Refuted(parts))
    }
}

#[cfg(test)]
mod tests;
