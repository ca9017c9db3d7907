//! `prequel reduce`: processes are replaced by smaller ones with the same verdict, and the smaller model is written.

use super::convert;
use super::exit::{Exit, Failure};
use super::input::{ModelArgs, QueryArgs};
use super::limits::LimitArgs;
use super::output::{Output, counted, write_files};
use super::program::{Reduced, Wanted, as_network};
use super::progress;
use crate::emit::promela;
use crate::engine::run::Run;
use crate::evidence::certificate::Certificate;
use crate::model::{ComponentId, Lts, Network, Origin, Problem, Query};
use crate::program::components::Components;
use crate::read::goal;
use crate::read::model::{Model, Promela};
use crate::transform::minimise::Minimise;
use crate::transform::quotient::{Options, Quotient};
use crate::transform::{Replaced, Smaller, Stop, Transform};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Replaces processes by smaller ones with the same verdict and writes the smaller model
///
/// The output's extension chooses what is written, as for `convert`. A limit stops the refinement, not the command: what there
/// is by then has the same verdict and is written.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel reduce model.pml -o small.pml          your text, with smaller processes
  prequel reduce net.exp --property p.aut -o small.pml
  prequel reduce net.exp --deadlock-free --replace server --steps 50 -o small.exp
  prequel reduce net.exp --reach 'a@3 & b@1' --method minimise -o small.exp

Exit: 0 done, 2 refused, 3 bad input, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    /// How processes are replaced
    #[arg(long, value_enum, default_value_t = Method::Quotient, help_heading = "Reduction")]
    method: Method,
    #[command(flatten)]
    reduction: ReductionArgs,
    /// Where to write; .aut, .exp, .pml or .dot
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Save the map from states to classes
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    certificate: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Which processes are replaced, and how far that goes.
#[derive(clap::Args, Clone, Debug)]
pub struct ReductionArgs {
    /// Replace only this process; may be given several times, in the order of replacement
    #[arg(long, value_name = "NAME", help_heading = "Reduction")]
    pub replace: Vec<String>,
    /// Refinement steps for each process
    #[arg(long, value_name = "N", help_heading = "Reduction")]
    steps: Option<u64>,
    /// Stop refining once a process has no more states than this
    #[arg(long, value_name = "N", help_heading = "Reduction")]
    target_states: Option<usize>,
}

impl ReductionArgs {
    /// Whether anything is said about how to reduce.
    pub fn is_set(&self) -> bool {
        !self.replace.is_empty() || self.steps.is_some() || self.target_states.is_some()
    }

    /// When to stop refining.
    pub fn options(&self) -> Options {
        Options { steps: self.steps, target_states: self.target_states, ..Quotient::default().options }
    }
}

/// How processes are replaced.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// By quotients that keep whether the error is reachable
    Quotient,
    /// By bisimilar components
    Minimise,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    convert::extension(&args.output)?;
    if let (Some(path), Method::Minimise) = (&args.certificate, args.method) {
        let help = "leave --certificate away, or use --method quotient";
        return Err(Failure::input(path.display().to_string(), "minimise has no certificates", help));
    }
    let run = args.limits.start();
    let read = match args.model.read(output)? {
        Model::Program(promela) if stated(args) => return program(args, &promela, &run, output),
        Model::Program(promela) => {
            let Components { network, origin, .. } = as_network(&promela, &run, output)?;
            (network, origin)
        }
        Model::Network(network, origin) => (network, origin),
    };
    let (problem, origin) = args.query.ask(read, &args.model.reading, output)?;
    let transform = transform(args, &problem)?;
    let smaller = match progress::watch(&run, transform.name(), output, || transform.apply(&problem, &run)) {
        Ok(smaller) => smaller,
        Err(Stop::Refused(why)) => return Err(why.into()),
        Err(Stop::Limit(why)) => return Ok(super::undecided(output, &why.to_string(), &why)),
        Err(Stop::Broken(why)) => return Err(Failure::Internal(why.to_string())),
    };
    let seconds = run.elapsed().as_secs_f64();
    let names = renamed(&problem.network, &smaller, origin);
    let mut written = smaller.problem.clone();
    if convert::extension(&args.output)? == "aut" {
        written.network = match convert::product(written.network, &run, output) {
            Ok(network) => network,
            Err(exit) => return Ok(exit),
        };
    }
    let mut files = convert::files(&written, &names, &args.output, promela::write)?;
    let query = args.query.text().expect("a query was asked");
    if let Some(path) = &args.certificate {
        let mut certificate = Certificate::new(&problem, &query, false, &smaller.maps(), None);
        certificate.verdict = "unknown".into();
        files.push((path.clone(), certificate.to_json()));
    }
    write_files(&files)?;
    let asked = match &smaller.problem.query {
        Query::Reach(goal) => Some(format!("--reach '{}'", goal::show(goal, &written.network, &Origin::default()))),
        _ => None,
    };
    let done =
        Done { before: &problem.network, after: &smaller.problem.network, replaced: &smaller.replaced, query, asked };
    report(args, &done, &size(&written.network), seconds, output);
    Ok(Exit::Ok)
}

/// Whether the question is what a Promela model states, and Promela is what is wanted: then the user's text is kept.
fn stated(args: &Args) -> bool {
    let own = args.query.text().is_none() || args.query.deadlock_free;
    own && args.method == Method::Quotient
        && args.certificate.is_none()
        && convert::extension(&args.output).is_ok_and(|e| e == "pml")
}

