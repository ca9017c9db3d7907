//! A net while it is read: names with the place where each stands, arcs that are looked up when all nodes are known.

use crate::diag::{Read, Span};
use crate::text::findings::Findings;
use indexmap::IndexMap;
use memchr::memchr_iter;
use prequel_model::net::{Net, Parts, Units};
use prequel_model::{Arc, PlaceId, TransitionId};
use rustc_hash::FxBuildHasher;

/// Names in order, with what is known of each.
pub type Named<T> = IndexMap<Box<str>, T, FxBuildHasher>;

/// A place or a transition.
#[derive(Clone, Debug)]
pub struct Node {
    /// Tokens of a place; nothing for a transition.
    pub tokens: u32,
    /// Where its name stands.
    pub span: Span,
}

/// Which way an arc goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// From a place to a transition.
    In,
    /// From a transition to a place.
    Out,
    /// The transition looks at the place only.
    Read,
}

/// A net while it is read.
pub struct Draft<'a> {
    /// What is wrong or odd.
    pub findings: Findings<'a>,
    /// Where each line but the first starts.
    line_starts: Vec<usize>,
    /// Places by name.
    pub places: Named<Node>,
    /// Transitions by name.
    pub transitions: Named<Node>,
    parts: Parts,
}

impl<'a> Draft<'a> {
    /// An empty one for a file.
    pub fn new(file: &'a str, text: &'a [u8]) -> Self {
        let line_starts = memchr_iter(b'\n', text).map(|at| at + 1).collect();
        let (places, transitions, parts) = (Named::default(), Named::default(), Parts::default());
        Self { findings: Findings::new(file, text), line_starts, places, transitions, parts }
    }

    /// The line of a byte, counted from 1.
    pub fn line(&self, at: usize) -> u32 {
        self.line_starts.partition_point(|&start| start <= at) as u32 + 1
    }

    /// A place; one of the same name must not be there yet.
    pub fn place(&mut self, name: &str, tokens: u32, span: Span) {
        if let Some(other) = self.places.get(name) {
            let line = self.line(other.span.start);
            return self.findings.error(
                span,
                format!("a second place called `{name}`; the first is in line {line}"),
                RENAME,
            );
        }
        self.places.insert(name.into(), Node { tokens, span });
    }

    /// The place of this name, which is made if it is not there.
    pub fn some_place(&mut self, name: &str, span: Span) -> PlaceId {
        let entry = self.places.entry(name.into());
        let at = entry.index();
        entry.or_insert(Node { tokens: 0, span });
        PlaceId::new(at)
    }

    /// A transition; one of the same name must not be there yet.
    pub fn transition(&mut self, name: &str, span: Span) -> TransitionId {
        if let Some((at, _, other)) = self.transitions.get_full(name) {
            let line = self.line(other.span.start);
            let message = format!("a second transition called `{name}`; the first is in line {line}");
            self.findings.error(span, message, RENAME);
            return TransitionId::new(at);
        }
        self.some_transition(name, span)
    }

    /// The transition of this name, which is made if it is not there.
    pub fn some_transition(&mut self, name: &str, span: Span) -> TransitionId {
        let entry = self.transitions.entry(name.into());
        let at = entry.index();
        entry.or_insert(Node { tokens: 0, span });
        TransitionId::new(at)
    }

    /// What the last place is called beside its name.
    pub fn place_title(&mut self, title: &str) {
        self.place_title_of(PlaceId::new(self.places.len().saturating_sub(1)), title);
    }

    /// What a place is called beside its name.
    pub fn place_title_of(&mut self, place: PlaceId, title: &str) {
        let title = self.places.get_index(place.at()).and_then(|(name, _)| another(name, title));
        self.parts.titles.places.extend(title.map(|title| (place, title)));
    }

    /// What a transition is called beside its name.
    pub fn transition_title(&mut self, transition: TransitionId, title: &str) {
        let title = self.transitions.get_index(transition.at()).and_then(|(name, _)| another(name, title));
        self.parts.titles.transitions.extend(title.map(|title| (transition, title)));
    }

