//! Names and expressions: what they mean in a process.

use super::Compiler;
use crate::expression::{Binary, Expression, Index, Place, Remote, Unary};
use crate::value::ValueType;
use prequel_formats::dve::syntax::{Expression as Ast, ExpressionKind, Name, Reference, Sync};
use prequel_formats::text::suggest;
use rustc_hash::FxHashMap;

/// What names mean in one place.
#[derive(Default)]
pub struct Scope<'s> {
    /// Variables and constants.
    pub variables: FxHashMap<&'s str, Variable>,
    /// Channels, by position.
    pub channels: FxHashMap<&'s str, usize>,
    /// Processes, by number.
    pub processes: FxHashMap<&'s str, u32>,
}

/// A variable and its place.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// One of a process.
    pub local: bool,
    /// Its first cell.
    pub offset: u32,
    /// Of an array.
    pub length: Option<u32>,
    /// What a cell keeps.
    pub ty: ValueType,
    /// What it always is, if it is a single constant: it has no cell then.
    pub scalar: Option<i32>,
    /// It is never set.
    pub constant: bool,
}

impl<'s> Compiler<'s> {
    /// The meaning of an expression in a process; a goal is computed by none.
    pub fn value(&mut self, process: Option<usize>, expression: &Ast) -> Expression {
        match &*expression.kind {
            ExpressionKind::Number(value) => Expression::Number(*value),
            ExpressionKind::Variable(reference) => {
                let Some(variable) = self.variable_of(process, &reference.name) else { return Expression::Number(0) };
                self.read(process, variable, reference)
            }
            ExpressionKind::Foreign(other, reference) => self.foreign(process, other, reference),
            ExpressionKind::InState(other, state) => {
                let Some(other) = self.process_of(other) else { return Expression::Number(0) };
                let Some(state) = self.state(other, state) else { return Expression::Number(0) };
                self.at(other, state)
            }
            ExpressionKind::Unary(op, a) => Expression::unary(*op, self.value(process, a)),
            ExpressionKind::Binary(op, a, b) => {
                let (a, b) = (self.value(process, a), self.value(process, b));
                Expression::binary(*op, a, b)
            }
            ExpressionKind::Imply(a, b) => {
                let not = Expression::unary(Unary::Not, self.value(process, a));
                Expression::binary(Binary::Or, not, self.value(process, b))
            }
        }
    }

    fn read(&mut self, process: Option<usize>, variable: Variable, reference: &Reference) -> Expression {
        match (variable.scalar, &reference.index) {
            (Some(value), None) => Expression::Number(value),
            _ => Expression::of(self.place(process, variable, reference)),
        }
    }

    /// The cell that a reference means; errors are reported and mean the first cell.
    fn place(&mut self, process: Option<usize>, variable: Variable, reference: &Reference) -> Place {
        let Variable { local, mut offset, length, ty, .. } = variable;
        let name = &reference.name;
        let mut indices = Vec::new();
        match (&reference.index, length) {
            (Some(index), Some(length)) => match self.value(process, index) {
                Expression::Number(at) if at >= 0 && (at as u32) < length => offset += at as u32,
                at => indices.push(Index { at, length, stride: 1 }),
            },
            (Some(index), None) => {
                self.error(&index.span, format!("`{}` is no array", name.text), "leave the index away")
            }
            // The name of an array alone is its first element.
            (None, _) => {}
        }
        Place { local, offset, indices: indices.into(), ty }
    }

    /// A variable of another process: `p->x`.
    fn foreign(&mut self, process: Option<usize>, other: &Name, reference: &Reference) -> Expression {
        let Some(other) = self.process_of(other) else { return Expression::Number(0) };
        let name = &reference.name;
        let Some(&variable) = self.processes[other].scope.variables.get(&*name.text) else {
            let help = suggest::help(&name.text, "variables", self.processes[other].scope.variables.keys().copied());
            self.error(&name.span, format!("that process has no variable `{}`", name.text), help);
            return Expression::Number(0);
        };
        if !variable.local || process == Some(other) {
            return self.read(process, variable, reference);
        }
        let place = self.place(process, variable, reference);
        let remote = Remote { proctype: other as u32, pid: Some(Expression::Number(other as i32)) };
        Expression::RemoteCell(Box::new(remote), Box::new(place))
    }

    /// Where an effect or a receive puts a value.
    pub fn target(&mut self, process: usize, reference: &Reference) -> Option<Place> {
        let variable = self.variable_of(Some(process), &reference.name)?;
        if variable.constant {
            let message = format!("`{}` is a constant", reference.name.text);
            self.error(&reference.name.span, message, "leave `const` away where it is declared");
            return None;
        }
        if !variable.local {
            self.written.extend(variable.offset..variable.offset + variable.length.unwrap_or(1));
        }
        Some(self.place(Some(process), variable, reference))
    }

    fn variable_of(&mut self, process: Option<usize>, name: &Name) -> Option<Variable> {
        let own = process.and_then(|process| self.processes[process].scope.variables.get(&*name.text));
        let found = own.or_else(|| self.shared.variables.get(&*name.text)).copied();
        if found.is_none() {
            let own = process.into_iter().flat_map(|process| self.processes[process].scope.variables.keys());
            let all: Vec<&str> = own.chain(self.shared.variables.keys()).copied().collect();
            let help = suggest::help(&name.text, "variables", all.iter().copied());
            self.error(&name.span, format!("there is no variable `{}`", name.text), help);
        }
        found
    }

    fn process_of(&mut self, name: &Name) -> Option<usize> {
        let found = self.shared.processes.get(&*name.text).map(|&number| number as usize);
        if found.is_none() {
            let all: Vec<&str> = self.shared.processes.keys().copied().collect();
            let help = suggest::help(&name.text, "processes", all.iter().copied());
            self.error(&name.span, format!("there is no process `{}`", name.text), help);
        }
        found
    }

    /// The channel that is meant, if it is there.
    pub fn channel_of(&self, process: usize, sync: &Sync) -> Option<usize> {
        let name = &*sync.channel.text;
        match &sync.process {
            Some(owner) => {
                let owner = *self.shared.processes.get(&*owner.text)? as usize;
                self.processes[owner].scope.channels.get(name).copied()
            }
            None => {
                let own = self.processes[process].scope.channels.get(name);
                own.or_else(|| self.shared.channels.get(name)).copied()
            }
        }
    }

    /// The channel that is meant; an error if there is none.
    pub fn find_channel(&mut self, process: usize, sync: &Sync) -> Option<usize> {
        let found = self.channel_of(process, sync);
        if found.is_none() {
            let all: Vec<&str> = self.shared.channels.keys().copied().collect();
            let help = suggest::help(&sync.channel.text, "channels", all.iter().copied());
            self.error(&sync.channel.span, format!("there is no channel `{}`", sync.channel.text), help);
        }
        found
    }
}
