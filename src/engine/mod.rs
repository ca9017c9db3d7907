//! Engines: ways to answer a problem.

pub mod run;
