//! States of a process that nobody can tell apart, put together.
//!
//! Branching bisimulation with explicit divergence: a step that nobody notices, between states of one class, is forgotten, unless a
//! process can take such steps for ever. What a class can do is what its states can do after such steps, and every state of it comes to
//! all of that. So assertions, end states, formulas without `X`, progress and weak fairness keep their verdicts. In the `strong` form
//! every step counts: what is merged is then only what differs in values that nobody reads any more.

use super::domain::Domains;
use super::unfold::{END, Label, TAU, Unfolding};
use crate::data::Action;
use crate::expression::{Expression, Pattern};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// States that nobody can tell apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Class {
    /// What can be done, and where that leads.
    pub options: Vec<Choice>,
    /// A process may stay here when nothing moves any more.
    pub end: bool,
    /// A process can take steps for ever that nobody notices.
    pub diverges: bool,
    /// A process comes here in the middle of an `atomic`, and goes on if it can.
    pub held: bool,
    /// The process is gone.
    pub gone: bool,
    /// One of its states, by number: where control is in it is where the labels of the class stand.
    pub member: u32,
}

/// What a process can do in a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// What is done, as a number into the labels.
    pub label: u32,
    /// The labels of states that it stands for: several where it does not matter what is received.
    pub of: Vec<u32>,
    /// The class that it leads to.
    pub target: u32,
}

/// The classes of an unfolding. The process starts in class 0.
#[derive(Clone, Debug, Default)]
pub struct Quotient {
    /// The classes.
    pub classes: Vec<Class>,
    /// The class of each state.
    pub of: Vec<u32>,
    /// Steps, by state and position among its steps, that do nothing but ask, and of which one can always be done: each passes for a
    /// step that nobody notices wherever it can be done.
    pub quiet: FxHashSet<(u32, u32)>,
}

/// States and steps, and what is seen of them at once.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Labels and targets of the steps of each state.
    pub edges: Vec<Vec<(u32, u32)>>,
    /// What stands there: states that differ in it are told apart.
    pub looks: Vec<u64>,
    /// Whether a process may stay there.
    pub ends: Vec<bool>,
}

/// Puts states together that nobody can tell apart. Where it is `strong`, every step counts.
pub fn quotient(unfolding: &Unfolding, graph: Graph, strong: bool) -> Quotient {
    let states = unfolding.places.keys().enumerate().map(|(state, place)| Class {
        held: place.held,
        gone: place.control.is_none(),
        member: state as u32,
        ..Class::default()
    });
    let mut refinement = Refinement::new(graph, strong);
    while refinement.split() {}
    refinement.classes(states)
}

/// Whether nobody can tell the first state of one from that of the other.
pub fn is_equivalent(one: &Graph, other: &Graph, strong: bool) -> bool {
    let mut both = one.clone();
    let first = one.edges.len() as u32;
    let moved = |edges: &Vec<(u32, u32)>| edges.iter().map(|(label, target)| (*label, target + first)).collect();
    both.edges.extend(other.edges.iter().map(moved));
    both.looks.extend(&other.looks);
    both.ends.extend(&other.ends);
    let mut refinement = Refinement::new(both, strong);
    while refinement.split() {}
    refinement.of[0] == refinement.of[first as usize]
}

struct Refinement {
    graph: Graph,
    strong: bool,
    of: Vec<u32>,
    count: usize,
}

/// What a state does, by classes.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Signature {
    options: Vec<(u32, u32)>,
    end: bool,
    diverges: bool,
}

impl Signature {
    /// Takes in what another state does that this one comes to; whether that is more.
    fn join(&mut self, other: &Signature) -> bool {
        let before = (self.options.len(), self.end);
        for option in &other.options {
            if let Err(at) = self.options.binary_search(option) {
                self.options.insert(at, *option);
            }
        }
        self.end |= other.end;
        before != (self.options.len(), self.end)
    }
}

impl Refinement {
    /// By what is seen at once.
    fn new(graph: Graph, strong: bool) -> Self {
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
        let number = |looks: &u64| {
            let next = numbers.len() as u32;
            *numbers.entry(*looks).or_insert(next)
        };
        let of = graph.looks.iter().map(number).collect();
        Self { graph, strong, of, count: numbers.len() }
    }

    /// Whether nobody notices a step of a state.
    fn inert(&self, state: usize, &(label, target): &(u32, u32)) -> bool {
        label == TAU && !self.strong && self.of[state] == self.of[target as usize]
    }

