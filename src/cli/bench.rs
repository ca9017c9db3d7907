//! `prequel bench`: every engine, model and query of a suite, under limits, recorded as they are done.

use super::exit::{Exit, Failure};
use super::output::{Output, counted, write_files, write_to_folders};
use indicatif::{ProgressBar, ProgressStyle};
use prequel_formats::diag::Diagnostic;
use prequel_harness::export;
use prequel_harness::export::Parts;
use prequel_harness::provenance::{Provenance, date, now};
use prequel_harness::record;
use prequel_harness::record::{Category, Log, Record};
use prequel_harness::runner;
use prequel_harness::runner::{Audience, Done, Manner, Part};
use prequel_harness::task::{Plan, Task};
use prequel_harness::{suite, supervise as supervisor, task};
use prequel_model::run::INTERRUPTED;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// Runs every engine, model and query of a suite under limits and appends each run to a file of results
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel bench benchmarks/smoke.toml
  prequel bench benchmarks/nightly.toml --results nights
  prequel bench benchmarks/nightly.toml --results nights --resume     goes on after Ctrl-C, a crash, a power cut
  prequel report results -o report.html
  prequel bench benchmarks/nightly.toml --executor slurm --parts 20 -o night.sh     a job array; see docs/bench.md

Each run is a process of its own in a folder of its own. Nothing is lost when this is interrupted. The command ends with 1 if a
verdict was wrong, or if two engines contradict each other.")]
pub struct Args {
    /// The suite
    #[arg(value_name = "SUITE.toml")]
    suite: PathBuf,
    /// The folder for results
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// Goes on with the last results of this suite
    #[arg(long)]
    resume: bool,
    /// Runs at a time; more than one disturbs the times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Seed of the order of runs
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Does a part of the runs only, as 2/5; goes on if it was begun already
    #[arg(long, value_name = "K/N", value_parser = part, requires = "night", conflicts_with = "resume")]
    part: Option<Part>,
    /// What all parts are called together
    #[arg(long, value_name = "NAME", requires = "part", value_parser = night)]
    night: Option<String>,
    /// Writes what runs the suite elsewhere instead of running it
    #[arg(long, value_enum, value_name = "WHERE", requires = "output", conflicts_with_all = ["resume", "part"])]
    executor: Option<Executor>,
    /// How many parts for `--executor`
    #[arg(long, value_name = "N", default_value_t = 8, requires = "executor", value_parser = clap::value_parser!(u16).range(1..))]
    parts: u16,
    /// The script, or for `benchexec` the folder, that `--executor` writes
    #[arg(short, long, value_name = "PATH", requires = "executor")]
    output: Option<PathBuf>,
}

/// Where a suite is run, if not here.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Executor {
    /// A script for GNU parallel
    Parallel,
    /// A job array for Slurm
    Slurm,
    /// Tasks for BenchExec
    Benchexec,
}

fn part(text: &str) -> Result<Part, String> {
    let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match numbers {
        Some((number, of)) if (1..=of).contains(&number) => Ok(Part { number, of }),
        _ => Err("a part is K/N, as in 2/5".into()),
    }
}

fn night(text: &str) -> Result<String, String> {
    let plain = !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
    if plain { Ok(text.into()) } else { Err("a name has letters, digits, `-`, `_` and `.`".into()) }
}

/// Watches one command: the order comes in, what was measured goes out.
pub fn supervise() -> Result<Exit, Failure> {
    supervisor::serve().map_err(|why| Failure::Internal(why.to_string()))?;
    Ok(Exit::Ok)
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let plan = plan(&args.suite)?;
    for skipped in &plan.skipped {
        output.note(format!("skipped: {skipped}"));
    }
    if let Some(executor) = args.executor {
        return export(args, executor, &plan, output);
    }
    let (path, before, warnings) = results_file(args, &plan.name)?;
    output.warn(&warnings);
    let done: Done = before.iter().map(|record| (record.key(), record.repetition)).collect();
    let unwritable = |why: std::io::Error| {
        Failure::input(
            path.display().to_string(),
            format!("cannot write: {why}"),
            "choose another folder with --results",
        )
    };
    let mut log = Log::open(&path).map_err(unwritable)?;
    let provenance =
        Provenance::of(args.suite.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")));
    if provenance.dirty {
        output.note("files were changed since the last commit: the records say so");
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let manner = Manner {
        results: args.results.clone(),
        night: args.night.clone().unwrap_or_else(|| name.clone()),
        name,
        part: args.part.unwrap_or(Part::WHOLE),
        seed: args.seed,
        jobs: usize::from(args.jobs),
        cores: supervisor::cores(),
    };
    let total = runner::count(&plan, &done, manner.part);
    let screen = Screen::new(total, output);
    let records = runner::run(&plan, &manner, &done, &provenance, &mut log, &screen).map_err(unwritable)?;
    screen.bar.finish_and_clear();
    let interrupted = INTERRUPTED.load(Relaxed);
    let all: Vec<Record> = before.into_iter().chain(records).collect();
    conclude(&plan, &path, &all, interrupted, output)
}

fn plan(path: &Path) -> Result<Plan, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|why| {
        Failure::input(
            name.clone(),
            format!("cannot read: {why}"),
            "give the path of a suite, as benchmarks/smoke.toml",
        )
    })?;
    let suite = suite::read(&name, &text)?;
    Ok(task::plan(&name, &text, &suite, path.parent().unwrap_or(Path::new("")))?)
}

