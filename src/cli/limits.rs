//! Limits on the command line: `--time 30s`, `--memory 4G`, `--states 10M`, `--threads 2`.

use prequel_formats::units::{bytes, count, time};
use prequel_model::run::{Limits, Run};
use std::time::Duration;

/// What a run may use.
#[derive(clap::Args, Clone, Debug)]
pub struct LimitArgs {
    /// Stop after this time with `unknown` (500ms, 30s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Limits")]
    pub time: Option<Duration>,
    /// Stop at this much resident memory with `unknown` (500M, 4G)
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Limits")]
    pub memory: Option<u64>,
    /// Stop at this many explored states with `unknown` (10M, 500000)
    #[arg(long, value_name = "COUNT", value_parser = count, help_heading = "Limits")]
    pub states: Option<u64>,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..), help_heading = "Limits")]
    pub threads: u16,
    /// Seed of every random choice
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Limits")]
    pub seed: u64,
}

impl LimitArgs {
    /// Starts a run under these limits.
    pub fn start(&self) -> Run {
        Run::new(self.limits(), self.seed)
    }

    /// The limits, with no more threads than there are cores.
    pub fn limits(&self) -> Limits {
        let threads = usize::from(self.threads).min(cores());
        Limits { time: self.time, memory: self.memory, states: self.states, threads, work: None }
    }

    /// What is done otherwise than asked.
    pub fn note(&self) -> Option<String> {
        let (asked, cores) = (usize::from(self.threads), cores());
        (asked > cores)
            .then(|| format!("note: this machine runs {cores} threads at once: {cores} are used, not {asked}"))
    }
}

/// Two threads where there are two cores.
pub fn two_at_most() -> &'static str {
    if cores() > 1 { "2" } else { "1" }
}

/// How many threads run at once here.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What a command may use that explores nothing.
#[derive(clap::Args, Clone, Debug)]
pub struct BoundArgs {
    /// Stop after this time with `unknown` (500ms, 30s, 5m, 2h)
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = "Limits")]
    time: Option<Duration>,
    /// Stop at this much resident memory with `unknown` (500M, 4G)
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Limits")]
    memory: Option<u64>,
}

impl BoundArgs {
    /// The limits.
    pub fn limits(&self) -> Limits {
        Limits { time: self.time, memory: self.memory, ..Limits::default() }
    }
}
