//! What a formula excludes, for searches that look at letters themselves.

use super::automaton::Automaton;
use super::condition::Conditions;
use super::generalised;
use super::term::Terms;
use prequel_model::Temporal;

/// An automaton for the runs that a formula excludes. A run is accepted that takes edges of each set again and again.
pub struct Excluded {
    automaton: Automaton,
    conditions: Conditions,
}

impl Excluded {
    /// What a formula over numbered atoms excludes; nothing if the automaton is too large.
    pub fn by(formula: &Temporal<u32>) -> Option<Self> {
        let mut terms = Terms::default();
        let formula = formula.map(&mut |&atom| terms.conditions.atom(atom));
        let formula = terms.of(&formula);
        let negation = terms.not(formula);
        let automaton = generalised(negation, &mut terms)?;
        Some(Self { automaton, conditions: terms.conditions })
    }

    /// How many states there are; it starts in state 0. Without states nothing is excluded.
    pub fn states(&self) -> usize {
        self.automaton.states.len()
    }

    /// Where it goes with a letter in which these atoms hold, each with the sets that the edge belongs to; what is no set is in all.
    #[inline]
    pub fn next(&self, state: usize, atom: &impl Fn(u32) -> bool, mut to: impl FnMut(usize, u64)) {
        for edge in &self.automaton.states[state] {
            if self.conditions.holds(edge.when, atom) {
                to(edge.to, edge.marks | !self.automaton.sets);
            }
        }
    }
}
