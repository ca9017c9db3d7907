//! Network → safe Petri net: a place for each state of each component, a transition for each way to take a label together.
//!
//! The marked places are the states that the components are in, so the markings are the states of the product, one for one, and
//! the components are the units of a NUPN section that is true by construction.

use prequel_model::net::{Net, Parts, Units};
use prequel_model::{
    Arc, Comparison, Component, ComponentId, Condition, Edge, Goal, LabelId, Network, Origin, PlaceId, StateId,
    TransitionId,
};
use rustc_hash::{FxHashMap, FxHashSet};

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
    let first = first_places(network);
    let mut of_place = Vec::new();
    let mut names = Unused::default();
    for c in network.ids() {
        let component = network.component(c);
        for s in component.lts.states() {
            let name = names.like(format!("{}.{}", component.name, origin.state_name(c, s)));
            parts.places.push((name.into(), u32::from(s == component.lts.initial())));
            of_place.push(c.0);
        }
    }
    let place = |c: ComponentId, s: StateId| PlaceId::new(first[c.at()] + s.at());
    let mut names = Unused::default();
    let mut add = |name: &str, moves: &[(ComponentId, StateId, StateId)]| {
        let t = TransitionId::new(parts.transitions.len());
        parts.transitions.push((names.like(name.to_owned()).into(), 0));
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

/// A goal as a condition on the markings of the net of a network.
pub fn condition(network: &Network, goal: &Goal) -> Condition {
    fn of(goal: &Goal, first: &[usize]) -> Condition {
        match goal {
            Goal::In(c, states) => {
                let places = states.iter().map(|s| (PlaceId::new(first[c.at()] + s.at()), 1)).collect();
                Condition::Tokens(places, Comparison::AtLeast, 1)
            }
            Goal::And(all) => Condition::And(all.iter().map(|goal| of(goal, first)).collect()),
            Goal::Or(any) => Condition::Or(any.iter().map(|goal| of(goal, first)).collect()),
            Goal::Not(goal) => of(goal, first).negated(),
        }
    }
    of(goal, &first_places(network))
}

/// Where the places of each component start.
fn first_places(network: &Network) -> Vec<usize> {
    let mut next = 0;
    let start = |component: &Component| {
        next += component.lts.num_states();
        next - component.lts.num_states()
    };
    network.components().iter().map(start).collect()
}

/// Names that are in use, and how often each was asked for: a label may be taken in very many ways.
#[derive(Default)]
struct Unused {
    taken: FxHashSet<String>,
    asked: FxHashMap<String, u64>,
}

impl Unused {
    /// The name, or one with a number behind it if it is taken.
    fn like(&mut self, name: String) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let number = self.asked.entry(name.clone()).or_insert(1);
        loop {
            *number += 1;
            let numbered = format!("{name}#{number}");
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::split;
    use prequel_engine::Engine as _;
    use prequel_engine::algo::explicit::explicit;
    use prequel_engine::otf::Otf;
    use prequel_engine::otf::net::{Outcome, explore};
    use prequel_families::random;
    use prequel_families::random::Shape;
    use prequel_model::rng::Rng;
    use prequel_model::run::{Limits, Run};
    use prequel_model::{NetQuery, Problem, Query};

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

    #[test]
    fn a_goal_is_reached_where_its_condition_is() {
        let mut verdicts = [0; 2];
        for seed in 0..200 {
            let network = random::network(seed, &Shape::default());
            let goal = random::goal(&mut Rng::new(seed), &network);
            let query = NetQuery::Possible(condition(&network, &goal));
            let net = join(&network, &Origin::default()).unwrap();
            let run = || Run::new(Limits::default(), 0);
            let found = matches!(explore(&net, &query, Otf::default(), &run()), Outcome::Found(_));
            let problem = Problem { network, query: Query::Reach(goal) };
            assert_eq!(Otf::default().solve(&problem, &run()).word(), found.to_string(), "{seed}");
            verdicts[usize::from(found)] += 1;
        }
        assert!(verdicts.iter().all(|&n| n > 20), "{verdicts:?}");
    }

    #[test]
    fn a_label_that_is_taken_in_many_ways_has_as_many_names() {
        let mut names = Unused::default();
        let asked = ["a", "a#2", "a", "a", "a#2", "b"];
        let all: FxHashSet<String> = asked.iter().map(|&name| names.like(name.into())).collect();
        assert_eq!(all.len(), 6, "{all:?}");
        assert!(all.contains("a") && all.contains("a#2") && all.contains("a#3") && all.contains("b"), "{all:?}");
    }
}
