//! Problem → files: `.aut`, `.exp`, pictures.

pub mod aut;
pub mod exp;
