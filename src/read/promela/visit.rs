//! Every expression of a model, with the statement in which it stands.

use super::source::Span;
use super::syntax::{
    Declaration, Expression, ExpressionKind, Initial, Part, Pattern, Range, Reference, Statement, StatementKind, Unit,
};

/// Shows every expression of a unit, those inside of others after these, and the innermost statement around it.
pub fn expressions<'m>(unit: &'m Unit, see: &mut impl FnMut(&'m Expression, Option<Span>)) {
    let mut visit = Visit { see, statement: None };
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

struct Visit<'v, F> {
    see: &'v mut F,
    statement: Option<Span>,
}

impl<'m, F: FnMut(&'m Expression, Option<Span>)> Visit<'_, F> {
    fn sequence(&mut self, sequence: &'m [Statement]) {
        sequence.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'m Statement) {
        let outer = self.statement.replace(statement.span);
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
                self.sequence(body);
            }
            StatementKind::Select { variable, from, to } => {
                self.reference(variable);
                [from, to].into_iter().for_each(|value| self.value(value));
            }
            StatementKind::Atomic(body)
            | StatementKind::DStep(body)
            | StatementKind::Block(body)
            | StatementKind::Inlined { body, .. } => self.sequence(body),
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
        self.statement = outer;
    }

    fn declaration(&mut self, declaration: &'m Declaration) {
        for variable in &declaration.variables {
            variable.size.iter().for_each(|size| self.value(size));
            match &variable.initial {
                Some(Initial::Value(value)) => self.value(value),
                Some(Initial::List(values)) => values.iter().for_each(|value| self.value(value)),
                Some(Initial::Channel(channel)) => self.value(&channel.capacity),
                None => {}
            }
        }
    }

    fn reference(&mut self, reference: &'m Reference) {
        reference.parts.iter().for_each(|part| self.part(part));
    }

    fn part(&mut self, part: &'m Part) {
        part.index.iter().for_each(|index| self.value(index));
    }

    fn pattern(&mut self, pattern: &'m Pattern) {
        match pattern {
            Pattern::Reference(reference) => self.reference(reference),
            Pattern::Eval(value) => self.value(value),
            Pattern::Number { .. } => {}
        }
    }

    fn value(&mut self, value: &'m Expression) {
        (self.see)(value, self.statement);
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
            ExpressionKind::Run { arguments, priority, .. } => {
                arguments.iter().chain(priority).for_each(|value| self.value(value));
            }
            ExpressionKind::Poll { channel, arguments, .. } => {
                self.reference(channel);
                arguments.iter().for_each(|pattern| self.pattern(pattern));
            }
            ExpressionKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| self.value(pid)),
            ExpressionKind::RemoteVariable { pid, variable, .. } => {
                pid.iter().for_each(|pid| self.value(pid));
                self.part(variable);
            }
        }
    }
}
