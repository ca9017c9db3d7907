//! Parts with complete products: what a part reaches is known at once, so nothing is ever taken back.

use super::Lazy;
use super::goal::PartialState;
use super::next::choose;
use super::part::{Of, Part, product};
use super::solve::{Found, Share};
use super::system::{Owners, System};
use crate::race::{Lane, Stop};
use crate::weave::run_on;
use prequel_model::{ComponentId, LabelId};

/// Some components that are looked at together.
struct Group {
    members: Vec<ComponentId>,
    /// The number of the part that they are.
    part: usize,
}

/// The groups of a partial state, and all parts that there ever were: a witness is found by going back through them.
struct Groups<'a> {
    system: &'a System<'a>,
    options: &'a Lazy,
    lane: &'a Lane<'a>,
    owners: Owners,
    groups: Vec<Option<Group>>,
    parts: Vec<Part>,
}

/// Decides whether one partial state is reachable.
pub fn solve(system: &System<'_>, state: &PartialState, options: &Lazy, lane: &Lane<'_>) -> Result<Found, Stop> {
    let owners = Owners::none(system);
    let mut all = Groups { system, options, lane, owners, groups: Vec::new(), parts: Vec::new() };
    for (at, (c, wanted)) in state.iter().enumerate() {
        all.owners.give(&[*c], at as u32);
        all.parts.push(Part::leaf(system, *c, Some(wanted), options, lane));
        all.groups.push(Some(Group { members: vec![*c], part: at }));
    }
    for at in 0..all.groups.len() {
        // It may have become a piece of another one.
        if let Some(group) = all.groups[at].take()
            && let Some(members) = all.enlarge(group, at as u32)?
        {
            return Ok(Found::Refuted(members));
        }
    }
    let mut shares = Vec::new();
    for at in 0..all.groups.len() {
        if let Some(group) = all.groups[at].take() {
            all.share(&group, at as u32, &mut shares)?;
        }
    }
    Ok(Found::Reached(shares))
}

impl Groups<'_> {
    /// Makes a group larger until it reaches its share of the goal alone; its members if it cannot.
    fn enlarge(&mut self, mut group: Group, mut id: u32) -> Result<Option<Vec<ComponentId>>, Stop> {
        let (system, next) = (self.system, self.options.next);
        loop {
            let part = &self.parts[group.part];
            // A part is a check of its own: what one looks at is not added to another's.
            if let Of::Leaf(_) = part.of {
                self.lane.check().explored(part.lts.num_states() as u64, part.lts.num_transitions() as u64)?;
            }
            if !part.lts.has_marked() {
                return Ok(Some(group.members));
            }
            let companions = part.companions(self.options.path, system, &self.owners, id).unwrap_or_default();
            if companions.is_empty() {
                self.groups[id as usize] = Some(group);
                return Ok(None);
            }
            let (owners, parts, groups) = (&self.owners, &self.parts, &self.groups);
            let comes = |c: ComponentId| match owners.part_of(c) {
                Some(owner) => {
                    &parts[groups[owner as usize].as_ref().expect("groups own their members").part].alphabet[..]
                }
                None => system.component(c).alphabet(),
            };
            let with =
                |c: ComponentId, p: ComponentId| c == p || owners.part_of(c).is_some_and(|owner| owners.has(owner, p));
            let chosen = choose(next, &companions, system, comes, |p| owners.has(id, p), with);
            let (mut other, owner) = self.group_of(chosen);
            // The larger one keeps its number, so that no component changes its group too often.
            if let Some(owner) = owner.filter(|_| other.members.len() > group.members.len()) {
                id = owner;
                self.owners.give(&group.members, id);
                std::mem::swap(&mut group.members, &mut other.members);
            } else {
                self.owners.give(&other.members, id);
            }
            group.members.append(&mut other.members);
            let private = |label: LabelId| self.owners.enclose(system, id, label);
            let pieces = [group.part, other.part];
            let both = pieces.map(|piece| &self.parts[piece]);
            let joint = Part::join(both, pieces, private, self.options, self.lane)?;
            group.part = self.parts.len();
            self.parts.push(joint);
        }
    }

    /// The group of a component, and its number if it is not a new one.
    fn group_of(&mut self, c: ComponentId) -> (Group, Option<u32>) {
        if let Some(owner) = self.owners.part_of(c) {
            return (self.groups[owner as usize].take().expect("groups own their members"), Some(owner));
        }
        self.parts.push(Part::leaf(self.system, c, None, self.options, self.lane));
        (Group { members: vec![c], part: self.parts.len() - 1 }, None)
    }

    /// What each member of a group does on the way to the goal: products are searched again for a run on the word that is known so
    /// far, which tells the letters that were hidden in them.
    fn share(&self, group: &Group, id: u32, shares: &mut Vec<Share>) -> Result<(), Stop> {
        // Alone: by labels that nobody else takes part in, the only ones left if they are hidden.
        let inside = |l: LabelId| l.is_tau() || self.owners.enclose(self.system, id, l);
        let lts = &self.parts[group.part].lts;
        let path = run_on(lts, &[], inside, |s| lts.is_marked(s)).expect("the part is complete");
        let letters: Vec<LabelId> = path.iter().map(|t| t.label).filter(|l| !l.is_tau()).collect();
        let mut open = vec![(group.part, letters)];
        while let Some((at, seen)) = open.pop() {
            let part = &self.parts[at];
            let children = match part.of {
                Of::Leaf(component) => {
                    let letters = seen.into_iter().filter(|&l| !self.system.alone(l)).collect();
                    shares.push(Share { component, letters });
                    continue;
                }
                Of::Joint(children) => children,
            };
            let joint = product(children.map(|child| &self.parts[child]), self.lane)?;
            let hidden = |l: LabelId| !part.takes_part(l);
            let path =
                run_on(&joint, &seen, hidden, |s| joint.is_marked(s)).expect("minimisation keeps words to the goal");
            for child in children {
                let own = path.iter().map(|t| t.label).filter(|&l| self.parts[child].takes_part(l)).collect();
                open.push((child, own));
            }
        }
        Ok(())
    }
}
