//! A network and a question about it as a circuit, and paths of the circuit as traces of the network.
//!
//! Each component has a word for where it is. One more word, that nobody says anything about, is the action: a code for each label,
//! and one for each component's own tau. A component allows a step if it has a transition with the action's label, or if it takes
//! no part in the action and stays. A code that means nothing makes all of them stay, which changes no answer and shortens no path.

use super::check::Invariant;
use super::order::arranged;
use crate::safety;
use prequel_model::{
    Aig, Bit, Circuit, Component, ComponentId, Goal, Kind, LabelId, Lit, LocationSet, Move, Network, Part,
    Participants, Problem, Query, StateId, Step, Trace, Word,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Nodes of an invariant from which the action is removed: with more it is not shown.
const MOST_NODES: usize = 1 << 20;

/// What an action is: a label, or the tau of the component in this place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Action {
    Label(LabelId),
    Tau(usize),
}

/// A circuit that moves as a network does; its bad states are those that a witness leads to.
#[derive(Debug)]
pub struct Encoded {
    /// The circuit; its parts are the components, in the order of `ids`.
    pub circuit: Arc<Circuit>,
    /// Which component a part is; those that cannot matter are not there. A monitor has the number after the last component.
    ids: Vec<ComponentId>,
    locations: Vec<Word>,
    action: Word,
    actions: Vec<Action>,
}

impl Encoded {
    /// The circuit of a problem; none for a question that is not about reaching a state.
    pub fn new(problem: &Problem) -> Option<Self> {
        let network = &problem.network;
        let mut components: Vec<&Component> = network.components().iter().collect();
        let monitor = ComponentId::new(components.len());
        let goal = match &problem.query {
            Query::Reach(goal) => goal.clone(),
            Query::DeadlockFree => safety::deadlock(network),
            Query::Safety(question) => {
                components.push(&question.automaton);
                Goal::In(monitor, question.automaton.lts.marked().collect())
            }
            Query::Nonblocking => return None,
        };
        let participants = Participants::of(network.labels().len(), components.iter().copied());
        let needed = connected(&goal, &components, &participants);
        let groups: Vec<Vec<usize>> = network
            .labels()
            .visible()
            .map(|label| participants.of_label(label).iter().map(|c| c.at()).collect())
            .collect();
        let order = arranged(components.len(), &groups).into_iter().map(ComponentId::new);
        let ids: Vec<ComponentId> = order.filter(|id| needed[id.at()]).collect();

        let mut circuit = Circuit::default();
        let actions = actions(&ids, &components);
        // There is a code more than there are actions, so that all components can stay.
        let action = circuit.word("action", Kind::Numbers(0, actions.len() as i64));
        let location = |id: &ComponentId| {
            let component = components[id.at()];
            circuit.word(format!("{}.at", component.name), Kind::Numbers(0, component.lts.num_states() as i64 - 1))
        };
        let locations: Vec<Word> = ids.iter().map(location).collect();
        let code: FxHashMap<Action, u64> =
            actions.iter().enumerate().map(|(at, &action)| (action, at as u64)).collect();
        let codes: Vec<Lit> = (0..actions.len()).map(|at| circuit.is(&action, at as u64, false)).collect();
        for (place, id) in ids.iter().enumerate() {
            let component = components[id.at()];
            let location = &locations[place];
            let initial = circuit.is(location, component.lts.initial().at() as u64, false);
            // By action, then by where the component is: the common part of many transitions is said once.
            let mut moves: FxHashMap<(Action, StateId), Vec<StateId>> = FxHashMap::default();
            for t in component.lts.transitions() {
                let action = if t.label.is_tau() { Action::Tau(place) } else { Action::Label(t.label) };
                moves.entry((action, t.source)).or_default().push(t.target);
            }
            let mine = component.alphabet().iter().map(|&label| Action::Label(label)).chain([Action::Tau(place)]);
            let (mut allowed, mut meant) = (Vec::new(), Vec::new());
            for action in mine {
                let Some(&code) = code.get(&action) else { continue };
                let happens = codes[code as usize];
                meant.push(happens);
                let mut from = Vec::new();
                for source in component.lts.states() {
                    let Some(targets) = moves.get(&(action, source)) else { continue };
                    let here = circuit.is(location, source.at() as u64, false);
                    let there: Vec<Lit> = targets.iter().map(|t| circuit.is(location, t.at() as u64, true)).collect();
                    let there = circuit.aig.any(there);
                    from.push(circuit.aig.and(here, there));
                }
                let moves = circuit.aig.any(from);
                allowed.push(circuit.aig.and(happens, moves));
            }
            let (other, stays) = (!circuit.aig.any(meant), circuit.stays(location));
            allowed.push(circuit.aig.and(other, stays));
            let step = circuit.aig.any(allowed);
            circuit.parts.push(Part { name: component.name.clone(), initial, step });
        }
        let place: FxHashMap<ComponentId, usize> = ids.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let bad = condition(&mut circuit, &goal, &|c| &locations[place[&c]]);
        circuit.bad = Some(bad);
        Some(Self { circuit: Arc::new(circuit), ids, locations, action, actions })
    }

