//! Names that nothing declares: where a keyword is misspelt, it usually reads as a variable.
//!
//! A name must be declared before its use, in the text or in a block around it; formulas know all globals.

use super::Fault;
use super::lexer::RESERVED;
use super::source::Sources;
use super::syntax::{
    Declaration, Expression, ExpressionKind, Initial, Name, Pattern, Range, Reference, Sequence, Statement,
    StatementKind, Unit,
};
use crate::read::suggest::nearest;
use rustc_hash::FxHashSet;

/// Names that are always there.
const PREDEFINED: [&str; 6] = ["_", "_pid", "_nr_pr", "_last", "_priority", "STDIN"];

/// Reports every use of a name that is not declared, in the units and in a goal.
pub fn check(units: &[Unit], goal: Option<&Expression>, sources: &Sources, faults: &mut Vec<Fault>) {
    let processes = units.iter().filter_map(|unit| match unit {
        Unit::Proctype(process) => Some(&*process.name.text),
        _ => None,
    });
    let globals = PREDEFINED.into_iter().collect();
    let mut run =
        Run { sources, faults, processes: processes.collect(), scopes: vec![globals], reported: FxHashSet::default() };
    for unit in units {
        run.unit(unit);
    }
    // SPIN reads formulas last.
    for unit in units {
        if let Unit::Ltl(ltl) = unit {
            ltl.formula.atoms(&mut |atom| run.expression(atom));
        }
    }
    if let Some(goal) = goal {
        run.expression(goal);
    }
}

struct Run<'a, 'f> {
    sources: &'a Sources,
    faults: &'f mut Vec<Fault>,
    processes: FxHashSet<&'a str>,
    /// Declared names, the innermost block last.
    scopes: Vec<FxHashSet<&'a str>>,
    /// One report per name is enough.
    reported: FxHashSet<&'a str>,
}

