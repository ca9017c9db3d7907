//! What can be switched on the command line; every optimisation has its switch, so that its worth can be measured.

use crate::option::Declared;
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

/// What can be set.
pub(super) const OPTIONS: &[Declared<Options>] = &[
    Declared::switch("dependency-order", true, "components near the property first", |o, on| o.dependency_order = on),
    Declared::choice(
        "class-order",
        "given|small|linked|random",
        "given",
        "order of components that are equally near",
        &[
            |o| o.class_order = ClassOrder::Given,
            |o| o.class_order = ClassOrder::Small,
            |o| o.class_order = ClassOrder::Linked,
            |o| o.class_order = ClassOrder::Random,
        ],
    ),
    Declared::switch("move-back", true, "who made a check fail comes right after the blamed one", |o, on| {
        o.move_back = on
    }),
    Declared::switch("select-next", false, "next comes who shares most with the words just selected", |o, on| {
        o.select_next = on
    }),
    Declared::switch("keep-constraints", true, "Check'': learn constraints that hold in every context", |o, on| {
        o.keep_constraints = on
    }),
    Declared::switch("check-alone", true, "Check'_0: look whether a component alone rules everything out", |o, on| {
        o.check_alone = on
    }),
    Declared::switch("abstract-first", false, "add what others see of a component first", |o, on| {
        o.abstract_first = on
    }),
    Declared::switch("bisect-blame", false, "find who is to blame by bisection", |o, on| o.bisect_blame = on),
    Declared::switch("leave-out", true, "leave unconnected selections out of checks", |o, on| o.leave_out = on),
    Declared::number(
        "level",
        "131072",
        "states of all checks with few labels, which come first; 0: none of them",
        |o, n| o.level = n,
    ),
    Declared::number(
        "reuse",
        "262144",
        "states of explored checks that are kept, so that equal ones are not explored again",
        |o, n| o.reuse = n,
    ),
    Declared::switch("minimise", true, "merge branching bisimilar states of components at the start", |o, on| {
        o.minimise = on
    }),
    Declared::switch("fold", true, "put selections together and minimise them", |o, on| o.fold = on),
    Declared::number(
        "folded",
        "32768",
        "states of selections put together; beyond that they stay side by side",
        |o, n| o.folded = n,
    ),
    Declared::switch("whole", true, "last selections are all that a component may do", |o, on| o.whole = on),
    Declared::number("budget", "1", "partial selections per place and context; then exhaustive ones", |o, n| {
        o.budget = n as usize
    }),
    Declared::number("patience", "1", "checks per component; then all selections are last ones", |o, n| o.patience = n),
    Declared::number("checks", "1000", "checks before the product is explored instead", |o, n| o.checks = n),
    Declared::number("largest", "16384", "states of one check before the product is explored instead", |o, n| {
        o.largest = n
    }),
    Declared::switch("reduce", true, "explore the product with partial-order reduction", |o, on| o.reduce = on),
];

impl Options {
    /// How far a search may go.
    pub(super) fn most(&self) -> Most {
        Most { checks: self.checks, states: self.largest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option::check_list;

    #[test]
    fn every_option_can_be_set() {
        check_list(OPTIONS, Options::default);
    }
}
