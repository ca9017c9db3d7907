//! XML as every format in it is read: no document types, so that no entity grows, and the place of everything.

use crate::diag::{Diagnostic, Place};
use roxmltree::{Document, Error, Node, ParsingOptions};
use std::borrow::Cow;
use std::ops::Range;

/// The document, or what is wrong with the XML.
pub fn parse<'a>(file: &str, text: &'a str) -> Result<Document<'a>, Vec<Diagnostic>> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let (message, help, at) = match error {
            Error::DtdDetected => {
                let at = text.find("<!DOCTYPE").unwrap_or(0);
                let help = "remove it: what it declares is not taken, and entities could grow without end";
                ("a document type is refused".to_owned(), help, at..at + 9)
            }
            Error::UnexpectedEndOfStream => {
                let end = text.trim_end().len();
                ("this is no XML: the text ends too early".to_owned(), "is the file cut off?", end..end + 1)
            }
            error => {
                let (row, col) = (error.pos().row as usize, error.pos().col as usize);
                let start: usize = text.split_inclusive('\n').take(row - 1).map(str::len).sum();
                let column = text[start..].char_indices().nth(col - 1).map_or(text.len() - start, |(at, _)| at);
                // The text ends with the place; here it has one already.
                let message = error.to_string();
                let message = message.rsplit_once(" at ").map_or(&*message, |(message, _)| message);
                let at = start + column;
                (format!("this is no XML: {message}"), "is the file cut off?", at..at + 1)
            }
        };
        vec![Diagnostic::error(file, message).at(Place::in_text(text.as_bytes(), at)).help(help)]
    })
}

/// The text of a file; what is not UTF-8 is Latin-1, as all such files seen declare.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&b| char::from(b)).collect()),
    }
}

/// The children that are elements.
pub fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// The first child element of a name.
pub fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|n| n.tag_name().name() == name)
}

/// Where the opening tag of an element stands.
pub(crate) fn tag_span(node: Node<'_, '_>) -> Range<usize> {
    let range = node.range();
    let text = &node.document().input_text()[range.clone()];
    range.start..range.start + text.find(['>', '\n']).map_or(text.len(), |at| at + 1)
}

/// The element's name without its prefix.
pub(crate) fn tag<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// Where an attribute's value stands; the opening tag where there is none.
pub(crate) fn value_span(node: Node<'_, '_>, attribute: &str) -> Range<usize> {
    node.attribute_node(attribute).map_or_else(|| tag_span(node), |a| a.range_value())
}
