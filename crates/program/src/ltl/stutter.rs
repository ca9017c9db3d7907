//! Whether words that differ only in how often letters are repeated are accepted alike.
//!
//! T. Michaud, A. Duret-Lutz: *Practical stutter-invariance checks for ω-regular languages*, SPIN 2015: words that differ in that way have a
//! common stretching, so let both automata, that of the words and that of all others, read letters as often as they like; they have a
//! word in common if and only if some word is accepted and one that differs from it in that way is not.

use super::automaton::{Automaton, Edge};
use super::condition::{Condition, Conditions, NEVER};
use rustc_hash::{FxHashMap, FxHashSet};

/// Letters that are told apart.
const MOST_LETTERS: usize = 256;
/// States of automata that are looked at.
const MOST_STATES: usize = 50_000;
/// Pairs of states of an automaton and of one that it follows.
const MOST_POSITIONS: usize = 5_000;
/// Sets of states that are looked at.
const MOST_SETS: usize = 1_000;

/// Whether it does not matter how often letters are repeated; the second automaton is one for all words that the first does not
/// accept. Nothing if that is too much to find out.
pub fn is_invariant(words: &Automaton, others: &Automaton, conditions: &mut Conditions) -> Option<bool> {
    let letters = conditions.letters([words.conditions(), others.conditions()].concat(), MOST_LETTERS)?;
    let one = stretched(words, &letters, conditions)?;
    let two = stretched(others, &letters, conditions)?;
    Some(one.product(&two, conditions, MOST_STATES)?.is_empty())
}

/// Whether an automaton with one set of states can follow all words that differ in how often letters are repeated from one that it accepts:
/// if so it does not matter how often they are. Asked without an automaton for other words, and so of larger ones; that the answer is no
/// means nothing.
pub fn follows_itself(automaton: &Automaton, conditions: &mut Conditions) -> bool {
    let letters = conditions.letters(automaton.conditions(), MOST_LETTERS);
    let Some(longer) = letters.and_then(|letters| stretched(automaton, &letters, conditions)) else { return false };
    let positions = |other: &Automaton| other.states.len() * automaton.states.len();
    if automaton.states.is_empty() || positions(&longer) > MOST_POSITIONS {
        return false;
    }
    let shorter = shrunk(automaton, conditions);
    [shorter, longer].iter().all(|other| is_followed(other, automaton, conditions))
}

/// Whether one automaton has an answer to every edge of another one, such that it comes through its set again and again if the other one
/// does (fair simulation). A game with three colours: the greatest set of positions from which the least set is reached again and again in
/// which the other one came through its set only where the first one has done so since.
fn is_followed(other: &Automaton, automaton: &Automaton, conditions: &mut Conditions) -> bool {
    let (rows, columns) = (other.states.len(), automaton.states.len());
    let mut again = vec![true; rows * columns];
    loop {
        let mut owed = vec![false; rows * columns];
        loop {
            let mut plain = vec![true; rows * columns];
            loop {
                let mut answered = |at: usize| {
                    other.states[at / columns].iter().all(|edge| {
                        let mut left = edge.when;
                        for answer in &automaton.states[at % columns] {
                            let to = edge.to * columns + answer.to;
                            let good = match (answer.marks == automaton.sets, edge.marks == other.sets) {
                                (true, _) => again[to],
                                (false, true) => owed[to],
                                (false, false) => plain[to],
                            };
                            if good {
                                left = conditions.without(left, answer.when);
                            }
                        }
                        left == NEVER
                    })
                };
                let next: Vec<bool> = (0..plain.len()).map(|at| plain[at] && answered(at)).collect();
                if next == plain {
                    break;
                }
                plain = next;
            }
            if plain == owed {
                break;
            }
            owed = plain;
        }
        if owed == again {
            return again[0];
        }
        again = owed;
    }
}

/// The same automaton, but of letters that are repeated any number may be left out.
fn shrunk(automaton: &Automaton, conditions: &mut Conditions) -> Automaton {
    let mut states = automaton.states.clone();
    loop {
        let mut changed = false;
        for edges in &mut states {
            let mut at = 0;
            while at < edges.len() {
                let edge = edges[at];
                at += 1;
                for more in &automaton.states[edge.to] {
                    let (when, marks) = (conditions.and(edge.when, more.when), edge.marks | more.marks);
                    let known = edges.iter_mut().find(|known| (known.to, known.marks) == (more.to, marks));
                    match known {
                        Some(known) => {
                            let joined = conditions.or(known.when, when);
                            changed |= joined != known.when;
                            known.when = joined;
                        }
                        None if when != NEVER => edges.push(Edge { to: more.to, when, marks }),
                        None => {}
                    }
                }
            }
        }
        if !changed {
            return Automaton { states, sets: automaton.sets };
        }
    }
}

/// Whether it does not matter how often letters are repeated for how far a word can be read, up to where everything is accepted;
/// nothing if that is too much to find out.
///
/// What can be read further on after a letter is the same after the letter and once more the letter: looked at on sets of states.
pub fn follows_repetitions(automaton: &Automaton, conditions: &mut Conditions) -> Option<bool> {
    let letters = conditions.letters(automaton.conditions(), MOST_LETTERS)?;
    let told = |set: &[usize]| set.iter().any(|&state| automaton.accepts_all(state));
    let first = if automaton.states.is_empty() { Vec::new() } else { vec![0] };
    let mut numbers = FxHashMap::from_iter([(first.clone(), 0)]);
    let (mut order, mut next) = (vec![first], Vec::<Vec<usize>>::new());
    while next.len() < order.len() {
        let set = order[next.len()].clone();
        let mut row = Vec::new();
        for &letter in &letters {
            let mut to: Vec<usize> = Vec::new();
            let all = set.iter().filter(|_| !told(&set)).flat_map(|&state| &automaton.states[state]);
            to.extend(all.filter(|edge| conditions.implies(letter, edge.when)).map(|edge| edge.to));
            to.sort_unstable();
            to.dedup();
            // The violation is told, and nothing behind it counts.
            let to = if told(&set) { set.clone() } else { to };
            row.push(*numbers.entry(to).or_insert_with_key(|to| {
                order.push(to.clone());
                order.len() - 1
            }));
        }
        if order.len() > MOST_SETS {
            return None;
        }
        next.push(row);
    }
    // Sets after which the same can be read.
    let mut class: Vec<usize> =
        order.iter().map(|set| if told(set) { 2 } else { usize::from(!set.is_empty()) }).collect();
    loop {
        let mut finer = FxHashMap::default();
        let refined: Vec<usize> = (0..order.len())
            .map(|set| {
                let after: Vec<usize> = next[set].iter().map(|&to| class[to]).collect();
                let fresh = finer.len();
                *finer.entry((class[set], after)).or_insert(fresh)
            })
            .collect();
        let settled = finer.len() == class.iter().collect::<FxHashSet<_>>().len();
        class = refined;
        if settled {
            break;
        }
    }
    let repeats =
        |row: &Vec<usize>| (0..letters.len()).all(|letter| class[next[row[letter]][letter]] == class[row[letter]]);
    Some(next.iter().all(repeats))
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
