//! From parts and labels to a network, with names that people can read.

use super::build::{Build, Joint, WRONG};
use super::domain::Domains;
use super::moves::Moves;
use super::names::Names;
use super::part::{Message, Part, Touch, changed, fits};
use super::refusal::Refusal;
use super::role::{Meeting, Role};
use super::{Components, Limits};
use prequel_model::{Component, ComponentId, LabelId, Labels, Lts, Network, Origin, Source, StateId, Transition};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a label costs that is put together, as many states of a search.
const JOINT: usize = 64;

/// The label that all processes take part in where they may end.
const END: &str = "end";

/// What is seen of a step in which something goes wrong.
const ERROR: &str = "error";

/// Who takes part in a label, and how.
type Share = (Part, Vec<(u32, u32)>);

/// A state of a slot and a message on a channel.
type Reception = (u32, u32, i32, Message);

struct Assembly<'b, 'a> {
    build: &'b Build<'a>,
    /// Whether a state of a slot takes a message.
    takes: FxHashMap<Reception, bool>,
    transitions: FxHashMap<Part, Vec<Transition>>,
    declared: FxHashMap<Part, Vec<LabelId>>,
    count: usize,
}

/// Puts the network together.
pub fn assemble(build: &Build<'_>, limits: Limits<'_>) -> Result<Components, Refusal> {
    let names = Names::new(build);
    let mut labels = Labels::new();
    let mut assembly = Assembly {
        build,
        takes: FxHashMap::default(),
        transitions: FxHashMap::default(),
        declared: FxHashMap::default(),
        count: 0,
    };
    let mut own = movers(build);
    let (mut wrong, mut roles) = (Vec::new(), vec![None]);
    for (number, joint) in build.joints.iter().enumerate() {
        limits.allow(JOINT)?;
        if !build.bounds.allow(number as u32) {
            continue;
        }
        let passive = assembly.passive(joint)?;
        let movers = std::mem::take(&mut own[number]);
        let active = assembly.active(joint, number as u32, movers)?;
        if active.iter().chain(&passive).any(|(_, moves)| moves.is_empty()) {
            continue;
        }
        let alone = joint.meeting.is_none() && passive.is_empty() && !joint.wrong;
        let label = if alone { LabelId::TAU } else { labels.fresh(&names.label(joint)) };
        if joint.wrong {
            wrong.push(label);
        }
        if !alone {
            roles.push(Some(role(build, number)));
        }
        for (part, moves) in active.into_iter().chain(passive) {
            assembly.add(part, label, &moves);
            if assembly.count > limits.transitions {
                let message = format!("the components have more than {} transitions", limits.transitions);
                return Err(Refusal::of("transitions", message));
            }
        }
    }
    if !wrong.is_empty() {
        // One name for all of them, so that a property can be stated in other formats too.
        let error = labels.fresh(ERROR);
        wrong.iter().for_each(|&label| labels.show(label, error));
    }
    let end = labels.fresh(END);
    roles.push(None);
    assembly.may_end(end);
    let domains = &build.domains;
    let parts = parts(domains);
    let (mut components, mut origin, mut errors) = (Vec::new(), Origin::default(), Vec::new());
    for (number, &part) in parts.iter().enumerate() {
        let mut transitions = assembly.transitions.remove(&part).unwrap_or_default();
        let mut state_names = names.states(part);
        let states = domains.of(part).len();
        let error = StateId::new(states);
        let mut goes_wrong = false;
        for transition in transitions.iter_mut().filter(|transition| transition.target.0 == WRONG) {
            (transition.target, goes_wrong) = (error, true);
        }
        if goes_wrong {
            // A process that went wrong is no deadlock.
            transitions.push(Transition { source: error, label: LabelId::TAU, target: error });
            state_names.push("error".into());
            errors.push((ComponentId::new(number), error));
        }
        let lts = Lts::new(StateId(0), states + usize::from(goes_wrong), transitions);
        let declared = assembly.declared.remove(&part).unwrap_or_default();
        components.push(Component::with_alphabet(names.part(part), lts, declared));
        origin.sources.push(Source { file: None, state_names: Some(Arc::from(state_names)) });
    }
    let network = Network::new(labels, components);
    let states = parts.iter().map(|&part| domains.of(part).clone()).collect();
    let base = build.base.clone();
    let starts = build.starts.iter().copied().collect();
    Ok(Components { network, origin, parts, states, errors, wrong, end, roles, starts, base })
}

