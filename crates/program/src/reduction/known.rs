//! What is known of values before a program runs: constants, ranges, and what can therefore not go wrong.

use crate::data::{Action, Node, Program};
use crate::expression::{Binary, Expression, Index, Pattern, Place, Probe, Receive, Unary};
use crate::value::ValueType;

/// What is known of the values that a process computes with.
#[derive(Clone, Debug)]
pub struct Known<'a> {
    program: &'a Program,
    /// Global cells that nobody sets.
    globals: &'a [Option<i32>],
    /// Its number, as the program sees it.
    pid: Option<i32>,
    /// Its own cells that are never set once it runs.
    locals: Vec<Option<i32>>,
}

/// The values of a type, or of an expression.
type Range = (i64, i64);

const ANY: Range = (i32::MIN as i64, i32::MAX as i64);

fn values(ty: ValueType) -> Range {
    match ty {
        ValueType::Unsigned(bits) if bits < 32 => (0, (1i64 << bits) - 1),
        ValueType::Unsigned(_) | ValueType::Int => ANY,
        ValueType::Name(_) | ValueType::Channel => (0, 255),
        ValueType::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
    }
}

impl<'a> Known<'a> {
    /// What is known of a process with this number and these cells.
    pub fn new(program: &'a Program, globals: &'a [Option<i32>], pid: Option<i32>, locals: Vec<Option<i32>>) -> Self {
        Self { program, globals, pid, locals }
    }

    /// What is known of a process of which nothing else is.
    pub fn of_another(&self) -> Self {
        Self { pid: None, locals: Vec::new(), ..self.clone() }
    }

    /// The value of an expression, if it is always the same.
    pub fn value(&self, expression: &Expression) -> Option<i32> {
        match expression {
            Expression::Number(value) => Some(*value),
            Expression::Global(cell) => *self.globals.get(*cell as usize)?,
            Expression::Local(cell) => *self.locals.get(*cell as usize)?,
            Expression::Pid => self.pid,
            Expression::Element(place) => {
                let cell = self.cell(place)?;
                *if place.local { self.locals.get(cell)? } else { self.globals.get(cell)? }
            }
            Expression::Unary(op, a) => Some(op.apply(self.value(a)?)),
            Expression::Binary(Binary::And, pair) => match self.value(&pair.0)? {
                0 => Some(0),
                _ => Some(i32::from(self.value(&pair.1)? != 0)),
            },
            Expression::Binary(Binary::Or, pair) => match self.value(&pair.0)? {
                0 => Some(i32::from(self.value(&pair.1)? != 0)),
                _ => Some(1),
            },
            Expression::Binary(op, pair) => op.apply(self.value(&pair.0)?, self.value(&pair.1)?),
            Expression::Conditional(parts) => match self.value(&parts.0)? {
                0 => self.value(&parts.2),
                _ => self.value(&parts.1),
            },
            _ => None,
        }
    }

    /// The one cell that a place means.
    fn cell(&self, place: &Place) -> Option<usize> {
        let mut cell = place.offset as usize;
        for index in &place.indices {
            let at = self.value(&index.at).filter(|&at| at >= 0 && (at as u32) < index.length)?;
            cell += at as usize * index.stride as usize;
        }
        Some(cell)
    }

    /// All cells that a place may mean.
    pub fn cells(&self, place: &Place) -> Vec<usize> {
        let mut cells = vec![place.offset as usize];
        for index in &place.indices {
            let at = self.value(&index.at).filter(|&at| at >= 0 && (at as u32) < index.length);
            let among = at.map_or(0..index.length as usize, |at| at as usize..at as usize + 1);
            let stride = index.stride as usize;
            cells = cells.into_iter().flat_map(|cell| among.clone().map(move |at| cell + at * stride)).collect();
        }
        cells
    }

    /// The number of a channel that is there from the start, and whether messages change hands at once.
    pub fn channel(&self, expression: &Expression) -> Option<(u32, bool)> {
        let number = u32::try_from(self.value(expression)?).ok()?;
        let ty = *self.program.channels.get(number.checked_sub(1)? as usize)?;
        Some((number, self.program.channel_types[ty as usize].capacity == 0))
    }

    /// Whether the computation of an expression can go wrong.
    pub fn may_fault(&self, expression: &Expression) -> bool {
        let mut found = false;
        expression.visit(&mut |part| {
            found |= match part {
                Expression::Element(place) => self.may_miss(&place.indices),
                Expression::RemoteCell(_, place) => self.may_miss(&place.indices),
                Expression::Binary(Binary::Divide | Binary::Remainder, pair) => {
                    let (least, most) = self.range(&pair.1);
                    // The least number divided by -1 has no value either.
                    least <= 0 && most >= -1
                }
                Expression::Length(channel) | Expression::Probe(_, channel) => self.channel(channel).is_none(),
                Expression::Poll(receive) => self.may_be_refused(receive) || self.is_rendezvous(&receive.channel),
                _ => false,
            };
        });
        found
    }

