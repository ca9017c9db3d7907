//! Arcs: their ends, their weight, and what kind they are.

use super::nodes::{self, Named};
use super::{child, label, tag_span};
use crate::diag::Span;
use crate::draft::{Draft, Way};
use roxmltree::Node;

/// An arc before its ends are looked up.
pub struct RawArc {
    /// The id it starts at, and where that is written.
    pub source: (String, Span),
    /// The id it ends at, and where that is written.
    pub target: (String, Span),
    weight: u32,
    reads: bool,
}

/// Reads an arc; nothing where it is refused.
pub fn read(draft: &mut Draft<'_>, node: Node<'_, '_>) -> Option<RawArc> {
    let mut end = |name: &str| {
        let Some(attribute) = node.attribute_node(name) else {
            draft.findings.error(
                tag_span(node),
                format!("an arc without {name}"),
                "give it source and target, ids of nodes",
            );
            return None;
        };
        Some((attribute.value().to_owned(), attribute.range_value()))
    };
    let (source, target) = (end("source")?, end("target")?);
    if child(node, "hlinscription").is_some() {
        draft.findings.error(tag_span(node), "a coloured net is refused", "unfold it to a place/transition net first");
        return None;
    }
    let (kind, kind_span) = kind(node);
    let reads = match kind.to_ascii_lowercase().as_str() {
        "" | "normal" | "ordinary" => false,
        "read" | "test" => true,
        other => {
            refuse(draft, other, kind_span);
            return None;
        }
    };
    let attribute = node.attribute_node("inscription").map(|a| (a.value().trim(), a.range_value()));
    let inscription = label(node, "inscription").or(attribute).filter(|(text, _)| !text.is_empty());
    let weight = match inscription {
        None => 1,
        Some((text, span)) => nodes::weight(draft, text, span)?,
    };
    Some(RawArc { source, target, weight, reads })
}

/// Refuses an element that is an arc of some other kind.
pub fn refused(draft: &mut Draft<'_>, node: Node<'_, '_>) {
    let name = node.tag_name().name().to_ascii_lowercase();
    refuse(draft, name.trim_end_matches("arc"), tag_span(node));
}

fn refuse(draft: &mut Draft<'_>, kind: &str, span: Span) {
    let message = match kind {
        "inhibitor" | "tapninhibitor" => "inhibitor arcs are refused".into(),
        "reset" => "reset arcs are refused".into(),
        "timed" | "transport" => format!("a timed net ({kind} arc) is refused"),
        other => format!("arcs of kind `{other}` are refused"),
    };
    draft.findings.error(span, message, "arcs are normal ones with a weight, or read arcs");
}

/// The kind of an arc as editors write it: an attribute, a `<type value=…>` or an `<arctype>`.
fn kind<'a>(node: Node<'a, '_>) -> (&'a str, Span) {
    if let Some(attribute) = node.attribute_node("type") {
        return (attribute.value(), attribute.range_value());
    }
    if let Some(attribute) = child(node, "type").and_then(|n| n.attribute_node("value")) {
        return (attribute.value(), attribute.range_value());
    }
    label(node, "arctype").or_else(|| label(node, "type")).unwrap_or(("", 0..0))
}

impl RawArc {
    /// Adds the arc, or says that it links two places or two transitions.
    pub fn add(self, draft: &mut Draft<'_>, from: Named, to: Named) {
        match (from, to) {
            (Named::Place(p), Named::Transition(t)) => {
                draft.arc(if self.reads { Way::Read } else { Way::In }, t, p, self.weight);
            }
            (Named::Transition(t), Named::Place(p)) => {
                draft.arc(if self.reads { Way::Read } else { Way::Out }, t, p, self.weight);
            }
            (from, _) => {
                let what = if matches!(from, Named::Place(_)) { "two places" } else { "two transitions" };
                let message = format!("an arc between {what}, `{}` and `{}`", self.source.0, self.target.0);
                draft.findings.error(self.target.1, message, "an arc links a place and a transition");
            }
        }
    }
}
