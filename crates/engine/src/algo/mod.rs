//! Graph procedures without policy: product, hide, determinise, bisimulations, trace equivalence, trim.

pub mod bisimulation;
pub mod compare;
pub mod determinise;
pub mod equivalence;
pub mod explicit;
pub mod formula;
pub mod predecessors;
pub mod product;
pub mod scc;
pub mod trapped;
pub mod trim;

/// A procedure was given up because what it makes would be too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TooLarge {
    /// Determinisation: more subsets than allowed.
    #[error("determinisation needs more than {0} states")]
    Subsets(usize),
    /// Weak bisimulation: more weak steps than fit.
    #[error("the system has more than {0} weak steps; minimise it by branching bisimulation instead")]
    WeakSteps(usize),
    /// Whoever asked for it does not want it any more.
    #[error("stopped")]
    Stopped,
}
