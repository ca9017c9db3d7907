//! `prequel convert` to and from circuits.

use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{Output, counted, write_files};
use crate::job::convert::circuit_text;
use prequel_engine::Refusal;
use prequel_model::Circuit;
use serde_json::json;
use std::path::Path;

/// Writes a circuit; `kind` is the extension of the output.
pub fn convert(
    models: &[String],
    circuit: &Circuit,
    path: &Path,
    kind: &str,
    output: &Output,
) -> Result<Exit, Failure> {
    if !matches!(kind, "smv" | "aag" | "aig") {
        let why = format!("a circuit has no labels and becomes no .{kind}: it is written as .smv, .aag or .aig");
        return Err(Refusal::new(why).into());
    }
    write_files(&[(path.to_owned(), circuit_text(circuit, kind))])?;
    let (components, variables, bits) = (circuit.parts.len(), circuit.words.len(), circuit.bits);
    output.object(json!({
        "models": models,
        "output": path.display().to_string(),
        "files": 1,
        "components": components,
        "variables": variables,
        "bits": bits,
    }));
    let (components, variables, bits) =
        (counted(components, "component"), counted(variables, "variable"), counted(bits, "bit"));
    output.say(format!("wrote {} ({components}, {variables}, {bits})", path.display()));
    Ok(Exit::Ok)
}
