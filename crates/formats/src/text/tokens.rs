//! What the token-based parsers have in common: tokens as nom input, and the furthest failure as a diagnostic.
//!
//! nom's `alt` and `many0` swallow the errors inside them, so the one primitive that looks at a token notes what it expected
//! and where. The furthest such place is nearly always where the writer went wrong.

use crate::diag::{Diagnostic, Place, Span};
use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult, Input, Needed};
use std::cell::RefCell;
use std::iter::{Copied, Enumerate};
use std::slice::Iter;

/// A piece of source text with its kind; each language has kinds of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'a, K> {
    /// What it is.
    pub kind: K,
    /// How it is written.
    pub text: &'a str,
    /// Where it starts, in bytes.
    pub start: usize,
}

impl<K> Token<'_, K> {
    /// Where it stands, in bytes.
    pub fn span(&self) -> Span {
        self.start..self.start + self.text.len()
    }
}

/// What a parser would have accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    /// These very characters.
    Exactly(&'static str),
    /// Something described in words.
    Some(&'static str),
}

/// Notes taken while parsing: the furthest failure, and whether a parser gave up for a reason of its own.
#[derive(Default, Debug)]
pub struct Notes {
    furthest: RefCell<(usize, Vec<Expected>)>,
    refusal: RefCell<Option<(usize, Finding)>>,
}

/// What is wrong, and what to do about it where the parser knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// Failure of a parser; the reason is in the [`Notes`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed;

impl<I> ParseError<I> for Failed {
    fn from_error_kind(_: I, _: ErrorKind) -> Self {
        Failed
    }

    fn append(_: I, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// A run of tokens, as nom input.
#[derive(Debug)]
pub struct Tokens<'t, 'a, K> {
    rest: &'t [Token<'a, K>],
    /// How many tokens of the whole text come before.
    position: usize,
    notes: &'t Notes,
}

// Derived, these would ask for `K: Clone`.
impl<K> Clone for Tokens<'_, '_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Tokens<'_, '_, K> {}

/// What a parser over tokens gives.
pub(crate) type Parsed<'t, 'a, K, T> = IResult<Tokens<'t, 'a, K>, T, Failed>;

impl<'t, 'a, K: Copy + PartialEq> Tokens<'t, 'a, K> {
    /// All tokens of a text.
    pub fn new(all: &'t [Token<'a, K>], notes: &'t Notes) -> Self {
        Self { rest: all, position: 0, notes }
    }

    /// The next token.
    pub fn first(&self) -> Option<&'t Token<'a, K>> {
        self.rest.first()
    }

    /// Gives up at the next token for a reason that no other reading of the text can mend.
    pub fn refuse<T>(self, reason: impl Into<String>) -> Parsed<'t, 'a, K, T> {
        self.notes
            .refusal
            .borrow_mut()
            .get_or_insert_with(|| (self.position, Finding { message: reason.into(), help: None }));
        Err(Err::Failure(Failed))
    }

    /// Gives up likewise, and says what to do about it.
    pub(crate) fn refuse_with<T>(self, reason: impl Into<String>, help: impl Into<String>) -> Parsed<'t, 'a, K, T> {
        let finding = || Finding { message: reason.into(), help: Some(help.into()) };
        self.notes.refusal.borrow_mut().get_or_insert_with(|| (self.position, finding()));
        Err(Err::Failure(Failed))
    }

    /// How many tokens of the whole text come before.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Where what was read up to `rest` stands.
    pub(crate) fn span_to(&self, rest: Self) -> Span {
        let start = self.first().map_or(0, |token| token.start);
        let taken = &self.rest[..rest.position - self.position];
        start..taken.last().map_or(start, |token| token.span().end)
    }

    /// Leaves out the next token and all before one that passes the test: where to go on after an error.
    pub(crate) fn skip_to(self, test: impl Fn(&Token<'a, K>) -> bool) -> Self {
        let skipped = self.rest.iter().skip(1).position(test);
        self.take_from(skipped.map_or(self.rest.len(), |skipped| skipped + 1))
    }

    /// Takes the next token if it passes the test: the one place where a token is looked at.
    fn take_if(self, expected: Expected, test: impl Fn(&Token<'a, K>) -> bool) -> Parsed<'t, 'a, K, Token<'a, K>> {
        if let Some(token) = self.rest.first().filter(|t| test(t)) {
            return Ok((self.take_from(1), *token));
        }
        let mut furthest = self.notes.furthest.borrow_mut();
        let (position, alternatives) = &mut *furthest;
        if self.position > *position {
            *position = self.position;
            alternatives.clear();
        }
        if self.position == *position && !alternatives.contains(&expected) {
            alternatives.push(expected);
        }
        Err(Err::Error(Failed))
    }
}

/// A parser of the token that is written exactly so.
pub fn exactly<'t, 'a: 't, K: Copy + PartialEq>(
    kind: K,
    text: &'static str,
) -> impl Fn(Tokens<'t, 'a, K>) -> Parsed<'t, 'a, K, Token<'a, K>> {
    move |input| input.take_if(Expected::Exactly(text), |t| t.kind == kind && t.text == text)
}

/// A parser of any token that passes a test; `what` describes it in words.
pub fn some<'t, 'a: 't, K: Copy + PartialEq>(
    what: &'static str,
    test: impl Fn(&Token<'a, K>) -> bool,
) -> impl Fn(Tokens<'t, 'a, K>) -> Parsed<'t, 'a, K, Token<'a, K>> {
    move |input| input.take_if(Expected::Some(what), &test)
}

/// A parser of the end of the text.
pub fn end<'t, 'a: 't, K: Copy + PartialEq>(input: Tokens<'t, 'a, K>) -> Parsed<'t, 'a, K, ()> {
    if input.rest.is_empty() {
        return Ok((input, ()));
    }
    input.take_if(Expected::Some("the end of the file"), |_| false).map(|(rest, _)| (rest, ()))
}

