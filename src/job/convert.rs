//! Models in another format.

use super::failure::Failure;
use super::info::NetworkSize;
use super::models::Models;
use super::observer::Observer;
use super::question::Question;
use super::subject::Inquiry;
use super::words::counted;
use prequel_engine::Refusal;
use prequel_engine::algo::equivalence::{Equivalence, minimise};
use prequel_engine::algo::explicit::explicit;
use prequel_engine::symbolic::Encoded;
use prequel_formats::aiger::Form;
use prequel_formats::list::{CircuitOutput, NetOutput, OutputFormat};
use prequel_formats::marking;
use prequel_formats::picture::dot;
use prequel_formats::supremica::wdes;
use prequel_formats::{aiger, aut, exp, lola, pnml, smv};
use prequel_model::run::Run;
use prequel_model::{Circuit, Component, ComponentId, Net, Network, Origin, Problem, Query, Why};
use prequel_net::join::join;
use prequel_program::components::Components;
use prequel_spin::promela::{Promela, Unwritable, write_stuck};
use std::path::{Path, PathBuf};

/// Which model is written, where and how.
#[derive(Clone, Debug)]
pub struct Convert {
    /// The model.
    pub models: Models,
    /// Where to; its extension says in which format.
    pub output: PathBuf,
    /// When states count as the same and become one.
    pub minimise: Option<Equivalence>,
    /// What a circuit states.
    pub question: Question,
}

/// A model in another format, as files that are yet to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Converted {
    /// All files with their contents.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// Folders that they need.
    pub folders: Vec<PathBuf>,
    /// How large it is.
    pub contents: Contents,
    /// What holds on the files if what a program states does: commands. None where it is no program.
    pub checks: Option<Vec<String>>,
}

/// What was written, and how much of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contents {
    /// A network.
    Network(NetworkSize),
    /// A Petri net.
    Net {
        /// Its places.
        places: usize,
        /// Its transitions.
        transitions: usize,
        /// Its arcs.
        arcs: usize,
    },
    /// Automata with marks.
    Automata {
        /// How many.
        automata: usize,
        /// Their events.
        events: usize,
        /// States of all automata.
        states: usize,
        /// Transitions of all automata.
        transitions: usize,
    },
    /// A circuit.
    Circuit {
        /// Its components.
        components: usize,
        /// Its variables.
        variables: usize,
        /// Bits of all variables.
        bits: u32,
    },
}

/// Puts a model into another format.
pub fn convert(request: &Convert, run: &Run, observer: &dyn Observer) -> Result<Converted, Failure> {
    let Convert { models, output, minimise, question } = request;
    let written = written_as(output)?;
    let subject = models.subject(run, observer)?;
    let alone = |(text, contents)| {
        let files = vec![(output.clone(), text)];
        Converted { files, folders: Vec::new(), contents, checks: None }
    };
    if !subject.has_labels() || written.is_circuit() {
        if minimise.is_some() {
            let help = "minimise the network first, and convert that";
            return Err(Failure::input("--minimise", "circuits are not minimised", help));
        }
        let circuit = subject.circuit(Inquiry { question, reading: &models.reading, run, observer })?;
        return as_circuit(&circuit, written, output).map(alone);
    }
    if let Some(query) = question.text() {
        let help = format!("leave it away, or write {}", OutputFormat::choice(OutputFormat::is_circuit));
        return Err(Failure::input(query, "a query is for circuits: the other formats state nothing", help));
    }
    if minimise.is_none()
        && let Some(own) = subject.own_text(written, output)
    {
        return Ok(alone(own));
    }
    let (network, mut origin, stated) = subject.written(&models.reading, run, observer)?;
    let network = if written == OutputFormat::Aut { product(network, run, observer)? } else { network };
    let network = match minimise {
        Some(equivalence) => {
            // A state of the smaller one stands for several.
            origin.sources.iter_mut().for_each(|source| source.state_names = None);
            minimised(network, *equivalence, run)?
        }
        None => network,
    };
    let fails = stated.as_ref().and_then(|stated| stated.fails.clone());
    let problem = Problem { network, query: fails.unwrap_or(Query::DeadlockFree) };
    Ok(Converted {
        files: files(&problem, &origin, output, models.reading.marking(), write_stuck)?,
        folders: folders(output),
        contents: Contents::Network(NetworkSize::of(&problem.network)),
        checks: stated.map(|stated| stated.checks(output)),
    })
}

