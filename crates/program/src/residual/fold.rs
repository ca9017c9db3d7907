//! Partial evaluation: what is left of expressions and actions once some cells are known.

use super::plan::{Plan, Variable};
use crate::data::Program;
use crate::expression::{Binary, Expression, Index, Pattern, Place, Probe, Receive, Remote, Unary};

/// A variable that cannot be folded after all: something about it has to be known that is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unfoldable(pub Variable);

/// What is left of an expression.
pub type Residue<T> = Result<T, Unfoldable>;

/// What is known of a process.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Of which program.
    pub program: &'a Program,
    /// Which cells are folded.
    pub plan: &'a Plan,
    /// Their values.
    pub values: &'a [i32],
}

/// Where an assignment goes.
pub enum Target {
    /// Into a folded cell, by its number among them.
    Folded(usize),
    /// Into a cell that stays.
    Kept(Place),
}

impl Known<'_> {
    /// What is left of an expression.
    pub fn fold(&self, expression: &Expression) -> Residue<Expression> {
        Ok(match expression {
            Expression::Number(_) | Expression::Timeout | Expression::NonProgress | Expression::ProcessCount => {
                expression.clone()
            }
            Expression::Global(cell) => self.cell(Variable::Global(*cell)),
            Expression::Local(cell) => self.cell(Variable::Local(*cell)),
            Expression::Pid => self.plan.pid.map_or(Expression::Pid, Expression::Number),
            Expression::Element(place) => match self.place(place)? {
                place if place.indices.is_empty() => self.cell(Variable::of(&place)),
                place => Expression::of(place),
            },
            Expression::Unary(op, a) => Expression::unary(*op, self.fold(a)?),
            Expression::Binary(op @ (Binary::And | Binary::Or), pair) => self.connect(*op, pair)?,
            Expression::Binary(op, pair) => Expression::binary(*op, self.fold(&pair.0)?, self.fold(&pair.1)?),
            Expression::Conditional(parts) => match self.fold(&parts.0)? {
                Expression::Number(0) => self.fold(&parts.2)?,
                Expression::Number(_) => self.fold(&parts.1)?,
                condition => Expression::Conditional(Box::new((condition, self.fold(&parts.1)?, self.fold(&parts.2)?))),
            },
            Expression::Length(channel) => Expression::Length(Box::new(self.fold(channel)?)),
            Expression::Probe(probe, channel) => Expression::Probe(*probe, Box::new(self.fold(channel)?)),
            Expression::Poll(receive) => Expression::Poll(Box::new(self.poll(receive)?)),
            Expression::At(remote, label) => match self.program.labels[*label as usize] {
                None => Expression::Number(0),
                Some(_) => Expression::At(Box::new(self.remote(remote)?), *label),
            },
            Expression::RemoteCell(remote, place) => {
                let indices = self.indices(&place.indices)?;
                let place = Place { indices: indices.into(), ..(**place).clone() };
                Expression::RemoteCell(Box::new(self.remote(remote)?), Box::new(place))
            }
            Expression::Enabled(pid) => Expression::Enabled(Box::new(self.fold(pid)?)),
            Expression::Priority(pid) => Expression::Priority(Box::new(self.fold(pid)?)),
        })
    }

    /// The value of a cell if it is known, else the cell.
    fn cell(&self, variable: Variable) -> Expression {
        if let Some(at) = self.plan.position(variable) {
            return Expression::Number(self.values[at]);
        }
        match variable {
            Variable::Global(cell) if self.plan.constants.contains(&cell) => {
                Expression::Number(self.program.initial[cell as usize])
            }
            Variable::Global(cell) => Expression::Global(cell),
            Variable::Local(cell) => self.plan.arguments.get(&cell).cloned().unwrap_or(Expression::Local(cell)),
        }
    }

    /// `&&` and `||`: what is not looked at cannot go wrong.
    fn connect(&self, op: Binary, pair: &(Expression, Expression)) -> Residue<Expression> {
        let absorbing = i32::from(op == Binary::Or);
        let a = self.fold(&pair.0)?;
        if let Expression::Number(a) = a {
            return if i32::from(a != 0) == absorbing {
                Ok(Expression::Number(absorbing))
            } else {
                Ok(truth(self.fold(&pair.1)?))
            };
        }
        Ok(match self.fold(&pair.1)? {
            Expression::Number(b) if i32::from(b != 0) != absorbing => truth(a),
            Expression::Number(_) if !may_fail(&a) => Expression::Number(absorbing),
            b => Expression::Binary(op, Box::new((a, b))),
        })
    }

    /// The cell that a place means, as far as its indices are known.
    pub fn place(&self, place: &Place) -> Residue<Place> {
        let mut left = Vec::new();
        let mut offset = place.offset;
        for Index { at, length, stride } in &place.indices {
            match self.fold(at)? {
                Expression::Number(value) if value >= 0 && (value as u32) < *length => offset += value as u32 * stride,
                at => left.push(Index { at, length: *length, stride: *stride }),
            }
        }
        let place = Place { offset, indices: left.into(), ..place.clone() };
        let variable = Variable::of(&place);
        if !place.indices.is_empty() && self.plan.position(variable).is_some() {
            return Err(Unfoldable(variable));
        }
        Ok(place)
    }

    /// Where an assignment goes.
    pub fn target(&self, place: &Place) -> Residue<Target> {
        let place = self.place(place)?;
        let folded = self.plan.position(Variable::of(&place)).filter(|_| place.indices.is_empty());
        Ok(folded.map_or(Target::Kept(place), Target::Folded))
    }

    fn indices(&self, indices: &[Index]) -> Residue<Vec<Index>> {
        indices.iter().map(|index| Ok(Index { at: self.fold(&index.at)?, ..index.clone() })).collect()
    }

    fn remote(&self, remote: &Remote) -> Residue<Remote> {
        Ok(Remote { pid: remote.pid.as_ref().map(|pid| self.fold(pid)).transpose()?, ..remote.clone() })
    }

    /// A question about a channel: a variable in it matches everything, so it need not be known.
    fn poll(&self, receive: &Receive) -> Residue<Receive> {
        let pattern = |pattern: &Pattern| {
            Ok(match pattern {
                Pattern::Match(value) => Pattern::Match(self.fold(value)?),
                Pattern::Store(_) | Pattern::Ignore => Pattern::Ignore,
            })
        };
        let patterns: Residue<Vec<Pattern>> = receive.patterns.iter().map(pattern).collect();
        Ok(Receive { channel: self.fold(&receive.channel)?, patterns: patterns?.into(), ..receive.clone() })
    }
}

