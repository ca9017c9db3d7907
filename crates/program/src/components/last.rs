//! Senders that move last: the receiver of a rendezvous looks at the state before it and moves first, as in DVE.
//!
//! A component offers a message before it is known who takes it. So what the sender does is found in the state before the rendezvous
//! and kept with the offer; the receiver does not see it, and at the end it is done on top of what the receiver did. That is right
//! unless the receiver sets what an effect of the sender reads, and this is refused.

use super::moves::{Attempt, Kind, Moves, Offer};
use super::path::{Owed, Path};
use super::refusal::Refusal;
use crate::data::{Action, Program, Then, Transition};
use crate::expression::{Expression, Pattern, Place};
use crate::machine::Context;

impl<'a> Moves<'a> {
    /// Offers a message whose receiver moves first: what the sender does is known already, but the receiver does not see it.
    pub fn offer_last(&mut self, mut path: Path, transition: &'a Transition) -> Attempt<()> {
        let reads = read_by_effects(transition)?;
        let (channel, message) = self.message(&mut path);
        for (mut after, fault) in self.rest(path.clone(), None, transition)? {
            let mut before = path.clone();
            before.recall(self.program, &after);
            let sets = after.wrote.iter().map(|&cell| (cell, after.machine.cells[cell as usize])).collect();
            before.owed = Some(Owed { sets, reads: reads.clone(), wrong: fault.is_some() });
            if let Some(target) = transition.target {
                after.machine.set_control(after.pid, target);
            }
            let offer = Offer { channel, message: message.clone(), path: before };
            self.done(after, Kind::Offer(Box::new(offer)));
        }
        Ok(())
    }

    /// Lets the sender move whose message this process took. Tells whether that goes wrong.
    pub fn settle(&self, path: &mut Path, statement: u32) -> Attempt<bool> {
        let Some(owed) = path.owed.take() else { return Ok(false) };
        if let Some(&cell) = path.wrote.iter().find(|cell| owed.reads.contains(cell)) {
            let name = &self.program.globals[cell as usize].name;
            let message = format!("this sets `{name}`, and an effect of the sender reads it in the same step");
            return Err(Refusal::at("effects of both sides", statement, message));
        }
        for (cell, value) in owed.sets {
            path.machine.cells[cell as usize] = value;
        }
        Ok(owed.wrong)
    }
}

/// Notes the globals that an action is about to set.
pub fn note_writes(path: &mut Path, program: &Program, action: &Action) {
    let context = Context::new(program, &path.machine, path.pid);
    let cells = |place: &Place| (!place.local).then(|| context.address(place) as u32);
    let set: Vec<u32> = match action {
        Action::Assign(place, _) => place.iter().filter_map(cells).collect(),
        Action::Receive(receive) => receive
            .patterns
            .iter()
            .filter_map(|pattern| match pattern {
                Pattern::Store(place) => cells(place),
                Pattern::Match(_) | Pattern::Ignore => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    for cell in set {
        if !path.wrote.contains(&cell) {
            path.wrote.push(cell);
        }
    }
}

/// The globals that the effects of a transition read; an error if they look at other processes.
fn read_by_effects(transition: &Transition) -> Attempt<Vec<u32>> {
    let mut cells = Vec::new();
    let mut others = false;
    for then in &transition.then {
        if let Then::Do { action: Action::Assign(place, value), .. } = then {
            let indices = place.iter().flat_map(|place| &place.indices).map(|index| &index.at);
            for expression in indices.chain([value]) {
                expression.visit(&mut |inner| match inner {
                    Expression::Global(cell) => cells.push(*cell),
                    Expression::Element(place) if !place.local => {
                        let length: u32 = place.indices.iter().map(|index| index.length).product();
                        cells.extend(place.offset..place.offset + length);
                    }
                    Expression::At(..) | Expression::RemoteCell(..) => others = true,
                    _ => {}
                });
            }
        }
    }
    if others {
        let message = "an effect of this sender looks at another process, which may be the one that it meets";
        return Err(Refusal::at("remote reference", transition.statement, message));
    }
    Ok(cells)
}
