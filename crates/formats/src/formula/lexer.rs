//! Words, names and signs of conditions: as LoLA cuts them in files, and as `--reach` does.

use crate::lola::lexer::{blank, word};
use crate::text::inline;
use crate::text::words::{Fault, Kind, Token};

/// Signs that stand for themselves where blanks are around them.
const SIGNS: [&str; 21] =
    ["<->", "->", "<=", ">=", "!=", "<>", "==", "&&", "||", "<", ">", "=", "#", "+", "-", "*", "&", "|", "!", "(", ")"];

/// Cuts a LoLA formula: whatever has no blank and no delimiter in it is one word.
pub fn lola(text: &str) -> Result<Vec<Token<'_>>, Fault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at +=
            blank(&text[at..]).map_err(|start| (at + start..at + start + 1, "this comment does not end".to_owned()))?;
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { return Ok(tokens) };
        let (kind, length) = match word(rest) {
            0 => (Kind::Symbol, first.len_utf8()),
            length if SIGNS.contains(&&rest[..length]) => (Kind::Symbol, length),
            length => (Kind::Word, length),
        };
        tokens.push(Token { kind, text: &rest[..length], start: at });
        at += length;
    }
}

/// Whether names of the command line may have a character without standing in quotes.
pub fn is_bare(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | ':' | '@')
}

/// Cuts a text of the command line: names are of letters, digits and a few signs, or stand in quotes.
pub fn inline(text: &str) -> Result<Vec<Token<'_>>, Fault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = if first == '\'' || first == '"' {
            let (behind, _) = inline::quoted(rest).map_err(|_| (at..at + 1, "this quote is not closed".to_owned()))?;
            (Kind::Quoted, rest.len() - behind.len())
        } else if is_bare(first) {
            // A hyphen between letters belongs to a name, as in `is-fireable`.
            let mut length = 0;
            let mut chars = rest.char_indices().peekable();
            while let Some((start, c)) = chars.next() {
                let letter_next = chars.peek().is_some_and(|&(_, next)| next.is_alphabetic());
                let inner = c == '-' && first.is_alphabetic() && letter_next;
                if !is_bare(c) && !inner {
                    break;
                }
                length = start + c.len_utf8();
            }
            (Kind::Word, length)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Kind::Symbol, sign.len())
        } else if first == ',' {
            (Kind::Symbol, 1)
        } else {
            return Err((at..at + first.len_utf8(), format!("`{}` has no meaning here", first.escape_debug())));
        };
        tokens.push(Token { kind, text: &rest[..length], start: at });
        at += length;
    }
    Ok(tokens)
}

/// The name that a token stands for.
pub fn name(token: &Token<'_>) -> String {
    match token.kind {
        Kind::Quoted => inline::quoted(token.text).map(|(_, name)| name).unwrap_or_default(),
        _ => token.text.to_owned(),
    }
}
