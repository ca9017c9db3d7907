//! What a label stands for: who moves, what is asked of the shared parts and done to them.

use super::Components;
use super::domain::States;
use super::part::{Message, Part, Touch};
use prequel_model::{ComponentId, LabelId};

/// What a label asks and does. What is always so and what changes nothing is left out.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Role {
    /// The process that moves, or that sends.
    pub slot: u32,
    /// The rendezvous that it is.
    pub meeting: Option<Meeting>,
    /// What is asked of other parts and done to them, by both where it is a rendezvous.
    pub touches: Vec<Touch>,
    /// Messages that no other process takes; before the rendezvous of this step, or after it.
    pub refused: Vec<(bool, i32, Message)>,
    /// Something goes wrong.
    pub wrong: bool,
    /// Statements with which it begins; those of the receiver where it is a rendezvous.
    pub began: Box<[u32]>,
}

/// A rendezvous.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Meeting {
    /// Who receives.
    pub receiver: u32,
    /// On which channel, by its number.
    pub channel: u32,
    /// What is sent.
    pub message: Message,
    /// What the sender asked and did before.
    pub before: Vec<Touch>,
    /// Statements with which the sender begins.
    pub began: Box<[u32]>,
}

impl Components {
    /// What a label asks and does; nothing for tau and the end of the program.
    pub fn role(&self, label: LabelId) -> Option<&Role> {
        self.roles.get(label.at())?.as_ref()
    }

    /// The label that all processes take part in where the program may end.
    pub fn end(&self) -> LabelId {
        self.end
    }

    /// Whether something goes wrong in a label.
    pub fn is_wrong(&self, label: LabelId) -> bool {
        self.role(label).is_some_and(|role| role.wrong)
    }

    /// What a component stands for.
    pub fn part(&self, component: ComponentId) -> Part {
        self.parts[component.at()]
    }

    /// The component of a part; none if it never changes.
    pub fn component(&self, part: Part) -> Option<ComponentId> {
        self.parts.iter().position(|other| *other == part).map(ComponentId::new)
    }

    /// What the states of a component stand for; `error` comes after them.
    pub fn states(&self, component: ComponentId) -> &States {
        &self.states[component.at()]
    }

    /// Statements that start processes, with the slots that these come to.
    pub fn starts(&self) -> &[(u32, u32)] {
        &self.starts
    }
}
