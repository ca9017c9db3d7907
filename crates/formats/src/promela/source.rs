//! Where the parts of a model stand in the user's files, through inclusions, macros and inlines.

use crate::diag::Place;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

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

    /// Whether another one lies inside of it.
    pub fn contains(self, other: Span) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct File {
    /// What messages call it.
    pub name: String,
    /// Its text, decoded.
    pub text: Arc<str>,
    /// Where its lines end.
    ends: Vec<u32>,
}

impl File {
    pub fn new(name: String, text: Arc<str>) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at as u32).collect();
        Self { name, text, ends }
    }

    /// The line of a byte, counted from 1.
    fn line(&self, at: u32) -> usize {
        self.ends.partition_point(|end| *end < at) + 1
    }
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
    /// It is an argument of a call of an inline, and stands at its own place in the call.
    Argument {
        /// The parameter in the body of the inline that it replaces.
        parameter: Origin,
        /// How the argument itself came there.
        own: Option<u32>,
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
    /// The texts of files that the model includes, by name.
    pub(super) fn included(&self) -> FxHashMap<String, Arc<str>> {
        self.files.iter().skip(1).map(|file| (file.name.clone(), file.text.clone())).collect()
    }

    /// The name and the text of each file, that of the model first.
    pub fn named_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (&*file.name, &*file.text))
    }

    /// The file that a span starts in: the model itself or one that it includes.
    pub fn file(&self, span: Span) -> &str {
        // What is about the whole model is about the file that was asked for.
        let file = self.standing(span.first).map_or(0, |origin| origin.file as usize);
        self.files.get(file).map_or("", |file| &file.name)
    }

    /// The line that a span starts in, counted from 1.
    ///
    /// In an inline it is the line of the definition, as in SPIN; a macro is where it is used.
    pub fn line(&self, span: Span) -> usize {
        self.standing(span.first).map_or(0, |origin| self.files[origin.file as usize].line(origin.start))
    }

    /// The place of a span with its line of text.
    pub fn place(&self, span: Span) -> Option<Place> {
        let origin = self.standing(span.first)?;
        Some(Place::in_text(self.files[origin.file as usize].text.as_bytes(), self.range(span)?))
    }

    /// The text of a span as it stands in the file. In an inline it is that of the definition, with parameters.
    pub fn text(&self, span: Span) -> Option<&str> {
        let origin = self.standing(span.first)?;
        self.files[origin.file as usize].text.get(self.range(span)?)
    }

    /// The text of the model itself, without the files that it includes, decoded.
    pub fn text_of_model(&self) -> &str {
        self.files.first().map_or("", |file| &file.text)
    }

    /// The texts of all files.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| &*file.text)
    }

    /// The bytes of the text of the model that a span stands for, if it begins and ends with tokens that the user wrote there.
    pub fn extent(&self, span: Span) -> Option<Range<usize>> {
        let (first, last) = (self.origin(span.first)?, self.origin(span.last)?);
        let plain = |origin: &Origin| origin.file == 0 && origin.via.is_none();
        (plain(first) && plain(last) && first.start < last.end).then_some(first.start as usize..last.end as usize)
    }

    /// The call that brought the inline here in which a span stands: the name of the inline, and the file and place of the call.
    pub fn call(&self, span: Span) -> Option<(&str, &str, Place)> {
        let Via::Call { name, call } = self.via(self.standing(span.first)?)? else { return None };
        Some((name, &self.files[call.file as usize].name, self.place_of(*call)))
    }

    /// Where a token stands in the text that is executed: for an argument of an inline, at the parameter.
    fn standing(&self, token: u32) -> Option<&Origin> {
        let origin = self.origin(token)?;
        match self.via(origin) {
            Some(Via::Argument { parameter, .. }) => Some(parameter),
            _ => Some(origin),
        }
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
        let first = self.standing(span.first)?;
        let end = match self.standing(span.last) {
            Some(last) if last.file == first.file && last.end >= first.end => last.end,
            _ => first.end,
        };
        Some(first.start as usize..end as usize)
    }
}
