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
use plan::Plan;
use prequel_formats::diag::Diagnostic;
use prequel_formats::promela;
use prequel_model::{Component, Lts, Network};
use prequel_program::components::Components;
use prequel_program::{Claim, Program, compile};
use std::path::Path;

/// A program with replaced processes.
#[derive(Clone, Debug)]
pub struct Replaced {
    /// The Promela text, in the encoding of the user's.
    pub text: Vec<u8>,
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
    let plans = replacements.iter().map(|(slot, lts)| plan::plan(components, *slot, lts));
    let plans: Vec<Plan> = plans.collect::<Result<_, _>>()?;
    let steps: usize = plans.iter().flat_map(|plan| &plan.choices).map(Vec::len).sum();
    if steps > MOST_TRANSITIONS {
        let message = format!("{steps} steps are too many for what SPIN makes of them (at most {MOST_TRANSITIONS})");
        return Err(Refusal::new("size", None, message));
    }
    let unread = || Refusal::new("source", None, "the text is not the one that the program was made of");
    let (model, _) = promela::read(source.file, source.text, source.dir, source.defines).map_err(|_| unread())?;
    // With the macros that came from outside the text stands for itself.
    let header: String = source.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    let editor = Editor { model: &model, program, spans: program, components, plans: &plans, header };
    let whole = if source.alone && model.sources.texts().count() > 1 { None } else { Some(editor.write()) };
    let (written, preprocessed) = match whole {
        Some(Ok(written)) => (written, false),
        Some(Err(Cannot::Replace(refusal))) => return Err(refusal),
        Some(Err(Cannot::Cut(_))) | None => {
            let text = promela::preprocessed(source.file, source.text, source.dir, source.defines);
            let text = text.ok_or_else(unread)?;
            let (model, _) = promela::read(source.file, text.as_bytes(), source.dir, &[]).map_err(|_| unread())?;
            let (spans, _) = compile(&model, Claim::None).map_err(|_| unread())?;
            if spans.statements.len() != program.statements.len() {
                return Err(unread());
            }
            let header = String::new();
            let editor = Editor { model: &model, program, spans: &spans, components, plans: &plans, header };
            match editor.write() {
                Ok(written) => (written, true),
                Err(Cannot::Replace(refusal) | Cannot::Cut(refusal)) => return Err(refusal),
            }
        }
    };
    let Written { text, marks, names, forks, .. } = written;
    // What was no UTF-8 was read as Latin-1.
    let text = match std::str::from_utf8(source.text) {
        Ok(_) => text.into_bytes(),
        Err(_) => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
    };
    if promela::read(source.file, &text, source.dir, &[]).is_err() {
        let message = "it uses a name that is declared after it, or that means something else there";
        return Err(Refusal::new("names", None, message));
    }
    let network = reduced(components, &plans);
    Ok(Replaced { text, preprocessed, network, marks, names, forks, plans })
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
