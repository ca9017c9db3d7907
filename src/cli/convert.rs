//! `prequel convert`: between any readable and any writable format, minimised on the way if asked.

use super::circuit;
use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::{QueryArgs, ReadingArgs};
use super::limits::LimitArgs;
use super::net;
use super::output::{Output, counted, write_files, write_to_folders};
use super::program;
use super::progress;
use super::witness::in_memory;
use crate::open::{Model, NetFile};
use prequel_engine::algo::equivalence::{Equivalence, minimise};
use prequel_engine::algo::explicit::explicit;
use prequel_formats::marking;
use prequel_formats::picture::dot;
use prequel_formats::supremica::wdes;
use prequel_formats::{aut, exp, lola, pnml};
use prequel_model::run::Run;
use prequel_model::{Component, ComponentId, Des, Lts, Net, Network, Origin, Problem, Query, Why};
use prequel_net::join::join;
use prequel_program::components::Components;
use prequel_spin::promela;
use prequel_spin::promela::{Promela, Unwritable};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Converts between formats: the output's extension chooses what is written
///
/// OUT.exp is the network with its components in OUT.d/; OUT.aut is one system: the product, where there are several
/// components; OUT.pml is Promela for SPIN, which reports a deadlock as an invalid end state; OUT.pnml and OUT.lola are Petri
/// nets; OUT.wdes are Supremica's automata; OUT.smv, OUT.aag and OUT.aig are circuits, which state that what is asked holds, or that
/// there is no deadlock; OUT.dot is a picture.
///
/// A Promela model becomes the network of its components: a step in which an assertion or something else fails is seen as
/// `error`, and a deadlock is an invalid end state. So `--pattern 'never(error)'` and `--deadlock-free` together are what the
/// model states.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel convert phil*.aut fork*.aut -o philo.exp
  prequel convert philo.exp -o product.aut
  prequel convert lts.aut -o small.aut --minimise branching
  prequel convert philo.exp -o philo.pml
  prequel convert philo.exp -o philo.dot
  prequel convert mutex.pml -o mutex.exp
  prequel convert philo.exp -o philo.aig --reach 'phil0@2 & phil2@2'
  prequel convert counter.smv -o counter.aag")]
pub struct Args {
    /// Model files
    #[arg(required = true, value_name = "IN")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Where to write; .aut, .exp, .pml, .pnml, .lola, .wdes, .smv, .aag, .aig or .dot
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Minimise: strong, branching, dp-branching, weak, trace, weak-trace (for .exp: each component by itself)
    #[arg(long, value_name = "EQ")]
    minimise: Option<Equivalence>,
    /// What a circuit states.
    #[command(flatten)]
    query: QueryArgs,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let extension = extension(&args.output)?;
    let places = Places::default().read(&args.models).read(args.query.files());
    places.written([&args.output]).apart()?;
    let run = args.limits.start();
    let model = args.reading.read(&args.models, &run, output)?;
    if matches!(model, Model::Circuit(_)) || CIRCUITS.contains(&extension) {
        return convert_circuit(args, model, extension, &run, output);
    }
    if let Some(query) = args.query.text() {
        let help = "leave it away, or write .smv, .aag or .aig";
        return Err(Failure::input(query, "a query is for circuits: the other formats state nothing", help));
    }
    let (network, mut origin, stated) = match model {
        Model::Circuit(_) => unreachable!("it was converted"),
        Model::Network(network, origin) => (network, origin, None),
        Model::Des(des) if extension == "wdes" && args.minimise.is_none() => return convert_des(args, &des, output),
        // Marks are kept as the loops that `--nonblocking` reads.
        Model::Des(des) => {
            let (network, origin) = des.system();
            (marking::with_loops(network, args.reading.marking()), origin, None)
        }
        Model::Net(file) if matches!(extension, "pnml" | "lola") && args.minimise.is_none() => {
            return convert_net(args, &file, extension, output);
        }
        Model::Net(file) => {
            let split = net::as_network(&file, &run, output)?;
            (split.network, split.origin, None)
        }
        Model::Program(promela) => {
            let split = program::as_network(&promela, &run, output)?;
            let stated = Unwritten::of(&split, promela.has_end_states());
            (split.network, split.origin, Some(stated))
        }
    };
    let product = if extension == "aut" { product(network, &run, output) } else { Ok(network) };
    let network = match product {
        Ok(network) => network,
        Err(exit) => return Ok(exit),
    };
    let network = match args.minimise {
        Some(equivalence) => {
            // A state of the smaller one stands for several.
            origin.sources.iter_mut().for_each(|source| source.state_names = None);
            minimised(network, equivalence, &run)?
        }
        None => network,
    };
    let fails = stated.as_ref().and_then(|stated| stated.fails.clone());
    let problem = Problem { network, query: fails.unwrap_or(Query::DeadlockFree) };
    let files = files(&problem, &origin, &args.output, args.reading.marking(), promela::write_stuck)?;
    let network = &problem.network;
    write_to_folders(&folders(&args.output), &files)?;
    let total = |count: fn(&Lts) -> usize| network.components().iter().map(|c| count(&c.lts)).sum::<usize>();
    let (components, states, transitions) =
        (network.components().len(), total(Lts::num_states), total(Lts::num_transitions));
    let checks = stated.as_ref().map(|stated| stated.checks(&args.output));
    let mut object = json!({
        "models": args.models.iter().map(|m| m.display().to_string()).collect::<Vec<_>>(),
        "output": args.output.display().to_string(),
        "files": files.len(),
        "components": components,
        "states": states,
        "transitions": transitions,
    });
    if let Some(checks) = &checks {
        object["checks"] = json!(checks);
    }
    output.object(object);
    let parts = if components == 1 { String::new() } else { format!("{components} components, ") };
    let (states, transitions) = (counted(states, "state"), counted(transitions, "transition"));
    output.say(format!("wrote {} ({parts}{states}, {transitions})", args.output.display()));
    if let Some(checks) = checks.filter(|checks| !checks.is_empty()) {
        output.note(format!("what the program states holds if these do: {}", checks.join("; ")));
    }
    Ok(Exit::Ok)
}

