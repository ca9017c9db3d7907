//! Petri nets, asked about their markings: contestants, and the order in which they are asked where nobody names one.
//!
//! | contestant | what it does | what it can say |
//! | --- | --- | --- |
//! | [`otf`](crate::otf::net::explore) | level by level | found by a shortest sequence; absent |
//! | [`walk()`] | random walks | found |
//! | [`depth`] | deep first | found; absent |
//! | [`structural()`] | state equation and traps | absent, with a proof; a hint for walks |
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
use std::convert::Infallible;

/// States of the first turn of `otf`.
const FIRST: u64 = 1 << 14;
/// Each round has so many times the states of the one before.
const GROWTH: u64 = 8;
/// A walk's step costs less than a state that is stored: it has so many times more of them.
const STEPS_A_STATE: u64 = 8;
/// Of an unbounded net no more states are searched level by level.
const MOST_OF_INFINITE: u64 = 1 << 18;

/// Who came to which conclusion.
#[derive(Clone, PartialEq, Debug)]
pub struct Decided {
    /// The contestant.
    pub by: &'static str,
    /// What it says.
    pub outcome: Outcome,
    /// What shows that nothing is to be found, where it was not searched for.
    pub proof: Option<NetProof>,
    /// Who was asked, in the order of their first turns.
    pub asked: Vec<Asked>,
}

/// What became of a contestant that was asked.
#[derive(Clone, PartialEq, Debug)]
pub struct Asked {
    /// Who.
    pub name: &'static str,
    /// How long all its turns took.
    pub seconds: f64,
    /// Why it had no answer in the last of them.
    pub open: Option<Why>,
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
    let explorer = Explorer::new(net, run.seed);
    let mut contest = Contest { net, query, how, run, explorer, structural: Progress::Open, asked: Vec::new() };
    let End { by, outcome, proof } = if how.search == Search::Depth || matches!(query, NetQuery::Initially(_)) {
        End { by: "otf", outcome: contest.explorer.explore(query, how, run), proof: None }
    } else {
        contest.all(FIRST).expect_err("it goes on until there is an end")
    };
    Decided { by, outcome, proof, asked: contest.asked }
}

/// How a contest ends.
#[derive(Debug)]
struct End {
    by: &'static str,
    outcome: Outcome,
    proof: Option<NetProof>,
}

/// How far `structural` has come.
enum Progress {
    /// More work may help.
    Open,
    /// It has an idea how often to fire which transition.
    Hint(Vec<u64>),
    /// It has no more to say.
    Closed,
}

/// What the contestants share.
struct Contest<'a> {
    net: &'a Net,
    query: &'a NetQuery,
    how: Otf,
    run: &'a Run,
    explorer: Explorer<'a>,
    structural: Progress,
    asked: Vec<Asked>,
}

impl Contest<'_> {
    /// Rounds until the end, which is the `Err`.
    fn all(&mut self, first: u64) -> Result<Infallible, End> {
        let mut why = self.by_levels(first)?;
        self.how.reduce = self.how.reduce && self.explorer.is_reduced(self.query, self.run.seed);
        self.others(first)?;
        let mut states = first;
        loop {
            let allowed = self.run.limits.states.unwrap_or(u64::MAX);
            let most = if matches!(why, Why::Incomplete(_)) { MOST_OF_INFINITE.min(allowed) } else { allowed };
            if states >= most || !matches!(why, Why::States(_) | Why::Incomplete(_)) {
                return Err(End { by: "otf", outcome: Outcome::Unknown(why), proof: None });
            }
            states = states.saturating_mul(GROWTH).min(most);
            self.others(states)?;
            why = self.by_levels(states)?;
        }
    }

    fn by_levels(&mut self, states: u64) -> Result<Why, End> {
        let states = states.min(self.run.limits.states.unwrap_or(u64::MAX));
        self.turn("otf", states, |contest, run| contest.explorer.explore(contest.query, contest.how, run))
    }

    /// A turn for each of those who need not be asked first.
    fn others(&mut self, states: u64) -> Result<(), End> {
        let (net, query, how) = (self.net, self.query, self.how);
        self.prove(states)?;
        if let Progress::Hint(hint) = &mut self.structural {
            let hint = std::mem::take(hint);
            self.structural = Progress::Closed;
            self.turn("walk", states, |_, run| walk_along(net, query, &hint, run))?;
        }
        self.turn("walk", states.saturating_mul(STEPS_A_STATE), |_, run| walk(net, query, run))?;
        self.turn("depth", states, |contest, run| deep(&mut contest.explorer, net, query, how, run))?;
        Ok(())
    }

    /// A turn of one contestant with so many states; gives why it did not decide.
    fn turn(
        &mut self,
        by: &'static str,
        states: u64,
        work: impl FnOnce(&mut Self, &Run) -> Outcome,
    ) -> Result<Why, End> {
        let mut own = self.run.within(Limits { states: Some(states), ..self.run.limits.clone() });
        // Walks of another round go other ways.
        own.seed = own.seed.wrapping_add(states);
        let before = own.elapsed();
        let outcome = work(self, &own);
        let effort = own.effort();
        match by {
            // Nothing is kept of where a walk was.
            "walk" => self.run.count("walk_steps", effort.states_total),
            _ => self.run.add(&effort),
        }
        let open = if let Outcome::Unknown(why) = &outcome { Some(why.clone()) } else { None };
        self.note(by, (own.elapsed() - before).as_secs_f64(), open);
        match outcome {
            Outcome::Unknown(why) => {
                // A limit of the whole is the end for all.
                self.run.allowed().map_err(|why| End { by, outcome: Outcome::Unknown(why), proof: None })?;
                Ok(why)
            }
            outcome => Err(End { by, outcome, proof: None }),
        }
    }

    /// Notes what became of a turn.
    fn note(&mut self, name: &'static str, seconds: f64, open: Option<Why>) {
        match self.asked.iter_mut().find(|asked| asked.name == name) {
            Some(asked) => (asked.seconds, asked.open) = (asked.seconds + seconds, open),
            None => self.asked.push(Asked { name, seconds, open }),
        }
    }

    /// The turn of `structural`, as long as more work may help.
    fn prove(&mut self, states: u64) -> Result<(), End> {
        if !matches!(self.structural, Progress::Open) {
            return Ok(());
        }
        let own = self.run.within(Limits { states: Some(states), ..self.run.limits.clone() });
        let before = own.elapsed();
        let said = structural(self.net, self.query, &own);
        let (progress, open, proof) = match said {
            Structural::Proved(proof) => (Progress::Closed, None, Some(proof)),
            Structural::Hint(hint) => {
                let why = "the state equation and traps do not rule it out";
                (Progress::Hint(hint), Some(Why::Incomplete(why.into())), None)
            }
            Structural::Unknown(why) => (Progress::Open, Some(why), None),
        };
        self.structural = progress;
        self.note("structural", (own.elapsed() - before).as_secs_f64(), open);
        match proof {
            Some(_) => Err(End { by: "structural", outcome: Outcome::Absent, proof }),
            None => Ok(()),
        }
    }
}
