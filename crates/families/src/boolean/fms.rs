//! A flexible manufacturing system: `fms`, the rows FSM of Table I.
//!
//! M. de Queiroz, J. Cury, W. Wonham: *Multitasking supervisory control of discrete-event systems* (2005). Raw blocks are milled, raw
//! pegs are turned and painted, and a peg is put into a block. Eight devices in a cell; the cells stand in a row, and what one has
//! assembled is a raw block of the next.
//!
//! | part | what it does |
//! | --- | --- |
//! | `blocks` | brings blocks to buffer 1 |
//! | `pegs` | brings pegs to buffer 2 |
//! | `robot` | has 1 and 2; takes blocks from 1 to the mill's 3 and milled ones from there to 5; pegs from 2 to the lathe's 4, turned ones to the belt |
//! | `mill`, `lathe` | have 3 and 4; take what is raw there and put it back when it is done |
//! | `belt` | brings turned pegs to buffer 6 |
//! | `paint` | has 6; paints pegs |
//! | `assembly` | has 5; takes a block from it, then a painted peg, and assembles them |
//!
//! Property of each buffer: nothing is put into it while something is in it. Nobody looks into a buffer at the moment of putting:
//! the devices must have seen to it before. The table has 4n components and 3n properties, so that a size is two for each cell. The
//! original has a second kind of product, with a buffer of its own, and a buffer between belt and assembly; without them six remain,
//! as in the table. Chosen: the row of cells, and that every device may wait at every moment.

use super::BooleanSystem;
use super::draft::{Draft, Of};
use prequel_model::{Lit, Word};

const EMPTY: usize = 0;
const RAW: usize = 1;
const DONE: usize = 2;
const OVERFLOW: usize = 3;

/// A device: itself, what it does, and whether it wants to go on.
struct Device {
    of: Of,
    at: Word,
    go: Lit,
}

impl Device {
    fn new(draft: &mut Draft, name: &str, cell: usize, states: &[&str]) -> Self {
        let of = draft.part(format!("{name}{cell}"));
        Self { of, at: draft.names(of, "at", states), go: draft.free(of, "go") }
    }

    /// That it is in its state of this number, and wants to go on.
    fn goes(&self, draft: &mut Draft, state: usize) -> Lit {
        let is = draft.is(&self.at, state);
        draft.all([is, self.go])
    }
}

struct Cell {
    blocks: Device,
    pegs: Device,
    robot: Device,
    /// What the robot takes next.
    choice: Word,
    mill: Device,
    lathe: Device,
    belt: Device,
    paint: Device,
    assembly: Device,
    /// Each belongs to a device that takes from it.
    buffers: [(Of, Word); 6],
}

impl Cell {
    fn new(draft: &mut Draft, cell: usize) -> Self {
        let device = |draft: &mut Draft, name: &str, states: &[&str]| Device::new(draft, name, cell, states);
        let carrier = ["empty", "loaded", "puts"];
        let machine = ["idle", "works", "finished"];
        let blocks = device(draft, "blocks", &carrier);
        let pegs = device(draft, "pegs", &carrier);
        let robot = device(draft, "robot", &["idle", "block", "peg", "milled", "turned"]);
        let choice = draft.free_number(robot.of, "choice", 4);
        let (mill, lathe) = (device(draft, "mill", &machine), device(draft, "lathe", &machine));
        let belt = device(draft, "belt", &carrier);
        let paint = device(draft, "paint", &machine);
        let assembly = device(draft, "assembly", &["idle", "block", "both", "product"]);
        let owners = [robot.of, robot.of, mill.of, lathe.of, assembly.of, paint.of];
        let mut number = 0;
        let buffers = owners.map(|of| {
            number += 1;
            (of, draft.names(of, &format!("buffer{number}"), &["empty", "raw", "done", "overflow"]))
        });
        Self { blocks, pegs, robot, choice, mill, lathe, belt, paint, assembly, buffers }
    }

    /// That buffer 1 to 6 is in a state.
    fn buffer(&self, draft: &mut Draft, number: usize, state: usize) -> Lit {
        draft.is(&self.buffers[number - 1].1, state)
    }

    /// How a buffer changes: what is put into it, raw or done, and whether something is taken out.
    fn holds(&self, draft: &mut Draft, number: usize, raw: Lit, done: Lit, taken: Lit) {
        let (of, word) = &self.buffers[number - 1];
        let (put, both) = (draft.any([raw, done]), draft.all([raw, done]));
        let [empty, over] = [EMPTY, OVERFLOW].map(|state| draft.is(word, state));
        let crowded = draft.all([put, !empty, !taken]);
        let cases = [(draft.any([over, both, crowded]), OVERFLOW), (raw, RAW), (done, DONE), (taken, EMPTY)];
        draft.next(*of, word, &cases);
    }

