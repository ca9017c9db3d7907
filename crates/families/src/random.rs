//! Random networks by seed: the raw material of every differential test, and `prequel generate random`.
//!
//! On purpose they are odd: tau, nondeterminism, many-way labels, alphabets with labels that nobody enables, empty alphabets,
//! components without transitions, initial states other than 0, unreachable states.

use super::family::{Instance, Suggested};
use prequel_model::rng::Rng;
use prequel_model::{
    Component, ComponentId, Goal, LabelId, Labels, Lts, Monitor, Network, Origin, StateId, Transition,
};

/// How large a random network may become.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Components, at least 1.
    pub components: usize,
    /// States per component, at least 1.
    pub states: usize,
    /// Visible labels in the network.
    pub labels: usize,
    /// Transitions per state, on average at most.
    pub degree: usize,
}

impl Default for Shape {
    fn default() -> Self {
        Self { components: 4, states: 5, labels: 6, degree: 2 }
    }
}

impl Shape {
    /// The shape of `prequel generate random SIZE`: SIZE components of a handful of states, labels in proportion.
    pub(crate) fn of_size(size: usize) -> Self {
        Self { components: size.max(1), states: 5, labels: 2 * size.max(1), degree: 2 }
    }
}

/// A random system over the given labels, tau included now and then.
pub fn lts(rng: &mut Rng, states: usize, labels: &[LabelId], degree: usize) -> Lts {
    let states = rng.between(1, states.max(1));
    let transitions = if rng.chance(8) { 0 } else { rng.below(states * degree + 2) };
    let transitions = (0..transitions)
        .map(|_| {
            let label = if labels.is_empty() || rng.chance(15) { LabelId::TAU } else { *rng.pick(labels) };
            Transition::new(rng.below(states) as u32, label, rng.below(states) as u32)
        })
        .collect();
    Lts::new(StateId::new(rng.below(states)), states, transitions)
}

/// A random network: at least one component, at most what the shape allows.
pub fn network(seed: u64, shape: &Shape) -> Network {
    let mut rng = Rng::new(seed);
    let mut labels = Labels::new();
    let names: Vec<LabelId> =
        (0..rng.between(1, shape.labels.max(1))).map(|n| labels.intern(&format!("a{n}"))).collect();
    let count = rng.between(1, shape.components.max(1));
    // Small alphabets keep the number of participants low; one network in five is densely connected.
    let share = if rng.chance(20) { 80 } else { (250 / count.max(1)).clamp(10, 70) };
    let components = (0..count)
        .map(|n| {
            let own: Vec<LabelId> = names.iter().copied().filter(|_| rng.chance(share)).collect();
            let declared: Vec<LabelId> = own.iter().copied().filter(|_| rng.chance(10)).collect();
            let used: Vec<LabelId> = own.iter().copied().filter(|l| !declared.contains(l)).collect();
            let system = lts(&mut rng, shape.states, &used, shape.degree);
            Component::with_alphabet(format!("m{n}"), system, declared)
        })
        .collect();
    Network::new(labels, components)
}

/// A random goal over a network's components.
pub fn goal(rng: &mut Rng, network: &Network) -> Goal {
    fn atom(rng: &mut Rng, network: &Network) -> Goal {
        let component = ComponentId::new(rng.below(network.components().len()));
        let states = network.component(component).lts.num_states();
        let mut set: Vec<StateId> = (0..rng.between(1, 2)).map(|_| StateId::new(rng.below(states))).collect();
        set.sort_unstable();
        set.dedup();
        Goal::In(component, set)
    }
    fn tree(rng: &mut Rng, network: &Network, depth: usize) -> Goal {
        match rng.below(if depth == 0 { 1 } else { 5 }) {
            0 | 1 => atom(rng, network),
            2 => Goal::And((0..rng.between(1, 3)).map(|_| tree(rng, network, depth - 1)).collect()),
            3 => Goal::Or((0..rng.between(1, 3)).map(|_| tree(rng, network, depth - 1)).collect()),
            _ => Goal::Not(Box::new(tree(rng, network, depth - 1))),
        }
    }
    tree(rng, network, 2)
}

