//! What texts given on the command line have in common: faults with a place, and quoted names.

use crate::diag::{Diagnostic, Place};
use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult};
use std::ops::Range;

/// What a parser of an inline text says where the text does not fit its grammar.
#[derive(Debug)]
pub struct Fault<'a> {
    /// The text from the place of the fault on.
    rest: &'a str,
    message: String,
    help: String,
}

/// What such a parser gives.
pub type Parsed<'a, T> = IResult<&'a str, T, Fault<'a>>;

impl<'a> ParseError<&'a str> for Fault<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> Self {
        Self { rest, message: "unexpected text".into(), help: String::new() }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Ends parsing at `rest` for good.
pub fn fail<'a, T>(rest: &'a str, message: impl Into<String>, help: impl Into<String>) -> Parsed<'a, T> {
    Err(Err::Failure(Fault { rest, message: message.into(), help: help.into() }))
}

/// The error for a byte range of the text of an option.
pub fn error(option: &str, text: &str, span: Range<usize>, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::error(option, message).at(Place::in_text(text.as_bytes(), span)).help(help)
}

/// The error for what stopped a parser; the caret is under the first character it could not take.
pub fn stopped(option: &str, text: &str, stop: Err<Fault>) -> Diagnostic {
    match stop {
        Err::Error(fault) | Err::Failure(fault) => {
            let at = text.len() - fault.rest.len();
            let width = fault.rest.chars().next().map_or(0, char::len_utf8);
            error(option, text, at..at + width, fault.message, &fault.help)
        }
        // Complete parsers never ask for more.
        Err::Incomplete(_) => error(option, text, text.len()..text.len(), "the text is cut off", ""),
    }
}

/// Reads text in quotes: `\` before the quote or before another `\` stands for the second character alone.
///
/// The input starts with the quote that also ends it.
pub fn quoted(input: &str) -> Parsed<'_, String> {
    let mut chars = input.char_indices().peekable();
    let Some((_, quote)) = chars.next() else { return fail(input, "expected a quote", "") };
    let mut name = String::new();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Ok((&input[at + c.len_utf8()..], name));
        }
        let escaped = chars.peek().map(|&(_, next)| next).filter(|&next| c == '\\' && (next == quote || next == '\\'));
        name.push(escaped.unwrap_or(c));
        if escaped.is_some() {
            chars.next();
        }
    }
    fail(input, "this quote is not closed", format!("end the name with {quote}"))
}

/// Writes text so that [`quoted`] reads it.
pub fn in_quotes(name: &str, quote: char) -> String {
    let mut text = String::from(quote);
    for c in name.chars() {
        if c == quote || c == '\\' {
            text.push('\\');
        }
        text.push(c);
    }
    text.push(quote);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_read_back() {
        for name in ["", "a", "it's", "\"", "\\", "\\\\'", "a\\", "\\n", "é\"é"] {
            for quote in ['"', '\''] {
                let text = in_quotes(name, quote) + "rest";
                let (rest, read) = quoted(&text).unwrap();
                assert_eq!((rest, &*read), ("rest", name));
            }
        }
        assert_eq!(quoted("'a\\nb'").unwrap().1, "a\\nb", "no other escapes");
        assert!(quoted("'abc").is_err() && quoted("'").is_err() && quoted("").is_err());
    }
}
