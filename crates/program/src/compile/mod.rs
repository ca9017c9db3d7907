//! From the tree of a Promela model to a program: names get their meaning, statements become automata.

mod body;
mod claims;
mod declare;
mod flow;
mod goal;
mod merge;
pub(super) mod names;
mod promise;
mod table;
mod trace;
mod types;
mod watch;

use super::data::{Action, Cell, ChannelType, Event, Proctype, Program, Property, Statement};
use super::expression::Expression;
use super::value::ValueType;
pub use body::declarations;
use body::{Body, Role};
use claims::Chosen;
pub use claims::{Claim, claims};
use prequel_formats::diag::{Diagnostic, Read};
use prequel_formats::promela::source::{Sources, Span};
use prequel_formats::promela::syntax::{
    self as ast, Declaration, Expression as Ast, ExpressionKind, Initial, Model, Name, Sequence, Unit,
};
use prequel_formats::text::suggest;
use rustc_hash::{FxHashMap, FxHashSet};
use types::{Item, Shape, Types};

/// Cells that a program may have in one variable; more could not be stored anyway.
const MOST_CELLS: u32 = 1 << 20;
/// Errors that are listed before the rest is only counted.
const MOST_ERRORS: usize = 20;

/// For each label its state; none if control never comes to it.
type LabelStates = Vec<(Box<str>, Option<u32>)>;

/// Gives a model its meaning.
pub fn compile(model: &Model, claim: Claim<'_>) -> Read<Program> {
    compile_with(model, claim, None).map(|((program, _), warnings)| (program, warnings))
}

/// Gives a model its meaning, and beside it what is searched instead: what SPIN makes of it by default to have fewer states.
/// Local variables that nobody reads any more are set to zero, steps that nobody else can notice are taken together with the
/// step before them, and globals that nobody reads are no part of a state. A formula gets a smaller claim, if there is one. Unlike SPIN it takes no steps together where there are
/// priorities: a process of a higher one may move in between, even inside of `atomic`.
pub fn optimised(model: &Model, claim: Claim<'_>) -> Read<Program> {
    let (mut program, warnings) = compile(model, claim)?;
    let optimise = Optimise::of(model);
    let optimise = Optimise { merging: optimise.merging && !program.priorities, ..optimise };
    let ((optimised, _), _) = compile_as(model, claim, None, Some(optimise))?;
    program.optimised = Some(Box::new(optimised));
    if let Some(smaller) = claims::choose(model, claim)?.and_then(|chosen| chosen.smaller(model)) {
        let ((smaller, _), _) = compile_chosen(model, Some(&smaller), None, None)?;
        program.smaller_claim = Some(Box::new(smaller));
    }
    Ok((program, warnings))
}

/// Gives a model its meaning, and a goal that was read with it: a label that the goal names is a state.
pub fn compile_with(model: &Model, claim: Claim<'_>, goal: Option<&Ast>) -> Read<(Program, Option<Expression>)> {
    compile_as(model, claim, goal, None)
}

fn compile_as(
    model: &Model,
    claim: Claim<'_>,
    goal: Option<&Ast>,
    optimise: Option<Optimise>,
) -> Read<(Program, Option<Expression>)> {
    compile_chosen(model, claims::choose(model, claim)?.as_ref(), goal, optimise)
}

fn compile_chosen(
    model: &Model,
    chosen: Option<&Chosen>,
    goal: Option<&Ast>,
    mut optimise: Option<Optimise>,
) -> Read<(Program, Option<Expression>)> {
    let mut watched = FxHashSet::default();
    loop {
        let mut compiler = Compiler::new(model, watched.clone());
        compiler.optimise = optimise.clone();
        let (program, goal) = compiler.run(chosen, goal);
        let mut seen: FxHashSet<(u32, Box<str>)> =
            compiler.label_refs.iter().map(|(proctype, name, _)| (*proctype, name.text.clone())).collect();
        for (process, label) in watch::in_properties(model).labels {
            seen.extend(compiler.proctype_names.get(&process.text).map(|&number| (number, label.text.clone())));
        }
        if !compiler.errors.is_empty() {
            // The claim of a formula may say the same more than once.
            let mut seen: Vec<Diagnostic> = Vec::new();
            compiler.errors.retain(|error| {
                !seen.contains(error) && {
                    seen.push(error.clone());
                    true
                }
            });
            let more = compiler.errors.len().saturating_sub(MOST_ERRORS);
            compiler.errors.truncate(MOST_ERRORS);
            if more > 0 {
                let file = compiler.errors[0].file.clone();
                compiler.errors.push(Diagnostic::error(file, format!("and {more} more errors like these")));
            }
            return Err(compiler.errors);
        }
        if let Some(optimise) = optimise.as_mut().filter(|optimise| compiler.remote_variables && optimise.bodies) {
            // Others may look at any variable at any time; what was made before that was known is not right.
            optimise.bodies = false;
            continue;
        }
        if seen == watched {
            return Ok(((program, goal), compiler.warnings));
        }
        // A remote reference to the label of a jump makes that jump a state, so what was made before it was seen is not right.
        watched = seen;
    }
}

