//! Formulas of linear temporal logic: what runs of a system are to be like.
//!
//! A run is a word without an end. Each letter is a state with the step that leaves it. Where nothing can be done, the last state is
//! repeated for ever, and nothing happens in it.

use super::index::{LabelId, TransitionId};
use super::net_query::Condition;
use super::query::Goal;

/// A formula about letters of a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Temporal<A> {
    /// It holds always, or never.
    Constant(bool),
    /// It is about the first letter.
    Atom(A),
    /// With one operand.
    One(Unary, Box<Temporal<A>>),
    /// With two.
    Two(Binary, Box<Temporal<A>>, Box<Temporal<A>>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `!f`
    Not,
    /// `X f`: from the next letter on.
    Next,
    /// `[] f`
    Always,
    /// `<> f`
    Eventually,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `f && g`
    And,
    /// `f || g`
    Or,
    /// `f -> g`
    Implies,
    /// `f <-> g`
    Equivalent,
    /// `f U g`: the first until the second, which comes.
    Until,
    /// `f W g`: the same, but the second need not come.
    WeakUntil,
    /// `f V g`: the second up to and with the first, or for ever.
    Release,
}

/// What formulas about a network say of a letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetworkAtom {
    /// Components are in certain states.
    In(Goal),
    /// The step has one of these labels.
    Takes(Vec<LabelId>),
}

/// What formulas about a Petri net say of a letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetAtom {
    /// The marking satisfies a condition.
    Holds(Condition),
    /// This transition fires.
    Fires(TransitionId),
}

impl<A> Temporal<A> {
    /// With an operand.
    pub fn one(op: Unary, operand: Self) -> Self {
        Temporal::One(op, Box::new(operand))
    }

    /// With two operands.
    pub fn two(op: Binary, left: Self, right: Self) -> Self {
        Temporal::Two(op, Box::new(left), Box::new(right))
    }

    /// The same about other atoms, which are given from left to right.
    pub fn map<'a, B>(&'a self, to: &mut impl FnMut(&'a A) -> B) -> Temporal<B> {
        match self {
            Temporal::Constant(holds) => Temporal::Constant(*holds),
            Temporal::Atom(atom) => Temporal::Atom(to(atom)),
            Temporal::One(op, a) => Temporal::one(*op, a.map(to)),
            Temporal::Two(op, a, b) => {
                let a = a.map(to);
                Temporal::two(*op, a, b.map(to))
            }
        }
    }

    /// Its atoms, and the same about their numbers.
    pub fn numbered(&self) -> (Vec<&A>, Temporal<u32>)
    where
        A: PartialEq,
    {
        let mut atoms: Vec<&A> = Vec::new();
        let numbered = self.map(&mut |atom| {
            let known = atoms.iter().position(|known| *known == atom);
            known.unwrap_or_else(|| {
                atoms.push(atom);
                atoms.len() - 1
            }) as u32
        });
        (atoms, numbered)
    }
}
