//! Every question as a safety question: what compositional engines work on.
//!
//! `reach` and `deadlock-free` ask for a global state, safety for a word. The first become the second: each component that
//! matters may *end*, once and for all, under a fresh label that tells which of the goal's conditions hold where it stands,
//! and the monitor reads these labels one component after the other and accepts when the goal is decided.
//!
//! Why that is right: a component that has ended never moves again, so when the monitor accepts, each component it has read
//! stands where it ended, all at the same time, and what it has read makes the goal true. The other way round, from a state
//! that satisfies the goal the components can end in the monitor's order. A deadlock is such a goal: nobody has a tau, and for
//! every label somebody who takes part does not offer it.
//!
//! What makes the parts smaller without changing the answer: the monitor stops where it accepts (a prefix of a bad word is
//! what counts) and forgets states that cannot accept any more; a label of one component alone that the monitor does not
//! see is silent; a component that is not connected to the monitor through common labels can always stand still.

use super::weave;
use crate::algo::bisimulation::{Bisimulation, quotient};
use crate::algo::trim;
use prequel_model::watch::Watch;
use prequel_model::{
    Component, ComponentId, Goal, LabelId, Lts, Network, Participants, Problem, Query, StateId, Trace, Transition, Why,
};
use residual::Formula;
use rustc_hash::FxHashMap;

mod derive;
mod residual;

pub use derive::Derived;

/// States that the monitor of a goal may have.
const MOST_MONITOR_STATES: usize = 1 << 14;

/// A network and an automaton for what must not happen; silent where nobody looks.
#[derive(Debug)]
pub struct Safety {
    /// Size of the label table: the network's labels, then the labels of ends.
    pub labels: usize,
    /// The components that are connected to the monitor, in the order of the network.
    pub parts: Vec<Component>,
    /// Which component of the network a part is.
    pub ids: Vec<ComponentId>,
    /// Its marked states are bad; from every state a marked one can be reached, unless nothing is bad at all.
    pub monitor: Component,
    /// For each component of the network that the goal mentions, the label of its end by state.
    ends: FxHashMap<ComponentId, Vec<LabelId>>,
    /// In which order the monitor reads ends.
    order: Vec<ComponentId>,
}

impl Safety {
    /// The safety question that a problem comes to. `smaller` merges branching bisimilar states of components.
    pub fn of(problem: &Problem, smaller: bool) -> Result<Self, Why> {
        Self::within(problem, smaller, &Watch::default())
    }

    /// The same for as long as it is allowed.
    pub fn within(problem: &Problem, smaller: bool, watch: &Watch) -> Result<Self, Why> {
        let network = &problem.network;
        let goal = match &problem.query {
            Query::Safety(monitor) => {
                // A label that no component takes part in is a free move of the monitor.
                let foreign = |l: LabelId| !l.is_tau() && network.participants(l).is_empty();
                let automaton = &monitor.automaton;
                let lts = automaton.lts.clone().relabelled(|l| if foreign(l) { LabelId::TAU } else { l });
                let alphabet: Vec<LabelId> = automaton.alphabet().iter().copied().filter(|&l| !foreign(l)).collect();
                let monitor = Component::with_alphabet("monitor", stopped_at_marks(&lts), alphabet);
                let labels = network.labels().len();
                let read = Ended { labels, ends: FxHashMap::default(), order: Vec::new(), monitor };
                return Self::connect(network, read, smaller, watch);
            }
            Query::Reach(goal) => goal,
            Query::DeadlockFree => &deadlock(network),
            Query::Nonblocking => return Err(Why::Refused("nonblocking is no safety property".into())),
        };
        Self::connect(network, Ended::new(network, goal, watch)?, smaller, watch)
    }

    /// Whether a monitor exists that can accept at all.
    pub fn can_be_bad(&self) -> bool {
        self.monitor.lts.has_marked()
    }

    /// Finds the connected components and makes silent what is theirs alone.
    fn connect(network: &Network, ended: Ended, smaller: bool, watch: &Watch) -> Result<Self, Why> {
        let Ended { labels, ends, order, monitor } = ended;
        let ids = connected(network, &monitor, &ends);
        let participants = Participants::of(network.labels().len(), network.components().iter());
        let seen = |l: LabelId| monitor.takes_part(l);
        let is_end = |l: LabelId| l.at() >= network.labels().len();
        let private = |l: LabelId| !l.is_tau() && !is_end(l) && participants.of_label(l).len() == 1 && !seen(l);
        let part = |&id: &ComponentId| {
            watch.allowed()?;
            let component = network.component(id);
            let lts = match ends.get(&id) {
                Some(ends) => with_ends(&component.lts, ends, &seen),
                None => component.lts.clone(),
            };
            let lts = lts.relabelled(|l| if private(l) { LabelId::TAU } else { l });
            let lts = match smaller {
                true => quotient(&lts, Bisimulation::Branching).expect("only weak bisimulation can be too large"),
                false => trim::trim_reachable(&lts).lts,
            };
            let own_ends = ends.get(&id).into_iter().flatten().copied().filter(|&l| seen(l));
            let alphabet: Vec<LabelId> =
                component.alphabet().iter().copied().filter(|&l| !private(l)).chain(own_ends).collect();
            Ok(Component::with_alphabet(component.name.clone(), lts, alphabet))
        };
        let parts = ids.iter().map(part).collect::<Result<_, Why>>()?;
        Ok(Self { labels, parts, ids, monitor, ends, order })
    }

