//! Nonblocking by the whole product: all states forwards, then backwards from the marked ones; what is not met again is blocking.
//!
//! No transition is stored: the way back is the product of the reversed components, whose states are packed alike, and a
//! predecessor counts where the forward search met it. So a state costs what it costs any search, and one bit. Levels of the
//! forward search give a shortest path to a blocking state. Every interleaving is explored: stubborn sets as they are here keep
//! deadlocks and goals, not from where goals can be reached. Depth first there is another way: `components`.

use super::breadth::{self, Explored};
use super::store::hash;
use super::{NetworkSpace, Search, Stop, components};
use crate::algo::product::Product;
use fixedbitset::FixedBitSet;
use prequel_model::run::Run;
use prequel_model::{Answer, Component, ComponentId, Evidence, Goal, Network, Problem, Query, Why};

/// Predecessor words gathered before they are looked up together, so that their cache misses overlap.
const BATCH_WORDS: usize = 512;
/// States between two looks at the limits.
const REPORT: usize = 1 << 14;

/// Decides whether a marked state can be reached from every reachable one.
pub fn answer(problem: &Problem, order: Search, run: &Run) -> Answer {
    let network = &problem.network;
    let nowhere = Goal::Or(Vec::new());
    let product = Product::new(network.labels().len(), network.components().iter().collect());
    let space = NetworkSpace { product, target: Some(&nowhere), reduce: false };
    let marks = Marks::of(network);
    let found = match order {
        Search::Breadth => search(&space, &marks, run),
        Search::Depth => components::search(&space, &marks, run),
    };
    let path = match found {
        Err(Stop::Limit(why)) => return Answer::Unknown(why),
        Err(Stop::Outgrown) => unreachable!("the states of a product all have the same size"),
        Ok(path) => path,
    };
    let evidence = path.map(|path| Evidence::Witness(space.trace(&path, network.components().len())));
    Answer::found(&Query::Nonblocking, Ok(evidence))
}

/// A shortest path to a state from which no marked state can be reached.
fn search(space: &NetworkSpace<'_>, marks: &Marks<'_>, run: &Run) -> Result<Option<Vec<Vec<u64>>>, Stop> {
    let (explored, _) = breadth::explore(space, run)?;
    let alive = alive(&explored, &space.product, marks, run)?;
    for (at, level) in explored.levels.iter().enumerate() {
        let blocking = level.iter().cloned().flatten().filter(|&index| !alive.contains(index as usize));
        if let Some(state) = explored.choose(blocking) {
            return Ok(Some(explored.path_to(space, state, at)));
        }
    }
    Ok(None)
}

/// Which states are marked.
pub struct Marks<'a> {
    network: &'a Network,
    /// Components that are marked everywhere need not be asked.
    asked: Vec<ComponentId>,
}

impl<'a> Marks<'a> {
    fn of(network: &'a Network) -> Self {
        let somewhere_not = |c: &Component| c.lts.states().any(|s| !c.lts.is_marked(s));
        Self { network, asked: network.ids().filter(|&c| somewhere_not(network.component(c))).collect() }
    }

    /// Whether all components are marked in a state of the product.
    pub fn hold(&self, product: &Product<'_>, state: &[u64]) -> bool {
        self.asked.iter().all(|&c| self.network.component(c).lts.is_marked(product.local(state, c)))
    }
}