/// The moves of processes of each label: who, from where, to where.
fn movers(build: &Build<'_>) -> Vec<Vec<(u32, u32, u32)>> {
    let mut movers = vec![Vec::new(); build.joints.len()];
    for (slot, moves) in build.moves.iter().enumerate() {
        for &(from, joint, to) in moves {
            movers[joint as usize].push((slot as u32, from, to));
        }
    }
    movers
}

/// What becomes a component: what never changes is none.
fn parts(domains: &Domains) -> Vec<Part> {
    let slots = (0..domains.slots.len()).map(|slot| Part::Slot(slot as u32));
    let cells = (0..domains.cells.len()).map(|cell| Part::Cell(cell as u32));
    let channels = (0..domains.channels.len()).map(|channel| Part::Channel(channel as u32 + 1));
    slots.chain(cells.chain(channels).filter(|&part| domains.of(part).len() > 1)).collect()
}

/// What a label asks and does, without what is always so and what changes nothing.
fn role(build: &Build<'_>, number: usize) -> Role {
    let joint = &build.joints[number];
    let meeting = joint.meeting.map(|(sending, receiver)| {
        let sending = &build.sendings[sending as usize];
        let (channel, message) = (sending.offer.channel as u32, sending.offer.message.clone());
        let began = sending.began.iter().copied().collect();
        Meeting { receiver, channel, message, before: noticed(build, &sending.touches), began }
    });
    let began = build.began[number].iter().copied().collect();
    let Joint { slot, refused, wrong, .. } = joint.clone();
    Role { slot, meeting, touches: noticed(build, &joint.touches), refused, wrong, began }
}

/// What of it matters, given the states that parts can have.
fn noticed(build: &Build<'_>, touches: &[Touch]) -> Vec<Touch> {
    let mut kept = Vec::new();
    for touch in touches {
        let states = build.domains.of(touch.part);
        let mut touch = touch.clone();
        let mut before = states.iter().filter(|contents| fits(&touch.facts, contents));
        if before.all(|contents| changed(&touch.changes, contents) == *contents) {
            touch.changes.clear();
        }
        touch.facts.retain(|fact| !states.iter().all(|contents| fact.holds(contents)));
        if !(touch.facts.is_empty() && touch.changes.is_empty()) {
            kept.push(touch);
        }
    }
    kept
}

impl Assembly<'_, '_> {
    /// Lets all processes stay together where they may end.
    fn may_end(&mut self, end: LabelId) {
        for (slot, states) in self.build.domains.slots.iter().enumerate() {
            let ends = states.iter().enumerate().filter(|(_, frame)| match frame.as_ref() {
                [kind, control, ..] => self.build.program.proctypes[*kind as usize].states[*control as usize].end,
                _ => true,
            });
            let ends: Vec<(u32, u32)> = ends.map(|(state, _)| (state as u32, state as u32)).collect();
            self.add(Part::Slot(slot as u32), end, &ends);
        }
    }

    fn add(&mut self, part: Part, label: LabelId, moves: &[(u32, u32)]) {
        self.count += moves.len();
        self.transitions
            .entry(part)
            .or_default()
            .extend(moves.iter().map(|&(from, to)| Transition::new(from, label, to)));
        if moves.is_empty() {
            self.declared.entry(part).or_default().push(label);
        }
    }

