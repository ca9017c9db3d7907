//! What a goal means: an expression over globals and over what other processes do, computed by nobody in particular.
//!
//! `&` and `|` are Promela's, which work bit by bit. On conditions that is the same as `&&` and `||`; on numbers it is hardly ever
//! what somebody meant, so it is an error there.

use super::body::Body;
use super::names::Meaning;
use crate::expression::Expression;
use crate::value::ValueType;
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{Binary, Expression as Ast, ExpressionKind, Pattern, Reference, Unary};

impl Body<'_, '_> {
    /// The meaning of a goal.
    pub fn goal(&mut self, goal: &Ast) -> Expression {
        self.conditions(goal);
        self.outside(goal);
        self.value(goal)
    }

    /// Where conditions are joined, both sides must be some.
    fn conditions(&mut self, goal: &Ast) {
        match &*goal.kind {
            ExpressionKind::Binary(op @ (Binary::BitAnd | Binary::BitOr), a, b) => {
                let sign = if *op == Binary::BitAnd { "&" } else { "|" };
                for side in [a, b] {
                    if !self.is_condition(side) {
                        let help = format!(
                            "`{sign}` works bit by bit on numbers: write `{sign}{sign}` to join conditions, or compare \
                             the result, as in `(flags {sign} 4) != 0`"
                        );
                        self.refuse(side.span, format!("this side of `{sign}` is a number, not a condition"), &help);
                    }
                    self.conditions(side);
                }
            }
            ExpressionKind::Binary(Binary::And | Binary::Or, a, b) => {
                self.conditions(a);
                self.conditions(b);
            }
            ExpressionKind::Unary(Unary::Not, a) => self.conditions(a),
            _ => {}
        }
    }

    /// Whether an expression is 0 or 1 whatever happens.
    fn is_condition(&mut self, expression: &Ast) -> bool {
        match &*expression.kind {
            ExpressionKind::Number(value) => matches!(value, 0 | 1),
            ExpressionKind::Reference(reference) => match self.meaning_quietly(reference) {
                Meaning::Variable(place, ..) => place.ty == ValueType::Unsigned(1),
                Meaning::Value(_) => false,
                // An error already, or soon.
                Meaning::Anything | Meaning::Nothing => true,
            },
            ExpressionKind::Unary(op, _) => *op == Unary::Not,
            ExpressionKind::Binary(Binary::BitAnd | Binary::BitOr | Binary::BitXor, a, b) => {
                self.is_condition(a) && self.is_condition(b)
            }
            ExpressionKind::Binary(op, ..) => op.is_condition(),
            ExpressionKind::Conditional { yes, no, .. } => self.is_condition(yes) && self.is_condition(no),
            ExpressionKind::Probe(..)
            | ExpressionKind::Poll { .. }
            | ExpressionKind::RemoteLabel { .. }
            | ExpressionKind::Timeout
            | ExpressionKind::Enabled(_) => true,
            _ => false,
        }
    }

    /// Reports what has no meaning outside of processes.
    fn outside(&mut self, goal: &Ast) {
        match &*goal.kind {
            ExpressionKind::Timeout => {
                let help = "--deadlock-free asks for states in which nothing can move and something should";
                self.refuse(goal.span, "`timeout` cannot be part of a goal".into(), help);
            }
            ExpressionKind::Enabled(_) | ExpressionKind::Run { .. } => {
                let what = if matches!(&*goal.kind, ExpressionKind::Run { .. }) { "run" } else { "enabled" };
                self.refuse(goal.span, format!("`{what}` cannot be part of a goal"), "ask for values and labels");
            }
            ExpressionKind::Reference(reference)
            | ExpressionKind::Length(reference)
            | ExpressionKind::Probe(_, reference) => self.visible(reference),
            ExpressionKind::Unary(_, a) => self.outside(a),
            ExpressionKind::Binary(_, a, b) => [a, b].into_iter().for_each(|part| self.outside(part)),
            ExpressionKind::Conditional { condition, yes, no } => {
                [condition, yes, no].into_iter().for_each(|part| self.outside(part));
            }
            ExpressionKind::Poll { channel, arguments, .. } => {
                self.visible(channel);
                for argument in arguments {
                    match argument {
                        Pattern::Eval(value) => self.outside(value),
                        Pattern::Reference(reference) => self.visible(reference),
                        Pattern::Number { .. } => {}
                    }
                }
            }
            ExpressionKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| self.outside(pid)),
            ExpressionKind::RemoteVariable { pid, variable, .. } => {
                pid.iter().chain(&variable.index).for_each(|part| self.outside(part));
            }
            // What no expression may have is reported where expressions are read.
            ExpressionKind::Number(_)
            | ExpressionKind::NonProgress
            | ExpressionKind::PcValue(_)
            | ExpressionKind::GetPriority(_) => {}
        }
    }

    /// Reports names that mean something to a process only, and what is no part of a state.
    fn visible(&mut self, reference: &Reference) {
        reference.parts.iter().filter_map(|part| part.index.as_ref()).for_each(|index| self.outside(index));
        let Some(first) = reference.parts.first() else { return };
        let name = &*first.name.text;
        if name == "_pid" {
            let help = "name the process instead, as in `p[1]@label`";
            self.refuse(first.name.span, "`_pid` cannot be part of a goal: nobody computes it".into(), help);
        }
        if self.is_hidden(name) {
            let message = format!("`{name}` is hidden, so it is no part of a state");
            self.refuse(first.name.span, message, "declare it without `hidden`");
        }
    }

    fn is_hidden(&self, name: &str) -> bool {
        let hidden = |&number: &usize| self.compiler.globals[number].hidden && !self.compiler.read.contains(&number);
        self.compiler.global_names.get(name).is_some_and(hidden)
    }

    fn refuse(&mut self, span: Span, message: String, help: &str) {
        let found = self.compiler.finding(span, message).help(help);
        self.compiler.errors.push(found);
    }
}
