//! One check: selected words, one component under a restriction, and the property as they all see it.

use crate::algo::explicit::{Until, explore};
use crate::algo::product::Product;
use crate::race::{Lane, Stop};
use prequel_model::{Component, ComponentId, LabelId, Lts};
use rustc_hash::FxHashMap;

/// An automaton, and the step of the derivation that is about it.
pub type Shown<'c> = (&'c Component, usize);

/// What is explored together.
pub struct Check<'c> {
    /// The selected words of components that come earlier in the order.
    pub selected: Vec<Shown<'c>>,
    /// The component at hand.
    pub component: Shown<'c>,
    /// What restricts it, if anything does.
    pub restriction: Option<Shown<'c>>,
    /// The property as the components of the check see it.
    pub monitor: Shown<'c>,
}

impl<'c> Check<'c> {
    /// All that is explored together, the component at hand first.
    ///
    /// `leave_out` leaves out what is connected neither to the component at hand nor to the last selection (which a
    /// constraint will be about) through common labels. That changes nothing for the rest: the selections were accepted
    /// together, by the property too, when the last of them was made.
    pub fn parts(&self, leave_out: bool) -> Vec<Shown<'c>> {
        let mut parts = vec![self.component];
        parts.extend(self.restriction);
        let last = self.selected.split_last();
        parts.extend(last.map(|(&last, _)| last));
        let beside: Vec<Shown<'c>> =
            last.map_or(&[][..], |(_, before)| before).iter().copied().chain([self.monitor]).collect();
        match leave_out {
            true => parts.extend(connected(&parts, beside)),
            false => parts.extend(beside),
        }
        parts
    }

    /// Explores these together. Marked states are accepting: all but the component at hand are in marked states there.
    pub fn explore(parts: &[Shown<'c>], labels: usize, until: Until, lane: &Lane) -> Result<Lts, Stop> {
        let parts: Vec<&Component> = parts.iter().map(|part| part.0).collect();
        let product = Product::new(labels, parts.clone());
        // The component itself accepts everywhere; everything else must be in a marked state, even if it has none at all.
        let accepts = |state: &[u64]| {
            parts
                .iter()
                .enumerate()
                .skip(1)
                .all(|(at, part)| part.lts.is_marked(product.local(state, ComponentId::new(at))))
        };
        let counted = lane.check();
        let allowed = |states, transitions| counted.explored(states, transitions);
        Ok(explore(&product, |label| label, accepts, until, allowed)?.lts)
    }
}

/// Those that share labels with some parts, directly or through one another, in their order.
fn connected<'c>(parts: &[Shown<'_>], others: Vec<Shown<'c>>) -> Vec<Shown<'c>> {
    let mut with_label: FxHashMap<LabelId, Vec<usize>> = FxHashMap::default();
    for (at, other) in others.iter().enumerate() {
        other.0.alphabet().iter().for_each(|&l| with_label.entry(l).or_default().push(at));
    }
    let mut found = vec![false; others.len()];
    let mut labels: Vec<LabelId> = parts.iter().flat_map(|part| part.0.alphabet()).copied().collect();
    while let Some(label) = labels.pop() {
        for at in with_label.remove(&label).unwrap_or_default() {
            if !std::mem::replace(&mut found[at], true) {
                labels.extend_from_slice(others[at].0.alphabet());
            }
        }
    }
    others.into_iter().zip(found).filter_map(|(other, found)| found.then_some(other)).collect()
}
