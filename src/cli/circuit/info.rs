//! `prequel info` on a circuit.

use crate::cli::output::{Output, counted};
use crate::job::{CircuitInfo, CircuitPart};
use serde_json::json;

/// Components listed before the rest is only counted.
const MOST_ROWS: usize = 40;
/// Names listed in a row before the rest is only counted.
const MOST_NAMES: usize = 8;

fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let tail = if more > 0 { format!(" … {more} more") } else { String::new() };
    format!("{}{tail}", names[..names.len() - more].join(", "))
}

/// Says what a circuit consists of.
pub fn tell(models: &[String], info: &CircuitInfo, output: &Output) {
    let CircuitInfo { variables, bits, nodes, states_invariant, components } = info;
    output.object(json!({
        "models": models,
        "variables": variables.iter().map(|(name, values, bits)| json!({ "name": name, "values": values, "bits": bits })).collect::<Vec<_>>(),
        "bits": bits,
        "nodes": nodes,
        "states_invariant": states_invariant,
        "components": components.iter().map(|part| json!({ "name": part.name, "says": part.says, "reads": part.reads })).collect::<Vec<_>>(),
    }));
    let stated = if *states_invariant { "an invariant is stated" } else { "nothing is stated" };
    let mut lines = vec![format!(
        "circuit: {}, {}, {}, {}; {stated}",
        counted(components.len(), "component"),
        counted(variables.len(), "variable"),
        counted(*bits, "bit"),
        counted(*nodes, "node"),
    )];
    let width = components.iter().take(MOST_ROWS).map(|part| part.name.chars().count()).max().unwrap_or(0).max(9);
    lines.push(format!("{:<width$}  {}", "component", "variables ← read"));
    for CircuitPart { name, says, reads } in components.iter().take(MOST_ROWS) {
        let reads = if reads.is_empty() { String::new() } else { format!(" ← {}", some(reads)) };
        lines.push(format!("{name:<width$}  {}{reads}", some(says)).trim_end().to_owned());
    }
    if components.len() > MOST_ROWS {
        lines.push(format!("… {} more components (--json shows all)", components.len() - MOST_ROWS));
    }
    output.say(lines.join("\n"));
}
