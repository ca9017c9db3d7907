//! An answer, and all that can be said about it: who gave it, with how much work, how much of the model it is about.

use super::portfolio::Attempt;
use super::program::Reached;
use super::scope::Scope;
use super::words::counted;
use prequel_engine::transform::Replaced;
use prequel_evidence::Verdict;
use prequel_model::run::{Effort, Run};
use prequel_model::{Network, Why};
use prequel_program::Stated;
use prequel_spin::residual::Change;
pub use prequel_spin::residual::{Exclusive, Narrowed};
use std::time::Duration;

/// An answer and what it took.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Who answered.
    pub engine: String,
    /// What.
    pub verdict: Verdict,
    /// With how much work.
    pub effort: Effort,
    /// The question, as the user put it.
    pub query: String,
    /// How many components or processes the model has.
    pub components: usize,
    /// How many of them the answer needs.
    pub components_used: usize,
    /// Which ones, where those are not all.
    pub scope: Option<Scope>,
    /// Whether an on-the-fly search would look at stubborn sets only: networks have them.
    pub stubborn: bool,
    /// What was done to the model before SPIN was asked.
    pub reduction: Option<Reduction>,
    /// Who answered instead of SPIN as it is, and why.
    pub doubt: Option<SpinDoubt>,
    /// What can still happen after a blocking state.
    pub trap: Option<Trap>,
    /// How much of what a program states was asked.
    pub coverage: Option<Coverage>,
    /// Who was asked, where that was left open, and what became of each.
    pub portfolio: Vec<Attempt>,
    /// What the program comes to, where that was asked too.
    pub reached: Option<Reached>,
}

impl Finding {
    /// An answer that needs all components, with nothing more said about it.
    pub fn new(engine: impl Into<String>, verdict: Verdict, query: String, effort: Effort, components: usize) -> Self {
        let (engine, components_used) = (engine.into(), components);
        Self {
            engine,
            verdict,
            effort,
            query,
            components,
            components_used,
            scope: None,
            stubborn: false,
            reduction: None,
            doubt: None,
            trap: None,
            coverage: None,
            portfolio: Vec::new(),
            reached: None,
        }
    }

    /// The same, but who could not do something after a limit was reached could not because of it.
    pub fn unless_stopped(mut self, run: &Run) -> Self {
        if let (Verdict::Unknown(Why::Refused(_)), Err(why)) = (&self.verdict, run.allowed()) {
            self.verdict = Verdict::Unknown(why);
        }
        self
    }

    /// One sentence for people, and what it took.
    pub fn summary(&self) -> String {
        let Effort { seconds, states_total, transitions, .. } = self.effort;
        let verdict = match self.verdict.reason() {
            Some(why) => format!("undecided: {why}"),
            None => format!("{} is {}", self.query, self.verdict.word()),
        };
        let (states, transitions) = (counted(states_total, "state"), counted(transitions, "transition"));
        let doubt = self.doubt.as_ref().map_or(String::new(), |doubt| format!("; {}", doubt.why));
        format!("{verdict} ({states}, {transitions}, {seconds:.3} s){doubt}")
    }
}

/// How much of what a program states an answer is about.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// What was asked.
    pub covers: Vec<Stated>,
    /// What the model states beyond that.
    pub beyond: Vec<Stated>,
    /// The verdict on each claim and formula that was asked.
    pub formulas: Vec<(String, Verdict)>,
    /// A part was asked for by name: people need not be told that the rest was not.
    pub by_name: bool,
}

impl Coverage {
    /// Of all that is stated, this is asked.
    pub fn of(stated: &[Stated], asked: impl Fn(&Stated) -> bool) -> Self {
        let (covers, beyond) = stated.iter().cloned().partition(|part| asked(part));
        Self { covers, beyond, ..Self::default() }
    }
}

/// What was done to a model before SPIN was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reduction {
    /// The processes that were tried, or why all stayed as they were.
    pub processes: Result<Vec<ProcessChange>, String>,
    /// How long it took.
    pub time: Duration,
}

/// What changed of a text besides its processes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextChange {
    /// Variables that have a narrower type.
    pub narrowed: Vec<Narrowed>,
    /// Channels that one process alone receives from, or sends to.
    pub exclusive: Vec<Exclusive>,
}

impl TextChange {
    /// In a line each.
    pub fn lines(&self) -> Vec<String> {
        let narrowed = |narrowed: &Narrowed| format!("{} {}", narrowed.title(), narrowed.types.join(" → "));
        let exclusive = |Exclusive { process, word, channel }: &Exclusive| format!("{process} {word} {channel}");
        let narrowed: Vec<String> = self.narrowed.iter().map(narrowed).collect();
        let exclusive: Vec<String> = self.exclusive.iter().map(exclusive).collect();
        let line =
            |(name, parts): (&str, Vec<String>)| (!parts.is_empty()).then(|| format!("{name}: {}", parts.join(", ")));
        [("narrower", narrowed), ("told to SPIN", exclusive)].into_iter().filter_map(line).collect()
    }
}

