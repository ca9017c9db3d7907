//! The way back: from a path of M || A to one of M || N.
//!
//! The abstract path itself is in general no path of M || N; only that the error is reachable is kept. A path is concrete as
//! long as the classes that N is in have one member. Where they have more, the class was formed because all its members have the
//! same labels, and for a state on the path these labels are certain: the pointers of the lower set lead on from there,
//! backward to an initial state or forward to the error. Pointers speak of the classes of their time, and every step along them
//! is a must step, so that each participant finds a state to go to. Layers are undone in reverse order.

use super::labelling::{Proof, Reason};
use super::part::Direction;
use super::system::{System, Via};
use crate::transform::{Lift, NotLifted};
use prequel_model::{
    ClassMap, Component, ComponentId, LabelId, Lts, Monitor, Move, Network, Problem, Query, StateId, Step, Trace,
};

/// States of all parts along a path, and the steps between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// One more than steps.
    pub states: Vec<Vec<StateId>>,
    /// Who moves.
    pub steps: Vec<Via>,
}

fn broken<T>(what: impl Into<String>) -> Result<T, NotLifted> {
    Err(NotLifted(what.into()))
}

impl Path {
    /// The path of a trace. A monitor runs along, and the path ends where it first accepts.
    pub fn of(problem: &Problem, trace: &Trace) -> Result<Self, NotLifted> {
        let mut state = problem.network.initial();
        let mut path = Path { states: vec![state.clone()], steps: Vec::new() };
        for step in &trace.steps {
            for m in &step.moves {
                state[m.component.at()] = m.to;
            }
            let mover = step.moves.first().map_or(0, |m| m.component.at());
            path.steps.push(if step.label.is_tau() { Via::tau(mover) } else { Via::label(step.label) });
            path.states.push(state.clone());
        }
        match &problem.query {
            Query::Safety(monitor) => path.with_monitor(monitor),
            _ => Ok(path),
        }
    }

    /// Finds a run of the monitor along the path, its own taus included.
    fn with_monitor(self, monitor: &Monitor) -> Result<Self, NotLifted> {
        let (lts, own) = (&monitor.automaton.lts, self.states[0].len());
        // Pairs of a position and a monitor's state, with the pair before; in order of positions.
        let mut found: Vec<(usize, StateId, usize)> = vec![(0, lts.initial(), 0)];
        let mut seen = rustc_hash::FxHashSet::from_iter([(0, lts.initial())]);
        // First all states at a position, then the next position: the queue is in the right order, taus apart.
        let mut level = vec![0];
        while !level.is_empty() {
            let mut next = Vec::new();
            let mut in_level = 0;
            while in_level < level.len() {
                let at = level[in_level];
                in_level += 1;
                let (position, q, _) = found[at];
                if lts.is_marked(q) {
                    return Ok(self.along(&found, at, own));
                }
                for e in lts.row_on(q, LabelId::TAU) {
                    if seen.insert((position, e.target)) {
                        level.push(found.len());
                        found.push((position, e.target, at));
                    }
                }
                let Some(&via) = self.steps.get(position) else { continue };
                let label = via.as_label();
                let mut go = |target: StateId| {
                    if seen.insert((position + 1, target)) {
                        next.push(found.len());
                        found.push((position + 1, target, at));
                    }
                };
                if label.is_tau() || !monitor.automaton.takes_part(label) {
                    go(q);
                } else {
                    lts.row_on(q, label).iter().for_each(|e| go(e.target));
                }
            }
            level = next;
        }
        broken("the monitor does not accept it")
    }

    /// The path with the monitor's states of a run.
    fn along(&self, found: &[(usize, StateId, usize)], last: usize, monitor: usize) -> Self {
        let mut run = vec![last];
        while run[run.len() - 1] != 0 {
            run.push(found[run[run.len() - 1]].2);
        }
        run.reverse();
        let mut path = Path { states: Vec::new(), steps: Vec::new() };
        for (at, &pair) in run.iter().enumerate() {
            let (position, q, _) = found[pair];
            if at > 0 {
                let before = found[run[at - 1]].0;
                path.steps.push(if before == position { Via::tau(monitor) } else { self.steps[before] });
            }
            let mut state = self.states[position].clone();
            state.push(q);
            path.states.push(state);
        }
        path
    }

