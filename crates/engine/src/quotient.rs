//! `quotient`: processes are replaced by assumptions until the verdict is known; where it is not, `otf` answers for what is left.
//!
//! B. Finkbeiner, S. Schewe, M. Brill: *Automatic Synthesis of Assumptions for Compositional Model Checking*, Section 7.
//!
//! | step of the paper | here |
//! | --- | --- |
//! | assumptions, refined step by step | [`transform::quotient`](crate::transform::quotient), where its departures are told |
//! | stop as soon as the verdict is known | [`Options::decide`] |
//! | the model checker for what is left | `otf`, in `Quotient::decide` |
//!
//! The third use that the paper has for assumptions: compute and use them in the same run. The analyses themselves know the verdict
//! early: a certain step into the error from a triple that is certainly reachable is a violation, and an upper bound without
//! the error is a proof. What was decided otherwise is decided on the smaller network and lifted back.
//!
//! An analysis with many labels costs more than the search it saves: hence the limits below.

use super::otf::Otf;
use super::{Engine, Refusal};
use crate::transform::quotient;
use crate::transform::quotient::{Decided, Options, Outcome};
use crate::transform::{Smaller, Stop};
use prequel_model::run::Run;
use prequel_model::{Answer, Evidence, Problem, Trace};

/// Refinement steps for each process.
const STEPS: u64 = 40;
/// Triples that an analysis may hold.
const LABELS: usize = 100_000;
/// Triples that all analyses together may look at before the rest is left to `otf`: a second or two.
const EFFORT: u64 = 2_000_000;

/// The engine and its options.
#[derive(Clone, Debug)]
pub struct Quotient {
    /// Who answers for what is left.
    pub otf: Otf,
    /// How processes are replaced.
    pub transform: quotient::Quotient,
}

impl Quotient {
    /// The engine, with so much refinement as a single verdict is worth.
    pub fn new(otf: Otf) -> Self {
        let options = Options {
            steps: Some(STEPS),
            labels: LABELS,
            effort: Some(EFFORT),
            decide: true,
            ..quotient::Quotient::default().options
        };
        Self { otf, transform: quotient::Quotient { replace: Vec::new(), options } }
    }

    fn decide(&self, problem: &Problem, run: &Run) -> Result<Answer, Stop> {
        let witness = |trace: Trace| match problem.query.witness_shows() {
            true => Answer::True(Evidence::Witness(trace)),
            false => Answer::False(Evidence::Witness(trace)),
        };
        let nothing = |smaller: &Smaller| match problem.query.witness_shows() {
            true => Answer::False(Evidence::Quotients(smaller.maps())),
            false => Answer::True(Evidence::Quotients(smaller.maps())),
        };
        let Outcome { smaller, decided, .. } = self.transform.outcome(problem, run)?;
        Ok(match decided {
            Some(Decided::Reached(trace)) => witness(trace),
            Some(Decided::Unreachable) => nothing(&smaller),
            None => match self.otf.solve(&smaller.problem, run) {
                Answer::Unknown(why) => Answer::Unknown(why),
                Answer::True(Evidence::Witness(trace)) | Answer::False(Evidence::Witness(trace)) => {
                    witness(smaller.lift(&trace)?)
                }
                _ => nothing(&smaller),
            },
        })
    }
}

impl Engine for Quotient {
    fn name(&self) -> &'static str {
        "quotient"
    }

    fn about(&self) -> &'static str {
        "replaces processes by assumptions, each against the others; certificate for what it does not find"
    }

    fn queries(&self) -> &'static [&'static str] {
        &["deadlock-free", "reach", "safety"]
    }

    fn accepts(&self, problem: &Problem) -> Result<(), Refusal> {
        self.decides(problem)?;
        quotient::Quotient::keeps(problem)
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        self.decide(problem, run).unwrap_or_else(|stop| Answer::Unknown(stop.into()))
    }
}
