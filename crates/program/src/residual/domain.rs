//! The values that variables and messages can have, as far as the statements tell: never fewer than they do have.

use super::plan::Variable;
use crate::data::{Action, Node, Program, Setup};
use crate::expression::{Expression, Pattern, Place, Receive};
use crate::value::ValueType;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Larger sets of values count as unknown.
const MOST_VALUES: usize = 32;

/// The values that something can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// One of these.
    Of(BTreeSet<i32>),
    /// Nobody knows.
    Any,
}

impl Domain {
    /// One value.
    pub fn one(value: i32) -> Self {
        Domain::Of(BTreeSet::from([value]))
    }

    fn none() -> Self {
        Domain::Of(BTreeSet::new())
    }

    /// What cells of a type that are only looked at can have.
    fn of_type(ty: ValueType) -> Self {
        if ty == ValueType::Unsigned(1) { Domain::Of(BTreeSet::from([0, 1])) } else { Domain::Any }
    }

    /// The values, if they are known and not too many.
    pub fn values(&self, most: usize) -> Option<&BTreeSet<i32>> {
        match self {
            Domain::Of(values) if values.len() <= most => Some(values),
            _ => None,
        }
    }

    /// What is left of the values in a cell of a type.
    fn stored(self, ty: ValueType) -> Self {
        match self {
            Domain::Of(values) => Domain::Of(values.into_iter().map(|value| ty.store(value)).collect()),
            Domain::Any => Domain::of_type(ty),
        }
    }

    /// Takes more values in; tells whether that changes anything.
    fn join(&mut self, other: &Domain, widen: bool) -> bool {
        let Domain::Of(values) = self else { return false };
        let before = values.len();
        match other {
            Domain::Of(more) => values.extend(more),
            Domain::Any => {
                *self = Domain::Any;
                return true;
            }
        }
        let grown = values.len() > before;
        if values.len() > MOST_VALUES || grown && widen {
            *self = Domain::Any;
        }
        grown
    }
}

/// After so many rounds what still grows counts as unknown.
pub const ROUNDS: usize = 6;

/// A variable of the program: of everybody, or of processes of one kind.
type Owned = (Option<u32>, u32);

/// The domains of a program.
#[derive(Clone, Debug)]
pub struct Domains<'a> {
    program: &'a Program,
    variables: FxHashMap<Owned, Domain>,
    /// By channel and field; of channels that are not known by name under zero.
    fields: FxHashMap<(i32, usize), Domain>,
    /// The numbers of processes, by their kind.
    pids: Vec<Domain>,
    /// Whether something was added since the last look.
    pub changed: bool,
    /// What still grows now is unknown.
    pub widen: bool,
}

impl<'a> Domains<'a> {
    /// What is known before any statement was looked at.
    pub fn new(program: &'a Program, pids: Vec<Domain>) -> Self {
        let (variables, fields) = Default::default();
        let mut domains = Self { program, variables, fields, pids, changed: false, widen: false };
        for (cell, &value) in program.initial.iter().enumerate() {
            domains.variables.insert((None, cell as u32), Domain::one(value));
        }
        for (number, kind) in program.proctypes.iter().enumerate() {
            for (cell, _) in kind.cells.iter().enumerate() {
                let parameter = (cell as u32) < kind.parameters;
                let start = if parameter && !program.active.contains(&(number as u32)) {
                    Domain::none()
                } else {
                    Domain::one(0)
                };
                domains.variables.insert((Some(number as u32), cell as u32), start);
            }
        }
        domains.note_starts();
        domains.changed = false;
        domains
    }

    /// What the statements tell, whether anybody can come to them or not.
    pub fn of_statements(program: &'a Program, pids: Vec<Domain>) -> Self {
        let mut domains = Self::new(program, pids);
        for round in 0.. {
            domains.widen = round >= ROUNDS;
            domains.changed = false;
            domains.note_starts();
            for (number, kind) in (0..).zip(&program.proctypes) {
                let transitions = kind.states.iter().flat_map(|state| &state.transitions);
                transitions.for_each(|transition| domains.note(&transition.action, number));
            }
            if !domains.changed {
                break;
            }
        }
        domains
    }

    /// The least and the greatest value of a cell of a kind of process, or of a global one; nothing where that is not known.
    pub fn range(&self, variable: Variable, proctype: u32) -> Option<(i32, i32)> {
        let owned = match variable {
            Variable::Global(cell) => (None, cell),
            Variable::Local(cell) => (Some(proctype), cell),
        };
        let values = self.variables.get(&owned)?.values(usize::MAX)?;
        Some((*values.first()?, *values.last()?))
    }

    /// What variables start as: that may depend on parameters and on other variables, so it is looked at again where those have more
    /// values.
    pub fn note_starts(&mut self) {
        let program = self.program;
        for (number, kind) in (0..).zip(&program.proctypes) {
            for setup in &kind.prologue {
                let (cell, domain) = match setup {
                    Setup::Value(cell, value) => (*cell, self.of(value, number).stored(kind.cells[*cell as usize].ty)),
                    Setup::Channel(cell, _) => (*cell, Domain::Any),
                };
                self.add((Some(number), cell), &domain);
            }
        }
    }

    fn add(&mut self, variable: Owned, domain: &Domain) {
        let widen = self.widen;
        let here = self.variables.entry(variable).or_insert_with(Domain::none);
        self.changed |= here.join(domain, widen);
    }

    /// The channel that an expression always means; zero if that is not known.
    fn channel(&self, channel: &Expression) -> i32 {
        match channel {
            Expression::Global(cell) if !self.program.globals[*cell as usize].stored => {
                self.program.initial[*cell as usize]
            }
            _ => 0,
        }
    }

