//! Petri nets, asked about their markings: contestants, and the order in which they are asked where nobody names one.
//!
//! | contestant | what it does | what it can say |
//! | --- | --- | --- |
//! | [`otf`](crate::otf::net::explore) | level by level | found by a shortest sequence; absent |
//! | [`walk`] | random walks | found |
//! | [`depth`] | deep first | found; absent |
//! | [`structural`] | state equation and traps | absent, with a proof; a hint for walks |
//!
//! They take turns in rounds of growing size, counted in states and never by the clock: with one thread and one seed the answer
//! is the same in every run. What is small is decided by the first turn of `otf`, with a shortest sequence.

mod marking;
mod shorten;
pub mod structural;
pub mod walk;

pub use structural::{Structural, structural};
pub use walk::{walk, walk_along};

use crate::otf::net::{Explorer, Outcome};
use crate::otf::{Otf, Search};
use prequel_model::run::{Limits, Run};
use prequel_model::{Net, NetProof, NetQuery, Why};
use shorten::shorten;

/// States of the first turn of `otf`.
const FIRST: u64 = 1 << 14;
/// Each round has so many times the states of the one before.
const GROWTH: u64 = 8;
/// A walk's step costs less than a state that is stored: it has so many times more of them.
const STEPS_A_STATE: u64 = 8;
/// Of an unbounded net no more states are searched level by level.
const MOST_OF_INFINITE: u64 = 1 << 18;

/// Who came to which conclusion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// The contestant.
    pub by: &'static str,
    /// What it says.
    pub outcome: Outcome,
    /// What shows that nothing is to be found, where it was not searched for.
    pub proof: Option<NetProof>,
}

/// Deep first; what is found is made shorter.
pub fn depth(net: &Net, query: &NetQuery, how: Otf, run: &Run) -> Outcome {
    deep(&mut Explorer::new(net, run.seed), net, query, how, run)
}

fn deep(explorer: &mut Explorer<'_>, net: &Net, query: &NetQuery, how: Otf, run: &Run) -> Outcome {
    match explorer.explore(query, Otf { search: Search::Depth, ..how }, run) {
        Outcome::Found(sequence) => Outcome::Found(shorten(net, query, sequence)),
        other => other,
    }
}

/// Decides a query by all contestants in turns.
pub fn decide(net: &Net, query: &NetQuery, how: Otf, run: &Run) -> Decided {
    let mut contest = Contest { net, query, how, run, explorer: Explorer::new(net, run.seed), hint: None, is_open: true };
    if how.search == Search::Depth || matches!(query, NetQuery::Initially(_)) {
        let outcome = contest.explorer.explore(query, how, run);
        return Decided { by: "otf", outcome, proof: None };
    }
    let mut states = FIRST;
    loop {
        match contest.round(states) {
            Ok(()) => states = states.saturating_mul(GROWTH),
            Err(decided) => return decided,
        }
    }
}

/// What the contestants share.
struct Contest<'a> {
    net: &'a Net,
    query: &'a NetQuery,
    how: Otf,
    run: &'a Run,
    explorer: Explorer<'a>,
    /// How often to fire which transition, where `structural` has an idea.
    hint: Option<Vec<u64>>,
    /// `structural` has not come to an end.
    is_open: bool,
}

impl Contest<'_> {
    /// A turn for each; `Err` is the end.
    fn round(&mut self, states: u64) -> Result<(), Decided> {
        let allowed = self.run.limits.states.unwrap_or(u64::MAX);
        let why = self.turn("otf", states.min(allowed), |contest, run| {
            contest.explorer.explore(contest.query, contest.how, run)
        })?;
        let (net, query, how) = (self.net, self.query, self.how);
        self.turn("walk", states * STEPS_A_STATE, |_, run| walk(net, query, run))?;
        self.turn("depth", states, |contest, run| deep(&mut contest.explorer, net, query, how, run))?;
        self.prove(states)?;
        if let Some(hint) = self.hint.take() {
            self.turn("walk", states, |_, run| walk_along(net, query, &hint, run))?;
        }
        match why {
            Why::States(_) if states < allowed => Ok(()),
            Why::Incomplete(_) if states < MOST_OF_INFINITE.min(allowed) => Ok(()),
            why => Err(Decided { by: "otf", outcome: Outcome::Unknown(why), proof: None }),
        }
    }

    /// A turn of one contestant with so many states; gives why it did not decide.
    fn turn(
        &mut self,
        by: &'static str,
        states: u64,
        work: impl FnOnce(&mut Self, &Run) -> Outcome,
    ) -> Result<Why, Decided> {
        let own = self.run.within(Limits { states: Some(states), ..self.run.limits.clone() });
        let outcome = work(self, &own);
        self.run.add(&own.effort());
        match outcome {
            Outcome::Unknown(why) => {
                // A limit of the whole is the end for all.
                self.run.allowed().map_err(|why| Decided { by, outcome: Outcome::Unknown(why), proof: None })?;
                Ok(why)
            }
            outcome => Err(Decided { by, outcome, proof: None }),
        }
    }

    /// The turn of `structural`, as long as more work may help.
    fn prove(&mut self, states: u64) -> Result<(), Decided> {
        if !self.is_open {
            return Ok(());
        }
        let own = self.run.within(Limits { states: Some(states), ..self.run.limits.clone() });
        match structural(self.net, self.query, &own) {
            Structural::Proved(proof) => {
                Err(Decided { by: "structural", outcome: Outcome::Absent, proof: Some(proof) })
            }
            Structural::Hint(hint) => {
                (self.hint, self.is_open) = (Some(hint), false);
                Ok(())
            }
            Structural::Unknown(_) => Ok(()),
        }
    }
}
