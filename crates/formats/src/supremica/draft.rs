//! Automata while they are read, whatever the format, and what is wrong with them.

use super::{ACCEPTING, FORBIDDEN};
use crate::diag::{Diagnostic, Read, Span};
use crate::text::findings::Findings;
use crate::text::suggest;
use indexmap::IndexMap;
use prequel_model::des::{Des, Role, Start};
use prequel_model::{Component, LabelId, Labels, Lts, Network, Origin, Source, StateId, Transition};
use rustc_hash::FxBuildHasher;

/// Names in order, with what is known of each.
pub type Named<T> = IndexMap<Box<str>, T, FxBuildHasher>;

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It can be prevented.
    Controllable,
    /// It cannot.
    Uncontrollable,
    /// It is no event, but something that is true in states.
    Proposition,
}

impl Kind {
    /// The kind as files name it.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "CONTROLLABLE" => Some(Kind::Controllable),
            "UNCONTROLLABLE" => Some(Kind::Uncontrollable),
            "PROPOSITION" => Some(Kind::Proposition),
            _ => None,
        }
    }
}

/// The role as files name it.
pub fn role(name: &str) -> Option<Role> {
    match name {
        "PLANT" => Some(Role::Plant),
        "SPEC" => Some(Role::Spec),
        "SUPERVISOR" => Some(Role::Supervisor),
        "PROPERTY" => Some(Role::Property),
        _ => None,
    }
}

/// A state while it is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// It may start here.
    pub initial: bool,
    /// The marking proposition is true here.
    pub marked: bool,
    /// The file calls it forbidden.
    pub forbidden: bool,
}

impl State {
    /// Notes a proposition that is true here.
    pub fn proposition(&mut self, name: &str, marking: &str) {
        self.marked |= name == marking;
        self.forbidden |= name == FORBIDDEN;
    }
}

/// An automaton while it is read; an event is its number among all events.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What it is there for.
    pub role: Role,
    /// Where its name stands.
    pub span: Span,
    /// It says which states are marked; otherwise all of them are.
    pub marks: bool,
    /// Events it takes part in; propositions are passed over.
    pub alphabet: Vec<usize>,
    /// Its states by name.
    pub states: Named<State>,
    /// Source, event, target.
    pub transitions: Vec<(u32, usize, u32)>,
}

/// An event while it is read.
#[derive(Clone, Debug)]
pub struct Event {
    /// What it is.
    pub kind: Kind,
    /// The event that an observer sees, where this is a part of it.
    pub seen_as: Option<Box<str>>,
}

/// A whole file while it is read.
pub struct Draft {
    /// What the system is called.
    pub name: String,
    /// Events by name.
    pub events: Named<Event>,
    /// Automata by name.
    pub automata: Named<Automaton>,
}

impl Draft {
    /// The system, or all errors. `marking` is the proposition that marks states.
    pub fn finish(self, mut findings: Findings<'_>, marking: &str) -> Read<Des> {
        self.odd(&mut findings, marking);
        let mut labels = Labels::new();
        let mut controllable = vec![false];
        let mut label_of = vec![LabelId::TAU; self.events.len()];
        for (at, (name, event)) in self.events.iter().enumerate().filter(|(_, (_, e))| e.kind != Kind::Proposition) {
            label_of[at] = labels.intern(name);
            controllable.push(event.kind == Kind::Controllable);
        }
        for (at, (_, event)) in self.events.iter().enumerate() {
            if let Some(seen) = &event.seen_as {
                let action = labels.intern(seen);
                controllable.resize(labels.len(), event.kind == Kind::Controllable);
                labels.show(label_of[at], action);
            }
        }
        let warnings = findings.none()?;
        let (mut components, mut origin) = (Vec::new(), Origin::default());
        let (mut roles, mut starts, mut forbidden) = (Vec::new(), Vec::new(), Vec::new());
        for (name, automaton) in self.automata {
            let (lts, start) = automaton.system(&label_of);
            let mut names: Vec<Box<str>> = automaton.states.keys().cloned().collect();
            if start != Start::One {
                names.push("(start)".into());
            }
            let alphabet = automaton.alphabet.iter().map(|&event| label_of[event]).filter(|label| !label.is_tau());
            components.push(Component::with_alphabet(name, lts, alphabet));
            origin.sources.push(Source { file: None, state_names: Some(names.into()) });
            roles.push(automaton.role);
            starts.push(start);
            let is_forbidden = |&(_, state): &(usize, &State)| state.forbidden;
            forbidden.push(
                automaton.states.values().enumerate().filter(is_forbidden).map(|(s, _)| StateId::new(s)).collect(),
            );
        }
        let network = Network::new(labels, components);
        let des = Des { name: self.name, network, origin, roles, starts, forbidden, controllable };
        Ok((des, warnings))
    }

    /// What makes the answer trivial.
    fn odd(&self, findings: &mut Findings<'_>, marking: &str) {
        let system = || self.automata.iter().filter(|(_, a)| a.role != Role::Property);
        for (name, automaton) in system().filter(|(_, a)| a.states.values().all(|s| !s.initial)) {
            let message = format!("automaton `{name}` has no initial state, so no state of the system is reachable");
            findings.warn(automaton.span.clone(), message, "every statement about all reachable states is true");
        }
        for (name, automaton) in system().filter(|(_, a)| a.marks && a.states.values().all(|s| !s.marked)) {
            let message =
                format!("no state of automaton `{name}` is marked: nonblocking is false whatever the others do");
            let help = format!("give `{marking}` to some of its states, or take it out of its events");
            findings.warn(automaton.span.clone(), message, help);
        }
        if self.automata.is_empty() {
            findings.error(0..0, "there is no automaton in this file", "a system has one automaton at least");
        } else if !self.events.contains_key(marking) {
            let message =
                format!("there is no proposition `{marking}`: all states are marked, and nonblocking is true");
            let chosen = suggest::help(marking, "propositions", self.propositions());
            let help = if marking == ACCEPTING { "declare it, or choose another with --marking" } else { &chosen };
            let warning = Diagnostic::warning(findings.file, message).help(help);
            findings.warnings.push(warning);
        }
    }

    fn propositions(&self) -> impl Iterator<Item = &str> + Clone {
        self.events.iter().filter(|(_, e)| e.kind == Kind::Proposition).map(|(name, _)| &**name)
    }
}

impl Automaton {
    /// Its states and transitions, with one more state where there is not one initial state.
    fn system(&self, label_of: &[LabelId]) -> (Lts, Start) {
        let count = self.states.len() as u32;
        let initial: Vec<u32> = (0..count).filter(|&s| self.states[s as usize].initial).collect();
        let mut transitions: Vec<Transition> =
            self.transitions.iter().map(|&(s, event, t)| Transition::new(s, label_of[event], t)).collect();
        let (start, at, states) = match *initial {
            [one] => (Start::One, one, count),
            ref others => {
                transitions.extend(others.iter().map(|&s| Transition::new(count, LabelId::TAU, s)));
                (if others.is_empty() { Start::Nowhere } else { Start::Several }, count, count + 1)
            }
        };
        let marked = (0..count).filter(|&s| !self.marks || self.states[s as usize].marked).map(StateId);
        (Lts::new(StateId(at), states as usize, transitions).with_marked(marked), start)
    }
}
