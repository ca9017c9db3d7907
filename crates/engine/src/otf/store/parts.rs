//! States as trees of shared parts.
//!
//! Every word of a state has a number in a dictionary, and so has every pair of numbers, until two numbers are left: these are the
//! state. Successors share most words with what they come from, and so most of the tree. After A. Laarman, J. van de Pol and M. Weber,
//! "Parallel recursive state compression for free" (2011); here a dictionary is a [`Store`] like that of the states.

use super::{Block, Full, Store, hash};
use prequel_model::Why;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Levels that a tree can have: there are never so many words.
const MOST_LEVELS: usize = 32;

/// The parts of all states.
#[derive(Debug)]
pub struct Parts {
    /// Words, and pairs of numbers.
    dictionary: Store,
    /// Numbers of each level of a tree, the words first; the last level has two.
    levels: Vec<usize>,
    /// The dictionary must grow.
    full: AtomicBool,
}

/// What a worker keeps: its places in the dictionary, and the tree of the last state.
#[derive(Debug, Default)]
pub struct Tree {
    block: Option<Box<Block>>,
    state: Vec<u64>,
    numbers: Vec<u32>,
    /// Which numbers differ from those of the state before.
    differs: Vec<bool>,
}

fn pair(a: u32, b: u32) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

impl Parts {
    /// None yet, of states of at least two words.
    pub fn new(words: usize, workers: usize) -> Self {
        let next = |&count: &usize| (count > 2).then_some(count.div_ceil(2));
        let levels = std::iter::successors(Some(words), next).take(MOST_LEVELS).collect();
        Self { dictionary: Store::new(1, workers), levels, full: AtomicBool::new(false) }
    }

    fn number(&self, word: u64, block: &mut Block) -> Result<u32, Full> {
        let hash = hash(&[word]);
        let interned = self.dictionary.intern(&[word], hash, self.dictionary.peek(hash), block);
        interned.map(|(number, _)| number).inspect_err(|_| self.full.store(true, Relaxed))
    }

    /// The two numbers that are a state, whose parts become known.
    pub fn encode(&self, state: &[u64], tree: &mut Tree) -> Result<u64, Full> {
        let encoded = self.try_encode(state, tree);
        if encoded.is_err() {
            tree.state.clear();
        }
        encoded
    }

    fn try_encode(&self, state: &[u64], tree: &mut Tree) -> Result<u64, Full> {
        let Tree { block, state: last, numbers, differs } = tree;
        let block = block.get_or_insert_default();
        let fresh = last.len() != state.len();
        let nodes = self.levels.iter().sum();
        numbers.resize(nodes, 0);
        differs.resize(nodes, true);
        for (at, &word) in state.iter().enumerate() {
            differs[at] = fresh || last[at] != word;
            if differs[at] {
                numbers[at] = self.number(word, block)?;
            }
        }
        last.clear();
        last.extend_from_slice(state);
        let mut start = 0;
        for level in self.levels.windows(2) {
            let next = start + level[0];
            for at in 0..level[1] {
                let (a, b) = (start + 2 * at, start + 2 * at + 1);
                if b == next {
                    (numbers[next + at], differs[next + at]) = (numbers[a], differs[a]);
                    continue;
                }
                differs[next + at] = differs[a] || differs[b];
                if differs[next + at] {
                    numbers[next + at] = self.number(pair(numbers[a], numbers[b]), block)?;
                }
            }
            start = next;
        }
        Ok(pair(numbers[start], numbers[start + 1]))
    }

    /// The two numbers that are a state, if all its parts are known.
    pub fn find(&self, state: &[u64]) -> Option<u64> {
        let number = |word: u64| {
            let hash = hash(&[word]);
            self.dictionary.find(&[word], hash, self.dictionary.peek(hash))
        };
        let mut numbers = state.iter().map(|&word| number(word)).collect::<Option<Vec<u32>>>()?;
        while numbers.len() > 2 {
            let pairs = numbers.chunks(2).map(|pairs| match *pairs {
                [a, b] => number(pair(a, b)),
                _ => Some(pairs[0]),
            });
            numbers = pairs.collect::<Option<Vec<u32>>>()?;
        }
        Some(pair(numbers[0], numbers[1]))
    }

    /// The state that two numbers are.
    pub fn decode(&self, root: u64, state: &mut Vec<u64>) {
        let word = |number: u64| self.dictionary.first_word(number as u32);
        state.clear();
        state.resize(self.levels[0], 0);
        (state[0], state[1]) = (root >> 32, root & u64::from(u32::MAX));
        for level in self.levels.windows(2).rev() {
            // From the end, so that no number is lost.
            for at in (0..level[1]).rev() {
                let number = state[at];
                if 2 * at + 1 == level[0] {
                    state[2 * at] = number;
                } else {
                    let pair = word(number);
                    (state[2 * at], state[2 * at + 1]) = (pair >> 32, pair & u64::from(u32::MAX));
                }
            }
        }
        state.iter_mut().for_each(|number| *number = word(*number));
    }

    /// Makes room in the dictionary if that is what was missing; tells whether it was.
    pub fn grow(&mut self) -> Result<bool, Why> {
        let full = std::mem::take(self.full.get_mut());
        if full {
            self.dictionary.grow()?;
        }
        Ok(full)
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.dictionary.bytes()
    }
}
