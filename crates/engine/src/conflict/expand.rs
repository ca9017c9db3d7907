//! Algorithm 1, counterexample expansion: from the word and the last state of an abstraction to those of the original.
//!
//! | of the paper | here |
//! | --- | --- |
//! | lines 1 to 3, silent steps of the abstraction go | a counterexample is a word and last states; there are no such steps |
//! | lines 5 to 37, A* over (state, events processed) | `run_on`: layer by layer, silent steps cost one |
//! | line 14, `L(z) ⊆ L(end)` | `z` went to `end` |
//!
//! Departures: states are settled when they are taken out, not when they are put in (the paper's `Visited`); otherwise "shortest" is
//! false. Labels that were hidden count as silent steps and are in the word afterwards. Any number of rules is undone by one
//! search, see `rules`.

use super::fsm::Fsm;
use prequel_model::{LabelId, StateId, Transition};
use rustc_hash::FxHashMap;

/// How a state of a layer was reached.
#[derive(Clone, Copy)]
struct Reached {
    cost: u32,
    by: Option<Transition>,
    settled: bool,
}

/// A run that reads the letters in order, with as few silent steps among them as can be, and ends where it may.
///
/// `None` if there is none.
pub fn run_on(
    fsm: &Fsm,
    letters: &[LabelId],
    silent: impl Fn(LabelId) -> bool,
    may_end: impl Fn(StateId) -> bool,
) -> Option<Run> {
    let lts = fsm.lts();
    let mut layers: Vec<FxHashMap<StateId, Reached>> = Vec::with_capacity(letters.len() + 1);
    let mut first: FxHashMap<StateId, Reached> = FxHashMap::default();
    first.extend(fsm.initial().iter().map(|&s| (s, Reached { cost: 0, by: None, settled: false })));
    let mut layer = first;
    loop {
        // All steps inside a layer cost one: buckets by cost, the cheapest first.
        let mut buckets: Vec<Vec<StateId>> = Vec::new();
        let put = |buckets: &mut Vec<Vec<StateId>>, cost: u32, s: StateId| {
            if buckets.len() <= cost as usize {
                buckets.resize(cost as usize + 1, Vec::new());
            }
            buckets[cost as usize].push(s);
        };
        let least = layer.values().map(|r| r.cost).min()?;
        let mut starts: Vec<(StateId, u32)> = layer.iter().map(|(&s, r)| (s, r.cost - least)).collect();
        starts.sort_unstable();
        starts.into_iter().for_each(|(s, cost)| put(&mut buckets, cost, s));
        let last = layers.len() == letters.len();
        let mut next: FxHashMap<StateId, Reached> = FxHashMap::default();
        let mut at = 0;
        while at < buckets.len() {
            for s in std::mem::take(&mut buckets[at]) {
                let reached = layer.get_mut(&s).expect("it was put there");
                if std::mem::replace(&mut reached.settled, true) {
                    continue;
                }
                let cost = reached.cost;
                if last && may_end(s) {
                    layers.push(layer);
                    return Some(Run::back(&layers, s, &silent));
                }
                for e in lts.row(s).iter().filter(|e| silent(e.label)) {
                    let by = Some(Transition { source: s, label: e.label, target: e.target });
                    let found = Reached { cost: cost + 1, by, settled: false };
                    let known = layer.entry(e.target).or_insert(Reached { cost: u32::MAX, ..found });
                    if !known.settled && found.cost < known.cost {
                        *known = found;
                        put(&mut buckets, found.cost - least, e.target);
                    }
                }
                if !last {
                    for e in lts.row_on(s, letters[layers.len()]) {
                        let by = Some(Transition { source: s, label: e.label, target: e.target });
                        // States come in the order of their cost: the first is the best.
                        next.entry(e.target).or_insert(Reached { cost, by, settled: false });
                    }
                }
            }
            at += 1;
        }
        layers.push(layer);
        if last || next.is_empty() {
            return None;
        }
        layer = next;
    }
}

/// A run of one machine: where it starts, and its steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// One of the initial states.
    pub start: StateId,
    /// Silent and other steps in order.
    pub steps: Vec<Transition>,
}

impl Run {
    fn back(layers: &[FxHashMap<StateId, Reached>], end: StateId, silent: &impl Fn(LabelId) -> bool) -> Self {
        let (mut at, mut start, mut steps) = (layers.len() - 1, end, Vec::new());
        while let Some(step) = layers[at][&start].by {
            steps.push(step);
            start = step.source;
            if !silent(step.label) {
                at -= 1;
            }
        }
        steps.reverse();
        Self { start, steps }
    }

    /// Where it ends.
    pub fn end(&self) -> StateId {
        self.steps.last().map_or(self.start, |t| t.target)
    }

    /// Where it is after so many of its steps.
    pub fn after(&self, steps: usize) -> StateId {
        if steps == 0 { self.start } else { self.steps[steps - 1].target }
    }
}

/// The word with the hidden letters of a run in it: each comes right before the next letter that the machine takes part in.
pub fn interleaved(word: &[LabelId], run: &Run, takes_part: impl Fn(LabelId) -> bool) -> Vec<LabelId> {
    let mut visible = run.steps.iter().map(|t| t.label).filter(|l| !l.is_tau()).peekable();
    let mut full = Vec::with_capacity(word.len());
    for &letter in word {
        if takes_part(letter) {
            while let Some(hidden) = visible.next_if(|&l| l != letter) {
                full.push(hidden);
            }
            visible.next();
        }
        full.push(letter);
    }
    full.extend(visible);
    full
}
