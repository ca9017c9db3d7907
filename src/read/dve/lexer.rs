//! Words, numbers and symbols of `.dve` files.

use super::syntax::Span;
use crate::read::tokens;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// Digits.
    Number,
    /// Everything else.
    Symbol,
}

/// A token of a `.dve` file.
pub type Token<'a> = tokens::Token<'a, Kind>;

/// Longer ones first.
const SYMBOLS: [&str; 35] = [
    "->", "=>", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^",
    "~", "!", "?", "{", "}", "(", ")", "[", "]", ",", ";", ":", ".", "@",
];

/// What is no token: where, and what is wrong with it.
pub type Fault = (Span, String);

/// Cuts a text into tokens; what is none is reported and left out.
pub fn lex(text: &str) -> (Vec<Token<'_>>, Vec<Fault>) {
    let (mut tokens, mut faults) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some(length) = comment.find("*/") else {
                faults.push((at..at + 2, "this comment does not end".into()));
                break;
            };
            at += length + 4;
        } else {
            let while_true = |test: fn(char) -> bool| rest.find(|c| !test(c)).unwrap_or(rest.len());
            let (kind, length) = if first.is_ascii_digit() {
                (Kind::Number, while_true(|c| c.is_ascii_digit()))
            } else if first.is_ascii_alphabetic() || first == '_' {
                (Kind::Word, while_true(|c| c.is_ascii_alphanumeric() || c == '_'))
            } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                (Kind::Symbol, symbol.len())
            } else {
                let end = at + first.len_utf8();
                faults.push((at..end, format!("`{}` has no meaning here", first.escape_debug())));
                at = end;
                continue;
            };
            tokens.push(Token { kind, text: &rest[..length], start: at });
            at += length;
        }
    }
    (tokens, faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_symbols_are_as_long_as_they_can_be() {
        let (tokens, faults) = lex("q->q{guard a<=b-1;} // x\n/* y */ c!=1 $ d");
        let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        assert_eq!(texts, ["q", "->", "q", "{", "guard", "a", "<=", "b", "-", "1", ";", "}", "c", "!=", "1", "d"]);
        assert_eq!(faults, [(38..39, "`$` has no meaning here".to_owned())]);
        assert_eq!(lex("a /* b").1.len(), 1);
    }
}
