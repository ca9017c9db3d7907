//! Which machines are composed next.
//!
//! H. Flordal, R. Malik: *Compositional verification in supervisory control* (2009) choose in two steps: candidates, and the best of them.
//!
//! | candidates | |
//! | --- | --- |
//! | `must-l` | for each label all that take part in it: it can be hidden afterwards |
//! | `pairs` | each two that share a label |
//!
//! | the best one has | |
//! | --- | --- |
//! | `min-sync` | the fewest states, by composing it |
//! | `min-s` | the fewest states, estimated: the product of sizes, times the share of labels that stay |
//! | `max-l` | the largest share of labels that can be hidden |
//! | `max-c` | the largest share of common labels |
//!
//! Candidates are kept from one time to the next: those of machines that are gone die, new machines bring new ones.

use super::fsm::Fsm;
use super::history::Id;
use prequel_model::LabelId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where candidates come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Candidates {
    /// All that take part in a label.
    MustL,
    /// Each two that share a label.
    Pairs,
}

/// Which candidate is best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Select {
    /// The fewest states.
    MinSync,
    /// The fewest states, estimated.
    MinS,
    /// The largest share of labels that can be hidden.
    MaxL,
    /// The largest share of common labels.
    MaxC,
}

/// More than so many are not composed at once as long as there is another way.
const MANY: usize = 8;
/// Beyond so many states, a candidate is only compared by its estimate.
const MOST_TRIED: u64 = 1 << 17;

/// Some machines that may be composed.
struct Candidate {
    members: Vec<Id>,
    /// Logarithm of the estimated number of states.
    estimate: f64,
    /// Shares of labels.
    private: f64,
    common: f64,
    /// States of the composition, and whether there are no more.
    states: Option<(u64, bool)>,
}

/// All candidates.
#[derive(Default)]
pub struct Pool {
    candidates: Vec<Candidate>,
    known: FxHashSet<Vec<Id>>,
}

/// Counts the states of a composition, up to a bound: the number, and whether that is all of them.
pub type Counter<'a, E> = dyn FnMut(&[Id], u64) -> Result<(u64, bool), E> + 'a;

impl Pool {
    /// Forgets the candidates of machines that are gone.
    pub fn remove(&mut self, gone: &[Id]) {
        let dies = |c: &Candidate| c.members.iter().any(|m| gone.contains(m));
        let known = &mut self.known;
        self.candidates.retain(|c| {
            let dies = dies(c);
            if dies {
                known.remove(&c.members);
            }
            !dies
        });
    }

    /// Adds the candidates that a label gives.
    pub fn add(&mut self, way: Candidates, takers: &[Id], machines: &[Fsm], count: impl Fn(LabelId) -> usize) {
        if takers.len() < 2 {
            return;
        }
        let mut sets: Vec<Vec<Id>> = Vec::new();
        if way == Candidates::Pairs || takers.len() > MANY {
            for (at, &one) in takers.iter().enumerate() {
                // Of many, those that are next to each other.
                let far = if takers.len() <= MANY { takers.len() } else { (at + 2).min(takers.len()) };
                sets.extend(takers[at + 1..far].iter().map(|&other| vec![one, other]));
            }
        } else {
            sets.push(takers.to_vec());
        }
        for mut members in sets {
            members.sort_unstable();
            if self.known.insert(members.clone()) {
                self.candidates.push(Candidate::of(members, machines, &count));
            }
        }
    }

    /// The best candidate.
    pub fn best<E>(&mut self, select: Select, states: &mut Counter<E>) -> Result<Option<Vec<Id>>, E> {
        let order = |a: &Candidate, b: &Candidate| a.estimate.total_cmp(&b.estimate).then(a.members.cmp(&b.members));
        if select == Select::MinSync {
            self.candidates.sort_by(order);
            let mut least = MOST_TRIED;
            for c in &mut self.candidates {
                // Known well enough: exactly, or to be more than the best.
                if !c.states.is_some_and(|(known, exact)| exact || known > least) {
                    c.states = Some(states(&c.members, least)?);
                }
                if let Some((known, true)) = c.states {
                    least = least.min(known);
                }
            }
        }
        let best = self.candidates.iter().min_by(|a, b| {
            let size = |c: &Candidate| match c.states {
                Some((states, true)) => states,
                _ => u64::MAX,
            };
            let by = match select {
                Select::MinSync => size(a).cmp(&size(b)).then(b.private.total_cmp(&a.private)),
                Select::MinS => a.estimate.total_cmp(&b.estimate),
                Select::MaxL => b.private.total_cmp(&a.private),
                Select::MaxC => b.common.total_cmp(&a.common),
            };
            by.then_with(|| order(a, b))
        });
        Ok(best.map(|c| c.members.clone()))
    }
}

impl Candidate {
    fn of(members: Vec<Id>, machines: &[Fsm], takers: &impl Fn(LabelId) -> usize) -> Self {
        let mut inside: FxHashMap<LabelId, usize> = FxHashMap::default();
        let alphabets = members.iter().flat_map(|&m| machines[m].alphabet());
        alphabets.for_each(|&l| *inside.entry(l).or_default() += 1);
        let share = |holds: &dyn Fn(LabelId, usize) -> bool| {
            inside.iter().filter(|&(&l, &n)| holds(l, n)).count() as f64 / inside.len().max(1) as f64
        };
        let private = share(&|l, n| takers(l) == n);
        let common = share(&|_, n| n > 1);
        let size: f64 = members.iter().map(|&m| (machines[m].len() as f64).ln()).sum();
        // Nothing goes altogether: an estimate is no more than that.
        Self { estimate: size + (1.0 - private).max(0.05).ln(), private, common, members, states: None }
    }
}
