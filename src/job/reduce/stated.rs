//! Programs reduced for what they state by themselves.
//!
//! Assertions and end states keep their verdicts, both of them and by whatever method; what cannot be kept is refused by name, and
//! nothing is written then. Claims and formulas are about all runs and are kept by residual statements alone: for other methods one has to
//! say `--ltl none`.

use super::{Explained, Reduce, SmallerFiles, WRITING, ended, question, size, taken_by_spin, total};
use crate::job::convert;
use crate::job::convert::Unwritten;
use crate::job::failure::Failure;
use crate::job::finding::{ProcessChange, TextChange};
use crate::job::observer::Observer;
use crate::job::program::{FoldedModel, FormOfDve, ReplacePlan, SmallerModel, SmallerText, components};
use crate::job::question::Question;
use crate::job::reduction::{Method, ReductionChoice, named};
use crate::job::words::counted;
use crate::open::ProgramFile;
use prequel_engine::Refusal;
use prequel_engine::transform::Stop;
use prequel_engine::transform::together::{Plan, together};
use prequel_formats::diag::Diagnostic;
use prequel_formats::list::OutputFormat;
use prequel_formats::promela::syntax::Unit;
use prequel_model::run::Run;
use prequel_model::{ComponentId, Lts, Origin, Problem, Query};
use prequel_program::Stated;
use prequel_spin::promela;
use std::path::{Path, PathBuf};

/// What is kept where a program has no end states.
pub const ASSERTIONS: &str = "the model's assertions";
/// What is kept of a Promela model.
const BOTH: &str = "what the model states (assertions, end states)";

/// Whether the question is what a program states, all of it or a part.
pub fn is_asked(question: &Question) -> bool {
    question.is_stated() || question.is_of_programs()
}

/// How a program is made smaller.
enum Way {
    /// The user's text, with folded processes.
    Residual,
    /// The user's text, with smaller processes.
    Text,
    /// A network that keeps all that is stated.
    Network,
    /// A network for one question.
    Question,
}

/// Makes a program smaller, and writes it.
pub fn reduce(
    request: &Reduce,
    promela: &ProgramFile,
    run: &Run,
    observer: &dyn Observer,
) -> Result<SmallerFiles, Failure> {
    if let Some(form) = form(request, promela, observer)? {
        return folded(request, &form.file, &|text| form.with_places(text), run, observer);
    }
    match way(request, promela)? {
        Way::Residual => folded(request, promela, &|text| text, run, observer),
        Way::Text => text(request, promela, run, observer),
        Way::Network => network(request, promela, run, observer),
        Way::Question => {
            let split = components(&promela.with_assertions()?, run).map_err(Failure::Unsuitable)?;
            let problem =
                if request.question == Question::DeadlockFree { split.end_states() } else { split.assertions() };
            question(request, &problem, split.origin, run, observer)
        }
    }
}

/// The Promela text of a DVE model, where that is what is made smaller.
fn form(request: &Reduce, model: &ProgramFile, observer: &dyn Observer) -> Result<Option<FormOfDve>, Failure> {
    if !is_folded(request) {
        return Ok(None);
    }
    match FormOfDve::of(model, &request.question) {
        Err(Failure::Refused(why)) if request.reduction.method.is_none() => {
            observer.note(&format!("the network of the model is made smaller: {why}"));
            Ok(None)
        }
        form => form,
    }
}

/// How what is asked can be kept, or what cannot.
fn way(request: &Reduce, promela: &ProgramFile) -> Result<Way, Failure> {
    let whole = request.question.is_stated();
    let (both, method) = (promela.has_end_states(), request.reduction.of_networks());
    let refused = |why: String| Err(Refusal::new(why).into());
    if is_folded(request) && (promela.source().is_some() || request.reduction.method.is_some()) {
        return Ok(Way::Residual);
    }
    request.reduction.has_no_rules()?;
    if let Some(claim) = promela.program.property.as_ref().filter(|_| whole) {
        return refused(format!(
            "{} is not kept by smaller processes: `--ltl none` leaves it out, `prequel spin --no-reduce` checks it",
            claim.title()
        ));
    }
    if whole && both && method == Method::Icc {
        return refused(
            "icc keeps whether assertions hold, not where the program may end: --assertions asks for those alone, \
             --method quotient and --method minimise keep both"
                .into(),
        );
    }
    if whole && both && request.certificate.is_some() {
        return refused(
            "a certificate is about one question, and the model states two: ask --assertions or --deadlock-free".into(),
        );
    }
    let promela_out = request.output.as_ref().is_none_or(|path| OutputFormat::of(path) == Some(OutputFormat::Promela));
    Ok(match method == Method::Icc || request.certificate.is_some() {
        true => Way::Question,
        false if promela.source().is_some() && promela_out => Way::Text,
        false if whole && both => Way::Network,
        false => Way::Question,
    })
}

