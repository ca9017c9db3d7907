//! The smallest deterministic automaton in which all cycles of a component are accepted or none is, where there is one for the words.
//!
//! C. Dax, J. Eisinger, F. Klaedtke: *Mechanizing the powerset construction for restricted classes of ω-automata*, ATVA 2007: make sets of
//! states, ask for one word of each component whether it is accepted, and see whether the result has the same words. Minimal by
//! C. Löding: *Efficient minimization of deterministic weak ω-automata*, IPL 2001.

use super::automaton::{Automaton, Components, Edge, merged};
use super::condition::{Condition, Conditions};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Sets of states that are looked at.
const MOST_SETS: usize = 400;
/// Letters that are told apart.
const MOST_LETTERS: usize = 64;
/// States of products that are looked at.
const MOST_PRODUCT: usize = 20_000;

/// A complete deterministic automaton: for each state whether it accepts, and its successors by letter.
struct Table {
    accepting: Vec<bool>,
    next: Vec<Vec<usize>>,
}

/// The automaton for the words of the first, if there is such a one; the second is one for all other words.
pub fn weak(automaton: &Automaton, others: &Automaton, conditions: &mut Conditions) -> Option<Automaton> {
    if automaton.states.is_empty() {
        return None;
    }
    let letters = conditions.letters(automaton.conditions(), MOST_LETTERS)?;
    let table = sets(automaton, &letters, conditions)?.minimal();
    let (weak, opposite) = (table.automaton(&letters, false, conditions), table.automaton(&letters, true, conditions));
    let apart = |a: &Automaton, b: &Automaton, conditions: &mut Conditions| {
        a.product(b, conditions, MOST_PRODUCT).is_some_and(|both| both.is_empty())
    };
    let same = apart(&weak, others, conditions) && apart(&opposite, automaton, conditions);
    same.then(|| weak.trimmed(conditions))
}

/// The sets of states that an automaton may be in, each accepting if a word on a cycle through its component is accepted.
fn sets(automaton: &Automaton, letters: &[Condition], conditions: &mut Conditions) -> Option<Table> {
    let mut numbers = FxHashMap::from_iter([(vec![0], 0)]);
    let (mut order, mut next) = (vec![vec![0]], Vec::new());
    while next.len() < order.len() {
        let set = order[next.len()].clone();
        let mut row = Vec::new();
        for &letter in letters {
            let edges = set.iter().flat_map(|&state| &automaton.states[state]);
            let mut to: Vec<usize> =
                edges.filter(|edge| conditions.implies(letter, edge.when)).map(|edge| edge.to).collect();
            to.sort();
            to.dedup();
            row.push(*numbers.entry(to).or_insert_with_key(|to| {
                order.push(to.clone());
                order.len() - 1
            }));
        }
        next.push(row);
        if order.len() > MOST_SETS {
            return None;
        }
    }
    let components = Components::find(next.len(), |set| next[set].clone());
    let mut accepts = vec![None; components.count];
    for (set, states) in order.iter().enumerate() {
        let component = components.of[set];
        if accepts[component].is_none() {
            let word = cycle(&next, &components, set);
            let word = word.map(|word| word.into_iter().map(|letter| letters[letter]).collect::<Vec<_>>());
            accepts[component] = word.map(|word| repeats(automaton, states, &word, conditions));
        }
    }
    // Löding's colours: as high as can be, where acceptance is even, and never higher than those of successors.
    let mut colours = vec![usize::MAX; components.count];
    for component in 0..components.count {
        let members = (0..next.len()).filter(|&set| components.of[set] == component);
        let ahead = members.flat_map(|set| &next[set]).map(|&to| components.of[to]).filter(|&to| to != component);
        let least = ahead.map(|to| colours[to]).min().unwrap_or(2 * components.count + 2);
        colours[component] = match accepts[component] {
            Some(accepts) if accepts != (least % 2 == 0) => least - 1,
            _ => least,
        };
    }
    let accepting = components.of.iter().map(|&component| colours[component] % 2 == 0).collect();
    Some(Table { accepting, next })
}

/// Letters that lead from a set back to it.
fn cycle(next: &[Vec<usize>], components: &Components, start: usize) -> Option<Vec<usize>> {
    let mut before: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for (letter, &to) in next[at].iter().enumerate() {
            if components.of[to] != components.of[start] || before.contains_key(&to) {
                continue;
            }
            before.insert(to, (at, letter));
            if to != start {
                open.push_back(to);
                continue;
            }
            let (mut word, mut at) = (Vec::new(), start);
            loop {
                let (earlier, letter) = before[&at];
                word.insert(0, letter);
                at = earlier;
                if at == start {
                    return Some(word);
                }
            }
        }
    }
    None
}

/// Whether a word that is repeated for ever is accepted from one of some states.
fn repeats(automaton: &Automaton, from: &[usize], word: &[Condition], conditions: &mut Conditions) -> bool {
    let mut states: Vec<Vec<Edge>> = Vec::new();
    for number in 0..automaton.states.len() * word.len() {
        let (state, at) = (number / word.len(), number % word.len());
        let reads = automaton.states[state].iter().filter(|edge| conditions.implies(word[at], edge.when));
        let to = |edge: &Edge| Edge { to: edge.to * word.len() + (at + 1) % word.len(), ..*edge };
        states.push(reads.map(to).collect());
    }
    let unrolled = Automaton { states, sets: automaton.sets };
    let components = unrolled.components();
    let good = unrolled.accepting(&components);
    let (mut seen, mut open) = (vec![false; unrolled.states.len()], Vec::new());
    open.extend(from.iter().map(|&state| state * word.len()));
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(unrolled.states[at].iter().map(|edge| edge.to));
        }
    }
    (0..seen.len()).any(|at| seen[at] && good[components.of[at]])
}

impl Table {
    /// States that accept the same words are one.
    fn minimal(&self) -> Self {
        let mut class: Vec<usize> = self.accepting.iter().map(|&accepts| usize::from(accepts)).collect();
        let mut count = 0;
        loop {
            let mut numbers = FxHashMap::default();
            let finer: Vec<usize> = (0..class.len())
                .map(|state| {
                    let row: Vec<usize> = self.next[state].iter().map(|&to| class[to]).collect();
                    let fresh = numbers.len();
                    *numbers.entry((class[state], row)).or_insert(fresh)
                })
                .collect();
            class = finer;
            if numbers.len() == count {
                break;
            }
            count = numbers.len();
        }
        let (mut accepting, mut next) = (vec![false; count], vec![Vec::new(); count]);
        for (state, &own) in class.iter().enumerate() {
            accepting[own] = self.accepting[state];
            next[own] = self.next[state].iter().map(|&to| class[to]).collect();
        }
        Self { accepting, next }
    }

    /// As an automaton whose first state is the first; for all other words if that is wished.
    fn automaton(&self, letters: &[Condition], opposite: bool, conditions: &mut Conditions) -> Automaton {
        let edges = |state: usize| -> Vec<Edge> {
            let marks = u64::from(self.accepting[state] != opposite);
            self.next[state].iter().zip(letters).map(|(&to, &when)| Edge { to, when, marks }).collect()
        };
        let states = (0..self.next.len()).map(|state| merged(edges(state), conditions)).collect();
        Automaton { states, sets: 1 }
    }
}
