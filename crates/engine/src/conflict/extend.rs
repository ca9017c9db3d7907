//! Algorithm 2, counterexample extension: how far down the levels of certain conflicts the system itself can go.
//!
//! | of the paper | here |
//! | --- | --- |
//! | lines 12 to 15, one search for each level | [`lowest`]: one search that remembers the lowest level it met |
//! | line 17, no extension | `None` |
//!
//! The search is over the system at that stage, with all other machines as they were then: its size is that of their product. It ends at
//! level 0 (the loop of the paper must run down to and including that), or when there is nothing left. Beyond `most` states it is given up, and
//! the caller does without certain conflicts.

use super::breadth::{Breadth, End};
use super::fsm::Fsm;
use crate::algo::product::Product;
use prequel_model::run::Run;
use prequel_model::{ComponentId, LabelId, StateId, Why};
use std::ops::ControlFlow;

/// A path through the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extension {
    /// Its visible labels.
    pub labels: Vec<LabelId>,
    /// Where the machines are at its end.
    pub ends: Vec<StateId>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The search became too large.
    TooLarge,
    /// A limit of the whole run.
    Limit(Why),
}

impl From<Why> for Stop {
    fn from(why: Why) -> Self {
        Stop::Limit(why)
    }
}

/// A shortest path from one of some states to the lowest level that the first machine can reach; none where it reaches no level.
pub fn lowest(
    labels: usize,
    parts: &[&Fsm],
    starts: &[Vec<StateId>],
    level: impl Fn(StateId) -> Option<u32>,
    most: u64,
    run: &Run,
) -> Result<Option<Extension>, Stop> {
    let product = Product::new(labels, parts.iter().map(|p| p.component()).collect());
    let from: Vec<u64> = starts.iter().flat_map(|start| product.pack(start.iter().copied())).collect();
    let mut best: Option<(u32, usize)> = None;
    let (found, end) = Breadth::search(&product, &from, most, run, |at, state| {
        let lower = |l: u32| best.is_none_or(|(least, _)| l < least);
        if let Some(l) = level(product.local(state, ComponentId(0))).filter(|&l| lower(l)) {
            best = Some((l, at));
        }
        if best.is_some_and(|(least, _)| least == 0) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if end == End::TooLarge {
        return Err(Stop::TooLarge);
    }
    Ok(best.map(|(_, end)| {
        let ends = (0..parts.len()).map(|c| product.local(found.state(end), ComponentId::new(c))).collect();
        let labels = found.way_to(end).into_iter().map(|(_, label)| label).filter(|l| !l.is_tau()).collect();
        Extension { labels, ends }
    }))
}
