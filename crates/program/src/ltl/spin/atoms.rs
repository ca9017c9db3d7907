//! State expressions of a formula, told apart by their text.

use super::formula::{F, Formula};
use crate::text::sign;
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{
    Binary, Expression, ExpressionKind, Formula as Ast, FormulaKind, Pattern, Probe, Reference, Unary,
};
use std::collections::HashMap;
use std::rc::Rc;

/// The expressions behind the atoms.
#[derive(Default)]
pub struct Atoms {
    expressions: HashMap<Rc<str>, Expression>,
}

impl Atoms {
    /// The atom that a formula is, unless time plays a part in it.
    pub fn of(&mut self, formula: &Ast) -> Option<F> {
        let expression = timeless(formula)?;
        let mut text = String::new();
        write_formula(formula, &mut text);
        let text: Rc<str> = text.into();
        self.expressions.entry(text.clone()).or_insert(expression);
        Some(Rc::new(Formula::Atom(text)))
    }

    /// The expression behind an atom.
    pub fn expression(&self, text: &str) -> Option<&Expression> {
        self.expressions.get(text)
    }
}

/// An expression at a place.
pub fn expression(kind: ExpressionKind, span: Span) -> Expression {
    Expression { kind: Box::new(kind), span }
}

/// The formula as a state expression, if it is one. `<->` counts as time, as in SPIN.
fn timeless(formula: &Ast) -> Option<Expression> {
    let kind = match &*formula.kind {
        FormulaKind::Atom(expression) => return Some(expression.clone()),
        FormulaKind::Not(a) => ExpressionKind::Unary(Unary::Not, timeless(a)?),
        FormulaKind::And(a, b) => ExpressionKind::Binary(Binary::And, timeless(a)?, timeless(b)?),
        FormulaKind::Or(a, b) => ExpressionKind::Binary(Binary::Or, timeless(a)?, timeless(b)?),
        FormulaKind::Implies(a, b) => {
            let not = expression(ExpressionKind::Unary(Unary::Not, timeless(a)?), a.span);
            ExpressionKind::Binary(Binary::Or, not, timeless(b)?)
        }
        _ => return None,
    };
    Some(expression(kind, formula.span))
}

/// The text by which SPIN sorts; only formulas without time come here.
fn write_formula(formula: &Ast, out: &mut String) {
    let mut joined = |a: &Ast, op: &str, b: &Ast| {
        out.push('(');
        write_formula(a, out);
        out.push_str(op);
        write_formula(b, out);
        out.push(')');
    };
    match &*formula.kind {
        FormulaKind::Atom(expression) => write(expression, out),
        FormulaKind::And(a, b) => joined(a, ") && (", b),
        FormulaKind::Or(a, b) => joined(a, ") || (", b),
        FormulaKind::Not(a) => {
            out.push_str("! (");
            write_formula(a, out);
            out.push(')');
        }
        FormulaKind::Implies(a, b) => {
            out.push_str("(! (");
            write_formula(a, out);
            out.push_str(")) || (");
            write_formula(b, out);
            out.push(')');
        }
        _ => {}
    }
}

/// The text of a state expression: different ones have different texts.
pub fn text(expression: &Expression) -> String {
    let mut out = String::new();
    write(expression, &mut out);
    out
}

fn write_all<'e>(expressions: impl IntoIterator<Item = &'e Expression>, out: &mut String) {
    for (number, expression) in expressions.into_iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        write(expression, out);
    }
}

fn write_reference(reference: &Reference, out: &mut String) {
    for (number, part) in reference.parts.iter().enumerate() {
        if number > 0 {
            out.push('.');
        }
        out.push_str(&part.name.text);
        if let Some(index) = &part.index {
            enclosed("[", index, "]", out);
        }
    }
}

fn enclosed(before: &str, inner: &Expression, after: &str, out: &mut String) {
    out.push_str(before);
    write(inner, out);
    out.push_str(after);
}

/// How the question about a channel begins.
fn called(probe: Probe) -> &'static str {
    match probe {
        Probe::Full => "full(",
        Probe::Empty => "empty(",
        Probe::NotFull => "nfull(",
        Probe::NotEmpty => "nempty(",
    }
}

fn write(expression: &Expression, out: &mut String) {
    match &*expression.kind {
        ExpressionKind::Number(value) => out.push_str(&value.to_string()),
        ExpressionKind::Reference(reference) => write_reference(reference, out),
        ExpressionKind::Unary(op, a) => {
            let sign = match op {
                Unary::Minus => "-(",
                Unary::Not => "!(",
                Unary::Complement => "~(",
            };
            enclosed(sign, a, ")", out);
        }
        ExpressionKind::Binary(op, a, b) => {
            out.push('(');
            write(a, out);
            out.push_str(sign(*op));
            write(b, out);
            out.push(')');
        }
        ExpressionKind::Conditional { condition, yes, no } => {
            enclosed("( (", condition, ") -> ", out);
            enclosed("(", yes, ") : ", out);
            enclosed("(", no, ") )", out);
        }
        ExpressionKind::Run { process, arguments, .. } => {
            out.push_str(&format!("run {}(", process.text));
            write_all(arguments, out);
            out.push(')');
        }
        ExpressionKind::Length(channel) => {
            out.push_str("len(");
            write_reference(channel, out);
            out.push(')');
        }
        ExpressionKind::Probe(probe, channel) => {
            out.push_str(called(*probe));
            write_reference(channel, out);
            out.push(')');
        }
        ExpressionKind::Poll { channel, random, arguments } => {
            write_reference(channel, out);
            out.push_str(if *random { "??[" } else { "?[" });
            for (number, argument) in arguments.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                match argument {
                    Pattern::Reference(reference) => write_reference(reference, out),
                    Pattern::Eval(value) => enclosed("eval(", value, ")", out),
                    Pattern::Number { value, .. } => out.push_str(&value.to_string()),
                }
            }
            out.push(']');
        }
        ExpressionKind::Enabled(pid) => enclosed("enabled(", pid, ")", out),
        ExpressionKind::PcValue(pid) => enclosed("pc_value(", pid, ")", out),
        ExpressionKind::GetPriority(pid) => enclosed("get_priority(", pid, ")", out),
        ExpressionKind::RemoteLabel { process, pid, label } => {
            out.push('(');
            out.push_str(&process.text);
            if let Some(pid) = pid {
                enclosed("[", pid, "]", out);
            }
            out.push_str(&format!("@{})", label.text));
        }
        ExpressionKind::RemoteVariable { process, pid, variable } => {
            out.push_str(&process.text);
            if let Some(pid) = pid {
                enclosed("[", pid, "]", out);
            }
            out.push_str(&format!(":{}", variable.name.text));
            if let Some(index) = &variable.index {
                enclosed("[", index, "]", out);
            }
        }
        ExpressionKind::Timeout => out.push_str("timeout"),
        ExpressionKind::NonProgress => out.push_str("np_"),
    }
}
