//! `--pattern 'TEXT'`: safety properties by name, after the property types of the ICC paper.
//!
//! A word is what an observer sees of a run: visible actions in order, tau left out. Each role (a, b, c) is a label or a set
//! of labels, and a label may be in several roles at once. All readings are safety readings: a word is a violation as soon as
//! no continuation can undo it, whether or not the run goes on.
//!
//! | pattern | a word violates it when |
//! | --- | --- |
//! | `never(a)` | it has an a |
//! | `precedes(b, a)` | it has an a without a b strictly before it (so `precedes(a, a)` is `never(a)`) |
//! | `mutex(e1/l1, e2/l2, …)` | it has an e*i* while another *j* is inside: after an e*j* with no l*j* since. A further e*i* while *i* is inside is none. An action that is e*i* and l*j* lets *j* leave first |
//! | `at-most(k, a, b)` | some b has more than k a's after it and before the next b, whether or not a next b comes; before the first b nothing is counted. An action that is both counts as b only |
//! | `exactly(k, a, b)` | as `at-most`, or a b comes after a b with fewer than k a's between |
//! | `responds-within(a, b, k)` | some a is followed by k visible actions none of which is a b. Each a has its own k; a b answers all earlier ones, and an action that is both answers those and asks anew |
//! | `excluded(a, b, c)` | it has a b and later an a with no c after the b up to and including the a. An action that is b and c closes and opens again |
//!
//! Refused, because they cannot be meant: `at-most` and `exactly` where every a is also a b, `excluded` where every a is also
//! a c, `responds-within` with k = 0, and `mutex` where a label enters two sections, or enters and leaves the same one, or where
//! whatever enters a section leaves all others.

mod automaton;
mod grammar;
mod meaning;

use super::bind::{self, Source};
use crate::diag::{Diagnostic, Place, Read};
use crate::text::inline;
use indexmap::IndexSet;
use prequel_model::{Labels, Lts, Monitor, Network};
use std::fmt;

/// What the messages call the text.
const OPTION: &str = "--pattern";

/// A role in a pattern: one or more labels, each once, in the order given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Set(IndexSet<Box<str>>);

impl Set {
    /// A set of these labels.
    pub fn new<S: Into<Box<str>>>(labels: impl IntoIterator<Item = S>) -> Self {
        Self(labels.into_iter().map(Into::into).collect())
    }

    /// The labels in order.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|l| &**l)
    }

    /// Whether a label is in it.
    pub fn contains(&self, label: &str) -> bool {
        self.0.contains(label)
    }
}

/// A critical section: how it is entered and left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// Actions that enter it.
    pub enter: Set,
    /// Actions that leave it.
    pub leave: Set,
}

/// A safety property by name; the module says what each means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// `never(a)`
    Never {
        /// What must not happen.
        a: Set,
    },
    /// `precedes(b, a)`
    Precedes {
        /// What must come first.
        b: Set,
        /// What needs it.
        a: Set,
    },
    /// `mutex(enter1/leave1, enter2/leave2, …)`
    Mutex(
        /// The sections of which at most one is occupied.
        Vec<Section>,
    ),
    /// `at-most(k, a, b)`
    AtMost {
        /// How many.
        k: u32,
        /// What is counted.
        a: Set,
        /// What starts counting anew.
        b: Set,
    },
    /// `exactly(k, a, b)`
    Exactly {
        /// How many.
        k: u32,
        /// What is counted.
        a: Set,
        /// What starts counting anew.
        b: Set,
    },
    /// `responds-within(a, b, k)`
    RespondsWithin {
        /// What asks.
        a: Set,
        /// What answers.
        b: Set,
        /// Within how many visible actions.
        k: u32,
    },
    /// `excluded(a, b, c)`
    Excluded {
        /// What must not happen.
        a: Set,
        /// From when on.
        b: Set,
        /// Until when.
        c: Set,
    },
}

/// Reads a pattern.
pub fn read(text: &str) -> Result<Pattern, Vec<Diagnostic>> {
    meaning::pattern(text, &grammar::call(text)?)
}

/// Reads a pattern and binds its labels to a network, as the actions of a monitor file are.
pub fn monitor(text: &str, network: &Network) -> Read<Monitor> {
    let call = grammar::call(text)?;
    let (lts, labels) = meaning::pattern(text, &call)?.automaton();
    let place = |action: &str| {
        let label = call.labels().find(|l| l.text == action)?;
        Some(Place::in_text(text.as_bytes(), label.span.clone()))
    };
    let monitor = bind::bind(&Source { file: OPTION, name: "pattern", place: &place }, &lts, &labels, network)?;
    let mut warnings = Vec::new();
    if !bind::can_accept(&monitor.automaton.lts) {
        let message = "no action of this network can violate the pattern: the answer is `true` whatever it does";
        warnings.push(Diagnostic::warning(OPTION, message).help("check the labels of the pattern"));
    }
    Ok((monitor, warnings))
}

impl Pattern {
    /// How many states the automaton has.
    fn states(&self) -> usize {
        match self {
            Pattern::Never { .. } => 2,
            Pattern::Precedes { .. } | Pattern::Excluded { .. } => 3,
            Pattern::Mutex(sections) => sections.len() + 2,
            Pattern::AtMost { k, .. } | Pattern::Exactly { k, .. } => *k as usize + 3,
            Pattern::RespondsWithin { k, .. } => *k as usize + 2,
        }
    }

    /// The automaton for the negation over labels of its own, complete and deterministic but for its one marked state,
    /// which has no edges: what follows a violation does not matter.
    pub fn automaton(&self) -> (Lts, Labels) {
        automaton::of(self)
    }

    /// The same as a monitor file holds it: with a self-loop labelled `accept` at the marked state.
    pub fn file(&self) -> (Lts, Labels) {
        let (lts, mut labels) = self.automaton();
        (super::monitor::with_accept_loops(&lts, &mut labels), labels)
    }
}

/// The text of a label, in quotes where it could be misread.
fn shown(label: &str) -> String {
    if grammar::is_bare(label) { label.to_owned() } else { inline::in_quotes(label, '"') }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<String> = self.labels().map(shown).collect();
        match &*labels {
            [label] => f.write_str(label),
            labels => write!(f, "{{{}}}", labels.join(", ")),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Never { a } => write!(f, "never({a})"),
            Pattern::Precedes { b, a } => write!(f, "precedes({b}, {a})"),
            Pattern::Mutex(sections) => {
                let pairs: Vec<String> = sections.iter().map(|s| format!("{}/{}", s.enter, s.leave)).collect();
                write!(f, "mutex({})", pairs.join(", "))
            }
            Pattern::AtMost { k, a, b } => write!(f, "at-most({k}, {a}, {b})"),
            Pattern::Exactly { k, a, b } => write!(f, "exactly({k}, {a}, {b})"),
            Pattern::RespondsWithin { a, b, k } => write!(f, "responds-within({a}, {b}, {k})"),
            Pattern::Excluded { a, b, c } => write!(f, "excluded({a}, {b}, {c})"),
        }
    }
}

#[cfg(test)]
mod tests;