fn as_circuit(circuit: &Circuit, written: OutputFormat, output: &Path) -> Result<(Vec<u8>, Contents), Failure> {
    let OutputFormat::Circuit(form) = written else {
        let extension = output.extension().unwrap_or_default().to_string_lossy();
        let choice = OutputFormat::choice(OutputFormat::is_circuit);
        let why = format!("a circuit has no labels and becomes no .{extension}: it is written as {choice}");
        return Err(Refusal::new(why).into());
    };
    let (components, variables, bits) = (circuit.parts.len(), circuit.words.len(), circuit.bits);
    Ok((circuit_text(circuit, form), Contents::Circuit { components, variables, bits }))
}

/// The format of an output, which must be one that can be written.
pub fn written_as(output: &Path) -> Result<OutputFormat, Failure> {
    OutputFormat::of(output).ok_or_else(|| {
        let help = format!("writable are .{}", OutputFormat::extensions(|_| true).join(", ."));
        Failure::input(output.display().to_string(), "unknown extension of the output", help)
    })
}

/// The product, as one component.
pub(super) fn product(network: Network, run: &Run, observer: &dyn Observer) -> Result<Network, Failure> {
    observer.during(run, "product", || one_system(network, run)).map_err(|why| {
        let effort = run.effort();
        let (states, transitions) = (counted(effort.states_total, "state"), counted(effort.transitions, "transition"));
        Failure::Undecided(format!("{why} after {states}, {transitions} of the product"), why)
    })
}

/// A problem as files, in the format of the output's extension; for .aut its network is one system. `label` marks states where the
/// format has such.
pub fn files(
    problem: &Problem,
    origin: &Origin,
    path: &Path,
    label: &str,
    promela: fn(&Problem, &Origin) -> Result<Promela, Unwritable>,
) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let refuse = |why: String, help: &str| Failure::input(path.display().to_string(), why, help);
    let cannot = |why: String| refuse(why, "choose another format for the output");
    let network = &problem.network;
    Ok(match written_as(path)? {
        OutputFormat::Aut => {
            let lts = &network.components()[0].lts;
            if let Some(label) = aut::mistakable(network.labels(), &lts.used_labels()).first() {
                let why = format!("label `{label}` would be read back as the internal step");
                return Err(refuse(why, "rename it first, or read it as the internal step with --tau"));
            }
            vec![(path.to_owned(), in_memory(|out| aut::write(lts, |l| network.labels().name(l), out)))]
        }
        OutputFormat::Exp => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let folder = path.parent().unwrap_or(Path::new(""));
            let files = exp::write(network, &stem).map_err(|e| cannot(e.to_string()))?;
            files.into_iter().map(|(path, text)| (folder.join(path), text)).collect()
        }
        OutputFormat::Net(form) => {
            let net = join(network, origin).map_err(|e| cannot(e.to_string()))?;
            vec![(path.to_owned(), net_text(&net, path, form))]
        }
        OutputFormat::Wdes => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let (marked, _) = marking::marked_or_all(network.clone(), origin, label)?;
            let Some(des) = wdes::plants(marked, origin.clone(), &name) else {
                return Err(cannot("a component has internal steps, and this format has none".into()));
            };
            vec![(path.to_owned(), in_memory(|out| wdes::write(&des, out)))]
        }
        OutputFormat::Promela => {
            vec![(path.to_owned(), promela(problem, origin).map_err(|e| cannot(e.to_string()))?.text.into_bytes())]
        }
        OutputFormat::Circuit(form) => vec![(path.to_owned(), circuit_text(&encoded(problem)?.circuit, form))],
        OutputFormat::Dot => {
            let mut text = Vec::new();
            match network.components() {
                [_] => dot::write_component(network, origin, ComponentId(0), &mut text)
                    .map_err(|e| cannot(e.to_string()))?,
                _ => dot::write_network(network, &mut text).map_err(|e| cannot(e.to_string()))?,
            }
            vec![(path.to_owned(), text)]
        }
    })
}

