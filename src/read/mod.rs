//! Text → problem and diagnostics, one file or folder per format.

pub mod aut;
mod bind;
pub mod certificate;
mod draft;
pub mod dve;
pub(crate) mod errors;
pub mod exp;
pub mod firing;
pub mod formula;
pub mod goal;
mod inline;
pub mod json_place;
pub mod lines;
pub mod ll_net;
pub mod lola;
pub mod model;
pub mod monitor;
pub mod pattern;
pub mod pnml;
pub mod promela;
pub mod run;
pub mod suggest;
pub mod tina;
pub mod tokens;
pub mod units;
pub mod witness;
