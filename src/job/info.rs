//! What a model consists of.

use super::failure::Failure;
use super::models::Models;
use super::observer::Observer;
use super::program::components;
use crate::open::{NetFile, ProgramFile};
use prequel_formats::diag::Diagnostic;
use prequel_model::run::Run;
use prequel_model::{Bit, Circuit, Kind, Lit, Lts, Network, Origin, Part, Word};
use prequel_net::split::split_within;
use prequel_program::components::Components;
use prequel_program::{Cell, Program, ValueType};
use std::collections::BTreeSet;

/// Which model is looked at.
#[derive(Clone, Debug)]
pub struct Info {
    /// The model.
    pub models: Models,
    /// Whether its network is wanted, to be drawn or for one of its components.
    pub as_network: bool,
}

/// What a model consists of.
#[derive(Debug)]
pub enum Description {
    /// A network, which says all of itself.
    Network(Network, Origin),
    /// A program.
    Program(ProgramInfo),
    /// A Petri net.
    Net(NetInfo),
    /// A circuit.
    Circuit(CircuitInfo),
}

/// Looks at a model.
pub fn info(request: &Info, run: &Run, observer: &dyn Observer) -> Result<Description, Failure> {
    request.models.subject(run, observer)?.describe(request.as_network, run, observer)
}

/// How large a network is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkSize {
    /// Its components.
    pub components: usize,
    /// States of all components.
    pub states: usize,
    /// Transitions of all components.
    pub transitions: usize,
    /// Labels, without the internal step.
    pub labels: usize,
}

impl NetworkSize {
    /// Of a network.
    pub fn of(network: &Network) -> Self {
        let components = network.components();
        let total = |count: fn(&Lts) -> usize| components.iter().map(|c| count(&c.lts)).sum::<usize>();
        let (states, transitions) = (total(Lts::num_states), total(Lts::num_transitions));
        Self { components: components.len(), states, transitions, labels: network.labels().len() - 1 }
    }
}

/// What a program consists of, with what its components were found to hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramInfo {
    /// Its proctypes.
    pub processes: Vec<ProcessInfo>,
    /// How many processes run from the start.
    pub active: usize,
    /// Its global variables.
    pub globals: Vec<VariableInfo>,
    /// Its channels.
    pub channels: Vec<ChannelInfo>,
    /// Its network, or why there is none.
    pub network: Result<NetworkSize, Vec<Diagnostic>>,
    /// Who needs no network of it, with a verb.
    pub taken_by: &'static str,
}

/// A proctype.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessInfo {
    /// What it is called.
    pub name: String,
    /// Whether it is a claim, of which there is one.
    pub is_claim: bool,
    /// How many run from the start.
    pub from_start: usize,
    /// How many run at a time at most, where that was found out.
    pub at_most: Option<usize>,
    /// Its control states.
    pub control_states: usize,
    /// Its transitions.
    pub transitions: usize,
    /// Its own variables.
    pub variables: Vec<VariableInfo>,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableInfo {
    /// What it is called.
    pub name: String,
    /// Its type as declarations write it; `mtype`, `pid` and `chan` take a byte.
    pub type_name: String,
    /// How many bits it takes.
    pub bits: u8,
    /// What it can hold.
    pub values: Values,
}

/// What a variable can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// Nobody knows.
    Unknown,
    /// It never changes.
    Always(i32),
    /// One of these.
    Among(BTreeSet<i32>),
}

/// A channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelInfo {
    /// What it is called.
    pub name: String,
    /// How many messages it holds; none for a rendezvous.
    pub capacity: u32,
    /// The types of a message.
    pub types: Vec<String>,
    /// How many contents were found, and how long the longest is.
    pub held: Option<(usize, usize)>,
}

impl ProgramInfo {
    pub(super) fn of(file: &ProgramFile, run: &Run) -> Self {
        let program = &file.program;
        let split = file.without_claim().and_then(|program| components(&program, run));
        let found = split.as_ref().ok();
        let channel = |position: usize| {
            let kind = &program.channel_types[program.channels[position] as usize];
            ChannelInfo {
                name: program.channel_name(position).to_string(),
                capacity: kind.capacity,
                types: kind.fields.iter().map(|field| type_name(*field)).collect(),
                held: found.and_then(|found| found.held(position)).map(|held| (held.contents, held.longest)),
            }
        };
        Self {
            processes: (0..program.proctypes.len()).map(|number| process(program, found, number)).collect(),
            active: program.active.len(),
            globals: program.globals.iter().enumerate().map(|(at, cell)| global(program, found, at, cell)).collect(),
            channels: (0..program.channels.len()).map(channel).collect(),
            network: split.as_ref().map(|split| NetworkSize::of(&split.network)).map_err(Clone::clone),
            taken_by: file.taken_by(),
        }
    }
}

fn process(program: &Program, found: Option<&Components>, number: usize) -> ProcessInfo {
    let kind = &program.proctypes[number];
    let local = |(at, cell): (usize, &Cell)| {
        let values = found.map_or(Values::Unknown, |found| Values::Among(found.local_values(number, at)));
        VariableInfo { name: cell.name.to_string(), type_name: type_name(cell.ty), bits: cell.ty.bits(), values }
    };
    ProcessInfo {
        name: kind.name.to_string(),
        is_claim: program.claim == Some(number as u32),
        from_start: program.active.iter().filter(|&&active| active as usize == number).count(),
        at_most: found.map(|found| found.instances(number)),
        control_states: kind.states.len(),
        transitions: kind.states.iter().map(|state| state.transitions.len()).sum(),
        variables: kind.cells.iter().enumerate().map(local).collect(),
    }
}

