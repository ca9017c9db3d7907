//! Arrays of events, aliases, and lists of events.

use super::value::Value;
use super::{MOST, Module};
use crate::supremica::draft::{Event, Kind};
use crate::text::suggest;
use crate::text::xml::{child, tag, tag_span, value_span};
use roxmltree::Node;
use std::rc::Rc;

/// Events of one declaration, in the order of their indices; a single event is an array without indices.
#[derive(Clone, Debug)]
pub struct Array {
    ranges: Vec<Rc<[Value]>>,
    /// The number of each element among all events.
    elements: Vec<usize>,
}

impl Module<'_, '_> {
    /// Declares an event for each choice of indices, unless an instance gives the events.
    pub fn declare_events(&mut self, node: Node<'_, '_>, name: &str, kind: Kind, ranges: Vec<Rc<[Value]>>) {
        let size = ranges.iter().try_fold(1usize, |all, range| all.checked_mul(range.len()));
        let Some(size) = size.filter(|size| self.out.events.len() + size < MOST) else {
            let message = format!("`{name}` is too large an array of events");
            return self.findings.error(tag_span(node), message, format!("at most {MOST} events are taken"));
        };
        let given = self.parameters.events.get(name).cloned();
        let elements = match given {
            Some(given) if given.len() == size => given,
            Some(given) => {
                let message = format!("`{name}` is {size} events, and {} are given", given.len());
                return self.findings.error(tag_span(node), message, "give as many events as the parameter has");
            }
            None => {
                let mut names = vec![self.prefixed(name)];
                for range in &ranges {
                    let indexed = |name: &String| -> Vec<String> {
                        range.iter().map(|&index| format!("{name}[{}]", self.out.shown(index))).collect()
                    };
                    names = names.iter().flat_map(indexed).collect();
                }
                names.into_iter().map(|name| self.new_event(node, &name, kind)).collect()
            }
        };
        if self.arrays.insert(name.to_owned(), Array { ranges, elements }).is_some() {
            self.findings.error(tag_span(node), format!("a second event `{name}`"), "rename one of them");
        }
    }

    fn new_event(&mut self, node: Node<'_, '_>, name: &str, kind: Kind) -> usize {
        if let Some((at, _, event)) = self.out.events.get_full(name) {
            if event.kind != Kind::Proposition || kind != Kind::Proposition {
                self.findings.error(tag_span(node), format!("a second event `{name}`"), "rename one of them");
            }
            return at;
        }
        self.out.events.insert_full(name.into(), Event { kind, seen_as: None }).0
    }

    /// A name for a list of events.
    pub fn alias(&mut self, node: Node<'_, '_>) {
        let Some(name) = self.declared(node) else { return };
        let Some(list) = child(node, "EventListExpression") else {
            let help = "give it an EventListExpression";
            return self.findings.error(tag_span(node), format!("alias `{name}` stands for nothing"), help);
        };
        let events = self.event_list(list);
        self.aliases.insert(name, events);
    }

    /// Whether an expression is about events.
    pub fn names_events(&self, node: Node<'_, '_>) -> bool {
        let name = node.attribute("Name").unwrap_or_default();
        let known = || self.arrays.contains_key(name) || self.aliases.contains_key(name);
        tag(node) == "EventListExpression" || (self.bound(name).is_none() && known())
    }

    /// All events that a list names, loops gone through, in order and each once.
    pub fn event_list(&mut self, list: Node<'_, '_>) -> Vec<usize> {
        let mut found = Vec::new();
        self.each(list, &mut |module: &mut Self, node| {
            let events = match tag(node) {
                "EventList" | "EventListExpression" => module.event_list(node),
                _ => module.events_of(node),
            };
            found.extend(events);
        });
        let mut seen = rustc_hash::FxHashSet::default();
        found.retain(|event| seen.insert(*event));
        found
    }

    /// The events that a name stands for: an array with fewer indices than it has stands for all that have them.
    pub fn events_of(&mut self, node: Node<'_, '_>) -> Vec<usize> {
        if tag(node) == "EventListExpression" {
            return self.event_list(node);
        }
        let name = node.attribute("Name").unwrap_or_default();
        if let Some(array) = self.arrays.get(name).cloned() {
            let indices = if tag(node) == "IndexedIdentifier" { self.indices(node) } else { Some(Vec::new()) };
            return indices.map_or_else(Vec::new, |indices| self.elements_of(node, name, &array, &indices));
        }
        let Some(flat) = self.flat(node) else { return Vec::new() };
        if let Some(events) = self.aliases.get(&flat) {
            return events.clone();
        }
        let indexed = self
            .aliases
            .iter()
            .filter(|(alias, _)| alias.strip_prefix(&flat).is_some_and(|rest| rest.starts_with('[')));
        let all: Vec<usize> = indexed.flat_map(|(_, events)| events.iter().copied()).collect();
        if all.is_empty() {
            let known: Vec<&str> = self.arrays.keys().chain(self.aliases.keys()).map(String::as_str).collect();
            let mut known = known;
            known.sort_unstable();
            let help = suggest::help(name, "events", known.into_iter());
            self.findings.error(value_span(node, "Name"), format!("event `{name}` is not declared"), help);
        }
        all
    }

    fn elements_of(&mut self, node: Node<'_, '_>, name: &str, array: &Array, indices: &[Value]) -> Vec<usize> {
        if indices.len() > array.ranges.len() {
            let message = format!("`{name}` has {} indices, and {} are given", array.ranges.len(), indices.len());
            self.findings.error(tag_span(node), message, "leave some away");
            return Vec::new();
        }
        let (mut start, mut length) = (0, array.elements.len());
        for (index, range) in indices.iter().zip(&array.ranges) {
            let Some(at) = range.iter().position(|member| member == index) else {
                let message = format!("`{name}` has no index {}", self.out.shown(*index));
                let members: Vec<String> = range.iter().take(9).map(|&member| self.out.shown(member)).collect();
                self.findings.error(tag_span(node), message, format!("indices here are {}", members.join(", ")));
                return Vec::new();
            };
            length /= range.len();
            start += at * length;
        }
        array.elements[start..start + length].to_vec()
    }
}
