//! Promela, the language of SPIN 6.5, without embedded C.
//!
//! A model is read in steps: the C preprocessor, the lexer, the expansion of inlines, the separators that line ends stand
//! for, and the grammar. Each reports what it finds and goes on; every report stands at its place in the user's file.

mod grammar;
mod inlines;
mod lexer;
mod names;
mod preprocess;
mod separators;
pub mod source;
pub mod syntax;
pub mod visit;

use crate::diag::{Diagnostic, Read};
pub use lexer::{EMBEDDED, RESERVED};
use preprocess::Input;
use prequel_model::watch::Watch;
use separators::Token;
use source::{Origin, Sources, Span, Via};
use std::path::{Path, PathBuf};

/// A text as the user wrote it, and how to read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// What messages call it.
    pub name: String,
    /// As it is in the file.
    pub bytes: Vec<u8>,
    /// What it includes is looked up from here.
    pub folder: PathBuf,
    /// Macros, as with SPIN's `-D`.
    pub defines: Vec<(String, String)>,
    /// Whether C that is embedded in it may be compiled and run.
    pub allow_c: bool,
}

/// Findings that are listed before the rest is only counted.
const MOST_FINDINGS: usize = 20;

/// Something wrong at a place of a file.
#[derive(Clone, Debug)]
struct Fault {
    origin: Origin,
    message: String,
    help: String,
    /// What follows could only be misunderstood.
    fatal: bool,
}

impl Fault {
    fn new(origin: Origin, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { origin, message: message.into(), help: help.into(), fatal: false }
    }

    fn fatal(self) -> Self {
        Self { fatal: true, ..self }
    }
}

/// The span of a run of tokens.
fn span(first: &Token<'_>, last: &Token<'_>) -> Span {
    Span { first: first.start as u32, last: last.start as u32 }
}

/// A question about a model in its own words: an expression, or a formula, that uses its macros and globals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Goal<'a> {
    /// What messages call it.
    pub option: &'a str,
    /// The expression.
    pub text: &'a str,
}

/// Reads a model and the files that it includes.
///
/// `file` is what messages call the text; the files are looked up from `dir`. `defines` are macros, as with SPIN's `-D`.
pub fn read(file: &str, text: &[u8], dir: &Path, defines: &[(String, String)]) -> Read<syntax::Model> {
    read_within(file, text, dir, defines, &Watch::default())
}

/// The same for as long as it is allowed.
pub fn read_within(
    file: &str,
    text: &[u8],
    dir: &Path,
    defines: &[(String, String)],
    watch: &Watch,
) -> Read<syntax::Model> {
    let input = Input { file, text, dir, defines, known: None };
    read_all(input, Asked::Nothing, watch).map(|((model, _), warnings)| (model, warnings))
}

/// The same with a formula behind it, which is one of the model's own then, called `given`.
pub fn read_with_formula(text: &Text, formula: Goal<'_>, given: &str, watch: &Watch) -> Read<syntax::Model> {
    let Text { name, bytes, folder, defines, .. } = text;
    let input = Input { file: name, text: bytes, dir: folder, defines, known: None };
    read_all(input, Asked::Formula(formula, given), watch).map(|((model, _), warnings)| (model, warnings))
}

/// Reads a text that includes files which were read with another: they are not read again.
pub fn read_beside(
    file: &str,
    text: &[u8],
    dir: &Path,
    defines: &[(String, String)],
    known: &Sources,
) -> Read<syntax::Model> {
    let input = Input { file, text, dir, defines, known: Some(known) };
    read_all(input, Asked::Nothing, &Watch::default()).map(|((model, _), warnings)| (model, warnings))
}

/// Reads a model, and an expression about it if there is one. Files that are `known` are not read again.
pub fn read_with(
    file: &str,
    text: &[u8],
    dir: &Path,
    defines: &[(String, String)],
    goal: Option<Goal<'_>>,
    known: Option<&Sources>,
) -> Read<(syntax::Model, Option<syntax::Expression>)> {
    let asked = goal.map_or(Asked::Nothing, Asked::Goal);
    read_all(Input { file, text, dir, defines, known }, asked, &Watch::default())
}

/// What is read behind a model.
#[derive(Clone, Copy)]
enum Asked<'a> {
    Nothing,
    Goal(Goal<'a>),
    /// A formula, and what it is called.
    Formula(Goal<'a>, &'a str),
}

impl<'a> Asked<'a> {
    fn goal(self) -> Option<Goal<'a>> {
        match self {
            Asked::Nothing => None,
            Asked::Goal(goal) | Asked::Formula(goal, _) => Some(goal),
        }
    }
}

