//! Each component modulo the coarsest bisimulation at hand that keeps the query.
//!
//! What only the component itself takes part in, and what no monitor listens to, is hidden first. Then
//!
//! | query | equivalence | why it is enough |
//! | --- | --- | --- |
//! | safety | branching | it keeps the visible traces of every network that the component is in |
//! | reach | branching, states marked by the goal's condition | the same, and merged states agree on the condition |
//! | deadlock-free | divergence-preserving branching | a stuck state is one that follows inert steps, as there is no way round for ever |
//!
//! Where a goal has several conditions on one component, the marks do not suffice: strong bisimulation, in which each state says
//! by a loop of its own which conditions it satisfies. States that the component cannot reach by itself are dropped; its
//! alphabet stays.
//!
//! *The way back* needs no search but a short one: wherever the small component takes a step, the large one can take inert steps,
//! within its class, to a state that has that step.

use super::quotient::error::numbered;
use super::{Lift, NotLifted, Replaced, Smaller, Stop, Transform, with_system};
use crate::Refusal;
use crate::algo::bisimulation::{Bisimulation, full_quotient};
use crate::algo::trim;
use prequel_model::run::Run;
use prequel_model::{
    Component, ComponentId, LabelId, Lts, Move, Network, Problem, Query, StateId, Step, Trace, Transition,
};
use std::collections::VecDeque;

/// The transform.
#[derive(Clone, Debug, Default)]
pub struct Minimise {
    /// Which components to minimise; all of them where the list is empty.
    pub replace: Vec<ComponentId>,
}

impl Transform for Minimise {
    fn name(&self) -> &'static str {
        "minimise"
    }

    fn apply(&self, problem: &Problem, run: &Run) -> Result<Smaller, Stop> {
        if matches!(problem.query, Query::Nonblocking) {
            let why = "minimise keeps the verdict of safety, reach and deadlock-free, not of nonblocking";
            return Err(Refusal::new(why).into());
        }
        let mut now = problem.clone();
        let (mut layers, mut replaced) = (Vec::new(), Vec::new());
        let all: Vec<ComponentId> = problem.network.ids().collect();
        for &component in if self.replace.is_empty() { &all } else { &self.replace } {
            run.allowed()?;
            let layer = Layer::new(&problem.network, std::slice::from_ref(&problem.query), component);
            replaced.push(Replaced { component, map: None, steps: 0, labels: 0, kept: None });
            if layer.is_smaller() {
                now = layer.apply(&now);
                layers.push(layer);
            }
        }
        let lift = Box::new(Layers { layers, query: problem.query.clone() });
        Ok(Smaller::new(now, replaced, lift))
    }
}

/// One component and the smaller one in its place.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) component: ComponentId,
    before: Component,
    /// Labels that count as internal, sorted.
    hidden: Vec<LabelId>,
    /// The class of each state; none for those that are dropped.
    class_of: Vec<Option<StateId>>,
    pub(super) small: Lts,
}

impl Layer {
    /// With this, all of the queries keep their verdicts.
    pub(super) fn new(network: &Network, queries: &[Query], component: ComponentId) -> Self {
        let before = network.component(component).clone();
        let hears = |query: &Query, l: LabelId| matches!(query, Query::Safety(m) if m.automaton.takes_part(l));
        let heard = |l: LabelId| queries.iter().any(|query| hears(query, l));
        let hidden: Vec<LabelId> =
            before.alphabet().iter().copied().filter(|&l| network.participants(l).len() == 1 && !heard(l)).collect();
        let trimmed = trim::trim_reachable(&before.lts);
        let kept: Vec<StateId> = before.lts.states().filter(|s| trimmed.new_of[s.at()].is_some()).collect();
        let lts = trimmed.lts.relabelled(|l| if hidden.binary_search(&l).is_ok() { LabelId::TAU } else { l });
        let conditions = queries.iter().flat_map(|query| match query {
            Query::Reach(goal) => goal.conditions(component),
            _ => Vec::new(),
        });
        let conditions: Vec<_> = conditions.collect();
        let told = |s: &StateId| conditions.iter().map(|states| states.binary_search(s).is_ok()).collect::<Vec<bool>>();
        let seeds = numbered(kept.iter().map(told));
        let several = seeds.iter().any(|&seed| seed > 1);
        let (lts, kind) = if several {
            // Labels beyond the table: nobody else has them, and they are gone in the result.
            let beyond = network.labels().len() as u32;
            let loops = (0..).zip(&seeds).map(|(s, seed)| Transition::new(s, LabelId(beyond + seed), s));
            let transitions = lts.transitions().chain(loops).collect();
            (Lts::new(lts.initial(), lts.num_states(), transitions), Bisimulation::Strong)
        } else {
            let marked = (0..).zip(&seeds).filter(|(_, seed)| **seed == 1).map(|(s, _)| StateId(s));
            let deadlock = queries.iter().any(|query| matches!(query, Query::DeadlockFree));
            (lts.with_marked(marked), if deadlock { Bisimulation::DpBranching } else { Bisimulation::Branching })
        };
        let (partition, small) = full_quotient(&lts, kind).expect("only weak bisimulation can be too large");
        let beyond = network.labels().len();
        let edges = small.transitions().filter(|t| t.label.at() < beyond).collect();
        let small = Lts::new(small.initial(), small.num_states(), edges);
        let class_of = trimmed.new_of.iter().map(|new| new.map(|s| partition.class(s))).collect();
        Self { component, before, hidden, class_of, small }
    }

