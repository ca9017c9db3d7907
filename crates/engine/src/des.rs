//! Questions of supervisory control as safety.
//!
//! Both look for a step that one side allows and the other does not. Such a step is made a label of its own, which a monitor
//! accepts; so any engine answers, and the last step of a witness says what was prevented, and by whom.

use crate::Refusal;
use prequel_model::des::{Des, Role, Start};
use prequel_model::{
    Component, ComponentId, LabelId, Labels, Lts, Monitor, Network, Origin, Problem, Query, StateId, Transition,
};
use rustc_hash::FxHashMap;

/// No specification or supervisor disables an uncontrollable event that the plant enables.
///
/// For each uncontrollable event and each automaton that is not plant and disables it somewhere there is a label more: the plants
/// that take part in the event do so in the label, and the automaton loops with it where it disables the event.
pub fn controllable(des: &Des) -> (Problem, Origin) {
    let mut draft = Draft::new(des);
    for c in des.with_role(|role| matches!(role, Role::Spec | Role::Supervisor)) {
        let own = des.network.component(c);
        for &event in own.alphabet().iter().filter(|event| !des.controllable[event.at()]) {
            let last = if des.starts[c.at()] == Start::One { own.lts.num_states() } else { own.lts.num_states() - 1 };
            let states = (0..last).map(StateId::new);
            let disabled: Vec<StateId> = states.filter(|&s| own.lts.row_on(s, event).is_empty()).collect();
            if disabled.is_empty() {
                continue;
            }
            let label = draft.bad(&format!("{} disabled by {}", draft.labels.name(event), own.name));
            draft.more(c, disabled.iter().map(|&s| Transition { source: s, label, target: s }));
            for plant in des.with_role(|role| role == Role::Plant) {
                let component = des.network.component(plant);
                if component.takes_part(event) {
                    let own = component.lts.transitions().filter(|t| t.label == event);
                    draft.takes_part(plant, label, own.map(|t| Transition { label, ..t }).collect());
                }
            }
        }
    }
    draft.finish("uncontrollable")
}

/// What the system does is allowed by each of its properties.
///
/// A property becomes a member that allows everything: what it does not allow leads to one more state, which has a label more.
pub fn included(des: &Des) -> Result<(Problem, Origin), Refusal> {
    let mut draft = Draft::new(des);
    for c in des.with_role(|role| role == Role::Property) {
        let own = des.network.component(c);
        if des.starts[c.at()] != Start::One || own.lts.nondeterminism().is_some() {
            let why = format!("property `{}` is not deterministic with one initial state", own.name);
            return Err(Refusal::new(format!("{why}: its traces cannot be followed one by one")));
        }
        let label = draft.bad(&format!("not allowed by {}", own.name));
        let lts = &own.lts;
        let outside = StateId::new(lts.num_states());
        let missing = lts.states().flat_map(|source| {
            let gaps = own.alphabet().iter().filter(move |&&event| lts.row_on(source, event).is_empty());
            gaps.map(move |&label| Transition { source, label, target: outside })
        });
        let loops =
            own.alphabet().iter().chain([&label]).map(|&label| Transition { source: outside, label, target: outside });
        let all: Vec<Transition> = lts.transitions().chain(missing).chain(loops).collect();
        let lts = Lts::new(lts.initial(), lts.num_states() + 1, all);
        let mut source = des.origin.of(c).cloned().unwrap_or_default();
        let names = source.state_names.iter().flat_map(|names| names.iter().cloned());
        source.state_names = Some(names.chain(["(violated)".into()]).collect());
        draft.components.push(Component::with_alphabet(own.name.clone(), lts, own.alphabet().iter().copied()));
        draft.origin.sources.push(source);
    }
    Ok(draft.finish("violated"))
}

/// The system while labels are added to it.
struct Draft {
    labels: Labels,
    components: Vec<Component>,
    origin: Origin,
    /// Which member each component is.
    member: FxHashMap<ComponentId, usize>,
    /// Transitions to add to each member, and labels it takes part in.
    more: Vec<(Vec<Transition>, Vec<LabelId>)>,
    bad: Vec<LabelId>,
}

impl Draft {
    fn new(des: &Des) -> Self {
        let (network, origin) = des.system();
        let members = des.with_role(|role| role != Role::Property).enumerate().map(|(at, c)| (c, at)).collect();
        let (labels, components) = network.into_parts();
        let more = vec![Default::default(); components.len()];
        Self { labels, components, origin, member: members, more, bad: Vec::new() }
    }

    /// A label that must not happen.
    fn bad(&mut self, name: &str) -> LabelId {
        let label = self.labels.fresh(name);
        self.bad.push(label);
        label
    }

    fn more(&mut self, c: ComponentId, transitions: impl Iterator<Item = Transition>) {
        self.more[self.member[&c]].0.extend(transitions);
    }

    fn takes_part(&mut self, c: ComponentId, label: LabelId, transitions: Vec<Transition>) {
        let (all, labels) = &mut self.more[self.member[&c]];
        all.extend(transitions);
        labels.push(label);
    }

    fn finish(self, name: &str) -> (Problem, Origin) {
        let mut components = Vec::with_capacity(self.components.len());
        let mut more = self.more.into_iter();
        for component in self.components {
            let (transitions, labels) = more.next().unwrap_or_default();
            let (lts, alphabet) = (&component.lts, component.alphabet().iter().copied());
            let all = lts.transitions().chain(transitions).collect();
            let lts = Lts::new(lts.initial(), lts.num_states(), all);
            components.push(Component::with_alphabet(component.name.clone(), lts, alphabet.chain(labels)));
        }
        let seen = self.bad.iter().map(|&label| Transition::new(0, label, 1)).collect();
        let automaton = Component::new(name, Lts::new(StateId(0), 2, seen).with_marked([StateId(1)]));
        let query = Query::Safety(Monitor { automaton });
        (Problem { network: Network::new(self.labels, components), query }, self.origin)
    }
}