/// 1 or 0 instead of any value.
fn truth(value: Expression) -> Expression {
    match value {
        Expression::Number(value) => Expression::Number(i32::from(value != 0)),
        value if is_truth(&value) => value,
        value => Expression::binary(Binary::NotEqual, value, Expression::Number(0)),
    }
}

/// Whether an expression is 0 or 1, whatever is known.
pub fn is_truth(value: &Expression) -> bool {
    match value {
        Expression::Unary(Unary::Not, _)
        | Expression::Probe(..)
        | Expression::Poll(_)
        | Expression::Timeout
        | Expression::At(..)
        | Expression::Enabled(_) => true,
        Expression::Binary(op, _) => op.is_condition(),
        _ => false,
    }
}

/// That an expression does not hold. SPIN has no negation of questions about channels, so it goes to the leaves.
pub fn negated(value: Expression) -> Expression {
    match value {
        Expression::Number(value) => Expression::Number(i32::from(value == 0)),
        Expression::Unary(Unary::Not, a) => truth(*a),
        Expression::Binary(op, pair) => {
            let opposite = match op {
                Binary::And | Binary::Or => {
                    let other = if op == Binary::And { Binary::Or } else { Binary::And };
                    return Expression::Binary(other, Box::new((negated(pair.0), negated(pair.1))));
                }
                Binary::Less => Binary::GreaterEqual,
                Binary::LessEqual => Binary::Greater,
                Binary::Greater => Binary::LessEqual,
                Binary::GreaterEqual => Binary::Less,
                Binary::Equal => Binary::NotEqual,
                Binary::NotEqual => Binary::Equal,
                _ => return Expression::unary(Unary::Not, Expression::Binary(op, pair)),
            };
            Expression::Binary(opposite, pair)
        }
        Expression::Probe(probe, channel) => {
            let opposite = match probe {
                Probe::Full => Probe::NotFull,
                Probe::NotFull => Probe::Full,
                Probe::Empty => Probe::NotEmpty,
                Probe::NotEmpty => Probe::Empty,
            };
            Expression::Probe(opposite, channel)
        }
        value => Expression::unary(Unary::Not, value),
    }
}

/// Whether the computation of an expression can go wrong.
pub fn may_fail(expression: &Expression) -> bool {
    let mut fails = false;
    expression.visit(&mut |part| {
        fails |= match part {
            Expression::Element(place) => !place.indices.is_empty(),
            Expression::Binary(Binary::Divide | Binary::Remainder, pair) => {
                !matches!(pair.1, Expression::Number(divisor) if divisor != 0 && divisor != -1)
            }
            Expression::Length(_) | Expression::Probe(..) | Expression::Poll(_) | Expression::RemoteCell(..) => true,
            _ => false,
        };
    });
    fails
}
