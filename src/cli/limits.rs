//! Limits on the command line: `--time 30s`, `--memory 4G`, `--states 10M`, `--threads 2`.

use crate::engine::run::{Limits, Run};
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
        let threads = usize::from(self.threads);
        Run::new(Limits { time: self.time, memory: self.memory, states: self.states, threads }, self.seed)
    }
}

/// Splits `30s` into its number and its unit.
fn split(text: &str) -> Result<(f64, &str), String> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..at].parse().map_err(|_| format!("`{text}` does not start with a number"))?;
    Ok((number, &text[at..]))
}

/// `30s`, `5m`, `250ms`.
pub fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let seconds = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit `{unit}`: use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|e| e.to_string())
}

/// `4G`, `512MiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "k" | "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(format!("unknown unit `{unit}`: use K, M, G or T")),
    };
    Ok((number * (1u64 << shift) as f64) as u64)
}

fn count(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let factor = match unit {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return Err(format!("unknown unit `{unit}`: use k, M or G")),
    };
    Ok((number * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_understood() {
        assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("512MiB"), Ok(512 << 20));
        assert_eq!(count("10M"), Ok(10_000_000));
        assert!(time("s").is_err() && time("3 parsecs").is_err() && bytes("1Q").is_err() && count("").is_err());
    }
}
