//! What a process itself does in a label: its own step, its half of a rendezvous, or nothing.

use super::refusal::Refusal;
use prequel_model::LabelId;
use prequel_program::components::{Change, Components, Fact, Message, Part, Role, Touch};

/// What a process does in a label.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Act {
    /// Something that nobody else notices.
    Tau,
    /// It stays where it may end.
    End,
    /// A step of its own.
    Own {
        /// What it asks of shared parts and does to them.
        touches: Vec<Touch>,
        /// Something goes wrong.
        wrong: bool,
    },
    /// It sends to whoever takes the message.
    Send(u32, Message),
    /// It takes a message.
    Receive {
        /// From which channel.
        channel: u32,
        /// Which one.
        message: Message,
        /// What it asks at that moment, and does then.
        touches: Vec<Touch>,
        /// Something goes wrong.
        wrong: bool,
    },
    /// Somebody else moves.
    Watch,
}

/// What a slot does in a label.
pub fn act(components: &Components, slot: u32, label: LabelId) -> Result<Act, Refusal> {
    if label.is_tau() {
        return Ok(Act::Tau);
    }
    let Some(role) = components.role(label) else { return Ok(Act::End) };
    let late = |wanted: bool| role.refused.iter().any(|(late, ..)| *late == wanted);
    let statement = role.began.first().copied();
    let waits = || {
        let message = "a step depends on whether anybody takes a message";
        Refusal::new("rendezvous that nobody takes", statement, message)
    };
    match &role.meeting {
        None if role.slot == slot => {
            if late(false) {
                return Err(waits());
            }
            writable(&role.touches, statement)?;
            Ok(Act::Own { touches: role.touches.clone(), wrong: role.wrong })
        }
        Some(meeting) if role.slot == slot => {
            let statement = meeting.began.first().copied();
            if late(false) {
                return Err(waits());
            }
            if !meeting.before.is_empty() {
                let message = "an `atomic` asks or does something before it sends without a buffer";
                return Err(Refusal::new("rendezvous inside an atomic", statement, message));
            }
            Ok(Act::Send(meeting.channel, meeting.message.clone()))
        }
        Some(meeting) if meeting.receiver == slot => {
            if late(true) {
                return Err(waits());
            }
            let touches = received(role, &meeting.before).ok_or_else(|| {
                let message = "both halves of a rendezvous look at the same buffered channel";
                Refusal::new("rendezvous beside a buffer", statement, message)
            })?;
            writable(&touches, statement)?;
            let (channel, message) = (meeting.channel, meeting.message.clone());
            Ok(Act::Receive { channel, message, touches, wrong: role.wrong })
        }
        _ => {
            let of_slot = role.touches.iter().filter(|touch| touch.part == Part::Slot(slot));
            let looks = |fact: &Fact| matches!(fact, Fact::Kind(_) | Fact::At(..) | Fact::Local(..));
            if of_slot.clone().any(|touch| touch.facts.iter().any(looks)) {
                return Err(Refusal::new("remote reference", statement, "another process looks into it"));
            }
            Ok(Act::Watch)
        }
    }
}

/// What the receiver asks at the moment of a rendezvous, and does then. What the sender left behind is asked for: the receiver
/// may have looked at it.
fn received(role: &Role, before: &[Touch]) -> Option<Vec<Touch>> {
    let mut touches = Vec::new();
    let parts = role.touches.iter().map(|touch| touch.part);
    let mut parts: Vec<Part> = parts.chain(before.iter().map(|touch| touch.part)).collect();
    parts.sort_unstable();
    parts.dedup();
    for part in parts {
        let find = |touches: &[Touch]| touches.iter().find(|touch| touch.part == part).cloned();
        let empty = Touch { part, facts: Vec::new(), changes: Vec::new() };
        let (sent, all) = (find(before), find(&role.touches).unwrap_or(empty));
        let touch = match sent {
            None => all,
            // Wherever it was seen last, a cell has the value that the sender knew or set.
            Some(sent) if matches!(part, Part::Cell(_)) => {
                let seen = value(&sent.changes).or(sent.facts.iter().find_map(|fact| match fact {
                    Fact::Value(value) => Some(*value),
                    _ => None,
                }))?;
                let after = value(&all.changes).unwrap_or(seen);
                let changes = if after == seen { Vec::new() } else { vec![Change::Set([after].into())] };
                Touch { part, facts: vec![Fact::Value(seen)], changes }
            }
            Some(sent) if sent.changes.is_empty() => all,
            Some(sent) => {
                let whole = |fact: &Fact| matches!(fact, Fact::Whole(_));
                if sent != all || all.facts.iter().any(whole) {
                    return None;
                }
                continue;
            }
        };
        touches.push(touch);
    }
    Some(touches)
}

/// The value that a cell is set to.
pub fn value(changes: &[Change]) -> Option<i32> {
    match changes {
        [.., Change::Set(to)] => to.first().copied(),
        _ => None,
    }
}

/// Whether Promela has words for all of it.
fn writable(touches: &[Touch], statement: Option<u32>) -> Result<(), Refusal> {
    for touch in touches {
        for fact in &touch.facts {
            match (fact, touch.part) {
                (Fact::Kind(_) | Fact::At(..) | Fact::Local(..), _) => {
                    return Err(Refusal::new("remote reference", statement, "it looks into another process"));
                }
                (Fact::Whole(whole), _) if whole.first().is_some_and(|&length| length > 1) => {
                    let message = "it depends on more than the first message of a channel";
                    return Err(Refusal::new("whole channel", statement, message));
                }
                (Fact::Present(_), Part::Channel(_)) => {
                    return Err(Refusal::new("own channel", statement, "it uses a channel that a process made"));
                }
                _ => {}
            }
        }
        let gone = |change: &Change| matches!(change, Change::Set(to) if to.is_empty());
        if touch.changes.iter().any(gone) {
            return Err(Refusal::new("own channel", statement, "it made a channel of its own"));
        }
    }
    Ok(())
}
