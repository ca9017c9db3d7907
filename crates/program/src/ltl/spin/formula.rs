//! Formulas in negation normal form, and SPIN's normal form of conjunctions and disjunctions.

use std::rc::Rc;

/// A formula that others share.
pub type F = Rc<Formula>;

/// A formula whose negations stand before atoms only.
#[derive(PartialEq, Eq, Debug)]
pub enum Formula {
    /// Always so.
    True,
    /// Never so.
    False,
    /// A state expression, by its text.
    Atom(Rc<str>),
    /// Of an atom.
    Not(F),
    /// `X f`
    Next(F),
    /// Two formulas joined.
    Binary(Op, F, F),
}

/// What joins two formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Both.
    And,
    /// One of them.
    Or,
    /// `a U b`
    Until,
    /// `a V b`: `b` up to and with the first `a`, or for ever.
    Release,
}

/// Two formulas joined.
pub fn join(op: Op, a: F, b: F) -> F {
    Rc::new(Formula::Binary(op, a, b))
}

impl Formula {
    /// The two parts, if this operator joins them.
    pub fn parts(&self, op: Op) -> Option<(&F, &F)> {
        match self {
            Formula::Binary(own, a, b) if *own == op => Some((a, b)),
            _ => None,
        }
    }

    /// A text to compare formulas by, operands from right to left, as SPIN has it.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Formula::True => out.push('T'),
            Formula::False => out.push('F'),
            Formula::Atom(text) => out.push_str(text),
            Formula::Not(a) => {
                out.push('!');
                a.write(out);
            }
            Formula::Next(a) => {
                out.push('X');
                a.write(out);
            }
            Formula::Binary(op, a, b) => {
                out.push(match op {
                    Op::And => '&',
                    Op::Or => '|',
                    Op::Until => 'U',
                    Op::Release => 'V',
                });
                b.write(out);
                a.write(out);
            }
        }
    }
}

/// Equality up to the order and nesting of conjunctions and disjunctions.
pub fn same(a: &F, b: &F) -> bool {
    match (&**a, &**b) {
        (Formula::Not(a), Formula::Not(b)) | (Formula::Next(a), Formula::Next(b)) => same(a, b),
        (Formula::Binary(op @ (Op::And | Op::Or), ..), Formula::Binary(other, ..)) if op == other => {
            all_in(*op, a, b) && all_in(*op, b, a)
        }
        (Formula::Binary(op, a1, a2), Formula::Binary(other, b1, b2)) => op == other && same(a1, b1) && same(a2, b2),
        (a, b) => a == b,
    }
}

fn all_in(op: Op, parts: &F, whole: &F) -> bool {
    match parts.parts(op) {
        Some((a, b)) => one_in(op, a, whole) && all_in(op, b, whole),
        None => one_in(op, parts, whole),
    }
}

fn one_in(op: Op, part: &F, whole: &F) -> bool {
    same(part, whole) || whole.parts(op).is_some_and(|(a, b)| one_in(op, part, a) || one_in(op, part, b))
}

/// Whether a formula is one of those that an operator joins.
pub fn is_term(op: Op, part: &F, whole: &F) -> bool {
    match whole.parts(op) {
        Some((a, b)) => is_term(op, part, a) || is_term(op, part, b),
        None => same(part, whole),
    }
}

/// Puts formulas into normal form. One that equals an earlier one becomes that one.
#[derive(Default)]
pub struct Normaliser {
    known: Vec<(F, F)>,
}

impl Normaliser {
    /// The normal form: conjunctions and disjunctions sorted, without duplicates and what others absorb.
    pub fn normal(&mut self, formula: &F) -> F {
        self.canonical(&right_linked(formula))
    }

    fn find(&self, formula: &F) -> Option<F> {
        self.known.iter().rev().find(|(before, _)| same(before, formula)).map(|(_, after)| after.clone())
    }

    fn canonical(&mut self, formula: &F) -> F {
        if matches!(**formula, Formula::True | Formula::False | Formula::Atom(_)) {
            return formula.clone();
        }
        if let Some(after) = self.find(formula) {
            return after;
        }
        let formula = match &**formula {
            Formula::Not(a) => Rc::new(Formula::Not(self.canonical(a))),
            Formula::Next(a) => Rc::new(Formula::Next(self.canonical(a))),
            Formula::Binary(op, a, b) => {
                let b = self.canonical(b);
                join(*op, self.canonical(a), b)
            }
            Formula::True | Formula::False | Formula::Atom(_) => formula.clone(),
        };
        if let Some(after) = self.find(&formula) {
            return after;
        }
        let after = sorted(&formula);
        self.known.push((formula, after.clone()));
        after
    }

