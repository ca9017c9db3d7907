//! The body of a process that takes the place of the user's: a place in the text for each state, a line for each step.

use super::act::Act;
use super::plan::{Choice, Place, Plan};
use super::refusal::Refusal;
use super::words::Words;
use crate::promela::names::comment;
use prequel_model::{StateId, Transition};
use prequel_program::Program;
use prequel_program::components::{Components, Touch};

/// Longer texts of statements are cut in comments.
const LONGEST: usize = 50;

/// A line, and what it stands for.
#[derive(Clone, Debug)]
pub struct Line {
    /// The text.
    pub text: String,
    /// A place of the process.
    pub mark: Option<Mark>,
}

/// A line of a replaced process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Which slot.
    pub slot: u32,
    /// Where it is before.
    pub state: StateId,
    /// What it does; nothing in a line that is never executed.
    pub transition: Option<Transition>,
}

/// Writes the bodies of replaced processes.
pub struct Writer<'a> {
    /// Whose text it is.
    pub program: &'a Program,
    /// What labels mean.
    pub components: &'a Components,
    /// What things are called.
    pub words: &'a Words<'a>,
    /// What places are called, before their numbers.
    pub prefix: &'a str,
}

impl Writer<'_> {
    /// The lines between the braces.
    pub fn body(&self, plan: &Plan) -> Result<Vec<Line>, Refusal> {
        let mut lines = Vec::new();
        // Only where control leaves a loop does it come to the end without a step in between.
        let ends = plan.choices.iter().flatten().any(|choice| plan.places[choice.transition.target.at()].is_end());
        let inside = |state: &StateId| plan.places[state.at()] == Place::Inside;
        let others = plan.lts.states().filter(|state| *state != plan.start);
        let states: Vec<StateId> = std::iter::once(plan.start).chain(others).filter(inside).collect();
        for (at, &state) in states.iter().enumerate() {
            let mark = |transition| Some(Mark { slot: plan.slot, state, transition });
            let outer = ends && at == 0;
            let last = at + 1 == states.len();
            let stop = if last { "" } else { ";" };
            let choices = &plan.choices[state.at()];
            lines.push(Line { text: format!("{}:", self.place(plan, state)), mark: None });
            if choices.is_empty() && !outer {
                lines.push(Line { text: format!("  false{stop}"), mark: mark(None) });
                continue;
            }
            lines.push(Line { text: if outer { "  do" } else { "  if" }.into(), mark: None });
            for choice in choices {
                let text = self.choice(plan, state, choice)?;
                lines.push(Line { text, mark: mark(Some(choice.transition)) });
            }
            match (outer, last) {
                (false, _) => lines.push(Line { text: format!("  fi{stop}"), mark: None }),
                (true, true) => {}
                // The other places stand where control never comes by itself.
                (true, false) => lines.push(Line { text: "  :: false ->".into(), mark: mark(None) }),
            }
        }
        if ends {
            lines.push(Line { text: "  od".into(), mark: None });
        }
        Ok(lines)
    }

    fn choice(&self, plan: &Plan, state: StateId, choice: &Choice) -> Result<String, Refusal> {
        let Transition { label, target, .. } = choice.transition;
        let wrong = matches!(choice.act, Act::Own { wrong: true, .. });
        let target = if wrong { state } else { target };
        let statement = match &choice.act {
            Act::Tau if target == state => idle(),
            Act::Tau | Act::End | Act::Watch => "true".into(),
            Act::Own { touches, wrong } => {
                let asks = self.words.asks(touches)?;
                self.step(asks.join(" && "), touches, *wrong, target == state)?
            }
            Act::Send(channel, message) => {
                format!("{}!{}", self.words.channel(*channel)?, self.words.message(*channel, message)?.join(","))
            }
            Act::Receive { channel, message, touches, wrong } => {
                let mut fields = self.words.matched(*channel, message)?;
                let asks = self.words.asks(touches)?;
                if !asks.is_empty() {
                    let (no, first) = (self.words.impossible(*channel), &self.words.message(*channel, message)?[0]);
                    fields[0] = format!("eval(({} -> {first} : {no}))", asks.join(" && "));
                }
                let receive = format!("{}?{}", self.words.channel(*channel)?, fields.join(","));
                self.step(receive, touches, *wrong, false)?
            }
        };
        let next = match plan.places[target.at()] {
            place if place.is_end() => "break".into(),
            _ => format!("goto {}", self.place(plan, target)),
        };
        let about = if label.is_tau() { "tau".into() } else { self.about(plan.slot, label) };
        Ok(format!("  :: {statement} -> {next} /* {} */", comment(&about)))
    }

    fn place(&self, plan: &Plan, state: StateId) -> String {
        let end = if plan.ends[state.at()] { "end_" } else { "" };
        format!("{end}{}{}", self.prefix, state.0)
    }

    /// A guard, then what is done, as one step.
    fn step(&self, guard: String, touches: &[Touch], wrong: bool, stays: bool) -> Result<String, Refusal> {
        let (mut does, starts) = self.words.does(touches)?;
        if wrong {
            does = vec!["assert(false)".into()];
        }
        Ok(match (guard.is_empty(), does.len()) {
            (true, 0) if stays => idle(),
            (true, 0) => "true".into(),
            (false, 0) => guard,
            (true, 1) => does.remove(0),
            _ => {
                let block = if starts { "atomic" } else { "d_step" };
                let guard = if guard.is_empty() { guard } else { guard + " -> " };
                format!("{block} {{ {guard}{} }}", does.join("; "))
            }
        })
    }

    /// The statements that a label comes from.
    fn about(&self, slot: u32, label: prequel_model::LabelId) -> String {
        let Some(role) = self.components.role(label) else { return String::new() };
        let sends = role.meeting.as_ref().filter(|_| role.slot == slot);
        let began = sends.map_or(&role.began, |meeting| &meeting.began);
        let mut about = String::new();
        for statement in began.iter().filter_map(|&number| self.program.statements.get(number as usize)) {
            let text: String = statement.text.chars().take(LONGEST).collect();
            let cut = if text.len() < statement.text.len() { " ..." } else { "" };
            let more = if about.is_empty() { "" } else { "; " };
            about += &format!("{more}{}: {text}{cut}", statement.line);
        }
        about
    }
}

impl Place {
    /// Whether control leaves the body to come there.
    pub fn is_end(self) -> bool {
        matches!(self, Place::Closing | Place::Gone)
    }
}

/// A condition that always holds: SPIN takes a `true` that leads to itself for a mistake.
fn idle() -> String {
    "_pid >= 0".into()
}
