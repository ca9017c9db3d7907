//! Few components that block by themselves.
//!
//! Fewer components can do more, and all of them must be marked at once: where some of them, from where they are, can never all be marked, the whole
//! system blocks, whatever the others do. So the search begins with none, and takes in whoever objects to the way that was found.

use super::breadth::{Breadth, End};
use crate::algo::product::Product;
use prequel_model::run::Run;
use prequel_model::{Component, ComponentId, LabelId, Network, StateId, Why};
use std::ops::ControlFlow;

/// More than so many are not looked at one after the other.
const MOST_MEMBERS: usize = 48;

/// What is known of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blocks {
    /// These components block by themselves.
    By(Vec<ComponentId>),
    /// A marked state can be reached.
    No,
    /// It takes too many states to tell.
    Unknown,
}

/// Whether no marked state can be reached from a global state; looks at no more than `most` states at a time.
pub fn blocks(network: &Network, from: &[StateId], most: u64, run: &Run) -> Result<Blocks, Why> {
    let all: Vec<ComponentId> = network.ids().collect();
    // A deadlock needs them all, and has nothing to look at.
    match way_to_mark(network, &all, from, most / 16, run)? {
        Way::None => return Ok(Blocks::By(all)),
        Way::Is(_) => return Ok(Blocks::No),
        Way::TooLarge => {}
    }
    let mut members: Vec<ComponentId> = Vec::new();
    while members.len() <= MOST_MEMBERS {
        match way_to_mark(network, &members, from, most, run)? {
            Way::None => return Ok(Blocks::By(members)),
            Way::Is(way) => match who_objects(network, &members, from, &way) {
                Some(c) => members.push(c),
                None => return Ok(Blocks::No),
            },
            // Others may keep these few from most of what they could do.
            Way::TooLarge => {
                return Ok(match way_to_mark(network, &all, from, most, run)? {
                    Way::None => Blocks::By(all),
                    Way::Is(_) => Blocks::No,
                    Way::TooLarge => Blocks::Unknown,
                });
            }
        }
    }
    Ok(Blocks::Unknown)
}

enum Way {
    /// To a state in which all are marked, by its labels.
    Is(Vec<LabelId>),
    None,
    TooLarge,
}

fn way_to_mark(network: &Network, members: &[ComponentId], from: &[StateId], most: u64, run: &Run) -> Result<Way, Why> {
    let product = Product::new(network.labels().len(), members.iter().map(|&c| network.component(c)).collect());
    let start = product.pack(members.iter().map(|c| from[c.at()]));
    let is_marked = |state: &[u64]| {
        let marked = |(at, &c): (usize, &ComponentId)| {
            network.component(c).lts.is_marked(product.local(state, ComponentId::new(at)))
        };
        members.iter().enumerate().all(marked)
    };
    let mut last = 0;
    let (found, end) = Breadth::search(&product, &start, most, run, |at, state| {
        last = at;
        if is_marked(state) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(match end {
        End::Exhausted => Way::None,
        End::TooLarge => Way::TooLarge,
        End::Enough => Way::Is(found.way_to(last).into_iter().map(|(_, label)| label).skip(1).collect()),
    })
}

/// The component that is first, along a way of others, to object to it: it cannot go along, or cannot be marked at the end.
fn who_objects(network: &Network, members: &[ComponentId], from: &[StateId], way: &[LabelId]) -> Option<ComponentId> {
    let objects = |c: ComponentId| {
        let component = network.component(c);
        let mut states = silently(component, vec![from[c.at()]]);
        for (at, &label) in way.iter().enumerate().filter(|(_, label)| component.takes_part(**label)) {
            let next = states.iter().flat_map(|&s| component.lts.row_on(s, label)).map(|e| e.target).collect();
            states = silently(component, next);
            if states.is_empty() {
                return Some((at, c));
            }
        }
        let content = states.iter().any(|&s| component.lts.is_marked(s));
        (!content).then_some((way.len(), c))
    };
    network.ids().filter(|c| !members.contains(c)).filter_map(objects).min().map(|(_, c)| c)
}

/// Some states and all that silent steps lead to, each once.
fn silently(component: &Component, mut states: Vec<StateId>) -> Vec<StateId> {
    states.sort_unstable();
    states.dedup();
    let mut at = 0;
    while at < states.len() {
        for e in component.lts.row_on(states[at], LabelId::TAU) {
            if !states.contains(&e.target) {
                states.push(e.target);
            }
        }
        at += 1;
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random;
    use prequel_families::random::Shape;
    use prequel_model::rng::Rng;
    use prequel_model::run::Limits;

    /// Whether a marked state can be reached, by the definition.
    fn gets_home(network: &Network, from: &[StateId]) -> bool {
        let (mut seen, mut at) = (vec![from.to_vec()], 0);
        while at < seen.len() {
            if network.components().iter().zip(&seen[at]).all(|(c, &s)| c.lts.is_marked(s)) {
                return true;
            }
            for step in network.steps(&seen[at].clone()) {
                let mut next = seen[at].clone();
                step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            at += 1;
        }
        false
    }

    #[test]
    fn what_blocks_blocks_and_so_do_the_few_alone() {
        let (mut by_few, mut no) = (0, 0);
        for seed in 0..600 {
            let mut rng = Rng::new(seed);
            let network = random::network(seed, &Shape { components: 4, states: 4, labels: 5, degree: 2 });
            let (labels, components) = network.into_parts();
            let with_marks = |mut c: Component| {
                let marked: Vec<StateId> = c.lts.states().filter(|_| rng.chance(50)).collect();
                c.lts = c.lts.with_marked(marked);
                c
            };
            let network = Network::new(labels, components.into_iter().map(with_marks).collect());
            let (from, run) = (network.initial(), Run::new(Limits::default(), 0));
            // So few states that not all are looked at first.
            for most in [8, 1 << 16] {
                match blocks(&network, &from, most, &run).unwrap() {
                    Blocks::By(few) => {
                        assert!(!gets_home(&network, &from), "seed {seed}");
                        let part = few.iter().map(|&c| network.component(c).clone()).collect();
                        let part = Network::new(network.labels().clone(), part);
                        assert!(!gets_home(&part, &part.initial()), "seed {seed}: {few:?} do not block by themselves");
                        by_few += usize::from(few.len() < from.len());
                    }
                    Blocks::No => {
                        assert!(gets_home(&network, &from), "seed {seed}");
                        no += 1;
                    }
                    Blocks::Unknown => assert_eq!(most, 8, "seed {seed}"),
                }
            }
        }
        assert!(by_few > 50 && no > 50, "{by_few} by few, {no} not");
    }
}
