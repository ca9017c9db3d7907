//! What a Promela model states, decided by SPIN on the user's own text.

use super::{Asked, OWN, Reduced, Told, Wanted, violated};
use crate::cli::exit::Failure;
use crate::cli::output::Output;
use crate::cli::progress;
use crate::cli::reduce::table;
use crate::cli::report::{Answered, Verdict};
use crate::diag::Diagnostic;
use crate::engine::run::Run;
use crate::external::file::{File, Found, Trouble, Verified};
use crate::external::report::{Fault, Report};
use crate::external::spin::{Options, Tools};
use crate::model::Why;
use crate::program::Program;
use crate::read::promela::Text;

/// How processes are replaced before SPIN is asked.
pub struct Before<'a> {
    /// Which, and how far that goes.
    pub wanted: Wanted<'a>,
    /// Whether SPIN is asked about the model as it is, too.
    pub compare: bool,
}

/// SPIN's answer on the model with smaller processes; a violation is lifted and replayed on the model itself. None where
/// nothing became smaller, and the reason was said.
pub fn answer_reduced(
    asked: &Asked<'_>,
    before: &Before<'_>,
    run: &Run,
    output: &Output,
) -> Result<Option<Told>, Failure> {
    // What is looked at on the way to smaller processes is no state of the model: it is counted apart.
    let reducing = Run::new(run.limits.clone(), run.seed);
    let reduced = match Reduced::new(asked.promela, &before.wanted, &reducing, output) {
        Ok(reduced) => reduced,
        Err(failure @ (Failure::Refused(_) | Failure::Unsuitable(_))) => {
            let why = match &failure {
                Failure::Unsuitable(found) => found.first().map_or_else(String::new, Diagnostic::headline),
                other => other.to_string(),
            };
            output.note(format!("not reduced: {}", why.trim_end()));
            return Ok(None);
        }
        Err(failure) => return Err(failure),
    };
    let (network, together) = reduced.replaced();
    if !together.replaced.iter().any(|replaced| together.changed(replaced.component)) {
        output.note("not reduced: no process has states that may be merged");
        return Ok(None);
    }
    output.say(table(network, &together.network, &together.replaced));
    run.phase("reduce", reducing.elapsed());
    let reduce = asked.engine.otf().reduce;
    let components = asked.promela.program.active.len();
    let told = |verdict, shown| Ok(Some((asked.answered("spin", verdict, run, components), shown)));
    let (mut file, verified) = match search(&reduced.model(), reduce, run, output) {
        Ok(searched) => searched,
        Err(trouble) => return told(undecided(trouble)?, None),
    };
    if before.compare {
        compare(asked, &verified, reduce, run, output);
    }
    let Some(found) = &verified.found else { return told(Verdict::True, None) };
    let emitted = reduced.emitted()?;
    match file.witness(&emitted, found) {
        Ok(witness) => told(Verdict::False, Some(reduced.lift(&emitted, &witness)?)),
        Err(trouble) => told(undecided(trouble)?, None),
    }
}

/// SPIN on the model as it is, beside what it says of the smaller one.
fn compare(asked: &Asked<'_>, smaller: &Verified, reduce: bool, run: &Run, output: &Output) {
    let line = |what: &str, verified: &Verified| {
        let Report { stored, transitions, .. } = verified.report;
        let search = verified.phases.search.as_secs_f64();
        format!("SPIN on the {what} model: {stored} states, {transitions} transitions, {search:.3} s of search")
    };
    let beside = Run::new(run.limits.clone(), run.seed);
    match search(&asked.promela.source(), reduce, &beside, output) {
        Ok((_, own)) => output.say(line("original", &own)),
        Err(trouble) => output.say(format!("SPIN on the original model: {trouble}")),
    }
    output.say(line("smaller", smaller));
}

/// Answers with SPIN; a violation is one once SPIN's trail was replayed on our program.
pub fn answer(asked: &Asked<'_>, run: &Run, output: &Output) -> Result<Told, Failure> {
    if let Some(before) = &asked.before
        && let Some(told) = answer_reduced(asked, before, run, output)?
    {
        return Ok(told);
    }
    let program = &asked.promela.program;
    let told = |verdict, shown| Ok((asked.answered("spin", verdict, run, program.active.len()), shown));
    let (mut file, verified) = match search(&asked.promela.source(), asked.engine.otf().reduce, run, output) {
        Ok(searched) => searched,
        Err(trouble) => return told(undecided(trouble)?, None),
    };
    let Some(found) = &verified.found else { return told(Verdict::True, None) };
    if let Some(why) = out_of_reach(program, &verified, found) {
        return told(Verdict::Unknown(Why::External(why)), None);
    }
    match file.witness(program, found) {
        Ok(witness) => told(Verdict::False, Some(violated(program.clone(), witness)?)),
        Err(trouble) => told(undecided(trouble)?, None),
    }
}

/// A limit, or a text that SPIN does not take; a trail that is no run of the program is neither.
fn undecided(trouble: Trouble) -> Result<Verdict, Failure> {
    match trouble {
        Trouble::Lost(why) => Err(lost(&why)),
        Trouble::Undecided(why) => Ok(Verdict::Unknown(why)),
        Trouble::Rejected(_) => Ok(Verdict::Unknown(Why::External(trouble.to_string()))),
    }
}

/// Answers for a model that we cannot read, because of these errors, and SPIN perhaps can.
pub fn unread(
    text: &Text,
    errors: Vec<Diagnostic>,
    reduce: bool,
    run: &Run,
    output: &Output,
) -> Result<Answered, Failure> {
    let verdict = match search(text, reduce, run, output) {
        Ok((_, Verified { found: None, .. })) => Verdict::True,
        Ok((_, Verified { found: Some(found), .. })) => Verdict::Unknown(Why::External(format!(
            "SPIN finds {}, but the run cannot be replayed on a model that only SPIN reads: {}",
            found.fault.words(),
            errors[0].headline()
        ))),
        Err(Trouble::Lost(why)) => return Err(lost(&why)),
        Err(Trouble::Undecided(why)) if !matches!(why, Why::Refused(_)) => Verdict::Unknown(why),
        // Nobody reads it.
        Err(_) => return Err(Failure::Input(errors)),
    };
    Ok(Answered { engine: "spin".into(), verdict, effort: run.effort(), query: OWN.into(), components: 0 })
}

fn search<'a>(text: &Text, reduce: bool, run: &'a Run, output: &Output) -> Result<(File<'a>, Verified), Trouble> {
    let tools = Tools::find().map_err(|why| Why::Refused(why.into()))?;
    progress::watch(run, "spin", output, || {
        let mut file = File::open(text, tools, run)?;
        let verified = file.verify(Options { reduce, optimise: true })?;
        verified.phases.note(run);
        let counted = run.check().explored(verified.report.stored, verified.report.transitions);
        // A violation is one, whatever it took.
        if verified.found.is_none() {
            counted?;
        }
        Ok((file, verified))
    })
}

/// Why our program cannot show what SPIN found.
fn out_of_reach(program: &Program, verified: &Verified, found: &Found) -> Option<String> {
    let (what, claim) = (found.fault.words(), verified.claim.as_ref()?);
    let name = &claim.name;
    if program.claim.is_none() {
        return Some(format!("SPIN finds {what} for `{name}`, but formulas are not run here, so it is not replayed"));
    }
    let cycle = found.fault == Fault::AcceptanceCycle;
    cycle.then(|| format!("SPIN finds {what} for `{name}`, but cycles are not replayed here"))
}

fn lost(why: &str) -> Failure {
    Failure::Internal(format!("SPIN's trail is no run of the program: {why}"))
}
