//! `minimise`: incremental composition and minimisation, the role that PMC plays in the ICC paper.
//!
//! A few systems at a time are composed, labels that nobody else takes part in are hidden, and the result is minimised, until one
//! system is left (Graf and Steffen 1990). Which ones are next follows P. Crouzen and F. Lang, *Smart Reduction* (FASE 2011): groups,
//! not only pairs, chosen by how much of what they do together can be hidden and how much they keep each other from
//! interleaving, both estimated from their transitions alone.
//!
//! | step | function |
//! | --- | --- |
//! | which ones are next | `group::next` |
//! | compose, hide, cut off, minimise | `Node::join` |
//! | from the last system back to a path of the network | `lift` |
//!
//! Which equivalence is sound depends on the question. Deadlocks: divergence-preserving branching bisimilarity, a congruence for
//! composition and hiding that tells a deadlock from a livelock. Safety (and reach, put as safety by
//! `safety`): only words count, so branching bisimilarity, or weak traces where that is smaller; the
//! monitor is one of the systems, and what lies behind an accepting state or can no longer reach one is cut off.

mod group;
mod word_to_path;

use super::option;
use super::option::Declared;
use super::safety::{Derived, Safety};
use super::{Engine, EngineOption};
use crate::algo::bisimulation::{Bisimulation, quotient, quotient_while};
use crate::algo::equivalence::{Equivalence, minimise_while};
use crate::algo::explicit::{Explored, Until, explore};
use crate::algo::product::Product;
use prequel_model::run::Run;
use prequel_model::{
    Answer, Component, ComponentId, Derivation, Evidence, Ground, LabelId, Lts, Network, Premise, Problem, Query,
    Shows, Why,
};
use word_to_path::End;

/// The engine and its options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Minimise {
    /// Whether safety may determinise, where that makes a system smaller.
    pub traces: bool,
}

impl Default for Minimise {
    fn default() -> Self {
        Self { traces: true }
    }
}

/// What can be set.
const OPTIONS: &[Declared<Minimise>] =
    &[Declared::switch("traces", true, "minimise up to weak traces where that is smaller and sound", |o, on| {
        o.traces = on
    })];

impl Engine for Minimise {
    fn name(&self) -> &'static str {
        "minimise"
    }

    fn about(&self) -> &'static str {
        "composes a few at a time, hides what has become private, minimises"
    }

    fn queries(&self) -> &'static [&'static str] {
        &["deadlock-free", "reach", "safety"]
    }

    fn options(&self) -> Vec<EngineOption> {
        option::list(OPTIONS)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        option::set(OPTIONS, self, name, value)
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        Answer::found(&problem.query, self.decide(problem, run))
    }
}

impl Minimise {
    /// The witness, if there is one.
    fn decide(&self, problem: &Problem, run: &Run) -> Result<Option<Evidence>, Why> {
        let network = &problem.network;
        if matches!(problem.query, Query::DeadlockFree) {
            let method = Method { labels: network.labels().len(), keeps: Keeps::Deadlocks };
            let leaves: Vec<Component> = network.ids().map(|c| quiet(network, c, Bisimulation::DpBranching)).collect();
            let mut derived = Derived::about(Shows::NoDeadlock, run.proves());
            let from = |c: ComponentId| Ground::from(vec![Premise::Component(c)]);
            let steps: Vec<usize> =
                network.ids().zip(&leaves).map(|(c, leaf)| derived.add(|| from(c), leaf, false)).collect();
            let parts = leaves.iter().cloned().zip(steps).collect();
            let Some(root) = method.compose(parts, None, &mut derived, run)? else {
                return Ok(Some(Evidence::Witness(Default::default())));
            };
            let stuck = root.component.lts.states().any(|s| root.component.lts.row(s).is_empty());
            let trace = || word_to_path::deadlock(&method, &root, &leaves, network, run);
            return if stuck { Ok(Some(Evidence::Witness(trace()?))) } else { Ok(proven(derived.ended([root.step]))) };
        }
        let safety = Safety::within(problem, true, &run.watch()).map_err(|why| why.of("minimise"))?;
        if !safety.can_be_bad() {
            return Ok(proven(safety.never_bad(run.proves())));
        }
        let mut derived = Derived::of(&safety, run.proves());
        let parts = safety.parts.iter().enumerate().map(|(at, part)| (part.clone(), Derived::part(at))).collect();
        let method = Method { labels: safety.labels, keeps: Keeps::Words { traces: self.traces } };
        let root = method.compose(parts, Some(&safety.monitor), &mut derived, run)?;
        let root = root.expect("there is a monitor at least");
        if !root.component.lts.has_marked() {
            return Ok(proven(derived.ended([root.step])));
        }
        let word = word_to_path::word(&method, &root, &End::Marked, &[], &mut |_, _| (), run)?;
        Ok(Some(Evidence::Witness(safety.trace(network, &word))))
    }
}

