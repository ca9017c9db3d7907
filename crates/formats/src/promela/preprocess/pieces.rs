//! Preprocessing tokens: what a file is cut into before macros are expanded.

use std::rc::Rc;

/// What a piece is, as far as macros care.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name, which may be that of a macro.
    Word,
    /// A C preprocessing number: `1..N` is one, so that `N` in it is not replaced.
    Number,
    /// `"…"` or `'…'`
    Quoted,
    /// Anything else.
    Symbol,
    /// The end of a line outside comments.
    Newline,
}

/// A piece of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    pub kind: Kind,
    pub text: Rc<str>,
    /// Bytes of the file.
    pub start: usize,
    pub end: usize,
    /// Whether blank or a comment stands before it.
    pub blank: bool,
}

/// Symbols that must not fall apart where a macro brings them in; longest first.
const SYMBOLS: [&str; 20] = [
    "<->", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "!!", "??", "&&", "||", "..", "##", "/\\",
    "\\/", "[]",
];

/// Cuts a text into pieces. An unclosed comment is given as its place; what it holds is skipped.
pub fn cut(text: &str) -> (Vec<Piece>, Option<usize>) {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut unclosed = None;
    let bytes = text.as_bytes();
    let (mut at, mut blank) = (0, false);
    while at < text.len() {
        let rest = &text[at..];
        if let Some(length) = splice(rest) {
            at += length;
            blank = true;
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(length) => at += length + 4,
                None => {
                    unclosed = Some(at);
                    at = text.len();
                }
            }
            blank = true;
            continue;
        }
        if rest.starts_with("//") {
            at += line_end(rest);
            blank = true;
            continue;
        }
        let first = bytes[at];
        let (kind, length) = match first {
            b'\n' => (Kind::Newline, 1),
            b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' | 0 => {
                at += 1;
                blank = true;
                continue;
            }
            b'"' | b'\'' => match quoted(rest) {
                Some(length) => (Kind::Quoted, length),
                None => (Kind::Symbol, 1),
            },
            b if b.is_ascii_alphabetic() || b == b'_' => {
                (Kind::Word, rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count())
            }
            b if b.is_ascii_digit() => (Kind::Number, number(rest)),
            _ => {
                let single = rest.chars().next().map_or(1, char::len_utf8);
                (Kind::Symbol, SYMBOLS.iter().find(|s| rest.starts_with(**s)).map_or(single, |s| s.len()))
            }
        };
        let end = at + length;
        pieces.push(Piece { kind, text: text[at..end].into(), start: at, end, blank });
        at = end;
        blank = false;
    }
    // A last line without an end counts as one with.
    if pieces.last().is_some_and(|p| p.kind != Kind::Newline) {
        let end = text.len();
        pieces.push(Piece { kind: Kind::Newline, text: "\n".into(), start: end, end, blank: false });
    }
    (pieces, unclosed)
}

/// The length of a backslash at the end of a line, blanks and the line end included.
fn splice(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('\\')?;
    let blanks = after.bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
    (after.as_bytes().get(blanks) == Some(&b'\n')).then_some(blanks + 2)
}

/// How far a `//` comment reaches: a backslash at the end of its line continues it.
fn line_end(rest: &str) -> usize {
    let mut at = 0;
    while let Some(length) = rest[at..].find('\n') {
        at += length;
        if !rest[..at].trim_end_matches('\r').ends_with('\\') {
            return at;
        }
        at += 1;
    }
    rest.len()
}

/// The length of a string or character with its quotes, if it ends on its line.
fn quoted(rest: &str) -> Option<usize> {
    let quote = rest.as_bytes()[0];
    let mut bytes = rest.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'\n' => return None,
            b if b == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of a C preprocessing number.
fn number(rest: &str) -> usize {
    let mut before = 0;
    let belongs = |b: u8| {
        let sign = matches!(b, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
        before = b;
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.') || sign
    };
    rest.bytes().map(belongs).take_while(|b| *b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        cut(text).0.iter().map(|p| p.text.to_string()).collect()
    }

    #[test]
    fn pieces_are_those_of_c() {
        assert_eq!(texts("1..N :: a->b"), ["1..N", "::", "a", "->", "b", "\n"]);
        assert_eq!(texts("a /* b\n c */ d // e\nf"), ["a", "d", "\n", "f", "\n"]);
        assert_eq!(texts("a \\\r\n b \"c\\\"d\" 'x' don't"), ["a", "b", "\"c\\\"d\"", "'x'", "don", "'", "t", "\n"]);
        assert_eq!(cut("a /* b").1, Some(2));
        assert_eq!(texts("// a \\\n b\nc"), ["\n", "c", "\n"]);
    }
}
