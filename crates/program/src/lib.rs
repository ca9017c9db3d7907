#![doc = include_str!("../README.md")]

mod choices;
mod compile;
pub mod components;
mod data;
pub mod drawing;
pub mod dve;
mod endless;
mod expand;
mod expression;
mod knowledge;
mod layout;
mod ltl;
mod machine;
mod memo;
mod program_run;
pub mod ranking;
mod reduction;
pub mod residual;
mod restated;
pub mod saved_run;
mod shape;
mod sought;
mod stated;
pub mod telling;
pub mod text;
mod value;
pub mod values;
mod witness;
mod wording;

pub use choices::Choice;
pub use compile::{Claim, compile, compile_with, optimised};
pub use data::{
    Action, Cell, ChannelType, Event, Node, Proctype, Program, Property, Run, Send, Setup, State, Statement, Steps,
    Then, Trace, TraceState, Transition,
};
pub use endless::{
    ACCEPT, Cycle, EdgeSink, Endless, EndlessKind, Lasso, MOST_MARK_WORDS, Marks, Offer, Offers, along_lasso,
    along_product, edges, free, offers,
};
pub use expand::{RawStep, Sink, Violation, Work, expand, expand_some};
pub use expression::{Binary, Expression, Fault, Index, Pattern, Place, Probe, Receive, Remote, Unary};
pub use layout::{Base, Layout};
pub use ltl::Excluded;
pub use machine::Machine;
pub use memo::{Memo, Of, PackedSink, expand_remembered};
pub use program_run::{ProgramRun, RunEnd};
pub use reduction::{Chooser, Kept, Processes, Reduction};
pub use restated::restated;
pub use sought::{Shown, Sought, along, holds};
pub use stated::{Stated, stated};
pub use value::ValueType;
pub use witness::{
    Change, ReplayError, Step, Walk, Witness, end_of, leads_to_end_of_processes, replay, replay_steps, retrace,
    stuck_after, unmerge,
};
pub use wording::equations;
