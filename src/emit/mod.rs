//! Problem → files: `.aut`, `.exp`, pictures.

pub mod aut;
