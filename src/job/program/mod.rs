//! Queries on a program: answered by running it, or through the network of its components.

mod contest;
mod folded;
mod network;
mod replay;
mod smaller;
mod smaller_text;
mod spin;
mod witness;

pub use folded::FoldedModel;
pub use network::{as_network, components};
pub use prequel_program::Step;
pub use prequel_program::saved_run::KIND as SAVED_RUN;
pub use replay::replayed;
pub use smaller::{ReplacePlan, SmallerModel};
pub use smaller_text::SmallerText;
pub use spin::unread;
pub use witness::{ProgramWitness, Shows};

use super::decision::Decision;
use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::finding::{Coverage, Finding};
use super::models::Reading;
use super::observer::Observer;
use super::question::Question;
use super::spin::BeforeSpin;
use crate::open::{ProgramFile, Unstated};
use prequel_engine::otf::program::{Outcome, verify};
use prequel_evidence::{Asked, Verdict};
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{Expression, Program, Sought, Stated};

/// What a program states by itself, in words. With a claim, end states are not looked at, as in SPIN.
fn own(coverage: &Coverage) -> String {
    let parts: Vec<String> = coverage.covers.iter().map(Stated::words).collect();
    format!("{OWN} ({})", parts.join(", "))
}

/// How much of what a program states is asked, where it is asked for itself or for a part of that.
fn coverage(promela: &ProgramFile, question: &Question) -> Option<Coverage> {
    let claims = promela.asked_claims();
    let whole = question.is_stated();
    if !(whole || question.is_of_programs()) {
        return None;
    }
    let coverage = Coverage::of(&promela.stated, |part| match part {
        Stated::Assertions | Stated::Trace => whole || *question == Question::Assertions,
        Stated::EndStates => *question == Question::DeadlockFree || (whole && claims.is_empty()),
        Stated::Never(name) | Stated::Formula(name) => whole && claims.contains(&&**name),
        Stated::AcceptLabels | Stated::ProgressLabels => false,
    });
    Some(Coverage { by_name: !whole, ..coverage })
}

/// How the words start that say what a program states.
const OWN: &str = "what the model states";

/// A question about a program.
#[derive(Clone)]
pub struct ProgramQuestion<'a> {
    /// The program.
    pub promela: &'a ProgramFile,
    /// What is asked; what the model states, if nothing.
    pub question: &'a Question,
    /// How to read what the question names.
    pub reading: &'a Reading,
    /// Who is asked.
    pub engine: &'a EngineChoice,
    /// Whether the network is wanted where the program itself would do.
    pub as_network: bool,
    /// What is done before SPIN is asked.
    pub before: Option<&'a BeforeSpin>,
}

/// Answers a question about a program; a witness is replayed on the program before it is given out. Of several claims each is asked
/// by itself: all of it is false if one of them is, and shown by the first that is.
pub fn answer(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    let mut decision = answer_claims(asked, run, observer)?;
    decision.text = asked.promela.source().map(|source| source.text.clone());
    Ok(decision)
}

fn answer_claims(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    let claims = asked.promela.asked_claims();
    if !asked.question.is_stated() {
        return answer_one(asked, run, observer);
    }
    let (mut formulas, mut whole) = (Vec::new(), None::<Decision>);
    for name in claims {
        let promela = &asked.promela.with_claim(name)?;
        let own = run.again();
        let decision = answer_one(&ProgramQuestion { promela, ..asked.clone() }, &own, observer)?;
        run.add(&decision.finding.effort);
        let verdict = &decision.finding.verdict;
        formulas.push((name.to_owned(), verdict.clone()));
        if whole.as_ref().is_none_or(|before| verdict.weighs_more_than(&before.finding.verdict)) {
            whole = Some(decision);
        }
    }
    let Some(mut decision) = whole else { return answer_one(asked, run, observer) };
    let finding = &mut decision.finding;
    finding.coverage = coverage(asked.promela, asked.question).map(|coverage| Coverage { formulas, ..coverage });
    if let Some(coverage) = &finding.coverage {
        finding.query = own(coverage);
    }
    finding.effort = run.effort();
    Ok(decision)
}

