//! Programs, in Promela or DVE.

use super::{Inquiry, Subject};
use crate::job::advise::{Shape, or_refused};
use crate::job::audit::{Audit, Audited};
use crate::job::certificate::CertificateForm;
use crate::job::check::Check;
use crate::job::convert::Unwritten;
use crate::job::decision::Decision;
use crate::job::engine_choice::EngineChoice;
use crate::job::failure::Failure;
use crate::job::info::{Description, ProgramInfo};
use crate::job::models::Reading;
use crate::job::observer::{Observer, Silent};
use crate::job::program;
use crate::job::program::{ProgramQuestion, Reached, ReplacePlan, SmallerModel};
use crate::job::question::Question;
use crate::job::reduce::{Reduce, SmallerFiles, question, stated};
use crate::job::reduction::{Method, usual};
use crate::job::replay::{Replay, Replayed};
use crate::job::simulate;
use crate::job::simulate::{Simulate, Simulation};
use crate::open::{ProgramFile, bytes};
use prequel_engine::Refusal;
use prequel_evidence::Verdict;
use prequel_model::run::Run;
use prequel_model::{Network, Origin};
use prequel_program::saved_run;

impl Subject for ProgramFile {
    fn network(self: Box<Self>, run: &Run, observer: &dyn Observer) -> Result<(Network, Origin), Failure> {
        program::as_network(&self, run, observer).map(|split| (split.network, split.origin))
    }

    fn check(self: Box<Self>, request: &Check, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
        let Check { models, question, engine, as_network, before, .. } = request;
        let unsuitable = |method: Method| !matches!(method, Method::Quotient | Method::Residual);
        if before.as_ref().is_some_and(|before| before.reduction.method.is_some_and(unsuitable)) {
            let why = "a Promela model keeps its text by residual statements and quotients: `prequel reduce` writes it as a network";
            return Err(Refusal::new(why).into());
        }
        if let Some(before) = before.as_ref().filter(|before| before.reduction.method == Some(Method::Quotient)) {
            before.reduction.has_no_rules()?;
        }
        let reading = &models.reading;
        let (promela, as_network, before) = (&*self, *as_network, before.as_ref());
        let asked = ProgramQuestion { promela, question, reading, engine, as_network, before };
        match request.certificate {
            None => program::answer(&asked, run, observer),
            Some(CertificateForm::Json) => program::certified(&asked, run, observer),
            Some(CertificateForm::SmtLib | CertificateForm::Aiger(_)) => {
                let why = "this form is for networks and circuits; `prequel convert` makes a network of a program";
                Err(Refusal::new(why).into())
            }
        }
    }

    fn audit(self: Box<Self>, request: &Audit, run: &Run, observer: &dyn Observer) -> Result<Audited, Failure> {
        if request.changed {
            return Err(Refusal::new("a certificate of a program replaces no process: leave --changed away").into());
        }
        program::audit(&self, request, run, observer).map(Audited::Program)
    }

    fn reduce(self: Box<Self>, request: &Reduce, run: &Run, observer: &dyn Observer) -> Result<SmallerFiles, Failure> {
        if stated::is_asked(&request.question) {
            return stated::reduce(request, &self, run, observer);
        }
        let (asked, reading) = (&request.question, &request.models.reading);
        let (problem, origin) = self.problem(Inquiry { question: asked, reading, run, observer })?;
        question(request, &problem, origin, run, observer)
    }

    /// Pictures and components are those of the network.
    fn describe(self: Box<Self>, as_network: bool, run: &Run, observer: &dyn Observer) -> Result<Description, Failure> {
        if as_network {
            return self.network(run, observer).map(|(network, origin)| Description::Network(network, origin));
        }
        Ok(Description::Program(ProgramInfo::of(&self, run)))
    }

    fn replay(self: Box<Self>, request: &Replay, _: &dyn Observer) -> Result<Replayed, Failure> {
        let file = request.witness.display().to_string();
        let saved = saved_run::read(&file, &bytes(&request.witness)?)?;
        let replayed = program::replayed(&self, &saved, &request.question)?;
        let shown = replayed.map(Into::into).map_err(|why| why.to_string());
        let sources = self.sources();
        Ok(Replayed { steps: saved.len(), saved_query: saved.query, sources, shown })
    }

    fn simulate(
        self: Box<Self>,
        request: &Simulate,
        run: &Run,
        _: &dyn Observer,
        with: &mut dyn FnMut(&mut dyn Simulation) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        simulate::program(&self, request, run, with)
    }

    fn reached(&self, run: &Run) -> Result<Reached, Failure> {
        program::all_reached(self, run)
    }

    fn shape(&self, asked: Inquiry<'_>) -> Result<Shape, Failure> {
        let split = program::as_network(self, asked.run, asked.observer)?;
        // An expression over variables names no components.
        let (own, named) = (split.end_states(), asked.question.reach().is_none());
        let problem = match asked.question.about_labels() {
            true => asked.of((split.network, split.origin))?.0,
            false => own,
        };
        let shape = Shape::of(&problem).of_searched();
        Ok(Shape { named: shape.named.filter(|_| named), ..shape })
    }

    fn trial(&self, asked: Inquiry<'_>, engine: &EngineChoice) -> Result<Verdict, Failure> {
        let Inquiry { question, reading, run, observer } = asked;
        let asked = ProgramQuestion { promela: self, question, reading, engine, as_network: false, before: None };
        or_refused(program::answer(&asked, run, observer).map(|decision| decision.finding.verdict))
    }

    fn smaller(&self, question: &Question, run: &Run) -> Option<[usize; 2]> {
        if !question.is_stated() || self.source().is_none() || self.program.property.is_some() {
            return None;
        }
        let plan = ReplacePlan { replace: Vec::new(), quotients: true, options: usual(), alone: false, quick: false };
        let smaller = SmallerModel::new(self, &plan, run, &Silent).ok()?;
        let (before, together) = smaller.replaced();
        Some([before, &together.network].map(|n| n.components().iter().map(|c| c.lts.num_states()).sum()))
    }

    fn written(
        self: Box<Self>,
        _: &Reading,
        run: &Run,
        observer: &dyn Observer,
    ) -> Result<(Network, Origin, Option<Unwritten>), Failure> {
        let split = program::as_network(&self, run, observer)?;
        let stated = Unwritten::of(&split, self.has_end_states());
        Ok((split.network, split.origin, Some(stated)))
    }
}
