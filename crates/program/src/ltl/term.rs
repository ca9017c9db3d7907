//! Formulas in negation normal form that are simplified as they are made; equal ones have equal numbers.
//!
//! F. Somenzi, R. Bloem: *Efficient Büchi automata from LTL formulae*, CAV 2000 (implication by syntax, eventual and universal
//! formulas); T. Babiak et al.: *LTL to Büchi automata translation: fast and more deterministic*, TACAS 2012 (formulas that say the same
//! of every suffix). Rules are written for conjunctions and untils; those for disjunctions and releases are their duals.

use super::condition::{ALWAYS, Condition, Conditions, NEVER};
use prequel_model::temporal::{Binary, Temporal, Unary};
use rustc_hash::FxHashMap;

/// A formula, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(u32);

/// What a formula is made of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// It says something of the first state only.
    Now(Condition),
    /// All of them, in order, two at least.
    And(Box<[Term]>),
    /// One of them.
    Or(Box<[Term]>),
    /// From the next state on.
    Next(Term),
    /// The first holds until the second does, which it will.
    Until(Term, Term),
    /// The second holds until both do, or for ever.
    Release(Term, Term),
}

/// No word.
pub const FALSE: Term = Term(0);
/// Every word.
pub const TRUE: Term = Term(1);

/// All formulas that were made.
pub struct Terms {
    /// The conditions in them.
    pub conditions: Conditions,
    shapes: Vec<Shape>,
    numbers: FxHashMap<Shape, Term>,
    negations: FxHashMap<Term, Term>,
    implied: FxHashMap<(Term, Term), bool>,
}

impl Default for Terms {
    fn default() -> Self {
        let mut terms = Self {
            conditions: Conditions::default(),
            shapes: Vec::new(),
            numbers: FxHashMap::default(),
            negations: FxHashMap::default(),
            implied: FxHashMap::default(),
        };
        terms.now(NEVER);
        terms.now(ALWAYS);
        terms
    }
}

impl Terms {
    /// What a formula is made of.
    pub fn shape(&self, term: Term) -> &Shape {
        &self.shapes[term.0 as usize]
    }

    fn intern(&mut self, shape: Shape) -> Term {
        if let Some(&known) = self.numbers.get(&shape) {
            return known;
        }
        let term = Term(self.shapes.len() as u32);
        self.shapes.push(shape.clone());
        self.numbers.insert(shape, term);
        term
    }

    /// A condition on the first state.
    pub fn now(&mut self, condition: Condition) -> Term {
        self.intern(Shape::Now(condition))
    }

    /// The opposite. What is simple has a simple opposite.
    pub fn not(&mut self, term: Term) -> Term {
        if let Some(&known) = self.negations.get(&term) {
            return known;
        }
        let opposite = match self.shape(term).clone() {
            Shape::Now(condition) => Shape::Now(self.conditions.not(condition)),
            Shape::And(parts) => Shape::Or(self.not_each(&parts)),
            Shape::Or(parts) => Shape::And(self.not_each(&parts)),
            Shape::Next(a) => Shape::Next(self.not(a)),
            Shape::Until(a, b) => Shape::Release(self.not(a), self.not(b)),
            Shape::Release(a, b) => Shape::Until(self.not(a), self.not(b)),
        };
        let opposite = self.intern(opposite);
        self.negations.insert(term, opposite);
        self.negations.insert(opposite, term);
        opposite
    }

    fn not_each(&mut self, parts: &[Term]) -> Box<[Term]> {
        let mut parts: Vec<Term> = parts.iter().map(|&part| self.not(part)).collect();
        parts.sort();
        parts.into()
    }

