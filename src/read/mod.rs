//! Text → problem and diagnostics, one file or folder per format.

pub mod aut;
pub mod lines;
pub mod witness;