    /// Whether there is no end of the steps that nobody notices, by state: those that come to an end are taken away, the last ones first.
    fn diverging(&self) -> Vec<bool> {
        let mut left = vec![0u32; self.of.len()];
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); self.of.len()];
        for (state, edges) in self.graph.edges.iter().enumerate() {
            for edge in edges.iter().filter(|edge| self.inert(state, edge)) {
                left[state] += 1;
                into[edge.1 as usize].push(state);
            }
        }
        let mut open: Vec<usize> = (0..left.len()).filter(|&state| left[state] == 0).collect();
        while let Some(state) = open.pop() {
            for &before in &into[state] {
                left[before] -= 1;
                if left[before] == 0 {
                    open.push(before);
                }
            }
        }
        left.into_iter().map(|left| left > 0).collect()
    }

    /// What a state does by itself.
    fn own(&self, state: usize, diverges: bool) -> Signature {
        let edges = &self.graph.edges[state];
        let seen = edges.iter().filter(|edge| !self.inert(state, edge));
        let mut options: Vec<(u32, u32)> = seen.map(|(label, target)| (*label, self.of[*target as usize])).collect();
        options.sort_unstable();
        options.dedup();
        // Where a step that nobody notices can be taken, nothing stands still.
        let moves = !self.strong && edges.iter().any(|(label, _)| *label == TAU);
        Signature { options, end: !moves && self.graph.ends[state], diverges }
    }

    /// What each state does, after steps that nobody notices too.
    fn signatures(&self) -> Vec<Signature> {
        let own = |(state, diverges)| self.own(state, diverges);
        let mut all: Vec<Signature> = self.diverging().into_iter().enumerate().map(own).collect();
        loop {
            let mut grown = false;
            // Steps mostly lead to later states, so these go first.
            for state in (0..all.len()).rev() {
                for edge in self.graph.edges[state].iter().filter(|edge| self.inert(state, edge)) {
                    if let Ok([here, after]) = all.get_disjoint_mut([state, edge.1 as usize]) {
                        grown |= here.join(after);
                    }
                }
            }
            if !grown {
                return all;
            }
        }
    }

    /// Tells states of a class apart that do different things; whether there are any.
    fn split(&mut self) -> bool {
        let mut numbers: FxHashMap<(u32, Signature), u32> = FxHashMap::default();
        let mut of = Vec::with_capacity(self.of.len());
        for (state, signature) in self.signatures().into_iter().enumerate() {
            let next = numbers.len() as u32;
            of.push(*numbers.entry((self.of[state], signature)).or_insert(next));
        }
        let grown = numbers.len() > self.count;
        self.count = numbers.len();
        self.of = of;
        grown
    }

    /// The classes of these states, of which it is known where they stand.
    fn classes(&self, states: impl Iterator<Item = Class>) -> Quotient {
        let mut classes: Vec<Option<Class>> = vec![None; self.count];
        for ((number, state), signature) in states.enumerate().zip(self.signatures()) {
            let class = &mut classes[self.of[number] as usize];
            if class.is_some() {
                continue;
            }
            let Signature { options, end, diverges } = signature;
            let choice = |(label, target)| Choice { label, of: vec![label], target };
            let options = options.into_iter().map(choice).collect();
            *class = Some(Class { options, end, diverges, ..state });
        }
        // Numbers follow the first state of each class, and the process starts in the first.
        let quiet = FxHashSet::default();
        Quotient { classes: classes.into_iter().flatten().collect(), of: self.of.clone(), quiet }
    }
}

impl Quotient {
    /// Puts classes together that nobody can tell apart any more, once some of their options are gone; `looks` is what is seen at once,
    /// by state.
    pub fn minimise(&mut self, looks: &[u64]) {
        let mut graph = Graph::default();
        for (number, class) in self.classes.iter().enumerate() {
            graph.looks.push(looks[class.member as usize]);
            graph.ends.push(class.end);
            let rests = class.diverges.then_some((TAU, number as u32));
            graph.edges.push(class.options.iter().map(|choice| (choice.label, choice.target)).chain(rests).collect());
        }
        let mut refinement = Refinement::new(graph, false);
        while refinement.split() {}
        let fewer = refinement.classes(std::mem::take(&mut self.classes).into_iter());
        self.classes = fewer.classes;
        self.of.iter_mut().for_each(|class| *class = fewer.of[*class as usize]);
    }

    /// Puts receives together that do not differ but in a value that does not matter: all that can come leads to the same class.
    pub fn merge_receives(&mut self, labels: &mut Labels, domains: &Domains<'_>) {
        for class in &mut self.classes {
            while let Some((field, merged)) = mergeable(&class.options, labels, domains) {
                let first = class.options[merged[0]].clone();
                let mut action = labels[first.label as usize].action.clone();
                if let Action::Receive(receive) = &mut action {
                    receive.patterns[field] = Pattern::Ignore;
                }
                let of = merged.iter().flat_map(|&at| class.options[at].of.clone()).collect();
                let statement = labels[first.label as usize].statement;
                // Its text is that of the label with one value left open; it only has to be another one.
                let text = format!("{action:?}");
                let entry = labels.entry(text);
                let label = entry.index() as u32;
                entry.or_insert(Label { action, statement });
                let mut at = 0;
                class.options.retain(|_| {
                    at += 1;
                    !merged.contains(&(at - 1))
                });
                class.options.push(Choice { label, of, target: first.target });
            }
        }
    }
}

type Labels = IndexMap<String, Label, FxBuildHasher>;

/// A field of receives, and the options that differ in nothing else and take all that can come.
fn mergeable(options: &[Choice], labels: &Labels, domains: &Domains<'_>) -> Option<(usize, Vec<usize>)> {
    let receive = |at: usize| match &labels[options[at].label as usize].action {
        Action::Receive(receive) if !receive.random => Some(receive),
        _ => None,
    };
    for first in 0..options.len() {
        let Some(one) = receive(first) else { continue };
        for (field, pattern) in one.patterns.iter().enumerate() {
            let Pattern::Match(Expression::Number(_)) = pattern else { continue };
            let value = |at: usize| {
                let other = receive(at).filter(|_| options[at].target == options[first].target)?;
                let Some(Pattern::Match(Expression::Number(value))) = other.patterns.get(field) else { return None };
                let mut same = (**other).clone();
                same.patterns[field] = pattern.clone();
                (same == **one).then_some(*value)
            };
            let found: Vec<(usize, i32)> = (0..options.len()).filter_map(|at| Some((at, value(at)?))).collect();
            let all = domains.field(&one.channel, field);
            let covered = |wanted: &i32| found.iter().any(|(_, value)| value == wanted);
            if found.len() > 1 && all.values(usize::MAX).is_some_and(|all| all.iter().all(covered)) {
                return Some((field, found.into_iter().map(|(at, _)| at).collect()));
            }
        }
    }
    None
}

impl Class {
    /// Whether the process does nothing more here than to go away.
    pub fn closes(&self) -> bool {
        self.options.iter().any(|choice| choice.label == END)
    }
}
