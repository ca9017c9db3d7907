//! Automata as `never` claims, and the claims that SPIN makes of formulas as automata.

use super::automaton::{Automaton, Edge};
use super::condition::{ALWAYS, Condition, NEVER};
use super::read::Reader;
use super::simulation::is_accepting;
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{
    Binary, Choice, Expression, ExpressionKind, Name, Sequence, Statement, StatementKind, Unary,
};

/// Writes an automaton as statements, all of which stand where the formula stands, and in the way in which SPIN writes them.
pub struct Writer<'a> {
    /// The automaton; all edges of a state have the same marks.
    pub automaton: &'a Automaton,
    /// What its conditions are about.
    pub reader: &'a mut Reader,
    /// Where the formula stands.
    pub span: Span,
}

impl Writer<'_> {
    /// The whole claim.
    pub fn body(&mut self) -> Sequence {
        let ends = |state: &usize| self.automaton.accepts_all(*state);
        let states: Vec<usize> = (0..self.automaton.states.len()).filter(|state| *state == 0 || !ends(state)).collect();
        let mut body: Sequence = states.into_iter().map(|state| self.state(state)).collect();
        if (0..self.automaton.states.len()).any(|state| ends(&state)) {
            let skip = self.condition(ALWAYS);
            body.push(Statement { labels: vec![self.label("accept_all".into())], ..self.guard(skip) });
        }
        if body.is_empty() {
            let never = self.condition(NEVER);
            body.push(self.guard(never));
        }
        body
    }

    fn state(&mut self, state: usize) -> Statement {
        let mut choices = Vec::new();
        for edge in &self.automaton.states[state] {
            choices.push(Choice { body: self.edge(edge), span: self.span });
        }
        Statement { labels: vec![self.label(self.name(state))], ..self.statement(StatementKind::Do(choices)) }
    }

    fn edge(&mut self, edge: &Edge) -> Sequence {
        let condition = self.condition(edge.when);
        let guard = self.guard(condition.clone());
        if self.automaton.accepts_all(edge.to) {
            let not = self.expression(ExpressionKind::Unary(Unary::Not, condition));
            let assert = self.statement(StatementKind::Assert(not));
            return vec![self.statement(StatementKind::Atomic(vec![guard, assert]))];
        }
        vec![guard, self.statement(StatementKind::Goto(self.label(self.name(edge.to))))]
    }

    fn name(&self, state: usize) -> String {
        let tier = if is_accepting(self.automaton, state) { "accept" } else { "T0" };
        if state == 0 { format!("{tier}_init") } else { format!("{tier}_S{state}") }
    }

    /// A condition as a disjunction of conjunctions of atoms.
    fn condition(&mut self, condition: Condition) -> Expression {
        let join = |op: Binary, all: Vec<Expression>, neutral: i32, span: Span| {
            let both = |a, b| Expression { kind: Box::new(ExpressionKind::Binary(op, a, b)), span };
            let neutral = Expression { kind: Box::new(ExpressionKind::Number(neutral)), span };
            all.into_iter().reduce(both).unwrap_or(neutral)
        };
        let mut cases = Vec::new();
        for cube in self.reader.terms.conditions.cubes(condition) {
            let literal = |(atom, holds): (u32, bool)| {
                let atom = self.reader.atoms[atom as usize].clone();
                if holds { atom } else { self.expression(ExpressionKind::Unary(Unary::Not, atom)) }
            };
            cases.push(join(Binary::And, cube.into_iter().map(literal).collect(), 1, self.span));
        }
        join(Binary::Or, cases, 0, self.span)
    }

    fn expression(&self, kind: ExpressionKind) -> Expression {
        Expression { kind: Box::new(kind), span: self.span }
    }

    fn guard(&self, condition: Expression) -> Statement {
        self.statement(StatementKind::Condition(condition))
    }

    fn statement(&self, kind: StatementKind) -> Statement {
        Statement { labels: Vec::new(), kind, span: self.span }
    }

    fn label(&self, text: String) -> Name {
        Name { text: text.into(), span: self.span }
    }
}

/// A claim of the shape that formulas get as an automaton, state for state; nothing if it has another shape.
pub fn read(body: &Sequence, reader: &mut Reader) -> Option<Automaton> {
    let named = |name: &str| body.iter().position(|state| state.labels.iter().any(|label| *label.text == *name));
    let mut states = Vec::new();
    for (number, state) in body.iter().enumerate() {
        let accepting = state.labels.iter().any(|label| label.text.starts_with("accept"));
        let marks = u64::from(accepting);
        let mut edges = Vec::new();
        match &state.kind {
            StatementKind::Do(choices) => {
                for choice in choices {
                    let (guard, to) = match &choice.body[..] {
                        [guard, Statement { kind: StatementKind::Goto(to), .. }] => (guard, named(&to.text)?),
                        [Statement { kind: StatementKind::Atomic(inner), .. }] => {
                            (inner.first()?, named("accept_all")?)
                        }
                        [guard] => (guard, number),
                        _ => return None,
                    };
                    let StatementKind::Condition(guard) = &guard.kind else { return None };
                    let when = reader.condition(guard);
                    edges.push(Edge { to, when, marks });
                }
            }
            // The end of the claim accepts whatever comes.
            StatementKind::Condition(guard) if reader.condition(guard) == ALWAYS => {
                edges.push(Edge { to: number, when: ALWAYS, marks: 1 });
            }
            StatementKind::Condition(_) => {}
            _ => return None,
        }
        states.push(edges);
    }
    Some(Automaton { states, sets: 1 })
}
