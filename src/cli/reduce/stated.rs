//! Programs reduced for what they state by themselves.
//!
//! Assertions and end states keep their verdicts, both of them and by whatever method; what cannot be kept is refused by name, and
//! nothing is written then. Claims and formulas are about all runs and are kept by nothing: so one has to say `--ltl none`.

use super::{Args, Done, Explained, Method, WRITING, ended, question, report, size, taken_by_spin};
use crate::cli::convert;
use crate::cli::convert::Unwritten;
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::QueryArgs;
use crate::cli::output::{Output, counted, write_files, write_to_folders};
use crate::cli::program::{Reduced, Wanted, components};
use crate::cli::progress;
use crate::open::ProgramFile;
use prequel_engine::Refusal;
use prequel_engine::transform::Stop;
use prequel_engine::transform::together::{Plan, together};
use prequel_model::run::Run;
use prequel_model::{ComponentId, Origin, Problem, Query};
use prequel_program::Stated;
use prequel_spin::promela;
use std::path::Path;

/// What is kept where a program has no end states.
pub const ASSERTIONS: &str = "the model's assertions";
/// What is kept of a Promela model.
const BOTH: &str = "what the model states (assertions, end states)";

/// Whether the question is what a program states, all of it or a part.
pub fn is_asked(query: &QueryArgs) -> bool {
    query.text().is_none() || query.is_of_programs()
}

/// How a program is made smaller.
enum Way {
    /// The user's text, with smaller processes.
    Text,
    /// A network that keeps all that is stated.
    Network,
    /// A network for one question.
    Question,
}

/// Makes a program smaller, and writes it.
pub fn run(args: &Args, promela: &ProgramFile, run: &Run, output: &Output) -> Result<Exit, Failure> {
    match way(args, promela)? {
        Way::Text => text(args, promela, run, output),
        Way::Network => network(args, promela, run, output),
        Way::Question => {
            let split = components(&promela.with_assertions()?, run).map_err(Failure::Unsuitable)?;
            let problem = if args.query.deadlock_free { split.end_states() } else { split.assertions() };
            question(args, &problem, split.origin, run, output)
        }
    }
}

/// How what is asked can be kept, or what cannot.
fn way(args: &Args, promela: &ProgramFile) -> Result<Way, Failure> {
    let whole = args.query.text().is_none();
    let (both, method) = (promela.has_end_states(), args.reduction.method);
    let refused = |why: String| Err(Refusal::new(why).into());
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
    if whole && both && args.certificate.is_some() {
        return refused(
            "a certificate is about one question, and the model states two: ask --assertions or --deadlock-free".into(),
        );
    }
    let promela_out = args.output.as_ref().is_none_or(|path| convert::extension(path).is_ok_and(|e| e == "pml"));
    Ok(match method == Method::Icc || args.certificate.is_some() {
        true => Way::Question,
        false if promela.source().is_some() && promela_out => Way::Text,
        false if whole && both => Way::Network,
        false => Way::Question,
    })
}

/// Writes a Promela model with smaller processes; the rest of the text stays.
fn text(args: &Args, promela: &ProgramFile, run: &Run, output: &Output) -> Result<Exit, Failure> {
    let options = args.reduction.bounded(&args.limits);
    let quotients = args.reduction.method == Method::Quotient;
    let alone = args.output.as_deref().is_some_and(|path| !is_beside(path, promela));
    let wanted = Wanted { replace: &args.reduction.replace, quotients, options, alone };
    let reducing = run.first_of(WRITING);
    let reduced = Reduced::new(promela, &wanted, &reducing, output)?;
    run.add(&reducing.effort());
    let text = reduced.model().bytes;
    let lines = counted(text.iter().filter(|&&byte| byte == b'\n').count(), "line");
    let (before, together) = reduced.replaced();
    // End states count among what the model states, so changes must keep them too.
    let Explained { text: explained, mut files } =
        Explained::of(args, before, reduced.origin(), &together.replaced, &Query::DeadlockFree)?;
    files.extend(args.output.clone().map(|path| (path, text)));
    taken_by_spin(&files, run, output)?;
    write_files(&files)?;
    ended(&options, run, output);
    if reduced.preprocessed() {
        output.note(
            "a replaced process comes out of a macro or an included file: all of the text is written preprocessed",
        );
    }
    not_kept(promela, output);
    let query = args.query.text().unwrap_or_else(|| BOTH.into());
    let done = Done { before, after: &together.network, replaced: &together.replaced, query, asked: Vec::new() };
    report(args, &done, &lines, run.elapsed().as_secs_f64(), output);
    if args.explain.is_some() {
        output.say(explained);
    }
    Ok(Exit::Ok)
}

