//! Problem → files: `.aut`, `.exp`, Promela, Petri nets, circuits, pictures.

pub mod aiger;
pub mod assumption;
pub mod aut;
pub mod chart;
pub mod dot;
pub mod exp;
pub mod lola;
pub mod picture;
pub mod plot;
pub mod pnml;
pub mod promela;
pub mod run;
pub mod smv;
pub mod table;
pub mod view;
pub mod wdes;
pub mod witness;

/// Extensions of the model formats that can be written.
pub const WRITABLE: [&str; 10] = ["aut", "exp", "pml", "pnml", "lola", "wdes", "smv", "aag", "aig", "dot"];
