//! Problem → files: `.aut`, `.exp`, pictures.

pub mod aut;
pub mod chart;
pub mod dot;
pub mod exp;
pub mod picture;
pub mod table;
pub mod view;
pub mod witness;
