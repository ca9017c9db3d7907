//! Refinable partitions whose classes keep their identity.
//!
//! A class is a range of a permutation of the states. Splitting reorders inside the range and makes two new classes of its
//! halves, so that a class that was split is still the set that it was: proofs speak of the classes of their time.

use prequel_model::StateId;

/// A class of a partition, now or at some time before.
pub type Class = u32;

/// A partition with the tree of all splits that led to it.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The states, class by class.
    order: Vec<StateId>,
    /// Where a state is in `order`.
    place: Vec<u32>,
    /// The range of each class, split ones too.
    ranges: Vec<(u32, u32)>,
    /// The class of each state now.
    class_of: Vec<Class>,
    /// Whether a class was split.
    split: Vec<bool>,
}

impl Partition {
    /// The partition in which states with equal keys are together; classes are numbered in the order of first states.
    pub fn by_keys<K: Ord + Copy>(keys: &[K]) -> Self {
        let mut order: Vec<StateId> = (0..keys.len()).map(StateId::new).collect();
        order.sort_by_key(|s| (keys[s.at()], *s));
        let mut groups: Vec<&[StateId]> = order.chunk_by(|a, b| keys[a.at()] == keys[b.at()]).collect();
        groups.sort_by_key(|group| group[0]);
        let order: Vec<StateId> = groups.concat();
        let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let (mut place, mut class_of) = (vec![0; keys.len()], vec![0; keys.len()]);
        let mut ranges = Vec::with_capacity(sizes.len());
        let mut start = 0usize;
        for (class, size) in sizes.into_iter().enumerate() {
            for (at, s) in order.iter().enumerate().skip(start).take(size) {
                place[s.at()] = at as u32;
                class_of[s.at()] = class as Class;
            }
            ranges.push((start as u32, (start + size) as u32));
            start += size;
        }
        let split = vec![false; ranges.len()];
        Self { order, place, ranges, class_of, split }
    }

    /// Every state by itself; its class has the state's number.
    pub fn discrete(states: usize) -> Self {
        Self::by_keys(&(0..states).collect::<Vec<_>>())
    }

    /// The class of a state.
    #[inline]
    pub fn class(&self, s: StateId) -> Class {
        self.class_of[s.at()]
    }

    /// The class of every state.
    pub fn classes(&self) -> &[Class] {
        &self.class_of
    }

    /// The states of a class, also of one that was split.
    pub fn members(&self, class: Class) -> &[StateId] {
        let (start, end) = self.ranges[class as usize];
        &self.order[start as usize..end as usize]
    }

    /// How many states a class has.
    #[inline]
    pub fn size(&self, class: Class) -> usize {
        let (start, end) = self.ranges[class as usize];
        (end - start) as usize
    }

    /// Whether a state is in a class, also in one that was split.
    pub fn contains(&self, class: Class, s: StateId) -> bool {
        let (start, end) = self.ranges[class as usize];
        (start..end).contains(&self.place[s.at()])
    }

    /// Whether a class was split.
    #[inline]
    pub fn is_split(&self, class: Class) -> bool {
        self.split[class as usize]
    }

    /// How many classes there have been.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// How many classes there are now.
    pub fn current(&self) -> usize {
        self.split.iter().filter(|split| !**split).count()
    }

    /// How many classes there can ever be: each split makes two and adds one to those there are.
    pub fn most(&self) -> usize {
        self.len() + 2 * (self.order.len() - self.current())
    }

    /// Splits a class into the states that satisfy a condition and the others.
    ///
    /// # Panics
    /// Where one of the halves would be empty: every refinement step is a proper one.
    pub fn split(&mut self, class: Class, condition: impl Fn(StateId) -> bool) -> [Class; 2] {
        let (start, end) = self.ranges[class as usize];
        let (yes, no): (Vec<StateId>, Vec<StateId>) = self.members(class).iter().partition(|&&s| condition(s));
        assert!(!yes.is_empty() && !no.is_empty(), "a split that splits nothing");
        self.split[class as usize] = true;
        let middle = start + yes.len() as u32;
        let halves = [(start, middle, yes), (middle, end, no)].map(|(from, to, states)| {
            let half = self.ranges.len() as Class;
            for (at, s) in (from..).zip(states) {
                self.order[at as usize] = s;
                self.place[s.at()] = at;
                self.class_of[s.at()] = half;
            }
            self.ranges.push((from, to));
            self.split.push(false);
            half
        });
        debug_assert!(self.order.len() >= self.current());
        halves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_class_stays_the_set_it_was() {
        let mut partition = Partition::by_keys(&[7, 1, 7, 7, 1]);
        assert_eq!(partition.classes(), [0, 1, 0, 0, 1]);
        assert_eq!(partition.most(), 2 + 2 * 3);
        let [odd, even] = partition.split(0, |s| s.0 == 3);
        assert_eq!((odd, even), (2, 3));
        let [first, second] = partition.split(even, |s| s.0 == 2);
        assert_eq!(partition.classes(), [second, 1, first, odd, 1]);
        let inside: Vec<u32> = (0..5).filter(|&s| partition.contains(0, StateId(s))).collect();
        assert_eq!(inside, [0, 2, 3]);
        assert!(partition.is_split(0) && partition.is_split(even) && !partition.is_split(1));
        assert_eq!((partition.current(), partition.len()), (4, 6));
        assert_eq!(Partition::discrete(3).classes(), [0, 1, 2]);
    }
}
