//! What a scalable family is: a name, a generator, and questions with known answers.

use prequel_formats::{marking, pattern};
use prequel_model::{Component, ComponentId, Goal, Labels, Monitor, Network, Origin, Query, Source, StateId};
use std::path::PathBuf;
use std::sync::Arc;

/// A family of networks, one for each size.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// What `prequel generate` calls it.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// The smallest size that makes sense.
    pub smallest: usize,
    /// The largest size that is sensible to write down.
    pub largest: usize,
    /// Builds the instance of a size, which must be in range; only random families look at the seed.
    pub build: fn(size: usize, seed: u64) -> Instance,
}

/// One network of a family.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The system.
    pub network: Network,
    /// What its states are called.
    pub origin: Origin,
    /// What can be asked of it.
    pub queries: Vec<Suggested>,
}

/// A query that goes with an instance.
#[derive(Clone, Debug)]
pub struct Suggested {
    /// As given on the command line. States are numbers: that is what they are called once written as `.aut`.
    pub text: String,
    /// The statement.
    pub query: Query,
    /// Its truth, where it is known.
    pub expected: Option<bool>,
    /// Why it is asked, or why the answer is what it is.
    pub why: &'static str,
}

impl Instance {
    /// The network as files hold it: marked states have a self-loop that says so.
    pub fn as_written(&self) -> Network {
        let has_marks = self.network.components().iter().any(|c| c.lts.has_marked());
        if has_marks { marking::with_loops(self.network.clone(), marking::OMEGA) } else { self.network.clone() }
    }
}

impl Suggested {
    /// `--nonblocking`.
    pub fn nonblocking(expected: impl Into<Option<bool>>, why: &'static str) -> Self {
        Self { text: "--nonblocking".into(), query: Query::Nonblocking, expected: expected.into(), why }
    }

    /// `--deadlock-free`.
    pub fn deadlock_free(expected: impl Into<Option<bool>>, why: &'static str) -> Self {
        Self { text: "--deadlock-free".into(), query: Query::DeadlockFree, expected: expected.into(), why }
    }

    /// `--reach` of a goal.
    pub fn reach(network: &Network, goal: Goal, expected: impl Into<Option<bool>>, why: &'static str) -> Self {
        let text = format!("--reach '{}'", spell(network, &goal));
        Self { text, query: Query::Reach(goal), expected: expected.into(), why }
    }

    /// `--pattern` of a text that fits the network.
    pub(crate) fn pattern_on(
        network: &Network,
        text: &str,
        expected: impl Into<Option<bool>>,
        why: &'static str,
    ) -> Self {
        let (monitor, _) = pattern::monitor(text, network).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        Self::pattern(text, monitor, expected, why)
    }

    /// `--pattern`, with the monitor that it stands for.
    pub fn pattern(text: &str, monitor: Monitor, expected: impl Into<Option<bool>>, why: &'static str) -> Self {
        Self { text: format!("--pattern '{text}'"), query: Query::Safety(monitor), expected: expected.into(), why }
    }
}

/// A goal as `--reach` reads it.
fn spell(network: &Network, goal: &Goal) -> String {
    let join = |parts: Vec<String>, with: &str| match <[String; 1]>::try_from(parts) {
        Ok([one]) => one,
        Err(several) => several.join(with),
    };
    // Every part of a conjunction or disjunction that is one itself gets parentheses, needed or not.
    let part = |g: &Goal| match g {
        Goal::And(_) | Goal::Or(_) => format!("({})", spell(network, g)),
        Goal::In(_, states) if states.len() > 1 => format!("({})", spell(network, g)),
        _ => spell(network, g),
    };
    match goal {
        Goal::In(c, states) => {
            let name = &network.component(*c).name;
            join(states.iter().map(|s| format!("{name}@{}", s.0)).collect(), " | ")
        }
        Goal::And(all) => join(all.iter().map(part).collect(), " & "),
        Goal::Or(any) => join(any.iter().map(part).collect(), " | "),
        Goal::Not(g) => format!("!{}", part(g)),
    }
}

/// Collects components of a few kinds, each kind with its own names of states.
#[derive(Debug, Default)]
pub(super) struct Builder {
    /// The label table, filled along the way.
    pub labels: Labels,
    components: Vec<Component>,
    origin: Origin,
}

/// Names of states, shared by all components of a kind.
pub(super) type StateNames = Arc<[Box<str>]>;

/// Names of states from a list.
pub(super) fn state_names(names: &[&str]) -> StateNames {
    names.iter().map(|&n| n.into()).collect()
}

impl Builder {
    /// Adds a component and says which it is.
    pub fn add(&mut self, component: Component, names: &StateNames) -> ComponentId {
        debug_assert_eq!(component.lts.num_states(), names.len());
        self.components.push(component);
        let (file, state_names): (Option<Arc<PathBuf>>, _) = (None, Some(names.clone()));
        self.origin.sources.push(Source { file, state_names });
        ComponentId::new(self.components.len() - 1)
    }

    /// The network, without queries yet.
    pub fn finish(self) -> Instance {
        Instance { network: Network::new(self.labels, self.components), origin: self.origin, queries: Vec::new() }
    }
}

/// All of some components are in a state.
pub(super) fn all_at(components: impl IntoIterator<Item = ComponentId>, state: u32) -> Goal {
    Goal::And(components.into_iter().map(|c| Goal::at(c, StateId(state))).collect())
}

/// Mutual exclusion of these processes, as a pattern over `enter`i and `leave`i.
pub(super) fn mutex(processes: impl IntoIterator<Item = usize>) -> String {
    let sections: Vec<String> = processes.into_iter().map(|i| format!("enter{i}/leave{i}")).collect();
    format!("mutex({})", sections.join(", "))
}
