//! `.wmod`: modules, which describe automata by constants, arrays of events, loops, groups of nodes and variables.
//!
//! | what is described | where it is worked out |
//! | --- | --- |
//! | constants, ranges, expressions, indexed names | `scope` |
//! | arrays of events, aliases, lists of events | `events` |
//! | nodes, groups, edges, blocked events | `graph` |
//! | variables, guards and actions: events are split so that each variable is an automaton | `split`, `relation` |
//! | instances of other modules | `Module::instance` |
//!
//! The name of a declaration is an attribute or a first child, whichever a file has. Layout is passed over, and so is the `Text`
//! of an expression, which repeats it.

mod events;
mod graph;
mod relation;
mod scope;
mod split;
mod value;

use super::draft::{Draft, Event, Kind, Named};
use crate::diag::Span;
use crate::diag::{Diagnostic, Read};
use crate::file;
use crate::text::findings::Findings;
use crate::text::xml::{child, decoded, elements, parse, tag, tag_span, value_span};
use events::Array;
use graph::Machine;
use indexmap::{IndexMap, IndexSet};
use prequel_model::des::Des;
use prequel_model::watch::Watch;
use roxmltree::{Document, Node};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use scope::Bound;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use value::{Expression, Value};

/// Elements nest no deeper.
const DEEPEST: usize = 400;
/// Modules are instances of one another no deeper.
const DEEPEST_INSTANCE: usize = 20;
/// Components and events at most.
const MOST: usize = 1 << 17;
/// Turns of all loops together, so that loops in loops end.
const MOST_TURNS: usize = 1 << 21;

/// Reads a file; instances of other modules are looked for in `folder`. `marking` is the proposition that marks states.
pub fn read(file: &str, bytes: &[u8], folder: &Path, marking: &str) -> Read<Des> {
    let mut out = Output { marking: marking.into(), ..Output::default() };
    let text = decoded(bytes);
    let name = compile(&mut out, file, &text, Parameters::default(), folder);
    if !out.errors.is_empty() {
        return Err(out.errors);
    }
    let mut findings = Findings::new(file, text.as_bytes());
    let variables = out.variable_of.into_keys().zip(out.variables).collect();
    let (events, automata) = split::split(out.events, variables, out.machines, &out.atoms, &mut findings);
    findings.warnings.splice(0..0, out.warnings);
    Draft { name, events, automata }.finish(findings, marking)
}

/// What modules describe, as far as it was read: nothing here refers to a text.
#[derive(Default)]
struct Output {
    /// The proposition that marks states.
    marking: Box<str>,
    /// Members of enumerations, and states of components that are used as such.
    atoms: IndexSet<Box<str>, FxBuildHasher>,
    events: Named<Event>,
    variables: Vec<VariableDraft>,
    variable_of: IndexMap<Box<str>, u32, FxBuildHasher>,
    machines: Named<Machine>,
    /// Turns of loops so far.
    turns: usize,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

/// A variable while it is read.
#[derive(Clone, Debug)]
struct VariableDraft {
    /// What it can be.
    range: Vec<Value>,
    /// For each value whether it can be so at first.
    initial: Vec<bool>,
    /// For each value whether it is marked, if the variable says anything about marks.
    marked: Option<Vec<bool>>,
    /// Where it stands.
    span: Span,
    /// It is the state of a component, and no automaton of its own.
    is_machine: bool,
}

impl VariableDraft {
    /// The state of a component as a variable.
    fn of_machine(range: Vec<Value>) -> Self {
        Self { range, initial: Vec::new(), marked: None, span: 0..0, is_machine: true }
    }
}

impl Output {
    fn declare(&mut self, name: &str, variable: VariableDraft) -> u32 {
        let number = self.variables.len() as u32;
        self.variables.push(variable);
        self.variable_of.insert(name.into(), number);
        number
    }

