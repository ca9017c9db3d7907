//! Labels of at most two participants: a process per component, a rendezvous channel per shared label.
//!
//! A local state is a place in the process's code, so nothing but places is stored, and SPIN's partial-order reduction sees
//! which steps are local. Processes never end: a local state without transitions waits for ever, so that a global state
//! without successors is an invalid end state of SPIN.

use super::names::{Names, comment};
use super::system::{System, part};
use super::text::{Meaning, Text};
use prequel_model::{LabelId, StateId, Step, Transition};

/// SPIN numbers processes, and channels, with a byte.
const MOST_PROCESSES: usize = 255;

/// Whether a system can be written so. A goal needs the places of several processes at once, which Promela has no sound way to
/// see under partial-order reduction; a monitor's acceptance is seen in its own process.
pub(super) fn fits(system: &System) -> bool {
    let shared = || system.happening().filter(|&l| system.participants(l).len() > 1);
    (system.target.is_none() || system.monitored)
        && (1..=MOST_PROCESSES).contains(&system.components.len())
        && shared().count() <= MOST_PROCESSES
        && shared().all(|l| system.participants(l).len() == 2)
}

/// Writes the channels and processes; gives the bytes of a state that they need at most.
pub(super) fn write(system: &System, out: &mut Text) -> usize {
    let mut names = Names::default();
    let mut channels: Vec<Option<String>> = vec![None; system.labels.len()];
    let mut bytes = 0;
    for label in system.happening().filter(|&l| system.participants(l).len() == 2) {
        let name = names.identifier("on_", system.labels.name(label));
        let who: Vec<&str> = system.participants(label).iter().map(|c| &*system.components[c.at()].name).collect();
        let about = format!("{}: {}", system.labels.name(label), who.join(", "));
        out.line(format_args!("chan {name} = [0] of {{ bit }}; /* {} */", comment(&about)));
        channels[label.at()] = Some(name);
        bytes += 16;
    }
    for c in 0..system.components.len() {
        let name = names.identifier("p_", &system.components[c].name);
        out.line("");
        out.line(format_args!("/* {} */", comment(&system.about(c))));
        out.line(format_args!("active proctype {name}() {{"));
        Process { system, channels: &channels, c }.write(out);
        out.line("}");
        bytes += 16;
    }
    bytes
}

/// One component.
struct Process<'a> {
    system: &'a System<'a>,
    /// The channel of each label that has one.
    channels: &'a [Option<String>],
    c: usize,
}

impl Process<'_> {
    fn write(&self, out: &mut Text) {
        // Control starts at the top, and a jump to another place would be a step of its own.
        let initial = self.system.components[self.c].lts.initial();
        let states: Vec<StateId> =
            [initial].into_iter().chain(self.system.states(self.c).filter(|&s| s != initial)).collect();
        let last = states.len() - 1;
        for (at, &s) in states.iter().enumerate() {
            let name = self.system.state_name(self.c, s).map(|n| format!(" /* {} */", comment(&n)));
            out.line(format_args!("{}:{}", self.place(s), name.unwrap_or_default()));
            let semicolon = if at == last { "" } else { ";" };
            let accepting = self.system.monitored && self.c + 1 == self.system.components.len();
            if accepting && self.system.components[self.c].lts.is_marked(s) {
                out.line(format_args!("  assert(false){semicolon}"));
            } else if self.system.row(self.c, s).next().is_none() {
                out.line(format_args!("  false{semicolon}"));
            } else {
                out.line("  if");
                self.system.row(self.c, s).for_each(|t| self.transition(t, out));
                out.line(format_args!("  fi{semicolon}"));
            }
        }
    }

    /// The place of a state. Where deadlocks are not asked for, it is one where a process may wait for ever.
    fn place(&self, s: StateId) -> String {
        if self.system.stuck { format!("s{}", s.0) } else { format!("end_s{}", s.0) }
    }

    fn transition(&self, t: Transition, out: &mut Text) {
        let mine = part(self.c, t);
        let sends = self.system.participants(t.label).first().is_none_or(|first| first.at() == self.c);
        let begins = Meaning::Begins(Step { label: t.label, moves: vec![mine] });
        let (statement, meaning) = match &self.channels[t.label.at()] {
            // SPIN takes a `true` that leads nowhere for a mistake and ends; this is as true, and as local.
            None if t.source == t.target => ("_pid >= 0".into(), begins),
            None => ("true".into(), begins),
            Some(on) if sends => (format!("{on}!1"), begins),
            Some(on) => (format!("{on}?1"), Meaning::Joins(mine)),
        };
        let label = if t.label == LabelId::TAU { "tau" } else { self.system.labels.name(t.label) };
        let about = format!("{label} {}", self.system.file(self.c));
        let place = self.place(t.target);
        out.doing(meaning, format_args!("  :: {statement} -> goto {place} /* {} */", comment(about.trim_end())));
    }
}
