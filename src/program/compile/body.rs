//! The body of a proctype: statements become elements of its flow.

use super::flow::{Flow, Id, Idle, Jump, Kind, SeqId};
use super::types::{Item, Shape};
use super::{Compiler, LabelStates, Start, table};
use crate::program::data::{Action, Event, Run, Send, Setup, State};
use crate::program::expression::{Binary, Expression, Pattern, Place, Receive};
use crate::program::value::ValueType;
use crate::read::promela::source::Span;
use crate::read::promela::syntax::{
    Choice, Declaration, Expression as Ast, ExpressionKind, Initial, Name, Range, Reference, Sequence, Statement,
    StatementKind,
};
use rustc_hash::FxHashMap;

/// Ranges up to this are a choice among their values, larger ones a loop.
const LARGEST_CHOICE: i64 = 32;

/// All declarations of a sequence, nested ones too, in the order of the text.
pub fn declarations<'m>(sequence: &'m Sequence, out: &mut Vec<&'m Declaration>) {
    for statement in sequence {
        nested(statement, out);
    }
}

fn nested<'m>(statement: &'m Statement, out: &mut Vec<&'m Declaration>) {
    match &statement.kind {
        StatementKind::Declaration(declaration) => out.push(declaration),
        StatementKind::If(choices) | StatementKind::Do(choices) => {
            for choice in choices {
                declarations(&choice.body, out);
            }
        }
        StatementKind::For { body, .. }
        | StatementKind::Atomic(body)
        | StatementKind::DStep(body)
        | StatementKind::Block(body)
        | StatementKind::Inlined { body, .. } => declarations(body, out),
        StatementKind::Unless { body, escape } => {
            nested(body, out);
            nested(escape, out);
        }
        _ => {}
    }
}

/// Whether a statement has a meaning in a trace.
fn is_traceable(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Send { sorted, .. } => !sorted,
        StatementKind::Receive { random, keep, .. } => !random && !keep,
        StatementKind::If(_) | StatementKind::Do(_) | StatementKind::Goto(_) | StatementKind::Break => true,
        _ => false,
    }
}

/// What a body is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A proctype or `init`.
    Process,
    /// A `never` claim.
    Claim,
    /// A `trace`.
    Trace,
}

/// A block with the names that it declares.
pub struct Scope {
    /// Its number.
    pub number: usize,
    /// Names to variables.
    pub names: FxHashMap<Box<str>, usize>,
}

/// A body in the making.
pub struct Body<'c, 'm> {
    /// What is known of the model.
    pub compiler: &'c mut Compiler<'m>,
    /// Which proctype.
    pub number: usize,
    /// Open blocks, the innermost last.
    pub scopes: Vec<Scope>,
    /// What is done when the process starts.
    pub prologue: Vec<Setup>,
    /// When it may move.
    pub provided: Option<Expression>,
    flow: Flow,
    /// The block around each block.
    parents: Vec<usize>,
    /// Open loops, the innermost last.
    loops: Vec<usize>,
    /// Declarations so far: each variable has its number.
    declared: usize,
    /// No statement yet: declarations initialise once.
    leading: bool,
    role: Role,
    /// The events of a trace; a condition with their number stands for each.
    pub events: Vec<Event>,
}

impl<'c, 'm> Body<'c, 'm> {
    /// For a proctype.
    pub fn new(compiler: &'c mut Compiler<'m>, number: usize, role: Role) -> Self {
        let scopes = vec![Scope { number: 0, names: FxHashMap::default() }];
        Self {
            compiler,
            number,
            scopes,
            prologue: Vec::new(),
            provided: None,
            flow: Flow::default(),
            parents: vec![0],
            loops: Vec::new(),
            declared: 0,
            leading: true,
            role,
            events: Vec::new(),
        }
    }