    /// A value as names show it.
    fn shown(&self, value: Value) -> String {
        match value {
            Value::Int(number) => number.to_string(),
            Value::Atom(at) => self.atoms[at as usize].to_string(),
            Value::Undefined => "?".into(),
        }
    }
}

/// What an instance gives to its module.
#[derive(Default)]
struct Parameters {
    /// Put before the names of its components and events, with a dot.
    prefix: String,
    /// What its parameters are.
    constants: FxHashMap<String, Bound>,
    events: FxHashMap<String, Vec<usize>>,
    /// How many modules are around it.
    depth: usize,
    /// Where the outermost instance stands.
    span: Option<Span>,
}

/// Compiles a module into `out`; gives its name.
fn compile(out: &mut Output, file: &str, text: &str, parameters: Parameters, folder: &Path) -> String {
    let document = match parse(file, text) {
        Ok(document) => document,
        Err(errors) => {
            out.errors.extend(errors);
            return String::new();
        }
    };
    let mut findings = Findings::new(file, text.as_bytes());
    let root = module_of(&document, &mut findings);
    let name = root.and_then(|root| root.attribute("Name")).unwrap_or_default().to_owned();
    let enumerated = document.descendants().filter(|n| tag(*n) == "EnumSetExpression");
    let enumerated = enumerated.flat_map(elements).filter_map(|n| n.attribute("Name").map(Box::from)).collect();
    let mut module = Module {
        out,
        findings,
        parameters,
        folder: folder.to_owned(),
        scope: Vec::new(),
        enumerated,
        arrays: FxHashMap::default(),
        aliases: IndexMap::default(),
        graphs: FxHashMap::default(),
    };
    if let Some(root) = root {
        module.all(root);
    }
    let Module { out, findings, .. } = module;
    out.warnings.extend(findings.warnings);
    out.errors.extend(findings.errors.none(file).err().unwrap_or_default());
    name
}

/// The one module of a document.
fn module_of<'a>(document: &'a Document<'_>, findings: &mut Findings<'_>) -> Option<Node<'a, 'a>> {
    let mut ends: Vec<usize> = Vec::new();
    for node in document.descendants().filter(Node::is_element) {
        let range = node.range();
        while ends.last().is_some_and(|&end| end <= range.start) {
            ends.pop();
        }
        ends.push(range.end);
        if ends.len() > DEEPEST {
            findings.error(tag_span(node), "elements that nest too deeply", format!("at most {DEEPEST} are taken"));
            return None;
        }
    }
    let root = document.root_element();
    match tag(root) {
        "Module" => Some(root),
        "ModuleSequence" => {
            let mut modules = elements(root).filter(|n| tag(*n) == "Module");
            let first = modules.next();
            match (first, modules.next()) {
                (Some(_), Some(second)) => {
                    findings.error(
                        tag_span(second),
                        "a second module in this file",
                        "give each module a file of its own",
                    );
                    None
                }
                (None, _) => {
                    findings.error(tag_span(root), "there is no <Module> in this file", "a file holds one module");
                    None
                }
                (first, None) => first,
            }
        }
        other => {
            let help =
                if other == "ProductDES" { "call the file .wdes, or add --from wdes" } else { "give a .wmod file" };
            findings.error(tag_span(root), format!("this is a <{other}>, not a <Module>"), help);
            None
        }
    }
}

/// A module while it is compiled.
struct Module<'o, 't> {
    out: &'o mut Output,
    findings: Findings<'t>,
    parameters: Parameters,
    folder: PathBuf,
    /// Constants, then loops from the outermost on.
    scope: Vec<(String, Bound)>,
    /// Members of enumerations anywhere in the module.
    enumerated: FxHashSet<Box<str>>,
    /// Events that are declared.
    arrays: FxHashMap<String, Array>,
    /// Events by the names of aliases.
    aliases: IndexMap<String, Vec<usize>, FxBuildHasher>,
    /// The names of the states of components, which guards may ask for.
    graphs: FxHashMap<String, Rc<[Box<str>]>>,
}

impl Module<'_, '_> {
    fn all(&mut self, root: Node<'_, '_>) {
        for list in elements(root) {
            match tag(list) {
                "ConstantAliasList" => elements(list).for_each(|node| self.constant(node)),
                "EventDeclList" => elements(list).for_each(|node| self.event_declaration(node)),
                _ => {}
            }
        }
        for list in elements(root).filter(|n| tag(*n) == "EventAliasList") {
            self.each(list, &mut Self::alias);
        }
        let components = || elements(root).filter(|n| tag(*n) == "ComponentList");
        // Guards may name variables and components that come later.
        components().for_each(|list| self.each(list, &mut Self::forward));
        components().for_each(|list| self.each(list, &mut Self::component));
    }

    /// A name with that of the instance before it.
    fn prefixed(&self, name: &str) -> String {
        let prefix = &self.parameters.prefix;
        // Names that start with a colon are the same in all modules.
        if prefix.is_empty() || name.starts_with(':') { name.to_owned() } else { format!("{prefix}.{name}") }
    }

    /// Where to point at: a place of this text, or the instance that is made of it.
    fn place(&self, span: Span) -> Span {
        self.parameters.span.clone().unwrap_or(span)
    }

