//! Channels that one process alone sends to, or receives from, where SPIN may know it (`xs`, `xr`).
//!
//! SPIN then takes such a send before all that others could do, as long as there is room, and such a receive as long as there is a
//! message. That is right only where nobody notices which came first. Somebody does who asks how full the channel is: by `len`, `full`,
//! `empty` or a poll, by an `else` or an escape beside an operation on it, by a choice in a `d_step`; by operations that look at the order
//! of messages (`!!`, `??`); and in the middle of an `atomic` or `d_step`, where whoever has to wait gives others a turn.

use super::domain::{Domain, Domains, cells};
use super::facts::exclusive;
use super::{places, values};
use crate::data::{Action, Node, Program, Setup, Steps};
use crate::expression::Expression;
use prequel_formats::promela::syntax::{Direction, Model, Reference, Unit};
use rustc_hash::FxHashSet;

/// What a kind of process, of which there is one, does alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owner {
    /// Which kind.
    pub proctype: u32,
    /// Whether it sends or receives.
    pub direction: Direction,
    /// The channel, as the process calls it.
    pub channel: Box<str>,
}

/// An operation on a channel.
struct Use<'a> {
    kind: u32,
    direction: Direction,
    channel: &'a Expression,
    /// Nobody notices when it becomes possible.
    simple: bool,
    /// Whoever does it has not begun anything that others must not see.
    first: bool,
}

/// What can be said of channels, besides what the processes say themselves: `told` are the names for which they do. `named` are those of
/// variables that a property looks at.
pub fn owners(
    program: &Program,
    domains: &Domains<'_>,
    named: &FxHashSet<Box<str>>,
    told: &[FxHashSet<Box<str>>],
) -> Vec<Owner> {
    let owners = Owners { program, domains, own: own_channels(program) };
    let (uses, instances) = (uses(program), instances(program));
    let Some(polled) = owners.polled() else { return Vec::new() };
    let mut found = Vec::new();
    for (at, &kind) in program.channels.iter().enumerate() {
        let number = at as i32 + 1;
        let name = &*program.channel_names[at];
        let scalar = program.globals.iter().position(|cell| &*cell.name == name && !cell.stored);
        let Some(cell) = scalar.filter(|_| !name.contains(['[', '.'])) else { continue };
        if program.channel_types[kind as usize].capacity == 0
            || named.contains(name)
            || polled.contains(&number)
            || owners.is_told(told, number, name)
        {
            continue;
        }
        for direction in [Direction::Receive, Direction::Send] {
            let here = |of: &&Use<'_>| owners.means(of.channel, of.kind, number);
            let (own, other): (Vec<&Use<'_>>, Vec<&Use<'_>>) =
                uses.iter().filter(here).partition(|of| of.direction == direction);
            let Some(first) = own.first() else { continue };
            let alone = own.iter().all(|of| of.kind == first.kind && of.channel == first.channel);
            let quiet = own.iter().all(|of| of.simple) && other.iter().all(|of| of.simple && of.first);
            let channel = owners.called(first, cell as u32, number, name);
            if alone && quiet && instances[first.kind as usize] == 1 {
                found.extend(channel.map(|channel| Owner { proctype: first.kind, direction, channel }));
            }
        }
    }
    found
}

struct Owners<'a> {
    program: &'a Program,
    domains: &'a Domains<'a>,
    /// Cells of processes that hold a channel of their own and nothing else.
    own: FxHashSet<(u32, u32)>,
}

impl<'a> Owners<'a> {
    /// The channels from the start that an expression can mean; nothing where that is not known.
    fn channels(&self, channel: &Expression, kind: u32) -> Option<Vec<i32>> {
        let local = match channel {
            Expression::Local(cell) => vec![*cell],
            Expression::Element(place) if place.local => cells(place),
            _ => Vec::new(),
        };
        if !local.is_empty() && local.iter().all(|&cell| self.own.contains(&(kind, cell))) {
            return Some(Vec::new());
        }
        match self.domains.of(channel, kind) {
            Domain::Of(values) => Some(values.into_iter().collect()),
            Domain::Any => None,
        }
    }

    fn means(&self, channel: &Expression, kind: u32, number: i32) -> bool {
        self.channels(channel, kind).is_none_or(|channels| channels.contains(&number))
    }

    /// What a process calls a channel, if that is always this one.
    fn called(&self, of: &Use<'_>, cell: u32, number: i32, name: &str) -> Option<Box<str>> {
        let own = &self.program.proctypes[of.kind as usize];
        let stem = |name: &str| name.split(['[', '.']).next().unwrap_or(name).to_owned();
        match of.channel {
            // A variable of the process with the same name would hide it.
            Expression::Global(global) if *global == cell => {
                own.cells.iter().all(|other| stem(&other.name) != name).then(|| name.into())
            }
            Expression::Local(cell) if *cell < own.parameters => {
                let parameter = &own.cells[*cell as usize].name;
                let twice = own.cells.iter().filter(|other| stem(&other.name) == **parameter).count() > 1;
                let same = self.channels(of.channel, of.kind)? == [number];
                (same && !twice).then(|| parameter.clone())
            }
            _ => None,
        }
    }

    /// Whether a process says something of a channel itself.
    fn is_told(&self, told: &[FxHashSet<Box<str>>], number: i32, name: &str) -> bool {
        let by_kind = |(kind, names): (usize, &FxHashSet<Box<str>>)| {
            let cells = self.program.proctypes[kind].cells.iter().enumerate();
            let mut parameters = cells.filter(|(_, cell)| names.contains(&cell.name));
            names.contains(name)
                || parameters.any(|(cell, _)| self.means(&Expression::Local(cell as u32), kind as u32, number))
        };
        told.iter().enumerate().any(by_kind)
    }