    /// The automaton, and the states of the labels.
    pub fn finish(&mut self, end: u32) -> (Vec<State>, LabelStates) {
        let (parameters, body) = {
            let unfinished = &self.compiler.unfinished[self.number];
            (unfinished.parameters, unfinished.body)
        };
        for variable in parameters.iter().flat_map(|declaration| &declaration.variables) {
            if let Some(initial) = &variable.initial {
                let span = match initial {
                    Initial::Value(value) => value.span,
                    _ => variable.span,
                };
                self.compiler.error(span, "a parameter has no initial value");
            }
            self.declare(&variable.name);
        }
        if let Some(provided) = self.compiler.unfinished[self.number].provided {
            self.provided = Some(self.value(provided));
        }
        let top = self.flow.sequence();
        for statement in body {
            self.statement(statement, top);
        }
        self.flow.close(top);
        let span = self.compiler.unfinished[self.number].span;
        let last = self.flow.element(Kind::End, span);
        self.flow.append(last, top);
        let targets = self.jump_targets();
        let mut flow = std::mem::take(&mut self.flow);
        let facts = self.compiler.facts(self.number, &flow.labels);
        let compiler = &mut *self.compiler;
        let mut number = |at: Span| if at == span { end } else { compiler.statement(at) };
        let table = table::build(&mut flow, top, &targets, facts.as_ref(), &mut number);
        if let Some(span) = table.elses {
            self.compiler.error(span, "a selection has more than one `else`");
        }
        let state = |label: &super::flow::Label| (label.name.clone(), table.state_of.get(&label.element).copied());
        (table.states, flow.labels.iter().rev().map(state).collect())
    }

    fn jump_targets(&mut self) -> Vec<Id> {
        let mut targets = Vec::new();
        for (name, scope, span) in self.flow.jumps.clone() {
            let mut best = None;
            for label in self.flow.labels.iter().rev().filter(|label| label.name == name) {
                if label.scope == scope {
                    best = Some(label.element);
                    break;
                }
                if self.encloses(label.scope, scope) || best.is_none() {
                    best = Some(label.element);
                }
            }
            if best.is_none() {
                self.compiler.error(span, format!("there is no label `{name}`"));
            }
            targets.push(best.unwrap_or(0));
        }
        targets
    }

    fn encloses(&self, outer: usize, mut inner: usize) -> bool {
        while inner != 0 {
            if inner == outer {
                return true;
            }
            inner = self.parents[inner];
        }
        outer == 0
    }

    /// Makes the next declared variable known; tells its number.
    fn declare(&mut self, name: &Name) -> usize {
        let item = self.declared;
        self.declared += 1;
        let scope = self.scopes.last_mut().expect("the body's own scope is always open");
        if scope.names.insert(name.text.clone(), item).is_some() {
            self.compiler.error(name.span, format!("`{}` is declared twice", name.text));
        }
        item
    }

    fn open_scope(&mut self) {
        let parent = self.scopes.last().map_or(0, |scope| scope.number);
        self.parents.push(parent);
        self.scopes.push(Scope { number: self.parents.len() - 1, names: FxHashMap::default() });
    }

    fn scope(&self) -> usize {
        self.scopes.last().map_or(0, |scope| scope.number)
    }

    fn block(&mut self, body: &'m Sequence) -> SeqId {
        self.open_scope();
        let sequence = self.flow.sequence();
        self.leading = false;
        for statement in body {
            self.statement(statement, sequence);
        }
        self.filled(sequence);
        self.scopes.pop();
        sequence
    }

    /// Closes a sequence; SPIN wants at least one statement in it.
    fn filled(&mut self, sequence: SeqId) {
        if self.flow.sequences[sequence].first.is_none() {
            self.basic(Action::Skip, Span::default(), Idle::Skip, sequence);
        }
        self.flow.close(sequence);
    }

    fn basic(&mut self, action: Action, span: Span, idle: Idle, sequence: SeqId) -> Id {
        let element = self.flow.element(Kind::Basic(action), span);
        self.flow.elements[element].idle = idle;
        self.flow.append(element, sequence);
        element
    }

    fn label(&mut self, labels: &[Name], element: Id) {
        let scope = self.scope();
        for name in labels {
            self.flow.labels.push(super::flow::Label { name: name.text.clone(), scope, element });
        }
    }

