//! The edges between stored states, in the order in which they were found.

use prequel_model::Why;
use std::ops::Range;

/// A state was not expanded.
const NOT_YET: u64 = u64::MAX;

/// Edges by the state that they leave.
#[derive(Debug, Default)]
pub struct Graph {
    /// For each state the first of its edges, or [`NOT_YET`].
    first: Vec<u64>,
    /// For each state how many it has.
    count: Vec<u32>,
    edges: Edges,
}

/// States that were expanded, and their edges.
#[derive(Debug, Default)]
pub struct Log {
    /// Each state with the number of its edges.
    states: Vec<(u32, u32)>,
    edges: Edges,
}

/// Edges one behind the other: where they lead to, and the words of their marks.
#[derive(Debug, Default)]
struct Edges {
    targets: Vec<u32>,
    marks: Vec<u64>,
    /// The marks that some edge has.
    met: Vec<u64>,
}

impl Edges {
    fn meet(&mut self, marks: &[u64]) {
        self.met.resize(marks.len(), 0);
        self.met.iter_mut().zip(marks).for_each(|(met, marks)| *met |= marks);
    }
}

impl Graph {
    /// Moves edges in that a worker noted. All states have numbers below `end`.
    pub fn take(&mut self, log: &mut Log, end: u32) -> Result<(), Why> {
        let Edges { targets, marks, met } = &mut log.edges;
        self.edges.meet(met);
        let room = self.edges.targets.try_reserve(targets.len()).and(self.edges.marks.try_reserve(marks.len()));
        room.map_err(|_| Why::Memory("what the system gives".into()))?;
        self.first.resize(end as usize, NOT_YET);
        self.count.resize(end as usize, 0);
        let mut at = self.edges.targets.len() as u64;
        for (state, count) in log.states.drain(..) {
            self.first[state as usize] = at;
            self.count[state as usize] = count;
            at += u64::from(count);
        }
        self.edges.targets.append(targets);
        self.edges.marks.append(marks);
        Ok(())
    }

    /// The edges of a state by their numbers; nothing where it was not expanded.
    #[inline]
    pub fn edges(&self, state: u32) -> Option<Range<usize>> {
        let first = *self.first.get(state as usize).filter(|&&first| first != NOT_YET)? as usize;
        Some(first..first + self.count[state as usize] as usize)
    }

    /// Whether each mark is one of some edge.
    pub fn has_all_marks(&self) -> bool {
        self.edges.met.iter().all(|&word| word == u64::MAX)
    }

    /// Where an edge leads to.
    #[inline]
    pub fn target(&self, edge: usize) -> u32 {
        self.edges.targets[edge]
    }

    /// Its marks, in `K` words.
    #[inline]
    pub fn marks<const K: usize>(&self, edge: usize) -> [u64; K] {
        std::array::from_fn(|word| self.edges.marks[edge * K + word])
    }
}

impl Log {
    /// Notes an edge; whose it is comes later.
    #[inline]
    pub fn edge(&mut self, target: u32, marks: &[u64]) {
        self.edges.targets.push(target);
        self.edges.marks.extend_from_slice(marks);
        self.edges.meet(marks);
    }

    /// So many of the edges noted last are those of a state, behind those of the states before it.
    #[inline]
    pub fn state(&mut self, state: u32, count: u32) {
        self.states.push((state, count));
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.edges.targets.len()
    }

    /// Forgets all edges but the first ones, each with so many words of marks.
    pub fn truncate(&mut self, edges: usize, words: usize) {
        self.edges.targets.truncate(edges);
        self.edges.marks.truncate(edges * words);
    }
}
