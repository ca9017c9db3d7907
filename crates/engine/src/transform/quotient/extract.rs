//! Classes from labels: states are separated by each label that holds one of them and not the other.
//!
//! The paper sorts the states by their labels in a tree. Here each label, a set of states, splits the classes that it cuts,
//! which takes time linear in the sizes of the labels; that they come sorted by (cm, p) makes it quasi-linear.

use prequel_model::StateId;

/// States that no label has separated so far.
#[derive(Debug)]
pub struct Classes {
    class_of: Vec<u32>,
    sizes: Vec<u32>,
    /// Per class, while a label is looked at: how many of its states the label holds.
    hit: Vec<u32>,
}

impl Classes {
    /// States with equal keys are together.
    pub fn new(keys: &[u32]) -> Self {
        let classes = keys.iter().max().map_or(0, |most| *most as usize + 1);
        let mut sizes = vec![0; classes];
        keys.iter().for_each(|&key| sizes[key as usize] += 1);
        Self { class_of: keys.to_vec(), sizes, hit: vec![0; classes] }
    }

    /// Separates the states of a label from the others.
    pub fn separate(&mut self, label: impl Iterator<Item = u32> + Clone) {
        const STAYS: u32 = u32::MAX;
        let mut cut = Vec::new();
        for s in label.clone() {
            let class = self.class_of[s as usize];
            if self.hit[class as usize] == 0 {
                cut.push(class);
            }
            self.hit[class as usize] += 1;
        }
        // From counts to the numbers of the new classes; a class that lies within the label is not cut.
        for &class in &cut {
            let count = self.hit[class as usize];
            self.hit[class as usize] = if count == self.sizes[class as usize] {
                STAYS
            } else {
                self.sizes[class as usize] -= count;
                self.sizes.push(count);
                self.hit.push(0);
                self.sizes.len() as u32 - 1
            };
        }
        for s in label {
            let new = self.hit[self.class_of[s as usize] as usize];
            if new != STAYS {
                self.class_of[s as usize] = new;
            }
        }
        cut.iter().for_each(|&class| self.hit[class as usize] = 0);
    }

    /// The class of each state, numbered in the order of first states.
    pub fn numbered(&self) -> Vec<StateId> {
        let mut numbers = vec![u32::MAX; self.sizes.len()];
        let mut next = 0;
        let number = |&class: &u32| {
            let number = &mut numbers[class as usize];
            if *number == u32::MAX {
                *number = next;
                next += 1;
            }
            StateId(*number)
        };
        self.class_of.iter().map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::rng::Rng;

    #[test]
    fn states_are_together_exactly_if_no_label_separates_them() {
        for seed in 0..500 {
            let mut rng = Rng::new(seed);
            let states = rng.between(1, 9);
            let keys: Vec<u32> = (0..states).map(|_| rng.below(2) as u32).collect();
            let labels: Vec<Vec<u32>> =
                (0..rng.below(6)).map(|_| (0..states as u32).filter(|_| rng.chance(40)).collect()).collect();
            let mut classes = Classes::new(&keys);
            labels.iter().for_each(|label| classes.separate(label.iter().copied()));
            let classes = classes.numbered();
            for a in 0..states {
                for b in 0..states {
                    let same = labels.iter().all(|l| l.contains(&(a as u32)) == l.contains(&(b as u32)));
                    assert_eq!(classes[a] == classes[b], same && keys[a] == keys[b], "seed {seed}");
                }
            }
            let mut seen: Vec<StateId> = classes.clone();
            seen.dedup();
            assert_eq!(classes[0], StateId(0));
        }
    }
}
