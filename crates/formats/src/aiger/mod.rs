//! AIGER 1.9, in ASCII (`.aag`) and binary (`.aig`): and-inverter graphs with latches.
//!
//! Inputs and latches become words of one bit. A latch is a component; latches that are called `name[0]`, `name[1]`, … are one together,
//! so that the compositional engines have something to choose from. A state is bad where some bad literal holds, or some output where
//! the file has no bad literals. Constraints hold in every state. Justice and fairness are about infinite runs and are refused. What the
//! comment says is passed over.

mod text;
mod write;

pub use write::{Form, witness, write};

use crate::diag::{Read, Span};
use crate::text::findings::Findings;
use prequel_model::{Bit, Circuit, Kind, Lit, Part};
use rustc_hash::{FxHashMap, FxHashSet};

/// A literal of the file, and where it stands.
#[derive(Clone, Debug)]
struct Literal {
    number: u64,
    span: Span,
}

impl Literal {
    fn variable(&self) -> u64 {
        self.number / 2
    }
}

/// A latch: its own literal, that of its next value, and that of its first one.
#[derive(Clone, Debug)]
struct Latch {
    own: Literal,
    next: Literal,
    reset: Reset,
}

/// What a latch is at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reset {
    /// This.
    Value(bool),
    /// Nobody knows.
    Any,
}

/// A file as it is written.
#[derive(Debug, Default)]
struct Draft {
    inputs: Vec<Literal>,
    latches: Vec<Latch>,
    outputs: Vec<Literal>,
    bad: Vec<Literal>,
    constraints: Vec<Literal>,
    ands: Vec<[Literal; 3]>,
    /// What `i0`, `l0`, … are called.
    names: FxHashMap<(u8, usize), String>,
}

/// What a variable of the file is.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    Input(usize),
    Latch(usize),
    And(usize),
}

/// Reads a file; the first word tells which form it has.
pub fn read(file: &str, text: &[u8]) -> Read<Circuit> {
    let draft = text::read(file, text)?;
    let mut findings = Findings::new(file, text);
    let circuit = circuit(&draft, &mut findings);
    Ok((circuit, findings.none()?))
}

fn circuit(draft: &Draft, findings: &mut Findings<'_>) -> Circuit {
    let meanings = meanings(draft, findings);
    let mut circuit = Circuit::default();
    let mut names = Unique::default();
    let mut declare = |circuit: &mut Circuit, kind: u8, at: usize| {
        let given = draft.names.get(&(kind, at)).cloned();
        let name = names.given(given.unwrap_or_else(|| format!("{}{at}", kind as char)));
        circuit.word(name, Kind::Truth).bits[0]
    };
    let inputs: Vec<Bit> = (0..draft.inputs.len()).map(|at| declare(&mut circuit, b'i', at)).collect();
    let latches: Vec<Bit> = (0..draft.latches.len()).map(|at| declare(&mut circuit, b'l', at)).collect();
    let ands = ands(draft, &meanings, &inputs, &latches, &mut circuit, findings);
    let mut value = |circuit: &mut Circuit, literal: &Literal| -> Lit {
        let of = match meanings.get(&literal.variable()) {
            _ if literal.variable() == 0 => Lit::FALSE,
            Some(Meaning::Input(at)) => circuit.aig.input(inputs[*at].now()),
            Some(Meaning::Latch(at)) => circuit.aig.input(latches[*at].now()),
            Some(Meaning::And(at)) => ands[*at],
            None => {
                undefined(literal, findings);
                Lit::FALSE
            }
        };
        of.negated_if(literal.number % 2 == 1)
    };
    // Latches that are bits of one word are one component.
    let mut parts: Vec<(String, Vec<Lit>, Vec<Lit>)> = Vec::new();
    for (latch, bit) in draft.latches.iter().zip(&latches) {
        let name = &circuit.words[bit.0 as usize].name;
        let name = name.split_once('[').map_or(&**name, |(word, _)| word).to_owned();
        if parts.last().is_none_or(|(last, ..)| *last != name) {
            parts.push((name, Vec::new(), Vec::new()));
        }
        let next = value(&mut circuit, &latch.next);
        let (now, after) = (circuit.aig.input(bit.now()), circuit.aig.input(bit.next()));
        let step = circuit.aig.equal(after, next);
        let (_, initial, steps) = parts.last_mut().expect("there is one");
        steps.push(step);
        if let Reset::Value(first) = latch.reset {
            initial.push(now.negated_if(!first));
        }
    }
    for (name, initial, steps) in parts {
        let (initial, step) = (circuit.aig.all(initial), circuit.aig.all(steps));
        circuit.parts.push(Part { name: name.into(), initial, step });
    }
    let constraints: Vec<Lit> = draft.constraints.iter().map(|literal| value(&mut circuit, literal)).collect();
    if !constraints.is_empty() {
        let initial = circuit.aig.all(constraints);
        let step = after(&mut circuit, initial);
        circuit.parts.push(Part { name: "constraints".into(), initial, step });
    }
    let bad = if draft.bad.is_empty() { &draft.outputs } else { &draft.bad };
    let bad: Vec<Lit> = bad.iter().map(|literal| value(&mut circuit, literal)).collect();
    circuit.bad = (!bad.is_empty()).then(|| circuit.aig.any(bad));
    circuit
}

