//! Places, transitions and what refers to them, page by page.

use super::arcs::{self, RawArc};
use super::{child, elements, label, tag_span};
use crate::diag::Span;
use crate::draft::Draft;
use prequel_model::{PlaceId, TransitionId};
use roxmltree::Node;
use rustc_hash::FxHashMap;

/// What an id stands for.
#[derive(Clone, Debug)]
pub enum Named {
    Place(PlaceId),
    Transition(TransitionId),
    /// Another node, of the same kind, by its id.
    Reference {
        to: String,
        span: Span,
    },
}

/// What the pages hold.
#[derive(Default)]
pub struct Nodes<'a, 'i> {
    named: FxHashMap<String, Named>,
    arcs: Vec<RawArc>,
    /// The NUPN section.
    pub units: Option<Node<'a, 'i>>,
    priority: Option<String>,
}

/// References after which a chain of them is taken to be a ring.
const LONGEST_CHAIN: usize = 1000;

impl<'a, 'i> Nodes<'a, 'i> {
    /// Reads all pages. No recursion: pages may be nested to any depth.
    pub fn collect(&mut self, draft: &mut Draft<'_>, net: Node<'a, 'i>) {
        let mut pages = vec![net];
        while let Some(page) = pages.pop() {
            for node in elements(page) {
                match node.tag_name().name() {
                    "page" => pages.push(node),
                    "place" => self.place(draft, node),
                    "transition" => self.transition(draft, node),
                    "referencePlace" | "referenceTransition" => self.reference(draft, node),
                    "arc" | "inputArc" | "outputArc" => self.arcs.extend(arcs::read(draft, node)),
                    "inhibitorArc" | "transportArc" | "resetArc" | "resetarc" => arcs::refused(draft, node),
                    "toolspecific" if node.attribute("tool") == Some("nupn") => self.units = Some(node),
                    "declaration" if child(node, "structure").is_some() => coloured(draft, node),
                    _ => {}
                }
            }
        }
    }

    fn id(&mut self, draft: &mut Draft<'_>, node: Node<'_, '_>) -> Option<(String, Span)> {
        let Some(id) = node.attribute_node("id") else {
            let message = format!("a <{}> without id", node.tag_name().name());
            draft.findings.error(tag_span(node), message, "give it an attribute id");
            return None;
        };
        let (id, span) = (id.value().to_owned(), id.range_value());
        if self.named.contains_key(&id) {
            draft.findings.error(
                span,
                format!("a second node with the id `{id}`"),
                "ids are unique in a file: rename one",
            );
            return None;
        }
        Some((id, span))
    }

    fn place(&mut self, draft: &mut Draft<'_>, node: Node<'_, '_>) {
        if child(node, "hlinitialMarking").is_some() || child(node, "type").is_some() {
            return coloured(draft, node);
        }
        if let Some(invariant) = node.attribute_node("invariant").filter(|a| !is_trivial(a.value())) {
            return timed(draft, invariant.range_value());
        }
        if let Some((text, span)) = label(node, "capacity").filter(|(text, _)| *text != "0" && !text.is_empty()) {
            let message = format!("a place with the capacity {text} is refused");
            return draft.findings.error(
                span,
                message,
                "write the capacity as a place of its own that holds what is free",
            );
        }
        let Some((id, span)) = self.id(draft, node) else { return };
        let attribute = node.attribute_node("initialMarking").map(|a| (a.value().trim(), a.range_value()));
        let marking = label(node, "initialMarking").or(attribute).filter(|(text, _)| !text.is_empty());
        let tokens = match marking {
            None => 0,
            Some((text, at)) => match draft.number(plain(text), at, "the marking") {
                Some(tokens) => tokens,
                None => return,
            },
        };
        self.named.insert(id.clone(), Named::Place(PlaceId::new(draft.places.len())));
        draft.place(&id, tokens, span);
        draft.place_title(label(node, "name").map_or("", |(text, _)| text));
    }

