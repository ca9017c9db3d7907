//! Breadth-first search of a product that remembers how each state was reached.

use crate::algo::product::Product;
use hashbrown::HashTable;
use prequel_model::run::Run;
use prequel_model::{LabelId, Why};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::ops::ControlFlow;

/// What was met.
pub struct Breadth {
    words: usize,
    /// Packed states, one after the other.
    states: Vec<u64>,
    table: HashTable<u32>,
    /// From which state each was reached, and under which label.
    by: Vec<(u32, LabelId)>,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// There is nothing left.
    Exhausted,
    /// Who looked at the states has seen enough.
    Enough,
    /// There are too many states.
    TooLarge,
}

/// Not reached from anywhere.
const ROOT: u32 = u32::MAX;

impl Breadth {
    /// Searches from some packed states; `visit` is told the number of each state, and the state.
    pub fn search(
        product: &Product,
        from: &[u64],
        most: u64,
        run: &Run,
        mut visit: impl FnMut(usize, &[u64]) -> ControlFlow<()>,
    ) -> Result<(Self, End), Why> {
        let words = product.words();
        let mut found = Self { words, states: Vec::new(), table: HashTable::new(), by: Vec::new() };
        let (mut out, mut labels) = (from.to_vec(), vec![LabelId::TAU; from.len() / words]);
        let (mut source, mut at, mut reported, mut steps, check) = (ROOT, 0, 0, 0, run.check());
        let end = 'search: loop {
            for (next, &label) in out.chunks_exact(words).zip(&labels) {
                let count = found.by.len();
                if found.add(next, source, label) && visit(count, next).is_break() {
                    break 'search End::Enough;
                }
            }
            if at == found.by.len() {
                break End::Exhausted;
            }
            if found.by.len() as u64 > most {
                break End::TooLarge;
            }
            if found.by.len() - reported >= 4096 {
                check.explored((found.by.len() - reported) as u64, steps)?;
                (reported, steps) = (found.by.len(), 0);
            }
            out.clear();
            labels.clear();
            product.labelled_successors(found.state(at), &mut out, &mut labels);
            steps += labels.len() as u64;
            (source, at) = (at as u32, at + 1);
        };
        check.explored((found.by.len() - reported) as u64, steps)?;
        Ok((found, end))
    }

    /// Whether the state is new.
    fn add(&mut self, state: &[u64], source: u32, label: LabelId) -> bool {
        let (words, states) = (self.words, &self.states);
        let stored = |n: u32| &states[n as usize * words..(n as usize + 1) * words];
        let count = self.by.len() as u32;
        let entry = self.table.entry(hash(state), |&n| stored(n) == state, |&n| hash(stored(n)));
        let new = *entry.or_insert(count).get() == count;
        if new {
            self.states.extend_from_slice(state);
            self.by.push((source, label));
        }
        new
    }

    /// A state by its number.
    pub fn state(&self, at: usize) -> &[u64] {
        &self.states[at * self.words..(at + 1) * self.words]
    }

    /// All states in the order in which they were met.
    pub fn states(&self) -> impl Iterator<Item = &[u64]> {
        self.states.chunks_exact(self.words)
    }

    /// The states on the way to one, the first included, each with the label that led to it.
    pub fn way_to(&self, mut at: usize) -> Vec<(usize, LabelId)> {
        let mut way = vec![(at, self.by[at].1)];
        while self.by[at].0 != ROOT {
            at = self.by[at].0 as usize;
            way.push((at, self.by[at].1));
        }
        way.reverse();
        way
    }
}

fn hash(state: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    state.iter().for_each(|&w| hasher.write_u64(w));
    hasher.finish()
}
