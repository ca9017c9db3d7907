//! What is left of a goal once some components are known.

use prequel_model::{ComponentId, Goal, StateId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A goal over numbered conditions, simplified: no constants inside, operands sorted, each once.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Formula {
    True,
    False,
    /// A condition, or its negation.
    Is(u32, bool),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

/// The conditions of a goal: a component in one of some states.
#[derive(Default, Debug)]
pub struct Atoms {
    conditions: Vec<(ComponentId, Vec<StateId>)>,
    number: FxHashMap<(ComponentId, Vec<StateId>), u32>,
    by_component: FxHashMap<ComponentId, Vec<u32>>,
}

impl Atoms {
    /// Numbers the conditions of a goal; `states` tells how many states a component has.
    pub fn formula(&mut self, goal: &Goal, states: &impl Fn(ComponentId) -> usize) -> Formula {
        self.build(goal, true, states)
    }

    /// Negation is pushed down to the conditions.
    fn build(&mut self, goal: &Goal, positive: bool, states: &impl Fn(ComponentId) -> usize) -> Formula {
        match goal {
            Goal::In(_, set) if set.is_empty() => constant(!positive),
            Goal::In(c, set) if set.len() == states(*c) => constant(positive),
            Goal::In(c, set) => {
                let fresh = self.conditions.len() as u32;
                let number = *self.number.entry((*c, set.clone())).or_insert(fresh);
                if number == fresh {
                    self.conditions.push((*c, set.clone()));
                    self.by_component.entry(*c).or_default().push(number);
                }
                Formula::Is(number, positive)
            }
            Goal::Not(g) => self.build(g, !positive, states),
            Goal::And(gs) => joined(gs.iter().map(|g| self.build(g, positive, states)).collect(), positive),
            Goal::Or(gs) => joined(gs.iter().map(|g| self.build(g, positive, states)).collect(), !positive),
        }
    }

    /// The conditions on a component.
    pub fn of(&self, c: ComponentId) -> &[u32] {
        self.by_component.get(&c).map_or(&[], Vec::as_slice)
    }

    /// Whether a condition holds where its component is in this state.
    pub fn holds(&self, atom: u32, s: StateId) -> bool {
        self.conditions[atom as usize].1.binary_search(&s).is_ok()
    }

    fn component(&self, atom: u32) -> ComponentId {
        self.conditions[atom as usize].0
    }
}

fn constant(value: bool) -> Formula {
    if value { Formula::True } else { Formula::False }
}

/// A conjunction (or a disjunction), simplified.
fn joined(operands: Vec<Formula>, all: bool) -> Formula {
    let mut kept = Vec::new();
    for operand in operands {
        match operand {
            Formula::True | Formula::False if (operand == Formula::True) == all => {}
            Formula::True | Formula::False => return operand,
            Formula::All(inner) if all => kept.extend(inner),
            Formula::Any(inner) if !all => kept.extend(inner),
            other => kept.push(other),
        }
    }
    kept.sort_unstable();
    kept.dedup();
    match kept.len() {
        0 => constant(all),
        1 => kept.swap_remove(0),
        _ if all => Formula::All(kept),
        _ => Formula::Any(kept),
    }
}

impl Formula {
    /// What is left where these conditions (in order of their numbers) are known.
    pub fn under(&self, values: &[(u32, bool)]) -> Formula {
        match self {
            Formula::True | Formula::False => self.clone(),
            Formula::Is(atom, positive) => match values.binary_search_by_key(atom, |(known, _)| *known) {
                Ok(at) => constant(values[at].1 == *positive),
                Err(_) => self.clone(),
            },
            Formula::All(operands) => joined(operands.iter().map(|f| f.under(values)).collect(), true),
            Formula::Any(operands) => joined(operands.iter().map(|f| f.under(values)).collect(), false),
        }
    }

    /// The components that it is about, sorted, each once.
    pub fn components(&self, atoms: &Atoms) -> Vec<ComponentId> {
        let mut components = Vec::new();
        self.collect(atoms, &mut components);
        components.sort_unstable();
        components.dedup();
        components
    }

    fn collect(&self, atoms: &Atoms, into: &mut Vec<ComponentId>) {
        match self {
            Formula::True | Formula::False => {}
            Formula::Is(atom, _) => into.push(atoms.component(*atom)),
            Formula::All(operands) | Formula::Any(operands) => operands.iter().for_each(|f| f.collect(atoms, into)),
        }
    }

    /// An order of its components in which few operands are half known at any time: those are what a reader must remember.
    pub fn order(&self, atoms: &Atoms) -> Vec<ComponentId> {
        let operands: Vec<Vec<ComponentId>> = match self {
            Formula::All(operands) | Formula::Any(operands) => operands.iter().map(|f| f.components(atoms)).collect(),
            _ => vec![self.components(atoms)],
        };
        let mut unread: BTreeSet<ComponentId> = self.components(atoms).into_iter().collect();
        let mut about: FxHashMap<ComponentId, Vec<usize>> = FxHashMap::default();
        for (at, components) in operands.iter().enumerate() {
            components.iter().for_each(|&c| about.entry(c).or_default().push(at));
        }
        let mut left: Vec<usize> = operands.iter().map(Vec::len).collect();
        // Unread components of operands that are half known: one of them is next, or the first if there is none.
        let mut near: BTreeSet<ComponentId> = BTreeSet::new();
        let mut order = Vec::with_capacity(unread.len());
        while let Some(&first) = unread.first() {
            // Operands that reading it would open, less those that it would close.
            let change = |c: &ComponentId| -> i64 {
                let of = |&at: &usize| match (left[at] == operands[at].len(), left[at] == 1) {
                    (true, true) | (false, false) => 0,
                    (true, false) => 1,
                    (false, true) => -1,
                };
                about[c].iter().map(of).sum()
            };
            let c = near.iter().copied().min_by_key(|c| (change(c), *c)).unwrap_or(first);
            unread.remove(&c);
            near.remove(&c);
            for &at in &about[&c] {
                if left[at] == operands[at].len() {
                    near.extend(operands[at].iter().filter(|c| unread.contains(c)));
                }
                left[at] -= 1;
            }
            order.push(c);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::random;
    use prequel_families::random::Shape;
    use prequel_model::rng::Rng;

    /// Reading all components of a random goal, in the order it asks for, leaves what the goal says of the state.
    #[test]
    fn what_is_left_in_the_end_is_the_goals_value() {
        for seed in 0..2000 {
            let network = random::network(seed, &Shape::default());
            let mut rng = Rng::new(seed);
            let goal = random::goal(&mut rng, &network);
            let state: Vec<StateId> =
                network.components().iter().map(|c| StateId::new(rng.below(c.lts.num_states()))).collect();
            let mut atoms = Atoms::default();
            let formula = atoms.formula(&goal, &|c| network.component(c).lts.num_states());
            let order = formula.order(&atoms);
            assert_eq!(
                {
                    let mut sorted = order.clone();
                    sorted.sort_unstable();
                    sorted
                },
                formula.components(&atoms)
            );
            let read = |left: Formula, c: &ComponentId| {
                let values: Vec<(u32, bool)> =
                    atoms.of(*c).iter().map(|&a| (a, atoms.holds(a, state[c.at()]))).collect();
                left.under(&values)
            };
            assert_eq!(order.iter().fold(formula, read), constant(goal.holds(&|c| state[c.at()])), "seed {seed}");
        }
    }
}
