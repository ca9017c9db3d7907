//! `icc`: incremental counterexample construction.
//!
//! A. Wijs and T. Neele, *Compositional Model Checking with Incremental Counter-Example Construction*, CAV 2017. One component
//! after the other is checked alone with the property, beside words that were selected from those before it; what fails is
//! ruled out for good or for the present context. No check holds more than one whole component.
//!
//! | paper | here |
//! | --- | --- |
//! | Algorithm 1, lines 1–14 | `search::Search::run` |
//! | Check_i (line 3), Check'_l (line 10), Check'' | `search`: `check`, `blame`, `reject`, all explored by `check::Check::explore` |
//! | L_i from the explored space (line 5, steps 1–3 of 3.1) | `search::accepted_words` |
//! | P↓A, M_i↓A: hide and determinise | `abstraction` |
//! | ¬a and ¬accept annotations, constraint LTS (3.2) | `restriction::constraint` |
//! | updating R_i: language intersection (Definition 8) | `restriction::both` |
//! | initial order by dependency, next component (4) | `order` |
//! | moving a component left after a failure (4) | `search::go_back` |
//! | persistent restrictions (4) | `search::reject` |
//! | Check^1 for all components at once, beyond the paper | `level` |
//! | checks that were explored before, beyond the paper | `reuse` |
//! | parallel ICC (future work in 7) | `race.rs` |
//!
//! # Departures, and why
//!
//! - Check'_l and Check'' use R0 of the failing component. The paper uses R, which was learned beside all selections: with it,
//!   counterexamples are lost.
//! - A state accepts if *every* selection, the restriction and the property accept. The paper passes over those without
//!   accepting states: then an unsatisfiable property is violated, and a restriction that rejects everything is ignored.
//! - Alphabets are declared, not read off transitions: a selection keeps its component's alphabet, or what it blocks would
//!   become free. Only hiding shrinks an alphabet.
//! - Everything behind the blamed place is reset, whether it moved or not.
//! - The printed algorithm need not end. `budget` bounds how often a place may select a part of what it can do; then it selects
//!   all of it, so its rejection is final. That makes it finite, not short: after `checks` checks, or at a check of more than
//!   `largest` states, the product is explored. Components that keep each other in check have fewer states together than some of
//!   them alone; then there is no small check.
//! - Selections are put together and minimised (`context`): side by side they have as many states as a product. Where a place must
//!   select all that it can do, it selects all that its component can do (`whole`): what a check accepts of it remembers the
//!   context, and such memories multiply. After `patience` checks per component every selection is of this kind.
//! - Before all that, the question is asked with few labels and all components (`level`, an option): where these settle it there
//!   is nothing to select.
//! - Restrictions are over visible actions; tau leaves them alone. Selections too large to determinise are replaced by one word of
//!   them, constraints by the complement of the selection; both are always right.
//! - Reach and deadlock-freedom are put as safety (`safety`).

mod abstraction;
mod check;
mod context;
mod level;
mod options;
mod order;
mod restriction;
mod reuse;
mod search;

pub use options::{ClassOrder, Options};

use super::option;
use super::otf::Otf;
use super::safety::Safety;
use super::{Engine, EngineOption};
use crate::race;
use crate::race::{Lane, Most, Stop};
use prequel_model::run::Run;
use prequel_model::{Answer, Component, Evidence, Lts, Problem, StateId, Why};
use search::{Outcome, Search};

/// States that a subset construction may make before something simpler is done.
const SUBSETS: usize = 1 << 13;

/// The engine and its options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Icc {
    /// How it works.
    pub options: Options,
}

impl Engine for Icc {
    fn name(&self) -> &'static str {
        "icc"
    }

    fn about(&self) -> &'static str {
        "builds a counterexample component by component; every check is small; threads race orders"
    }

    fn queries(&self) -> &'static [&'static str] {
        &["deadlock-free", "reach", "safety"]
    }

    fn options(&self) -> Vec<EngineOption> {
        option::list(options::OPTIONS)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        option::set(options::OPTIONS, &mut self.options, name, value)
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        let safety = match Safety::within(problem, self.options.minimise, &run.watch()) {
            Ok(safety) => safety,
            Err(why) => return Answer::Unknown(why.of("icc")),
        };
        let shows = problem.query.witness_shows();
        let found = match (safety.can_be_bad(), safety.parts.is_empty()) {
            (false, _) => Ok(Outcome::Holds(safety.never_bad(run.proves()).map(Box::new))),
            // The property is on its own, and can accept.
            (true, true) => Ok(Outcome::Violated(Vec::new())),
            (true, false) => match self.level(&safety, run) {
                Ok(None) => {
                    race::race(run, usize::MAX, self.options.most(), |lane| self.search(&safety, lane, run.seed))
                }
                Ok(Some(outcome)) => Ok(outcome),
                Err(stop) => Err(stop),
            },
        };
        match found {
            Ok(Outcome::Holds(proof)) => {
                let evidence = proof.map_or(Evidence::Exhausted, Evidence::Derivation);
                if shows { Answer::False(evidence) } else { Answer::True(evidence) }
            }
            Ok(Outcome::Violated(word)) => {
                let witness = Evidence::Witness(safety.trace(&problem.network, &word));
                if shows { Answer::True(witness) } else { Answer::False(witness) }
            }
            Err(Stop::Limit(why)) => Answer::Unknown(why),
            Err(Stop::Spent | Stop::Outrun) => {
                Otf { reduce: self.options.reduce, ..Otf::default() }.solve(problem, run)
            }
        }
    }
}

impl Icc {
    /// The answer that few labels give, if they do.
    fn level(&self, safety: &Safety, run: &Run) -> Result<Option<Outcome>, Stop> {
        if self.options.level == 0 {
            return Ok(None);
        }
        race::alone(run, Most::UNBOUNDED, |lane| level::decide(safety, &self.options, run.seed, lane))
    }