/// Writes what runs the suite elsewhere.
fn export(args: &Args, executor: Executor, plan: &Plan, output: &Output) -> Result<Exit, Failure> {
    let target = args.output.as_deref().expect("it is required");
    let unwritable = |why: std::io::Error| {
        Failure::input(target.display().to_string(), format!("cannot write: {why}"), "choose another path with -o")
    };
    // Whoever runs it may be in another folder.
    let absolute = |path: &Path| std::path::absolute(path).map(|path| path.display().to_string()).map_err(unwritable);
    let of = usize::from(args.parts).min(plan.tasks.len() * plan.repetitions as usize).max(1);
    let name: String =
        plan.name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    let parts = Parts {
        prequel: std::env::current_exe().map_err(unwritable)?.display().to_string(),
        suite: absolute(&args.suite)?,
        results: absolute(&args.results)?,
        night: format!("{name}-{}", date(now()).replace(':', "")),
        seed: args.seed,
        of,
    };
    let mut left_out = plan.skipped.clone();
    let said = match executor {
        Executor::Benchexec => {
            let exported = export::benchexec(plan, target).map_err(unwritable)?;
            for what in exported.left_out.iter().filter(|what| !plan.skipped.contains(what)) {
                output.note(format!("left out: {what}"));
            }
            left_out = exported.left_out;
            let (tasks, definitions) = (counted(exported.tasks, "task"), exported.definitions.join(", "));
            format!("wrote {}: {tasks} for BenchExec; {definitions}", target.display())
        }
        Executor::Parallel | Executor::Slurm => {
            let text = if executor == Executor::Slurm { parts.slurm(plan) } else { parts.parallel() };
            write_files(&[(target.to_owned(), text.into_bytes())])?;
            format!("wrote {}: {}", target.display(), counted(of, "part"))
        }
    };
    output.object(json!({
        "suite": plan.name,
        "executor": format!("{executor:?}").to_lowercase(),
        "parts": of,
        "left_out": left_out,
    }));
    output.say(said);
    Ok(Exit::Ok)
}

/// The file that results go to, with the runs that it has already.
fn results_file(args: &Args, suite: &str) -> Result<(PathBuf, Vec<Record>, Vec<Diagnostic>), Failure> {
    let folder = &args.results;
    write_to_folders(std::slice::from_ref(folder), &[])?;
    if let (Some(part), Some(night)) = (args.part, &args.night) {
        let path = folder.join(format!("{night}-part-{}.csv", part.number));
        // A file that was just made has no line of names yet.
        let begun = std::fs::metadata(&path).is_ok_and(|file| file.len() > 0);
        let (records, warnings) = if begun { record::read(&path)? } else { Default::default() };
        return Ok((path, records, warnings));
    }
    if args.resume {
        return to_go_on_with(folder, suite);
    }
    let stamp = date(now()).replace(':', "");
    // Two in the same second are two.
    let path = (0..)
        .map(|n| folder.join(format!("{suite}-{stamp}{}.csv", if n == 0 { String::new() } else { format!("-{n}") })));
    let path = path.into_iter().find(|path| !path.exists()).expect("there are more numbers than files");
    Ok((path, Vec::new(), Vec::new()))
}

