//! Expressions of the languages of [`words`](super::words): what they are, where they stand, and that they are not too deep.

use super::tokens::Failed;
use super::words::{In, Out};
use crate::diag::Span;

/// An expression and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression<K> {
    /// What it is.
    pub kind: Box<K>,
    /// Where.
    pub span: Span,
    /// How deep it is.
    pub depth: u16,
}

/// What an expression of a language is. Nesting is bounded, so that no text can exhaust the stack.
pub trait Nested: Sized {
    /// How deep expressions may be nested; operators in a row nest too.
    const DEEPEST: u16;
    /// What to do about one that is deeper.
    const HELP: &'static str;

    /// Its parts.
    fn parts(&self) -> Vec<&Expression<Self>>;
}

impl<K: Nested> Expression<K> {
    /// An expression; refused at `input` where it is too deep.
    pub fn new(input: In<'_, '_>, kind: K, span: Span) -> Result<Self, nom::Err<Failed>> {
        let depth = kind.parts().iter().map(|part| part.depth).max().unwrap_or(0) + 1;
        let (_, ()) = Self::within(input, depth)?;
        Ok(Self { kind: Box::new(kind), span, depth })
    }

    /// Goes on where expressions may be so deep.
    pub fn within<'t, 'a>(input: In<'t, 'a>, depth: u16) -> Out<'t, 'a, ()> {
        if depth > K::DEEPEST {
            let message = format!("expressions are nested more than {} levels deep here", K::DEEPEST);
            return input.refuse_with(message, K::HELP);
        }
        Ok((input, ()))
    }
}
