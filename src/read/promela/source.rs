//! Where the parts of a model stand in the user's files, through inclusions, macros and inlines.

use crate::diag::Place;
use std::ops::Range;

/// A run of tokens of a model; [`Sources`] knows where they stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// Number of the first token.
    pub(super) first: u32,
    /// Number of the last token.
    pub(super) last: u32,
}

impl Span {
    /// From the start of one to the end of another.
    pub fn to(self, end: Span) -> Span {
        Span { first: self.first, last: end.last.max(self.first) }
    }
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct File {
    /// What messages call it.
    pub name: String,
    /// Its text, decoded.
    pub text: String,
}

/// How a token came to stand where it does not stand in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Via {
    /// It came out of a macro that was used at the token's place.
    Macro {
        /// The macro.
        name: Box<str>,
        /// Where it was defined, unless on the command line.
        definition: Option<Origin>,
    },
    /// It stands in an inline that was called elsewhere.
    Call {
        /// The inline.
        name: Box<str>,
        /// Where it was called.
        call: Origin,
    },
}

/// The place of a token in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Origin {
    /// Which file.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
    /// How it came there, as a number into the table; the file itself if absent.
    pub via: Option<u32>,
}

/// The files of a model, and the place of every token in them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub(super) files: Vec<File>,
    pub(super) vias: Vec<Via>,
    pub(super) tokens: Vec<Origin>,
}

impl Sources {
    /// The file that a span starts in: the model itself or one that it includes.
    pub fn file(&self, span: Span) -> &str {
        self.origin(span.first).map_or("", |origin| &self.files[origin.file as usize].name)
    }

    /// The line that a span starts in, counted from 1. In an inline it is the line of its definition; a macro's is where it is used.
    pub fn line(&self, span: Span) -> usize {
        let Some(origin) = self.origin(span.first) else { return 0 };
        let before = &self.files[origin.file as usize].text.as_bytes()[..origin.start as usize];
        before.iter().filter(|&&b| b == b'\n').count() + 1
    }

    /// The place of a span with its line of text.
    pub fn place(&self, span: Span) -> Option<Place> {
        let origin = self.origin(span.first)?;
        Some(Place::in_text(self.files[origin.file as usize].text.as_bytes(), self.range(span)?))
    }

    /// The text of a span as it stands in the file, if it stands there in one piece.
    pub fn text(&self, span: Span) -> Option<&str> {
        let origin = self.origin(span.first)?;
        self.files[origin.file as usize].text.get(self.range(span)?)
    }

    /// The call that brought the inline here in which a span stands: the name of the inline, and the file and place of the call.
    pub fn call(&self, span: Span) -> Option<(&str, &str, Place)> {
        let Via::Call { name, call } = self.via(self.origin(span.first)?)? else { return None };
        Some((name, &self.files[call.file as usize].name, self.place_of(*call)))
    }

    pub(super) fn origin(&self, token: u32) -> Option<&Origin> {
        self.tokens.get(token as usize)
    }

    pub(super) fn via(&self, origin: &Origin) -> Option<&Via> {
        origin.via.map(|via| &self.vias[via as usize])
    }

    pub(super) fn place_of(&self, origin: Origin) -> Place {
        Place::in_text(self.files[origin.file as usize].text.as_bytes(), origin.start as usize..origin.end as usize)
    }

    /// Bytes from the first to the last token, or of the first alone if the last is elsewhere.
    fn range(&self, span: Span) -> Option<Range<usize>> {
        let first = self.origin(span.first)?;
        let end = match self.origin(span.last) {
            Some(last) if last.file == first.file && last.end >= first.end => last.end,
            _ => first.end,
        };
        Some(first.start as usize..end as usize)
    }
}
