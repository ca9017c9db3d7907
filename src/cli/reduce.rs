//! `prequel reduce`: processes are replaced by smaller ones with the same verdict, and the smaller model is written.

mod stated;

use super::convert;
use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::{ModelArgs, QueryArgs, no_network};
use super::limits::LimitArgs;
use super::net;
use super::output::{Output, counted, write_to_folders};
use super::program::as_network;
use super::progress;
use crate::open::Model;
use prequel_engine::transform::icc::Icc;
use prequel_engine::transform::minimise::Minimise;
use prequel_engine::transform::quotient::{FIRST_PASS, Options, Quotient};
use prequel_engine::transform::{Replaced, Smaller, Stop, Transform};
use prequel_engine::{Refusal, icc};
use prequel_evidence::certificate::Certificate;
use prequel_formats::assumption;
use prequel_formats::assumption::Assumption;
use prequel_formats::goal;
use prequel_formats::pattern::{Pattern, Set};
use prequel_formats::promela::Text;
use prequel_model::run::{Limits, Run};
use prequel_model::{ComponentId, Lts, Network, Origin, Problem, Query, Why};
use prequel_spin::file;
use prequel_spin::file::Trouble;
use prequel_spin::promela;
use prequel_spin::spin::Tools;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What `spin -a` needs for a text of ordinary length.
const SPIN_TAKES: Duration = Duration::from_millis(400);

/// States and triples that are looked at where the user sets no limit: some seconds. What is found later is rarely worth the wait.
pub const MOST_TRIPLES: u64 = 500_000;

/// Replaces processes by smaller ones with the same verdict and writes the smaller model
///
/// The output's extension chooses what is written, as for `convert`. A limit stops the refinement, not the command: what there
/// is by then has the same verdict and is written. Without --time, --states or --steps the refinement ends after some seconds.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel reduce model.pml -o small.pml          your text, with smaller processes
  prequel reduce net.exp --property p.aut -o small.pml
  prequel reduce net.exp --deadlock-free --replace server --steps 50 -o small.exp
  prequel reduce net.exp --reach 'a@3 & b@1' --method minimise -o small.exp
  prequel reduce net.exp --pattern 'never(bad)' --method icc --steps 100 -o small.exp
  prequel reduce net.exp --property p.aut --explain=a.dot    what is assumed of each process, in words and as a picture

Exit: 0 done, 2 refused, 3 bad input, 130 interrupted.")]
pub struct Args {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    query: QueryArgs,
    #[command(flatten)]
    reduction: ReductionArgs,
    /// Where to write; .aut, .exp, .pml or .dot
    #[arg(short, long, value_name = "OUT", required_unless_present = "explain")]
    output: Option<PathBuf>,
    /// Tell what each assumption says and which changes it allows; with a file, draw them too
    #[arg(long, value_name = "FILE.dot", num_args = 0..=1, require_equals = true, help_heading = "Evidence")]
    explain: Option<Option<PathBuf>>,
    /// Save the map from states to classes
    #[arg(long, value_name = "FILE", help_heading = "Evidence")]
    certificate: Option<PathBuf>,
    /// What it may use.
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// Which processes are replaced, and how far that goes.
#[derive(clap::Args, Clone, Debug)]
pub struct ReductionArgs {
    /// How processes are replaced
    #[arg(long, value_enum, default_value_t = Method::Quotient, help_heading = "Reduction")]
    pub method: Method,
    /// Replace only this process; may be given several times, in the order of replacement
    #[arg(long, value_name = "NAME", help_heading = "Reduction")]
    pub replace: Vec<String>,
    /// Refinement steps for each process; for icc, checks
    #[arg(long, value_name = "N", help_heading = "Reduction")]
    steps: Option<u64>,
    /// Stop refining once a process has no more states than this
    #[arg(long, value_name = "N", help_heading = "Reduction")]
    target_states: Option<usize>,
    /// With icc: where a counterexample is found, keep the words that make it and nothing else
    #[arg(long, help_heading = "Reduction")]
    selected: bool,
}

impl ReductionArgs {
    /// The method as a transform; `options` are for quotients.
    pub fn transform(&self, network: &Network, options: Options) -> Result<Box<dyn Transform>, Failure> {
        let replace = named(network, &self.replace)?;
        if self.selected && self.method != Method::Icc {
            return Err(Failure::input("--selected", "only icc selects words", "add --method icc, or leave it away"));
        }
        Ok(match self.method {
            Method::Minimise => Box::new(Minimise { replace }),
            Method::Quotient => Box::new(Quotient { replace, options }),
            Method::Icc => {
                let usual = icc::Options::default();
                // Steps are those of the search: no level comes before it then.
                let level = if self.steps.is_some() { 0 } else { usual.level };
                let options = icc::Options { checks: self.steps.unwrap_or(usual.checks), level, ..usual };
                Box::new(Icc { replace, options, selected: self.selected })
            }
        })
    }

    /// Whether anything is said about how to reduce.
    pub fn is_set(&self) -> bool {
        !self.replace.is_empty() || self.steps.is_some() || self.target_states.is_some()
    }

