//! The independent checker of witnesses and certificates. Imports `model` only.

pub mod certificate;
pub mod cover;
pub mod net;
pub mod witness;
