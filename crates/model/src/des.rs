//! Discrete event systems as supervisory control has them: automata with roles, and events that can be prevented or not.

use super::index::{ComponentId, LabelId, StateId};
use super::network::Network;
use super::origin::Origin;

/// What an automaton is there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// What is to be controlled.
    Plant,
    /// What is wanted of it.
    Spec,
    /// What controls it.
    Supervisor,
    /// What is asked of all of them; no part of the system.
    Property,
}

/// How many initial states an automaton has in its file; a component always has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// One, and the component has the same.
    One,
    /// Several: the last state of the component is one more, unmarked, and tau leads from it to each of them.
    Several,
    /// None, so that no state of the system is reachable: the last state of the component is one more, without transitions.
    Nowhere,
}

/// A discrete event system.
///
/// A component's marked states are those of its automaton; an automaton without a word about marks has all its states marked.
#[derive(Clone, Debug)]
pub struct Des {
    /// What it is called.
    pub name: String,
    /// All automata, properties among them. A label is an event.
    pub network: Network,
    /// Names of states.
    pub origin: Origin,
    /// What each component is there for.
    pub roles: Vec<Role>,
    /// How each component starts.
    pub starts: Vec<Start>,
    /// The states of each component that its file calls forbidden, sorted.
    pub forbidden: Vec<Vec<StateId>>,
    /// Which labels can be prevented from happening.
    pub controllable: Vec<bool>,
}

impl Des {
    /// The automata that run together: all but the properties.
    pub fn system(&self) -> (Network, Origin) {
        let members: Vec<ComponentId> = self.with_role(|role| role != Role::Property).collect();
        let components = members.iter().map(|&c| self.network.component(c).clone()).collect();
        let sources = members.iter().map(|&c| self.origin.of(c).cloned().unwrap_or_default()).collect();
        (Network::new(self.network.labels().clone(), components), Origin { sources })
    }

    /// The components with such roles, in order.
    pub fn with_role(&self, test: impl Fn(Role) -> bool) -> impl Iterator<Item = ComponentId> {
        self.network.ids().filter(move |c| test(self.roles[c.at()]))
    }

    /// A member of the system without an initial state, if there is one: then no state of the system is reachable.
    pub fn without_start(&self) -> Option<ComponentId> {
        self.with_role(|role| role != Role::Property).find(|c| self.starts[c.at()] == Start::Nowhere)
    }

    /// The labels that are events: not those that only say as what the parts of an event are seen.
    pub fn events(&self) -> Vec<LabelId> {
        let labels = self.network.labels();
        let mut is_name = vec![false; labels.len()];
        labels.visible().filter(|&l| labels.action(l) != l).for_each(|l| is_name[labels.action(l).at()] = true);
        let happens = |l: &LabelId| !is_name[l.at()] || !self.network.participants(*l).is_empty();
        labels.visible().filter(happens).collect()
    }
}
