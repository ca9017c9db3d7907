//! `prequel convert`: between any readable and any writable format, minimised on the way if asked.

use super::exit::{Exit, Failure};
use super::input::ReadingArgs;
use super::limits::LimitArgs;
use super::output::{Output, counted, write_files};
use super::progress;
use super::witness::in_memory;
use crate::algo::equivalence::{Equivalence, minimise};
use crate::algo::explicit::explicit;
use crate::emit::{self, aut, dot, exp, promela};
use crate::engine::Refusal;
use crate::engine::run::Run;
use crate::model::{Component, ComponentId, Lts, Network, Origin, Problem, Query, Why};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Converts between formats: the output's extension chooses what is written
///
/// OUT.exp is the network with its components in OUT.d/; OUT.aut is one system: the product, where there are several
/// components; OUT.pml is Promela for SPIN, which reports a deadlock as an invalid end state; OUT.dot is a picture.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel convert phil*.aut fork*.aut -o philo.exp
  prequel convert philo.exp -o product.aut
  prequel convert lts.aut -o small.aut --minimise branching
  prequel convert philo.exp -o philo.pml
  prequel convert philo.exp -o philo.dot")]
pub struct Args {
    /// Model files
    #[arg(required = true, value_name = "IN")]
    models: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Where to write; .aut, .exp, .pml or .dot
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Minimise: strong, branching, dp-branching, weak, trace, weak-trace (for .exp: each component by itself)
    #[arg(long, value_name = "EQ")]
    minimise: Option<Equivalence>,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    extension(&args.output)?;
    let (network, origin) = args.reading.read_network(&args.models, output)?;
    let run = args.limits.start();
    let network = match args.minimise {
        // A single file holds the product, which is minimised as a whole.
        Some(equivalence) if extension(&args.output)? == "aut" => match product(network, &run, output) {
            Ok(product) => minimised(product, equivalence, &run)?,
            Err(exit) => return Ok(exit),
        },
        Some(equivalence) => minimised(network, equivalence, &run)?,
        None => network,
    };
    let problem = Problem { network, query: Query::DeadlockFree };
    let (files, network) = match files(&problem, &origin, &args.output, &run, output)? {
        Ok(files) => files,
        Err(exit) => return Ok(exit),
    };
    write_files(&files)?;
    let total = |count: fn(&Lts) -> usize| network.components().iter().map(|c| count(&c.lts)).sum::<usize>();
    let (components, states, transitions) =
        (network.components().len(), total(Lts::num_states), total(Lts::num_transitions));
    output.object(json!({
        "models": args.models.iter().map(|m| m.display().to_string()).collect::<Vec<_>>(),
        "output": args.output.display().to_string(),
        "files": files.len(),
        "components": components,
        "states": states,
        "transitions": transitions,
    }));
    let parts = if components == 1 { String::new() } else { format!("{components} components, ") };
    let (states, transitions) = (counted(states, "state"), counted(transitions, "transition"));
    output.say(format!("wrote {} ({parts}{states}, {transitions})", args.output.display()));
    Ok(Exit::Ok)
}

/// The extension of an output, which must be one that can be written.
pub fn extension(output: &Path) -> Result<&str, Failure> {
    let extension = output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if emit::WRITABLE.contains(&extension) {
        return Ok(extension);
    }
    let help = format!("writable are .{}", emit::WRITABLE.join(", ."));
    Err(Failure::input(output.display().to_string(), "unknown extension of the output", help))
}

/// Files to be written, and the network that is in them; or how the command ends where a limit was reached.
type Files = Result<(Vec<(PathBuf, Vec<u8>)>, Network), Exit>;

/// A problem as files, in the format of the output's extension.
pub fn files(problem: &Problem, origin: &Origin, path: &Path, run: &Run, output: &Output) -> Result<Files, Failure> {
    let refuse = |why: String, help: &str| Failure::input(path.display().to_string(), why, help);
    let cannot = |why: String| refuse(why, "choose another format for the output");
    let network = &problem.network;
    let files = match extension(path)? {
        "aut" => {
            let network = match product(network.clone(), run, output) {
                Ok(network) => network,
                Err(exit) => return Ok(Err(exit)),
            };
            let lts = &network.components()[0].lts;
            if let Some(label) = aut::mistakable(network.labels(), &lts.used_labels()).first() {
                let why = format!("label `{label}` would be read back as the internal step");
                return Err(refuse(why, "rename it first, or read it as the internal step with --tau"));
            }
            let text = in_memory(|out| aut::write(lts, |l| network.labels().name(l), out));
            return Ok(Ok((vec![(path.to_owned(), text)], network)));
        }
        "exp" => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let folder = path.parent().unwrap_or(Path::new(""));
            let files = exp::write(network, &stem).map_err(|e| cannot(e.to_string()))?;
            files.into_iter().map(|(path, text)| (folder.join(path), text)).collect()
        }
        "pml" => {
            let promela = promela::write(problem, origin).map_err(|e| cannot(e.to_string()))?;
            vec![(path.to_owned(), promela.text.into_bytes())]
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
    };
    Ok(Ok((files, network.clone())))
}

/// The product, or how the command ends where a limit was reached.
fn product(network: Network, run: &Run, output: &Output) -> Result<Network, Exit> {
    progress::watch(run, "product", output, || one_system(network, run)).map_err(|why| {
        let effort = run.effort();
        let (states, transitions) = (counted(effort.states_total, "state"), counted(effort.transitions, "transition"));
        super::undecided(output, &format!("{why} after {states}, {transitions} of the product"), &why)
    })
}

/// A value as a JSON file.
pub fn json(value: &impl serde::Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec(value).expect("plain data");
    text.push(b'\n');
    text
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
            .map_err(|e| Refusal::new(format!("{}: {e}; raise it with --states", component.name)))?;
        Ok(Component::with_alphabet(component.name.clone(), lts, component.alphabet().iter().copied()))
    };
    Ok(Network::new(labels, components.into_iter().map(small).collect::<Result<_, _>>()?))
}

/// How many subsets a determinisation may make: `--states`, or what fits a few gigabytes.
pub fn subset_cap(run: &Run) -> usize {
    run.limits.states.map_or(20_000_000, |s| usize::try_from(s).unwrap_or(usize::MAX))
}
