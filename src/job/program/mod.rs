//! Queries on a program: answered by running it, or through the network of its components.

mod certificate;
mod contest;
mod folded;
mod network;
mod promela_form;
mod reached;
mod replay;
mod shorter;
mod smaller;
mod smaller_text;
mod spin;
mod witness;

pub use certificate::{ProgramAudit, audit, certified};
pub use folded::FoldedModel;
pub use network::{as_network, components};
pub use prequel_program::Step;
pub use prequel_program::saved_run::KIND as SAVED_RUN;
pub use prequel_program::telling::Told;
pub use promela_form::FormOfDve;
pub use reached::{NeverDone, Reached, all_reached};
pub use replay::replayed;
pub use smaller::{ReplacePlan, SmallerModel};
pub use smaller_text::{Patience, SmallerText};
pub use spin::unread;
pub use witness::{ProgramWitness, Shows};

use super::decision::Decision;
use super::engine_choice::EngineChoice;
use super::failure::Failure;
use super::finding::{Coverage, Finding};
use super::models::Reading;
use super::observer::Observer;
use super::question::Question;
use super::spin::{BeforeSpin, Others};
use super::witness::Witness as ShownBy;
use crate::open::ProgramFile;
use prequel_engine::Refusal;
use prequel_engine::otf::program::{Outcome, verify};
use prequel_evidence::{Asked, Verdict};
use prequel_model::run::Run;
use prequel_program::{Endless, Expression, Program, Sought, Stated, restated};

/// What a program states by itself, in words. With a claim, end states are not looked at, as in SPIN.
fn own(coverage: &Coverage, fair: bool) -> String {
    let parts: Vec<String> = coverage.covers.iter().map(Stated::words).collect();
    format!("{OWN} ({}){}", parts.join(", "), if fair { " of fair runs" } else { "" })
}

