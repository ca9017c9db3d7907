//! A run of a program as a trace of a small network, so that it is drawn as one.
//!
//! A process that moves is a component; a state is what was last done to it. The two halves of a rendezvous are one step of two
//! processes. A message is an arrow from whoever sent it to whoever receives it, and that may be much later; where people want to
//! see buffered channels too, these are components that take part in the steps of both.

use super::telling::{Told, told};
use crate as program;
use crate::Program;
use prequel_formats::picture::view::{Arrow, View};
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
    /// Messages between processes.
    arrows: Vec<Arrow>,
    /// Who each component is.
    order: Vec<Who>,
}

impl Drawing {
    /// For whoever draws traces.
    pub fn view(&self) -> View<'_> {
        let Self { network, origin, trace, lines, cycle, arrows, .. } = self;
        View { network, origin, trace, lines, cycle: *cycle, arrows }
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

/// Makes a run a trace. From the step `cycle` on all are repeated for ever. Where `channels` is set, they are components too.
pub fn drawing(program: &Program, steps: &[program::Step], cycle: Option<usize>, channels: bool) -> Drawing {
    let told: Vec<Told> = told(program, steps, |_| true).into_iter().flatten().collect();
    let mut run = Run { program, channels, labels: Labels::new(), columns: FxHashMap::default(), steps: Vec::new() };
    let (mut lines, mut starts, mut cycle_at) = (Vec::new(), Vec::new(), None);
    // The row of each step, and the messages from step to step.
    let (mut rows, mut sent) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < told.len() {
        if cycle == Some(at) {
            cycle_at = Some(lines.len());
        }
        let (length, parts) = run.parts(&steps[at..], &told[at..]);
        lines.push(steps[at..at + length].iter().map(|step| program.place_of(step.statement)).collect());
        for (now, told) in told.iter().enumerate().skip(at).take(length) {
            rows.push(lines.len() - 1);
            let received = told.messages.iter().filter_map(|message| Some((message.sent?, &message.fields)));
            sent.extend(received.map(|(from, fields)| (from, now, fields.clone())));
        }
        // Two that meet exchange what is really said.
        let said = if length == 2 { told[at].passed() } else { String::new() };
        let text = if said.is_empty() { &*program.statements[steps[at].statement as usize].text } else { &said };
        run.step(text, parts);
        starts.push(at);
        at += length;
    }
    // What is put into a channel by nobody, or taken out by whoever put it in, goes nowhere.
    let who = |at: usize| run.who(&steps[at]);
    let sent: Vec<_> = sent.into_iter().filter(|&(from, to, _)| who(from) != who(to)).collect();
    let ends: Vec<(Who, Who)> = sent.iter().map(|&(from, to, _)| (who(from), who(to))).collect();
    let mut drawing = Drawing { cycle: cycle_at, starts, ..run.finish(lines) };
    let column = |who: &Who| ComponentId::new(drawing.order.iter().position(|other| other == who).unwrap_or(0));
    let arrow = |((from, to, message), (by, with)): (&(usize, usize, String), &(Who, Who))| Arrow {
        from: (rows[*from], column(by)),
        to: (rows[*to], column(with)),
        message: message.clone(),
    };
    drawing.arrows = if channels { Vec::new() } else { sent.iter().zip(&ends).map(arrow).collect() };
    drawing
}

/// Who goes from which state to which.
type Moved = (Who, StateId, StateId);

struct Run<'a> {
    program: &'a Program,
    /// Whether channels take part.
    channels: bool,
    labels: Labels,
    columns: FxHashMap<Who, Column>,
    steps: Vec<(LabelId, Vec<Moved>)>,
}

impl Run<'_> {
    fn who(&self, step: &program::Step) -> Who {
        match step.process {
            Some(number) => Who::Process(number, self.program.kind_of(step.statement).unwrap_or(0) as u32),
            None => Who::Claim,
        }
    }

    /// Who takes part in the first of these steps, with what is said of each; and how many of the steps that is.
    fn parts(&self, steps: &[program::Step], told: &[Told]) -> (usize, Vec<(Who, String)>) {
        let own = |at: usize| {
            let is_channel =
                |name: &str| told[at].messages.iter().any(|m| self.program.channel_name(m.channel) == name);
            let others = told[at].changes.iter().filter(|(name, _)| !is_channel(name));
            let said = others.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
            (self.who(&steps[at]), said)
        };
        let met = told.get(1).is_some_and(|next| {
            told[0].messages.iter().any(|sent| sent.rendezvous && sent.sent.is_none())
                && next.messages.iter().any(|received| received.rendezvous && received.sent.is_some())
        });
        if met {
            return (2, vec![own(0), own(1)]);
        }
        let mut parts = vec![own(0)];
        let used = told[0].messages.iter().filter(|message| self.channels && !message.rendezvous);
        for name in used.map(|message| self.program.channel_name(message.channel)) {
            let who = Who::Channel(name.clone());
            let holds = told[0].changes.iter().find(|(changed, _)| *changed == name);
            if let Some((_, holds)) = holds.filter(|_| parts.iter().all(|(other, _)| *other != who)) {
                parts.push((who, holds.clone()));
            }
        }
        (1, parts)
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
        let Self { program, channels: _, labels, mut columns, steps } = self;
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
        let network = Network::new(labels, components);
        Drawing { network, origin, trace, lines, starts: Vec::new(), cycle: None, arrows: Vec::new(), order }
    }
}
