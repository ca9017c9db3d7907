//! What of a program somebody else looks at, so that it has to stay.

use super::domain::{Domain, cells};
use super::fold::may_fail;
use super::plan::Variable;
use super::rules::{Rule, Rules};
use crate::compile::{Claim, claims, compile};
use crate::data::{Action, Cell, Node, Proctype, Program, Setup};
use crate::expression::{Expression, Pattern, Place, Receive};
use crate::ltl;
use prequel_formats::promela::syntax::{
    Declaration, Direction, ExpressionKind, Model, Proctype as Tree, Reference, Sequence, Statement, StatementKind,
    Type, Unit,
};
use prequel_formats::promela::visit::{Visitor, expressions};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A declared variable of a process.
#[derive(Clone, Debug)]
pub struct LocalVariable<'m> {
    /// Its declaration, for its type.
    pub declaration: &'m Declaration,
    /// Which of the declared variables.
    pub number: usize,
    /// Its cells.
    pub cells: Range<u32>,
}

/// Rendezvous channels on which somebody in the middle of an `atomic` may wait: whether another process is ready for them can be
/// noticed, since whoever waits there lets others move.
#[derive(Clone, Debug, Default)]
pub struct Urgent {
    channels: FxHashSet<i32>,
    all: bool,
}

impl Urgent {
    /// Whether an action is half of such a rendezvous.
    pub fn has(&self, program: &Program, action: &Action) -> bool {
        let channel = match action {
            Action::Send(send) => &send.channel,
            Action::Receive(receive) => &receive.channel,
            Action::Steps(_) => return self.all || !self.channels.is_empty(),
            _ => return false,
        };
        match constant_channel(program, channel) {
            Some(number) => self.all && is_rendezvous(program, number) || self.channels.contains(&number),
            None => self.all || !self.channels.is_empty(),
        }
    }
}

/// What has to stay of a program.
#[derive(Clone, Debug)]
pub struct Facts<'m> {
    /// By proctype: labels that others look at.
    pub labels: Vec<FxHashSet<Box<str>>>,
    /// By proctype: its variables as they were declared.
    pub locals: Vec<Vec<LocalVariable<'m>>>,
    /// By proctype: its cells that cannot be folded.
    pub fixed: Vec<FxHashSet<u32>>,
    /// By proctype: global cells that only its one process uses.
    pub private: Vec<Vec<u32>>,
    /// Global cells that never change and hold a number.
    pub constants: FxHashSet<u32>,
    /// By proctype: cells that nobody ever reads.
    pub unread: Vec<FxHashSet<Variable>>,
    /// By proctype: the numbers of its processes.
    pub pids: Vec<Domain>,
    /// By proctype: parameters that never change, and are the same number or channel whoever starts the process.
    pub arguments: Vec<FxHashMap<u32, Expression>>,
    /// Why every step of every process counts, if it does.
    pub counted: Option<&'static str>,
    /// Which reductions are wanted: what others would take away stays.
    pub rules: Rules,
    /// The names of variables that properties look at.
    pub named: FxHashSet<Box<str>>,
    /// By proctype: the channels of which it says that nobody else uses them so.
    pub promised: Vec<FxHashSet<Box<str>>>,
    /// Somebody reads variables of another process.
    pub reads_others: bool,
}

