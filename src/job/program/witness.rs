//! A run of a program that shows something.

use crate::job::failure::Failure;
use prequel_engine::Refusal;
use prequel_evidence::{Checked, Verdict};
use prequel_formats::picture::page::Values;
use prequel_formats::promela::Text;
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::drawing::{Drawing, drawing};
use prequel_program::telling::{Told, Waiting, failing, told, waiting};
use prequel_program::values::values;
use prequel_program::{
    Action, Cycle, EndlessKind, Expression, Fault, Program, ProgramRun, ReplayError, RunEnd, Step, Violation, Witness,
    equations, leads_to_end_of_processes,
};
use prequel_spin::file::{File, Trouble};
use prequel_spin::tools::Tools;

/// Steps of a program and what they show.
#[derive(Debug)]
pub struct ProgramWitness {
    run: Box<Checked<ProgramRun>>,
    shows: Shows,
}

/// What a run shows.
#[derive(Debug)]
pub enum Shows {
    /// A violation.
    Violation(Violation),
    /// That a goal holds at its end.
    Goal(String),
    /// That its labels are not allowed by a property.
    Word(String),
}

impl ProgramWitness {
    /// A run to a violation, replayed.
    pub(super) fn violating(program: Program, witness: Witness) -> Result<Self, ReplayError> {
        let shows = Shows::Violation(witness.violation);
        Ok(Self { run: Box::new(Checked::new(ProgramRun::violating(program, witness))?), shows })
    }

    /// A run to a goal, replayed. The text is the user's.
    pub(super) fn reaching(
        program: Program,
        steps: Vec<Step>,
        goal: Expression,
        text: String,
    ) -> Result<Self, ReplayError> {
        let run = Checked::new(ProgramRun { program, steps, end: RunEnd::Goal(goal) })?;
        Ok(Self { run: Box::new(run), shows: Shows::Goal(text) })
    }

    /// A run whose labels are not allowed by a query, as its network has them: here it is replayed as a run of the program.
    pub(super) fn of_labels(
        program: Program,
        steps: Vec<Step>,
        violation: Option<Violation>,
        query: String,
    ) -> Result<Self, ReplayError> {
        let end = violation.map_or(RunEnd::Open, RunEnd::Violation);
        let run = Checked::new(ProgramRun { program, steps, end })?;
        Ok(Self { run: Box::new(run), shows: Shows::Word(query) })
    }

    /// The verdict that the program's own steps show: labels show one on the network only.
    pub fn verdict(&self) -> Verdict {
        self.run.verdict()
    }

    /// Of which program.
    pub fn program(&self) -> &Program {
        &self.run.run().program
    }

    /// In order.
    pub fn steps(&self) -> &[Step] {
        &self.run.run().steps
    }

    /// All of it, to be drawn; where `channels` is set, buffered channels take part.
    pub fn drawing(&self, channels: bool) -> Drawing {
        drawing(self.program(), self.steps(), self.cycle(), channels)
    }

    /// Its steps in words, those that are wanted.
    pub fn told(&self, wanted: impl Fn(usize) -> bool) -> Vec<Option<Told>> {
        told(self.program(), self.steps(), wanted)
    }

    /// What has a value in each of its states.
    pub fn values(&self) -> Values {
        values(self.program(), self.steps())
    }

    /// What the end of it shows.
    pub fn shows(&self) -> &Shows {
        &self.shows
    }

    /// Where the statement of a step stands: file and line.
    pub fn place(&self, step: &Step) -> String {
        self.program().place_of(step.statement)
    }

    /// The statement of a step, as the user wrote it.
    pub fn text(&self, step: &Step) -> &str {
        &self.program().statements[step.statement as usize].text
    }

    /// What has another value after a step, in numbers and as people write it.
    pub fn changes<'a>(&'a self, step: &'a Step) -> impl Iterator<Item = (String, i32, String)> + 'a {
        let program = self.program();
        step.changes.iter().map(|change| (change.name(program), change.value, change.text(program)))
    }

    /// The step that a cycle starts with.
    pub fn cycle(&self) -> Option<usize> {
        if let Shows::Violation(Violation::Cycle(cycle)) = self.shows { Some(cycle.from) } else { None }
    }

    /// Whether it ends where something has no value.
    pub(super) fn is_of_values(&self) -> bool {
        matches!(self.shows, Shows::Violation(Violation::Fault { fault: Fault::Index | Fault::Division, .. }))
    }

