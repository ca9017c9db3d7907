//! `prequel info` on a circuit.

use crate::cli::output::{Output, counted};
use crate::open::CircuitFile;
use prequel_model::{Bit, Circuit, Kind, Lit, Part};
use serde_json::json;

/// Components listed before the rest is only counted.
const MOST_ROWS: usize = 40;
/// Names listed in a row before the rest is only counted.
const MOST_NAMES: usize = 8;

/// The words that a component says something about, and those that it only reads.
fn words<'a>(circuit: &'a Circuit, part: &Part) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut seen = vec![[false; 2]; circuit.bits as usize];
    for f in [part.initial, part.step] {
        for (bit, next) in circuit.aig.support(f).into_iter().map(Bit::of) {
            // What is said of the first state is said, too.
            seen[bit.0 as usize][usize::from(next || f == part.initial)] = true;
        }
    }
    let names = |test: &dyn Fn([bool; 2]) -> bool| {
        let has = |word: &&prequel_model::Word| {
            let of = word.bits.iter().map(|bit| seen[bit.0 as usize]);
            test(of.fold([false; 2], |a, b| [a[0] || b[0], a[1] || b[1]]))
        };
        circuit.words.iter().filter(has).map(|word| &*word.name).collect::<Vec<_>>()
    };
    (names(&|[_, said]| said), names(&|[read, said]| read && !said))
}

fn some(names: &[&str]) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let tail = if more > 0 { format!(" … {more} more") } else { String::new() };
    format!("{}{tail}", names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", "))
}

/// Says what a circuit consists of.
pub fn info(models: &[String], file: &CircuitFile, output: &Output) {
    let circuit = &*file.circuit;
    let roots: Vec<Lit> = circuit.parts.iter().flat_map(|p| [p.initial, p.step]).chain(circuit.bad).collect();
    let gates = circuit.aig.cone(&roots).len();
    let parts: Vec<_> = circuit.parts.iter().map(|part| (part, words(circuit, part))).collect();
    let kind = |kind: &Kind| match kind {
        Kind::Truth => "boolean".to_owned(),
        Kind::Numbers(first, last) => format!("{first}..{last}"),
        Kind::Names(names) => format!("{{{}}}", names.join(", ")),
    };
    output.object(json!({
        "models": models,
        "variables": circuit.words.iter().map(|w| json!({ "name": &*w.name, "values": kind(&w.kind), "bits": w.bits.len() })).collect::<Vec<_>>(),
        "bits": circuit.bits,
        "nodes": gates,
        "states_invariant": circuit.bad.is_some(),
        "components": parts.iter().map(|(part, (says, reads))| json!({ "name": &*part.name, "says": says, "reads": reads })).collect::<Vec<_>>(),
    }));
    let stated = if circuit.bad.is_some() { "an invariant is stated" } else { "nothing is stated" };
    let mut lines = vec![format!(
        "circuit: {}, {}, {}, {}; {stated}",
        counted(parts.len(), "component"),
        counted(circuit.words.len(), "variable"),
        counted(circuit.bits, "bit"),
        counted(gates, "node"),
    )];
    let width = parts.iter().take(MOST_ROWS).map(|(part, _)| part.name.chars().count()).max().unwrap_or(0).max(9);
    lines.push(format!("{:<width$}  {}", "component", "variables ← read"));
    for (part, (says, reads)) in parts.iter().take(MOST_ROWS) {
        let reads = if reads.is_empty() { String::new() } else { format!(" ← {}", some(reads)) };
        lines.push(format!("{:<width$}  {}{reads}", part.name, some(says)).trim_end().to_owned());
    }
    if parts.len() > MOST_ROWS {
        lines.push(format!("… {} more components (--json shows all)", parts.len() - MOST_ROWS));
    }
    output.say(lines.join("\n"));
}