    /// An arc. One of weight 0 is none.
    pub fn arc(&mut self, way: Way, transition: TransitionId, place: PlaceId, weight: u32) {
        if weight == 0 {
            return;
        }
        let arc = (transition, Arc { place, weight });
        if way != Way::Out {
            self.parts.inputs.push(arc);
        }
        if way != Way::In {
            self.parts.outputs.push(arc);
        }
    }

    /// The place that an arc or a marking names, or an error.
    pub fn known_place(&mut self, name: &str, span: Span) -> Option<PlaceId> {
        if let Some(at) = self.places.get_index_of(name) {
            return Some(PlaceId::new(at));
        }
        self.findings.unknown(span, ("place", "places"), name, self.places.keys().map(|n| &**n));
        None
    }

    /// A number of tokens, or an error.
    pub fn number(&mut self, text: &str, span: Span, what: &str) -> Option<u32> {
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let (message, help) = if digits(text) {
            (format!("{what} {text} is too large"), format!("at most {} can be counted", u32::MAX))
        } else if text.strip_prefix('-').is_some_and(digits) {
            (format!("{what} {text} is negative"), "give 0 or more".into())
        } else {
            (format!("{what} `{text}` is no number"), "give 0 or more".into())
        };
        self.findings.error(span, message, help);
        None
    }

    /// The net, or all errors.
    pub fn finish(mut self, units: Option<Units>) -> Read<Net> {
        self.parts.titles.places.sort_by_key(|(place, _)| *place);
        self.parts.titles.transitions.sort_by_key(|(transition, _)| *transition);
        self.parts.places = self.places.iter().map(|(name, node)| (name.clone(), node.tokens)).collect();
        let lines = |node: &Node| self.line(node.span.start);
        let transitions = self.transitions.iter().map(|(name, node)| (name.clone(), lines(node)));
        self.parts.transitions = transitions.collect();
        if let Some(units) = units.as_ref().filter(|units| units.safe) {
            self.must_be_safe(units);
        }
        self.parts.units = units;
        let net = match Net::new(std::mem::take(&mut self.parts)) {
            Ok(net) => Some(net),
            Err((t, p)) => {
                let span = self.transitions[t.at()].span.clone();
                let place = self.places.get_index(p.at()).map_or("", |(name, _)| name).to_owned();
                let message = format!("the arcs between this transition and place `{place}` add up to too much");
                self.findings.error(span, message, format!("at most {} tokens can be counted", u32::MAX));
                None
            }
        };
        let warnings = self.findings.none()?;
        Ok((net.expect("there was no error"), warnings))
    }

    /// A net that the file calls safe has no second token anywhere, and no arc that asks for one.
    fn must_be_safe(&mut self, units: &Units) {
        const HELP: &str = "write safe=\"false\" in the NUPN section, or mend the net";
        let marked = self.places.iter().filter(|(_, node)| node.tokens > 1);
        let mut wrong: Vec<(Span, String)> = marked
            .map(|(name, node)| {
                (
                    node.span.clone(),
                    format!("place `{name}` has {} tokens, but the net is said to be safe", node.tokens),
                )
            })
            .collect();
        let mut holder: Vec<Option<usize>> = vec![None; units.names.len()];
        for (at, (name, node)) in self.places.iter().enumerate().filter(|(_, (_, node))| node.tokens == 1) {
            if let Some(other) = holder[units.of_place[at] as usize].replace(at) {
                let other = self.places.get_index(other).map_or("", |(name, _)| name);
                let unit = &units.names[units.of_place[at] as usize];
                let message = format!(
                    "places `{other}` and `{name}` of unit `{unit}` are both marked, but it is said to be safe"
                );
                wrong.push((node.span.clone(), message));
            }
        }
        for (t, arc) in self.parts.inputs.iter().chain(&self.parts.outputs).filter(|(_, arc)| arc.weight > 1) {
            let place = self.places.get_index(arc.place.at()).map_or("", |(name, _)| name);
            let message = format!("an arc of weight {} at place `{place}`, but the net is said to be safe", arc.weight);
            wrong.push((self.transitions[t.at()].span.clone(), message));
        }
        wrong.into_iter().for_each(|(span, message)| self.findings.error(span, message, HELP));
    }
}

/// A title in one line, where it says more than the name.
fn another(name: &str, title: &str) -> Option<Box<str>> {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty() && title != name).then(|| title.into())
}

const RENAME: &str = "rename one of them";
