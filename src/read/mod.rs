//! Text → problem and diagnostics, one file or folder per format.

pub mod aut;
mod bind;
pub mod certificate;
pub mod dve;
pub(crate) mod errors;
pub mod exp;
pub mod goal;
mod inline;
pub mod json_place;
pub mod lines;
pub mod model;
pub mod monitor;
pub mod pattern;
pub mod promela;
pub mod run;
pub mod suggest;
pub mod tokens;
pub mod units;
pub mod witness;
