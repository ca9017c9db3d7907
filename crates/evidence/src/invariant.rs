//! Sets of states that a circuit does not leave, checked by three questions to a SAT solver. Clauses are made here, node by node: nothing
//! but the solver is shared with the engines.

use super::checked::Replay;
use super::proof::Proof;
use prequel_model::{Aig, Bit, Circuit, Lit, Node};
use prequel_sat::{Outcome, Solver};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Why a set does not show that no bad state is reached.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rejected {
    /// Some first state is not in it.
    #[error("a first state is not in it")]
    NotInitial,
    /// Some step leads out of it.
    #[error("a step leads out of it")]
    Left,
    /// Some bad state is in it.
    #[error("a bad state is in it")]
    Bad,
    /// It is no set of states.
    #[error("it is about steps, and not about states")]
    NoStates,
    /// The solver was stopped.
    #[error("the solver was stopped")]
    Stopped,
}

/// A question to the solver: functions that all hold, of a state and the one after it.
pub(super) struct Question {
    pub(super) solver: Solver,
    of: FxHashMap<(Bit, bool), i32>,
}

impl Question {
    pub(super) fn new() -> Self {
        Self { solver: Solver::new(false), of: FxHashMap::default() }
    }

    /// The solver's variable for a bit, now or after the step.
    pub(super) fn variable(&mut self, bit: Bit, next: bool) -> i32 {
        let solver = &mut self.solver;
        *self.of.entry((bit, next)).or_insert_with(|| solver.variable())
    }

    /// Demands a function; of the later state, where `shift` says so.
    pub(super) fn demand(&mut self, aig: &Aig, f: Lit, shift: bool) {
        let mut variables: FxHashMap<usize, i32> = FxHashMap::default();
        let literal = |variables: &FxHashMap<usize, i32>, f: Lit| {
            let variable = variables[&f.node()];
            if f.is_negated() { -variable } else { variable }
        };
        for node in aig.cone(&[f]) {
            let variable = match aig.nodes()[node] {
                Node::Input(input) => {
                    let (bit, next) = Bit::of(input);
                    self.variable(bit, next || shift)
                }
                Node::False => {
                    let variable = self.solver.variable();
                    self.solver.add(0, &[-variable]);
                    variable
                }
                Node::And(a, b) => {
                    let (a, b) = (literal(&variables, a), literal(&variables, b));
                    let variable = self.solver.variable();
                    self.solver.add(0, &[-variable, a]);
                    self.solver.add(0, &[-variable, b]);
                    self.solver.add(0, &[variable, -a, -b]);
                    variable
                }
            };
            variables.insert(node, variable);
        }
        let root = literal(&variables, f);
        self.solver.add(0, &[root]);
    }

    /// Whether there is such a step; none where the solver was stopped.
    pub(super) fn possible(&mut self, stop: impl FnMut() -> bool + 'static) -> Option<bool> {
        match self.solver.solve(stop) {
            Outcome::Satisfiable => Some(true),
            Outcome::Unsatisfiable => Some(false),
            Outcome::Stopped => None,
        }
    }
}

/// A set of states of a circuit as evidence that no bad one is reached.
pub struct CircuitInvariant<'a> {
    /// The circuit.
    pub circuit: &'a Circuit,
    /// The set: where this holds.
    pub set: (&'a Aig, Lit),
    /// The verdict on the question whose states are the bad ones.
    pub shows: bool,
    /// Asked now and then whether to give up.
    pub stop: Rc<dyn Fn() -> bool>,
}

impl Replay for CircuitInvariant<'_> {
    type End = ();
    type Rejected = Rejected;

    fn replay(&self) -> Result<(), Rejected> {
        let stop = self.stop.clone();
        check(self.circuit, self.set, move || stop())
    }

    fn shows(&self) -> Option<bool> {
        Some(self.shows)
    }

    fn proof(&self) -> Proof {
        Proof::Invariant
    }
}

/// Checks that a set of states has all first states, that no step leads out of it, and that no bad state is in it.
pub fn check(
    circuit: &Circuit,
    (aig, set): (&Aig, Lit),
    stop: impl FnMut() -> bool + Clone + 'static,
) -> Result<(), Rejected> {
    if aig.support(set).into_iter().any(|input| Bit::of(input).1) {
        return Err(Rejected::NoStates);
    }
    let mut first = Question::new();
    circuit.parts.iter().for_each(|part| first.demand(&circuit.aig, part.initial, false));
    first.demand(aig, !set, false);
    if first.possible(stop.clone()).ok_or(Rejected::Stopped)? {
        return Err(Rejected::NotInitial);
    }
    let mut step = Question::new();
    step.demand(aig, set, false);
    circuit.parts.iter().for_each(|part| step.demand(&circuit.aig, part.step, false));
    step.demand(aig, !set, true);
    if step.possible(stop.clone()).ok_or(Rejected::Stopped)? {
        return Err(Rejected::Left);
    }
    let mut bad = Question::new();
    bad.demand(aig, set, false);
    bad.demand(&circuit.aig, circuit.bad(), false);
    if bad.possible(stop).ok_or(Rejected::Stopped)? { Err(Rejected::Bad) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::{Kind, Part};

    #[test]
    fn only_a_set_that_is_not_left_and_has_what_it_must_is_accepted() {
        // Two bits: the first flips, the second stays what it is at first, false.
        let mut circuit = Circuit::default();
        let words = ["x", "y"].map(|name| circuit.word(name, Kind::Truth).bits[0]);
        let [x, y] = words.map(|bit| (circuit.aig.input(bit.now()), circuit.aig.input(bit.next())));
        let step = circuit.aig.xor(x.0, x.1);
        circuit.parts.push(Part { name: "x".into(), initial: !x.0, step });
        let step = circuit.aig.equal(y.0, y.1);
        circuit.parts.push(Part { name: "y".into(), initial: !y.0, step });
        circuit.bad = Some(circuit.aig.and(x.0, y.0));
        let neither = circuit.aig.and(!x.0, !y.0);
        let graph = circuit.aig.clone();
        let check = |set| check(&circuit, (&graph, set), || false);
        assert_eq!(check(!y.0), Ok(()));
        assert_eq!(check(neither), Err(Rejected::Left));
        assert_eq!(check(x.0), Err(Rejected::NotInitial));
        assert_eq!(check(Lit::TRUE), Err(Rejected::Bad));
        assert_eq!(check(Lit::FALSE), Err(Rejected::NotInitial));
        assert_eq!(check(y.1), Err(Rejected::NoStates));
    }
}