/// A proctype, `init` or claim before its body is looked at.
struct Unfinished<'m> {
    name: Box<str>,
    parameters: &'m [Declaration],
    body: &'m Sequence,
    provided: Option<&'m Ast>,
    priority: u8,
    deterministic: bool,
    span: Span,
    items: Vec<Item>,
    size: u32,
}

struct Compiler<'m> {
    model: &'m Model,
    sources: &'m Sources,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    types: Types,
    /// Initial values of fields, by record and field.
    field_initials: FxHashMap<(usize, usize), &'m Initial>,
    /// The kinds of `mtype`, and the constants of each by their numbers from 1.
    kinds: Vec<Box<str>>,
    names: Vec<Vec<Box<str>>>,
    constants: FxHashMap<Box<str>, i32>,
    globals: Vec<Item>,
    global_names: FxHashMap<Box<str>, usize>,
    /// Globals that some statement sets.
    written: FxHashSet<usize>,
    initial: Vec<i32>,
    channel_types: Vec<ChannelType>,
    channels: Vec<u32>,
    channel_names: Vec<Box<str>>,
    unfinished: Vec<Unfinished<'m>>,
    proctype_names: FxHashMap<Box<str>, u32>,
    label_refs: Vec<(u32, Name, Span)>,
    /// Labels that remote references name, as far as an earlier pass knows.
    watched: FxHashSet<(u32, Box<str>)>,
    uses_last: bool,
    /// Where a process asks how many there are.
    counts: Option<Span>,
    /// The claim asks whether any process can move.
    watches_standstill: bool,
    /// What is done to have fewer states, if anything.
    optimise: Option<Optimise>,
    /// A process looks at a variable of another.
    remote_variables: bool,
    /// Globals that some statement reads, other than to print or count them.
    read: FxHashSet<usize>,
    /// Where priorities are mentioned first.
    priorities: Option<Span>,
    statements: Vec<Statement>,
    statement_numbers: FxHashMap<Span, u32>,
}

/// What must be known of a whole model before its bodies are optimised.
#[derive(Clone, Debug)]
struct Optimise {
    /// Steps are merged and variables reset: no process looks at a variable of another.
    bodies: bool,
    /// Steps are merged: no process is held by `provided`.
    merging: bool,
    rendezvous: bool,
}

impl Optimise {
    fn of(model: &Model) -> Self {
        let mut declarations = Vec::new();
        let mut merging = true;
        for unit in &model.units {
            match unit {
                Unit::Declaration(declaration) => declarations.push(declaration),
                Unit::Typedef(typedef) => declarations.extend(&typedef.fields),
                Unit::Init(init) => body::declarations(&init.body, &mut declarations),
                Unit::Proctype(proctype) => {
                    merging &= proctype.provided.is_none();
                    body::declarations(&proctype.body, &mut declarations);
                }
                _ => {}
            }
        }
        let initials = declarations.iter().flat_map(|declaration| &declaration.variables).map(|v| &v.initial);
        let rendezvous = initials.into_iter().any(|initial| match initial {
            // One whose capacity is computed may be one.
            Some(Initial::Channel(channel)) => !matches!(&*channel.capacity.kind, ExpressionKind::Number(1..)),
            _ => false,
        });
        Self { bodies: !watch::in_properties(model).remote, merging, rendezvous }
    }
}

