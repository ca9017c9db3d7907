//! The states that parts of a program can have, as far as they are found.

use super::part::{Contents, Part};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// States in the order in which they were found; the first one is initial.
pub type States = IndexSet<Contents, FxBuildHasher>;

/// The states of all parts.
#[derive(Clone, Debug)]
pub struct Domains {
    /// By process number.
    pub slots: Vec<States>,
    /// By global cell; none for cells that never change.
    pub cells: Vec<States>,
    /// By channel number, from 1; none for rendezvous channels.
    pub channels: Vec<States>,
    /// A slot beyond the last.
    nobody: States,
}

impl Domains {
    /// No states yet.
    pub fn new(cells: usize, channels: usize) -> Self {
        let nobody = std::iter::once(Contents::default()).collect();
        let empty = |count| vec![States::default(); count];
        Self { slots: Vec::new(), cells: empty(cells), channels: empty(channels), nobody }
    }

    /// The states of a part.
    pub fn of(&self, part: Part) -> &States {
        match part {
            Part::Slot(slot) => self.slots.get(slot as usize).unwrap_or(&self.nobody),
            Part::Cell(cell) => &self.cells[cell as usize],
            Part::Channel(channel) => &self.channels[channel as usize - 1],
        }
    }

    /// Adds a state.
    pub fn add(&mut self, part: Part, contents: Contents) {
        match part {
            Part::Slot(slot) => {
                while self.slots.len() <= slot as usize {
                    self.slots.push(self.nobody.clone());
                }
                self.slots[slot as usize].insert(contents);
            }
            Part::Cell(cell) => _ = self.cells[cell as usize].insert(contents),
            Part::Channel(channel) => _ = self.channels[channel as usize - 1].insert(contents),
        }
    }
}