    /// The trace of the network for a path of the circuit: where nobody moves, or only the monitor, there is no step.
    pub fn trace(&self, network: &Network, path: &[Vec<bool>]) -> Trace {
        let at = |place: usize, state: &[bool]| StateId::new(self.locations[place].value(state) as usize);
        let step = |pair: &[Vec<bool>]| {
            let (now, next) = (&pair[0], &pair[1]);
            let (label, places) = match *self.actions.get(self.action.value(now) as usize)? {
                Action::Tau(place) => (LabelId::TAU, vec![place]),
                Action::Label(label) => {
                    let takes_part = |id: &ComponentId| {
                        id.at() < network.components().len() && network.component(*id).takes_part(label)
                    };
                    (label, (0..self.ids.len()).filter(|&place| takes_part(&self.ids[place])).collect())
                }
            };
            let moves = places.into_iter().map(|p| Move { component: self.ids[p], from: at(p, now), to: at(p, next) });
            let mut moves: Vec<Move> = moves.filter(|m| m.component.at() < network.components().len()).collect();
            moves.sort_unstable_by_key(|m| m.component);
            (!moves.is_empty()).then_some(Step { label, moves })
        };
        Trace { steps: path.windows(2).filter_map(step).collect() }
    }

    /// The global states in which an invariant of the circuit holds, whatever is done next; none where that takes too many nodes.
    ///
    /// Nobody says what is done next, so an invariant that holds after a step holds whatever is done next. These states are an
    /// invariant, too, then. Those in which it holds for *some* action need not be: another one may lead out of it. (What cannot be
    /// reached backward from bad states is such a set: it has every state from which one action leads nowhere near them.)
    pub fn locations(&self, invariant: &Invariant) -> Option<LocationSet> {
        let (mut aig, mut holds) = (invariant.aig.clone(), invariant.holds);
        let support = aig.support(holds);
        for action in self.action.bits.iter().map(|bit| bit.now()).filter(|input| support.binary_search(input).is_ok())
        {
            let mut smaller = Aig::default();
            let both = [Lit::FALSE, Lit::TRUE].map(|value| {
                let input = |aig: &mut Aig, input| if input == action { value } else { aig.input(input) };
                aig.copy(&[holds], &mut smaller, input)[0]
            });
            holds = smaller.and(both[0], both[1]);
            aig = smaller;
            if aig.nodes().len() > MOST_NODES {
                return None;
            }
        }
        let places = self.ids.iter().zip(&self.locations);
        let bits: Vec<(Bit, (ComponentId, u32))> = places
            .flat_map(|(&id, word)| word.bits.iter().enumerate().map(move |(at, &bit)| (bit, (id, at as u32))))
            .collect();
        let number: FxHashMap<Bit, u32> = bits.iter().enumerate().map(|(at, (bit, _))| (*bit, at as u32)).collect();
        let mut own = Aig::default();
        let holds = aig.copy(&[holds], &mut own, |aig, input| aig.input(Bit(number[&Bit::of(input).0]).now()))[0];
        Some(LocationSet { bits: bits.into_iter().map(|(_, place)| place).collect(), aig: own, holds })
    }

