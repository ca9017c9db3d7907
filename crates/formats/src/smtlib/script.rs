//! An SMT-LIB text under construction.

use prequel_model::{Aig, Lit, Node};
use std::fmt::Write as _;

/// A text of definitions and questions.
#[derive(Default)]
pub(super) struct Script {
    text: String,
}

impl Script {
    /// The text.
    pub fn finish(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{line}").expect("memory takes it");
    }

    /// A line for people. Names come from models: what would end the line, or be no text, is written as an escape.
    pub fn comment(&mut self, words: &str) {
        let words: String = words
            .chars()
            .flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<_>>() } else { vec![c] })
            .collect();
        self.line(format_args!("; {words}"));
    }

    /// A command as it is.
    pub fn command(&mut self, command: &str) {
        self.line(format_args!("({command})"));
    }

    /// A truth value that may be anything.
    pub fn declare(&mut self, name: &str) {
        self.line(format_args!("(declare-const {name} Bool)"));
    }

    /// A name for a term.
    pub fn define(&mut self, name: &str, term: &str) {
        self.line(format_args!("(define-fun {name} () Bool {term})"));
    }

    /// A question: can all of this hold? It must not.
    pub fn impossible<'t>(&mut self, what: &str, demands: impl IntoIterator<Item = &'t str>) {
        self.text.push('\n');
        self.comment(what);
        self.command("push 1");
        demands.into_iter().for_each(|demand| self.line(format_args!("(assert {demand})")));
        self.command("check-sat");
        self.command("pop 1");
    }

    /// Names for all gates that some functions are made of. `called` names a gate, `input` an input.
    pub fn graph(
        &mut self,
        aig: &Aig,
        roots: &[Lit],
        called: impl Fn(usize) -> String,
        input: impl Fn(u32) -> String,
    ) -> Terms {
        let cone = aig.cone(roots);
        let mut terms = Terms(vec![String::new(); cone.last().map_or(0, |last| last + 1)]);
        for node in cone {
            terms.0[node] = match aig.nodes()[node] {
                Node::False => "false".into(),
                Node::Input(number) => input(number),
                Node::And(a, b) => {
                    let name = called(node);
                    self.define(&name, &all(&[terms.of(a), terms.of(b)]));
                    name
                }
            };
        }
        terms
    }
}

/// The terms of the functions of a graph, by their nodes.
pub(super) struct Terms(Vec<String>);

impl Terms {
    /// The term of a function.
    pub fn of(&self, f: Lit) -> String {
        let term = &self.0[f.node()];
        if f.is_negated() { not(term) } else { term.clone() }
    }
}

/// The contrary.
pub(super) fn not(term: &str) -> String {
    format!("(not {term})")
}

/// All of these.
pub(super) fn all(terms: &[String]) -> String {
    joined("and", "true", terms)
}

/// One of these at least.
pub(super) fn any(terms: &[String]) -> String {
    joined("or", "false", terms)
}

fn joined(operator: &str, none: &str, terms: &[String]) -> String {
    match terms {
        [] => none.into(),
        [one] => one.clone(),
        _ => format!("({operator} {})", terms.join(" ")),
    }
}
