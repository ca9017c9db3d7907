//! What readers of different formats have in common: tokens and words, places in a text, what is wrong or odd in it.

pub mod errors;
pub mod expression;
pub mod findings;
pub(crate) mod inline;
pub(crate) mod json_place;
pub mod lines;
pub mod suggest;
pub mod tokens;
pub mod words;
pub mod xml;
