//! Petri net → network: places are put together into components, and a transition becomes the label that moves all of them.
//!
//! A component is a set of places that hold at most one token together: its states are the places, and one more for no token.
//! Such sets are the units of a NUPN section that the file certifies (Garavel 2019), or sets that no transition gives more tokens
//! than it takes from, found by a bounded search. What is left is a component for each place, which counts its tokens up to a
//! bound. The states of the network's product are the markings of the net, one for one.
//!
//! | step | function |
//! | --- | --- |
//! | sets of places, and bounds | `sets::find` |
//! | a set or a counter as a system | `part::component` |
//! | conditions on markings as goals | [`Split::goal`] |
//!
//! The certificate of a file is not relied on. A unit that is not shown to hold one token by counting arcs gets one more state,
//! which it enters where a second token would come; [`Split::second_token`] asks whether that can happen, and the answer to any
//! other question counts only where it cannot.

mod goal;
mod part;
mod sets;

use prequel_model::watch::Watch;
use prequel_model::{
    ComponentId, Goal, LabelId, Labels, Move, Net, Network, Origin, PlaceId, Source, StateId, Step, Trace, TransitionId,
};
use std::fmt;

pub use sets::{Method, NoBound};

/// A net as a network.
#[derive(Clone, Debug)]
pub struct Split {
    /// The components; label `t` is transition `t`.
    pub network: Network,
    /// States called after places.
    pub origin: Origin,
    /// How the components were found.
    pub method: Method,
    /// The label of each transition.
    labels: Vec<LabelId>,
    /// Where each place went.
    homes: Vec<Home>,
    /// States in which a unit has a second token.
    second: Vec<(ComponentId, StateId)>,
}

/// What a component says about a place.
#[derive(Clone, Debug)]
struct Home {
    component: ComponentId,
    /// The component's states in which it has tokens, with their number.
    tokens: Vec<(StateId, u32)>,
}

/// Splits a net into components.
pub fn split(net: &Net) -> Result<Split, NoBound> {
    split_within(net, &Watch::default())
}

/// The same for as long as it is allowed.
pub fn split_within(net: &Net, watch: &Watch) -> Result<Split, NoBound> {
    let (sets, method) = sets::find(net, watch)?;
    let mut labels = Labels::new();
    let label: Vec<LabelId> = net.transitions().map(|t| labels.fresh(net.transition(t))).collect();
    let mut components = Vec::new();
    let mut sources = Vec::new();
    let mut homes: Vec<Home> = net.places().map(|_| Home { component: ComponentId(0), tokens: Vec::new() }).collect();
    let mut second = Vec::new();
    let touching = part::Touching::new(net);
    for set in &sets {
        watch.allowed().map_err(NoBound::stopped)?;
        let id = ComponentId::new(components.len());
        let made = part::component(net, set, &label, &touching);
        for (place, tokens) in made.tokens {
            homes[place.at()] = Home { component: id, tokens };
        }
        second.extend(made.second.map(|state| (id, state)));
        sources.push(Source { file: None, state_names: Some(made.names.into()) });
        components.push(made.component);
    }
    // What neither takes nor gives anything can always fire: somebody must say so.
    if let Some(component) = part::idle_loops(net, &label, &components) {
        sources.push(Source::default());
        components.push(component);
    }
    let network = Network::new(labels, components);
    Ok(Split { network, origin: Origin { sources }, method, labels: label, homes, second })
}

impl Split {
    /// The goal that some unit has a second token; nothing where counting arcs shows that it cannot be.
    pub fn second_token(&self) -> Option<Goal> {
        let any = self.second.iter().map(|&(c, s)| Goal::at(c, s)).collect();
        (!self.second.is_empty()).then_some(Goal::Or(any))
    }

    /// The unit that has a second token in a state.
    pub fn unit_with_second(&self, state: &[StateId]) -> Option<&str> {
        let found = self.second.iter().find(|(c, s)| state[c.at()] == *s);
        found.map(|(c, _)| &*self.network.component(*c).name)
    }

    /// The transitions along a trace.
    pub fn sequence(&self, trace: &Trace) -> Vec<TransitionId> {
        // Labels are made in the order of the transitions, behind tau.
        trace.steps.iter().map(|step| TransitionId::new(step.label.at() - 1)).collect()
    }

    /// A firing sequence that was replayed as a trace of the network.
    pub fn trace(&self, sequence: &[TransitionId]) -> Trace {
        let mut state = self.network.initial();
        let step = |&t: &TransitionId| {
            let label = self.labels[t.at()];
            let mut moves = Vec::new();
            for &component in self.network.participants(label) {
                let from = state[component.at()];
                // Each state of a component has one way at most to fire a transition.
                let edge = self.network.component(component).lts.row_on(from, label).first();
                let to = edge.map_or(from, |edge| edge.target);
                state[component.at()] = to;
                moves.push(Move { component, from, to });
            }
            Step { label, moves }
        };
        Trace { steps: sequence.iter().map(step).collect() }
    }

    fn home(&self, p: PlaceId) -> &Home {
        &self.homes[p.at()]
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        let mut part = |number: usize, one: &str, many: &str| match number {
            0 => {}
            1 => parts.push(format!("1 {one}")),
            n => parts.push(format!("{n} {many}")),
        };
        part(self.units, "NUPN unit", "NUPN units");
        part(self.invariants, "one-token invariant", "one-token invariants");
        part(self.counters, "counter", "counters");
        if self.certified > 0 {
            parts.push(format!("{} of the units as the file certifies, to be checked", self.certified));
        }
        f.write_str(&if parts.is_empty() { "no places".into() } else { parts.join(", ") })
    }
}

#[cfg(test)]
mod tests;
