//! From a word to a path: each component is run on its own letters, and the runs are woven into one trace.
//!
//! No product is needed: components only meet at the letters, and what they do in between is nobody else's business.

use crate::model::{ComponentId, LabelId, Lts, Move, Network, StateId, Step, Trace, Transition};
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
                    let step = |e: &crate::model::Edge| Transition { source, label: e.label, target: e.target };
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

/// A word and a run that has the same letters of those that are `common`, as one: the other letters of the run come right before
/// the next common one.
pub fn merged(
    word: Vec<LabelId>,
    run: impl Iterator<Item = LabelId>,
    common: impl Fn(LabelId) -> bool,
) -> Vec<LabelId> {
    let mut run = run.peekable();
    let mut all = Vec::with_capacity(word.len());
    for letter in word {
        if common(letter) {
            while let Some(own) = run.next_if(|&l| l != letter) {
                all.push(own);
            }
            run.next();
        }
        all.push(letter);
    }
    all.extend(run);
    all
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
