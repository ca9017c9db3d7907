//! What a computation looked at and what it set.

use crate::data::Program;
use crate::knowledge::{Knowledge, Question};
use crate::machine::{HEAD, Machine};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// The cells of a state that were read and set, some of them several times.
#[derive(Debug)]
pub struct Footprint<'p> {
    program: &'p Program,
    /// Where each process starts.
    processes: Vec<u32>,
    /// Cells that were read.
    pub read: RefCell<Vec<u32>>,
    /// Cells that were set.
    pub set: RefCell<Vec<u32>>,
    /// More was looked at than can be told by cells.
    pub boundless: Cell<bool>,
}

impl<'p> Footprint<'p> {
    /// Nothing yet of a state with processes at these places.
    pub fn new(program: &'p Program, processes: Vec<u32>) -> Self {
        let (read, set, boundless) = Default::default();
        Self { program, processes, read, set, boundless }
    }
}

impl Knowledge for &Footprint<'_> {
    fn cell(self, _: &Machine, cell: usize) {
        self.own(cell);
    }

    fn own(self, cell: usize) {
        self.read.borrow_mut().push(cell as u32);
    }

    fn set(self, cell: usize) {
        self.set.borrow_mut().push(cell as u32);
    }

    fn set_all(self, cells: Range<usize>) {
        self.set.borrow_mut().extend(cells.map(|cell| cell as u32));
    }

    fn shifted(self, cells: Range<usize>) {
        self.read.borrow_mut().extend(cells.clone().map(|cell| cell as u32));
        self.set_all(cells);
    }

    fn channel(self, machine: &Machine, number: i32, question: Question) -> bool {
        let at = machine.channels[number as usize - 1] as usize;
        let width = self.program.channel_types[machine.cells[at] as usize].fields.len();
        let length = machine.cells[at + 1] as usize;
        let messages = match question {
            Question::Room | Question::Some | Question::Length => 0,
            Question::Head => length.min(1),
            Question::Whole => length,
        };
        self.read.borrow_mut().extend(at as u32 + 1..(at + 2 + messages * width) as u32);
        true
    }

    fn control(self, pid: usize, _: u32) {
        self.own(self.processes[pid] as usize + 1);
    }

    fn local(self, pid: usize, cell: u32) {
        self.own(self.processes[pid] as usize + HEAD + cell as usize);
    }

    fn all(self) {
        self.boundless.set(true);
    }
}
