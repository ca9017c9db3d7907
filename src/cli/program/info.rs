//! `prequel info` on a program: processes, variables and channels, with what the components were found to hold.

use crate::cli::output::{Output, counted};
use crate::job::program::components;
use crate::open::ProgramFile;
use prequel_formats::diag::Diagnostic;
use prequel_model::Lts;
use prequel_model::run::Run;
use prequel_program::components::Components;
use prequel_program::{Cell, Program, ValueType};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Variables, channels and processes listed before the rest is only counted.
const MOST_ROWS: usize = 100;
/// Ranges of values in a row before the rest is only counted.
const MOST_RANGES: usize = 8;

/// Says what a program consists of.
pub fn info(models: &[String], promela: &ProgramFile, run: &Run, output: &Output) {
    let program = &promela.program;
    let split = promela.without_claim().and_then(|program| components(&program, run));
    let (found, refusals) = match &split {
        Ok(split) => (Some(split), &[][..]),
        Err(refusals) => (None, refusals.as_slice()),
    };
    let about = About { program, found };
    output.object(about.json(models, refusals));
    let mut lines = about.lines();
    if let Some(first) = refusals.first() {
        lines.push(format!("no network: {}", first.headline()));
        if refusals.len() > 1 {
            lines.push(format!("  and {} more places like this", refusals.len() - 1));
        }
        lines.push(format!("  {} the program as it is", promela.taken_by()));
    }
    output.say(lines.join("\n"));
}

struct About<'a> {
    program: &'a Program,
    found: Option<&'a Components>,
}

impl About<'_> {
    fn lines(&self) -> Vec<String> {
        let program = self.program;
        let mut lines = vec![format!(
            "{}, {} running from the start; {}; {}",
            counted(program.proctypes.len(), "proctype"),
            program.active.len(),
            counted(program.globals.len(), "global cell"),
            counted(program.channels.len(), "channel"),
        )];
        for (number, kind) in program.proctypes.iter().enumerate() {
            let transitions: usize = kind.states.iter().map(|state| state.transitions.len()).sum();
            let most = match self.found {
                Some(found) if program.claim != Some(number as u32) => {
                    format!(", at most {} at a time", found.instances(number))
                }
                _ => String::new(),
            };
            lines.push(format!(
                "process {}: {} from the start{most}; {}, {}",
                kind.name,
                self.started(number),
                counted(kind.states.len(), "control state"),
                counted(transitions, "transition"),
            ));
            let local = |(at, cell): (usize, &Cell)| {
                let values = self.found.map(|found| shown(&found.local_values(number, at)));
                format!("  {}: {}", cell.name, typed(cell, values))
            };
            listed(kind.cells.iter().enumerate().map(local), "variables", &mut lines);
        }
        let global = |(at, cell): (usize, &Cell)| {
            let values = match (cell.stored, self.found) {
                (false, _) => Some(format!("always {}", program.initial[at])),
                (true, Some(found)) => Some(
                    found.values(at).map_or_else(|| format!("always {}", program.initial[at]), |values| shown(&values)),
                ),
                (true, None) => None,
            };
            format!("variable {}: {}", cell.name, typed(cell, values))
        };
        listed(program.globals.iter().enumerate().map(global), "variables", &mut lines);
        let channel = |position: usize| {
            let kind = &program.channel_types[program.channels[position] as usize];
            let fields: Vec<String> = kind.fields.iter().map(|field| type_name(*field)).collect();
            let room = match kind.capacity {
                0 => "rendezvous".to_owned(),
                n => counted(n, "message"),
            };
            let held = match self.found.and_then(|found| found.held(position)) {
                Some(held) => {
                    format!("; {} found, at most {} at a time", counted(held.contents, "content"), held.longest)
                }
                None if self.found.is_some() && kind.capacity > 0 => "; always empty".into(),
                None => String::new(),
            };
            format!("channel {}: {room} of {{ {} }}{held}", program.channel_name(position), fields.join(", "))
        };
        listed((0..program.channels.len()).map(channel), "channels", &mut lines);
        if let Some(found) = self.found {
            let (components, states, transitions, labels) = size(found);
            lines.push(format!(
                "network: {}, {}, {}, {}",
                counted(components, "component"),
                counted(states, "state"),
                counted(transitions, "transition"),
                counted(labels, "label"),
            ));
        }
        lines
    }

    fn started(&self, number: usize) -> usize {
        self.program.active.iter().filter(|&&active| active as usize == number).count()
    }

    fn json(&self, models: &[String], refusals: &[Diagnostic]) -> Value {
        let program = self.program;
        let processes = program.proctypes.iter().enumerate().map(|(number, kind)| {
            let local = |(at, cell): (usize, &Cell)| {
                json!({
                    "name": &*cell.name,
                    "type": type_name(cell.ty),
                    "values": self.found.map(|found| found.local_values(number, at)),
                })
            };
            json!({
                "name": &*kind.name,
                "from_start": self.started(number),
                "at_most": self.found.map(|found| found.instances(number)),
                "control_states": kind.states.len(),
                "transitions": kind.states.iter().map(|state| state.transitions.len()).sum::<usize>(),
                "locals": kind.cells.iter().map(|cell| &*cell.name).collect::<Vec<_>>(),
                "variables": kind.cells.iter().enumerate().map(local).collect::<Vec<_>>(),
            })
        });
        let globals = program.globals.iter().enumerate().map(|(at, cell)| {
            let constant = || BTreeSet::from([program.initial[at]]);
            let values = match (cell.stored, self.found) {
                (false, _) => Some(constant()),
                (true, Some(found)) => Some(found.values(at).unwrap_or_else(constant)),
                (true, None) => None,
            };
            json!({ "name": &*cell.name, "type": type_name(cell.ty), "bits": cell.ty.bits(), "values": values })
        });
        let channels = program.channels.iter().enumerate().map(|(position, kind)| {
            let kind = &program.channel_types[*kind as usize];
            let held = self.found.and_then(|found| found.held(position));
            json!({
                "name": program.channel_name(position),
                "capacity": kind.capacity,
                "fields": kind.fields.len(),
                "types": kind.fields.iter().map(|field| type_name(*field)).collect::<Vec<_>>(),
                "contents": held.map(|held| held.contents),
                "longest": held.map(|held| held.longest),
            })
        });
        let network = self.found.map(|found| {
            let (components, states, transitions, labels) = size(found);
            json!({ "components": components, "states": states, "transitions": transitions, "labels": labels })
        });
        json!({
            "models": models,
            "processes": processes.collect::<Vec<_>>(),
            "globals": globals.collect::<Vec<_>>(),
            "channels": channels.collect::<Vec<_>>(),
            "network": network,
            "refused": refusals.iter().map(Diagnostic::headline).collect::<Vec<_>>(),
        })
    }
}

