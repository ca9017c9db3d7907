//! What is printed about circuits.

mod convert;
mod info;
mod witness;

pub use convert::convert;
pub use info::info;
