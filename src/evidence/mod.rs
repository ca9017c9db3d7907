//! The independent checker of witnesses and certificates. Imports `model` only.

pub mod certificate;
pub mod cover;
pub mod witness;
