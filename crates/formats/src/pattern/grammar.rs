//! The grammar of patterns: a name and arguments, whatever they mean.
//!
//! ```text
//! CALL  := name ( [ ARG { , ARG } ] )          LABEL := "…" with \" and \\, or bare text up to a , ) } (or /, in mutex)
//! ARG   := GROUP [ / GROUP ]  (/ in mutex)              outside of brackets and quotes, without the blanks around it:
//! GROUP := LABEL | { LABEL { , LABEL } }                s4(d1, d2)    G !TRUE    SEND !"a, b"
//! ```

use super::OPTION;
use crate::diag::Diagnostic;
use crate::text::inline;
use crate::text::inline::{Parsed, fail};
use nom::Parser as _;
use nom::bytes::complete::take_while;
use nom::character::complete::multispace0;
use std::ops::Range;

/// The name of the pattern whose arguments are pairs with a `/`.
pub const MUTEX: &str = "mutex";

/// A label and where it stands, its quotes included.
pub struct Label {
    /// The label without its quotes.
    pub text: String,
    /// Bytes of the text.
    pub span: Range<usize>,
    /// Whether it could be a number: it is not in quotes.
    pub bare: bool,
}

/// A label, or labels in braces.
pub struct Group {
    /// At least one.
    pub labels: Vec<Label>,
    /// Bytes of the text, braces included.
    pub span: Range<usize>,
    /// Whether it is in braces.
    pub braces: bool,
}

/// An argument: one group, or two with `/` between them.
pub struct Argument {
    /// What comes before the `/`, or all of it.
    pub first: Group,
    /// What comes after the `/`.
    pub second: Option<Group>,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// A pattern as it is written.
pub struct Call {
    /// What comes before the `(`.
    pub name: String,
    /// Where the name stands.
    pub name_span: Range<usize>,
    /// What is between the parentheses.
    pub arguments: Vec<Argument>,
}

impl Call {
    /// All labels in order.
    pub fn labels(&self) -> impl Iterator<Item = &Label> {
        self.arguments.iter().flat_map(|a| a.groups()).flat_map(|g| &g.labels)
    }
}

impl Argument {
    /// Its one or two groups.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        std::iter::once(&self.first).chain(&self.second)
    }
}

/// Reads a whole text.
pub fn call(text: &str) -> Result<Call, Vec<Diagnostic>> {
    let grammar = Grammar { text };
    grammar.call(text).map(|(_, call)| call).map_err(|stop| vec![inline::stopped(OPTION, text, stop)])
}

/// Whether a label reads back as itself without quotes, in any pattern.
pub fn is_bare(label: &str) -> bool {
    let plain = !label.starts_with(['"', '{']) && label.trim() == label;
    plain && bare(label, true).is_ok_and(|(rest, read)| rest.is_empty() && read == label)
}

/// Bare text up to the end of the label, without blanks at its end; never empty.
fn bare(input: &str, slash: bool) -> Parsed<'_, &str> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut quote: Option<usize> = None;
    let mut end = input.len();
    for (at, c) in input.char_indices() {
        if c == '"' {
            quote = if quote.is_some() { None } else { Some(at) };
        } else if quote.is_some() {
            continue;
        } else if open.last().is_some_and(|&(_, close)| close == c) {
            open.pop();
        } else if open.is_empty() && (matches!(c, ',' | ')' | '}') || (slash && c == '/')) {
            end = at;
            break;
        } else if let Some((_, close)) = [('(', ')'), ('[', ']'), ('{', '}')].into_iter().find(|&(o, _)| o == c) {
            open.push((at, close));
        }
    }
    if let Some(at) = quote {
        return fail(
            &input[at..],
            "this quote is not closed",
            "put the whole label in quotes, and `\\` before quotes in it",
        );
    }
    if let Some(&(at, close)) = open.last() {
        let help = format!("expected `{close}`; a label with single brackets must be in quotes");
        return fail(&input[at..], "this bracket is not closed", help);
    }
    let label = input[..end].trim_end();
    if label.is_empty() {
        return fail(input, "a label is missing", "labels are separated by commas; put odd ones in quotes");
    }
    Ok((&input[end..], label))
}