    /// What a field of a message from a channel can be.
    pub fn field(&self, channel: &Expression, field: usize) -> Domain {
        let channel = self.channel(channel);
        let mut all = Domain::none();
        for (_, domain) in
            self.fields.iter().filter(|((c, f), _)| *f == field && (channel == 0 || *c == 0 || *c == channel))
        {
            all.join(domain, false);
        }
        all
    }

    /// The values of an expression of a process of a kind.
    pub fn of(&self, expression: &Expression, proctype: u32) -> Domain {
        let variable = |owned: Owned| self.variables.get(&owned).cloned().unwrap_or(Domain::Any);
        match expression {
            Expression::Number(value) => Domain::one(*value),
            Expression::Global(cell) => variable((None, *cell)),
            Expression::Local(cell) => variable((Some(proctype), *cell)),
            Expression::Pid => self.pids[proctype as usize].clone(),
            Expression::Element(place) => {
                let mut all = Domain::none();
                for cell in cells(place) {
                    all.join(&variable((place.local.then_some(proctype), cell)), false);
                }
                all
            }
            Expression::Unary(op, a) => match self.of(a, proctype) {
                Domain::Of(values) => Domain::Of(values.into_iter().map(|value| op.apply(value)).collect()),
                Domain::Any if super::fold::is_truth(expression) => Domain::Of([0, 1].into()),
                Domain::Any => Domain::Any,
            },
            Expression::Binary(op, pair) => match (self.of(&pair.0, proctype), self.of(&pair.1, proctype)) {
                (Domain::Of(a), Domain::Of(b)) if a.len() * b.len() <= MOST_VALUES * MOST_VALUES => {
                    let values = a.iter().flat_map(|a| b.iter().filter_map(|b| op.apply(*a, *b)));
                    let values: BTreeSet<i32> = values.collect();
                    if values.len() <= MOST_VALUES { Domain::Of(values) } else { Domain::Any }
                }
                _ if op.is_condition() => Domain::Of([0, 1].into()),
                _ => Domain::Any,
            },
            Expression::Conditional(parts) => {
                let mut both = self.of(&parts.1, proctype);
                both.join(&self.of(&parts.2, proctype), false);
                both
            }
            other if super::fold::is_truth(other) => Domain::Of([0, 1].into()),
            _ => Domain::Any,
        }
    }

    /// What a residual action adds.
    pub fn note(&mut self, action: &Action, proctype: u32) {
        match action {
            Action::Assign(Some(place), value) => {
                let domain = self.of(value, proctype).stored(place.ty);
                self.store(place, &domain, proctype);
            }
            Action::Receive(receive) => self.received(receive, proctype),
            Action::Send(send) => {
                let channel = self.channel(&send.channel);
                let kind = channel.checked_sub(1).and_then(|at| self.program.channels.get(at as usize));
                let types = kind.map(|&kind| &self.program.channel_types[kind as usize].fields);
                for (field, argument) in send.arguments.iter().enumerate() {
                    let domain = self.of(argument, proctype);
                    let domain = match types.and_then(|types| types.get(field)) {
                        Some(ty) => domain.stored(*ty),
                        // It may be cut by a type that nobody knows.
                        None => match domain {
                            Domain::Of(values) if values.iter().all(|value| (0..=1).contains(value)) => {
                                Domain::Of(values)
                            }
                            _ => self.cut(domain),
                        },
                    };
                    let widen = self.widen;
                    let here = self.fields.entry((channel, field)).or_insert_with(Domain::none);
                    self.changed |= here.join(&domain, widen);
                }
            }
            Action::Run(run) => {
                let kind = &self.program.proctypes[run.proctype as usize];
                for (at, argument) in run.arguments.iter().enumerate().take(kind.parameters as usize) {
                    let domain = self.of(argument, proctype).stored(kind.cells[at].ty);
                    self.add((Some(run.proctype), at as u32), &domain);
                }
                if let Some(place) = &run.into {
                    let domain = self.pids[run.proctype as usize].clone().stored(place.ty);
                    self.store(place, &domain, proctype);
                }
            }
            Action::Steps(steps) => {
                for node in &steps.nodes {
                    if let Node::Do(action, ..) = node {
                        self.note(action, proctype);
                    }
                }
            }
            _ => {}
        }
    }

    /// What is left of values in a field of some channel.
    fn cut(&self, domain: Domain) -> Domain {
        let mut all = Domain::none();
        for ty in self.program.channel_types.iter().flat_map(|kind| &kind.fields) {
            all.join(&domain.clone().stored(*ty), false);
        }
        all
    }

    fn received(&mut self, receive: &Receive, proctype: u32) {
        for (field, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Store(place) = pattern {
                let domain = self.field(&receive.channel, field).stored(place.ty);
                self.store(place, &domain, proctype);
            }
        }
    }

    fn store(&mut self, place: &Place, domain: &Domain, proctype: u32) {
        for cell in cells(place) {
            self.add((place.local.then_some(proctype), cell), domain);
        }
    }

    /// What a folded cell was given: whoever else looks at it knows that too.
    pub fn note_value(&mut self, variable: Variable, value: i32, proctype: u32) {
        let owned = match variable {
            Variable::Global(cell) => (None, cell),
            Variable::Local(cell) => (Some(proctype), cell),
        };
        self.add(owned, &Domain::one(value));
    }
}

/// The cells that a place can mean.
pub fn cells(place: &Place) -> Vec<u32> {
    let mut cells = vec![place.offset];
    for index in &place.indices {
        cells = (0..index.length).flat_map(|at| cells.iter().map(move |cell| cell + at * index.stride)).collect();
    }
    cells
}
