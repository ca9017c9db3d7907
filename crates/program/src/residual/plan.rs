//! Which variables of a process are folded into its control.

use crate::expression::{Expression, Place};
use rustc_hash::{FxHashMap, FxHashSet};

/// A cell that a process can change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variable {
    /// A global one, which nobody else uses.
    Global(u32),
    /// Of the process's own frame.
    Local(u32),
}

impl Variable {
    /// The cell that a place means if its indices are zero.
    pub fn of(place: &Place) -> Self {
        if place.local { Variable::Local(place.offset) } else { Variable::Global(place.offset) }
    }
}

/// What is folded in a process, and what is known of it from the start.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Folded cells, in order.
    folded: Vec<Variable>,
    positions: FxHashMap<Variable, usize>,
    /// Cells that an index can choose between: folded together or not at all.
    groups: FxHashMap<Variable, Vec<Variable>>,
    /// Global cells that never change.
    pub constants: FxHashSet<u32>,
    /// The number of the process, if there is only one that it can be.
    pub pid: Option<i32>,
    /// Parameters that are the same whoever starts the process.
    pub arguments: FxHashMap<u32, Expression>,
}

impl Plan {
    /// Folds these cells; those of a group go together.
    pub fn new(folded: Vec<Variable>, groups: Vec<Vec<Variable>>, constants: FxHashSet<u32>) -> Self {
        let mut of: FxHashMap<Variable, Vec<Variable>> = FxHashMap::default();
        for group in groups {
            group.iter().for_each(|&member| of.entry(member).or_default().extend(&group));
        }
        let mut plan = Self { groups: of, constants, ..Self::default() };
        let whole =
            |variable: &Variable| plan.groups.get(variable).is_none_or(|g| g.iter().all(|m| folded.contains(m)));
        let folded: Vec<Variable> = folded.iter().copied().filter(whole).collect();
        plan.set(folded);
        plan
    }

    fn set(&mut self, folded: Vec<Variable>) {
        self.positions = folded.iter().enumerate().map(|(at, &variable)| (variable, at)).collect();
        self.folded = folded;
    }

    /// Where the value of a folded cell is kept.
    pub fn position(&self, variable: Variable) -> Option<usize> {
        self.positions.get(&variable).copied()
    }

    /// The folded cells.
    pub fn folded(&self) -> &[Variable] {
        &self.folded
    }

    /// Keeps a cell as a variable, with those that are chosen between together.
    pub fn keep(&mut self, variable: Variable) {
        let group = self.groups.get(&variable).cloned().unwrap_or_default();
        let kept = |other: &Variable| *other == variable || group.contains(other);
        let folded = self.folded.iter().copied().filter(|other| !kept(other)).collect();
        self.set(folded);
    }

    /// The cells that go together with one, itself included.
    pub fn group(&self, variable: Variable) -> Vec<Variable> {
        self.groups.get(&variable).cloned().unwrap_or_else(|| vec![variable])
    }
}
