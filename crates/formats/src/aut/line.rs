//! The grammar of one `.aut` line, with nom, and what to say where a line does not fit it.
//!
//! Real files bend the grammar, so a line is split at its first and its last comma and a label is what is between them:
//! `"…"` with anything inside, quotes and backslashes included, or bare text such as `s4(d1)`.

use memchr::{memchr, memrchr};
use nom::Parser as _;
use nom::bytes::complete::tag;
use nom::character::complete::{char, space0, u64 as decimal};
use nom::combinator::all_consuming;
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, error::Error};
use std::ops::Range;

type Parsed<'a, T> = IResult<&'a [u8], T, Error<&'a [u8]>>;

/// `des (initial, transitions, states)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The initial state.
    pub initial: u64,
    /// How many transitions the file says it has.
    pub transitions: u64,
    /// How many states the file says it has.
    pub states: u64,
}

/// `(source, label, target)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Where the transition starts.
    pub source: u64,
    /// The label without its quotes.
    pub label: &'a [u8],
    /// Where the transition leads.
    pub target: u64,
}

/// What is wrong with a line, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Bytes of the line.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: &'static str,
}

/// A number with blanks around it.
fn number(input: &[u8]) -> Parsed<'_, u64> {
    delimited(space0, decimal, space0).parse(input)
}

/// Reads a header line.
pub fn header(line: &[u8]) -> Option<Header> {
    let fields = (terminated(number, char(',')), terminated(number, char(',')), number);
    let body = delimited((space0, tag("des"), space0, char('(')), fields, (char(')'), space0));
    let (_, (initial, transitions, states)) = all_consuming(body).parse(line).ok()?;
    Some(Header { initial, transitions, states })
}

/// Reads a transition line that fits the grammar.
#[inline]
pub fn transition(line: &[u8]) -> Option<Line<'_>> {
    let comma = memrchr(b',', line)?;
    let (head, tail) = (&line[..comma], &line[comma + 1..]);
    let (rest, source) = preceded((space0, char('(')), number).parse(head).ok()?;
    let (text, _) = char::<_, Error<&[u8]>>(',').parse(rest).ok()?;
    let (_, target) = all_consuming(terminated(number, (char(')'), space0))).parse(tail).ok()?;
    Some(Line { source, label: label(text)?, target })
}

/// Takes the quotes off a label; a bare label is its text without the blanks around it.
#[inline]
fn label(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii();
    let (first, last) = (*text.first()?, *text.last()?);
    if first != b'"' {
        return (last != b'"').then_some(text);
    }
    let (inner, last) = text[1..].split_at_checked(text.len().checked_sub(2)?)?;
    (last == b"\"").then_some(inner)
}

/// Whether a line holds nothing: blanks, or a comment (`#`, `%`, `--`, `//`, `(* … *)`).
pub fn is_empty(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty()
        || matches!(line[0], b'#' | b'%')
        || line.starts_with(b"--")
        || line.starts_with(b"//")
        || (line.starts_with(b"(*") && line.ends_with(b"*)"))
}

/// Explains why a line is no header.
pub fn header_fault(line: &[u8]) -> Fault {
    let trimmed = line.trim_ascii_start();
    let start = line.len() - trimmed.len();
    const FORM: &str = "the first line reads `des (INITIAL, TRANSITIONS, STATES)`, three whole numbers";
    if !trimmed.starts_with(b"des") {
        return Fault { span: start..line.len(), message: "no `des (…)` header".into(), help: FORM };
    }
    if let Some(span) = fraction(line) {
        return probabilistic(span);
    }
    Fault { span: start..line.len(), message: "malformed `des (…)` header".into(), help: FORM }
}

/// Explains why a line is no transition.
pub fn transition_fault(line: &[u8]) -> Fault {
    const FORM: &str = "a transition reads `(SOURCE, \"label\", TARGET)`";
    let fault = |span: Range<usize>, message: &str| Fault { span, message: message.into(), help: FORM };
    let start = line.len() - line.trim_ascii_start().len();
    let end = line.trim_ascii_end().len();
    if let Some(at) = memchr(0x04, line) {
        return Fault {
            span: at..at + 1,
            message: "a second system starts here".into(),
            help: "keep one system per file: cut the file at this byte (0x04)",
        };
    }
    if line[start..].starts_with(b"des") {
        return fault(start..end, "a second `des` header");
    }
    if line.get(start) != Some(&b'(') {
        return fault(start..end.max(start), "expected `(` at the start of a transition");
    }
    let Some(first) = memchr(b',', line) else { return fault(start..end, "no comma: the line is cut off") };
    let last = memrchr(b',', line).expect("there is one");
    if first == last {
        return fault(start..end, "only one comma: the line is cut off or has no target");
    }
    if number(&line[start + 1..first]).ok().is_none_or(|(rest, _)| !rest.is_empty()) {
        return fault(start + 1..first, "the source state is no whole number");
    }
    let text = &line[first + 1..last];
    if label(text).is_none() {
        let message =
            if text.trim_ascii().is_empty() { "the label is missing" } else { "the label's quotes do not match" };
        return fault(first + 1..last, message);
    }
    let tail = &line[last + 1..end];
    if tail.last() != Some(&b')') {
        return match memchr(b')', tail) {
            Some(at) => fault(last + at + 2..end, "text after the end of the transition"),
            None => fault(last + 1..end, "no `)` at the end: the line is cut off"),
        };
    }
    if let Some(span) = fraction(tail) {
        return probabilistic(last + 1 + span.start..last + 1 + span.end);
    }
    fault(last + 1..end, "the target state is no whole number")
}