    /// Something that is loaded, waits for its buffer to be empty, and is put there in the step after.
    fn carries(&self, draft: &mut Draft, carrier: &Device, loads: Lit, buffer: usize) -> Lit {
        let (ready, puts) = (carrier.goes(draft, 1), draft.is(&carrier.at, 2));
        let empty = self.buffer(draft, buffer, EMPTY);
        let cases = [(loads, 1), (draft.all([ready, empty]), 2), (puts, 0)];
        draft.next(carrier.of, &carrier.at, &cases);
        puts
    }

    /// How all devices change; `block` is when a raw block is there to be had, `leaves` when the product goes.
    fn rules(&self, draft: &mut Draft, block: Lit, leaves: Lit) {
        let puts_block = self.carries(draft, &self.blocks, block, 1);
        let peg = self.pegs.goes(draft, 0);
        let puts_peg = self.carries(draft, &self.pegs, peg, 2);
        let robot = &self.robot;
        let idle = robot.goes(draft, 0);
        let choices: Vec<Lit> = (0..4).map(|choice| draft.is(&self.choice, choice)).collect();
        // The robot takes nothing that it could not put down.
        let mut free = |machine: &Device, buffer: usize| {
            let (idle, empty) = (draft.is(&machine.at, 0), self.buffer(draft, buffer, EMPTY));
            draft.all([idle, empty])
        };
        let (to_mill, to_lathe) = (free(&self.mill, 3), free(&self.lathe, 4));
        let (to_assembly, to_belt) = (self.buffer(draft, 5, EMPTY), draft.is(&self.belt.at, 0));
        let from = [(1, RAW, to_mill), (2, RAW, to_lathe), (3, DONE, to_assembly), (4, DONE, to_belt)];
        let mut takes = Vec::new();
        for (choice, (buffer, what, room)) in from.into_iter().enumerate() {
            let there = self.buffer(draft, buffer, what);
            takes.push(draft.all([idle, choices[choice], there, room]));
        }
        let puts: Vec<Lit> = (1..=4).map(|what| robot.goes(draft, what)).collect();
        let mut cases: Vec<(Lit, usize)> = takes.iter().copied().zip(1..).collect();
        cases.extend(puts.iter().map(|&puts| (puts, 0)));
        draft.next(robot.of, &robot.at, &cases);
        self.holds(draft, 1, puts_block, Lit::FALSE, takes[0]);
        self.holds(draft, 2, puts_peg, Lit::FALSE, takes[1]);
        for (machine, buffer, puts, takes) in [(&self.mill, 3, puts[0], takes[2]), (&self.lathe, 4, puts[1], takes[3])]
        {
            let (idle, works, finished) = (machine.goes(draft, 0), machine.goes(draft, 1), machine.goes(draft, 2));
            let raw = self.buffer(draft, buffer, RAW);
            let begins = draft.all([idle, raw]);
            draft.next(machine.of, &machine.at, &[(begins, 1), (works, 2), (finished, 0)]);
            let taken = draft.any([begins, takes]);
            self.holds(draft, buffer, puts, finished, taken);
        }
        let painted = draft.is(&self.paint.at, 2);
        let has_block = self.assembly.goes(draft, 1);
        let (takes_peg, idle) = (draft.all([has_block, painted]), self.assembly.goes(draft, 0));
        let block = self.buffer(draft, 5, RAW);
        let takes_block = draft.all([idle, block]);
        let assembled = self.assembly.goes(draft, 2);
        let cases = [(takes_block, 1), (takes_peg, 2), (assembled, 3), (leaves, 0)];
        draft.next(self.assembly.of, &self.assembly.at, &cases);
        self.holds(draft, 5, puts[2], Lit::FALSE, takes_block);
        let puts_turned = self.carries(draft, &self.belt, puts[3], 6);
        let (idle, works) = (self.paint.goes(draft, 0), self.paint.goes(draft, 1));
        let peg = self.buffer(draft, 6, RAW);
        let begins = draft.all([idle, peg]);
        draft.next(self.paint.of, &self.paint.at, &[(begins, 1), (works, 2), (takes_peg, 0)]);
        self.holds(draft, 6, puts_turned, Lit::FALSE, begins);
    }
}

/// `size / 2` cells.
pub fn cells(size: usize) -> BooleanSystem {
    let mut draft = Draft::default();
    let cells: Vec<Cell> = (0..size / 2).map(|cell| Cell::new(&mut draft, cell)).collect();
    // What comes in is the product of the cell before.
    let comes: Vec<Lit> = (0..cells.len())
        .map(|at| {
            let wanted = cells[at].blocks.goes(&mut draft, 0);
            let there = if at == 0 { Lit::TRUE } else { draft.is(&cells[at - 1].assembly.at, 3) };
            draft.all([wanted, there])
        })
        .collect();
    for (at, cell) in cells.iter().enumerate() {
        let leaves = match comes.get(at + 1) {
            Some(&next) => next,
            None => cell.assembly.goes(&mut draft, 3),
        };
        cell.rules(&mut draft, comes[at], leaves);
        for number in 1..=cell.buffers.len() {
            let bad = cell.buffer(&mut draft, number, OVERFLOW);
            draft.never(format!("cell {at}: buffer {number} does not overflow"), bad);
        }
    }
    draft.finish()
}
