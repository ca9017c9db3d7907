//! What names mean, and what expressions come to.

use super::value::{Expression, Operator, Value, Variable};
use super::{Module, VariableDraft};
use crate::text::xml::{elements, tag, tag_span, value_span};
use roxmltree::Node;
use std::rc::Rc;

/// What a constant or the variable of a loop stands for.
#[derive(Clone, Debug)]
pub enum Bound {
    /// A value.
    One(Value),
    /// A range or an enumeration.
    Many(Rc<[Value]>),
}

/// Elements of a range at most.
const LONGEST_RANGE: i64 = 1 << 16;

impl Module<'_, '_> {
    /// The value of an expression over constants.
    pub fn value(&mut self, node: Node<'_, '_>) -> Option<Value> {
        match self.expression(node)? {
            Expression::Value(Value::Undefined) => {
                self.findings.error(
                    tag_span(node),
                    "this cannot be computed",
                    "is it a division by 0, or a name among numbers?",
                );
                None
            }
            Expression::Value(value) => Some(value),
            _ => {
                let help = "variables change from step to step: only constants and loops can be used here";
                self.findings.error(tag_span(node), "a variable is used where a constant must be", help);
                None
            }
        }
    }

    /// An expression over constants and variables.
    pub fn expression(&mut self, node: Node<'_, '_>) -> Option<Expression> {
        let sides: Vec<Node<'_, '_>> = elements(node).filter(|n| !tag(*n).ends_with("Geometry")).collect();
        match (tag(node), sides.as_slice()) {
            ("IntConstant", _) => {
                let text = node.attribute("Value").unwrap_or_default();
                if let Ok(number) = text.parse() {
                    return Some(Expression::Value(Value::Int(number)));
                }
                self.findings.error(value_span(node, "Value"), format!("`{text}` is no number"), "give a whole number");
                None
            }
            ("SimpleIdentifier", _) => self.name(node, node.attribute("Name").unwrap_or_default()),
            ("IndexedIdentifier", _) => {
                let name = self.flat(node)?;
                self.name(node, &name)
            }
            ("UnaryExpression", [inner]) => {
                let meant = self.expression(*inner)?;
                match (node.attribute("Operator").unwrap_or_default(), meant) {
                    ("!", meant) => Some(meant.negated()),
                    ("-", meant) => {
                        let zero = Expression::Value(Value::Int(0));
                        Some(Expression::both(Operator::Subtract, zero, meant))
                    }
                    ("'", Expression::Variable(v)) => Some(Expression::Variable(Variable { next: true, ..v })),
                    ("'", _) => {
                        self.findings.error(tag_span(node), "only a variable has a next value", "leave ' away");
                        None
                    }
                    (sign, _) => self.no_operator(node, sign),
                }
            }
            ("BinaryExpression", [left, right]) => {
                let sign = node.attribute("Operator").unwrap_or_default();
                let Some(operator) = Operator::of(sign) else { return self.no_operator(node, sign) };
                let (left, right) = (self.expression(*left), self.expression(*right));
                Some(Expression::both(operator, left?, right?))
            }
            (other, _) => {
                let message = format!("<{other}> is no expression that is taken here");
                let help = "numbers, names, indices, and the operators + - * / % == != < <= > >= & | ! ' are";
                self.findings.error(tag_span(node), message, help);
                None
            }
        }
    }

    fn no_operator(&mut self, node: Node<'_, '_>, sign: &str) -> Option<Expression> {
        let help = "operators are + - * / % == != < <= > >= & | ! '";
        self.findings.error(value_span(node, "Operator"), format!("`{sign}` is no operator that is taken here"), help);
        None
    }

    /// What a name means in an expression: the innermost loop, a constant, a variable, an atom, or the state of a component.
    fn name(&mut self, node: Node<'_, '_>, name: &str) -> Option<Expression> {
        match self.bound(name) {
            Some(Bound::One(value)) => return Some(Expression::Value(value)),
            Some(Bound::Many(_)) => {
                let message = format!("`{name}` is a range, and a value must be here");
                self.findings.error(tag_span(node), message, "name one of its members");
                return None;
            }
            None => {}
        }
        let full = self.prefixed(name);
        if let Some(&number) = self.out.variable_of.get(&*full) {
            return Some(Expression::Variable(Variable { number, next: false }));
        }
        if self.enumerated.contains(name) {
            return Some(Expression::Value(self.atom(name)));
        }
        if let Some(states) = self.graphs.get(name).cloned() {
            let range: Vec<Value> = states.iter().map(|state| self.atom(state)).collect();
            let number = self.out.declare(&full, VariableDraft::of_machine(range));
            return Some(Expression::Variable(Variable { number, next: false }));
        }
        if self.graphs.values().any(|states| states.iter().any(|state| **state == *name)) {
            return Some(Expression::Value(self.atom(name)));
        }
        let known: Vec<String> = self.scope.iter().map(|(name, _)| name.clone()).collect();
        let known = known.iter().map(String::as_str).chain(self.out.variable_of.keys().map(|n| &**n));
        let known: Vec<&str> = known.collect();
        let help = crate::text::suggest::help(name, "names", known.into_iter());
        self.findings.error(tag_span(node), format!("there is no constant or variable `{name}`"), help);
        None
    }

