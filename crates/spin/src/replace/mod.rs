//! Some processes of the user's program replaced by others that do the same labels; the rest of the text stays as it is.
//!
//! | step | module |
//! | --- | --- |
//! | what a process itself does in a label | `act` |
//! | what its text has to say, and whether that can be said | `plan` |
//! | values, channels, conditions and effects in the user's words | `types`, `words` |
//! | the text of one process | `body` |
//! | the user's text with the processes in their places | `edit` |
//! | from a run of the new program to a trace of the new network | `back` |
//!
//! A state of the replacement is a place in the text of its process, and a step is one line: a condition on what is shared, then
//! what is done, in one go. So SPIN stores exactly the states of the product of the reduced network, unless a process goes
//! away in a step that does more than that. Processes keep their numbers: each stands where the one it replaces stood.

mod act;
mod body;
mod edit;
mod plan;
mod refusal;
mod run_to_trace;
mod types;
mod words;

pub use body::Mark;
pub use refusal::Refusal;

use crate::promela::MOST_TRANSITIONS;
use edit::{Cannot, Editor, Fork, Written};
pub(crate) use edit::{apply, directives_of, place_prefix, span, words_of};
use plan::Plan;
use prequel_formats::diag::Diagnostic;
use prequel_formats::promela;
use prequel_formats::promela::syntax::Model;
use prequel_model::{Component, Lts, Network};
use prequel_program::components::Components;
use prequel_program::{Claim, Program, compile};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A program with replaced processes.
#[derive(Clone, Debug)]
pub struct Replaced {
    /// The Promela text, in the encoding of the user's.
    pub text: Vec<u8>,
    /// What is read in it.
    pub model: Model,
    /// Whether all of it had to be preprocessed, because a process came out of a macro or another file.
    pub preprocessed: bool,
    /// The network with the same components replaced.
    pub network: Network,
    marks: Vec<(usize, Mark)>,
    /// The user's proctype of each name that was touched; none for what was put in.
    names: Vec<(String, Option<u32>)>,
    /// The user's statements that became a choice between so many.
    forks: Vec<Fork>,
    plans: Vec<Plan>,
}

impl Replaced {
    /// What a line of the text stands for, counted from 1, if it belongs to a replaced process.
    pub fn mark(&self, line: usize) -> Option<&Mark> {
        let at = self.marks.binary_search_by_key(&line, |(line, _)| *line).ok()?;
        Some(&self.marks[at].1)
    }
}

/// A text as the user gave it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// What messages call it.
    pub file: &'a str,
    /// Its bytes.
    pub text: &'a [u8],
    /// Where included files are looked up.
    pub dir: &'a Path,
    /// Macros that are defined outside of it.
    pub defines: &'a [(String, String)],
    /// The result may not include files: it will stand elsewhere.
    pub alone: bool,
}

/// A text, and what was read in it: read once, however many replacements are tried.
#[derive(Debug)]
pub struct Original<'a> {
    source: Source<'a>,
    model: Arc<Model>,
    /// The same without macros and inclusions, with the program that it means; where that can be had.
    preprocessed: OnceLock<Option<(Model, Program)>>,
}

/// Replaces the processes of some slots by others over the labels of their components.
///
/// `program` and `components` are what the source was compiled and split to.
pub fn replace(
    source: Source<'_>,
    program: &Program,
    components: &Components,
    replacements: &[(u32, Lts)],
) -> Result<Replaced, Vec<Diagnostic>> {
    attempt(source, program, components, replacements).map_err(|refusal| vec![refusal.diagnostic(program)])
}

/// The same; a refusal by construct.
pub fn attempt(
    source: Source<'_>,
    program: &Program,
    components: &Components,
    replacements: &[(u32, Lts)],
) -> Result<Replaced, Refusal> {
    let (model, _) = promela::read(source.file, source.text, source.dir, source.defines).map_err(|_| unread())?;
    Original::new(source, Arc::new(model)).attempt(program, components, replacements)
}