/// The same with one claim at most.
fn answer_one(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    // SPIN decides what a model states on the model itself.
    if let Some(source) = asked.promela.source()
        && asked.engine.name == "spin"
        && asked.question.is_stated()
        && !asked.as_network
    {
        return spin::answer(asked, source, run, observer);
    }
    if asked.before.is_some() {
        observer.note(
            "not reduced: processes become smaller for what the model states; this is asked of its network as it is",
        );
    }
    // Engines other than these take networks.
    let direct = matches!(asked.engine.name.as_str(), "auto" | "otf") && !asked.as_network;
    let by_label = asked.question.about_labels();
    if !direct || by_label || *asked.question == Question::Nonblocking {
        return network::answer(asked, run, observer);
    }
    if asked.engine.is_auto() && run.limits.states.is_none() {
        return contest::answer(asked, run, observer);
    }
    search(asked, run, observer)
}

/// The search of the program as it is.
fn search(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    let searched = |program: &Program, sought: Sought<'_>| {
        observer.during(run, "otf", || verify(program, sought, asked.engine.otf(), run))
    };
    let (program, outcome, goal) = match asked.question {
        Question::Reach(reach) => {
            let (program, goal) = asked.promela.with_goal(&reach.place, &reach.text)?;
            let outcome = searched(&program, Sought::Goal(&goal));
            (program, outcome, Some(goal))
        }
        Question::Assertions => {
            let program = asked.promela.with_assertions()?;
            let outcome = searched(&program, Sought::Fault);
            (program, outcome, None)
        }
        Question::DeadlockFree => {
            let program = asked.promela.without_claim()?;
            let outcome = searched(&program, Sought::EndState);
            (program, outcome, None)
        }
        _ => {
            let program = asked.promela.program.clone();
            let outcome = searched(&program, Sought::Violation);
            (program, outcome, None)
        }
    };
    let components = program.active.len();
    let (verdict, shown) = match outcome {
        Outcome::Holds | Outcome::Explored(_) => (asked.without_witness(), None),
        Outcome::Reached(steps) => {
            let given = asked.question.reach().map(|reach| reach.given.clone());
            let shown = reached(program, steps, goal, given)?;
            (shown.verdict(), Some(shown))
        }
        Outcome::Violated(witness) => {
            let shown = violated(program, witness)?;
            (shown.verdict(), Some(shown))
        }
        Outcome::Unknown(why) => (Verdict::Unknown(why), None),
    };
    Ok(Decision::new(asked.finding("otf", verdict, run, components), shown))
}

impl Asked for ProgramQuestion<'_> {
    fn witness_shows(&self) -> bool {
        self.question.reach().is_some()
    }
}

impl ProgramQuestion<'_> {
    /// The verdict where nothing was found. A claim that was looked at in part leaves open what the model states.
    fn without_witness(&self) -> Verdict {
        match self.promela.formulas.as_slice() {
            [Unstated { name, file, line }, ..] if self.question.is_stated() => {
                Verdict::Unknown(Why::Incomplete(format!(
                    "no run with an end violates it, but {name} at {file}:{line} speaks of runs without an end too: \
                 --engine spin decides it"
                )))
            }
            _ => Verdict::absent(self),
        }
    }

    /// The claim that is looked at.
    fn claim(&self) -> Option<&str> {
        self.promela.program.property.as_ref().map(|property| &*property.name)
    }

    fn finding(&self, engine: &str, verdict: Verdict, run: &Run, components: usize) -> Finding {
        let coverage = coverage(self.promela, self.question);
        let query = self.question.text().or(coverage.as_ref().map(own)).unwrap_or_default();
        Finding { coverage, ..Finding::new(engine, verdict, query, run.effort(), components) }
    }
}

/// A run to a violation, once it was replayed.
fn violated(program: Program, witness: prequel_program::Witness) -> Result<ProgramWitness, Failure> {
    ProgramWitness::violating(program, witness).map_err(rejected)
}

/// A run to a goal, once it was replayed.
fn reached(
    program: Program,
    steps: Vec<Step>,
    goal: Option<Expression>,
    text: Option<String>,
) -> Result<ProgramWitness, Failure> {
    let goal = goal.ok_or_else(|| rejected("no goal was asked for"))?;
    ProgramWitness::reaching(program, steps, goal, text.unwrap_or_default()).map_err(rejected)
}

fn rejected(why: impl std::fmt::Display) -> Failure {
    Failure::Internal(format!("the witness does not show the verdict: {why}"))
}
