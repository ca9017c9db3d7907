//! `prequel convert` to and from circuits.

use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{Output, counted, write_files};
use crate::cli::witness::in_memory;
use prequel_engine::Refusal;
use prequel_engine::symbolic::Encoded;
use prequel_formats::aiger;
use prequel_formats::aiger::Form;
use prequel_formats::smv;
use prequel_model::{Circuit, Problem, Query};
use serde_json::json;
use std::path::Path;

/// A circuit in the format of an extension.
pub fn text(circuit: &Circuit, kind: &str) -> Vec<u8> {
    in_memory(|out| match kind {
        "smv" => smv::write(circuit, out),
        "aag" => aiger::write(circuit, Form::Ascii, out),
        _ => aiger::write(circuit, Form::Binary, out),
    })
}

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
    write_files(&[(path.to_owned(), text(circuit, kind))])?;
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

/// The circuit of a network: what must not be reached is what a witness to the query leads to.
pub fn encoded(problem: &Problem) -> Result<Encoded, Failure> {
    Encoded::new(problem).ok_or_else(|| {
        let kind = Query::kind(&problem.query);
        Refusal::new(format!("a circuit states what is never reached, and {kind} is more than that")).into()
    })
}
