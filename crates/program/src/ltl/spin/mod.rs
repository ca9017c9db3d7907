//! The claim that SPIN makes of an `ltl` formula: the automaton of the negation, state for state.
//!
//! R. Gerth, D. Peled, M. Vardi, P. Wolper: *Simple on-the-fly automatic verification of linear temporal logic*, PSTV 1995,
//! with the simplifications that SPIN 6.5 makes before and after. A claim is part of the stored state, so only the same
//! automaton gives the same number of states; that is why the order of SPIN's lists and the ends of its loops are kept too.
//!
//! | step | where |
//! | --- | --- |
//! | maximal parts without time are atoms | `atoms` |
//! | negation normal form, simplified | `read`, `formula` |
//! | tableau (the paper's Figure 1, `expand`) | [`tableau`] |
//! | one copy of the nodes per until, as by Choueka | [`automaton::build`] |
//! | merging of transitions and states | [`automaton`] |
//! | the claim as Promela | [`never`] |
//!
//! Departures: `X` is read whether or not SPIN was built with it. Acceptance of the paper's automaton is generalised; SPIN and
//! this module count through the untils.

mod atoms;
mod automaton;
mod formula;
mod read;
mod tableau;
#[cfg(test)]
mod tests;

pub use atoms::text;
use atoms::{Atoms, expression};
use automaton::{Automaton, Name, State, Tier, Transition};
use formula::{F, Formula, Normaliser, Op};
use prequel_formats::promela::source::Span;
use prequel_formats::promela::syntax::{
    Binary, Choice, Expression, ExpressionKind, Ltl, Name as Written, Never, Sequence, Statement, StatementKind, Unary,
};
use read::Reader;
use tableau::INIT;

/// The claim that a formula does not hold; nothing if the formula is too large.
pub fn never(ltl: &Ltl) -> Option<Never> {
    let mut reader = Reader::default();
    let formula = reader.read(&ltl.formula);
    let negation = reader.normal.negated(&formula);
    let tableau = tableau::build(&read::gathered(&negation), &mut reader.normal)?;
    let automaton = automaton::build(&tableau, &mut reader.normal);
    let mut writer =
        Writer { automaton: &automaton, atoms: &reader.atoms, normal: &mut reader.normal, span: ltl.formula.span };
    Some(Never { name: ltl.name.clone(), body: writer.body(), span: ltl.span })
}

/// What a formula is called: SPIN numbers those without a name.
pub fn name(ltl: &Ltl, number: usize) -> Box<str> {
    ltl.name.as_ref().map_or_else(|| format!("ltl_{number}").into(), |name| name.text.clone())
}

/// Writes an automaton as statements, all of which stand where the formula stands.
struct Writer<'a> {
    automaton: &'a Automaton,
    atoms: &'a Atoms,
    normal: &'a mut Normaliser,
    span: Span,
}

impl Writer<'_> {
    fn body(&mut self) -> Sequence {
        let automaton = self.automaton;
        let first = automaton.first();
        let others = (0..automaton.states.len()).filter(|&at| Some(at) != first);
        let order = first.into_iter().chain(others).filter(|&at| automaton.states[at].reachable);
        let mut body: Sequence = order.map(|at| self.state(&automaton.states[at])).collect();
        if automaton.accepts_all {
            let skip = self.condition(self.number(1));
            body.push(Statement { labels: vec![self.label("accept_all".into())], ..skip });
        }
        if body.is_empty() {
            body.push(self.condition(self.number(0)));
        }
        body
    }

    fn state(&mut self, state: &State) -> Statement {
        let mut labels = vec![self.label(called(state.name))];
        if state.accepting && state.name == Name::Node(Tier::Kept(0), INIT) {
            labels.insert(0, self.label("accept_init".into()));
        }
        let mut choices: Vec<Choice> = Vec::new();
        for transition in state.transitions.iter().filter(|t| !t.redundant) {
            let body = self.transition(transition);
            choices.push(Choice { body, span: self.span });
        }
        if choices.is_empty() {
            choices.push(Choice { body: vec![self.condition(self.number(0))], span: self.span });
        }
        Statement { labels, ..self.statement(StatementKind::Do(choices)) }
    }

    fn transition(&mut self, transition: &Transition) -> Sequence {
        let condition = transition.condition.as_ref().and_then(|c| self.seen(c)).unwrap_or_else(|| self.number(1));
        let target = match transition.to {
            Name::All => {
                let not = expression(ExpressionKind::Unary(Unary::Not, condition.clone()), self.span);
                let assert = self.statement(StatementKind::Assert(not));
                let body = vec![self.condition(condition), assert];
                return vec![self.statement(StatementKind::Atomic(body))];
            }
            name => self.automaton.find(name).map_or(name, |at| self.automaton.states[at].name),
        };
        let goto = self.statement(StatementKind::Goto(self.label(called(target))));
        vec![self.condition(condition), goto]
    }

    /// A condition as an expression; nothing if it always holds.
    fn seen(&mut self, condition: &F) -> Option<Expression> {
        let condition = self.normal.normal(condition);
        let kind = match &*condition {
            Formula::True | Formula::Next(_) | Formula::Binary(Op::Until | Op::Release, ..) => return None,
            Formula::False => ExpressionKind::Number(0),
            Formula::Atom(text) => return self.atoms.expression(text).cloned(),
            Formula::Not(atom) => ExpressionKind::Unary(Unary::Not, self.seen(atom)?),
            // One side that says nothing of this state makes the whole say nothing.
            Formula::Binary(Op::Or, a, b) => ExpressionKind::Binary(Binary::Or, self.seen(a)?, self.seen(b)?),
            Formula::Binary(Op::And, a, b) => match (self.seen(a), self.seen(b)) {
                (Some(a), Some(b)) => ExpressionKind::Binary(Binary::And, a, b),
                (a, b) => return a.or(b),
            },
        };
        Some(expression(kind, self.span))
    }

    fn number(&self, value: i32) -> Expression {
        expression(ExpressionKind::Number(value), self.span)
    }

    fn condition(&self, condition: Expression) -> Statement {
        self.statement(StatementKind::Condition(condition))
    }

    fn statement(&self, kind: StatementKind) -> Statement {
        Statement { labels: Vec::new(), kind, span: self.span }
    }

    fn label(&self, text: String) -> Written {
        Written { text: text.into(), span: self.span }
    }
}

fn called(name: Name) -> String {
    let node = |node: usize| if node == INIT { "init".to_owned() } else { format!("S{node}") };
    match name {
        Name::All => "accept_all".into(),
        Name::Node(Tier::Accept, at) => format!("accept_{}", node(at)),
        Name::Node(Tier::Kept(number), at) => format!("T{number}_{}", node(at)),
    }
}
