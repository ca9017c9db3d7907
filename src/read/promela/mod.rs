//! Promela, the language of SPIN 6.5, without embedded C.

pub mod source;
pub mod syntax;
