//! Processes are replaced by smaller ones with the same verdict, and the smaller model is put into files.

pub(super) mod stated;

use super::convert;
use super::failure::Failure;
use super::finding::{ProcessChange, TextChange};
use super::models::Models;
use super::observer::Observer;
use super::question::Question;
use super::reduction::{Method, ReductionChoice};
use super::words::counted;
use prequel_engine::Refusal;
use prequel_engine::transform::quotient::Options;
use prequel_engine::transform::{Replaced, Smaller, Stop};
use prequel_evidence::certificate::{Certificate, CertifiedProof};
use prequel_formats::assumption;
use prequel_formats::assumption::Assumption;
use prequel_formats::diag::Diagnostic;
use prequel_formats::goal;
use prequel_formats::list::OutputFormat;
use prequel_formats::pattern::{Pattern, Set};
use prequel_formats::promela::Text;
use prequel_model::run::{Limits, Run};
use prequel_model::{Lts, Network, Origin, Problem, Query, Why};
use prequel_spin::file;
use prequel_spin::file::Trouble;
use prequel_spin::promela;
use prequel_spin::tools::Tools;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What `spin -a` needs for a text of ordinary length.
const SPIN_TAKES: Duration = Duration::from_millis(400);

/// One in so many parts of the time is for writing.
const WRITING: u32 = 4;

/// Which model becomes smaller, and what is made of it.
#[derive(Clone, Debug)]
pub struct Reduce {
    /// The model.
    pub models: Models,
    /// What keeps its verdict.
    pub question: Question,
    /// How processes are replaced.
    pub reduction: ReductionChoice,
    /// Where the smaller model belongs; the extension is its format.
    pub output: Option<PathBuf>,
    /// Whether to tell what is assumed of each process, and where a picture of that belongs.
    pub explain: Option<Option<PathBuf>>,
    /// Where the map from states to classes belongs.
    pub certificate: Option<PathBuf>,
}

impl Reduce {
    /// A model that keeps what it states, to be put into this file.
    pub fn stated(models: impl Into<Models>, output: PathBuf) -> Self {
        Self {
            models: models.into(),
            question: Question::Stated,
            reduction: ReductionChoice::default(),
            output: Some(output),
            explain: None,
            certificate: None,
        }
    }

    /// Whether what is asked for goes together.
    fn fits(&self) -> Result<(), Failure> {
        if let Some(path) = &self.output {
            convert::written_as(path)?;
        }
        let method = self.reduction.of_networks();
        let explains = |method| matches!(method, Method::Quotient | Method::Residual);
        if self.explain.is_some() && !explains(method) {
            let help = "leave --explain away, or use --method quotient";
            return Err(Failure::input("--explain", format!("{} makes no assumptions", method.name()), help));
        }
        if let Some(Some(path)) = &self.explain
            && path.extension().is_none_or(|e| e != "dot")
        {
            let message = format!("`{}` is no .dot file", path.display());
            let help = "pictures are written for Graphviz, as in --explain=a.dot";
            return Err(Failure::input("--explain", message, help));
        }
        if let Some(path) = self.certificate.as_ref().filter(|_| method != Method::Quotient) {
            let message = format!("{} has no certificates", method.name());
            let help = "leave --certificate away, or use --method quotient";
            return Err(Failure::input(path.display().to_string(), message, help));
        }
        Ok(())
    }

    /// Folders that go with the output.
    fn folders(&self) -> Vec<PathBuf> {
        self.output.as_deref().map_or(vec![], convert::folders)
    }
}