    /// Whether there may be more components and events.
    fn room(&mut self, node: Node<'_, '_>) -> bool {
        let room = self.out.machines.len() + self.out.variables.len() < MOST && self.out.turns < MOST_TURNS;
        if !room && self.findings.errors.is_empty() {
            self.findings.error(tag_span(node), "too many components, or turns of loops", "make ranges smaller");
        }
        room
    }

    /// Does something with each member of a list; loops in it are gone through.
    fn each(&mut self, list: Node<'_, '_>, act: &mut dyn FnMut(&mut Self, Node<'_, '_>)) {
        for node in elements(list).filter(|n| !tag(*n).ends_with("Geometry")) {
            if !self.room(node) {
                return;
            }
            if tag(node).starts_with("Foreach") { self.foreach(node, act) } else { act(self, node) }
        }
    }

    /// A loop: its variable, a range, perhaps a guard, and what is done for each value.
    fn foreach(&mut self, node: Node<'_, '_>, act: &mut dyn FnMut(&mut Self, Node<'_, '_>)) {
        let is_body = |n: &Node<'_, '_>| tag(*n).ends_with("List") || tag(*n) == "LabelBlock";
        let mut expressions = elements(node).filter(|n| !is_body(n) && !tag(*n).ends_with("Geometry"));
        let (Some(name), Some(range)) = (node.attribute("Name"), expressions.next()) else {
            let help = "a loop has an attribute Name, a range and a list";
            return self.findings.error(tag_span(node), format!("<{}> without variable or range", tag(node)), help);
        };
        let guard = expressions.next();
        let Some(values) = self.range(range) else { return };
        for &value in values.iter() {
            self.out.turns += 1;
            if !self.room(node) {
                return;
            }
            self.scope.push((name.to_owned(), Bound::One(value)));
            let taken = guard.is_none_or(|guard| self.value(guard).is_some_and(Value::holds));
            if taken {
                elements(node).filter(is_body).for_each(|body| self.each(body, act));
            }
            self.scope.pop();
            if !self.findings.errors.is_empty() {
                return;
            }
        }
    }

    fn constant(&mut self, node: Node<'_, '_>) {
        let Some(name) = self.declared(node) else { return };
        if let Some(given) = self.parameters.constants.get(&name) {
            return self.scope.push((name, given.clone()));
        }
        let Some(meant) = child(node, "ConstantAliasExpression").and_then(|n| elements(n).next()) else {
            let help = "give it a ConstantAliasExpression, or give it a value where the module is instantiated";
            return self.findings.error(tag_span(node), format!("constant `{name}` has no value"), help);
        };
        if let Some(bound) = self.bound_of(meant) {
            self.scope.push((name, bound));
        }
    }

    /// A value or a range.
    fn bound_of(&mut self, node: Node<'_, '_>) -> Option<Bound> {
        let named = tag(node) == "SimpleIdentifier";
        let known = named.then(|| self.bound(node.attribute("Name").unwrap_or_default())).flatten();
        let is_range = tag(node) == "EnumSetExpression" || node.attribute("Operator") == Some("..");
        match known {
            Some(bound) => Some(bound),
            None if is_range => self.range(node).map(Bound::Many),
            None => self.value(node).map(Bound::One),
        }
    }

    /// Declares what guards may name before it is compiled.
    fn forward(&mut self, node: Node<'_, '_>) {
        match tag(node) {
            "VariableComponent" => self.variable(node),
            "SimpleComponent" => {
                let Some(name) = self.declared(node) else { return };
                let nodes = child(node, "Graph").and_then(|graph| child(graph, "NodeList"));
                let states = nodes.into_iter().flat_map(elements).filter(|n| tag(*n) == "SimpleNode");
                let states: Vec<Box<str>> = states.filter_map(|n| n.attribute("Name").map(Box::from)).collect();
                self.graphs.insert(name, states.into());
            }
            _ => {}
        }
    }

    fn component(&mut self, node: Node<'_, '_>) {
        match tag(node) {
            "SimpleComponent" => self.machine(node),
            "Instance" => self.instance(node),
            "VariableComponent" => {}
            other => {
                let help = "components are SimpleComponent, VariableComponent, Instance and ForeachComponent";
                self.findings.error(tag_span(node), format!("<{other}> is no component"), help);
            }
        }
    }

