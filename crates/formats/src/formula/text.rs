//! Property files of the Model Checking Contest as text: `Property NAME "what it is about" is: FORMULA end.`, any number of them.

use super::condition::Names;
use super::{Formula, lexer, parsed};
use crate::diag::Span;
use crate::diag::{Diagnostic, Place, Read};
use crate::text::errors::Errors;
use prequel_model::Net;

/// The word that such a file starts with.
pub const FIRST: &str = "Property";
const HELP: &str = "a property is `Property NAME \"comment\" is: FORMULA end.`";

/// Reads all formulas of a file.
pub fn read(file: &str, text: &str, net: &Net) -> Read<Vec<Formula>> {
    let (mut errors, mut told) = (Errors::default(), Vec::new());
    let mut names = Names::new(net);
    let mut formulas: Vec<Formula> = Vec::new();
    let mut at = blanks(text, 0);
    while at < text.len() {
        let (name, body, next) = match property(text, at) {
            Ok(found) => found,
            Err((span, message)) => {
                let error = Diagnostic::error(file, message).at(Place::in_text(text.as_bytes(), span)).help(HELP);
                errors.push(|| error);
                break;
            }
        };
        at = blanks(text, next);
        // The formula is cut with everything before it blank, so that places are those of the file.
        let tree = match lexer::inline(&text[body.clone()]) {
            Ok(mut tokens) => {
                tokens.iter_mut().for_each(|token| token.start += body.start);
                parsed(file, text, &tokens)
            }
            Err((span, message)) => {
                let place = Place::in_text(text.as_bytes(), body.start + span.start..body.start + span.end);
                Err(vec![Diagnostic::error(file, message).at(place).help(HELP)])
            }
        };
        match tree {
            Ok(tree) => formulas.push(Formula { name: name.into(), query: names.query_of(&tree, (file, text)) }),
            Err(wrong) => told.extend(wrong),
        }
    }
    told.into_iter().for_each(|error| errors.push(|| error));
    errors.none(file)?;
    names.finish(file)?;
    Ok((formulas, Vec::new()))
}

/// The property that starts at a byte: its name, where its formula stands, and where the property ends.
fn property(text: &str, at: usize) -> Result<(&str, Span, usize), (Span, String)> {
    let expected = |at: usize, what: &str| (at..at + 1, format!("expected {what}"));
    let rest = text[at..].strip_prefix(FIRST).filter(|rest| rest.starts_with(char::is_whitespace));
    let rest = rest.ok_or_else(|| expected(at, "`Property`"))?;
    let start = blanks(text, text.len() - rest.len());
    let length = text[start..].find(char::is_whitespace).unwrap_or(text.len() - start);
    let name = &text[start..start + length];
    if name.is_empty() {
        return Err(expected(start, "a name"));
    }
    let mut at = blanks(text, start + length);
    if text[at..].starts_with('"') {
        let end = text[at + 1..].find('"').ok_or_else(|| (at..at + 1, "this quote is not closed".to_owned()))?;
        at = blanks(text, at + end + 2);
    }
    let rest = text[at..].strip_prefix("is:").ok_or_else(|| expected(at, "`is:`"))?;
    let body = text.len() - rest.len();
    let end = rest.match_indices("end.").find(|(at, _)| rest[..*at].ends_with(char::is_whitespace));
    let end = end.ok_or_else(|| expected(text.trim_end().len(), "`end.`"))?.0;
    Ok((name, body..body + end, body + end + "end.".len()))
}

/// The first byte from here on that is no blank.
fn blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start().len()
}
