//! What a Promela model says: the tree of the language of SPIN 6.5, without embedded C.
//!
//! Macros, inclusions and `inline` are expanded. Names are not resolved: whether `x` is a variable or an `mtype` constant, and
//! which declaration it refers to, is for the reader of the tree to find out. Scopes follow blocks: every `{ … }` (also of
//! `atomic`, `d_step`, `for` and an inlined call) is one, an option of `if` or `do` is none.

use super::source::{Sources, Span};

/// A whole model, in the order of the text.
#[derive(Clone, Debug)]
pub struct Model {
    /// Declarations, processes and properties.
    pub units: Vec<Unit>,
    /// Where everything stands.
    pub sources: Sources,
}

/// A name with the place where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// As written.
    pub text: Box<str>,
    /// Where.
    pub span: Span,
}

/// What may stand at the top of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// `mtype = { … }`
    Mtype(Mtype),
    /// `typedef T { … }`
    Typedef(Typedef),
    /// Global variables and channels.
    Declaration(Declaration),
    /// `proctype`, with its first instances if it is `active`.
    Proctype(Proctype),
    /// `init { … }`
    Init(Init),
    /// `never { … }`
    Never(Never),
    /// `ltl { … }`
    Ltl(Ltl),
    /// `trace { … }` and `notrace { … }`
    Trace(Trace),
    /// `inline f(…) { … }`: only its head; the body stands at each call.
    Inline(Inline),
}

/// `mtype = { a, b }` or `mtype:kind = { a, b }`.
///
/// SPIN numbers the constants of one kind from the *last* to the first of each declaration, starting at 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mtype {
    /// The kind, if it is named.
    pub kind: Option<Name>,
    /// In the order written.
    pub constants: Vec<Name>,
    /// The whole declaration.
    pub span: Span,
}

/// `typedef T { byte a; bit b[3] }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Typedef {
    /// The type that it defines.
    pub name: Name,
    /// Its fields, as declared.
    pub fields: Vec<Declaration>,
    /// The whole definition.
    pub span: Span,
}

/// One or more variables of a type.
///
/// Inside a body this is a statement: after the first statement that is none, or at the head of a nested block, it sets the
/// variables each time control passes. Only leading declarations of a proctype are initialised once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// `hidden`, `show` or `local`.
    pub visibility: Option<Visibility>,
    /// Of all the variables.
    pub ty: Type,
    /// At least one.
    pub variables: Vec<Variable>,
    /// The whole declaration.
    pub span: Span,
}

/// What may stand before the type of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// `hidden`: not part of the state.
    Hidden,
    /// `show`: for SPIN's displays only.
    Show,
    /// `local`: a promise that only one process uses it.
    Local,
}

/// The type of a variable or message field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// `bit`
    Bit,
    /// `bool`
    Bool,
    /// `byte`
    Byte,
    /// `pid`, a byte.
    Pid,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned x : width`; the width is with the variable.
    Unsigned,
    /// `chan`
    Chan,
    /// `mtype`, or `mtype:kind`.
    Mtype(Option<Name>),
    /// One that a `typedef` defines.
    User(Name),
}

/// As declarations write it.
impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Type::Bit => "bit",
            Type::Bool => "bool",
            Type::Byte => "byte",
            Type::Pid => "pid",
            Type::Short => "short",
            Type::Int => "int",
            Type::Unsigned => "unsigned",
            Type::Chan => "chan",
            Type::Mtype(None) => "mtype",
            Type::Mtype(Some(kind)) => return write!(f, "mtype:{}", kind.text),
            Type::User(name) => &name.text,
        })
    }
}

/// A declared variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// `[size]`, for an array: a constant expression, or the name of an initialised variable.
    pub size: Option<Expression>,
    /// `: width`, in bits.
    pub width: Option<u32>,
    /// What it starts as; zero if absent.
    pub initial: Option<Initial>,
    /// Name to initial value.
    pub span: Span,
}

/// What a variable starts as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Initial {
    /// `= e`; for an array, every element.
    Value(Expression),
    /// `= { 1, 2, 3 }`, of an array: constants.
    List(Vec<Expression>),
    /// `= [capacity] of { types }`; for an array, a channel for every element.
    Channel(Channel),
}

/// `[capacity] of { types }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// A constant expression; zero for rendezvous.
    pub capacity: Expression,
    /// The fields of a message, at least one.
    pub fields: Vec<Type>,
    /// `[` to `}`.
    pub span: Span,
}

