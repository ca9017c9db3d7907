//! Questions about where components are, as questions about words.
//!
//! A component may end, once and for all, under a label that tells with which of the goal's conditions its state agrees. The question reads
//! such ends one component after the other and is marked once they decide the goal. If a state of the goal is reached, all can end there, and
//! the question is marked at the end of that word.

use super::until_marked;
use crate::certificate::{Bounds, Rejected};
use prequel_model::{Component, ComponentId, Goal, LabelId, Lts, Network, Problem, Query, StateId, Transition};
use rustc_hash::FxHashMap;

/// States that the question may have.
const MOST: usize = 1 << 18;

/// The ends of components, and who reads them.
pub(super) struct Ends {
    /// For each state of a component the label under which it ends.
    of: FxHashMap<ComponentId, Vec<LabelId>>,
    /// The question: marked once what is looked for is there.
    pub question: Component,
}

impl Default for Ends {
    /// Nobody ends.
    fn default() -> Self {
        Self { of: FxHashMap::default(), question: Component::new("question", Lts::new(StateId(0), 1, Vec::new())) }
    }
}

impl Ends {
    /// The question of a problem, where components are asked in this order.
    pub fn of(problem: &Problem, query: &Query, order: &[ComponentId], bounds: &Bounds) -> Result<Self, Rejected> {
        let network = &problem.network;
        let goal = match query {
            Query::Safety(_) if !order.is_empty() => {
                return Err(Rejected::Unknown("nobody's end is looked at by a monitor".into()));
            }
            Query::Safety(monitor) => {
                let monitor = &monitor.automaton;
                let alphabet = monitor.alphabet().iter().copied();
                let question = Component::with_alphabet("question", until_marked(&monitor.lts), alphabet);
                return Ok(Self { of: FxHashMap::default(), question });
            }
            Query::Nonblocking => return Err(Rejected::Query(query.kind())),
            Query::Reach(goal) => goal,
            Query::DeadlockFree => &stuck(network),
        };
        let mut conditions = Conditions::default();
        let goal = conditions.read(network, goal, true);
        let mut labels = network.labels().len();
        let mut of: FxHashMap<ComponentId, Vec<LabelId>> = FxHashMap::default();
        let mut read = Vec::with_capacity(order.len());
        for &c in order {
            let mut known: FxHashMap<Vec<bool>, LabelId> = FxHashMap::default();
            let mut values: Vec<(LabelId, Vec<bool>)> = Vec::new();
            let asked = conditions.of.get(&c).map_or(&[][..], Vec::as_slice);
            let label = |s: StateId| {
                let value: Vec<bool> = asked.iter().map(|&at| conditions.holds(at, s)).collect();
                *known.entry(value.clone()).or_insert_with(|| {
                    labels += 1;
                    values.push((LabelId::new(labels - 1), value));
                    LabelId::new(labels - 1)
                })
            };
            let by_state = network.component(c).lts.states().map(label).collect();
            if of.insert(c, by_state).is_some() {
                return Err(Rejected::Unknown(format!("`{}` is asked twice", network.component(c).name)));
            }
            let values = values
                .into_iter()
                .map(|(label, value)| (label, asked.iter().copied().zip(value).collect::<FxHashMap<usize, bool>>()));
            read.push(values.collect());
        }
        Ok(Self { of, question: question(goal, &read, bounds)? })
    }

    /// The label under which a component ends in a state, if anybody looks at it.
    pub fn label(&self, c: ComponentId, state: StateId) -> Option<LabelId> {
        self.of.get(&c).and_then(|labels| labels.get(state.at())).copied()
    }

    /// A component with its ends.
    pub fn component(&self, network: &Network, c: ComponentId) -> Component {
        let component = network.component(c);
        let Some(ends) = self.of.get(&c) else { return component.clone() };
        let lts = &component.lts;
        let over = lts.num_states() as u32;
        let end = lts.states().map(|s| Transition::new(s.0, ends[s.at()], over));
        let transitions = lts.transitions().chain(end).collect();
        let alphabet = component.alphabet().iter().copied().chain(ends.iter().copied());
        Component::with_alphabet(
            component.name.clone(),
            Lts::new(lts.initial(), over as usize + 1, transitions),
            alphabet,
        )
    }
}

/// What holds where nobody can move: no step of its own is possible for anybody, and for each label somebody is not ready.
fn stuck(network: &Network) -> Goal {
    let cannot = |c: ComponentId, label: LabelId| {
        let lts = &network.component(c).lts;
        Goal::In(c, lts.states().filter(|&s| lts.row_on(s, label).is_empty()).collect())
    };
    let mut all: Vec<Goal> = network.ids().map(|c| cannot(c, LabelId::TAU)).collect();
    for label in network.labels().visible() {
        let who = network.participants(label);
        if !who.is_empty() {
            all.push(Goal::Or(who.iter().map(|&c| cannot(c, label)).collect()));
        }
    }
    Goal::And(all)
}