    fn is_rendezvous(&self, channel: &Expression) -> bool {
        self.channel(channel).is_none_or(|(_, rendezvous)| rendezvous)
    }

    fn may_miss(&self, indices: &[Index]) -> bool {
        indices.iter().any(|index| {
            let (least, most) = self.range(&index.at);
            least < 0 || most >= i64::from(index.length)
        })
    }

    fn fields(&self, channel: &Expression) -> Option<usize> {
        let (number, _) = self.channel(channel)?;
        let ty = self.program.channels[number as usize - 1];
        Some(self.program.channel_types[ty as usize].fields.len())
    }

    /// Whether the channel of a receive may not be there, or have other fields.
    fn may_be_refused(&self, receive: &Receive) -> bool {
        let inside = |pattern: &Pattern| match pattern {
            Pattern::Match(value) => self.may_fault(value),
            Pattern::Store(place) => {
                self.may_miss(&place.indices) || place.indices.iter().any(|index| self.may_fault(&index.at))
            }
            Pattern::Ignore => false,
        };
        self.fields(&receive.channel) != Some(receive.patterns.len())
            || receive.guard.as_ref().is_some_and(|guard| self.may_fault(guard))
            || receive.patterns.iter().any(inside)
    }

    /// Whether an action can go wrong.
    pub fn may_go_wrong(&self, action: &Action) -> bool {
        let missed = |place: &Place| {
            self.may_miss(&place.indices) || place.indices.iter().any(|index| self.may_fault(&index.at))
        };
        match action {
            Action::Skip | Action::Else | Action::End => false,
            Action::Condition(value) => self.may_fault(value),
            Action::Assign(place, value) => self.may_fault(value) || place.as_ref().is_some_and(missed),
            Action::Assert(value) => self.may_fault(value) || self.value(value).is_none_or(|value| value == 0),
            Action::Print(values) => values.iter().any(|value| self.may_fault(value)),
            Action::Send(send) => {
                self.fields(&send.channel) != Some(send.arguments.len())
                    || send.guard.iter().chain(&send.arguments).any(|value| self.may_fault(value))
            }
            Action::Receive(receive) => {
                self.may_be_refused(receive) || receive.keep && self.is_rendezvous(&receive.channel)
            }
            // There may be too many processes or channels; what they start with may be wrong.
            Action::Run(_) | Action::SetPriority(_) => true,
            Action::Steps(steps) => steps.nodes.iter().enumerate().any(|(at, node)| match node {
                Node::Do(inside, to, _) => {
                    // The first may block; one that blocks later is a fault, and so is a step without an end.
                    let blocks = at > 0 && !matches!(inside, Action::Skip | Action::Assign(..) | Action::Print(_));
                    blocks || *to as usize <= at || self.may_go_wrong(inside)
                }
                Node::Choose(_) => true,
                Node::Jump(to) => *to as usize <= at,
                Node::Exit => false,
            }),
        }
    }

    /// The values that an expression may have.
    fn range(&self, expression: &Expression) -> Range {
        if let Some(value) = self.value(expression) {
            return (i64::from(value), i64::from(value));
        }
        let within = |(least, most): Range| if least < ANY.0 || most > ANY.1 { ANY } else { (least, most) };
        match expression {
            Expression::Global(cell) => values(self.program.globals[*cell as usize].ty),
            Expression::Element(place) => values(place.ty),
            Expression::Pid | Expression::ProcessCount | Expression::Length(_) => (0, 255),
            Expression::Unary(Unary::Not, _)
            | Expression::Probe(Probe::Full | Probe::NotFull | Probe::Empty | Probe::NotEmpty, _)
            | Expression::Poll(_)
            | Expression::Timeout
            | Expression::At(..) => (0, 1),
            Expression::Conditional(parts) => {
                let (a, b) = (self.range(&parts.1), self.range(&parts.2));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Expression::Binary(op, pair) => {
                let (a, b) = (self.range(&pair.0), self.range(&pair.1));
                match op {
                    Binary::Add => within((a.0 + b.0, a.1 + b.1)),
                    Binary::Subtract => within((a.0 - b.1, a.1 - b.0)),
                    Binary::Remainder if a.0 >= 0 && b.0 > 0 => (0, b.1 - 1),
                    Binary::Divide if a.0 >= 0 && b.0 > 0 => (0, a.1),
                    Binary::BitAnd if b.0 >= 0 => (0, b.1),
                    Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => (0, 1),
                    Binary::Equal | Binary::NotEqual | Binary::And | Binary::Or => (0, 1),
                    _ => ANY,
                }
            }
            _ => ANY,
        }
    }
}
