//! Components with a graph: nodes, groups of nodes, edges with events, guards and actions.
//!
//! An edge from a group is one from each simple node in it. Where groups are nested, an edge from the inner one stands instead of
//! those with the same event from outer ones; that is how models say "otherwise".

use super::Module;
use super::value::{Expression, Operator, Variable};
use crate::diag::Span;
use crate::supremica::draft::{Kind, Named, State, role};
use crate::text::xml::{child, elements, tag, tag_span, value_span};
use prequel_model::des::Role;
use roxmltree::Node;
use rustc_hash::{FxHashMap, FxHashSet};

/// A component whose edges may have conditions on variables.
#[derive(Clone, Debug)]
pub struct Machine {
    /// What it is there for.
    pub role: Role,
    /// Where it stands.
    pub span: Span,
    /// It says which states are marked.
    pub marks: bool,
    /// Its states by name.
    pub states: Named<State>,
    /// Events it takes part in.
    pub alphabet: Vec<usize>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// The different conditions of its edges; the first is none at all.
    pub conditions: Vec<Vec<Expression>>,
    /// Guards with their places, for warnings.
    pub guards: Vec<(Span, Vec<Expression>)>,
}

/// An edge of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// From which state.
    pub source: u32,
    /// With which event.
    pub event: usize,
    /// To which state.
    pub target: u32,
    /// Under which of its conditions.
    pub condition: usize,
}

/// Nodes of a graph.
#[derive(Default)]
struct Nodes {
    /// A group stands for the simple nodes in it.
    states: FxHashMap<String, Vec<u32>>,
    /// The groups in each group.
    inner: FxHashMap<String, FxHashSet<String>>,
}

impl Nodes {
    /// Whether one group is within another.
    fn within(&self, inner: &str, outer: &str) -> bool {
        let has = |a: &str, b: &str| self.inner.get(a).is_some_and(|groups| groups.contains(b));
        has(outer, inner) && !has(inner, outer)
    }
}

/// An edge as it is written.
struct Drawn<'a> {
    source: &'a str,
    target: &'a str,
    events: Vec<usize>,
    condition: usize,
}

impl Module<'_, '_> {
    /// A component with a graph.
    pub fn machine(&mut self, node: Node<'_, '_>) {
        let Some(name) = self.declared(node) else { return };
        let kind = node.attribute("Kind").unwrap_or_default();
        let Some(role) = role(kind) else {
            let help = "kinds of components are PLANT, SPEC, SUPERVISOR and PROPERTY";
            return self.findings.error(value_span(node, "Kind"), format!("there is no kind `{kind}`"), help);
        };
        let Some(graph) = child(node, "Graph") else {
            let message = format!("component `{name}` has no graph");
            return self.findings.error(tag_span(node), message, "give it a Graph with its nodes");
        };
        let span = self.place(tag_span(node));
        let mut machine = Machine {
            role,
            span,
            marks: false,
            states: Named::default(),
            alphabet: Vec::new(),
            edges: Vec::new(),
            conditions: vec![Vec::new()],
            guards: Vec::new(),
        };
        // Blocked events: what the graph itself lists.
        if let Some(blocked) = child(graph, "LabelBlock") {
            let events = self.event_list(blocked);
            self.take_part(&mut machine, &events);
        }
        let nodes = self.nodes(graph, &mut machine);
        let edges = elements(graph).filter(|n| tag(*n) == "EdgeList").flat_map(elements).filter(|n| tag(*n) == "Edge");
        let drawn: Vec<Drawn<'_>> = edges.filter_map(|edge| self.edge(edge, &nodes, &mut machine)).collect();
        machine.edges = expanded(&drawn, &nodes);
        machine.alphabet.sort_unstable();
        machine.alphabet.dedup();
        if graph.attribute("Deterministic") != Some("false") {
            self.must_be_deterministic(node, &machine);
        }
        let full = self.prefixed(&name);
        if self.out.machines.insert(full.into(), machine).is_some() {
            self.findings.error(tag_span(node), format!("a second component `{name}`"), "rename one of them");
        }
    }

    /// Adds events to the alphabet; propositions say that the component has something to say about marks.
    fn take_part(&mut self, machine: &mut Machine, events: &[usize]) {
        for &event in events {
            if self.out.events[event].kind == Kind::Proposition {
                machine.marks |= self.out.events.get_index(event).is_some_and(|(name, _)| *name == self.out.marking);
            } else {
                machine.alphabet.push(event);
            }
        }
    }

