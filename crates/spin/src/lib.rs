#![doc = include_str!("../README.md")]

pub mod embedded;
pub mod engine;
pub mod file;
pub mod process;
pub mod promela;
pub mod replace;
pub mod report;
pub mod residual;
pub mod session;
pub mod spin_errors;
pub mod table;
pub mod tools;
pub mod trail;
pub mod trail_to_run;
pub mod trail_to_trace;