/// The conditions of a goal, numbered.
#[derive(Default)]
struct Conditions {
    all: Vec<Vec<StateId>>,
    of: FxHashMap<ComponentId, Vec<usize>>,
}

/// What is still asked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Asked {
    Decided(bool),
    /// A condition that has to have a value.
    Has(usize, bool),
    /// All of these, or one of them: in order, each once, and at least two.
    Several(bool, Vec<Asked>),
}

impl Conditions {
    fn holds(&self, condition: usize, s: StateId) -> bool {
        self.all[condition].binary_search(&s).is_ok()
    }

    fn read(&mut self, network: &Network, goal: &Goal, wanted: bool) -> Asked {
        match goal {
            Goal::In(_, states) if states.is_empty() => Asked::Decided(!wanted),
            Goal::In(c, states) if states.len() == network.component(*c).lts.num_states() => Asked::Decided(wanted),
            Goal::In(c, states) => {
                self.all.push(states.clone());
                self.of.entry(*c).or_default().push(self.all.len() - 1);
                Asked::Has(self.all.len() - 1, wanted)
            }
            Goal::Not(goal) => self.read(network, goal, !wanted),
            Goal::And(goals) => several(wanted, goals.iter().map(|goal| self.read(network, goal, wanted)).collect()),
            Goal::Or(goals) => several(!wanted, goals.iter().map(|goal| self.read(network, goal, wanted)).collect()),
        }
    }
}

fn several(all: bool, parts: Vec<Asked>) -> Asked {
    let mut open = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Asked::Decided(value) if value == all => {}
            Asked::Decided(value) => return Asked::Decided(value),
            Asked::Several(same, inner) if same == all => open.extend(inner),
            other => open.push(other),
        }
    }
    open.sort_unstable();
    open.dedup();
    match open.len() {
        0 => Asked::Decided(all),
        1 => open.remove(0),
        _ => Asked::Several(all, open),
    }
}

impl Asked {
    /// What is still asked once these conditions are known.
    fn knowing(&self, values: &FxHashMap<usize, bool>) -> Asked {
        match self {
            Asked::Decided(_) => self.clone(),
            Asked::Has(condition, wanted) => match values.get(condition) {
                Some(value) => Asked::Decided(value == wanted),
                None => self.clone(),
            },
            Asked::Several(all, parts) => several(*all, parts.iter().map(|part| part.knowing(values)).collect()),
        }
    }
}

/// The ends of one component: their labels, and what each says.
type Said = Vec<(LabelId, FxHashMap<usize, bool>)>;

/// Reads ends, and is marked once the goal is decided.
fn question(goal: Asked, read: &[Said], bounds: &Bounds) -> Result<Component, Rejected> {
    let start = (0, goal);
    let mut number: FxHashMap<(usize, Asked), u32> = FxHashMap::from_iter([(start.clone(), 0)]);
    let (mut states, mut transitions, mut marked) = (vec![start], Vec::new(), Vec::new());
    let mut at = 0;
    while at < states.len() {
        if (bounds.stop)() {
            return Err(Rejected::Stopped);
        }
        if states.len() > MOST {
            return Err(Rejected::TooLarge(MOST));
        }
        let (place, asked) = states[at].clone();
        match (&asked, read.get(place)) {
            (Asked::Decided(true), _) => marked.push(StateId::new(at)),
            (Asked::Decided(false), _) => {}
            (_, None) => return Err(Rejected::Unknown("the goal is about components that are not asked".into())),
            (_, Some(said)) => {
                for (label, values) in said {
                    let rest = match asked.knowing(values) {
                        Asked::Decided(false) => continue,
                        Asked::Decided(true) => (read.len(), Asked::Decided(true)),
                        rest => (place + 1, rest),
                    };
                    let fresh = states.len() as u32;
                    let target = *number.entry(rest.clone()).or_insert(fresh);
                    if target == fresh {
                        states.push(rest);
                    }
                    transitions.push(Transition::new(at as u32, *label, target));
                }
            }
        }
        at += 1;
    }
    let lts = Lts::new(StateId(0), states.len(), transitions).with_marked(marked);
    let alphabet = read.iter().flatten().map(|(label, _)| *label);
    Ok(Component::with_alphabet("question", lts, alphabet))
}
