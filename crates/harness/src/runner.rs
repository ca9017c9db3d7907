//! All runs of a suite: in random order, each in a folder of its own, recorded at once.

use super::provenance::{Provenance, now};
use super::record::{Category, Key, Log, Record};
use super::supervise::{Allowance, Ended, Measured, Order, STDERR, STDOUT, Stopped, supervised};
use super::task::{Plan, Source, Task};
use super::tool::{Filling, Said, Tool};
use prequel_families as families;
use prequel_families::boolean;
use prequel_formats::{exp, smv};
use prequel_model::rng::Rng;
use prequel_model::run::INTERRUPTED;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

/// Runs that are done already: model, query and engine, and which repetition.
pub type Done = FxHashSet<(Key, u32)>;

/// How a suite is run.
#[derive(Clone, Debug)]
pub struct Manner {
    /// Where outputs are kept.
    pub results: PathBuf,
    /// What the runs of one night are called together.
    pub night: String,
    /// What the runs of this command are called: the night, or a part of it.
    pub name: String,
    /// Which part of the runs this command does.
    pub part: Part,
    /// Seed of the order.
    pub seed: u64,
    /// How many at a time: more than one disturbs the times.
    pub jobs: usize,
    /// The cores that there are for them.
    pub cores: Vec<usize>,
}

/// Every so many-th run, from one of the first: what one of several machines does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which, counted from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl Part {
    /// All of them.
    pub const WHOLE: Part = Part { number: 1, of: 1 };
}

/// What is shown while runs go on.
pub trait Audience: Sync {
    /// A run begins.
    fn begins(&self, task: &Task);
    /// A run is done.
    fn ends(&self, record: &Record);
}

