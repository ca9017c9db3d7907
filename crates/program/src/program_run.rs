//! Runs of a program as evidence: done again step by step, they show a verdict.

use super::data::Program;
use super::expand::Violation;
use super::expression::Expression;
use super::sought::Sought;
use super::witness::{ReplayError, Step, Witness, replay, replay_steps};
use prequel_evidence::{Asked, Replay};
use std::borrow::Borrow;

/// A run of a program, and what is to be seen at its end.
#[derive(Clone, Debug)]
pub struct ProgramRun<P = Program> {
    /// The program.
    pub program: P,
    /// From the start.
    pub steps: Vec<Step>,
    /// What they lead to.
    pub end: RunEnd,
}

/// What a run leads to.
#[derive(Clone, PartialEq, Debug)]
pub enum RunEnd {
    /// A violation: what is stated is false.
    Violation(Violation),
    /// A state in which this holds: it can be reached.
    Goal(Expression),
    /// A state where others may move. That shows nothing by itself.
    Open,
}

impl<P: Borrow<Program>> ProgramRun<P> {
    /// A run to a violation.
    pub fn violating(program: P, Witness { steps, violation }: Witness) -> Self {
        Self { program, steps, end: RunEnd::Violation(violation) }
    }
}

impl<P: Borrow<Program>> Replay for ProgramRun<P> {
    type End = ();
    type Rejected = ReplayError;

    fn replay(&self) -> Result<(), ReplayError> {
        let (program, steps) = (self.program.borrow(), &self.steps);
        match &self.end {
            RunEnd::Violation(violation) => replay(program, &Witness { steps: steps.clone(), violation: *violation }),
            RunEnd::Goal(goal) => replay_steps(program, steps, Some(goal)),
            RunEnd::Open => replay_steps(program, steps, None),
        }
    }

    fn shows(&self) -> Option<bool> {
        match self.end {
            RunEnd::Violation(_) => Some(false),
            RunEnd::Goal(_) => Some(true),
            RunEnd::Open => None,
        }
    }
}

impl Asked for Sought<'_> {
    fn witness_shows(&self) -> bool {
        matches!(self, Sought::Goal(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::Fault;
    use crate::{Claim, compile};
    use prequel_evidence::Checked;
    use prequel_formats::promela;
    use std::path::Path;

    fn program(text: &str) -> Program {
        let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).unwrap();
        compile(&model, Claim::None).unwrap().0
    }

    #[test]
    fn a_run_shows_what_it_ends_with_and_nothing_else() {
        let program = program("byte x; active proctype p() { x = 1; assert(x == 2) }");
        let steps = crate::retrace(&program, &[(Some(0), 0), (Some(0), 0)]).unwrap();
        let fault = Violation::Fault { fault: Fault::Assertion, process: 0, statement: steps[1].statement };
        let run = |steps: &[Step], end| ProgramRun { program: &program, steps: steps.to_vec(), end };
        let word = |run| Checked::new(run).map(|checked| checked.verdict().word());
        assert_eq!(word(run(&steps, RunEnd::Violation(fault))), Ok("false"));
        assert_eq!(word(run(&steps[..1], RunEnd::Violation(fault))), Err(ReplayError::NoViolation));
        assert_eq!(word(run(&steps, RunEnd::Violation(Violation::EndState))), Err(ReplayError::NoViolation));
        assert_eq!(word(run(&steps[..1], RunEnd::Open)), Ok("unknown"), "it is possible, and shows nothing");
        assert_eq!(word(run(&steps[1..], RunEnd::Open)), Err(ReplayError::NoStep(0)));
    }
}
