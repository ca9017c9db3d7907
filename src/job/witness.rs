//! Runs that show a verdict. Each holds evidence that was replayed on the model as it was read.

use super::circuit::CircuitWitness;
use super::net::NetWitness;
use super::program::ProgramWitness;
use super::temporal::LassoWitness;
use prequel_evidence::witness::NetworkRun;
use prequel_evidence::{Checked, Verdict};
use prequel_formats::aut::Dialect;
use prequel_formats::picture::view::View;
use prequel_formats::text::lines;
use prequel_model::{Origin, Problem, StateId, Trace};

/// A run that shows a verdict, of whatever the model is.
#[derive(Debug)]
pub enum Witness {
    /// A path of a network.
    Network(NetworkWitness),
    /// A run of a network without an end.
    Lasso(LassoWitness),
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

impl From<LassoWitness> for Witness {
    fn from(witness: LassoWitness) -> Self {
        Witness::Lasso(witness)
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

impl Witness {
    /// The verdict that it shows.
    pub fn verdict(&self) -> Verdict {
        match self {
            Witness::Network(witness) => witness.verdict(),
            Witness::Lasso(witness) => witness.verdict(),
            Witness::Program(witness) => witness.verdict(),
            Witness::Net(witness) => witness.verdict().clone(),
            Witness::Circuit(witness) => witness.verdict(),
        }
    }
}

/// A path of a network with what is needed to show it.
#[derive(Debug)]
pub struct NetworkWitness {
    run: Checked<NetworkRun>,
    origin: Origin,
    lines: Vec<Vec<String>>,
}

impl NetworkWitness {
    /// Looks up the source lines of a trace that was replayed.
    pub(crate) fn new(run: Checked<NetworkRun>, origin: Origin, dialect: &Dialect) -> Self {
        let NetworkRun { problem, trace } = run.run();
        let lines = lines::of_trace(&problem.network, &origin, trace, dialect);
        Self { run, origin, lines }
    }

    /// What it shows.
    pub fn verdict(&self) -> Verdict {
        self.run.verdict()
    }

    /// The global state that it ends in.
    pub fn last(&self) -> &[StateId] {
        self.run.end()
    }

    /// What it answers.
    pub fn problem(&self) -> &Problem {
        &self.run.run().problem
    }

    /// Its steps.
    pub fn trace(&self) -> &Trace {
        &self.run.run().trace
    }

    /// The labels of its steps, as they are seen from outside.
    pub fn labels(&self) -> Vec<&str> {
        let labels = self.problem().network.labels();
        self.trace().steps.iter().map(|step| labels.seen(step.label)).collect()
    }

    /// All of it, to be drawn.
    pub fn view(&self) -> View<'_> {
        let network = &self.problem().network;
        View { network, origin: &self.origin, trace: self.trace(), lines: &self.lines, cycle: None, arrows: &[] }
    }
}
