//! A Promela model whose processes are folded: what it states keeps its verdict, claims and formulas included, and the rest of the text
//! stays the user's.

use super::{ProgramWitness, rejected, violated};
use crate::job::failure::Failure;
use crate::job::finding::{ProcessChange, TextChange};
use crate::job::observer::Observer;
use crate::job::reduction::ReductionChoice;
use crate::open::ProgramFile;
use prequel_engine::Refusal;
use prequel_formats::promela::Text;
use prequel_formats::promela::syntax::Model;
use prequel_model::run::Run;
use prequel_program::residual::{Options, Rules};
use prequel_program::{Claim, Program, Sought, Witness, compile, retrace};
use prequel_spin::residual::{Change, Exclusive, Folded, Narrowed, NotFolded, fold};

/// A model with folded processes, and the way back from it.
pub struct FoldedModel {
    program: Program,
    folded: Folded,
    source: Text,
}

impl FoldedModel {
    /// Folds processes wherever that makes them smaller. Where it has to stand `alone`, the text includes no files.
    pub fn new(
        promela: &ProgramFile,
        choice: &ReductionChoice,
        alone: bool,
        run: &Run,
        observer: &dyn Observer,
    ) -> Result<Self, Failure> {
        let program = promela.without_claim()?;
        let source = promela.source().ok_or_else(|| Refusal::new("only a Promela model has residual statements"))?;
        let rules = Rules::without(&choice.without);
        let options = Options {
            strong: choice.keep_states,
            fair: choice.keep_fairness,
            ends: !choice.assertions,
            rules,
            ..Options::default()
        };
        for wanted in &choice.replace {
            let names = || program.proctypes.iter().map(|kind| &*kind.name);
            if !names().any(|name| name == wanted) {
                let help = format!("processes are {}", names().collect::<Vec<_>>().join(", "));
                return Err(Failure::input("--replace", format!("no process is called `{wanted}`"), help));
            }
        }
        let (watch, model) = (run.watch(), source.as_one()?);
        let fold = || fold(&source.text, &model, options, &choice.replace, alone, &watch);
        let folded = match observer.during(run, "residual", fold) {
            Ok(folded) => folded,
            Err(NotFolded::Refused(why)) => return Err(Refusal::new(why).into()),
            Err(NotFolded::Stopped) => {
                run.allowed()?;
                return Err(Failure::Internal("folding ended before its time".into()));
            }
        };
        Ok(Self { program, folded, source: source.text.clone() })
    }

    /// Whether any process became smaller.
    pub fn is_smaller(&self) -> bool {
        self.folded.is_smaller()
    }

    /// The smaller model, for SPIN: it stands where the user's does, for what it includes.
    pub fn model(&self) -> Text {
        Text { bytes: self.folded.text.clone(), defines: Vec::new(), ..self.source.clone() }
    }

    /// Whether anything at all is written otherwise.
    pub fn is_changed(&self) -> bool {
        self.folded.is_changed()
    }

    /// Whether SPIN is told of channels that it did not know.
    pub fn tells(&self) -> bool {
        !self.folded.exclusive.is_empty()
    }

    /// The same with nothing told to SPIN.
    pub fn untold(&self) -> Self {
        Self { program: self.program.clone(), folded: self.folded.untold(), source: self.source.clone() }
    }

    /// What changed besides processes.
    pub fn beside(&self) -> TextChange {
        TextChange { narrowed: self.folded.narrowed.clone(), exclusive: self.folded.exclusive.clone() }
    }

    /// Whether the user's text had to be preprocessed as a whole.
    pub fn preprocessed(&self) -> bool {
        self.folded.preprocessed
    }

    /// Why every step of every process had to stay one, if it had to.
    pub fn counted(&self) -> Option<&'static str> {
        self.folded.counted
    }

    /// What became of each kind of process.
    pub fn changes(&self) -> Vec<ProcessChange> {
        self.folded.changes.iter().map(ProcessChange::folded).collect()
    }

    /// The processes that stand still, since nothing that is asked depends on them.
    pub fn at_rest(&self) -> Vec<&str> {
        self.folded.changes.iter().filter(|change| change.outside).map(|change| &*change.name).collect()
    }

    /// What was forgotten of each process, in words.
    pub fn explained(&self) -> String {
        let narrowed = self.folded.narrowed.iter().map(Narrowed::explained);
        let exclusive = self.folded.exclusive.iter().map(Exclusive::explained);
        let each = self.folded.changes.iter().map(Change::explained);
        each.chain(narrowed).chain(exclusive).collect::<Vec<_>>().join("\n")
    }

    /// The smaller model as we read it, and the program that it means, with this claim if there is one.
    pub fn emitted(&self, claim: Option<&str>) -> Result<(&Model, Program), Failure> {
        let (program, _) = compile(&self.folded.model, claim.map_or(Claim::None, Claim::Named))?;
        Ok((&self.folded.model, program))
    }

    /// The run of the user's program and its claim that a run of the smaller one stands for, replayed; why there is none.
    pub fn lift_claimed(
        &self,
        asked: &Program,
        sought: Sought<'_>,
        witness: &Witness,
        run: &Run,
    ) -> Result<ProgramWitness, String> {
        let lifted = self.folded.lift_claimed(&self.program, asked, sought, witness, run)?;
        violated(asked.clone(), lifted).map_err(|failure| failure.to_string())
    }

    /// The run of the user's model that a run of the smaller one stands for, replayed.
    pub fn lift(&self, emitted: &Program, witness: &Witness) -> Result<ProgramWitness, Failure> {
        let lost = |what: &str| rejected(format!("a run of the smaller model does not come back: {what}"));
        let folded = self.folded.folded(&self.program);
        let moves = self.folded.lift(folded, emitted, witness).ok_or_else(|| lost("it has no steps of the model"))?;
        let steps = retrace(&self.program, &moves).map_err(|why| lost(&why.to_string()))?;
        let violation = prequel_program::end_of(&self.program, &steps).map_err(|why| lost(&why.to_string()))?;
        violated(self.program.clone(), Witness { steps, violation })
    }
}