    fn transition(&mut self, draft: &mut Draft<'_>, node: Node<'_, '_>) {
        if let Some(delay) = child(node, "delay") {
            return timed(draft, tag_span(delay));
        }
        if let Some((_, span)) = label(node, "timed").filter(|(text, _)| *text == "true") {
            return timed(draft, span);
        }
        if let Some((text, span)) = label(node, "priority") {
            let first = self.priority.get_or_insert_with(|| text.to_owned());
            if *first != text {
                let message = format!("priorities ({first} and {text}) are refused");
                return draft.findings.error(span, message, "make the net one without priorities");
            }
        }
        let Some((id, span)) = self.id(draft, node) else { return };
        let transition = draft.transition(&id, span);
        draft.transition_title(transition, label(node, "name").map_or("", |(text, _)| text));
        self.named.insert(id, Named::Transition(transition));
    }

    fn reference(&mut self, draft: &mut Draft<'_>, node: Node<'_, '_>) {
        let Some(to) = node.attribute_node("ref") else {
            return draft.findings.error(tag_span(node), "a reference without ref", "name the node it stands for");
        };
        let Some((id, _)) = self.id(draft, node) else { return };
        self.named.insert(id, Named::Reference { to: to.value().into(), span: to.range_value() });
    }

    /// Looks up both ends of every arc.
    pub fn link(&mut self, draft: &mut Draft<'_>) {
        for arc in std::mem::take(&mut self.arcs) {
            let (from, to) = (self.resolve(draft, &arc.source), self.resolve(draft, &arc.target));
            let (Some(from), Some(to)) = (from, to) else { continue };
            arc.add(draft, from, to);
        }
        let dangling: Vec<(String, Span)> = (self.named.values())
            .filter_map(|named| match named {
                Named::Reference { to, span } => Some((to.clone(), span.clone())),
                _ => None,
            })
            .collect();
        let mut dangling = dangling;
        dangling.sort_by_key(|(_, span)| span.start);
        for end in &dangling {
            self.resolve(draft, end);
        }
    }

    fn resolve(&self, draft: &mut Draft<'_>, (id, span): &(String, Span)) -> Option<Named> {
        let (mut id, mut span) = (id, span);
        for _ in 0..LONGEST_CHAIN {
            match self.named.get(id) {
                Some(Named::Reference { to, span: at }) => (id, span) = (to, at),
                Some(node) => return Some(node.clone()),
                None => {
                    let names = || self.named.keys().map(String::as_str);
                    let mut near = crate::text::suggest::nearest(id, names());
                    near.sort_unstable();
                    let help = match near.first() {
                        Some(name) => format!("did you mean `{name}`?"),
                        None => "a node with this id must be in the same file".into(),
                    };
                    draft.findings.error(span.clone(), format!("there is no node with the id `{id}`"), help);
                    return None;
                }
            }
        }
        draft.findings.error(span.clone(), "references that refer to one another", "let one of them refer to a node");
        None
    }
}

/// PIPE writes `Default,1`: one kind of tokens, called so.
fn plain(text: &str) -> &str {
    text.strip_prefix("Default,").unwrap_or(text)
}

/// An interval or invariant that every time satisfies.
fn is_trivial(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    matches!(&*text, "" | "<inf" | "[0,inf)")
}

fn coloured(draft: &mut Draft<'_>, node: Node<'_, '_>) {
    let help = "unfold it to a place/transition net with the tool that made it";
    draft.findings.error(tag_span(node), "a coloured net is refused", help);
}

fn timed(draft: &mut Draft<'_>, span: Span) {
    draft.findings.error(
        span,
        "a timed net is refused",
        "leave the times away if the untimed net is what you ask about",
    );
}

/// What an arc is called where it has a number, or an interval that says nothing.
pub fn weight(draft: &mut Draft<'_>, text: &str, span: Span) -> Option<u32> {
    let text = plain(text);
    if is_trivial(text) {
        return Some(1);
    }
    if text.starts_with(['[', '(']) {
        timed(draft, span);
        return None;
    }
    draft.number(text, span, "the weight")
}

#[cfg(test)]
mod tests {
    use super::is_trivial;

    #[test]
    fn times_that_say_nothing_are_passed_over() {
        assert!(is_trivial("[0, inf)") && is_trivial("< inf") && is_trivial(""));
        assert!(!is_trivial("[1,inf)") && !is_trivial("<= 3"));
    }
}
