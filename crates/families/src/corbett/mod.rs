//! Families of J. Corbett, "Evaluating deadlock detection methods for concurrent software", IEEE Transactions on Software
//! Engineering 22 (1996).
//!
//! The paper's programs are Ada tasks turned into communicating state machines. Its text is not used here: the systems are written
//! anew from what is known of them, that is what each is about, how many processes it has, and how many states and transitions
//! these have together. Where those figures leave one reading, the reachable states come out as they are known; elsewhere a
//! system of the same kind was made up, and `corbett-models/README.md` says that its figures differ. `cyclic`, `dac`, `philo*` and
//! `token-ring` are the families of the paper on lazy reachability, kept beside these.

pub mod controllers;
pub mod philosophers;
pub mod programs;
pub mod scheduler;
pub mod servers;

#[cfg(test)]
mod tests;
