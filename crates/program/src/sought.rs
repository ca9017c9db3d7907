//! What is looked for in a program, and the steps along a path of packed states to where it was found.

use super::data::Program;
use super::endless::Endless;
use super::expand::{RawStep, Sink, Violation, Work, chain, expand};
use super::expression::{Expression, Fault};
use super::layout::Layout;
use super::machine::{Context, Machine};
use super::witness::Step;

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Sought<'a> {
    /// Anything that the model states not to be: violated assertions and other faults, invalid end states, the end of the claim,
    /// and runs without an end that the claim accepts.
    Violation,
    /// The same, but of the runs without an end only those that are fair.
    FairViolation,
    /// Runs without an end, and the end of the claim; other violations are passed.
    Endless(Endless),
    /// A state from which some process that has not ended can never move again; other violations are passed.
    Stuck,
    /// Violated assertions and other faults; invalid end states are passed.
    Fault,
    /// Invalid end states; other violations are passed.
    EndState,
    /// A state in which this holds; violations are passed.
    Goal(&'a Expression),
    /// Nothing: violations are noted and passed.
    Nothing,
}

/// What was found behind a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// A violation.
    Violation(Violation),
    /// A state in which the goal holds.
    Goal,
}

impl Sought<'_> {
    /// Whether a violation is what is looked for.
    pub fn is(&self, violation: Violation) -> bool {
        match self {
            Sought::Violation | Sought::FairViolation => true,
            Sought::Endless(_) => violation == Violation::Claim,
            Sought::Fault => violation != Violation::EndState,
            Sought::EndState => violation == Violation::EndState,
            Sought::Stuck => matches!(violation, Violation::Stuck(_)),
            Sought::Goal(_) | Sought::Nothing => false,
        }
    }

    /// The runs without an end that are looked for in a program.
    pub fn endless(&self, program: &Program) -> Option<Endless> {
        let cyclic = program.property.as_ref().is_some_and(|property| property.cyclic);
        match self {
            Sought::Endless(endless) => Some(*endless),
            Sought::Violation => cyclic.then_some(Endless::ACCEPTING),
            // Who can move is what fairness asks, too.
            Sought::Stuck => Some(Endless { fair: true, ..Endless::ACCEPTING }),
            Sought::FairViolation => cyclic.then_some(Endless { fair: true, ..Endless::ACCEPTING }),
            Sought::Fault | Sought::EndState | Sought::Goal(_) | Sought::Nothing => None,
        }
    }
}

/// Whether a goal holds in a state; it is computed by nobody, so it has no local variables.
#[inline]
pub fn holds(program: &Program, machine: &Machine, goal: &Expression) -> Result<bool, Fault> {
    Context::new(program, machine, usize::MAX).checked(goal).map(|value| value != 0)
}

/// The steps along a path of stored states, and those to what is looked for one step behind its end.
pub fn along(program: &Program, layout: &Layout, path: &[Vec<u64>], sought: Sought<'_>) -> (Vec<Step>, Option<Shown>) {
    let mut steps = Vec::new();
    let mut machine = Machine::default();
    let mut work = Work::default();
    let mut shown = None;
    // What is no part of a state goes on from one to the next as it is.
    let mut walker = Machine::default();
    path.iter().take(1).for_each(|first| layout.unpack(first, &mut walker));
    for (at, state) in path.iter().enumerate() {
        layout.unpack(state, &mut machine);
        let next = path.get(at + 1).map(Vec::as_slice);
        let mut finder = Finder { program, layout, next, sought, packed: Vec::new(), found: None };
        expand(program, &mut machine, &mut work, &mut finder);
        let Some((end, found)) = finder.found else { continue };
        shown = found;
        let chain: Vec<RawStep> = chain(&work.trail, end).collect();
        steps.extend(chain.into_iter().rev().map(|raw| Step::take(program, &mut walker, raw)));
    }
    (steps, shown)
}

/// Looks for the steps to the next state of a path, or to what is behind its end.
struct Finder<'s> {
    program: &'s Program,
    layout: &'s Layout,
    next: Option<&'s [u64]>,
    sought: Sought<'s>,
    packed: Vec<u64>,
    found: Option<(u32, Option<Shown>)>,
}

impl Sink for Finder<'_> {
    const TRAIL: bool = true;

    fn state(&mut self, machine: &Machine, _: &[RawStep], step: u32) {
        if self.found.is_some() {
            return;
        }
        match (self.next, self.sought) {
            (Some(next), _) => {
                self.packed.clear();
                if self.layout.pack(machine, &mut self.packed).is_ok() && self.packed == next {
                    self.found = Some((step, None));
                }
            }
            (None, Sought::Goal(goal)) if holds(self.program, machine, goal) == Ok(true) => {
                self.found = Some((step, Some(Shown::Goal)));
            }
            (None, _) => {}
        }
    }

    fn violation(&mut self, violation: Violation, step: u32) -> bool {
        if self.next.is_none() && self.found.is_none() && self.sought.is(violation) {
            self.found = Some((step, Some(Shown::Violation(violation))));
        }
        true
    }
}