/// Looks what has to stay of a program by these rules; nothing if the program was not made of this model.
pub fn facts<'m>(model: &'m Model, program: &Program, rules: Rules) -> Option<Facts<'m>> {
    let kinds = program.proctypes.len();
    let mut remote: FxHashSet<(Box<str>, Box<str>)> = FxHashSet::default();
    let mut labels: FxHashMap<Box<str>, FxHashSet<Box<str>>> = FxHashMap::default();
    let mut named: FxHashSet<Box<str>> = FxHashSet::default();
    let mut counted = None;
    for unit in &model.units {
        let property = matches!(unit, Unit::Never(_) | Unit::Ltl(_) | Unit::Trace(_));
        match unit {
            Unit::Never(_) if counts(model, unit) => counted = counted.or(Some("a never claim may count steps")),
            Unit::Ltl(ltl) if ltl.formula.has_next() && counts(model, unit) => {
                counted = counted.or(Some("a formula counts steps by X"));
            }
            _ => {}
        }
        expressions(unit, &mut |expression, _| match &*expression.kind {
            ExpressionKind::RemoteLabel { process, label, .. } => {
                labels.entry(process.text.clone()).or_default().insert(label.text.clone());
            }
            ExpressionKind::RemoteVariable { process, variable, .. } => {
                remote.insert((process.text.clone(), variable.name.text.clone()));
            }
            ExpressionKind::Timeout if property => {
                counted = counted.or(Some("`timeout` in a claim asks who can move"));
            }
            ExpressionKind::Enabled(_) => counted = counted.or(Some("`enabled` counts steps")),
            ExpressionKind::PcValue(_) => counted = counted.or(Some("`pc_value` looks at control")),
            ExpressionKind::Reference(reference) if &*reference.parts[0].name.text == "_last" => {
                counted = counted.or(Some("`_last` counts steps"));
            }
            _ => {}
        });
        if property {
            let mut names = Names(FxHashSet::default());
            names.unit(unit);
            named.extend(names.0);
        }
    }
    let locals = locals(model, program)?;
    let promised = promised(model, kinds);
    let mut uses = Uses::new(program);
    uses.all();
    let channels = channels(model, program);
    let fixed = (0..kinds).map(|kind| {
        let name = &program.proctypes[kind].name;
        let fixed = locals[kind].iter().filter(|local| {
            let variable = &local.declaration.variables[local.number].name.text;
            let parameter = local.cells.start < program.proctypes[kind].parameters;
            parameter
                || holds_channels(model, &local.declaration.ty)
                || remote.contains(&(name.clone(), variable.clone()))
        });
        fixed.flat_map(|local| local.cells.clone()).collect()
    });
    let fixed: Vec<FxHashSet<u32>> = fixed.collect();
    let outside: FxHashSet<u32> = (0..program.globals.len() as u32)
        .filter(|&cell| named.contains(base(&program.globals[cell as usize].name)) || Some(cell) == program.last)
        .chain(conditions(program))
        .collect();
    let numbered = |cell: &u32| !channels.contains(cell) && !outside.contains(cell);
    let private = |kind: usize| -> Vec<u32> {
        let single = rules.has(Rule::Private) && uses.pids(kind as u32).is_some_and(|pids| pids.len() == 1);
        let alone = |cell: &u32| uses.by[*cell as usize] == [kind as u32];
        (0..program.globals.len() as u32).filter(|cell| single && alone(cell) && numbered(cell)).collect()
    };
    let constants = (0..program.globals.len() as u32).filter(|&cell| {
        rules.has(Rule::Constants)
            && !channels.contains(&cell)
            && !uses.written.contains(&cell)
            && Some(cell) != program.last
            && program.trace.as_ref().is_none_or(|trace| trace.cell != cell)
    });
    let unread = |kind: usize| -> FxHashSet<Variable> {
        if !rules.has(Rule::Unread) {
            return FxHashSet::default();
        }
        let globals = (0..program.globals.len() as u32).filter(|cell| numbered(cell) && !uses.read.contains(cell));
        let own = (0..program.proctypes[kind].cells.len() as u32)
            .filter(|cell| !uses.read_locals[kind].contains(cell) && !fixed[kind].contains(cell));
        globals.map(Variable::Global).chain(own.map(Variable::Local)).collect()
    };
    let arguments = |kind: usize| -> FxHashMap<u32, Expression> {
        let local = |name: &str| locals[kind].iter().any(|l| &*l.declaration.variables[l.number].name.text == name);
        let known = |cell: &u32| rules.has(Rule::Constants) && !uses.written_locals[kind].contains(cell);
        let constant = |(cell, value): (&u32, &Option<Expression>)| {
            let value = match value.as_ref().filter(|_| known(cell))? {
                Expression::Number(value) => {
                    Expression::Number(program.proctypes[kind].cells[*cell as usize].ty.store(*value))
                }
                // A channel, by a name that means the same inside of the process. What is promised of a parameter counts for that name alone.
                Expression::Global(global) if channels.contains(global) => {
                    let Cell { name, stored, .. } = &program.globals[*global as usize];
                    let own = &program.proctypes[kind].cells[*cell as usize].name;
                    let clear = !stored && !local(base(name)) && !promised[kind].contains(own);
                    Some(Expression::Global(*global)).filter(|_| clear)?
                }
                _ => return None,
            };
            Some((*cell, value))
        };
        uses.arguments[kind].iter().filter_map(constant).collect()
    };
    Some(Facts {
        arguments: (0..kinds).map(arguments).collect(),
        labels: program.proctypes.iter().map(|kind| labels.remove(&kind.name).unwrap_or_default()).collect(),
        private: (0..kinds).map(private).collect(),
        constants: constants.collect(),
        unread: (0..kinds).map(unread).collect(),
        pids: (0..kinds)
            .map(|kind| uses.pids(kind as u32).map_or(Domain::Any, |pids| Domain::Of(pids.into_iter().collect())))
            .collect(),
        locals,
        fixed,
        counted,
        rules,
        reads_others: !remote.is_empty(),
        promised,
        named,
    })
}