    /// The trace of the network: without the monitor.
    pub fn trace(&self, system: &System<'_>, components: usize) -> Trace {
        let step = |(at, &via): (usize, &Via)| {
            let (from, to) = (&self.states[at], &self.states[at + 1]);
            let own = |part: &usize| *part < components;
            let moves: Vec<Move> = (system.movers(via).into_iter().filter(own))
                .map(|p| Move { component: ComponentId::new(p), from: from[p], to: to[p] })
                .collect();
            (!moves.is_empty()).then_some(Step { label: via.as_label(), moves })
        };
        Trace { steps: self.steps.iter().enumerate().filter_map(step).collect() }
    }

    /// Appends a path that starts where this one ends.
    fn extend(&mut self, rest: Path) {
        debug_assert_eq!(self.states.last(), rest.states.first());
        self.states.extend(rest.states.into_iter().skip(1));
        self.steps.extend(rest.steps);
    }
}

/// A path from the initial state to a member of a triple of the lower set, backwards along the pointers.
pub fn to_triple(system: &System<'_>, proof: &Proof, triple: u32, state: Vec<StateId>) -> Result<Path, NotLifted> {
    let mut path = Path { states: vec![state], steps: Vec::new() };
    let mut at = triple;
    loop {
        match proof.reason(at) {
            Reason::Start | Reason::Error(_) => break,
            Reason::Part(whole) => at = whole,
            Reason::Step(before, via) => {
                let mut state = path.states[path.states.len() - 1].clone();
                for part in system.movers(via) {
                    let reversed = predecessors(system.lts(part), state[part], via.as_label());
                    let Some(s) = reversed.into_iter().find(|&s| proof.inside(before, part, s)) else {
                        return broken("a must step without a predecessor");
                    };
                    state[part] = s;
                }
                path.states.push(state);
                path.steps.push(via);
                at = before;
            }
        }
    }
    path.states.reverse();
    path.steps.reverse();
    if path.states[0] != system.initial() {
        return broken("pointers that do not end in the initial state");
    }
    Ok(path)
}

fn predecessors(lts: &Lts, s: StateId, label: LabelId) -> Vec<StateId> {
    lts.transitions().filter(|t| t.target == s && t.label == label).map(|t| t.source).collect()
}

/// A path from a member of a triple of the lower set to the error, forwards along the pointers.
pub fn to_error(system: &System<'_>, proof: &Proof, triple: u32, state: Vec<StateId>) -> Result<Path, NotLifted> {
    let mut path = Path { states: vec![state], steps: Vec::new() };
    let mut at = triple;
    loop {
        let state = &path.states[path.states.len() - 1];
        match proof.reason(at) {
            Reason::Start => return Ok(path),
            Reason::Error(via) => {
                let next = into_error(system, state, via)?;
                path.states.push(next);
                path.steps.push(via);
                return Ok(path);
            }
            Reason::Part(whole) => at = whole,
            Reason::Step(after, via) => {
                let mut next = state.clone();
                for part in system.movers(via) {
                    let row = system.lts(part).row_on(state[part], via.as_label());
                    let Some(edge) = row.iter().find(|e| proof.inside(after, part, e.target)) else {
                        return broken("a must step without a successor");
                    };
                    next[part] = edge.target;
                }
                path.states.push(next);
                path.steps.push(via);
                at = after;
            }
        }
    }
}

/// The state after the step into π: wherever the participants go, the monitor accepts.
pub fn into_error(system: &System<'_>, state: &[StateId], via: Via) -> Result<Vec<StateId>, NotLifted> {
    let mut next = state.to_vec();
    let accepts = |part: usize, s: StateId| system.error.is_pi(part, s);
    for part in system.movers(via) {
        let row = system.lts(part).row_on(state[part], via.as_label());
        let Some(edge) = row.iter().find(|e| accepts(part, e.target)).or(row.first()) else {
            return broken("a step into the error that a participant does not have");
        };
        next[part] = edge.target;
    }
    Ok(next)
}

/// One quotient: what was replaced, by what, and why the classes are what they are.
#[derive(Debug)]
pub struct Layer {
    /// Which way the analysis went.
    pub direction: Direction,
    /// The process as it was.
    pub before: Component,
    /// Its classes.
    pub map: ClassMap,
    /// The labels that they come from.
    pub proof: Proof,
}

