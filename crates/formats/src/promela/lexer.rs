//! Words, numbers and symbols of Promela, from text without macros.

use super::Fault;
use super::preprocess::Output;
use super::source::Origin;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name that is not reserved.
    Name,
    /// A reserved word.
    Keyword,
    /// Digits.
    Number,
    /// `'x'`
    Character,
    /// `"…"`
    Text,
    /// Punctuation, `->` included.
    Symbol,
    /// `;`, or a line end that stands for it.
    Separator,
    /// The name of an inline before its expansion.
    Call,
}

/// A token on its way to the grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lexeme<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub origin: Origin,
    /// A line ends before it.
    pub fresh: bool,
}

impl Lexeme<'_> {
    /// Whether it is this keyword or symbol.
    pub fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, Kind::Keyword | Kind::Symbol | Kind::Separator)
    }
}

/// Whether a symbol is an arrow between statements; SPIN takes a longer one for the same.
pub fn is_arrow(text: &str) -> bool {
    matches!(text, "->" | "-->")
}

/// Words that cannot be names. `in` is none: it is special in `for` only.
pub const RESERVED: [&str; 64] = [
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "D_proctype",
    "do",
    "chan",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "d_step",
    "select",
    "set_priority",
    "short",
    "skip",
    "timeout",
    "trace",
    "true",
    "show",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
];

/// What there is to do about embedded C.
pub const EMBEDDED: &str = "state it in Promela; with --allow-c, `--engine spin` lets SPIN compile and run it";

/// Longest first.
const SYMBOLS: [&str; 46] = [
    "-->", "<->", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "!!", "??", "&&", "||", "..", "/\\",
    "\\/", "[]", "<>", "{", "}", "(", ")", "[", "]", ",", ":", ".", "=", "+", "-", "*", "/", "%", "<", ">", "!", "~",
    "&", "|", "^", "?", "@", "#",
];

/// Cuts an expanded text into tokens.
pub fn lex<'a>(output: &'a Output, faults: &mut Vec<Fault>) -> Vec<Lexeme<'a>> {
    let mut lexer = Lexer { output, mark: 0, at: 0, fresh: true, depth: 0, lexemes: Vec::new(), faults };
    while lexer.step() {}
    lexer.lexemes
}

struct Lexer<'a, 'f> {
    output: &'a Output,
    /// The piece that the position is in.
    mark: usize,
    at: usize,
    fresh: bool,
    /// Open braces.
    depth: usize,
    lexemes: Vec<Lexeme<'a>>,
    faults: &'f mut Vec<Fault>,
}

impl<'a> Lexer<'a, '_> {
    /// The place of the next bytes.
    fn origin(&mut self, length: usize) -> Origin {
        let pieces = &self.output.pieces;
        while pieces.get(self.mark + 1).is_some_and(|next| next.start <= self.at) {
            self.mark += 1;
        }
        let Some(mark) = pieces.get(self.mark) else { return Origin { file: 0, start: 0, end: 0, via: None } };
        let origin = mark.origin;
        if origin.via.is_some() {
            return origin;
        }
        // Text of the file itself is there byte by byte.
        let start = (origin.start + self.at.saturating_sub(mark.start) as u32).min(origin.end);
        Origin { start, end: start + length as u32, ..origin }
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let text = &self.output.text[self.at..self.at + length];
        let origin = self.origin(length);
        let fresh = std::mem::replace(&mut self.fresh, false);
        self.lexemes.push(Lexeme { kind, text, origin, fresh });
        self.at += length;
    }

    fn fault(&mut self, length: usize, message: impl Into<String>, help: &str) {
        let origin = self.origin(length);
        self.faults.push(Fault::new(origin, message, help));
    }

    fn step(&mut self) -> bool {
        let rest: &'a str = &self.output.text[self.at..];
        let Some(first) = rest.chars().next() else { return false };
        match first {
            '\n' => {
                self.fresh = true;
                self.at += 1;
            }
            ' ' => self.at += 1,
            // SPIN skips the end of a comment that closed before, as nested comments leave it behind.
            '*' if rest.starts_with("*/") => self.at += 2,
            '"' => match quoted(rest) {
                Some(length) => self.push(Kind::Text, length),
                None => {
                    let line = rest.find('\n').unwrap_or(rest.len());
                    let length = rest[..line].trim_end().len();
                    self.fault(length, "this string does not end", "close it with `\"` on the same line");
                    self.push(Kind::Text, length);
                }
            },
            '\'' => match quoted(rest).filter(|length| character(&rest[..*length]).is_some()) {
                Some(length) => self.push(Kind::Character, length),
                None => {
                    self.fault(1, "this is no character", "write one character between quotes, as in 'x'");
                    self.at += quoted(rest).unwrap_or(1);
                }
            },
            '0'..='9' => self.push(Kind::Number, rest.bytes().take_while(u8::is_ascii_digit).count()),
            ';' => self.push(Kind::Separator, 1),
            'a'..='z' | 'A'..='Z' | '_' => {
                let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                self.word(&rest[..length]);
            }
            _ => match SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
                Some(symbol) => {
                    match *symbol {
                        "{" => self.depth += 1,
                        "}" => self.depth = self.depth.saturating_sub(1),
                        _ => {}
                    }
                    self.push(Kind::Symbol, symbol.len());
                }
                None => {
                    let message = format!("`{}` has no meaning in Promela", first.escape_debug());
                    self.fault(first.len_utf8(), message, "remove it; names consist of letters, digits and `_`");
                    self.at += first.len_utf8();
                }
            },
        }
        true
    }

    fn word(&mut self, word: &'a str) {
        match word {
            "c_code" | "c_decl" | "c_expr" | "c_state" | "c_track" => self.embedded(word),
            _ if RESERVED.contains(&word) => self.push(Kind::Keyword, word.len()),
            _ => self.push(Kind::Name, word.len()),
        }
    }

    /// Refuses embedded C and skips it, so that what follows is checked all the same.
    fn embedded(&mut self, word: &'a str) {
        let message = format!("`{word}` is embedded C, which cannot be read");
        self.fault(word.len(), message, EMBEDDED);
        let here = self.at;
        let mut at = here + word.len();
        let text = &self.output.text;
        let mut depth = 0usize;
        while let Some(c) = text[at..].chars().next() {
            match c {
                '"' => {
                    at += quoted(&text[at..]).unwrap_or(1);
                    continue;
                }
                '{' | '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                '}' => {
                    if depth == 0 {
                        break;
                    }
                    depth -= 1;
                    if depth == 0 {
                        at += 1;
                        break;
                    }
                }
                _ if depth > 0 || c.is_whitespace() => {}
                _ => break,
            }
            at += c.len_utf8();
        }
        if self.depth > 0 {
            // Stands for a statement or an operand.
            let origin = self.origin(word.len());
            let fresh = std::mem::replace(&mut self.fresh, false);
            self.lexemes.push(Lexeme { kind: Kind::Number, text: "1", origin, fresh });
        }
        self.at = at;
    }
}

/// The length of a string or character with its quotes; a backslash takes the character after it along.
fn quoted(rest: &str) -> Option<usize> {
    let quote = rest.chars().next()?;
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '\n' => return None,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The number that a character in quotes stands for.
pub fn character(text: &str) -> Option<i32> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut chars = inner.chars();
    let c = match chars.next()? {
        '\\' => match chars.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'f' => '\x0c',
            other => other,
        },
        c => c,
    };
    chars.next().is_none().then_some(c as i32)
}
