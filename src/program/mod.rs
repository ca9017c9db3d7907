//! Programs that are run directly: what a Promela model means, step by step as SPIN's verifier takes them.
//!
//! | step | module |
//! | --- | --- |
//! | names, types, statements to automata | `compile` |
//! | the program as data | `data`, `expression`, `value` |
//! | a state and what statements do to it | `machine` |
//! | which steps a state offers | `expand` |
//! | formulas as claims | `ltl` |
//! | states in a few words | `layout` |
//! | the state space for the on-the-fly search | `space` |
//! | steps for people, and doing them again | `witness` |
//! | the program as a network of components | [`components`] |

mod compile;
pub mod components;
mod data;
mod expand;
mod expression;
mod layout;
mod ltl;
mod machine;
mod space;
mod value;
mod witness;

pub use compile::{Claim, compile};
pub use data::{
    Action, Cell, ChannelType, Event, Node, Proctype, Program, Property, Run, Send, Setup, State, Statement, Steps, Trace, TraceState, Transition,
};
pub use expand::Violation;
pub use expression::{Binary, Expression, Fault, Index, Pattern, Place, Probe, Receive, Remote, Unary};
pub use machine::Machine;
pub use space::{Outcome, ProgramSpace, verify};
pub use value::ValueType;
pub use witness::{ReplayError, Step, Witness, replay};

#[cfg(test)]
mod tests;
