#![doc = include_str!("../README.md")]

mod clauses;
mod interpolant;
mod prober;
mod proof;

pub use clauses::Encoder;
pub use interpolant::Interpolants;
pub use prober::Prober;
pub use proof::Broken;

use cadical_sys::{CaDiCal, Status, Terminator};
use proof::Recorder;
use std::cell::RefCell;
use std::rc::Rc;

#[cfg(test)]
mod tests;

/// What came out.
#[derive(Debug)]
pub enum Outcome {
    /// There is an assignment; ask [`Solver::value`].
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// It was stopped.
    Stopped,
}

/// A solver for one question.
pub struct Solver {
    cadical: CaDiCal,
    recorder: Option<Rc<RefCell<Recorder>>>,
    variables: i32,
}

struct Ask<F>(F);

impl<F: FnMut() -> bool> Terminator for Ask<F> {
    fn terminated(&mut self) -> bool {
        (self.0)()
    }
}

impl Solver {
    /// A solver that records how it refutes, if it is asked to.
    pub fn new(proofs: bool) -> Self {
        let mut cadical = CaDiCal::new();
        cadical.set("quiet", 1);
        if proofs {
            // Without simplification refutations are a little longer in coming, and their interpolants much smaller.
            cadical.configure("plain");
        }
        // Bounded variable addition would put clauses into the proof that do not follow by resolution.
        cadical.set("factor", 0);
        let recorder = proofs.then(|| Rc::new(RefCell::new(Recorder::default())));
        if let Some(recorder) = &recorder {
            cadical.connect_proof_tracer1(recorder.clone(), true, false);
        }
        Self { cadical, recorder, variables: 0 }
    }

    /// A new variable.
    pub fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    /// Adds a clause that belongs to a part.
    pub fn add(&mut self, part: u32, clause: &[i32]) {
        if let Some(recorder) = &self.recorder {
            recorder.borrow_mut().part = part;
        }
        self.cadical.clause6(clause);
    }

    /// Demands a literal in the next question only.
    pub fn assume(&mut self, literal: i32) {
        self.cadical.assume(literal);
    }

    /// Demands a clause in the next question only.
    pub fn constrain(&mut self, clause: &[i32]) {
        clause.iter().for_each(|&literal| self.cadical.constrain(literal));
        self.cadical.constrain(0);
    }

    /// Whether a literal that was assumed was needed to refute the last question.
    pub fn failed(&mut self, literal: i32) -> bool {
        self.cadical.failed(literal)
    }

    /// Solves; `stop` is asked now and then whether to give up.
    pub fn solve(&mut self, stop: impl FnMut() -> bool + 'static) -> Outcome {
        self.cadical.connect_terminator(Ask(stop));
        let status = self.cadical.solve();
        self.cadical.disconnect_terminator();
        match status {
            Status::SATISFIABLE => Outcome::Satisfiable,
            Status::UNSATISFIABLE => {
                if self.recorder.is_some() {
                    self.cadical.conclude();
                }
                Outcome::Unsatisfiable
            }
            Status::UNKNOWN => Outcome::Stopped,
        }
    }

    /// The value of a variable in the assignment that was found.
    pub fn value(&mut self, variable: i32) -> bool {
        self.cadical.val(variable) > 0
    }

    /// What each part contributes to the refutation; needs proofs.
    pub fn interpolants(&self) -> Result<Interpolants, Broken> {
        let recorder = self.recorder.as_ref().expect("a solver with proofs").borrow();
        Interpolants::new(&recorder)
    }
}
