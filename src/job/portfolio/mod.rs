//! `auto`: a portfolio of engines that take turns, for every kind of model and question.
//!
//! [`rules`] say who is asked, in which order and why; [`contest`](contest::contest) lets them take turns until one has an answer
//! with evidence. What is common is made once: the model that was read, the network of a program, the problem that all are asked.

mod contest;
pub mod rules;

pub use contest::{Attempt, Contest, Contestant, Found, Outcome, contest};
