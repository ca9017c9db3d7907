//! `prequel info` on a Petri net.

use crate::cli::output::{Output, counted};
use crate::open::NetFile;
use prequel_model::run::Run;
use prequel_net::split::split_within;
use serde_json::json;

/// Says what a net consists of, and what components it has.
pub fn info(models: &[String], file: &NetFile, run: &Run, output: &Output) {
    let net = &file.net;
    let (places, transitions, arcs) = (net.places().len(), net.transitions().len(), net.num_arcs());
    let tokens: u64 = net.initial().iter().map(|&tokens| u64::from(tokens)).sum();
    let marked = net.initial().iter().filter(|&&tokens| tokens > 0).count();
    let heavy = net.transitions().flat_map(|t| net.inputs(t).iter().chain(net.outputs(t))).map(|a| a.weight).max();
    let units = net.units();
    let found = split_within(net, &run.watch());
    let formulas: Vec<&str> = file.formulas.iter().map(|formula| &*formula.name).collect();
    output.object(json!({
        "models": models,
        "places": places,
        "transitions": transitions,
        "arcs": arcs,
        "largest_weight": heavy,
        "tokens": tokens,
        "marked_places": marked,
        "units": units.map(|units| units.names.len()),
        "certified_safe": units.map(|units| units.safe),
        "components": found.as_ref().ok().map(|split| split.network.components().len()),
        "split": match &found {
            Ok(split) => split.method.to_string(),
            Err(why) => why.to_string(),
        },
        "formulas": formulas,
    }));
    let weight =
        heavy.filter(|&weight| weight > 1).map_or(String::new(), |weight| format!(" of weight up to {weight}"));
    let mut lines = vec![format!(
        "Petri net: {}, {}, {}{weight}; {} in {}",
        counted(places, "place"),
        counted(transitions, "transition"),
        counted(arcs, "arc"),
        counted(tokens, "token"),
        counted(marked, "place"),
    )];
    if let Some(units) = units {
        let safe = if units.safe { "certified safe by the file" } else { "not certified safe" };
        lines.push(format!("NUPN: {}, {safe}", counted(units.names.len(), "unit")));
    }
    lines.push(match &found {
        Ok(split) => {
            let states: usize = split.network.components().iter().map(|c| c.lts.num_states()).sum();
            let components = counted(split.network.components().len(), "component");
            format!("as a network: {components} with {} together ({})", counted(states, "state"), split.method)
        }
        Err(why) => format!("as a network: none; {why}"),
    });
    if !formulas.is_empty() {
        lines.push(format!("{}: {}", counted(formulas.len(), "formula"), formulas.join(", ")));
    }
    output.say(lines.join("\n"));
}
