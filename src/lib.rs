//! Prequel: what you run before SPIN.
//!
//! Every file becomes a problem, a network of labelled transition systems and a query; engines answer problems; evidence is
//! checked against the original problem before anything is printed.
//!
//! | module | holds |
//! | --- | --- |
//! | [`model`] | pure data: systems, networks, queries, traces, answers |
//! | [`read`] | text → problem and diagnostics |
//! | [`net`] | Petri nets: bounds, the way to networks and back |
//! | [`des`] | questions of supervisory control as safety |
//! | [`algo`] | graph procedures without policy |
//! | [`transform`] | problem → smaller problem, with the way back |
//! | [`engine`] | ways to answer |
//! | [`external`] | programs of others as engines |
//! | [`evidence`] | the independent checker |
//! | [`emit`] | files and pictures |
//! | [`families`] | scalable families, random networks |
//! | [`watch`] | limits, for all of them |
//! | [`cli`] | the command line |
//!
//! ```
//! use prequel::engine::{Engine, otf::Otf, run::{Limits, Run}};
//! use prequel::model::{Answer, Evidence, Problem, Query};
//!
//! let network = (prequel::families::find("philo").unwrap().build)(3, 0).network;
//! let problem = Problem { network, query: Query::DeadlockFree };
//! let run = Run::new(Limits::default(), 0);
//! let Answer::False(Evidence::Witness(trace)) = Otf::default().solve(&problem, &run) else { panic!("they can starve") };
//! assert_eq!(trace.steps.len(), 3);
//! prequel::evidence::witness::check(&problem, &trace).unwrap();
//! ```

pub mod algo;
pub mod cli;
pub mod des;
pub mod diag;
pub mod emit;
pub mod engine;
pub mod evidence;
pub mod external;
pub mod families;
pub mod harness;
pub mod model;
pub mod net;
pub mod program;
pub mod read;
pub mod sat;
pub mod transform;
pub mod watch;
