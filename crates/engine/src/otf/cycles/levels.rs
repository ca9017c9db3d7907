//! Several threads, level by level.
//!
//! Most of the time goes into computing edges, which workers do side by side (`breadth`), and each edge is stored when it is found. To
//! find components among stored edges is little work beside that, so one thread does it (`depth`), from the beginning, whenever there
//! are twice as many states as the last time: twice the work at most, and what is wrong is found before there are twice as many states
//! as it takes. Where no edge at all has some mark, there is nothing to look for.
//!
//! Neither the states of a level nor the order of their edges depends on threads, so what is shown does not either.

use super::super::Stop;
use super::super::breadth::{Explored, Explorer, Level};
use super::super::space::{Expansion, Space};
use super::super::store::hash;
use super::depth::{self, Expanded, Source};
use super::walk::{Edge, Known, KnownEdges};
use super::{Found, MarkedSpace, REPORT, Seeks};
use prequel_model::run::Run;

/// States among which components are looked for the first time.
const FIRST: u32 = if cfg!(test) { 1 << 9 } else { 1 << 17 };

/// Looks for a target step, or for what the space seeks.
pub fn search<S, const K: usize>(space: &S, run: &Run) -> Result<Option<Found<K>>, Stop>
where
    S: MarkedSpace<K> + Sync,
    S::Scratch: Send,
{
    let marked = Marked::<S, K>(space);
    let mut explorer = Explorer::new(&marked, run)?;
    let mut next = FIRST;
    loop {
        let level = explorer.level()?;
        let explored = &explorer.explored;
        if let Level::Target(target) = level {
            return Ok(Some(Found::Target(explorer.explored.walk_back(&marked, target))));
        }
        let whole = matches!(level, Level::Empty);
        if !whole && explored.store.end() < next {
            continue;
        }
        // Marks that no edge has are on no cycle.
        if space.seeks() == Seeks::Trap || explored.graph.has_all_marks() {
            let mut stored = Stored::new(space, explored, run);
            let ended = depth::search::<_, K>(&mut stored, space.seeks(), u64::MAX)?;
            if let Some(found) = stored.known(space.seeks()).shown(&ended, run)? {
                return Ok(Some(found));
            }
        }
        if whole {
            return Ok(None);
        }
        next = explored.store.end().saturating_mul(2);
    }
}

/// A space with marks, for a search by levels.
struct Marked<'a, S, const K: usize>(&'a S);

impl<S, const K: usize> Space for Marked<'_, S, K>
where
    S: MarkedSpace<K> + Sync,
    S::Scratch: Send,
{
    const MARKS: usize = K;

    type Scratch = S::Scratch;

    fn scratch(&self) -> Self::Scratch {
        self.0.scratch()
    }

    fn words(&self) -> usize {
        self.0.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.0.initial()
    }

    fn successors(&self, state: &[u64], scratch: &mut Self::Scratch, out: &mut Vec<u64>) -> Expansion {
        self.0.edges(state, scratch, out)
    }

    fn is_target(&self, _: &[u64]) -> bool {
        false
    }

    fn stuck_is_target(&self) -> bool {
        false
    }
}

/// Edges that are stored.
struct Stored<'a> {
    explored: &'a Explored,
    first: u32,
    run: &'a Run,
    states: u64,
}

impl<'a> Stored<'a> {
    fn new<S: MarkedSpace<K>, const K: usize>(space: &S, explored: &'a Explored, run: &'a Run) -> Self {
        let first = space.initial();
        let h = hash(&first);
        let first = explored.store.find(&first, h, explored.store.peek(h)).expect("the search starts with it");
        Self { explored, first, run, states: 0 }
    }

    fn known(self, seeks: Seeks) -> Known<'a, Self> {
        Known { store: &self.explored.store, first: self.first, edges: self, seeks }
    }
}

impl<const K: usize> Source<K> for Stored<'_> {
    fn first(&self) -> u32 {
        self.first
    }

    fn expand(&mut self, state: u32, mut edge: impl FnMut(u32, [u64; K])) -> Result<Expanded, Stop> {
        self.states += 1;
        if self.states.is_multiple_of(REPORT) {
            self.run.allowed()?;
        }
        let graph = &self.explored.graph;
        let Some(edges) = graph.edges(state) else { return Ok(Expanded::NotYet) };
        edges.for_each(|number| edge(graph.target(number), graph.marks(number)));
        Ok(Expanded::Whole)
    }
}

impl<const K: usize> KnownEdges<K> for Stored<'_> {
    fn of(&mut self, state: u32, out: &mut Vec<Edge<K>>) -> bool {
        let graph = &self.explored.graph;
        out.extend(graph.edges(state).into_iter().flatten().map(|edge| (graph.target(edge), graph.marks(edge))));
        false
    }
}
