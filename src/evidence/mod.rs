//! The independent checker of witnesses and certificates. Imports `model` only, and for invariants of circuits the SAT solver.

pub mod certificate;
pub mod circuit;
pub mod cover;
mod explore;
pub mod invariant;
pub mod net;
pub mod parts;
pub mod witness;
