//! That no run without an end is a violation, shown by a number for each state of the product of program and claim: its rank. Where
//! violations with an end alone are asked about, that every state is looked at is all there is to it, and ranks say nothing.
//!
//! No edge leads to a higher rank, so a run stays at some rank for ever. Of the edges between states of one rank some mark is missing
//! that a violation has to meet again and again, so no run that stays there is one. Both are looked at edge by edge, with all that the
//! processes can do: nothing is left out for a reduction. Whatever the ranks are and wherever they come from, what is accepted
//! here is true; a bad rank can only lead to a rejection.
//!
//! The ranks are those of the states in the order in which they are met, breadth first (`product`), so that no state is written
//! down. This is the check of a verdict: it has nothing in common with the searches but the steps of the program
//! ([`expand`](crate::expand())), how states are packed, and which labels count; who could not move it finds out as replay does.

mod find;
mod product;
mod saved;

pub use find::find;
pub use saved::{KIND, SavedRanking, fingerprint, read};

use super::data::Program;
use super::endless::{Endless, EndlessKind, Marks};
use super::sought::Sought;
use prequel_evidence::certificate::Bounds;
use prequel_evidence::{Proof, Replay};
use product::{Edge, product};
use std::borrow::Borrow;

/// What is claimed not to be there: these runs without an end, and violations with one that are looked for beside them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Absent {
    /// Runs without an end, if any are asked about.
    pub of: Option<Endless>,
    /// The others.
    pub sought: Sought<'static>,
}

impl Absent {
    /// What shows it.
    pub fn proof(&self) -> Proof {
        if self.of.is_some() { Proof::Ranking } else { Proof::States }
    }

    /// Whether an edge can be part of a run that is a violation for ever.
    fn counts(&self, marks: &Marks) -> bool {
        self.of.is_some_and(|of| of.kind == EndlessKind::Accepting || marks[0] & super::endless::ACCEPT != 0)
    }
}

/// Ranks of the states of a product.
#[derive(Clone)]
pub struct Ranking<P = Program> {
    /// Of which program.
    pub program: P,
    /// What they are about.
    pub absent: Absent,
    /// In the order in which states are met.
    pub ranks: Vec<u32>,
    /// How much may be looked at.
    pub bounds: Bounds,
}

/// Why ranks show nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unranked {
    /// The program goes wrong when it starts.
    #[error("the program cannot start")]
    NoStart,
    /// Not all states have a rank.
    #[error("there are more states than the {0} that have a rank")]
    Missing(usize),
    /// There are other states.
    #[error("{0} states have a rank, and there are {1}")]
    TooMany(usize, usize),
    /// A violation with an end.
    #[error("a step of state {0} is a violation")]
    Violated(usize),
    /// An edge leads up.
    #[error("an edge from state {0}, which has rank {1}, leads to state {2}, which has rank {3}")]
    Rises(usize, u32, usize, u32),
    /// A rank is higher than there are states.
    #[error("rank {0} is more than there are states")]
    TooHigh(u32),
    /// A rank is no reason.
    #[error("between states of rank {0} there are edges with all marks of a violation")]
    Full(u32),
    /// There are more states than may be looked at.
    #[error("there are more than {0} states")]
    TooLarge(usize),
    /// A limit was reached.
    #[error("a limit was reached before all states were looked at")]
    Stopped,
}

/// All marks that there are.
const ALL: Marks = [u64::MAX; 4];

fn add(to: &mut Marks, marks: &Marks) {
    to.iter_mut().zip(marks).for_each(|(to, marks)| *to |= marks);
}

impl<P: Borrow<Program>> Replay for Ranking<P> {
    /// How many states.
    type End = usize;
    type Rejected = Unranked;

    fn replay(&self) -> Result<usize, Unranked> {
        let Self { absent, ranks, bounds, .. } = self;
        let rank = |state: usize| ranks.get(state).copied().ok_or(Unranked::Missing(ranks.len()));
        let highest = ranks.iter().max().map_or(0, |&rank| rank as usize);
        // As many ranks as states are enough.
        if highest > ranks.len() {
            return Err(Unranked::TooHigh(highest as u32));
        }
        let mut inside = vec![Marks::default(); highest + 1];
        let states = product(self.program.borrow(), *absent, bounds, |Edge { from, to, marks }| {
            let (before, after) = (rank(from)?, rank(to)?);
            if absent.counts(&marks) {
                if after > before {
                    return Err(Unranked::Rises(from, before, to, after));
                }
                if after == before {
                    add(&mut inside[before as usize], &marks);
                }
            }
            Ok(())
        })?;
        if states < ranks.len() {
            return Err(Unranked::TooMany(ranks.len(), states));
        }
        rank(states - 1)?;
        match inside.iter().position(|marks| *marks == ALL) {
            Some(full) => Err(Unranked::Full(full as u32)),
            None => Ok(states),
        }
    }

    fn shows(&self) -> Option<bool> {
        Some(true)
    }

    fn proof(&self) -> Proof {
        self.absent.proof()
    }
}