/// The grammar; it holds the whole text to tell where things stand.
struct Grammar<'a> {
    text: &'a str,
}

impl<'a> Grammar<'a> {
    fn at(&self, rest: &str) -> usize {
        self.text.len() - rest.len()
    }

    fn call(&self, input: &'a str) -> Parsed<'a, Call> {
        let (input, _) = multispace0(input)?;
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let (rest, name) = take_while(in_name).parse(input)?;
        let help = "a pattern reads `name(…)`, for example `never(a)`";
        if name.is_empty() {
            return fail(input, "expected the name of a pattern", help);
        }
        let name_span = self.at(input)..self.at(rest);
        let (rest, _) = multispace0(rest)?;
        let Some(rest) = rest.strip_prefix('(') else {
            return fail(rest, format!("expected `(` after `{name}`"), help);
        };
        let (rest, arguments) = self.arguments(rest, name == MUTEX)?;
        let (rest, _) = multispace0(rest)?;
        if !rest.is_empty() {
            return fail(rest, "expected the end of the pattern", "one pattern at a time; put odd labels in quotes");
        }
        Ok((rest, Call { name: name.to_owned(), name_span, arguments }))
    }

    fn arguments(&self, input: &'a str, slash: bool) -> Parsed<'a, Vec<Argument>> {
        let (blank, _) = multispace0(input)?;
        if let Some(rest) = blank.strip_prefix(')') {
            return Ok((rest, Vec::new()));
        }
        self.list(input, ')', |rest| self.argument(rest, slash))
    }

    /// Items with commas between them and a closing bracket behind.
    fn list<T>(&self, input: &'a str, close: char, item: impl Fn(&'a str) -> Parsed<'a, T>) -> Parsed<'a, Vec<T>> {
        let mut items = Vec::new();
        let mut rest = input;
        loop {
            let (after, _) = multispace0(rest)?;
            let (after, next) = item(after)?;
            items.push(next);
            let (after, _) = multispace0(after)?;
            if let Some(after) = after.strip_prefix(close) {
                return Ok((after, items));
            }
            let Some(after) = after.strip_prefix(',') else {
                return fail(
                    after,
                    format!("expected `,` or `{close}`"),
                    "put labels with odd characters in quotes: \"…\"",
                );
            };
            rest = after;
        }
    }

    fn argument(&self, input: &'a str, slash: bool) -> Parsed<'a, Argument> {
        let (rest, first) = self.group(input, slash)?;
        let (after, _) = multispace0(rest)?;
        let (rest, second) = match after.strip_prefix('/').filter(|_| slash) {
            Some(after) => {
                let (after, _) = multispace0(after)?;
                self.group(after, slash).map(|(rest, group)| (rest, Some(group)))?
            }
            None => (rest, None),
        };
        let end = second.as_ref().unwrap_or(&first).span.end;
        let span = first.span.start..end;
        Ok((rest, Argument { first, second, span }))
    }

    fn group(&self, input: &'a str, slash: bool) -> Parsed<'a, Group> {
        let Some(inner) = input.strip_prefix('{') else {
            let (rest, label) = self.label(input, slash)?;
            return Ok((rest, Group { span: label.span.clone(), labels: vec![label], braces: false }));
        };
        let (blank, _) = multispace0(inner)?;
        if blank.starts_with('}') {
            return fail(blank, "the set is empty", "name at least one label");
        }
        let (rest, labels) = self.list(inner, '}', |rest| self.label(rest, slash))?;
        Ok((rest, Group { labels, span: self.at(input)..self.at(rest), braces: true }))
    }

    fn label(&self, input: &'a str, slash: bool) -> Parsed<'a, Label> {
        if input.starts_with('"') {
            let (rest, text) = inline::quoted(input)?;
            return Ok((rest, Label { text, span: self.at(input)..self.at(rest), bare: false }));
        }
        let (rest, text) = bare(input, slash)?;
        let start = self.at(input);
        Ok((rest, Label { text: text.to_owned(), span: start..start + text.len(), bare: true }))
    }
}
