//! Automata with marks and roles, from Supremica's files.

use super::{Inquiry, Subject};
use crate::job::advise::{Shape, solved};
use crate::job::check::Check;
use crate::job::convert::{Contents, Unwritten, in_memory};
use crate::job::decision::Decision;
use crate::job::des;
use crate::job::engine_choice::EngineChoice;
use crate::job::failure::Failure;
use crate::job::info::Description;
use crate::job::models::Reading;
use crate::job::network;
use crate::job::observer::Observer;
use crate::job::replay::{Replay, Replayed, on_network};
use prequel_evidence::Verdict;
use prequel_formats::list::OutputFormat;
use prequel_formats::marking;
use prequel_formats::supremica::wdes;
use prequel_model::run::Run;
use prequel_model::{Des, Lts, Network, Origin, Problem};
use std::path::Path;

impl Subject for Des {
    fn network(self: Box<Self>, _: &Run, _: &dyn Observer) -> Result<(Network, Origin), Failure> {
        Ok(self.system())
    }

    fn problem(self: Box<Self>, asked: Inquiry<'_>) -> Result<(Problem, Origin), Failure> {
        let Inquiry { question, reading, observer, .. } = asked;
        des::problem(&self, question, reading, observer)
    }

    fn check(self: Box<Self>, request: &Check, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
        let asked = des::question(&self, &request.question, &request.models.reading, observer)?;
        network::answer(&request.of_network(self.without_start().is_none()), asked, run, observer)
    }

    fn describe(self: Box<Self>, _: bool, _: &Run, _: &dyn Observer) -> Result<Description, Failure> {
        Ok(Description::Network(self.network, self.origin))
    }

    fn replay(self: Box<Self>, request: &Replay, observer: &dyn Observer) -> Result<Replayed, Failure> {
        let Replay { models, question, .. } = request;
        let (problem, origin) = des::problem(&self, question, &models.reading, observer)?;
        let query = (!question.is_stated()).then_some(problem.query);
        on_network((problem.network, origin), query, request, observer)
    }

    fn shape(&self, asked: Inquiry<'_>) -> Result<Shape, Failure> {
        let Inquiry { question, reading, observer, .. } = asked;
        des::problem(self, question, reading, observer).map(|(problem, _)| Shape::of(&problem))
    }

    fn trial(&self, asked: Inquiry<'_>, engine: &EngineChoice) -> Result<Verdict, Failure> {
        let Inquiry { question, reading, run, observer } = asked;
        solved(&des::problem(self, question, reading, observer)?.0, engine, run)
    }

    /// As they are, roles and properties included.
    fn own_text(&self, written: OutputFormat, _: &Path) -> Option<(Vec<u8>, Contents)> {
        let total = |count: fn(&Lts) -> usize| self.network.components().iter().map(|c| count(&c.lts)).sum::<usize>();
        let contents = Contents::Automata {
            automata: self.network.components().len(),
            events: self.events().len(),
            states: total(Lts::num_states),
            transitions: total(Lts::num_transitions),
        };
        (written == OutputFormat::Wdes).then(|| (in_memory(|out| wdes::write(self, out)), contents))
    }

    /// Marks are kept as the loops that `--nonblocking` reads.
    fn written(
        self: Box<Self>,
        reading: &Reading,
        _: &Run,
        _: &dyn Observer,
    ) -> Result<(Network, Origin, Option<Unwritten>), Failure> {
        let (network, origin) = self.system();
        Ok((marking::with_loops(network, reading.marking()), origin, None))
    }
}
