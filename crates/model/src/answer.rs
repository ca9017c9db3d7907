//! What an engine says, and what it shows for it.

use super::class_map::ClassMap;
use super::derivation::Derivation;
use super::index::ComponentId;
use super::location_set::LocationSet;
use super::query::Query;
use super::trace::Trace;

/// The answer to a query.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The statement holds.
    True(Evidence),
    /// The statement does not hold.
    False(Evidence),
    /// Undecided.
    Unknown(Why),
}

/// What an answer rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// A path of the network to a state that shows the verdict.
    Witness(Trace),
    /// Nothing to show: the whole state space was searched.
    Exhausted,
    /// There is no path to show, because there is none in the network with these components replaced by their quotients.
    Quotients(Vec<ClassMap>),
    /// There is no path to show: for each of a goal's alternatives, some components that rule it out whatever the others do.
    Parts(Vec<Vec<ComponentId>>),
    /// There is no path to show: the network begins in this set, no step leads out of it, and nothing that is looked for is in it.
    Invariant(LocationSet),
    /// There is no path to show: small checks, each made from what those before it have shown.
    Derivation(Box<Derivation>),
}

/// Why a query stayed undecided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Why {
    /// `--time` was reached.
    #[error("time limit of {0} reached")]
    Time(String),
    /// `--memory` was reached.
    #[error("memory limit of {0} reached")]
    Memory(String),
    /// `--states` was reached.
    #[error("state limit of {0} reached")]
    States(u64),
    /// No engine takes the query, or the one asked for does not.
    #[error("{0}")]
    Refused(String),
    /// All that was to be looked at was, and it does not suffice for an answer.
    #[error("{0}")]
    Incomplete(String),
    /// A program of others gave no answer that can be relied on.
    #[error("{0}")]
    External(String),
    /// What an engine found does not stand up to its own check.
    #[error("internal error: {0}")]
    Broken(String),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

impl Why {
    /// The kind of reason in one word, for machines: the contract's `reason_kind`.
    pub fn kind(&self) -> &'static str {
        match self {
            Why::Time(_) => "time",
            Why::Memory(_) => "memory",
            Why::States(_) => "states",
            Why::Refused(_) => "refused",
            Why::Incomplete(_) => "incomplete",
            Why::External(_) => "engine",
            Why::Broken(_) => "internal",
            Why::Interrupted => "interrupted",
        }
    }

    /// The same as an engine says it: a refusal is by name.
    pub fn of(self, engine: &str) -> Self {
        match self {
            Why::Refused(why) => Why::Refused(format!("{engine}: {why}")),
            other => other,
        }
    }
}

impl Answer {
    /// What a search for a witness comes to: it shows one verdict, and that there is none the other.
    pub fn found(query: &Query, witness: Result<Option<Evidence>, Why>) -> Self {
        let (shown, evidence) = match witness {
            Err(why) => return Answer::Unknown(why),
            Ok(Some(evidence)) => (matches!(evidence, Evidence::Witness(_)), evidence),
            Ok(None) => (false, Evidence::Exhausted),
        };
        if query.witness_shows() == shown { Answer::True(evidence) } else { Answer::False(evidence) }
    }

    /// `true`, `false` or `unknown`, as the contract spells them.
    pub fn word(&self) -> &'static str {
        match self {
            Answer::True(_) => "true",
            Answer::False(_) => "false",
            Answer::Unknown(_) => "unknown",
        }
    }
}
