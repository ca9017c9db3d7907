//! Words, numbers and symbols of `.smv` files.

use super::syntax::Span;
use crate::read::tokens;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// A name in quotes, which may have any characters.
    Quoted,
    /// Digits.
    Number,
    /// Everything else.
    Symbol,
}

/// A token of a `.smv` file.
pub type Token<'a> = tokens::Token<'a, Kind>;

/// Longer ones first.
const SYMBOLS: [&str; 28] = [
    "<->", ":=", "->", "!=", "<=", ">=", "..", "&&", "||", "&", "|", "!", "=", "<", ">", "+", "-", "*", "/", "?", "{",
    "}", "(", ")", ",", ";", ":", ".",
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
        } else if let Some(comment) = rest.strip_prefix("/--") {
            let Some(length) = comment.find("--/") else {
                faults.push((at..at + 3, "this comment does not end".into()));
                break;
            };
            at += length + 6;
        } else if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else {
            let (kind, length) = if first.is_ascii_digit() {
                (Kind::Number, rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))
            } else if first.is_ascii_alphabetic() || first == '_' {
                (Kind::Word, word(rest))
            } else if first == '"' {
                match rest[1..].find(['"', '\n']).filter(|&end| rest[1 + end..].starts_with('"')) {
                    Some(end) => (Kind::Quoted, end + 2),
                    None => {
                        faults.push((at..at + 1, "this name in quotes does not end".into()));
                        at += 1;
                        continue;
                    }
                }
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

/// How long the word is that a text begins with. As in NuSMV a minus can be inside a name, though not at its end: `a->b` is an
/// implication.
fn word(text: &str) -> usize {
    let bytes = text.as_bytes();
    let inside = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || b"_$#".contains(b));
    let mut end = 1;
    while inside(end) || (bytes.get(end) == Some(&b'-') && inside(end + 1)) {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_a_minus_can_be_in_a_name() {
        let (tokens, faults) = lex("a-1 := b->c; -- x\n/-- y --/ 0..7 d--z\n\"odd name\" % <->");
        let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
        assert_eq!(texts, ["a-1", ":=", "b", "->", "c", ";", "0", "..", "7", "d", "\"odd name\"", "<->"]);
        assert_eq!(faults, [(49..50, "`%` has no meaning here".to_owned())]);
        assert_eq!(lex("a /-- b").1.len(), 1);
        assert_eq!(lex("a \"b\n").1.len(), 1);
    }
}
