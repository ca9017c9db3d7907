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
pub mod trim;
