//! `prequel info` on a Petri net.

use crate::cli::output::{Output, counted};
use crate::job::{NetInfo, NetworkSize};
use serde_json::json;

/// Says what a net consists of, and what components it has.
pub fn tell(models: &[String], info: &NetInfo, output: &Output) {
    let NetInfo { places, transitions, arcs, largest_weight, tokens, marked_places, units, network, formulas } = info;
    output.object(json!({
        "models": models,
        "places": places,
        "transitions": transitions,
        "arcs": arcs,
        "largest_weight": largest_weight,
        "tokens": tokens,
        "marked_places": marked_places,
        "units": units.map(|(units, _)| units),
        "certified_safe": units.map(|(_, safe)| safe),
        "components": network.as_ref().ok().map(|(size, _)| size.components),
        "split": match network {
            Ok((_, method)) => method,
            Err(why) => why,
        },
        "formulas": formulas,
    }));
    let weight = largest_weight
        .filter(|&weight| weight > 1)
        .map_or(String::new(), |weight| format!(" of weight up to {weight}"));
    let mut lines = vec![format!(
        "Petri net: {}, {}, {}{weight}; {} in {}",
        counted(*places, "place"),
        counted(*transitions, "transition"),
        counted(*arcs, "arc"),
        counted(*tokens, "token"),
        counted(*marked_places, "place"),
    )];
    if let Some((units, safe)) = units {
        let safe = if *safe { "certified safe by the file" } else { "not certified safe" };
        lines.push(format!("NUPN: {}, {safe}", counted(*units, "unit")));
    }
    lines.push(match network {
        Ok((NetworkSize { components, states, .. }, method)) => {
            let (components, states) = (counted(*components, "component"), counted(*states, "state"));
            format!("as a network: {components} with {states} together ({method})")
        }
        Err(why) => format!("as a network: none; {why}"),
    });
    if !formulas.is_empty() {
        lines.push(format!("{}: {}", counted(formulas.len(), "formula"), formulas.join(", ")));
    }
    output.say(lines.join("\n"));
}
