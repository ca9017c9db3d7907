//! Queries on a program: answered by running it, or through the network of its components.

mod info;
mod network;
mod reduce;
mod replay;
mod spin;
mod witness;

pub use info::info;
pub use network::{as_network, components};
pub use reduce::{Reduced, Wanted};
pub use replay::replayed;
pub use spin::{Before, reduction, unread};

use super::choice::EngineArgs;
use super::exit::Failure;
use super::input::{QueryArgs, ReadingArgs};
use super::output::Output;
use super::progress;
use super::report::{Answered, Coverage, Verdict};
use crate::open::{ProgramFile, Unstated};
use prequel_engine::otf::program::{Outcome, verify};
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::{Expression, Program, Sought, Stated, Witness, replay, replay_steps};
use witness::{ProgramWitness, Shows};

/// What a program states by itself, in words. With a claim, end states are not looked at, as in SPIN.
fn own(coverage: &Coverage) -> String {
    let parts: Vec<String> = coverage.covers.iter().map(Stated::words).collect();
    format!("{OWN} ({})", parts.join(", "))
}

/// How much of what a program states is asked, where it is asked for itself or for a part of that.
fn coverage(promela: &ProgramFile, query: &QueryArgs) -> Option<Coverage> {
    let claims = promela.asked_claims();
    let whole = query.text().is_none();
    if !(whole || query.is_of_programs()) {
        return None;
    }
    let coverage = Coverage::of(&promela.stated, |part| match part {
        Stated::Assertions | Stated::Trace => whole || query.assertions,
        Stated::EndStates => query.deadlock_free || (whole && claims.is_empty()),
        Stated::Never(name) | Stated::Formula(name) => whole && claims.contains(&&**name),
        Stated::AcceptLabels | Stated::ProgressLabels => false,
    });
    Some(Coverage { by_name: !whole, ..coverage })
}

/// How the words start that say what a program states.
const OWN: &str = "what the model states";

/// A question about a program.
#[derive(Clone)]
pub struct Asked<'a> {
    /// The program.
    pub promela: &'a ProgramFile,
    /// What is asked; what the model states, if nothing.
    pub query: &'a QueryArgs,
    /// How to read what the query names.
    pub reading: &'a ReadingArgs,
    /// Who is asked.
    pub engine: &'a EngineArgs,
    /// Whether the network is wanted where the program itself would do.
    pub as_network: bool,
    /// What is done before SPIN is asked.
    pub before: Option<Before<'a>>,
}

/// What a witness of an answer is.
type Told = (Answered, Option<ProgramWitness>);

/// Answers a query on a program; a witness is replayed on the program before it is given out. Of several claims each is asked by
/// itself: all of it is false if one of them is, and shown by the first that is.
pub fn answer(asked: &Asked<'_>, run: &Run, output: &Output) -> Result<Told, Failure> {
    let claims = asked.promela.asked_claims();
    if asked.query.text().is_some() || claims.is_empty() {
        return answer_one(asked, run, output);
    }
    let (mut formulas, mut whole) = (Vec::new(), None::<Told>);
    for name in claims {
        let promela = &asked.promela.with_claim(name)?;
        let own = run.again();
        let told = answer_one(&Asked { promela, ..asked.clone() }, &own, output)?;
        run.add(&told.0.effort);
        formulas.push((name.to_owned(), told.0.verdict.clone()));
        if whole.as_ref().is_none_or(|(before, _)| told.0.verdict.weighs_more_than(&before.verdict)) {
            whole = Some(told);
        }
    }
    let (mut answered, shown) = whole.expect("there is a claim");
    let coverage = coverage(asked.promela, asked.query).map(|coverage| Coverage { formulas, ..coverage });
    answered.query = coverage.as_ref().map_or(answered.query, own);
    answered.effort = run.effort();
    Ok((Answered { coverage, ..answered }, shown))
}

