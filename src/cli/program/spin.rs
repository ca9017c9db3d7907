//! What a Promela model states, decided by SPIN on the user's own text.

use super::{Asked, OWN, Told, violated};
use crate::cli::exit::Failure;
use crate::cli::output::Output;
use crate::cli::progress;
use crate::cli::report::{Answered, Verdict};
use crate::diag::Diagnostic;
use crate::engine::run::Run;
use crate::external::file::{File, Found, Trouble, Verified};
use crate::external::report::Fault;
use crate::external::spin::{Options, Tools};
use crate::model::Why;
use crate::program::Program;
use crate::read::promela::Text;

/// Answers with SPIN; a violation is one once SPIN's trail was replayed on our program.
pub fn answer(asked: &Asked<'_>, run: &Run, output: &Output) -> Result<Told, Failure> {
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
