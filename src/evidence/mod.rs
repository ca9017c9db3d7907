//! The independent checker of witnesses and certificates. Imports `model` only.

pub mod witness;