/// Whether a claim may tell how often a state is repeated. How far it follows a run counts too: other violations are met up to there.
fn counts(model: &Model, claim: &Unit) -> bool {
    let claims = claims(model);
    let named = claims.iter().find(|(_, unit, _)| std::ptr::eq(*unit, claim));
    let program = named.and_then(|(name, ..)| compile(model, Claim::Named(name)).ok());
    program.is_none_or(|(program, _)| ltl::counts(&program))
}

/// The global cells that decide when processes may move at all (`provided`): they are looked at before each step.
fn conditions(program: &Program) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    for condition in program.proctypes.iter().filter_map(|kind| kind.provided.as_ref()) {
        condition.visit(&mut |part| match part {
            Expression::Global(cell) => found.extend([*cell]),
            Expression::Element(place) if !place.local => found.extend(cells(place)),
            _ => {}
        });
    }
    found
}

fn base(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

/// The names of variables that a property uses.
struct Names(FxHashSet<Box<str>>);

impl Names {
    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Never(never) => self.sequence(&never.body),
            Unit::Trace(trace) => self.sequence(&trace.body),
            Unit::Ltl(ltl) => {
                let mut atoms = Vec::new();
                ltl.formula.atoms(&mut |atom| atoms.push(atom));
                atoms.into_iter().for_each(|atom| self.value(atom));
            }
            _ => {}
        }
    }
}

impl<'m> Visitor<'m> for Names {
    fn variable(&mut self, name: &'m prequel_formats::promela::syntax::Name) {
        self.0.insert(name.text.clone());
    }
}

/// By proctype: the channels of which it says that nobody else uses them so.
fn promised(model: &Model, kinds: usize) -> Vec<FxHashSet<Box<str>>> {
    let names = |body: &Sequence| -> FxHashSet<Box<str>> {
        exclusive(body).into_iter().map(|(_, channel)| channel.parts[0].name.text.clone()).collect()
    };
    let of_unit = |unit: &Unit| match unit {
        Unit::Proctype(proctype) => Some(names(&proctype.body)),
        Unit::Init(init) => Some(names(&init.body)),
        _ => None,
    };
    let mut promised: Vec<FxHashSet<Box<str>>> = model.units.iter().filter_map(of_unit).collect();
    promised.resize(kinds, FxHashSet::default());
    promised
}

/// What a process says of channels that nobody else sends to or receives from.
pub fn exclusive(body: &Sequence) -> Vec<(Direction, &Reference)> {
    struct Exclusive<'m>(Vec<(Direction, &'m Reference)>);
    impl<'m> Visitor<'m> for Exclusive<'m> {
        fn statement(&mut self, statement: &'m Statement) {
            if let StatementKind::Exclusive { direction, channels } = &statement.kind {
                self.0.extend(channels.iter().map(|channel| (*direction, channel)));
            }
            self.inside_statement(statement);
        }
    }
    let mut found = Exclusive(Vec::new());
    found.sequence(body);
    found.0
}

/// Whether a type has channels in it.
fn holds_channels(model: &Model, ty: &Type) -> bool {
    match ty {
        Type::Chan => true,
        Type::User(name) => model.units.iter().any(|unit| match unit {
            Unit::Typedef(typedef) if typedef.name.text == name.text => {
                typedef.fields.iter().any(|field| holds_channels(model, &field.ty))
            }
            _ => false,
        }),
        _ => false,
    }
}

/// The global cells of variables that have channels in them.
fn channels(model: &Model, program: &Program) -> FxHashSet<u32> {
    let mut names: FxHashSet<&str> = FxHashSet::default();
    for unit in &model.units {
        if let Unit::Declaration(declaration) = unit
            && holds_channels(model, &declaration.ty)
        {
            names.extend(declaration.variables.iter().map(|variable| &*variable.name.text));
        }
    }
    let cells = program.globals.iter().enumerate();
    cells.filter(|(_, cell)| names.contains(base(&cell.name))).map(|(at, _)| at as u32).collect()
}

