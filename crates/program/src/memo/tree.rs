//! A map from parts of packed states, where which bits count depends on others.
//!
//! A node knows which bits count there, and keeps what was found for each value of these bits: what is sought, or another node where
//! more bits count.

/// A number in a table is one of what is sought, or, with this bit, one of a node.
const IS_NODE: u64 = 1 << 63;

/// Bits of a word.
pub type Bits = (u32, u64);

/// Nodes for many maps.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    nodes: Vec<Node>,
    /// Words of all tables.
    words: usize,
}

#[derive(Clone, Debug)]
struct Node {
    /// The bits that count, by their words.
    counts: Vec<Bits>,
    /// Places of the table: a number plus one, and the words with the bits that count. Their number is a power of two.
    table: Vec<u64>,
    /// A hash without these is a place.
    shift: u32,
    /// Places that are taken.
    taken: usize,
}

/// What a map has for a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// This.
    Value(u32),
    /// Nothing; this node has to learn of it.
    Missing(u32),
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 29)
}

impl Node {
    fn new(counts: Vec<Bits>) -> Self {
        let table = vec![0; 2 * (1 + counts.len())];
        Self { counts, table, shift: 63, taken: 0 }
    }

    fn stride(&self) -> usize {
        1 + self.counts.len()
    }

    /// The place of a state: the one that has it, or an empty one.
    #[inline]
    fn place(&self, state: &[u64]) -> usize {
        let part = |&(word, bits): &Bits| state[word as usize] & bits;
        let hash = self.counts.iter().fold(0, |hash, bits| mix(hash, part(bits)));
        let stride = self.stride();
        let mut at = (hash.wrapping_mul(0xd1b5_4a32_d192_ed03) >> self.shift) as usize * stride;
        loop {
            let place = &self.table[at..at + stride];
            if place[0] == 0 || place[1..].iter().zip(&self.counts).all(|(&word, bits)| word == part(bits)) {
                return at;
            }
            at += stride;
            if at == self.table.len() {
                at = 0;
            }
        }
    }

    fn put(&mut self, state: &[u64], number: u64) {
        if 3 * (self.taken + 1) > 2 * (self.table.len() / self.stride()) {
            self.grow(state.len());
        }
        let at = self.place(state);
        self.table[at] = number + 1;
        for (into, &(word, bits)) in self.table[at + 1..].iter_mut().zip(&self.counts) {
            *into = state[word as usize] & bits;
        }
        self.taken += 1;
    }

    fn grow(&mut self, words: usize) {
        let (stride, size) = (self.stride(), self.table.len());
        let old = std::mem::replace(&mut self.table, vec![0; 2 * size]);
        self.shift -= 1;
        let mut state = vec![0; words];
        for place in old.chunks_exact(stride).filter(|place| place[0] != 0) {
            for (&word, &(at, _)) in place[1..].iter().zip(&self.counts) {
                state[at as usize] = word;
            }
            let at = self.place(&state);
            self.table[at..at + stride].copy_from_slice(place);
        }
    }
}

impl Forest {
    /// A map for which so many bits count at first.
    pub fn plant(&mut self, counts: Vec<Bits>) -> u32 {
        self.nodes.push(Node::new(counts));
        self.nodes.len() as u32 - 1
    }

    /// What a map has for a state.
    #[inline]
    pub fn find(&self, mut map: u32, state: &[u64]) -> Found {
        loop {
            let node = &self.nodes[map as usize];
            match node.table[node.place(state)] {
                0 => return Found::Missing(map),
                number if (number - 1) & IS_NODE != 0 => map = (number - 1) as u32,
                number => return Found::Value((number - 1) as u32),
            }
        }
    }

    /// Tells a node that misses it what is right for all states that have these bits of this one.
    pub fn learn(&mut self, map: u32, state: &[u64], counts: &[Bits], value: u32) {
        let before = &self.nodes[map as usize].counts;
        let known = |&(word, bits): &Bits| before.iter().any(|&(other, counted)| other == word && bits & !counted == 0);
        self.words += 2 + before.len();
        if counts.iter().all(known) {
            return self.nodes[map as usize].put(state, u64::from(value));
        }
        let mut all = before.clone();
        for &(word, bits) in counts {
            match all.iter_mut().find(|(other, _)| *other == word) {
                Some((_, counted)) => *counted |= bits,
                None => all.push((word, bits)),
            }
        }
        self.words += 16 + all.len();
        let further = self.plant(all);
        self.nodes[map as usize].put(state, u64::from(further) | IS_NODE);
        self.nodes[further as usize].put(state, u64::from(value));
    }

    /// About so many words are in use.
    pub fn words(&self) -> usize {
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;

    /// A function that looks at the bits of a state one after the other, each choosing the next.
    fn look(state: &[u64], counts: &mut Vec<Bits>) -> u32 {
        let (mut at, mut value) = (0, 0);
        for _ in 0..5 {
            let (word, bits) = ((at / 64) as u32, 3 << (at % 64));
            counts.push((word, bits));
            let next = (state[word as usize] & bits) >> (at % 64);
            value = 4 * value + next as u32;
            at = ((at + 2 + 38 * next as usize) % 126) & !1;
        }
        value
    }

    #[test]
    fn what_was_learnt_is_found_again_and_is_right() {
        let mut rng = Rng::new(7);
        let mut forest = Forest::default();
        let map = forest.plant(vec![(0, 3)]);
        let mut missed = 0;
        for _ in 0..20_000 {
            let state = [rng.below(1 << 16) as u64, rng.below(1 << 30) as u64 * 0x10_0001];
            let mut counts = Vec::new();
            let right = look(&state, &mut counts);
            match forest.find(map, &state) {
                Found::Value(value) => assert_eq!(value, right),
                Found::Missing(node) => {
                    missed += 1;
                    forest.learn(node, &state, &counts, right);
                    assert_eq!(forest.find(map, &state), Found::Value(right));
                }
            }
        }
        assert!((4..=1024).contains(&missed), "{missed}");
    }
}
