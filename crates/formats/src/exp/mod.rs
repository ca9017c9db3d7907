//! CADP networks, `.exp`: a subset of EXP 2.0, brought into the form of a flat [`Network`].
//!
//! Read are file references, parentheses, `||`, `|||`, `|[…]|`, `par` with interfaces, `par using` vectors, `hide` and `rename`.
//! Where the language leaves a choice, or is easily misread:
//!
//! * `A || B` is full synchronisation, as in LOTOS: an action that only one side has never happens. Operators of one kind
//!   in a row are one n-ary composition; otherwise they associate to the right.
//! * In `par S in S1 -> B1 || S2 -> B2 …`, an action of `S` moves all operands together; an action listed by some operands
//!   moves exactly those that list it, and each operand that does not list it takes it on its own; the rest interleaves.
//! * Lists match gates unless `label` (for `par`) or `total` (for `hide`, `rename`) says whole labels. Whichever it is,
//!   only equal labels synchronise: gate `G` makes `G !1` of one operand meet `G !1` of another, never `G !2`.
//! * In `par using`, vectors match gates or whole labels likewise; with gates, all participants must agree on the offers,
//!   and the result keeps them. A label that no vector takes up never happens.
//! * Of several `rename` rules the first that matches is taken. The result is not looked at again.
//! * tau never synchronises, and is not touched by any list; what is renamed to a name of tau is hidden.
//! * Labels and keywords are case-sensitive. `rate` labels are labels like others (CADP without `-rate`).

mod compose;
mod grammar;
mod lexer;
mod link;
mod pattern;
mod syntax;
mod write;

pub(crate) use pattern::SPECIAL;
pub use write::{Unwritable, write};

use crate::aut;
use crate::diag::{Diagnostic, Place, Read};
use prequel_model::watch::Watch;
use prequel_model::{Network, Origin};
use std::path::Path;

/// Findings of one kind that are listed before the rest is only counted.
const MOST_FINDINGS: usize = 20;

/// Something wrong at a place of a text.
#[derive(Clone, Debug)]
struct Fault {
    span: syntax::Span,
    message: String,
    help: String,
}

impl Fault {
    fn new(span: syntax::Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: help.into() }
    }
}

/// A text that is being read: the file itself, or one that it includes.
struct Source {
    file: String,
    text: String,
}

/// Errors and warnings so far.
#[derive(Default)]
struct Findings {
    errors: Vec<Diagnostic>,
    more_errors: usize,
    warnings: Vec<Diagnostic>,
    more_warnings: usize,
}

impl Findings {
    fn error(&mut self, source: &Source, fault: Fault) {
        // Places are counted out from the start of the text, so a place that is not shown must not be computed.
        if self.errors.len() >= MOST_FINDINGS {
            self.more_errors += 1;
            return;
        }
        let place = Place::in_text(source.text.as_bytes(), fault.span);
        self.errors.push(Diagnostic::error(&*source.file, fault.message).at(place).help(fault.help));
    }

    fn warn(&mut self, source: &Source, fault: Fault) {
        if self.warnings.len() >= MOST_FINDINGS {
            self.more_warnings += 1;
            return;
        }
        let place = Place::in_text(source.text.as_bytes(), fault.span);
        self.warnings.push(Diagnostic::warning(&*source.file, fault.message).at(place).help(fault.help));
    }

    fn failed(&self) -> bool {
        !self.errors.is_empty()
    }

    fn into_errors(mut self, file: &str) -> Vec<Diagnostic> {
        if self.more_errors > 0 {
            let message = format!("and {} more errors like these", self.more_errors);
            self.errors.push(Diagnostic::error(file, message));
        }
        self.errors
    }

    fn into_warnings(mut self, file: &str) -> Vec<Diagnostic> {
        if self.more_warnings > 0 {
            let message = format!("and {} more warnings like these", self.more_warnings);
            self.warnings.push(Diagnostic::warning(file, message));
        }
        self.warnings
    }
}

/// Reads a network and the files it refers to.
///
/// `file` is what messages call the text; paths in it are looked up from `dir`, then from the folder above, then by their
/// last part in `dir`. `dialect` says what tau is called, in the component files and in the text itself.
pub fn read(file: &str, text: &[u8], dir: &Path, dialect: &aut::Dialect) -> Read<(Network, Origin)> {
    read_within(file, text, dir, dialect, &Watch::default())
}

/// The same for as long as it is allowed.
pub fn read_within(
    file: &str,
    text: &[u8],
    dir: &Path,
    dialect: &aut::Dialect,
    watch: &Watch,
) -> Read<(Network, Origin)> {
    let mut findings = Findings::default();
    let linked = link::link(file, text, dir, &mut findings);
    let Some(linked) = linked else { return Err(findings.into_errors(file)) };
    let Some(loaded) = link::load(&linked, dialect, watch, &mut findings) else {
        return Err(findings.into_errors(file));
    };
    match compose::compose(&linked, &loaded, dialect, &mut findings) {
        Some(network) if !findings.failed() => Ok((network, findings.into_warnings(file))),
        _ => Err(findings.into_errors(file)),
    }
}

/// Whether this is a test script of DejaGnu (Tcl), which has the same file extension.
fn is_script(text: &str) -> bool {
    const COMMANDS: [&str; 14] = [
        "#", "proc", "set", "load_lib", "spawn", "send", "expect", "foreach", "global", "package", "source", "puts",
        "if", "catch",
    ];
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let command = first.split(|c: char| c.is_whitespace() || c == '{').next().unwrap_or_default();
    // A comment sign may be followed by anything at once; the commands need something after them.
    first.starts_with('#') || (COMMANDS.contains(&command) && first.len() > command.len())
}

#[cfg(test)]
mod tests;