/// The declared variables of each proctype, with their cells.
fn locals<'m>(model: &'m Model, program: &Program) -> Option<Vec<Vec<LocalVariable<'m>>>> {
    let mut all = Vec::new();
    for unit in &model.units {
        let (parameters, body) = match unit {
            Unit::Proctype(Tree { parameters, body, .. }) => (&parameters[..], body),
            Unit::Init(init) => (&[][..], &init.body),
            _ => continue,
        };
        let kind = program.proctypes.get(all.len())?;
        let mut declarations: Vec<&'m Declaration> = parameters.iter().collect();
        crate::compile::declarations(body, &mut declarations);
        let mut found = Vec::new();
        let mut at = 0;
        for declaration in declarations {
            for (number, variable) in declaration.variables.iter().enumerate() {
                let first = at;
                while let Some(cell) = kind.cells.get(at) {
                    let again = kind.cells[first..at].iter().any(|other| other.name == cell.name);
                    if base(&cell.name) != &*variable.name.text || again {
                        break;
                    }
                    at += 1;
                }
                found.push(LocalVariable { declaration, number, cells: first as u32..at as u32 });
            }
        }
        let own = kind.cells.len() - usize::from(program.priorities);
        // Loops may have counters that nobody declared.
        if at > own {
            return None;
        }
        all.push(found);
    }
    all.resize(program.proctypes.len(), Vec::new());
    Some(all)
}

/// Who uses which global cells, and how.
struct Uses<'a> {
    program: &'a Program,
    /// By global cell: the proctypes that use it, in order.
    by: Vec<Vec<u32>>,
    read: FxHashSet<u32>,
    written: FxHashSet<u32>,
    read_locals: Vec<FxHashSet<u32>>,
    written_locals: Vec<FxHashSet<u32>>,
    /// Proctypes that are started by others.
    started: FxHashSet<u32>,
    /// By proctype: what its parameters are given; nothing where that is not always the same.
    arguments: Vec<FxHashMap<u32, Option<Expression>>>,
    kind: u32,
}

impl<'a> Uses<'a> {
    fn new(program: &'a Program) -> Self {
        Self {
            program,
            by: vec![Vec::new(); program.globals.len()],
            read: FxHashSet::default(),
            written: FxHashSet::default(),
            read_locals: vec![FxHashSet::default(); program.proctypes.len()],
            written_locals: vec![FxHashSet::default(); program.proctypes.len()],
            started: FxHashSet::default(),
            arguments: vec![FxHashMap::default(); program.proctypes.len()],
            kind: 0,
        }
    }

    fn all(&mut self) {
        // Processes that run from the start have no arguments.
        for &kind in &self.program.active {
            let parameters = 0..self.program.proctypes[kind as usize].parameters;
            self.arguments[kind as usize].extend(parameters.map(|cell| (cell, None)));
        }
        for (number, kind) in self.program.proctypes.iter().enumerate() {
            self.kind = number as u32;
            kind.provided.iter().for_each(|value| self.value(value));
            for setup in &kind.prologue {
                if let Setup::Value(_, value) = setup {
                    self.value(value);
                }
            }
            for transition in kind.states.iter().flat_map(|state| &state.transitions) {
                self.action(&transition.action);
            }
        }
        for (event, _) in self.program.trace.iter().flat_map(|trace| &trace.states).flat_map(|state| &state.events) {
            self.kind = u32::MAX;
            self.value(&event.channel);
            event.fields.iter().flatten().for_each(|value| self.value(value));
        }
    }

    /// The numbers of the processes of a kind, if all of them run from the start.
    fn pids(&self, kind: u32) -> Option<Vec<i32>> {
        let active = self.program.active.iter().enumerate().filter(|(_, other)| **other == kind);
        (!self.started.contains(&kind)).then(|| active.map(|(pid, _)| pid as i32).collect())
    }

    fn used(&mut self, cell: u32) {
        let by = &mut self.by[cell as usize];
        if by.last() != Some(&self.kind) {
            by.push(self.kind);
        }
    }

    fn value(&mut self, value: &Expression) {
        let mut seen: Vec<(bool, Vec<u32>)> = Vec::new();
        let mut remote: Vec<(u32, Vec<u32>)> = Vec::new();
        value.visit(&mut |part| match part {
            Expression::Global(cell) => seen.push((false, vec![*cell])),
            Expression::Local(cell) => seen.push((true, vec![*cell])),
            Expression::Element(place) => seen.push((place.local, cells(place))),
            Expression::RemoteCell(process, place) => remote.push((process.proctype, cells(place))),
            _ => {}
        });
        for (local, cells) in seen {
            for cell in cells {
                if local {
                    self.read_locals.get_mut(self.kind as usize).map(|read| read.insert(cell));
                } else {
                    self.used(cell);
                    self.read.insert(cell);
                }
            }
        }
        for (kind, cells) in remote {
            self.read_locals[kind as usize].extend(cells);
        }
    }

