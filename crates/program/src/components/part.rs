//! Parts of a program that become components: what their states are, what a step asks of them and does to them.

use crate::machine::HEAD;

/// What becomes a component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// The process of this number, whichever that is at the time: only the youngest goes away, and its number is used again.
    Slot(u32),
    /// A global cell.
    Cell(u32),
    /// A buffered channel, by its number.
    Channel(u32),
}

/// A state of a part. A cell: its value. A channel: its length and its messages, nothing if it is not there. A slot: proctype,
/// control state and cells of its process, nothing if there is none.
pub type Contents = Box<[i32]>;

/// A message.
pub type Message = Box<[i32]>;

/// What a step asks of a part before it happens.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fact {
    /// A cell has this value.
    Value(i32),
    /// A process or channel is there, or not.
    Present(bool),
    /// A channel of so many slots has room, or not.
    Room(i32, bool),
    /// A channel holds messages, or not.
    Some(bool),
    /// This is the first message of a channel.
    Head(Message),
    /// A channel holds so many messages.
    Length(i32),
    /// A channel holds exactly this.
    Whole(Contents),
    /// A process is of this proctype.
    Kind(i32),
    /// A process is in this control state, or not.
    At(i32, bool),
    /// A cell of a process has this value.
    Local(u32, i32),
}

/// What a step does to a part.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Change {
    /// It becomes this, whatever it was.
    Set(Contents),
    /// A channel takes a message at its end.
    Push(Message),
    /// A channel loses its first message.
    Pop,
}

impl Fact {
    /// Whether a state fits.
    pub fn holds(&self, contents: &[i32]) -> bool {
        if let Fact::Present(there) = self {
            return *there != contents.is_empty();
        }
        // Nothing but absence is true of what is not there.
        let Some(&first) = contents.first() else { return false };
        match self {
            Fact::Value(value) => first == *value,
            Fact::Present(there) => *there,
            Fact::Room(slots, room) => (first < *slots) == *room,
            Fact::Some(any) => (first > 0) == *any,
            Fact::Head(message) => first > 0 && contents[1..].starts_with(message),
            Fact::Length(length) => first == *length,
            Fact::Whole(whole) => contents == &**whole,
            Fact::Kind(kind) => first == *kind,
            Fact::At(control, there) => contents.get(1).is_some_and(|at| (at == control) == *there),
            Fact::Local(cell, value) => contents.get(HEAD + *cell as usize) == Some(value),
        }
    }
}

/// Whether a state fits all of it.
pub fn fits(facts: &[Fact], contents: &[i32]) -> bool {
    facts.iter().all(|fact| fact.holds(contents))
}

/// The state after changes.
pub fn changed(changes: &[Change], contents: &[i32]) -> Contents {
    let mut now: Vec<i32> = contents.to_vec();
    for change in changes {
        match change {
            Change::Set(to) => now = to.to_vec(),
            Change::Push(message) => {
                if let Some(length) = now.first_mut() {
                    *length += 1;
                }
                now.extend_from_slice(message);
            }
            Change::Pop => {
                if let Some(&length) = now.first().filter(|length| **length > 0) {
                    let width = (now.len() - 1) / length as usize;
                    now[0] -= 1;
                    now.drain(1..1 + width);
                }
            }
        }
    }
    now.into()
}

/// What a step asks of a part and does to it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Touch {
    /// Which part.
    pub part: Part,
    /// What must be so before.
    pub facts: Vec<Fact>,
    /// What becomes of it.
    pub changes: Vec<Change>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_take_and_give() {
        let queue: &[i32] = &[2, 7, 1, 8, 0];
        assert!(Fact::Head([7, 1].into()).holds(queue) && Fact::Room(2, false).holds(queue));
        assert_eq!(&*changed(&[Change::Pop, Change::Push([9, 9].into())], queue), [2, 8, 0, 9, 9]);
        assert_eq!(&*changed(&[Change::Pop, Change::Pop], queue), [0]);
    }

    #[test]
    fn nothing_but_absence_is_true_of_what_is_not_there() {
        assert!(Fact::Present(false).holds(&[]) && !Fact::Present(true).holds(&[]));
        assert!(!Fact::Some(false).holds(&[]) && !Fact::At(3, false).holds(&[]));
    }
}