    /// A variable: its range, where it starts, and what is marked.
    fn variable(&mut self, node: Node<'_, '_>) {
        let Some(name) = self.declared(node) else { return };
        let span = self.place(tag_span(node));
        let full = self.prefixed(&name);
        let Some(range) = child(node, "VariableRange").and_then(|n| elements(n).next()) else {
            let help = "give it a VariableRange such as 0..3, or an enumeration";
            return self.findings.error(tag_span(node), format!("variable `{name}` has no finite range"), help);
        };
        let Some(range) = self.range(range) else { return };
        if self.out.variable_of.contains_key(&*full) {
            return self.findings.error(tag_span(node), format!("a second variable `{name}`"), "rename one of them");
        }
        let draft = VariableDraft {
            range: range.to_vec(),
            initial: vec![true; range.len()],
            marked: None,
            span,
            is_machine: false,
        };
        let number = self.out.declare(&full, draft);
        if let Some(condition) = child(node, "VariableInitial").and_then(|n| elements(n).next())
            && let Some(initial) = self.values_with(number, &range, condition)
        {
            self.out.variables[number as usize].initial = initial;
        }
        for marking in elements(node).filter(|n| tag(*n) == "VariableMarking") {
            let mut parts = elements(marking);
            let (Some(proposition), Some(condition)) = (parts.next(), parts.next()) else { continue };
            if self.flat(proposition).as_deref() == Some(&*self.out.marking.clone())
                && let Some(marked) = self.values_with(number, &range, condition)
            {
                self.out.variables[number as usize].marked = Some(marked);
            }
        }
    }

    /// For each value of a variable whether a condition on it holds.
    fn values_with(&mut self, number: u32, range: &[Value], condition: Node<'_, '_>) -> Option<Vec<bool>> {
        let meant = self.expression(condition)?;
        let mut others = Vec::new();
        meant.variables(&mut others);
        if others.iter().any(|v| v.number != number || v.next) {
            let help = "only the value of this variable can be used here";
            self.findings.error(tag_span(condition), "a condition on another variable", help);
            return None;
        }
        let holds = |&value: &Value| matches!(meant.with(number, value, value), Expression::Value(v) if v.holds());
        Some(range.iter().map(holds).collect())
    }

    /// Another module of the same folder, with its parameters bound.
    fn instance(&mut self, node: Node<'_, '_>) {
        let (Some(name), Some(module)) = (self.declared(node), node.attribute("ModuleName")) else {
            let help = "an instance has a name and a ModuleName";
            return self.findings.error(tag_span(node), "an instance without module", help);
        };
        if self.parameters.depth >= DEEPEST_INSTANCE {
            let help = "a module cannot be an instance of itself";
            return self.findings.error(tag_span(node), "modules that are instances of one another", help);
        }
        let mut parameters = Parameters {
            prefix: self.prefixed(&name),
            depth: self.parameters.depth + 1,
            span: Some(self.place(tag_span(node))),
            ..Parameters::default()
        };
        for binding in elements(node).filter(|n| tag(*n) == "BindingList").flat_map(elements) {
            let (Some(parameter), Some(meant)) = (binding.attribute("Name"), elements(binding).next()) else {
                continue;
            };
            if self.names_events(meant) {
                let events = self.events_of(meant);
                parameters.events.insert(parameter.to_owned(), events);
            } else if let Some(bound) = self.bound_of(meant) {
                parameters.constants.insert(parameter.to_owned(), bound);
            }
        }
        let path = self.folder.join(format!("{module}.wmod"));
        match file::included(&path, &Watch::default()) {
            Ok(bytes) => {
                compile(self.out, &path.display().to_string(), &decoded(&bytes), parameters, &self.folder);
            }
            Err(error) => {
                let message = format!("cannot read {}: {error}", path.display());
                let help = "an instance is made of a module in the same folder";
                self.findings.error(value_span(node, "ModuleName"), message, help);
            }
        }
    }

    fn event_declaration(&mut self, node: Node<'_, '_>) {
        let Some(name) = self.declared(node) else { return };
        let Some(kind) = node.attribute("Kind").and_then(Kind::of) else {
            let help = "kinds of events are CONTROLLABLE, UNCONTROLLABLE and PROPOSITION";
            return self.findings.error(value_span(node, "Kind"), format!("event `{name}` has no kind"), help);
        };
        let ranges = child(node, "RangeList").into_iter().flat_map(elements);
        let ranges: Vec<Option<Rc<[Value]>>> = ranges.map(|range| self.range(range)).collect();
        let Some(ranges) = ranges.into_iter().collect::<Option<Vec<_>>>() else { return };
        self.declare_events(node, &name, kind, ranges);
    }
}
