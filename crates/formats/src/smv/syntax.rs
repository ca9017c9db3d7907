//! What a `.smv` file says, names not yet looked up.

pub use crate::diag::Span;
use crate::text::expression;
use crate::text::expression::Nested;
pub use crate::text::words::Name;

/// A name with those of the instances that it is inside of: `a.b.x`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// From the outermost to the name itself.
    pub steps: Vec<Box<str>>,
    /// Where.
    pub span: Span,
}

/// `MODULE m(p, q) …`
#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    /// What it is called.
    pub name: Name,
    /// What an instance is given.
    pub parameters: Vec<Name>,
    /// In the order of the file.
    pub variables: Vec<Variable>,
    /// In the order of the file.
    pub defines: Vec<(Name, Expression)>,
    /// In the order of the file.
    pub assignments: Vec<Assignment>,
    /// `INIT`, `TRANS`, `INVAR` and what is claimed, in the order of the file.
    pub statements: Vec<(Statement, Expression)>,
}

impl Module {
    /// One that says nothing yet.
    pub fn new(name: Name, parameters: Vec<Name>) -> Self {
        let (variables, defines) = (Vec::new(), Vec::new());
        Self { name, parameters, variables, defines, assignments: Vec::new(), statements: Vec::new() }
    }
}

/// What a condition is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Statement {
    /// The first state.
    Init,
    /// Every step.
    Trans,
    /// Every state.
    Invar,
    /// Every state, and this is to be shown.
    Claim,
}

/// `x : 0..7;`
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// What it is called.
    pub name: Name,
    /// What it can be.
    pub ty: Type,
    /// Whether and how it changes.
    pub role: Role,
}

/// Whether and how a variable changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// `VAR`
    State,
    /// `IVAR`: as it likes.
    Input,
    /// `FROZENVAR`: never.
    Frozen,
}

/// What a variable can be.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// `boolean`
    Truth,
    /// `0..7`
    Range(i64, i64),
    /// `{1, 2, 5}`
    Numbers(Vec<i64>),
    /// `{idle, busy}`
    Names(Vec<Name>),
    /// `m(e, …)`
    Instance(Name, Vec<Expression>),
}

/// `next(x) := e;`
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// Which value of the variable is meant.
    pub when: When,
    /// The variable.
    pub target: Path,
    /// What it is.
    pub value: Expression,
}

/// Which value of a variable is assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// `init(x)`
    First,
    /// `next(x)`
    Next,
    /// `x`
    Always,
}

/// An expression and where it stands.
pub type Expression = expression::Expression<ExpressionKind>;

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    /// `TRUE`
    Truth(bool),
    /// `7`
    Number(i64),
    /// `a.x`
    Name(Path),
    /// `0..7`: one of these numbers.
    Range(i64, i64),
    /// `{a, b}`: one of these.
    Set(Vec<Expression>),
    /// `!a`
    Not(Expression),
    /// `-a`
    Minus(Expression),
    /// `next(a)`
    Next(Expression),
    /// `a + b`
    Binary(Binary, Expression, Expression),
    /// `c ? a : b`, and `case c : a; … esac`, whose last value needs no condition there.
    Case(Vec<(Expression, Expression)>),
}

impl Nested for ExpressionKind {
    const DEEPEST: u16 = 200;
    const HELP: &'static str = "give parts of it names with DEFINE";

    fn parts(&self) -> Vec<&Expression> {
        match self {
            Self::Truth(_) | Self::Number(_) | Self::Name(_) | Self::Range(..) => Vec::new(),
            Self::Set(parts) => parts.iter().collect(),
            Self::Not(a) | Self::Minus(a) | Self::Next(a) => vec![a],
            Self::Binary(_, a, b) => vec![a, b],
            Self::Case(branches) => branches.iter().flat_map(|(condition, value)| [condition, value]).collect(),
        }
    }
}

/// An operator between two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `->`
    Implies,
    /// `<->`
    Same,
    /// `|`
    Or,
    /// `xor`
    Xor,
    /// `xnor`
    Xnor,
    /// `&`
    And,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `in`
    In,
    /// `union`
    Union,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `mod`
    Modulo,
}