    /// The negation.
    pub fn negated(&mut self, formula: &F) -> F {
        let negation = match &**formula {
            Formula::True => Rc::new(Formula::False),
            Formula::False => Rc::new(Formula::True),
            Formula::Atom(_) => Rc::new(Formula::Not(formula.clone())),
            Formula::Not(a) => a.clone(),
            Formula::Next(a) => Rc::new(Formula::Next(self.negated(a))),
            Formula::Binary(op, a, b) => {
                let b = self.negated(b);
                let dual = match op {
                    Op::And => Op::Or,
                    Op::Or => Op::And,
                    Op::Until => Op::Release,
                    Op::Release => Op::Until,
                };
                join(dual, self.negated(a), b)
            }
        };
        self.normal(&negation)
    }
}

/// Chains of one operator lean to the right.
fn right_linked(formula: &F) -> F {
    match &**formula {
        Formula::True | Formula::False | Formula::Atom(_) => formula.clone(),
        Formula::Not(a) => Rc::new(Formula::Not(right_linked(a))),
        Formula::Next(a) => Rc::new(Formula::Next(right_linked(a))),
        Formula::Binary(op, a, b) => {
            let (mut left, mut right) = (a.clone(), b.clone());
            while matches!(op, Op::And | Op::Or)
                && let Some((outer, inner)) = left.clone().parts(*op)
            {
                right = join(*op, inner.clone(), right);
                left = outer.clone();
            }
            join(*op, right_linked(&left), right_linked(&right))
        }
    }
}

/// A chain of conjunctions or disjunctions: what is joined, the last one included.
fn chain(op: Op, formula: &F) -> Vec<F> {
    let (mut items, mut rest) = (Vec::new(), formula.clone());
    while let Some((a, b)) = rest.clone().parts(op) {
        items.push(a.clone());
        rest = b.clone();
    }
    items.push(rest);
    items
}

fn unchain(op: Op, items: &[F]) -> Option<F> {
    let (last, others) = items.split_last()?;
    Some(others.iter().rev().fold(last.clone(), |rest, item| join(op, item.clone(), rest)))
}

/// A conjunction or disjunction sorted, and without what the rest makes superfluous.
fn sorted(formula: &F) -> F {
    let Formula::Binary(op @ (Op::And | Op::Or), ..) = &**formula else { return formula.clone() };
    let op = *op;
    let mut list = None;
    insert_all(op, formula, &mut list);
    let Some(list) = list else { return formula.clone() };
    let items = chain(op, &list);
    let (neutral, absorbing) = match op {
        Op::And => (Formula::True, Formula::False),
        _ => (Formula::False, Formula::True),
    };
    let mut dropped = vec![false; items.len()];
    // A walk along the chain ends behind an item that is dropped, which is why the loops below stop where they do.
    for (at, item) in items.iter().enumerate() {
        if **item == neutral {
            dropped[at] = true;
            break;
        }
        if **item == absorbing {
            return Rc::new(absorbing);
        }
    }
    let other = if op == Op::And { Op::Or } else { Op::And };
    for (at, item) in items.iter().enumerate() {
        for (by, candidate) in items.iter().enumerate() {
            if by != at && !dropped[by] && !dropped[at] {
                dropped[by] = same(item, candidate) || absorbs(other, item, candidate);
            }
            if dropped[by] {
                break;
            }
        }
        if dropped[at] {
            break;
        }
    }
    let kept: Vec<F> = items.into_iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|(item, _)| item).collect();
    unchain(op, &kept).unwrap_or_else(|| Rc::new(neutral))
}

/// Whether `a` makes a formula that joins it with others superfluous.
fn absorbs(op: Op, a: &F, joined: &F) -> bool {
    match (op, a.parts(op)) {
        (Op::And, Some((a1, a2))) => absorbs(op, a1, joined) && absorbs(op, a2, joined),
        _ => is_term(op, a, joined),
    }
}

fn insert_all(op: Op, formula: &F, list: &mut Option<F>) {
    if let Some((a, b)) = formula.parts(op) {
        insert_all(op, b, list);
        insert_all(op, a, list);
        return;
    }
    *list = Some(match list.take() {
        None => formula.clone(),
        Some(list) => inserted(op, &formula.text(), formula, &list, true),
    });
}

/// A chain with one more formula.
fn inserted(op: Op, text: &str, formula: &F, list: &F, first: bool) -> F {
    let Some((head, rest)) = list.parts(op) else { return beside(op, text, formula, list) };
    match text.cmp(&head.text()) {
        std::cmp::Ordering::Equal => list.clone(),
        std::cmp::Ordering::Less if first => join(op, formula.clone(), list.clone()),
        // Here SPIN compares with the text of the whole rest, so the order is not always that of the texts.
        std::cmp::Ordering::Less => beside(op, text, formula, list),
        std::cmp::Ordering::Greater => join(op, head.clone(), inserted(op, text, formula, rest, false)),
    }
}

fn beside(op: Op, text: &str, formula: &F, list: &F) -> F {
    match text.cmp(&list.text()) {
        std::cmp::Ordering::Equal => list.clone(),
        std::cmp::Ordering::Less => join(op, formula.clone(), list.clone()),
        std::cmp::Ordering::Greater => join(op, list.clone(), formula.clone()),
    }
}
