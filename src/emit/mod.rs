//! Problem → files: `.aut`, `.exp`, pictures.

pub mod aut;
pub mod view;
pub mod witness;
