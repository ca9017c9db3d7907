//! Where a network came from, for messages to people: files, lines and the names of states.

use super::index::{ComponentId, StateId};
use super::network::Network;
use std::path::PathBuf;
use std::sync::Arc;

/// Where one component came from.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The file it was read from; absent for standard input and generated systems.
    pub file: Option<Arc<PathBuf>>,
    /// Names of its states, where they have better ones than numbers.
    pub state_names: Option<Arc<[Box<str>]>>,
}

/// Where each component of a network came from, in component order.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// One entry per component; components beyond the end have no known origin.
    pub sources: Vec<Source>,
}

impl Origin {
    /// Where a component came from.
    pub fn of(&self, c: ComponentId) -> Option<&Source> {
        self.sources.get(c.at())
    }

    /// What to call a state of a component.
    pub fn state_name(&self, c: ComponentId, s: StateId) -> String {
        match self.of(c).and_then(|source| source.state_names.as_ref()) {
            Some(names) => names[s.at()].to_string(),
            None => s.0.to_string(),
        }
    }

    /// The state of a component that is called so.
    pub fn find_state(&self, network: &Network, c: ComponentId, name: &str) -> Option<StateId> {
        if let Some(names) = self.of(c).and_then(|source| source.state_names.as_ref()) {
            return names.iter().position(|n| &**n == name).map(StateId::new);
        }
        let number: u32 = name.parse().ok()?;
        ((number as usize) < network.component(c).lts.num_states()).then_some(StateId(number))
    }
}
