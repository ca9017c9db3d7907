//! From the tree of a formula to a term, and from state expressions to conditions.

use super::condition::{ALWAYS, Condition, NEVER};
use super::spin::text;
use super::term::{Term, Terms};
use prequel_formats::promela::syntax::{
    Binary, Expression, ExpressionKind, Formula, FormulaKind, Pattern, Reference, Unary,
};
use prequel_model::temporal::{self, Temporal};
use rustc_hash::FxHashMap;

/// Formulas, and the state expressions in them.
#[derive(Default)]
pub struct Reader {
    /// All formulas.
    pub terms: Terms,
    /// State expressions by the number of the atom.
    pub atoms: Vec<Expression>,
    numbers: FxHashMap<String, u32>,
}

impl Reader {
    /// A formula.
    pub fn formula(&mut self, formula: &Formula) -> Term {
        let formula = temporal(formula).map(&mut |expression: &&Expression| self.condition(expression));
        self.terms.of(&formula)
    }

    /// A state expression as a condition on its atoms.
    pub fn condition(&mut self, expression: &Expression) -> Condition {
        match &*expression.kind {
            ExpressionKind::Number(0) => NEVER,
            ExpressionKind::Number(_) => ALWAYS,
            ExpressionKind::Unary(Unary::Not, a) => self.without(a),
            ExpressionKind::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let (a, b) = (self.condition(a), self.condition(b));
                let conditions = &mut self.terms.conditions;
                if *op == Binary::And { conditions.and(a, b) } else { conditions.or(a, b) }
            }
            // One atom for a comparison and its opposite.
            ExpressionKind::Binary(op, a, b) => {
                let opposite = match op {
                    Binary::NotEqual => Binary::Equal,
                    Binary::GreaterEqual => Binary::Less,
                    Binary::LessEqual => Binary::Greater,
                    _ => return self.atom(expression),
                };
                let kind = ExpressionKind::Binary(opposite, a.clone(), b.clone());
                self.without(&Expression { kind: Box::new(kind), span: expression.span })
            }
            _ => self.atom(expression),
        }
    }

    fn without(&mut self, expression: &Expression) -> Condition {
        let condition = self.condition(expression);
        self.terms.conditions.not(condition)
    }

    fn atom(&mut self, expression: &Expression) -> Condition {
        let number = *self.numbers.entry(text(expression)).or_insert_with(|| {
            self.atoms.push(expression.clone());
            self.atoms.len() as u32 - 1
        });
        self.terms.conditions.atom(number)
    }

    /// Whether some atom has no value in some states: then it matters when it is looked at.
    pub fn may_fail(&self) -> bool {
        self.atoms.iter().any(may_fail)
    }
}

/// The same formula over its state expressions.
fn temporal(formula: &Formula) -> Temporal<&Expression> {
    let one = |op, a| Temporal::one(op, temporal(a));
    let two = |op, a, b| Temporal::two(op, temporal(a), temporal(b));
    match &*formula.kind {
        FormulaKind::Atom(expression) => Temporal::Atom(expression),
        FormulaKind::Not(a) => one(temporal::Unary::Not, a),
        FormulaKind::Always(a) => one(temporal::Unary::Always, a),
        FormulaKind::Eventually(a) => one(temporal::Unary::Eventually, a),
        FormulaKind::Next(a) => one(temporal::Unary::Next, a),
        FormulaKind::And(a, b) => two(temporal::Binary::And, a, b),
        FormulaKind::Or(a, b) => two(temporal::Binary::Or, a, b),
        FormulaKind::Implies(a, b) => two(temporal::Binary::Implies, a, b),
        FormulaKind::Equivalent(a, b) => two(temporal::Binary::Equivalent, a, b),
        FormulaKind::Until(a, b) => two(temporal::Binary::Until, a, b),
        FormulaKind::WeakUntil(a, b) => two(temporal::Binary::WeakUntil, a, b),
        FormulaKind::Release(a, b) => two(temporal::Binary::Release, a, b),
    }
}

fn may_fail(expression: &Expression) -> bool {
    let constant = |index: &Expression| matches!(*index.kind, ExpressionKind::Number(_));
    let outside =
        |reference: &Reference| reference.parts.iter().any(|p| p.index.as_ref().is_some_and(|i| !constant(i)));
    match &*expression.kind {
        ExpressionKind::Number(_) | ExpressionKind::Timeout | ExpressionKind::NonProgress => false,
        ExpressionKind::Reference(reference)
        | ExpressionKind::Length(reference)
        | ExpressionKind::Probe(_, reference) => outside(reference),
        ExpressionKind::Unary(_, a) | ExpressionKind::Enabled(a) => may_fail(a),
        ExpressionKind::Binary(op, a, b) => {
            matches!(op, Binary::Divide | Binary::Remainder) || may_fail(a) || may_fail(b)
        }
        ExpressionKind::Conditional { condition, yes, no } => [condition, yes, no].into_iter().any(may_fail),
        ExpressionKind::Poll { channel, arguments, .. } => {
            let argument = |pattern: &Pattern| match pattern {
                Pattern::Reference(reference) => outside(reference),
                Pattern::Eval(value) => may_fail(value),
                Pattern::Number { .. } => false,
            };
            outside(channel) || arguments.iter().any(argument)
        }
        ExpressionKind::RemoteLabel { pid, .. } => pid.as_ref().is_some_and(|pid| !constant(pid)),
        ExpressionKind::RemoteVariable { pid, variable, .. } => {
            [pid, &variable.index].into_iter().flatten().any(|part| !constant(part))
        }
        ExpressionKind::Run { .. } | ExpressionKind::PcValue(_) | ExpressionKind::GetPriority(_) => true,
    }
}
