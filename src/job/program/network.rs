//! Queries on a program through the network of its components: engines for networks answer, the witness is lifted back.

use super::witness::ProgramWitness;
use super::{ProgramQuestion, reached, rejected, violated};
use crate::job::decision::Decision;
use crate::job::failure::Failure;
use crate::job::network::check_evidence;
use crate::job::observer::Observer;
use crate::job::question::Question;
use crate::open::ProgramFile;
use prequel_evidence::Verdict;
use prequel_formats::diag::Diagnostic;
use prequel_model::run::Run;
use prequel_model::{Problem, Query, Trace, Why};
use prequel_program::components;
use prequel_program::components::{Components, Limits};
use prequel_program::{Expression, Program, Shown, Witness};

/// The components of a program within the limits of a run, or what stands in the way.
pub fn components(program: &Program, run: &Run) -> Result<Components, Vec<Diagnostic>> {
    components_within(program, Limits::default(), run)
}

/// The same within limits of size, too.
pub fn components_within(program: &Program, limits: Limits<'_>, run: &Run) -> Result<Components, Vec<Diagnostic>> {
    components::components(program, Limits { watch: Some(&run.watch()), ..limits })
}

/// A Promela model for commands that need a network: its components, without the claim.
pub fn as_network(promela: &ProgramFile, run: &Run, observer: &dyn Observer) -> Result<Components, Failure> {
    let program = promela.without_claim()?;
    let split = components(&program, run).map_err(Failure::Unsuitable)?;
    let claims = promela.stated.iter().any(|part| part.claim().is_some()) && promela.source().is_none();
    let assertions = promela.states_assertions_apart().then_some("the assertions are no part of the network");
    let watched = if claims {
        Some("the property process and formulas are no part of the network")
    } else if promela.program.claim.is_some() {
        Some("the never claim and ltl formulas are no part of the network")
    } else {
        None
    };
    for message in assertions.into_iter().chain(watched) {
        let found = Diagnostic::warning(promela.name.clone(), message);
        observer.warn(&[found.help("check those on the model itself")]);
    }
    Ok(split)
}

/// Answers a query through the network.
pub fn answer(asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
    let refused = |Unsplit { why, components }| {
        let verdict = Verdict::Unknown(Why::Refused(why));
        Ok(Decision::bare(asked.finding(&asked.engine.name, verdict, run, components)))
    };
    let split = match SplitProgram::new(asked, run, observer)? {
        Ok(split) => split,
        Err(unsplit) => return refused(unsplit),
    };
    for problem in &split.problems {
        match asked.engine.choose(problem) {
            Ok(_) => {}
            Err(Failure::Refused(why)) => return refused(Unsplit { why: why.to_string(), components: split.count() }),
            Err(failure) => return Err(failure),
        }
    }
    split.answer(asked, run, observer)
}

/// A program as a network, and the questions about it that decide the one about the program.
pub struct SplitProgram {
    program: Program,
    goal: Option<Expression>,
    split: Components,
    /// What is asked of the network: all of it has to hold.
    pub problems: Vec<Problem>,
}

/// Why there is no network that can be asked.
pub struct Unsplit {
    /// In a sentence.
    pub why: String,
    /// How many components or processes there are.
    pub components: usize,
}

impl SplitProgram {
    /// Splits the program of a question, and puts the question to the network.
    pub fn new(
        asked: &ProgramQuestion<'_>,
        run: &Run,
        observer: &dyn Observer,
    ) -> Result<Result<Self, Unsplit>, Failure> {
        let (program, goal) = match asked.question.reach() {
            Some(reach) => {
                asked.promela.with_goal(&reach.place, &reach.text).map(|(program, goal)| (program, Some(goal)))?
            }
            None if *asked.question == Question::Assertions => (asked.promela.with_assertions()?, None),
            None if !asked.question.is_stated() => (asked.promela.without_claim()?, None),
            None => (asked.promela.program.clone(), None),
        };
        let split = match components(&program, run) {
            Ok(split) => split,
            Err(diagnostics) => {
                observer.warn(&diagnostics);
                let first = diagnostics.first().map_or_else(String::new, Diagnostic::headline);
                let who = asked.promela.taken_by();
                let why = format!("the program cannot be split into components ({first}); {who} it as it is");
                return Ok(Err(Unsplit { why, components: program.active.len() }));
            }
        };
        let components = split.network.components().len();
        let problems = match &goal {
            Some(goal) => match split.goal(&program, goal) {
                Ok(goal) => vec![Problem { network: split.network.clone(), query: Query::Reach(goal) }],
                Err(why) => {
                    let why = format!("{why}; the engine otf takes this goal on the program itself");
                    return Ok(Err(Unsplit { why, components }));
                }
            },
            None if *asked.question == Question::DeadlockFree => vec![split.end_states()],
            None if *asked.question == Question::Assertions => vec![split.assertions()],
            None if asked.question.is_stated() && !asked.promela.has_end_states() => vec![split.assertions()],
            None if asked.question.is_stated() => vec![split.assertions(), split.end_states()],
            None => {
                let read = (split.network.clone(), split.origin.clone());
                vec![asked.question.ask(read, asked.reading, observer)?.0]
            }
        };
        Ok(Ok(Self { program, goal, split, problems }))
    }

    fn count(&self) -> usize {
        self.split.network.components().len()
    }

    /// What the engine that is asked, which takes all problems, finds.
    pub fn answer(&self, asked: &ProgramQuestion<'_>, run: &Run, observer: &dyn Observer) -> Result<Decision, Failure> {
        let (mut engine_name, count) = (asked.engine.name.clone(), self.count());
        let mut verdict = Verdict::absent(asked);
        for problem in &self.problems {
            let engine = asked.engine.choose(problem)?;
            engine_name = engine.name().into();
            let answer = observer.during(run, engine.name(), || engine.solve(problem, run));
            match check_evidence(problem, &answer)? {
                (of_labels, Some(trace)) => {
                    let shown = self.lifted(asked, &trace.run().trace)?;
                    let verdict = if asked.question.about_labels() { of_labels } else { shown.verdict() };
                    return Ok(Decision::new(asked.finding(&engine_name, verdict, run, count), Some(shown)));
                }
                (open @ Verdict::Unknown(_), None) => verdict = open,
                (_, None) => {}
            }
        }
        Ok(Decision::bare(asked.finding(&engine_name, verdict, run, count)))
    }

    /// Lifts a trace of the network, which was replayed there, and replays it on the program.
    fn lifted(&self, asked: &ProgramQuestion<'_>, trace: &Trace) -> Result<ProgramWitness, Failure> {
        let (program, goal) = (self.program.clone(), self.goal.clone());
        let lifted = self.split.lift(&program, trace);
        let (steps, shown) = lifted.ok_or_else(|| rejected("it cannot be lifted to the program"))?;
        if goal.is_some() {
            let given = asked.question.reach().map(|reach| reach.given.clone());
            return reached(program, steps, goal, given);
        }
        let violation = match shown {
            Some(Shown::Violation(violation)) => Some(violation),
            Some(Shown::Goal) | None => None,
        };
        if asked.question.about_labels() {
            let query = asked.question.text().unwrap_or_default();
            return ProgramWitness::of_labels(program, steps, violation, query).map_err(rejected);
        }
        match violation {
            Some(violation) => violated(program, Witness { steps, violation }),
            None => Err(rejected("the program does nothing wrong at its end")),
        }
    }
}
