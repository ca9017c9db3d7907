//! Names and expressions: what they mean in a body.

use super::Compiler;
use super::body::{Body, Role};
use super::types::{Item, Shape};
use crate::expression::{Expression, Index, Pattern, Place, Receive, Remote};
use crate::value::ValueType;
use prequel_formats::promela::syntax::{
    Expression as Ast, ExpressionKind, Name, Part, Pattern as AstPattern, Reference,
};
use prequel_formats::text::suggest;

/// What a reference means.
pub enum Meaning {
    /// A variable or a part of one; the global variable's number, if it is one.
    Variable(Place, Shape, Option<usize>),
    /// Something computed.
    Value(Expression),
    /// `_`
    Anything,
    /// An error was reported.
    Nothing,
}

/// Where a name leads.
#[derive(Clone, Copy)]
enum Found {
    Local(usize),
    Global(usize),
}

impl Body<'_, '_> {
    fn find(&self, name: &str) -> Option<Found> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.names.get(name));
        local
            .map(|&item| Found::Local(item))
            .or_else(|| self.compiler.global_names.get(name).map(|&g| Found::Global(g)))
    }

    pub fn meaning(&mut self, reference: &Reference) -> Meaning {
        let [first, rest @ ..] = reference.parts.as_slice() else { return Meaning::Nothing };
        let name = &*first.name.text;
        let (item, local, global) = match self.find(name) {
            Some(Found::Local(item)) => (self.compiler.unfinished[self.number].items[item].clone(), true, None),
            Some(Found::Global(global)) => (self.compiler.globals[global].clone(), false, Some(global)),
            None => return self.special(first, rest.is_empty()),
        };
        match self.place(&item, local, first, rest) {
            Some((place, shape)) => Meaning::Variable(place, shape, global),
            None => Meaning::Nothing,
        }
    }

    /// A name that no declaration gives.
    fn special(&mut self, part: &Part, alone: bool) -> Meaning {
        let name = &*part.name.text;
        if alone && part.index.is_none() {
            match name {
                "_" => return Meaning::Anything,
                "_pid" => return Meaning::Value(Expression::Pid),
                "_nr_pr" => {
                    if self.role != Role::Claim {
                        self.compiler.counts.get_or_insert(part.name.span);
                    }
                    return Meaning::Value(Expression::ProcessCount);
                }
                "_last" => {
                    self.compiler.uses_last = true;
                    // It is put behind all other globals.
                    return Meaning::Value(Expression::Global(self.compiler.initial.len() as u32));
                }
                "_priority" => {
                    self.compiler.priorities.get_or_insert(part.name.span);
                    return Meaning::Value(Expression::Priority(Box::new(Expression::Pid)));
                }
                _ => {}
            }
            if let Some(&value) = self.compiler.constants.get(name) {
                return Meaning::Value(Expression::Number(value));
            }
        }
        self.compiler.error(part.name.span, format!("`{name}` is not declared"));
        Meaning::Nothing
    }

    fn place(&mut self, item: &Item, local: bool, first: &Part, rest: &[Part]) -> Option<(Place, Shape)> {
        let mut place = Place { local, offset: item.offset, indices: Box::new([]), ty: ValueType::Int };
        let mut indices = Vec::new();
        let (mut item, mut part) = (item.clone(), first);
        let mut rest = rest.iter();
        loop {
            match (&part.index, item.length) {
                (None, Some(_)) => {
                    self.compiler.error(part.name.span, format!("the array `{}` needs an index", item.name));
                    return None;
                }
                (None, None) => {}
                (Some(index), length) => {
                    let (stride, length) = (self.compiler.types.stride(&item.shape), length.unwrap_or(1));
                    match self.value(index) {
                        Expression::Number(at) if at >= 0 && (at as u32) < length => place.offset += at as u32 * stride,
                        at => indices.push(Index { at, length, stride }),
                    }
                }
            }
            let Some(next) = rest.next() else { break };
            let Shape::Record(record) = item.shape else {
                self.compiler.error(next.name.span, format!("`{}` has no fields", item.name));
                return None;
            };
            let fields = &self.compiler.types.records[record].fields;
            let Some(field) = fields.iter().find(|field| field.name == next.name.text) else {
                let help = suggest::help(&next.name.text, "fields", fields.iter().map(|field| &*field.name));
                let message =
                    format!("`{}` has no field `{}`", self.compiler.types.records[record].name, next.name.text);
                let error = self.compiler.finding(next.name.span, message).help(help);
                self.compiler.errors.push(error);
                return None;
            };
            place.offset += field.offset;
            (item, part) = (field.clone(), next);
        }
        place.ty = match &item.shape {
            Shape::Scalar(ty) => *ty,
            Shape::Channel => ValueType::Channel,
            Shape::Record(_) => ValueType::Int,
        };
        place.indices = indices.into();
        Some((place, item.shape))
    }

    /// The value of a reference.
    pub fn read(&mut self, reference: &Reference) -> Expression {
        self.look(reference, true)
    }

    /// The value of a reference, where looking does not count as a use of the variable; that of its indices does.
    pub fn peek(&mut self, reference: &Reference) -> Expression {
        self.look(reference, false)
    }

    fn look(&mut self, reference: &Reference, counts: bool) -> Expression {
        match self.meaning(reference) {
            Meaning::Variable(_, Shape::Record(_), _) => {
                self.compiler.error(reference.span, "a record as a whole has no value");
                Expression::Number(0)
            }
            Meaning::Variable(place, _, global) => {
                self.compiler.read.extend(global.filter(|_| counts));
                Expression::of(place)
            }
            Meaning::Value(value) => value,
            Meaning::Anything => {
                self.compiler.error(reference.span, "`_` can only be written to");
                Expression::Number(0)
            }
            Meaning::Nothing => Expression::Number(0),
        }
    }

    /// A cell that is set; none for `_`, and after an error.
    pub fn target(&mut self, reference: &Reference) -> Option<Place> {
        match self.meaning(reference) {
            Meaning::Variable(_, Shape::Record(_), _) => {
                self.compiler.error(reference.span, "a record as a whole cannot be set");
                None
            }
            Meaning::Variable(place, _, global) => {
                self.compiler.written.extend(global);
                Some(place)
            }
            Meaning::Value(_) => {
                self.compiler.error(reference.span, "this cannot be set");
                None
            }
            Meaning::Anything | Meaning::Nothing => None,
        }
    }

    /// The cells of a record, or the one cell that a place is.
    fn spread(&self, place: Place, shape: &Shape) -> Vec<Place> {
        let leaves = self.compiler.types.leaves(shape);
        let leaf = |(at, (_, ty)): (usize, (String, ValueType))| Place {
            offset: place.offset + at as u32,
            ty,
            ..place.clone()
        };
        leaves.into_iter().enumerate().map(leaf).collect()
    }

    /// An argument of a send or a `run`: a record stands for all its cells.
    pub fn argument(&mut self, argument: &Ast, out: &mut Vec<Expression>) {
        if let ExpressionKind::Reference(reference) = &*argument.kind
            && let Meaning::Variable(place, shape @ Shape::Record(_), _) = self.meaning_quietly(reference)
        {
            out.extend(self.spread(place, &shape).into_iter().map(Expression::of));
            return;
        }
        let value = self.value(argument);
        out.push(value);
    }

    /// What a reference means, errors unreported: whoever asks will read it again if it is no record.
    pub fn meaning_quietly(&mut self, reference: &Reference) -> Meaning {
        let errors = self.compiler.errors.len();
        let meaning = self.meaning(reference);
        self.compiler.errors.truncate(errors);
        meaning
    }

    pub fn receive(
        &mut self,
        channel: &Reference,
        random: bool,
        keep: bool,
        arguments: &[AstPattern],
        stores: bool,
    ) -> Receive {
        let channel = self.read(channel);
        let mut patterns = Vec::new();
        let mut stored: Vec<&str> = Vec::new();
        for argument in arguments {
            match argument {
                AstPattern::Number { value, .. } => patterns.push(Pattern::Match(Expression::Number(*value))),
                AstPattern::Eval(value) => patterns.push(Pattern::Match(self.value(value))),
                AstPattern::Reference(reference) => match self.meaning(reference) {
                    Meaning::Variable(place, shape, global) => {
                        if stores {
                            self.compiler.written.extend(global);
                            self.once(reference, &shape, &mut stored);
                        }
                        self.compiler.read.extend(global);
                        patterns.extend(self.spread(place, &shape).into_iter().map(Pattern::Store));
                    }
                    Meaning::Value(value) => patterns.push(Pattern::Match(value)),
                    Meaning::Anything => patterns.push(Pattern::Ignore),
                    Meaning::Nothing => {}
                },
            }
        }
        Receive { guard: None, channel, random, keep, patterns: patterns.into() }
    }

    /// One receive cannot store into a variable twice; of elements and fields SPIN does not notice it.
    fn once<'r>(&mut self, reference: &'r Reference, shape: &Shape, stored: &mut Vec<&'r str>) {
        let [Part { name, index: None }] = &reference.parts[..] else { return };
        if stored.contains(&&*name.text) && !matches!(shape, Shape::Record(_)) {
            self.compiler.error(reference.span, format!("this receive stores into `{}` twice", name.text));
        }
        stored.push(&name.text);
    }

    fn remote(&mut self, process: &Name, pid: Option<&Ast>) -> Option<Remote> {
        let Some(&proctype) = self.compiler.proctype_names.get(&process.text) else {
            self.compiler.error(process.span, format!("there is no proctype `{}`", process.text));
            return None;
        };
        let pid = pid.map(|pid| self.value(pid));
        Some(Remote { proctype, pid })
    }

    pub fn value(&mut self, expression: &Ast) -> Expression {
        match &*expression.kind {
            ExpressionKind::Number(value) => Expression::Number(*value),
            ExpressionKind::Reference(reference) => self.read(reference),
            ExpressionKind::Unary(op, a) => Expression::unary(*op, self.value(a)),
            ExpressionKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                Expression::binary(*op, a, b)
            }
            ExpressionKind::Conditional { condition, yes, no } => {
                Expression::Conditional(Box::new((self.value(condition), self.value(yes), self.value(no))))
            }
            ExpressionKind::Run { .. } => {
                self.compiler.unsupported(expression.span, "`run` inside a larger expression");
                Expression::Number(0)
            }
            ExpressionKind::Length(channel) => Expression::Length(Box::new(self.read(channel))),
            ExpressionKind::Probe(probe, channel) => Expression::Probe(*probe, Box::new(self.read(channel))),
            ExpressionKind::Poll { channel, random, arguments } => {
                Expression::Poll(Box::new(self.receive(channel, *random, true, arguments, false)))
            }
            ExpressionKind::Enabled(pid) => Expression::Enabled(Box::new(self.value(pid))),
            ExpressionKind::PcValue(_) => self.no(expression, "`pc_value`"),
            ExpressionKind::GetPriority(pid) => {
                self.compiler.priorities.get_or_insert(expression.span);
                Expression::Priority(Box::new(self.value(pid)))
            }
            ExpressionKind::NonProgress if self.role == Role::Claim => {
                self.compiler.watches_standstill = true;
                Expression::NonProgress
            }
            ExpressionKind::NonProgress => {
                let found = self.compiler.finding(expression.span, "`np_` has a meaning in claims only".into());
                self.compiler.errors.push(found.help("--non-progress asks for runs that make no progress"));
                Expression::Number(0)
            }
            ExpressionKind::RemoteLabel { process, pid, label } => {
                let Some(remote) = self.remote(process, pid.as_ref()) else { return Expression::Number(0) };
                let refs = &mut self.compiler.label_refs;
                refs.push((remote.proctype, label.clone(), expression.span));
                let number = refs.len() as u32 - 1;
                Expression::At(Box::new(remote), number)
            }
            ExpressionKind::RemoteVariable { process, pid, variable } => {
                self.compiler.remote_variables = true;
                let Some(remote) = self.remote(process, pid.as_ref()) else { return Expression::Number(0) };
                let items = &self.compiler.unfinished[remote.proctype as usize].items;
                let Some(item) = items.iter().find(|item| item.name == variable.name.text).cloned() else {
                    let message = format!("`{}` has no variable `{}`", process.text, variable.name.text);
                    let help = suggest::help(&variable.name.text, "variables", items.iter().map(|item| &*item.name));
                    let error = self.compiler.finding(variable.name.span, message).help(help);
                    self.compiler.errors.push(error);
                    return Expression::Number(0);
                };
                match self.place(&item, true, variable, &[]) {
                    Some((place, _)) => Expression::RemoteCell(Box::new(remote), Box::new(place)),
                    None => Expression::Number(0),
                }
            }
            ExpressionKind::Timeout => {
                self.compiler.watches_standstill |= self.role == Role::Claim;
                Expression::Timeout
            }
        }
    }

    fn no(&mut self, expression: &Ast, what: &str) -> Expression {
        self.compiler.unsupported(expression.span, what);
        Expression::Number(0)
    }
}

impl Compiler<'_> {
    /// The number of a proctype that is run; an error if there is none of that name.
    pub fn proctype_number(&mut self, name: &Name) -> Option<u32> {
        let found = self.proctype_names.get(&name.text).copied();
        if found.is_none() {
            self.error(name.span, format!("there is no proctype `{}`", name.text));
        }
        found
    }
}
