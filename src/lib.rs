//! Prequel: what you run before SPIN.
//!
//! A model and a question go in; a verdict comes out, with what shows it. Before SPIN is asked about a Promela model, its processes
//! are replaced by smaller ones that keep what the model states. SPIN's counterexample comes back as a run of the user's own
//! statements, replayed on the model as it was read.
//!
//! ```
//! use prequel::job::{Reduce, Silent, Spin, Witness, reduce, spin};
//! use prequel::model::run::{Limits, Run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # if let Err(why) = prequel::spin::tools::Tools::find() {
//! #     eprintln!("skipped: {why}");
//! #     return Ok(());
//! # }
//! let folder = tempfile::tempdir()?;
//! let (model, small) = (folder.path().join("lock.pml"), folder.path().join("small.pml"));
//! std::fs::write(&model, "bool taken, inside;
//!     active [2] proctype user() {
//!         !taken -> taken = true; assert(!inside); inside = true; inside = false; taken = false
//!     }")?;
//! let run = Run::new(Limits::default(), 0);
//! let smaller = reduce(&Reduce::stated(model.clone(), small), &run, &Silent)?;
//! println!("{} states of all processes become {}", smaller.states[0], smaller.states[1]);
//! let decision = spin(Spin::stated(model), &run, &Silent)?;
//! assert_eq!(decision.finding.verdict.word(), "false");
//! let Some(Witness::Program(found)) = decision.witness else { panic!("no verdict without a run") };
//! for step in found.steps() {
//!     println!("{}  {}", found.place(step), found.text(step));
//! }
//! println!("{}", found.conclusion());
//! # Ok(())
//! # }
//! ```
//!
//! [`job`] has all that the command line does. Below it, engines answer problems, a network of labelled transition systems and a
//! query each:
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
pub mod lsp;
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
