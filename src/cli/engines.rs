//! `prequel engines`: who can answer what.

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::job::{EngineInfo, EngineOption};
use prequel_formats::list::OutputFormat;
use serde_json::{Value, json};

/// Lists the engines and what each accepts
#[derive(clap::Args, Clone, Debug)]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Args, output: &Output) -> Result<Exit, Failure> {
    let all = EngineInfo::all();
    output.object(json!({ "engines": all.iter().map(row).collect::<Vec<_>>() }));
    output.say(format!("{:<10} {:<41} {}", "engine", "queries", "what it does"));
    output.say(format!(
        "{:<10} {:<41} {}",
        "auto", "all of the below", "several of the below, in turns: the first answer counts"
    ));
    for engine in &all {
        output.say(format!("{:<10} {:<41} {}", engine.name, engine.queries.join(", "), about(engine)));
    }
    let symbolic: Vec<&str> = all.iter().filter(|engine| engine.takes_circuits).map(|engine| engine.name).collect();
    let circuits = OutputFormat::extensions(OutputFormat::is_circuit).join(", .");
    output.say(format!("circuits (.{circuits}) are taken by {}", symbolic.join(", ")));
    for engine in all.iter().filter(|engine| !engine.options.is_empty()) {
        output.say(format!("\noptions of {}, set by --engine-option NAME=VALUE", engine.name));
        for o in &engine.options {
            output.say(format!("  {:<18} {:<26} {} [{}]", o.name, o.values, o.about, o.default));
        }
    }
    Ok(Exit::Ok)
}

fn row(engine: &EngineInfo) -> Value {
    let option =
        |o: &EngineOption| json!({ "name": o.name, "values": o.values, "default": o.default, "about": o.about });
    let version = engine.external.as_ref().and_then(|program| program.version.as_ref());
    json!({
        "name": engine.name,
        "queries": engine.queries,
        "circuits": engine.takes_circuits,
        "about": engine.about,
        "external": engine.external.is_some(),
        "installed": engine.external.is_none() || version.is_some(),
        "version": version,
        "options": engine.options.iter().map(option).collect::<Vec<_>>(),
    })
}

/// What an engine does, and for an external one whether it can.
fn about(engine: &EngineInfo) -> String {
    match engine.external.as_ref().map(|program| &program.version) {
        None => engine.about.into(),
        Some(Some(version)) => format!("{} (installed: {version})", engine.about),
        Some(None) => format!("{} (not installed)", engine.about),
    }
}
