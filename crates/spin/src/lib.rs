//! Programs of others, run as engines: found on PATH, run in a private folder under our limits, their reports distrusted.
//!
//! Internal engines never see a path or a format; this is the one place where a problem leaves the program as a file and an
//! answer comes back as text. Whatever comes back is lifted to the network and replayed like any witness.

pub mod embedded;
pub mod engine;
pub mod file;
pub mod lift;
pub mod process;
pub mod promela;
pub mod replace;
pub mod report;
pub mod session;
pub mod spin;
pub mod spin_errors;
pub mod steps;
pub mod table;
pub mod trail;
