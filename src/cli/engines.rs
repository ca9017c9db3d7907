//! `prequel engines`: who can answer what.

use super::exit::{Exit, Failure};
use super::output::Output;
use crate::engine::engines;
use crate::engine::otf::Otf;
use serde_json::json;

/// Lists the engines and what each accepts
#[derive(clap::Args, Clone, Debug)]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Args, output: &Output) -> Result<Exit, Failure> {
    let all = engines(Otf::default());
    let rows: Vec<_> = all
        .iter()
        .map(|e| json!({"name": e.name(), "queries": e.queries(), "about": e.about(), "external": false, "installed": true}))
        .collect();
    output.object(json!({ "engines": rows }));
    output.say(format!("{:<10} {:<32} {}", "engine", "queries", "what it does"));
    output.say(format!("{:<10} {:<32} {}", "auto", "all of the below", "the first engine that takes the query"));
    for e in &all {
        output.say(format!("{:<10} {:<32} {}", e.name(), e.queries().join(", "), e.about()));
    }
    Ok(Exit::Ok)
}
