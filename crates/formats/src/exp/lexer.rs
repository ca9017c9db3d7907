//! Words, quoted strings and symbols of `.exp` files.

use super::Fault;
use crate::text::words::{Kind, Token};
use std::borrow::Cow;

/// Longest first, so that `|||` is not `||` and `|`.
const SYMBOLS: [&str; 12] = ["|||", "||", "|[", "]|", "->", "*", ",", "(", ")", "#", ">", ";"];

/// Cuts a text into tokens; what is none is reported and left out.
pub fn lex(text: &str) -> (Vec<Token<'_>>, Vec<Fault>) {
    let (mut tokens, mut faults) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().expect("not at the end");
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(comment) = rest.strip_prefix("(*") {
            let Some(length) = comment.find("*)") else {
                faults.push(Fault::new(at..at + 2, "this comment does not end", "close it with `*)`"));
                break;
            };
            at += length + 4;
            continue;
        }
        let (kind, length) = if first == '"' {
            let Some(length) = quoted(rest) else {
                let line = rest.find('\n').unwrap_or(rest.len());
                let end = at + rest[..line].trim_end().len();
                faults.push(Fault::new(at..end, "this string does not end", "close it with `\"` on the same line"));
                at += line;
                continue;
            };
            (Kind::Quoted, length)
        } else if let Some(length) = word(rest) {
            (Kind::Word, length)
        } else if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            (Kind::Symbol, symbol.len())
        } else {
            let end = at + first.len_utf8();
            let help = "labels with other characters than letters, digits and `_` are written in double quotes";
            faults.push(Fault::new(at..end, format!("`{}` has no meaning here", first.escape_debug()), help));
            at = end;
            continue;
        };
        tokens.push(Token { kind, text: &rest[..length], start: at });
        at += length;
    }
    (tokens, faults)
}

/// The length of a string with its quotes; a backslash takes the quote or backslash after it along.
fn quoted(rest: &str) -> Option<usize> {
    let mut bytes = rest.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at + 1),
            b'\n' => return None,
            b'\\' if matches!(rest.as_bytes().get(at + 1), Some(b'"' | b'\\')) => {
                bytes.next();
            }
            _ => {}
        }
    }
    None
}

/// The length of a word: names, numbers and paths. A dash belongs to it unless it starts `->` or `--`.
fn word(rest: &str) -> Option<usize> {
    let mut length = 0;
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        let dash = c == '-' && length > 0 && chars.peek().is_some_and(|next| next.is_alphanumeric());
        if !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '\'' | '~' | '$' | '%' | '@') || dash) {
            break;
        }
        length += c.len_utf8();
    }
    (length > 0).then_some(length)
}

/// What a token stands for: a string loses its quotes, and `\"` and `\\` inside become the second character.
pub fn unquoted<'a>(token: &Token<'a>) -> Cow<'a, str> {
    if token.kind != Kind::Quoted {
        return token.text.into();
    }
    let inner = &token.text[1..token.text.len() - 1];
    if !inner.contains('\\') {
        return inner.into();
    }
    unescaped(inner, |next| matches!(next, '"' | '\\')).into()
}

/// Drops each backslash before a character that `escapable` accepts.
pub fn unescaped(text: &str, escapable: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.next_if(|&next| c == '\\' && escapable(next)) {
            Some(next) => out.push(next),
            None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let (tokens, faults) = lex(text);
        assert!(faults.is_empty(), "{faults:?}");
        tokens.iter().map(|t| t.text).collect()
    }

    #[test]
    fn symbols_comments_and_dashes() {
        assert_eq!(texts("a|||b || c|[G,H]|d"), ["a", "|||", "b", "||", "c", "|[", "G", ",", "H", "]|", "d"]);
        assert_eq!(texts("a->b-c -- d\n(* e\n* ) *)f"), ["a", "->", "b-c", "f"]);
        assert_eq!(texts("../x/y.aut _ * 'a"), ["../x/y.aut", "_", "*", "'a"]);
    }

    #[test]
    fn strings_unescape_quotes_and_backslashes_only() {
        let (tokens, _) = lex(r#""a \"b\" \\ \n" "x\\" y"#);
        let read: Vec<_> = tokens.iter().map(unquoted).collect();
        assert_eq!(read, [r#"a "b" \ \n"#, r"x\", "y"]);
    }

    #[test]
    fn every_fault_is_reported_once() {
        let (tokens, faults) = lex("a { \"b\nc } (* d");
        assert_eq!(tokens.iter().map(|t| t.text).collect::<Vec<_>>(), ["a", "c"]);
        let messages: Vec<&str> = faults.iter().map(|f| &*f.message).collect();
        let expected = [
            "`{` has no meaning here",
            "this string does not end",
            "`}` has no meaning here",
            "this comment does not end",
        ];
        assert_eq!(messages, expected);
    }
}
