//! What a `.dve` file says, names not yet looked up.

pub use crate::diag::Span;
pub use crate::promela::syntax::{Binary, Unary};
use crate::text::expression;
use crate::text::expression::Nested;
pub use crate::text::words::Name;

/// A whole file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct System {
    /// What messages call it.
    pub file: String,
    /// Its text, decoded.
    pub text: String,
    /// Of all processes.
    pub globals: Declarations,
    /// In the order of the file.
    pub processes: Vec<Process>,
    /// `system async property p;` names a process that watches the others.
    pub property: Option<Name>,
}

/// Variables and channels.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Declarations {
    /// Constants too.
    pub variables: Vec<Variable>,
    /// Rendezvous and buffered.
    pub channels: Vec<Channel>,
}

/// The type of a variable or of a field of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// 8 bits without a sign.
    Byte,
    /// 16 bits with a sign.
    Int,
}

/// `const byte x[3] = {1, 2, 3};`
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Never changes.
    pub constant: bool,
    /// What it keeps.
    pub ty: Type,
    /// What it is called.
    pub name: Name,
    /// Of an array.
    pub length: Option<Expression>,
    /// What it starts as: one value, or those of an array; the rest is zero.
    pub initial: Vec<Expression>,
}

/// `channel {byte, int} c[2];`
#[derive(Clone, PartialEq, Debug)]
pub struct Channel {
    /// What it is called.
    pub name: Name,
    /// Of a message; a channel without types takes whatever is sent.
    pub fields: Option<Vec<Type>>,
    /// How many messages it holds; none or zero is a rendezvous.
    pub capacity: Option<Expression>,
}

/// `process p { … }`
#[derive(Clone, PartialEq, Debug)]
pub struct Process {
    /// What it is called.
    pub name: Name,
    /// Its own.
    pub locals: Declarations,
    /// In the order of the file.
    pub states: Vec<Name>,
    /// Where it starts.
    pub initial: Option<Name>,
    /// While some process is in such a state, only those that are move.
    pub committed: Vec<Name>,
    /// Of a property process: what comes through such a state again and again is excluded.
    pub accepting: Vec<Name>,
    /// `assert s: e`
    pub assertions: Vec<(Name, Expression)>,
    /// In the order of the file.
    pub transitions: Vec<Transition>,
}

/// `a -> b { guard g; sync c!e; effect x = e; }`
#[derive(Clone, PartialEq, Debug)]
pub struct Transition {
    /// From where.
    pub from: Name,
    /// To where.
    pub to: Name,
    /// All must hold.
    pub guards: Vec<Expression>,
    /// Together with another process, or through a buffer.
    pub sync: Option<Sync>,
    /// Done one after the other.
    pub effects: Vec<(Reference, Expression)>,
    /// From the first state to the brace.
    pub span: Span,
}

/// `c!e`, `c?x`
#[derive(Clone, PartialEq, Debug)]
pub struct Sync {
    /// Whose channel, where it is one of a process.
    pub process: Option<Name>,
    /// Which channel.
    pub channel: Name,
    /// What is done with it.
    pub message: Message,
}

/// One side of a message.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// `!`
    Send(Vec<Expression>),
    /// `?`
    Receive(Vec<Reference>),
}

impl Message {
    /// How many values it has.
    pub fn width(&self) -> usize {
        match self {
            Message::Send(values) => values.len(),
            Message::Receive(targets) => targets.len(),
        }
    }
}

/// A variable, or an element of an array: `x`, `x[e]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// Which variable.
    pub name: Name,
    /// Which element.
    pub index: Option<Expression>,
}

/// An expression and where it stands.
pub type Expression = expression::Expression<ExpressionKind>;

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    /// `7`, `true`
    Number(i32),
    /// `x`, `x[e]`
    Variable(Reference),
    /// `p->x`: a variable of another process.
    Foreign(Name, Reference),
    /// `p.s`, in goals also `p@s`: whether a process is in a state.
    InState(Name, Name),
    /// `-e`, `not e`, `~e`
    Unary(Unary, Expression),
    /// `a + b`
    Binary(Binary, Expression, Expression),
    /// `a imply b`
    Imply(Expression, Expression),
}

impl Nested for ExpressionKind {
    const DEEPEST: u16 = 400;
    const HELP: &'static str = "split it up";

    fn parts(&self) -> Vec<&Expression> {
        match self {
            Self::Number(_) | Self::InState(..) => Vec::new(),
            Self::Variable(reference) | Self::Foreign(_, reference) => reference.index.iter().collect(),
            Self::Unary(_, a) => vec![a],
            Self::Binary(_, a, b) | Self::Imply(a, b) => vec![a, b],
        }
    }
}
