//! PNML: place/transition nets in XML, in the dialects of many editors, with the units of NUPN.
//!
//! Taken: labels in `<text>` or `<value>`, or as attributes; several pages; reference nodes; arcs before their nodes; ISO-8859-1.
//! What tools add for themselves is passed over. Nets that mean more than places, tokens and weights are refused by name:
//! coloured, timed, prioritised ones, capacities, inhibitor, reset and transport arcs. Document types are refused too, so that
//! no entity grows.

mod arcs;
mod nodes;
mod units;
mod write;

pub use write::{Escaped, write};

use super::draft::Draft;
use crate::diag::Read;
use crate::diag::Span;
use crate::text::xml::{child, decoded, elements, parse, tag_span};
use nodes::Nodes;
use prequel_model::Net;
use roxmltree::Node;

/// Reads a file.
pub fn read(file: &str, bytes: &[u8]) -> Read<Net> {
    let text = decoded(bytes);
    let document = parse(file, &text)?;
    let mut draft = Draft::new(file, text.as_bytes());
    let root = document.root_element();
    if root.tag_name().name() != "pnml" {
        let message = format!("this is a <{}>, not a <pnml>", root.tag_name().name());
        draft.findings.error(tag_span(root), message, "give a net in PNML");
        return draft.finish(None);
    }
    let mut nets = elements(root).filter(|n| n.tag_name().name() == "net");
    let Some(net) = nets.next() else {
        draft.findings.error(tag_span(root), "there is no <net> in this file", "a file holds one <net>");
        return draft.finish(None);
    };
    if let Some(second) = nets.next() {
        draft.findings.error(tag_span(second), "a second <net> in this file", "give each net a file of its own");
    }
    if refused_type(&mut draft, net) {
        return draft.finish(None);
    }
    let mut nodes = Nodes::default();
    nodes.collect(&mut draft, net);
    nodes.link(&mut draft);
    let units = nodes.units.take().and_then(|section| units::read(&mut draft, section));
    draft.finish(units)
}

/// What a label of a node says, in `<text>` or `<value>`, with its place.
fn label<'a>(node: Node<'a, '_>, name: &str) -> Option<(&'a str, Span)> {
    let label = child(node, name)?;
    let text = child(label, "text").or_else(|| child(label, "value")).unwrap_or(label);
    let value = text.text().unwrap_or_default();
    let inner = text.first_child().map_or(text.range(), |n| n.range());
    let skipped = value.len() - value.trim_start().len();
    let start = inner.start + skipped;
    Some((value.trim(), start..(start + value.trim().len()).min(inner.end).max(start)))
}

/// Refuses nets that are more than places, tokens and weights, by the type that they state.
fn refused_type(draft: &mut Draft<'_>, net: Node<'_, '_>) -> bool {
    let Some(attribute) = net.attribute_node("type") else { return false };
    let stated = attribute.value().to_ascii_lowercase();
    let is = |names: &[&str]| names.iter().any(|name| stated.contains(name));
    let what = if is(&["symmetric", "highlevel", "hlpng", "hlnet", "hlpn", "coloured", "colored"]) {
        "a coloured net"
    } else if is(&["timed", "tpn", "stochastic", "time"]) {
        "a timed net"
    } else {
        return false;
    };
    let message = format!("{what} (type {}) is refused", attribute.value());
    draft.findings.error(
        attribute.range_value(),
        message,
        "unfold it to a place/transition net with the tool that made it",
    );
    true
}
