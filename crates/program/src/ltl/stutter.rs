//! Whether words that differ only in how often letters are repeated are accepted alike.
//!
//! T. Michaud, A. Duret-Lutz: *Practical stutter-invariance checks for ω-regular languages*, SPIN 2015: words that differ in that way have a
//! common stretching, so let both automata, that of the words and that of all others, read letters as often as they like; they have a
//! word in common if and only if some word is accepted and one that differs from it in that way is not.

use super::automaton::{Automaton, Edge};
use super::condition::{Condition, Conditions};
use rustc_hash::FxHashMap;

/// Letters that are told apart.
const MOST_LETTERS: usize = 256;
/// States of automata that are looked at.
const MOST_STATES: usize = 50_000;

/// Whether it does not matter how often letters are repeated; the second automaton is one for all words that the first does not
/// accept. Nothing if that is too much to find out.
pub fn is_invariant(words: &Automaton, others: &Automaton, conditions: &mut Conditions) -> Option<bool> {
    let letters = conditions.letters([words.conditions(), others.conditions()].concat(), MOST_LETTERS)?;
    let one = stretched(words, &letters, conditions)?;
    let two = stretched(others, &letters, conditions)?;
    Some(one.product(&two, conditions, MOST_STATES)?.is_empty())
}

/// The same automaton, but each letter may be read any number of times more.
pub fn stretched(automaton: &Automaton, letters: &[Condition], conditions: &mut Conditions) -> Option<Automaton> {
    let mut states: Vec<Vec<Edge>> = vec![Vec::new(); automaton.states.len()];
    // Having read a letter on the way to a state, and not there yet.
    let mut between: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for (state, edges) in automaton.states.iter().enumerate() {
        for edge in edges {
            states[state].push(*edge);
            for (number, &letter) in letters.iter().enumerate() {
                if !conditions.implies(letter, edge.when) {
                    continue;
                }
                let waiting = *between.entry((edge.to, number)).or_insert_with(|| {
                    states.push(Vec::new());
                    states.len() - 1
                });
                if states[waiting].is_empty() {
                    let again = [waiting, edge.to].map(|to| Edge { to, when: letter, marks: 0 });
                    states[waiting].extend(again);
                }
                states[state].push(Edge { to: waiting, when: letter, marks: edge.marks });
            }
        }
        if states.len() > MOST_STATES {
            return None;
        }
    }
    Some(Automaton { states, sets: automaton.sets })
}
