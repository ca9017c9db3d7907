//! Runs without an end: a cycle whose edges have all marks between them, or a trap, from which some mark can never be met.
//!
//! A component (strongly connected) whose edges have all marks between them has a cycle with all of them: walk through one edge for
//! each mark. States are not copied for any mark. Where edges without acceptance lie on no cycle that counts (non-progress),
//! components are those of the other edges. A trap is a component that has not all marks and leads to no other.
//!
//! | threads | search |
//! | --- | --- |
//! | one | `depth`: components are found as edges are computed, nothing is stored of edges |
//! | several | the same for what is small; then `levels`: edges are stored, and `depth` looks at those |
//!
//! The lasso is found afterwards, breadth first through the states that are known (`walk`): a shortest way to the component, and inside
//! of it from one mark to the nearest that is missing.

mod depth;
mod levels;
mod walk;

use super::Stop;
use super::space::Expansion;
use depth::{Ended, OnTheFly};
use prequel_model::run::Run;

/// States that one thread looks at alone before others help.
const ALONE: u64 = 50_000;
/// States between two looks at the limits.
const REPORT: u64 = 1 << 12;

/// A state space whose edges have marks, in `K` words.
pub trait MarkedSpace<const K: usize> {
    /// What is kept between calls so that nothing is allocated per state.
    type Scratch;

    /// A fresh scratch.
    fn scratch(&self) -> Self::Scratch;

    /// Words per packed state.
    fn words(&self) -> usize;

    /// Where the search starts.
    fn initial(&self) -> Vec<u64>;

    /// Appends the edges of a state: the words of a successor, and `K` words of marks each.
    fn edges(&self, state: &[u64], scratch: &mut Self::Scratch, out: &mut Vec<u64>) -> Expansion;

    /// What is looked for.
    fn seeks(&self) -> Seeks;
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seeks {
    /// A cycle with all marks. Where there is a mark here, in the first word, an edge that lacks it is on no cycle that counts.
    Cycle(Option<u64>),
    /// A state from which some mark can never be met.
    Trap,
}

impl Seeks {
    /// Whether an edge with these marks can be part of what is looked for.
    fn counts<const K: usize>(self, marks: &[u64; K]) -> bool {
        match self {
            Self::Cycle(Some(needed)) => marks[0] & needed != 0,
            Self::Cycle(None) | Self::Trap => true,
        }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found<const K: usize> {
    /// A path to a state that a step leaves which the search looks for.
    Target(Vec<Vec<u64>>),
    /// A path to the first state of a cycle, and the cycle: each state with the marks of the edge that leaves it.
    Lasso(Vec<Vec<u64>>, Vec<(Vec<u64>, [u64; K])>),
    /// A path to a state from which some mark can never be met.
    Trap(Vec<Vec<u64>>),
}

/// Looks for a target step, or for what the space seeks, on one thread.
pub fn search<S: MarkedSpace<K>, const K: usize>(space: &S, run: &Run) -> Result<Option<Found<K>>, Stop> {
    let ended = depth_first(space, u64::MAX, run)?;
    Ok(ended.expect("there are fewer states"))
}

/// The same on as many threads as the run has. What is small is the same for any number of them.
pub fn search_together<S, const K: usize>(space: &S, run: &Run) -> Result<Option<Found<K>>, Stop>
where
    S: MarkedSpace<K> + Sync,
    S::Scratch: Send,
{
    if run.limits.threads < 2 {
        return search(space, run);
    }
    let before = run.effort();
    match depth_first(space, ALONE, run)? {
        Some(found) => Ok(found),
        None => {
            run.set_back(&before);
            levels::search(space, run)
        }
    }
}

/// What is found among so many states at most; nothing if there are more.
#[expect(clippy::option_option, reason = "a search without an end, and one that finds nothing")]
fn depth_first<S: MarkedSpace<K>, const K: usize>(
    space: &S,
    most: u64,
    run: &Run,
) -> Result<Option<Option<Found<K>>>, Stop> {
    let mut source = OnTheFly::new(space, run)?;
    let ended = depth::search(&mut source, space.seeks(), most)?;
    let counted = source.count();
    match ended {
        Ended::Unfinished => return Ok(None),
        Ended::Nothing => counted?,
        // A limit that is reached in the same moment does not take the answer back.
        Ended::Component(_) | Ended::Target => {}
    }
    Ok(Some(source.known().shown(&ended, run)?))
}

fn add<const K: usize>(to: &mut [u64; K], marks: &[u64; K]) {
    to.iter_mut().zip(marks).for_each(|(to, marks)| *to |= marks);
}

fn split<const K: usize>(edge: &[u64]) -> (&[u64], [u64; K]) {
    let (state, marks) = edge.split_at(edge.len() - K);
    (state, std::array::from_fn(|word| marks[word]))
}

#[cfg(test)]
mod tests;