/// A smaller model, as files that are yet to be written.
#[derive(Clone, Debug)]
pub struct SmallerFiles {
    /// What keeps its verdict.
    pub query: String,
    /// How processes were replaced.
    pub method: Method,
    /// What was done to each process.
    pub changes: Vec<ProcessChange>,
    /// What changed besides them.
    pub beside: TextChange,
    /// States of all components, before and after.
    pub states: [usize; 2],
    /// Transitions of all components, before and after.
    pub transitions: [usize; 2],
    /// What to ask of the smaller model instead, where that is not the same.
    pub asked: Vec<String>,
    /// How large the smaller model is, in words.
    pub size: String,
    /// All files with their contents.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// Folders that they need.
    pub folders: Vec<PathBuf>,
    /// What is assumed of each process, where that is to be told.
    pub explained: Option<String>,
    /// What the user should know once the files are written.
    pub notes: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

/// Replaces processes by smaller ones with the same verdict.
pub fn reduce(request: &Reduce, run: &Run, observer: &dyn Observer) -> Result<SmallerFiles, Failure> {
    request.fits()?;
    request.models.subject(run, observer)?.reduce(request, run, observer)
}

/// Makes a network smaller for one question, and writes it.
pub(super) fn question(
    request: &Reduce,
    problem: &Problem,
    origin: Origin,
    run: &Run,
    observer: &dyn Observer,
) -> Result<SmallerFiles, Failure> {
    let options = request.reduction.bounded(&run.limits);
    let transform = request.reduction.transform(&problem.network, options)?;
    // What there is when the time is up is written, and that takes time too.
    let reducing = run.first_of(WRITING);
    let reduced = observer.during(&reducing, transform.name(), || transform.apply(problem, &reducing));
    run.add(&reducing.effort());
    let smaller = match reduced {
        Ok(smaller) => smaller,
        Err(Stop::Refused(why)) => return Err(why.into()),
        Err(Stop::Limit(why)) => {
            let rest = if matches!(why, Why::Time(_)) { ": the rest of the time is for writing" } else { "" };
            return Err(Failure::Undecided(format!("{why}{rest}"), why));
        }
        Err(Stop::Broken(why)) => return Err(Failure::Internal(why.to_string())),
    };
    let seconds = run.elapsed().as_secs_f64();
    let mut explained = Explained::of(request, &problem.network, &origin, &smaller.replaced, &problem.query)?;
    let mut written = smaller.problem.clone();
    let mut files = std::mem::take(&mut explained.files);
    if let Some(path) = &request.output {
        let names = renamed(&problem.network, &smaller, origin);
        if convert::written_as(path)? == OutputFormat::Aut {
            written.network = convert::product(written.network, run, observer)?;
        }
        files.extend(convert::files(&written, &names, path, request.models.reading.marking(), promela::write)?);
    }
    let query = request.question.text().unwrap_or_else(|| stated::ASSERTIONS.into());
    if let Some(path) = &request.certificate {
        let maps = CertifiedProof::maps(&problem.network, &smaller.maps());
        let certificate = Certificate::new(problem, &query, None, maps);
        files.push((path.clone(), certificate.to_json()));
    }
    taken_by_spin(&files, None, run, observer)?;
    let asked = match &smaller.problem.query {
        Query::Reach(goal) => Some(format!("--reach '{}'", goal::show(goal, &written.network, &Origin::default()))),
        // The model states it, what is written does not.
        Query::Safety(monitor) if request.question.is_of_programs() && !monitor.automaton.alphabet().is_empty() => {
            let labels = monitor.automaton.alphabet().iter().map(|&l| written.network.labels().seen(l));
            Some(format!("--pattern '{}'", Pattern::Never { a: Set::new(labels) }))
        }
        _ => None,
    };
    let (before, after) = (&problem.network, &smaller.problem.network);
    Ok(SmallerFiles {
        query,
        method: request.reduction.of_networks(),
        changes: ProcessChange::all(before, after, &smaller.replaced),
        beside: TextChange::default(),
        states: [before, after].map(|network| total(network, Lts::num_states)),
        transitions: [before, after].map(|network| total(network, Lts::num_transitions)),
        asked: asked.into_iter().collect(),
        size: size(&written.network),
        files,
        folders: request.folders(),
        explained: explained.text,
        notes: ended(&options, run).into_iter().collect(),
        seconds,
    })
}

/// What `--explain` prints and draws.
#[derive(Default)]
struct Explained {
    text: Option<String>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Explained {
    fn of(
        request: &Reduce,
        network: &Network,
        origin: &Origin,
        replaced: &[Replaced],
        query: &Query,
    ) -> Result<Self, Failure> {
        let Some(picture) = &request.explain else { return Ok(Self::default()) };
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
        Ok(Self { text: Some(text.join("\n")), files })
    }
}

/// Asks SPIN, where it is installed, whether it takes each Promela text that is to be written. A limit that was reached before leaves
/// it the time that `spin -a` usually needs. `next` is said where a formula uses `X` and SPIN does not read that.
fn taken_by_spin(
    files: &[(PathBuf, Vec<u8>)],
    next: Option<Diagnostic>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<(), Failure> {
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
                observer.note(&format!("SPIN was not asked whether it takes {}: {why}", path.display()));
            }
            Err(trouble) => {
                return Err(match (trouble, next) {
                    (Trouble::Next(_), Some(found)) => Failure::Input(vec![found]),
                    (trouble, _) => Refusal::new(format!("nothing was written: {trouble}")).into(),
                });
            }
        }
    }
    Ok(())
}

/// Says where the refinement was ended, not at its end.
fn ended(options: &Options, run: &Run) -> Option<String> {
    let ended = options.effort.is_some_and(|most| run.states() >= most);
    ended.then(|| "more refinement is possible: `--time 10m` goes on for up to so long".into())
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

fn total(network: &Network, count: fn(&Lts) -> usize) -> usize {
    network.components().iter().map(|component| count(&component.lts)).sum()
}

fn size(network: &Network) -> String {
    let (states, transitions) = (total(network, Lts::num_states), total(network, Lts::num_transitions));
    format!("{}, {}", counted(states, "state"), counted(transitions, "transition"))
}
