//! The question at the level of few labels, then of more, as they turn out to matter.
//!
//! Beyond the paper, which looks at one new component with only the labels of others first (Check^1). Here all components
//! are seen through the labels that are kept so far (the abstraction of Section 2), together. Hiding labels lets a component do more, so
//! what is impossible at a level is impossible. A word that is possible at a level is told by one component after the other on the whole
//! of its labels; who cannot follow tells a smallest set of labels that keeps it from doing so, and these are kept from then on.
//! (M. Gheorghiu, D. Giannakopoulou, C. Pasareanu, *Refining Interface Alphabets for Compositional Verification*, TACAS 2007, refine what
//! they learn assumptions over in the same way.)
//!
//! A claim about tokens in a ring is settled by the labels of tokens, however much else goes round. And a counterexample that needs little
//! is found with little.

use super::abstraction::seen_through;
use super::order::shortest_word;
use super::race::{Lane, Stop};
use super::search::Outcome;
use crate::algo::explicit::{Until, explore};
use crate::algo::product::Product;
use crate::engine::safety::Safety;
use crate::engine::weave::{merged, run_on};
use crate::model::{Component, ComponentId, LabelId};

/// Why a level did not end.
enum Ended {
    Large,
    Stop(Stop),
}

/// The answer, where some level gives it before all of them together have more than `most` states.
pub fn decide(safety: &Safety, order: &[usize], most: u64, lane: &Lane) -> Result<Option<Outcome>, Stop> {
    let mut kept: Vec<LabelId> = safety.monitor.alphabet().to_vec();
    let mut seen: Vec<Option<Component>> = vec![None; safety.parts.len()];
    let mut states = 0;
    loop {
        for (part, seen) in safety.parts.iter().zip(&mut seen) {
            let visible = part.alphabet().iter().filter(|l| kept.binary_search(l).is_ok()).count();
            if visible > 0 && seen.as_ref().is_none_or(|seen| seen.alphabet().len() < visible) {
                *seen = Some(seen_through(part, &kept));
            }
        }
        let parts: Vec<&Component> = seen.iter().flatten().chain([&safety.monitor]).collect();
        let monitor = ComponentId::new(parts.len() - 1);
        let product = Product::new(safety.labels, parts);
        let accepts = |state: &[u64]| safety.monitor.lts.is_marked(product.local(state, monitor));
        let counted = lane.check();
        let allowed = |more, transitions| {
            states += more;
            counted.explored(more, transitions).map_err(Ended::Stop)?;
            if states > most { Err(Ended::Large) } else { Ok(()) }
        };
        let space = match explore(&product, |label| label, accepts, Until::Marked, allowed) {
            Ok(explored) => explored.lts,
            Err(Ended::Large) => return Ok(None),
            Err(Ended::Stop(stop)) => return Err(stop),
        };
        let Some(word) = shortest_word(&space) else { return Ok(Some(Outcome::Holds)) };
        let word = word.into_iter().filter(|l| !l.is_tau()).collect();
        match tell(safety, order, &kept, word) {
            Ok(word) => return Ok(Some(Outcome::Violated(word))),
            Err(more) => kept.extend(more),
        }
        kept.sort_unstable();
    }
}

/// A word over the kept labels on all labels; or labels that, kept too, rule out that it is told in the same way again.
///
/// Each part goes through letters that are known already, its own or of those before it, and adds its other ones.
fn tell(safety: &Safety, order: &[usize], kept: &[LabelId], word: Vec<LabelId>) -> Result<Vec<LabelId>, Vec<LabelId>> {
    let mut known = vec![false; safety.labels];
    kept.iter().for_each(|l| known[l.at()] = true);
    let mut word = word;
    for part in order.iter().map(|&at| &safety.parts[at]) {
        let heard: Vec<LabelId> = part.alphabet().iter().copied().filter(|l| known[l.at()]).collect();
        let Some(run) = follow(part, &word, &heard) else {
            let (always, asked) = heard.into_iter().partition(|l| kept.binary_search(l).is_ok());
            return Err(needed(part, &word, always, asked));
        };
        word = merged(word, run.into_iter(), |l| heard.binary_search(&l).is_ok());
        part.alphabet().iter().for_each(|l| known[l.at()] = true);
    }
    Ok(word)
}

/// The visible letters of a run of a component that reads, of the letters that are heard, those of the word.
fn follow(part: &Component, word: &[LabelId], heard: &[LabelId]) -> Option<Vec<LabelId>> {
    let is_heard = |l: LabelId| heard.binary_search(&l).is_ok();
    let letters: Vec<LabelId> = word.iter().copied().filter(|&l| is_heard(l)).collect();
    let run = run_on(&part.lts, &letters, |l| !is_heard(l), |_| true)?;
    Some(run.into_iter().map(|step| step.label).filter(|l| !l.is_tau()).collect())
}

/// A part cannot follow the word on all these labels; some of those that are asked that it cannot follow either.
fn needed(part: &Component, word: &[LabelId], always: Vec<LabelId>, mut asked: Vec<LabelId>) -> Vec<LabelId> {
    let fails = |asked: &[LabelId]| {
        let mut heard: Vec<LabelId> = always.iter().chain(asked).copied().collect();
        heard.sort_unstable();
        follow(part, word, &heard).is_none()
    };
    // Large pieces first: most labels do not matter.
    let mut piece = asked.len().div_ceil(2);
    while piece > 0 {
        let mut at = 0;
        while at < asked.len() {
            let mut fewer = asked.clone();
            fewer.drain(at..asked.len().min(at + piece));
            if fails(&fewer) { asked = fewer } else { at += piece }
        }
        piece = if piece == 1 { 0 } else { piece.div_ceil(2) };
    }
    asked
}