    /// When to stop refining.
    pub fn options(&self) -> Options {
        let (steps, target_states) = (self.steps, self.target_states);
        Options { steps, target_states, effort: None, ..usual() }
    }

    /// The same, and not much later than it pays, where the user sets no limit.
    fn bounded(&self, limits: &LimitArgs) -> Options {
        let limited = limits.time.is_some() || limits.states.is_some() || self.steps.is_some();
        Options { effort: (!limited).then_some(MOST_TRIPLES), ..self.options() }
    }
}

/// When to stop refining where nothing is said about it: not much later than it pays.
pub fn usual() -> Options {
    Options { first_pass: Some(FIRST_PASS), effort: Some(MOST_TRIPLES), ..Quotient::default().options }
}

/// How processes are replaced.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By quotients that keep whether the error is reachable
    Quotient,
    /// By bisimilar components
    Minimise,
    /// By what a search for counterexamples has not ruled out
    Icc,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Quotient => "quotient",
            Self::Minimise => "minimise",
            Self::Icc => "icc",
        }
    }
}

/// One in so many parts of the time is for writing.
const WRITING: u32 = 4;

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    if let Some(path) = &args.output {
        convert::extension(path)?;
    }
    let places = Places::default().read(&args.model.models).read(args.query.files());
    places.written(&args.output).written(&args.certificate).written(args.explain.iter().flatten()).apart()?;
    let method = args.reduction.method;
    if args.explain.is_some() && method != Method::Quotient {
        let help = "leave --explain away, or use --method quotient";
        return Err(Failure::input("--explain", format!("{} makes no assumptions", method.name()), help));
    }
    if let Some(Some(path)) = &args.explain
        && path.extension().is_none_or(|e| e != "dot")
    {
        let message = format!("`{}` is no .dot file", path.display());
        return Err(Failure::input("--explain", message, "pictures are written for Graphviz, as in --explain=a.dot"));
    }
    if let Some(path) = args.certificate.as_ref().filter(|_| method != Method::Quotient) {
        let (message, help) =
            (format!("{} has no certificates", method.name()), "leave --certificate away, or use --method quotient");
        return Err(Failure::input(path.display().to_string(), message, help));
    }
    let run = args.limits.start();
    let read = match args.model.read(&run, output)? {
        Model::Program(promela) if stated::is_asked(&args.query) => {
            return stated::run(args, &promela, &run, output);
        }
        Model::Program(promela) => {
            let split = as_network(&promela, &run, output)?;
            (split.network, split.origin, None)
        }
        Model::Circuit(file) => return Err(no_network(&file)),
        Model::Network(network, origin) => (network, origin, None),
        Model::Des(des) => {
            let (asked, origin) = super::des::problem(&des, &args.query, &args.model.reading, output)?;
            (asked.network, origin, Some(asked.query))
        }
        Model::Net(file) => {
            let (asked, origin) = net::problem(&file, &args.query, &args.model.reading, &run, output)?;
            (asked.network, origin, Some(asked.query))
        }
    };
    let (problem, origin) = match read {
        (network, origin, Some(query)) => (Problem { network, query }, origin),
        (network, origin, None) => args.query.ask((network, origin), &args.model.reading, output)?,
    };
    question(args, &problem, origin, &run, output)
}

/// Makes a network smaller for one question, and writes it.
fn question(args: &Args, problem: &Problem, origin: Origin, run: &Run, output: &Output) -> Result<Exit, Failure> {
    let options = args.reduction.bounded(&args.limits);
    let transform = args.reduction.transform(&problem.network, options)?;
    // What there is when the time is up is written, and that takes time too.
    let reducing = run.first_of(WRITING);
    let reduced = progress::watch(&reducing, transform.name(), output, || transform.apply(problem, &reducing));
    run.add(&reducing.effort());
    let smaller = match reduced {
        Ok(smaller) => smaller,
        Err(Stop::Refused(why)) => return Err(why.into()),
        Err(Stop::Limit(why)) => {
            let rest = if matches!(why, Why::Time(_)) { ": the rest of the time is for writing" } else { "" };
            return Ok(super::undecided(output, &format!("{why}{rest}"), &why));
        }
        Err(Stop::Broken(why)) => return Err(Failure::Internal(why.to_string())),
    };
    let seconds = run.elapsed().as_secs_f64();
    let mut explained = Explained::of(args, &problem.network, &origin, &smaller.replaced, &problem.query)?;
    let mut written = smaller.problem.clone();
    let mut files = std::mem::take(&mut explained.files);
    if let Some(path) = &args.output {
        let names = renamed(&problem.network, &smaller, origin);
        if convert::extension(path)? == "aut" {
            written.network = match convert::product(written.network, run, output) {
                Ok(network) => network,
                Err(exit) => return Ok(exit),
            };
        }
        files.extend(convert::files(&written, &names, path, args.model.reading.marking(), promela::write)?);
    }
    let query = args.query.text().unwrap_or_else(|| stated::ASSERTIONS.into());
    if let Some(path) = &args.certificate {
        let mut certificate = Certificate::new(problem, &query, false, &smaller.maps(), None);
        certificate.verdict = "unknown".into();
        files.push((path.clone(), certificate.to_json()));
    }
    taken_by_spin(&files, run, output)?;
    write_to_folders(&args.output.as_deref().map_or(vec![], convert::folders), &files)?;
    ended(&options, run, output);
    let asked = match &smaller.problem.query {
        Query::Reach(goal) => Some(format!("--reach '{}'", goal::show(goal, &written.network, &Origin::default()))),
        // The model states it, what is written does not.
        Query::Safety(monitor) if args.query.is_of_programs() && !monitor.automaton.alphabet().is_empty() => {
            let labels = monitor.automaton.alphabet().iter().map(|&l| written.network.labels().seen(l));
            Some(format!("--pattern '{}'", Pattern::Never { a: Set::new(labels) }))
        }
        _ => None,
    };
    let asked = asked.into_iter().collect();
    let done =
        Done { before: &problem.network, after: &smaller.problem.network, replaced: &smaller.replaced, query, asked };
    report(args, &done, &size(&written.network), seconds, output);
    if args.explain.is_some() {
        output.say(explained.text);
    }
    Ok(Exit::Ok)
}