/// Components, states, transitions and labels of a network.
fn size(found: &Components) -> (usize, usize, usize, usize) {
    let components = found.network.components();
    let total = |count: fn(&Lts) -> usize| components.iter().map(|c| count(&c.lts)).sum::<usize>();
    (components.len(), total(Lts::num_states), total(Lts::num_transitions), found.network.labels().len() - 1)
}

/// Rows of a kind, as many as somebody reads.
fn listed(rows: impl ExactSizeIterator<Item = String>, what: &str, lines: &mut Vec<String>) {
    let more = rows.len().saturating_sub(MOST_ROWS);
    lines.extend(rows.take(MOST_ROWS));
    if more > 0 {
        lines.push(format!("… {more} more {what} (--json lists all)"));
    }
}

fn typed(cell: &Cell, values: Option<String>) -> String {
    match values {
        Some(values) => format!("{}, {values}", type_name(cell.ty)),
        None => type_name(cell.ty),
    }
}

/// The type as declarations write it; `mtype`, `pid` and `chan` take a byte.
fn type_name(ty: ValueType) -> String {
    match ty {
        ValueType::Unsigned(1) => "bit".into(),
        ValueType::Unsigned(8) => "byte".into(),
        ValueType::Unsigned(bits) => format!("unsigned:{bits}"),
        ValueType::Short => "short".into(),
        ValueType::Int => "int".into(),
    }
}

/// Values as ranges: `0..3, 7`.
fn shown(values: &BTreeSet<i32>) -> String {
    let mut ranges: Vec<(i32, i32)> = Vec::new();
    for &value in values {
        match ranges.last_mut() {
            Some((_, last)) if i64::from(*last) + 1 == i64::from(value) => *last = value,
            _ => ranges.push((value, value)),
        }
    }
    let more = ranges.len().saturating_sub(MOST_RANGES);
    let range = |&(first, last): &(i32, i32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}..{last}"),
    };
    let text: Vec<String> = ranges.iter().take(MOST_RANGES).map(range).collect();
    match (values.is_empty(), more) {
        (true, _) => "never there".into(),
        (_, 0) => text.join(", "),
        _ => format!("{} … {more} more ranges", text.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_listed_as_ranges() {
        let text = |values: &[i32]| shown(&values.iter().copied().collect());
        assert_eq!(text(&[0, 1, 2, 3, 7]), "0..3, 7");
        assert_eq!(text(&[0, 1, 5]), "0, 1, 5");
        assert_eq!(text(&[i32::MIN, i32::MAX]), "-2147483648, 2147483647");
        assert_eq!(text(&[]), "never there");
        assert!(text(&(0..40).map(|n| n * 3).collect::<Vec<_>>()).ends_with("21 … 32 more ranges"));
    }
}
