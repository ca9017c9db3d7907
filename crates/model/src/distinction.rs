//! What tells two systems apart.

use super::{LabelId, Labels};
use std::fmt;

/// One of two systems.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// What counts as a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Steps {
    /// Every edge; tau is a label like any other.
    Strong,
    /// A visible edge among any number of tau edges.
    Weak,
}

/// Something that one of two systems can do, or that is true of it, and not of the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Distinction {
    /// Only one side can do this; without tau, where steps are weak.
    Trace {
        /// What it does.
        trace: Vec<LabelId>,
        /// Who can.
        by: Side,
    },
    /// Both sides can do this, but only one can be in a marked state after it.
    MarkedTrace {
        /// What it does.
        trace: Vec<LabelId>,
        /// Who can be in a marked state.
        by: Side,
    },
    /// This statement about the initial states is true on the left and false on the right.
    Formula(Formula),
}

/// A statement about a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// The state is marked.
    Marked,
    /// Not this.
    Not(Box<Formula>),
    /// Some step under the label leads to a state where all of these hold.
    Can(LabelId, Vec<Formula>),
}

impl Formula {
    /// The formula as text: `<a>` for steps, `<<a>>` for weak ones, `<<>>` for any number of silent steps.
    pub fn display<'a>(&'a self, labels: &'a Labels, steps: Steps) -> impl fmt::Display + 'a {
        Shown { formula: self, labels, steps }
    }
}

struct Shown<'a> {
    formula: &'a Formula,
    labels: &'a Labels,
    steps: Steps,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |formula| Shown { formula, ..*self };
        match self.formula {
            Formula::Marked => f.write_str("marked"),
            Formula::Not(inner) => write!(f, "not {}", show(inner)),
            Formula::Can(label, then) => {
                match self.steps {
                    Steps::Strong => write!(f, "<{}>", self.labels.name(*label))?,
                    Steps::Weak if label.is_tau() => f.write_str("<<>>")?,
                    Steps::Weak => write!(f, "<<{}>>", self.labels.name(*label))?,
                }
                match &then[..] {
                    [] => f.write_str("true"),
                    [one] => write!(f, "{}", show(one)),
                    [first, rest @ ..] => {
                        write!(f, "({}", show(first))?;
                        rest.iter().try_for_each(|inner| write!(f, " and {}", show(inner)))?;
                        f.write_str(")")
                    }
                }
            }
        }
    }
}
