//! The visited set: packed states in flat chunks, and an open-addressing table of (hash, index) pairs in front of them.
//!
//! Shared by all workers without locks: a state is written to a reserved place first and then published by one
//! compare-and-swap on a table slot. A slot keeps the 32 hash bits that also give its position, so the table grows by one
//! sequential pass over slots that never looks at a state.
//!
//! Per state: its words, plus eight bytes of slot at a load between [`MAX_LOAD`] / [`GROWTH`] and [`MAX_LOAD`].
//!
//! Where memory is short, states become trees of shared [`parts`], one word each.

mod parts;

use parts::{Parts, Tree};
use prequel_model::Why;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Words per allocated chunk, at least; a chunk holds a power of two of states.
const CHUNK_WORDS: usize = 1 << 15;
/// States that a worker reserves at a time, where states are small.
const BLOCK: u32 = 1 << 9;
/// Indices end here, so that index + 1 fits a slot.
const MOST_STATES: u64 = u32::MAX as u64 - 1;
/// Share of slots that may be taken before the table must grow.
const MAX_LOAD: f64 = 0.8;
/// How much larger the table becomes.
const GROWTH: f64 = 1.6;
/// The same where memory is short.
const SAVING_GROWTH: f64 = 1.25;
/// Trees take at most one in so many parts of the memory of flat states, or states stay flat.
const WORTH: usize = 2;

/// The table cannot take another block: grow it, then try again.
#[derive(Debug, PartialEq, Eq)]
pub struct Full;

/// Indices that one worker has reserved, and which of them it has used since it was last asked.
#[derive(Debug, Default)]
pub struct Block {
    next: u32,
    end: u32,
    /// First index of this block that was not yet handed out by [`Block::take_used`].
    since: u32,
    /// Used indices of earlier blocks.
    used: Vec<Range<u32>>,
    /// Where states are trees.
    tree: Tree,
}

/// Cells of states, once they are needed.
type Chunk = OnceLock<Box<[AtomicU64]>>;

/// Words of the chunks that are there.
fn words(chunks: &[Chunk]) -> usize {
    chunks.iter().filter_map(Chunk::get).map(|chunk| chunk.len()).sum()
}

/// The visited states.
#[derive(Debug)]
pub struct Store {
    words: usize,
    workers: usize,
    /// Trees would save nothing.
    stays_flat: bool,
    /// What states are made of, once they are trees.
    parts: Option<Box<Parts>>,
    /// States per chunk, as a power of two.
    chunk_bits: u32,
    /// States per block: a block never crosses a chunk boundary.
    block: u32,
    /// 0 is empty; otherwise the hash in the upper half and the index + 1 in the lower.
    slots: Vec<AtomicU64>,
    chunks: Vec<Chunk>,
    reserved: AtomicU32,
    /// The system has no memory for another chunk.
    starved: AtomicBool,
}