/// What was done to one process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessChange {
    /// What it is called.
    pub name: String,
    /// States before and after.
    pub states: [usize; 2],
    /// Transitions before and after.
    pub transitions: [usize; 2],
    /// Refinement steps.
    pub steps: u64,
    /// The largest number of labels held at once.
    pub labels: usize,
    /// Why it stayed as it was, where that was not for want of equivalent states.
    pub given_up: Option<String>,
    /// It is a kind of process with a text of its own, not a component.
    pub is_text: bool,
    /// Lines of its text before and after, where that was written anew.
    pub lines: Option<[usize; 2]>,
    /// Variables that became part of its control.
    pub folded: Vec<String>,
}

impl ProcessChange {
    /// What was done to each process that was tried.
    pub fn all(before: &Network, after: &Network, replaced: &[Replaced]) -> Vec<Self> {
        let change = |r: &Replaced| {
            let both = [before, after].map(|network| &network.component(r.component).lts);
            Self {
                name: before.component(r.component).name.to_string(),
                states: both.map(|lts| lts.num_states()),
                transitions: both.map(|lts| lts.num_transitions()),
                steps: r.steps,
                labels: r.labels,
                given_up: r.kept.clone(),
                is_text: false,
                lines: None,
                folded: Vec::new(),
            }
        };
        replaced.iter().map(change).collect()
    }

    /// What became of a kind of process whose text was written anew.
    pub fn folded(change: &Change) -> Self {
        Self {
            name: change.name.clone(),
            states: change.states,
            transitions: change.transitions,
            steps: 0,
            labels: change.labels,
            given_up: change.left.clone(),
            is_text: true,
            lines: change.left.is_none().then_some(change.lines),
            folded: change.folded.clone(),
        }
    }

    /// States, lines and folded variables of each kind of process, as a table.
    fn table_of_texts(changes: &[Self]) -> String {
        let width = changes.iter().map(|change| change.name.len()).max().unwrap_or(0).max("process".len());
        let mut lines = vec![format!("{:<width$}  {:>13}  {:>11}  folded", "process", "states", "lines")];
        for Self { name, states, lines: written, given_up, folded, .. } in changes {
            let arrow = |[from, to]: &[usize; 2]| format!("{from} → {to}");
            let (states, written) = (arrow(states), written.as_ref().map_or_else(|| "-".into(), arrow));
            let more = match given_up {
                Some(why) => format!("stays as it is: {why}"),
                None => folded.join(", "),
            };
            lines.push(format!("{name:<width$}  {states:>13}  {written:>11}  {more}").trim_end().into());
        }
        lines.join("\n")
    }

    /// States and transitions of each process, before and after, as a table.
    pub fn table(changes: &[Self]) -> String {
        let (texts, components): (Vec<Self>, Vec<Self>) = changes.iter().cloned().partition(|change| change.is_text);
        match (texts.is_empty(), components.is_empty()) {
            (false, true) => return Self::table_of_texts(&texts),
            (false, false) => return format!("{}\n{}", Self::table_of_texts(&texts), Self::table(&components)),
            (true, _) => {}
        }
        let width = changes.iter().map(|change| change.name.len()).max().unwrap_or(0).max("process".len());
        let mut lines = vec![format!("{:<width$}  {:>15}  {:>15}  {:>5}", "process", "states", "transitions", "steps")];
        for Self { name, states, transitions, steps, given_up, .. } in changes {
            let arrow = |[from, to]: &[usize; 2]| format!("{from} → {to}");
            let given_up = given_up.as_ref().map(|why| format!("  given up: {why}")).unwrap_or_default();
            let (states, transitions) = (arrow(states), arrow(transitions));
            lines.push(format!("{name:<width$}  {states:>15}  {transitions:>15}  {steps:>5}{given_up}"));
        }
        lines.join("\n")
    }
}

/// What is known against SPIN's word on a model, and what was done about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpinDoubt {
    /// In a sentence.
    pub why: String,
    /// What the errors are called.
    pub names: Vec<&'static str>,
    /// What was done about them, in two words.
    pub done: &'static str,
}

/// What can still happen after a run from whose end no marked state can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trap {
    /// More than was looked at.
    Large,
    /// So much.
    Known {
        /// States, the end of the run among them.
        states: usize,
        /// There are more of them.
        more: bool,
        /// Those of them without a successor.
        dead: usize,
        /// Labels on the way to the cycle, or to a state without successor.
        way: Vec<String>,
        /// Labels that can be repeated for ever; none where every run ends.
        cycle: Vec<String>,
    },
}
