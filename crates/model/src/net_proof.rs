//! Why no reachable marking of a net satisfies a condition, without any marking being looked at.

use super::index::PlaceId;

/// A sum of tokens, each place with a factor, is at most a number. Places in order, each once, no factor is 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Inequality {
    /// The sum.
    pub sum: Vec<(PlaceId, i64)>,
    /// The number.
    pub most: i64,
}

/// A condition is a combination of inequalities; these lemmas leave none of its alternatives.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NetProof {
    /// Places that are empty and stay so: whatever gives to one of them takes from one of them.
    pub siphon: Vec<PlaceId>,
    /// Sets of places that have a token and keep one: whatever takes from one of a set gives to one of it.
    pub traps: Vec<Vec<PlaceId>>,
    /// What no reachable marking satisfies together.
    pub lemmas: Vec<Lemma>,
}

/// Some inequalities that no reachable marking satisfies together.
///
/// Added up, each so many times, with traps (their places have one token together at least) and places (they have none at least)
/// they say that a weighted sum of tokens is below its value at first. But no transition makes that sum smaller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lemma {
    /// The inequalities, each with how many times it is added.
    pub inequalities: Vec<(Inequality, u64)>,
    /// Traps by their number in the proof, likewise.
    pub traps: Vec<(usize, u64)>,
    /// Places, likewise.
    pub places: Vec<(PlaceId, u64)>,
}
