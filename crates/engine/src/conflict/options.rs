//! What can be switched on the command line; every rule has its switch, so that its worth can be measured.

use super::choose::{Candidates, Select};
use super::history::Back;
use super::rules::Rule;
use crate::option::{EngineOption, number, switch};

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

/// A rule as an option.
const fn rule(name: &'static str, about: &'static str) -> EngineOption {
    EngineOption { name, values: "on|off", default: "on", about }
}

/// The options as `prequel engines` lists them.
pub const OPTIONS: &[EngineOption] = &[
    rule("tau-loops", "silent cycles become one state"),
    rule("transition-removal", "transitions go that follow from others"),
    rule("marking-removal", "marks go that follow from others"),
    rule("silent-incoming", "silent steps into unstable states become what these can do"),
    rule("only-silent-incoming", "unstable states go that are only reached silently"),
    rule("only-silent-outgoing", "unmarked states go that only go on silently"),
    rule("silent-continuation", "unstable states that are reached alike become one"),
    rule("active-events", "states that are reached alike and can do the same become one"),
    rule("certain-conflicts", "states that block in every context become one"),
    rule("observation", "weakly bisimilar states become one"),
    rule("marking-saturation", "states that can silently become marked are marked"),
    rule("special", "use that others never prevent a label, or never notice it"),
    EngineOption {
        name: "candidates",
        values: "must-l|pairs",
        default: "must-l",
        about: "what may be composed next: all that take part in a label, or each two that share one",
    },
    EngineOption {
        name: "select",
        values: "min-sync|min-s|max-l|max-c",
        default: "min-sync",
        about: "what is composed next: fewest states, fewest estimated, most labels to hide, most common labels",
    },
    EngineOption {
        name: "back",
        values: "expansion|pairs",
        default: "expansion",
        about: "how a counterexample gets back: Algorithms 1 and 2, or Algorithm 3",
    },
    EngineOption {
        name: "extension",
        values: "N",
        default: "262144",
        about: "states of one extension; beyond that certain conflicts are done without",
    },
    EngineOption {
        name: "shorten",
        values: "N",
        default: "16384",
        about: "states to look at for a shorter counterexample than the one that was found; 0: none",
    },
];

impl Options {
    /// Sets one option by its name on the command line.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        if let Some(rule) = Rule::ALL.into_iter().find(|rule| rule.name() == name) {
            let on = switch(value)?;
            self.rules.retain(|&r| r != rule);
            if on {
                let before =
                    |r: &Rule| Rule::ALL.iter().position(|a| a == r) < Rule::ALL.iter().position(|&a| a == rule);
                let at = self.rules.iter().take_while(|r| before(r)).count();
                self.rules.insert(at, rule);
            }
            return Ok(());
        }
        match (name, value) {
            ("special", _) => self.special = switch(value)?,
            ("shorten", _) => self.shorten = number(value)?,
            ("extension", _) => self.extension = number(value)?,
            ("candidates", "must-l") => self.candidates = Candidates::MustL,
            ("candidates", "pairs") => self.candidates = Candidates::Pairs,
            ("candidates", _) => return Err(format!("`{value}` is none of must-l, pairs")),
            ("select", "min-sync") => self.select = Select::MinSync,
            ("select", "min-s") => self.select = Select::MinS,
            ("select", "max-l") => self.select = Select::MaxL,
            ("select", "max-c") => self.select = Select::MaxC,
            ("select", _) => return Err(format!("`{value}` is none of min-sync, min-s, max-l, max-c")),
            ("back", "expansion") => self.back = Back::Expansion,
            ("back", "pairs") => self.back = Back::Pairs,
            ("back", _) => return Err(format!("`{value}` is none of expansion, pairs")),
            _ => return Err(format!("there is no option `{name}`")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option::check_list;

    #[test]
    fn the_list_of_options_is_what_can_be_set() {
        check_list(OPTIONS, Options::set);
    }
}
