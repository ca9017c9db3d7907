//! `for` and `select`: what they stand for, in the words of other statements.

use super::Body;
use crate::compile::flow::{Id, Idle, Jump, Kind, SeqId};
use crate::compile::types::{Item, Shape};
use crate::data::{Action, Send};
use crate::expression::{Binary, Expression, Pattern, Place};
use crate::value::ValueType;
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax;
use prequel_formats::promela::syntax::{Expression as Ast, ExpressionKind, Range, Reference, Sequence};

/// Ranges up to this are a choice among their values, larger ones a loop.
const LARGEST_CHOICE: i64 = 32;

impl<'m> Body<'_, 'm> {
    fn assign(&mut self, target: &Reference, value: Expression, span: Span, sequence: SeqId) {
        let place = self.target(target);
        self.basic(Action::Assign(place, value), span, Idle::No, sequence);
    }

    fn increment(&mut self, target: &Reference, span: Span, sequence: SeqId) {
        let value = Expression::binary(Binary::Add, self.read(target), Expression::Number(1));
        self.assign(target, value, span, sequence);
    }

    /// `for`: the start value, then a loop. Gives the element for a label.
    pub(super) fn repeat(
        &mut self,
        variable: &'m Reference,
        over: &'m Range,
        body: &'m Sequence,
        span: Span,
        sequence: SeqId,
    ) -> Id {
        self.leading = false;
        self.open_scope();
        let number = self.open_loop();
        let main = self.flow.sequence();
        let mut counter = None;
        match over {
            Range::Numbers { from, to } => {
                let from = self.value(from);
                self.assign(variable, from, variable.span, sequence);
                let guard = Expression::binary(Binary::LessEqual, self.read(variable), self.value(to));
                self.basic(Action::Condition(guard), span, Idle::No, main);
            }
            Range::In(what) => counter = self.repeat_in(variable, what, span, main, sequence),
        }
        for statement in body {
            self.statement(statement, main);
        }
        match counter {
            None => self.increment(variable, span, main),
            Some(place) => {
                let next = Expression::binary(Binary::Add, Expression::of(place.clone()), Expression::Number(1));
                self.basic(Action::Assign(Some(place), next), span, Idle::No, main);
            }
        }
        self.flow.close(main);
        self.loops.pop();
        let leave = self.flow.sequence();
        self.plain(&[], Kind::Else, span, leave);
        self.plain(&[], Kind::Goto(Jump::Loop(number)), span, leave);
        self.flow.close(leave);
        let element = self.flow.select(vec![leave, main], Some(number), span, sequence);
        self.scopes.pop();
        element
    }

    /// `for (i in a)` and `for (m in c)`: start and guard; for a channel also the counter, which is a variable of its own.
    fn repeat_in(
        &mut self,
        variable: &'m Reference,
        what: &'m Reference,
        span: Span,
        main: SeqId,
        sequence: SeqId,
    ) -> Option<Place> {
        let [part] = what.parts.as_slice() else {
            self.compiler.unsupported(what.span, "a `for` over a field");
            return None;
        };
        let local = self.scopes.iter().rev().find_map(|scope| scope.names.get(&part.name.text).copied());
        let item = match local {
            Some(item) => Some(self.compiler.unfinished[self.number].items[item].clone()),
            None => {
                let global = self.compiler.global_names.get(&part.name.text);
                global.map(|&global| self.compiler.globals[global].clone())
            }
        };
        let Some(item) = item else {
            self.compiler.error(what.span, format!("`{}` is not declared", part.name.text));
            return None;
        };
        if let (Some(length), None) = (item.length, &part.index) {
            self.assign(variable, Expression::Number(0), variable.span, sequence);
            let last = Expression::Number(length as i32 - 1);
            let guard = Expression::binary(Binary::LessEqual, self.read(variable), last);
            self.basic(Action::Condition(guard), span, Idle::No, main);
            return None;
        }
        if item.shape != Shape::Channel {
            self.compiler.error(what.span, format!("`{}` is neither an array nor a channel", part.name.text));
            return None;
        }
        let shape = Shape::Scalar(ValueType::Unsigned(8));
        let temporary = Item { name: "_for".into(), offset: 0, length: None, shape, hidden: false, promised: false };
        let number = self.compiler.allocate(self.number, temporary);
        let offset = self.compiler.unfinished[self.number].items[number].offset;
        let counter = Place { local: true, offset, indices: Box::new([]), ty: ValueType::Unsigned(8) };
        let zero = Action::Assign(Some(counter.clone()), Expression::Number(0));
        self.basic(zero, span, Idle::No, sequence);
        let channel = self.read(what);
        let length = Expression::Length(Box::new(channel.clone()));
        let guard = Expression::binary(Binary::Less, Expression::of(counter.clone()), length);
        self.basic(Action::Condition(guard), span, Idle::No, main);
        let pattern = syntax::Pattern::Reference(variable.clone());
        let receive = self.receive(what, false, false, std::slice::from_ref(&pattern), true);
        let stored = receive.patterns.iter().filter_map(|pattern| match pattern {
            Pattern::Store(place) => Some(Expression::of(place.clone())),
            Pattern::Match(_) | Pattern::Ignore => None,
        });
        let send = Send { guard: None, channel, sorted: false, arguments: stored.collect() };
        self.basic(Action::Receive(Box::new(receive)), span, Idle::No, main);
        self.basic(Action::Send(Box::new(send)), span, Idle::No, main);
        Some(counter)
    }

    /// `select`: a choice among a few constants, otherwise a loop that may stop anywhere.
    pub(super) fn select(
        &mut self,
        variable: &'m Reference,
        from: &'m Ast,
        to: &'m Ast,
        span: Span,
        sequence: SeqId,
    ) -> Id {
        self.leading = false;
        if let (ExpressionKind::Number(from), ExpressionKind::Number(to)) = (&*from.kind, &*to.kind)
            && i64::from(*to) - i64::from(*from) <= LARGEST_CHOICE
        {
            if from > to {
                self.compiler.error(span, "the range of `select` is empty");
            }
            let mut options = Vec::new();
            for value in *from..=*to {
                let option = self.flow.sequence();
                self.assign(variable, Expression::Number(value), span, option);
                self.flow.close(option);
                options.push(option);
            }
            return self.flow.select(options, None, span, sequence);
        }
        let from = self.value(from);
        self.assign(variable, from, span, sequence);
        let number = self.open_loop();
        self.loops.pop();
        let main = self.flow.sequence();
        let guard = Expression::binary(Binary::Less, self.read(variable), self.value(to));
        self.basic(Action::Condition(guard), span, Idle::No, main);
        self.increment(variable, span, main);
        self.flow.close(main);
        let leave = self.flow.sequence();
        self.plain(&[], Kind::Goto(Jump::Loop(number)), span, leave);
        self.flow.close(leave);
        self.flow.select(vec![main, leave], Some(number), span, sequence)
    }
}
