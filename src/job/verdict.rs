//! True, false, or unknown and why.

use prequel_model::Why;

/// A verdict, whatever it rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The statement holds.
    True,
    /// It does not.
    False,
    /// Nobody knows.
    Unknown(Why),
}

impl Verdict {
    /// In one word.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::True => "true",
            Verdict::False => "false",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether it decides about several questions together where the other is the verdict on one of them.
    pub fn weighs_more_than(&self, other: &Verdict) -> bool {
        let weight = |verdict: &Verdict| match verdict {
            Verdict::True => 0,
            Verdict::Unknown(_) => 1,
            Verdict::False => 2,
        };
        weight(self) > weight(other)
    }

    /// Why nobody knows.
    pub fn reason(&self) -> Option<&Why> {
        match self {
            Verdict::Unknown(why) => Some(why),
            _ => None,
        }
    }

    /// The same in one word for machines.
    pub fn reason_kind(&self) -> Option<&'static str> {
        self.reason().map(Why::kind)
    }
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Verdict::True } else { Verdict::False }
    }
}