    /// Appends a statement.
    fn statement(&mut self, statement: &'m Statement, sequence: SeqId) {
        let span = statement.span;
        if self.role == Role::Trace && !is_traceable(&statement.kind) {
            self.compiler.error(span, "only sends `!` and receives `?` can stand in a trace");
            return;
        }
        let element = match &statement.kind {
            StatementKind::Declaration(declaration) => {
                self.declaration(declaration, sequence);
                return;
            }
            StatementKind::Exclusive { .. } => return,
            StatementKind::If(choices) => {
                self.leading = false;
                let options = self.options(choices);
                self.flow.select(options, None, span, sequence)
            }
            StatementKind::Do(choices) => {
                self.leading = false;
                let number = self.open_loop();
                let options = self.options(choices);
                self.loops.pop();
                self.flow.select(options, Some(number), span, sequence)
            }
            StatementKind::For { variable, over, body } => self.repeat(variable, over, body, span, sequence),
            StatementKind::Select { variable, from, to } => self.select(variable, from, to, span, sequence),
            StatementKind::Unless { body, escape } => {
                self.leading = false;
                self.unless(&statement.labels, body, escape, span, sequence);
                return;
            }
            StatementKind::Atomic(body) => {
                let inner = self.block(body);
                self.flow.make_atomic(inner, false);
                self.plain(&statement.labels, Kind::Atomic(inner), span, sequence);
                return;
            }
            StatementKind::DStep(body) => {
                let inner = self.block(body);
                self.flow.make_atomic(inner, true);
                self.plain(&statement.labels, Kind::DStep(inner), span, sequence);
                return;
            }
            StatementKind::Block(body) | StatementKind::Inlined { body, .. } => {
                let inner = self.block(body);
                self.plain(&statement.labels, Kind::Plain(inner), span, sequence);
                return;
            }
            StatementKind::Goto(label) => {
                self.leading = false;
                self.flow.jumps.push((label.text.clone(), self.scope(), label.span));
                let jump = Kind::Goto(Jump::Label(self.flow.jumps.len() - 1));
                self.jump(&statement.labels, jump, span, sequence);
                return;
            }
            StatementKind::Break => {
                self.leading = false;
                let Some(&number) = self.loops.last() else {
                    self.compiler.error(span, "`break` outside of a loop");
                    return;
                };
                self.jump(&statement.labels, Kind::Goto(Jump::Loop(number)), span, sequence);
                return;
            }
            StatementKind::Else => {
                self.plain(&statement.labels, Kind::Else, span, sequence);
                return;
            }
            _ => {
                self.leading = false;
                let (action, idle) = self.action(statement);
                self.basic(action, span, idle, sequence)
            }
        };
        self.label(&statement.labels, element);
    }

    /// Appends an element with its labels.
    fn plain(&mut self, labels: &[Name], kind: Kind, span: Span, sequence: SeqId) {
        let element = self.flow.element(kind, span);
        self.label(labels, element);
        self.flow.append(element, sequence);
    }

    fn jump(&mut self, labels: &[Name], kind: Kind, span: Span, sequence: SeqId) {
        let number = self.number as u32;
        let watched = labels.iter().any(|label| self.compiler.watched.contains(&(number, label.text.clone())));
        if watched {
            // Others look whether the process is at this label, so there must be a state.
            let skip = self.basic(Action::Skip, span, Idle::Skip, sequence);
            self.label(labels, skip);
            self.plain(&[], kind, span, sequence);
        } else {
            self.plain(labels, kind, span, sequence);
        }
    }

    fn open_loop(&mut self) -> usize {
        self.flow.exits.push(0);
        self.loops.push(self.flow.exits.len() - 1);
        self.flow.exits.len() - 1
    }

    fn options(&mut self, choices: &'m [Choice]) -> Vec<SeqId> {
        let mut options = Vec::new();
        let mut elses = 0;
        for choice in choices {
            let option = self.flow.sequence();
            for statement in &choice.body {
                self.statement(statement, option);
            }
            self.filled(option);
            let first = self.flow.sequences[option].first;
            if first.is_some_and(|first| self.flow.elements[first].kind == Kind::Else) {
                elses += 1;
                if elses > 1 {
                    self.compiler.error(choice.span, "a selection has more than one `else`");
                }
            }
            options.push(option);
        }
        if self.role == Role::Process {
            for &option in &options {
                self.flow.prune(option);
            }
        }
        options
    }

