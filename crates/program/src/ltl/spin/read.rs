//! From the tree of a formula to its normal form, with SPIN's simplifications on the way.

use super::atoms::Atoms;
use super::formula::{F, Formula, Normaliser, Op, join, same};
use prequel_formats::promela::syntax::{Formula as Ast, FormulaKind};
use std::rc::Rc;

/// What is known while formulas are read.
#[derive(Default)]
pub struct Reader {
    /// State expressions that were met.
    pub atoms: Atoms,
    /// Normal forms that were met.
    pub normal: Normaliser,
}

impl Reader {
    /// A formula in normal form.
    pub fn read(&mut self, formula: &Ast) -> F {
        // A part without time is one atom, whatever its connectives.
        if let Some(atom) = self.atoms.of(formula) {
            return atom;
        }
        let make = |kind: FormulaKind| Ast { kind: Box::new(kind), span: formula.span };
        match &*formula.kind {
            // It would have been one above.
            FormulaKind::Atom(_) => Rc::new(Formula::True),
            FormulaKind::Not(a) => {
                let a = self.read(a);
                self.normal.negated(&a)
            }
            FormulaKind::Always(a) => always(self.read(a)),
            FormulaKind::Eventually(a) => eventually(self.read(a)),
            FormulaKind::Next(a) => {
                let a = self.read(a);
                if *a == Formula::True { a } else { Rc::new(Formula::Next(a)) }
            }
            FormulaKind::And(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                and(a, b)
            }
            FormulaKind::Or(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                or(a, b)
            }
            FormulaKind::Implies(a, b) => {
                let not = make(FormulaKind::Not(a.clone()));
                self.read(&make(FormulaKind::Or(not, b.clone())))
            }
            FormulaKind::Equivalent(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                self.equivalent(a, b)
            }
            FormulaKind::Until(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                until(a, b)
            }
            FormulaKind::WeakUntil(a, b) => {
                let always = make(FormulaKind::Always(a.clone()));
                let until = make(FormulaKind::Until(a.clone(), b.clone()));
                self.read(&make(FormulaKind::Or(always, until)))
            }
            FormulaKind::Release(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                release(a, b)
            }
        }
    }

    fn equivalent(&mut self, a: F, b: F) -> F {
        if same(&a, &b) {
            return Rc::new(Formula::True);
        }
        let both = self.normal.normal(&join(Op::And, a.clone(), b.clone()));
        let neither = {
            let (a, b) = (self.normal.negated(&a), self.normal.negated(&b));
            self.normal.normal(&join(Op::And, a, b))
        };
        self.normal.normal(&join(Op::Or, both, neither))
    }
}

fn is_constant(f: &F) -> bool {
    matches!(**f, Formula::True | Formula::False)
}

fn always(a: F) -> F {
    if is_constant(&a) {
        return a;
    }
    let inner = match a.parts(Op::Release) {
        Some((left, _)) if **left == Formula::False => return a,
        Some((_, right)) => right.clone(),
        None => a,
    };
    join(Op::Release, Rc::new(Formula::False), inner)
}

fn eventually(a: F) -> F {
    if is_constant(&a) {
        return a;
    }
    let inner = match a.parts(Op::Until) {
        Some((left, _)) if **left == Formula::True => return a,
        Some((_, right)) => right.clone(),
        None => a,
    };
    join(Op::Until, Rc::new(Formula::True), inner)
}

fn until(a: F, b: F) -> F {
    if is_constant(&b) || *a == Formula::False || same(&a, &b) {
        return b;
    }
    if let Some((left, right)) = a.parts(Op::Until)
        && same(left, &b)
    {
        return join(Op::Until, right.clone(), b);
    }
    if b.parts(Op::Until).is_some_and(|(left, _)| **left == Formula::True) {
        return b;
    }
    if let (Formula::Next(a), Formula::Next(b)) = (&*a, &*b) {
        return Rc::new(Formula::Next(join(Op::Until, a.clone(), b.clone())));
    }
    join(Op::Until, a, b)
}

