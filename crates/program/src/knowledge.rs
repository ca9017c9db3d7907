//! What is known of a state by whoever computes in it.
//!
//! There is one interpreter of statements, [`crate::machine`], and before it looks at something it says so. A search has whole states
//! and knows [`Everything`]: nothing is asked, and nothing is left of the questions once they are compiled. A component of the program
//! knows its own process only (`components/needs.rs`); what it lacks is noted there, and the statement is tried again for each answer.

use super::machine::Machine;
use std::ops::Range;

/// What is asked of the contents of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Whether there is room for a message.
    Room,
    /// Whether it holds any.
    Some,
    /// The first message.
    Head,
    /// How many there are.
    Length,
    /// All of them.
    Whole,
}

/// What is known of a state. Whoever does not know what is asked notes that; what is computed then is worth nothing.
pub trait Knowledge: Copy {
    /// A global cell is about to be read.
    #[inline(always)]
    fn cell(self, _: &Machine, _cell: usize) {}

    /// A cell of the process that moves is about to be read.
    #[inline(always)]
    fn own(self, _cell: usize) {}

    /// A cell is about to be set, or was just now.
    #[inline(always)]
    fn set(self, _cell: usize) {}

    /// The same of several cells.
    #[inline(always)]
    fn set_all(self, _cells: Range<usize>) {}

    /// Cells of a channel are about to be set to what follows from their contents.
    #[inline(always)]
    fn shifted(self, _cells: Range<usize>) {}

    /// Anything of the state may be looked at.
    #[inline(always)]
    fn all(self) {}

    /// The contents of a channel are about to be looked at. Tells whether the channel is still there.
    #[inline(always)]
    fn channel(self, _: &Machine, _number: i32, _: Question) -> bool {
        true
    }

    /// The number of processes is about to be used.
    #[inline(always)]
    fn count(self) {}

    /// How many numbers a process may have that is looked for.
    #[inline(always)]
    fn numbers(self, machine: &Machine) -> usize {
        machine.processes.len()
    }

    /// What process has a number, if any, is about to be looked at.
    #[inline(always)]
    fn kind(self, _pid: usize) {}

    /// Whether a process is in a control state is about to be looked at.
    #[inline(always)]
    fn control(self, _pid: usize, _control: u32) {}

    /// A cell of another process is about to be read.
    #[inline(always)]
    fn local(self, _pid: usize, _cell: u32) {}

    /// Whether no process came after this one.
    #[inline(always)]
    fn is_youngest(self, machine: &Machine, pid: usize) -> bool {
        pid + 1 == machine.processes.len()
    }
}

/// All of a state.
#[derive(Clone, Copy, Debug)]
pub struct Everything;

impl Knowledge for Everything {}
