//! Promela out: a problem as a program for SPIN 6 that has the same states and the same property.
//!
//! SPIN stores exactly the states of the product (of the network and the monitor, where there is one), whichever of the two ways
//! of writing is used: `rendezvous` where every label has at most two participants, `locations` elsewhere. A line is at most
//! one transition, so that a line number of SPIN's trail tells what happened in the network.
//!
//! | query | in Promela |
//! | --- | --- |
//! | deadlock-free | nothing: a state without successors is an invalid end state |
//! | reach | an assertion that fails where the goal holds |
//! | safety | the monitor is one more component; an assertion fails where it accepts |

mod locations;
pub(crate) mod names;
mod rendezvous;
mod system;
mod text;

use names::comment;
use prequel_model::{Origin, Problem};
use system::System;
pub use text::Meaning;
use text::Text;

/// Beyond this many transitions SPIN and a C compiler take minutes and gigabytes. Measured with a process each: 4,000 take SPIN
/// 0.6 s and the compiler 7 s and 0.5 GB, 20,000 take 28 s, 57 s and 2.4 GB, not optimised.
pub(crate) const MOST_TRANSITIONS: usize = 20_000;

/// Why a problem cannot be written as Promela.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unwritable {
    /// The query is no matter of states that are reached or stuck.
    #[error("{0} cannot be asked in Promela without a formula of branching time")]
    Query(&'static str),
    /// The C that SPIN makes of it would be too large.
    #[error(
        "{0} transitions are too many for what SPIN makes of them (at most {MOST_TRANSITIONS}); reduce the network first"
    )]
    Large(usize),
}

/// A Promela program and what its lines mean.
#[derive(Clone, Debug)]
pub struct Promela {
    /// The program.
    pub text: String,
    /// What executing a line does, sorted by line, counted from 1.
    meanings: Vec<(usize, Meaning)>,
    /// The bytes of a state that `pan` needs at most; above 1024 it must be compiled with `-DVECTORSZ`.
    pub vector: usize,
    /// Whether partial-order reduction can find anything: not where one process does everything.
    pub reducible: bool,
}

impl Promela {
    /// What executing a line does in the network, if anything.
    pub fn meaning(&self, line: usize) -> Option<&Meaning> {
        let at = self.meanings.binary_search_by_key(&line, |(line, _)| *line).ok()?;
        Some(&self.meanings[at].1)
    }
}

/// Writes a problem. `origin` gives names to comments only.
pub fn write(problem: &Problem, origin: &Origin) -> Result<Promela, Unwritable> {
    written(System::new(problem, origin)?)
}

/// Writes a problem; in addition to what it asks, to be stuck is an error.
pub fn write_stuck(problem: &Problem, origin: &Origin) -> Result<Promela, Unwritable> {
    let mut system = System::new(problem, origin)?;
    system.stuck = true;
    written(system)
}

fn written(system: System<'_>) -> Result<Promela, Unwritable> {
    let transitions: usize = (0..system.components.len()).map(|c| system.transitions(c).count()).sum();
    if transitions > MOST_TRANSITIONS {
        return Err(Unwritable::Large(transitions));
    }
    let property = match (&system.target, system.monitored) {
        (None, _) => "a state in which nothing can happen is an invalid end state",
        (Some(_), false) => "an assertion fails where the goal holds",
        (Some(_), true) if system.stuck => {
            "an assertion fails where the monitor accepts; a state in which nothing can happen is an invalid end state"
        }
        (Some(_), true) => "an assertion fails where the monitor accepts",
    };
    let count = system.components.len();
    let mut body = Text::default();
    let reducible = rendezvous::fits(&system);
    let kind = if reducible { "a process each" } else { "a variable each" };
    body.line(format_args!("/* {count} components, {kind}; {} */", comment(property)));
    let vector = if reducible { rendezvous::write(&system, &mut body) } else { locations::write(&system, &mut body) };
    let Text { text, meanings, .. } = body;
    Ok(Promela { text, meanings, vector: vector + 64, reducible })
}
