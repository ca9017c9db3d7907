//! Runs without an end that do not satisfy a formula: replayed step by step, and the formula evaluated by what it means.
//!
//! No automaton plays a part here: a mistake in a translation must not be repeated.

use super::checked::Replay;
use super::net;
use super::verdict::Asked;
use super::witness::{in_range, possible};
use prequel_model::temporal::{Binary, Unary};
use prequel_model::{LabelId, Net, NetAtom, Network, NetworkAtom, StateId, Temporal, Trace, TransitionId};
use std::sync::Arc;

/// Why a run shows nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejected {
    /// It is no path of the network.
    #[error(transparent)]
    NoPath(#[from] super::witness::Rejected),
    /// It cannot be fired.
    #[error(transparent)]
    NoFiring(#[from] net::Rejected),
    /// The cycle starts behind the end.
    #[error("the cycle starts with step {from}, and there are {steps}")]
    NoCycle {
        /// Counted from 1.
        from: usize,
        /// How many there are.
        steps: usize,
    },
    /// It does not come back.
    #[error("the last step does not lead back to where step {from} starts")]
    Open {
        /// Counted from 1.
        from: usize,
    },
    /// Said to end where something can happen.
    #[error("the run goes on: `{what}` can happen in its last state")]
    NotEnded {
        /// What can happen.
        what: String,
    },
    /// It satisfies the formula.
    #[error("the run satisfies the formula")]
    Satisfied,
}

impl<A> Asked for Temporal<A> {
    fn witness_shows(&self) -> bool {
        false
    }
}

/// A run of a network: from one step on all are repeated for ever, or nothing happens any more.
#[derive(Clone, Debug)]
pub struct NetworkLasso {
    /// The network.
    pub network: Arc<Network>,
    /// What the run does not satisfy, if anything is asked.
    pub formula: Option<Temporal<NetworkAtom>>,
    /// All steps.
    pub trace: Trace,
    /// The step that the cycle starts with; behind the last one where nothing can happen any more.
    pub from: usize,
}

impl Replay for NetworkLasso {
    /// The last global state.
    type End = Vec<StateId>;
    type Rejected = Rejected;

    fn replay(&self) -> Result<Vec<StateId>, Rejected> {
        let (network, steps) = (&*self.network, &self.trace.steps);
        in_range(network, &self.trace)?;
        let last = self.trace.replay(network).map_err(super::witness::Rejected::from)?;
        let mut states = vec![network.initial()];
        for step in steps {
            let mut next = states[states.len() - 1].clone();
            step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
            states.push(next);
        }
        let labels: Vec<LabelId> = steps.iter().map(|step| step.label).collect();
        let end = || possible(network, &last).map_or(Ok(()), |what| Err(Rejected::NotEnded { what }));
        let word = Word::new(&states, labels, self.from, end)?;
        let holds = |at: usize, atom: &NetworkAtom| match atom {
            NetworkAtom::In(goal) => goal.holds(&|c| states[at][c.at()]),
            NetworkAtom::Takes(labels) => word.deed(at).is_some_and(|label| labels.contains(label)),
        };
        word.violates(self.formula.as_ref(), &holds)?;
        Ok(last)
    }

    fn shows(&self) -> Option<bool> {
        self.formula.as_ref().map(|_| false)
    }
}

/// A run of a Petri net: from one transition on all are fired again for ever, or nothing can fire any more.
#[derive(Clone, Debug)]
pub struct NetLasso {
    /// The net.
    pub net: Arc<Net>,
    /// What the run does not satisfy, if anything is asked.
    pub formula: Option<Temporal<NetAtom>>,
    /// All transitions.
    pub sequence: Vec<TransitionId>,
    /// The one that the cycle starts with; behind the last one where nothing can fire any more.
    pub from: usize,
}

impl Replay for NetLasso {
    /// The last marking.
    type End = Vec<u32>;
    type Rejected = Rejected;

    fn replay(&self) -> Result<Vec<u32>, Rejected> {
        let net = &*self.net;
        let last = net::replay(net, &self.sequence)?;
        let mut markings = vec![net.initial().to_vec()];
        for &t in &self.sequence {
            let mut next = markings[markings.len() - 1].clone();
            net.fire(&mut next, t).expect("it was fired before");
            markings.push(next);
        }
        let can_fire = |&t: &TransitionId| net.enabled(&|p| last[p.at()], t);
        let end = || match net.transitions().find(can_fire) {
            Some(t) => Err(Rejected::NotEnded { what: net.transition(t).into() }),
            None => Ok(()),
        };
        let word = Word::new(&markings, self.sequence.clone(), self.from, end)?;
        let holds = |at: usize, atom: &NetAtom| match atom {
            NetAtom::Holds(condition) => condition.holds(net, &|p| markings[at][p.at()]),
            NetAtom::Fires(t) => word.deed(at) == Some(t),
        };
        word.violates(self.formula.as_ref(), &holds)?;
        Ok(last)
    }

    fn shows(&self) -> Option<bool> {
        self.formula.as_ref().map(|_| false)
    }
}

/// A word without an end: the letters, those of which the last ones come again and again.
struct Word<D> {
    /// What happens in each; nothing in the last one of a run that ends.
    deeds: Vec<D>,
    letters: usize,
    /// The letter that follows the last one.
    back: usize,
}

impl<D> Word<D> {
    /// The word of a run through these states, one more than deeds.
    fn new<S: PartialEq>(
        states: &[S],
        deeds: Vec<D>,
        from: usize,
        ends: impl FnOnce() -> Result<(), Rejected>,
    ) -> Result<Self, Rejected> {
        let steps = deeds.len();
        if from > steps {
            return Err(Rejected::NoCycle { from: from + 1, steps });
        }
        if from == steps {
            // The last state is a letter of its own, which is repeated.
            ends()?;
            return Ok(Self { deeds, letters: steps + 1, back: steps });
        }
        if states[from] != states[steps] {
            return Err(Rejected::Open { from: from + 1 });
        }
        Ok(Self { deeds, letters: steps, back: from })
    }

    fn deed(&self, at: usize) -> Option<&D> {
        self.deeds.get(at)
    }

    fn violates<A>(&self, formula: Option<&Temporal<A>>, holds: &impl Fn(usize, &A) -> bool) -> Result<(), Rejected> {
        match formula {
            Some(formula) if self.evaluate(formula, holds)[0] => Err(Rejected::Satisfied),
            _ => Ok(()),
        }
    }

    /// Where a formula holds.
    fn evaluate<A>(&self, formula: &Temporal<A>, holds: &impl Fn(usize, &A) -> bool) -> Vec<bool> {
        let always = |value: bool| vec![value; self.letters];
        match formula {
            Temporal::Constant(value) => always(*value),
            Temporal::Atom(atom) => (0..self.letters).map(|at| holds(at, atom)).collect(),
            Temporal::One(op, a) => {
                let a = self.evaluate(a, holds);
                match op {
                    Unary::Not => a.into_iter().map(|a| !a).collect(),
                    Unary::Next => (0..self.letters).map(|at| a[self.next(at)]).collect(),
                    Unary::Always => self.fix(&a, &always(false), true),
                    Unary::Eventually => self.fix(&always(true), &a, false),
                }
            }
            Temporal::Two(op, a, b) => {
                let (a, b) = (self.evaluate(a, holds), self.evaluate(b, holds));
                let both = |f: &dyn Fn(bool, bool) -> bool| a.iter().zip(&b).map(|(&a, &b)| f(a, b)).collect();
                match op {
                    Binary::And => both(&|a, b| a && b),
                    Binary::Or => both(&|a, b| a || b),
                    Binary::Implies => both(&|a, b| !a || b),
                    Binary::Equivalent => both(&|a, b| a == b),
                    Binary::Until => self.fix(&a, &b, false),
                    Binary::WeakUntil => self.fix(&a, &b, true),
                    Binary::Release => {
                        let released: Vec<bool> = both(&|a, b| a && b);
                        self.fix(&b, &released, true)
                    }
                }
            }
        }
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 == self.letters { self.back } else { at + 1 }
    }

    /// The least or the greatest solution of `x = b || a && X x`.
    fn fix(&self, a: &[bool], b: &[bool], greatest: bool) -> Vec<bool> {
        let mut x = vec![greatest; self.letters];
        // What the cycle says of its start is known after it was gone round once.
        for _ in 0..2 {
            for at in (0..self.letters).rev() {
                x[at] = b[at] || a[at] && x[self.next(at)];
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::{Component, Labels, Lts, Move, Step, Transition};

    /// States 0 → 1 → 2 → 1 by `a`, `b` and `c`, and from 2 to 3 by `end`.
    fn network() -> (Arc<Network>, Vec<LabelId>) {
        let mut labels = Labels::new();
        let ids: Vec<LabelId> = ["a", "b", "c", "end"].map(|name| labels.intern(name)).into();
        let edge = |(source, label, target): (u32, usize, u32)| Transition {
            source: StateId(source),
            label: ids[label],
            target: StateId(target),
        };
        let lts = Lts::new(StateId(0), 4, [(0, 0, 1), (1, 1, 2), (2, 2, 1), (2, 3, 3)].map(edge).into());
        (Arc::new(Network::new(labels, vec![Component::new("x", lts)])), ids)
    }

    fn replayed(
        path: &[(u32, usize, u32)],
        from: usize,
        formula: impl FnOnce(&[LabelId]) -> Temporal<NetworkAtom>,
    ) -> Result<Vec<StateId>, Rejected> {
        let (network, ids) = network();
        let component = prequel_model::ComponentId(0);
        let step = |&(from, label, to): &(u32, usize, u32)| Step {
            label: ids[label],
            moves: vec![Move { component, from: StateId(from), to: StateId(to) }],
        };
        let trace = Trace { steps: path.iter().map(step).collect() };
        NetworkLasso { network, formula: Some(formula(&ids)), trace, from }.replay()
    }

    fn takes(label: LabelId) -> Temporal<NetworkAtom> {
        Temporal::Atom(NetworkAtom::Takes(vec![label]))
    }

    #[test]
    fn a_lasso_closes_and_does_not_satisfy_the_formula() {
        let lasso = [(0, 0, 1), (1, 1, 2), (2, 2, 1)];
        let never_ends = |ids: &[LabelId]| Temporal::one(Unary::Eventually, takes(ids[3]));
        assert_eq!(replayed(&lasso, 1, never_ends), Ok(vec![StateId(1)]));
        assert_eq!(replayed(&lasso, 0, never_ends), Err(Rejected::Open { from: 1 }));
        assert_eq!(replayed(&lasso, 2, never_ends), Err(Rejected::Open { from: 3 }));
        assert_eq!(replayed(&lasso, 4, never_ends), Err(Rejected::NoCycle { from: 5, steps: 3 }));
        let again = |ids: &[LabelId]| Temporal::one(Unary::Always, Temporal::one(Unary::Eventually, takes(ids[2])));
        assert_eq!(replayed(&lasso, 1, again), Err(Rejected::Satisfied));
        assert!(matches!(replayed(&[(0, 0, 2)], 1, again), Err(Rejected::NoPath(_))));
    }

    #[test]
    fn nothing_happens_in_a_state_that_is_repeated() {
        let ended = [(0, 0, 1), (1, 1, 2), (2, 3, 3)];
        let again = |ids: &[LabelId]| Temporal::one(Unary::Always, Temporal::one(Unary::Eventually, takes(ids[3])));
        assert_eq!(replayed(&ended, 3, again), Ok(vec![StateId(3)]));
        let once = |ids: &[LabelId]| Temporal::one(Unary::Eventually, takes(ids[3]));
        assert_eq!(replayed(&ended, 3, once), Err(Rejected::Satisfied));
        assert_eq!(replayed(&ended[..2], 2, again), Err(Rejected::NotEnded { what: "c".into() }));
    }
}
