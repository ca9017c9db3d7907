//! What can be done with a model, whatever it is: one trait, and one file for each kind of model.

mod automata;
mod circuit;
mod net;
mod network;
mod program;

use super::advise::Shape;
use super::audit;
use super::audit::{Audit, Audited};
use super::check::Check;
use super::convert::{Contents, Unwritten, encoded};
use super::decision::Decision;
use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::info::Description;
use super::models::Reading;
use super::observer::Observer;
use super::program::Reached;
use super::question::Question;
use super::reduce;
use super::reduce::{Reduce, SmallerFiles};
use super::replay::{Replay, Replayed};
use super::simulate;
use super::simulate::{Simulate, Simulation};
use crate::open::Model;
use prequel_evidence::Verdict;
use prequel_formats::list::OutputFormat;
use prequel_model::run::Run;
use prequel_model::{Circuit, Network, Origin, Problem, Query};
use std::path::Path;
use std::sync::Arc;

/// A question that is put to a model, and what is needed to put it.
#[derive(Clone, Copy)]
pub struct Inquiry<'a> {
    /// What is asked.
    pub question: &'a Question,
    /// How the model was read.
    pub reading: &'a Reading,
    /// What may be used.
    pub run: &'a Run,
    /// Whom to tell.
    pub observer: &'a dyn Observer,
}

/// A network, a program, a Petri net, automata with marks, or a circuit.
pub trait Subject {
    /// Its network; a program or net is put into components.
    fn network(self: Box<Self>, run: &Run, observer: &dyn Observer) -> Result<(Network, Origin), Failure>;

    /// A question, put to its network.
    fn problem(self: Box<Self>, asked: Inquiry<'_>) -> Result<(Problem, Origin), Failure> {
        asked.of(self.network(asked.run, asked.observer)?)
    }

    /// Decides a question.
    fn check(self: Box<Self>, request: &Check, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure>;

    /// Makes it smaller for a question.
    fn reduce(self: Box<Self>, request: &Reduce, run: &Run, observer: &dyn Observer) -> Result<SmallerFiles, Failure> {
        let (question, reading) = (&request.question, &request.models.reading);
        let (problem, origin) = self.problem(Inquiry { question, reading, run, observer })?;
        reduce::question(request, &problem, origin, run, observer)
    }

    /// Checks a certificate again.
    fn audit(self: Box<Self>, request: &Audit, run: &Run, observer: &dyn Observer) -> Result<Audited, Failure> {
        let reading = &request.models.reading;
        let ask = |question: &Question| self.problem(Inquiry { question, reading, run, observer });
        audit::of_network(request, ask, run, observer)
    }

    /// What it consists of; its network, if that is wanted.
    fn describe(self: Box<Self>, as_network: bool, run: &Run, observer: &dyn Observer) -> Result<Description, Failure>;

    /// Does again what was saved.
    fn replay(self: Box<Self>, request: &Replay, observer: &dyn Observer) -> Result<Replayed, Failure>;

    /// Gives somebody a run of it that has not begun.
    fn simulate(
        self: Box<Self>,
        request: &Simulate,
        run: &Run,
        observer: &dyn Observer,
        with: &mut dyn FnMut(&mut dyn Simulation) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        simulate::network(self.network(run, observer)?, request, observer, with)
    }

    /// What it comes to, besides what is asked.
    fn reached(&self, _run: &Run) -> Result<Reached, Failure> {
        let help = "leave it away: what is unreachable in other models is asked with --reach";
        Err(Failure::input("--unreached", "only Promela and DVE models have statements", help))
    }

    /// What can be seen of it without a search, where the question is put to a network.
    fn shape(&self, asked: Inquiry<'_>) -> Result<Shape, Failure>;

    /// What one engine says to the question. That it does not take it is an answer, too; that nobody can be asked is a failure.
    fn trial(&self, asked: Inquiry<'_>, engine: &EngineChoice) -> Result<Verdict, Failure>;

    /// States of all its processes, before and after they are replaced by smaller ones that keep what it states, where that is possible.
    fn smaller(&self, _question: &Question, _run: &Run) -> Option<[usize; 2]> {
        None
    }

    /// Whether something happens in it that has a name. Of a circuit only states are known.
    fn has_labels(&self) -> bool {
        true
    }

    /// The circuit of a question. Without one it is that there is no deadlock.
    fn circuit(self: Box<Self>, asked: Inquiry<'_>) -> Result<Arc<Circuit>, Failure> {
        let problem = if asked.question.is_stated() {
            let (network, _) = self.network(asked.run, asked.observer)?;
            asked.observer.note("no query is given: the circuit states that there is no deadlock");
            Problem { network, query: Query::DeadlockFree }
        } else {
            self.problem(asked)?.0
        };
        Ok(encoded(&problem)?.circuit)
    }

    /// Its text in a format of its own kind, for which it does not become a network.
    fn own_text(&self, _written: OutputFormat, _output: &Path) -> Option<(Vec<u8>, Contents)> {
        None
    }

    /// The network that is written in other formats, and what it states beyond that.
    fn written(
        self: Box<Self>,
        _reading: &Reading,
        run: &Run,
        observer: &dyn Observer,
    ) -> Result<(Network, Origin, Option<Unwritten>), Failure> {
        self.network(run, observer).map(|(network, origin)| (network, origin, None))
    }
}

impl Inquiry<'_> {
    /// The question, put to a network.
    fn of(self, network: (Network, Origin)) -> Result<(Problem, Origin), Failure> {
        self.question.ask(network, self.reading, self.observer)
    }
}

impl From<Model> for Box<dyn Subject> {
    fn from(model: Model) -> Self {
        match model {
            Model::Network(network, origin) => Box::new((network, origin)),
            Model::Program(file) => file,
            Model::Net(file) => Box::new(file),
            Model::Des(des) => des,
            Model::Circuit(file) => file,
        }
    }
}
