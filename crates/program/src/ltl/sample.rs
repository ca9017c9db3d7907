//! Random formulas, words that end in a loop, and what formulas mean on them.

use prequel_formats::promela;
use prequel_formats::promela::syntax::{Binary, Expression, ExpressionKind, Formula, FormulaKind, Ltl, Unary, Unit};
use prequel_model::rng::Rng;
use std::path::Path;

/// The atoms of formulas in tests.
pub const ATOMS: [&str; 4] = ["p", "q", "r", "s"];

/// The parts of a model that has a text beside variables for the atoms.
pub fn units(text: &str) -> Vec<Unit> {
    let text = format!("bool p, q, r, s;\nactive proctype P() {{ p = 1 }}\n{text}");
    promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model").0.units
}

/// The formulas of a text.
pub fn formulas(text: &str) -> Vec<Ltl> {
    let formula = |unit| if let Unit::Ltl(ltl) = unit { Some(ltl) } else { None };
    units(text).into_iter().filter_map(formula).collect()
}

/// The value of a state expression when the atoms are the bits of a letter.
pub fn value(expression: &Expression, letter: usize) -> bool {
    match &*expression.kind {
        ExpressionKind::Number(value) => *value != 0,
        ExpressionKind::Reference(reference) => {
            let name = &*reference.parts[0].name.text;
            letter >> ATOMS.iter().position(|atom| *atom == name).expect("an atom") & 1 == 1
        }
        ExpressionKind::Unary(Unary::Not, a) => !value(a, letter),
        ExpressionKind::Binary(Binary::And, a, b) => value(a, letter) && value(b, letter),
        ExpressionKind::Binary(Binary::Or, a, b) => value(a, letter) || value(b, letter),
        other => panic!("{other:?}"),
    }
}

/// Where a formula holds in a word, by its meaning.
pub fn holds(formula: &Formula, word: &[usize], back: usize) -> Vec<bool> {
    let next = |at: usize| if at + 1 == word.len() { back } else { at + 1 };
    let each = |a: &Formula, f: &dyn Fn(bool) -> bool| holds(a, word, back).into_iter().map(f).collect::<Vec<_>>();
    let both = |a: &Formula, b: &Formula, f: &dyn Fn(bool, bool) -> bool| -> Vec<bool> {
        holds(a, word, back).into_iter().zip(holds(b, word, back)).map(|(a, b)| f(a, b)).collect()
    };
    // The least or greatest solution of x = b || a && X x.
    let fix = |a: Vec<bool>, b: Vec<bool>, start: bool| {
        let mut x = vec![start; word.len()];
        for _ in 0..=2 * word.len() {
            for at in (0..word.len()).rev() {
                x[at] = b[at] || a[at] && x[next(at)];
            }
        }
        x
    };
    let of = |a: &Formula| holds(a, word, back);
    match &*formula.kind {
        FormulaKind::Atom(a) => word.iter().map(|&letter| value(a, letter)).collect(),
        FormulaKind::Not(a) => each(a, &|a| !a),
        FormulaKind::Always(a) => fix(of(a), vec![false; word.len()], true),
        FormulaKind::Eventually(a) => fix(vec![true; word.len()], of(a), false),
        FormulaKind::Next(a) => {
            let a = of(a);
            (0..word.len()).map(|at| a[next(at)]).collect()
        }
        FormulaKind::And(a, b) => both(a, b, &|a, b| a && b),
        FormulaKind::Or(a, b) => both(a, b, &|a, b| a || b),
        FormulaKind::Implies(a, b) => both(a, b, &|a, b| !a || b),
        FormulaKind::Equivalent(a, b) => both(a, b, &|a, b| a == b),
        FormulaKind::Until(a, b) => fix(of(a), of(b), false),
        FormulaKind::WeakUntil(a, b) => fix(of(a), of(b), true),
        FormulaKind::Release(a, b) => {
            // b holds up to and with the first a, or for ever.
            let kept = both(a, b, &|a, b| a && b);
            fix(of(b), kept, true)
        }
    }
}

/// A formula with so many operators.
pub fn random(rng: &mut Rng, size: usize, next: bool) -> String {
    if size == 0 {
        let sign = if rng.chance(30) { "!" } else { "" };
        return format!("{sign}{}", rng.pick(&ATOMS[..3]));
    }
    let one = |rng: &mut Rng| random(rng, size - 1, next);
    let split = rng.below(size);
    match rng.below(12) {
        0 => format!("!({})", one(rng)),
        1 | 2 => format!("[]({})", one(rng)),
        3 | 4 => format!("<>({})", one(rng)),
        5 if next => format!("X({})", one(rng)),
        other => {
            let op = ["&&", "||", "->", "<->", "U", "W", "V"][other % 7];
            format!("({}) {op} ({})", random(rng, split, next), random(rng, size - 1 - split, next))
        }
    }
}

/// Letters, of which those from a place on come again and again.
pub fn word(rng: &mut Rng) -> (Vec<usize>, usize) {
    let word: Vec<usize> = (0..rng.between(1, 5)).map(|_| rng.below(16)).collect();
    let back = rng.below(word.len());
    (word, back)
}

/// Formulas that people write.
pub const COMMON: &[&str] = &[
    "[] p",
    "<> p",
    "p",
    "!<> p",
    "[] (p -> q)",
    "[] (p -> <> q)",
    "p U q",
    "p W q",
    "p V q",
    "[] (p -> (q W r))",
    "[] (p -> (q U r))",
    "[]<> p",
    "<>[] p",
    "[]<>p -> []<>q",
    "[] p && [] q",
    "[] p && <> q",
    "<> p || <> q",
    "[] p || [] q",
    "<> (p && <> q)",
    "(<> p) -> (!p U q)",
    "[] (p && !q -> (!r W q))",
    "[] p -> [] q",
    "p -> <> q",
    "[] (p <-> q)",
    "[] (p -> [] q)",
    "!(p U (q && r))",
    "[] (!p || !q)",
    "true U p",
    "[] ((p U q) || [] r)",
];