impl Notes {
    /// What went wrong, and at which token. Forgets it, so that parsing can go on behind it.
    pub fn finding<K>(&self, tokens: &[Token<'_, K>]) -> (usize, Finding) {
        let (furthest, alternatives) = self.furthest.take();
        self.refusal.take().unwrap_or_else(|| {
            let found = match tokens.get(furthest) {
                None => "the end of the file".into(),
                // Where a language gives line ends a meaning, such a token is one.
                Some(token) if token.text == "\n" => "the end of the line".into(),
                Some(token) => quoted(token.text),
            };
            let message = format!("expected {}, found {found}", listed(&alternatives));
            (furthest, Finding { message, help: None })
        })
    }

    /// What went wrong in a text that was cut into these tokens.
    pub fn diagnostic<K>(&self, file: &str, text: &[u8], tokens: &[Token<'_, K>]) -> Diagnostic {
        let (position, finding) = self.finding(tokens);
        let found = tokens.get(position);
        let span = match (found, tokens.last()) {
            (Some(token), _) => token.span(),
            (None, Some(last)) => last.span().end..last.span().end + 1,
            (None, None) => 0..0,
        };
        let diagnostic = Diagnostic::error(file, finding.message).at(Place::in_text(text, span));
        match finding.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// Text in back quotes, shortened where it is long.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let shown: String = text.chars().take(LONGEST).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("`{shown}{more}`")
}

/// "`a`, `b` or `c`".
fn listed(alternatives: &[Expected]) -> String {
    let word = |e: &Expected| match e {
        Expected::Exactly(text) => quoted(text),
        Expected::Some(what) => (*what).to_owned(),
    };
    match alternatives {
        [] => "something else".into(),
        [one] => word(one),
        [most @ .., last] => format!("{} or {}", most.iter().map(word).collect::<Vec<_>>().join(", "), word(last)),
    }
}

impl<'t, 'a, K: Copy> Input for Tokens<'t, 'a, K> {
    type Item = Token<'a, K>;
    type Iter = Copied<Iter<'t, Token<'a, K>>>;
    type IterIndices = Enumerate<Self::Iter>;

    fn input_len(&self) -> usize {
        self.rest.len()
    }

    fn take(&self, index: usize) -> Self {
        Self { rest: &self.rest[..index], ..*self }
    }

    fn take_from(&self, index: usize) -> Self {
        Self { rest: &self.rest[index..], position: self.position + index, ..*self }
    }

    fn take_split(&self, index: usize) -> (Self, Self) {
        (self.take_from(index), self.take(index))
    }

    fn position<P: Fn(Self::Item) -> bool>(&self, predicate: P) -> Option<usize> {
        self.rest.iter().position(|t| predicate(*t))
    }

    fn iter_elements(&self) -> Self::Iter {
        self.rest.iter().copied()
    }

    fn iter_indices(&self) -> Self::IterIndices {
        self.iter_elements().enumerate()
    }

    fn slice_index(&self, count: usize) -> Result<usize, Needed> {
        if count <= self.rest.len() { Ok(count) } else { Err(Needed::new(count - self.rest.len())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nom::Parser as _;
    use nom::branch::alt;
    use nom::multi::many0;

    fn split(text: &str) -> Vec<Token<'_, ()>> {
        let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
        text.split_whitespace().map(|word| Token { kind: (), text: word, start: start(word) }).collect()
    }

    /// `x` or `y`, each followed by `;`, any number of times, then `od`.
    fn read(text: &str) -> Result<usize, String> {
        let tokens = split(text);
        let notes = Notes::default();
        let statement = (alt((exactly((), "x"), exactly((), "y"))), alt((exactly((), ";"), exactly((), "->"))));
        let mut all = (many0(statement), exactly((), "od"), end);
        let parsed = all.parse(Tokens::new(&tokens, &notes));
        let headline = |_| notes.diagnostic("t", text.as_bytes(), &tokens).headline();
        parsed.map(|(_, (list, ..))| list.len()).map_err(headline)
    }

    #[test]
    fn the_furthest_failure_is_reported_with_all_that_would_have_fitted_there() {
        assert_eq!(read("x ; y -> od"), Ok(2));
        assert_eq!(read("x ; y od").unwrap_err(), "t:1:7: expected `;` or `->`, found `od`");
        assert_eq!(read("x ;\nz").unwrap_err(), "t:2:1: expected `x`, `y` or `od`, found `z`");
        assert_eq!(read("x ;").unwrap_err(), "t:1:4: expected `x`, `y` or `od`, found the end of the file");
        assert_eq!(read("od od").unwrap_err(), "t:1:4: expected the end of the file, found `od`");
        assert!(read("").unwrap_err().contains("found the end of the file"));
    }

    #[test]
    fn a_refusal_outranks_the_furthest_failure() {
        let tokens = split("x y z");
        let notes = Notes::default();
        let input = Tokens::new(&tokens, &notes);
        let _ = exactly((), "q")(input.take_from(2));
        let refused: Parsed<'_, '_, (), ()> = input.take_from(1).refuse("too much");
        assert_eq!(refused.unwrap_err(), Err::Failure(Failed));
        assert_eq!(notes.diagnostic("t", b"x y z", &tokens).headline(), "t:1:3: too much");
    }
}
