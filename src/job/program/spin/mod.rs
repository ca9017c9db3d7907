//! What a Promela model states, decided by SPIN on the user's own text, by SPIN on smaller processes, or by our own search before
//! SPIN has begun.

mod alone;
mod compare;
mod contest;
mod own;
mod smaller;
mod unread;

pub use unread::unread;

use super::ProgramQuestion;
use crate::job::decision::Decision;
use crate::job::failure::Failure;
use crate::job::finding::Reduction;
use crate::job::observer::Observer;
use crate::job::spin::Others;
use crate::open::PromelaSource;
use alone::as_it_is;
use contest::{Log, in_turn, race};
use prequel_evidence::Verdict;
use prequel_formats::promela::Text;
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{Claim, compile};
use prequel_spin::file::{File, Trouble, Verified};
use prequel_spin::spin_errors::Doubts;
use prequel_spin::tools::{C, Options, Tools};
use smaller::{Bounds, OnSmaller, on_smaller};
use std::time::Duration;

/// Why SPIN was not asked about smaller processes.
#[derive(Clone)]
struct NotReduced {
    why: String,
    after: Duration,
    /// Whether processes were looked at: then people are told.
    tried: bool,
}

impl NotReduced {
    /// Nobody came to it.
    fn untried(why: &str) -> Self {
        Self { why: why.into(), after: Duration::ZERO, tried: false }
    }

    /// Says so.
    fn note(self, decision: &mut Decision, observer: &dyn Observer) {
        if self.tried {
            observer.note(&format!("not reduced: {}", self.why));
        }
        decision.finding.reduction = Some(Reduction { processes: Err(self.why), time: self.after });
    }
}

/// A question about a Promela model, and the model as it was read.
struct SpinQuestion<'a> {
    asked: &'a ProgramQuestion<'a>,
    source: &'a PromelaSource,
    /// What is known against SPIN's word on the model, with the claim that SPIN would look at.
    doubts: Doubts,
}

/// Answers; a violation is one once its run was replayed on our program.
pub fn answer(
    asked: &ProgramQuestion<'_>,
    source: &PromelaSource,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Decision, Failure> {
    let question = &SpinQuestion::new(asked, source);
    let Some(before) = asked.before else {
        return as_it_is(question, open(&source.text, run), C::QuickFirst, run, observer);
    };
    match before.others {
        Others::AtOnce => race(question, before, run, observer),
        Others::InTurn => in_turn(question, before, run, observer),
        Others::None => match on_smaller(question, before, Bounds::default(), &Log::default(), run, observer)? {
            Ok(OnSmaller { decision, said }) => {
                observer.say(&said);
                Ok(decision)
            }
            Err(not) => {
                let mut decision = as_it_is(question, open(&source.text, run), C::QuickFirst, run, observer)?;
                not.note(&mut decision, observer);
                Ok(decision)
            }
        },
    }
}

impl<'a> SpinQuestion<'a> {
    fn new(asked: &'a ProgramQuestion<'a>, source: &'a PromelaSource) -> Self {
        let claim = asked.claim().map_or(Claim::Never, Claim::Named);
        let program = compile(&source.model, claim);
        let doubts = program.map(|(program, _)| Doubts::of(&source.model, &program)).unwrap_or_default();
        Self { asked, source, doubts }
    }

    /// How SPIN searches.
    fn options(&self, c: C) -> Options {
        let without_claims = self.asked.promela.program.claim.is_none();
        Options { reduce: self.asked.engine.otf().reduce, c, without_claims }
    }
}

/// A limit, a text that SPIN does not take, or a trail that is no run of the program: then SPIN is wrong, or is not SPIN.
fn undecided(trouble: Trouble) -> Result<Verdict, Failure> {
    Ok(Verdict::Unknown(match trouble {
        Trouble::Lost(why) => {
            Why::External(format!("SPIN's trail is no run of the program, so it is not believed: {why}"))
        }
        Trouble::Undecided(why) => why,
        Trouble::Rejected(_) => Why::External(trouble.to_string()),
        Trouble::Embedded(found) => return Err(Failure::Input(vec![*found])),
    }))
}

/// A text in SPIN's hands.
fn open<'a>(text: &Text, run: &'a Run) -> Result<File<'a>, Trouble> {
    let tools = Tools::find().map_err(|why| Why::Refused(why.into()))?;
    File::open(text, tools, run)
}

/// SPIN on a text; `claim` names one of several claims.
fn search(
    file: &mut File<'_>,
    claim: Option<&str>,
    options: Options,
    run: &Run,
    observer: &dyn Observer,
) -> Result<Verified, Trouble> {
    observer.during(run, "spin", || {
        let verified = file.verify(options, claim)?;
        verified.phases.note(run);
        let counted = run.check().explored(verified.report.stored, verified.report.transitions);
        // A violation is one, whatever it took.
        if verified.found.is_none() {
            counted?;
        }
        Ok(verified)
    })
}
