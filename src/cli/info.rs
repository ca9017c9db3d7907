//! `prequel info`: what a model consists of.

use super::circuit;
use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::ModelArgs;
use super::limits::LimitArgs;
use super::net;
use super::output::{Output, counted, print, write_files};
use super::program;
use super::watchdog;
use crate::job;
use crate::job::{Description, Info};
use prequel_formats::picture::dot;
use prequel_model::{ComponentId, Network, Origin};
use serde_json::json;
use std::path::PathBuf;

/// Shows components, states, transitions, alphabets, and who synchronises with whom
///
/// Of a Promela model: processes, variables and channels, with the values that they can have. Of a Petri net: places, transitions
/// and how it becomes a network. Of a circuit: variables, and which components say something about which.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel info net.exp
  prequel info net.exp --dot=net.dot && dot -Tsvg net.dot > net.svg
  prequel info net.exp --component phil0 --dot | dot -Tpng > phil0.png")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    /// Draw with Graphviz: the interaction graph, or with --component one component
    #[arg(long, value_name = "FILE.dot", num_args = 0..=1, require_equals = true)]
    dot: Option<Option<PathBuf>>,
    /// Look at this component only
    #[arg(long, value_name = "NAME")]
    component: Option<String>,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Components listed before the rest is only counted.
const MOST_ROWS: usize = 40;
/// Names listed in a row before the rest is only counted.
const MOST_LABELS: usize = 8;

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    Places::default().read(&args.model.models).written(args.dot.iter().flatten()).apart()?;
    let request = Info { models: args.model.models(), as_network: args.dot.is_some() || args.component.is_some() };
    let names = args.model.names();
    match job::info(&request, &args.limits.start(), output)? {
        Description::Network(network, origin) => return describe(args, &network, &origin, output),
        Description::Program(info) => program::tell(&names, &info, output),
        Description::Net(info) => net::tell(&names, &info, output),
        Description::Circuit(info) => circuit::tell(&names, &info, output),
    }
    Ok(Exit::Ok)
}

/// Shows a network, one of its components, or a picture.
fn describe(args: &Args, network: &Network, origin: &Origin, output: &Output) -> Result<Exit, Failure> {
    let one = match &args.component {
        None => None,
        Some(name) => Some(network.find(name).ok_or_else(|| {
            let names: Vec<&str> = network.components().iter().take(MOST_ROWS).map(|c| &*c.name).collect();
            Failure::input(
                "--component",
                format!("no component is called `{name}`"),
                format!("components are {}", names.join(", ")),
            )
        })?),
    };
    if let Some(file) = &args.dot {
        let mut text = Vec::new();
        match one {
            Some(c) => dot::write_component(network, origin, c, &mut text).map_err(|e| {
                Failure::input("--dot", e.to_string(), "minimise it first with `prequel convert --minimise`")
            })?,
            None => dot::write_network(network, &mut text).expect("writing to memory does not fail"),
        }
        match file {
            Some(path) => write_files(&[(path.clone(), text)])?,
            None => {
                watchdog::answer();
                print(&String::from_utf8_lossy(&text));
                return Ok(Exit::Ok);
            }
        }
    }
    let listed: Vec<ComponentId> = one.map_or_else(|| network.ids().collect(), |c| vec![c]);
    output.object(json(args, network, &listed));
    output.say(text(network, &listed));
    Ok(Exit::Ok)
}

/// The first few names, and how many more there are.
fn some(names: Vec<&str>) -> String {
    let more = names.len().saturating_sub(MOST_LABELS);
    let tail = if more > 0 { format!(" … {more} more") } else { String::new() };
    format!("{}{tail}", names.into_iter().take(MOST_LABELS).collect::<Vec<_>>().join(", "))
}

/// The components that share a label with this one.
fn partners(network: &Network, c: ComponentId) -> Vec<&str> {
    let mut partners: Vec<ComponentId> = network
        .component(c)
        .alphabet()
        .iter()
        .flat_map(|&l| network.participants(l))
        .copied()
        .filter(|&p| p != c)
        .collect();
    partners.sort_unstable();
    partners.dedup();
    partners.into_iter().map(|p| &*network.component(p).name).collect()
}

fn json(args: &Args, network: &Network, listed: &[ComponentId]) -> serde_json::Value {
    let labels = network.labels();
    let components: Vec<_> = listed
        .iter()
        .map(|&c| {
            let component = network.component(c);
            let names = |list: &[prequel_model::LabelId]| list.iter().map(|&l| labels.name(l)).collect::<Vec<_>>();
            json!({
                "name": &*component.name,
                "states": component.lts.num_states(),
                "transitions": component.lts.num_transitions(),
                "initial": component.lts.initial().0,
                "alphabet": names(component.alphabet()),
                "blocked": names(&component.blocked()),
                "partners": partners(network, c),
            })
        })
        .collect();
    json!({ "models": args.model.names(), "labels": labels.len() - 1, "components": components })
}

fn text(network: &Network, listed: &[ComponentId]) -> String {
    let labels = network.labels();
    let visible = || labels.visible().filter(|&l| !network.participants(l).is_empty());
    let shared = visible().filter(|&l| network.participants(l).len() > 1).count();
    let widest = visible().map(|l| network.participants(l).len()).max().unwrap_or(0);
    let hidden = visible().filter(|&l| labels.action(l).is_tau()).count();
    let mut lines = vec![format!(
        "{}, {} ({shared} shared, at most {widest} take part, {hidden} hidden)",
        counted(network.components().len(), "component"),
        counted(visible().count(), "label"),
    )];
    let width =
        listed.iter().take(MOST_ROWS).map(|&c| network.component(c).name.chars().count()).max().unwrap_or(0).max(9);
    lines.push(format!("{:<width$} {:>9} {:>11}  {}", "component", "states", "transitions", "alphabet → partners"));
    for &c in listed.iter().take(MOST_ROWS) {
        let component = network.component(c);
        let alphabet = some(component.alphabet().iter().map(|&l| labels.name(l)).collect());
        let blocked = some(component.blocked().into_iter().map(|l| labels.name(l)).collect());
        let blocked = if blocked.is_empty() { blocked } else { format!("; blocks {blocked}") };
        let partners = some(partners(network, c));
        let partners = if partners.is_empty() { partners } else { format!(" → {partners}") };
        let (states, transitions) = (component.lts.num_states(), component.lts.num_transitions());
        lines.push(format!("{:<width$} {states:>9} {transitions:>11}  {alphabet}{partners}{blocked}", component.name));
    }
    if listed.len() > MOST_ROWS {
        lines.push(format!("… {} more components (--component NAME shows one, --json all)", listed.len() - MOST_ROWS));
    }
    lines.join("\n")
}