    /// `body unless escape`; a label goes to the whole.
    fn unless(&mut self, labels: &[Name], body: &'m Statement, escape: &'m Statement, span: Span, sequence: SeqId) {
        let labels: Vec<Name> = labels.iter().chain(&body.labels).cloned().collect();
        if labels.is_empty() {
            let (first, second) = (self.part(body), self.part(escape));
            self.flow.unless(first, second, span, sequence);
            return;
        }
        let (first, second) = match &body.kind {
            StatementKind::Atomic(inner) => {
                let inner = self.block(inner);
                self.flow.make_atomic(inner, false);
                (inner, self.part(escape))
            }
            StatementKind::DStep(_) => {
                self.compiler.unsupported(span, "`unless` on a labelled `d_step`");
                return;
            }
            _ => (self.part(body), self.part(escape)),
        };
        let wrapped = self.flow.sequence();
        self.flow.unless(first, second, span, wrapped);
        self.flow.close(wrapped);
        let kind =
            if matches!(body.kind, StatementKind::Atomic(_)) { Kind::Atomic(wrapped) } else { Kind::Plain(wrapped) };
        self.plain(&labels, kind, span, sequence);
    }

    /// One side of an `unless`: a block gives its sequence, anything else is one of its own.
    fn part(&mut self, statement: &'m Statement) -> SeqId {
        if let StatementKind::Block(body) | StatementKind::Inlined { body, .. } = &statement.kind {
            return self.block(body);
        }
        let sequence = self.flow.sequence();
        match &statement.kind {
            // Its labels, if it has any, were given to the whole.
            StatementKind::Atomic(body) => {
                let inner = self.block(body);
                self.flow.make_atomic(inner, false);
                self.plain(&[], Kind::Atomic(inner), statement.span, sequence);
            }
            _ => self.statement(statement, sequence),
        }
        self.filled(sequence);
        sequence
    }

    fn declaration(&mut self, declaration: &'m Declaration, sequence: SeqId) {
        for variable in &declaration.variables {
            // The initial value does not see the variable itself, but an outer one of the same name.
            let number = self.declared;
            let item = self.compiler.unfinished[self.number].items[number].clone();
            if self.leading {
                let mut setups = Vec::new();
                self.compiler.initials(&item, item.offset, variable.initial.as_ref(), &mut setups);
                for (cell, start) in setups {
                    let setup = start.setup(cell, |value| self.value(value));
                    self.prologue.push(setup);
                }
                self.declare(&variable.name);
                continue;
            }
            let value = match &variable.initial {
                None => Expression::Number(0),
                Some(Initial::Value(value)) => self.value(value),
                Some(Initial::List(_)) => {
                    self.compiler.error(variable.span, "a list of initial values must be at the start of the proctype");
                    Expression::Number(0)
                }
                Some(Initial::Channel(channel)) => {
                    self.compiler.error(channel.span, "a channel must be made at the start of the proctype");
                    Expression::Number(0)
                }
            };
            self.declare(&variable.name);
            let ty = match &item.shape {
                Shape::Scalar(ty) => *ty,
                Shape::Channel => ValueType::Unsigned(8),
                Shape::Record(_) => {
                    let mut setups: Vec<(u32, Start<'m>)> = Vec::new();
                    self.compiler.initials(&item, item.offset, None, &mut setups);
                    for (cell, start) in setups {
                        let setup = start.setup(cell, |value| self.value(value));
                        self.prologue.push(setup);
                    }
                    // A step that does nothing: SPIN does not set records here.
                    self.basic(Action::Skip, variable.span, Idle::No, sequence);
                    continue;
                }
            };
            if let (Some(length), Some(Initial::Value(_))) = (item.length, &variable.initial) {
                // All elements are set when the process starts, only the first one when control comes here.
                self.prologue.extend((0..length).map(|at| Setup::Value(item.offset + at, value.clone())));
            }
            let place = Place { local: true, offset: item.offset, indices: Box::new([]), ty };
            self.basic(Action::Assign(Some(place), value), variable.span, Idle::No, sequence);
        }
    }

    fn assign(&mut self, target: &Reference, value: Expression, span: Span, sequence: SeqId) {
        let place = self.target(target);
        self.basic(Action::Assign(place, value), span, Idle::No, sequence);
    }

    fn increment(&mut self, target: &Reference, span: Span, sequence: SeqId) {
        let value = Expression::binary(Binary::Add, self.read(target), Expression::Number(1));
        self.assign(target, value, span, sequence);
    }

    /// `for`: the start value, then a loop. Gives the element for a label.
    fn repeat(
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
        let pattern = crate::read::promela::syntax::Pattern::Reference(variable.clone());
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
    fn select(&mut self, variable: &'m Reference, from: &'m Ast, to: &'m Ast, span: Span, sequence: SeqId) -> Id {
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
    fn action(&mut self, statement: &'m Statement) -> (Action, Idle) {
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
