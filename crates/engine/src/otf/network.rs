//! `otf` on a network: its product for the search.
//!
//! A stubborn set is given by a set C of components, closed under:
//!
//! * every label that a component of C offers in its present state is in the set;
//! * if such a label is enabled, all its participants are in C;
//! * if it is disabled, one participant that does not offer it is in C.
//!
//! No step outside the set moves a component of C.

use super::stubborn::{Dependencies, Entered, Scratch};
use super::{Expansion, Space};
use crate::algo::product::Product;
use prequel_model::{ComponentId, Goal, Trace};

/// A network's product with what is looked for in it.
pub struct NetworkSpace<'a> {
    /// The product.
    pub product: Product<'a>,
    /// A goal, or deadlocks where there is none.
    pub target: Option<&'a Goal>,
    /// Whether to explore only stubborn sets.
    pub reduce: bool,
}

impl NetworkSpace<'_> {
    /// The steps along a path of packed states; a monitor's part in them is left out, and so are its own taus.
    pub fn trace(&self, path: &[Vec<u64>], components: usize) -> Trace {
        let step = |pair: &[Vec<u64>]| {
            let mut step = self.product.step_between(&pair[0], &pair[1]).expect("a path of the product");
            step.moves.retain(|m| m.component.at() < components);
            (!step.moves.is_empty()).then_some(step)
        };
        Trace { steps: path.windows(2).filter_map(step).collect() }
    }

    /// Components of which at least one must move before the goal changes from `now` to its opposite.
    fn must_move(&self, state: &[u64], goal: &Goal, now: bool, seeds: &mut Vec<u32>) {
        let local = |c| self.product.local(state, c);
        match goal {
            Goal::In(c, _) => seeds.push(c.0),
            Goal::Not(inner) => self.must_move(state, inner, !now, seeds),
            // Opposite of a false conjunction: every false part must change, so any one of them will do.
            Goal::And(parts) if !now => {
                let part = parts.iter().find(|g| !g.holds(&local)).expect("a false conjunction has a false part");
                self.must_move(state, part, false, seeds);
            }
            Goal::Or(parts) if now => {
                let part = parts.iter().find(|g| g.holds(&local)).expect("a true disjunction has a true part");
                self.must_move(state, part, true, seeds);
            }
            // Here one part changing is enough, and it may be any of them.
            Goal::And(parts) | Goal::Or(parts) => {
                for part in parts {
                    self.must_move(state, part, now, seeds);
                }
            }
        }
    }
}

/// A node is a component; it has as many kinds of steps as offers.
impl Dependencies for Product<'_> {
    fn roots(&self, _: &[u64], roots: &mut Vec<u32>) {
        roots.extend(0..self.len() as u32);
    }

    fn kinds(&self, state: &[u64], node: u32) -> usize {
        let c = ComponentId(node);
        self.part(c).lts.row(self.local(state, c)).len()
    }

    fn depends(&self, state: &[u64], node: u32, kind: usize, entered: &Entered, next: &mut Vec<u32>) -> bool {
        let c = ComponentId(node);
        let label = self.part(c).lts.row(self.local(state, c))[kind].label;
        if label.is_tau() {
            return true;
        }
        let mut blocker = None;
        for &p in self.participants(label) {
            if self.offers(state, p, label).is_empty() {
                if entered.has(p.0) {
                    blocker = Some(p);
                    break;
                }
                blocker = blocker.or(Some(p));
            }
        }
        match blocker {
            Some(p) => next.push(p.0),
            None => next.extend(self.participants(label).iter().map(|p| p.0)),
        }
        blocker.is_none()
    }
}

impl Space for NetworkSpace<'_> {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch::new(self.product.len())
    }

    fn words(&self) -> usize {
        self.product.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.product.initial()
    }

    #[inline]
    fn successors(&self, state: &[u64], scratch: &mut Scratch, out: &mut Vec<u64>) -> Expansion {
        if !self.reduce {
            self.product.successors(state, out);
            return Expansion::Complete;
        }
        match self.target {
            None => scratch.first_with_a_step(&self.product, state),
            Some(goal) => {
                scratch.closure(&self.product, state, |seeds| self.must_move(state, goal, false, seeds));
            }
        }
        for &c in &scratch.chosen {
            self.product.proposed_by(ComponentId(c), state, out);
        }
        Expansion::Complete
    }

    #[inline]
    fn is_target(&self, state: &[u64]) -> bool {
        self.target.is_some_and(|goal| goal.holds(&|c| self.product.local(state, c)))
    }

    fn stuck_is_target(&self) -> bool {
        self.target.is_none()
    }
}
