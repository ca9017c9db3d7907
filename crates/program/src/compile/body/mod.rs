//! The body of a proctype: statements become elements of its flow.

mod action;
mod loops;

use super::declare::Start;
use super::flow::{Flow, Id, Idle, Jump, Kind, SeqId};
use super::types::Shape;
use super::{Compiler, LabelStates, table};
use crate::data::{Action, Event, Setup, State};
use crate::expression::{Expression, Place};
use crate::value::ValueType;
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{
    Choice, Declaration, Expression as Ast, ExpressionKind, Initial, Name, Sequence, Statement, StatementKind,
};
use prequel_formats::promela::visit::Visitor;
use rustc_hash::FxHashMap;

/// All declarations of a sequence, nested ones too, in the order of the text.
pub fn declarations<'m>(sequence: &'m Sequence, out: &mut Vec<&'m Declaration>) {
    Declarations(out).sequence(sequence);
}

struct Declarations<'o, 'm>(&'o mut Vec<&'m Declaration>);

impl<'m> Visitor<'m> for Declarations<'_, 'm> {
    fn declaration(&mut self, declaration: &'m Declaration) {
        self.0.push(declaration);
    }

    /// There is none inside of an expression.
    fn value(&mut self, _: &'m Ast) {}
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

/// Whether a statement has a meaning in a claim.
fn is_claimable(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Send { .. } | StatementKind::Receive { .. } => false,
        StatementKind::Condition(value) | StatementKind::Assign { value, .. } => {
            !matches!(&*value.kind, ExpressionKind::Run { .. })
        }
        _ => true,
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
    /// What it is the body of.
    pub role: Role,
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
        if self.role == Role::Claim && !is_claimable(&statement.kind) {
            let found = self.compiler.finding(span, "a claim looks at the program and takes no part in it".into());
            self.compiler.errors.push(found.help("poll a channel with `c?[…]`, and let a process do the rest"));
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
                Shape::Channel => ValueType::Channel,
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
}