    /// A set of global states as a function of the circuit's variables. Components that are not in it stand still: if the set is not left,
    /// it is not left either where they are as at first.
    pub fn function(&self, network: &Network, set: &LocationSet) -> (Aig, Lit) {
        let place: FxHashMap<ComponentId, &Word> = self.ids.iter().copied().zip(&self.locations).collect();
        let mut aig = Aig::default();
        let holds = set.aig.copy(&[set.holds], &mut aig, |aig, input| {
            let (component, bit) = set.bits[Bit::of(input).0.0 as usize];
            match place.get(&component) {
                Some(word) => aig.input(word.bits[bit as usize].now()),
                None => {
                    let first = network.component(component).lts.initial().0;
                    Lit::TRUE.negated_if(first >> bit & 1 == 0)
                }
            }
        });
        (aig, holds[0])
    }
}

/// The components that the goal is about, and those that share labels with them, directly or through others. The rest can always
/// stand still.
fn connected(goal: &Goal, components: &[&Component], participants: &Participants) -> Vec<bool> {
    let mut found = vec![false; components.len()];
    let mut open = goal.support();
    open.iter().for_each(|id| found[id.at()] = true);
    while let Some(id) = open.pop() {
        for &other in components[id.at()].alphabet().iter().flat_map(|&label| participants.of_label(label)) {
            if !std::mem::replace(&mut found[other.at()], true) {
                open.push(other);
            }
        }
    }
    found
}

/// How many variables the circuit of a problem has at most, before it is built; the few for the action are not counted.
pub fn bits(problem: &Problem) -> usize {
    let monitor = match &problem.query {
        Query::Safety(question) => Some(&question.automaton),
        _ => None,
    };
    let width = |component: &Component| component.lts.num_states().max(2).next_power_of_two().trailing_zeros() as usize;
    problem.network.components().iter().chain(monitor).map(width).sum()
}

/// All actions, those of components that are near each other near each other.
fn actions(ids: &[ComponentId], components: &[&Component]) -> Vec<Action> {
    let (mut found, mut known) = (Vec::new(), FxHashMap::default());
    for (place, id) in ids.iter().enumerate() {
        let component = components[id.at()];
        let tau = component.lts.used_labels().contains(&LabelId::TAU).then_some(Action::Tau(place));
        let labels = component.alphabet().iter().map(|&label| Action::Label(label));
        for action in tau.into_iter().chain(labels) {
            known.entry(action).or_insert_with(|| found.push(action));
        }
    }
    found
}

