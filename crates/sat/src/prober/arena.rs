//! Clauses one after the other in memory.

/// A literal: twice its variable, and one more where it is negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Code(u32);

impl Code {
    /// The literal that is written so in DIMACS.
    pub fn of(literal: i32) -> Self {
        Self(literal.unsigned_abs() * 2 + u32::from(literal < 0))
    }

    /// A variable or its negation.
    pub fn new(variable: usize, negated: bool) -> Self {
        Self(variable as u32 * 2 + u32::from(negated))
    }

    /// Its variable.
    pub fn variable(self) -> usize {
        self.0 as usize / 2
    }

    /// Whether it is the negation of its variable.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// A place of its own in a list.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Code {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// Where a clause begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place(u32);

/// What kind of clause it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It was given.
    Given,
    /// It follows from others, and can be learned again.
    Learned,
    /// It was given for one question, or follows from such a clause.
    Passing,
}

/// The first literal of a clause comes after so many words.
const HEAD: usize = 2;

/// Each clause is its length with its kind, how useful it was lately, and its literals.
#[derive(Debug, Default)]
pub struct Arena {
    words: Vec<Code>,
    wasted: usize,
}

const LENGTH: u32 = (1 << 28) - 1;
const LEARNED: u32 = 1 << 28;
const PASSING: u32 = 1 << 29;
const DEAD: u32 = 1 << 30;

impl Arena {
    pub fn push(&mut self, literals: &[Code], kind: Kind) -> Place {
        let kind = match kind {
            Kind::Given => 0,
            Kind::Learned => LEARNED,
            Kind::Passing => PASSING,
        };
        let place = Place(self.words.len() as u32);
        self.words.extend([Code(literals.len() as u32 | kind), Code(0f32.to_bits())]);
        self.words.extend_from_slice(literals);
        place
    }

    fn head(&self, place: Place) -> u32 {
        self.words[place.0 as usize].0
    }

    pub fn literals(&self, place: Place) -> &[Code] {
        let first = place.0 as usize + HEAD;
        &self.words[first..first + (self.head(place) & LENGTH) as usize]
    }

    /// The literals of a clause that still counts.
    pub fn alive(&mut self, place: Place) -> Option<&mut [Code]> {
        let head = self.head(place);
        let first = place.0 as usize + HEAD;
        (head & DEAD == 0).then(|| &mut self.words[first..first + (head & LENGTH) as usize])
    }

    pub fn is_dead(&self, place: Place) -> bool {
        self.head(place) & DEAD != 0
    }

    pub fn kind(&self, place: Place) -> Kind {
        match self.head(place) {
            head if head & LEARNED != 0 => Kind::Learned,
            head if head & PASSING != 0 => Kind::Passing,
            _ => Kind::Given,
        }
    }

    /// From now on it does not count; whoever comes across it forgets it.
    pub fn kill(&mut self, place: Place) {
        self.wasted += HEAD + self.literals(place).len();
        self.words[place.0 as usize].0 |= DEAD;
    }

    pub fn activity(&self, place: Place) -> f32 {
        f32::from_bits(self.words[place.0 as usize + 1].0)
    }

    pub fn set_activity(&mut self, place: Place, activity: f32) {
        self.words[place.0 as usize + 1].0 = activity.to_bits();
    }

    /// Whether more is dead than alive.
    pub fn is_mostly_dead(&self) -> bool {
        self.wasted * 2 > self.words.len()
    }

    /// All clauses that count, in the order in which they came.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let mut at = 0;
        let all = std::iter::from_fn(move || {
            let head = self.words.get(at)?.0;
            let place = Place(at as u32);
            at += HEAD + (head & LENGTH) as usize;
            Some((place, head))
        });
        all.filter(|(_, head)| head & DEAD == 0).map(|(place, _)| place)
    }

    /// The same clauses without those that are dead.
    pub fn compacted(&self) -> Self {
        let mut words = Vec::with_capacity(self.words.len() - self.wasted);
        for place in self.places() {
            let first = place.0 as usize;
            words.extend_from_slice(&self.words[first..first + HEAD + self.literals(place).len()]);
        }
        Self { words, wasted: 0 }
    }
}