/// What `--explain` prints and draws.
#[derive(Default)]
struct Explained {
    text: String,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Explained {
    fn of(
        args: &Args,
        network: &Network,
        origin: &Origin,
        replaced: &[Replaced],
        query: &Query,
    ) -> Result<Self, Failure> {
        let Some(picture) = &args.explain else { return Ok(Self::default()) };
        let maps = replaced.iter().filter_map(|r| r.map.as_ref());
        let assumptions: Vec<Assumption<'_>> = maps.map(|map| Assumption { network, origin, map }).collect();
        let mut text: Vec<String> = assumptions.iter().map(Assumption::text).collect();
        text.push(match assumptions.is_empty() {
            true => "no process became smaller: there is nothing to assume".into(),
            false => assumption::validity(matches!(query, Query::DeadlockFree)),
        });
        let mut files = Vec::new();
        if let Some(path) = picture {
            let mut dot = Vec::new();
            assumption::write_dot(&assumptions, &mut dot).map_err(|e| {
                Failure::input("--explain", e.to_string(), "leave the file away: the text tells the first classes")
            })?;
            files.push((path.clone(), dot));
        }
        Ok(Self { text: text.join("\n"), files })
    }
}

/// Asks SPIN, where it is installed, whether it takes each Promela text that is to be written. A limit that was reached before leaves
/// it the time that `spin -a` usually needs.
fn taken_by_spin(files: &[(PathBuf, Vec<u8>)], run: &Run, output: &Output) -> Result<(), Failure> {
    let Ok(tools) = Tools::find() else { return Ok(()) };
    let left = run.limits.time.map(|time| time.saturating_sub(run.elapsed()).max(SPIN_TAKES));
    let limits = Limits { time: left, ..run.limits.clone() };
    for (path, bytes) in files.iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "pml")) {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let (name, defines) = (path.display().to_string(), Vec::new());
        // What was refused before is not here any more.
        let text = Text { name, bytes: bytes.clone(), folder, defines, allow_c: false };
        match file::accepts(&text, tools, &Run::new(limits.clone(), run.seed)) {
            Ok(()) => {}
            Err(Trouble::Undecided(why)) => {
                output.note(format!("SPIN was not asked whether it takes {}: {why}", path.display()));
            }
            Err(trouble) => return Err(Refusal::new(format!("nothing was written: {trouble}")).into()),
        }
    }
    Ok(())
}

/// Says where the refinement was ended, not at its end.
fn ended(options: &Options, run: &Run, output: &Output) {
    if options.effort.is_some_and(|most| run.states() >= most) {
        output.note("more refinement is possible: `--time 10m` goes on for up to so long");
    }
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
    asked: Vec<String>,
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
        "method": args.reduction.method.name(),
        "output": args.output.as_ref().map(|path| path.display().to_string()),
        "query_on_output": if let [one] = &*done.asked { Some(one) } else { None },
        "queries_on_output": &done.asked,
        "processes": rows(done.before, done.after, done.replaced),
        "states_before": total(states, done.before),
        "states_after": total(states, done.after),
        "transitions_before": total(transitions, done.before),
        "transitions_after": total(transitions, done.after),
        "steps": steps,
        "seconds": seconds,
    }));
    output.say(table(done.before, done.after, done.replaced));
    if !done.asked.is_empty() {
        output.say(format!("to be asked of it: {}", done.asked.join("; ")));
    }
    let steps = counted(steps, "step");
    match &args.output {
        Some(path) => output.say(format!("wrote {} ({written}; {steps}, {seconds:.3} s)", path.display())),
        None => output.say(format!("wrote nothing ({written}; {steps}, {seconds:.3} s)")),
    }
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
