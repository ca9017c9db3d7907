#![doc = include_str!("../README.md")]

pub mod aiger;
pub mod assumption;
pub mod aut;
mod bind;
pub mod certificate;
pub mod diag;
mod draft;
pub mod dve;
pub mod exp;
pub mod file;
pub mod firing;
pub mod formula;
pub mod goal;
pub mod ll_net;
pub mod lola;
pub mod marking;
pub mod monitor;
pub mod nupn;
pub mod opened;
pub mod path;
pub mod pattern;
pub mod picture;
pub mod pnml;
pub mod promela;
pub mod smv;
pub mod supremica;
pub mod text;
pub mod tina;
pub mod units;
pub mod witness;

/// Extensions of the model formats that can be written.
pub const WRITABLE: [&str; 10] = ["aut", "exp", "pml", "pnml", "lola", "wdes", "smv", "aag", "aig", "dot"];
