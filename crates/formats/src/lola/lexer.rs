//! Words and delimiters of LoLA files. A word is whatever has no blank and no delimiter in it, as in LoLA's own lexer.

use crate::diag::Span;
use crate::text::tokens;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A keyword in capital letters.
    Keyword,
    /// A name or a number; numbers are names too.
    Word,
    /// `,` `;` `:` `(` `)`
    Symbol,
}

/// A token of a LoLA file.
pub type Token<'a> = tokens::Token<'a, Kind>;

const KEYWORDS: [&str; 15] = [
    "PLACE",
    "MARKING",
    "TRANSITION",
    "CONSUME",
    "PRODUCE",
    "SAFE",
    "WEAK",
    "STRONG",
    "FAIR",
    "SORT",
    "FUNCTION",
    "VAR",
    "GUARD",
    "NET",
    "CONSTANT",
];

/// Whether a name can be written as one word that is no keyword.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with("/*") && word(text) == text.len() && !KEYWORDS.contains(&text)
}

/// How long the word is that a text starts with.
pub fn word(text: &str) -> usize {
    text.find(|c: char| c.is_whitespace() || ",;:(){}".contains(c)).unwrap_or(text.len())
}

/// How much blank and comment a text starts with; `Err` is a comment that does not end.
///
/// `{ … }` goes to the last `}` of its line, or over lines to the first one. `/*` starts a comment only where it is a word by
/// itself: in LoLA the longer match wins, and `/*x` is a name.
pub fn blank(text: &str) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first == '{' {
            let line = rest.find('\n').unwrap_or(rest.len());
            at += rest[..line].rfind('}').or_else(|| rest.find('}')).ok_or(at)? + 1;
        } else if rest.starts_with("/*") && word(rest) == 2 {
            at += rest[2..].find("*/").ok_or(at)? + 4;
        } else {
            break;
        }
    }
    Ok(at)
}

/// Cuts a text into tokens; a comment that does not end is the end of them.
pub fn lex(text: &str) -> (Vec<Token<'_>>, Option<Span>) {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        match blank(&text[at..]) {
            Ok(skipped) => at += skipped,
            Err(start) => return (tokens, Some(at + start..at + start + 1)),
        }
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { return (tokens, None) };
        let (kind, length) = match word(rest) {
            0 => (Kind::Symbol, first.len_utf8()),
            length if KEYWORDS.contains(&&rest[..length]) => (Kind::Keyword, length),
            length => (Kind::Word, length),
        };
        tokens.push(Token { kind, text: &rest[..length], start: at });
        at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_match_wins() {
        let texts = |text| -> Vec<&str> { lex(text).0.iter().map(|token| token.text).collect() };
        assert_eq!(texts("a/b /* c */ d"), ["a/b", "d"]);
        assert_eq!(texts("/*x */* {a} b} y:2"), ["/*x", "*/*", "y", ":", "2"]);
        assert_eq!(texts("{ over\nlines } x"), ["x"]);
        assert_eq!(lex("a { b").1, Some(2..3));
        assert_eq!(lex("a /* b").1, Some(2..3));
    }
}
