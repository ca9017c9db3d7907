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
use crate::job::spin::{BeforeSpin, Others};
use crate::open::PromelaSource;
use alone::as_it_is;
use contest::{Log, in_turn, race};
use prequel_evidence::Verdict;
use prequel_formats::promela::Text;
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{Claim, Program, Sought, compile};
use prequel_spin::file::{File, Trouble, Verified};
use prequel_spin::spin_errors::{Doubts, PAGE, VERSION};
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
    /// What is run: with the claim that is asked about, if one is.
    program: Program,
    /// What is looked for in it.
    sought: Sought<'static>,
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
    let question = &SpinQuestion::new(asked, source)?;
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
    fn new(asked: &'a ProgramQuestion<'a>, source: &'a PromelaSource) -> Result<Self, Failure> {
        let sought = asked.sought();
        let program = match sought {
            // Labels of processes are asked about without claims.
            Sought::Endless(_) => asked.promela.without_claim()?,
            _ => asked.promela.program.clone(),
        };
        let compiled = match sought {
            Sought::Endless(_) => compile(&source.model, Claim::None),
            _ => compile(&source.model, asked.claim().map_or(Claim::Never, Claim::Named)),
        };
        let doubts = compiled.map(|(program, _)| Doubts::of(&source.model, &program)).unwrap_or_default();
        Ok(Self { asked, source, program, sought, doubts })
    }

    /// The claim that SPIN looks at.
    fn claim(&self) -> Option<&str> {
        self.program.property.as_ref().map(|property| &*property.name)
    }

    /// How SPIN searches.
    fn options(&self, c: C) -> Options {
        let endless = self.sought.endless(&self.program);
        let without_claims = self.program.claim.is_none();
        Options { reduce: self.asked.engine.otf().reduce, c, without_claims, endless }
    }

    /// Whether a claim or runs without an end are asked about, and not only states and steps.
    fn is_about_runs(&self) -> bool {
        self.program.claim.is_some() || self.sought.endless(&self.program).is_some()
    }

    /// Whether folded processes may become quotients, which keep assertions and end states alone.
    fn may_assume(&self, before: &BeforeSpin) -> bool {
        before.reduction.method.is_none() && !self.is_about_runs()
    }

    /// Whether fair runs are asked about.
    fn is_fair(&self) -> bool {
        self.sought.endless(&self.program).is_some_and(|endless| endless.fair)
    }

    /// Why it means nothing that SPIN finds nothing, if it does, where this is known against it.
    fn unbelieved(&self, doubts: &Doubts) -> Option<String> {
        let fair = || self.is_fair().then(|| format!("SPIN {VERSION} misses fair runs without an end ({PAGE})"));
        doubts.reason().filter(|_| !doubts.allow_spin()).or_else(fair)
    }
}

/// A limit, a text that SPIN does not take, or a trail that is no run of the program: then SPIN is wrong, or is not SPIN.
fn undecided(trouble: Trouble) -> Result<Verdict, Failure> {
    Ok(Verdict::Unknown(match trouble {
        Trouble::Lost(why) => {
            Why::External(format!("SPIN's trail is no run of the program, so it is not believed: {why}"))
        }
        Trouble::Undecided(why) => why,
        Trouble::Rejected(_) | Trouble::Next(_) => Why::External(trouble.to_string()),
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
