//! Families of supervisory control: plants, specifications and supervisors with marked states, asked whether they are nonblocking.
//!
//! The models are the well-known ones of that field, written anew from their public descriptions and made scalable; the files say
//! what was chosen. Each comes twice, blocking and nonblocking, and the two differ in one decision. In all of them every automaton
//! has one marked state, its first: the question is whether everything can always come home.

pub mod agv;
pub mod aip;
pub mod cluster;
pub mod diners;
pub mod fms;
pub mod line;

use super::family::{Builder, Instance, Suggested, state_names};
use prequel_model::{Component, Lts, StateId, Transition};

/// A step of an automaton: state, event, state.
type Step<'a> = (&'a str, String, &'a str);

/// Automata in the making.
#[derive(Debug, Default)]
struct Plants(Builder);

impl Plants {
    /// Adds an automaton; its first state is the initial one, and the marked one.
    fn add(&mut self, name: impl Into<Box<str>>, states: &[&str], steps: Vec<Step<'_>>) {
        let number = |state: &str| states.iter().position(|s| *s == state).expect("a state of the list") as u32;
        let step =
            |(from, event, to): Step<'_>| Transition::new(number(from), self.0.labels.intern(&event), number(to));
        let steps = steps.into_iter().map(step).collect();
        let lts = Lts::new(StateId(0), states.len(), steps).with_marked([StateId(0)]);
        self.0.add(Component::new(name, lts), &state_names(states));
    }

    /// Adds a counter from 0 to `most`, marked at 0; `up` and `down` are the events that change it.
    fn count(&mut self, name: impl Into<Box<str>>, most: usize, up: &[String], down: &[String]) {
        let names: Vec<String> = (0..=most).map(|n| n.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut steps: Vec<Step<'_>> = Vec::new();
        for pair in names.windows(2) {
            steps.extend(up.iter().map(|event| (pair[0], event.clone(), pair[1])));
            steps.extend(down.iter().map(|event| (pair[1], event.clone(), pair[0])));
        }
        self.add(name, &names, steps);
    }

    fn finish(self, nonblocking: bool, why: &'static str) -> Instance {
        let mut instance = self.0.finish();
        instance.queries.push(Suggested::nonblocking(nonblocking, why));
        instance
    }
}
