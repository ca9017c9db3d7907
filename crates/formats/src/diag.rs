//! Diagnostics: what is wrong in a file, where, and what to do about it.
//!
//! A diagnostic carries its own source line, so that a reader of a huge file need not keep the text.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt::Write as _;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The input is unusable.
    Error,
    /// The input is usable, but probably not what was meant.
    Warning,
}

/// Bytes of a source text.
pub type Span = std::ops::Range<usize>;

/// A place in a file with its line of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// The line without its end.
    pub text: String,
    /// Byte range within `text` that the caret points at.
    pub span: Span,
}

/// One finding about an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The file, `-` for standard input, or the option that holds the text (`--reach`).
    pub file: String,
    /// Where in it, if it is about a place.
    pub place: Option<Place>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// What reading gives: the value with warnings, or all errors.
pub type Read<T> = Result<(T, Vec<Diagnostic>), Vec<Diagnostic>>;

/// Longest excerpt of a source line that is shown.
const EXCERPT: usize = 160;

impl Place {
    /// The place of a byte range in a whole text. Line ends are `\n` or `\r\n`; invalid UTF-8 is shown as `�`.
    pub fn in_text(text: &[u8], span: Span) -> Self {
        let start = span.start.min(text.len());
        let line_start = text[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let line_end = text[start..].iter().position(|&b| b == b'\n').map_or(text.len(), |at| start + at);
        let line = text[..line_start].iter().filter(|&&b| b == b'\n').count() + 1;
        Self::in_line(line, &text[line_start..line_end], start - line_start..span.end.saturating_sub(line_start))
    }

    /// A place in a line that is at hand; the range is in bytes of `line`.
    pub fn in_line(number: usize, line: &[u8], span: Span) -> Self {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let start = span.start.min(line.len());
        let end = span.end.clamp(start, line.len());
        // Decode the three pieces apart so that the caret stays right whatever the bytes; tabs become one blank each.
        let piece = |bytes: &[u8]| {
            let shown = |c: char| if c.is_control() { ' ' } else { c };
            String::from_utf8_lossy(bytes).chars().map(shown).collect::<String>()
        };
        let (before, inside, after) = (piece(&line[..start]), piece(&line[start..end]), piece(&line[end..]));
        let from = before.len();
        let to = from + inside.len();
        Self { line: number, text: before + &inside + &after, span: from..to }
    }

    /// The column, counted in characters from 1.
    pub fn column(&self) -> usize {
        self.text[..self.span.start].chars().count() + 1
    }

    /// Cuts a long line to what is around the caret.
    fn excerpt(&self) -> (String, Span) {
        if self.text.len() <= EXCERPT {
            return (self.text.clone(), self.span.clone());
        }
        let floor = |mut at: usize| {
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let from = floor(self.span.start.saturating_sub(EXCERPT / 2));
        let to = floor((from + EXCERPT).min(self.text.len()));
        let (head, tail) = (if from > 0 { "…" } else { "" }, if to < self.text.len() { "…" } else { "" });
        let shift = |at: usize| at.min(to) - from + head.len();
        (format!("{head}{}{tail}", &self.text[from..to]), shift(self.span.start)..shift(self.span.end))
    }
}

impl Diagnostic {
    /// An error about a file as a whole.
    pub fn error(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, file: file.into(), place: None, message: message.into(), help: None }
    }

    /// A warning about a file as a whole.
    pub fn warning(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(file, message) }
    }

    /// The same where it keeps nobody from going on.
    pub fn as_warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// Points at a place.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// Says what to do, where there is something to say.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into()).filter(|help| !help.is_empty());
        self
    }

    /// `file:line:col: message`, on one line.
    pub fn headline(&self) -> String {
        match &self.place {
            Some(place) => format!("{}:{}:{}: {}", self.file, place.line, place.column(), self.message),
            None => format!("{}: {}", self.file, self.message),
        }
    }

    /// The diagnostic as people read it, without colour and without a final newline.
    pub fn render(&self) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let Some(place) = &self.place else {
            let word = if self.severity == Severity::Error { "error" } else { "warning" };
            let mut out = format!("{word}: {}", self.headline());
            if let Some(help) = &self.help {
                let _ = write!(out, "\n  = help: {help}");
            }
            return out;
        };
        let (text, span) = place.excerpt();
        // The renderer counts columns in what it is given: a cut line would get a false column, so the header is ours.
        let header = format!("{}:{}:{}", self.file, place.line, place.column());
        let mut group = Group::with_title(level.primary_title(&self.message))
            .element(Snippet::source(&text).line_start(place.line).annotation(AnnotationKind::Primary.span(span)));
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help));
        }
        let rendered = Renderer::plain().render(&[group]).to_string();
        let mut lines = rendered.lines();
        let title = lines.next().unwrap_or_default();
        let gutter = " ".repeat(place.line.to_string().len());
        let rest: Vec<&str> = lines.collect();
        format!("{title}\n{gutter}--> {header}\n{}", rest.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_file_line_column_the_line_a_caret_and_help() {
        let text = b"des (0,1,2)\n(0,\"a\",7)\n";
        let d = Diagnostic::error("m.aut", "state 7, but the header declares 2 states")
            .at(Place::in_text(text, 19..20))
            .help("raise the header's last number to 8");
        assert_eq!(d.headline(), "m.aut:2:8: state 7, but the header declares 2 states");
        let expected = "error: state 7, but the header declares 2 states\n --> m.aut:2:8\n  |\n2 | (0,\"a\",7)\n  |        ^\n  |\n  = help: raise the header's last number to 8";
        assert_eq!(d.render(), expected);
    }

    #[test]
    fn any_bytes_and_any_span_render() {
        let text = b"\xff\xfe tab\there\r\nsecond\n";
        for start in 0..=text.len() + 2 {
            for end in start..=text.len() + 3 {
                let d = Diagnostic::warning("x", "odd").at(Place::in_text(text, start..end));
                assert!(d.render().contains("warning: odd"));
            }
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let mut line = vec![b'x'; 5000];
        line[4000] = b'!';
        let d = Diagnostic::error("x", "long").at(Place::in_line(3, &line, 4000..4001));
        assert!(d.render().contains('!') && d.render().len() < 600);
        assert!(d.headline().starts_with("x:3:4001"));
    }
}