/// Writes the network of a program, made smaller such that all that the program states keeps its verdict.
fn network(args: &Args, promela: &ProgramFile, run: &Run, output: &Output) -> Result<Exit, Failure> {
    let split = components(&promela.without_claim()?, run).map_err(Failure::Unsuitable)?;
    let replace = super::named(&split.network, &args.reduction.replace)?;
    let all: Vec<ComponentId> = split.network.ids().collect();
    let quotients = args.reduction.method == Method::Quotient;
    let options = args.reduction.bounded(&args.limits);
    let components = if replace.is_empty() { &all } else { &replace };
    let plan = Plan { components, minimise: true, quotients, options, accept: &|_, _| Ok(()) };
    let queries = [split.end_states().query, split.assertions().query];
    let (reducing, method) = (run.first_of(WRITING), args.reduction.method.name());
    let smaller = progress::watch(&reducing, method, output, || together(&split.network, &queries, &plan, &reducing));
    run.add(&reducing.effort());
    let smaller = match smaller {
        Ok(smaller) => smaller,
        Err(Stop::Refused(why)) => return Err(why.into()),
        Err(Stop::Limit(why)) => return Ok(crate::cli::undecided(output, &why.to_string(), &why)),
        Err(Stop::Broken(why)) => return Err(Failure::Internal(why.to_string())),
    };
    let Explained { text: explained, mut files } =
        Explained::of(args, &split.network, &split.origin, &smaller.replaced, &Query::DeadlockFree)?;
    let mut written = smaller.network.clone();
    let mut asked = Vec::new();
    if let Some(path) = &args.output {
        let stated = Unwritten::of(&split, true);
        if convert::extension(path)? == "aut" {
            written = match convert::product(written, run, output) {
                Ok(network) => network,
                Err(exit) => return Ok(exit),
            };
        }
        let problem = Problem { network: written.clone(), query: Query::DeadlockFree };
        let label = args.model.reading.marking();
        files.extend(convert::files(&problem, &Origin::default(), path, label, promela::write_stuck)?);
        asked = stated.checks(path);
    }
    write_to_folders(&args.output.as_deref().map_or(vec![], convert::folders), &files)?;
    ended(&options, run, output);
    not_kept(promela, output);
    let done = Done {
        before: &split.network,
        after: &smaller.network,
        replaced: &smaller.replaced,
        query: BOTH.into(),
        asked,
    };
    report(args, &done, &size(&written), run.elapsed().as_secs_f64(), output);
    if args.explain.is_some() {
        output.say(explained);
    }
    Ok(Exit::Ok)
}

/// Says what the model states that no smaller process keeps.
fn not_kept(promela: &ProgramFile, output: &Output) {
    let words: Vec<String> = Reduced::left_out(promela).iter().map(Stated::words).collect();
    if !words.is_empty() {
        output.note(format!("not kept by smaller processes: {}", words.join(", ")));
    }
}

/// Whether a file stands where the model does, so that what the text includes is found from there.
fn is_beside(path: &Path, promela: &ProgramFile) -> bool {
    let folder = |path: &Path| match path.as_os_str().is_empty() {
        true => std::fs::canonicalize("."),
        false => std::fs::canonicalize(path),
    };
    let own = promela.source().map(|text| folder(&text.folder));
    let there = folder(path.parent().unwrap_or(Path::new("")));
    matches!((own, there), (Some(Ok(own)), Ok(there)) if own == there)
}
