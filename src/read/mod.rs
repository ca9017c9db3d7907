//! Text → problem and diagnostics, one file or folder per format.

pub mod aut;
pub mod json_place;
pub mod lines;
pub mod witness;
