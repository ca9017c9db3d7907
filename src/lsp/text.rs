//! A text in an editor: what is wrong with it, what it declares, what its variables hold.

use super::place::{path, range};
use super::symbols::{Symbol, symbols};
use crate::job::{Info, Models, Silent, Values};
use crate::open::Format;
use lsp_types::{DiagnosticSeverity, Position, Range, Uri};
use prequel_formats::diag::{Diagnostic, Severity};
use prequel_formats::{aut, dve, pnml, promela, smv};
use prequel_model::Labels;
use prequel_model::run::{Limits, Run};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the values of variables are looked for when a pointer rests on one.
const PATIENCE: Duration = Duration::from_millis(500);

/// A text as it stands in the editor.
#[derive(Debug)]
pub struct Text {
    /// Where it belongs.
    pub path: PathBuf,
    /// All of it.
    pub text: String,
    /// What it declares: as it last could be read.
    pub symbols: Vec<Symbol>,
    /// What is wrong with it.
    pub found: Vec<Diagnostic>,
    /// What variables hold, once somebody asked: name and values.
    values: Option<Vec<(String, String)>>,
}

impl Text {
    /// A text that was opened or changed; `before` is what it was.
    pub fn new(uri: &Uri, text: String, before: Option<Text>) -> Self {
        let path = path(uri);
        let known = before.map(|before| before.symbols).unwrap_or_default();
        let mut new = Self { path, text, symbols: known, found: Vec::new(), values: None };
        new.read();
        new
    }

    /// What messages call it.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn read(&mut self) {
        let (name, bytes) = (self.name(), self.text.as_bytes());
        let folder = self.path.parent().unwrap_or(Path::new(""));
        self.found = match Format::of(&self.path) {
            None | Some(Format::Promela) => match promela::read(&name, bytes, folder, &[]) {
                Err(errors) => errors,
                Ok((model, mut warnings)) => {
                    self.symbols = symbols(&model);
                    let claims = prequel_program::Claim::Never;
                    match prequel_program::compile(&model, claims) {
                        Ok((_, more)) => warnings.extend(more),
                        Err(errors) => warnings.extend(errors),
                    }
                    warnings
                }
            },
            Some(Format::Dve) => match dve::read(&name, bytes) {
                Err(errors) => errors,
                Ok((system, mut warnings)) => {
                    let view = prequel_program::dve::View::Assertions;
                    match prequel_program::dve::compile(&system, view) {
                        Ok((_, more)) => warnings.extend(more),
                        Err(errors) => warnings.extend(errors),
                    }
                    warnings
                }
            },
            Some(Format::Aut) => {
                let read = aut::read_from(&name, bytes, &aut::Dialect::default(), &mut Labels::new());
                read.map_or_else(|errors| errors, |(_, warnings)| warnings)
            }
            Some(format) if format.is_net() && name.ends_with(".pnml") => {
                pnml::read(&name, bytes).map_or_else(|errors| errors, |(_, warnings)| warnings)
            }
            Some(_) if name.ends_with(".smv") => {
                smv::read(&name, bytes).map_or_else(|errors| errors, |(_, warnings)| warnings)
            }
            Some(_) => Vec::new(),
        };
    }

    /// What is wrong, for the editor. What stands in a file that is included is told at the first line.
    pub fn diagnostics(&self) -> Vec<lsp_types::Diagnostic> {
        let name = self.name();
        self.found.iter().map(|found| diagnostic(found, &name)).collect()
    }

    /// What a variable holds in all runs, as far as that is found out soon. It is the text as it was saved that is looked at.
    pub fn values_of(&mut self, name: &str, inside: Option<&str>) -> Option<String> {
        let full = inside.map_or_else(|| name.to_owned(), |process| format!("{process}:{name}"));
        if self.values.is_none() {
            self.values = Some(known_values(&self.path));
        }
        self.values.as_ref()?.iter().find(|(known, _)| *known == full).map(|(_, values)| values.clone())
    }
}

/// A finding as the protocol has it.
fn diagnostic(found: &Diagnostic, name: &str) -> lsp_types::Diagnostic {
    let elsewhere = found.file != name;
    let severity = match found.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    let start = Position { line: 0, character: 0 };
    let here = found.place.as_ref().filter(|_| !elsewhere).map_or(Range { start, end: start }, range);
    let head = if elsewhere { found.headline() } else { found.message.clone() };
    let help = found.help.as_ref().map_or_else(String::new, |help| format!("\n{help}"));
    lsp_types::Diagnostic {
        range: here,
        severity: Some(severity),
        source: Some("prequel".into()),
        message: head + &help,
        ..lsp_types::Diagnostic::default()
    }
}

/// What the variables of a saved model hold, as `prequel info` finds it.
fn known_values(path: &Path) -> Vec<(String, String)> {
    let run = Run::new(Limits { time: Some(PATIENCE), ..Limits::default() }, 0);
    let request = Info { models: Models::from(path.to_owned()), as_network: false };
    let Ok(crate::job::Description::Program(info)) = crate::job::info(&request, &run, &Silent) else {
        return Vec::new();
    };
    let told = |values: &Values| match values {
        Values::Unknown => None,
        Values::Always(value) => Some(format!("always {value}")),
        Values::Among(values) => Some(format!("one of {}", few(values.iter()))),
    };
    let globals = info.globals.iter().filter_map(|v| Some((v.name.clone(), told(&v.values)?)));
    let locals = info.processes.iter().flat_map(|process| {
        let named = |v: &crate::job::VariableInfo| Some((format!("{}:{}", process.name, v.name), told(&v.values)?));
        process.variables.iter().filter_map(named).collect::<Vec<_>>()
    });
    globals.chain(locals).collect()
}

/// The first few values.
fn few<'a>(values: impl ExactSizeIterator<Item = &'a i32>) -> String {
    let all = values.len();
    let shown: Vec<String> = values.take(16).map(ToString::to_string).collect();
    let more = if all > shown.len() { format!(", … {} more", all - shown.len()) } else { String::new() };
    shown.join(", ") + &more
}
