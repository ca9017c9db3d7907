//! A program as a network: every process, every variable that changes and every buffered channel becomes a component.
//!
//! | step | module |
//! | --- | --- |
//! | what no component can have | `refusal` |
//! | states of parts, what steps ask and do | `part`, `domain` |
//! | a step of one process, split by what it has to know | `path`, `needs`, `moves` |
//! | senders that move after the receiver | `last` |
//! | all states and labels, as a fixed point | `build`, `counter` |
//! | the network and its names | `assemble`, `names` |
//! | what a label asks and does, to write it down again | `role` |
//! | which values were found | `found` |
//! | from a goal of the program to one of the network | `goal` |
//! | from a trace of the network to one of the program | `lift` |
//!
//! A step of the program is a step of the network. A statement becomes one label for each combination of values that it looks at,
//! with the process and exactly those variables and channels as participants; what it only sets may have any value before. A
//! rendezvous is a label of its two processes. An `atomic` is one label from its start to where it ends or is blocked. Processes
//! are components by their number: only the youngest can go away, so a number is free again before it is given to another.

mod assemble;
mod build;
mod counter;
mod domain;
mod found;
mod goal;
mod last;
mod moves;
mod names;
mod needs;
mod part;
mod path;
mod refusal;
mod role;
mod trace_to_run;

pub use domain::States;
pub use part::{Change, Contents, Fact, Message, Part, Touch};
pub use refusal::Refusal;
pub use role::{Meeting, Role};

use super::data::Program;
use super::machine::Machine;
use prequel_formats::diag::Diagnostic;
use prequel_model::watch::Watch;
use prequel_model::{
    Component, ComponentId, LabelId, Lts, Monitor, Network, Origin, Problem, Query, StateId, Transition,
};

/// How large a network may become.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// States of a process or a channel.
    pub states: usize,
    /// Values of a variable.
    pub values: usize,
    /// Labels.
    pub labels: usize,
    /// Transitions of all components.
    pub transitions: usize,
    /// Cases that are looked at before everything is known.
    pub paths: usize,
    /// States and labels that are looked at again before everything is known.
    pub looks: usize,
    /// Whom to ask whether to go on.
    pub watch: Option<&'a Watch>,
}

impl Limits<'_> {
    /// Whether it may go on after so much work.
    fn allow(&self, work: usize) -> Result<(), Refusal> {
        if let Some(Err(why)) = self.watch.map(|watch| watch.allowed_after(work as u64)) {
            return Err(Refusal::of("limit", format!("{why} before all components were found")));
        }
        Ok(())
    }
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Self {
            states: 50_000,
            values: 1_000,
            labels: 200_000,
            transitions: 4_000_000,
            paths: 1_000_000,
            looks: 1 << 28,
            watch: None,
        }
    }
}

/// A program as a network.
#[derive(Clone, Debug)]
pub struct Components {
    /// The network. A process that does something wrong comes to a state `error`; where the program may end, all processes have
    /// a step together, so that a deadlock is an invalid end state. A step in which something goes wrong is seen as `error`.
    pub network: Network,
    /// Names of states.
    pub origin: Origin,
    /// What each component stands for.
    parts: Vec<Part>,
    /// What their states stand for; `error` comes after them.
    states: Vec<States>,
    /// The states in which something went wrong.
    errors: Vec<(ComponentId, StateId)>,
    /// The labels that lead there.
    wrong: Vec<LabelId>,
    /// The label with which the program ends.
    end: LabelId,
    /// What each label asks and does; nothing for tau and the end.
    roles: Vec<Option<Role>>,
    /// Statements that start processes, with the slots that these come to.
    starts: Vec<(u32, u32)>,
    /// Globals and channels as they start.
    base: Machine,
}

/// Puts a program into components, or says what stands in the way.
pub fn components(program: &Program, limits: Limits<'_>) -> Result<Components, Vec<Diagnostic>> {
    split(program, limits).map_err(|refusals| refusals.iter().map(|refusal| refusal.diagnostic(program)).collect())
}

/// Puts a program into components; refusals by construct.
pub fn split(program: &Program, limits: Limits<'_>) -> Result<Components, Vec<Refusal>> {
    let unsuitable = refusal::unsuitable(program);
    if !unsuitable.is_empty() {
        return Err(unsuitable);
    }
    let one = |refusal| vec![refusal];
    let mut build = build::Build::new(program, limits).map_err(one)?;
    build.close().map_err(one)?;
    assemble::assemble(&build, limits).map_err(one)
}

impl Components {
    /// The question whether nothing goes wrong: no assertion is violated, and there is no other fault.
    pub fn assertions(&self) -> Problem {
        let (fine, seen) = (StateId(0), StateId(1));
        let transitions = self.wrong.iter().map(|&label| Transition { source: fine, label, target: seen }).collect();
        let automaton = Component::new("assertions", Lts::new(fine, 2, transitions).with_marked([seen]));
        Problem { network: self.network.clone(), query: Query::Safety(Monitor { automaton }) }
    }

    /// The question whether there is no invalid end state.
    pub fn end_states(&self) -> Problem {
        Problem { network: self.network.clone(), query: Query::DeadlockFree }
    }

    /// The states of components in which something went wrong.
    pub fn errors(&self) -> &[(ComponentId, StateId)] {
        &self.errors
    }
}
