//! Prequel: what you run before SPIN.
//!
//! Every file becomes a problem, a network of labelled transition systems and a query; engines answer problems; evidence is
//! checked against the original problem before anything is printed.
//!
//! ```
//! use prequel::engine::{Engine, otf::Otf};
//! use prequel::model::run::{Limits, Run};
//! use prequel::model::{Answer, Evidence, Problem, Query};
//!
//! let network = (prequel::families::find("philo").unwrap().build)(3, 0).network;
//! let problem = Problem { network, query: Query::DeadlockFree };
//! let run = Run::new(Limits::default(), 0);
//! let Answer::False(Evidence::Witness(trace)) = Otf::default().solve(&problem, &run) else { panic!("they can starve") };
//! assert_eq!(trace.steps.len(), 3);
//! prequel::evidence::witness::check(&problem, &trace).unwrap();
//! ```

pub mod cli;
pub mod engines;
pub mod job;
pub mod open;

pub use prequel_engine as engine;
pub use prequel_evidence as evidence;
pub use prequel_families as families;
pub use prequel_formats as formats;
pub use prequel_harness as harness;
pub use prequel_model as model;
pub use prequel_net as net;
pub use prequel_program as program;
pub use prequel_sat as sat;
pub use prequel_spin as spin;
