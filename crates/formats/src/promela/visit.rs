//! One walk through the tree of a model, for whoever looks for something in it; and every expression of a model, with the
//! statement in which it stands.

use super::source::Span;
use super::syntax::{
    Declaration, Expression, ExpressionKind, Initial, Name, Pattern, Range, Reference, Sequence, Statement,
    StatementKind, Unit,
};

/// Is shown a tree in the order of the text. What it does not look at is only walked through.
pub trait Visitor<'m>: Sized {
    /// A statement.
    fn statement(&mut self, statement: &'m Statement) {
        self.inside_statement(statement);
    }

    /// A sequence that is a block of its own.
    fn block(&mut self, body: &'m Sequence) {
        self.sequence(body);
    }

    /// A variable, behind its size and what it starts as.
    fn declared(&mut self, _: &'m Name) {}

    /// An expression, before those inside of it.
    fn value(&mut self, value: &'m Expression) {
        self.inside_value(value);
    }

    /// The use of a variable, behind its indices.
    fn variable(&mut self, _: &'m Name) {}

    /// The use of a proctype.
    fn process(&mut self, _: &'m Name) {}

    /// Walks through statements.
    fn sequence(&mut self, sequence: &'m Sequence) {
        sequence.iter().for_each(|statement| self.statement(statement));
    }

    /// Walks through a declaration.
    fn declaration(&mut self, declaration: &'m Declaration) {
        for variable in &declaration.variables {
            variable.size.iter().for_each(|size| self.value(size));
            match &variable.initial {
                Some(Initial::Value(value)) => self.value(value),
                Some(Initial::List(values)) => values.iter().for_each(|value| self.value(value)),
                Some(Initial::Channel(channel)) => self.value(&channel.capacity),
                None => {}
            }
            self.declared(&variable.name);
        }
    }

    /// Walks through what is inside of a statement.
    fn inside_statement(&mut self, statement: &'m Statement) {
        match &statement.kind {
            StatementKind::Declaration(declaration) => self.declaration(declaration),
            StatementKind::Exclusive { channels, .. } => channels.iter().for_each(|channel| self.reference(channel)),
            StatementKind::Assign { target, value } => {
                self.reference(target);
                self.value(value);
            }
            StatementKind::Increment(target) | StatementKind::Decrement(target) => self.reference(target),
            StatementKind::Condition(value) | StatementKind::Assert(value) | StatementKind::Printm(value) => {
                self.value(value);
            }
            StatementKind::Send { channel, arguments, .. } => {
                self.reference(channel);
                arguments.iter().for_each(|value| self.value(value));
            }
            StatementKind::Receive { channel, arguments, .. } => {
                self.reference(channel);
                arguments.iter().for_each(|pattern| self.pattern(pattern));
            }
            StatementKind::If(choices) | StatementKind::Do(choices) => {
                choices.iter().for_each(|choice| self.sequence(&choice.body));
            }
            StatementKind::For { variable, over, body } => {
                self.reference(variable);
                match over {
                    Range::Numbers { from, to } => [from, to].into_iter().for_each(|value| self.value(value)),
                    Range::In(reference) => self.reference(reference),
                }
                self.block(body);
            }
            StatementKind::Select { variable, from, to } => {
                self.reference(variable);
                [from, to].into_iter().for_each(|value| self.value(value));
            }
            StatementKind::Atomic(body)
            | StatementKind::DStep(body)
            | StatementKind::Block(body)
            | StatementKind::Inlined { body, .. } => self.block(body),
            StatementKind::Unless { body, escape } => {
                self.statement(body);
                self.statement(escape);
            }
            StatementKind::Printf { arguments, .. } => arguments.iter().for_each(|value| self.value(value)),
            StatementKind::SetPriority { process, priority } => {
                [process, priority].into_iter().for_each(|value| self.value(value));
            }
            StatementKind::Goto(_) | StatementKind::Break | StatementKind::Else => {}
        }
    }

    /// Walks through a reference.
    fn reference(&mut self, reference: &'m Reference) {
        reference.parts.iter().filter_map(|part| part.index.as_ref()).for_each(|index| self.value(index));
        reference.parts.iter().take(1).for_each(|first| self.variable(&first.name));
    }

    /// Walks through a field of a receive.
    fn pattern(&mut self, pattern: &'m Pattern) {
        match pattern {
            Pattern::Reference(reference) => self.reference(reference),
            Pattern::Eval(value) => self.value(value),
            Pattern::Number { .. } => {}
        }
    }

    /// Walks through what is inside of an expression.
    fn inside_value(&mut self, value: &'m Expression) {
        match &*value.kind {
            ExpressionKind::Number(_) | ExpressionKind::Timeout | ExpressionKind::NonProgress => {}
            ExpressionKind::Reference(reference)
            | ExpressionKind::Length(reference)
            | ExpressionKind::Probe(_, reference) => self.reference(reference),
            ExpressionKind::Unary(_, a)
            | ExpressionKind::Enabled(a)
            | ExpressionKind::PcValue(a)
            | ExpressionKind::GetPriority(a) => self.value(a),
            ExpressionKind::Binary(_, a, b) => [a, b].into_iter().for_each(|value| self.value(value)),
            ExpressionKind::Conditional { condition, yes, no } => {
                [condition, yes, no].into_iter().for_each(|value| self.value(value));
            }
            ExpressionKind::Run { process, arguments, priority } => {
                self.process(process);
                arguments.iter().chain(priority).for_each(|value| self.value(value));
            }
            ExpressionKind::Poll { channel, arguments, .. } => {
                self.reference(channel);
                arguments.iter().for_each(|pattern| self.pattern(pattern));
            }
            ExpressionKind::RemoteLabel { process, pid, .. } => {
                self.process(process);
                pid.iter().for_each(|pid| self.value(pid));
            }
            // The variable is one of that process.
            ExpressionKind::RemoteVariable { process, pid, variable } => {
                self.process(process);
                pid.iter().chain(&variable.index).for_each(|value| self.value(value));
            }
        }
    }
}

/// Shows every expression of a unit, those inside of others after these, and the innermost statement around it.
pub fn expressions<'m>(unit: &'m Unit, see: &mut impl FnMut(&'m Expression, Option<Span>)) {
    let mut visit = Expressions { see, statement: None };
    match unit {
        Unit::Mtype(_) | Unit::Inline(_) => {}
        Unit::Typedef(typedef) => typedef.fields.iter().for_each(|field| visit.declaration(field)),
        Unit::Declaration(declaration) => visit.declaration(declaration),
        Unit::Proctype(proctype) => {
            let active = proctype.active.iter().filter_map(|active| active.count.as_ref());
            active.chain(&proctype.priority).chain(&proctype.provided).for_each(|value| visit.value(value));
            proctype.parameters.iter().for_each(|declaration| visit.declaration(declaration));
            visit.sequence(&proctype.body);
        }
        Unit::Init(init) => visit.sequence(&init.body),
        Unit::Never(never) => visit.sequence(&never.body),
        Unit::Trace(trace) => visit.sequence(&trace.body),
        Unit::Ltl(ltl) => ltl.formula.atoms(&mut |value| visit.value(value)),
    }
}

struct Expressions<'v, F> {
    see: &'v mut F,
    statement: Option<Span>,
}

impl<'m, F: FnMut(&'m Expression, Option<Span>)> Visitor<'m> for Expressions<'_, F> {
    fn statement(&mut self, statement: &'m Statement) {
        let outer = self.statement.replace(statement.span);
        self.inside_statement(statement);
        self.statement = outer;
    }

    fn value(&mut self, value: &'m Expression) {
        (self.see)(value, self.statement);
        self.inside_value(value);
    }
}
