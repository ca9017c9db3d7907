//! Automata made smaller: a state that can do whatever another can makes edges to that other superfluous, and two that can do what
//! the other can are one.
//!
//! F. Somenzi, R. Bloem (CAV 2000) for direct and reverse simulation; K. Etessami, T. Wilke, R. Schuller: *Fair simulation relations, parity
//! games, and state space reduction for Büchi automata*, ICALP 2001, for delayed simulation.

use super::automaton::{Automaton, Edge, merged};
use super::condition::{ALWAYS, Conditions, NEVER};

/// States beyond which nothing is compared.
const MOST_COMPARED: usize = 250;
/// States beyond which delays are not looked at.
const MOST_DELAYED: usize = 40;
/// Rounds of all of this.
const MOST_ROUNDS: usize = 8;

/// For each state those that can do what it can.
type Relation = Vec<Vec<bool>>;

/// The direction in which runs are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// A smaller automaton for the same words, with marks where they are.
pub fn reduced(automaton: &Automaton, conditions: &mut Conditions) -> Automaton {
    rounds(automaton, |automaton| {
        let fewer = by(Direction::Forward, automaton, false, conditions);
        by(Direction::Backward, &fewer, false, conditions).trimmed(conditions)
    })
}

/// The same for one whose edges of a state have the same marks: they still have afterwards.
pub fn reduced_buchi(automaton: &Automaton, passing: bool, conditions: &mut Conditions) -> Automaton {
    let automaton = automaton.trimmed(conditions);
    rounds(&automaton, |automaton| {
        let mut fewer = with_ends(&evened(automaton, passing), conditions);
        for direction in [Direction::Forward, Direction::Backward] {
            fewer = by(direction, &fewer, true, conditions);
        }
        delayed(&fewer, conditions).trimmed(conditions)
    })
}

fn rounds(automaton: &Automaton, mut round: impl FnMut(&Automaton) -> Automaton) -> Automaton {
    let mut best = automaton.clone();
    if best.states.len() > MOST_COMPARED {
        return best;
    }
    for _ in 0..MOST_ROUNDS {
        let next = round(&best);
        if next.size() >= best.size() {
            break;
        }
        best = next;
    }
    best
}

/// Whether runs through a state are accepted if they come back, in an automaton whose edges of a state have the same marks.
pub fn is_accepting(automaton: &Automaton, state: usize) -> bool {
    automaton.states[state].first().is_some_and(|edge| edge.marks == automaton.sets)
}

fn set_accepting(automaton: &mut Automaton, state: usize, accepting: bool) {
    let marks = if accepting { automaton.sets } else { 0 };
    automaton.states[state].iter_mut().for_each(|edge| edge.marks = marks);
}

/// States accept where that makes no difference to the words: all of a component if all of its cycles are accepted, and those on no
/// cycle if `passing` says so.
fn evened(automaton: &Automaton, passing: bool) -> Automaton {
    let mut evened = automaton.clone();
    let components = automaton.components();
    let inside = |from: usize, to: usize| components.of[from] == components.of[to];
    // Cycles that avoid accepting states.
    let plain = super::automaton::Components::find(automaton.states.len(), |state| {
        let goes = |edge: &&Edge| inside(state, edge.to) && edge.marks != automaton.sets;
        automaton.states[state].iter().filter(goes).map(|edge| edge.to).collect()
    });
    let mut cycle = vec![false; components.count];
    let mut refused = vec![false; components.count];
    for (state, edges) in automaton.states.iter().enumerate() {
        for edge in edges.iter().filter(|edge| inside(state, edge.to)) {
            cycle[components.of[state]] = true;
            refused[components.of[state]] |= edge.marks != automaton.sets && plain.of[state] == plain.of[edge.to];
        }
    }
    for state in 0..automaton.states.len() {
        let component = components.of[state];
        if !cycle[component] {
            set_accepting(&mut evened, state, passing);
        } else if !refused[component] {
            set_accepting(&mut evened, state, true);
        }
    }
    evened
}

/// Where every state of a component accepts and can read any letter without leaving it, every word is accepted.
fn with_ends(automaton: &Automaton, conditions: &mut Conditions) -> Automaton {
    let components = automaton.components();
    let mut all = vec![true; components.count];
    for (state, edges) in automaton.states.iter().enumerate() {
        let component = components.of[state];
        let mut read = NEVER;
        for edge in edges.iter().filter(|edge| components.of[edge.to] == component && edge.marks == automaton.sets) {
            read = conditions.or(read, edge.when);
        }
        all[component] &= read == ALWAYS;
    }
    let mut ended = automaton.clone();
    for (state, edges) in ended.states.iter_mut().enumerate() {
        if all[components.of[state]] {
            *edges = vec![Edge { to: state, when: ALWAYS, marks: automaton.sets }];
        }
    }
    ended
}

fn turned(automaton: &Automaton) -> Vec<Vec<Edge>> {
    let mut turned = vec![Vec::new(); automaton.states.len()];
    for (from, edges) in automaton.states.iter().enumerate() {
        edges.iter().for_each(|edge| turned[edge.to].push(Edge { to: from, ..*edge }));
    }
    turned
}