    /// The channels of which somebody asks how full they are; nothing where that is not known.
    fn polled(&self) -> Option<FxHashSet<i32>> {
        let (mut polled, mut unknown) = (FxHashSet::default(), false);
        for (number, kind) in (0..).zip(&self.program.proctypes) {
            let mut look = |value: &Expression| {
                value.visit(&mut |part| {
                    let channel = match part {
                        Expression::Length(channel) | Expression::Probe(_, channel) => channel,
                        Expression::Poll(receive) => &receive.channel,
                        _ => return,
                    };
                    match self.channels(channel, number) {
                        Some(channels) => polled.extend(channels),
                        None => unknown = true,
                    }
                });
            };
            kind.provided.iter().for_each(&mut look);
            for setup in &kind.prologue {
                if let Setup::Value(_, value) = setup {
                    look(value);
                }
            }
            for transition in kind.states.iter().flat_map(|state| &state.transitions) {
                values(&transition.action, &mut look);
                places(&transition.action, &mut |place| place.indices.iter().for_each(|index| look(&index.at)));
            }
        }
        (!unknown).then_some(polled)
    }
}

/// All sends and receives of a program.
fn uses(program: &Program) -> Vec<Use<'_>> {
    let mut uses = Vec::new();
    for (number, kind) in (0..).zip(&program.proctypes) {
        let transitions = || kind.states.iter().flat_map(|state| &state.transitions);
        let inside: FxHashSet<u32> =
            transitions().filter(|transition| transition.atomic).filter_map(|transition| transition.target).collect();
        for (at, state) in (0..).zip(&kind.states) {
            let quiet = !state.is_ranked() && !kind.deterministic;
            for transition in &state.transitions {
                let first = !inside.contains(&at);
                match &transition.action {
                    Action::Steps(steps) => in_steps(number, steps, quiet, first, &mut uses),
                    action => uses.extend(used(number, action, quiet, first)),
                }
            }
        }
    }
    uses
}

/// Whether a model says of a channel that one process has it alone, though somebody may notice which operation on it comes first.
pub fn tells_too_much(model: &Model, program: &Program) -> bool {
    let bodies = model.units.iter().filter_map(|unit| match unit {
        Unit::Proctype(proctype) => Some(&proctype.body),
        Unit::Init(init) => Some(&init.body),
        _ => None,
    });
    let told: Vec<&Reference> = bodies.flat_map(|body| exclusive(body)).map(|(_, channel)| channel).collect();
    let plain = |cell: &u32| &*program.globals[*cell as usize].name;
    let may_mean = |told: &Reference, channel: &Expression| match channel {
        // Another name may be a parameter, which stands for any.
        Expression::Global(cell) => {
            let name = &*told.parts[0].name.text;
            plain(cell) == name || !(0..program.globals.len() as u32).any(|cell| plain(&cell) == name)
        }
        _ => true,
    };
    let noticed = |of: &Use<'_>| !(of.simple && of.first) && told.iter().any(|told| may_mean(told, of.channel));
    !told.is_empty() && uses(program).iter().any(noticed)
}

/// An action as the use of a channel, if it is one.
fn used(kind: u32, action: &Action, quiet: bool, first: bool) -> Option<Use<'_>> {
    Some(match action {
        Action::Send(send) => {
            let simple = quiet && !send.sorted && send.guard.is_none();
            Use { kind, direction: Direction::Send, channel: &send.channel, simple, first }
        }
        Action::Receive(receive) => {
            let simple = quiet && !receive.random && !receive.keep && receive.guard.is_none();
            Use { kind, direction: Direction::Receive, channel: &receive.channel, simple, first }
        }
        _ => return None,
    })
}

/// The uses in a `d_step`: one at its head is like any other, whoever would have to wait behind it is a fault.
fn in_steps<'a>(kind: u32, steps: &'a Steps, quiet: bool, first: bool, uses: &mut Vec<Use<'a>>) {
    let mut head = 0;
    while let Node::Jump(to) = steps.nodes[head as usize] {
        head = to;
    }
    for (at, node) in (0..).zip(&steps.nodes) {
        if let Node::Do(action, ..) = node {
            uses.extend(used(kind, action, quiet && at == head, first && at == head));
        }
    }
}

/// The cells that hold a channel which their process made, and never another.
fn own_channels(program: &Program) -> FxHashSet<(u32, u32)> {
    let mut own = FxHashSet::default();
    for (number, kind) in (0..).zip(&program.proctypes) {
        let made = |setup: &Setup| if let Setup::Channel(cell, _) = setup { Some((number, *cell)) } else { None };
        own.extend(kind.prologue.iter().filter_map(made));
        for transition in kind.states.iter().flat_map(|state| &state.transitions) {
            places(&transition.action, &mut |place| {
                if place.local {
                    own.retain(|(kind, cell)| *kind != number || !cells(place).contains(cell));
                }
            });
        }
    }
    own
}

/// By kind: how many processes of it there can ever be; two stand for more.
fn instances(program: &Program) -> Vec<usize> {
    let active = |kind: usize| program.active.iter().filter(|&&other| other as usize == kind).count();
    let mut counts = vec![0; program.proctypes.len()];
    loop {
        let mut more: Vec<usize> = (0..counts.len()).map(active).collect();
        for (kind, count) in program.proctypes.iter().zip(&counts) {
            for (at, state) in (0..).zip(&kind.states) {
                for transition in &state.transitions {
                    if let Action::Run(run) = &transition.action {
                        more[run.proctype as usize] += if kind.returns_to(at) { 2 * count } else { *count };
                    }
                }
            }
        }
        more.iter_mut().for_each(|count| *count = (*count).min(2));
        if more == counts {
            return counts;
        }
        counts = more;
    }
}
