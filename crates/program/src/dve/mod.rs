//! From the tree of a DVE model to a program: names get their meaning, processes become automata.
//!
//! | DVE | program |
//! | --- | --- |
//! | a transition | an action with its guard, and the effects as what is done in the same step after it |
//! | a rendezvous | both guards before it, then the value, the effects of the receiver, those of the sender ([`Program::senders_last`]) |
//! | `commit` | a guard: who leaves another state looks at whether somebody is in a committed one |
//! | `assert s: e` | a transition from `s` to `s` that is possible where `e` does not hold, and fails |
//!
//! Where somebody is in a committed state, both sides of a rendezvous must be in one, as in DiVinE. So a channel is two: one for
//! transitions from committed states, one for the others.

mod as_promela;
mod claim;
mod declare;
mod names;

pub use as_promela::PromelaForm;
pub use claim::{Given, with_formula, with_property};

use super::data::{
    Action, Cell, ChannelType, Proctype, Program, Send, Setup, State, Statement, Then, Transition as Step,
};
use super::expression::{Binary, Expression, Pattern, Receive, Remote, Unary};
use super::ltl;
use super::value::ValueType;
use names::Scope;
use prequel_formats::diag::Read;
use prequel_formats::dve::syntax::{
    Channel, Expression as Ast, Message, Name, Process, Span, Sync, System, Transition,
};
use prequel_formats::text::findings::Findings;
use rustc_hash::{FxHashMap, FxHashSet};

/// Processes that there may be.
const MOST: usize = 255;

/// What is looked at in a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// Assertions; nothing is wrong where nothing can move.
    Assertions,
    /// The bare system: assertions are left out, and no state is one to end in.
    Bare,
}

/// Gives a model its meaning.
pub fn compile(system: &System, view: View) -> Read<Program> {
    compile_with(system, view, None).map(|((program, _), warnings)| (program, warnings))
}

/// Gives a model its meaning, and a goal that was read beside it: what messages call it, its text and what it says.
pub fn compile_with(
    system: &System,
    view: View,
    goal: Option<(&str, &str, &Ast)>,
) -> Read<(Program, Option<Expression>)> {
    let mut compiler = Compiler::new(system, view);
    let program = compiler.system(system);
    let goal = goal.map(|(option, text, goal)| {
        compiler.findings.about(option, text.as_bytes());
        compiler.value(None, goal)
    });
    let warnings = compiler.findings.none()?;
    let labels = compiler.labels;
    Ok(((Program { labels, ..program }, goal), warnings))
}

/// A channel and what is known of it.
struct Known<'s> {
    declared: &'s Channel,
    capacity: u32,
    fields: Vec<ValueType>,
    /// Its number for transitions from committed states, if it is another one.
    committed: Option<u32>,
}

struct Compiler<'s> {
    findings: Findings<'s>,
    view: View,
    globals: Vec<Cell>,
    initial: Vec<i32>,
    /// First cells of globals that some transition sets.
    written: FxHashSet<u32>,
    channels: Vec<Known<'s>>,
    shared: Scope<'s>,
    processes: Vec<Automaton<'s>>,
    /// Which of them watches the others, once it is looked at.
    property: Option<usize>,
    statements: Vec<Statement>,
    labels: Vec<Option<u32>>,
}

/// A process whose transitions are not looked at yet.
struct Automaton<'s> {
    scope: Scope<'s>,
    cells: Vec<Cell>,
    initial: Vec<i32>,
    /// States by name: the first one is where it starts.
    states: FxHashMap<&'s str, u32>,
    names: Vec<&'s str>,
    committed: Vec<u32>,
}

