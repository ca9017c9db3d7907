//! One component: a set of places with one token at most, or a place that counts.

use super::sets::Set;
use prequel_model::{Arc, Component, LabelId, Lts, Net, PlaceId, StateId, Transition, TransitionId};

/// For each place the transitions that it has arcs with, each once.
pub struct Touching(Vec<Vec<TransitionId>>);

impl Touching {
    /// Of all places.
    pub fn new(net: &Net) -> Self {
        let (mut of, givers) = (net.by_place(Net::inputs), net.by_place(Net::outputs));
        for (all, more) in of.iter_mut().zip(givers) {
            all.extend(more);
            all.sort_unstable();
            all.dedup();
        }
        Self(of)
    }
}

/// A component and what its states mean.
pub struct Made {
    pub component: Component,
    pub names: Vec<Box<str>>,
    /// For each place the states in which it has tokens, with their number.
    pub tokens: Vec<(PlaceId, Vec<(StateId, u32)>)>,
    /// The state in which there is a second token.
    pub second: Option<StateId>,
}

/// Makes the component of a set.
pub fn component(net: &Net, set: &Set, labels: &[LabelId], touching: &Touching) -> Made {
    match set {
        Set::OneToken { name, places, shown } => one_token(net, (name, places, *shown), labels, touching),
        Set::Counter(place, bound) => counter(net, *place, *bound, labels, touching),
    }
}

/// A component that always allows the transitions that no other takes part in.
pub fn idle_loops(net: &Net, labels: &[LabelId], components: &[Component]) -> Option<Component> {
    let alone = net.transitions().filter(|&t| net.inputs(t).is_empty() && net.outputs(t).is_empty());
    let loops: Vec<Transition> = alone.map(|t| Transition::new(0, labels[t.at()], 0)).collect();
    if loops.is_empty() && !components.is_empty() {
        return None;
    }
    let taken = |name: &str| components.iter().any(|c| &*c.name == name);
    let names = std::iter::once("always".to_owned()).chain((2u32..).map(|n| format!("always#{n}")));
    let name = names.into_iter().find(|name| !taken(name)).expect("some number is unused");
    Some(Component::new(name, Lts::new(StateId(0), 1, loops)))
}

fn one_token(
    net: &Net,
    (name, places, shown): (&str, &[PlaceId], bool),
    labels: &[LabelId],
    touching: &Touching,
) -> Made {
    // The places in order, then no token, then a second one.
    let none = places.len();
    let second = places.len() + 1;
    let state = |arc: &Arc| places.binary_search(&arc.place).ok();
    let mut transitions: Vec<TransitionId> = places.iter().flat_map(|p| &touching.0[p.at()]).copied().collect();
    transitions.sort_unstable();
    transitions.dedup();
    let mut edges: Vec<Transition> = Vec::new();
    for &t in &transitions {
        let inside = |arcs: &[Arc]| -> (u64, Option<usize>) {
            let weight = arcs.iter().filter(|arc| state(arc).is_some()).map(|arc| u64::from(arc.weight)).sum();
            (weight, arcs.iter().find_map(state))
        };
        let (taken, from) = inside(net.inputs(t));
        let (given, to) = inside(net.outputs(t));
        let mut edge = |from: usize, to: usize| {
            edges.push(Transition::new(from as u32, labels[t.at()], to as u32));
        };
        let after = if given > 1 { second } else { to.unwrap_or(none) };
        match (taken, from) {
            // What would bring a second token where that is shown not to happen never fires.
            _ if shown && after == second => {}
            (1, Some(from)) => edge(from, after),
            // A token comes from outside: it must be the only one.
            (0, _) => {
                edge(none, after);
                (0..none).filter(|_| !shown).for_each(|from| edge(from, second));
            }
            // Two tokens are never there.
            _ => {}
        }
    }
    let initial = places.iter().position(|p| net.initial()[p.at()] > 0).unwrap_or(none);
    let reached = reachable(initial, places.len() + 2, &edges);
    let number: Vec<Option<StateId>> = {
        let mut next = 0;
        let numbered = |&reached: &bool| {
            next += u32::from(reached);
            reached.then(|| StateId(next - 1))
        };
        reached.iter().map(numbered).collect()
    };
    let edges = edges.iter().filter_map(|e| {
        let (source, target) = (number[e.source.at()]?, number[e.target.at()]?);
        Some(Transition { source, label: e.label, target })
    });
    let count = reached.iter().filter(|reached| **reached).count();
    let lts = Lts::new(number[initial].expect("reached"), count, edges.collect());
    let alphabet = transitions.iter().map(|t| labels[t.at()]);
    let all_names = places.iter().map(|&p| net.place(p)).chain(["no token", "second token"]);
    debug_assert!(!shown || !reached[second], "counting arcs shows that there is no second token");
    Made {
        component: Component::with_alphabet(name, lts, alphabet),
        names: all_names.zip(&reached).filter(|(_, reached)| **reached).map(|(name, _)| name.into()).collect(),
        tokens: places.iter().zip(&number).map(|(&p, s)| (p, s.iter().map(|&s| (s, 1)).collect())).collect(),
        second: number[second],
    }
}

/// The states that a component could reach if nobody were in its way.
fn reachable(initial: usize, states: usize, edges: &[Transition]) -> Vec<bool> {
    let mut rows = vec![Vec::new(); states];
    edges.iter().for_each(|e| rows[e.source.at()].push(e.target.at()));
    let mut reached = vec![false; states];
    reached[initial] = true;
    let mut left = vec![initial];
    while let Some(at) = left.pop() {
        for &next in &rows[at] {
            if !std::mem::replace(&mut reached[next], true) {
                left.push(next);
            }
        }
    }
    reached
}

fn counter(net: &Net, place: PlaceId, bound: u32, labels: &[LabelId], touching: &Touching) -> Made {
    let weight = |arcs: &[Arc]| arcs.iter().find(|arc| arc.place == place).map_or(0, |arc| arc.weight);
    let transitions = &touching.0[place.at()];
    let mut edges = Vec::new();
    for &t in transitions {
        let (taken, given) = (weight(net.inputs(t)), weight(net.outputs(t)));
        for tokens in taken..=bound {
            if let Some(after) = (tokens - taken).checked_add(given).filter(|&after| after <= bound) {
                edges.push(Transition::new(tokens, labels[t.at()], after));
            }
        }
    }
    let lts = Lts::new(StateId(net.initial()[place.at()]), bound as usize + 1, edges);
    let alphabet = transitions.iter().map(|t| labels[t.at()]);
    Made {
        component: Component::with_alphabet(net.place(place), lts, alphabet),
        names: (0..=bound).map(|tokens| tokens.to_string().into()).collect(),
        tokens: vec![(place, (1..=bound).map(|tokens| (StateId(tokens), tokens)).collect())],
        second: None,
    }
}
