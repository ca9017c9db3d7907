//! A `never` claim of the user's as an automaton.

use super::automaton::{Automaton, Edge};
use super::condition::{ALWAYS, Condition, Conditions, NEVER};
use crate::data::{Action, Program, State};
use crate::expression::{Binary, Expression, Unary};

/// What becomes of assertions of a claim.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Assertions {
    /// One that fails is a violation, behind which nothing counts.
    Tell,
    /// They are passed over.
    Pass,
}

/// Conditions, and the expressions behind their atoms.
pub struct Reader {
    /// All conditions.
    pub conditions: Conditions,
    /// What becomes of assertions of the claim.
    assertions: Assertions,
    atoms: Vec<Expression>,
}

impl Reader {
    /// With this reading of assertions.
    pub fn with(assertions: Assertions) -> Self {
        Self { conditions: Conditions::default(), assertions, atoms: Vec::new() }
    }

    /// The claim of a program, state for state; nothing if it does more than look at states one after the other, or if labels of
    /// processes count besides.
    pub fn claim(&mut self, program: &Program) -> Option<Automaton> {
        let (number, claim) = program.claim.map(|number| (number, &program.proctypes[number as usize]))?;
        let others = program.proctypes.iter().enumerate().filter(|(other, _)| *other as u32 != number);
        if others.flat_map(|(_, kind)| &kind.states).any(|state| state.accept) {
            return None;
        }
        // What lies behind the end of the claim accepts everything.
        let end = claim.states.len();
        let mut states = Vec::new();
        for (number, state) in claim.states.iter().enumerate() {
            states.push(match state.end {
                true => vec![Edge { to: number, when: ALWAYS, marks: 1 }],
                false => self.edges(&claim.states, state, u64::from(state.accept), claim.states.len())?,
            });
        }
        states.push(vec![Edge { to: end, when: ALWAYS, marks: 1 }]);
        Some(Automaton { states, sets: 1 })
    }

    /// The edges of a state, all with the marks of the state where the claim rests. An `atomic` is one edge, all of which reads the same
    /// state of the program; nothing if it is deeper than this.
    fn edges(&mut self, states: &[State], state: &State, marks: u64, depth: usize) -> Option<Vec<Edge>> {
        let (mut edges, mut before, end) = (Vec::new(), NEVER, states.len());
        for transition in &state.transitions {
            if transition.escape != 0 || !transition.then.is_empty() {
                return None;
            }
            let when = match &transition.action {
                Action::Skip => ALWAYS,
                Action::Assert(_) if self.assertions == Assertions::Pass => ALWAYS,
                Action::Assert(value) if self.assertions == Assertions::Tell => {
                    let holds = self.condition(value)?;
                    let fails = self.conditions.not(holds);
                    edges.push(Edge { to: end, when: fails, marks });
                    before = ALWAYS;
                    holds
                }
                Action::Condition(value) => self.condition(value)?,
                Action::Else => self.conditions.not(before),
                _ => return None,
            };
            before = self.conditions.or(before, when);
            let to = transition.target.map_or(end, |target| target as usize);
            if !transition.atomic || to == end {
                edges.push(Edge { to, when, marks });
                continue;
            }
            for edge in self.edges(states, &states[to], marks, depth.checked_sub(1)?)? {
                edges.push(Edge { when: self.conditions.and(when, edge.when), ..edge });
            }
        }
        Some(edges)
    }

    /// An expression over states only: who moves and whether anybody can is no part of a state.
    fn condition(&mut self, value: &Expression) -> Option<Condition> {
        match value {
            Expression::Number(value) => Some(if *value == 0 { NEVER } else { ALWAYS }),
            Expression::Unary(Unary::Not, inner) => {
                let inner = self.condition(inner)?;
                Some(self.conditions.not(inner))
            }
            Expression::Binary(op @ (Binary::And | Binary::Or), pair) => {
                let (a, b) = (self.condition(&pair.0)?, self.condition(&pair.1)?);
                Some(if *op == Binary::And { self.conditions.and(a, b) } else { self.conditions.or(a, b) })
            }
            atom => {
                let mut moves = false;
                atom.visit(&mut |part| {
                    let asks = matches!(part, Expression::Timeout | Expression::NonProgress | Expression::Enabled(_));
                    moves |= asks || matches!(part, Expression::Local(_));
                });
                if moves {
                    return None;
                }
                let known = self.atoms.iter().position(|known| known == atom);
                let number = known.unwrap_or_else(|| {
                    self.atoms.push(atom.clone());
                    self.atoms.len() - 1
                });
                Some(self.conditions.atom(number as u32))
            }
        }
    }
}
