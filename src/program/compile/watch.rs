//! Labels that properties ask for: a jump that carries one is a state, whether or not the property is looked at.

use crate::read::promela::syntax::{
    Expression, ExpressionKind, Formula, FormulaKind, Model, Name, Pattern, Reference, Statement, StatementKind, Unit,
};
use rustc_hash::FxHashSet;

/// What claims and formulas look at.
#[derive(Default)]
pub struct Watched<'m> {
    /// Labels of proctypes.
    pub labels: Vec<(&'m Name, &'m Name)>,
    /// Names of variables.
    pub names: FxHashSet<&'m str>,
    /// Variables of processes.
    pub remote: bool,
}

/// What the claims and formulas of a model look at.
pub fn in_properties(model: &Model) -> Watched<'_> {
    let mut found = Watched::default();
    for unit in &model.units {
        match unit {
            Unit::Never(never) => never.body.iter().for_each(|statement| in_statement(statement, &mut found)),
            Unit::Ltl(ltl) => in_formula(&ltl.formula, &mut found),
            _ => {}
        }
    }
    found
}

fn in_statement<'m>(statement: &'m Statement, found: &mut Watched<'m>) {
    match &statement.kind {
        StatementKind::Condition(value) | StatementKind::Assert(value) => in_expression(value, found),
        StatementKind::If(choices) | StatementKind::Do(choices) => {
            choices.iter().flat_map(|choice| &choice.body).for_each(|statement| in_statement(statement, found));
        }
        StatementKind::Atomic(body)
        | StatementKind::DStep(body)
        | StatementKind::Block(body)
        | StatementKind::Inlined { body, .. } => body.iter().for_each(|statement| in_statement(statement, found)),
        _ => {}
    }
}

fn in_formula<'m>(formula: &'m Formula, found: &mut Watched<'m>) {
    match &*formula.kind {
        FormulaKind::Atom(value) => in_expression(value, found),
        FormulaKind::Not(a) | FormulaKind::Always(a) | FormulaKind::Eventually(a) | FormulaKind::Next(a) => {
            in_formula(a, found);
        }
        FormulaKind::And(a, b)
        | FormulaKind::Or(a, b)
        | FormulaKind::Implies(a, b)
        | FormulaKind::Equivalent(a, b)
        | FormulaKind::Until(a, b)
        | FormulaKind::WeakUntil(a, b)
        | FormulaKind::Release(a, b) => {
            in_formula(a, found);
            in_formula(b, found);
        }
    }
}

fn in_reference<'m>(reference: &'m Reference, found: &mut Watched<'m>) {
    found.names.extend(reference.parts.first().map(|part| &*part.name.text));
    reference.parts.iter().filter_map(|part| part.index.as_ref()).for_each(|index| in_expression(index, found));
}

fn in_expression<'m>(expression: &'m Expression, found: &mut Watched<'m>) {
    match &*expression.kind {
        ExpressionKind::RemoteLabel { process, label, .. } => found.labels.push((process, label)),
        ExpressionKind::RemoteVariable { .. } => found.remote = true,
        ExpressionKind::Reference(reference) => in_reference(reference, found),
        ExpressionKind::Unary(_, a) => in_expression(a, found),
        ExpressionKind::Binary(_, a, b) => {
            in_expression(a, found);
            in_expression(b, found);
        }
        ExpressionKind::Conditional { condition, yes, no } => {
            [condition, yes, no].into_iter().for_each(|part| in_expression(part, found));
        }
        ExpressionKind::Poll { arguments, .. } => {
            for argument in arguments {
                match argument {
                    Pattern::Eval(value) => in_expression(value, found),
                    Pattern::Reference(reference) => in_reference(reference, found),
                    Pattern::Number { .. } => {}
                }
            }
        }
        _ => {}
    }
}