impl<'s> Compiler<'s> {
    fn new(system: &'s System, view: View) -> Self {
        Self {
            findings: Findings::new(&system.file, system.text.as_bytes()),
            view,
            globals: Vec::new(),
            initial: Vec::new(),
            written: FxHashSet::default(),
            channels: Vec::new(),
            shared: Scope::default(),
            processes: Vec::new(),
            property: None,
            statements: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// The system without its property process.
    fn system(&mut self, system: &'s System) -> Program {
        let property = system.property.as_ref();
        let is_property = |process: &&Process| property.is_some_and(|name| name.text == process.name.text);
        let processes: Vec<&Process> = system.processes.iter().filter(|process| !is_property(process)).collect();
        if let Some(name) = property.filter(|_| processes.len() == system.processes.len()) {
            self.error(&name.span, format!("there is no process `{}`", name.text), "");
        }
        self.program(system, &processes)
    }

    fn error(&mut self, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        self.findings.error(span.clone(), message, help);
    }

    fn program(&mut self, system: &'s System, processes: &[&'s Process]) -> Program {
        for declared in &system.globals.variables {
            self.variable(None, declared);
        }
        for declared in &system.globals.channels {
            self.channel(None, declared);
        }
        if processes.len() > MOST {
            self.error(&processes[MOST].name.span, format!("there are more than {MOST} processes"), "");
        }
        for &process in processes {
            self.process(process);
        }
        for (number, &process) in processes.iter().enumerate() {
            for sync in process.transitions.iter().filter_map(|transition| transition.sync.as_ref()) {
                self.fit(number, sync);
            }
        }
        self.pair(processes);
        let proctypes = processes.iter().enumerate().map(|(number, process)| self.proctype(number, process)).collect();
        let mut globals = std::mem::take(&mut self.globals);
        for (number, cell) in globals.iter_mut().enumerate() {
            // What never changes is no part of a state.
            cell.stored = self.written.contains(&(number as u32));
        }
        let (mut channel_types, mut channels, mut channel_names) = (Vec::new(), Vec::new(), Vec::new());
        let second = self.channels.iter().filter(|channel| channel.committed.is_some());
        for channel in self.channels.iter().chain(second) {
            channels.push(channel_types.len() as u32);
            channel_types.push(ChannelType { capacity: channel.capacity, fields: channel.fields.clone() });
            channel_names.push(channel.declared.name.text.clone());
        }
        Program {
            globals,
            initial: std::mem::take(&mut self.initial),
            channel_types,
            channels,
            channel_names,
            proctypes,
            active: (0..processes.len() as u32).collect(),
            claim: None,
            property: None,
            watches_standstill: false,
            priorities: false,
            senders_last: true,
            trace: None,
            labels: Vec::new(),
            last: None,
            statements: std::mem::take(&mut self.statements),
            names: Vec::new(),
            optimised: None,
            smaller_claim: None,
        }
    }

    fn state(&mut self, process: usize, name: &Name) -> Option<u32> {
        let automaton = &self.processes[process];
        let found = automaton.states.get(&*name.text).copied();
        if found.is_none() {
            let help = prequel_formats::text::suggest::help(&name.text, "states", automaton.names.iter().copied());
            self.error(&name.span, format!("there is no state `{}`", name.text), help);
        }
        found
    }

    fn proctype(&mut self, number: usize, process: &'s Process) -> Proctype {
        let end = self.view == View::Assertions;
        let names = self.processes[number].names.clone();
        let named = |name: &&str| State { end, name: Some((*name).into()), ..State::default() };
        let mut states: Vec<State> = names.iter().map(named).collect();
        for (element, transition) in process.transitions.iter().enumerate() {
            if let Some((from, step)) = self.transition(number, element as u32, transition) {
                states[from as usize].transitions.push(step);
            }
        }
        if self.view == View::Assertions {
            for (element, (name, condition)) in process.assertions.iter().enumerate() {
                let element = (process.transitions.len() + element) as u32;
                if let Some((at, step)) = self.assertion(number, element, name, condition) {
                    states[at as usize].transitions.push(step);
                }
            }
        }
        let automaton = &self.processes[number];
        let prologue = automaton.initial.iter().enumerate().filter(|(_, value)| **value != 0);
        Proctype {
            name: process.name.text.clone(),
            cells: automaton.cells.clone(),
            parameters: 0,
            prologue: prologue.map(|(cell, &value)| Setup::Value(cell as u32, Expression::Number(value))).collect(),
            deterministic: false,
            priority: 1,
            provided: None,
            states,
        }
    }

    fn transition(&mut self, process: usize, element: u32, transition: &'s Transition) -> Option<(u32, Step)> {
        let (from, to) = (self.state(process, &transition.from), self.state(process, &transition.to));
        let committed = from.is_some_and(|from| self.processes[process].committed.contains(&from));
        let mut guards: Vec<Expression> =
            transition.guards.iter().map(|guard| self.value(Some(process), guard)).collect();
        // Whoever receives has a sender that looked.
        let receives = transition.sync.as_ref().is_some_and(|sync| {
            let buffered = self.channel_of(process, sync).is_some_and(|channel| self.channels[channel].capacity > 0);
            matches!(sync.message, Message::Receive(_)) && !buffered
        });
        if !committed && !receives && self.property != Some(process) {
            guards.extend(self.nobody_committed(process));
        }
        let guard = guards.into_iter().reduce(|a, b| Expression::binary(Binary::And, a, b));
        let action = match &transition.sync {
            None => Some(guard.map_or(Action::Skip, Action::Condition)),
            Some(sync) => self.sync(process, sync, guard, committed),
        };
        let statement = self.statement(&transition.span);
        let effects = transition.effects.iter().filter_map(|(target, value)| {
            let value = self.value(Some(process), value);
            let place = self.target(process, target)?;
            Some(Then::Do { action: Action::Assign(Some(place), value), statement, element })
        });
        let then: Box<[Then]> = effects.collect();
        let (action, target) = (action?, Some(to?));
        Some((from?, Step { action, target, atomic: false, escape: 0, statement, element, then }))
    }

    /// A way to fail in a state.
    fn assertion(&mut self, process: usize, element: u32, name: &Name, condition: &'s Ast) -> Option<(u32, Step)> {
        let at = self.state(process, name)?;
        let holds = self.value(Some(process), condition);
        let statement = self.statement(&(name.span.start..condition.span.end));
        let fails = Action::Condition(Expression::unary(Unary::Not, holds));
        let fault = Then::Do { action: Action::Assert(Expression::Number(0)), statement, element };
        let then = [fault].into();
        Some((at, Step { action: fails, target: Some(at), atomic: false, escape: 0, statement, element, then }))
    }

    /// No other process is in a committed state.
    fn nobody_committed(&mut self, process: usize) -> Vec<Expression> {
        let mut conditions = Vec::new();
        for other in (0..self.processes.len()).filter(|&other| other != process) {
            for state in self.processes[other].committed.clone() {
                conditions.push(Expression::unary(Unary::Not, self.at(other, state)));
            }
        }
        conditions
    }

    /// Whether a process is in a state.
    fn at(&mut self, process: usize, state: u32) -> Expression {
        self.labels.push(Some(state));
        let (proctype, pid) = (process as u32, Some(Expression::Number(process as i32)));
        Expression::At(Box::new(Remote { proctype, pid }), self.labels.len() as u32 - 1)
    }

    fn sync(&mut self, process: usize, sync: &'s Sync, guard: Option<Expression>, committed: bool) -> Option<Action> {
        let channel = self.find_channel(process, sync)?;
        let known = &self.channels[channel];
        let width = known.fields.len();
        let number = known.committed.filter(|_| committed).unwrap_or(channel as u32 + 1);
        let (name, channel) = (&sync.channel, Expression::Number(number as i32));
        let several = |count: usize| format!("{count} value{}", if count == 1 { "" } else { "s" });
        match &sync.message {
            Message::Send(values) => {
                if values.len() != width {
                    let message = format!("`{}` takes {}, and this sends {}", name.text, several(width), values.len());
                    self.error(&name.span, message, "as many values must be sent as are declared, or wanted elsewhere");
                }
                let arguments = values.iter().map(|value| self.value(Some(process), value)).collect();
                Some(Action::Send(Box::new(Send { guard, channel, sorted: false, arguments })))
            }
            Message::Receive(targets) => {
                if targets.len() > width {
                    let message = format!("`{}` has {}, and this wants {}", name.text, several(width), targets.len());
                    self.error(&name.span, message, "no more than what is sent can be received");
                }
                let mut patterns: Vec<Pattern> =
                    targets.iter().filter_map(|target| self.target(process, target).map(Pattern::Store)).collect();
                patterns.resize(width, Pattern::Ignore);
                let patterns = patterns.into();
                Some(Action::Receive(Box::new(Receive { guard, channel, random: false, keep: false, patterns })))
            }
        }
    }

    fn statement(&mut self, span: &Span) -> u32 {
        let Findings { file, text, .. } = self.findings;
        let written = String::from_utf8_lossy(text.get(span.clone()).unwrap_or_default());
        let written = written.split_whitespace().collect::<Vec<_>>().join(" ").into();
        let line = self.findings.line(span.start);
        self.statements.push(Statement { file: file.into(), line, text: written, span: Default::default() });
        self.statements.len() as u32 - 1
    }
}