impl<'m> Compiler<'m> {
    fn new(model: &'m Model, watched: FxHashSet<(u32, Box<str>)>) -> Self {
        Self {
            model,
            sources: &model.sources,
            errors: Vec::new(),
            warnings: Vec::new(),
            types: Types::default(),
            field_initials: FxHashMap::default(),
            constants: FxHashMap::default(),
            kinds: Vec::new(),
            names: Vec::new(),
            globals: Vec::new(),
            global_names: FxHashMap::default(),
            written: FxHashSet::default(),
            initial: Vec::new(),
            channel_types: Vec::new(),
            channels: Vec::new(),
            channel_names: Vec::new(),
            unfinished: Vec::new(),
            proctype_names: FxHashMap::default(),
            label_refs: Vec::new(),
            watched,
            uses_last: false,
            counts: None,
            watches_standstill: false,
            optimise: None,
            remote_variables: false,
            read: FxHashSet::default(),
            priorities: None,
            statements: Vec::new(),
            statement_numbers: FxHashMap::default(),
        }
    }

    fn finding(&self, span: Span, message: String) -> Diagnostic {
        let found = Diagnostic::error(self.sources.file(span), message);
        match self.sources.place(span) {
            Some(place) => found.at(place),
            None => found,
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        let found = self.finding(span, message.into());
        self.errors.push(found);
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        let found = self.finding(span, format!("{what} is not supported"));
        self.errors.push(found.help("leave this model to SPIN"));
    }

    fn run(&mut self, claim: Option<&'m Chosen>, goal: Option<&Ast>) -> (Program, Option<Expression>) {
        let (active, trace) = self.declare();
        let never = claim.map(|chosen| {
            self.nameless("never", &chosen.never.body, chosen.never.span);
            self.unfinished.len() as u32 - 1
        });
        if let Some(trace) = trace {
            self.nameless("trace", &trace.body, trace.span);
        }
        for number in 0..self.unfinished.len() {
            self.locals(number);
        }
        let (mut proctypes, states_of_labels, events) = self.proctypes(never, trace.is_some());
        for (proctype, labels) in proctypes.iter_mut().zip(&states_of_labels) {
            // The labels come in the opposite order.
            for (name, state) in labels.iter().rev().filter_map(|(name, state)| Some((name, (*state)?))) {
                let state = &mut proctype.states[state as usize];
                state.labels = state.labels.iter().chain([name]).cloned().collect();
            }
        }
        let property = claim.zip(never).map(|(chosen, never)| {
            let (claim, formula) = (&proctypes[never as usize], chosen.property.formula.is_some());
            let accepts = |kind: &Proctype| kind.states.iter().any(|state| state.accept);
            // Accept labels of processes say nothing about a formula, but a claim of the user's may leave acceptance to them.
            let cyclic = !formula && proctypes.iter().any(accepts)
                || (0..claim.states.len()).any(|s| claim.states[s].accept && claim.returns_to(s as u32));
            Property { cyclic, ..chosen.property.clone() }
        });
        self.warn_of_hidden_labels(&proctypes[..never.map_or(proctypes.len(), |never| never as usize)]);
        if let (Some(chosen), Some(never)) = (claim, never) {
            self.warn_of_labels(chosen, &proctypes[..never as usize]);
            self.warn_of_effects(&proctypes[never as usize]);
            if let Some(span) = self.counts {
                let found = self.finding(span, format!("`_nr_pr` counts the {} too", chosen.property.title()));
                let help = "as in SPIN: the program may run otherwise than without; `--ltl none` asks it alone";
                self.warnings.push(found.as_warning().help(help));
            }
        }
        let goal = goal.map(|goal| Body::new(self, 0, Role::Process).goal(goal));
        let labels = self.labels(&states_of_labels);
        let mut globals = self.global_cells();
        let last = self.uses_last.then(|| {
            globals.push(Cell { name: "_last".into(), ty: ValueType::Unsigned(8), stored: true });
            self.initial.push(0);
            globals.len() as u32 - 1
        });
        let trace = trace.zip(trace.and_then(|_| proctypes.pop())).map(|(unit, automaton)| {
            let cell = globals.len() as u32;
            globals.push(Cell { name: "_event".into(), ty: ValueType::Short, stored: true });
            self.initial.push(0);
            let statement = self.statement_as(unit.span, None);
            trace::make(unit.negated, automaton, &events, cell, statement)
        });
        self.add_priorities(&mut proctypes);
        let program = Program {
            globals,
            initial: std::mem::take(&mut self.initial),
            channel_types: std::mem::take(&mut self.channel_types),
            channels: std::mem::take(&mut self.channels),
            channel_names: std::mem::take(&mut self.channel_names),
            proctypes,
            active,
            claim: never,
            property,
            watches_standstill: self.watches_standstill,
            priorities: self.priorities.is_some(),
            senders_last: false,
            trace,
            labels,
            last,
            statements: std::mem::take(&mut self.statements),
            names: std::mem::take(&mut self.names),
            optimised: None,
            smaller_claim: None,
        };
        (program, goal)
    }

    /// Takes down what the model declares; gives the processes that run from the start, and the trace.
    fn declare(&mut self) -> (Vec<u32>, Option<&'m ast::Trace>) {
        let mut active = Vec::new();
        let mut trace = None;
        self.kinds = self.kinds_of_names();
        self.names = vec![Vec::new(); self.kinds.len()];
        for unit in &self.model.units {
            match unit {
                Unit::Mtype(mtype) => {
                    let kind = mtype.kind.as_ref().map_or("", |kind| &kind.text);
                    let number = self.kinds.iter().position(|other| &**other == kind).expect("all kinds are there");
                    for name in mtype.constants.iter().rev() {
                        self.names[number].push(name.text.clone());
                        self.constants.insert(name.text.clone(), self.names[number].len() as i32);
                    }
                }
                Unit::Typedef(typedef) => self.typedef(&typedef.name, &typedef.fields),
                Unit::Declaration(declaration) => self.global(declaration),
                Unit::Proctype(proctype) => active.extend(self.declare_proctype(proctype)),
                Unit::Init(init) => {
                    let priority = self.priority(init.priority.as_ref());
                    active.push(self.unfinished.len() as u32);
                    self.nameless(":init:", &init.body, init.span);
                    self.unfinished.last_mut().expect("it was just put there").priority = priority;
                }
                Unit::Never(_) | Unit::Ltl(_) | Unit::Inline(_) => {}
                Unit::Trace(unit) => {
                    if trace.replace(unit).is_some() {
                        self.error(unit.span, "only one trace can be looked at");
                    }
                }
            }
        }
        if active.is_empty() {
            let span = self.unfinished.first().map_or(Span::default(), |first| first.span);
            self.error(span, "no process runs: there is neither `init` nor an `active` proctype");
        }
        (active, trace)
    }

    /// The kinds of `mtype` that there are, that without a name as "".
    fn kinds_of_names(&self) -> Vec<Box<str>> {
        let mut kinds: Vec<Box<str>> = Vec::new();
        for unit in &self.model.units {
            if let Unit::Mtype(mtype) = unit {
                let kind = mtype.kind.as_ref().map_or("".into(), |kind| kind.text.clone());
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
        }
        kinds
    }

    /// Takes down a proctype; gives the processes of it that run from the start.
    fn declare_proctype(&mut self, proctype: &'m ast::Proctype) -> Vec<u32> {
        let priority = self.priority(proctype.priority.as_ref());
        let number = self.unfinished.len() as u32;
        if self.proctype_names.insert(proctype.name.text.clone(), number).is_some() {
            self.error(proctype.name.span, format!("`{}` is declared twice", proctype.name.text));
        }
        let mut active = Vec::new();
        if let Some(instances) = &proctype.active {
            let count = instances.count.as_ref().map_or(Some(1), |count| self.constant(count));
            match count {
                Some(count) if (1..=255).contains(&count) => active = vec![number; count as usize],
                _ => self.error(instances.span, "the number of instances is no constant between 1 and 255"),
            }
        }
        self.unfinished.push(Unfinished {
            name: proctype.name.text.clone(),
            parameters: &proctype.parameters,
            body: &proctype.body,
            provided: proctype.provided.as_ref(),
            priority,
            deterministic: proctype.deterministic,
            span: proctype.name.span,
            items: Vec::new(),
            size: 0,
        });
        active
    }

    /// The automata of all bodies, the states of their labels, and the events of the trace, which is the last of them.
    fn proctypes(&mut self, never: Option<u32>, trace: bool) -> (Vec<Proctype>, Vec<LabelStates>, Vec<Event>) {
        let mut proctypes: Vec<Proctype> = Vec::new();
        let mut states_of_labels: Vec<LabelStates> = Vec::new();
        let mut events = Vec::new();
        for number in 0..self.unfinished.len() {
            let role = match (never == Some(number as u32), trace) {
                (true, _) => Role::Claim,
                (false, true) if number + 1 == self.unfinished.len() => Role::Trace,
                _ => Role::Process,
            };
            let (proctype, labels, found) = self.proctype(number, role);
            proctypes.push(proctype);
            states_of_labels.push(labels);
            events = found;
        }
        (proctypes, states_of_labels, events)
    }

    /// The states that remote references to labels mean.
    fn labels(&mut self, states_of_labels: &[LabelStates]) -> Vec<Option<u32>> {
        let mut labels = Vec::new();
        for (proctype, name, span) in self.label_refs.clone() {
            let there = &states_of_labels[proctype as usize];
            let found = there.iter().find(|(label, _)| *label == name.text);
            if found.is_none() {
                let of = &self.unfinished[proctype as usize].name;
                let help = suggest::help(&name.text, "labels", there.iter().map(|(label, _)| &**label));
                let error = self.finding(span, format!("`{of}` has no label `{}`", name.text)).help(help);
                self.errors.push(error);
            }
            labels.push(found.and_then(|(_, state)| *state));
        }
        labels
    }

    /// The cells of the global variables.
    fn global_cells(&self) -> Vec<Cell> {
        let named = watch::in_properties(self.model).names;
        let mut globals = Vec::new();
        for (number, item) in self.globals.iter().enumerate() {
            let unread = self.optimise.is_some()
                && matches!(item.shape, Shape::Scalar(_))
                && !self.read.contains(&number)
                && !named.contains(&*item.name);
            // What is read matters, whatever is said of it.
            let hidden = item.hidden && !self.read.contains(&number);
            let stored = !hidden && self.written.contains(&number) && !unread;
            let cells = self.types.cells(item);
            globals.extend(cells.into_iter().map(|(name, ty)| Cell { name: name.into(), ty, stored }));
        }
        globals
    }

    /// Gives every process a cell for its priority, where there are priorities.
    fn add_priorities(&mut self, proctypes: &mut [Proctype]) {
        if let Some(span) = self.priorities {
            if self.channel_types.iter().any(|kind| kind.capacity == 0) {
                self.error(span, "priorities cannot be combined with rendezvous channels, in SPIN neither");
            }
            let priority = Cell { name: "_priority".into(), ty: ValueType::Unsigned(8), stored: true };
            proctypes.iter_mut().for_each(|proctype| proctype.cells.push(priority.clone()));
        }
    }

    /// Accept and progress labels of states that nobody rests in: those in the middle of an `atomic`.
    fn warn_of_hidden_labels(&mut self, processes: &[Proctype]) {
        for kind in processes {
            let arrivals = || kind.states.iter().flat_map(|state| &state.transitions);
            for (number, state) in kind.states.iter().enumerate().skip(1).filter(|(_, s)| s.accept || s.progress) {
                let mut into = arrivals().filter(|t| t.target == Some(number as u32)).peekable();
                let label = state.labels.iter().find(|l| l.starts_with("accept") || l.starts_with("progress"));
                if into.peek().is_none() || !into.all(|t| t.atomic) {
                    continue;
                }
                if let (Some(label), Some(behind)) = (label, state.transitions.first()) {
                    let span = self.statements[behind.statement as usize].span;
                    let found = self.finding(span, format!("label `{label}` stands in the middle of an `atomic`"));
                    let help = "no run is seen there unless it is blocked, in SPIN neither; put it before the `atomic`";
                    self.warnings.push(found.as_warning().help(help));
                }
            }
        }
    }

    /// Labels of processes that SPIN would take for the formula's own.
    fn warn_of_labels(&mut self, claim: &Chosen, processes: &[Proctype]) {
        let labelled = processes.iter().find(|kind| kind.states.iter().any(|state| state.accept));
        if let Some(kind) = labelled.filter(|_| claim.property.formula.is_some()) {
            let message = format!("accept labels of `{}` say nothing about formula {}", kind.name, claim.property.name);
            let found = self.finding(claim.never.span, message);
            let help = "they are asked by themselves; SPIN takes a run through them for one that violates the formula";
            self.warnings.push(found.as_warning().help(help));
        }
    }

    /// A claim that changes what processes see: they do what they would not do without it.
    fn warn_of_effects(&mut self, claim: &Proctype) {
        let shared = |action: &Action| matches!(action, Action::Assign(Some(place), _) if !place.local);
        let mut transitions = claim.states.iter().flat_map(|state| &state.transitions);
        if let Some(transition) = transitions.find(|transition| shared(&transition.action)) {
            let span = self.statements[transition.statement as usize].span;
            let found = self.finding(span, "the claim changes a variable of the model".into());
            let help = "a variable that is declared in the claim is nobody else's; with this one the answer is about another program";
            self.warnings.push(found.as_warning().help(help));
        }
    }

    fn nameless(&mut self, name: &str, body: &'m Sequence, span: Span) {
        let (parameters, provided) = (&[][..], None);
        self.unfinished.push(Unfinished {
            name: name.into(),
            parameters,
            body,
            provided,
            priority: 1,
            deterministic: false,
            span,
            items: vec![],
            size: 0,
        });
    }

    /// A declared priority; 1 if none is.
    fn priority(&mut self, declared: Option<&Ast>) -> u8 {
        let Some(declared) = declared else { return 1 };
        self.priorities.get_or_insert(declared.span);
        match self.constant(declared) {
            Some(priority @ 1..=255) => priority as u8,
            _ => {
                self.error(declared.span, "a priority is a constant between 1 and 255");
                1
            }
        }
    }

    /// What the optimisation of a body must know.
    fn facts(&self, number: usize, labels: &[flow::Label]) -> Option<merge::Facts> {
        let optimise = self.optimise.as_ref().filter(|optimise| optimise.bodies)?;
        let unfinished = &self.unfinished[number];
        let scalars = unfinished.items.iter().filter(|i| i.length.is_none() && matches!(i.shape, Shape::Scalar(_)));
        let mut plain = fixedbitset::FixedBitSet::with_capacity(unfinished.size as usize);
        plain.extend(scalars.map(|item| item.offset as usize));
        let promised = self.globals.iter().filter(|item| item.promised);
        let promised = promised.flat_map(|item| item.offset..item.offset + self.types.size(item)).collect();
        let is_watched = |label: &&flow::Label| self.watched.contains(&(number as u32, label.name.clone()));
        let watched = labels.iter().filter(is_watched).map(|label| label.element).collect();
        Some(merge::Facts { plain, promised, watched, rendezvous: optimise.rendezvous, merging: optimise.merging })
    }

    /// A finished proctype, and the states of its labels.
    fn proctype(&mut self, number: usize, role: Role) -> (Proctype, LabelStates, Vec<Event>) {
        let end = self.statement_as(self.unfinished[number].span, Some("-end-"));
        let mut body = Body::new(self, number, role);
        let (table, labels) = body.finish(end);
        let (prologue, provided) = (std::mem::take(&mut body.prologue), body.provided.take());
        let events = std::mem::take(&mut body.events);
        let unfinished = &self.unfinished[number];
        if unfinished.size > MOST_CELLS {
            let (span, name) = (unfinished.span, unfinished.name.clone());
            self.error(span, format!("`{name}` has too many variables"));
            let (cells, prologue, states) = Default::default();
            let (parameters, priority, deterministic, provided) = (0, 1, false, None);
            let empty = Proctype { name, cells, parameters, prologue, deterministic, priority, provided, states };
            return (empty, vec![], vec![]);
        }
        let cells = unfinished.items.iter().flat_map(|item| self.types.cells(item));
        let cells = cells.map(|(name, ty)| Cell { name: name.into(), ty, stored: true }).collect();
        let counted: usize = unfinished.parameters.iter().map(|d| d.variables.len()).sum();
        let parameters = unfinished.items[..counted].iter().map(|item| self.types.size(item)).sum();
        let name = unfinished.name.clone();
        let Unfinished { priority, deterministic, .. } = *unfinished;
        let proctype = Proctype { name, cells, parameters, prologue, deterministic, priority, provided, states: table };
        (proctype, labels, events)
    }

    /// The number of the statement at a place.
    fn statement(&mut self, span: Span) -> u32 {
        self.statement_as(span, None)
    }

    fn statement_as(&mut self, span: Span, text: Option<&str>) -> u32 {
        if let Some(&number) = self.statement_numbers.get(&span) {
            return number;
        }
        let text = text.or_else(|| self.sources.text(span)).unwrap_or_default();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").into();
        let (file, line) = (self.sources.file(span).into(), self.sources.line(span));
        self.statements.push(Statement { file, line, text, span });
        self.statement_numbers.insert(span, self.statements.len() as u32 - 1);
        self.statements.len() as u32 - 1
    }
}