    /// What is shown, in one line.
    pub fn conclusion(&self) -> String {
        match &self.shows {
            Shows::Violation(Violation::Fault { fault, process, statement }) => {
                let text = &self.program().statements[*statement as usize].text;
                let (who, place) = (self.name_of(*process), self.program().place_of(*statement));
                let values = failing(self.program(), self.steps(), *fault, *statement);
                let values = if values.is_empty() { String::new() } else { format!(", where {}", equations(&values)) };
                format!("{fault} in {who} at {place}: {text}{values}")
            }
            Shows::Violation(Violation::EndState) => {
                let trace = self.program().trace.is_some() && leads_to_end_of_processes(self.program(), self.steps());
                let open = if trace { "the trace is not completed" } else { "some process is not at an end" };
                format!("invalid end state: nothing can move, and {open}")
            }
            Shows::Violation(Violation::Claim) => {
                match self.program().property.as_ref().and_then(|stated| stated.formula.as_ref().map(|f| (stated, f))) {
                    None => "the never claim is matched to its end".into(),
                    Some((stated, formula)) => {
                        format!("formula {} at {}:{} is violated: {formula}", stated.name, stated.file, stated.line)
                    }
                }
            }
            Shows::Violation(Violation::Cycle(Cycle { from, of })) => {
                let fair = if of.fair { ", which is fair to every process" } else { "" };
                let what = match from + 1..=self.steps().len() {
                    none if none.is_empty() => "here nothing can move, so that this lasts for ever".to_owned(),
                    steps => format!("steps {} to {} can be repeated for ever{fair}", steps.start(), steps.end()),
                };
                let claim = self.program().property.as_ref().filter(|_| self.program().claim.is_some());
                match claim.map(|stated| (stated, &stated.formula)) {
                    None if of.kind == EndlessKind::NonProgress => {
                        format!("{what}, and no process is at a progress label")
                    }
                    None => format!("{what}, with a process at an accept label"),
                    Some((stated, None)) => format!("{what}: the never claim {} accepts this run", stated.name),
                    Some((stated, Some(formula))) => {
                        format!(
                            "{what}: formula {} at {}:{} is violated: {formula}",
                            stated.name, stated.file, stated.line
                        )
                    }
                }
            }
            Shows::Violation(Violation::Stuck(process)) => {
                format!("from here on {} can never move again, whatever the others do", self.name_of(*process))
            }
            Shows::Goal(goal) => format!("here {goal} holds"),
            Shows::Word(query) => format!("this run does not obey {query}"),
        }
    }

    /// Where each process waits at the end, and for what, where it is that which is shown.
    pub fn waiting(&self) -> Vec<Waiting> {
        match self.shows {
            Shows::Violation(Violation::EndState) => waiting(self.program(), self.steps()),
            Shows::Violation(Violation::Stuck(process)) => {
                let name = self.name_of(process);
                waiting(self.program(), self.steps()).into_iter().filter(|waiting| waiting.who == name).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a process is called at the end, by its number.
    fn name_of(&self, process: usize) -> String {
        let program = self.program();
        // One that moved is known by its statements, others by what they are at the end.
        let last = self.steps().iter().rfind(|step| step.process == Some(process as u32));
        let kind = last.and_then(|step| program.kind_of(step.statement));
        let kind = kind.or_else(|| program.active.get(process).map(|&kind| kind as usize));
        kind.map_or(format!("process {process}"), |kind| program.process_name(kind, process + program.base()))
    }

    /// Whether `enabled` is part of the claim.
    fn claim_asks_who_can_move(&self) -> bool {
        let claim = self.program().claim.map(|claim| &self.program().proctypes[claim as usize]);
        let mut actions =
            claim.into_iter().flat_map(|claim| &claim.states).flat_map(|state| &state.transitions).map(|t| &t.action);
        actions.any(|action| {
            let mut asks = false;
            if let Action::Condition(value) | Action::Assert(value) = action {
                value.visit(&mut |part| asks |= matches!(part, Expression::Enabled(_)));
            }
            asks
        })
    }

    /// The run as a trail for SPIN, which followed it. `text` is the model.
    pub fn trail(&self, text: &Text, run: &Run) -> Result<Vec<u8>, Failure> {
        let shown = if let Shows::Violation(violation) = self.shows { Some(violation) } else { None };
        if let Some(Violation::Fault { fault: fault @ (Fault::Endless | Fault::Division), .. }) = shown {
            return Err(Refusal::new(format!("SPIN follows no trail to this: {fault}")).into());
        }
        if self.claim_asks_who_can_move() {
            let why = "SPIN follows no trail with a claim that asks who can move: its simulation computes `enabled` otherwise";
            return Err(Refusal::new(why).into());
        }
        let tools = Tools::find().map_err(|why| Refusal::new(format!("the trail needs SPIN's numbers, and {why}")))?;
        let written = File::open(text, tools, run).and_then(|mut file| file.trail(self.program(), self.steps(), shown));
        written.map(String::into_bytes).map_err(|trouble| match trouble {
            Trouble::Lost(why) => Failure::Internal(format!("SPIN does not follow the trail: {why}")),
            Trouble::Undecided(Why::External(why)) => Failure::Internal(why),
            other => Refusal::new(format!("no trail was written: {other}")).into(),
        })
    }
}
