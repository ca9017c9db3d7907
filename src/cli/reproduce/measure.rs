//! One model, one engine: what a run comes to.

use super::Wanted;
use crate::cli::exit::Failure;
use crate::cli::progress;
use crate::engine::Engine;
use crate::engine::run::{Limits, Run};
use crate::evidence::witness;
use crate::families::{Family, find};
use crate::model::{Answer, Evidence, Problem, Why};
use std::time::Duration;

/// What a run comes to.
pub struct Measured {
    pub verdict: bool,
    pub seconds: f64,
    /// States of all checks together.
    pub states: u64,
    /// States of the largest check.
    pub largest: u64,
    pub checks: u64,
    /// How many components the answer needs, where that is known.
    pub needed: Option<usize>,
}

/// What a run may use: `time` and `states` where the command line does not say.
pub fn limits(wanted: &Wanted<'_>, time: Duration, states: u64) -> Limits {
    let asked = wanted.limits.start().limits;
    Limits { time: asked.time.or(Some(time)), states: asked.states.or(Some(states)), ..asked }
}

/// Runs an engine; a witness is replayed.
pub fn measure(
    wanted: &Wanted<'_>,
    what: &str,
    problem: &Problem,
    engine: &dyn Engine,
    limits: Limits,
) -> Result<Result<Measured, Why>, Failure> {
    let run = Run::new(limits, wanted.limits.seed);
    let answer = progress::watch(&run, what, wanted.output, || engine.solve(problem, &run));
    let effort = run.effort();
    let (verdict, evidence) = match answer {
        Answer::True(evidence) => (true, evidence),
        Answer::False(evidence) => (false, evidence),
        Answer::Unknown(why) => return Ok(Err(why)),
    };
    if let Evidence::Witness(trace) = evidence {
        witness::check(problem, &trace)
            .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
    }
    let (states, largest) = (effort.states_total, effort.states_peak);
    let needed = run.needed().map(|needs| needs.components.len());
    Ok(Ok(Measured { verdict, seconds: effort.seconds, states, largest, checks: effort.checks, needed }))
}

/// A family that has this size.
pub fn sized(name: &str, size: usize) -> Result<&'static Family, Failure> {
    let family = find(name).expect("the families of the tables exist");
    if (family.smallest..=family.largest).contains(&size) {
        return Ok(family);
    }
    let message = format!("{name} has sizes from {} to {}, not {size}", family.smallest, family.largest);
    Err(Failure::input("--size", message, "choose a size in that range"))
}

/// A number as papers print it.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Rows in columns, to the right.
pub fn aligned(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