/// Whether processes are folded: where that is asked for, or nothing that needs a network.
fn is_folded(request: &Reduce) -> bool {
    let promela_out = request.output.as_ref().is_none_or(|path| OutputFormat::of(path) == Some(OutputFormat::Promela));
    match request.reduction.method {
        Some(method) => method == Method::Residual,
        None => {
            let picture = matches!(&request.explain, Some(Some(_)));
            let refined = request.reduction.steps.is_some() || request.reduction.target_states.is_some();
            promela_out && request.certificate.is_none() && !picture && !refined
        }
    }
}

/// A Promela model with folded processes; the rest of the text stays, and all that it states. What is written goes through `finish`.
fn folded(
    request: &Reduce,
    promela: &ProgramFile,
    finish: &dyn Fn(Vec<u8>) -> Vec<u8>,
    run: &Run,
    observer: &dyn Observer,
) -> Result<SmallerFiles, Failure> {
    let alone = request.output.as_deref().is_some_and(|path| !is_beside(path, promela));
    let reducing = run.first_of(WRITING);
    let keep_fairness = request.reduction.keep_fairness || request.models.reading.fair;
    let assertions = request.question == Question::Assertions;
    let choice = ReductionChoice { keep_fairness, assertions, ..request.reduction.clone() };
    let folded = FoldedModel::new(promela, &choice, alone, &reducing, observer)?;
    let (preprocessed, explained) = (folded.preprocessed(), request.explain.is_some().then(|| folded.explained()));
    let assumes = request.reduction.method.is_none() && request.reduction.replace.is_empty() && explained.is_none();
    let at_rest = folded.at_rest().join(", ");
    let (was_changed, counted_steps) = (folded.is_changed(), folded.counted());
    let smaller = SmallerText::of(folded, promela, assumes, &reducing)?;
    let text = finish(smaller.model().bytes);
    let size = counted(text.iter().filter(|&&byte| byte == b'\n').count(), "line");
    let files: Vec<(PathBuf, Vec<u8>)> = request.output.clone().map(|path| (path, text)).into_iter().collect();
    taken_by_spin(&files, with_next(promela), run, observer)?;
    let changes = smaller.changes();
    let sum =
        |of: fn(&ProcessChange) -> [usize; 2]| changes.iter().map(of).fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
    let mut notes = Vec::new();
    if preprocessed {
        notes
            .push("something comes out of a macro or an included file: all of the text is written preprocessed".into());
    }
    notes.extend(kept(promela, counted_steps));
    if !at_rest.is_empty() {
        notes.push(format!("no assertion depends on {at_rest}: they stand still, so end states are not kept"));
    }
    if !was_changed && matches!(smaller, SmallerText::Folded(_)) {
        notes.push("no process has states that may be put together: the text is the model's own".into());
    }
    let parts: Vec<String> = promela.stated.iter().map(Stated::words).collect();
    Ok(SmallerFiles {
        query: format!("what the model states ({})", parts.join(", ")),
        method: Method::Residual,
        beside: smaller.beside(),
        states: sum(|change| change.states),
        transitions: sum(|change| change.transitions),
        changes,
        asked: Vec::new(),
        size,
        files,
        folders: Vec::new(),
        explained,
        notes,
        seconds: run.elapsed().as_secs_f64(),
    })
}

/// Says what claims ask to be kept, where there are any.
fn kept(promela: &ProgramFile, counted_steps: Option<&str>) -> Option<String> {
    let claims: Vec<String> = promela.stated.iter().filter(|part| part.claim().is_some()).map(Stated::words).collect();
    let steps = match counted_steps {
        Some(why) => format!("with every step, since {why}"),
        None => "steps that nobody notices may be gone".into(),
    };
    (!claims.is_empty()).then(|| format!("kept: {}; {steps}", claims.join(", ")))
}

/// What to say where SPIN does not read the `X` of a formula that is kept.
fn with_next(promela: &ProgramFile) -> Option<Diagnostic> {
    let model = &promela.source()?.model;
    let (ltl, next) = model.units.iter().find_map(|unit| match unit {
        Unit::Ltl(ltl) => Some((ltl, ltl.formula.next()?)),
        _ => None,
    })?;
    let name = ltl.name.as_ref().map_or_else(String::new, |name| format!(" `{}`", name.text));
    let message = format!("SPIN does not read `X`, so a smaller text with formula{name} would be of no use");
    let found = Diagnostic::error(model.sources.file(next.span), message).help(
        "`prequel check` decides it on the model as it is; take it out of the text that is to be made smaller, or build SPIN with -DNXT",
    );
    Some(match model.sources.place(next.span) {
        Some(place) => found.at(place),
        None => found,
    })
}

