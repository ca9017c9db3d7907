//! The property, and a component, at the level of some labels: hide, determinise, minimise (Section 2, "Abstraction").

use super::SUBSETS;
use crate::algo::bisimulation::{Bisimulation, quotient};
use crate::algo::equivalence::{Equivalence, minimise};
use prequel_model::{Component, LabelId, Lts};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A component with only these labels visible. Its alphabet shrinks to them: what is hidden is no longer asked for.
pub fn seen_through(component: &Component, visible: &[LabelId]) -> Component {
    let is_visible = |l: &LabelId| visible.binary_search(l).is_ok();
    let hidden = component.lts.clone().relabelled(|l| if is_visible(&l) { l } else { LabelId::TAU });
    // Where determinising would be too large, the same words come from a nondeterministic automaton.
    let lts = deterministic(&hidden).unwrap_or_else(|| {
        quotient(&hidden, Bisimulation::Branching).expect("only weak bisimulation can be too large")
    });
    let alphabet: Vec<LabelId> = component.alphabet().iter().copied().filter(is_visible).collect();
    Component::with_alphabet(component.name.clone(), lts, alphabet)
}

/// States up to which a system is determinised as it is, and those that it may have after branching bisimilar ones were merged.
const SMALL: usize = 1 << 10;
const LARGE: usize = 1 << 13;

/// The smallest deterministic system with the same words; none where that is too much work.
///
/// Subsets of a large system are large sets: their number alone does not bound the work.
pub fn deterministic(lts: &Lts) -> Option<Lts> {
    let merged;
    let lts = match lts.num_states() <= SMALL {
        true => lts,
        false => {
            merged = quotient(lts, Bisimulation::Branching).expect("only weak bisimulation can be too large");
            &merged
        }
    };
    if lts.num_states() > LARGE { None } else { minimise(lts, Equivalence::WeakTrace, Some(SUBSETS)).ok() }
}

/// The property at the levels that were needed so far.
pub struct Monitors<'a> {
    monitor: &'a Component,
    known: FxHashMap<Box<[LabelId]>, Rc<Component>>,
}

impl<'a> Monitors<'a> {
    /// Of this property.
    pub fn new(monitor: &'a Component) -> Self {
        Self { monitor, known: FxHashMap::default() }
    }

    /// The property as these components see it.
    pub fn seen_by<'c>(&mut self, components: impl Iterator<Item = &'c Component>) -> Rc<Component> {
        let mut visible: Vec<LabelId> =
            components.flat_map(|c| c.alphabet()).copied().filter(|&l| self.monitor.takes_part(l)).collect();
        visible.sort_unstable();
        visible.dedup();
        let key = visible.into_boxed_slice();
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let made = Rc::new(seen_through(self.monitor, &key));
        self.known.insert(key, made.clone());
        made
    }
}
