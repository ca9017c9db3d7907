//! `minimise`: incremental composition and minimisation, the role that PMC plays in the ICC paper.
//!
//! Two systems at a time are composed, labels that nobody else takes part in are hidden, and the result is minimised, until one
//! system is left (Graf and Steffen 1990; the choice of the next pair follows Crouzen and Lang, *Smart Reduction*, FASE 2011).
//!
//! | step | function |
//! | --- | --- |
//! | which two are next | `next_pair` |
//! | compose, hide, cut off, minimise | `Node::join` |
//! | from the last system back to a path of the network | `lift` |
//!
//! Which equivalence is sound depends on the question. Deadlocks: divergence-preserving branching bisimilarity, a congruence for
//! composition and hiding that tells a deadlock from a livelock. Safety (and reach, put as safety by
//! [`crate::engine::safety`]): only words count, so branching bisimilarity, or weak traces where that is smaller; the
//! monitor is one of the systems, and what lies behind an accepting state or can no longer reach one is cut off.

mod lift;

use super::safety::Safety;
use super::{Engine, EngineOption};
use crate::algo::bisimulation::{Bisimulation, quotient};
use crate::algo::equivalence::{Equivalence, minimise};
use crate::algo::explicit::{Explored, Until, explore};
use crate::algo::product::Product;
use crate::engine::run::Run;
use crate::model::{Answer, Component, ComponentId, Evidence, LabelId, Lts, Network, Problem, Query, Why};
use lift::End;

/// The engine and its options.
#[derive(Clone, Copy, Debug)]
pub struct Minimise {
    /// Whether safety may determinise, where that makes a system smaller.
    pub traces: bool,
}

impl Default for Minimise {
    fn default() -> Self {
        Self { traces: true }
    }
}

const OPTIONS: &[EngineOption] = &[EngineOption {
    name: "traces",
    values: "on|off",
    default: "on",
    about: "minimise up to weak traces where that is smaller and sound",
}];

impl Engine for Minimise {
    fn name(&self) -> &'static str {
        "minimise"
    }

    fn about(&self) -> &'static str {
        "composes two at a time, hides what has become private, minimises"
    }

    fn queries(&self) -> &'static [&'static str] {
        &["deadlock-free", "reach", "safety"]
    }

    fn options(&self) -> &'static [EngineOption] {
        OPTIONS
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.traces = match (name, value) {
            ("traces", "on") => true,
            ("traces", "off") => false,
            ("traces", _) => return Err(format!("`{value}` is neither on nor off")),
            _ => return Err(format!("there is no option `{name}`")),
        };
        Ok(())
    }

    fn solve(&self, problem: &Problem, run: &Run) -> Answer {
        let shows = problem.query.witness_shows();
        match self.decide(problem, run) {
            Err(why) => Answer::Unknown(why),
            Ok(None) if shows => Answer::False(Evidence::Exhausted),
            Ok(None) => Answer::True(Evidence::Exhausted),
            Ok(Some(witness)) if shows => Answer::True(witness),
            Ok(Some(witness)) => Answer::False(witness),
        }
    }
}

impl Minimise {
    /// The witness, if there is one.
    fn decide(&self, problem: &Problem, run: &Run) -> Result<Option<Evidence>, Why> {
        let network = &problem.network;
        if matches!(problem.query, Query::DeadlockFree) {
            let method = Method { labels: network.labels().len(), keeps: Keeps::Deadlocks };
            let leaves: Vec<Component> = network.ids().map(|c| quiet(network, c)).collect();
            let Some(root) = method.compose(leaves.iter().cloned(), None, run)? else {
                return Ok(Some(Evidence::Witness(Default::default())));
            };
            let stuck = root.component.lts.states().any(|s| root.component.lts.row(s).is_empty());
            let trace = || lift::deadlock(&method, &root, &leaves, network, run);
            return if stuck { Ok(Some(Evidence::Witness(trace()?))) } else { Ok(None) };
        }
        let safety = Safety::of(problem, true).map_err(|refusal| Why::Refused(format!("minimise: {refusal}")))?;
        if !safety.can_be_bad() {
            return Ok(None);
        }
        let method = Method { labels: safety.labels, keeps: Keeps::Words { traces: self.traces } };
        let root = method.compose(safety.parts.iter().cloned(), Some(&safety.monitor), run)?;
        let root = root.expect("there is a monitor at least");
        if !root.component.lts.has_marked() {
            return Ok(None);
        }
        let word = lift::word(&method, &root, &End::Marked, &[], &mut |_, _| (), run)?;
        Ok(Some(Evidence::Witness(safety.trace(network, &word))))
    }
}

/// A component with its private labels hidden, minimised for deadlocks.
fn quiet(network: &Network, c: ComponentId) -> Component {
    let component = network.component(c);
    let private = |l: LabelId| network.participants(l).len() == 1;
    let lts = component.lts.clone().relabelled(|l| if private(l) { LabelId::TAU } else { l });
    let alphabet: Vec<LabelId> = component.alphabet().iter().copied().filter(|&l| !private(l)).collect();
    let lts = quotient(&lts, Bisimulation::DpBranching).expect("only weak bisimulation can be too large");
    Component::with_alphabet(component.name.clone(), lts, alphabet)
}

