//! How much of a run a table shows: of one that nobody would read to its end, how it begins and how it ends.

use std::fmt;
use std::ops::Range;

/// Steps that are shown of any run.
const MOST: usize = 400;
/// Of these, the ones that a long run begins with; what it shows is at its end.
const FIRST: usize = 100;
/// Steps of a loop that is told once.
const LONGEST_LOOP: usize = 64;
/// Steps that must be spared for a loop to be told once, in at least two more turns.
const LEAST_SPARED: usize = 6;

/// How much of a run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Every step.
    Whole,
    /// Every step of a run of usual length, the first and the last ones of a longer run; the turns of a loop once.
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
pub struct LeftOut {
    steps: Range<usize>,
    /// They are these steps again and again, if they are not left out for their number.
    loops: Option<Range<usize>>,
}

impl Extent {
    /// The lines for a run of so many steps, which are counted from 0; tells of two steps whether the same is done.
    pub fn lines(self, steps: usize, same: impl Fn(usize, usize) -> bool) -> Vec<Line<usize>> {
        if self == Extent::Whole {
            return (0..steps).map(Line::Step).collect();
        }
        let mut lines = folded(steps, same);
        if lines.len() > MOST {
            let rest = lines.split_off(lines.len() - (MOST - FIRST));
            let first = |line: Option<&Line<usize>>| match line {
                Some(Line::Step(step)) => *step,
                Some(Line::LeftOut(left_out)) => left_out.steps.start,
                None => steps,
            };
            let left_out = first(lines.get(FIRST))..first(rest.first());
            lines.truncate(FIRST);
            lines.push(Line::LeftOut(LeftOut { steps: left_out, loops: None }));
            lines.extend(rest);
        }
        lines
    }
}

/// All steps, but those that only repeat the ones before them.
fn folded(steps: usize, same: impl Fn(usize, usize) -> bool) -> Vec<Line<usize>> {
    let (mut lines, mut at) = (Vec::new(), 0);
    while at < steps {
        // How many steps are the same as those so far before them, in whole turns.
        let repeated = |length: usize| {
            let equal = (at + length..steps).take_while(|&step| same(step, step - length)).count();
            equal / length * length
        };
        let long = |&(length, spared): &(usize, usize)| spared >= LEAST_SPARED.max(2 * length);
        let lengths = 1..=LONGEST_LOOP.min(steps - at);
        let best = lengths
            .map(|length| (length, repeated(length)))
            .filter(long)
            .max_by_key(|&(length, spared)| (spared, std::cmp::Reverse(length)));
        let Some((length, spared)) = best else {
            lines.push(Line::Step(at));
            at += 1;
            continue;
        };
        let turn = at..at + length;
        lines.extend(turn.clone().map(Line::Step));
        at += length + spared;
        lines.push(Line::LeftOut(LeftOut { steps: turn.end..at, loops: Some(turn) }));
    }
    lines
}

impl LeftOut {
    /// Whether a step is among them.
    pub fn contains(&self, step: usize) -> bool {
        self.steps.contains(&step)
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.steps.start + 1, self.steps.end);
        match &self.loops {
            Some(turn) if turn.len() == 1 => write!(f, "… steps {first} to {last} do the same as step {}", turn.end),
            Some(turn) => {
                let times = self.steps.len() / turn.len();
                write!(f, "… steps {first} to {last} are steps {} to {} again, {times} times", turn.start + 1, turn.end)
            }
            None => {
                write!(f, "… steps {first} to {last} are left out: --verbose shows them, --witness FILE saves them")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(steps: Range<usize>, loops: Option<Range<usize>>) -> Line<usize> {
        Line::LeftOut(LeftOut { steps, loops })
    }

    #[test]
    fn a_long_run_is_shown_by_its_ends_and_no_step_is_lost_in_between() {
        for (steps, extent) in [(0, Extent::Ends), (MOST, Extent::Ends), (10 * MOST, Extent::Whole)] {
            assert!(
                extent.lines(steps, |_, _| false).into_iter().eq((0..steps).map(Line::Step)),
                "{steps}, {extent:?}"
            );
        }
        let lines = Extent::Ends.lines(1000, |_, _| false);
        assert_eq!(lines.len(), MOST + 1);
        assert_eq!(lines[FIRST - 1..=FIRST + 1], [Line::Step(99), left_out(100..700, None), Line::Step(700)]);
        assert_eq!(lines.last(), Some(&Line::Step(999)));
        let Line::LeftOut(left_out) = &lines[FIRST] else { panic!("{lines:?}") };
        assert!(left_out.to_string().starts_with("… steps 101 to 700 are left out"), "{left_out}");
    }

    #[test]
    fn the_turns_of_a_loop_are_told_once() {
        let done = "xabcabcabcabcay".as_bytes();
        let lines = Extent::Ends.lines(done.len(), |one, other| done[one] == done[other]);
        let told: Vec<Line<usize>> = (0..4).map(Line::Step).collect();
        let rest = [left_out(4..13, Some(1..4)), Line::Step(13), Line::Step(14)];
        assert_eq!(lines, [told.as_slice(), &rest].concat());
        assert_eq!(lines[4].clone().map(|_| ()), Line::LeftOut(LeftOut { steps: 4..13, loops: Some(1..4) }));
        let Line::LeftOut(again) = &lines[4] else { panic!("{lines:?}") };
        assert_eq!(again.to_string(), "… steps 5 to 13 are steps 2 to 4 again, 3 times");
        assert!(Extent::Ends.lines(7, |_, _| true).len() == 2 && Extent::Ends.lines(6, |_, _| true).len() == 6);
        // Whatever is done, every step has its place.
        for seed in 0..200u64 {
            let done: Vec<u64> = (0..60).map(|at| (seed >> (at % (seed % 7 + 2))) & 1).collect();
            let mut next = 0;
            for line in Extent::Ends.lines(done.len(), |one, other| done[one] == done[other]) {
                match line {
                    Line::Step(step) => assert_eq!((step, next), (next, step)),
                    Line::LeftOut(LeftOut { steps, loops }) => {
                        assert_eq!(steps.start, next);
                        let turn = loops.expect("it is short").len();
                        assert!(steps.clone().all(|step| done[step] == done[step - turn]));
                        next = steps.end - 1;
                    }
                }
                next += 1;
            }
            assert_eq!(next, done.len());
        }
    }
}
