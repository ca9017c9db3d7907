//! Boolean systems with named components: what symbolic engines look at.
//!
//! A state is a value of each variable. All components move together: a step is one that every component allows. A variable that no
//! component says anything about changes as it likes.

use super::aig::{Aig, Lit};

/// A variable, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bit(pub u32);

impl Bit {
    /// The graph's input for its value now.
    pub fn now(self) -> u32 {
        self.0 * 2
    }

    /// The graph's input for its value after the step.
    pub fn next(self) -> u32 {
        self.0 * 2 + 1
    }

    /// The variable of an input, and whether it is its value after the step.
    pub fn of(input: u32) -> (Bit, bool) {
        (Bit(input / 2), input % 2 == 1)
    }
}

/// Variables that are read together: a number, a name out of several, or one truth value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// What it is called.
    pub name: Box<str>,
    /// Its bits, the lowest first.
    pub bits: Vec<Bit>,
    /// What the bits stand for.
    pub kind: Kind,
}

/// What the bits of a word stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// True or false.
    Truth,
    /// Numbers from the first to the last one; the bits count from the first.
    Numbers(i64, i64),
    /// One of these names; the bits are its place.
    Names(Vec<Box<str>>),
}

/// A part of the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// What it is called.
    pub name: Box<str>,
    /// What it says of the first state.
    pub initial: Lit,
    /// What it says of a step.
    pub step: Lit,
}

/// A Boolean system, and what must not be reached.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    /// The graph that all functions are in; input `2v` is variable `v` now, `2v + 1` after the step.
    pub aig: Aig,
    /// How many variables there are.
    pub bits: u32,
    /// How they are read.
    pub words: Vec<Word>,
    /// The components.
    pub parts: Vec<Part>,
    /// The states that must not be reached.
    pub bad: Option<Lit>,
}

impl Circuit {
    /// New variables that are read together.
    pub fn word(&mut self, name: impl Into<Box<str>>, kind: Kind) -> Word {
        let values = match &kind {
            Kind::Truth => 2,
            Kind::Numbers(first, last) => last.abs_diff(*first).saturating_add(1),
            Kind::Names(names) => names.len() as u64,
        };
        let width = (u64::BITS - (values.max(2) - 1).leading_zeros()).max(1);
        let bits: Vec<Bit> = (self.bits..self.bits + width).map(Bit).collect();
        self.bits += width;
        let word = Word { name: name.into(), bits, kind };
        self.words.push(word.clone());
        word
    }

    /// That the bits of a word are this number; now, or after the step.
    pub fn is(&mut self, word: &Word, value: u64, next: bool) -> Lit {
        let parts: Vec<Lit> = word
            .bits
            .iter()
            .enumerate()
            .map(|(at, bit)| {
                let input = self.aig.input(if next { bit.next() } else { bit.now() });
                input.negated_if(value >> at & 1 == 0)
            })
            .collect();
        self.aig.all(parts)
    }

    /// That a word does not change.
    pub fn stays(&mut self, word: &Word) -> Lit {
        let parts: Vec<Lit> = word
            .bits
            .iter()
            .map(|bit| {
                let (now, next) = (self.aig.input(bit.now()), self.aig.input(bit.next()));
                self.aig.equal(now, next)
            })
            .collect();
        self.aig.all(parts)
    }

    /// The states that must not be reached; none where nothing is said of them.
    pub fn bad(&self) -> Lit {
        self.bad.unwrap_or(Lit::FALSE)
    }
}

impl Word {
    /// The number that its bits are in a state.
    pub fn value(&self, state: &[bool]) -> u64 {
        self.bits.iter().enumerate().map(|(at, bit)| u64::from(state[bit.0 as usize]) << at).sum()
    }

    /// What it is in a state, for people.
    pub fn shown(&self, state: &[bool]) -> String {
        let value = self.value(state);
        match &self.kind {
            Kind::Truth => (value == 1).to_string(),
            Kind::Numbers(first, _) => (first + value as i64).to_string(),
            Kind::Names(names) => {
                names.get(value as usize).map_or_else(|| format!("#{value}"), |name| name.to_string())
            }
        }
    }
}
