//! One model, one engine: what a run comes to.

use super::Experiment;
use crate::job::Failure;
use prequel_engine::Engine;
use prequel_evidence::witness;
use prequel_families::{Family, find};
use prequel_model::run::{Effort, Limits, Run};
use prequel_model::{Answer, Evidence, Problem, Why};
use std::time::Duration;

/// What a run comes to.
#[derive(Default)]
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
    /// How long the witness is, if there is one.
    pub length: Option<usize>,
    /// Seconds of phases, and what else the engine counts.
    phases: Vec<(&'static str, f64)>,
    counts: Vec<(&'static str, u64)>,
}

impl Measured {
    /// What another program says in some seconds; it counts nothing of ours.
    pub fn told(verdict: bool, seconds: f64) -> Self {
        Self { verdict, seconds, checks: 1, ..Self::default() }
    }

    /// Seconds of a phase; none where there was none.
    pub fn phase(&self, name: &str) -> f64 {
        self.phases.iter().find(|(phase, _)| *phase == name).map_or(0.0, |(_, seconds)| *seconds)
    }

    /// What the engine counts under a name.
    pub fn count(&self, name: &str) -> u64 {
        self.counts.iter().find(|(count, _)| *count == name).map_or(0, |(_, count)| *count)
    }
}

/// What a run may use: `time` and `states` where the command line does not say.
pub fn limits(wanted: &Experiment<'_>, time: Duration, states: u64) -> Limits {
    let asked = wanted.limits.clone();
    Limits { time: asked.time.or(Some(time)), states: asked.states.or(Some(states)), ..asked }
}

/// Runs an engine; a witness is replayed.
pub fn measure(
    wanted: &Experiment<'_>,
    what: &str,
    problem: &Problem,
    engine: &dyn Engine,
    limits: Limits,
) -> Result<Result<Measured, Why>, Failure> {
    let run = Run::new(limits, wanted.seed);
    let answer = wanted.observer.during(&run, what, || engine.solve(problem, &run));
    let effort = run.effort();
    let (verdict, evidence) = match answer {
        Answer::True(evidence) => (true, evidence),
        Answer::False(evidence) => (false, evidence),
        Answer::Unknown(why) => return Ok(Err(why)),
    };
    let mut length = None;
    if let Evidence::Witness(trace) = evidence {
        witness::check(problem, &trace)
            .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
        length = Some(trace.steps.len());
    }
    let (states, largest) = (effort.states_total, effort.states_peak);
    let needed = run.needed().map(|needs| needs.components.len());
    let Effort { seconds, checks, phases, counts, .. } = effort;
    Ok(Ok(Measured { verdict, seconds, states, largest, checks, needed, length, phases, counts }))
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
