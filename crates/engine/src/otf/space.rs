//! What the on-the-fly search needs to know of a state space.

/// What became of the expansion of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expansion {
    /// All successors are there.
    Complete,
    /// A step out of this state is what the search looks for; successors do not matter any more.
    Target,
    /// A successor does not fit into the words of a state: the space must be made anew with more of them.
    Outgrown,
}

/// A state space of packed states with a set of target states to look for.
///
/// Three things implement it: a network's product, a program that is run directly, and the markings of a Petri net.
pub trait Space: Sync {
    /// Words behind each successor that are no part of it: the marks of the edge to it. Where there are any, edges are stored.
    const MARKS: usize = 0;

    /// What a worker keeps between calls so that nothing is allocated per state.
    type Scratch: Send;

    /// A fresh scratch.
    fn scratch(&self) -> Self::Scratch;

    /// Words per packed state.
    fn words(&self) -> usize;

    /// Where the search starts.
    fn initial(&self) -> Vec<u64>;

    /// Appends the successors to explore, `words` words each and marks.
    fn successors(&self, state: &[u64], scratch: &mut Self::Scratch, out: &mut Vec<u64>) -> Expansion;

    /// Whether a state is what the search looks for.
    fn is_target(&self, state: &[u64]) -> bool;

    /// Whether a state without successors is what the search looks for.
    fn stuck_is_target(&self) -> bool;
}