/// Where a fraction such as `1/7` stands.
fn fraction(text: &[u8]) -> Option<Range<usize>> {
    let slash = memchr(b'/', text)?;
    let digits = |bytes: &mut dyn Iterator<Item = &u8>| bytes.take_while(|b| b.is_ascii_digit()).count();
    let before = digits(&mut text[..slash].iter().rev());
    let after = digits(&mut text[slash + 1..].iter());
    (before > 0 && after > 0).then(|| slash - before..slash + 1 + after)
}

fn probabilistic(span: Range<usize>) -> Fault {
    Fault {
        span,
        message: "a probability: this is a probabilistic transition system".into(),
        help: "probabilistic systems are not supported; remove the probabilities, or convert to a plain LTS first",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(u64, &str, u64)> {
        transition(line.as_bytes()).map(|t| (t.source, std::str::from_utf8(t.label).unwrap(), t.target))
    }

    #[test]
    fn labels_of_all_dialects() {
        assert_eq!(read("(0,a,1)"), Some((0, "a", 1)));
        assert_eq!(read(" ( 0 , \"a b\" , 1 )  "), Some((0, "a b", 1)));
        assert_eq!(read("(2, \"SEND !\"hello\" !\"world\"\", 3)"), Some((2, "SEND !\"hello\" !\"world\"", 3)));
        assert_eq!(read(r#"(2, "a\"b\\", 3)"#), Some((2, r#"a\"b\\"#, 3)));
        assert_eq!(read("(0, s4(d1), 1)"), Some((0, "s4(d1)", 1)));
        assert_eq!(read("(0,\"c2(d1, true)\",3)"), Some((0, "c2(d1, true)", 3)));
        assert_eq!(read("(0,\"\",3)"), Some((0, "", 3)));
        assert_eq!(read("(0,*,3)"), Some((0, "*", 3)));
    }

    #[test]
    fn each_fault_points_at_its_place() {
        let at = |line: &str| {
            assert_eq!(transition(line.as_bytes()), None, "{line}");
            let fault = transition_fault(line.as_bytes());
            (line[fault.span.clone()].to_owned(), fault.message)
        };
        assert_eq!(at("(0,\"a,1)").1, "the label's quotes do not match");
        assert_eq!(at("(0,,1)").1, "the label is missing");
        assert_eq!(at("(x,a,1)"), ("x".into(), "the source state is no whole number".into()));
        assert_eq!(at("(0,a,-1)"), ("-1)".into(), "the target state is no whole number".into()));
        assert_eq!(at("(0,a,1").1, "no `)` at the end: the line is cut off");
        assert_eq!(at("(0,a").1, "only one comma: the line is cut off or has no target");
        assert_eq!(at("0,a,1)").1, "expected `(` at the start of a transition");
        assert!(at("(3,\"c\",0 1/7 1)").1.contains("probab"));
        assert!(at("(3,\"c\",99999999999999999999)").1.contains("target"));
    }

    #[test]
    fn headers() {
        let h = |s: &str| header(s.as_bytes()).map(|h| (h.initial, h.transitions, h.states));
        assert_eq!(h("des(0,5,2)"), Some((0, 5, 2)));
        assert_eq!(h("des (3, 2387, 1952)           "), Some((3, 2387, 1952)));
        assert_eq!(h("des (0,5)"), None);
        assert!(header_fault(b"des (0 1/7 1,4,5)").message.contains("probab"));
        assert!(header_fault(b"(0,a,1)").message.contains("no `des"));
    }

    #[test]
    fn comments_and_blanks_are_empty() {
        for line in ["", "  \t", "# x", "% x", "-- x", "// x", "(* x *)"] {
            assert!(is_empty(line.as_bytes()), "{line}");
        }
        assert!(!is_empty(b"(0,a,1)"));
    }
}
