//! The shape of a state: which processes and channels there are, and so where in its packed form everything is.

use super::layout::Layout;
use super::machine::Machine;

/// Shapes that are remembered.
const MOST: usize = 256;

/// Where everything is in packed states that have the same processes and channels.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Where each process starts in an unpacked state.
    pub processes: Vec<u32>,
    /// Where each channel starts.
    pub channels: Vec<u32>,
    /// The proctypes of the processes.
    pub proctypes: Vec<usize>,
    /// Where each cell is.
    pub places: Vec<Place>,
    /// What all these states have in common: in which word, which bits, and what they are.
    common: Vec<(u32, u64, u64)>,
    /// Bits so far.
    bits: u32,
}

/// Where a cell is in a packed state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// From this bit on, so many.
    Bits(u32, u32),
    /// It is not stored.
    Nowhere,
    /// It decides where others are.
    Shape,
}

impl Shape {
    /// Of a state, none of whose cells has a place yet.
    pub fn new(machine: &Machine) -> Self {
        let (processes, channels) = (machine.processes.clone(), machine.channels.clone());
        let mut places = vec![Place::Nowhere; machine.cells.len()];
        processes.iter().chain(&channels).for_each(|&at| places[at as usize] = Place::Shape);
        let proctypes = (0..processes.len()).map(|process| machine.proctype(process)).collect();
        Self { processes, channels, proctypes, places, common: Vec::new(), bits: 0 }
    }

    /// A cell comes next.
    pub fn cell(&mut self, cell: usize, bits: u32) {
        self.places[cell] = Place::Bits(self.bits, bits);
        self.bits += bits;
    }

    /// A number comes next that all states of the shape have.
    pub fn shared(&mut self, value: u32, bits: u32) {
        for (word, mask, value) in pieces(self.bits, bits, value) {
            match self.common.last_mut() {
                Some(last) if last.0 == word => {
                    last.1 |= mask;
                    last.2 |= value;
                }
                _ => self.common.push((word, mask, value)),
            }
        }
        self.bits += bits;
    }

    /// Whether a packed state has it.
    #[inline]
    pub fn is_of_packed(&self, state: &[u64]) -> bool {
        self.common.iter().all(|&(word, mask, value)| state[word as usize] & mask == value)
    }
}

/// The words that some bits are in, with those that are theirs and what they are when the bits are a number.
pub fn pieces(bit: u32, bits: u32, value: u32) -> impl Iterator<Item = (u32, u64, u64)> {
    let (mask, shift) = ((1u128 << bits) - 1, bit % 64);
    let (mask, value) = (mask << shift, (u128::from(value) & mask) << shift);
    let both = [(bit / 64, mask as u64, value as u64), (bit / 64 + 1, (mask >> 64) as u64, (value >> 64) as u64)];
    both.into_iter().filter(|&(_, mask, _)| mask != 0)
}

/// The shapes of the states that were met.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    all: Vec<Shape>,
    current: usize,
    /// How often all of them were forgotten.
    pub forgotten: u32,
}

impl Shapes {
    /// That of the state that was looked at last.
    #[inline]
    pub fn current(&self) -> &Shape {
        &self.all[self.current]
    }

    /// Its number.
    pub fn number(&self) -> usize {
        self.current
    }

    /// That of an unpacked state, which was not met before, becomes the current one.
    #[cold]
    pub fn meet(&mut self, layout: &Layout, machine: &Machine) {
        if self.all.len() == MOST {
            self.all.clear();
            self.forgotten += 1;
        }
        self.current = self.all.len();
        self.all.push(layout.shape(machine));
    }

    /// Finds that of a packed state, if it was met before.
    #[inline]
    pub fn find_packed(&mut self, state: &[u64]) -> bool {
        if self.all.get(self.current).is_some_and(|shape| shape.is_of_packed(state)) {
            return true;
        }
        let found = self.all.iter().position(|shape| shape.is_of_packed(state));
        self.current = found.unwrap_or(self.current);
        found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_in_one_word_or_in_two() {
        assert_eq!(pieces(3, 4, 0b1011).collect::<Vec<_>>(), [(0, 0b1111 << 3, 0b1011 << 3)]);
        assert_eq!(pieces(126, 4, 0b1001).collect::<Vec<_>>(), [(1, 3 << 62, 1 << 62), (2, 3, 2)]);
        assert_eq!(pieces(5, 0, 0).count(), 0);
    }
}