fn global(program: &Program, found: Option<&Components>, at: usize, cell: &Cell) -> VariableInfo {
    let always = Values::Always(program.initial[at]);
    let values = match (cell.stored, found) {
        (false, _) => always,
        (true, Some(found)) => found.values(at).map_or(always, Values::Among),
        (true, None) => Values::Unknown,
    };
    VariableInfo { name: cell.name.to_string(), type_name: type_name(cell.ty), bits: cell.ty.bits(), values }
}

fn type_name(ty: ValueType) -> String {
    match ty {
        ValueType::Unsigned(1) => "bit".into(),
        ValueType::Unsigned(8) | ValueType::Name(_) | ValueType::Channel => "byte".into(),
        ValueType::Unsigned(bits) => format!("unsigned:{bits}"),
        ValueType::Short => "short".into(),
        ValueType::Int => "int".into(),
    }
}

/// What a Petri net consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetInfo {
    /// Its places.
    pub places: usize,
    /// Its transitions.
    pub transitions: usize,
    /// Its arcs.
    pub arcs: usize,
    /// The largest weight of an arc.
    pub largest_weight: Option<u32>,
    /// Tokens at the start.
    pub tokens: u64,
    /// Places that have any.
    pub marked_places: usize,
    /// How many units the file names, and whether it certifies that the net is safe.
    pub units: Option<(usize, bool)>,
    /// Its network and how it was found, or why there is none.
    pub network: Result<(NetworkSize, String), String>,
    /// What the formulas beside it are called.
    pub formulas: Vec<String>,
}

impl NetInfo {
    pub(super) fn of(file: &NetFile, run: &Run) -> Self {
        let net = &file.net;
        let arcs = |t| net.inputs(t).iter().chain(net.outputs(t));
        let split = split_within(net, &run.watch());
        Self {
            places: net.places().len(),
            transitions: net.transitions().len(),
            arcs: net.num_arcs(),
            largest_weight: net.transitions().flat_map(arcs).map(|arc| arc.weight).max(),
            tokens: net.initial().iter().map(|&tokens| u64::from(tokens)).sum(),
            marked_places: net.initial().iter().filter(|&&tokens| tokens > 0).count(),
            units: net.units().map(|units| (units.names.len(), units.safe)),
            network: split
                .map(|split| (NetworkSize::of(&split.network), split.method.to_string()))
                .map_err(|why| why.to_string()),
            formulas: file.formulas.iter().map(|formula| formula.name.to_string()).collect(),
        }
    }
}

/// What a circuit consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CircuitInfo {
    /// Its variables: the name, the values, and how many bits they take.
    pub variables: Vec<(String, String, usize)>,
    /// Bits of all variables.
    pub bits: u32,
    /// Nodes of the graph.
    pub nodes: usize,
    /// Whether it states an invariant.
    pub states_invariant: bool,
    /// Its components.
    pub components: Vec<CircuitPart>,
}

/// A component of a circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CircuitPart {
    /// What it is called.
    pub name: String,
    /// The variables that it says something about.
    pub says: Vec<String>,
    /// Those that it only reads.
    pub reads: Vec<String>,
}

impl CircuitInfo {
    pub(super) fn of(circuit: &Circuit) -> Self {
        let roots: Vec<Lit> = circuit.parts.iter().flat_map(|p| [p.initial, p.step]).chain(circuit.bad).collect();
        let values = |kind: &Kind| match kind {
            Kind::Truth => "boolean".to_owned(),
            Kind::Numbers(first, last) => format!("{first}..{last}"),
            Kind::Names(names) => format!("{{{}}}", names.join(", ")),
        };
        let variable = |word: &Word| (word.name.to_string(), values(&word.kind), word.bits.len());
        Self {
            variables: circuit.words.iter().map(variable).collect(),
            bits: circuit.bits,
            nodes: circuit.aig.cone(&roots).len(),
            states_invariant: circuit.bad.is_some(),
            components: circuit.parts.iter().map(|part| circuit_part(circuit, part)).collect(),
        }
    }
}

fn circuit_part(circuit: &Circuit, part: &Part) -> CircuitPart {
    let mut seen = vec![[false; 2]; circuit.bits as usize];
    for f in [part.initial, part.step] {
        for (bit, next) in circuit.aig.support(f).into_iter().map(Bit::of) {
            // What is said of the first state is said, too.
            seen[bit.0 as usize][usize::from(next || f == part.initial)] = true;
        }
    }
    let names = |test: &dyn Fn([bool; 2]) -> bool| {
        let has = |word: &&Word| {
            let of = word.bits.iter().map(|bit| seen[bit.0 as usize]);
            test(of.fold([false; 2], |a, b| [a[0] || b[0], a[1] || b[1]]))
        };
        circuit.words.iter().filter(has).map(|word| word.name.to_string()).collect::<Vec<_>>()
    };
    let name = part.name.to_string();
    CircuitPart { name, says: names(&|[_, said]| said), reads: names(&|[read, said]| read && !said) }
}
