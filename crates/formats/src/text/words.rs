//! Languages of words, names in quotes, numbers and symbols: how their texts are cut into tokens, and what their grammars share.

use super::tokens::{self, Failed, Notes, Parsed, Tokens, exactly};
use crate::diag::{Diagnostic, Place, Span};
use nom::Parser;
use nom::multi::separated_list1;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name or a keyword; in some languages a number too.
    Word,
    /// A name in quotes, which may have any characters.
    Quoted,
    /// Digits.
    Number,
    /// Everything else.
    Symbol,
}

/// A token of such a language.
pub type Token<'a> = tokens::Token<'a, Kind>;

/// What a grammar reads.
pub type In<'t, 'a> = Tokens<'t, 'a, Kind>;

/// What a grammar gives.
pub type Out<'t, 'a, T> = Parsed<'t, 'a, Kind, T>;

/// A name where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// As written.
    pub text: Box<str>,
    /// Where.
    pub span: Span,
}

/// What is no token: where, and what is wrong with it.
pub type Fault = (Span, String);

/// How the texts of a language are cut into tokens.
pub struct Lexis {
    /// What begins a comment that ends with its line.
    pub line_comment: &'static str,
    /// What begins and ends any other comment.
    pub comment: (&'static str, &'static str),
    /// Longer ones first.
    pub symbols: &'static [&'static str],
    /// Whether names may stand in double quotes.
    pub quotes: bool,
    /// How long the word is that a text begins with, if it begins with a letter or `_`.
    pub word: fn(&str) -> usize,
}

impl Lexis {
    /// Cuts a text into tokens; what is none is reported and left out.
    pub fn cut<'a>(&self, text: &'a str) -> (Vec<Token<'a>>, Vec<Fault>) {
        let (mut tokens, mut faults) = (Vec::new(), Vec::new());
        let (opening, closing) = self.comment;
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            if first.is_whitespace() {
                at += first.len_utf8();
            } else if let Some(comment) = rest.strip_prefix(opening) {
                let Some(length) = comment.find(closing) else {
                    faults.push((at..at + opening.len(), "this comment does not end".into()));
                    break;
                };
                at += opening.len() + length + closing.len();
            } else if rest.starts_with(self.line_comment) {
                at += rest.find('\n').unwrap_or(rest.len());
            } else {
                match self.token(first, rest) {
                    Ok((kind, length)) => {
                        tokens.push(Token { kind, text: &rest[..length], start: at });
                        at += length;
                    }
                    Err(message) => {
                        let end = at + first.len_utf8();
                        faults.push((at..end, message));
                        at = end;
                    }
                }
            }
        }
        (tokens, faults)
    }

    /// What the token is that a text begins with, and how long; or what is wrong with its first character.
    fn token(&self, first: char, rest: &str) -> Result<(Kind, usize), String> {
        if first.is_ascii_digit() {
            return Ok((Kind::Number, rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            return Ok((Kind::Word, (self.word)(rest)));
        }
        if first == '"' && self.quotes {
            let end = rest[1..].find(['"', '\n']).filter(|&end| rest[1 + end..].starts_with('"'));
            return end.map(|end| (Kind::Quoted, end + 2)).ok_or("this name in quotes does not end".into());
        }
        let symbol = self.symbols.iter().find(|symbol| rest.starts_with(**symbol));
        symbol
            .map(|symbol| (Kind::Symbol, symbol.len()))
            .ok_or_else(|| format!("`{}` has no meaning here", first.escape_debug()))
    }

    /// Reads a goal by its grammar; `option` is what messages call it, and `help` says what goals are made of.
    pub fn goal<T>(
        &self,
        option: &str,
        text: &str,
        help: &str,
        grammar: impl for<'t, 'a> Fn(In<'t, 'a>) -> Out<'t, 'a, T>,
    ) -> Result<T, Vec<Diagnostic>> {
        let (tokens, faults) = self.cut(text);
        if let Some((span, message)) = faults.into_iter().next() {
            return Err(vec![Diagnostic::error(option, message).at(Place::in_text(text.as_bytes(), span)).help(help)]);
        }
        let notes = Notes::default();
        let goal = grammar(Tokens::new(&tokens, &notes));
        goal.map(|(_, goal)| goal).map_err(|_| vec![notes.diagnostic(option, text.as_bytes(), &tokens)])
    }
}

/// A parser of this word.
pub fn word<'t, 'a: 't>(text: &'static str) -> impl Fn(In<'t, 'a>) -> Out<'t, 'a, Token<'a>> {
    exactly(Kind::Word, text)
}

/// A parser of this symbol.
pub fn symbol<'t, 'a: 't>(text: &'static str) -> impl Fn(In<'t, 'a>) -> Out<'t, 'a, Token<'a>> {
    exactly(Kind::Symbol, text)
}

/// A parser of one or more, with commas between.
pub fn list<'t, 'a: 't, T>(
    item: impl Parser<In<'t, 'a>, Output = T, Error = Failed>,
) -> impl Parser<In<'t, 'a>, Output = Vec<T>, Error = Failed> {
    separated_list1(symbol(","), item)
}
