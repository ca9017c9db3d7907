//! The check of what is assumed, with decision diagrams or by `ic3`, and that of invariants, with a solver.

use super::bounded::solved;
use super::diagram::{Diagrams, Stop};
use super::order;
use super::reach::{Direction, Question, Reached};
use super::unroll::Frames;
use super::{Check, Verdict, Work, ic3};
use prequel_model::run::Run;
use prequel_model::{Aig, Bit, Circuit, Lit, Part, Why};
use prequel_sat::Solver;
use rustc_hash::FxHashSet;

/// Nodes of the first attempt: small systems should not pay for large ones.
const FEW_NODES: usize = 1 << 16;

/// How much larger the next attempt is.
const MORE: usize = 16;

/// Bytes that are used where no limit is set.
const MEMORY: u64 = 4 << 30;

/// Bytes that a node costs, with its share of tables and caches, and as much again for what is not diagrams.
const NODE: u64 = 64;

/// Nodes of somebody who takes turns: an operation on diagrams cannot be interrupted, so it has to be short.
const NODES_IN_TURNS: u64 = 1 << 20;

/// What a check finds.
pub enum Found {
    /// Bad states at this distance.
    Distance(u32),
    /// None; all that is reached is in this set, and nothing leads out of it.
    Nothing(Invariant),
}

/// A set of states.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The graph of its function, with inputs as in the circuit.
    pub aig: Aig,
    /// What holds in its states.
    pub holds: Lit,
}

/// Checks with decision diagrams; what was computed for one check is there for the next.
pub struct Checker<'a> {
    circuit: &'a Circuit,
    run: &'a Run,
    order: Vec<Bit>,
    nodes: usize,
    most: usize,
    diagrams: Option<Diagrams>,
    how: Check,
    /// What `ic3` has learned so far.
    learned: ic3::Levels,
}

impl<'a> Checker<'a> {
    /// For the first states and the bad states of a circuit.
    pub fn new(work: &Work<'a>) -> Self {
        let Work { circuit, run, how } = *work;
        let most = run.limits.memory.unwrap_or(MEMORY) / NODE;
        let most = if run.takes_turns() { most.min(NODES_IN_TURNS) } else { most };
        let most = (most as usize).clamp(1 << 10, u32::MAX as usize / 2);
        let (order, nodes) = (order::variables(circuit), FEW_NODES.min(most));
        Self { circuit, run, order, nodes, most, diagrams: None, how, learned: ic3::Levels::default() }
    }

    /// From now on steps are allowed that were not before.
    pub fn weakened(&mut self) {
        self.learned = ic3::Levels::default();
    }

    /// Whether bad states are reached by steps that all these functions of a graph allow. A function that is once there stays
    /// there, or [`Self::weakened`] says so.
    pub fn check(&mut self, aig: &Aig, steps: &[Lit]) -> Result<Found, Why> {
        if self.how == Check::Ic3 {
            let initial: Vec<Lit> = self.circuit.parts.iter().map(|part| part.initial).collect();
            let question = Question { aig, initial: &initial, steps, bad: self.circuit.bad() };
            return Ok(match ic3::search(&question, &mut self.learned, self.run)? {
                Ok(k) => Found::Distance(k),
                Err(invariant) => Found::Nothing(invariant),
            });
        }
        self.explored(aig, steps, |diagrams, reached| {
            Ok(match reached.distance() {
                Some(k) => Found::Distance(k),
                None => Found::Nothing(invariant(diagrams, reached)?),
            })
        })
    }

    /// A shortest path to a bad state by steps of the circuit itself.
    pub fn path(&mut self) -> Result<Result<Vec<Vec<bool>>, Invariant>, Why> {
        let circuit = self.circuit;
        let steps: Vec<Lit> = circuit.parts.iter().map(|part| part.step).collect();
        self.explored(&circuit.aig, &steps, |diagrams, reached| {
            Ok(match reached.path(diagrams, circuit.bits)? {
                Some(path) => Ok(path),
                None => Err(invariant(diagrams, reached)?),
            })
        })
    }

    /// Explores and looks at what is reached; where there is no room for the diagrams, begins again with more.
    fn explored<T>(
        &mut self,
        aig: &Aig,
        steps: &[Lit],
        look: impl Fn(&Diagrams, &Reached) -> Result<T, Stop>,
    ) -> Result<T, Why> {
        let initial: Vec<Lit> = self.circuit.parts.iter().map(|part| part.initial).collect();
        let question = Question { aig, initial: &initial, steps, bad: self.circuit.bad() };
        loop {
            match self.attempt(&question, &look) {
                Ok(found) => return Ok(found),
                Err(Stop::Limit(why)) => return Err(why),
                Err(Stop::Full) if self.nodes == self.most => {
                    return Err(Why::Memory(format!("{} nodes of decision diagrams", self.most)));
                }
                Err(Stop::Full) => {
                    self.diagrams = None;
                    self.nodes = (self.nodes * MORE).min(self.most);
                }
            }
        }
    }

    fn attempt<T>(
        &mut self,
        question: &Question,
        look: impl Fn(&Diagrams, &Reached) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut diagrams = match self.diagrams.take() {
            Some(diagrams) => diagrams,
            None => Diagrams::new(&self.order, self.nodes)?,
        };
        diagrams.tidy();
        let direction = if self.how == Check::Backward { Direction::Backward } else { Direction::Forward };
        let reached = Reached::explore(&mut diagrams, question, direction, self.run)?;
        let found = look(&diagrams, &reached)?;
        self.diagrams = Some(diagrams);
        Ok(found)
    }
}

