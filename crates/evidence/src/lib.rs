#![doc = include_str!("../README.md")]

pub mod certificate;
mod checked;
pub mod circuit;
pub mod cover;
mod derivation;
pub mod distinction;
mod explore;
pub mod invariant;
pub mod lasso;
pub mod locations;
pub mod net;
pub mod net_proof;
mod parts;
mod proof;
pub mod set;
pub mod verdict;
pub mod witness;

pub use checked::{Checked, Replay};
pub use proof::Proof;
pub use verdict::{Asked, Grounds, Verdict};
