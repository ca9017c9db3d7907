//! DVE, the language of the BEEM models: processes as automata over variables and channels.
//!
//! `system sync` is refused. A property process and its accepting states say something of runs without an end.

mod grammar;
mod lexer;
pub mod syntax;

use crate::diag::{Diagnostic, Read};
use crate::text::findings::Findings;
use crate::text::tokens::{Notes, Tokens};
use crate::text::words::Kind;
use lexer::LEXIS;
use syntax::{Expression, System};

/// Reads a file; names are not looked up yet.
pub fn read(file: &str, text: &[u8]) -> Read<System> {
    let text_of = String::from_utf8_lossy(text);
    let (tokens, faults) = LEXIS.cut(&text_of);
    let mut findings = Findings::new(file, text_of.as_bytes());
    for (span, message) in faults {
        findings.error(span, message, "comments are `// …` and `/* … */`");
    }
    let notes = Notes::default();
    let mut system = System { file: file.into(), ..System::default() };
    let mut input = Tokens::new(&tokens, &notes);
    while input.first().is_some() {
        match grammar::unit(input) {
            Ok((rest, unit)) => {
                grammar::add(&mut system, unit);
                input = rest;
            }
            Err(_) => {
                findings.errors.push(|| notes.diagnostic(file, text_of.as_bytes(), &tokens));
                input = input.skip_to(|token| token.kind == Kind::Word && matches!(token.text, "process" | "system"));
            }
        }
    }
    if system.processes.is_empty() && findings.errors.is_empty() {
        let help = "a model has at least one `process NAME { … }`, and ends with `system async;`";
        findings.error(0..0, "there is no process in this file", help);
    }
    findings.none()?;
    system.text = text_of.into_owned();
    Ok((system, Vec::new()))
}

/// Reads a goal; `option` is what messages call it.
pub fn read_goal(option: &str, text: &str) -> Result<Expression, Vec<Diagnostic>> {
    let help = "goals are expressions over variables, `process.state` and `process->variable`";
    LEXIS.goal(option, text, help, grammar::goal)
}

#[cfg(test)]
mod tests;
