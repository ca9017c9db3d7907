//! An automaton for all words that another one does not accept.
//!
//! O. Kupferman, M. Vardi: *Weak alternating automata are not that weak*, TOCL 2001: no run is accepted if and only if states along all runs can be
//! ranked so that ranks never grow, accepting states have even ones, and every run has an odd one in the end. There are exponentially many
//! ranks, so this is for automata of a few states.

use super::automaton::{Automaton, Edge, merged};
use super::condition::{Condition, Conditions};
use super::simulation::is_accepting;
use rustc_hash::FxHashMap;

/// States of the automaton that is complemented.
const MOST_RANKED: usize = 6;
/// States of the result.
const MOST_STATES: usize = 4_000;

/// The rank of each state that a run may be in, and whether an odd rank is still waited for.
type Ranking = Vec<Option<(u8, bool)>>;

/// The automaton for all other words; nothing if it is too large. Edges of a state have the same marks in the one that is given.
pub fn complement(automaton: &Automaton, letters: &[Condition], conditions: &mut Conditions) -> Option<Automaton> {
    let count = automaton.states.len();
    if count > MOST_RANKED {
        return None;
    }
    let accepting: Vec<bool> = (0..count).map(|state| is_accepting(automaton, state)).collect();
    let highest = 2 * accepting.iter().filter(|&&accepts| !accepts).count() as u8;
    let mut first: Ranking = vec![None; count];
    first.iter_mut().take(1).for_each(|rank| *rank = Some((highest, false)));
    let mut numbers = FxHashMap::from_iter([(first.clone(), 0)]);
    let (mut order, mut states) = (vec![first], Vec::new());
    while states.len() < order.len() {
        let ranking = order[states.len()].clone();
        let mut edges = Vec::new();
        for &letter in letters {
            for next in after(automaton, &accepting, &ranking, letter, conditions) {
                let marks = u64::from(!next.iter().flatten().any(|&(_, waits)| waits));
                let to = *numbers.entry(next).or_insert_with_key(|next| {
                    order.push(next.clone());
                    order.len() - 1
                });
                edges.push(Edge { to, when: letter, marks });
            }
            if order.len() > MOST_STATES {
                return None;
            }
        }
        states.push(merged(edges, conditions));
    }
    Some(Automaton { states, sets: 1 }.trimmed(conditions))
}

/// All rankings after a letter.
fn after(
    automaton: &Automaton,
    accepting: &[bool],
    ranking: &Ranking,
    letter: Condition,
    conditions: &mut Conditions,
) -> Vec<Ranking> {
    let settled = !ranking.iter().flatten().any(|&(_, waits)| waits);
    // The highest rank that is allowed, and whether some run that waits comes there.
    let mut most: Ranking = vec![None; ranking.len()];
    for (state, rank) in ranking.iter().enumerate() {
        let Some((rank, waits)) = *rank else { continue };
        for edge in automaton.states[state].iter().filter(|edge| conditions.implies(letter, edge.when)) {
            let (least, any) = most[edge.to].unwrap_or((rank, false));
            most[edge.to] = Some((least.min(rank), any || waits));
        }
    }
    let mut rankings = vec![Vec::new()];
    for (state, most) in most.into_iter().enumerate() {
        let choices: Vec<Option<(u8, bool)>> = match most {
            None => vec![None],
            Some((most, waits)) => {
                let allowed = (0..=most).filter(|rank| rank % 2 == 0 || !accepting[state]);
                allowed.map(|rank| Some((rank, rank % 2 == 0 && (settled || waits)))).collect()
            }
        };
        rankings = rankings
            .iter()
            .flat_map(|before: &Ranking| choices.iter().map(move |choice| [&before[..], &[*choice]].concat()))
            .collect();
    }
    rankings
}
