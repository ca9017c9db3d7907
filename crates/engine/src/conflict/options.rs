//! What can be switched on the command line; every rule has its switch, so that its worth can be measured.

use super::choose::{Candidates, Select};
use super::history::Back;
use super::rules::Rule;
use crate::option::Declared;

/// The options of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The rules, in the order in which they are applied.
    pub rules: Vec<Rule>,
    /// Whether labels that others treat in a special way are made use of.
    pub special: bool,
    /// What may be composed.
    pub candidates: Candidates,
    /// What is composed.
    pub select: Select,
    /// How a counterexample gets back.
    pub back: Back,
    /// States of one extension; beyond that certain conflicts are done without.
    pub extension: u64,
    /// States that may be looked at to make the counterexample shorter.
    pub shorten: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rules: Rule::ALL.to_vec(),
            special: true,
            candidates: Candidates::MustL,
            select: Select::MinSync,
            back: Back::Expansion,
            extension: 1 << 18,
            shorten: 1 << 14,
        }
    }
}

/// What can be set.
pub(super) const OPTIONS: &[Declared<Options>] = &[
    Declared::switch("tau-loops", true, "silent cycles become one state", |o, on| o.apply(Rule::TauLoops, on)),
    Declared::switch("transition-removal", true, "transitions go that follow from others", |o, on| {
        o.apply(Rule::TransitionRemoval, on)
    }),
    Declared::switch("marking-removal", true, "marks go that follow from others", |o, on| {
        o.apply(Rule::MarkingRemoval, on)
    }),
    Declared::switch("silent-incoming", true, "silent steps into unstable states become what these can do", |o, on| {
        o.apply(Rule::SilentIncoming, on)
    }),
    Declared::switch("only-silent-incoming", true, "unstable states go that are only reached silently", |o, on| {
        o.apply(Rule::OnlySilentIncoming, on)
    }),
    Declared::switch("only-silent-outgoing", true, "unmarked states go that only go on silently", |o, on| {
        o.apply(Rule::OnlySilentOutgoing, on)
    }),
    Declared::switch("silent-continuation", true, "unstable states that are reached alike become one", |o, on| {
        o.apply(Rule::SilentContinuation, on)
    }),
    Declared::switch("active-events", true, "states that are reached alike and can do the same become one", |o, on| {
        o.apply(Rule::ActiveEvents, on)
    }),
    Declared::switch("certain-conflicts", true, "states that block in every context become one", |o, on| {
        o.apply(Rule::CertainConflicts, on)
    }),
    Declared::switch("observation", true, "weakly bisimilar states become one", |o, on| o.apply(Rule::Observation, on)),
    Declared::switch("marking-saturation", true, "states that can silently become marked are marked", |o, on| {
        o.apply(Rule::MarkingSaturation, on)
    }),
    Declared::switch("special", true, "use that others never prevent a label, or never notice it", |o, on| {
        o.special = on
    }),
    Declared::choice(
        "candidates",
        "must-l|pairs",
        "must-l",
        "what may be composed next: all that take part in a label, or each two that share one",
        &[|o| o.candidates = Candidates::MustL, |o| o.candidates = Candidates::Pairs],
    ),
    Declared::choice(
        "select",
        "min-sync|min-s|max-l|max-c",
        "min-sync",
        "what is composed next: fewest states, fewest estimated, most labels to hide, most common labels",
        &[
            |o| o.select = Select::MinSync,
            |o| o.select = Select::MinS,
            |o| o.select = Select::MaxL,
            |o| o.select = Select::MaxC,
        ],
    ),
    Declared::choice(
        "back",
        "expansion|pairs",
        "expansion",
        "how a counterexample gets back: Algorithms 1 and 2, or Algorithm 3",
        &[|o| o.back = Back::Expansion, |o| o.back = Back::Pairs],
    ),
    Declared::number(
        "extension",
        "262144",
        "states of one extension; beyond that certain conflicts are done without",
        |o, n| o.extension = n,
    ),
    Declared::number(
        "shorten",
        "16384",
        "states to look at for a shorter counterexample than the one that was found; 0: none",
        |o, n| o.shorten = n,
    ),
];

impl Options {
    /// Switches a rule. It is applied at its usual place.
    fn apply(&mut self, rule: Rule, on: bool) {
        self.rules.retain(|&r| r != rule);
        if on {
            let before = |r: &Rule| Rule::ALL.iter().position(|a| a == r) < Rule::ALL.iter().position(|&a| a == rule);
            let at = self.rules.iter().take_while(|r| before(r)).count();
            self.rules.insert(at, rule);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option::{check_list, list};

    #[test]
    fn every_option_can_be_set() {
        check_list(OPTIONS, Options::default);
    }

    #[test]
    fn every_rule_has_its_switch() {
        let names: Vec<&str> = list(OPTIONS).iter().map(|option| option.name).collect();
        assert!(Rule::ALL.iter().all(|rule| names.contains(&rule.name())), "{names:?}");
    }
}
