//! The independent checker of witnesses and certificates. Imports `model` only.

pub mod certificate;
pub mod cover;
mod explore;
pub mod net;
pub mod parts;
pub mod witness;
