//! Processes written as text: `idle -ask-> waits -get-> busy -put-> idle; waits -give_up-> idle`.
//!
//! Chains of states with labels between them, separated by semicolons. The first state is the initial one; states are numbered in
//! the order in which they come up. The text is part of a generator, so a mistake in it is one in the program.

use super::system::{Act, Steps, System};
use std::collections::HashMap;

impl System {
    /// Adds the process that a text describes.
    pub fn chart(&mut self, name: impl Into<String>, text: &str) {
        let name = name.into();
        let mut steps: HashMap<&str, Steps<State>> = HashMap::new();
        let mut initial = None;
        for chain in text.split(';').map(str::trim).filter(|chain| !chain.is_empty()) {
            let mut words = chain.split_whitespace();
            let mut from = words.next().expect("a chain starts with a state");
            initial = initial.or(Some(from));
            while let Some(arrow) = words.next() {
                let label = arrow.strip_prefix('-').and_then(|rest| rest.strip_suffix("->"));
                let label = label.unwrap_or_else(|| panic!("{name}: `{arrow}` is not -LABEL->"));
                let to = words.next().unwrap_or_else(|| panic!("{name}: no state after `{arrow}`"));
                steps.entry(from).or_default().push((Act::own(label), State(to.into())));
                from = to;
            }
        }
        let initial = State(initial.expect("a chart has a state").into());
        self.process(name, initial, |_, at| steps.get(&*at.0).cloned().unwrap_or_default());
    }
}

/// A state, called as the text calls it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State(Box<str>);

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
