//! Any network: a variable per component for where it is, and one process that takes the steps, each in one go.
//!
//! The process is always at the same place of its code, so a state is the values of the variables and nothing else. A label is
//! written as one line per joint step where these are few. Otherwise it is a guard that says that all participants are ready and,
//! for each, its transitions: as a `d_step` where they leave no choice, else as an `atomic`, inside which SPIN stores no states.

use super::names::{Names, comment};
use super::system::{System, part};
use super::text::{Meaning, Text};
use prequel_model::{ComponentId, Goal, LabelId, StateId, Step, Transition};

/// At most so many joint steps of a label are written out.
const FEW: usize = 8;

/// Writes the variables and the process; gives the bytes of a state that they need at most.
pub(super) fn write(system: &System, out: &mut Text) -> usize {
    let mut names = Names::default();
    let mut bytes = 16;
    let mut variables = Vec::with_capacity(system.components.len());
    for (c, component) in system.components.iter().enumerate() {
        let (kind, size) = match component.lts.num_states() {
            0..=256 => ("byte", 1),
            257..=32_768 => ("short", 2),
            _ => ("int", 4),
        };
        let (name, initial) = (names.identifier("at_", &component.name), component.lts.initial().0);
        out.line(format_args!("{kind} {name} = {initial}; /* {} */", comment(&system.about(c))));
        variables.push(name);
        bytes += size;
    }
    Steps { system, variables }.write(out);
    bytes
}

/// The process that takes the steps.
struct Steps<'a> {
    system: &'a System<'a>,
    variables: Vec<String>,
}

/// A component and its transitions under one label.
type Part = (usize, Vec<Transition>);

impl Steps<'_> {
    fn write(&self, out: &mut Text) {
        out.line("");
        out.line("active proctype network() {");
        if !self.system.stuck {
            out.line("end: /* to be stuck is no error here */");
        }
        out.line("  do");
        // One pass over each component sorts its transitions by label: there may be many of both.
        let mut by_label: Vec<Vec<Part>> = vec![Vec::new(); self.system.labels.len()];
        for c in 0..self.system.components.len() {
            let mut transitions: Vec<Transition> = self.system.transitions(c).collect();
            transitions.sort_unstable_by_key(|t| (t.label, t.source, t.target));
            for under in transitions.chunk_by(|a, b| a.label == b.label) {
                by_label[under[0].label.at()].push((c, under.to_vec()));
            }
        }
        let nothing = by_label.iter().all(Vec::is_empty) && self.system.target.is_none();
        let mut by_label = by_label.into_iter().enumerate();
        for own in by_label.next().map(|(_, taus)| taus).unwrap_or_default() {
            self.label(LabelId::TAU, &[own], out);
        }
        for (label, parts) in by_label.filter(|(_, parts)| !parts.is_empty()) {
            self.label(LabelId::new(label), &parts, out);
        }
        if let Some(goal) = &self.system.target {
            out.line(format_args!("  :: atomic {{ {} -> assert(false) }}", self.goal(goal)));
        }
        if nothing {
            out.line("  :: false /* nothing ever happens */");
        }
        out.line("  od");
        out.line("}");
    }

    /// All steps of a label.
    fn label(&self, label: LabelId, parts: &[Part], out: &mut Text) {
        let joint = parts.iter().fold(1usize, |n, (_, transitions)| n.saturating_mul(transitions.len()));
        if joint <= FEW {
            self.one_by_one(label, parts, out);
            return;
        }
        let choice = |(_, transitions): &Part| transitions.windows(2).any(|w| w[0].source == w[1].source);
        let chosen = parts.iter().any(choice);
        let ready: Vec<String> = parts.iter().map(|(c, ts)| self.one_of(*c, ts.iter().map(|t| t.source))).collect();
        let (block, meaning) = match chosen {
            true => ("atomic", Meaning::Begins(Step { label, moves: Vec::new() })),
            false => ("d_step", Meaning::Whole(label, parts.iter().map(|(c, _)| ComponentId::new(*c)).collect())),
        };
        let about = comment(self.system.labels.name(label));
        out.doing(meaning, format_args!("  :: {block} {{ {} -> /* {about} */", ready.join(" && ")));
        for (at, (c, transitions)) in parts.iter().enumerate() {
            let (variable, file) = (&self.variables[*c], comment(&self.system.file(*c)));
            let end = if at + 1 == parts.len() { " }" } else { ";" };
            out.line("       if");
            for &t in transitions {
                let (from, to) = (t.source.0, t.target.0);
                let line = if chosen {
                    format!("       :: d_step {{ {variable} == {from} -> {variable} = {to} }} /* {about} {file} */")
                } else {
                    format!("       :: {variable} == {from} -> {variable} = {to} /* {about} {file} */")
                };
                if chosen {
                    out.doing(Meaning::Joins(part(*c, t)), line);
                } else {
                    out.line(line);
                }
            }
            out.line(format_args!("       fi{end}"));
        }
    }

    /// A label's joint steps, a line each.
    fn one_by_one(&self, label: LabelId, parts: &[Part], out: &mut Text) {
        let mut joint: Vec<Vec<(usize, Transition)>> = vec![Vec::new()];
        for (c, transitions) in parts {
            let with = |t: &Transition, before: &Vec<_>| before.iter().copied().chain([(*c, *t)]).collect();
            joint = joint.iter().flat_map(|before| transitions.iter().map(move |t| with(t, before))).collect();
        }
        for step in joint {
            let from: Vec<String> =
                step.iter().map(|(c, t)| format!("{} == {}", self.variables[*c], t.source.0)).collect();
            let to: Vec<String> =
                step.iter().map(|(c, t)| format!("{} = {}", self.variables[*c], t.target.0)).collect();
            let mut about: Vec<String> = step.iter().map(|(c, _)| self.system.file(*c)).collect();
            about.retain(|file| !file.is_empty());
            about.insert(0, self.system.labels.name(label).into());
            let moves = step.iter().map(|&(c, t)| part(c, t)).collect();
            let about = comment(&about.join(" "));
            let line = format!("  :: d_step {{ {} -> {} }} /* {about} */", from.join(" && "), to.join("; "));
            out.doing(Meaning::Begins(Step { label, moves }), line);
        }
    }

    /// That a component is in one of some states, which come in order.
    fn one_of(&self, c: usize, states: impl Iterator<Item = StateId>) -> String {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for s in states {
            match ranges.last_mut() {
                Some((_, end)) if s.0 <= *end + 1 => *end = s.0,
                _ => ranges.push((s.0, s.0)),
            }
        }
        let at = &self.variables[c];
        let range = |&(low, high): &(u32, u32)| match low == high {
            true => format!("{at} == {low}"),
            false => format!("({at} >= {low} && {at} <= {high})"),
        };
        match ranges.as_slice() {
            [] => "false".into(),
            [one] => range(one),
            several => format!("({})", several.iter().map(range).collect::<Vec<_>>().join(" || ")),
        }
    }

    fn goal(&self, goal: &Goal) -> String {
        let all = |goals: &[Goal], with: &str, none: &str| match goals {
            [] => none.to_owned(),
            goals => format!("({})", goals.iter().map(|g| self.goal(g)).collect::<Vec<_>>().join(with)),
        };
        match goal {
            Goal::In(c, states) => self.one_of(c.at(), states.iter().copied()),
            Goal::And(goals) => all(goals, " && ", "true"),
            Goal::Or(goals) => all(goals, " || ", "false"),
            // Always in parentheses: `!!` would be a send.
            Goal::Not(goal) => format!("!({})", self.goal(goal)),
        }
    }
}