    /// Whether anything is gained.
    pub(super) fn is_smaller(&self) -> bool {
        let (before, after) = (&self.before.lts, &self.small);
        after.num_states() < before.num_states() || after.num_transitions() < before.num_transitions()
    }

    /// The problem with the smaller component.
    pub(super) fn apply(&self, problem: &Problem) -> Problem {
        let query = problem.query.renumbered(self.component, |s| self.class_of[s.at()]);
        with_system(problem, self.component, self.small.clone(), query)
    }

    fn silent(&self, label: LabelId) -> bool {
        label.is_tau() || self.hidden.binary_search(&label).is_ok()
    }

    fn class(&self, s: StateId) -> StateId {
        self.class_of[s.at()].expect("only states that are dropped have no class, and none of them is reachable")
    }

    /// Inert steps from a state to one that `wanted` gives something for.
    fn inert<T>(&self, from: StateId, wanted: impl Fn(StateId) -> Option<T>) -> Option<(Vec<Step>, StateId, T)> {
        let mut found = vec![(from, usize::MAX, LabelId::TAU)];
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            let s = found[at].0;
            if let Some(result) = wanted(s) {
                let (mut steps, mut now) = (Vec::new(), at);
                while found[now].1 != usize::MAX {
                    let (to, before, label) = found[now];
                    steps.push(self.alone(label, found[before].0, to));
                    now = before;
                }
                steps.reverse();
                return Some((steps, s, result));
            }
            for e in self.before.lts.row(s).iter().filter(|e| self.silent(e.label)) {
                if self.class(e.target) == self.class(s) && found.iter().all(|f| f.0 != e.target) {
                    queue.push_back(found.len());
                    found.push((e.target, at, e.label));
                }
            }
        }
        None
    }

    fn alone(&self, label: LabelId, from: StateId, to: StateId) -> Step {
        Step { label, moves: vec![Move { component: self.component, from, to }] }
    }

    /// The trace with the component as it was; it is one for this query.
    pub(super) fn lift(&self, query: &Query, trace: &Trace) -> Result<Trace, NotLifted> {
        let missing = || NotLifted("a step of a class that a member cannot take".into());
        self.lifted(trace, matches!(query, Query::DeadlockFree)).ok_or_else(missing)
    }

    fn lifted(&self, trace: &Trace, deadlock: bool) -> Option<Trace> {
        let mut now = self.before.lts.initial();
        let mut lifted = Trace::default();
        for step in &trace.steps {
            let Some(at) = step.moves.iter().position(|m| m.component == self.component) else {
                lifted.steps.push(step.clone());
                continue;
            };
            let to = step.moves[at].to;
            if step.label.is_tau() && to == self.class(now) {
                // Going round silently changes nothing.
                continue;
            }
            let (inert, from, (label, target)) = self.inert(now, |s| {
                let same = |label: LabelId| if step.label.is_tau() { self.silent(label) } else { label == step.label };
                let mut row = self.before.lts.row(s).iter();
                row.find(|e| same(e.label) && self.class(e.target) == to).map(|e| (e.label, e.target))
            })?;
            lifted.steps.extend(inert);
            let mut moves = step.moves.clone();
            moves[at] = Move { component: self.component, from, to: target };
            lifted.steps.push(Step { label, moves });
            now = target;
        }
        if deadlock {
            // The class has no step of its own, so inert steps end somewhere.
            let last = |s: StateId| self.before.lts.row(s).iter().all(|e| !self.silent(e.label)).then_some(());
            let (inert, ..) = self.inert(now, last)?;
            lifted.steps.extend(inert);
        }
        Some(lifted)
    }
}

/// All components that became smaller.
#[derive(Debug)]
struct Layers {
    layers: Vec<Layer>,
    query: Query,
}

impl Lift for Layers {
    fn lift(&self, trace: &Trace) -> Result<Trace, NotLifted> {
        self.layers.iter().rev().try_fold(trace.clone(), |trace, layer| layer.lift(&self.query, &trace))
    }
}
