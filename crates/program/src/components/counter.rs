//! Counters: global cells that every step changes by a difference, never to a value whatever it was.
//!
//! What such a cell holds is what it held at the start and what each process has added. How much a process has added when it is
//! in a state lies in an interval; the sums over all processes are bounds of the cell: `inside++ … inside--` in N processes
//! stays between 0 and N, where taking the parts one by one would count to 255 and round. Bounds and steps depend on each
//! other: a step that asks for a value is taken only where the process, in its state, and the others can have added up to it. So
//! the intervals grow from nothing, step by step, until they hold for all steps that are possible under them. That is an
//! induction over runs: no run leaves the bounds, so a value beyond them is no state of the program and is left out, and so is
//! a label that is possible nowhere.
//!
//! The steps are those that were found so far. They can only become more, and the bounds wider; when nothing new is found, every
//! step that a run can take was looked at.

use super::build::{Build, WRONG};
use super::part::{Change, Fact, Part, Touch, changed, fits};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::RangeInclusive;

/// Rounds after which an interval that still grows is taken to grow for ever.
const ROUNDS: usize = 64;

/// Without bound.
const FAR: i64 = 1 << 40;

/// Steps times counters that are looked at; a program with more has no bounds.
const MOST_STEPS: usize = 2_000_000;

/// A step of a slot: from, to, and the label if it is this slot that changes cells in it.
type Way = (u32, u32, Option<u32>);

/// What was added, at least and at most; nothing for a state that is not reached.
type Interval = Option<(i64, i64)>;

/// What is known of counters.
#[derive(Debug, Default)]
pub struct Bounds {
    ranges: FxHashMap<u32, RangeInclusive<i64>>,
    impossible: FxHashSet<u32>,
}

impl Bounds {
    /// Whether a run can lead a part to a state.
    pub fn admit(&self, part: Part, contents: &[i32]) -> bool {
        let Part::Cell(cell) = part else { return true };
        self.ranges.get(&cell).is_none_or(|range| range.contains(&contents[0].into()))
    }

    /// Whether a run can have a step of this label.
    pub fn allow(&self, label: u32) -> bool {
        !self.impossible.contains(&label)
    }

    /// Of all counters, as far as steps are known.
    pub fn new(build: &Build<'_>) -> Self {
        let mut bounds = Self::default();
        let counters = counters(build);
        if counters.is_empty() {
            return bounds;
        }
        let ways: Vec<Vec<Way>> = (0..build.domains.slots.len()).map(|slot| ways(build, slot)).collect();
        if ways.iter().map(Vec::len).sum::<usize>() * counters.len() > MOST_STEPS {
            return bounds;
        }
        for (&cell, asks) in &counters {
            let start = i64::from(build.program.initial[cell as usize]);
            let mut counter = Counter { start, asks, ways: &ways, added: Vec::new(), live: FxHashSet::default() };
            counter.added = build.domains.slots.iter().map(|states| vec![None; states.len() + 1]).collect();
            counter.added.iter_mut().for_each(|added| added[0] = Some((0, 0)));
            counter.close();
            let (least, most) = counter.total();
            bounds.ranges.insert(cell, start + least..=start + most);
            bounds.impossible.extend(asks.keys().filter(|label| !counter.live.contains(label)));
        }
        bounds
    }
}

/// What a label asks of a counter, and by how much it changes it.
type Asks = FxHashMap<u32, (i64, i64)>;

/// One counter.
struct Counter<'a> {
    start: i64,
    asks: &'a Asks,
    ways: &'a [Vec<Way>],
    /// For each slot and state.
    added: Vec<Vec<Interval>>,
    /// Labels that are possible.
    live: FxHashSet<u32>,
}

impl Counter<'_> {
    /// Lets the intervals grow until they hold.
    fn close(&mut self) {
        for round in 0.. {
            let mut grown = false;
            for slot in 0..self.ways.len() {
                let others = self.others(slot);
                for at in 0..self.ways[slot].len() {
                    grown |= self.take(slot, self.ways[slot][at], others, round >= ROUNDS);
                }
            }
            if !grown {
                return;
            }
        }
    }

    /// What all processes have added, whichever states they are in.
    fn total(&self) -> (i64, i64) {
        let (least, most) = self.others(usize::MAX);
        (least.max(-FAR), most.min(FAR))
    }

    /// What the others have added.
    fn others(&self, slot: usize) -> (i64, i64) {
        let all = self.added.iter().enumerate().filter(|(other, _)| *other != slot);
        let hull = |states: &Vec<Interval>| {
            let known = || states.iter().flatten();
            (known().map(|i| i.0).min().unwrap_or(0), known().map(|i| i.1).max().unwrap_or(0))
        };
        all.map(|(_, states)| hull(states)).fold((0, 0), |sum, (least, most)| (sum.0 + least, sum.1 + most))
    }

    /// Takes a step, where it is possible; tells whether more was added by that than is known.
    fn take(&mut self, slot: usize, (from, to, label): Way, others: (i64, i64), hurry: bool) -> bool {
        let Some((least, most)) = self.added[slot][from as usize] else { return false };
        let mut by = 0;
        if let Some((label, (value, change))) = label.and_then(|label| Some((label, *self.asks.get(&label)?))) {
            let sum = value - self.start;
            if sum < least + others.0 || sum > most + others.1 {
                return false;
            }
            self.live.insert(label);
            by = change;
        }
        let (mut low, mut high) = ((least + by).max(-FAR), (most + by).min(FAR));
        let known = &mut self.added[slot][to as usize];
        if let Some((least, most)) = *known {
            (low, high) = (low.min(least), high.max(most));
            if hurry {
                low = if low < least { -FAR } else { low };
                high = if high > most { FAR } else { high };
            }
        }
        let grown = *known != Some((low, high));
        *known = Some((low, high));
        grown
    }
}