/// The extension of an output, which must be one that can be written.
pub fn extension(output: &Path) -> Result<&str, Failure> {
    let extension = output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if prequel_formats::WRITABLE.contains(&extension) {
        return Ok(extension);
    }
    let help = format!("writable are .{}", prequel_formats::WRITABLE.join(", ."));
    Err(Failure::input(output.display().to_string(), "unknown extension of the output", help))
}

/// The product, or how the command ends where a limit was reached.
pub fn product(network: Network, run: &Run, output: &Output) -> Result<Network, Exit> {
    progress::watch(run, "product", output, || one_system(network, run)).map_err(|why| {
        let effort = run.effort();
        let (states, transitions) = (counted(effort.states_total, "state"), counted(effort.transitions, "transition"));
        super::undecided(output, &format!("{why} after {states}, {transitions} of the product"), &why)
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
    Ok(match extension(path)? {
        "aut" => {
            let lts = &network.components()[0].lts;
            if let Some(label) = aut::mistakable(network.labels(), &lts.used_labels()).first() {
                let why = format!("label `{label}` would be read back as the internal step");
                return Err(refuse(why, "rename it first, or read it as the internal step with --tau"));
            }
            vec![(path.to_owned(), in_memory(|out| aut::write(lts, |l| network.labels().name(l), out)))]
        }
        "exp" => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let folder = path.parent().unwrap_or(Path::new(""));
            let files = exp::write(network, &stem).map_err(|e| cannot(e.to_string()))?;
            files.into_iter().map(|(path, text)| (folder.join(path), text)).collect()
        }
        kind @ ("pnml" | "lola") => {
            let net = join(network, origin).map_err(|e| cannot(e.to_string()))?;
            vec![(path.to_owned(), net_text(&net, path, kind))]
        }
        "wdes" => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let (marked, _) = marking::marked_or_all(network.clone(), origin, label)?;
            let Some(des) = wdes::plants(marked, origin.clone(), &name) else {
                return Err(cannot("a component has internal steps, and this format has none".into()));
            };
            vec![(path.to_owned(), in_memory(|out| wdes::write(&des, out)))]
        }
        "pml" => {
            vec![(path.to_owned(), promela(problem, origin).map_err(|e| cannot(e.to_string()))?.text.into_bytes())]
        }
        kind @ ("smv" | "aag" | "aig") => {
            vec![(path.to_owned(), circuit::text(&circuit::encoded(problem)?.circuit, kind))]
        }
        _ => {
            let mut text = Vec::new();
            match network.components() {
                [_] => dot::write_component(network, origin, ComponentId(0), &mut text)
                    .map_err(|e| cannot(e.to_string()))?,
                _ => dot::write_network(network, &mut text).expect("writing to memory does not fail"),
            }
            vec![(path.to_owned(), text)]
        }
    })
}

/// Folders that go with an output: that of the components of a network.
pub fn folders(path: &Path) -> Vec<PathBuf> {
    if path.extension().is_some_and(|extension| extension == "exp") { vec![path.with_extension("d")] } else { vec![] }
}