/// Folders that go with an output: that of the components of a network.
pub fn folders(path: &Path) -> Vec<PathBuf> {
    if OutputFormat::of(path) == Some(OutputFormat::Exp) { vec![path.with_extension("d")] } else { vec![] }
}

/// A Petri net in one of its forms.
pub(super) fn net_text(net: &Net, path: &Path, form: NetOutput) -> Vec<u8> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    in_memory(|out| match form {
        NetOutput::Pnml => pnml::write(net, &name, out),
        NetOutput::Lola => lola::write(net, out),
    })
}

/// A circuit in one of its forms.
pub fn circuit_text(circuit: &Circuit, form: CircuitOutput) -> Vec<u8> {
    in_memory(|out| match form {
        CircuitOutput::Smv => smv::write(circuit, out),
        CircuitOutput::AigerText => aiger::write(circuit, Form::Ascii, out),
        CircuitOutput::AigerBinary => aiger::write(circuit, Form::Binary, out),
    })
}

/// The circuit of a network: what must not be reached is what a witness to the query leads to.
pub(super) fn encoded(problem: &Problem) -> Result<Encoded, Failure> {
    Encoded::new(problem).ok_or_else(|| {
        let kind = Query::kind(&problem.query);
        Refusal::new(format!("a circuit states what is never reached, and {kind} is more than that")).into()
    })
}

/// What a program states, as far as it is not in what was written.
pub struct Unwritten {
    /// The question whether something goes wrong, if anything can.
    pub fails: Option<Query>,
    /// It is wrong to stop where processes may not end.
    end_states: bool,
}

impl Unwritten {
    /// Of a program whose language has end states or not.
    pub fn of(split: &Components, end_states: bool) -> Self {
        let fails = (!split.errors().is_empty()).then(|| split.assertions().query);
        Self { fails, end_states }
    }

    /// The commands that decide it on what was written.
    pub fn checks(&self, output: &Path) -> Vec<String> {
        let file = output.display();
        match OutputFormat::of(output) {
            Some(OutputFormat::Promela) if self.end_states => vec![format!("`spin -run {file}` finds no error")],
            Some(OutputFormat::Promela | OutputFormat::Dot) => vec![],
            Some(
                OutputFormat::Aut
                | OutputFormat::Exp
                | OutputFormat::Net(_)
                | OutputFormat::Wdes
                | OutputFormat::Circuit(_),
            )
            | None => {
                let never = self.fails.is_some().then(|| format!("`prequel check {file} --pattern 'never(error)'`"));
                let deadlock = self.end_states.then(|| format!("`prequel check {file} --deadlock-free`"));
                never.into_iter().chain(deadlock).collect()
            }
        }
    }
}

/// The network as one component. A single one of which everything is seen as it is stays as it was read.
pub(super) fn one_system(network: Network, run: &Run) -> Result<Network, Why> {
    let plain = network.labels().visible().all(|l| network.labels().action(l) == l);
    if plain && network.components().len() == 1 {
        return Ok(network);
    }
    let check = run.check();
    let lts = explicit(&network, |states, transitions| check.explored(states, transitions))?;
    let (labels, _) = network.into_parts();
    Ok(Network::new(labels, vec![Component::new("product", lts)]))
}

/// Each component minimised by itself; alphabets stay what they were.
pub(super) fn minimised(network: Network, equivalence: Equivalence, run: &Run) -> Result<Network, Failure> {
    let (labels, components) = network.into_parts();
    let cap = subset_cap(run);
    let small = |component: Component| -> Result<Component, Failure> {
        let lts = minimise(&component.lts, equivalence, Some(cap))
            .map_err(|e| format!("{}: {e}; raise it with --states", component.name))
            .map_err(|text| Failure::Undecided(text, Why::States(cap as u64)))?;
        Ok(Component::with_alphabet(component.name.clone(), lts, component.alphabet().iter().copied()))
    };
    Ok(Network::new(labels, components.into_iter().map(small).collect::<Result<_, _>>()?))
}

/// How many subsets a determinisation may make: `--states`, or what fits a few gigabytes.
pub(super) fn subset_cap(run: &Run) -> usize {
    run.limits.states.map_or(20_000_000, |s| usize::try_from(s).unwrap_or(usize::MAX))
}

/// Collects what a writer writes.
pub fn in_memory(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out).expect("writing to memory does not fail");
    out
}
