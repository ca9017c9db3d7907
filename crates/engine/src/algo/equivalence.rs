//! The equivalences by name, and minimisation up to each.

use super::TooLarge;
use super::bisimulation::{self, Bisimulation};
use super::determinise::determinise_while;
use prequel_model::{Lts, Steps};
use std::fmt;
use std::str::FromStr;

/// When two systems count as the same. Marks count in all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Equivalence {
    /// Strong bisimilarity.
    Strong,
    /// Branching bisimilarity.
    Branching,
    /// Divergence-preserving branching bisimilarity.
    DpBranching,
    /// Weak bisimilarity.
    Weak,
    /// The same sequences of labels, tau among them.
    Trace,
    /// The same sequences of visible labels.
    WeakTrace,
}

/// An equivalence is either a bisimulation, or the equality of traces of some kind of steps.
pub(super) enum Method {
    Bisimulation(Bisimulation),
    Traces(Steps),
}

impl Equivalence {
    /// All of them, in the order of the documentation.
    pub const ALL: [Equivalence; 6] =
        [Self::Strong, Self::Branching, Self::DpBranching, Self::Weak, Self::Trace, Self::WeakTrace];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Branching => "branching",
            Self::DpBranching => "dp-branching",
            Self::Weak => "weak",
            Self::Trace => "trace",
            Self::WeakTrace => "weak-trace",
        }
    }

    pub(super) fn method(self) -> Method {
        match self {
            Self::Strong => Method::Bisimulation(Bisimulation::Strong),
            Self::Branching => Method::Bisimulation(Bisimulation::Branching),
            Self::DpBranching => Method::Bisimulation(Bisimulation::DpBranching),
            Self::Weak => Method::Bisimulation(Bisimulation::Weak),
            Self::Trace => Method::Traces(Steps::Strong),
            Self::WeakTrace => Method::Traces(Steps::Weak),
        }
    }
}

impl fmt::Display for Equivalence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No equivalence has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no equivalence; there are strong, branching, dp-branching, weak, trace and weak-trace")]
pub struct UnknownEquivalence(pub String);

impl FromStr for Equivalence {
    type Err = UnknownEquivalence;

    fn from_str(name: &str) -> Result<Self, UnknownEquivalence> {
        let known = Self::ALL.into_iter().find(|e| e.name() == name);
        known.ok_or_else(|| UnknownEquivalence(name.to_owned()))
    }
}

/// The smallest equivalent system; for the trace equivalences, the smallest deterministic one.
///
/// The cap bounds determinisation; weak bisimulation has a bound of its own. The other equivalences cannot fail.
pub fn minimise(lts: &Lts, equivalence: Equivalence, cap: Option<usize>) -> Result<Lts, TooLarge> {
    minimise_while(lts, equivalence, cap, &|| true)
}

/// As [`minimise`], unless it is to stop before the end; it asks now and then. (Weak bisimulation does not ask.)
pub fn minimise_while(
    lts: &Lts,
    equivalence: Equivalence,
    cap: Option<usize>,
    go_on: &dyn Fn() -> bool,
) -> Result<Lts, TooLarge> {
    match equivalence.method() {
        Method::Bisimulation(kind) => bisimulation::quotient_while(lts, kind, go_on),
        Method::Traces(steps) => {
            // A bisimilar system has the same traces, and fewer states make fewer subsets.
            let kind = match steps {
                Steps::Strong => Bisimulation::Strong,
                Steps::Weak => Bisimulation::Branching,
            };
            let small = bisimulation::quotient_while(lts, kind, go_on)?;
            let deterministic = determinise_while(&small, steps, cap, go_on)?;
            bisimulation::quotient_while(&deterministic, Bisimulation::Strong, go_on)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::bisimulation::naive;
    use crate::algo::determinise::determinise;
    use prequel_model::{LabelId, StateId, Transition};

    #[test]
    fn names_are_read_as_they_are_written() {
        for e in Equivalence::ALL {
            assert_eq!(e.to_string().parse(), Ok(e));
        }
        assert!("bisimulation".parse::<Equivalence>().is_err());
    }

    /// A chain in which every state is a class of its own takes long enough to be asked about.
    #[test]
    fn what_takes_long_can_be_stopped() {
        let (states, a) = (1 << 15, LabelId(1));
        let steps = (0..states - 1).map(|s| Transition::new(s, a, s + 1)).collect();
        let chain = Lts::new(StateId(0), states as usize, steps);
        for equivalence in [Equivalence::Strong, Equivalence::Branching, Equivalence::Trace, Equivalence::WeakTrace] {
            assert_eq!(minimise_while(&chain, equivalence, None, &|| false), Err(TooLarge::Stopped), "{equivalence}");
        }
        assert_eq!(determinise_while(&chain, Steps::Weak, None, &|| false), Err(TooLarge::Stopped));
    }

    #[test]
    fn minimal_deterministic_systems_keep_traces_and_have_no_equivalent_states() {
        for seed in 0..1000 {
            let lts = naive::sample(seed);
            for (equivalence, steps) in [(Equivalence::Trace, Steps::Strong), (Equivalence::WeakTrace, Steps::Weak)] {
                let small = minimise(&lts, equivalence, None).unwrap();
                let full = determinise(&lts, steps, None).unwrap();
                // On deterministic systems strong bisimilarity is the equality of traces.
                let mut classes = naive::classes(&full, Bisimulation::Strong);
                classes.sort_unstable();
                classes.dedup();
                assert_eq!(small.num_states(), classes.len(), "seed {seed}, {equivalence}");
                assert_eq!(small, minimise(&full, Equivalence::Strong, None).unwrap(), "seed {seed}, {equivalence}");
            }
        }
    }
}
