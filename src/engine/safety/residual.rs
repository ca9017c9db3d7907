//! What is left of a goal once some components are known.

use crate::model::{ComponentId, Goal, StateId};
use rustc_hash::FxHashMap;

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
    /// What is left where these conditions are known.
    pub fn under(&self, values: &[(u32, bool)]) -> Formula {
        match self {
            Formula::True | Formula::False => self.clone(),
            Formula::Is(atom, positive) => match values.iter().find(|(known, _)| known == atom) {
                Some((_, holds)) => constant(holds == positive),
                None => self.clone(),
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
        let mut unread = self.components(atoms);
        let mut about: FxHashMap<ComponentId, Vec<usize>> = FxHashMap::default();
        for (at, components) in operands.iter().enumerate() {
            components.iter().for_each(|&c| about.entry(c).or_default().push(at));
        }
        let mut left: Vec<usize> = operands.iter().map(Vec::len).collect();
        let mut order = Vec::with_capacity(unread.len());
        while !unread.is_empty() {
            // Operands that reading it would open, less those that it would close; the first component of the least.
            let change = |c: &ComponentId| -> i64 {
                let of = |&at: &usize| match (left[at] == operands[at].len(), left[at] == 1) {
                    (true, true) | (false, false) => 0,
                    (true, false) => 1,
                    (false, true) => -1,
                };
                about[c].iter().map(of).sum()
            };
            let best = (0..unread.len()).min_by_key(|&at| change(&unread[at])).expect("some are unread");
            let c = unread.remove(best);
            about[&c].iter().for_each(|&at| left[at] -= 1);
            order.push(c);
        }
        order
    }
}
