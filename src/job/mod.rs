//! What the program does, without a terminal: a request goes in, a value or a typed failure comes out.
//!
//! Nothing here prints, ends the process or knows of a command line. Who wants to see how far a job is gives it an [`Observer`].

mod advise;
mod audit;
mod certificate;
mod check;
pub mod circuit;
mod compare;
pub mod convert;
mod decision;
pub mod des;
mod engine_choice;
mod engine_info;
mod failure;
mod finding;
mod info;
mod models;
pub mod net;
pub mod network;
mod observer;
pub mod portfolio;
pub mod program;
mod question;
mod reduce;
pub mod reduction;
mod replay;
pub mod reproduce;
mod scope;
pub mod simulate;
mod spin;
mod subject;
mod temporal;
mod witness;
pub mod words;

pub use advise::{Advice, Advise, Advised, First, Shape, Trial, advise};
pub use audit::{Accepted, Audit, Audited, NetworkAudit, audit};
pub use certificate::CertificateForm;
pub use check::{Check, check};
pub use compare::{Compare, Comparison, ModelDifference, compare};
pub use convert::{Contents, Convert, Converted, convert};
pub use decision::{Decision, SavedCertificate};
pub use engine_choice::EngineChoice;
pub use engine_info::{EngineInfo, Technique};
pub use failure::Failure;
pub use finding::{Coverage, Exclusive, Finding, Narrowed, ProcessChange, Reduction, SpinDoubt, TextChange, Trap};
pub use info::{
    ChannelInfo, CircuitInfo, CircuitPart, Description, Info, NetInfo, NetworkSize, ProcessInfo, ProgramInfo, Values,
    VariableInfo, info,
};
pub use models::{Models, Reading, no_network};
pub use observer::{Observer, Silent};
pub use prequel_evidence::Verdict;
pub use program::{NeverDone, Reached};
pub use question::{Question, Reach};
pub use reduce::{Reduce, SmallerFiles, reduce};
pub use replay::{Replay, Replayed, replay};
pub use scope::Scope;
pub use spin::{BeforeSpin, Others, Spin, spin};
pub use subject::{Inquiry, Subject};
pub use temporal::LassoWitness;
pub use witness::{NetworkWitness, Witness};

// Plain data that requests and values have in them.
pub use prequel_engine::EngineOption;
pub use prequel_engine::algo::equivalence::Equivalence;
pub use prequel_engine::otf::Search;
pub use prequel_evidence::certificate::{Certificate, CertificateFile, CertifiedProof, Proof};
pub use prequel_program::Stated;
pub use prequel_spin::spin_errors::PAGE as SPIN_ERRORS;