impl Layer {
    /// Undoes the quotient on a path that ends in the error.
    fn lift(&self, system: &System<'_>, path: Path) -> Result<Path, NotLifted> {
        let process = self.map.component.at();
        let members = self.map.members();
        let several = |state: &Vec<StateId>| members[state[process].at()].len() > 1;
        let last = path.states.len() - 1;
        let ends_in_pi = (0..system.parts.len()).any(|part| system.error.is_pi(part, path.states[last][part]));
        // π is in no triple: where the path ends there, what N does in the last step is chosen by itself.
        let triples = if ends_in_pi { last } else { last + 1 };
        let crossing = match self.direction {
            Direction::Backward => path.states[..triples].iter().position(several),
            Direction::Forward => path.states[..triples].iter().rposition(several),
        };
        let single = |s: StateId| members[s.at()][0];
        let concrete = |states: &[Vec<StateId>], steps: &[Via]| {
            let mut states = states.to_vec();
            states.iter_mut().for_each(|state| state[process] = single(state[process]));
            Path { states, steps: steps.to_vec() }
        };
        let Some(t) = crossing else {
            let mut all = concrete(&path.states, &path.steps);
            self.choose_last(&mut all, &path, ends_in_pi);
            return Ok(all);
        };
        match self.direction {
            Direction::Backward => {
                let mut lifted = concrete(&path.states[..t], &path.steps[..t.saturating_sub(1)]);
                let mut state = path.states[t].clone();
                state[process] = match lifted.states.last() {
                    None => self.before.lts.initial(),
                    Some(from) => {
                        let row = self.before.lts.row_on(from[process], path.steps[t - 1].as_label());
                        let Some(edge) = row.iter().find(|e| self.map.class_of[e.target.at()] == state[process]) else {
                            return broken("an edge of a quotient that its only member does not have");
                        };
                        edge.target
                    }
                };
                let Some(triple) = self.proof.find(&state) else { return broken("a merged state without its label") };
                if t > 0 {
                    lifted.states.push(state.clone());
                    lifted.steps.push(path.steps[t - 1]);
                    lifted.extend(to_error(system, &self.proof, triple, state)?);
                    return Ok(lifted);
                }
                to_error(system, &self.proof, triple, state)
            }
            Direction::Forward => {
                let class = path.states[t][process];
                let mut state = path.states[t].clone();
                let moves = t < last && system.movers(path.steps[t]).contains(&process);
                let wanted = |s: StateId| {
                    !moves || {
                        let row = self.before.lts.row_on(s, path.steps[t].as_label());
                        row.iter().any(|e| self.map.class_of[e.target.at()] == path.states[t + 1][process])
                    }
                };
                let Some(&member) = members[class.at()].iter().find(|s| wanted(**s)) else {
                    return broken("an edge of a quotient that no member has");
                };
                state[process] = member;
                let Some(triple) = self.proof.find(&state) else { return broken("a merged state without its label") };
                let mut lifted = to_triple(system, &self.proof, triple, state)?;
                let mut rest = concrete(&path.states[t..], &path.steps[t..]);
                rest.states[0][process] = member;
                let after = Path { states: path.states[t..].to_vec(), steps: path.steps[t..].to_vec() };
                self.choose_last(&mut rest, &after, ends_in_pi && t < last);
                lifted.extend(rest);
                Ok(lifted)
            }
        }
    }

    /// Lets N end in a state that its last step leads to; where it does not move, it stays.
    fn choose_last(&self, lifted: &mut Path, path: &Path, ends_in_pi: bool) {
        let process = self.map.component.at();
        let (Some(&via), true) = (path.steps.last(), ends_in_pi) else { return };
        let last = lifted.states.len() - 1;
        let (from, class) = (lifted.states[last - 1][process], path.states[last][process]);
        let row = self.before.lts.row_on(from, via.as_label());
        let target = row.iter().find(|e| self.map.class_of[e.target.at()] == class);
        let moves = !via.as_label().is_tau() && self.before.takes_part(via.as_label()) || via == Via::tau(process);
        lifted.states[last][process] = if moves { target.map_or(from, |e| e.target) } else { from };
    }
}

/// All quotients of a problem, in the order in which they were made.
#[derive(Debug)]
pub struct Layers {
    /// The problem at their end.
    pub last: Problem,
    /// First to last.
    pub layers: Vec<Layer>,
}

impl Lift for Layers {
    fn lift(&self, trace: &Trace) -> Result<Trace, NotLifted> {
        let mut path = Path::of(&self.last, trace)?;
        let mut problem = self.last.clone();
        for layer in self.layers.iter().rev() {
            let (labels, mut components) = problem.network.into_parts();
            components[layer.map.component.at()] = layer.before.clone();
            problem = Problem { network: Network::new(labels, components), query: problem.query };
            path = layer.lift(&System::new(&problem), path)?;
        }
        Ok(path.trace(&System::new(&problem), problem.network.components().len()))
    }
}