    /// The label under which a component of the network ends in a state, where ends are read.
    pub fn end(&self, component: ComponentId, state: StateId) -> Option<LabelId> {
        self.ends.get(&component).map(|ends| ends[state.at()])
    }

    /// A path of the network for a bad word: each component is run on its letters alone, then the runs are put together.
    pub fn trace(&self, network: &Network, word: &[LabelId]) -> Trace {
        let mut runs = vec![Vec::new(); network.components().len()];
        for (part, &id) in self.parts.iter().zip(&self.ids) {
            let lts = &network.component(id).lts;
            let letters: Vec<LabelId> = word.iter().copied().filter(|&l| part.takes_part(l)).collect();
            let (letters, end) = match letters.split_last() {
                Some((&last, before)) if last.at() >= network.labels().len() => (before, Some(last)),
                _ => (&letters[..], None),
            };
            let may_end = |s: StateId| end.is_none_or(|end| self.ends[&id][s.at()] == end);
            let run = weave::run_on(lts, letters, |l| !part.takes_part(l), may_end);
            runs[id.at()] = run.expect("every component has a run on its letters of a bad word");
        }
        let word: Vec<LabelId> = word.iter().copied().filter(|l| l.at() < network.labels().len()).collect();
        weave::weave(network, &word, &runs)
    }
}

/// The components that share labels with the monitor, directly or through others.
fn connected(network: &Network, monitor: &Component, ends: &FxHashMap<ComponentId, Vec<LabelId>>) -> Vec<ComponentId> {
    let sees_end = |c: ComponentId| ends.get(&c).is_some_and(|own| own.iter().any(|&l| monitor.takes_part(l)));
    let mut found = vec![false; network.components().len()];
    let mut looked_at = vec![false; network.labels().len()];
    let mut labels: Vec<LabelId> =
        monitor.alphabet().iter().copied().filter(|l| l.at() < network.labels().len()).collect();
    for c in network.ids().filter(|&c| sees_end(c)) {
        found[c.at()] = true;
        labels.extend_from_slice(network.component(c).alphabet());
    }
    while let Some(label) = labels.pop() {
        if std::mem::replace(&mut looked_at[label.at()], true) {
            continue;
        }
        for &c in network.participants(label) {
            if !std::mem::replace(&mut found[c.at()], true) {
                labels.extend_from_slice(network.component(c).alphabet());
            }
        }
    }
    network.ids().filter(|c| found[c.at()]).collect()
}

/// The part of a system that leads to its first marked states.
pub(super) fn stopped_at_marks(lts: &Lts) -> Lts {
    let transitions = lts.transitions().filter(|t| !lts.is_marked(t.source)).collect();
    let stopped = Lts::new(lts.initial(), lts.num_states(), transitions).with_marked(lts.marked());
    trim::trim(&stopped).lts
}

/// A system that can end from each state under that state's label, where the monitor sees it.
fn with_ends(lts: &Lts, ends: &[LabelId], seen: &impl Fn(LabelId) -> bool) -> Lts {
    let over = StateId::new(lts.num_states());
    let end = lts.states().map(|s| Transition { source: s, label: ends[s.at()], target: over });
    let transitions: Vec<Transition> = lts.transitions().chain(end.filter(|t| seen(t.label))).collect();
    Lts::new(lts.initial(), lts.num_states() + 1, transitions)
}

/// The goal that exactly the deadlocks satisfy.
pub(super) fn deadlock(network: &Network) -> Goal {
    let without = |c: ComponentId, label: LabelId| {
        let lts = &network.component(c).lts;
        Goal::In(c, lts.states().filter(|&s| lts.row_on(s, label).is_empty()).collect())
    };
    let quiet = network.ids().map(|c| without(c, LabelId::TAU));
    let labels = network.labels().visible().filter(|&l| !network.participants(l).is_empty());
    let blocked = labels.map(|l| Goal::Or(network.participants(l).iter().map(|&c| without(c, l)).collect()));
    Goal::And(quiet.chain(blocked).collect())
}

/// For each component, the labels of its ends and which conditions hold where it ends under them.
type Classes = FxHashMap<ComponentId, Vec<(LabelId, Vec<(u32, bool)>)>>;

/// The labels of ends and the monitor that reads them.
struct Ended {
    labels: usize,
    ends: FxHashMap<ComponentId, Vec<LabelId>>,
    order: Vec<ComponentId>,
    monitor: Component,
}