/// A Petri net in one of its formats.
fn net_text(net: &Net, path: &Path, kind: &str) -> Vec<u8> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    in_memory(|out| if kind == "pnml" { pnml::write(net, &name, out) } else { lola::write(net, out) })
}

/// Extensions of circuits.
const CIRCUITS: [&str; 3] = ["smv", "aag", "aig"];

/// Writes a circuit, or a network as one. What it states is the query; where there is none, what it states already, or that there
/// is no deadlock.
fn convert_circuit(args: &Args, model: Model, kind: &str, run: &Run, output: &Output) -> Result<Exit, Failure> {
    let names: Vec<String> = args.models.iter().map(|m| m.display().to_string()).collect();
    if args.minimise.is_some() {
        let help = "minimise the network first, and convert that";
        return Err(Failure::input("--minimise", "circuits are not minimised", help));
    }
    let problem = match model {
        Model::Circuit(file) if args.query.text().is_some() => {
            let question = circuit::question(&file, &args.query)?;
            return circuit::convert(&names, &question.circuit, &args.output, kind, output);
        }
        Model::Circuit(file) => return circuit::convert(&names, &file.circuit, &args.output, kind, output),
        other if args.query.text().is_some() => args.query.ask_model(other, &args.reading, run, output)?.0,
        other => {
            let (network, _) = args.reading.network_of(other, run, output)?;
            output.note("no query is given: the circuit states that there is no deadlock");
            Problem { network, query: Query::DeadlockFree }
        }
    };
    circuit::convert(&names, &circuit::encoded(&problem)?.circuit, &args.output, kind, output)
}

/// Writes a Petri net as one.
fn convert_net(args: &Args, file: &NetFile, kind: &str, output: &Output) -> Result<Exit, Failure> {
    let net = &file.net;
    write_files(&[(args.output.clone(), net_text(net, &args.output, kind))])?;
    let (places, transitions, arcs) = (net.places().len(), net.transitions().len(), net.num_arcs());
    output.object(json!({
        "models": args.models.iter().map(|m| m.display().to_string()).collect::<Vec<_>>(),
        "output": args.output.display().to_string(),
        "files": 1,
        "places": places,
        "transitions": transitions,
        "arcs": arcs,
    }));
    let (places, transitions, arcs) =
        (counted(places, "place"), counted(transitions, "transition"), counted(arcs, "arc"));
    output.say(format!("wrote {} ({places}, {transitions}, {arcs})", args.output.display()));
    Ok(Exit::Ok)
}

/// Writes Supremica's automata as they are, roles and properties included.
fn convert_des(args: &Args, des: &Des, output: &Output) -> Result<Exit, Failure> {
    write_files(&[(args.output.clone(), in_memory(|out| wdes::write(des, out)))])?;
    let total = |count: fn(&Lts) -> usize| des.network.components().iter().map(|c| count(&c.lts)).sum::<usize>();
    let (automata, states, transitions) =
        (des.network.components().len(), total(Lts::num_states), total(Lts::num_transitions));
    output.object(json!({
        "models": args.models.iter().map(|m| m.display().to_string()).collect::<Vec<_>>(),
        "output": args.output.display().to_string(),
        "files": 1,
        "components": automata,
        "events": des.events().len(),
        "states": states,
        "transitions": transitions,
    }));
    let automata = if automata == 1 { "1 automaton".to_owned() } else { format!("{automata} automata") };
    let (events, states) = (counted(des.events().len(), "event"), counted(states, "state"));
    let transitions = counted(transitions, "transition");
    output.say(format!("wrote {} ({automata}, {events}, {states}, {transitions})", args.output.display()));
    Ok(Exit::Ok)
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
        match output.extension().and_then(|e| e.to_str()) {
            Some("pml") if self.end_states => vec![format!("`spin -run {file}` finds no error")],
            Some("pml") => vec![],
            Some("dot") => vec![],
            _ => {
                let never = self.fails.is_some().then(|| format!("`prequel check {file} --pattern 'never(error)'`"));
                let deadlock = self.end_states.then(|| format!("`prequel check {file} --deadlock-free`"));
                never.into_iter().chain(deadlock).collect()
            }
        }
    }
}

/// The network as one component. A single one of which everything is seen as it is stays as it was read.
pub fn one_system(network: Network, run: &Run) -> Result<Network, Why> {
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
fn minimised(network: Network, equivalence: Equivalence, run: &Run) -> Result<Network, Failure> {
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
pub fn subset_cap(run: &Run) -> usize {
    run.limits.states.map_or(20_000_000, |s| usize::try_from(s).unwrap_or(usize::MAX))
}
