//! `prequel info` on a program: processes, variables and channels, with what the components were found to hold.

use crate::cli::output::{Output, counted};
use crate::job::{ChannelInfo, NetworkSize, ProcessInfo, ProgramInfo, Values, VariableInfo};
use prequel_formats::diag::Diagnostic;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Variables, channels and processes listed before the rest is only counted.
const MOST_ROWS: usize = 100;
/// Ranges of values in a row before the rest is only counted.
const MOST_RANGES: usize = 8;

/// Says what a program consists of.
pub fn tell(models: &[String], info: &ProgramInfo, output: &Output) {
    output.object(object(models, info));
    output.say(lines(info).join("\n"));
}

fn lines(info: &ProgramInfo) -> Vec<String> {
    let mut lines = vec![format!(
        "{}, {} running from the start; {}; {}",
        counted(info.processes.len(), "proctype"),
        info.active,
        counted(info.globals.len(), "global cell"),
        counted(info.channels.len(), "channel"),
    )];
    for process in &info.processes {
        let most = process.at_most.filter(|_| !process.is_claim);
        lines.push(format!(
            "process {}: {} from the start{}; {}, {}",
            process.name,
            process.from_start,
            most.map_or(String::new(), |most| format!(", at most {most} at a time")),
            counted(process.control_states, "control state"),
            counted(process.transitions, "transition"),
        ));
        listed(process.variables.iter().map(|local| format!("  {}", typed(local))), "variables", &mut lines);
    }
    listed(info.globals.iter().map(|global| format!("variable {}", typed(global))), "variables", &mut lines);
    listed(info.channels.iter().map(|channel| channel_line(channel, info.network.is_ok())), "channels", &mut lines);
    match &info.network {
        Ok(NetworkSize { components, states, transitions, labels }) => lines.push(format!(
            "network: {}, {}, {}, {}",
            counted(*components, "component"),
            counted(*states, "state"),
            counted(*transitions, "transition"),
            counted(*labels, "label"),
        )),
        Err(refusals) => {
            if let Some(first) = refusals.first() {
                lines.push(format!("no network: {}", first.headline()));
                if refusals.len() > 1 {
                    lines.push(format!("  and {} more places like this", refusals.len() - 1));
                }
                lines.push(format!("  {} the program as it is", info.taken_by));
            }
        }
    }
    lines
}

/// A channel, and what it holds where there is a network to tell.
fn channel_line(channel: &ChannelInfo, known: bool) -> String {
    let room = match channel.capacity {
        0 => "rendezvous".to_owned(),
        n => counted(n, "message"),
    };
    let held = match channel.held {
        Some((contents, longest)) => format!("; {} found, at most {longest} at a time", counted(contents, "content")),
        None if known && channel.capacity > 0 => "; always empty".into(),
        None => String::new(),
    };
    format!("channel {}: {room} of {{ {} }}{held}", channel.name, channel.types.join(", "))
}

fn object(models: &[String], info: &ProgramInfo) -> Value {
    let process = |process: &ProcessInfo| {
        let local = |of: &VariableInfo| json!({ "name": of.name, "type": of.type_name, "values": values(&of.values) });
        json!({
            "name": process.name,
            "from_start": process.from_start,
            "at_most": process.at_most,
            "control_states": process.control_states,
            "transitions": process.transitions,
            "locals": process.variables.iter().map(|local| &local.name).collect::<Vec<_>>(),
            "variables": process.variables.iter().map(local).collect::<Vec<_>>(),
        })
    };
    let global = |of: &VariableInfo| json!({ "name": of.name, "type": of.type_name, "bits": of.bits, "values": values(&of.values) });
    let channel = |channel: &ChannelInfo| {
        json!({
            "name": channel.name,
            "capacity": channel.capacity,
            "fields": channel.types.len(),
            "types": channel.types,
            "contents": channel.held.map(|(contents, _)| contents),
            "longest": channel.held.map(|(_, longest)| longest),
        })
    };
    let network = info.network.as_ref().ok().map(|NetworkSize { components, states, transitions, labels }| {
        json!({ "components": components, "states": states, "transitions": transitions, "labels": labels })
    });
    let refusals = info.network.as_ref().err().map_or(&[][..], Vec::as_slice);
    json!({
        "models": models,
        "processes": info.processes.iter().map(process).collect::<Vec<_>>(),
        "globals": info.globals.iter().map(global).collect::<Vec<_>>(),
        "channels": info.channels.iter().map(channel).collect::<Vec<_>>(),
        "network": network,
        "refused": refusals.iter().map(Diagnostic::headline).collect::<Vec<_>>(),
    })
}

fn values(values: &Values) -> Option<BTreeSet<i32>> {
    match values {
        Values::Unknown => None,
        Values::Always(value) => Some(BTreeSet::from([*value])),
        Values::Among(values) => Some(values.clone()),
    }
}

fn typed(VariableInfo { name, type_name, values, .. }: &VariableInfo) -> String {
    match values {
        Values::Unknown => format!("{name}: {type_name}"),
        Values::Always(value) => format!("{name}: {type_name}, always {value}"),
        Values::Among(values) => format!("{name}: {type_name}, {}", shown(values)),
    }
}

/// Rows of a kind, as many as somebody reads.
fn listed(rows: impl ExactSizeIterator<Item = String>, what: &str, lines: &mut Vec<String>) {
    let more = rows.len().saturating_sub(MOST_ROWS);
    lines.extend(rows.take(MOST_ROWS));
    if more > 0 {
        lines.push(format!("… {more} more {what} (--json lists all)"));
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
