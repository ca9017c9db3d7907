//! Processes and what they share: how families are written that are more than a handful of transitions.
//!
//! A process is a function from a state to its steps. A shared object (a variable, a channel) is a number of values and becomes a
//! component of its own; a step names the objects it touches and how it changes them. An object takes part in exactly the
//! labels that touch it, so nothing it could do happens by itself. Processes with a label in common take it together.

use super::family::{Builder, Instance};
use indexmap::{IndexMap, IndexSet};
use prequel_model::{Component, LabelId, Lts, StateId, Transition};
use std::fmt::Debug;
use std::hash::Hash;

/// A shared object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object(usize);

impl Object {
    /// No object, to fill gaps in tables.
    pub const NONE: Self = Self(usize::MAX);
}

/// How a step changes an object: the new value by old value, `None` where the step cannot be taken.
type Change = Vec<Option<u32>>;

/// What a step is called, and the objects it touches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Act {
    label: String,
    touches: Vec<(Object, Change)>,
}

impl Act {
    /// A step that touches no object.
    pub fn own(label: impl Into<String>) -> Self {
        Self { label: label.into(), touches: Vec::new() }
    }

    /// Both at once, under both names.
    pub fn and(mut self, other: Act) -> Self {
        self.label = format!("{} {}", self.label, other.label);
        self.touches.extend(other.touches);
        self
    }

    /// The same step under another name.
    pub fn named(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}

/// The steps of a state.
pub type Steps<S> = Vec<(Act, S)>;

/// The names of an object and of its values.
#[derive(Debug)]
struct Shared {
    name: String,
    values: Vec<String>,
    initial: u32,
    labels: IndexMap<LabelId, Change>,
}

/// A network in the making.
#[derive(Debug, Default)]
pub struct System {
    build: Builder,
    shared: Vec<Shared>,
}

impl System {
    /// Adds a variable with values `0..values`.
    pub fn variable(&mut self, name: impl Into<String>, values: u32, initial: u32) -> Object {
        self.object(name, (0..values).map(|v| v.to_string()).collect(), initial)
    }

    /// Adds a channel for one message at a time, empty at first.
    pub fn place(&mut self, name: impl Into<String>, messages: &[&str]) -> Object {
        let values = ["empty"].iter().chain(messages).map(|&m| m.to_owned()).collect();
        self.object(name, values, 0)
    }

    fn object(&mut self, name: impl Into<String>, values: Vec<String>, initial: u32) -> Object {
        self.shared.push(Shared { name: name.into(), values, initial, labels: IndexMap::new() });
        Object(self.shared.len() - 1)
    }

    /// Any step: `who` does `what` to the object.
    pub fn act(&self, who: &str, what: &str, object: Object, change: impl Fn(u32) -> Option<u32>) -> Act {
        let Shared { name, values, .. } = &self.shared[object.0];
        let change = (0..values.len() as u32).map(change).collect();
        Act { label: format!("{who}:{name}{what}"), touches: vec![(object, change)] }
    }

    /// The variable is set.
    pub fn set(&self, who: &str, variable: Object, value: u32) -> Act {
        self.act(who, &format!(":={value}"), variable, |_| Some(value))
    }

    /// The variable is read and has this value.
    pub fn is(&self, who: &str, variable: Object, value: u32) -> Act {
        self.act(who, &format!("={value}"), variable, |v| (v == value).then_some(v))
    }

    /// The variable is read and has another value.
    pub fn is_not(&self, who: &str, variable: Object, value: u32) -> Act {
        self.act(who, &format!("!={value}"), variable, |v| (v != value).then_some(v))
    }

    /// The variable is read and has one of these values.
    pub fn is_in(&self, who: &str, variable: Object, values: &[u32]) -> Act {
        let text: Vec<String> = values.iter().map(u32::to_string).collect();
        self.act(who, &format!("={}", text.join("|")), variable, |v| values.contains(&v).then_some(v))
    }

    /// A message is put into an empty channel.
    pub fn put(&self, who: &str, channel: Object, message: &str) -> Act {
        let number = self.message(channel, message);
        self.act(who, &format!("!{message}"), channel, |v| (v == 0).then_some(number))
    }

    /// A message is taken out of a channel.
    pub fn take(&self, who: &str, channel: Object, message: &str) -> Act {
        let number = self.message(channel, message);
        self.act(who, &format!("?{message}"), channel, |v| (v == number).then_some(0))
    }

    fn message(&self, channel: Object, message: &str) -> u32 {
        let at = self.shared[channel.0].values.iter().position(|v| v == message);
        at.expect("a message of the channel") as u32
    }

    /// Adds a process: everything that `next` leads to. States are named by their `Debug` text.
    pub fn process<S: Clone + Eq + Hash + Debug>(
        &mut self,
        name: String,
        initial: S,
        next: impl Fn(&Self, &S) -> Steps<S>,
    ) {
        let mut states: IndexSet<S> = IndexSet::from([initial]);
        let (mut transitions, mut at) = (Vec::new(), 0);
        while at < states.len() {
            for (act, to) in next(self, &states[at]) {
                let label = self.build.labels.intern(&act.label);
                for (Object(object), change) in act.touches {
                    let known = self.shared[object].labels.entry(label).or_insert_with(|| change.clone());
                    assert_eq!(*known, change, "{} does one thing only", act.label);
                }
                let (to, _) = states.insert_full(to);
                transitions.push(Transition::new(at as u32, label, to as u32));
            }
            at += 1;
        }
        let names = states.iter().map(|s| format!("{s:?}").into_boxed_str()).collect();
        let lts = Lts::new(StateId(0), states.len(), transitions);
        self.build.add(Component::new(name, lts), &names);
    }

    /// The network: the processes, then the objects.
    pub fn finish(mut self) -> Instance {
        for Shared { name, values, initial, labels } in self.shared {
            let moves = labels.iter().flat_map(|(&label, change)| {
                let step =
                    move |(from, to): (usize, &Option<u32>)| to.map(|to| Transition::new(from as u32, label, to));
                change.iter().enumerate().filter_map(step)
            });
            let lts = Lts::new(StateId(initial), values.len(), moves.collect());
            let names = values.into_iter().map(String::into_boxed_str).collect();
            self.build.add(Component::with_alphabet(name, lts, labels.keys().copied()), &names);
        }
        self.build.finish()
    }
}
