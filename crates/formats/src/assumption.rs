//! Assumptions for people: what was put together, what is left, and what was forgotten; in words and for Graphviz.

use super::picture::NoPicture;
use crate::picture::dot::{STYLE, escape};
use crate::picture::view::{few, plain};
use prequel_model::{ClassMap, ComponentId, LabelId, Network, Origin, StateId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;

/// Classes of an assumption that are told before the rest is only counted.
const MOST_CLASSES: usize = 50;
/// Classes of the largest assumption that is drawn.
const MOST_DRAWN: usize = 500;
/// Members of a class that are named, in words and in a picture.
const MEMBERS: usize = 12;
const DRAWN_MEMBERS: usize = 6;
/// Labels that are named together.
const LABELS: usize = 12;
const ARROW_LABELS: usize = 6;

/// An assumption and the process that it stands for.
#[derive(Clone, Copy, Debug)]
pub struct Assumption<'a> {
    /// The network that the process belongs to.
    pub network: &'a Network,
    /// Names of its states.
    pub origin: &'a Origin,
    /// Which process, and the classes of its states.
    pub map: &'a ClassMap,
}

impl Assumption<'_> {
    fn name(&self) -> String {
        plain(&self.network.component(self.map.component).name)
    }

    fn state(&self, s: StateId) -> String {
        plain(&self.origin.state_name(self.map.component, s))
    }

    fn label(&self, l: LabelId) -> String {
        if l.is_tau() { "i".into() } else { plain(self.network.labels().name(l)) }
    }

    fn names(&self, states: &[StateId], most: usize) -> String {
        few(&states.iter().map(|&s| self.state(s)).collect::<Vec<_>>(), most)
    }

    /// For each class, its labels by the class that they lead to.
    fn arrows(&self, class: StateId) -> BTreeMap<StateId, Vec<LabelId>> {
        let mut arrows: BTreeMap<StateId, Vec<LabelId>> = BTreeMap::new();
        for e in self.map.quotient.row(class) {
            arrows.entry(e.target).or_default().push(e.label);
        }
        arrows
    }

    /// The assumption in words: its classes, what each can do, and what is no longer told apart.
    pub fn text(&self) -> String {
        let (lts, quotient) = (&self.network.component(self.map.component).lts, &self.map.quotient);
        let members = self.map.members();
        let mut text = format!(
            "assumption for {}: {} states in {} classes, {} transitions instead of {}\n",
            self.name(),
            lts.num_states(),
            quotient.num_states(),
            quotient.num_transitions(),
            lts.num_transitions(),
        );
        for (at, states) in members.iter().enumerate().take(MOST_CLASSES) {
            let class = StateId::new(at);
            let initial = if class == quotient.initial() { ", initial" } else { "" };
            let _ = writeln!(text, "  class {at}{initial}: {}", self.names(states, MEMBERS));
            for (to, labels) in self.arrows(class) {
                let names: Vec<String> = labels.iter().map(|&l| self.label(l)).collect();
                let _ = writeln!(text, "    {} → {}", few(&names, LABELS), to.0);
            }
        }
        if members.len() > MOST_CLASSES {
            let _ = writeln!(text, "  … {} more classes", members.len() - MOST_CLASSES);
        }
        text += &self.forgotten(&members);
        text
    }

    /// What the process does that its assumption no longer tells.
    fn forgotten(&self, members: &[Vec<StateId>]) -> String {
        let (lts, quotient) = (&self.network.component(self.map.component).lts, &self.map.quotient);
        let class = |s: StateId| self.map.class_of[s.at()];
        let within = lts.transitions().filter(|t| t.source != t.target && class(t.source) == class(t.target)).count();
        // A label that every class can take and that changes no class: the assumption does not restrict it at all.
        let mut free = Vec::new();
        for &l in self.network.component(self.map.component).alphabet() {
            let loops = |c: StateId| matches!(quotient.row_on(c, l), [e] if e.target == c);
            if quotient.states().all(loops) {
                free.push(self.label(l));
            }
        }
        // Where a class can take a label that not all of its members can.
        let mut some: BTreeSet<(usize, LabelId)> = BTreeSet::new();
        for (at, states) in members.iter().enumerate() {
            for e in quotient.row(StateId::new(at)) {
                if states.iter().any(|&s| lts.row_on(s, e.label).is_empty()) {
                    some.insert((at, e.label));
                }
            }
        }
        let mut text = format!("  forgotten: {within} transitions between states of the same class\n");
        if !free.is_empty() {
            let _ = writeln!(text, "  forgotten: when it takes {}; any class can, at any time", few(&free, LABELS));
        }
        for &(at, l) in some.iter().filter(|(_, l)| !free.contains(&self.label(*l))).take(LABELS) {
            let can: Vec<StateId> = members[at].iter().copied().filter(|&s| !lts.row_on(s, l).is_empty()).collect();
            let _ = writeln!(
                text,
                "  forgotten: class {at} can take {}, of its members only {}",
                self.label(l),
                self.names(&can, MEMBERS)
            );
        }
        text
    }
}

/// What a changed process must do for its assumption to hold of it, in words.
pub fn validity(deadlocks: bool) -> String {
    let stuck = if deadlocks {
        "  - a state can take every label that its class can take, or has a step of its own;\n"
    } else {
        ""
    };
    format!(
        "a changed process is still covered where each of its states has a class (or several) such that\n  \
           - its initial state has the initial class;\n  \
           - each of its steps has a step with the same label between such classes (a step that nobody sees may have none);\n\
         {stuck}  \
           - it takes part in the same shared labels.\n\
         then what the smaller model does not reach, the changed one does not reach either;\n\
         `prequel audit MODEL --certificate FILE --changed` tells whether it is so\n"
    )
}

/// Draws assumptions side by side: each class with its members, one arrow per pair of classes.
pub fn write_dot(assumptions: &[Assumption<'_>], out: &mut impl Write) -> Result<(), NoPicture> {
    writeln!(out, "digraph assumptions {{")?;
    writeln!(out, "  graph [rankdir=LR, labelloc=t, {STYLE}];")?;
    writeln!(out, "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ddf4ff\", color=\"#0969da\", {STYLE}];")?;
    writeln!(out, "  edge [color=\"#57606a\", {STYLE}];")?;
    for assumption in assumptions {
        let ComponentId(c) = assumption.map.component;
        let quotient = &assumption.map.quotient;
        NoPicture::unless(
            || format!("the assumption for `{}`", assumption.name()),
            quotient.num_states(),
            MOST_DRAWN,
            "classes",
        )?;
        let members = assumption.map.members();
        writeln!(out, "  subgraph cluster{c} {{\n    label=\"{}\"; color=\"#afb8c1\";", escape(&assumption.name()))?;
        writeln!(
            out,
            "    start{c} [shape=point, width=0.1, label=\"\"];\n    start{c} -> c{c}s{};",
            quotient.initial().0
        )?;
        for (at, states) in members.iter().enumerate() {
            let names = escape(&assumption.names(states, DRAWN_MEMBERS));
            writeln!(out, "    c{c}s{at} [label=\"{at}: {names}\"];")?;
        }
        for at in quotient.states() {
            for (to, labels) in assumption.arrows(at) {
                let names: Vec<String> = labels.iter().map(|&l| assumption.label(l)).collect();
                let names = escape(&few(&names, ARROW_LABELS));
                writeln!(out, "    c{c}s{} -> c{c}s{} [label=\"{names}\"];", at.0, to.0)?;
            }
        }
        writeln!(out, "  }}")?;
    }
    writeln!(out, "}}")?;
    Ok(())
}