    /// What the processes do that the step is about.
    fn active(&mut self, joint: &Joint, number: u32, movers: Vec<(u32, u32, u32)>) -> Result<Vec<Share>, Refusal> {
        let Some((sending, receiver)) = joint.meeting else {
            let moves = movers.into_iter().map(|(_, from, to)| (from, to)).collect();
            return Ok(vec![(Part::Slot(joint.slot), moves)]);
        };
        let (mut received, mut sent) = (Vec::new(), Vec::new());
        for (slot, from, to) in movers.into_iter().filter(|mover| mover.0 == receiver) {
            if !self.takes_any(slot, from, joint, Some(false))? {
                received.push((from, to));
            }
        }
        let sending = &self.build.sendings[sending as usize];
        debug_assert!(sending.joints.contains(&number));
        for (from, to, _) in &sending.moves {
            let to = self.build.domains.of(Part::Slot(joint.slot)).get_index_of(to).unwrap_or(0) as u32;
            if !self.takes_any(joint.slot, to, joint, Some(true))? {
                sent.push((*from, to));
            }
        }
        Ok(vec![(Part::Slot(joint.slot), sent), (Part::Slot(receiver), received)])
    }

    /// What the step asks of other parts and does to them; parts that it does not notice are left out.
    fn passive(&mut self, joint: &Joint) -> Result<Vec<Share>, Refusal> {
        let mut passive = Vec::new();
        let receiver = joint.meeting.map(|(_, receiver)| receiver);
        let mut asked: Vec<Part> = joint.touches.iter().map(|touch| touch.part).collect();
        if !joint.refused.is_empty() {
            asked.extend((0..self.build.domains.slots.len()).map(|slot| Part::Slot(slot as u32)));
            asked.sort_unstable();
            asked.dedup();
        }
        for part in asked {
            if part == Part::Slot(joint.slot) || receiver.is_some_and(|receiver| part == Part::Slot(receiver)) {
                continue;
            }
            let touch = joint.touches.iter().find(|touch| touch.part == part);
            let states = self.build.domains.of(part);
            let mut moves = Vec::new();
            for (state, contents) in states.iter().enumerate() {
                if touch.is_some_and(|touch| !fits(&touch.facts, contents)) {
                    continue;
                }
                if let Part::Slot(slot) = part
                    && self.takes_any(slot, state as u32, joint, None)?
                {
                    continue;
                }
                let after = touch.map_or_else(|| contents.clone(), |touch| changed(&touch.changes, contents));
                // A counter beyond its bounds: no run takes this step.
                let Some(after) = states.get_index_of(&after) else { continue };
                moves.push((state as u32, after as u32));
            }
            let noticed = moves.len() < states.len() || moves.iter().any(|(from, to)| from != to);
            // A slot beyond the last is empty for ever.
            let exists =
                if let Part::Slot(slot) = part { (slot as usize) < self.build.domains.slots.len() } else { true };
            if noticed && exists {
                passive.push((part, moves));
            }
        }
        Ok(passive)
    }

    /// Whether a state of a slot takes one of the messages that nobody takes, of those before or after the rendezvous.
    fn takes_any(&mut self, slot: u32, state: u32, joint: &Joint, after: Option<bool>) -> Result<bool, Refusal> {
        for (late, channel, message) in &joint.refused {
            if after.is_some_and(|after| after != *late) {
                continue;
            }
            let key = (slot, state, *channel, message.clone());
            let takes = match self.takes.get(&key) {
                Some(&takes) => takes,
                None => {
                    let build = self.build;
                    let frame = &build.domains.of(Part::Slot(slot))[state as usize];
                    let mut moves = Moves::new(build.program, &build.base, &build.domains, 0..=0);
                    let takes = !frame.is_empty() && moves.takes(slot as usize, frame, *channel, message)?;
                    self.takes.insert(key, takes);
                    takes
                }
            };
            if takes {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