    /// One lane of the race: the first takes the order that was asked for, the others each another one.
    fn search(&self, safety: &Safety, lane: &Lane, seed: u64) -> Result<Outcome, Stop> {
        let mut options = self.options;
        let asked = options.class_order;
        let others: Vec<ClassOrder> = [ClassOrder::Linked, ClassOrder::Small, ClassOrder::Given]
            .into_iter()
            .filter(|&order| order != asked)
            .collect();
        if lane.number() > 0 {
            options.class_order = others.get(lane.number() - 1).copied().unwrap_or(ClassOrder::Random);
        }
        let order = order::initial(&safety.parts, &safety.monitor, &options, seed.wrapping_add(lane.number() as u64));
        Search::new(safety, &options, order, lane).run()
    }

    /// Looks at few labels, then searches in one order, and gives what was learned on the way, also where a limit ended it.
    pub(crate) fn learn(&self, safety: &Safety, run: &Run) -> Learned {
        if safety.parts.is_empty() || !safety.can_be_bad() {
            return Learned { allowed: vec![None; safety.parts.len()], selected: None, stopped: None };
        }
        // Nothing is part of a counterexample where there is none.
        let holds = || {
            let nothing = Lts::new(StateId(0), 1, Vec::new());
            Learned { allowed: vec![Some(nothing); safety.parts.len()], selected: None, stopped: None }
        };
        if matches!(self.level(safety, run), Ok(Some(Outcome::Holds(_)))) {
            return holds();
        }
        let order = order::initial(&safety.parts, &safety.monitor, &self.options, run.seed);
        race::alone(run, self.options.most(), |lane| {
            let mut search = Search::new(safety, &self.options, order, lane);
            let ended = search.run();
            if matches!(ended, Ok(Outcome::Holds(_))) {
                return holds();
            }
            let violated = matches!(ended, Ok(Outcome::Violated(_)));
            Learned {
                allowed: search.persistent(),
                selected: if violated { search.selections().into_iter().collect() } else { None },
                stopped: match ended {
                    Err(Stop::Limit(why)) => Some(why),
                    _ => None,
                },
            }
        })
    }
}

/// What a search knows when it ends.
pub(crate) struct Learned {
    /// By part: the words that may be part of a counterexample, as a restriction; all of them where there is none.
    pub allowed: Vec<Option<Lts>>,
    /// By part: the words of the counterexamples that were found.
    pub selected: Option<Vec<Component>>,
    /// The limit that ended it.
    pub stopped: Option<Why>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::find;
    use prequel_model::run::Limits;
    use prequel_model::{Monitor, Query, Trace};

    /// The search alone.
    const SEARCH: Icc = Icc { options: Options { level: 0, ..Options::DEFAULT } };

    fn witness(problem: &Problem, threads: usize) -> Option<Trace> {
        let run = Run::new(Limits { threads, ..Limits::default() }, 5);
        match SEARCH.solve(problem, &run) {
            Answer::True(Evidence::Witness(trace)) | Answer::False(Evidence::Witness(trace)) => Some(trace),
            _ => None,
        }
    }

    /// Which lane wins is a matter of states, not of time.
    #[test]
    fn a_race_ends_the_same_every_time() {
        for (family, size) in [("philo", 3), ("random-chain", 7), ("random-ring", 6), ("dac", 5)] {
            let instance = (find(family).expect("a family").build)(size, 3);
            for asked in instance.queries {
                let problem = Problem { network: instance.network.clone(), query: asked.query };
                for threads in [1, 2, 4] {
                    let first = witness(&problem, threads);
                    assert!((0..5).all(|_| witness(&problem, threads) == first), "{family} {}", asked.text);
                }
            }
        }
    }

    #[test]
    fn a_spent_search_falls_back_to_the_product() {
        let instance = (find("token-ring").expect("a family").build)(5, 0);
        let problem = Problem { network: instance.network, query: instance.queries[0].query.clone() };
        let options = Options { checks: 3, ..SEARCH.options };
        let run = Run::new(Limits::default(), 0);
        assert!(matches!(Icc { options }.solve(&problem, &run), Answer::False(Evidence::Exhausted)));
        assert_eq!(run.effort().checks, 4);
    }

    /// A question that names no label of the network is about no component.
    #[test]
    fn what_names_no_label_needs_no_check() {
        let network = (find("token-ring").expect("a family").build)(5, 0).network;
        for (marked, answer) in [(false, "true"), (true, "false")] {
            let lts = Lts::new(StateId(0), 1, Vec::new()).with_marked(marked.then_some(StateId(0)));
            let query = Query::Safety(Monitor { automaton: Component::new("monitor", lts) });
            let run = Run::new(Limits::default(), 0);
            let problem = Problem { network: network.clone(), query };
            assert_eq!((Icc::default().solve(&problem, &run).word(), run.effort().checks), (answer, 0));
        }
    }

    /// The sizes that the paper reports: a check counts what it explores and the restrictions it holds.
    #[test]
    fn no_check_is_as_large_as_the_product() {
        let instance = (find("cyclic").expect("a family").build)(8, 0);
        let problem = Problem { network: instance.network, query: instance.queries[0].query.clone() };
        let (icc, otf) = (Run::new(Limits::default(), 0), Run::new(Limits::default(), 0));
        assert!(matches!(SEARCH.solve(&problem, &icc), Answer::True(Evidence::Witness(_))));
        assert!(matches!(Otf { reduce: false, ..Otf::default() }.solve(&problem, &otf), Answer::True(_)));
        assert!(icc.effort().states_peak * 2 < otf.effort().states_total, "{:?}", icc.effort());
    }
}