/// A proof that a network is nonblocking, by systems that can take each other's place; none where it takes more than this run allows.
pub(crate) fn nonblocking(network: &Network, run: &Run) -> Option<Derivation> {
    let method = Method { labels: network.labels().len(), keeps: Keeps::Nonblocking };
    let mut derived = Derived::about(Shows::Nonblocking, true);
    let mut parts = Vec::with_capacity(network.components().len());
    for c in network.ids() {
        let leaf = quiet(network, c, Bisimulation::Branching);
        let step = derived.add(|| Ground::from(vec![Premise::Component(c)]), &leaf, true);
        parts.push((leaf, step));
    }
    let root = method.compose(parts, None, &mut derived, run).ok()??;
    derived.ended([root.step])
}

/// That there is no witness.
fn proven(proof: Option<Derivation>) -> Option<Evidence> {
    proof.map(|proof| Evidence::Derivation(Box::new(proof)))
}

/// A component with its private labels hidden, minimised.
fn quiet(network: &Network, c: ComponentId, kind: Bisimulation) -> Component {
    let component = network.component(c);
    let private = |l: LabelId| network.participants(l).len() == 1;
    let lts = component.lts.clone().relabelled(|l| if private(l) { LabelId::TAU } else { l });
    let alphabet: Vec<LabelId> = component.alphabet().iter().copied().filter(|&l| !private(l)).collect();
    let lts = quotient(&lts, kind).expect("only weak bisimulation can be too large");
    Component::with_alphabet(component.name.clone(), lts, alphabet)
}

/// What minimisation must not change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Keeps {
    Deadlocks,
    /// What can still be reached, marks included.
    Nonblocking,
    Words {
        traces: bool,
    },
}

/// How systems are put together.
struct Method {
    labels: usize,
    keeps: Keeps,
}

/// A system that stands for some of the components.
struct Node {
    component: Component,
    of: Of,
    /// The step of the derivation that is about it.
    step: usize,
    /// Whether the monitor is in it: then marks count.
    monitored: bool,
    /// Its transitions by label, sorted.
    counts: Vec<(LabelId, u32)>,
}

impl Node {
    fn new(component: Component, of: Of, step: usize, monitored: bool) -> Self {
        let mut labels: Vec<LabelId> = component.lts.transitions().map(|t| t.label).collect();
        labels.sort_unstable();
        let counts = labels.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
        Self { component, of, step, monitored, counts }
    }
}

enum Of {
    /// By its place among the leaves; none for the monitor.
    Leaf(Option<usize>),
    Joint(Vec<Node>),
}

