//! What the fixed point found: the values of variables, the contents of channels.
//!
//! A part is followed through any combination of states of the others, so there may be values here that no run has; none is missing.

use super::Components;
use super::part::Part;
use crate::machine::HEAD;
use std::collections::BTreeSet;

/// What a buffered channel was found to hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// Different contents.
    pub contents: usize,
    /// Messages at a time.
    pub longest: usize,
}

impl Components {
    /// The values of a global cell; none if it never changes.
    pub fn values(&self, cell: usize) -> Option<BTreeSet<i32>> {
        let at = self.parts.iter().position(|part| *part == Part::Cell(cell as u32))?;
        Some(self.states[at].iter().map(|contents| contents[0]).collect())
    }

    /// The values of a local cell in all processes of a proctype.
    pub fn local_values(&self, proctype: usize, cell: usize) -> BTreeSet<i32> {
        self.frames(proctype).filter_map(|frame| frame.get(HEAD + cell).copied()).collect()
    }

    /// How many processes of a proctype there can be at a time, at most.
    pub fn instances(&self, proctype: usize) -> usize {
        let is = |frame: &[i32]| frame.first() == Some(&(proctype as i32));
        self.slots().filter(|&at| self.states[at].iter().any(|frame| is(frame))).count()
    }

    /// What a channel can hold, by its position; none for rendezvous channels and those that nobody uses.
    pub fn held(&self, position: usize) -> Option<Held> {
        let at = self.parts.iter().position(|part| *part == Part::Channel(position as u32 + 1))?;
        let lengths = self.states[at].iter().filter_map(|contents| contents.first());
        Some(Held { contents: self.states[at].len(), longest: lengths.max().map_or(0, |&length| length as usize) })
    }

    fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        let is_slot = |at: &usize| matches!(self.parts[*at], Part::Slot(_));
        (0..self.parts.len()).filter(is_slot)
    }

    fn frames(&self, proctype: usize) -> impl Iterator<Item = &[i32]> {
        let frames = self.slots().flat_map(|at| self.states[at].iter());
        frames.map(|frame| &**frame).filter(move |frame| frame.first() == Some(&(proctype as i32)))
    }
}