    fn place(&mut self, place: &Place) {
        place.indices.iter().for_each(|index| self.value(&index.at));
        for cell in cells(place) {
            if place.local {
                self.written_locals.get_mut(self.kind as usize).map(|written| written.insert(cell));
            } else {
                self.used(cell);
                self.written.insert(cell);
            }
        }
    }

    fn receive(&mut self, receive: &Receive) {
        self.value(&receive.channel);
        for pattern in &receive.patterns {
            match pattern {
                Pattern::Match(value) => self.value(value),
                Pattern::Store(place) => self.place(place),
                Pattern::Ignore => {}
            }
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            Action::Skip | Action::Else | Action::End => {}
            Action::Condition(value) | Action::Assert(value) => self.value(value),
            Action::Assign(None, value) => self.value(value),
            Action::Assign(Some(place), value) => {
                // What a variable only needs for itself is no use of it.
                let own = Expression::of(place.clone());
                let of_itself = matches!(value, Expression::Binary(_, pair)
                    if pair.0 == own && matches!(pair.1, Expression::Number(_)));
                if !of_itself || !place.indices.is_empty() || may_fail(value) {
                    self.value(value);
                }
                self.place(place);
            }
            Action::Print(values) => {
                values.iter().filter(|value| may_fail(value)).for_each(|value| self.value(value));
            }
            Action::Send(send) => {
                self.value(&send.channel);
                send.arguments.iter().for_each(|value| self.value(value));
            }
            Action::Receive(receive) => self.receive(receive),
            Action::Run(run) => {
                self.started.insert(run.proctype);
                let given = &mut self.arguments[run.proctype as usize];
                for (cell, argument) in (0..).zip(&run.arguments) {
                    let before = given.entry(cell).or_insert_with(|| Some(argument.clone()));
                    *before = before.take().filter(|before| before == argument);
                }
                run.arguments.iter().for_each(|value| self.value(value));
                run.into.iter().for_each(|place| self.place(place));
            }
            Action::SetPriority(pair) => {
                self.value(&pair.0);
                self.value(&pair.1);
            }
            Action::Steps(steps) => {
                for node in &steps.nodes {
                    if let Node::Do(action, ..) = node {
                        self.action(action);
                    }
                }
            }
        }
    }
}

/// The channel that an expression always means.
pub(super) fn constant_channel(program: &Program, channel: &Expression) -> Option<i32> {
    match channel {
        Expression::Global(cell) if !program.globals[*cell as usize].stored => Some(program.initial[*cell as usize]),
        _ => None,
    }
}

fn is_rendezvous(program: &Program, number: i32) -> bool {
    let kind = number.checked_sub(1).and_then(|at| program.channels.get(at as usize));
    kind.is_some_and(|&kind| program.channel_types[kind as usize].capacity == 0)
}

/// Whether a channel is one without room for messages, where that is known.
pub fn rendezvous(program: &Program, channel: &Expression) -> Option<bool> {
    match constant_channel(program, channel) {
        Some(number) => Some(is_rendezvous(program, number)),
        None => (!program.channel_types.iter().any(|kind| kind.capacity == 0)).then_some(false),
    }
}

impl Urgent {
    /// Every rendezvous.
    pub fn all(program: &Program) -> Self {
        Self { channels: FxHashSet::default(), all: program.channel_types.iter().any(|kind| kind.capacity == 0) }
    }

    /// Somebody may wait for this in the middle of an `atomic`.
    pub fn add(&mut self, program: &Program, action: &Action) {
        let channel = match action {
            Action::Send(send) => &send.channel,
            Action::Receive(receive) => &receive.channel,
            Action::Steps(_) => {
                self.all |= program.channel_types.iter().any(|kind| kind.capacity == 0);
                return;
            }
            _ => return,
        };
        match constant_channel(program, channel) {
            Some(number) if is_rendezvous(program, number) => {
                self.channels.insert(number);
            }
            Some(_) => {}
            None => self.all |= program.channel_types.iter().any(|kind| kind.capacity == 0),
        }
    }

    /// What a kind of process that stays as it is may wait for: in the middle of an `atomic`, or beside something that is only done
    /// where nothing else is possible.
    pub fn add_kind(&mut self, program: &Program, kind: &Proctype) {
        let transitions = || kind.states.iter().flat_map(|state| &state.transitions);
        let inside: FxHashSet<u32> =
            transitions().filter(|transition| transition.atomic).filter_map(|transition| transition.target).collect();
        for (number, state) in kind.states.iter().enumerate() {
            if inside.contains(&(number as u32)) || state.is_ranked() {
                state.transitions.iter().for_each(|transition| self.add(program, &transition.action));
            }
        }
    }
}