/// Mixes a packed state into 32 bits.
#[inline]
pub fn hash(state: &[u64]) -> u32 {
    let mut h = 0x2d35_8dcc_aa6c_78a5_u64;
    for &word in state {
        let product = u128::from(h ^ word) * 0xf39c_c060_5ced_c835_u128;
        h = (product as u64) ^ (product >> 64) as u64;
    }
    // A last multiplication spreads what a single word's folding leaves in the upper bits.
    (h.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

impl Store {
    /// An empty set for states of `words` words, ready for `workers` workers.
    pub fn new(words: usize, workers: usize) -> Self {
        let capacity = ((workers + 2) as f64 * f64::from(BLOCK) / MAX_LOAD) as usize + 1;
        let chunk_bits = (CHUNK_WORDS / words).max(1).next_power_of_two().ilog2();
        let block = BLOCK.min(1 << chunk_bits);
        let slots = (0..capacity).map(|_| AtomicU64::new(0)).collect();
        let (chunks, reserved, starved) = (Vec::new(), AtomicU32::new(0), AtomicBool::new(false));
        let mut store = Self {
            words,
            workers,
            stays_flat: false,
            parts: None,
            chunk_bits,
            block,
            slots,
            chunks,
            reserved,
            starved,
        };
        store.provide_chunks();
        store
    }

    /// The slot that a state's search starts at: its position and what it holds. Asking early hides memory latency.
    #[inline]
    pub fn peek(&self, hash: u32) -> u64 {
        self.slots[self.position(hash)].load(Ordering::Acquire)
    }

    /// Looks at the states that hashes and their peeked slots lead to, all at once: their latencies overlap.
    #[inline]
    pub fn touch(&self, probes: &[(u32, u64)]) {
        let likely = probes.iter().filter(|&&(hash, slot)| slot != 0 && (slot >> 32) as u32 == hash);
        let first = |&(_, slot): &(u32, u64)| self.cells(slot as u32 - 1)[0].load(Ordering::Relaxed);
        std::hint::black_box(likely.map(first).fold(0, |all, word| all ^ word));
    }

    #[inline]
    fn position(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.slots.len() as u64) >> 32) as usize
    }

    /// Puts a state in, if it is new; tells its index, and whether it is new. `peeked` is what [`Store::peek`] gave for its hash.
    #[inline]
    pub fn intern(&self, state: &[u64], hash: u32, peeked: u64, block: &mut Block) -> Result<(u32, bool), Full> {
        match &self.parts {
            None => self.intern_cells(state, hash, peeked, block),
            Some(parts) => {
                let root = parts.encode(state, &mut block.tree)?;
                self.intern_cells(&[root], hash, peeked, block)
            }
        }
    }

    #[inline]
    fn intern_cells(&self, state: &[u64], hash: u32, peeked: u64, block: &mut Block) -> Result<(u32, bool), Full> {
        let mut at = self.position(hash);
        let mut slot = peeked;
        let mut entry = None;
        loop {
            if slot == 0 {
                let index = match entry {
                    Some(index) => index,
                    None => {
                        let index = self.reserve(block)?;
                        for (to, &word) in self.cells(index).iter().zip(state) {
                            to.store(word, Ordering::Relaxed);
                        }
                        *entry.insert(index)
                    }
                };
                let new = u64::from(hash) << 32 | u64::from(index + 1);
                // Release publishes the words above to whoever acquires this slot.
                match self.slots[at].compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => {
                        block.next += 1;
                        return Ok((index, true));
                    }
                    Err(winner) => slot = winner,
                }
            }
            if (slot >> 32) as u32 == hash && self.equals(slot as u32 - 1, state) {
                return Ok((slot as u32 - 1, false));
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
            slot = self.slots[at].load(Ordering::Acquire);
        }
    }

    /// Puts a state in likewise, and makes room for it where there is none.
    #[inline]
    pub fn insert_growing(&mut self, state: &[u64], hash: u32, block: &mut Block) -> Result<Option<u32>, Why> {
        self.intern_growing(state, hash, block).map(|(index, new)| new.then_some(index))
    }

    /// The index of a state, which is put in if it is new; tells whether it is. Makes room where there is none.
    #[inline]
    pub fn intern_growing(&mut self, state: &[u64], hash: u32, block: &mut Block) -> Result<(u32, bool), Why> {
        loop {
            match self.intern(state, hash, self.peek(hash), block) {
                Ok(interned) => return Ok(interned),
                Err(Full) => self.grow()?,
            }
        }
    }

    /// The index of a state that is in it. `peeked` is what [`Store::peek`] gave for its hash.
    #[inline]
    pub fn find(&self, state: &[u64], hash: u32, peeked: u64) -> Option<u32> {
        match &self.parts {
            None => self.find_cells(state, hash, peeked),
            Some(parts) => self.find_cells(&[parts.find(state)?], hash, peeked),
        }
    }

    #[inline]
    fn find_cells(&self, state: &[u64], hash: u32, peeked: u64) -> Option<u32> {
        let mut at = self.position(hash);
        let mut slot = peeked;
        while slot != 0 {
            if (slot >> 32) as u32 == hash && self.equals(slot as u32 - 1, state) {
                return Some(slot as u32 - 1);
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
            slot = self.slots[at].load(Ordering::Acquire);
        }
        None
    }

    /// All indices are below.
    pub fn end(&self) -> u32 {
        self.reserved.load(Ordering::Relaxed)
    }

    /// The next index of the block, of a new block where it is used up. Taken only when the state is published.
    #[inline]
    fn reserve(&self, block: &mut Block) -> Result<u32, Full> {
        if block.next == block.end {
            self.new_block(block)?;
        }
        Ok(block.next)
    }

    #[cold]
    fn new_block(&self, block: &mut Block) -> Result<(), Full> {
        let limit = self.limit();
        let take = |reserved: u32| reserved.checked_add(self.block).filter(|&end| u64::from(end) <= limit);
        let start = self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map_err(|_| Full)?;
        let chunk = &self.chunks[start as usize >> self.chunk_bits];
        if chunk.get().is_none() {
            let Ok(fresh) = empty(self.width() << self.chunk_bits) else {
                self.starved.store(true, Ordering::Relaxed);
                return Err(Full);
            };
            // Another worker may have been faster: then this one goes again.
            let _ = chunk.set(fresh.into_boxed_slice());
        }
        block.retire();
        (block.since, block.next, block.end) = (start, start, start + self.block);
        Ok(())
    }

    /// Places for all chunks that the table may come to need before it grows again; they are filled when needed.
    fn provide_chunks(&mut self) {
        let chunks = (self.limit() as usize >> self.chunk_bits) + 1;
        self.chunks.resize_with(chunks, OnceLock::new);
    }

    /// How many states may be reserved before the table must grow.
    fn limit(&self) -> u64 {
        ((self.slots.len() as f64 * MAX_LOAD) as u64).min(MOST_STATES)
    }

    #[inline]
    fn cells(&self, index: u32) -> &[AtomicU64] {
        let chunk = self.chunks[index as usize >> self.chunk_bits].get().expect("reserved before use");
        let width = self.width();
        let at = (index as usize & ((1 << self.chunk_bits) - 1)) * width;
        &chunk[at..at + width]
    }

    /// Words that a state takes here.
    #[inline]
    fn width(&self) -> usize {
        if self.parts.is_some() { 1 } else { self.words }
    }

    /// The first word of what has an index.
    fn first_word(&self, index: u32) -> u64 {
        self.cells(index)[0].load(Ordering::Relaxed)
    }

    #[inline]
    fn equals(&self, index: u32, state: &[u64]) -> bool {
        self.cells(index).iter().zip(state).all(|(cell, &word)| cell.load(Ordering::Relaxed) == word)
    }

    /// Copies a stored state.
    #[inline]
    pub fn load(&self, index: u32, into: &mut Vec<u64>) {
        if let Some(parts) = &self.parts {
            return parts.decode(self.first_word(index), into);
        }
        into.clear();
        into.extend(self.cells(index).iter().map(|cell| cell.load(Ordering::Relaxed)));
    }

    /// A stored state.
    pub fn get(&self, index: u32) -> Vec<u64> {
        let mut state = Vec::new();
        self.load(index, &mut state);
        state
    }

    /// Makes room, unless no more states can be numbered, or the system has no memory for them.
    pub fn grow(&mut self) -> Result<(), Why> {
        if let Some(parts) = &mut self.parts
            && parts.grow()?
        {
            return Ok(());
        }
        if self.limit() == MOST_STATES {
            return Err(Why::States(u64::from(u32::MAX)));
        }
        if *self.starved.get_mut() {
            return Err(no_memory());
        }
        let growth = if self.parts.is_some() { SAVING_GROWTH } else { GROWTH };
        let capacity = (self.slots.len() as f64 * growth) as usize;
        let old = std::mem::replace(&mut self.slots, empty(capacity)?);
        for slot in old {
            let slot = slot.into_inner();
            if slot != 0 {
                let mut at = self.position((slot >> 32) as u32);
                while *self.slots[at].get_mut() != 0 {
                    at = if at + 1 == capacity { 0 } else { at + 1 };
                }
                *self.slots[at].get_mut() = slot;
            }
        }
        self.provide_chunks();
        Ok(())
    }

    /// Makes trees of all states where that saves memory; they keep their indices. Tells whether it does: not where there are nearly as
    /// many parts as states.
    pub fn compress(&mut self) -> Result<bool, Why> {
        if self.parts.is_some() || self.words < 2 || self.stays_flat {
            return Ok(false);
        }
        let (chunks, parts) = self.trees()?;
        let trees = 8 * words(&chunks) + parts.bytes();
        self.stays_flat = trees > 8 * words(&self.chunks) / WORTH;
        if !self.stays_flat {
            (self.chunks, self.parts) = (chunks, Some(parts));
        }
        Ok(!self.stays_flat)
    }

    /// All states as trees, and the parts of these.
    fn trees(&self) -> Result<(Vec<Chunk>, Box<Parts>), Why> {
        let mut parts = Box::new(Parts::new(self.words, self.workers + 1));
        let (mut tree, mut state, mut chunks) = (Tree::default(), Vec::new(), Vec::new());
        for flat in &self.chunks {
            let roots = OnceLock::new();
            if let Some(flat) = flat.get() {
                let cells = empty(1 << self.chunk_bits)?;
                for (root, words) in cells.iter().zip(flat.chunks_exact(self.words)) {
                    state.clear();
                    state.extend(words.iter().map(|word| word.load(Ordering::Relaxed)));
                    let number = loop {
                        match parts.encode(&state, &mut tree) {
                            Ok(number) => break number,
                            Err(Full) => _ = parts.grow()?,
                        }
                    };
                    root.store(number, Ordering::Relaxed);
                }
                _ = roots.set(cells.into_boxed_slice());
            }
            chunks.push(roots);
        }
        Ok((chunks, parts))
    }

    /// Makes trees of all states, whatever that saves.
    #[cfg(test)]
    pub fn make_trees(&mut self) {
        let (chunks, parts) = self.trees().unwrap();
        (self.chunks, self.parts) = (chunks, Some(parts));
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let parts = self.parts.as_ref().map_or(0, |parts| parts.bytes());
        8 * (self.slots.len() + words(&self.chunks)) + parts
    }
}

impl Block {
    /// The indices used since the last call.
    pub fn take_used(&mut self) -> Vec<Range<u32>> {
        self.retire();
        std::mem::take(&mut self.used)
    }

    fn retire(&mut self) {
        if self.since < self.next {
            self.used.push(self.since..self.next);
        }
        self.since = self.next;
    }
}

/// So many empty cells, where the system has memory for them.
fn empty(count: usize) -> Result<Vec<AtomicU64>, Why> {
    let mut cells = Vec::new();
    cells.try_reserve_exact(count).map_err(|_| no_memory())?;
    cells.extend((0..count).map(|_| AtomicU64::new(0)));
    Ok(cells)
}

fn no_memory() -> Why {
    Why::Memory("what the system gives".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;
    use std::collections::HashSet;

    /// Against the standard library's set, with growth, states of one word and more, which become trees in between.
    #[test]
    fn it_is_a_set() {
        for words in [1, 2, 3, 7] {
            let mut rng = Rng::new(words as u64);
            let (mut store, mut block) = (Store::new(words, 1), Block::default());
            let (mut oracle, mut indices) = (HashSet::new(), Vec::new());
            for _ in 0..60_000 {
                let state: Vec<u64> = (0..words).map(|_| rng.below(40) as u64 * 0x10001).collect();
                let state = if rng.chance(50) { state } else { vec![rng.below(20_000) as u64; words] };
                let h = hash(&state);
                if oracle.len() == 8_000 && words > 1 && store.parts.is_none() {
                    store.make_trees();
                }
                let inserted = loop {
                    match store.intern(&state, h, store.peek(h), &mut block) {
                        Ok((index, new)) => break new.then_some(index),
                        Err(Full) => store.grow().unwrap(),
                    }
                };
                assert_eq!(inserted.is_some(), oracle.insert(state.clone()));
                if let Some(index) = inserted {
                    assert_eq!(store.get(index), state);
                    indices.push((index, state));
                }
            }
            for (index, state) in indices {
                assert_eq!(store.find(&state, hash(&state), store.peek(hash(&state))), Some(index));
                assert_eq!(store.get(index), state);
            }
            assert_eq!(store.parts.is_some(), words > 1);
            assert!(oracle.len() > 10_000);
        }
    }

    #[test]
    fn states_become_trees_where_they_share_parts() {
        for (shared, mask, last) in [(true, 0xff, 0), (false, u64::MAX, 3)] {
            let (mut store, mut block) = (Store::new(4, 1), Block::default());
            for n in 0..50_000u64 {
                let state = [n & mask, (n * n) & mask, n >> 8, n * last];
                store.insert_growing(&state, hash(&state), &mut block).unwrap();
            }
            let before = store.bytes();
            assert_eq!(store.compress(), Ok(shared));
            assert_eq!(store.bytes() < before, shared);
        }
    }

    /// Two workers that insert the same states find each one new exactly once.
    #[test]
    fn two_workers_agree_on_who_was_first() {
        let store = Store::new(2, 2).grown_to(40_000);
        let insert_all = || {
            let mut block = Block::default();
            let new = |n: &u64| {
                let state = [*n, n.wrapping_mul(77)];
                store.intern(&state, hash(&state), store.peek(hash(&state)), &mut block).unwrap().1
            };
            (0..20_000u64).filter(new).count()
        };
        let (a, b) = rayon::join(insert_all, insert_all);
        assert_eq!(a + b, 20_000);
    }

    #[test]
    fn a_million_one_word_states_take_less_than_26_bytes_each() {
        let (mut store, mut block) = (Store::new(1, 1), Block::default());
        for n in 0..1_000_000u64 {
            let h = hash(&[n]);
            while store.intern(&[n], h, store.peek(h), &mut block).is_err() {
                store.grow().unwrap();
            }
        }
        assert!(store.bytes() < 26_000_000, "{}", store.bytes());
    }

    impl Store {
        fn grown_to(mut self, states: u64) -> Self {
            while self.limit() < states {
                self.grow().unwrap();
            }
            self
        }
    }
}