    /// The simple nodes become states; groups are looked up until only simple nodes are left.
    fn nodes(&mut self, graph: Node<'_, '_>, machine: &mut Machine) -> Nodes {
        let mut nodes = Nodes::default();
        let mut groups: Vec<(&str, Node<'_, '_>)> = Vec::new();
        for node in elements(graph).filter(|n| tag(*n) == "NodeList").flat_map(elements) {
            let Some(name) = node.attribute("Name") else {
                self.findings.error(tag_span(node), "a node without Name", "add an attribute Name");
                continue;
            };
            let twice = match tag(node) {
                "SimpleNode" => {
                    let mut state = State { initial: node.attribute("Initial") == Some("true"), ..State::default() };
                    if let Some(list) = child(node, "EventList") {
                        self.propositions(list, machine, &mut state);
                    }
                    let (at, before) = machine.states.insert_full(name.into(), state);
                    nodes.states.insert(name.to_owned(), vec![at as u32]);
                    before.is_some()
                }
                _ => {
                    groups.push((name, node));
                    nodes.states.insert(name.to_owned(), Vec::new()).is_some()
                }
            };
            if twice {
                self.findings.error(value_span(node, "Name"), format!("a second node `{name}`"), "rename one of them");
            }
        }
        let of: FxHashMap<&str, Node<'_, '_>> = groups.iter().copied().collect();
        for (name, group) in &groups {
            let mut members: Vec<u32> = Vec::new();
            let mut open = vec![*group];
            let mut seen = FxHashSet::default();
            while let Some(group) = open.pop() {
                for member in elements(group).filter(|n| tag(*n) == "NodeRef") {
                    let wanted = member.attribute("Name").unwrap_or_default();
                    match (of.get(wanted), machine.states.get_index_of(wanted)) {
                        (Some(inner), _) if seen.insert(wanted.to_owned()) => open.push(*inner),
                        (Some(_), _) => {}
                        (None, Some(state)) => members.push(state as u32),
                        (None, None) => {
                            let known = machine.states.keys().map(|n| &**n);
                            self.findings.unknown(value_span(member, "Name"), ("node", "nodes"), wanted, known);
                        }
                    }
                }
            }
            members.sort_unstable();
            members.dedup();
            nodes.states.insert((*name).to_owned(), members);
            nodes.inner.insert((*name).to_owned(), seen);
        }
        nodes
    }

    /// What is true in a state.
    fn propositions(&mut self, list: Node<'_, '_>, machine: &mut Machine, state: &mut State) {
        for event in self.event_list(list) {
            let Some((name, found)) = self.out.events.get_index(event) else { continue };
            if found.kind != Kind::Proposition {
                let message = format!("`{name}` is an event: it cannot be true in a state");
                let help = "declare it as a PROPOSITION, or put it on an edge";
                self.findings.error(tag_span(list), message, help);
                continue;
            }
            machine.marks |= *name == self.out.marking;
            state.proposition(name, &self.out.marking);
        }
    }

    fn edge<'a>(&mut self, node: Node<'a, '_>, nodes: &Nodes, machine: &mut Machine) -> Option<Drawn<'a>> {
        for end in ["Source", "Target"] {
            let name = node.attribute(end).unwrap_or_default();
            if !nodes.states.contains_key(name) {
                let known = machine.states.keys().map(|n| &**n);
                self.findings.unknown(value_span(node, end), ("node", "nodes"), name, known);
                return None;
            }
        }
        let label = child(node, "LabelBlock")?;
        let events = self.event_list(label);
        if let Some(&proposition) = events.iter().find(|&&e| self.out.events[e].kind == Kind::Proposition) {
            let name = self.out.events.get_index(proposition).map_or("", |(name, _)| name);
            let message = format!("`{name}` is a proposition: it is true in states and does not happen");
            self.findings.error(tag_span(label), message, "declare it as an event");
            return None;
        }
        let conditions = self.conditions(node, machine)?;
        let condition = machine.conditions.iter().position(|known| *known == conditions).unwrap_or_else(|| {
            machine.conditions.push(conditions);
            machine.conditions.len() - 1
        });
        self.take_part(machine, &events);
        Some(Drawn { source: node.attribute("Source")?, target: node.attribute("Target")?, events, condition })
    }

