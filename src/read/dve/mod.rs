//! DVE, the language of the BEEM models: processes as automata over variables and channels.
//!
//! `system sync` is refused; `accept` and `property` say something of infinite runs and are passed over.

mod grammar;
mod lexer;
pub mod syntax;

use super::errors::Errors;
use super::tokens::{Notes, Tokens};
use crate::diag::{Diagnostic, Place, Read};
use lexer::{Kind, Token};
use nom::Input;
use syntax::{Expression, System};

/// Reads a file; names are not looked up yet.
pub fn read(file: &str, text: &[u8]) -> Read<System> {
    let text_of = String::from_utf8_lossy(text);
    let (tokens, faults) = lexer::lex(&text_of);
    let bytes = text_of.as_bytes();
    let mut errors = Errors::default();
    for (span, message) in faults {
        let help = "comments are `// …` and `/* … */`";
        errors.push(|| Diagnostic::error(file, message).at(Place::in_text(bytes, span)).help(help));
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
                errors.push(|| notes.diagnostic(file, bytes, &tokens));
                input = behind(input);
            }
        }
    }
    if system.processes.is_empty() && errors.is_empty() {
        let help = "a model has at least one `process NAME { … }`, and ends with `system async;`";
        errors.push(|| {
            Diagnostic::error(file, "there is no process in this file").at(Place::in_text(bytes, 0..0)).help(help)
        });
    }
    errors.none(file)?;
    system.text = text_of.into_owned();
    Ok((system, Vec::new()))
}

/// Reads a goal; `option` is what messages call it.
pub fn read_goal(option: &str, text: &str) -> Result<Expression, Vec<Diagnostic>> {
    let (tokens, faults) = lexer::lex(text);
    if let Some((span, message)) = faults.into_iter().next() {
        let help = "goals are expressions over variables, `process.state` and `process->variable`";
        return Err(vec![Diagnostic::error(option, message).at(Place::in_text(text.as_bytes(), span)).help(help)]);
    }
    let notes = Notes::default();
    let goal = grammar::goal(Tokens::new(&tokens, &notes));
    goal.map(|(_, goal)| goal).map_err(|_| vec![notes.diagnostic(option, text.as_bytes(), &tokens)])
}

/// Where to go on after an error: at the next process, or at the end.
fn behind<'t, 'a>(input: Tokens<'t, 'a, Kind>) -> Tokens<'t, 'a, Kind> {
    let starts = |token: &Token<'_>| token.kind == Kind::Word && matches!(token.text, "process" | "system");
    let skipped = input.iter_elements().skip(1).position(|token| starts(&token));
    input.take_from(skipped.map_or(input.input_len(), |skipped| skipped + 1))
}

#[cfg(test)]
mod tests;
