//! Sets of global states of a network, as functions of where components are.

use super::aig::{Aig, Lit};
use super::circuit::Bit;
use super::index::ComponentId;

/// A set of global states. It says nothing of components that have no bit in it: they may be anywhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocationSet {
    /// What the variables are: a bit of the number of the state that a component is in, counted from the lowest. A monitor has the
    /// number after the last component.
    pub bits: Vec<(ComponentId, u32)>,
    /// The graph of its function; input [`Bit::now`] of a variable is its value.
    pub aig: Aig,
    /// What holds in its states.
    pub holds: Lit,
}

impl LocationSet {
    /// How many bits the number of a state has, where there are so many states.
    pub fn width(states: usize) -> u32 {
        (usize::BITS - states.saturating_sub(1).leading_zeros()).max(1)
    }

    /// The variables that it depends on.
    pub fn support(&self) -> impl Iterator<Item = (Bit, ComponentId, u32)> + '_ {
        self.aig.support(self.holds).into_iter().map(|input| {
            let bit = Bit::of(input).0;
            let (component, place) = self.bits[bit.0 as usize];
            (bit, component, place)
        })
    }

    /// The components that it says something about, in order.
    pub fn components(&self) -> Vec<ComponentId> {
        let mut found: Vec<ComponentId> = self.support().map(|(_, component, _)| component).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
