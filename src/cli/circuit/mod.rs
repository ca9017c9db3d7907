//! What is printed about circuits.

mod info;
mod witness;

pub use info::tell;