/// `active [2] proctype P(byte a; chan c) priority 3 provided (e) { … }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proctype {
    /// Its name.
    pub name: Name,
    /// Written `D_proctype`.
    pub deterministic: bool,
    /// Instances that run from the start.
    pub active: Option<Active>,
    /// Parameters, declared like variables.
    pub parameters: Vec<Declaration>,
    /// `priority n`, a constant.
    pub priority: Option<Expression>,
    /// `provided (e)`: it moves only when this holds.
    pub provided: Option<Expression>,
    /// What it does.
    pub body: Sequence,
    /// From `active` or `proctype` to the end of the body.
    pub span: Span,
}

/// `active` or `active [count]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Active {
    /// One if absent. A constant expression, or the name of an initialised variable.
    pub count: Option<Expression>,
    /// `active` to `]`.
    pub span: Span,
}

/// `init { … }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Init {
    /// `priority n`, a constant.
    pub priority: Option<Expression>,
    /// What it does.
    pub body: Sequence,
    /// The whole unit.
    pub span: Span,
}

/// `never { … }` or `never name { … }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Never {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// What must not be observed.
    pub body: Sequence,
    /// The whole unit.
    pub span: Span,
}

/// `trace { … }` or `notrace { … }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Written `notrace`.
    pub negated: bool,
    /// Sends and receives.
    pub body: Sequence,
    /// The whole unit.
    pub span: Span,
}

/// `ltl { … }` or `ltl name { … }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ltl {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// What holds of all runs.
    pub formula: Formula,
    /// The whole unit.
    pub span: Span,
}

/// The head of `inline f(a, b) { … }`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inline {
    /// Its name.
    pub name: Name,
    /// What a call replaces.
    pub parameters: Vec<Name>,
    /// `inline` to the closing brace.
    pub span: Span,
}

/// Statements one after the other; never empty.
pub type Sequence = Vec<Statement>;

/// A step of a sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// Labels before it. A label before nothing is a label of a `skip`.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StatementKind,
    /// Without the labels.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// A declaration in its place.
    Declaration(Declaration),
    /// `xr c, d` and `xs c`: a promise that only this process receives from or sends to these channels.
    Exclusive {
        /// Which of the two.
        direction: Direction,
        /// Names of channels.
        channels: Vec<Reference>,
    },
    /// `x = e`; also `return e` of an inline that was called as `x = f()`.
    Assign {
        /// What is set.
        target: Reference,
        /// To what.
        value: Expression,
    },
    /// `x++`
    Increment(Reference),
    /// `x--`
    Decrement(Reference),
    /// An expression: blocks while it is zero. `skip`, `timeout` and `run P()` are such.
    Condition(Expression),
    /// `c!1,2`, `c!1(2)` and `c!!1,2`
    Send {
        /// To which channel.
        channel: Reference,
        /// `!!`
        sorted: bool,
        /// The fields of the message.
        arguments: Vec<Expression>,
    },
    /// `c?x,y`, `c?x(y)`, `c??x`, `c?<x>` and `c??<x>`
    Receive {
        /// From which channel.
        channel: Reference,
        /// `??`
        random: bool,
        /// `<…>`: the message stays.
        keep: bool,
        /// What each field must match or is stored in.
        arguments: Vec<Pattern>,
    },
    /// `if … fi`
    If(Vec<Choice>),
    /// `do … od`
    Do(Vec<Choice>),
    /// `for (i : 1 .. 3) { … }` and `for (i in a) { … }`
    For {
        /// What counts.
        variable: Reference,
        /// From where to where.
        over: Range,
        /// What is repeated; `break` leaves the loop.
        body: Sequence,
    },
    /// `select (i : 1 .. 3)`
    Select {
        /// What is set.
        variable: Reference,
        /// The lowest value.
        from: Expression,
        /// The highest.
        to: Expression,
    },
    /// `atomic { … }`
    Atomic(Sequence),
    /// `d_step { … }`
    DStep(Sequence),
    /// `{ … }`
    Block(Sequence),
    /// The expansion of a call of an inline: a block.
    Inlined {
        /// Which inline, at the place of the call.
        name: Name,
        /// Its body with the arguments in place.
        body: Sequence,
    },
    /// `a unless b`
    Unless {
        /// What is done as long as the escape cannot start.
        body: Box<Statement>,
        /// What takes over.
        escape: Box<Statement>,
    },
    /// `goto L`
    Goto(Name),
    /// `break`
    Break,
    /// `else`
    Else,
    /// `assert(e)`
    Assert(Expression),
    /// `printf("…", …)`
    Printf {
        /// The text with its quotes and escapes, as written.
        format: Box<str>,
        /// What it prints.
        arguments: Vec<Expression>,
    },
    /// `printm(e)`
    Printm(Expression),
    /// `set_priority(p, n)`
    SetPriority {
        /// Whose.
        process: Expression,
        /// To what.
        priority: Expression,
    },
}

