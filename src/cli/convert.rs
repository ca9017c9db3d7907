//! `prequel convert`: between any readable and any writable format, minimised on the way if asked.

use super::circuit;
use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::{QueryArgs, ReadingArgs};
use super::limits::LimitArgs;
use super::output::{Output, counted, write_files, write_to_folders};
use crate::job::circuit::question;
use crate::job::convert::{Unwritten, encoded, extension, files, folders, in_memory, minimised, net_text, product};
use crate::job::{Question, Reading, net, program};
use crate::open::{Model, NetFile};
use prequel_engine::algo::equivalence::Equivalence;
use prequel_formats::marking;
use prequel_formats::supremica::wdes;
use prequel_model::run::Run;
use prequel_model::{Des, Lts, Problem, Query};
use prequel_spin::promela;
use serde_json::json;
use std::path::PathBuf;

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
    let (reading, asked) = (&args.reading.reading(), &args.query.question());
    let places = Places::default().read(&args.models).read(asked.file());
    places.written([&args.output]).apart()?;
    let run = args.limits.start();
    let model = reading.read(&args.models, &run, output)?;
    if matches!(model, Model::Circuit(_)) || CIRCUITS.contains(&extension) {
        return convert_circuit(args, (model, asked, reading), extension, &run, output);
    }
    if let Some(query) = asked.text() {
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
            (marking::with_loops(network, reading.marking()), origin, None)
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
    let network = if extension == "aut" { product(network, &run, output)? } else { network };
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
    let files = files(&problem, &origin, &args.output, reading.marking(), promela::write_stuck)?;
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

/// Extensions of circuits.
const CIRCUITS: [&str; 3] = ["smv", "aag", "aig"];

/// Writes a circuit, or a network as one. What it states is the query; where there is none, what it states already, or that there
/// is no deadlock.
fn convert_circuit(
    args: &Args,
    (model, asked, reading): (Model, &Question, &Reading),
    kind: &str,
    run: &Run,
    output: &Output,
) -> Result<Exit, Failure> {
    let names: Vec<String> = args.models.iter().map(|m| m.display().to_string()).collect();
    if args.minimise.is_some() {
        let help = "minimise the network first, and convert that";
        return Err(Failure::input("--minimise", "circuits are not minimised", help));
    }
    let problem = match model {
        Model::Circuit(file) if !asked.is_stated() => {
            let question = question(&file, asked)?;
            return circuit::convert(&names, &question.circuit, &args.output, kind, output);
        }
        Model::Circuit(file) => return circuit::convert(&names, &file.circuit, &args.output, kind, output),
        other if !asked.is_stated() => asked.ask_model(other, reading, run, output)?.0,
        other => {
            let (network, _) = reading.network_of(other, run, output)?;
            output.note("no query is given: the circuit states that there is no deadlock");
            Problem { network, query: Query::DeadlockFree }
        }
    };
    circuit::convert(&names, &encoded(&problem)?.circuit, &args.output, kind, output)
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