/// The last results of a suite; what is called so and is no file of results is named and passed over.
fn to_go_on_with(folder: &Path, suite: &str) -> Result<(PathBuf, Vec<Record>, Vec<Diagnostic>), Failure> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(suite).is_some_and(|rest| rest.starts_with("-2") && rest.ends_with(".csv"))
    });
    found.sort();
    let mut left_out = Vec::new();
    for path in found.into_iter().rev() {
        match record::read(&path) {
            Ok((records, warnings)) => {
                left_out.extend(warnings);
                return Ok((path, records, left_out));
            }
            Err(why) => left_out.extend(why.into_iter().map(Diagnostic::as_warning)),
        }
    }
    let message = format!("there are no results of `{suite}` to go on with");
    let none = Diagnostic::error(folder.display().to_string(), message).help("leave --resume away");
    Err(Failure::Input(left_out.into_iter().chain([none]).collect()))
}

/// Says what came of it.
fn conclude(plan: &Plan, path: &Path, records: &[Record], interrupted: bool, output: &Output) -> Result<Exit, Failure> {
    let mut categories: BTreeMap<Category, usize> = BTreeMap::new();
    for record in records {
        *categories.entry(record.category).or_default() += 1;
    }
    let wrong: Vec<String> =
        records.iter().filter(|record| record.category == Category::Wrong).map(wrong_line).collect();
    let contradictions = contradictions(records);
    let summary: Vec<String> =
        categories.iter().map(|(category, count)| format!("{count} {}", category.words())).collect();
    output.object(json!({
        "suite": plan.name,
        "results": path.exists().then(|| path.display().to_string()),
        "runs": records.len(),
        "categories": categories.iter().map(|(category, count)| (category.words().to_owned(), json!(count))).collect::<serde_json::Map<_, _>>(),
        "wrong": wrong,
        "contradictions": contradictions,
        "skipped": plan.skipped,
        "interrupted": interrupted,
    }));
    for line in wrong.iter().chain(&contradictions) {
        super::output::complain(&format!("WRONG: {line}"));
    }
    if records.is_empty() {
        output.say("no run was done, and nothing was written");
        return Ok(if interrupted { Exit::Interrupted } else { Exit::Ok });
    }
    output.say(format!("{}: {} ({})", path.display(), counted(records.len(), "run"), summary.join(", ")));
    if interrupted {
        output.say(format!(
            "interrupted: `prequel bench … --results {} --resume` goes on",
            path.parent().unwrap_or(Path::new("")).display()
        ));
        return Ok(Exit::Interrupted);
    }
    Ok(if wrong.is_empty() && contradictions.is_empty() { Exit::Ok } else { Exit::False })
}

fn wrong_line(record: &Record) -> String {
    let Record { engine, model, query, verdict, expected, source, .. } = record;
    format!("{engine} says {verdict} to {model} {query}, expected is {expected} ({source})")
}

/// Questions without a known answer to which engines gave both.
fn contradictions(records: &[Record]) -> Vec<String> {
    let mut answers: BTreeMap<(&str, &str), BTreeMap<&str, &str>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.category == Category::Unverified) {
        answers.entry((&record.model, &record.query)).or_default().insert(&record.verdict, &record.engine);
    }
    let both = answers.into_iter().filter(|(_, verdicts)| verdicts.len() > 1);
    both.map(|((model, query), verdicts)| {
        let said: Vec<String> = verdicts.iter().map(|(verdict, engine)| format!("{engine} says {verdict}")).collect();
        format!("{model} {query}: {}", said.join(", "))
    })
    .collect()
}

/// The progress bar, and a line for each run when asked for.
struct Screen<'a> {
    bar: ProgressBar,
    output: &'a Output,
}

impl<'a> Screen<'a> {
    fn new(total: usize, output: &'a Output) -> Self {
        let shown = !output.quiet && !output.json && std::io::stderr().is_terminal();
        let bar = if shown { ProgressBar::new(total as u64) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (about {eta} to go) {msg}");
        Self { bar: bar.with_style(style.expect("a valid template")), output }
    }
}

impl Audience for Screen<'_> {
    fn begins(&self, task: &Task) {
        self.bar.set_message(format!("{} {}", task.engine, task.model));
    }

    fn ends(&self, record: &Record) {
        self.bar.inc(1);
        let Record { engine, model, query, category, seconds, .. } = record;
        self.bar.suspend(|| {
            self.output.remark(format!("{seconds:8.3} s  {:<13} {engine:<12} {model} {query}", category.words()))
        });
    }
}
