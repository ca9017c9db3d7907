//! `.wdes`: automata as they are, in XML.
//!
//! Elements are known by their local names, whatever their prefixes. The alphabet of an automaton is its `EventRefList`: an event
//! in it without a transition is blocked everywhere.

mod write;

pub use write::{plants, write};

use super::draft::{Automaton, Draft, Event, Kind, Named, State, role};
use crate::diag::Read;
use crate::text::findings::Findings;
use crate::text::xml::{child, decoded, elements, parse, tag, tag_span, value_span};
use prequel_model::des::Des;
use roxmltree::Node;

/// Reads a file. `marking` is the proposition that marks states.
pub fn read(file: &str, bytes: &[u8], marking: &str) -> Read<Des> {
    let text = decoded(bytes);
    let document = parse(file, &text)?;
    let root = document.root_element();
    let mut findings = Findings::new(file, text.as_bytes());
    let name = root.attribute("Name").unwrap_or_default().to_owned();
    let mut reader = Reader { marking, findings: &mut findings, events: Named::default() };
    let mut automata = Named::default();
    if tag(root) == "ProductDES" {
        listed(root, "EventList", "Event").for_each(|node| reader.event(node));
        listed(root, "AutomataList", "Automaton").for_each(|node| reader.automaton(node, &mut automata));
    } else {
        let message = format!("this is a <{}>, not a <ProductDES>", tag(root));
        let help = if tag(root) == "Module" { "call the file .wmod, or add --from wmod" } else { "give a .wdes file" };
        reader.findings.error(tag_span(root), message, help);
    }
    let events = reader.events;
    Draft { name, events, automata }.finish(findings, marking)
}

/// The elements of a name in the lists of a name.
fn listed<'a, 'i>(node: Node<'a, 'i>, list: &'static str, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    elements(node)
        .filter(move |n| tag(*n) == list)
        .flat_map(move |list| elements(list).filter(move |n| tag(*n) == name))
}

struct Reader<'r, 't> {
    marking: &'r str,
    findings: &'r mut Findings<'t>,
    events: Named<Event>,
}

impl Reader<'_, '_> {
    /// An attribute that must be there.
    fn attribute<'a>(&mut self, node: Node<'a, '_>, name: &str) -> Option<&'a str> {
        let value = node.attribute(name);
        if value.is_none() {
            let message = format!("<{}> without {name}", tag(node));
            self.findings.error(tag_span(node), message, format!("add an attribute {name}"));
        }
        value
    }

    fn event(&mut self, node: Node<'_, '_>) {
        let (Some(name), Some(kind)) = (self.attribute(node, "Name"), self.attribute(node, "Kind")) else { return };
        let Some(kind) = Kind::of(kind) else {
            let help = "kinds of events are CONTROLLABLE, UNCONTROLLABLE and PROPOSITION";
            return self.findings.error(value_span(node, "Kind"), format!("there is no kind `{kind}`"), help);
        };
        if self.events.insert(name.into(), Event { kind, seen_as: None }).is_some() {
            self.findings.error(value_span(node, "Name"), format!("a second event `{name}`"), "rename one of them");
        }
    }

    /// The event that an attribute names.
    fn event_of(&mut self, node: Node<'_, '_>, attribute: &str) -> Option<(usize, Kind)> {
        let name = self.attribute(node, attribute)?;
        if let Some((at, _, event)) = self.events.get_full(name) {
            return Some((at, event.kind));
        }
        let known = self.events.keys().map(|n| &**n);
        self.findings.unknown(value_span(node, attribute), ("event", "events"), name, known);
        None
    }

    fn automaton(&mut self, node: Node<'_, '_>, automata: &mut Named<Automaton>) {
        let (Some(name), Some(kind)) = (self.attribute(node, "Name"), self.attribute(node, "Kind")) else { return };
        let Some(role) = role(kind) else {
            let help = "kinds of automata are PLANT, SPEC, SUPERVISOR and PROPERTY";
            return self.findings.error(value_span(node, "Kind"), format!("there is no kind `{kind}`"), help);
        };
        let span = value_span(node, "Name");
        let (alphabet, states, transitions) = (Vec::new(), Named::default(), Vec::new());
        let mut automaton = Automaton { role, span: span.clone(), marks: false, alphabet, states, transitions };
        let mut takes_part = vec![false; self.events.len()];
        for reference in listed(node, "EventRefList", "EventRef") {
            if let Some((event, kind)) = self.event_of(reference, "Name") {
                takes_part[event] = true;
                match kind {
                    Kind::Proposition => automaton.marks |= reference.attribute("Name") == Some(self.marking),
                    _ => automaton.alphabet.push(event),
                }
            }
        }
        for state in listed(node, "StateList", "State") {
            self.state(state, &mut automaton);
        }
        for transition in listed(node, "TransitionList", "Transition") {
            self.transition(transition, &mut automaton, &takes_part);
        }
        if automaton.states.is_empty() && child(node, "StateList").is_none() {
            let message = format!("automaton `{name}` has no states");
            self.findings.error(span.clone(), message, "add a StateList with one state at least");
        }
        if automata.insert(name.into(), automaton).is_some() {
            self.findings.error(span, format!("a second automaton `{name}`"), "rename one of them");
        }
    }

    fn state(&mut self, node: Node<'_, '_>, automaton: &mut Automaton) {
        let Some(name) = self.attribute(node, "Name") else { return };
        let mut state = State { initial: node.attribute("Initial") == Some("true"), ..State::default() };
        for reference in listed(node, "EventRefList", "EventRef") {
            let Some((_, kind)) = self.event_of(reference, "Name") else { continue };
            let proposition = reference.attribute("Name").unwrap_or_default();
            if kind != Kind::Proposition {
                let message = format!("`{proposition}` is an event: it cannot be true in a state");
                let help = "declare it as a PROPOSITION, or make it a transition";
                self.findings.error(value_span(reference, "Name"), message, help);
            }
            // Marked although the automaton's list is silent about marks: then it is not.
            automaton.marks |= proposition == self.marking;
            state.proposition(proposition, self.marking);
        }
        if automaton.states.insert(name.into(), state).is_some() {
            let message = format!("a second state `{name}` in this automaton");
            self.findings.error(value_span(node, "Name"), message, "rename one of them");
        }
    }

    fn transition(&mut self, node: Node<'_, '_>, automaton: &mut Automaton, takes_part: &[bool]) {
        let source = self.state_of(node, "Source", automaton);
        let event = self.event_of(node, "Event");
        let target = self.state_of(node, "Target", automaton);
        let (Some(source), Some((event, kind)), Some(target)) = (source, event, target) else { return };
        let name = node.attribute("Event").unwrap_or_default();
        if kind == Kind::Proposition {
            let message = format!("`{name}` is a proposition: it is true in states and does not happen");
            self.findings.error(value_span(node, "Event"), message, "declare it as an event");
        } else if !takes_part[event] {
            let message = format!("`{name}` is not in the EventRefList of this automaton");
            let help = "add it there: the list is what the automaton takes part in";
            self.findings.error(value_span(node, "Event"), message, help);
        }
        automaton.transitions.push((source, event, target));
    }

    fn state_of(&mut self, node: Node<'_, '_>, attribute: &str, automaton: &Automaton) -> Option<u32> {
        let name = self.attribute(node, attribute)?;
        let found = automaton.states.get_index_of(name);
        if found.is_none() {
            let known = automaton.states.keys().map(|n| &**n);
            self.findings.unknown(value_span(node, attribute), ("state", "states"), name, known);
        }
        found.map(|at| at as u32)
    }
}
