//! What a verdict can rest on: one list for runs, certificates and plain searches.

use serde::{Deserialize, Serialize};

/// What shows a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// A path to what is reached.
    Witness,
    /// Maps from states of components to classes.
    Maps,
    /// Components that rule out what is looked for.
    Parts,
    /// A set of global states that is not left.
    Invariant,
    /// Small checks, each made from what those before it have shown.
    Steps,
    /// A number for each state of a product, which shows that no run without an end is a violation.
    Ranking,
    /// All states, looked at once more by code that knows no reduction.
    States,
    /// Nothing: somebody says that all states were looked at.
    None,
}

impl Proof {
    /// As files spell it.
    pub fn word(self) -> &'static str {
        match self {
            Proof::Witness => "witness",
            Proof::Maps => "maps",
            Proof::Parts => "parts",
            Proof::Invariant => "invariant",
            Proof::Steps => "steps",
            Proof::Ranking => "ranking",
            Proof::States => "states",
            Proof::None => "none",
        }
    }
}
