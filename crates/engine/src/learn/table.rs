//! L*: a table of words, told apart by suffixes, and the automaton that it stands for.
//!
//! Rows are states: access words that some suffix tells apart. So the table is always consistent, and closing it is all there
//! is to do. A refuted conjecture gives one more suffix (Rivest and Schapire), found by bisection.

use prequel_model::Why;
use rustc_hash::FxHashMap;

/// A word, by the places of its letters in the alphabet.
pub type Word = Vec<u32>;

/// Whether a word is in the language that is learned.
pub type Member<'m> = dyn FnMut(&[u32]) -> Result<bool, Why> + 'm;

/// The table.
#[derive(Debug)]
pub struct Table {
    letters: u32,
    /// What tells words apart; the empty word is the first.
    suffixes: Vec<Word>,
    /// One word for each state; the first is empty.
    access: Vec<Word>,
}

/// A deterministic automaton that the table stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conjecture {
    /// A word that leads to each state; the first one is initial.
    pub access: Vec<Word>,
    /// Whether words that lead to a state are accepted.
    pub accepts: Vec<bool>,
    /// For each state, the next one by letter.
    pub next: Vec<Vec<u32>>,
}

impl Conjecture {
    /// The state that a word leads to.
    pub fn run(&self, word: &[u32]) -> usize {
        word.iter().fold(0, |state, &letter| self.next[state][letter as usize] as usize)
    }
}

impl Table {
    /// A table that knows nothing yet.
    pub fn new(letters: usize) -> Self {
        Self { letters: letters as u32, suffixes: vec![Vec::new()], access: vec![Vec::new()] }
    }

    /// Closes the table and reads the automaton off.
    pub fn conjecture(&mut self, member: &mut Member<'_>) -> Result<Conjecture, Why> {
        let mut states: FxHashMap<Vec<bool>, u32> = FxHashMap::default();
        let (mut accepts, mut next) = (Vec::new(), Vec::new());
        for at in 0..self.access.len() {
            let row = self.row(&self.access[at].clone(), member)?;
            accepts.push(row[0]);
            states.insert(row, at as u32);
        }
        let mut at = 0;
        while at < self.access.len() {
            let mut edges = Vec::with_capacity(self.letters as usize);
            for letter in 0..self.letters {
                let word: Word = self.access[at].iter().copied().chain([letter]).collect();
                let row = self.row(&word, member)?;
                let fresh = self.access.len() as u32;
                let target = *states.entry(row.clone()).or_insert(fresh);
                if target == fresh {
                    accepts.push(row[0]);
                    self.access.push(word);
                }
                edges.push(target);
            }
            next.push(edges);
            at += 1;
        }
        Ok(Conjecture { access: self.access.clone(), accepts, next })
    }

    fn row(&self, word: &[u32], member: &mut Member<'_>) -> Result<Vec<bool>, Why> {
        let cell = |suffix: &Word| member(&[word, suffix.as_slice()].concat());
        self.suffixes.iter().map(cell).collect()
    }

    /// Takes a word on which the conjecture is wrong, and adds the suffix that shows where.
    ///
    /// With i letters of the word replaced by the access word of the state that they lead to, the answer is that of the language
    /// for i = 0 and that of the conjecture at the end; where it changes, the rest of the word tells two words apart that
    /// the conjecture takes for one state.
    pub fn refute(&mut self, conjecture: &Conjecture, word: &[u32], member: &mut Member<'_>) -> Result<(), Why> {
        let mut replaced = |i: usize| {
            let access = &conjecture.access[conjecture.run(&word[..i])];
            member(&[access.as_slice(), &word[i..]].concat())
        };
        let (mut low, mut high, first) = (0, word.len(), replaced(0)?);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if replaced(middle)? == first { low = middle } else { high = middle }
        }
        let suffix = word[high..].to_vec();
        debug_assert!(!self.suffixes.contains(&suffix), "a suffix that is there cannot tell more");
        self.suffixes.push(suffix);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;

    /// Random automata are learned exactly, from counterexamples that the whole automaton gives.
    #[test]
    fn random_languages_are_learned() {
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let (states, letters) = (rng.between(1, 7), rng.between(1, 3));
            let next: Vec<Vec<u32>> =
                (0..states).map(|_| (0..letters).map(|_| rng.below(states) as u32).collect()).collect();
            let accepts: Vec<bool> = (0..states).map(|_| rng.chance(60)).collect();
            let target = Conjecture { access: Vec::new(), accepts, next };
            let mut member = |word: &[u32]| Ok(target.accepts[target.run(word)]);
            let mut table = Table::new(letters);
            for round in 0.. {
                assert!(round <= states, "seed {seed}: more conjectures than states");
                let conjecture = table.conjecture(&mut member).unwrap();
                let Some(word) = difference(&target, &conjecture) else {
                    assert!(conjecture.access.len() <= states);
                    break;
                };
                table.refute(&conjecture, &word, &mut member).unwrap();
            }
        }
    }

    /// A shortest word that one accepts and the other does not.
    fn difference(one: &Conjecture, other: &Conjecture) -> Option<Word> {
        let mut queue = std::collections::VecDeque::from([(0, 0, Vec::new())]);
        let mut seen = std::collections::HashSet::from([(0, 0)]);
        while let Some((a, b, word)) = queue.pop_front() {
            if one.accepts[a] != other.accepts[b] {
                return Some(word);
            }
            for (letter, (&x, &y)) in one.next[a].iter().zip(&other.next[b]).enumerate() {
                if seen.insert((x as usize, y as usize)) {
                    let word = word.iter().copied().chain([letter as u32]).collect();
                    queue.push_back((x as usize, y as usize, word));
                }
            }
        }
        None
    }
}