/// The same with one claim at most.
fn answer_one(asked: &Asked<'_>, run: &Run, output: &Output) -> Result<Told, Failure> {
    // SPIN decides what a model states on the model itself.
    let promela = asked.promela.source().is_some();
    if asked.engine.name == "spin" && promela && !asked.as_network && asked.query.text().is_none() {
        return spin::answer(asked, run, output);
    }
    if asked.before.is_some() {
        output.note(
            "not reduced: processes become smaller for what the model states; this is asked of its network as it is",
        );
    }
    // Engines other than these take networks.
    let direct = matches!(asked.engine.name.as_str(), "auto" | "otf") && !asked.as_network;
    let by_label = asked.query.about_labels();
    if !direct || by_label || asked.query.nonblocking {
        return network::answer(asked, run, output);
    }
    let searched = |program: &Program, sought: Sought<'_>| {
        progress::watch(run, "otf", output, || verify(program, sought, asked.engine.otf().search, run))
    };
    let (program, outcome, goal) = if let Some(reach) = &asked.query.reach {
        let (program, goal) = asked.promela.with_goal(&reach.place, &reach.text)?;
        let outcome = searched(&program, Sought::Goal(&goal));
        (program, outcome, Some(goal))
    } else if asked.query.deadlock_free || asked.query.assertions {
        let program =
            if asked.query.assertions { asked.promela.with_assertions() } else { asked.promela.without_claim() }?;
        let outcome = searched(&program, if asked.query.assertions { Sought::Fault } else { Sought::EndState });
        (program, outcome, None)
    } else {
        let program = asked.promela.program.clone();
        let outcome = searched(&program, Sought::Violation);
        (program, outcome, None)
    };
    let components = program.active.len();
    let (verdict, shown) = match outcome {
        Outcome::Holds | Outcome::Explored(_) => (asked.without_witness(), None),
        Outcome::Reached(steps) => {
            let given = asked.query.reach.as_ref().map(|reach| reach.given.clone());
            (Verdict::True, Some(reached(program, steps, goal.as_ref(), given)?))
        }
        Outcome::Violated(witness) => (Verdict::False, Some(violated(program, witness)?)),
        Outcome::Unknown(why) => (Verdict::Unknown(why), None),
    };
    Ok((asked.answered("otf", verdict, run, components), shown))
}

impl Asked<'_> {
    /// The verdict where nothing was found. A claim that was looked at in part leaves open what the model states.
    fn without_witness(&self) -> Verdict {
        if self.query.reach.is_some() {
            return Verdict::False;
        }
        match self.promela.formulas.as_slice() {
            [Unstated { name, file, line }, ..] if self.query.text().is_none() => {
                Verdict::Unknown(Why::Incomplete(format!(
                    "no run with an end violates it, but {name} at {file}:{line} speaks of runs without an end too: \
                 --engine spin decides it"
                )))
            }
            _ => Verdict::True,
        }
    }

    /// The claim that is looked at.
    fn claim(&self) -> Option<&str> {
        self.promela.program.property.as_ref().map(|property| &*property.name)
    }

    fn answered(&self, engine: &str, verdict: Verdict, run: &Run, components: usize) -> Answered {
        let coverage = coverage(self.promela, self.query);
        let query = self.query.text().or(coverage.as_ref().map(own)).unwrap_or_default();
        Answered { coverage, ..Answered::new(engine, verdict, query, run.effort(), components) }
    }
}

/// A run to a violation, once it was replayed.
fn violated(program: Program, witness: Witness) -> Result<ProgramWitness, Failure> {
    replay(&program, &witness).map_err(rejected)?;
    Ok(ProgramWitness { program, steps: witness.steps, shows: Shows::Violation(witness.violation) })
}

/// A run to a goal, once it was replayed.
fn reached(
    program: Program,
    steps: Vec<prequel_program::Step>,
    goal: Option<&Expression>,
    text: Option<String>,
) -> Result<ProgramWitness, Failure> {
    replay_steps(&program, &steps, goal).map_err(rejected)?;
    Ok(ProgramWitness { program, steps, shows: Shows::Goal(text.unwrap_or_default()) })
}

fn rejected(why: impl std::fmt::Display) -> Failure {
    Failure::Internal(format!("the witness does not show the verdict: {why}"))
}
