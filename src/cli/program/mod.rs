//! What is printed about programs.

mod info;
mod witness;

pub use info::tell;