/// What minimisation must not change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Keeps {
    Deadlocks,
    Words { traces: bool },
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
    /// Whether the monitor is in it: then marks count.
    monitored: bool,
}

enum Of {
    /// By its place among the leaves; none for the monitor.
    Leaf(Option<usize>),
    Joint(Box<(Node, Node)>),
}

impl Method {
    /// Composes everything; none if there is nothing to compose.
    fn compose(
        &self,
        parts: impl Iterator<Item = Component>,
        monitor: Option<&Component>,
        run: &Run,
    ) -> Result<Option<Node>, Why> {
        let leaf = |(at, component)| Node { component, of: Of::Leaf(Some(at)), monitored: false };
        let mut nodes: Vec<Node> = parts.enumerate().map(leaf).collect();
        nodes.extend(monitor.map(|m| Node { component: m.clone(), of: Of::Leaf(None), monitored: true }));
        // How many systems take part in each label.
        let mut shared_by = vec![0u32; self.labels];
        nodes.iter().flat_map(|n| n.component.alphabet()).for_each(|l| shared_by[l.at()] += 1);
        while nodes.len() > 1 {
            let (one, other) = next_pair(&nodes, &shared_by);
            // The later place first: taking it out leaves the earlier one where it is.
            let (one, other) = (nodes.swap_remove(one.max(other)), nodes.swap_remove(one.min(other)));
            let both = one.component.alphabet().iter().filter(|&&l| other.component.takes_part(l));
            both.for_each(|l| shared_by[l.at()] -= 1);
            let joint = self.join(one, other, &|l| shared_by[l.at()] == 1, run)?;
            if joint.monitored && !joint.component.lts.has_marked() {
                return Ok(Some(joint));
            }
            nodes.push(joint);
        }
        Ok(nodes.pop())
    }

    /// The reachable product of two nodes, marked where the monitor accepts.
    fn product(&self, one: &Node, other: &Node, run: &Run) -> Result<Explored, Why> {
        let product = Product::new(self.labels, vec![&one.component, &other.component]);
        let mark = [(one, ComponentId(0)), (other, ComponentId(1))].into_iter().find(|(node, _)| node.monitored);
        let is_marked =
            |state: &[u64]| mark.is_some_and(|(node, c)| node.component.lts.is_marked(product.local(state, c)));
        let check = run.check();
        explore(&product, |l| l, is_marked, Until::Exhausted, |states, transitions| check.explored(states, transitions))
    }

    /// Composes two nodes, hides what is private, and minimises.
    fn join(&self, one: Node, other: Node, private: &impl Fn(LabelId) -> bool, run: &Run) -> Result<Node, Why> {
        let monitored = one.monitored || other.monitored;
        let explored = self.product(&one, &other, run)?;
        let lts = explored.lts.relabelled(|l| if !l.is_tau() && private(l) { LabelId::TAU } else { l });
        let lts = if monitored { super::safety::stopped_at_marks(&lts) } else { lts };
        let alphabet = one.component.alphabet().iter().chain(other.component.alphabet()).copied();
        let alphabet: Vec<LabelId> = alphabet.filter(|&l| !private(l)).collect();
        let component = Component::with_alphabet("joint", self.minimised(&lts), alphabet);
        Ok(Node { component, of: Of::Joint(Box::new((one, other))), monitored })
    }

    fn minimised(&self, lts: &Lts) -> Lts {
        let kind = match self.keeps {
            Keeps::Deadlocks => Bisimulation::DpBranching,
            Keeps::Words { .. } => Bisimulation::Branching,
        };
        let small = quotient(lts, kind).expect("only weak bisimulation can be too large");
        if self.keeps == (Keeps::Words { traces: true })
            && let Ok(deterministic) = minimise(&small, Equivalence::WeakTrace, Some(small.num_states()))
            && deterministic.num_states() < small.num_states()
        {
            return deterministic;
        }
        small
    }
}

/// The smallest system, and beside it the one with which it makes the least: states over labels that can be hidden then.
fn next_pair(nodes: &[Node], shared_by: &[u32]) -> (usize, usize) {
    let size = |at: usize| nodes[at].component.lts.num_states();
    let one = (0..nodes.len()).min_by_key(|&at| size(at)).expect("two at least");
    let cost = |&at: &usize| {
        let theirs = &nodes[at].component;
        let common = || nodes[one].component.alphabet().iter().filter(|&&l| theirs.takes_part(l));
        let hidden = common().filter(|l| shared_by[l.at()] == 2).count();
        // Systems without common labels only multiply.
        (common().next().is_none(), size(at) * 4 / (1 + hidden), at)
    };
    let other = (0..nodes.len()).filter(|&at| at != one).min_by_key(cost).expect("two at least");
    (one, other)
}
