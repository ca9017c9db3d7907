//! From a word to a path: each component is run on its own letters, and the runs are woven into one trace.
//!
//! No product is needed: components only meet at the letters, and what they do in between is nobody else's business.

use prequel_model::{ComponentId, LabelId, Lts, Move, Network, StateId, Step, Trace, Transition};
use rustc_hash::FxHashMap;

/// A run of a system that reads the letters in order, with any silent steps around them, and ends where it may.
pub fn run_on(
    lts: &Lts,
    letters: &[LabelId],
    silent: impl Fn(LabelId) -> bool,
    may_end: impl Fn(StateId) -> bool,
) -> Option<Vec<Transition>> {
    // One layer per number of letters read: how each state of it was first reached.
    let mut layers: Vec<FxHashMap<StateId, Option<Transition>>> = Vec::with_capacity(letters.len() + 1);
    let mut found: Vec<(StateId, Option<Transition>)> = vec![(lts.initial(), None)];
    for read in 0..=letters.len() {
        let mut layer: FxHashMap<StateId, Option<Transition>> = FxHashMap::default();
        let mut order = Vec::new();
        for (state, by) in found.drain(..) {
            layer.entry(state).or_insert_with(|| {
                order.push(state);
                by
            });
        }
        let mut at = 0;
        while at < order.len() {
            let source = order[at];
            for e in lts.row(source).iter().filter(|e| silent(e.label)) {
                layer.entry(e.target).or_insert_with(|| {
                    order.push(e.target);
                    Some(Transition { source, label: e.label, target: e.target })
                });
            }
            at += 1;
        }
        match letters.get(read) {
            Some(&letter) => {
                for &source in &order {
                    let step = |e: &prequel_model::Edge| Transition { source, label: e.label, target: e.target };
                    found.extend(lts.row_on(source, letter).iter().map(|e| (e.target, Some(step(e)))));
                }
                layers.push(layer);
            }
            None => {
                let end = order.into_iter().find(|&s| may_end(s))?;
                layers.push(layer);
                return Some(walk_back(&layers, end, &silent));
            }
        }
    }
    unreachable!("the last layer returns")
}

fn walk_back(
    layers: &[FxHashMap<StateId, Option<Transition>>],
    end: StateId,
    silent: &impl Fn(LabelId) -> bool,
) -> Vec<Transition> {
    let (mut at, mut state, mut run) = (layers.len() - 1, end, Vec::new());
    while let Some(step) = layers[at][&state] {
        run.push(step);
        state = step.source;
        if !silent(step.label) {
            at -= 1;
        }
    }
    run.reverse();
    run
}

/// The word in which each part's own word comes as it is, and all of them meet at the letters; what is hidden in a part comes right
/// before the next letter that it takes part in.
pub fn interleave(
    letters: &[LabelId],
    parts: &[Vec<LabelId>],
    takes_part: impl Fn(usize, LabelId) -> bool,
) -> Vec<LabelId> {
    let (mut next, mut full) = (vec![0; parts.len()], Vec::new());
    for &letter in letters {
        for (at, part) in parts.iter().enumerate().filter(|&(at, _)| takes_part(at, letter)) {
            let before = part[next[at]..].iter().take_while(|&&l| l != letter).count();
            full.extend_from_slice(&part[next[at]..next[at] + before]);
            next[at] += before + 1;
        }
        full.push(letter);
    }
    parts.iter().zip(next).for_each(|(part, next)| full.extend_from_slice(&part[next..]));
    full
}

/// The word whose letters each component has in its own order: there is one up to the order of letters that nobody shares.
///
/// The letters are those of some word, so a letter that all who take part in it wait for may as well come first.
pub fn meet<'a>(letters: &[Vec<LabelId>], participants: impl Fn(LabelId) -> &'a [ComponentId]) -> Vec<LabelId> {
    let mut next = vec![0usize; letters.len()];
    let mut waiting: FxHashMap<LabelId, usize> = FxHashMap::default();
    let mut word = Vec::new();
    for c in 0..letters.len() {
        let mut look = vec![c];
        while let Some(c) = look.pop() {
            let Some(&letter) = letters[c].get(next[c]) else { continue };
            let ready = waiting.entry(letter).or_default();
            *ready += 1;
            if *ready == participants(letter).len() {
                *ready = 0;
                word.push(letter);
                for c in participants(letter).iter().rev() {
                    next[c.at()] += 1;
                    look.push(c.at());
                }
            }
        }
    }
    debug_assert!(next.iter().zip(letters).all(|(&next, own)| next == own.len()), "letters of one word");
    word
}

/// The trace in which every component goes through its run and meets the others at the letters of the word.
///
/// Every step of a run is a letter of the word, in the word's order, or a step that the component takes alone.
pub fn weave(network: &Network, word: &[LabelId], runs: &[Vec<Transition>]) -> Trace {
    let mut next = vec![0usize; runs.len()];
    let mut steps = Vec::new();
    let as_move = |c: ComponentId, t: &Transition| Move { component: c, from: t.source, to: t.target };
    let alone = |c: ComponentId, t: &Transition| Step { label: t.label, moves: vec![as_move(c, t)] };
    for &letter in word {
        let mut moves = Vec::new();
        for &c in network.participants(letter) {
            let rest = &runs[c.at()][next[c.at()]..];
            let before = rest.iter().take_while(|t| t.label != letter).count();
            steps.extend(rest[..before].iter().map(|t| alone(c, t)));
            moves.push(as_move(c, &rest[before]));
            next[c.at()] += before + 1;
        }
        steps.push(Step { label: letter, moves });
    }
    for c in network.ids() {
        steps.extend(runs[c.at()][next[c.at()]..].iter().map(|t| alone(c, t)));
    }
    Trace { steps }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;

    #[test]
    fn a_word_is_known_by_what_each_component_has_of_it() {
        for seed in 0..2000 {
            let mut rng = Rng::new(seed);
            let (components, labels) = (rng.between(1, 5), rng.between(1, 6));
            let mut participants: Vec<Vec<ComponentId>> = Vec::new();
            for _ in 0..labels {
                let mut who: Vec<ComponentId> =
                    (0..components).filter(|_| rng.chance(40)).map(ComponentId::new).collect();
                if who.is_empty() {
                    who.push(ComponentId::new(rng.below(components)));
                }
                participants.push(who);
            }
            let word: Vec<LabelId> = (0..rng.below(12)).map(|_| LabelId::new(rng.below(labels))).collect();
            let own = |word: &[LabelId]| -> Vec<Vec<LabelId>> {
                let takes_part = |c: usize, l: LabelId| participants[l.at()].contains(&ComponentId::new(c));
                let of = |c: usize| word.iter().copied().filter(|&l| takes_part(c, l)).collect();
                (0..components).map(of).collect()
            };
            let met = meet(&own(&word), |l| &participants[l.at()]);
            assert_eq!(own(&met), own(&word), "seed {seed}");
        }
    }
}
