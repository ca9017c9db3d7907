//! The last changes of a text, whether processes were written anew or not: narrower types, and what SPIN may know of channels.
//!
//! What comes out is read again. It has to be the same program, but for the types.

use super::narrow::{self, Edit, Narrowed, body_of, is_narrower, narrower};
use super::{Folded, encoded, kinds};
use crate::replace::apply;
use prequel_formats::promela::syntax::{Direction, Model};
use prequel_formats::promela::{self, Text};
use prequel_model::watch::Watch;
use prequel_program::residual::{Rule, Rules, facts, owners};
use prequel_program::{Claim, Program, compile};
use std::ops::Range;

/// A channel that one process alone receives from, or sends to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exclusive {
    /// The process.
    pub process: String,
    /// `xr` or `xs`.
    pub word: &'static str,
    /// The channel, as the process calls it.
    pub channel: String,
}

impl Exclusive {
    /// In words.
    pub fn explained(&self) -> String {
        let Self { process, word, channel } = self;
        let does = if *word == "xr" { "receives from" } else { "sends to" };
        format!("{process} alone {does} {channel}: SPIN is told by `{word} {channel}`")
    }
}

impl Narrowed {
    /// What it is called, with its process.
    pub fn title(&self) -> String {
        self.process.as_ref().map_or_else(|| self.name.clone(), |process| format!("{process}.{}", self.name))
    }

    /// In words.
    pub fn explained(&self) -> String {
        let [before, after] = &self.types;
        format!("{} was {before}; all its values are in {after}", self.title())
    }
}

impl Folded {
    /// The same with the last changes that rules ask for, as far as they can be written.
    pub(super) fn finished(self, text: &Text, rules: Rules, watch: &Watch) -> Self {
        let Ok((program, _)) = compile(&self.model, Claim::None) else { return self };
        let narrow = if rules.has(Rule::Narrow) { narrower(&self.model, &program, watch) } else { Vec::new() };
        let told = if rules.has(Rule::Exclusive) { told(&self.model, &program) } else { Vec::new() };
        // If they do not go together, one of them may go alone.
        for (narrow, told) in [(&narrow[..], &told[..]), (&[], &told), (&narrow, &[])] {
            if narrow.is_empty() && told.is_empty() {
                continue;
            }
            if let Some((bytes, model)) = written(&self.model, &program, text, narrow, told) {
                let narrowed = narrow.iter().flat_map(|edit| edit.narrowed.clone()).collect();
                let exclusive = told.iter().flat_map(|(_, told)| told.clone()).collect();
                let untold = match (told.is_empty(), narrow.is_empty()) {
                    (true, _) => None,
                    (false, true) => Some(Box::new((self.text.clone(), self.model.clone()))),
                    (false, false) => written(&self.model, &program, text, narrow, &[]).map(Box::new),
                };
                return Self { text: bytes, model, narrowed, exclusive, untold, ..self };
            }
        }
        self
    }
}

impl Folded {
    /// The same with nothing told to SPIN: what is said of channels is said of these processes, and not of others that may take their
    /// places.
    pub fn untold(&self) -> Self {
        let mut folded = self.clone();
        if let Some(untold) = folded.untold.take() {
            (folded.text, folded.model) = *untold;
            folded.exclusive.clear();
        }
        folded
    }
}

/// What is said at the head of processes, and where that is.
fn told(model: &Model, program: &Program) -> Vec<(usize, Vec<Exclusive>)> {
    let Some(facts) = facts(model, program, Rules::default()) else { return Vec::new() };
    let owners = owners(program, &facts);
    let mut units: Vec<(usize, usize)> = kinds(model).into_iter().collect();
    units.sort_unstable();
    let mut all = Vec::new();
    for (unit, kind) in units {
        let own = owners.iter().filter(|owner| owner.proctype as usize == kind);
        let said = own.map(|owner| {
            let word = if owner.direction == Direction::Receive { "xr" } else { "xs" };
            let process = program.proctypes[kind].name.to_string();
            Exclusive { process, word, channel: owner.channel.to_string() }
        });
        let said: Vec<Exclusive> = said.collect();
        if let Some(at) = body_of(model, &model.units[unit]).filter(|_| !said.is_empty()) {
            all.push((at, said));
        }
    }
    all
}

/// The text with these changes, if it still means the same.
fn written(
    model: &Model,
    program: &Program,
    text: &Text,
    narrow: &[Edit],
    told: &[(usize, Vec<Exclusive>)],
) -> Option<(Vec<u8>, Model)> {
    let mut edits: Vec<(Range<usize>, String)> =
        narrow.iter().map(|narrow::Edit { range, text, .. }| (range.clone(), text.clone())).collect();
    for (at, said) in told {
        let said: String = said.iter().map(|Exclusive { word, channel, .. }| format!(" {word} {channel};")).collect();
        edits.push((*at..*at, said));
    }
    let source = model.sources.text_of_model();
    let bytes = encoded(text, apply(source, 0..source.len(), &edits));
    let (read, _) = promela::read_beside(&text.name, &bytes, &text.folder, &[], &model.sources).ok()?;
    let (other, _) = compile(&read, Claim::None).ok()?;
    let names = |model: &Model, program: &Program| -> Option<usize> {
        Some(facts(model, program, Rules::default())?.promised.iter().map(|names| names.len()).sum())
    };
    // A channel may be both: it has one name then.
    let said = names(&read, &other)? > names(model, program)?;
    (is_narrower(program, &other) && (told.is_empty() || said)).then_some((bytes, read))
}