/// A condition on a state, of the state after the step.
fn after(circuit: &mut Circuit, f: Lit) -> Lit {
    let before = circuit.aig.clone();
    before.copy(&[f], &mut circuit.aig, |aig, input| aig.input(Bit::of(input).0.next()))[0]
}

/// Names, each once.
#[derive(Default)]
struct Unique(FxHashSet<String>);

impl Unique {
    fn given(&mut self, name: String) -> String {
        let mut found = name.clone();
        let mut number = 1;
        while !self.0.insert(found.clone()) {
            number += 1;
            found = format!("{name}#{number}");
        }
        found
    }
}

fn undefined(literal: &Literal, findings: &mut Findings<'_>) {
    let message = format!("the literal {} is no input, no latch and no gate", literal.number);
    findings.error(literal.span.clone(), message, "define its variable, or use another one");
}

/// What each variable is; one that is two things is told.
fn meanings(draft: &Draft, findings: &mut Findings<'_>) -> FxHashMap<u64, Meaning> {
    let mut meanings: FxHashMap<u64, Meaning> = FxHashMap::default();
    let inputs = draft.inputs.iter().enumerate().map(|(at, input)| (input, Meaning::Input(at)));
    let latches = draft.latches.iter().enumerate().map(|(at, latch)| (&latch.own, Meaning::Latch(at)));
    let ands = draft.ands.iter().enumerate().map(|(at, and)| (&and[0], Meaning::And(at)));
    for (literal, meaning) in inputs.chain(latches).chain(ands) {
        if literal.number % 2 == 1 || literal.number == 0 {
            let message = format!("{} cannot be defined: definitions are of even literals from 2 on", literal.number);
            findings.error(literal.span.clone(), message, "negate where it is used");
        } else if meanings.insert(literal.variable(), meaning).is_some() {
            findings.error(
                literal.span.clone(),
                format!("a second definition of the literal {}", literal.number),
                "leave one away",
            );
        }
    }
    meanings
}

/// The functions of all gates, each after those that it is made of; circles are told.
fn ands(
    draft: &Draft,
    meanings: &FxHashMap<u64, Meaning>,
    inputs: &[Bit],
    latches: &[Bit],
    circuit: &mut Circuit,
    findings: &mut Findings<'_>,
) -> Vec<Lit> {
    let mut found: Vec<Option<Lit>> = vec![None; draft.ands.len()];
    let mut under_way = vec![false; draft.ands.len()];
    for start in 0..draft.ands.len() {
        let mut open = vec![start];
        while let Some(&at) = open.last() {
            if found[at].is_some() {
                open.pop();
                continue;
            }
            under_way[at] = true;
            let [own, a, b] = &draft.ands[at];
            let mut parts = Vec::new();
            let mut missing = Vec::new();
            for literal in [a, b] {
                let value = match meanings.get(&literal.variable()) {
                    _ if literal.variable() == 0 => Lit::FALSE,
                    Some(Meaning::Input(at)) => circuit.aig.input(inputs[*at].now()),
                    Some(Meaning::Latch(at)) => circuit.aig.input(latches[*at].now()),
                    Some(Meaning::And(inner)) => match found[*inner] {
                        Some(value) => value,
                        None if under_way[*inner] => {
                            let message =
                                format!("the gate {} is made of itself, through {}", own.number, literal.number);
                            findings.error(literal.span.clone(), message, "a latch can look back, a gate not");
                            Lit::FALSE
                        }
                        None => {
                            missing.push(*inner);
                            continue;
                        }
                    },
                    None => {
                        undefined(literal, findings);
                        Lit::FALSE
                    }
                };
                parts.push(value.negated_if(literal.number % 2 == 1));
            }
            if missing.is_empty() {
                found[at] = Some(circuit.aig.and(parts[0], parts[1]));
            }
            open.extend(missing);
        }
    }
    found.into_iter().map(|f| f.unwrap_or(Lit::FALSE)).collect()
}

#[cfg(test)]
mod tests;
