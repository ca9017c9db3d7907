//! Components side by side.

use super::{Inquiry, Subject};
use crate::job::advise::{Shape, solved};
use crate::job::check::Check;
use crate::job::decision::Decision;
use crate::job::engine_choice::EngineChoice;
use crate::job::failure::Failure;
use crate::job::info::Description;
use crate::job::network;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::job::replay::{Replay, Replayed, on_network};
use crate::job::temporal;
use prequel_evidence::Verdict;
use prequel_model::run::Run;
use prequel_model::{Network, Origin};

impl Subject for (Network, Origin) {
    fn network(self: Box<Self>, _: &Run, _: &dyn Observer) -> Result<(Network, Origin), Failure> {
        Ok(*self)
    }

    fn check(self: Box<Self>, request: &Check, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
        if let Question::Temporal(text) = &request.question {
            return temporal::of_network(request, text, *self, run, observer);
        }
        let asked = request.question.ask(*self, &request.models.reading, observer)?;
        network::answer(&request.of_network(true), asked, run, observer)
    }

    fn describe(self: Box<Self>, _: bool, _: &Run, _: &dyn Observer) -> Result<Description, Failure> {
        let (network, origin) = *self;
        Ok(Description::Network(network, origin))
    }

    fn replay(self: Box<Self>, request: &Replay, observer: &dyn Observer) -> Result<Replayed, Failure> {
        on_network(*self, None, request, observer)
    }

    fn shape(&self, asked: Inquiry<'_>) -> Result<Shape, Failure> {
        asked.of(self.clone()).map(|(problem, _)| Shape::of(&problem))
    }

    fn trial(&self, asked: Inquiry<'_>, engine: &EngineChoice) -> Result<Verdict, Failure> {
        solved(&asked.of(self.clone())?.0, engine, asked.run)
    }
}