fn release(a: F, b: F) -> F {
    if is_constant(&b) || *a == Formula::True || same(&a, &b) {
        return b;
    }
    if let Some((left, right)) = b.parts(Op::Release) {
        if *a == Formula::False {
            return join(Op::Release, a, right.clone());
        }
        if **left == Formula::False {
            return join(Op::Release, left.clone(), right.clone());
        }
    }
    join(Op::Release, a, b)
}

fn and(a: F, b: F) -> F {
    let (until_a, until_b) = (a.parts(Op::Until), b.parts(Op::Until));
    let (release_a, release_b) = (a.parts(Op::Release), b.parts(Op::Release));
    if until_b.is_some_and(|(_, goal)| same(goal, &a)) {
        return a;
    }
    if until_a.is_some_and(|(_, goal)| same(goal, &b)) {
        return b;
    }
    if release_b.is_some_and(|(_, kept)| same(kept, &a)) {
        return b;
    }
    if release_a.is_some_and(|(_, kept)| same(kept, &b)) {
        return a;
    }
    if let (Some((a1, goal)), Some((b1, other))) = (until_a, until_b)
        && same(goal, other)
    {
        return join(Op::Until, join(Op::And, a1.clone(), b1.clone()), goal.clone());
    }
    if let (Some((a1, a2)), Some((b1, b2))) = (release_a, release_b)
        && same(a1, b1)
    {
        return join(Op::Release, b1.clone(), join(Op::And, a2.clone(), b2.clone()));
    }
    if let (Formula::Next(a), Formula::Next(b)) = (&*a, &*b) {
        return Rc::new(Formula::Next(join(Op::And, b.clone(), a.clone())));
    }
    if same(&a, &b) || *b == Formula::False || *a == Formula::True {
        return b;
    }
    if *b == Formula::True || *a == Formula::False {
        return a;
    }
    if let (Some((_, kept)), Some((_, goal))) = (release_a, until_b)
        && same(kept, goal)
    {
        return a;
    }
    join(Op::And, a, b)
}

fn or(a: F, b: F) -> F {
    let (until_a, until_b) = (a.parts(Op::Until), b.parts(Op::Until));
    let (release_a, release_b) = (a.parts(Op::Release), b.parts(Op::Release));
    if until_b.is_some_and(|(_, goal)| same(goal, &a)) {
        return b;
    }
    if release_b.is_some_and(|(_, kept)| same(kept, &a)) {
        return a;
    }
    if let (Some((a1, a2)), Some((b1, b2))) = (until_a, until_b)
        && same(a1, b1)
    {
        return join(Op::Until, b1.clone(), join(Op::Or, a2.clone(), b2.clone()));
    }
    if same(&a, &b) || *b == Formula::False || *a == Formula::True {
        return a;
    }
    if *b == Formula::True || *a == Formula::False {
        return b;
    }
    if let (Some((a1, kept)), Some((b1, other))) = (release_a, release_b)
        && same(kept, other)
    {
        return join(Op::Release, join(Op::Or, a1.clone(), b1.clone()), other.clone());
    }
    if let (Some((_, kept)), Some((_, goal))) = (release_a, until_b)
        && same(kept, goal)
    {
        return b;
    }
    join(Op::Or, a, b)
}

/// `[]p && []q` is `[](p && q)`, and `<>p || <>q` is `<>(p || q)`, also below the top.
pub fn gathered(formula: &F) -> F {
    match &**formula {
        Formula::True | Formula::False | Formula::Atom(_) => formula.clone(),
        Formula::Not(a) => Rc::new(Formula::Not(gathered(a))),
        Formula::Next(a) => Rc::new(Formula::Next(gathered(a))),
        Formula::Binary(op, a, b) => {
            let (a, b) = (gathered(a), gathered(b));
            let (inner, constant) = match op {
                Op::And => (Op::Release, Formula::False),
                Op::Or => (Op::Until, Formula::True),
                Op::Until | Op::Release => return join(*op, a, b),
            };
            match (a.parts(inner), b.parts(inner)) {
                (Some((a1, a2)), Some((b1, b2))) if **a1 == constant && **b1 == constant => {
                    join(inner, a1.clone(), join(*op, a2.clone(), b2.clone()))
                }
                _ => join(*op, a, b),
            }
        }
    }
}