/// For each counter, the labels that ask for its value, and by how much they change it.
fn counters(build: &Build<'_>) -> FxHashMap<u32, Asks> {
    let mut all: FxHashMap<u32, Asks> = FxHashMap::default();
    let (mut counts, mut set) = (FxHashSet::default(), FxHashSet::default());
    for (label, joint) in build.joints.iter().enumerate() {
        for Touch { part, facts, changes } in &joint.touches {
            let Part::Cell(cell) = part else { continue };
            match (&facts[..], &changes[..]) {
                ([Fact::Value(value)], changes) => {
                    let value = i64::from(*value);
                    let by = if let [Change::Set(to)] = changes { i64::from(to[0]) - value } else { 0 };
                    all.entry(*cell).or_default().insert(label as u32, (value, by));
                    if by != 0 {
                        counts.insert(*cell);
                    }
                }
                (_, []) => {}
                _ => _ = set.insert(*cell),
            }
        }
    }
    all.retain(|cell, _| counts.contains(cell) && !set.contains(cell));
    all
}

/// All steps of a slot that were found. Where something goes wrong is the state after the last.
fn ways(build: &Build<'_>, slot: usize) -> Vec<Way> {
    let states = &build.domains.slots[slot];
    let place = |to: u32| if to == WRONG { states.len() as u32 } else { to };
    let mut ways: Vec<Way> =
        build.moves[slot].iter().map(|&(from, label, to)| (from, place(to), Some(label))).collect();
    // What is changed in a rendezvous is counted where it is received.
    for sending in build.sendings.iter().filter(|sending| sending.slot as usize == slot) {
        let to = |contents| states.get_index_of(contents).map(|to| to as u32);
        ways.extend(sending.moves.iter().filter_map(|(from, contents, _)| Some((*from, to(contents)?, None))));
    }
    // Others start it.
    let touches = build.joints.iter().flat_map(|joint| &joint.touches);
    for touch in touches.filter(|touch| touch.part == Part::Slot(slot as u32) && !touch.changes.is_empty()) {
        for (from, contents) in states.iter().enumerate().filter(|(_, contents)| fits(&touch.facts, contents)) {
            let to = states.get_index_of(&changed(&touch.changes, contents));
            ways.extend(to.map(|to| (from as u32, to as u32, None)));
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use crate::components::{Limits, split};
    use crate::{Claim, compile};
    use std::path::Path;

    /// The values of the first global.
    fn values(text: &str) -> Vec<i32> {
        let (model, _) =
            prequel_formats::promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
        let (program, _) = compile(&model, Claim::None).expect("a program");
        let split = split(&program, Limits::default()).expect("components");
        split.values(0).expect("it changes").into_iter().collect()
    }

    #[test]
    fn what_goes_up_and_down_in_turns_is_bounded_by_the_processes() {
        let inside = "byte inside; active [3] proctype p() { do :: inside++; assert(inside < 3); inside-- od }";
        assert_eq!(values(inside), [0, 1, 2, 3]);
        let room = "byte room = 4; active [2] proctype p() { do :: room > 0 -> room = room - 2; room = room + 2 od }";
        assert_eq!(values(room), [0, 2, 4]);
    }

    #[test]
    fn a_rendezvous_counts_once() {
        let sent = "byte sent; chan c = [0] of { bit };\n\
            active proctype p() { do :: c!1; c!0 od }\n\
            active proctype q() { do :: atomic { c?1; sent++ }; atomic { c?0; sent-- } od }";
        assert_eq!(values(sent), [0, 1]);
    }

    #[test]
    fn processes_that_come_and_go_count_again() {
        let again = "byte n; proctype p() { n++ } init { do :: run p() :: n == 3 -> n = 0 od }";
        let (model, _) =
            prequel_formats::promela::read("m.pml", again.as_bytes(), Path::new("."), &[]).expect("a model");
        let (program, _) = compile(&model, Claim::None).expect("a program");
        // As many values as a byte has, or too many processes: never fewer than there are.
        assert!(split(&program, Limits::default()).is_err());
        let twice = "byte n; proctype p() { n++ } init { run p(); _nr_pr == 1; run p() }";
        assert!(values(twice).len() > 2);
    }

    #[test]
    fn what_only_goes_up_goes_round() {
        assert_eq!(values("byte n; active proctype p() { do :: n++ od }").len(), 256);
        let reset = "byte n; active [2] proctype p() { do :: n++ :: n = 0 od }";
        assert_eq!(values(reset).len(), 256);
    }
}
