//! Why a certificate shows nothing.

use crate::cover::{Difference, Uncovered};
use crate::explore::Ended;
use crate::proof::Proof;
use crate::witness;
use prequel_model::StateId;

/// Why a certificate shows nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejected {
    /// It was made for something else.
    #[error("it is about another model or query: {found}, and this one is {expected}")]
    Other {
        /// The number of the model and query at hand.
        expected: String,
        /// What the certificate says.
        found: String,
    },
    /// The verdict is neither `true` nor `false`.
    #[error("`{0}` is no verdict")]
    Verdict(String),
    /// It holds something else than it says.
    #[error("it says that its proof is `{}`, and what it holds is `{}`", .claimed.word(), .held.word())]
    Mislabelled {
        /// What it says.
        claimed: Proof,
        /// What is in it.
        held: Proof,
    },
    /// It holds more than one proof.
    #[error("it holds more than one proof: `{}` and `{}`", .0.word(), .1.word())]
    Several(Proof, Proof),
    /// A name that the model does not have, or a number out of range, or something given twice.
    #[error("{0}")]
    Unknown(String),
    /// A class that no state belongs to.
    #[error("`{component}`: no state is in class {class}")]
    Empty {
        /// Whose.
        component: String,
        /// Which.
        class: u32,
    },
    /// The initial state is not in the initial class.
    #[error("`{component}`: its initial state is in class {found}, but {claimed} is said to be the initial class")]
    Initial {
        /// Whose.
        component: String,
        /// Where it is.
        found: u32,
        /// Where it is said to be.
        claimed: u32,
    },
    /// A transition that the smaller component does not have.
    #[error("`{component}`: the transition {from:?} -{label}-> {to:?} has no counterpart between classes")]
    Lost {
        /// Whose.
        component: String,
        /// From where.
        from: StateId,
        /// Its label.
        label: String,
        /// To where.
        to: StateId,
    },
    /// A class whose states differ in a condition of the goal.
    #[error("`{component}`: states of class {class} differ in what the goal asks")]
    Condition {
        /// Whose.
        component: String,
        /// Which.
        class: u32,
    },
    /// A state that may be stuck where its class is not.
    #[error("`{component}`: class {class} can take `{label}`, but its state {state:?} cannot")]
    Stuck {
        /// Whose.
        component: String,
        /// Which class.
        class: u32,
        /// Which state.
        state: StateId,
        /// What it lacks.
        label: String,
    },
    /// A changed process that does what its assumption does not.
    #[error("`{component}` is not covered by its assumption: {}", told(why))]
    Uncovered {
        /// Which.
        component: String,
        /// What it does.
        why: Box<Uncovered>,
    },
    /// A witness is about one model.
    #[error("the certificate is a witness, which is about the model as it was; check the changed one anew")]
    Witnessed,
    /// Parts of a network that do not rule out all that is looked for.
    #[error("alternative {alternative} of {of} is not ruled out by any of the parts")]
    Open {
        /// Counted from 1.
        alternative: usize,
        /// How many there are.
        of: usize,
    },
    /// A witness that needs more than is said.
    #[error("the witness needs more than is said: {0}")]
    Needs(String),
    /// A step of a derivation that does not follow from those before it.
    #[error("step {step} does not follow: {why}")]
    Step {
        /// Counted from 1.
        step: usize,
        /// Why not.
        why: String,
    },
    /// The first state is not in the invariant.
    #[error("the first state is not in the invariant")]
    NotInitial,
    /// A step leads out of the invariant.
    #[error("the invariant is left by {0}")]
    Left(String),
    /// Something that is looked for is in the invariant.
    #[error("a state of the invariant is one that the verdict says is not reached")]
    Inside,
    /// Somebody wanted it to end.
    #[error("a limit was reached before it was checked")]
    Stopped,
    /// The smaller network does reach what the verdict denies.
    #[error("the smaller network reaches what the verdict says is not reached")]
    Reached,
    /// A verdict that needs a witness has none.
    #[error("the verdict needs a witness, and there is none")]
    NoWitness,
    /// The witness is none.
    #[error(transparent)]
    Witness(#[from] witness::Rejected),
    /// The smaller network is too large to look at.
    #[error("the smaller network has more than {0} states")]
    TooLarge(usize),
    /// The queries that certificates speak of are those of states that are reached.
    #[error("there are no certificates for {0}")]
    Query(&'static str),
}

impl From<Ended> for Rejected {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::TooMany(most) => Rejected::TooLarge(most),
            Ended::Stopped => Rejected::Stopped,
        }
    }
}

/// What a changed process does that its assumption does not.
fn told(why: &Uncovered) -> String {
    let label = |l: &Option<String>| l.clone().unwrap_or_else(|| "i".into());
    let path: Vec<String> = why.path.iter().map(label).collect();
    let place = if path.is_empty() { "at the beginning".into() } else { format!("after {}", path.join(", ")) };
    match &why.what {
        Difference::Step { label: l, to } => {
            let (from, to, l) = (why.state.0, to.0, label(l));
            format!("{place} it has {from} -{l}-> {to}, and class {} has no step `{l}`", why.class)
        }
        Difference::Stuck { label } => {
            format!("{place} its state {} cannot take `{label}`, which class {} can", why.state.0, why.class)
        }
    }
}