impl<'a> Run<'a, '_> {
    fn unit(&mut self, unit: &'a Unit) {
        match unit {
            Unit::Mtype(mtype) => mtype.constants.iter().for_each(|name| self.declare(name)),
            Unit::Typedef(typedef) => {
                // Fields are names of the type only; their sizes and values are looked at.
                self.scopes.push(FxHashSet::default());
                typedef.fields.iter().for_each(|field| self.declaration(field));
                self.scopes.pop();
            }
            Unit::Declaration(declaration) => self.declaration(declaration),
            Unit::Proctype(process) => {
                self.scopes.push(FxHashSet::default());
                process.parameters.iter().for_each(|parameter| self.declaration(parameter));
                process.provided.iter().for_each(|condition| self.expression(condition));
                self.sequence(&process.body);
                self.scopes.pop();
            }
            Unit::Init(init) => self.block(&init.body),
            Unit::Never(never) => self.block(&never.body),
            Unit::Trace(trace) => self.block(&trace.body),
            Unit::Ltl(_) | Unit::Inline(_) => {}
        }
    }

    fn declare(&mut self, name: &'a Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(&name.text);
        }
    }

    fn declaration(&mut self, declaration: &'a Declaration) {
        for variable in &declaration.variables {
            variable.size.iter().for_each(|size| self.expression(size));
            match &variable.initial {
                Some(Initial::Value(value)) => self.expression(value),
                Some(Initial::List(list)) => list.iter().for_each(|value| self.expression(value)),
                Some(Initial::Channel(channel)) => self.expression(&channel.capacity),
                None => {}
            }
            self.declare(&variable.name);
        }
    }

    fn block(&mut self, body: &'a Sequence) {
        self.scopes.push(FxHashSet::default());
        self.sequence(body);
        self.scopes.pop();
    }

    fn sequence(&mut self, body: &'a Sequence) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Declaration(declaration) => self.declaration(declaration),
            StatementKind::Exclusive { channels, .. } => channels.iter().for_each(|channel| self.reference(channel)),
            StatementKind::Assign { target, value } => {
                self.reference(target);
                self.expression(value);
            }
            StatementKind::Increment(target) | StatementKind::Decrement(target) => self.reference(target),
            StatementKind::Condition(value) | StatementKind::Assert(value) | StatementKind::Printm(value) => {
                self.expression(value);
            }
            StatementKind::Send { channel, arguments, .. } => {
                self.reference(channel);
                arguments.iter().for_each(|argument| self.expression(argument));
            }
            StatementKind::Receive { channel, arguments, .. } => {
                self.reference(channel);
                self.patterns(arguments);
            }
            StatementKind::If(choices) | StatementKind::Do(choices) => {
                choices.iter().for_each(|choice| self.sequence(&choice.body));
            }
            StatementKind::For { variable, over, body } => {
                self.reference(variable);
                match over {
                    Range::Numbers { from, to } => {
                        self.expression(from);
                        self.expression(to);
                    }
                    Range::In(array) => self.reference(array),
                }
                self.block(body);
            }
            StatementKind::Select { variable, from, to } => {
                self.reference(variable);
                self.expression(from);
                self.expression(to);
            }
            StatementKind::Atomic(body)
            | StatementKind::DStep(body)
            | StatementKind::Block(body)
            | StatementKind::Inlined { body, .. } => self.block(body),
            StatementKind::Unless { body, escape } => {
                self.statement(body);
                self.statement(escape);
            }
            StatementKind::Printf { arguments, .. } => arguments.iter().for_each(|argument| self.expression(argument)),
            StatementKind::SetPriority { process, priority } => {
                self.expression(process);
                self.expression(priority);
            }
            StatementKind::Goto(_) | StatementKind::Break | StatementKind::Else => {}
        }
    }

    fn patterns(&mut self, patterns: &'a [Pattern]) {
        for pattern in patterns {
            match pattern {
                Pattern::Reference(reference) => self.reference(reference),
                Pattern::Eval(value) => self.expression(value),
                Pattern::Number { .. } => {}
            }
        }
    }

    fn expression(&mut self, expression: &'a Expression) {
        match &*expression.kind {
            ExpressionKind::Number(_) | ExpressionKind::Timeout | ExpressionKind::NonProgress => {}
            ExpressionKind::Reference(reference)
            | ExpressionKind::Length(reference)
            | ExpressionKind::Probe(_, reference) => self.reference(reference),
            ExpressionKind::Unary(_, operand)
            | ExpressionKind::Enabled(operand)
            | ExpressionKind::PcValue(operand)
            | ExpressionKind::GetPriority(operand) => self.expression(operand),
            ExpressionKind::Binary(_, a, b) => {
                self.expression(a);
                self.expression(b);
            }
            ExpressionKind::Conditional { condition, yes, no } => {
                [condition, yes, no].into_iter().for_each(|part| self.expression(part));
            }
            ExpressionKind::Run { process, arguments, .. } => {
                self.process(process);
                arguments.iter().for_each(|argument| self.expression(argument));
            }
            ExpressionKind::Poll { channel, arguments, .. } => {
                self.reference(channel);
                self.patterns(arguments);
            }
            ExpressionKind::RemoteLabel { process, pid, .. } => {
                self.process(process);
                pid.iter().for_each(|pid| self.expression(pid));
            }
            // The variable is one of that process.
            ExpressionKind::RemoteVariable { process, pid, variable } => {
                self.process(process);
                pid.iter().chain(&variable.index).for_each(|part| self.expression(part));
            }
        }
    }

    fn reference(&mut self, reference: &'a Reference) {
        reference.parts.iter().filter_map(|part| part.index.as_ref()).for_each(|index| self.expression(index));
        let Some(first) = reference.parts.first() else { return };
        if !self.scopes.iter().any(|scope| scope.contains(&*first.name.text)) {
            let near = {
                let known = self.scopes.iter().flatten().copied().filter(|name| !PREDEFINED.contains(name));
                nearest(&first.name.text, known.chain(RESERVED)).first().map(|near| format!("did you mean `{near}`?"))
            };
            let help = near.unwrap_or_else(|| "declare it before its use".into());
            self.report(&first.name, format!("`{}` is not declared", first.name.text), help);
        }
    }

    fn process(&mut self, name: &'a Name) {
        if !self.processes.contains(&*name.text) {
            let near = nearest(&name.text, self.processes.iter().copied())
                .first()
                .map(|near| format!("did you mean `{near}`?"));
            let help = near.unwrap_or_else(|| "define it with `proctype`".into());
            self.report(name, format!("there is no proctype `{}`", name.text), help);
        }
    }

    fn report(&mut self, name: &'a Name, message: String, help: String) {
        if let Some(origin) = self.sources.origin(name.span.first)
            && self.reported.insert(&name.text)
        {
            self.faults.push(Fault::new(*origin, message, help));
        }
    }
}