/// Runs all that is not done yet. Stops early, with what it has, when interrupted.
pub fn run(
    plan: &Plan,
    manner: &Manner,
    done: &Done,
    provenance: &Provenance,
    log: &mut Log,
    audience: &dyn Audience,
) -> io::Result<Vec<Record>> {
    let folder = tempfile::Builder::new().prefix("prequel-bench-").tempdir()?;
    let models = write_models(plan, folder.path())?;
    let order = order(plan, done, manner.seed, manner.part);
    let (next, log, records) = (AtomicUsize::new(0), Mutex::new(log), Mutex::new(Vec::new()));
    let failed = Mutex::new(None);
    let lock = |failure: io::Error| *held(&failed) = Some(failure);
    let work = |core: usize| {
        loop {
            let position = next.fetch_add(1, Relaxed);
            let Some(&(task, repetition)) = order.get(position) else { return };
            let task = &plan.tasks[task];
            if INTERRUPTED.load(Relaxed) || held(&failed).is_some() {
                return;
            }
            audience.begins(task);
            let position = position as u64 + 1;
            let at = Place { folder: folder.path(), model: &models[&task.source], core, position, repetition };
            match one(plan, task, manner, provenance, &at) {
                // What was cut short by an interruption is no result.
                Ok(None) => return,
                Ok(Some(_)) if repetition == 0 => {}
                Ok(Some(record)) => {
                    if let Err(failure) = held(&log).add(&record) {
                        return lock(failure);
                    }
                    audience.ends(&record);
                    held(&records).push(record);
                }
                Err(failure) => return lock(failure),
            }
        }
    };
    std::thread::scope(|scope| {
        for core in 0..manner.jobs.max(1) {
            let work = &work;
            scope.spawn(move || work(core));
        }
    });
    let failure = held(&failed).take();
    match failure {
        Some(failure) => Err(failure),
        None => Ok(std::mem::take(&mut *held(&records))),
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// How many runs are to be done.
pub fn count(plan: &Plan, done: &Done, part: Part) -> usize {
    order(plan, done, 0, part).len()
}

/// The runs of a part in random order, repetition 0 for those that do not count: these come first, so that no run that counts is the
/// first of its kind. What is done already is left out last, so that it does not move runs from one part to another.
fn order(plan: &Plan, done: &Done, seed: u64, part: Part) -> Vec<(usize, u32)> {
    let mut random = Rng::new(seed);
    let mut all: Vec<(usize, u32)> =
        (0..plan.tasks.len()).flat_map(|task| (1..=plan.repetitions).map(move |n| (task, n))).collect();
    random.shuffle(&mut all);
    let own = all.into_iter().skip(part.number - 1).step_by(part.of);
    let open: Vec<(usize, u32)> = own.filter(|&(task, n)| !done.contains(&(plan.tasks[task].key(), n))).collect();
    let tasks: BTreeSet<usize> = open.iter().map(|&(task, _)| task).collect();
    let mut runs: Vec<(usize, u32)> =
        tasks.into_iter().flat_map(|task| std::iter::repeat_n((task, 0), plan.warmup as usize)).collect();
    random.shuffle(&mut runs);
    runs.extend(open);
    runs
}

/// Instances of families as files; files where they are.
pub(super) fn write_models(plan: &Plan, folder: &Path) -> io::Result<FxHashMap<Source, PathBuf>> {
    let mut models: FxHashMap<Source, PathBuf> = FxHashMap::default();
    for task in &plan.tasks {
        if models.contains_key(&task.source) {
            continue;
        }
        let path = match &task.source {
            Source::File(path) => fs::canonicalize(path)?,
            Source::Family(name, size) => {
                let family = families::find(name).ok_or_else(|| io::Error::other("a family that is none"))?;
                let below = folder.join(format!("{name}-{size}"));
                let network = (family.build)(*size, 0).as_written();
                for (file, text) in exp::write(&network, name).map_err(io::Error::other)? {
                    let file = below.join(file);
                    fs::create_dir_all(file.parent().unwrap_or(&below))?;
                    fs::write(file, text)?;
                }
                below.join(format!("{name}.exp"))
            }
            Source::Property(name, size, number) => {
                let family = boolean::find(name).ok_or_else(|| io::Error::other("a family that is none"))?;
                let system = (family.build)(*size);
                let file = folder.join(format!("{name}-{size}-{number}.smv"));
                let mut text = Vec::new();
                smv::write(&system.question(&system.properties[number - 1]), &mut text)?;
                fs::write(&file, text)?;
                file
            }
        };
        models.insert(task.source.clone(), path);
    }
    Ok(models)
}

/// Where one run takes place.
struct Place<'a> {
    folder: &'a Path,
    model: &'a Path,
    core: usize,
    position: u64,
    repetition: u32,
}

/// One run, all phases. None if it was interrupted.
fn one(
    plan: &Plan,
    task: &Task,
    manner: &Manner,
    provenance: &Provenance,
    at: &Place<'_>,
) -> io::Result<Option<Record>> {
    let folder = tempfile::Builder::new().prefix("run-").tempdir_in(at.folder)?;
    let (tool, version) = &plan.tools[task.tool];
    let model = at.model.display().to_string();
    let limits = plan.limits;
    let with = Filling {
        model: &model,
        query: &task.query,
        engine: &task.called,
        options: &task.options,
        seconds: limits.wall,
        megabytes: limits.memory >> 20,
    };
    // Parts that run on the same machine go to different cores, as far as there are some.
    let core = manner.cores.get((at.core + manner.part.number - 1) % manner.cores.len().max(1));
    let cores: Vec<usize> = core.filter(|_| manner.jobs <= manner.cores.len()).copied().into_iter().collect();
    let (date, commands) = (now(), tool.commands(&with));
    let phases = in_turn(&commands, folder.path(), &cores, limits)?;
    let Some(last) = phases.last() else { return Err(io::Error::other(format!("{} has no command", tool.name))) };
    if last.stopped == Some(Stopped::Interrupted) || INTERRUPTED.load(Relaxed) {
        return Ok(None);
    }
    // A phase before the last one that failed says nothing about the question.
    let whole = phases.len() == commands.len();
    let said = if whole { understood(tool, folder.path(), last) } else { Said::default() };
    let category = categorise(&said, last, task.expected.as_ref().map(|(answer, _)| *answer));
    let sum = |of: fn(&Measured) -> f64| phases.iter().map(of).sum::<f64>();
    let words: Vec<String> = commands.iter().take(phases.len()).map(|command| command.join(" ")).collect();
    let mut record = Record {
        suite: plan.name.clone(),
        model: task.model.clone(),
        query: task.query.join(" "),
        engine: task.engine.clone(),
        repetition: at.repetition,
        category,
        verdict: said.verdict.map_or("unknown".into(), |verdict| verdict.to_string()),
        expected: task.expected.as_ref().map_or(String::new(), |(answer, _)| answer.to_string()),
        source: task.expected.as_ref().map_or(String::new(), |(_, source)| source.clone()),
        seconds: sum(|phase| phase.wall),
        cpu: sum(|phase| phase.cpu),
        phases: phases.iter().map(|phase| format!("{:.6}", phase.wall)).collect::<Vec<_>>().join(" "),
        largest_process: phases.iter().map(|phase| phase.largest).max().unwrap_or(0),
        memory: phases.iter().map(|phase| phase.together).max().unwrap_or(0),
        states: said.states,
        states_peak: said.largest,
        checks: said.checks,
        checked: said.checked,
        reason: said.reason.clone().unwrap_or_else(|| why(last)),
        command: words.join("\n"),
        output: String::new(),
        tool: format!("{} ({})", tool.name, version.as_deref().unwrap_or("unknown version")),
        limit_seconds: limits.wall,
        limit_cpu: limits.cpu,
        limit_memory: limits.memory,
        isolation: format!("{:?}", last.isolation).to_lowercase(),
        cores: cores.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        position: at.position,
        seed: manner.seed,
        date,
        night: manner.night.clone(),
        commit: provenance.commit.clone(),
        dirty: provenance.dirty,
        host: provenance.host.clone(),
        processor: provenance.processor.clone(),
        host_cores: provenance.cores,
        host_memory: provenance.memory,
        kernel: provenance.kernel.clone(),
        compiler: provenance.compiler.clone(),
    };
    if at.repetition > 0 {
        record.output = keep(folder.path(), manner, &record)?;
    }
    Ok(Some(record))
}

/// Runs the phases one after the other, all within the same limits, up to one that fails.
fn in_turn(commands: &[Vec<String>], folder: &Path, cores: &[usize], mut rest: Allowance) -> io::Result<Vec<Measured>> {
    let mut phases = Vec::new();
    for command in commands {
        let order = Order {
            command: command.clone(),
            folder: folder.to_owned(),
            limits: rest,
            cores: cores.to_owned(),
            parent: std::process::id() as i32,
        };
        let measured = supervised(&order)?;
        rest.wall -= measured.wall;
        rest.cpu -= measured.cpu;
        let over =
            measured.stopped.is_some() || measured.ended != Ended::Code(0) || rest.wall <= 0.0 || rest.cpu <= 0.0;
        phases.push(measured);
        if over {
            break;
        }
    }
    Ok(phases)
}

/// What a tool says in its output, which is in the folder.
fn understood(tool: &Tool, folder: &Path, last: &Measured) -> Said {
    let text =
        |name: &str| fs::read(folder.join(name)).map_or(String::new(), |b| String::from_utf8_lossy(&b).into_owned());
    let code = if let Ended::Code(code) = last.ended { Some(code) } else { None };
    tool.understand(code, &text(STDOUT), &text(STDERR))
}

/// What became of a run.
fn categorise(said: &Said, last: &Measured, expected: Option<bool>) -> Category {
    match (said.verdict, last.stopped, expected) {
        (_, Some(Stopped::Wall | Stopped::Cpu | Stopped::Interrupted), _) => Category::Timeout,
        (_, Some(Stopped::Memory), _) => Category::OutOfMemory,
        (Some(verdict), None, Some(expected)) if verdict == expected => Category::Correct,
        (Some(_), None, Some(_)) => Category::Wrong,
        (Some(_), None, None) => Category::Unverified,
        (None, None, _) => match (said.reason_kind.as_deref(), &last.ended) {
            (Some("time"), _) => Category::Timeout,
            (Some("memory"), _) => Category::OutOfMemory,
            (_, Ended::Code(0 | 2)) => Category::Unknown,
            _ => Category::Error,
        },
    }
}

/// How a run ended, where it gives no reason itself.
fn why(last: &Measured) -> String {
    match (&last.stopped, &last.ended) {
        (Some(stopped), _) => format!("stopped: {}", format!("{stopped:?}").to_lowercase()),
        (None, Ended::Code(0)) => String::new(),
        (None, Ended::Code(code)) => format!("exit code {code}"),
        (None, Ended::Signal(signal)) => format!("signal {signal}"),
        (None, Ended::NotStarted(why)) => format!("not started: {why}"),
    }
}

/// Keeps what a run wrote: always its witness, all of it where it did not go as expected.
fn keep(folder: &Path, manner: &Manner, record: &Record) -> io::Result<String> {
    let expected = matches!(record.category, Category::Correct | Category::Unverified);
    let wanted: &[&str] = if expected { &["witness.json"] } else { &[STDOUT, STDERR, "witness.json"] };
    let name = format!("{}-{:05}", manner.name, record.position);
    let target = manner.results.join("output").join(&name);
    let mut kept = false;
    for file in wanted {
        let from = folder.join(file);
        if fs::metadata(&from).is_ok_and(|found| found.len() > 0) {
            fs::create_dir_all(&target)?;
            fs::copy(from, target.join(file))?;
            kept = true;
        }
    }
    Ok(if kept { format!("output/{name}") } else { String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supervise::Isolation;

    fn measured(ended: Ended, stopped: Option<Stopped>) -> Measured {
        Measured {
            ended,
            stopped,
            wall: 1.0,
            cpu: 1.0,
            largest: 0,
            together: 0,
            left: 0,
            cut: 0,
            isolation: Isolation::Rlimit,
        }
    }

    #[test]
    fn parts_are_disjoint_and_together_all_whatever_is_done() {
        let text = "name = \"n\"\nrepetitions = 3\nwarmup = 1\n[[engine]]\nname = \"otf\"\n[[model]]\nfamily = \"philo\"\nsizes = [3, 4, 5]\n";
        let suite = crate::suite::read("s.toml", text).unwrap();
        let plan = crate::task::plan("s.toml", text, &suite, Path::new(".")).unwrap();
        let whole = order(&plan, &Done::default(), 7, Part::WHOLE);
        let done: Done = whole.iter().filter(|run| run.1 == 2).map(|&(task, n)| (plan.tasks[task].key(), n)).collect();
        for done in [Done::default(), done] {
            let mut counted = Vec::new();
            for number in 1..=4 {
                let runs = order(&plan, &done, 7, Part { number, of: 4 });
                // Whatever counts was warmed up in the same part.
                assert!(runs.iter().all(|&(task, _)| runs.contains(&(task, 0))));
                counted.extend(runs.into_iter().filter(|run| run.1 > 0));
            }
            counted.sort_unstable();
            let mut expected: Vec<(usize, u32)> = whole.iter().copied().filter(|run| run.1 > 0).collect();
            expected.retain(|&(task, n)| !done.contains(&(plan.tasks[task].key(), n)));
            expected.sort_unstable();
            assert_eq!(counted, expected);
        }
    }

    #[test]
    fn categories_are_what_people_expect() {
        let said = |verdict| Said { verdict, ..Said::default() };
        let fine = measured(Ended::Code(0), None);
        let of = |verdict, last: &Measured, expected| categorise(&said(verdict), last, expected);
        assert_eq!(of(Some(true), &fine, Some(true)), Category::Correct);
        assert_eq!(of(Some(true), &fine, Some(false)), Category::Wrong);
        assert_eq!(of(Some(true), &fine, None), Category::Unverified);
        assert_eq!(of(None, &fine, Some(true)), Category::Unknown);
        assert_eq!(of(None, &measured(Ended::Code(3), None), None), Category::Error);
        assert_eq!(of(None, &measured(Ended::Signal(11), None), None), Category::Error);
        // Whatever it managed to say before it was killed.
        assert_eq!(of(Some(true), &measured(Ended::Signal(9), Some(Stopped::Wall)), Some(true)), Category::Timeout);
        assert_eq!(of(None, &measured(Ended::Signal(9), Some(Stopped::Memory)), None), Category::OutOfMemory);
        let gave_up = Said { reason_kind: Some("time".into()), ..Said::default() };
        assert_eq!(categorise(&gave_up, &measured(Ended::Code(2), None), None), Category::Timeout);
    }
}
