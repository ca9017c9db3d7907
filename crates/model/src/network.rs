//! Networks: components that synchronise on common labels, many-way; tau never synchronises.

use super::index::{ComponentId, LabelId, StateId};
use super::labels::Labels;
use super::lts::Lts;
use super::trace::{Move, Step};
use rustc_hash::FxHashMap;

/// A named system with the labels it takes part in.
///
/// The alphabet is data of its own: a label in it without a transition blocks that label in the whole network,
/// and trimming the system never shrinks it.
#[derive(Clone, Debug)]
pub struct Component {
    /// Unique within the network.
    pub name: Box<str>,
    /// The labels it takes part in: sorted, each once, without tau.
    alphabet: Box<[LabelId]>,
    /// What it does.
    pub lts: Lts,
}

impl Component {
    /// A component whose alphabet is what its transitions use.
    pub fn new(name: impl Into<Box<str>>, lts: Lts) -> Self {
        Self::with_alphabet(name, lts, [])
    }

    /// A component that also takes part in `declared` labels.
    pub fn with_alphabet(name: impl Into<Box<str>>, lts: Lts, declared: impl IntoIterator<Item = LabelId>) -> Self {
        let mut alphabet = lts.used_labels();
        alphabet.extend(declared);
        alphabet.sort_unstable();
        alphabet.dedup();
        alphabet.retain(|l| !l.is_tau());
        Self { name: name.into(), alphabet: alphabet.into(), lts }
    }

    /// The labels it takes part in, sorted, without tau.
    pub fn alphabet(&self) -> &[LabelId] {
        &self.alphabet
    }

    /// Whether it takes part in a label.
    pub fn takes_part(&self, label: LabelId) -> bool {
        self.alphabet.binary_search(&label).is_ok()
    }

    /// Labels it takes part in but never enables: blocked in the whole network.
    pub fn blocked(&self) -> Vec<LabelId> {
        let used = self.lts.used_labels();
        self.alphabet.iter().copied().filter(|l| used.binary_search(l).is_err()).collect()
    }
}

/// Which components take part in which label, in compressed rows.
#[derive(Clone, Debug, Default)]
pub struct Participants {
    offsets: Vec<u32>,
    components: Vec<ComponentId>,
}

impl Participants {
    /// Reads the alphabets of components listed in order.
    pub fn of<'a>(labels: usize, components: impl Iterator<Item = &'a Component> + Clone) -> Self {
        let mut offsets = vec![0u32; labels + 1];
        for l in components.clone().flat_map(|c| c.alphabet()) {
            offsets[l.at() + 1] += 1;
        }
        for l in 0..labels {
            offsets[l + 1] += offsets[l];
        }
        let mut next = offsets.clone();
        let mut rows = vec![ComponentId(0); offsets[labels] as usize];
        for (c, component) in components.enumerate() {
            for l in component.alphabet() {
                let slot = &mut next[l.at()];
                rows[*slot as usize] = ComponentId::new(c);
                *slot += 1;
            }
        }
        Self { offsets, components: rows }
    }

    /// Who takes part in a label, in order; nobody in tau.
    #[inline]
    pub fn of_label(&self, label: LabelId) -> &[ComponentId] {
        &self.components[self.offsets[label.at()] as usize..self.offsets[label.at() + 1] as usize]
    }
}

/// Components and the labels they share.
#[derive(Clone, Debug)]
pub struct Network {
    labels: Labels,
    components: Vec<Component>,
    participants: Participants,
}

impl Network {
    /// Puts components together. Their names must differ; readers report it where they do not.
    pub fn new(labels: Labels, components: Vec<Component>) -> Self {
        let participants = Participants::of(labels.len(), components.iter());
        Self { labels, components, participants }
    }

    /// The label table.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The components in order.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// One component.
    pub fn component(&self, c: ComponentId) -> &Component {
        &self.components[c.at()]
    }

    /// The component of this name.
    pub fn find(&self, name: &str) -> Option<ComponentId> {
        self.components.iter().position(|c| &*c.name == name).map(ComponentId::new)
    }