fn read_all(input: Input<'_>, asked: Asked<'_>, watch: &Watch) -> Read<(syntax::Model, Option<syntax::Expression>)> {
    let (mut sources, mut faults) = (Sources::default(), Vec::new());
    let output = preprocess::preprocess(input, asked.goal(), watch, &mut sources, &mut faults);
    let (mut units, mut expression) = (Vec::new(), None);
    if !faults.iter().any(|fault| fault.fatal) {
        let lexemes = lexer::lex(&output, &mut faults);
        let of_goal = |lexeme: &lexer::Lexeme<'_>| Some(lexeme.origin.file) == output.goal;
        let (model, goal) = lexemes.split_at(lexemes.iter().position(of_goal).unwrap_or(lexemes.len()));
        let expanded = inlines::expand(model, watch, &mut sources, &mut faults);
        if !faults.iter().any(|fault| fault.fatal) {
            let mut tokens = separators::separate(&expanded, &mut sources);
            units = grammar::read(&tokens, &sources, &mut faults);
            if let Some(file) = output.goal {
                let first = tokens.len();
                tokens.extend(separators::plain(goal, first, &mut sources));
                match asked {
                    Asked::Formula(_, given) => {
                        let read = grammar::read_formula(&tokens, first, file, &sources, &mut faults);
                        let name = |span| Some(syntax::Name { text: given.into(), span });
                        units.extend(read.map(|formula| {
                            // The place of the unit is not that of the formula.
                            let span = Span { last: formula.span.first, ..formula.span };
                            syntax::Unit::Ltl(syntax::Ltl { name: name(span), formula, span })
                        }));
                    }
                    _ => expression = grammar::read_goal(&tokens, first, file, &sources, &mut faults),
                }
            }
        }
    }
    if faults.is_empty() {
        names::check(&units, expression.as_ref(), &sources, &mut faults);
    }
    if faults.is_empty() {
        return Ok(((syntax::Model { units, sources }, expression), Vec::new()));
    }
    faults.sort_by_key(|fault| (fault.origin.file, fault.origin.start));
    let more = faults.len().saturating_sub(MOST_FINDINGS);
    let mut errors: Vec<Diagnostic> =
        faults.into_iter().take(MOST_FINDINGS).map(|fault| diagnostic(&sources, fault)).collect();
    if more > 0 {
        errors.push(Diagnostic::error(input.file, format!("and {more} more errors like these")));
    }
    Err(errors)
}

/// The text of a model as the preprocessor leaves it: without comments, macros and directives. None if that goes wrong. Files that
/// are `known` are not read again.
pub fn preprocessed(
    file: &str,
    text: &[u8],
    dir: &Path,
    defines: &[(String, String)],
    known: &Sources,
) -> Option<String> {
    let (mut sources, mut faults) = (Sources::default(), Vec::new());
    let input = Input { file, text, dir, defines, known: Some(known) };
    let output = preprocess::preprocess(input, None, &Watch::default(), &mut sources, &mut faults);
    faults.is_empty().then_some(output.text)
}

/// Whether a text, with what it includes, is meant as Promela: somewhere a process begins.
pub fn looks_so(file: &str, text: &[u8], dir: &Path, defines: &[(String, String)]) -> bool {
    let (mut sources, mut faults) = (Sources::default(), Vec::new());
    let input = Input { file, text, dir, defines, known: None };
    let output = preprocess::preprocess(input, None, &Watch::default(), &mut sources, &mut faults);
    let lexemes = lexer::lex(&output, &mut faults);
    lexemes.windows(3).any(|three| match three {
        [first, name, after] if first.is("proctype") => name.kind == lexer::Kind::Name && after.is("("),
        [first, brace, _] => first.is("init") && brace.is("{"),
        _ => false,
    })
}

/// The places of the lines for the preprocessor in a text, without their ends.
pub fn directives(text: &str) -> Vec<std::ops::Range<usize>> {
    preprocess::directives(text)
}

/// A fault with its place, and how the text came there.
fn diagnostic(sources: &Sources, fault: Fault) -> Diagnostic {
    let place = |origin: &Origin| {
        let found = sources.place_of(*origin);
        format!("{}:{}:{}", sources.files[origin.file as usize].name, found.line, found.column())
    };
    // An argument stands where the user wrote it.
    let mut via = sources.via(&fault.origin);
    while let Some(Via::Argument { own, .. }) = via {
        via = own.map(|own| &sources.vias[own as usize]);
    }
    let route = match via {
        Some(Via::Macro { name, definition: Some(definition) }) => {
            format!("; this is in the text of the macro `{name}`, defined at {}", place(definition))
        }
        Some(Via::Macro { name, definition: None }) => format!("; this is in the text of the macro `{name}`"),
        Some(Via::Call { name, call }) => format!("; this is in the inline `{name}`, called at {}", place(call)),
        Some(Via::Argument { .. }) | None => String::new(),
    };
    let file = sources.files.get(fault.origin.file as usize).map_or("", |file| &file.name);
    Diagnostic::error(file, fault.message).at(sources.place_of(fault.origin)).help(fault.help + &route)
}

#[cfg(test)]
mod tests;