impl Method {
    /// Composes everything, each part with the step that is about it; none if there is nothing to compose.
    fn compose(
        &self,
        parts: Vec<(Component, usize)>,
        monitor: Option<&Component>,
        derived: &mut Derived,
        run: &Run,
    ) -> Result<Option<Node>, Why> {
        let leaf = |(at, (component, step))| Node::new(component, Of::Leaf(Some(at)), step, false);
        let mut nodes: Vec<Node> = parts.into_iter().enumerate().map(leaf).collect();
        nodes.extend(monitor.map(|m| Node::new(m.clone(), Of::Leaf(None), Derived::MONITOR, true)));
        // How many systems take part in each label.
        let mut shared_by = vec![0u32; self.labels];
        nodes.iter().flat_map(|n| n.component.alphabet()).for_each(|l| shared_by[l.at()] += 1);
        while nodes.len() > 1 {
            let mut group = group::next(&nodes, &shared_by);
            // The last place first: taking it out leaves the earlier ones where they are.
            group.sort_unstable_by_key(|&at| std::cmp::Reverse(at));
            let group: Vec<Node> = group.into_iter().map(|at| nodes.swap_remove(at)).collect();
            for label in common(&group) {
                let inside = group.iter().filter(|node| node.component.takes_part(label)).count() as u32;
                shared_by[label.at()] -= inside - 1;
            }
            let joint = self.join(group, &|l| shared_by[l.at()] == 1, derived, run)?;
            if joint.monitored && !joint.component.lts.has_marked() {
                return Ok(Some(joint));
            }
            nodes.push(joint);
        }
        Ok(nodes.pop())
    }

    /// The reachable product of some nodes, marked where the monitor accepts.
    fn product(&self, group: &[Node], run: &Run) -> Result<Explored, Why> {
        let product = Product::new(self.labels, group.iter().map(|node| &node.component).collect());
        let mark = group.iter().position(|node| node.monitored);
        let marked =
            |state: &[u64], at: usize| group[at].component.lts.is_marked(product.local(state, ComponentId::new(at)));
        let is_marked = |state: &[u64]| match self.keeps {
            Keeps::Nonblocking => (0..group.len()).all(|at| marked(state, at)),
            Keeps::Deadlocks | Keeps::Words { .. } => mark.is_some_and(|at| marked(state, at)),
        };
        let check = run.check();
        explore(&product, |l| l, is_marked, Until::Exhausted, |states, transitions| check.explored(states, transitions))
    }

    /// Composes some nodes, hides what is private, and minimises.
    fn join(
        &self,
        group: Vec<Node>,
        private: &impl Fn(LabelId) -> bool,
        derived: &mut Derived,
        run: &Run,
    ) -> Result<Node, Why> {
        let monitored = group.iter().any(|node| node.monitored);
        let explored = self.product(&group, run)?;
        let lts = explored.lts.relabelled(|l| if !l.is_tau() && private(l) { LabelId::TAU } else { l });
        let lts = if monitored { super::safety::stopped_at_marks(&lts) } else { lts };
        let alphabet = group.iter().flat_map(|node| node.component.alphabet()).copied();
        let alphabet: Vec<LabelId> = alphabet.filter(|&l| !private(l)).collect();
        let component = Component::with_alphabet("joint", self.minimised(&lts, run)?, alphabet);
        let ground = || {
            let premises = group.iter().map(|node| Premise::Step(node.step)).collect();
            Ground::From { premises, without: None, early: monitored }
        };
        let has_marks = monitored || self.keeps == Keeps::Nonblocking;
        let step = derived.add(ground, &component, has_marks);
        Ok(Node::new(component, Of::Joint(group), step, monitored))
    }

    fn minimised(&self, lts: &Lts, run: &Run) -> Result<Lts, Why> {
        let kind = match self.keeps {
            Keeps::Deadlocks => Bisimulation::DpBranching,
            Keeps::Nonblocking | Keeps::Words { .. } => Bisimulation::Branching,
        };
        let go_on = || run.allowed().is_ok();
        let small = quotient_while(lts, kind, &go_on).or_else(|_| run.allowed().map(|()| lts.clone()))?;
        if self.keeps == (Keeps::Words { traces: true })
            && let Ok(deterministic) = minimise_while(&small, Equivalence::WeakTrace, Some(small.num_states()), &go_on)
            && deterministic.num_states() < small.num_states()
        {
            return Ok(deterministic);
        }
        run.allowed().map(|()| small)
    }
}

/// The labels that several of a group take part in.
fn common(group: &[Node]) -> Vec<LabelId> {
    let mut labels: Vec<LabelId> = group.iter().flat_map(|node| node.component.alphabet()).copied().collect();
    labels.sort_unstable();
    labels.chunk_by(|a, b| a == b).filter(|same| same.len() > 1).map(|same| same[0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_can_be_set() {
        option::check_list(OPTIONS, Minimise::default);
    }
}
