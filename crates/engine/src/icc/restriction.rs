//! Restrictions: which words of a component may still be part of a counterexample (Section 3.2).
//!
//! Deterministic partial automata over a component's alphabet: marked states allow the word read so far, and a missing edge
//! *blocks*. Blocking and rejecting are two things. A rejected word may be the beginning of an allowed one; a blocked one is
//! something that the whole system never does in the present context, and constraints build on that. So dead states stay:
//! removing them would turn facts about acceptance into facts about runs, and counterexamples would be lost.

use super::abstraction::deterministic;
use crate::algo::bisimulation::{Bisimulation, quotient};
use prequel_model::{LabelId, Lts, StateId, Transition};
use rustc_hash::FxHashMap;

/// What a failed check says about the selected words `selected` of one component, over its alphabet `letters`: the words that
/// it does not rule out. It rules out at least everything selected.
///
/// `space` is everything that the check explored, its edges under labels.
pub fn constraint(space: &Lts, selected: &Lts, letters: &[LabelId]) -> Lts {
    let is_letter = |l: &LabelId| letters.binary_search(l).is_ok();
    let projected = space.clone().relabelled(|l| if is_letter(&l) { l } else { LabelId::TAU });
    match deterministic(&projected) {
        Some(done) => beside(selected, letters, Some(&done)),
        None => all_but(selected, letters),
    }
}

/// Rules out exactly what was selected: that is always right.
pub fn all_but(selected: &Lts, letters: &[LabelId]) -> Lts {
    beside(selected, letters, None)
}

/// Follows the selected words; `done` is what the check could do of them. Where it is stuck, so is the constraint.
fn beside(selected: &Lts, letters: &[LabelId], done: Option<&Lts>) -> Lts {
    let target = |lts: &Lts, s: StateId, l: LabelId| lts.row_on(s, l).first().map(|e| e.target);
    // State 0 allows everything from now on.
    let start = (selected.initial(), done.map(Lts::initial));
    let mut number: FxHashMap<(StateId, Option<StateId>), u32> = FxHashMap::from_iter([(start, 1)]);
    let mut pairs = vec![start];
    let mut transitions: Vec<Transition> = letters.iter().map(|&l| Transition::new(0, l, 0)).collect();
    let mut at = 0;
    while at < pairs.len() {
        let (s, d) = pairs[at];
        let source = at as u32 + 1;
        for &letter in letters {
            let next = match (target(selected, s, letter), d.zip(done)) {
                (None, _) => {
                    transitions.push(Transition::new(source, letter, 0));
                    continue;
                }
                (Some(s), None) => (s, None),
                (Some(s), Some((d, done))) => match target(done, d, letter) {
                    Some(d) => (s, Some(d)),
                    None => continue,
                },
            };
            let fresh = pairs.len() as u32 + 1;
            let target = *number.entry(next).or_insert(fresh);
            if target == fresh {
                pairs.push(next);
            }
            transitions.push(Transition::new(source, letter, target));
        }
        at += 1;
    }
    let allowed = (0..pairs.len()).filter(|&at| !selected.is_marked(pairs[at].0)).map(|at| StateId::new(at + 1));
    let allowed: Vec<StateId> = allowed.chain([StateId(0)]).collect();
    Lts::new(StateId(1), pairs.len() + 1, transitions).with_marked(allowed)
}

/// The words that both allow; blocked where one blocks. `None` allows everything.
pub fn both(one: Option<&Lts>, other: &Lts) -> Lts {
    let product = match one {
        Some(one) => intersection(one, other),
        None => other.clone(),
    };
    // Strong bisimulation of a deterministic automaton: equal futures are merged, a missing edge is a future of its own.
    quotient(&product, Bisimulation::Strong).expect("only weak bisimulation can be too large")
}

/// Both side by side, step by step: an edge where both have one.
fn intersection(one: &Lts, other: &Lts) -> Lts {
    let start = (one.initial(), other.initial());
    let mut number: FxHashMap<(StateId, StateId), u32> = FxHashMap::from_iter([(start, 0)]);
    let (mut pairs, mut transitions, mut at) = (vec![start], Vec::new(), 0);
    while at < pairs.len() {
        let (s, t) = pairs[at];
        for e in one.row(s) {
            let Some(f) = other.row_on(t, e.label).first() else { continue };
            let fresh = pairs.len() as u32;
            let target = *number.entry((e.target, f.target)).or_insert(fresh);
            if target == fresh {
                pairs.push((e.target, f.target));
            }
            transitions.push(Transition::new(at as u32, e.label, target));
        }
        at += 1;
    }
    let marked: Vec<StateId> = (0..pairs.len())
        .filter(|&at| one.is_marked(pairs[at].0) && other.is_marked(pairs[at].1))
        .map(StateId::new)
        .collect();
    Lts::new(StateId(0), pairs.len(), transitions).with_marked(marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: LabelId = LabelId(1);
    const B: LabelId = LabelId(2);

    fn chain(word: &[LabelId]) -> Lts {
        let steps = word.iter().enumerate().map(|(at, &l)| Transition::new(at as u32, l, at as u32 + 1)).collect();
        Lts::new(StateId(0), word.len() + 1, steps).with_marked([StateId::new(word.len())])
    }

    /// `Some(true)`: allowed, `Some(false)`: rejected, `None`: blocked.
    fn read(lts: &Lts, word: &[LabelId]) -> Option<bool> {
        let end = word.iter().try_fold(lts.initial(), |s, &l| Some(lts.row_on(s, l).first()?.target))?;
        Some(lts.is_marked(end))
    }

    #[test]
    fn a_word_that_got_stuck_blocks_all_its_extensions() {
        // `a b` was selected; the check did `a` and could not do `b`.
        let space = Lts::new(StateId(0), 2, vec![Transition::new(0, A, 1)]);
        let c = constraint(&space, &chain(&[A, B]), &[A, B]);
        assert_eq!(read(&c, &[A]), Some(true));
        assert_eq!(read(&c, &[A, B]), None);
        assert_eq!(read(&c, &[A, A, B]), Some(true), "what was not selected is not ruled out");
    }

    #[test]
    fn a_word_that_was_done_but_not_accepted_is_rejected_alone() {
        let space = chain(&[A, B]).with_marked([]);
        let c = constraint(&space, &chain(&[A, B]), &[A, B]);
        assert_eq!(read(&c, &[A, B]), Some(false));
        assert_eq!(read(&c, &[A, B, B]), Some(true));
    }

    #[test]
    fn restrictions_add_up_and_dead_states_stay() {
        let reject = |word: &[LabelId]| beside(&chain(word), &[A, B], None);
        let r = both(Some(&both(None, &reject(&[]))), &reject(&[A]));
        assert_eq!((read(&r, &[]), read(&r, &[A]), read(&r, &[B])), (Some(false), Some(false), Some(true)));
        // After `a` nothing is allowed any more, but nothing is blocked either.
        let all = Lts::new(StateId(0), 1, vec![Transition::new(0, A, 0), Transition::new(0, B, 0)]);
        let nothing = both(Some(&r), &all);
        assert_eq!(read(&nothing, &[A, B, A]), Some(false));
    }
}
