//! A run of a program beside one claim as a run beside another claim for the same words.

use super::data::Program;
use super::endless::Cycle;
use super::expand::Violation;
use super::witness::{Step, Walk, Witness};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The same run of the processes beside the claim of another program, whose processes are the same. None if this claim does not see the
/// violation in these steps: it may see it later only.
pub fn restated(program: &Program, witness: &Witness) -> Option<Witness> {
    let claims = |steps: &[Step]| steps.iter().filter(|step| step.process.is_none()).count();
    let back = match witness.violation {
        Violation::Cycle(cycle) => Some(claims(witness.steps.get(..cycle.from)?)),
        _ => None,
    };
    let mut turns: Vec<Vec<&Step>> = Vec::new();
    for step in &witness.steps {
        match step.process {
            None => turns.push(Vec::new()),
            Some(_) => turns.last_mut()?.push(step),
        }
    }
    if back.is_some_and(|back| back >= turns.len()) {
        return None;
    }
    let mut search = Search { program, turns, back, nodes: Vec::new(), numbers: FxHashMap::default() };
    search.add(0, Walk::start(program).ok()?, None);
    search.run(witness.violation)
}

/// The claim is about to move, so many turns of the processes into the run.
struct Node<'a> {
    turn: usize,
    walk: Walk<'a>,
    /// The node that it was first reached from.
    before: Option<usize>,
    /// The steps of a turn, and the node that they lead to.
    next: Vec<(Vec<Step>, usize)>,
}

struct Search<'a> {
    program: &'a Program,
    /// The steps of the processes after each move of the claim.
    turns: Vec<Vec<&'a Step>>,
    /// The turn that follows the last one.
    back: Option<usize>,
    nodes: Vec<Node<'a>>,
    numbers: FxHashMap<(usize, usize), usize>,
}

impl<'a> Search<'a> {
    fn add(&mut self, turn: usize, walk: Walk<'a>, before: Option<usize>) -> usize {
        let control = walk.control(0).map_or(0, |(_, control)| control);
        *self.numbers.entry((turn, control)).or_insert_with(|| {
            self.nodes.push(Node { turn, walk, before, next: Vec::new() });
            self.nodes.len() - 1
        })
    }

    fn run(&mut self, violation: Violation) -> Option<Witness> {
        let mut at = 0;
        while at < self.nodes.len() {
            let turn = self.nodes[at].turn;
            for (mut walk, mut steps) in self.claim_moves(at) {
                if walk.shows(Violation::Claim) {
                    let steps = [self.way(at), steps].concat();
                    return Some(Witness { steps, violation: Violation::Claim });
                }
                let base = self.program.base();
                let turns = self.turns[turn].iter();
                let taken: Result<Vec<Step>, _> = turns
                    .map(|step| {
                        walk.step(step.process.map_or(0, |process| process as usize + base), step.transition as usize)
                    })
                    .collect();
                let Ok(taken) = taken else { continue };
                steps.extend(taken);
                let next = match self.back.filter(|_| turn + 1 == self.turns.len()) {
                    Some(back) => back,
                    None if turn + 1 == self.turns.len() => {
                        if walk.shows(violation) {
                            return Some(Witness { steps: [self.way(at), steps].concat(), violation });
                        }
                        continue;
                    }
                    None => turn + 1,
                };
                let to = self.add(next, walk, Some(at));
                self.nodes[at].next.push((steps, to));
            }
            at += 1;
        }
        let Violation::Cycle(Cycle { of, .. }) = violation else { return None };
        let marked = |node: &Node<'_>| {
            let claim = node.walk.control(0);
            claim.is_some_and(|(kind, control)| self.program.proctypes[kind].states[control].accept)
        };
        (0..self.nodes.len()).filter(|&node| marked(&self.nodes[node])).find_map(|node| {
            let cycle = self.cycle(node)?;
            let stem = self.way(node);
            let from = stem.len();
            Some(Witness { steps: [stem, cycle].concat(), violation: Violation::Cycle(Cycle { from, of }) })
        })
    }

    /// The moves of the claim from a node; an atomic one is one move.
    fn claim_moves(&self, node: usize) -> Vec<(Walk<'a>, Vec<Step>)> {
        let mut open = vec![(self.nodes[node].walk.clone(), Vec::new())];
        let mut moves = Vec::new();
        while let Some((walk, steps)) = open.pop() {
            let Some((kind, control)) = walk.control(0) else { continue };
            for transition in 0..self.program.proctypes[kind].states[control].transitions.len() {
                let mut walk = walk.clone();
                let Ok(step) = walk.step(0, transition) else { continue };
                let steps = [&steps[..], &[step]].concat();
                if walk.is_inside_claim() { open.push((walk, steps)) } else { moves.push((walk, steps)) }
            }
        }
        moves
    }

    /// The steps to a node.
    fn way(&self, node: usize) -> Vec<Step> {
        let mut parts = Vec::new();
        let mut at = node;
        while let Some(before) = self.nodes[at].before {
            parts.extend(self.nodes[before].next.iter().find(|(_, to)| *to == at).map(|(steps, _)| steps));
            at = before;
        }
        parts.into_iter().rev().flatten().cloned().collect()
    }

    /// The steps from a node back to it.
    fn cycle(&self, node: usize) -> Option<Vec<Step>> {
        let mut before: FxHashMap<usize, (usize, &[Step])> = FxHashMap::default();
        let mut open = VecDeque::from([node]);
        while let Some(at) = open.pop_front() {
            for (steps, to) in &self.nodes[at].next {
                if before.contains_key(to) {
                    continue;
                }
                before.insert(*to, (at, steps));
                if to != &node {
                    open.push_back(*to);
                    continue;
                }
                let (mut parts, mut at) = (Vec::new(), node);
                loop {
                    let (earlier, steps) = before[&at];
                    parts.push(steps);
                    at = earlier;
                    if at == node {
                        return Some(parts.into_iter().rev().flatten().cloned().collect());
                    }
                }
            }
        }
        None
    }
}
