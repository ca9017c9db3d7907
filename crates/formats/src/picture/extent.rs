//! How much of a run a table shows: of one that nobody would read to its end, how it begins and how it ends.

use std::fmt;
use std::ops::Range;

/// Steps that are shown of any run.
const MOST: usize = 400;
/// Of these, the ones that a long run begins with; what it shows is at its end.
const FIRST: usize = 100;

/// How much of a run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Every step.
    Whole,
    /// Every step of a run of usual length, the first and the last ones of a longer run.
    Ends,
}

/// A line of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line<T> {
    /// A step.
    Step(T),
    /// Steps that are not shown.
    LeftOut(LeftOut),
}

impl<T> Line<T> {
    /// What is shown of a step.
    pub fn map<U>(self, show: impl FnOnce(T) -> U) -> Line<U> {
        match self {
            Line::Step(step) => Line::Step(show(step)),
            Line::LeftOut(steps) => Line::LeftOut(steps),
        }
    }

    /// The step, if it is one.
    pub fn step(&self) -> Option<&T> {
        if let Line::Step(step) = self { Some(step) } else { None }
    }
}

/// Steps that are not shown, counted from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut(Range<usize>);

impl Extent {
    /// The lines for a run of so many steps, which are counted from 0.
    pub fn lines(self, steps: usize) -> impl Iterator<Item = Line<usize>> {
        let left_out = if self == Extent::Whole || steps <= MOST { 0..0 } else { FIRST..steps - (MOST - FIRST) };
        let rest = left_out.end..steps;
        let first = (0..left_out.start).map(Line::Step);
        let gap = (!left_out.is_empty()).then_some(Line::LeftOut(LeftOut(left_out)));
        first.chain(gap).chain(rest.map(Line::Step))
    }
}

impl LeftOut {
    /// Whether a step is among them.
    pub fn contains(&self, step: usize) -> bool {
        self.0.contains(&step)
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.0.start + 1, self.0.end);
        write!(f, "… steps {first} to {last} are left out: --verbose shows them, --witness FILE saves them")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_is_shown_by_its_ends_and_no_step_is_lost_in_between() {
        for (steps, extent) in [(0, Extent::Ends), (MOST, Extent::Ends), (10 * MOST, Extent::Whole)] {
            assert!(extent.lines(steps).eq((0..steps).map(Line::Step)), "{steps} steps, {extent:?}");
        }
        let lines: Vec<Line<usize>> = Extent::Ends.lines(1000).collect();
        assert_eq!(lines.len(), MOST + 1);
        assert_eq!(lines[FIRST - 1..=FIRST + 1], [Line::Step(99), Line::LeftOut(LeftOut(100..700)), Line::Step(700)]);
        assert_eq!(lines.last(), Some(&Line::Step(999)));
        let Line::LeftOut(left_out) = &lines[FIRST] else { panic!("{lines:?}") };
        assert!(left_out.to_string().starts_with("… steps 101 to 700 are left out"), "{left_out}");
    }
}