/// Decides about a circuit by `ic3` alone.
pub fn by_clauses(work: &Work) -> Result<Verdict, Why> {
    let Work { circuit, run, .. } = *work;
    let [initial, steps] = [|part: &Part| part.initial, |part: &Part| part.step]
        .map(|what| circuit.parts.iter().map(what).collect::<Vec<Lit>>());
    let question = Question { aig: &circuit.aig, initial: &initial, steps: &steps, bad: circuit.bad() };
    let found = run.timed("check", || ic3::path(&question, circuit.bits, run))?;
    Ok(found.map_or_else(Verdict::Invariant, Verdict::Path))
}

fn invariant(diagrams: &Diagrams, reached: &Reached) -> Result<Invariant, Stop> {
    let mut aig = Aig::default();
    let holds = diagrams.function(&reached.invariant()?, &mut aig);
    Ok(Invariant { aig, holds })
}

impl Invariant {
    /// Checks that it has the first states, that no step of the circuit itself leads out of it, and that no bad state is in it; each
    /// by a solver of its own.
    pub(super) fn check(&self, work: &Work) -> Result<(), Why> {
        let Work { circuit, run, .. } = work;
        let possible = |build: &dyn Fn(&mut Solver, &mut Frames)| {
            let (mut solver, mut frames) = (Solver::new(false), Frames::default());
            build(&mut solver, &mut frames);
            solved(&mut solver, run)
        };
        let broken = |what: &str| Err(Why::Broken(format!("the invariant {what}")));
        if possible(&|solver, frames| {
            circuit.parts.iter().for_each(|part| frames.demand(solver, 0, &circuit.aig, part.initial, 0));
            frames.demand(solver, 0, &self.aig, !self.holds, 0);
        })? {
            return broken("does not hold at first");
        }
        let left = |parts: &[&Part]| {
            possible(&|solver, frames| {
                frames.demand(solver, 0, &self.aig, self.holds, 0);
                parts.iter().for_each(|part| frames.demand(solver, 0, &circuit.aig, part.step, 0));
                frames.demand(solver, 0, &self.aig, !self.holds, 1);
            })
        };
        // What the components that have its variables do not leave, all of them do not.
        if left(&self.those_who_change_it(circuit))? && left(&circuit.parts.iter().collect::<Vec<_>>())? {
            return broken("is left by a step");
        }
        if possible(&|solver, frames| {
            frames.demand(solver, 0, &self.aig, self.holds, 0);
            frames.demand(solver, 0, &circuit.aig, circuit.bad(), 0);
        })? {
            return broken("has bad states");
        }
        Ok(())
    }

    /// The components that say how variables of the set change.
    fn those_who_change_it<'a>(&self, circuit: &'a Circuit) -> Vec<&'a Part> {
        let own: FxHashSet<Bit> = self.aig.support(self.holds).into_iter().map(|input| Bit::of(input).0).collect();
        let changes = |part: &&Part| {
            let mut seen = circuit.aig.support(part.step).into_iter().map(Bit::of);
            seen.any(|(bit, after)| after && own.contains(&bit))
        };
        circuit.parts.iter().filter(changes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::Kind;
    use prequel_model::run::Limits;

    /// Two words that stay as they are, whatever they are, and a bit in the middle of their product: its diagram is large in any order.
    fn product() -> Circuit {
        const WIDTH: usize = 9;
        let mut circuit = Circuit::default();
        let words = ["a", "b"].map(|name| circuit.word(name, Kind::Numbers(0, (1 << WIDTH) - 1)));
        let [a, b] =
            words.each_ref().map(|word| word.bits.iter().map(|bit| circuit.aig.input(bit.now())).collect::<Vec<_>>());
        let mut sum = [Lit::FALSE; WIDTH];
        for (shift, &factor) in b.iter().enumerate() {
            let mut carry = Lit::FALSE;
            for at in shift..WIDTH {
                let (x, y) = (sum[at], circuit.aig.and(a[at - shift], factor));
                let half = circuit.aig.xor(x, y);
                sum[at] = circuit.aig.xor(half, carry);
                carry = circuit.aig.choose(half, carry, x);
            }
        }
        let stay: Vec<Lit> = words.iter().map(|word| circuit.stays(word)).collect();
        let step = circuit.aig.all(stay);
        let odd = circuit.aig.and(sum[WIDTH - 1], a[0]);
        let initial = circuit.aig.and(odd, !b[0]);
        circuit.parts.push(Part { name: "product".into(), initial, step });
        circuit.bad = Some(circuit.aig.and(sum[WIDTH - 1], b[0]));
        circuit
    }

    #[test]
    fn a_check_begins_again_with_more_nodes_and_gives_up_where_there_are_no_more() {
        let (circuit, run) = (product(), Run::new(Limits::default(), 0));
        let work = Work { circuit: &circuit, run: &run, how: Check::Bdd };
        let mut checker = Checker { nodes: 1 << 10, most: 1 << 18, ..Checker::new(&work) };
        assert!(checker.path().unwrap().is_err(), "nothing moves, so nothing is reached");
        assert!(checker.nodes > 1 << 10, "a thousand nodes are not enough");
        let mut checker = Checker { nodes: 1 << 10, most: 1 << 10, ..Checker::new(&work) };
        assert!(matches!(checker.path(), Err(Why::Memory(_))));
    }
}