/// The greatest simulation in which every edge is matched by edges with its marks at least.
fn simulation(direction: Direction, automaton: &Automaton, by_state: bool, conditions: &mut Conditions) -> Relation {
    let count = automaton.states.len();
    let edges = match direction {
        Direction::Forward => automaton.states.clone(),
        Direction::Backward => turned(automaton),
    };
    let first = |p: usize, q: usize| direction == Direction::Forward || p != 0 || q == 0;
    let accepts = |p: usize, q: usize| !by_state || !is_accepting(automaton, p) || is_accepting(automaton, q);
    let mut relation: Relation =
        (0..count).map(|p| (0..count).map(|q| first(p, q) && accepts(p, q)).collect()).collect();
    loop {
        let mut changed = false;
        for p in 0..count {
            for q in 0..count {
                if p != q
                    && relation[p][q]
                    && !edges[p].iter().all(|edge| matched(edge, &edges[q], &relation, conditions))
                {
                    relation[p][q] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return relation;
        }
    }
}

fn matched(edge: &Edge, others: &[Edge], relation: &Relation, conditions: &mut Conditions) -> bool {
    let mut left = edge.when;
    for other in others {
        if left != NEVER && relation[edge.to][other.to] && edge.marks & !other.marks == 0 {
            left = conditions.without(left, other.when);
        }
    }
    left == NEVER
}

/// States that can do what the other can become one, and superfluous edges are left out.
fn by(direction: Direction, automaton: &Automaton, by_state: bool, conditions: &mut Conditions) -> Automaton {
    let relation = simulation(direction, automaton, by_state, conditions);
    let mut fewer = quotient(automaton, &relation, conditions);
    let relation = simulation(direction, &fewer, by_state, conditions);
    let mut edges = match direction {
        Direction::Forward => fewer.states.clone(),
        Direction::Backward => turned(&fewer),
    };
    for edges in &mut edges {
        let mut at = 0;
        while at < edges.len() {
            let edge = edges.remove(at);
            let is_better = |other: &Edge| other.to != edge.to || other.marks != edge.marks;
            let others: Vec<Edge> = edges.iter().copied().filter(is_better).collect();
            if !matched(&edge, &others, &relation, conditions) {
                edges.insert(at, edge);
                at += 1;
            }
        }
    }
    fewer.states = match direction {
        Direction::Forward => edges,
        Direction::Backward => turned(&Automaton { states: edges, sets: fewer.sets }),
    };
    fewer
}

/// States that can do what the other can are one state, with the edges of both.
fn quotient(automaton: &Automaton, relation: &Relation, conditions: &mut Conditions) -> Automaton {
    let count = automaton.states.len();
    let (mut class, mut leaders) = (vec![0; count], Vec::new());
    for state in 0..count {
        let known = leaders.iter().position(|&leader: &usize| relation[state][leader] && relation[leader][state]);
        class[state] = known.unwrap_or_else(|| {
            leaders.push(state);
            leaders.len() - 1
        });
    }
    let mut states = vec![Vec::new(); leaders.len()];
    for (state, edges) in automaton.states.iter().enumerate() {
        states[class[state]].extend(edges.iter().map(|edge| Edge { to: class[edge.to], ..*edge }));
    }
    let states = states.into_iter().map(|edges| merged(edges, conditions)).collect();
    Automaton { states, sets: automaton.sets }
}

/// States are one also if acceptance of one is answered by the other later only.
fn delayed(automaton: &Automaton, conditions: &mut Conditions) -> Automaton {
    let count = automaton.states.len();
    if count > MOST_DELAYED {
        return automaton.clone();
    }
    let accepting: Vec<bool> = (0..count).map(|state| is_accepting(automaton, state)).collect();
    // Whether an answer is owed when two states are come to.
    let owes = |p: usize, q: usize, owed: bool| !accepting[q] && (accepting[p] || owed);
    // A game: the greatest set from which every debt is paid, and inside of it the least set that leads to payment.
    let mut paid = vec![vec![[true; 2]; count]; count];
    loop {
        let mut leads = vec![vec![[false; 2]; count]; count];
        loop {
            let mut changed = false;
            for p in 0..count {
                for q in 0..count {
                    for owed in [false, true] {
                        if leads[p][q][usize::from(owed)] || !paid[p][q][usize::from(owed)] {
                            continue;
                        }
                        let answers = automaton.states[p].iter().all(|edge| {
                            let mut left = edge.when;
                            for other in &automaton.states[q] {
                                let owes = owes(edge.to, other.to, owed);
                                let to = if owes { &leads } else { &paid };
                                if to[edge.to][other.to][usize::from(owes)] {
                                    left = conditions.without(left, other.when);
                                }
                            }
                            left == NEVER
                        });
                        leads[p][q][usize::from(owed)] = answers;
                        changed |= answers;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        if leads == paid {
            break;
        }
        paid = leads;
    }
    let relation: Relation =
        (0..count).map(|p| (0..count).map(|q| paid[p][q][usize::from(owes(p, q, false))]).collect()).collect();
    let mut marked = automaton.clone();
    for (state, others) in relation.iter().enumerate() {
        let accepts = (0..count).any(|other| accepting[other] && others[other] && relation[other][state]);
        set_accepting(&mut marked, state, accepts);
    }
    quotient(&marked, &relation, conditions)
}
