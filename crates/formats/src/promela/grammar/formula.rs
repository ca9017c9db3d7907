//! Formulas of linear temporal logic.
//!
//! SPIN reads them with one precedence table for arithmetic and temporal operators: `U` binds tighter than `&&`, and the
//! operators before an operand bind tightest, so that `[] x > 0` is `([] x) > 0`, which SPIN takes without a word and gives
//! a meaning that nobody intends. That is refused here.

use super::expression::operator;
use super::{Grammar, In, Out, symbol};
use crate::promela::lexer::Kind;
use crate::promela::separators::Token;
use crate::promela::source::Span;
use crate::promela::syntax::{Binary, Expression, ExpressionKind, Formula, FormulaKind, Unary};
use nom::combinator::cut;
use nom::{Input, Parser};

/// Most operators of one level in a row.
const LONGEST_CHAIN: usize = 1000;

/// Where arithmetic operators start; those of logic and time are below.
const ARITHMETIC: u8 = 10;

#[derive(Clone, Copy)]
enum Joint {
    Implies,
    Equivalent,
    Or,
    And,
    Until,
    WeakUntil,
    Release,
    Arithmetic(Binary),
}

fn joint(token: &Token<'_>) -> Option<(u8, Joint)> {
    match (token.kind, token.text) {
        (Kind::Symbol, "->") | (Kind::Name, "implies") => Some((1, Joint::Implies)),
        (Kind::Symbol, "<->") | (Kind::Name, "equivalent") => Some((1, Joint::Equivalent)),
        (Kind::Symbol, "||" | "\\/") => Some((2, Joint::Or)),
        (Kind::Symbol, "&&" | "/\\") => Some((3, Joint::And)),
        (Kind::Name, "U" | "until" | "stronguntil") => Some((4, Joint::Until)),
        (Kind::Name, "W" | "weakuntil") => Some((4, Joint::WeakUntil)),
        (Kind::Name, "V" | "release") => Some((4, Joint::Release)),
        _ => operator(token).map(|(level, operator)| (ARITHMETIC + level, Joint::Arithmetic(operator))),
    }
}

fn make(kind: FormulaKind, span: Span) -> Formula {
    Formula { kind: Box::new(kind), span }
}

/// The formula as an expression, unless time plays a part in it.
fn stateless(formula: Formula) -> Option<Expression> {
    let span = formula.span;
    let kind = match *formula.kind {
        FormulaKind::Atom(expression) => return Some(expression),
        FormulaKind::Not(a) => ExpressionKind::Unary(Unary::Not, stateless(a)?),
        FormulaKind::And(a, b) => ExpressionKind::Binary(Binary::And, stateless(a)?, stateless(b)?),
        FormulaKind::Or(a, b) => ExpressionKind::Binary(Binary::Or, stateless(a)?, stateless(b)?),
        _ => return None,
    };
    Some(Expression { kind: Box::new(kind), span })
}

impl<'t, 'a: 't> Grammar<'t, 'a> {
    /// A formula.
    pub fn formula(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Formula> {
        self.joined(input, 1, depth)
    }

    fn joined(&self, input: In<'t, 'a>, least: u8, depth: usize) -> Out<'t, 'a, Formula> {
        let start = input.position();
        let (mut input, mut left) = self.prefixed(input, depth)?;
        let mut length = 0;
        while let Some((level, joint)) = input.first().and_then(joint).filter(|(level, _)| *level >= least) {
            length += 1;
            if length > LONGEST_CHAIN {
                return input.refuse_with("this formula is too long", "split it up");
            }
            let here = input;
            let (rest, right) = cut(|i| self.joined(i, level + 1, depth + 1)).parse(input.take_from(1))?;
            let span = self.span(start, rest);
            let kind = match joint {
                Joint::Implies => FormulaKind::Implies(left, right),
                Joint::Equivalent => FormulaKind::Equivalent(left, right),
                Joint::Or => FormulaKind::Or(left, right),
                Joint::And => FormulaKind::And(left, right),
                Joint::Until => FormulaKind::Until(left, right),
                Joint::WeakUntil => FormulaKind::WeakUntil(left, right),
                Joint::Release => FormulaKind::Release(left, right),
                Joint::Arithmetic(operator) => match (stateless(left), stateless(right)) {
                    (Some(left), Some(right)) => {
                        let kind = Box::new(ExpressionKind::Binary(operator, left, right));
                        FormulaKind::Atom(Expression { kind, span })
                    }
                    _ => return self.misjoined(here),
                },
            };
            left = make(kind, span);
            input = rest;
        }
        Ok((input, left))
    }

    /// Refuses an operator whose operand has a temporal operator at its top.
    fn misjoined<T>(&self, input: In<'t, 'a>) -> Out<'t, 'a, T> {
        let word = input.first().map_or("", |t| t.text);
        let message = format!("an operand of `{word}` holds a temporal operator");
        let help = "temporal operators bind tighter than comparisons: put parentheses, as in `[] (x > 0)`";
        input.refuse_with(message, help)
    }

    fn prefixed(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Formula> {
        self.bounded(input, depth)?;
        let start = input.position();
        let Some(first) = input.first() else { return self.atom(input, depth) };
        let kind: fn(Formula) -> FormulaKind = match (first.kind, first.text) {
            (Kind::Symbol, "!") => FormulaKind::Not,
            (Kind::Symbol, "[]") | (Kind::Name, "always") => FormulaKind::Always,
            (Kind::Symbol, "<>") | (Kind::Name, "eventually") => FormulaKind::Eventually,
            (Kind::Name, "X" | "next") => FormulaKind::Next,
            (Kind::Symbol, sign @ ("-" | "~")) => {
                let (rest, operand) = cut(|i| self.prefixed(i, depth + 1)).parse(input.take_from(1))?;
                let Some(operand) = stateless(operand) else { return self.misjoined(input) };
                let operator = if sign == "-" { Unary::Minus } else { Unary::Complement };
                let span = self.span(start, rest);
                let kind = Box::new(ExpressionKind::Unary(operator, operand));
                return Ok((rest, make(FormulaKind::Atom(Expression { kind, span }), span)));
            }
            (Kind::Symbol, "(") => {
                let (rest, inner) = cut(|i| self.joined(i, 1, depth + 1)).parse(input.take_from(1))?;
                let (rest, _) = cut(symbol(")")).parse(rest)?;
                return Ok((rest, Formula { span: self.span(start, rest), ..inner }));
            }
            (Kind::Keyword, "full" | "empty" | "nfull" | "nempty") => {
                let message = format!("`{}` cannot be used in a formula", first.text);
                return input.refuse_with(message, "compare `len(c)`, as SPIN asks for");
            }
            _ => return self.atom(input, depth),
        };
        let (rest, operand) = cut(|i| self.prefixed(i, depth + 1)).parse(input.take_from(1))?;
        Ok((rest, make(kind(operand), self.span(start, rest))))
    }

    fn atom(&self, input: In<'t, 'a>, depth: usize) -> Out<'t, 'a, Formula> {
        let (rest, expression) = self.primary(input, depth)?;
        let span = expression.span;
        Ok((rest, make(FormulaKind::Atom(expression), span)))
    }
}
