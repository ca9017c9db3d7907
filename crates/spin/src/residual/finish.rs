//! The last changes of a text, whether processes were written anew or not: narrower types.
//!
//! What comes out is read again. It has to be the same program, but for the types.

use super::narrow::{Edit, Narrowed, is_narrower, narrower};
use super::{Folded, encoded};
use crate::replace::apply;
use prequel_formats::promela::syntax::Model;
use prequel_formats::promela::{self, Text};
use prequel_model::watch::Watch;
use prequel_program::residual::{Rule, Rules};
use prequel_program::{Claim, Program, compile};
use std::ops::Range;

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
        if narrow.is_empty() {
            return self;
        }
        match written(&self.model, &program, text, &narrow) {
            Some((bytes, model)) => {
                let narrowed = narrow.into_iter().flat_map(|edit| edit.narrowed).collect();
                Self { text: bytes, model, narrowed, ..self }
            }
            None => self,
        }
    }
}

/// The text with these changes, if it still means the same.
fn written(model: &Model, program: &Program, text: &Text, narrow: &[Edit]) -> Option<(Vec<u8>, Model)> {
    let edits: Vec<(Range<usize>, String)> =
        narrow.iter().map(|Edit { range, text, .. }| (range.clone(), text.clone())).collect();
    let source = model.sources.text_of_model();
    let bytes = encoded(text, apply(source, 0..source.len(), &edits));
    let (read, _) = promela::read_beside(&text.name, &bytes, &text.folder, &[], &model.sources).ok()?;
    let (other, _) = compile(&read, Claim::None).ok()?;
    is_narrower(program, &other).then_some((bytes, read))
}
