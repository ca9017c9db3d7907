//! Prequel: what you run before SPIN.

pub mod algo;
pub mod cli;
pub mod diag;
pub mod emit;
pub mod engine;
pub mod evidence;
pub mod families;
pub mod model;
pub mod program;
pub mod read;
