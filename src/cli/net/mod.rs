//! What is printed about Petri nets.

mod info;
mod witness;

pub use info::tell;