/// A random monitor over some labels of a network: nondeterministic, with tau, not complete.
pub fn monitor(rng: &mut Rng, network: &Network) -> Monitor {
    let shared: Vec<LabelId> = network.labels().visible().filter(|l| !network.participants(*l).is_empty()).collect();
    let own: Vec<LabelId> = shared.into_iter().filter(|_| rng.chance(50)).collect();
    let declared: Vec<LabelId> = own.iter().copied().filter(|_| rng.chance(10)).collect();
    let system = lts(rng, 4, &own, 3);
    let accepting: Vec<StateId> = system.states().filter(|_| rng.chance(30)).collect();
    Monitor { automaton: Component::with_alphabet("monitor", system.with_marked(accepting), declared) }
}

/// Components in a row, or in a ring: each of three or four states, two labels shared with each neighbour and one of its own;
/// listed in random order.
fn linked(size: usize, seed: u64, closed: bool) -> Instance {
    let mut rng = Rng::new(seed);
    let mut labels = Labels::new();
    let links = if closed { size } else { size - 1 };
    let shared: Vec<[LabelId; 2]> =
        (0..links).map(|at| ["x", "y"].map(|l| labels.intern(&format!("{l}{at}")))).collect();
    let mut components = Vec::with_capacity(size);
    for at in 0..size {
        let before = if at > 0 { at - 1 } else { size - 1 };
        let mut own: Vec<LabelId> =
            [before, at].into_iter().filter_map(|link| shared.get(link)).flatten().copied().collect();
        own.push(labels.intern(&format!("p{at}")));
        let states = rng.between(3, 4);
        let edges =
            (0..2 * states).map(|n| Transition::new((n % states) as u32, *rng.pick(&own), rng.below(states) as u32));
        let system = Lts::new(StateId(0), states, edges.collect());
        components.push(Component::with_alphabet(format!("m{at}"), system, own));
    }
    for at in (1..size).rev() {
        components.swap(at, rng.below(at + 1));
    }
    let network = Network::new(labels, components);
    let end = |name: String| {
        let c = network.find(&name).expect("it was added");
        Goal::at(c, StateId::new(network.component(c).lts.num_states() - 1))
    };
    let goal = Goal::And(vec![end("m0".into()), end(format!("m{}", size / 2))]);
    let queries = vec![
        Suggested::deadlock_free(None, "open: the network is random"),
        Suggested::reach(&network, goal, None, "open: the network is random"),
    ];
    Instance { network, origin: Origin::default(), queries }
}

/// The instance of `prequel generate random-chain`.
pub fn chain(size: usize, seed: u64) -> Instance {
    linked(size, seed, false)
}

/// The instance of `prequel generate random-ring`.
pub fn ring(size: usize, seed: u64) -> Instance {
    linked(size, seed, true)
}

/// The instance of `prequel generate random`: nobody knows the answers.
pub fn instance(size: usize, seed: u64) -> Instance {
    let network = network(seed, &Shape::of_size(size));
    let goal = goal(&mut Rng::new(!seed), &network);
    let queries = vec![
        Suggested::deadlock_free(None, "open: the network is random"),
        Suggested::reach(&network, goal, None, "open: the goal is random"),
    ];
    Instance { network, origin: Origin::default(), queries }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The oddities that the tests rely on do occur.
    #[test]
    fn random_networks_are_as_odd_as_promised() {
        let networks: Vec<Network> = (0..300).map(|seed| network(seed, &Shape::default())).collect();
        let components = || networks.iter().flat_map(|n| n.components());
        assert!(components().any(|c| c.lts.num_transitions() == 0));
        assert!(components().any(|c| c.alphabet().is_empty()));
        assert!(components().any(|c| !c.blocked().is_empty()));
        assert!(components().any(|c| c.lts.initial() != StateId(0)));
        assert!(components().any(|c| c.lts.used_labels().contains(&LabelId::TAU)));
        assert!(networks.iter().any(|n| n.labels().visible().any(|l| n.participants(l).len() >= 3)));
    }
}