    /// A formula over conditions.
    pub fn of(&mut self, formula: &Temporal<Condition>) -> Term {
        match formula {
            Temporal::Constant(holds) => self.now(if *holds { ALWAYS } else { NEVER }),
            Temporal::Atom(condition) => self.now(*condition),
            Temporal::One(op, a) => {
                let a = self.of(a);
                match op {
                    Unary::Not => self.not(a),
                    Unary::Next => self.next(a),
                    Unary::Always => self.always(a),
                    Unary::Eventually => self.eventually(a),
                }
            }
            Temporal::Two(op, a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                match op {
                    Binary::And => self.and(&[a, b]),
                    Binary::Or => self.or(&[a, b]),
                    Binary::Implies => {
                        let not_a = self.not(a);
                        self.or(&[not_a, b])
                    }
                    Binary::Equivalent => {
                        let (not_a, not_b) = (self.not(a), self.not(b));
                        let (both, neither) = (self.and(&[a, b]), self.and(&[not_a, not_b]));
                        self.or(&[both, neither])
                    }
                    Binary::Until => self.until(a, b),
                    Binary::WeakUntil => {
                        let either = self.or(&[a, b]);
                        self.release(b, either)
                    }
                    Binary::Release => self.release(a, b),
                }
            }
        }
    }

    /// The parts of a conjunction, or the formula itself.
    pub fn parts(&self, term: Term) -> Vec<Term> {
        match self.shape(term) {
            Shape::And(parts) => parts.to_vec(),
            _ if term == TRUE => Vec::new(),
            _ => vec![term],
        }
    }

    /// One of them.
    pub fn or(&mut self, parts: &[Term]) -> Term {
        let parts = self.not_each(parts);
        let neither = self.and(&parts);
        self.not(neither)
    }

