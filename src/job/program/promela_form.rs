//! A DVE model asked about as a Promela text that means the same: SPIN takes that, and its processes can be folded.

use super::{ProgramQuestion, ProgramWitness, Shows, answer_one, rejected, violated};
use crate::job::decision::Decision;
use crate::job::failure::Failure;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::job::witness::Witness as ShownBy;
use crate::open::ProgramFile;
use prequel_engine::Refusal;
use prequel_model::run::Run;
use prequel_program::dve::PromelaForm;
use prequel_program::{Program, Witness, end_of, retrace};

/// A DVE model and its text in Promela.
pub struct FormOfDve {
    /// The text, which states what is asked of the model and nothing else.
    pub file: ProgramFile,
    form: PromelaForm,
    /// What the model means where that is asked.
    program: Program,
}

impl FormOfDve {
    /// The text of a model that is asked what it states, or where nothing can move; why it has none. Nothing for other models and
    /// questions.
    pub fn of(model: &ProgramFile, question: &Question) -> Result<Option<Self>, Failure> {
        let program = match question {
            _ if model.source().is_some() || !model.asked_claims().is_empty() => return Ok(None),
            Question::Stated | Question::Assertions => model.with_assertions()?,
            Question::DeadlockFree => model.without_claim()?,
            _ => return Ok(None),
        };
        let form = PromelaForm::of(&program).map_err(Refusal::new)?;
        let file = model.restated(&form.text, *question == Question::DeadlockFree)?;
        Ok(Some(Self { file, form, program }))
    }

    /// A smaller text, with places in the model where comments name lines of this one.
    pub fn with_places(&self, text: Vec<u8>) -> Vec<u8> {
        self.form.with_places(&String::from_utf8_lossy(&text)).into_bytes()
    }

    /// The run of the model that a run of the text stands for, replayed.
    pub fn back(&self, shown: &ProgramWitness) -> Result<ProgramWitness, Failure> {
        let lost =
            |why: &dyn std::fmt::Display| rejected(format!("a run of the model as Promela does not come back: {why}"));
        let Shows::Violation(violation) = *shown.shows() else { return Err(lost(&"it shows no violation")) };
        let moves = self.form.moves(shown.program(), &Witness { steps: shown.steps().to_vec(), violation });
        let steps = retrace(&self.program, &moves).map_err(|why| lost(&why))?;
        let violation = end_of(&self.program, &steps).map_err(|why| lost(&why))?;
        violated(self.program.clone(), Witness { steps, violation })
    }
}

/// What SPIN and whoever is asked beside it say of a DVE model; nothing where it has no text in Promela, which is said.
pub fn answer(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Option<Decision>, Failure> {
    let form = match FormOfDve::of(asked.promela, asked.question) {
        Ok(Some(form)) => form,
        Ok(None) => return Ok(None),
        Err(Failure::Refused(why)) => {
            observer.note(&format!("SPIN is asked about the network of the model: {why}"));
            return Ok(None);
        }
        Err(failure) => return Err(failure),
    };
    let restated = ProgramQuestion { promela: &form.file, question: &Question::Stated, ..asked.clone() };
    let mut decision = answer_one(&restated, run, observer)?;
    if let Some(ShownBy::Program(shown)) = &decision.witness {
        let back = match form.back(shown) {
            // A guard may have no value where nobody is there to meet.
            Err(_) if shown.is_of_values() => {
                observer.note("SPIN is asked about the network of the model: in Promela a guard is computed where it is not in DVE");
                return Ok(None);
            }
            back => back?,
        };
        decision.finding.verdict = back.verdict();
        decision.witness = Some(back.into());
    }
    let own = asked.finding("spin", decision.finding.verdict.clone(), run, 0);
    (decision.finding.query, decision.finding.coverage) = (own.query, own.coverage);
    Ok(Some(decision))
}