impl Ended {
    fn new(network: &Network, goal: &Goal, watch: &Watch) -> Result<Self, Why> {
        let mut atoms = residual::Atoms::default();
        let formula = atoms.formula(goal, &|c| network.component(c).lts.num_states());
        let mut labels = network.labels().len();
        let mut ends = FxHashMap::default();
        let mut classes: Classes = FxHashMap::default();
        for &c in &formula.components(&atoms) {
            // States that satisfy the same conditions end under the same label.
            let mut known: FxHashMap<Vec<(u32, bool)>, LabelId> = FxHashMap::default();
            let of_component = atoms.of(c);
            let label = |s: StateId| {
                let values: Vec<(u32, bool)> = of_component.iter().map(|&a| (a, atoms.holds(a, s))).collect();
                *known.entry(values).or_insert_with(|| {
                    labels += 1;
                    LabelId::new(labels - 1)
                })
            };
            ends.insert(c, network.component(c).lts.states().map(label).collect());
            let mut known: Vec<_> = known.into_iter().map(|(values, label)| (label, values)).collect();
            known.sort_unstable();
            classes.insert(c, known);
        }
        let order = formula.order(&atoms);
        let monitor = monitor(&formula, &order, &classes, watch)?;
        Ok(Self { labels, ends, order, monitor })
    }
}

/// Reads the ends of components in this order; a state is what the goal still asks for.
fn monitor(goal: &Formula, order: &[ComponentId], classes: &Classes, watch: &Watch) -> Result<Component, Why> {
    let mut number: FxHashMap<(usize, Formula), u32> = FxHashMap::default();
    let (mut states, mut transitions, mut marked) = (vec![(0, goal.clone())], Vec::new(), Vec::new());
    number.insert(states[0].clone(), 0);
    let mut at = 0;
    while at < states.len() {
        let (read, asked) = states[at].clone();
        if asked == Formula::True {
            marked.push(StateId::new(at));
        } else if let Some(next) = order.get(read) {
            for (label, values) in &classes[next] {
                // What is asked may be about all components.
                watch.allowed()?;
                let rest = asked.under(values);
                if rest == Formula::False {
                    continue;
                }
                let rest = (if rest == Formula::True { order.len() } else { read + 1 }, rest);
                let fresh = states.len() as u32;
                let target = *number.entry(rest.clone()).or_insert(fresh);
                if target == fresh {
                    states.push(rest);
                }
                transitions.push(Transition::new(at as u32, *label, target));
            }
        }
        at += 1;
        if states.len() > MOST_MONITOR_STATES {
            let why = format!("as a safety property the question needs more than {MOST_MONITOR_STATES} states");
            return Err(Why::Refused(why));
        }
    }
    let lts = Lts::new(StateId(0), states.len(), transitions).with_marked(marked);
    let lts = quotient(&trim::trim(&lts).lts, Bisimulation::Strong).expect("only weak bisimulation can be too large");
    Ok(Component::new("goal", lts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::{philo, token_ring};
    use prequel_model::{Labels, Monitor};

    #[test]
    fn what_is_not_connected_stays_out_and_private_labels_are_silent() {
        let mut labels = Labels::new();
        let [a, b, c] = ["a", "b", "c"].map(|l| labels.intern(l));
        let lts = |ls: &[LabelId]| Lts::new(StateId(0), 1, ls.iter().map(|&l| Transition::new(0, l, 0)).collect());
        let component = |name: &str, ls: &[LabelId]| Component::new(name, lts(ls));
        let network = Network::new(labels, vec![component("far", &[c]), component("near", &[a, b])]);
        let bad = Lts::new(StateId(0), 2, vec![Transition::new(0, a, 1)]).with_marked([StateId(1)]);
        let query = Query::Safety(Monitor { automaton: Component::new("monitor", bad) });
        let safety = Safety::of(&Problem { network, query }, true).unwrap();
        assert_eq!(safety.ids, [ComponentId(1)]);
        assert_eq!(safety.parts[0].alphabet(), [a]);
    }

    /// Neighbours are read one after the other, so the monitor only remembers what is between them.
    #[test]
    fn the_monitor_of_a_deadlock_grows_with_the_ring_and_not_faster() {
        let size = |network: Network| {
            let problem = Problem { network, query: Query::DeadlockFree };
            Safety::of(&problem, true).unwrap().monitor.lts.num_states()
        };
        for ring in [philo::plain, token_ring::ring] {
            let [small, large] = [6, 12].map(|n| size(ring(n, 0).network));
            assert!(large <= 3 * small, "{small} states, then {large}");
        }
    }

    #[test]
    fn a_goal_that_is_decided_needs_nobody() {
        let network = token_ring::ring(3, 0).network;
        for (goal, bad) in [(Goal::And(vec![]), true), (Goal::Or(vec![]), false)] {
            let safety = Safety::of(&Problem { network: network.clone(), query: Query::Reach(goal) }, true).unwrap();
            assert!(safety.parts.is_empty() && safety.can_be_bad() == bad);
        }
    }
}
