//! The path of a depth-first search: its states, and their successors that are still to be tried.

use super::store::Store;

/// A path of stored states. What is still to be tried is in one buffer for all of them.
pub struct Path {
    frames: Vec<Frame>,
    untried: Vec<u64>,
    words: usize,
}

/// A state on the path.
struct Frame {
    /// Where it is stored.
    index: u32,
    /// Start of its successors in the buffer; they end where the next frame's start, and are taken from the end.
    start: usize,
}

impl Path {
    /// No state is on it yet; packed states of so many words each can be the first.
    pub fn new(initial: Vec<u64>, words: usize) -> Self {
        Self { frames: Vec::new(), untried: initial, words }
    }

    fn start(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.start)
    }

    /// Takes the next untried successor of the last state (at first: an initial state); false where there is none.
    #[inline]
    pub fn next(&mut self, state: &mut Vec<u64>) -> bool {
        if self.untried.len() == self.start() {
            return false;
        }
        let rest = self.untried.len() - self.words;
        state.clear();
        state.extend_from_slice(&self.untried[rest..]);
        self.untried.truncate(rest);
        true
    }

    /// Goes on to a state; its successors are to be added to the buffer.
    #[inline]
    pub fn push(&mut self, index: u32) -> &mut Vec<u64> {
        self.frames.push(Frame { index, start: self.untried.len() });
        &mut self.untried
    }

    /// How many successors of the last state are still to be tried.
    #[inline]
    pub fn untried(&self) -> usize {
        (self.untried.len() - self.start()) / self.words
    }

    /// Where the last state is stored.
    pub fn last(&self) -> Option<u32> {
        self.frames.last().map(|frame| frame.index)
    }

    /// Goes back by one state; false where there was none.
    #[inline]
    pub fn pop(&mut self) -> bool {
        self.frames.pop().is_some()
    }

    /// All states from the first to the last.
    pub fn states(&self, store: &Store) -> Vec<Vec<u64>> {
        self.frames.iter().map(|frame| store.get(frame.index)).collect()
    }
}
