//! Expressions over the cells of a running program, and where assignments go.

use super::value::ValueType;
pub use prequel_formats::promela::syntax::{Binary, Probe, Unary};

/// An expression whose names are resolved.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// A constant.
    Number(i32),
    /// A global cell.
    Global(u32),
    /// A cell of the process's own frame.
    Local(u32),
    /// A cell that indices choose.
    Element(Box<Place>),
    /// `-e`, `!e`, `~e`
    Unary(Unary, Box<Expression>),
    /// `a + b`
    Binary(Binary, Box<(Expression, Expression)>),
    /// `(a -> b : c)`
    Conditional(Box<(Expression, Expression, Expression)>),
    /// How many messages a channel holds.
    Length(Box<Expression>),
    /// Whether a channel is full, empty, not full, not empty.
    Probe(Probe, Box<Expression>),
    /// Whether a receive could be done.
    Poll(Box<Receive>),
    /// Whether nothing else can move.
    Timeout,
    /// `np_`: whether something moves and no process is at a progress label.
    NonProgress,
    /// The number of the process itself.
    Pid,
    /// How many processes there are.
    ProcessCount,
    /// Whether a process is at a label.
    At(Box<Remote>, u32),
    /// A local cell of another process.
    RemoteCell(Box<Remote>, Box<Place>),
    /// Whether another process could move.
    Enabled(Box<Expression>),
    /// The priority of a process.
    Priority(Box<Expression>),
}

/// Another process.
#[derive(Clone, PartialEq, Debug)]
pub struct Remote {
    /// What it must be an instance of.
    pub proctype: u32,
    /// Its number; the first instance if absent.
    pub pid: Option<Expression>,
}

/// A cell that is read or set.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// Whether the offset counts from the frame of the process, not from the globals.
    pub local: bool,
    /// The cell if all indices are zero.
    pub offset: u32,
    /// What the indices add.
    pub indices: Box<[Index]>,
    /// What the cell keeps.
    pub ty: ValueType,
}

/// One index of a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// Which element.
    pub at: Expression,
    /// How many there are.
    pub length: u32,
    /// Cells of an element.
    pub stride: u32,
}

/// A receive, or the question whether it could be done.
#[derive(Clone, PartialEq, Debug)]
pub struct Receive {
    /// Possible only when it holds.
    pub guard: Option<Expression>,
    /// From which channel.
    pub channel: Expression,
    /// Any message that matches, not only the first.
    pub random: bool,
    /// The message stays.
    pub keep: bool,
    /// What each field must match or is stored in.
    pub patterns: Box<[Pattern]>,
}

/// One field of a receive.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// It must have this value.
    Match(Expression),
    /// It is stored here.
    Store(Place),
    /// It may be anything.
    Ignore,
}

/// What goes wrong in a computation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum Fault {
    /// `assert(0)`
    #[error("assertion violated")]
    Assertion,
    /// SPIN counts this as a violated assertion.
    #[error("array index out of bounds")]
    Index,
    /// The verifier of SPIN would crash.
    #[error("division by zero")]
    Division,
    /// A channel variable that was never set.
    #[error("use of an uninitialised channel")]
    NoChannel,
    /// `c?[…]` and `c?<…>` on a rendezvous channel.
    #[error("poll of a rendezvous channel")]
    PollRendezvous,
    /// Another number of fields than the channel has.
    #[error("number of fields does not match the channel")]
    Arity,
    /// A statement inside `d_step` that cannot be executed.
    #[error("blocked inside d_step")]
    BlockedInside,
    /// A `d_step` or `atomic` that takes more steps than can be waited for.
    #[error("no end of an indivisible sequence")]
    Endless,
    /// More than SPIN can number.
    #[error("too many processes")]
    Processes,
    /// More than SPIN can number.
    #[error("too many channels")]
    Channels,
    /// A `D_proctype` could do one thing or another.
    #[error("a choice in a D_proctype")]
    Choice,
    /// `set_priority` to nothing between 1 and 255.
    #[error("priority out of range")]
    Priority,
    /// The event of a `trace` did not match.
    #[error("trace violated: no matching event")]
    NoEvent,
    /// The events of a `notrace` were all matched.
    #[error("notrace violated: all events matched")]
    AllEvents,
    /// A `trace` must be deterministic.
    #[error("two events of a trace match")]
    AmbiguousEvent,
    /// A rendezvous inside `d_step`, other than a receive at its start.
    #[error("rendezvous inside d_step")]
    RendezvousInside,
}

impl Fault {
    /// Whether what comes after it is a state like any other.
    pub fn is_passed(self) -> bool {
        matches!(self, Fault::Assertion | Fault::NoEvent | Fault::AllEvents | Fault::Choice)
    }
}

impl Expression {
    /// Cells that are read without an index, most often.
    pub fn of(place: Place) -> Expression {
        if !place.indices.is_empty() {
            return Expression::Element(Box::new(place));
        }
        if place.local { Expression::Local(place.offset) } else { Expression::Global(place.offset) }
    }

    /// Looks at an expression and at all that are inside of it.
    pub fn visit(&self, look: &mut impl FnMut(&Expression)) {
        look(self);
        match self {
            Expression::Number(_)
            | Expression::Global(_)
            | Expression::Local(_)
            | Expression::Timeout
            | Expression::NonProgress
            | Expression::Pid
            | Expression::ProcessCount => {}
            Expression::Element(place) => place.indices.iter().for_each(|index| index.at.visit(look)),
            Expression::Unary(_, a) | Expression::Length(a) | Expression::Probe(_, a) => a.visit(look),
            Expression::Enabled(a) | Expression::Priority(a) => a.visit(look),
            Expression::Binary(_, pair) => {
                pair.0.visit(look);
                pair.1.visit(look);
            }
            Expression::Conditional(parts) => {
                parts.0.visit(look);
                parts.1.visit(look);
                parts.2.visit(look);
            }
            Expression::Poll(receive) => receive.visit(look),
            Expression::At(remote, _) => remote.pid.iter().for_each(|pid| pid.visit(look)),
            Expression::RemoteCell(remote, place) => {
                remote.pid.iter().for_each(|pid| pid.visit(look));
                place.indices.iter().for_each(|index| index.at.visit(look));
            }
        }
    }

    /// An operation, done at once if its operands are constants that both count.
    pub fn binary(op: Binary, a: Expression, b: Expression) -> Expression {
        if let (Expression::Number(a), Expression::Number(b)) = (&a, &b)
            && !matches!(op, Binary::And | Binary::Or)
            && let Some(value) = op.apply(*a, *b)
        {
            return Expression::Number(value);
        }
        Expression::Binary(op, Box::new((a, b)))
    }

    /// An operation, done at once if its operand is constant.
    pub fn unary(op: Unary, a: Expression) -> Expression {
        match a {
            Expression::Number(a) => Expression::Number(op.apply(a)),
            a => Expression::Unary(op, Box::new(a)),
        }
    }
}

impl Receive {
    /// Looks at all expressions in it.
    pub fn visit(&self, look: &mut impl FnMut(&Expression)) {
        self.guard.iter().for_each(|guard| guard.visit(look));
        self.channel.visit(look);
        for pattern in &self.patterns {
            match pattern {
                Pattern::Match(value) => value.visit(look),
                Pattern::Store(place) => place.indices.iter().for_each(|index| index.at.visit(look)),
                Pattern::Ignore => {}
            }
        }
    }
}
