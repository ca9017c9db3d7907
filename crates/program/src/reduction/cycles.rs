//! Cycles of control: which states are on them, and states that break them all.

use crate::data::{Proctype, Transition};

/// Chooses states so that every cycle of control comes through one of them; those first that `weight` is large for.
pub fn breakers<W: Ord>(kind: &Proctype, weight: impl Fn(usize) -> W) -> Vec<bool> {
    let mut chosen = vec![false; kind.states.len()];
    let mut open: Vec<Vec<usize>> = vec![(0..kind.states.len()).collect()];
    while let Some(states) = open.pop() {
        for part in cyclic_parts(kind, &states, |_| true) {
            let inside = |state: usize| part.binary_search(&state).is_ok();
            // Of states that weigh the same, the one that most ways lead through.
            let ways = |state: usize| {
                let targets = |from: usize| kind.states[from].transitions.iter().filter_map(|t| t.target);
                part.iter().flat_map(|&from| targets(from)).filter(|&to| to as usize == state).count()
                    * targets(state).filter(|&to| inside(to as usize)).count()
            };
            let best = part.iter().copied().max_by_key(|&state| (weight(state), ways(state), state));
            let best = best.expect("a part of a graph is not empty");
            chosen[best] = true;
            open.push(part.iter().copied().filter(|&state| state != best).collect());
        }
    }
    chosen
}

/// Which states are on a cycle of some of the transitions.
pub fn on_cycles(kind: &Proctype, counts: impl Fn(&Transition) -> bool) -> Vec<bool> {
    let all: Vec<usize> = (0..kind.states.len()).collect();
    let mut found = vec![false; kind.states.len()];
    cyclic_parts(kind, &all, counts).into_iter().flatten().for_each(|state| found[state] = true);
    found
}

/// The strongly connected parts of some states in which there is a cycle of some transitions, each in order.
fn cyclic_parts(kind: &Proctype, states: &[usize], counts: impl Fn(&Transition) -> bool) -> Vec<Vec<usize>> {
    let mut inside = vec![false; kind.states.len()];
    states.iter().for_each(|&state| inside[state] = true);
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); kind.states.len()];
    for &from in states {
        let targets = kind.states[from].transitions.iter().filter(|t| counts(t)).filter_map(|t| t.target);
        next[from].extend(targets.map(|to| to as usize).filter(|&to| inside[to]));
    }
    let mut parts = components(&next, states);
    parts.retain(|part| part.len() > 1 || next[part[0]].contains(&part[0]));
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// Strongly connected components, by Tarjan's algorithm without recursion.
fn components(next: &[Vec<usize>], states: &[usize]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let count = next.len();
    let (mut number, mut low, mut on_stack) = (vec![UNSEEN; count], vec![0; count], vec![false; count]);
    let (mut stack, mut parts, mut counter) = (Vec::new(), Vec::new(), 0);
    for &root in states {
        let mut calls: Vec<(usize, usize)> = Vec::new();
        if number[root] == UNSEEN {
            calls.push((root, 0));
        }
        while let Some((state, edge)) = calls.pop() {
            if edge == 0 {
                (number[state], low[state]) = (counter, counter);
                counter += 1;
                stack.push(state);
                on_stack[state] = true;
            }
            if let Some(&to) = next[state].get(edge) {
                calls.push((state, edge + 1));
                if number[to] == UNSEEN {
                    calls.push((to, 0));
                } else if on_stack[to] {
                    low[state] = low[state].min(number[to]);
                }
                continue;
            }
            if low[state] == number[state] {
                let at = stack.iter().rposition(|&other| other == state).expect("it was put there");
                let part = stack.split_off(at);
                part.iter().for_each(|&member| on_stack[member] = false);
                parts.push(part);
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[state]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Claim, compile};
    use prequel_formats::promela;
    use std::path::Path;

    #[test]
    fn every_cycle_of_control_is_broken() {
        let text = "byte g; active proctype p() { byte i;
            do :: i < 3 -> i++; do :: i == 1 -> break :: else -> g = 1 od :: else -> i = 0; goto out od;
            out: if :: g == 1 -> goto out :: else fi }";
        let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new("."), &[]).expect("a model");
        let (program, _) = compile(&model, Claim::None).expect("a program");
        let kind = &program.proctypes[0];
        let broken = breakers(kind, |_| 0);
        assert!(broken.iter().any(|&broken| broken) && !broken.iter().all(|&broken| broken));
        let rest: Vec<usize> = (0..kind.states.len()).filter(|&state| !broken[state]).collect();
        assert!(cyclic_parts(kind, &rest, |_| true).is_empty());
    }
}