    /// What a name stands for in loops and constants.
    pub fn bound(&self, name: &str) -> Option<Bound> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, bound)| bound.clone())
    }

    /// The atom of a name.
    pub fn atom(&mut self, name: &str) -> Value {
        Value::Atom(self.out.atoms.insert_full(name.into()).0 as u32)
    }

    /// A range, an enumeration, or a constant that is one.
    pub fn range(&mut self, node: Node<'_, '_>) -> Option<Rc<[Value]>> {
        match tag(node) {
            "EnumSetExpression" => {
                let names = elements(node).filter_map(|n| n.attribute("Name"));
                let members: Vec<Value> = names.map(|name| self.atom(name)).collect();
                Some(members.into())
            }
            "BinaryExpression" if node.attribute("Operator") == Some("..") => {
                let mut ends = elements(node).filter(|n| !tag(*n).ends_with("Geometry"));
                let (Some(low), Some(high)) = (ends.next(), ends.next()) else { return self.no_range(node) };
                let (low, high) = (self.value(low), self.value(high));
                match (low?, high?) {
                    (Value::Int(low), Value::Int(high)) if high.saturating_sub(low) < LONGEST_RANGE => {
                        Some((low..=high).map(Value::Int).collect())
                    }
                    (Value::Int(low), Value::Int(high)) => {
                        let message = format!("{low}..{high} is too long");
                        let help = format!("a range has at most {LONGEST_RANGE} members");
                        self.findings.error(tag_span(node), message, help);
                        None
                    }
                    _ => self.no_range(node),
                }
            }
            "SimpleIdentifier" => match self.bound(node.attribute("Name").unwrap_or_default()) {
                Some(Bound::Many(members)) => Some(members),
                _ => self.no_range(node),
            },
            _ => self.no_range(node),
        }
    }

    fn no_range(&mut self, node: Node<'_, '_>) -> Option<Rc<[Value]>> {
        let help = "give an interval of numbers such as 0..3, an enumeration, or a constant that is one";
        self.findings.error(tag_span(node), "this is no finite range", help);
        None
    }

    /// A name with its indices, computed: `M[i+1]` becomes `M[3]`.
    pub fn flat(&mut self, node: Node<'_, '_>) -> Option<String> {
        let mut name = node.attribute("Name").unwrap_or_default().to_owned();
        match tag(node) {
            "SimpleIdentifier" => {}
            "IndexedIdentifier" => {
                for index in self.indices(node)? {
                    name = format!("{name}[{}]", self.out.shown(index));
                }
            }
            "QualifiedIdentifier" => {
                let parts: Vec<Option<String>> = elements(node).map(|part| self.flat(part)).collect();
                name = parts.into_iter().collect::<Option<Vec<String>>>()?.join(".");
            }
            other => {
                self.findings.error(tag_span(node), format!("<{other}> is no name"), "give an identifier");
                return None;
            }
        }
        Some(name)
    }

    /// The indices of a name.
    pub fn indices(&mut self, node: Node<'_, '_>) -> Option<Vec<Value>> {
        let indices: Vec<Option<Value>> = elements(node).map(|index| self.value(index)).collect();
        indices.into_iter().collect()
    }

    /// What a declaration is called: an attribute, or a first child.
    pub fn declared(&mut self, node: Node<'_, '_>) -> Option<String> {
        if let Some(name) = node.attribute("Name") {
            return Some(name.into());
        }
        match elements(node).find(|n| tag(*n).ends_with("Identifier")) {
            Some(identifier) => self.flat(identifier),
            None => {
                let message = format!("<{}> without a name", tag(node));
                self.findings.error(tag_span(node), message, "add an attribute Name");
                None
            }
        }
    }
}
