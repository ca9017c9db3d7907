//! Names of components, states and labels.

use super::build::{Build, Joint};
use super::part::{Change, Fact, Part};
use crate::data::{Program, Setup};
use crate::machine::HEAD;
use rustc_hash::FxHashSet;
use std::fmt::Write as _;

/// Names everything.
pub struct Names<'b, 'a> {
    build: &'b Build<'a>,
    program: &'a Program,
}

impl<'b, 'a> Names<'b, 'a> {
    /// For the parts of a program.
    pub fn new(build: &'b Build<'a>) -> Self {
        Self { build, program: build.program }
    }

    /// The name of a component.
    pub fn part(&self, part: Part) -> String {
        match part {
            Part::Slot(slot) => {
                let mut kinds: Vec<&str> = Vec::new();
                for kind in self.build.domains.of(part).iter().filter_map(|frame| frame.first()) {
                    let name = &*self.program.proctypes[*kind as usize].name;
                    if !kinds.contains(&name) {
                        kinds.push(name);
                    }
                }
                format!("{}({slot})", kinds.join("/"))
            }
            Part::Cell(cell) => self.program.globals[cell as usize].name.to_string(),
            Part::Channel(channel) => self.channel(channel as usize - 1),
        }
    }

    /// The name of a channel: that of the variable that it starts in.
    fn channel(&self, position: usize) -> String {
        let mut own = self.program.active.iter().enumerate().flat_map(|(slot, &kind)| {
            let kind = &self.program.proctypes[kind as usize];
            kind.prologue.iter().filter_map(move |setup| match setup {
                Setup::Channel(cell, _) => Some(format!("{}({slot}):{}", kind.name, kind.cells[*cell as usize].name)),
                Setup::Value(..) => None,
            })
        });
        let later = position.checked_sub(self.program.channel_names.len()).and_then(|position| own.nth(position));
        later.unwrap_or_else(|| self.program.channel_name(position))
    }

    /// The names of the states of a component, each another one.
    pub fn states(&self, part: Part) -> Vec<Box<str>> {
        let mut used = FxHashSet::default();
        let mut names = Vec::new();
        for (number, contents) in self.build.domains.of(part).iter().enumerate() {
            let mut name = self.state(part, contents);
            if name == "error" || used.contains(&name) {
                // Two control states at one statement.
                write!(name, " #{number}").expect("a string takes everything");
            }
            used.insert(name.clone());
            names.push(name.into());
        }
        names
    }

    fn state(&self, part: Part, contents: &[i32]) -> String {
        match part {
            Part::Cell(_) => contents[0].to_string(),
            Part::Channel(_) => match contents {
                [] => "gone".into(),
                [0, ..] => "empty".into(),
                [length, messages @ ..] => {
                    let width = (messages.len() / *length as usize).max(1);
                    messages.chunks(width).map(message).collect::<Vec<_>>().join(" ")
                }
            },
            Part::Slot(_) => {
                let [kind, control, locals @ ..] = contents else { return "not running".into() };
                let kind = &self.program.proctypes[*kind as usize];
                let state = &kind.states[*control as usize];
                let first = state.transitions.first();
                let statement = first.and_then(|transition| self.program.statements.get(transition.statement as usize));
                let mut name = match (&state.name, statement) {
                    (Some(name), _) => name.to_string(),
                    (None, Some(statement)) => format!("{}:{}", statement.line, statement.text),
                    (None, None) => format!("{control}"),
                };
                for (cell, value) in kind.cells.iter().zip(locals) {
                    write!(name, " {}={value}", cell.name).expect("a string takes everything");
                }
                name
            }
        }
    }

    /// The name of a label: who moves, then what it asks and does.
    pub fn label(&self, joint: &Joint) -> String {
        let mut name = self.part(Part::Slot(joint.slot));
        if let Some((sending, receiver)) = joint.meeting {
            let offer = &self.build.sendings[sending as usize].offer;
            let to = self.part(Part::Slot(receiver));
            let channel = self.channel(offer.channel as usize - 1);
            write!(name, " {channel}!{} {to}", message(&offer.message)).expect("a string takes everything");
        }
        for touch in &joint.touches {
            let part = self.part(touch.part);
            for fact in &touch.facts {
                let _ = match fact {
                    Fact::Value(value) => write!(name, " {part}=={value}"),
                    Fact::Present(there) => write!(name, " {}{part}", if *there { "" } else { "no " }),
                    Fact::Room(_, room) => write!(name, " {}({part})", if *room { "nfull" } else { "full" }),
                    Fact::Some(any) => write!(name, " {}({part})", if *any { "nempty" } else { "empty" }),
                    Fact::Head(head) => write!(name, " {part}?[{}]", message(head)),
                    Fact::Length(length) => write!(name, " len({part})=={length}"),
                    Fact::Whole(whole) => write!(name, " {part}=={}", self.state(touch.part, whole)),
                    Fact::Kind(_) => write!(name, " {part}"),
                    Fact::At(control, at) => write!(name, " {}{part}@{control}", if *at { "" } else { "!" }),
                    Fact::Local(cell, value) => write!(name, " {part}:{cell}=={value}"),
                };
            }
            for change in &touch.changes {
                let _ = match change {
                    Change::Set(to) if matches!(touch.part, Part::Slot(_)) && to.len() >= HEAD => {
                        write!(name, " run {part}{:?}", &to[HEAD..])
                    }
                    Change::Set(to) => write!(name, " {part}={}", self.state(touch.part, to)),
                    Change::Push(pushed) => write!(name, " {part}!{}", message(pushed)),
                    Change::Pop => write!(name, " {part}?"),
                };
            }
        }
        for (_, channel, refused) in &joint.refused {
            let channel = self.channel(*channel as usize - 1);
            let _ = write!(name, " nobody {channel}?{}", message(refused));
        }
        if joint.wrong {
            name.push_str(" error");
        }
        name
    }
}

fn message(fields: &[i32]) -> String {
    fields.iter().map(i32::to_string).collect::<Vec<_>>().join(",")
}
