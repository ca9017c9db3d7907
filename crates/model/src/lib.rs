#![doc = include_str!("../README.md")]

mod aig;
mod answer;
mod circuit;
mod class_map;
pub mod containment;
pub mod des;
mod index;
mod labels;
mod location_set;
mod lts;
pub mod net;
mod net_query;
mod network;
mod origin;
mod query;
pub mod rng;
pub mod run;
mod trace;
pub mod turn;
pub mod watch;

pub use aig::{Aig, Lit, Node};
pub use answer::{Answer, Evidence, Why};
pub use circuit::{Bit, Circuit, Kind, Part, Word};
pub use class_map::ClassMap;
pub use des::Des;
pub use index::{ComponentId, LabelId, PlaceId, StateId, TransitionId};
pub use labels::Labels;
pub use location_set::LocationSet;
pub use lts::{Edge, Lts, Transition};
pub use net::{Arc, Net, Units};
pub use net_query::{Comparison, Condition, NetQuery};
pub use network::{Component, Network, Participants};
pub use origin::{Origin, Source};
pub use query::{Goal, Monitor, Problem, Query};
pub use trace::{Move, ReplayError, Step, Trace};
