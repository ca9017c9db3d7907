//! Who takes part in what, and who is in which part.

use prequel_model::{Component, ComponentId, LabelId, Network, Participants};

/// The components, the monitor of a safety question among them as the last, and who takes part in what.
pub struct System<'a> {
    components: Vec<&'a Component>,
    participants: Participants,
}

impl<'a> System<'a> {
    pub fn new(network: &'a Network, monitor: Option<&'a Component>) -> Self {
        let components: Vec<&Component> = network.components().iter().chain(monitor).collect();
        let participants = Participants::of(network.labels().len(), components.iter().copied());
        Self { components, participants }
    }

    /// How many components, the monitor included.
    pub fn len(&self) -> usize {
        self.components.len()
    }

    pub fn component(&self, c: ComponentId) -> &'a Component {
        self.components[c.at()]
    }

    /// Who takes part in a label; nobody but its owner in tau.
    pub fn participants(&self, label: LabelId) -> &[ComponentId] {
        self.participants.of_label(label)
    }

    /// Whether a component takes the label alone.
    pub fn alone(&self, label: LabelId) -> bool {
        label.is_tau() || self.participants(label).len() == 1
    }
}

/// Which part a component is in.
pub struct Owners(Vec<u32>);

/// A component that is in no part.
const NOBODY: u32 = u32::MAX;

impl Owners {
    /// Nobody is in a part.
    pub fn none(system: &System<'_>) -> Self {
        Self(vec![NOBODY; system.len()])
    }

    /// Whether a component is in this part.
    pub fn has(&self, part: u32, c: ComponentId) -> bool {
        self.0[c.at()] == part
    }

    /// Whether all who take part in a label are in this part.
    pub fn enclose(&self, system: &System<'_>, part: u32, label: LabelId) -> bool {
        system.participants(label).iter().all(|&c| self.has(part, c))
    }

    /// The part of a component, if it is in one.
    pub fn part_of(&self, c: ComponentId) -> Option<u32> {
        Some(self.0[c.at()]).filter(|&part| part != NOBODY)
    }

    /// These components are in this part from now on.
    pub fn give(&mut self, members: &[ComponentId], part: u32) {
        members.iter().for_each(|c| self.0[c.at()] = part);
    }

    /// These components are in no part any more.
    pub fn release(&mut self, members: &[ComponentId]) {
        self.give(members, NOBODY);
    }
}