/// An option of `if` or `do`: `:: …`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The first one is the guard.
    pub body: Sequence,
    /// From `::` on.
    pub span: Span,
}

/// Which end of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// `xr`
    Receive,
    /// `xs`
    Send,
}

/// What a `for` runs through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Range {
    /// `: from .. to`
    Numbers {
        /// First value.
        from: Expression,
        /// Last value.
        to: Expression,
    },
    /// `in a`: the indices of an array, or the messages of a channel.
    In(Reference),
}

/// One field of a receive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// A variable to store in, `_`, or the name of an `mtype` constant to match.
    Reference(Reference),
    /// `eval(e)`: matches its value.
    Eval(Expression),
    /// A constant to match.
    Number {
        /// Its value, the sign included.
        value: i32,
        /// Where.
        span: Span,
    },
}

/// A variable or a part of one: `a`, `a[i]`, `a[i].b.c[j]`.
///
/// `_`, `_pid`, `_nr_pr`, `_last`, `_priority` and `mtype` constants are written like variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// The variable, then the fields; never empty.
    pub parts: Vec<Part>,
    /// The whole reference.
    pub span: Span,
}

/// A name with an index, if any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The variable or field.
    pub name: Name,
    /// `[index]`
    pub index: Option<Expression>,
}

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expression {
    /// What it computes.
    pub kind: Box<ExpressionKind>,
    /// Where; outer parentheses included.
    pub span: Span,
}

/// What an expression computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpressionKind {
    /// A number, a character, `true`, `false` or `skip` (which is 1).
    Number(i32),
    /// A variable or constant.
    Reference(Reference),
    /// `-e`, `!e`, `~e`
    Unary(Unary, Expression),
    /// `a + b`
    Binary(Binary, Expression, Expression),
    /// `(condition -> yes : no)`
    Conditional {
        /// What decides.
        condition: Expression,
        /// The value if it is not zero.
        yes: Expression,
        /// The value otherwise.
        no: Expression,
    },
    /// `run P(a, b) priority n`: the new process's number, or zero.
    Run {
        /// Which proctype.
        process: Name,
        /// Its arguments.
        arguments: Vec<Expression>,
        /// `priority n`, a constant.
        priority: Option<Expression>,
    },
    /// `len(c)`
    Length(Reference),
    /// `full(c)`, `empty(c)`, `nfull(c)`, `nempty(c)`
    Probe(Probe, Reference),
    /// `c?[x,1]` and `c??[x,1]`: whether the receive could be done.
    Poll {
        /// Of which channel.
        channel: Reference,
        /// `??`
        random: bool,
        /// What each field must match.
        arguments: Vec<Pattern>,
    },
    /// `enabled(p)`
    Enabled(Expression),
    /// `pc_value(p)`
    PcValue(Expression),
    /// `get_priority(p)`
    GetPriority(Expression),
    /// `P@L` and `P[i]@L`: whether that process is at that label.
    RemoteLabel {
        /// Which proctype.
        process: Name,
        /// Which process number.
        pid: Option<Expression>,
        /// The label.
        label: Name,
    },
    /// `P:x` and `P[i]:x`: a local variable of another process.
    RemoteVariable {
        /// Which proctype.
        process: Name,
        /// Which process number.
        pid: Option<Expression>,
        /// The variable.
        variable: Part,
    },
    /// `timeout`: nothing else can move.
    Timeout,
    /// `np_`: no process is at a progress label.
    NonProgress,
}

