#![doc = include_str!("../README.md")]

pub mod certificate;
pub mod circuit;
pub mod cover;
mod explore;
pub mod invariant;
pub mod locations;
pub mod net;
pub mod parts;
pub mod set;
pub mod witness;
