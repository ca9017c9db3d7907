//! Scalable model families, and random networks.

pub mod random;
pub mod rng;