    /// `a` releases `b`.
    pub fn release(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.not(a), self.not(b));
        let until = self.until(a, b);
        self.not(until)
    }

    /// Some time.
    pub fn eventually(&mut self, a: Term) -> Term {
        self.until(TRUE, a)
    }

    /// At all times.
    pub fn always(&mut self, a: Term) -> Term {
        self.release(FALSE, a)
    }

    /// From the next state on.
    pub fn next(&mut self, a: Term) -> Term {
        if a == TRUE || a == FALSE || self.is_steady(a) { a } else { self.intern(Shape::Next(a)) }
    }

    /// All of them.
    pub fn and(&mut self, parts: &[Term]) -> Term {
        self.all(parts, false)
    }

    /// All of them as the state of an automaton: what is owed stays, unless something else that stays is asked for the same. A promise of
    /// which the promise of another is only a part does not do, since it may be put off while the other is not looked at.
    pub fn state(&mut self, parts: &[Term]) -> Term {
        self.all(parts, true)
    }

    fn all(&mut self, parts: &[Term], owing: bool) -> Term {
        let mut parts: Vec<Term> = parts.iter().flat_map(|&part| self.parts(part)).collect();
        loop {
            parts.sort();
            parts.dedup();
            if parts.contains(&FALSE) {
                return FALSE;
            }
            let Some((a, b, joined)) = self.joinable(&parts, owing) else { break };
            parts.retain(|&part| part != a && part != b);
            parts.extend(self.parts(joined));
        }
        match parts[..] {
            [] => TRUE,
            [one] => one,
            _ => self.intern(Shape::And(parts.into())),
        }
    }

    /// Two formulas of a conjunction, and something simpler that says what both say.
    fn joinable(&mut self, parts: &[Term], owing: bool) -> Option<(Term, Term, Term)> {
        for (at, &a) in parts.iter().enumerate() {
            for &b in &parts[at + 1..] {
                if let Some(joined) = self.joined(a, b, owing).or_else(|| self.joined(b, a, owing)) {
                    return Some((a, b, joined));
                }
            }
        }
        None
    }

    fn joined(&mut self, a: Term, b: Term, owing: bool) -> Option<Term> {
        if self.implies(a, b) {
            let stays = owing && self.promises(b) && !self.asks(a, b) && self.size(a) >= self.size(b);
            return (!stays).then_some(a);
        }
        let not_b = self.not(b);
        if self.implies(a, not_b) {
            return Some(FALSE);
        }
        match (self.shape(a).clone(), self.shape(b).clone()) {
            (Shape::Now(a), Shape::Now(b)) => {
                let both = self.conditions.and(a, b);
                return Some(self.now(both));
            }
            (Shape::Next(a), Shape::Next(b)) => {
                let both = self.and(&[a, b]);
                return Some(self.next(both));
            }
            (Shape::Until(a, goal), Shape::Until(b, other)) if goal == other => {
                let both = self.and(&[a, b]);
                return Some(self.until(both, goal));
            }
            // In the end both hold for ever.
            (Shape::Until(TRUE, a), Shape::Until(TRUE, b)) if self.is_universal(a) && self.is_universal(b) => {
                let both = self.and(&[a, b]);
                return Some(self.eventually(both));
            }
            (Shape::Release(by, a), Shape::Release(other, b)) if by == other => {
                let (one, two) = (self.is_eventual(a), self.is_eventual(b));
                if by != FALSE || !(one || two) {
                    let both = self.and(&[a, b]);
                    return Some(self.release(by, both));
                }
            }
            _ => {}
        }
        // What `a` decides about `b`.
        match self.shape(b).clone() {
            Shape::Or(parts) => {
                let mut left = Vec::new();
                for &part in &parts {
                    let opposite = self.not(part);
                    if !self.implies(a, opposite) {
                        left.push(part);
                    }
                }
                (left.len() < parts.len()).then(|| {
                    let left = self.or(&left);
                    self.all(&[a, left], owing)
                })
            }
            Shape::Until(kept, goal) => {
                let opposite = self.not(kept);
                self.implies(a, opposite).then(|| self.all(&[a, goal], owing))
            }
            Shape::Release(by, kept) => self.implies(a, by).then(|| self.all(&[a, kept], owing)),
            _ => None,
        }
    }

    /// Whether something in it has to be kept some time.
    fn promises(&self, term: Term) -> bool {
        match self.shape(term) {
            Shape::Now(_) => false,
            Shape::And(parts) | Shape::Or(parts) => parts.iter().any(|&part| self.promises(part)),
            Shape::Next(a) => self.promises(*a),
            Shape::Until(..) => true,
            Shape::Release(a, b) => self.promises(*a) || self.promises(*b),
        }
    }

    /// Whether whatever keeps the first is asked for the second in the same state.
    fn asks(&self, term: Term, part: Term) -> bool {
        term == part
            || match self.shape(term) {
                Shape::And(parts) => parts.iter().any(|&inner| self.asks(inner, part)),
                Shape::Release(_, kept) => self.asks(*kept, part),
                _ => false,
            }
    }

    fn size(&self, term: Term) -> usize {
        1 + match self.shape(term) {
            Shape::Now(_) => 0,
            Shape::And(parts) | Shape::Or(parts) => parts.iter().map(|&part| self.size(part)).sum(),
            Shape::Next(a) => self.size(*a),
            Shape::Until(a, b) | Shape::Release(a, b) => self.size(*a) + self.size(*b),
        }
    }

    /// `a` until `b`.
    pub fn until(&mut self, a: Term, b: Term) -> Term {
        if b == TRUE || b == FALSE || a == FALSE || self.is_eventual(b) || self.implies(a, b) {
            return b;
        }
        let not_b = self.not(b);
        if a != TRUE && self.implies(not_b, a) {
            return self.eventually(b);
        }
        match self.shape(b).clone() {
            // Disjunctions are split off where the whole may wait for them anyway.
            Shape::Or(parts) => {
                let (eventual, rest): (Vec<Term>, Vec<Term>) = parts.iter().partition(|&&part| self.is_eventual(part));
                if !eventual.is_empty() {
                    let rest = self.or(&rest);
                    let rest = self.until(a, rest);
                    return self.or(&[&eventual[..], &[rest]].concat());
                }
            }
            Shape::And(parts) => {
                let (steady, rest): (Vec<Term>, Vec<Term>) = parts.iter().partition(|&&part| self.is_steady(part));
                if !steady.is_empty() {
                    let rest = self.and(&rest);
                    let rest = self.until(a, rest);
                    return self.and(&[&steady[..], &[rest]].concat());
                }
            }
            Shape::Until(kept, goal) => {
                if a == TRUE {
                    return self.eventually(goal);
                }
                if self.implies(a, kept) {
                    return b;
                }
            }
            Shape::Next(goal) => {
                let before = match *self.shape(a) {
                    Shape::Next(before) => Some(before),
                    _ => (a == TRUE).then_some(TRUE),
                };
                if let Some(before) = before {
                    let inner = self.until(before, goal);
                    return self.next(inner);
                }
            }
            _ => {}
        }
        if let Shape::Until(kept, goal) = *self.shape(a)
            && self.implies(kept, b)
        {
            return self.until(goal, b);
        }
        self.intern(Shape::Until(a, b))
    }

    /// Whether it holds of a word if it holds of a suffix.
    pub fn is_eventual(&self, term: Term) -> bool {
        match self.shape(term) {
            Shape::Now(_) => term == TRUE || term == FALSE,
            Shape::And(parts) | Shape::Or(parts) => parts.iter().all(|&part| self.is_eventual(part)),
            Shape::Next(a) => self.is_eventual(*a),
            Shape::Until(a, b) => *a == TRUE || self.is_eventual(*a) && self.is_eventual(*b),
            Shape::Release(a, b) => self.is_eventual(*a) && self.is_eventual(*b),
        }
    }

    /// Whether it holds of all suffixes if it holds of a word.
    pub fn is_universal(&self, term: Term) -> bool {
        match self.shape(term) {
            Shape::Now(_) => term == TRUE || term == FALSE,
            Shape::And(parts) | Shape::Or(parts) => parts.iter().all(|&part| self.is_universal(part)),
            Shape::Next(a) => self.is_universal(*a),
            Shape::Until(a, b) => self.is_universal(*a) && self.is_universal(*b),
            Shape::Release(a, b) => *a == FALSE || self.is_universal(*a) && self.is_universal(*b),
        }
    }

    /// Whether it says the same of all suffixes.
    fn is_steady(&self, term: Term) -> bool {
        self.is_eventual(term) && self.is_universal(term)
    }

    /// Whether one formula follows from another, as far as can be told by looking at them.
    ///
    /// `X <>p` implies `<>p`, too, but that is left out: what promises `X <>p` again and again would stand for `<>p` and never be asked to
    /// keep it.
    pub fn implies(&mut self, a: Term, b: Term) -> bool {
        if a == b || a == FALSE || b == TRUE {
            return true;
        }
        if a == TRUE || b == FALSE {
            return false;
        }
        if let Some(&known) = self.implied.get(&(a, b)) {
            return known;
        }
        let implied = self.is_implied(a, b);
        self.implied.insert((a, b), implied);
        implied
    }

    fn is_implied(&mut self, a: Term, b: Term) -> bool {
        let (from, to) = (self.shape(a).clone(), self.shape(b).clone());
        match (&from, &to) {
            (Shape::Now(a), Shape::Now(b)) => return self.conditions.implies(*a, *b),
            (Shape::Or(parts), _) => return parts.iter().all(|&part| self.implies(part, b)),
            (_, Shape::And(parts)) => return parts.iter().all(|&part| self.implies(a, part)),
            (Shape::Next(a), Shape::Next(b)) if self.implies(*a, *b) => return true,
            (Shape::Until(a1, a2), Shape::Until(b1, b2)) | (Shape::Release(a1, a2), Shape::Release(b1, b2))
                if self.implies(*a1, *b1) && self.implies(*a2, *b2) =>
            {
                return true;
            }
            _ => {}
        }
        let by_first = match from {
            Shape::And(parts) => parts.iter().any(|&part| self.implies(part, b)),
            Shape::Until(TRUE, goal) if self.is_eventual(b) => self.implies(goal, b),
            Shape::Until(kept, goal) => self.implies(kept, b) && self.implies(goal, b),
            Shape::Release(_, kept) => self.implies(kept, b),
            _ => false,
        };
        by_first
            || match to {
                Shape::Or(parts) => parts.iter().any(|&part| self.implies(a, part)),
                Shape::Release(FALSE, kept) if self.is_universal(a) => self.implies(a, kept),
                Shape::Release(by, kept) => self.implies(a, by) && self.implies(a, kept),
                Shape::Until(_, goal) => self.implies(a, goal),
                Shape::Next(inner) if self.is_universal(a) => self.implies(a, inner),
                _ => false,
            }
    }
}
