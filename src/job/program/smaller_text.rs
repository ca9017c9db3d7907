//! The user's text with smaller processes, whichever way they became smaller.

use super::smaller::QUICK_EFFORT;
use super::{FoldedModel, ProgramWitness, ReplacePlan, SmallerModel};
use crate::job::failure::Failure;
use crate::job::finding::{ProcessChange, TextChange};
use crate::job::observer::Silent;
use crate::job::reduction::{MOST_TRIPLES, usual};
use crate::open::{ProgramFile, PromelaSource};
use prequel_engine::transform::quotient::Options;
use prequel_formats::promela::Text;
use prequel_formats::promela::syntax::Model;
use prequel_model::run::Run;
use prequel_program::{Program, Sought, Violation, Witness};
use std::sync::Arc;

/// A text may be so many times as long as the user's before assumptions are not worth it.
const LONGER: usize = 2;
/// So many characters are not too long in any case.
const SHORT: usize = 4000;

/// A text with smaller processes, and the way back from it.
pub enum SmallerText {
    /// By residual statements.
    Folded(Box<FoldedModel>),
    /// By quotients of components.
    Replaced(Box<SmallerModel>),
    /// By residual statements, and then by quotients of what they left.
    Assumed(Box<FoldedModel>, Box<SmallerModel>),
}

/// How long quotients of folded processes are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Some hundredths of a second.
    Hasty,
    /// Some seconds.
    Usual,
}

impl SmallerText {
    /// Folded processes, replaced by quotients where a network can be had of them soon and that makes them smaller still.
    pub fn of(folded: FoldedModel, promela: &ProgramFile, assumes: bool, run: &Run) -> Result<Self, Failure> {
        let folded = SmallerText::Folded(Box::new(folded));
        if assumes { folded.assuming(promela, Patience::Hasty, run) } else { Ok(folded) }
    }

    /// The same with folded processes replaced by quotients, if that makes them smaller still. Quotients keep assertions and end
    /// states, so a model that states more is only folded.
    pub fn assuming(self, promela: &ProgramFile, patience: Patience, run: &Run) -> Result<Self, Failure> {
        let folded = match self {
            SmallerText::Folded(folded) if SmallerModel::left_out(promela).is_empty() => folded,
            other => return Ok(other),
        };
        let quick = patience == Patience::Hasty;
        let options = Options { effort: Some(if quick { QUICK_EFFORT } else { MOST_TRIPLES }), ..usual() };
        let plan = ReplacePlan { replace: Vec::new(), quotients: true, options, alone: false, quick };
        let untold = Box::new(folded.untold());
        let (model, program) = untold.emitted(None)?;
        let source = PromelaSource { text: untold.model(), model: Arc::new(model.clone()), given: false };
        match SmallerModel::of(program, &source, &plan, run, &Silent) {
            Ok(smaller) if smaller.is_smaller() => {
                let most = (source.text.bytes.len() * LONGER).max(SHORT);
                Ok(match smaller.model().bytes.len() <= most {
                    true => SmallerText::Assumed(untold, Box::new(smaller)),
                    false => SmallerText::Folded(folded),
                })
            }
            Ok(_) | Err(Failure::Unsuitable(_) | Failure::Refused(_) | Failure::Undecided(..)) => {
                Ok(SmallerText::Folded(folded))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Whether there are no quotients in it.
    pub fn is_only_folded(&self) -> bool {
        matches!(self, SmallerText::Folded(_))
    }

    /// What became of each process.
    pub fn changes(&self) -> Vec<ProcessChange> {
        match self {
            SmallerText::Folded(folded) => folded.changes(),
            SmallerText::Replaced(replaced) => replaced.changes(),
            SmallerText::Assumed(folded, replaced) => folded.changes().into_iter().chain(replaced.changes()).collect(),
        }
    }

    /// What changed besides processes.
    pub fn beside(&self) -> TextChange {
        match self {
            SmallerText::Folded(folded) | SmallerText::Assumed(folded, _) => folded.beside(),
            SmallerText::Replaced(_) => TextChange::default(),
        }
    }

    /// The text, for SPIN.
    pub fn model(&self) -> Text {
        match self {
            SmallerText::Folded(folded) => folded.model(),
            SmallerText::Replaced(replaced) | SmallerText::Assumed(_, replaced) => replaced.model(),
        }
    }

    /// The text as we read it, and the program that it means, with this claim if there is one: quotients keep none.
    pub fn emitted(&self, claim: Option<&str>) -> Result<(&Model, Program), Failure> {
        match self {
            SmallerText::Folded(folded) => folded.emitted(claim),
            SmallerText::Replaced(replaced) | SmallerText::Assumed(_, replaced) => replaced.emitted(),
        }
    }

    /// The run of the user's program and its claim that a run of this one stands for, replayed; why there is none.
    pub fn lift_claimed(
        &self,
        asked: &Program,
        sought: Sought<'_>,
        witness: &Witness,
        run: &Run,
    ) -> Result<ProgramWitness, String> {
        match self {
            SmallerText::Folded(folded) => folded.lift_claimed(asked, sought, witness, run),
            SmallerText::Replaced(_) | SmallerText::Assumed(..) => Err("quotients keep no claim".into()),
        }
    }

    /// The run of the user's model that a run of this one stands for, replayed.
    pub fn lift(&self, emitted: &Program, witness: &Witness) -> Result<ProgramWitness, Failure> {
        match self {
            SmallerText::Folded(folded) => folded.lift(emitted, witness),
            SmallerText::Replaced(replaced) => replaced.lift(emitted, witness),
            SmallerText::Assumed(folded, replaced) => {
                let between = replaced.lift(emitted, witness)?;
                let (_, program) = folded.emitted(None)?;
                let stuck = witness.violation == Violation::EndState;
                let steps = between.steps().to_vec();
                let violation = if stuck { Violation::EndState } else { witness.violation };
                folded.lift(&program, &Witness { steps, violation })
            }
        }
    }
}