/// A goal as a function of where components are.
fn condition<'a>(circuit: &mut Circuit, goal: &Goal, word: &impl Fn(ComponentId) -> &'a Word) -> Lit {
    let parts = |circuit: &mut Circuit, goals: &[Goal]| -> Vec<Lit> {
        goals.iter().map(|goal| condition(circuit, goal, word)).collect()
    };
    match goal {
        Goal::In(c, states) => {
            let states: Vec<Lit> = states.iter().map(|s| circuit.is(word(*c), s.at() as u64, false)).collect();
            circuit.aig.any(states)
        }
        Goal::And(goals) => {
            let goals = parts(circuit, goals);
            circuit.aig.all(goals)
        }
        Goal::Or(goals) => {
            let goals = parts(circuit, goals);
            circuit.aig.any(goals)
        }
        Goal::Not(goal) => !condition(circuit, goal, word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::{Labels, Lts, Transition};

    /// Two that meet on `a`, one of which also has a tau.
    fn problem() -> Problem {
        let mut labels = Labels::new();
        let a = labels.intern("a");
        let one = Lts::new(StateId(0), 3, vec![Transition::new(0, LabelId::TAU, 1), Transition::new(1, a, 2)]);
        let other = Lts::new(StateId(0), 2, vec![Transition::new(0, a, 1)]);
        let network = Network::new(labels, vec![Component::new("one", one), Component::new("other", other)]);
        Problem { network, query: Query::Reach(Goal::at(ComponentId(1), StateId(1))) }
    }

    /// Every pair of states is a step of the circuit, under some action, just when it is one of the network or nothing moves.
    #[test]
    fn a_step_of_the_circuit_is_one_of_the_network_or_none() {
        let Problem { network, .. } = problem();
        let encoded = Encoded::new(&problem()).unwrap();
        let circuit = &encoded.circuit;
        assert_eq!(circuit.bits as usize - encoded.action.bits.len(), bits(&problem()));
        let steps: Vec<Lit> = circuit.parts.iter().map(|part| part.step).collect();
        let place = |id: usize| encoded.ids.iter().position(|c| c.at() == id).unwrap();
        let mut found = 0;
        for code in 0..1u64 << encoded.action.bits.len() {
            for (from, to) in (0..6u64).flat_map(|from| (0..6).map(move |to| (from, to))) {
                let local = |state: u64| [StateId::new(state as usize / 2), StateId::new(state as usize % 2)];
                let value = |input: u32| {
                    let (bit, next) = prequel_model::Bit::of(input);
                    let state = local(if next { to } else { from });
                    let within = |word: &Word| word.bits.iter().position(|&b| b == bit);
                    let (at, value) = match within(&encoded.action) {
                        Some(at) => (at, code),
                        None => (0..2)
                            .find_map(|c| Some((within(&encoded.locations[place(c)])?, state[c].at() as u64)))
                            .unwrap(),
                    };
                    value >> at & 1 == 1
                };
                let allowed = circuit.aig.values(&steps, value).into_iter().all(|holds| holds);
                let after = |step: &Step| {
                    let mut state = local(from);
                    step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
                    state
                };
                let action = encoded.actions.get(code as usize);
                let expected = match action {
                    None => from == to,
                    Some(action) => network.steps(&local(from)).iter().any(|step| {
                        let same = match action {
                            Action::Label(label) => step.label == *label,
                            Action::Tau(p) => step.label.is_tau() && step.moves[0].component == encoded.ids[*p],
                        };
                        same && after(step) == local(to)
                    }),
                };
                assert_eq!(allowed, expected, "{action:?}: {from} to {to}");
                found += usize::from(allowed && action.is_some());
            }
        }
        assert_eq!(found, 3, "the tau beside either state of the other, and the label");
    }

    /// From the third state `a` leads to the fourth, which is bad, and `b` back: whether it is safe there depends on the action.
    #[test]
    fn a_set_for_the_network_has_the_states_that_are_in_it_whatever_is_done_next() {
        use super::super::{Check, Method, Symbolic, Verdict};
        use prequel_evidence::locations;
        use prequel_model::run::{Limits, Run};

        let mut labels = Labels::new();
        let [a, b] = ["a", "b"].map(|name| labels.intern(name));
        let edges = vec![Transition::new(0, a, 1), Transition::new(2, a, 3), Transition::new(2, b, 0)];
        let component = Component::new("only", Lts::new(StateId(0), 4, edges));
        let query = Query::Reach(Goal::at(ComponentId(0), StateId(3)));
        let problem = Problem { network: Network::new(labels, vec![component]), query };
        let encoded = Encoded::new(&problem).unwrap();
        let engine = Symbolic { check: Check::Backward, ..Symbolic::new(Method::Bdd) };
        let verdict = engine.decide(&encoded.circuit, &Run::new(Limits::default(), 0)).unwrap();
        let Verdict::Invariant(invariant) = verdict else { panic!("it is not reached") };
        let support = invariant.aig.support(invariant.holds);
        assert!(encoded.action.bits.iter().any(|bit| support.contains(&bit.now())), "it is about the action");

        let set = encoded.locations(&invariant).unwrap();
        let inside = |state: u32| {
            let value = |input: u32| state >> set.bits[Bit::of(input).0.0 as usize].1 & 1 == 1;
            set.aig.values(&[set.holds], value)[0]
        };
        assert_eq!([0, 1, 2, 3].map(inside), [true, true, false, false]);
        assert_eq!(locations::check(&problem, &set, || false), Ok(()));
    }
}
