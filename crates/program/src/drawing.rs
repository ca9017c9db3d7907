//! A run of a program as a trace of a small network, so that it is drawn as one.
//!
//! A process that moves is a component, and so is a buffered channel that is used; a state is what was last done to it. The two
//! halves of a rendezvous are one step of two processes. A message that is put into a buffer or taken out of it is a step of the
//! process and the channel.

use crate as program;
use crate::Program;
use prequel_formats::picture::view::View;
use prequel_model::{
    Component, ComponentId, LabelId, Labels, Lts, Move, Network, Origin, Source, StateId, Step, Trace, Transition,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A run to draw.
#[derive(Debug)]
pub struct Drawing {
    /// Processes and channels.
    pub network: Network,
    /// What was done to them.
    pub origin: Origin,
    /// The run.
    pub trace: Trace,
    /// Where each step stands.
    pub lines: Vec<Vec<String>>,
    /// The step of the run that each step of the trace begins with.
    pub starts: Vec<usize>,
    /// The step of the trace from which on all are repeated for ever.
    pub cycle: Option<usize>,
}

impl Drawing {
    /// For whoever draws traces.
    pub fn view(&self) -> View<'_> {
        let Self { network, origin, trace, lines, cycle, .. } = self;
        View { network, origin, trace, lines, cycle: *cycle }
    }
}

/// Who takes part.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
enum Who {
    /// Its number and its proctype.
    Process(u32, u32),
    Claim,
    Channel(String),
}

#[derive(Default)]
struct Column {
    /// What its states are called.
    states: Vec<Box<str>>,
    transitions: Vec<Transition>,
}

/// Makes a run a trace. From the step `cycle` on all are repeated for ever.
pub fn drawing(program: &Program, steps: &[program::Step], cycle: Option<usize>) -> Drawing {
    let mut run = Run { program, labels: Labels::new(), columns: FxHashMap::default(), steps: Vec::new() };
    let (mut lines, mut starts, mut cycle_at) = (Vec::new(), Vec::new(), None);
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        if cycle == Some(at) {
            cycle_at = Some(lines.len());
        }
        let (length, parts) = run.parts(step, steps.get(at + 1));
        let place = |step: &program::Step| {
            let statement = &program.statements[step.statement as usize];
            format!("{}:{}", statement.file, statement.line)
        };
        lines.push(steps[at..at + length].iter().map(place).collect());
        let text = &program.statements[step.statement as usize].text;
        run.step(text, parts);
        starts.push(at);
        at += length;
    }
    Drawing { cycle: cycle_at, starts, ..run.finish(lines) }
}

/// Who goes from which state to which.
type Moved = (Who, StateId, StateId);

struct Run<'a> {
    program: &'a Program,
    labels: Labels,
    columns: FxHashMap<Who, Column>,
    steps: Vec<(LabelId, Vec<Moved>)>,
}

impl Run<'_> {
    /// Who takes part in a step, with what is said of each; and how many steps of the run that is.
    fn parts(&self, step: &program::Step, next: Option<&program::Step>) -> (usize, Vec<(Who, String)>) {
        let who = |step: &program::Step| match step.process {
            Some(number) => Who::Process(number, self.kind(step.statement)),
            None => Who::Claim,
        };
        let length_of = |step: &program::Step| {
            step.changes.iter().find_map(|change| Some((change.channel(self.program)?, change.value)))
        };
        let said = |step: &program::Step| {
            let others = step.changes.iter().filter(|change| change.channel(self.program).is_none());
            let said = others.map(|change| format!("{} = {}", change.name(self.program), change.value));
            said.collect::<Vec<_>>().join(", ")
        };
        let Some((channel, length)) = length_of(step) else { return (1, vec![(who(step), said(step))]) };
        let met = next.filter(|next| length_of(next) == Some((channel.clone(), 0)) && self.is_rendezvous(&channel));
        match met {
            Some(next) => (2, vec![(who(step), said(step)), (who(next), said(next))]),
            None => (1, vec![(who(step), said(step)), (Who::Channel(channel), format!("holds {length}"))]),
        }
    }

    /// The proctype that a statement belongs to.
    fn kind(&self, statement: u32) -> u32 {
        let has = |kind: &program::Proctype| {
            kind.states.iter().flat_map(|state| &state.transitions).any(|t| t.statement == statement)
        };
        self.program.proctypes.iter().position(has).unwrap_or(0) as u32
    }

    fn is_rendezvous(&self, channel: &str) -> bool {
        let position = self.program.channel_names.iter().position(|name| **name == *channel);
        position.is_some_and(|at| self.program.channel_types[self.program.channels[at] as usize].capacity == 0)
    }

    fn step(&mut self, text: &str, parts: Vec<(Who, String)>) {
        let label = self.labels.fresh(text);
        let shown = self.labels.intern(text);
        self.labels.show(label, shown);
        let mut moves = Vec::new();
        for (who, said) in parts {
            let column = self.columns.entry(who.clone()).or_default();
            if column.states.is_empty() {
                column.states.push(if matches!(who, Who::Channel(_)) { "empty".into() } else { "".into() });
            }
            let (from, to) = (StateId::new(column.states.len() - 1), StateId::new(column.states.len()));
            column.states.push(said.into());
            column.transitions.push(Transition { source: from, label, target: to });
            moves.push((who, from, to));
        }
        self.steps.push((label, moves));
    }

    fn finish(self, lines: Vec<Vec<String>>) -> Drawing {
        let Self { program, labels, mut columns, steps } = self;
        let mut order: Vec<Who> = columns.keys().cloned().collect();
        order.sort();
        let (mut components, mut origin) = (Vec::new(), Origin::default());
        for who in &order {
            let Column { states, transitions } = columns.remove(who).unwrap_or_default();
            let name = match who {
                Who::Process(number, kind) => format!("{}({number})", program.proctypes[*kind as usize].name),
                Who::Claim => "never".into(),
                Who::Channel(name) => name.clone(),
            };
            components.push(Component::new(name, Lts::new(StateId(0), states.len(), transitions)));
            origin.sources.push(Source { file: None, state_names: Some(Arc::from(states)) });
        }
        let number = |who: &Who| ComponentId::new(order.iter().position(|other| other == who).unwrap_or(0));
        let trace_step = |(label, moves): (LabelId, Vec<Moved>)| {
            let mut moves: Vec<Move> =
                moves.iter().map(|(who, from, to)| Move { component: number(who), from: *from, to: *to }).collect();
            moves.sort_unstable_by_key(|m| m.component);
            Step { label, moves }
        };
        let trace = Trace { steps: steps.into_iter().map(trace_step).collect() };
        Drawing { network: Network::new(labels, components), origin, trace, lines, starts: Vec::new(), cycle: None }
    }
}
