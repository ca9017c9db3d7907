//! Statements that are one step: what each does.

use super::{Body, Role};
use crate::compile::flow::Idle;
use crate::data::{Action, Event, Run, Send};
use crate::expression::{Binary, Expression, Pattern, Receive};
use prequel_formats::promela::syntax::{Expression as Ast, ExpressionKind, Statement, StatementKind};

impl<'m> Body<'_, 'm> {
    /// A send or receive of a trace. Variables match everything, as in SPIN.
    fn event(&mut self, kind: &'m StatementKind) -> Option<Action> {
        let (send, channel, fields): (_, _, Box<[_]>) = match kind {
            StatementKind::Send { channel, arguments, .. } => {
                let constant = |argument: &Ast| self.compiler.literal(argument).map(Expression::Number);
                (true, channel, arguments.iter().map(constant).collect())
            }
            StatementKind::Receive { channel, arguments, .. } => {
                let receive = self.receive(channel, false, false, arguments, false);
                let wanted = receive.patterns.into_iter().map(|pattern| match pattern {
                    Pattern::Match(value) => Some(value),
                    Pattern::Store(_) | Pattern::Ignore => None,
                });
                (false, channel, wanted.collect())
            }
            _ => return None,
        };
        let channel = self.read(channel);
        self.events.push(Event { send, channel, fields });
        Some(Action::Condition(Expression::Number(self.events.len() as i32 - 1)))
    }

    /// A statement that is one step.
    pub(super) fn action(&mut self, statement: &'m Statement) -> (Action, Idle) {
        if self.role == Role::Trace
            && let Some(event) = self.event(&statement.kind)
        {
            return (event, Idle::No);
        }
        let action = match &statement.kind {
            StatementKind::Assign { target, value } => {
                if let Some(run) = self.run(value) {
                    let into = self.target(target);
                    Action::Run(Box::new(Run { into, ..run }))
                } else if matches!(&target.parts[..], [only] if &*only.name.text == "_priority") {
                    self.compiler.priorities.get_or_insert(statement.span);
                    Action::SetPriority(Box::new((Expression::Pid, self.value(value))))
                } else {
                    let value = self.value(value);
                    Action::Assign(self.target(target), value)
                }
            }
            StatementKind::Increment(target) => {
                let before = self.peek(target);
                let value = Expression::binary(Binary::Add, before, Expression::Number(1));
                Action::Assign(self.target(target), value)
            }
            StatementKind::Decrement(target) => {
                let before = self.peek(target);
                let value = Expression::binary(Binary::Subtract, before, Expression::Number(1));
                Action::Assign(self.target(target), value)
            }
            StatementKind::Condition(value) => {
                if let Some(run) = self.run(value) {
                    Action::Run(Box::new(run))
                } else {
                    match self.value(value) {
                        Expression::Number(1) if matches!(&*value.kind, ExpressionKind::Number(1)) => {
                            return (Action::Skip, Idle::Skip);
                        }
                        value => Action::Condition(value),
                    }
                }
            }
            StatementKind::Send { channel, sorted, arguments } => {
                let channel = self.read(channel);
                let mut values = Vec::new();
                for argument in arguments {
                    self.argument(argument, &mut values);
                }
                Action::Send(Box::new(Send { guard: None, channel, sorted: *sorted, arguments: values.into() }))
            }
            StatementKind::Receive { channel, random, keep, arguments } => {
                let receive: Receive = self.receive(channel, *random, *keep, arguments, true);
                Action::Receive(Box::new(receive))
            }
            StatementKind::Assert(value) => Action::Assert(self.value(value)),
            StatementKind::Printf { arguments, .. } => return (Action::Print(self.printed(arguments)), Idle::Print),
            StatementKind::Printm(value) => {
                return (Action::Print(self.printed(std::slice::from_ref(value))), Idle::Print);
            }
            StatementKind::SetPriority { process, priority } => {
                self.compiler.priorities.get_or_insert(statement.span);
                Action::SetPriority(Box::new((self.value(process), self.value(priority))))
            }
            _ => Action::Skip,
        };
        (action, Idle::No)
    }

    /// Values that are only printed: that is no use of a variable, unless printing can go wrong.
    fn printed(&mut self, values: &'m [Ast]) -> Box<[Expression]> {
        let value = |value: &'m Ast| match &*value.kind {
            ExpressionKind::Reference(reference) => self.peek(reference),
            _ => self.value(value),
        };
        values.iter().map(value).collect()
    }

    fn run(&mut self, value: &'m Ast) -> Option<Run> {
        let ExpressionKind::Run { process, arguments, priority } = &*value.kind else { return None };
        let priority = self.compiler.priority(priority.as_ref());
        let proctype = self.compiler.proctype_number(process)?;
        let mut values = Vec::new();
        for argument in arguments {
            self.argument(argument, &mut values);
        }
        let parameters = self.compiler.unfinished[proctype as usize].parameters;
        let wanted: usize = parameters.iter().map(|declaration| declaration.variables.len()).sum();
        if wanted != arguments.len() {
            let message = format!("`{}` has {wanted} parameters, {} are given", process.text, arguments.len());
            self.compiler.error(process.span, message);
        }
        Some(Run { proctype, arguments: values.into(), priority, into: None })
    }
}
