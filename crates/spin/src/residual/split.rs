//! A text of its own for each process of a kind, where that pays: its number, and what it was started with, are known in it then.
//!
//! Nothing else changes. Processes keep their numbers and copies have the same transitions, so a run of the one program is one of the other.

use super::encoded;
use crate::replace::{apply, directives_of, span, words_of};
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{ExpressionKind, Model, Proctype, Unit};
use prequel_formats::promela::{self, Text, visit};
use prequel_program::Program;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// More copies are not made of one kind.
const MOST_COPIES: usize = 6;

/// A text with copies of processes.
pub struct Split {
    /// As it is read.
    pub text: Text,
    /// What is read in it.
    pub model: Model,
    /// The kind that each kind is a copy of, or was.
    pub of: Vec<usize>,
}

/// How a kind of process can be told apart by what differs between its processes.
struct Copies<'m> {
    proctype: &'m Proctype,
    /// How many there will be.
    count: usize,
    /// Where one is started, and which.
    started: Vec<(Span, usize)>,
}

/// The kinds that can have copies, by their numbers.
fn candidates<'m>(model: &'m Model, program: &Program) -> FxHashMap<usize, Copies<'m>> {
    let running = model.units.iter().filter(|unit| matches!(unit, Unit::Proctype(_) | Unit::Init(_)));
    let mut found: FxHashMap<usize, Copies<'m>> = FxHashMap::default();
    for (kind, unit) in running.enumerate() {
        if let Unit::Proctype(proctype) = unit
            && proctype.provided.is_none()
            && proctype.priority.is_none()
        {
            let count = program.active.iter().filter(|&&active| active as usize == kind).count();
            found.insert(kind, Copies { proctype, count, started: Vec::new() });
        }
    }
    let named = |name: &str| program.proctypes.iter().position(|kind| &*kind.name == name);
    let mut given: FxHashMap<usize, Vec<Vec<&str>>> = FxHashMap::default();
    for unit in &model.units {
        visit::expressions(unit, &mut |expression, _| match &*expression.kind {
            // Who is asked for by name has one name.
            ExpressionKind::RemoteLabel { process, .. } | ExpressionKind::RemoteVariable { process, .. } => {
                named(&process.text).and_then(|kind| found.remove(&kind));
            }
            ExpressionKind::Run { process, arguments, .. } => {
                let Some(kind) = named(&process.text) else { return };
                let texts: Option<Vec<&str>> = arguments.iter().map(|value| model.sources.text(value.span)).collect();
                let (Some(copies), Some(texts)) = (found.get_mut(&kind), texts) else {
                    found.remove(&kind);
                    return;
                };
                let tuples = given.entry(kind).or_default();
                let number = tuples.iter().position(|tuple| *tuple == texts).unwrap_or(tuples.len());
                if number == tuples.len() {
                    tuples.push(texts);
                }
                copies.started.push((process.span, number));
            }
            _ => {}
        });
    }
    for (kind, tuples) in &given {
        if let Some(copies) = found.get_mut(kind) {
            // Either all run from the start, or all are started.
            copies.count = if copies.count == 0 { tuples.len() } else { 0 };
        }
    }
    found.retain(|_, copies| (2..=MOST_COPIES).contains(&copies.count));
    found
}

/// The kinds of which copies can be made.
pub fn kinds(model: &Model, program: &Program) -> Vec<usize> {
    let mut kinds: Vec<usize> = candidates(model, program).into_keys().collect();
    kinds.sort_unstable();
    kinds
}

/// The text with a copy for each process of these kinds; none if it cannot be written.
pub fn split(text: &Text, model: &Model, program: &Program, wanted: &[usize]) -> Option<Split> {
    let candidates = candidates(model, program);
    let source = model.sources.text_of_model();
    let taken = words_of(model);
    let name = |copies: &Copies<'_>, number: usize| {
        let mut name = format!("{}_{number}", copies.proctype.name.text);
        while taken.contains(&name) {
            name.push('_');
        }
        name
    };
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for copies in wanted.iter().map(|kind| candidates.get(kind)) {
        let copies = copies?;
        for (span, number) in &copies.started {
            edits.push((model.sources.extent(*span)?, name(copies, *number)));
        }
    }
    let (mut out, mut of, mut at) = (String::new(), Vec::new(), 0);
    let running = model.units.iter().filter(|unit| matches!(unit, Unit::Proctype(_) | Unit::Init(_)));
    for (kind, unit) in running.enumerate() {
        let Some(copies) = candidates.get(&kind).filter(|_| wanted.contains(&kind)) else {
            of.push(kind);
            continue;
        };
        let range = model.sources.extent(span(unit))?;
        if !directives_of(&source[range.clone()]).is_empty() {
            return None;
        }
        out += &apply(source, at..range.start, &edits);
        at = range.end;
        let named = model.sources.extent(copies.proctype.name.span)?;
        let active = copies.proctype.active.as_ref();
        let active = active.map(|active| model.sources.extent(active.span).ok_or(())).transpose().ok()?;
        for number in 0..copies.count {
            let mut own = edits.clone();
            own.push((named.clone(), name(copies, number)));
            own.extend(active.clone().map(|range| (range, "active".into())));
            out += &apply(source, range.clone(), &own);
            out += if number + 1 < copies.count { "\n" } else { "" };
            of.push(kind);
        }
    }
    out += &apply(source, at..source.len(), &edits);
    let text = Text { bytes: encoded(text, out), ..text.clone() };
    let (model, _) = promela::read_beside(&text.name, &text.bytes, &text.folder, &text.defines, &model.sources).ok()?;
    Some(Split { text, model, of })
}
