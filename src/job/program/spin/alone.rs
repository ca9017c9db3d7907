//! SPIN on the model as it is.

use super::super::violated;
use super::own::own_search;
use super::{SpinQuestion, search, undecided};
use crate::job::decision::Decision;
use crate::job::failure::Failure;
use crate::job::finding::SpinDoubt;
use crate::job::observer::Observer;
use prequel_evidence::Verdict;
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{Witness, replay};
use prequel_spin::file::{File, Trouble};
use prequel_spin::spin_errors::Doubts;
use prequel_spin::tools::C;

/// SPIN's answer on the model as it is, or that of our own search where SPIN is not believed.
pub fn as_it_is(
    question: &SpinQuestion<'_>,
    opened: Result<File<'_>, Trouble>,
    c: C,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let before = run.effort();
    match spins_answer(question, opened, c, run, observer)? {
        Ok(decision) => Ok(decision),
        Err(_) => {
            run.set_back(&before);
            own_search(question, question.asked.engine.otf(), run, observer)
        }
    }
}

/// SPIN's answer on the model as it is; where it is not believed, why.
pub fn spins_answer(
    question: &SpinQuestion<'_>,
    opened: Result<File<'_>, Trouble>,
    c: C,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Result<Decision, String>, Failure> {
    let (program, doubts) = (&question.program, &question.doubts);
    let decided = |verdict, shown| {
        let mut finding = question.asked.finding("spin", verdict, run, program.active.len());
        finding.doubt = reduced_less(question, doubts);
        Ok(Ok(Decision::new(finding, shown)))
    };
    let found = opened.and_then(|file| found(question, file, c, run, observer));
    match (found, question.unbelieved(doubts)) {
        (Ok(Some(witness)), _) => {
            let shown = violated(program.clone(), witness)?;
            decided(shown.verdict(), Some(shown))
        }
        (Ok(None) | Err(Trouble::Lost(_) | Trouble::Undecided(Why::External(_))), Some(why)) => Ok(Err(why)),
        (Ok(None), None) => decided(Verdict::absent(question.asked), None),
        (Err(trouble), _) => decided(undecided(trouble)?, None),
    }
}

/// The run to what SPIN finds, replayed.
fn found(
    question: &SpinQuestion<'_>,
    mut file: File<'_>,
    c: C,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Option<Witness>, Trouble> {
    let program = &question.program;
    let options = question.doubts.bound(question.options(c));
    let verified = search(&mut file, question.claim(), options, run, observer)?;
    let Some(found) = verified.found else { return Ok(None) };
    let witness = file.witness(program, &found)?;
    replay(program, &witness).map_err(|e| Trouble::Lost(e.to_string()))?;
    Ok(Some(witness))
}

/// That SPIN searched without partial-order reduction where it would have been asked to reduce, for what is known against it on a
/// model.
pub fn reduced_less(question: &SpinQuestion<'_>, doubts: &Doubts) -> Option<SpinDoubt> {
    let why = doubts.reason().filter(|_| question.options(C::Quick).reduce && !doubts.allow_reduction())?;
    let why = format!("SPIN answers without partial-order reduction: {why}");
    Some(SpinDoubt { why, names: doubts.names(), done: "no reduction" })
}
