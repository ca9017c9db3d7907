//! Runs that show a verdict. Each was replayed on the model as it was read before it was put here.

use super::circuit::CircuitWitness;
use super::net::NetWitness;
use super::program::ProgramWitness;
use prequel_formats::aut::Dialect;
use prequel_formats::picture::view::View;
use prequel_formats::text::lines;
use prequel_model::{Origin, Problem, Trace};

/// A run that shows a verdict, of whatever the model is.
#[derive(Debug)]
pub enum Witness {
    /// A path of a network.
    Network(NetworkWitness),
    /// A run of a program.
    Program(ProgramWitness),
    /// A firing sequence of a Petri net.
    Net(NetWitness),
    /// A path of a circuit.
    Circuit(CircuitWitness),
}

impl From<NetworkWitness> for Witness {
    fn from(witness: NetworkWitness) -> Self {
        Witness::Network(witness)
    }
}

impl From<ProgramWitness> for Witness {
    fn from(witness: ProgramWitness) -> Self {
        Witness::Program(witness)
    }
}

impl From<NetWitness> for Witness {
    fn from(witness: NetWitness) -> Self {
        Witness::Net(witness)
    }
}

impl From<CircuitWitness> for Witness {
    fn from(witness: CircuitWitness) -> Self {
        Witness::Circuit(witness)
    }
}

/// A path of a network with what is needed to show it.
#[derive(Debug)]
pub struct NetworkWitness {
    problem: Problem,
    origin: Origin,
    trace: Trace,
    lines: Vec<Vec<String>>,
}

impl NetworkWitness {
    /// Looks up the source lines of a trace that was replayed.
    pub(crate) fn new(problem: Problem, origin: Origin, trace: Trace, dialect: &Dialect) -> Self {
        let lines = lines::of_trace(&problem.network, &origin, &trace, dialect);
        Self { problem, origin, trace, lines }
    }

    /// What it answers.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Its steps.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The labels of its steps, as they are seen from outside.
    pub fn labels(&self) -> Vec<&str> {
        let labels = self.problem.network.labels();
        self.trace.steps.iter().map(|step| labels.seen(step.label)).collect()
    }

    /// All of it, to be drawn.
    pub fn view(&self) -> View<'_> {
        let Self { problem, origin, trace, lines } = self;
        View { network: &problem.network, origin, trace, lines }
    }
}