/// Writes a Promela model with smaller processes; the rest of the text stays.
fn program(args: &Args, promela: &Promela, run: &Run, output: &Output) -> Result<Exit, Failure> {
    let assertions = !args.query.deadlock_free;
    let wanted = Wanted { replace: &args.reduction.replace, assertions, options: args.reduction.options() };
    let reduced = Reduced::new(promela, &wanted, run, output)?;
    let text = reduced.model().bytes;
    let lines = counted(text.iter().filter(|&&byte| byte == b'\n').count(), "line");
    write_files(&[(args.output.clone(), text)])?;
    if reduced.preprocessed() {
        output.note(
            "a replaced process comes out of a macro or an included file: all of the text is written preprocessed",
        );
    }
    let (before, together) = reduced.replaced();
    let query = args.query.text().unwrap_or_else(|| "what the model states (assertions, end states)".into());
    let done = Done { before, after: &together.network, replaced: &together.replaced, query, asked: None };
    report(args, &done, &lines, run.elapsed().as_secs_f64(), output);
    Ok(Exit::Ok)
}

/// The components of these names.
pub fn named(network: &Network, names: &[String]) -> Result<Vec<ComponentId>, Failure> {
    let mut replace: Vec<ComponentId> = Vec::new();
    for name in names {
        let unknown = || {
            let names: Vec<&str> = network.components().iter().take(20).map(|c| &*c.name).collect();
            let more = if network.components().len() > names.len() { ", …" } else { "" };
            let help = format!("processes are {}{more}", names.join(", "));
            Failure::input("--replace", format!("no process is called `{name}`"), help)
        };
        let component = network.find(name).ok_or_else(unknown)?;
        if !replace.contains(&component) {
            replace.push(component);
        }
    }
    Ok(replace)
}

fn transform(args: &Args, problem: &Problem) -> Result<Box<dyn Transform>, Failure> {
    let replace = named(&problem.network, &args.reduction.replace)?;
    Ok(match args.method {
        Method::Minimise => Box::new(Minimise { replace }),
        Method::Quotient => {
            let options = args.reduction.options();
            Box::new(Quotient { replace, options })
        }
    })
}

/// Names of states for the smaller network: those of components that stayed as they were.
fn renamed(before: &Network, smaller: &Smaller, mut origin: Origin) -> Origin {
    for c in before.ids() {
        let same = before.component(c).lts == smaller.problem.network.component(c).lts;
        if let Some(source) = origin.sources.get_mut(c.at()).filter(|_| !same) {
            *source = Default::default();
        }
    }
    origin
}

/// What was done to a network.
struct Done<'a> {
    before: &'a Network,
    after: &'a Network,
    replaced: &'a [Replaced],
    /// What keeps its verdict.
    query: String,
    /// What to ask of the smaller model instead, where that is not the same.
    asked: Option<String>,
}

fn size(network: &Network) -> String {
    let sum = |count: fn(&Lts) -> usize| network.components().iter().map(|c| count(&c.lts)).sum::<usize>();
    format!("{}, {}", counted(sum(Lts::num_states), "state"), counted(sum(Lts::num_transitions), "transition"))
}

fn report(args: &Args, done: &Done<'_>, written: &str, seconds: f64, output: &Output) {
    let steps: u64 = done.replaced.iter().map(|r| r.steps).sum();
    let total =
        |count: fn(&Lts) -> usize, network: &Network| network.components().iter().map(|c| count(&c.lts)).sum::<usize>();
    let [states, transitions] = [Lts::num_states as fn(&Lts) -> usize, Lts::num_transitions];
    output.object(json!({
        "models": args.model.names(),
        "query": &done.query,
        "method": if args.method == Method::Quotient { "quotient" } else { "minimise" },
        "output": args.output.display().to_string(),
        "query_on_output": &done.asked,
        "processes": rows(done.before, done.after, done.replaced),
        "states_before": total(states, done.before),
        "states_after": total(states, done.after),
        "transitions_before": total(transitions, done.before),
        "transitions_after": total(transitions, done.after),
        "steps": steps,
        "seconds": seconds,
    }));
    output.say(table(done.before, done.after, done.replaced));
    if let Some(query) = &done.asked {
        output.say(format!("to be asked of it: {query}"));
    }
    let steps = counted(steps, "step");
    output.say(format!("wrote {} ({written}; {steps}, {seconds:.3} s)", args.output.display()));
}

/// What was done to each process, for machines.
pub fn rows(before: &Network, after: &Network, replaced: &[Replaced]) -> Value {
    let row = |r: &Replaced| {
        let [old, new] = [before, after].map(|network| &network.component(r.component).lts);
        json!({
            "name": &*before.component(r.component).name,
            "states_before": old.num_states(),
            "states_after": new.num_states(),
            "transitions_before": old.num_transitions(),
            "transitions_after": new.num_transitions(),
            "steps": r.steps,
            "labels": r.labels,
            "given_up": r.kept,
        })
    };
    replaced.iter().map(row).collect()
}

/// States and transitions of each process, before and after.
pub fn table(before: &Network, after: &Network, replaced: &[Replaced]) -> String {
    let name = |r: &Replaced| &*before.component(r.component).name;
    let width = replaced.iter().map(|r| name(r).len()).max().unwrap_or(0).max("process".len());
    let mut lines = vec![format!("{:<width$}  {:>15}  {:>15}  {:>5}", "process", "states", "transitions", "steps")];
    for r in replaced {
        let [old, new] = [before, after].map(|network| &network.component(r.component).lts);
        let change = |from: usize, to: usize| format!("{from} → {to}");
        let given_up = r.kept.as_ref().map(|why| format!("  given up: {why}")).unwrap_or_default();
        lines.push(format!(
            "{:<width$}  {:>15}  {:>15}  {:>5}{given_up}",
            name(r),
            change(old.num_states(), new.num_states()),
            change(old.num_transitions(), new.num_transitions()),
            r.steps,
        ));
    }
    lines.join("\n")
}
