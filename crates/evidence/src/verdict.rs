//! True, false, or unknown and why.
//!
//! Anybody may give up. To say true or false takes evidence that was checked ([`Checked::verdict`]), or a search that is complete and
//! found nothing ([`Verdict::absent`]): it gives the verdict that no witness shows, so that what takes a witness cannot be said without.
//!
//! ```
//! use prequel_evidence::Verdict;
//! use prequel_model::{Query, Why};
//!
//! assert_eq!(Verdict::absent(&Query::DeadlockFree).word(), "true");
//! assert_eq!(Verdict::Unknown(Why::Interrupted).word(), "unknown");
//! ```
//!
//! That there is a deadlock takes a run that was replayed. This does not compile:
//!
//! ```compile_fail,E0639
//! use prequel_evidence::{Grounds, Verdict};
//!
//! fn deadlock(grounds: Grounds) -> Verdict {
//!     Verdict::False { grounds }
//! }
//! ```
//!
//! Nor does this, though there is a run:
//!
//! ```compile_fail,E0451
//! use prequel_evidence::Checked;
//! use prequel_evidence::witness::NetworkRun;
//! use prequel_model::{Problem, StateId};
//!
//! fn deadlock(run: NetworkRun<&Problem>) -> Checked<NetworkRun<&Problem>> {
//!     Checked { run, end: Vec::<StateId>::new() }
//! }
//! ```
//!
//! [`Checked::verdict`]: super::checked::Checked::verdict

use super::proof::Proof;
use prequel_model::{NetQuery, Query, Why};

/// A verdict, and what it rests on. It is made from evidence that was checked, and printed as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The statement holds.
    #[non_exhaustive]
    True {
        /// What it rests on.
        grounds: Grounds,
    },
    /// It does not.
    #[non_exhaustive]
    False {
        /// What it rests on.
        grounds: Grounds,
    },
    /// Nobody knows.
    Unknown(Why),
}

/// What a verdict rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grounds {
    proof: Proof,
}

impl Grounds {
    /// What was checked; [`Proof::None`] where somebody says that all states were looked at.
    pub fn proof(self) -> Proof {
        self.proof
    }
}

/// A question that a witness answers one way, and the absence of one the other way.
pub trait Asked {
    /// The verdict that a witness shows.
    fn witness_shows(&self) -> bool;
}

impl Asked for Query {
    fn witness_shows(&self) -> bool {
        Query::witness_shows(self)
    }
}

impl Asked for NetQuery {
    fn witness_shows(&self) -> bool {
        NetQuery::witness_shows(self)
    }
}

impl Verdict {
    fn new(holds: bool, proof: Proof) -> Self {
        let grounds = Grounds { proof };
        if holds { Verdict::True { grounds } } else { Verdict::False { grounds } }
    }

    /// What accepted evidence shows.
    pub(crate) fn shown(shows: Option<bool>, proof: Proof) -> Self {
        let nothing =
            || Verdict::Unknown(Why::Incomplete("the run is possible, and shows nothing of what is asked".into()));
        shows.map_or_else(nothing, |holds| Verdict::new(holds, proof))
    }

    /// The verdict of a complete search that found no witness: the one that no witness shows.
    pub fn absent(question: &impl Asked) -> Self {
        Verdict::new(!question.witness_shows(), Proof::None)
    }

    /// What several verdicts come to together: true where all are, false where one is. Each keeps the evidence that it rests on; all
    /// together have none of their own.
    pub fn all<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Self {
        let mut whole = Verdict::new(true, Proof::None);
        for verdict in verdicts {
            if verdict.weighs_more_than(&whole) {
                whole = match verdict {
                    Verdict::Unknown(why) => Verdict::Unknown(why.clone()),
                    Verdict::True { .. } | Verdict::False { .. } => Verdict::new(false, Proof::None),
                };
            }
        }
        whole
    }

    /// Whether the statement holds, if that is known.
    pub fn holds(&self) -> Option<bool> {
        match self {
            Verdict::True { .. } => Some(true),
            Verdict::False { .. } => Some(false),
            Verdict::Unknown(_) => None,
        }
    }

    /// What it rests on.
    pub fn proof(&self) -> Proof {
        match self {
            Verdict::True { grounds } | Verdict::False { grounds } => grounds.proof,
            Verdict::Unknown(_) => Proof::None,
        }
    }

    /// Whether a check has accepted what it rests on.
    pub fn is_checked(&self) -> bool {
        self.proof() != Proof::None
    }

    /// In one word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::True { .. } => "true",
            Verdict::False { .. } => "false",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether it decides about several questions together where the other is the verdict on one of them.
    pub fn weighs_more_than(&self, other: &Verdict) -> bool {
        let weight = |verdict: &Verdict| match verdict {
            Verdict::True { .. } => 0,
            Verdict::Unknown(_) => 1,
            Verdict::False { .. } => 2,
        };
        weight(self) > weight(other)
    }

    /// Why nobody knows.
    pub fn reason(&self) -> Option<&Why> {
        match self {
            Verdict::Unknown(why) => Some(why),
            Verdict::True { .. } | Verdict::False { .. } => None,
        }
    }

    /// The same in one word for machines.
    pub fn reason_kind(&self) -> Option<&'static str> {
        self.reason().map(Why::kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_are_false_if_one_is_and_true_if_all_are() {
        let (yes, no) = (Verdict::new(true, Proof::Witness), Verdict::new(false, Proof::Witness));
        let open = |n| Verdict::Unknown(Why::States(n));
        assert_eq!(Verdict::all([&yes, &yes]), Verdict::new(true, Proof::None));
        assert_eq!(Verdict::all([&yes, &open(1), &no, &open(2)]), Verdict::new(false, Proof::None));
        assert_eq!(Verdict::all([&open(1), &yes, &open(2)]), open(1), "the first reason counts");
    }

    #[test]
    fn what_shows_nothing_decides_nothing() {
        assert_eq!(Verdict::shown(None, Proof::Witness).holds(), None);
        assert!(!Verdict::shown(None, Proof::Witness).is_checked());
        assert!(Verdict::shown(Some(false), Proof::Maps).is_checked());
    }
}
