//! What an analysis may cost: limits of the run, and an effort that is counted and not timed, so that it ends the same every time.

use super::labelling::Halt;
use prequel_model::run::{Check, Run};

/// As many steps cost about as much as a triple does. Where classes are large there are hundreds of steps for each triple.
const STEPS_A_TRIPLE: u64 = 8;

/// How far an analysis may go beyond the effort at which no refinement is begun: what there is by then is to be of use.
const BEYOND: u64 = 2;

/// States and triples that the run has looked at, with what their steps cost.
pub fn spent(run: &Run) -> u64 {
    let effort = run.effort();
    effort.states_total + effort.transitions / STEPS_A_TRIPLE
}

/// The limits of an analysis.
pub struct Allowance<'a> {
    run: &'a Run,
    check: Check<'a>,
    effort: Option<u64>,
}

impl<'a> Allowance<'a> {
    /// Those of a run, which ends soon after so much effort.
    pub fn new(run: &'a Run, effort: Option<u64>) -> Self {
        Self { run, check: run.check(), effort: effort.map(|effort| effort.saturating_mul(BEYOND)) }
    }

    fn explored(&self, triples: u64, steps: u64) -> Result<(), Halt> {
        self.check.explored(triples, steps).map_err(Halt::Limit)?;
        match self.effort {
            Some(most) if spent(self.run) >= most => Err(Halt::Effort),
            _ => Ok(()),
        }
    }
}

/// Triples and steps that were looked at and not reported yet.
#[derive(Default)]
pub struct Meter {
    triples: u64,
    steps: u64,
}

impl Meter {
    /// Counts a triple with its steps. Limits are looked at every few milliseconds.
    pub fn looked_at(&mut self, steps: usize, allowance: &Allowance<'_>) -> Result<(), Halt> {
        self.triples += 1;
        self.steps += steps as u64;
        if self.triples >= 1 << 10 || self.steps >= 1 << 15 { self.report(allowance) } else { Ok(()) }
    }

    /// Counts what was not counted yet.
    pub fn report(&mut self, allowance: &Allowance<'_>) -> Result<(), Halt> {
        let Meter { triples, steps } = std::mem::take(self);
        allowance.explored(triples, steps)
    }
}
