//! `conflict`: compositional verification of nonblocking, with counterexamples.
//!
//! R. Malik, S. Ware: *On the Computation of Counterexamples in Compositional Nonblocking Verification* (2020), with the abstraction rules of
//! H. Flordal, R. Malik: *Compositional Verification in Supervisory Control* (2009).
//!
//! | step of the paper | here |
//! | --- | --- |
//! | compositional abstraction (2.3) | `verify` |
//! | which machines are composed | `choose` |
//! | hiding, synchronous composition (3.1) | `Fsm::hidden`, `fsm::compose` |
//! | abstraction rules (3.4, 3.5) | `rules`, one file each |
//! | special events | `special` |
//! | Algorithm 1, expansion | `expand` |
//! | Algorithm 2, extension | `extend` |
//! | Algorithm 3, LC-pairs | `less_conflicting` |
//! | undoing one step after the other | `history` |
//!
//! # Departures, and why
//!
//! - A counterexample is kept as a word and last states, not as a path of the whole system: silent steps of one machine are found again when it
//!   is expanded. So nothing need be guessed about who took a silent step, and one expansion undoes all rules that were applied to a
//!   machine in a row.
//! - The last composition is not abstracted: the shortest way to a blocking state is looked for in it as it is.
//! - A machine that meets nobody is decided by itself, and an initial state that blocks decides at once.
//! - Where an extension becomes too large, the system is verified again without certain conflicts: then none is needed.
//! - What the algorithms give is made shorter afterwards: `shorten`. Few components often block by themselves (`core`); what the others did
//!   is left out.

mod breadth;
mod choose;
mod core;
mod expand;
mod extend;
mod fsm;
mod history;
mod less_conflicting;
mod options;
mod rules;
mod shorten;
mod special;
#[cfg(test)]
mod tests;
mod verify;

pub use choose::{Candidates, Select};
pub use history::Back;
pub use options::Options;
pub use rules::Rule;

use super::minimise;
use super::option;
use super::otf::Otf;
use super::weave::weave;
use super::{Engine, EngineOption};
use extend::Stop;
use fsm::Fsm;
use prequel_model::run::{Limits, Run};
use prequel_model::{Answer, Evidence, Problem, Trace, Transition, Why};
use verify::verify;

/// States that a proof may take for each that was explored before, and at least.
const PROOF: u64 = 10;
const LEAST_PROOF: u64 = 1 << 16;

/// The engine and its options.
#[derive(Clone, Debug, Default)]
pub struct Conflict {
    /// How it works.
    pub options: Options,
}

impl Engine for Conflict {
    fn name(&self) -> &'static str {
        "conflict"
    }

    fn about(&self) -> &'static str {
        "composes a few at a time and abstracts, as nonblocking allows it; counterexamples are expanded again"
    }

    fn queries(&self) -> &'static [&'static str] {
        &["nonblocking"]
    }

    fn options(&self) -> Vec<EngineOption> {
        option::list(options::OPTIONS)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        option::set(options::OPTIONS, &mut self.options, name, value)
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        let found = self.decide(problem, run).map(|found| match found {
            Some(trace) => Some(Evidence::Witness(trace)),
            None if run.proves() => proof(problem, run),
            None => None,
        });
        Answer::found(&problem.query, found)
    }
}

impl Conflict {
    /// A path to a blocking state, if there is one.
    fn decide(&self, problem: &Problem, run: &Run) -> Result<Option<Trace>, Why> {
        let network = &problem.network;
        let machines: Vec<Fsm> = network.components().iter().map(Fsm::of).collect();
        let labels = network.labels().len();
        let Some((history, found)) = verified(machines, labels, &self.options, run)? else { return Ok(None) };
        let steps = |at| history.run(at, &found).expect("every machine has a run on the word").steps;
        let runs: Vec<Vec<Transition>> = (0..network.components().len()).map(steps).collect();
        let trace = weave(network, &found.word, &runs);
        if self.options.shorten == 0 || trace.steps.is_empty() {
            return Ok(Some(trace));
        }
        if let Some(shortest) = self.shortest(problem, run) {
            return Ok(Some(shortest));
        }
        // A limit that ends the search for a shorter one does not take back the one that is there.
        Ok(Some(shorten::shorten(network, &trace, self.options.shorten, run).unwrap_or(trace)))
    }

    /// A shortest counterexample, where the whole system has few states.
    fn shortest(&self, problem: &Problem, run: &Run) -> Option<Trace> {
        let mut bounded = run.again();
        bounded.limits.states = Some(self.options.shorten / 2);
        let answer = Otf::default().solve(problem, &bounded);
        run.add(&bounded.effort());
        match answer {
            Answer::False(Evidence::Witness(trace)) => Some(trace),
            _ => None,
        }
    }
}

/// A proof of what was found without one: the rules allow what a checker cannot tell from the two systems alone, so the system is put
/// together again, by steps that keep all that can be reached.
fn proof(problem: &Problem, run: &Run) -> Option<Evidence> {
    let states = run.effort().states_total.saturating_mul(PROOF) + LEAST_PROOF;
    let own = run.within(Limits { states: Some(states), ..run.limits.clone() });
    let proof = minimise::nonblocking(&problem.network, &own);
    run.add(&own.effort());
    proof.map(|proof| Evidence::Derivation(Box::new(proof)))
}

/// As [`verify`], and again without certain conflicts where an extension becomes too large.
fn verified(
    machines: Vec<Fsm>,
    labels: usize,
    options: &Options,
    run: &Run,
) -> Result<Option<(history::History, history::Counterexample)>, Why> {
    match verify(machines.clone(), labels, options, run) {
        Ok(found) => Ok(found),
        Err(Stop::Limit(why)) => Err(why),
        Err(Stop::TooLarge) => {
            let mut without = options.clone();
            without.rules.retain(|&rule| rule != Rule::CertainConflicts);
            without.back = Back::Expansion;
            match verify(machines, labels, &without, run) {
                Ok(found) => Ok(found),
                Err(Stop::Limit(why)) => Err(why),
                Err(Stop::TooLarge) => unreachable!("nothing is extended without certain conflicts"),
            }
        }
    }
}
