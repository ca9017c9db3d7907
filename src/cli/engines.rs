//! `prequel engines`: who can answer what.

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::engines::engines;
use prequel_engine::otf::Otf;
use prequel_engine::{Engine, EngineOption, External};
use serde_json::json;

/// Lists the engines and what each accepts
#[derive(clap::Args, Clone, Debug)]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Args, output: &Output) -> Result<Exit, Failure> {
    let all = engines(Otf::default());
    let option =
        |o: &EngineOption| json!({ "name": o.name, "values": o.values, "default": o.default, "about": o.about });
    let row = |e: &dyn Engine| {
        let external = e.external();
        let version = external.as_ref().and_then(|program| program.version.clone());
        json!({
            "name": e.name(),
            "queries": e.queries(),
            "circuits": e.symbolic().is_some(),
            "about": e.about(),
            "external": external.is_some(),
            "installed": external.is_none() || version.is_some(),
            "version": version,
            "options": e.options().iter().map(option).collect::<Vec<_>>(),
        })
    };
    let rows: Vec<_> = all.iter().map(|e| row(&**e)).collect();
    output.object(json!({ "engines": rows }));
    output.say(format!("{:<10} {:<41} {}", "engine", "queries", "what it does"));
    output.say(format!(
        "{:<10} {:<41} {}",
        "auto", "all of the below", "several of the below, in turns: the first answer counts"
    ));
    for e in &all {
        output.say(format!("{:<10} {:<41} {}", e.name(), e.queries().join(", "), about(&**e)));
    }
    let symbolic: Vec<&str> = all.iter().filter(|e| e.symbolic().is_some()).map(|e| e.name()).collect();
    output.say(format!("circuits (.smv, .aag, .aig) are taken by {}", symbolic.join(", ")));
    for e in all.iter().filter(|e| !e.options().is_empty()) {
        output.say(format!("\noptions of {}, set by --engine-option NAME=VALUE", e.name()));
        for o in e.options() {
            output.say(format!("  {:<18} {:<26} {} [{}]", o.name, o.values, o.about, o.default));
        }
    }
    Ok(Exit::Ok)
}

/// What an engine does, and for an external one whether it can.
fn about(engine: &dyn Engine) -> String {
    match engine.external() {
        None => engine.about().into(),
        Some(External { version: Some(version) }) => format!("{} (installed: {version})", engine.about()),
        Some(External { version: None }) => format!("{} (not installed)", engine.about()),
    }
}