/// An operator before its operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `-`
    Minus,
    /// `!`
    Not,
    /// `~`
    Complement,
}

impl Unary {
    /// Its value, as in C.
    #[inline]
    pub fn apply(self, a: i32) -> i32 {
        match self {
            Unary::Minus => a.wrapping_neg(),
            Unary::Not => i32::from(a == 0),
            Unary::Complement => !a,
        }
    }
}

/// An operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&&`: the right one only counts when the left one holds.
    And,
    /// `||`: the right one only counts when the left one does not hold.
    Or,
}

impl Binary {
    /// Its value, as in C on common machines; none for a division that has no value.
    #[inline]
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide => return a.checked_div(b),
            Binary::Remainder => return a.checked_rem(b),
            Binary::ShiftLeft => a.wrapping_shl(b as u32),
            Binary::ShiftRight => a.wrapping_shr(b as u32),
            Binary::BitAnd => a & b,
            Binary::BitXor => a ^ b,
            Binary::BitOr => a | b,
            Binary::Less => i32::from(a < b),
            Binary::LessEqual => i32::from(a <= b),
            Binary::Greater => i32::from(a > b),
            Binary::GreaterEqual => i32::from(a >= b),
            Binary::Equal => i32::from(a == b),
            Binary::NotEqual => i32::from(a != b),
            Binary::And => i32::from(a != 0 && b != 0),
            Binary::Or => i32::from(a != 0 || b != 0),
        })
    }

    /// Whether its value is 0 or 1, whatever its operands are.
    pub fn is_condition(self) -> bool {
        use Binary::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
        matches!(self, Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual | And | Or)
    }
}

/// A question about a channel that cannot be negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Probe {
    /// `full`
    Full,
    /// `empty`
    Empty,
    /// `nfull`
    NotFull,
    /// `nempty`
    NotEmpty,
}

/// A formula of linear temporal logic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// What it says.
    pub kind: Box<FormulaKind>,
    /// Where; outer parentheses included.
    pub span: Span,
}

impl Formula {
    /// Shows every expression that the formula is about, from left to right.
    pub fn atoms<'m>(&'m self, see: &mut impl FnMut(&'m Expression)) {
        if let FormulaKind::Atom(value) = &*self.kind {
            see(value);
        }
        self.operands().into_iter().flatten().for_each(|operand| operand.atoms(see));
    }

    /// Whether `X` stands somewhere in it.
    pub fn has_next(&self) -> bool {
        self.next().is_some()
    }

    /// A part of it that begins with `X`.
    pub fn next(&self) -> Option<&Formula> {
        match &*self.kind {
            FormulaKind::Next(_) => Some(self),
            _ => self.operands().into_iter().flatten().find_map(Formula::next),
        }
    }

    fn operands(&self) -> [Option<&Formula>; 2] {
        match &*self.kind {
            FormulaKind::Atom(_) => [None, None],
            FormulaKind::Not(a) | FormulaKind::Always(a) | FormulaKind::Eventually(a) | FormulaKind::Next(a) => {
                [Some(a), None]
            }
            FormulaKind::And(a, b)
            | FormulaKind::Or(a, b)
            | FormulaKind::Implies(a, b)
            | FormulaKind::Equivalent(a, b)
            | FormulaKind::Until(a, b)
            | FormulaKind::WeakUntil(a, b)
            | FormulaKind::Release(a, b) => [Some(a), Some(b)],
        }
    }
}

/// What a formula says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormulaKind {
    /// A state expression without `&&`, `||` and `!` at its top.
    Atom(Expression),
    /// `!f`
    Not(Formula),
    /// `[] f`, `always f`
    Always(Formula),
    /// `<> f`, `eventually f`
    Eventually(Formula),
    /// `X f`, `next f`
    Next(Formula),
    /// `f && g`, `f /\ g`
    And(Formula, Formula),
    /// `f || g`, `f \/ g`
    Or(Formula, Formula),
    /// `f -> g`, `f implies g`
    Implies(Formula, Formula),
    /// `f <-> g`, `f equivalent g`
    Equivalent(Formula, Formula),
    /// `f U g`, `f until g`, `f stronguntil g`
    Until(Formula, Formula),
    /// `f W g`, `f weakuntil g`
    WeakUntil(Formula, Formula),
    /// `f V g`, `f release g`
    Release(Formula, Formula),
}