/// How much of what a program states is asked, where it is asked for itself or for a part of that; `labels` tells whether accept labels
/// are among it.
fn coverage(promela: &ProgramFile, question: &Question, labels: bool) -> Option<Coverage> {
    let claims = promela.asked_claims();
    let whole = question.is_stated();
    if !(whole || question.is_of_programs()) {
        return None;
    }
    let coverage = Coverage::of(&promela.stated, |part| match part {
        Stated::Assertions | Stated::Trace => whole && promela.asks_assertions() || *question == Question::Assertions,
        Stated::EndStates => *question == Question::DeadlockFree || (whole && claims.is_empty()),
        Stated::Never(name) | Stated::Formula(name) => whole && claims.contains(&&**name),
        Stated::AcceptLabels => *question == Question::AcceptLabels || (whole && labels),
        Stated::ProgressLabels => *question == Question::NonProgress,
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
    if asked.is_free_in_its_ways()
        && let Some(ShownBy::Program(long)) = &decision.witness
        && let Some(short) = shorter::shorter(asked.promela, long, run)
    {
        let steps = [long.steps().len(), short.steps().len()];
        observer.note(&format!("the first run that was found has {} steps; this one has {}", steps[0], steps[1]));
        decision.witness = Some(short.into());
    }
    decision.sources = asked.promela.sources();
    decision.text = asked.promela.source().map(|source| source.text.clone());
    Ok(decision)
}

fn answer_claims(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    let (claims, labels) = (asked.promela.asked_claims(), asked.asks_labels());
    if !asked.question.is_stated() || claims.is_empty() && !labels {
        return answer_one(asked, run, observer);
    }
    let (mut formulas, mut whole) = (Vec::new(), None::<Decision>);
    let mut part = |asked: &ProgramQuestion<'_>| {
        let own = run.again();
        let decision = answer_one(asked, &own, observer)?;
        run.add(&decision.finding.effort);
        let verdict = decision.finding.verdict.clone();
        if whole.as_ref().is_none_or(|before| verdict.weighs_more_than(&before.finding.verdict)) {
            whole = Some(decision);
        }
        Ok::<_, Failure>(verdict)
    };
    for name in &claims {
        let promela = &asked.promela.with_claim(name)?;
        formulas.push(((*name).to_owned(), part(&ProgramQuestion { promela, ..asked.clone() })?));
    }
    if claims.is_empty() || asked.promela.asks_assertions_apart() {
        part(asked)?;
    }
    if labels {
        part(&ProgramQuestion { question: &Question::AcceptLabels, ..asked.clone() })?;
    }
    let Some(mut decision) = whole else { unreachable!("something is asked") };
    let finding = &mut decision.finding;
    finding.coverage =
        coverage(asked.promela, asked.question, labels).map(|coverage| Coverage { formulas, ..coverage });
    if let Some(coverage) = &finding.coverage {
        finding.query = asked.own(coverage);
    }
    finding.effort = run.effort();
    Ok(decision)
}

/// The same with one claim at most.
fn answer_one(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    // SPIN decides what a model states on the model itself.
    let spin = asked.engine.name == "spin";
    if let Some(source) = asked.promela.source()
        && spin
        && matches!(asked.question, Question::Stated | Question::AcceptLabels | Question::NonProgress)
        && !asked.as_network
    {
        return spin::answer(asked, source, run, observer);
    }
    if spin
        && !asked.as_network
        && let Some(decision) = promela_form::answer(asked, run, observer)?
    {
        return Ok(decision);
    }
    if asked.is_endless() {
        if spin && asked.before.is_some() {
            observer
                .note("SPIN is not asked: whether a process stays blocked for ever is nothing that its claims can say");
        } else if asked.as_network || !matches!(asked.engine.name.as_str(), "auto" | "otf") {
            let why =
                format!("the engine {} takes no questions about runs without an end; otf does", asked.engine.name);
            return Err(Refusal::new(why).into());
        }
        return search(asked, run, observer);
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
        Question::AcceptLabels | Question::NonProgress | Question::NoStuck => {
            let program = asked.promela.without_claim()?;
            let outcome = searched(&program, asked.sought());
            (program, outcome, None)
        }
        _ => {
            let (program, outcome) = with_claim(&asked.promela.program, |program| searched(program, asked.sought()));
            (program, outcome, None)
        }
    };
    let components = program.active.len();
    let (verdict, shown) = match outcome {
        Outcome::Holds | Outcome::Explored(_) => (Verdict::absent(asked), None),
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
    /// Whether nobody in particular is asked: then any run will do.
    fn is_free_in_its_ways(&self) -> bool {
        self.engine.is_auto() || self.before.is_some_and(|before| before.others != Others::None)
    }

    /// What is looked for where the question is what the model states, or about its labels.
    fn sought(&self) -> Sought<'static> {
        let fair = self.reading.fair;
        match self.question {
            Question::AcceptLabels => Sought::Endless(Endless { fair, ..Endless::ACCEPTING }),
            Question::NonProgress => Sought::Endless(Endless { fair, ..Endless::NON_PROGRESS }),
            Question::NoStuck => Sought::Stuck,
            _ if fair => Sought::FairViolation,
            _ => Sought::Violation,
        }
    }

    /// Whether runs without an end are asked about.
    fn is_endless(&self) -> bool {
        let labels = matches!(self.question, Question::AcceptLabels | Question::NonProgress | Question::NoStuck);
        labels
            || self.question.is_stated() && self.promela.is_watched()
            || self.question.is_stated() && self.sought().endless(self.promela.program.with_smaller_claim()).is_some()
    }

    /// Whether accept labels are part of what is asked: other engines do not look at them.
    fn asks_labels(&self) -> bool {
        let searched = self.before.is_some() || matches!(self.engine.name.as_str(), "auto" | "otf");
        self.promela.asks_labels() && searched && !self.as_network
    }

    /// What a program states by itself, in words.
    fn own(&self, coverage: &Coverage) -> String {
        own(coverage, self.reading.fair)
    }

    /// The claim that is looked at.
    fn claim(&self) -> Option<&str> {
        self.promela.program.property.as_ref().map(|property| &*property.name)
    }

    fn finding(&self, engine: &str, verdict: Verdict, run: &Run, components: usize) -> Finding {
        let coverage = coverage(self.promela, self.question, self.asks_labels());
        let text = self.question.text().map(|text| if self.reading.fair { format!("{text} --fair") } else { text });
        let query = text.or(coverage.as_ref().map(|coverage| self.own(coverage))).unwrap_or_default();
        Finding { coverage, ..Finding::new(engine, verdict, query, run.effort(), components) }
    }
}

/// Searches a program for what its claim excludes, perhaps with a smaller claim. The outcome is one of the program that is given with it:
/// with the claim that SPIN makes of a formula, so that SPIN can follow, unless the time is up before that claim sees the violation.
fn with_claim(program: &Program, search: impl Fn(&Program) -> Outcome) -> (Program, Outcome) {
    let Some(smaller) = program.smaller_claim.as_deref() else { return (program.clone(), search(program)) };
    let witness = match search(smaller) {
        Outcome::Violated(witness) => witness,
        outcome => return (program.clone(), outcome),
    };
    if let Some(witness) = restated(program, &witness) {
        return (program.clone(), Outcome::Violated(witness));
    }
    // SPIN's claim sees it later only.
    match search(program) {
        outcome @ Outcome::Violated(_) => (program.clone(), outcome),
        _ => (smaller.clone(), Outcome::Violated(witness)),
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