fn unread() -> Refusal {
    Refusal::new("source", None, "the text is not the one that the program was made of")
}

impl<'a> Original<'a> {
    /// A text, and what was read in it.
    pub fn new(source: Source<'a>, model: Arc<Model>) -> Self {
        Self { source, model, preprocessed: OnceLock::new() }
    }

    /// The text without macros and inclusions, read again.
    fn preprocessed(&self) -> Option<&(Model, Program)> {
        let read = || {
            let Source { file, text, dir, defines, .. } = self.source;
            let text = promela::preprocessed(file, text, dir, defines, &self.model.sources)?;
            let (model, _) = promela::read(file, text.as_bytes(), dir, &[]).ok()?;
            let (program, _) = compile(&model, Claim::None).ok()?;
            Some((model, program))
        };
        self.preprocessed.get_or_init(read).as_ref()
    }

    /// The text with other processes in some slots.
    fn written(&self, program: &Program, components: &Components, plans: &[Plan]) -> Result<(Written, bool), Refusal> {
        let (source, model) = (self.source, &*self.model);
        // With the macros that came from outside the text stands for itself.
        let header: String = source.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        let editor = Editor { model, program, spans: program, components, plans, header };
        if !source.alone || model.sources.texts().count() <= 1 {
            match editor.write() {
                Ok(written) => return Ok((written, false)),
                Err(Cannot::Replace(refusal)) => return Err(refusal),
                Err(Cannot::Cut(_)) => {}
            }
        }
        let (model, spans) = self.preprocessed().ok_or_else(unread)?;
        if spans.statements.len() != program.statements.len() {
            return Err(unread());
        }
        let editor = Editor { model, program, spans, components, plans, header: String::new() };
        match editor.write() {
            Ok(written) => Ok((written, true)),
            Err(Cannot::Replace(refusal) | Cannot::Cut(refusal)) => Err(refusal),
        }
    }

    /// Replaces the processes of some slots. `program` and `components` are what the text was compiled and split to.
    pub fn attempt(
        &self,
        program: &Program,
        components: &Components,
        replacements: &[(u32, Lts)],
    ) -> Result<Replaced, Refusal> {
        let plans = replacements.iter().map(|(slot, lts)| plan::plan(components, *slot, lts));
        let plans: Vec<Plan> = plans.collect::<Result<_, _>>()?;
        let steps: usize = plans.iter().flat_map(|plan| &plan.choices).map(Vec::len).sum();
        if steps > MOST_TRANSITIONS {
            let message =
                format!("{steps} steps are too many for what SPIN makes of them (at most {MOST_TRANSITIONS})");
            return Err(Refusal::new("size", None, message));
        }
        let (written, preprocessed) = self.written(program, components, &plans)?;
        let Written { text, marks, names, forks, .. } = written;
        // What was no UTF-8 was read as Latin-1.
        let text = match std::str::from_utf8(self.source.text) {
            Ok(_) => text.into_bytes(),
            Err(_) => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
        };
        let Source { file, dir, .. } = self.source;
        let Ok((model, _)) = promela::read_beside(file, &text, dir, &[], &self.model.sources) else {
            let message = "it uses a name that is declared after it, or that means something else there";
            return Err(Refusal::new("names", None, message));
        };
        let network = reduced(components, &plans);
        Ok(Replaced { text, model, preprocessed, network, marks, names, forks, plans })
    }
}

/// The network with the replacements in place of the components.
fn reduced(components: &Components, plans: &[Plan]) -> Network {
    let (labels, mut parts) = components.network.clone().into_parts();
    for plan in plans {
        let part = &mut parts[plan.component.at()];
        let alphabet = part.alphabet().to_vec();
        *part = Component::with_alphabet(part.name.clone(), plan.lts.clone(), alphabet);
    }
    Network::new(labels, parts)
}
