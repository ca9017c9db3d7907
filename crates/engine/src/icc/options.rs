//! What can be switched on the command line; every optimisation has its switch, so that its worth can be measured.

use crate::option::{EngineOption, number, switch};
use crate::race::Most;

/// In which order components of the same distance from the property come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ClassOrder {
    /// As in the network (the paper).
    #[default]
    Given,
    /// The fewest states first.
    Small,
    /// The most labels in common with those before, first.
    Linked,
    /// By the seed.
    Random,
}

impl ClassOrder {
    /// The names of the orders on the command line.
    const NAMES: [(&'static str, ClassOrder); 4] =
        [("given", Self::Given), ("small", Self::Small), ("linked", Self::Linked), ("random", Self::Random)];
}

/// The options of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Components near the property first.
    pub dependency_order: bool,
    /// The order among components of the same distance.
    pub class_order: ClassOrder,
    /// A component that made a check fail moves to the place after the one that is blamed.
    pub move_back: bool,
    /// The component that has most to do with the words just selected comes next.
    pub select_next: bool,
    /// Check'': constraints that need one other component alone are kept for good.
    pub keep_constraints: bool,
    /// Check'_0: a component that cannot do anything bad even alone settles the question.
    pub check_alone: bool,
    /// A component is first added with only what the others and the property see of it.
    pub abstract_first: bool,
    /// The one to blame is found by bisection instead of one by one.
    pub bisect_blame: bool,
    /// Selected words that have nothing to do with the component at hand stay out of the check.
    pub leave_out: bool,
    /// States that all checks at the level of few labels may have together; none switches them off.
    pub level: u64,
    /// States that selections put together may have; beyond that they stay side by side.
    pub folded: u64,
    /// States of explored checks that are kept for when the same check comes again; none switches it off.
    pub reuse: u64,
    /// Branching bisimilar states of components are merged at the start.
    pub minimise: bool,
    /// Selections that share labels are put together and made small.
    pub fold: bool,
    /// A last selection is all that the component may do, not only what the check accepts.
    pub whole: bool,
    /// How often a place in the order may select words from a part of a check before it must look at all of it.
    pub budget: usize,
    /// Checks per component before every selection is a last one.
    pub patience: u64,
    /// Checks before the product is explored instead.
    pub checks: u64,
    /// States of one check before the product is explored instead.
    pub largest: u64,
    /// Whether the product is explored with partial-order reduction then.
    pub reduce: bool,
}

impl Options {
    /// What is usual.
    pub const DEFAULT: Self = Self {
        dependency_order: true,
        class_order: ClassOrder::Given,
        move_back: true,
        select_next: false,
        keep_constraints: true,
        check_alone: true,
        abstract_first: false,
        bisect_blame: false,
        leave_out: true,
        level: 1 << 17,
        reuse: 1 << 18,
        folded: 1 << 15,
        minimise: true,
        fold: true,
        whole: true,
        budget: 1,
        patience: 1,
        checks: 1000,
        largest: 1 << 14,
        reduce: true,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The options as `prequel engines` lists them.
pub const OPTIONS: &[EngineOption] = &[
    EngineOption {
        name: "dependency-order",
        values: "on|off",
        default: "on",
        about: "components near the property first",
    },
    EngineOption {
        name: "class-order",
        values: "given|small|linked|random",
        default: "given",
        about: "order of components that are equally near",
    },
    EngineOption {
        name: "move-back",
        values: "on|off",
        default: "on",
        about: "who made a check fail comes right after the blamed one",
    },
    EngineOption {
        name: "select-next",
        values: "on|off",
        default: "off",
        about: "next comes who shares most with the words just selected",
    },
    EngineOption {
        name: "keep-constraints",
        values: "on|off",
        default: "on",
        about: "Check'': learn constraints that hold in every context",
    },
    EngineOption {
        name: "check-alone",
        values: "on|off",
        default: "on",
        about: "Check'_0: look whether a component alone rules everything out",
    },
    EngineOption {
        name: "abstract-first",
        values: "on|off",
        default: "off",
        about: "add what others see of a component first",
    },
    EngineOption { name: "bisect-blame", values: "on|off", default: "off", about: "find who is to blame by bisection" },
    EngineOption {
        name: "leave-out",
        values: "on|off",
        default: "on",
        about: "leave unconnected selections out of checks",
    },
    EngineOption {
        name: "level",
        values: "N",
        default: "131072",
        about: "states of all checks with few labels, which come first; 0: none of them",
    },
    EngineOption {
        name: "reuse",
        values: "N",
        default: "262144",
        about: "states of explored checks that are kept, so that equal ones are not explored again",
    },
    EngineOption {
        name: "minimise",
        values: "on|off",
        default: "on",
        about: "merge branching bisimilar states of components at the start",
    },
    EngineOption { name: "fold", values: "on|off", default: "on", about: "put selections together and minimise them" },
    EngineOption {
        name: "folded",
        values: "N",
        default: "32768",
        about: "states of selections put together; beyond that they stay side by side",
    },
    EngineOption {
        name: "whole",
        values: "on|off",
        default: "on",
        about: "last selections are all that a component may do",
    },
    EngineOption {
        name: "budget",
        values: "N",
        default: "1",
        about: "partial selections per place and context; then exhaustive ones",
    },
    EngineOption {
        name: "patience",
        values: "N",
        default: "1",
        about: "checks per component; then all selections are last ones",
    },
    EngineOption {
        name: "checks",
        values: "N",
        default: "1000",
        about: "checks before the product is explored instead",
    },
    EngineOption {
        name: "largest",
        values: "N",
        default: "16384",
        about: "states of one check before the product is explored instead",
    },
    EngineOption {
        name: "reduce",
        values: "on|off",
        default: "on",
        about: "explore the product with partial-order reduction",
    },
];

impl Options {
    /// How far a search may go.
    pub(super) fn most(&self) -> Most {
        Most { checks: self.checks, states: self.largest }
    }

    /// Sets one option by its name on the command line.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "dependency-order" => self.dependency_order = switch(value)?,
            "class-order" => {
                let known = ClassOrder::NAMES.iter().find(|(name, _)| *name == value);
                self.class_order = known.ok_or_else(|| format!("`{value}` is none of given, small, linked, random"))?.1;
            }
            "move-back" => self.move_back = switch(value)?,
            "select-next" => self.select_next = switch(value)?,
            "keep-constraints" => self.keep_constraints = switch(value)?,
            "check-alone" => self.check_alone = switch(value)?,
            "abstract-first" => self.abstract_first = switch(value)?,
            "bisect-blame" => self.bisect_blame = switch(value)?,
            "leave-out" => self.leave_out = switch(value)?,
            "level" => self.level = number(value)?,
            "reuse" => self.reuse = number(value)?,
            "folded" => self.folded = number(value)?,
            "minimise" => self.minimise = switch(value)?,
            "fold" => self.fold = switch(value)?,
            "whole" => self.whole = switch(value)?,
            "patience" => self.patience = number(value)?,
            "budget" => self.budget = number(value)? as usize,
            "checks" => self.checks = number(value)?,
            "largest" => self.largest = number(value)?,
            "reduce" => self.reduce = switch(value)?,
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
