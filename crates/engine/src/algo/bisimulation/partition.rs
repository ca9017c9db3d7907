//! Which states belong together.

use prequel_model::StateId;

/// A partition of the states of a system into classes, numbered in the order of their first states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    class_of: Vec<u32>,
    /// The first state of each class.
    first: Vec<StateId>,
}

impl Partition {
    /// The partition in which states with the same key are together; keys are below the number of states.
    pub(super) fn from_keys(keys: impl ExactSizeIterator<Item = u32>) -> Self {
        const NONE: u32 = u32::MAX;
        let mut class_of_key = vec![NONE; keys.len()];
        let mut first = Vec::new();
        let class_of = keys
            .enumerate()
            .map(|(s, key)| {
                let class = &mut class_of_key[key as usize];
                if *class == NONE {
                    *class = first.len() as u32;
                    first.push(StateId::new(s));
                }
                *class
            })
            .collect();
        Self { class_of, first }
    }

    /// The class of a state; classes are the states of a quotient.
    #[inline]
    pub fn class(&self, s: StateId) -> StateId {
        StateId(self.class_of[s.at()])
    }

    /// Whether two states belong together.
    pub fn together(&self, s: StateId, t: StateId) -> bool {
        self.class(s) == self.class(t)
    }

    /// How many classes.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are no states at all.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// How many states.
    pub fn num_states(&self) -> usize {
        self.class_of.len()
    }

    /// The first state of each class, in class order.
    pub fn firsts(&self) -> &[StateId] {
        &self.first
    }

    /// A partition of these classes, read as one of the states.
    pub(super) fn then(&self, coarser: &Partition) -> Partition {
        Self::from_keys(self.class_of.iter().map(|&class| coarser.class_of[class as usize]))
    }
}