    /// Guards and actions of an edge as conditions on values before and after it.
    fn conditions(&mut self, edge: Node<'_, '_>, machine: &mut Machine) -> Option<Vec<Expression>> {
        let Some(block) = child(edge, "GuardActionBlock") else { return Some(Vec::new()) };
        let mut conditions = Vec::new();
        for node in child(block, "Guards").into_iter().flat_map(elements) {
            conditions.push(self.expression(node)?);
        }
        if !conditions.is_empty() {
            let place = child(block, "Guards").map_or_else(|| tag_span(block), tag_span);
            machine.guards.push((self.place(place), conditions.clone()));
        }
        for action in child(block, "Actions").into_iter().flat_map(elements) {
            conditions.push(self.action(action, machine)?);
        }
        conditions.retain(|c| !matches!(c, Expression::Value(value) if value.holds()));
        Some(conditions)
    }

    /// `x = e` says what x is next; `x += e` is `x = x + e`.
    fn action(&mut self, node: Node<'_, '_>, machine: &Machine) -> Option<Expression> {
        let sign = node.attribute("Operator").unwrap_or_default();
        let mut sides = elements(node).filter(|n| !tag(*n).ends_with("Geometry"));
        let (Some(left), Some(right), Some(before)) = (sides.next(), sides.next(), sign.strip_suffix('=')) else {
            let help = "an action is an assignment such as x = 1 or x += 1";
            self.findings.error(tag_span(node), "this is no action", help);
            return None;
        };
        let (assigned, value) = (self.expression(left)?, self.expression(right)?);
        let Expression::Variable(variable @ Variable { next: false, .. }) = assigned else {
            self.findings.error(tag_span(left), "only variables can be assigned to", "name a variable");
            return None;
        };
        let is_machine = self.out.variables[variable.number as usize].is_machine;
        if is_machine || machine.role == Role::Property {
            let message = if is_machine { "a component moves by its edges only" } else { "a property only looks on" };
            self.findings.error(tag_span(node), format!("{message}: it cannot assign"), "take the action away");
            return None;
        }
        let value = match before {
            "" => value,
            operator => match Operator::of(operator) {
                Some(operator) => Expression::both(operator, assigned, value),
                None => {
                    let help = "assignments are = += -= *= /= %= &= |=";
                    self.findings.error(value_span(node, "Operator"), format!("`{sign}` is no assignment"), help);
                    return None;
                }
            },
        };
        let next = Expression::Variable(Variable { next: true, ..variable });
        Some(Expression::both(Operator::Equal, next, value))
    }

    /// Two ways with the same event from the same state, without conditions that could decide between them.
    fn must_be_deterministic(&mut self, node: Node<'_, '_>, machine: &Machine) {
        let mut target_of: FxHashMap<(u32, usize), u32> = FxHashMap::default();
        for edge in machine.edges.iter().filter(|edge| edge.condition == 0) {
            if let Some(other) = target_of.insert((edge.source, edge.event), edge.target)
                && other != edge.target
            {
                let state = |s: u32| machine.states.get_index(s as usize).map_or("", |(name, _)| name).to_owned();
                let event = self.out.events.get_index(edge.event).map_or("", |(name, _)| name).to_owned();
                let (source, one, two) = (state(edge.source), state(other), state(edge.target));
                let message = format!("`{event}` leads from node `{source}` to `{one}` and to `{two}`");
                let help = "leave one of them away, or write Deterministic=\"false\" in the Graph";
                return self.findings.error(tag_span(node), message, help);
            }
        }
    }
}

/// Edges from and to simple nodes, each once.
fn expanded(drawn: &[Drawn<'_>], nodes: &Nodes) -> Vec<Edge> {
    // Edges of groups by their events: those of inner groups stand instead of others.
    let mut of_groups: FxHashMap<usize, Vec<&str>> = FxHashMap::default();
    for edge in drawn.iter().filter(|edge| nodes.inner.contains_key(edge.source)) {
        edge.events.iter().for_each(|&event| of_groups.entry(event).or_default().push(edge.source));
    }
    let replaced = |edge: &Drawn<'_>, event: usize, state: u32| {
        of_groups.get(&event).is_some_and(|groups| {
            let holds = |group: &&str| nodes.within(group, edge.source) && nodes.states[*group].contains(&state);
            groups.iter().any(holds)
        })
    };
    let mut edges = Vec::new();
    let mut seen = FxHashSet::default();
    for edge in drawn {
        let (sources, targets) = (&nodes.states[edge.source], &nodes.states[edge.target]);
        for &event in &edge.events {
            for &source in sources.iter().filter(|&&source| !replaced(edge, event, source)) {
                let all = targets.iter().map(|&target| Edge { source, event, target, condition: edge.condition });
                edges.extend(all.filter(|edge| seen.insert(*edge)));
            }
        }
    }
    edges
}
