//! Which reductions of a whole program are wanted: each can be left out by itself.

/// A reduction. Without it more stays as the user wrote it, and all verdicts are the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// What never changes is put in.
    Constants,
    /// What nobody reads is not written.
    Unread,
    /// Global variables that one process alone uses are folded like its own.
    Private,
    /// Values that a process does not read any more are forgotten.
    Dead,
    /// States that nobody can tell apart are put together.
    Merge,
    /// Conditions that make no difference are not asked.
    Absorb,
    /// Processes on which no assertion depends stand still, where nothing else is asked.
    Cone,
    /// Processes of one kind have a text each.
    Split,
    /// Variables have the types that their values need.
    Narrow,
    /// SPIN is told of channels that one process alone sends to, or receives from.
    Exclusive,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 10] = [
        Rule::Constants,
        Rule::Unread,
        Rule::Private,
        Rule::Dead,
        Rule::Merge,
        Rule::Absorb,
        Rule::Cone,
        Rule::Split,
        Rule::Narrow,
        Rule::Exclusive,
    ];

    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Constants => "constants",
            Rule::Unread => "unread",
            Rule::Private => "private",
            Rule::Dead => "dead",
            Rule::Merge => "merge",
            Rule::Absorb => "absorb",
            Rule::Cone => "cone",
            Rule::Split => "split",
            Rule::Narrow => "narrow",
            Rule::Exclusive => "exclusive",
        }
    }

    /// What it does, in words.
    pub fn about(self) -> &'static str {
        match self {
            Rule::Constants => {
                "variables that are never set, parameters and process numbers that are always the same become numbers"
            }
            Rule::Unread => "variables that nobody reads are not written",
            Rule::Private => "global variables that one process alone uses are folded like its own",
            Rule::Dead => "values that a process does not read any more are forgotten",
            Rule::Merge => "states that nobody can tell apart are put together; without it no process is written anew",
            Rule::Absorb => {
                "conditions are not asked where another way leads to the same state, or where one of several always holds"
            }
            Rule::Cone => "with --assertions, processes on which no assertion depends stand still",
            Rule::Split => "processes of one kind get a text each where that pays",
            Rule::Narrow => "variables get the types that their values need, where SPIN's states become shorter",
            Rule::Exclusive => {
                "SPIN is told (`xr`, `xs`) of channels that one process alone receives from, or sends to"
            }
        }
    }
}

/// A set of reductions: all of them but those that were left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rules {
    left_out: u32,
}

impl Rules {
    /// All but these.
    pub fn without(left_out: &[Rule]) -> Self {
        Self { left_out: left_out.iter().fold(0, |set, &rule| set | 1 << rule as u32) }
    }

    /// Whether a reduction is wanted.
    pub fn has(self, rule: Rule) -> bool {
        self.left_out & 1 << rule as u32 == 0
    }

    /// Whether nothing is left out.
    pub fn is_all(self) -> bool {
        self.left_out == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_left_out_by_itself() {
        for rule in Rule::ALL {
            let rules = Rules::without(&[rule]);
            assert_eq!(Rule::ALL.into_iter().filter(|&other| !rules.has(other)).collect::<Vec<_>>(), [rule]);
            assert!(Rules::default().has(rule) && !rules.is_all());
        }
    }
}
