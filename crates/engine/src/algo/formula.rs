//! Why two states are not bisimilar: a formula of Hennessy–Milner logic that holds in one and not in the other.
//!
//! After Cleaveland ("On automatically explaining bisimulation inequivalence", 1990), with one departure: formulas are read
//! off the partitions "equal in n moves" for n = 0, 1, …, not off the splits of an efficient refinement. This costs a
//! pass over the system per move, but the formula has the least possible nesting: it is the shortest attack in the
//! bisimulation game.

use prequel_model::{Formula, LabelId, Lts, StateId};
use rustc_hash::FxHashMap;

/// Beyond this nesting nobody reads a formula, and building it would nest our own calls too deeply.
const DEPTH: usize = 200;
/// Beyond this many modalities nobody reads a formula.
const SIZE: usize = 1000;

/// A formula over the edges of `graph` that holds in `s` and not in `t`, of least depth.
///
/// Nothing if the two are strongly bisimilar, or if the formula would be too large to be read.
pub(super) fn distinguish(graph: &Lts, s: StateId, t: StateId) -> Option<Formula> {
    let mut levels = vec![graph.states().map(|s| u32::from(graph.is_marked(s))).collect::<Vec<u32>>()];
    let apart = |level: &[u32]| level[s.at()] != level[t.at()];
    let mut classes = 0;
    while !apart(levels.last()?) {
        let (next, count) = next_level(graph, levels.last()?);
        if count == classes || levels.len() > DEPTH {
            return None;
        }
        classes = count;
        levels.push(next);
    }
    Builder { graph, levels, left: SIZE }.build(s, t)
}

/// The classes of states that cannot be told apart in one move more, and how many there are.
fn next_level(graph: &Lts, level: &[u32]) -> (Vec<u32>, usize) {
    let mut numbers: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
    let next = graph
        .states()
        .map(|s| {
            let pairs = graph.row(s).iter().map(|e| u64::from(e.label.0) << 32 | u64::from(level[e.target.at()]));
            let mut key: Vec<u64> = pairs.collect();
            key.sort_unstable();
            key.dedup();
            key.push(u64::from(level[s.at()]));
            let fresh = numbers.len() as u32;
            *numbers.entry(key).or_insert(fresh)
        })
        .collect();
    (next, numbers.len())
}

struct Builder<'a> {
    graph: &'a Lts,
    /// `levels[n]` has the classes of states that cannot be told apart in n moves.
    levels: Vec<Vec<u32>>,
    /// How many modalities may still be built.
    left: usize,
}

impl Builder<'_> {
    /// A formula that holds in `s` and not in `t`, which the last level tells apart.
    fn build(&mut self, s: StateId, t: StateId) -> Option<Formula> {
        let moves = self.levels.partition_point(|level| level[s.at()] == level[t.at()]);
        if moves == 0 {
            return Some(if self.graph.is_marked(s) {
                Formula::Marked
            } else {
                Formula::Not(Box::new(Formula::Marked))
            });
        }
        self.left = self.left.checked_sub(1)?;
        match (self.attack(s, t, moves), self.attack(t, s, moves)) {
            (Some(by_s), by_t) if by_t.as_ref().is_none_or(|by_t| by_s.answers.len() <= by_t.answers.len()) => {
                self.follow(by_s)
            }
            (_, Some(by_t)) => Some(Formula::Not(Box::new(self.follow(by_t)?))),
            (_, None) => unreachable!("states of different classes have different signatures"),
        }
    }

    /// A move of `s` that `t` cannot answer within the same class of the level before, with the fewest answers to refute.
    fn attack(&self, s: StateId, t: StateId, moves: usize) -> Option<Attack> {
        let before = &self.levels[moves - 1];
        let unanswered = self.graph.row(s).iter().filter_map(|e| {
            let mut answers: Vec<StateId> = self.graph.row_on(t, e.label).iter().map(|e| e.target).collect();
            if answers.iter().any(|u| before[u.at()] == before[e.target.at()]) {
                return None;
            }
            // What refutes one state in fewer moves refutes all that look the same in as many.
            answers.sort_unstable_by_key(|u| before[u.at()]);
            answers.dedup_by_key(|u| before[u.at()]);
            Some(Attack { label: e.label, target: e.target, answers })
        });
        unanswered.min_by_key(|attack| attack.answers.len())
    }

    /// The formula of a move: after it, every answer is refuted.
    fn follow(&mut self, attack: Attack) -> Option<Formula> {
        let mut then = Vec::new();
        for answer in attack.answers {
            let refutation = self.build(attack.target, answer)?;
            if !then.contains(&refutation) {
                then.push(refutation);
            }
        }
        Some(Formula::Can(attack.label, then))
    }
}

struct Attack {
    label: LabelId,
    target: StateId,
    answers: Vec<StateId>,
}
