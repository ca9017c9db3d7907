//! Boolean systems with components.

use super::{Inquiry, Subject};
use crate::job::advise::{Shape, or_refused};
use crate::job::audit::{Audit, Audited};
use crate::job::check::{Check, check_circuit};
use crate::job::circuit;
use crate::job::decision::Decision;
use crate::job::engine_choice::EngineChoice;
use crate::job::failure::Failure;
use crate::job::info::{CircuitInfo, Description};
use crate::job::models::no_network;
use crate::job::observer::Observer;
use crate::job::portfolio::rules::FOR_CIRCUITS;
use crate::job::replay::{Replay, Replayed};
use crate::open::CircuitFile;
use prequel_engine::Refusal;
use prequel_evidence::Verdict;
use prequel_model::run::Run;
use prequel_model::{Circuit, Network, Origin};
use std::sync::Arc;

impl Subject for CircuitFile {
    fn network(self: Box<Self>, _: &Run, _: &dyn Observer) -> Result<(Network, Origin), Failure> {
        Err(no_network(&self))
    }

    fn check(self: Box<Self>, request: &Check, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
        if request.before.is_some() { Err(no_network(&self)) } else { check_circuit(request, &self, run, observer) }
    }

    fn audit(self: Box<Self>, request: &Audit, run: &Run, _: &dyn Observer) -> Result<Audited, Failure> {
        if request.changed {
            return Err(Refusal::new("a certificate of a circuit replaces no process: leave --changed away").into());
        }
        circuit::audit(&self, &request.certificate, &request.question, run).map(Audited::Circuit)
    }

    fn describe(self: Box<Self>, as_network: bool, _: &Run, _: &dyn Observer) -> Result<Description, Failure> {
        if as_network { Err(no_network(&self)) } else { Ok(Description::Circuit(CircuitInfo::of(&self.circuit))) }
    }

    fn replay(self: Box<Self>, request: &Replay, _: &dyn Observer) -> Result<Replayed, Failure> {
        let (saved, steps, replayed) = circuit::replayed(&self, &request.witness, &request.question)?;
        Ok(Replayed { saved_query: saved.query, steps, sources: Vec::new(), shown: replayed.map(Into::into) })
    }

    fn shape(&self, asked: Inquiry<'_>) -> Result<Shape, Failure> {
        circuit::question(self, asked.question).map(|question| {
            let (components, bound) = (question.circuit.parts.len(), f64::from(question.circuit.bits) * 2f64.log10());
            Shape { components, bound, named: None, lineup: FOR_CIRCUITS.to_vec() }
        })
    }

    fn trial(&self, asked: Inquiry<'_>, engine: &EngineChoice) -> Result<Verdict, Failure> {
        let question = circuit::question(self, asked.question)?;
        or_refused(circuit::answer(&question, engine, asked.run, asked.observer).map(|answer| answer.finding.verdict))
    }

    fn has_labels(&self) -> bool {
        false
    }

    /// What it states is the question; where there is none, what it states already.
    fn circuit(self: Box<Self>, Inquiry { question, .. }: Inquiry<'_>) -> Result<Arc<Circuit>, Failure> {
        if question.is_stated() { Ok(self.circuit) } else { Ok(circuit::question(&self, question)?.circuit) }
    }
}
