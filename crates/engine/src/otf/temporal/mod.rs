//! Runs of networks and Petri nets that a formula excludes: the product of the system and an automaton for them.
//!
//! A state of the product is one of the system and one of the automaton. The automaton reads the state of the system together with the
//! step that leaves it; both are one edge, which has the marks of the automaton's. Where nothing can be done, the state is repeated and
//! no step is read. Every step counts: nothing is left out.

mod net;
mod network;

pub use net::net;
pub use network::network;

use super::cycles::{Found, MarkedSpace, Seeks, search_together};
use super::{Expansion, Stop};
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_program::Excluded;

/// What became of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<S> {
    /// A run that the formula excludes.
    Found(Lasso<S>),
    /// There is none.
    Absent,
    /// The search did not come to an end.
    Unknown(Why),
}

/// A run without an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso<S> {
    /// All steps.
    pub steps: Vec<S>,
    /// The step that the cycle starts with; behind the last one where nothing can be done any more.
    pub from: usize,
}

/// A system of packed states whose steps are told apart.
trait System: Sync {
    /// What is done in a step.
    type Deed: Copy + Send;

    /// Words per packed state.
    fn words(&self) -> usize;

    /// Where runs start.
    fn initial(&self) -> Vec<u64>;

    /// Appends all successors, and as many deeds; tells whether they all fit.
    fn steps(&self, state: &[u64], out: &mut Vec<u64>, deeds: &mut Vec<Self::Deed>) -> bool;

    /// Whether an atom of the formula holds in a state with what is done next.
    fn holds(&self, atom: u32, state: &[u64], deed: Option<Self::Deed>) -> bool;
}

/// A step that is taken: the state before it, what is done, the state after it.
type Taken<D> = (Vec<u64>, D, Vec<u64>);

/// A system beside the automaton of what a formula excludes.
struct Product<'a, S> {
    system: &'a S,
    excluded: &'a Excluded,
}

/// Looks for a run that is excluded. Nothing where states outgrow their words.
fn find<S: System>(system: &S, excluded: &Excluded, run: &Run) -> Option<Outcome<Taken<S::Deed>>> {
    if excluded.states() == 0 {
        return Some(Outcome::Absent);
    }
    let product = Product { system, excluded };
    Some(match search_together::<_, 1>(&product, run) {
        Ok(Some(Found::Lasso(stem, cycle))) => Outcome::Found(product.lasso(&stem, &cycle)),
        Ok(Some(_)) => unreachable!("nothing but cycles is looked for"),
        Ok(None) => Outcome::Absent,
        Err(Stop::Limit(why)) => Outcome::Unknown(why),
        Err(Stop::Outgrown) => return None,
    })
}

impl<S: System> Product<'_, S> {
    /// The steps of a lasso of the product that are steps of the system.
    fn lasso(&self, stem: &[Vec<u64>], cycle: &[(Vec<u64>, [u64; 1])]) -> Lasso<Taken<S::Deed>> {
        let mut steps: Vec<_> = stem.windows(2).filter_map(|pair| self.step(&pair[0], &pair[1], 0)).collect();
        let from = steps.len();
        for (at, (state, marks)) in cycle.iter().enumerate() {
            let (next, _) = cycle.get(at + 1).unwrap_or(&cycle[0]);
            steps.extend(self.step(state, next, marks[0]));
        }
        Lasso { steps, from }
    }

    /// The step of an edge between two states with at least these marks; nothing where the state of the system is repeated.
    fn step(&self, from: &[u64], to: &[u64], marks: u64) -> Option<Taken<S::Deed>> {
        let words = self.system.words();
        let ((state, automaton), (target, aim)) = (from.split_at(words), to.split_at(words));
        let (mut out, mut deeds) = (Vec::new(), Vec::new());
        self.system.steps(state, &mut out, &mut deeds);
        let mut successors = out.chunks_exact(words).zip(deeds);
        let (_, deed) = successors.find(|&(next, deed)| {
            let mut fits = false;
            if next == target {
                let holds = |atom| self.system.holds(atom, state, Some(deed));
                let to = |next: usize, found: u64| fits |= next as u64 == aim[0] && marks & !found == 0;
                self.excluded.next(automaton[0] as usize, &holds, to);
            }
            fits
        })?;
        Some((state.to_vec(), deed, target.to_vec()))
    }
}

impl<S: System> MarkedSpace<1> for Product<'_, S> {
    type Scratch = (Vec<u64>, Vec<S::Deed>);

    fn scratch(&self) -> Self::Scratch {
        Default::default()
    }

    fn words(&self) -> usize {
        self.system.words() + 1
    }

    fn initial(&self) -> Vec<u64> {
        [self.system.initial(), vec![0]].concat()
    }

    fn edges(&self, state: &[u64], (successors, deeds): &mut Self::Scratch, out: &mut Vec<u64>) -> Expansion {
        let words = self.system.words();
        let (state, automaton) = (&state[..words], state[words] as usize);
        successors.clear();
        deeds.clear();
        if !self.system.steps(state, successors, deeds) {
            return Expansion::Outgrown;
        }
        let mut add = |next: &[u64], deed: Option<S::Deed>| {
            let holds = |atom| self.system.holds(atom, state, deed);
            self.excluded.next(automaton, &holds, |to, marks| {
                out.extend_from_slice(next);
                out.extend([to as u64, marks]);
            });
        };
        if deeds.is_empty() {
            add(state, None);
        }
        successors.chunks_exact(words).zip(deeds).for_each(|(next, &mut deed)| add(next, Some(deed)));
        Expansion::Complete
    }

    fn seeks(&self) -> Seeks {
        Seeks::Cycle(None)
    }
}
