//! Network → safe Petri net: a place for each state of each component, a transition for each way to take a label together.
//!
//! The marked places are the states that the components are in, so the markings are the states of the product, one for one, and
//! the components are the units of a NUPN section that is true by construction.

use crate::model::net::{Net, Parts, Units};
use crate::model::{Arc, ComponentId, Edge, LabelId, Network, Origin, PlaceId, StateId, TransitionId};
use rustc_hash::FxHashSet;

/// Why there is no net.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("label `{label}` can be taken in more than {most} ways: too many for a transition each")]
pub struct TooMany {
    label: String,
    most: usize,
}

/// Transitions that one label may become.
const MOST: usize = 1 << 20;

/// The net of a network.
pub fn join(network: &Network, origin: &Origin) -> Result<Net, TooMany> {
    let mut parts = Parts::default();
    let mut first = Vec::with_capacity(network.components().len());
    let mut of_place = Vec::new();
    let mut taken = FxHashSet::default();
    for c in network.ids() {
        let component = network.component(c);
        first.push(parts.places.len());
        for s in component.lts.states() {
            let name = unused(format!("{}.{}", component.name, origin.state_name(c, s)), &mut taken);
            parts.places.push((name.into(), u32::from(s == component.lts.initial())));
            of_place.push(c.0);
        }
    }
    let place = |c: ComponentId, s: StateId| PlaceId::new(first[c.at()] + s.at());
    let mut taken = FxHashSet::default();
    let mut add = |name: &str, moves: &[(ComponentId, StateId, StateId)]| {
        let t = TransitionId::new(parts.transitions.len());
        parts.transitions.push((unused(name.to_owned(), &mut taken).into(), 0));
        for &(c, from, to) in moves {
            parts.inputs.push((t, Arc { place: place(c, from), weight: 1 }));
            parts.outputs.push((t, Arc { place: place(c, to), weight: 1 }));
        }
    };
    for c in network.ids() {
        let component = network.component(c);
        for s in component.lts.states() {
            for edge in component.lts.row_on(s, LabelId::TAU) {
                add(&format!("{}.tau", component.name), &[(c, s, edge.target)]);
            }
        }
    }
    for label in network.labels().visible() {
        let who = network.participants(label);
        if who.is_empty() {
            continue;
        }
        let edges: Vec<Vec<(ComponentId, StateId, StateId)>> = who
            .iter()
            .map(|&c| {
                let lts = &network.component(c).lts;
                let moves = |s| lts.row_on(s, label).iter().map(move |e: &Edge| (c, s, e.target));
                lts.states().flat_map(moves).collect()
            })
            .collect();
        let ways = edges.iter().try_fold(1usize, |all, edges| all.checked_mul(edges.len()).filter(|&n| n <= MOST));
        let Some(ways) = ways else {
            return Err(TooMany { label: network.labels().name(label).into(), most: MOST });
        };
        let mut moves = Vec::with_capacity(who.len());
        for way in 0..ways {
            moves.clear();
            let mut rest = way;
            for edges in &edges {
                moves.push(edges[rest % edges.len()]);
                rest /= edges.len();
            }
            add(network.labels().name(label), &moves);
        }
    }
    let names = network.components().iter().map(|c| c.name.clone()).collect();
    parts.units = Some(Units { names, of_place, safe: true });
    Ok(Net::new(parts).expect("all weights are 1"))
}

/// The name, or one with a number behind it if it is taken.
fn unused(name: String, taken: &mut FxHashSet<String>) -> String {
    let numbered = (2u64..).map(|n| format!("{name}#{n}"));
    let found = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
    let found = found.expect("some number is unused");
    taken.insert(found.clone());
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::explicit::explicit;
    use crate::families::random::{self, Shape};
    use crate::net::split::split;

    #[test]
    fn there_and_back_the_product_has_as_many_states_and_steps() {
        for seed in 0..200 {
            let network = random::network(seed, &Shape::default());
            let net = join(&network, &Origin::default()).unwrap();
            let back = split(&net).unwrap();
            assert_eq!((back.method.units, back.method.certified), (network.components().len(), 0), "{seed}");
            let product = |n: &Network| {
                let lts = explicit(n, |_, _| Ok(())).unwrap();
                (lts.num_states(), (0..lts.num_states()).filter(|&s| lts.row(StateId::new(s)).is_empty()).count())
            };
            assert_eq!(product(&network), product(&back.network), "{seed}");
        }
    }
}
