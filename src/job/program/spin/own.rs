//! Our own search of the program: before SPIN has begun, beside it, or instead of it where SPIN errs.

use super::super::{violated, with_claim};
use super::SpinQuestion;
use crate::job::decision::Decision;
use crate::job::failure::Failure;
use crate::job::finding::SpinDoubt;
use crate::job::observer::Observer;
use prequel_engine::otf::Otf;
use prequel_engine::otf::program::{Outcome, verify};
use prequel_evidence::Verdict;
use prequel_model::run::Run;
use prequel_program::Program;

/// What our own search says of the model as it is.
pub fn own_search(
    question: &SpinQuestion<'_>,
    how: Otf,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let searched = |program: &Program| observer.during(run, "otf", || verify(program, question.sought, how, run));
    let (program, outcome) = with_claim(&question.program, searched);
    let components = program.active.len();
    let doubt = question.own_doubt();
    let (verdict, shown) = match outcome {
        Outcome::Violated(witness) => {
            let shown = violated(program, witness)?;
            (shown.verdict(), Some(shown))
        }
        Outcome::Unknown(why) => (Verdict::Unknown(why), None),
        _ => (Verdict::absent(question.asked), None),
    };
    let mut finding = question.asked.finding("otf", verdict, run, components);
    finding.doubt = doubt.map(|doubt| SpinDoubt { why: format!("our own search answers: {}", doubt.why), ..doubt });
    Ok(Decision::new(finding, shown))
}

impl SpinQuestion<'_> {
    /// Why we answer ourselves, where SPIN is not believed.
    pub fn own_doubt(&self) -> Option<SpinDoubt> {
        let why = self.unbelieved(&self.doubts)?;
        Some(SpinDoubt { why, names: self.doubts.names(), done: "own search" })
    }
}