    /// All names at once, for who looks up many.
    pub fn by_name(&self) -> FxHashMap<&str, ComponentId> {
        // Where names are the same, the first counts, as in `find`.
        self.components.iter().enumerate().rev().map(|(at, c)| (&*c.name, ComponentId::new(at))).collect()
    }

    /// All component indices in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = ComponentId> + use<> {
        (0..self.components.len()).map(ComponentId::new)
    }

    /// Who takes part in a label.
    #[inline]
    pub fn participants(&self, label: LabelId) -> &[ComponentId] {
        self.participants.of_label(label)
    }

    /// The labels that an observer sees as `action` and that some component takes part in.
    pub fn seen_as(&self, action: LabelId) -> impl Iterator<Item = LabelId> + '_ {
        let labels = &self.labels;
        labels.visible().filter(move |&l| labels.action(l) == action && !self.participants(l).is_empty())
    }

    /// The state in which all components are in their initial states.
    pub fn initial(&self) -> Vec<StateId> {
        self.components.iter().map(|c| c.lts.initial()).collect()
    }

    /// Every step from a global state, in a fixed order: taus by component, then labels in order.
    ///
    /// The plain reading of the definition. Engines have faster ways; replay and oracles use this one.
    pub fn steps(&self, state: &[StateId]) -> Vec<Step> {
        let mut steps = Vec::new();
        for c in self.ids() {
            let from = state[c.at()];
            for e in self.component(c).lts.row_on(from, LabelId::TAU) {
                let moves = vec![Move { component: c, from, to: e.target }];
                steps.push(Step { label: LabelId::TAU, moves });
            }
        }
        for label in self.labels.visible().filter(|&l| !self.participants(l).is_empty()) {
            let mut partial: Vec<Vec<Move>> = vec![Vec::new()];
            for &component in self.participants(label) {
                let from = state[component.at()];
                let row = self.component(component).lts.row_on(from, label);
                partial = partial
                    .iter()
                    .flat_map(|moves| {
                        row.iter().map(move |e| {
                            let mut moves = moves.clone();
                            moves.push(Move { component, from, to: e.target });
                            moves
                        })
                    })
                    .collect();
                if partial.is_empty() {
                    break;
                }
            }
            steps.extend(partial.into_iter().map(|moves| Step { label, moves }));
        }
        steps
    }

    /// Gives the parts back, to build another network from them.
    pub fn into_parts(self) -> (Labels, Vec<Component>) {
        (self.labels, self.components)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::Transition;

    /// Three components on a three-way label, one of which also has a tau and a choice.
    fn three() -> (Network, LabelId) {
        let mut labels = Labels::new();
        let a = labels.intern("a");
        let one = Lts::new(StateId(0), 2, vec![Transition::new(0, a, 1)]);
        let two = Lts::new(
            StateId(0),
            3,
            vec![Transition::new(0, a, 1), Transition::new(0, a, 2), Transition::new(0, LabelId::TAU, 2)],
        );
        let components = vec![Component::new("x", one.clone()), Component::new("y", two), Component::new("z", one)];
        (Network::new(labels, components), a)
    }

    #[test]
    fn a_many_way_label_moves_all_participants_and_every_choice_is_a_step() {
        let (network, a) = three();
        let steps = network.steps(&network.initial());
        assert_eq!(steps.iter().filter(|s| s.label == a).count(), 2);
        assert!(steps.iter().filter(|s| s.label == a).all(|s| s.moves.len() == 3));
        assert_eq!(steps[0].label, LabelId::TAU);
        assert_eq!(steps.len(), 3);
    }

    #[test]
    fn a_declared_label_without_transition_blocks_it_everywhere() {
        let (network, a) = three();
        let (labels, mut components) = network.into_parts();
        components.push(Component::with_alphabet("w", Lts::new(StateId(0), 1, vec![]), [a]));
        assert_eq!(components[3].blocked(), [a]);
        let network = Network::new(labels, components);
        assert!(network.steps(&network.initial()).iter().all(|s| s.label.is_tau()));
    }
}