/// A Promela model with smaller processes; the rest of the text stays.
fn text(request: &Reduce, promela: &ProgramFile, run: &Run, observer: &dyn Observer) -> Result<SmallerFiles, Failure> {
    let options = request.reduction.bounded(&run.limits);
    let quotients = request.reduction.of_networks() == Method::Quotient;
    let alone = request.output.as_deref().is_some_and(|path| !is_beside(path, promela));
    let plan = ReplacePlan { replace: request.reduction.replace.clone(), quotients, options, alone, quick: false };
    let reducing = run.first_of(WRITING);
    let smaller = SmallerModel::new(promela, &plan, &reducing, observer)?;
    run.add(&reducing.effort());
    let text = smaller.model().bytes;
    let lines = counted(text.iter().filter(|&&byte| byte == b'\n').count(), "line");
    let (before, together) = smaller.replaced();
    // End states count among what the model states, so changes must keep them too.
    let Explained { text: explained, mut files } =
        Explained::of(request, before, smaller.origin(), &together.replaced, &Query::DeadlockFree)?;
    files.extend(request.output.clone().map(|path| (path, text)));
    taken_by_spin(&files, None, run, observer)?;
    let preprocessed = smaller.preprocessed().then(|| {
        "a replaced process comes out of a macro or an included file: all of the text is written preprocessed".into()
    });
    let after = &together.network;
    Ok(SmallerFiles {
        query: request.question.text().unwrap_or_else(|| BOTH.into()),
        method: request.reduction.of_networks(),
        beside: TextChange::default(),
        changes: ProcessChange::all(before, after, &together.replaced),
        states: [before, after].map(|network| total(network, Lts::num_states)),
        transitions: [before, after].map(|network| total(network, Lts::num_transitions)),
        asked: Vec::new(),
        size: lines,
        files,
        folders: Vec::new(),
        explained,
        notes: ended(&options, run).into_iter().chain(preprocessed).chain(not_kept(promela)).collect(),
        seconds: run.elapsed().as_secs_f64(),
    })
}

/// The network of a program, made smaller such that all that the program states keeps its verdict.
fn network(
    request: &Reduce,
    promela: &ProgramFile,
    run: &Run,
    observer: &dyn Observer,
) -> Result<SmallerFiles, Failure> {
    let split = components(&promela.without_claim()?, run).map_err(Failure::Unsuitable)?;
    let replace = named(&split.network, &request.reduction.replace)?;
    let all: Vec<ComponentId> = split.network.ids().collect();
    let quotients = request.reduction.of_networks() == Method::Quotient;
    let options = request.reduction.bounded(&run.limits);
    let components = if replace.is_empty() { &all } else { &replace };
    let plan = Plan { components, minimise: true, quotients, options, accept: &|_, _| Ok(()) };
    let queries = [split.end_states().query, split.assertions().query];
    let (reducing, method) = (run.first_of(WRITING), request.reduction.of_networks().name());
    let smaller = observer.during(&reducing, method, || together(&split.network, &queries, &plan, &reducing));
    run.add(&reducing.effort());
    let smaller = match smaller {
        Ok(smaller) => smaller,
        Err(Stop::Refused(why)) => return Err(why.into()),
        Err(Stop::Limit(why)) => return Err(why.into()),
        Err(Stop::Broken(why)) => return Err(Failure::Internal(why.to_string())),
    };
    let Explained { text: explained, mut files } =
        Explained::of(request, &split.network, &split.origin, &smaller.replaced, &Query::DeadlockFree)?;
    let mut written = smaller.network.clone();
    let mut asked = Vec::new();
    if let Some(path) = &request.output {
        let stated = Unwritten::of(&split, true);
        if convert::written_as(path)? == OutputFormat::Aut {
            written = convert::product(written, run, observer)?;
        }
        let problem = Problem { network: written.clone(), query: Query::DeadlockFree };
        let label = request.models.reading.marking();
        files.extend(convert::files(&problem, &Origin::default(), path, label, promela::write_stuck)?);
        asked = stated.checks(path);
    }
    let (before, after) = (&split.network, &smaller.network);
    Ok(SmallerFiles {
        query: BOTH.into(),
        method: request.reduction.of_networks(),
        beside: TextChange::default(),
        changes: ProcessChange::all(before, after, &smaller.replaced),
        states: [before, after].map(|network| total(network, Lts::num_states)),
        transitions: [before, after].map(|network| total(network, Lts::num_transitions)),
        asked,
        size: size(&written),
        files,
        folders: request.folders(),
        explained,
        notes: ended(&options, run).into_iter().chain(not_kept(promela)).collect(),
        seconds: run.elapsed().as_secs_f64(),
    })
}

/// Says what the model states that no smaller process keeps.
fn not_kept(promela: &ProgramFile) -> Option<String> {
    let words: Vec<String> = SmallerModel::left_out(promela).iter().map(Stated::words).collect();
    (!words.is_empty()).then(|| format!("not kept by smaller processes: {}", words.join(", ")))
}

/// Whether a file stands where the model does, so that what the text includes is found from there.
fn is_beside(path: &Path, promela: &ProgramFile) -> bool {
    let folder = |path: &Path| match path.as_os_str().is_empty() {
        true => std::fs::canonicalize("."),
        false => std::fs::canonicalize(path),
    };
    let own = promela.source().map(|source| folder(&source.text.folder));
    let there = folder(path.parent().unwrap_or(Path::new("")));
    matches!((own, there), (Some(Ok(own)), Ok(there)) if own == there)
}
