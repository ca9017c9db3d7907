//! What an `.exp` file says, before any file that it refers to is read.

pub use crate::diag::Span;

/// How labels of a list are compared with labels of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Match {
    /// The gate, that is, the text up to the first blank, `!`, `?` or `(`.
    Gate,
    /// The whole label.
    Whole,
    /// Any part of the label; for renaming, the first such part is replaced.
    Part,
    /// Any part of the label; all such parts are replaced.
    Parts,
}

/// A label as written, without quotes and escapes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub text: Box<str>,
    pub span: Span,
    /// `#n` after it.
    pub among: Option<Span>,
}

/// `L * _ * L -> L`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector {
    pub columns: Vec<Option<Label>>,
    pub result: Label,
    pub span: Span,
}

/// What stands between two behaviours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `||`
    Full,
    /// `|||` is the empty list.
    On(Vec<Label>),
}

/// What stands before `in` of a `par`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Common {
    All,
    List(Vec<Label>),
}

/// A file that is referred to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    pub name: Box<str>,
    pub span: Span,
}

/// A behaviour expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Behaviour {
    File(File),
    /// A file that was given its place among the components.
    Component(u32),
    /// What an included file says; the number is that of its source.
    Included(usize, Box<Behaviour>),
    /// Operands and the operators between them, right associative.
    Chain(Vec<Behaviour>, Vec<Operator>),
    Par {
        by: Match,
        common: Common,
        operands: Vec<(Vec<Label>, Behaviour)>,
    },
    Vectors {
        by: Match,
        vectors: Vec<Vector>,
        operands: Vec<Behaviour>,
    },
    Hide {
        by: Match,
        all_but: bool,
        labels: Vec<Label>,
        body: Box<Behaviour>,
    },
    Rename {
        by: Match,
        rules: Vec<(Label, Label)>,
        body: Box<Behaviour>,
    },
    /// A construct that is understood as far as its name.
    Refused {
        construct: &'static str,
        span: Span,
        body: Box<Behaviour>,
    },
}