/// The states from which a marked one can be reached, by their indices.
fn alive(explored: &Explored, product: &Product<'_>, marks: &Marks<'_>, run: &Run) -> Result<FixedBitSet, Why> {
    let network = marks.network;
    let turned =
        |c: &Component| Component::with_alphabet(c.name.clone(), c.lts.reversed(), c.alphabet().iter().copied());
    let turned: Vec<Component> = network.components().iter().map(turned).collect();
    let back = Product::new(network.labels().len(), turned.iter().collect());
    let store = &explored.store;
    let mut alive = FixedBitSet::with_capacity(store.end() as usize);
    let mut open: Vec<u32> = Vec::new();
    let (mut state, mut before, mut probes) = (Vec::new(), Vec::new(), Vec::new());
    for index in explored.levels.iter().flatten().cloned().flatten() {
        store.load(index, &mut state);
        if marks.hold(product, &state) {
            alive.insert(index as usize);
            open.push(index);
        }
        if (index as usize).is_multiple_of(REPORT) {
            run.allowed()?;
        }
    }
    let words = product.words();
    let mut since = 0;
    while !open.is_empty() {
        before.clear();
        while before.len() < BATCH_WORDS
            && let Some(index) = open.pop()
        {
            store.load(index, &mut state);
            back.successors(&state, &mut before);
            since += 1;
        }
        probes.clear();
        probes.extend(before.chunks_exact(words).map(|state| {
            let h = hash(state);
            (h, store.peek(h))
        }));
        for (state, &(h, slot)) in before.chunks_exact(words).zip(&probes) {
            if let Some(index) = store.find(state, h, slot)
                && !alive.put(index as usize)
            {
                open.push(index);
            }
        }
        if since > REPORT {
            since = 0;
            run.allowed()?;
        }
    }
    Ok(alive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine as _;
    use crate::algo::explicit::explicit;
    use crate::otf::Otf;
    use prequel_evidence::witness::check;
    use prequel_families::random;
    use prequel_families::random::Shape;
    use prequel_model::rng::Rng;
    use prequel_model::run::Limits;
    use prequel_model::{LabelId, Lts, StateId};

    /// A random network with marks.
    fn marked(seed: u64, shape: &Shape, share: usize) -> Network {
        let mut rng = Rng::new(seed);
        let (labels, components) = random::network(seed, shape).into_parts();
        let with_marks = |mut c: Component| {
            let marks: Vec<StateId> = c.lts.states().filter(|_| rng.chance(share)).collect();
            c.lts = c.lts.with_marked(marks);
            c
        };
        Network::new(labels, components.into_iter().map(with_marks).collect())
    }

    /// The length of a shortest path to a blocking state, by the product as one system.
    fn expected(network: &Network) -> Option<usize> {
        let product: Lts = explicit(network, |_, _| Ok(())).unwrap();
        let all_have_marks = network.components().iter().all(|c| c.lts.has_marked());
        let mut alive: Vec<bool> = product.states().map(|s| all_have_marks && product.is_marked(s)).collect();
        while let Some(s) =
            product.states().find(|&s| !alive[s.at()] && product.row(s).iter().any(|e| alive[e.target.at()]))
        {
            alive[s.at()] = true;
        }
        let mut level = vec![product.initial()];
        let mut seen = vec![false; product.num_states()];
        seen[product.initial().at()] = true;
        let mut depth = 0;
        while !level.is_empty() {
            if level.iter().any(|s| !alive[s.at()]) {
                return Some(depth);
            }
            let edges = level.iter().flat_map(|&s| product.row(s)).map(|e| e.target);
            let next: Vec<StateId> = edges.filter(|t| !std::mem::replace(&mut seen[t.at()], true)).collect();
            (level, depth) = (next, depth + 1);
        }
        None
    }

    #[test]
    fn verdict_and_length_are_those_of_the_product() {
        let (mut blocking, mut not) = (0, 0);
        for seed in 0..1500 {
            let shape = Shape { components: 3, states: 4, labels: 5, degree: 2 };
            let network = marked(seed, &shape, [40, 60, 80, 100][seed as usize % 4]);
            let expected = expected(&network);
            let problem = Problem { network, query: Query::Nonblocking };
            for (threads, search) in [(1, Search::Breadth), (2, Search::Breadth), (1, Search::Depth)] {
                let run = Run::new(Limits { threads, ..Limits::default() }, 0);
                match (Otf { search, ..Otf::default() }).solve(&problem, &run) {
                    Answer::True(_) => {
                        assert_eq!(expected, None, "seed {seed}");
                        not += 1;
                    }
                    Answer::False(Evidence::Witness(trace)) => {
                        let shortest = expected.unwrap_or_else(|| panic!("seed {seed}"));
                        let is_shortest = trace.steps.len() == shortest;
                        assert!(is_shortest || search == Search::Depth && trace.steps.len() > shortest, "seed {seed}");
                        check(&problem, &trace).unwrap();
                        blocking += 1;
                    }
                    other => panic!("seed {seed}: {other:?}"),
                }
            }
        }
        assert!(blocking > 300 && not > 300, "{blocking} blocking, {not} not");
    }

    #[test]
    fn a_component_without_marks_blocks_at_once() {
        let network = marked(3, &Shape::default(), 100);
        let (labels, mut components) = network.into_parts();
        components.push(Component::with_alphabet("none", Lts::new(StateId(0), 1, Vec::new()), [] as [LabelId; 0]));
        let problem = Problem { network: Network::new(labels, components), query: Query::Nonblocking };
        let answer = Otf::default().solve(&problem, &Run::new(Limits::default(), 0));
        assert!(matches!(answer, Answer::False(Evidence::Witness(trace)) if trace.steps.is_empty()));
    }

    #[test]
    fn limits_are_kept() {
        let network = prequel_families::philo::plain(6, 0).network;
        let problem = Problem { network, query: Query::Nonblocking };
        let run = Run::new(Limits { states: Some(50), ..Limits::default() }, 0);
        assert!(matches!(Otf::default().solve(&problem, &run), Answer::Unknown(Why::States(50))));
    }
}
