//! Algorithm 1: parts are made larger until each reaches its share of the goal alone, or one cannot.

use super::Lazy;
use super::goal::PartialState;
use super::part::Part;
use crate::engine::run::Run;
use crate::model::{Component, ComponentId, LabelId, Network, Participants, StateId, Why};

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

    pub fn component(&self, c: ComponentId) -> &'a Component {
        self.components[c.at()]
    }

    /// Who takes part in a label; nobody but its owner in tau.
    pub fn participants(&self, label: LabelId) -> &[ComponentId] {
        self.participants.of_label(label)
    }
}

/// How the question about one partial state ends.
pub enum Found {
    /// These parts reach it, each alone.
    Reached(Vec<Part>),
    /// These components alone cannot reach their share of it, whatever the others do.
    Refuted(Vec<ComponentId>),
}

/// Which part a component is in.
pub struct Owners(Vec<u32>);

/// A component that is in no part.
const NOBODY: u32 = u32::MAX;

impl Owners {
    /// Whether a component is in this part.
    pub fn has(&self, part: u32, c: ComponentId) -> bool {
        self.0[c.at()] == part
    }

    /// Whether all who take part in a label are in one of two parts, or are this component.
    pub fn enclose(&self, system: &System<'_>, parts: [u32; 2], also: Option<ComponentId>, label: LabelId) -> bool {
        let inside = |&c: &ComponentId| parts.contains(&self.0[c.at()]) && self.0[c.at()] != NOBODY || also == Some(c);
        system.participants(label).iter().all(inside)
    }

    /// The part of a component, if it is in one.
    pub fn part_of(&self, c: ComponentId) -> Option<u32> {
        Some(self.0[c.at()]).filter(|&part| part != NOBODY)
    }

    fn give(&mut self, members: &[ComponentId], part: u32) {
        members.iter().for_each(|c| self.0[c.at()] = part);
    }
}

/// Decides whether one partial state is reachable.
pub fn solve(system: &System<'_>, state: &PartialState, options: &Lazy, run: &Run) -> Result<Found, Why> {
    let mut owners = Owners(vec![NOBODY; system.components.len()]);
    let mut parts: Vec<Option<Part>> = Vec::with_capacity(state.len());
    for (at, (c, wanted)) in state.iter().enumerate() {
        owners.give(&[*c], at as u32);
        parts.push(Some(Part::leaf(system, *c, Some(wanted), options)));
    }
    for at in 0..parts.len() {
        // It may have become a piece of another part.
        let Some(mut part) = parts[at].take() else { continue };
        // A part is a check of its own: what one looks at is not added to another's.
        run.check().explored(part.lts.num_states() as u64, part.lts.num_transitions() as u64)?;
        let id = at as u32;
        loop {
            if !part.lts.has_marked() {
                return Ok(Found::Refuted(part.members));
            }
            let companions = match part.companions(system, &owners, id) {
                Some(companions) if !companions.is_empty() => companions,
                _ => break,
            };
            let chosen = part.choose(&companions, system, &owners, id, &parts, options.next);
            let other = match owners.part_of(chosen) {
                Some(owner) => parts[owner as usize].take().expect("parts own their members"),
                None => Part::leaf(system, chosen, None, options),
            };
            owners.give(&other.members, id);
            let private = |label: LabelId| owners.enclose(system, [id, id], None, label);
            part = Part::join(part, other, private, options, run)?;
        }
        parts[at] = Some(part);
    }
    Ok(Found::Reached(parts.into_iter().flatten().collect()))
}

/// Where a component may stand at the end.
pub fn may_end(state: &PartialState, c: ComponentId, s: StateId) -> bool {
    let wanted = state.binary_search_by_key(&c, |(c, _)| *c);
    wanted.is_err() || wanted.is_ok_and(|at| state[at].1.binary_search(&s).is_ok())
}
