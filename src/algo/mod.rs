//! Graph procedures without policy: product, hide, determinise, bisimulations, trace equivalence, trim.

pub mod explicit;
pub mod product;
