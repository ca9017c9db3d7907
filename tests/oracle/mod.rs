//! The oracle: the plain product, state by state, straight from the definitions. Slow, and as simple as can be.

pub mod dump;
pub mod traps;

use prequel::families::random;
use prequel::families::random::Shape;
use prequel::model::rng::Rng;
use prequel::model::{ComponentId, Goal, Network, Problem, Query, StateId};
use std::collections::{HashMap, HashSet, VecDeque};

/// The truth about a problem.
#[derive(Debug, PartialEq, Eq)]
pub struct Truth {
    pub verdict: bool,
    /// Length of a shortest witness, where there is one.
    pub shortest: Option<usize>,
    /// Distinct states of the whole product (with the monitor, if there is one).
    pub states: usize,
}

/// Explores everything.
pub fn truth(problem: &Problem) -> Truth {
    let mut network = problem.network.clone();
    let mut target = None;
    match &problem.query {
        Query::Reach(goal) => target = Some(goal.clone()),
        Query::Safety(monitor) => {
            let (labels, mut components) = network.into_parts();
            let accepting = monitor.automaton.lts.marked().collect();
            target = Some(Goal::In(ComponentId::new(components.len()), accepting));
            components.push(monitor.automaton.clone());
            network = Network::new(labels, components);
        }
        Query::DeadlockFree | Query::Nonblocking => {}
    }
    let mut distance: HashMap<Vec<StateId>, usize> = HashMap::from([(network.initial(), 0)]);
    let mut queue = VecDeque::from([network.initial()]);
    let mut shortest = None;
    let nonblocking = matches!(problem.query, Query::Nonblocking);
    let mut edges: Vec<(Vec<StateId>, Vec<StateId>)> = Vec::new();
    while let Some(state) = queue.pop_front() {
        let depth = distance[&state];
        let steps = network.steps(&state);
        let hit = match &target {
            Some(goal) => goal.holds(&|c: ComponentId| state[c.at()]),
            None => steps.is_empty(),
        };
        if hit && shortest.is_none() && !nonblocking {
            shortest = Some(depth);
        }
        for step in steps {
            let mut next = state.clone();
            step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
            if nonblocking {
                edges.push((state.clone(), next.clone()));
            }
            if !distance.contains_key(&next) {
                distance.insert(next.clone(), depth + 1);
                queue.push_back(next);
            }
        }
    }
    if nonblocking {
        shortest = nearest_blocking(&network, &distance, &edges);
    }
    let verdict = shortest.is_some() == problem.query.witness_shows();
    Truth { verdict, shortest, states: distance.len() }
}

/// How far the nearest state is from which no marked state can be reached.
fn nearest_blocking(
    network: &Network,
    distance: &HashMap<Vec<StateId>, usize>,
    edges: &[(Vec<StateId>, Vec<StateId>)],
) -> Option<usize> {
    let marked = |s: &&Vec<StateId>| network.components().iter().zip(*s).all(|(c, &s)| c.lts.is_marked(s));
    let mut can_end: HashSet<&Vec<StateId>> = distance.keys().filter(marked).collect();
    loop {
        let before = can_end.len();
        let into: Vec<&Vec<StateId>> = edges.iter().filter(|(_, t)| can_end.contains(t)).map(|(s, _)| s).collect();
        can_end.extend(into);
        if can_end.len() == before {
            return distance.iter().filter(|(s, _)| !can_end.contains(s)).map(|(_, &depth)| depth).min();
        }
    }
}

/// A random network with each kind of query on it.
pub fn problems(seed: u64) -> Vec<Problem> {
    // Every fourth network is larger and more connected, so that searches get deep.
    let shape = match seed % 4 {
        0 => Shape { components: 6, states: 4, labels: 9, degree: 3 },
        _ => Shape::default(),
    };
    asked_of(random::network(seed, &shape), seed)
}

/// Each kind of query on a network.
pub fn asked_of(network: Network, seed: u64) -> Vec<Problem> {
    let mut rng = Rng::new(!seed);
    let goal = random::goal(&mut rng, &network);
    let monitor = random::monitor(&mut rng, &network);
    [Query::DeadlockFree, Query::Reach(goal), Query::Safety(monitor)]
        .into_iter()
        .map(|query| Problem { network: network.clone(), query })
        .collect()
}
