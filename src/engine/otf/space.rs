//! What the on-the-fly search needs to know of a state space.

/// A state space of packed states with a set of target states to look for.
///
/// Two things implement it: a network's product, and later a program that is run directly.
pub trait Space: Sync {
    /// What a worker keeps between calls so that nothing is allocated per state.
    type Scratch: Send;

    /// A fresh scratch.
    fn scratch(&self) -> Self::Scratch;

    /// Words per packed state.
    fn words(&self) -> usize;

    /// Where the search starts.
    fn initial(&self) -> Vec<u64>;

    /// Appends the successors to explore, `words` words each.
    fn successors(&self, state: &[u64], scratch: &mut Self::Scratch, out: &mut Vec<u64>);

    /// Whether a state is what the search looks for.
    fn is_target(&self, state: &[u64]) -> bool;

    /// Whether a state without successors is what the search looks for.
    fn stuck_is_target(&self) -> bool;
}
