//! Petri nets.

use super::{Inquiry, Subject};
use crate::job::advise::{Shape, or_refused};
use crate::job::check::{Check, check_net};
use crate::job::convert::{Contents, net_text};
use crate::job::decision::Decision;
use crate::job::engine_choice::EngineChoice;
use crate::job::failure::Failure;
use crate::job::info::{Description, NetInfo};
use crate::job::net;
use crate::job::net::NetQuestion;
use crate::job::network;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::job::replay::{Replay, Replayed};
use crate::job::simulate;
use crate::job::simulate::{Simulate, Simulation};
use crate::open::{NetFile, bytes};
use prequel_evidence::Verdict;
use prequel_formats::firing;
use prequel_formats::list::OutputFormat;
use prequel_model::run::Run;
use prequel_model::{Network, Origin, Problem};
use std::path::Path;
use std::sync::Arc;

impl Subject for Arc<NetFile> {
    fn network(self: Box<Self>, run: &Run, observer: &dyn Observer) -> Result<(Network, Origin), Failure> {
        net::as_network(&self, run, observer).map(|split| (split.network, split.origin))
    }

    fn problem(self: Box<Self>, asked: Inquiry<'_>) -> Result<(Problem, Origin), Failure> {
        let Inquiry { question, reading, run, observer } = asked;
        net::problem(&self, question, reading, run, observer)
    }

    fn check(self: Box<Self>, request: &Check, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
        // Certificates and reductions are those of the network.
        let about_runs = matches!(request.question, Question::Temporal(_));
        if !about_runs && (request.certificate.is_some() || request.before.is_some()) {
            let asked = net::problem(&self, &request.question, &request.models.reading, run, observer)?;
            return network::answer(&request.of_network(true), asked, run, observer);
        }
        check_net(request, &self, run, observer)
    }

    fn describe(self: Box<Self>, as_network: bool, run: &Run, observer: &dyn Observer) -> Result<Description, Failure> {
        if as_network {
            return self.network(run, observer).map(|(network, origin)| Description::Network(network, origin));
        }
        Ok(Description::Net(NetInfo::of(&self, run)))
    }

    fn replay(self: Box<Self>, request: &Replay, observer: &dyn Observer) -> Result<Replayed, Failure> {
        let Replay { models, witness, question } = request;
        let (saved, sequence) = firing::read(&witness.display().to_string(), &bytes(witness)?, &self.net)?;
        let steps = sequence.len();
        let replayed = net::replayed(&self, &saved, sequence, question, &models.reading, observer)?;
        Ok(Replayed { saved_query: saved.query, steps, sources: Vec::new(), shown: replayed.map(Into::into) })
    }

    fn simulate(
        self: Box<Self>,
        request: &Simulate,
        _: &Run,
        _: &dyn Observer,
        with: &mut dyn FnMut(&mut dyn Simulation) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        simulate::net(&self, request, with)
    }

    fn shape(&self, asked: Inquiry<'_>) -> Result<Shape, Failure> {
        let Inquiry { question, reading, run, observer } = asked;
        net::problem(self, question, reading, run, observer).map(|(problem, _)| Shape::of(&problem))
    }

    fn trial(&self, asked: Inquiry<'_>, engine: &EngineChoice) -> Result<Verdict, Failure> {
        let Inquiry { question, reading, run, observer } = asked;
        let asked = NetQuestion { file: self, question, reading, engine, as_network: false };
        let decision = match net::formulas(self, question)?.as_slice() {
            [] => net::answer(&asked, run, observer),
            [first, ..] => net::decide_formula(&asked, first, run, observer),
        };
        or_refused(decision.map(|decision| decision.finding.verdict))
    }

    fn own_text(&self, written: OutputFormat, output: &Path) -> Option<(Vec<u8>, Contents)> {
        let net = &self.net;
        let (places, transitions, arcs) = (net.places().len(), net.transitions().len(), net.num_arcs());
        let OutputFormat::Net(form) = written else { return None };
        Some((net_text(net, output, form), Contents::Net { places, transitions, arcs }))
    }
}
