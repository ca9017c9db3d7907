//! The moves of processes, remembered by what they look at.
//!
//! What a process can do depends on few bits of a state: on where it is, on the variables that its statements read. The interpreter
//! computes it once and says what it looked at ([`footprint`]); whatever state has the same there, the process does the same in it:
//! it sets some bits. So nearly all successors are a copy of a packed state with some bits set, and no state is unpacked for them.
//! Remembered is what one process does by itself in one statement. What others answer to a rendezvous, and how an `atomic` goes on,
//! is looked up in turn, in the order of [`crate::expand`].
//!
//! All that is rare is left to the interpreter as it is: violations, processes that come and go, `timeout`, states without
//! successors. So is a process that looks at too much for its moves to be met again.

mod footprint;
mod tree;

use crate::data::{Action, Program};
use crate::expand::{
    self, Happened, Moved, RawStep, START, Sink, UNREMEMBERED, Violation, Work, expand_some, own_moves,
};
use crate::layout::{Base, Layout};
use crate::machine::Machine;
use crate::reduction::Processes;
use crate::shape::{Place, Shape, pieces};
use footprint::Footprint;
use rustc_hash::FxHashMap;
use tree::{Bits, Forest, Found};

/// Words that one worker remembers in.
const MOST_WORDS: usize = 1 << 23;
/// Computations at a control state before it is judged.
const TRIAL: u32 = 1 << 10;
/// How many times more often something must be known than computed.
const WORTH: u32 = 4;
/// Where packed states are given out.
pub trait PackedSink {
    /// Behind what is there already.
    fn packed(&mut self) -> &mut Vec<u64>;
    /// A state does not fit.
    fn outgrown(&mut self);
    /// Something is wrong; tells whether to go on.
    fn violation(&mut self, violation: Violation) -> bool;
}

/// What the processes of a program do.
#[derive(Debug, Default)]
pub struct Memo {
    /// The state that is expanded, once it is unpacked, and the shapes of states.
    machine: Machine,
    base: Base,
    unpacked: bool,
    /// By shape.
    crowds: Vec<Option<Crowd>>,
    /// How often the shapes were forgotten.
    forgotten: u32,
    known: Known,
    offers: Offers,
    pending: Pending,
    /// A state that a rendezvous is offered in, or one in the middle of an `atomic`.
    offering: Vec<u64>,
    inner: Vec<u64>,
    /// To compute in.
    scratch: (Machine, Base),
}

/// What was computed, for all maps.
#[derive(Debug, Default)]
struct Known {
    forest: Forest,
    moves: Vec<Moves>,
    each: Vec<Move>,
    patches: Vec<Patch>,
}

/// What a process can do.
#[derive(Clone, Copy, Debug)]
enum Moves {
    /// These of all moves.
    Some(u32, u32),
    /// It is left to the interpreter.
    Interpreted,
}

/// One thing that a process can do.
#[derive(Clone, Copy, Debug)]
struct Move {
    /// Its patches.
    from: u32,
    to: u32,
    then: Then,
}

/// What comes after a move.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// A state that is given out.
    Rest,
    /// The process goes on if it can.
    Goes,
    /// Somebody has to receive this.
    Offers(u32),
}

/// Bits of a word that are set.
#[derive(Clone, Copy, Debug)]
struct Patch {
    word: u32,
    kept: u64,
    set: u64,
}

/// The processes of a shape.
#[derive(Debug)]
struct Crowd {
    controls: Vec<Field>,
    /// For each process where its roots start, each control state having one, and one for states in which something is offered.
    starts: Vec<u32>,
    roots: Vec<Root>,
}

/// Where a process starts to look what it can do.
#[derive(Clone, Copy, Debug)]
struct Root {
    way: Way,
    asked: u32,
    computed: u32,
}

/// How it is found.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// It was not asked for.
    New,
    /// In this map.
    Map(u32),
    /// There is nothing that it can do.
    Never,
    /// It is left to the interpreter: it was hardly ever known, or it looks at everything.
    Interpreted,
}

/// A number in a packed state.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    bits: u32,
}

impl Field {
    #[inline]
    fn of(self, state: &[u64]) -> u32 {
        let (word, mask) = (self.word as usize, (1u64 << self.bits) - 1);
        if self.bits == 0 {
            return 0;
        }
        let low = state[word] >> self.shift;
        let high = if self.shift + self.bits > 64 { state[word + 1] << (64 - self.shift) } else { 0 };
        ((low | high) & mask) as u32
    }
}

/// Messages that wait for a receiver, by number.
#[derive(Debug, Default)]
struct Offers {
    all: Vec<Offered>,
    numbers: FxHashMap<Offered, u32>,
}

/// A message that waits for its receiver.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Offered {
    channel: i32,
    sender: Option<(u32, u32)>,
    /// The channel's length and message.
    cells: Box<[i32]>,
}

/// States in the middle of an `atomic`, the last one first.
#[derive(Debug, Default)]
struct Pending {
    processes: Vec<u32>,
    words: Vec<u64>,
}

/// The interpreter has to do it.
struct Unknown;

/// What is expanded.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// The program.
    pub program: &'a Program,
    /// How its states are packed.
    pub layout: &'a Layout,
    /// A packed state; behind it the number of what is offered in it, while others answer.
    pub state: &'a [u64],
}

impl Memo {
    /// Whether it can remember what a program does.
    pub fn suits(program: &Program) -> bool {
        program.claim.is_none() && program.trace.is_none() && !program.priorities
    }

    /// The state that is expanded next, unpacked.
    pub fn unpack(&mut self, layout: &Layout, state: &[u64]) -> &Machine {
        layout.unpack_base(state, &mut self.machine, &mut self.base);
        self.unpacked = true;
        &self.machine
    }

    /// Makes everything ready for the processes of a state.
    fn settle(&mut self, program: &Program, layout: &Layout, state: &[u64]) {
        if !self.unpacked && !self.base.shapes.find_packed(state) {
            self.unpack(layout, state);
        }
        let (shapes, known) = (&self.base.shapes, &mut self.known);
        if self.forgotten != shapes.forgotten || known.words() > MOST_WORDS {
            self.forgotten = shapes.forgotten;
            self.crowds.clear();
            *known = Known::default();
        }
        if self.crowds.len() <= shapes.number() {
            self.crowds.resize_with(shapes.number() + 1, || None);
        }
        self.crowds[shapes.number()].get_or_insert_with(|| Crowd::new(program, shapes.current()));
    }

    fn crowd(&mut self) -> &mut Crowd {
        self.crowds[self.base.shapes.number()].as_mut().expect("the state's shape has one")
    }

    /// The moves of one process and of the atomic sequences that they start.
    fn process_moves<S: PackedSink>(&mut self, of: Of<'_>, process: usize, work: &mut Work, sink: &mut S) -> bool {
        let start = sink.packed().len();
        if let Ok(any) = self.remembered_moves(of, process, work, sink.packed()) {
            return any;
        }
        sink.packed().truncate(start);
        if !self.unpacked {
            self.unpack(of.layout, of.state);
        }
        let mut packing = Packing { layout: of.layout, base: &self.base, sink };
        expand::process_moves(of.program, &self.machine, process, START, work, &mut packing)
    }

    fn remembered_moves(
        &mut self,
        of: Of<'_>,
        process: usize,
        work: &mut Work,
        out: &mut Vec<u64>,
    ) -> Result<bool, Unknown> {
        self.pending.clear();
        let any = self.single_moves(of, process, work, out)?;
        let words = of.layout.words();
        for _ in 0..UNREMEMBERED {
            let Some(process) = self.pending.processes.pop() else { return Ok(any) };
            let start = self.pending.words.len() - words;
            let mut inner = std::mem::take(&mut self.inner);
            inner.clear();
            inner.extend(self.pending.words.drain(start..));
            let moved = self.single_moves(Of { state: &inner, ..of }, process as usize, work, out);
            if let Ok(false) = moved {
                // Blocked in the middle: here others may move.
                out.extend_from_slice(&inner);
            }
            self.inner = inner;
            moved?;
        }
        if self.pending.processes.is_empty() { Ok(any) } else { Err(Unknown) }
    }

    /// The moves of one process, each alone, and what others answer to what it offers.
    fn single_moves(
        &mut self,
        of: Of<'_>,
        process: usize,
        work: &mut Work,
        out: &mut Vec<u64>,
    ) -> Result<bool, Unknown> {
        let (from, to) = self.moves(of, process, false, work)?;
        let (words, mut any) = (of.layout.words(), false);
        for at in from..to {
            let each = self.known.each[at as usize];
            match each.then {
                Then::Rest => self.known.patch(each, &of.state[..words], out),
                Then::Goes => self.pend(each, process, &of.state[..words]),
                Then::Offers(offer) => {
                    let mut offering = std::mem::take(&mut self.offering);
                    offering.clear();
                    self.known.patch(each, &of.state[..words], &mut offering);
                    offering.push(u64::from(offer));
                    let met = self.answers(Of { state: &offering, ..of }, process, work, out);
                    self.offering = offering;
                    any |= met?;
                    continue;
                }
            }
            any = true;
        }
        Ok(any)
    }

    /// The moves of whoever receives what a process offers.
    fn answers(&mut self, of: Of<'_>, sender: usize, work: &mut Work, out: &mut Vec<u64>) -> Result<bool, Unknown> {
        let (words, mut met) = (of.layout.words(), false);
        for other in (0..self.crowd().controls.len()).rev().filter(|&other| other != sender) {
            let (from, to) = self.moves(of, other, true, work)?;
            met |= from < to;
            for at in from..to {
                let each = self.known.each[at as usize];
                match each.then {
                    Then::Rest => self.known.patch(each, &of.state[..words], out),
                    Then::Goes => self.pend(each, other, &of.state[..words]),
                    Then::Offers(_) => return Err(Unknown),
                }
            }
        }
        Ok(met)
    }

    fn pend(&mut self, each: Move, process: usize, state: &[u64]) {
        self.known.patch(each, state, &mut self.pending.words);
        self.pending.processes.push(process as u32);
    }

    /// What a process can do by itself.
    #[inline]
    fn moves(&mut self, of: Of<'_>, process: usize, offered: bool, work: &mut Work) -> Result<(u32, u32), Unknown> {
        let crowd = self.crowds[self.base.shapes.number()].as_mut().expect("the state's shape has one");
        let root = crowd.root(of.state, process, offered);
        let found = match root.way {
            Way::Never => return Ok((0, 0)),
            Way::Interpreted => return Err(Unknown),
            Way::New => None,
            Way::Map(map) => {
                root.asked = root.asked.saturating_add(1);
                match self.known.forest.find(map, of.state) {
                    Found::Value(value) => match self.known.moves[value as usize] {
                        Moves::Some(from, to) => return Ok((from, to)),
                        Moves::Interpreted => return Err(Unknown),
                    },
                    Found::Missing(node) => Some(node),
                }
            }
        };
        root.computed += 1;
        if root.computed >= TRIAL && root.asked / WORTH < root.computed {
            root.way = Way::Interpreted;
            return Err(Unknown);
        }
        self.learn(of, process, offered, found, work)
    }

    /// Lets the interpreter tell what a process can do, and remembers it.
    #[cold]
    fn learn(
        &mut self,
        of: Of<'_>,
        process: usize,
        offered: bool,
        node: Option<u32>,
        work: &mut Work,
    ) -> Result<(u32, u32), Unknown> {
        let Of { program, layout, state } = of;
        let words = layout.words();
        let (from, base) = &mut self.scratch;
        layout.unpack_base(&state[..words], from, base);
        if offered {
            self.offers.restore(state[words] as u32, from);
        }
        let from = &*from;
        let ranked = program.proctypes[from.proctype(process)].states[from.control(process)].is_ranked();
        let deterministic = program.proctypes[from.proctype(process)].deterministic;
        let shape = self.base.shapes.current();
        let footprint = Footprint::new(program, from.processes.clone());
        let (known, offers) = (&mut self.known, &mut self.offers);
        let (first, mut usual) = (known.each.len() as u32, true);
        own_moves(program, from, process, &footprint, work, |work, moved| {
            let Moved { transition, mut next, result, other, .. } = moved;
            usual &= result.is_ok() && next.violated.is_none() && next.strayed.is_none() && !(deterministic && other);
            usual &= next.processes == from.processes && next.channels == from.channels;
            if !usual {
                work.reuse(next);
                return Happened::Stopped;
            }
            next.arrive(program, process, transition);
            let mut set = std::mem::take(&mut *footprint.set.borrow_mut());
            set.extend(transition.target.map(|_| from.processes[process] + 1));
            set.extend(program.last);
            let then = match (next.handshake != 0, transition.atomic) {
                // Whether it happens decides what else is possible, or it is offered by whom it was offered to.
                (true, _) if ranked || offered => {
                    usual = false;
                    work.reuse(next);
                    return Happened::Stopped;
                }
                (true, _) => Then::Offers(offers.number(&next)),
                (false, true) => Then::Goes,
                (false, false) => Then::Rest,
            };
            let from = known.patches.len() as u32;
            known.patches.extend(patches(shape, &set, &next));
            known.each.push(Move { from, to: known.patches.len() as u32, then });
            work.reuse(next);
            Happened::Yes
        });
        let control = from.control(process);
        let root = self.crowds[self.base.shapes.number()].as_mut().expect("the state's shape has one");
        let root = root.root_of(process, control, offered);
        if footprint.boundless.get() {
            root.way = Way::Interpreted;
            return Err(Unknown);
        }
        let moves = if usual { Moves::Some(first, known.each.len() as u32) } else { Moves::Interpreted };
        let mut counts = bits(shape, &footprint.read.into_inner());
        if offered {
            counts.push((words as u32, u64::MAX));
        }
        let node = node.unwrap_or_else(|| {
            let map = known.forest.plant(counts.clone());
            root.way = Way::Map(map);
            map
        });
        known.moves.push(moves);
        known.forest.learn(node, state, &counts, known.moves.len() as u32 - 1);
        match moves {
            Moves::Some(from, to) => Ok((from, to)),
            Moves::Interpreted => Err(Unknown),
        }
    }
}

/// The bits of some cells.
fn bits(shape: &Shape, cells: &[u32]) -> Vec<Bits> {
    let mut bits: Vec<Bits> = Vec::new();
    for &cell in cells {
        // A process that is started in the step looks at its parameters, which are no part of the state before it.
        let Some(&Place::Bits(bit, count)) = shape.places.get(cell as usize) else { continue };
        for (word, mask, _) in pieces(bit, count, 0) {
            match bits.iter_mut().find(|(other, _)| *other == word) {
                Some((_, counted)) => *counted |= mask,
                None => bits.push((word, mask)),
            }
        }
    }
    bits.sort_unstable();
    bits
}

/// What sets some cells to what they are in a state.
fn patches(shape: &Shape, cells: &[u32], state: &Machine) -> Vec<Patch> {
    let mut patches: Vec<Patch> = Vec::new();
    for &cell in cells {
        let Place::Bits(bit, count) = shape.places[cell as usize] else { continue };
        for (word, mask, value) in pieces(bit, count, state.cells[cell as usize] as u32) {
            match patches.iter_mut().find(|patch| patch.word == word) {
                Some(patch) => {
                    patch.kept &= !mask;
                    patch.set |= value;
                }
                None => patches.push(Patch { word, kept: !mask, set: value }),
            }
        }
    }
    patches
}

impl Known {
    /// Appends a state after a move.
    #[inline]
    fn patch(&self, each: Move, state: &[u64], out: &mut Vec<u64>) {
        let start = out.len();
        out.extend_from_slice(state);
        for patch in &self.patches[each.from as usize..each.to as usize] {
            let word = &mut out[start + patch.word as usize];
            *word = *word & patch.kept | patch.set;
        }
    }

    /// About so many words are in use.
    fn words(&self) -> usize {
        self.forest.words() + 2 * self.moves.len() + 3 * self.each.len() + 3 * self.patches.len()
    }
}

impl Crowd {
    fn new(program: &Program, shape: &Shape) -> Self {
        let (mut starts, mut roots) = (Vec::new(), Vec::new());
        let looks = |action: &Action| matches!(action, Action::Receive(_) | Action::Steps(_));
        for kind in shape.proctypes.iter().map(|&number| &program.proctypes[number]) {
            starts.push(roots.len() as u32);
            for state in &kind.states {
                let answers = state.transitions.iter().any(|transition| looks(&transition.action));
                let ways = [Way::New, if answers { Way::New } else { Way::Never }];
                roots.extend(ways.map(|way| Root { way, asked: 0, computed: 0 }));
            }
        }
        let controls = shape.processes.iter().map(|&at| match shape.places[at as usize + 1] {
            Place::Bits(bit, bits) => Field { word: bit / 64, shift: bit % 64, bits },
            Place::Nowhere | Place::Shape => unreachable!("control is stored"),
        });
        Self { controls: controls.collect(), starts, roots }
    }

    #[inline]
    fn root(&mut self, state: &[u64], process: usize, offered: bool) -> &mut Root {
        let control = self.controls[process].of(state);
        self.root_of(process, control as usize, offered)
    }

    #[inline]
    fn root_of(&mut self, process: usize, control: usize, offered: bool) -> &mut Root {
        &mut self.roots[self.starts[process] as usize + 2 * control + usize::from(offered)]
    }
}

impl Offers {
    /// The number of what a state offers.
    fn number(&mut self, machine: &Machine) -> u32 {
        let at = machine.channels[machine.handshake as usize - 1] as usize;
        let end = machine.channels.iter().chain(&machine.processes).map(|&end| end as usize).filter(|&end| end > at);
        let end = end.min().unwrap_or(machine.cells.len());
        let cells = machine.cells[at + 1..end].into();
        let offer = Offered { channel: machine.handshake, sender: machine.sender, cells };
        let next = self.all.len() as u32;
        *self.numbers.entry(offer).or_insert_with_key(|offer| {
            self.all.push(offer.clone());
            next
        })
    }

    /// Offers it in a state.
    fn restore(&self, number: u32, machine: &mut Machine) {
        let Offered { channel, sender, cells } = &self.all[number as usize];
        let at = machine.channels[*channel as usize - 1] as usize + 1;
        machine.cells[at..at + cells.len()].copy_from_slice(cells);
        (machine.handshake, machine.sender) = (*channel, *sender);
    }
}

impl Pending {
    fn clear(&mut self) {
        self.processes.clear();
        self.words.clear();
    }
}

/// Packs what the interpreter gives out.
struct Packing<'s, S> {
    layout: &'s Layout,
    base: &'s Base,
    sink: &'s mut S,
}

impl<S: PackedSink> Sink for Packing<'_, S> {
    const TRAIL: bool = false;

    fn state(&mut self, machine: &Machine, _: &[RawStep], _: u32) {
        if self.layout.pack_near(self.base, machine, self.sink.packed()).is_err() {
            self.sink.outgrown();
        }
    }

    fn violation(&mut self, violation: Violation, _: u32) -> bool {
        self.sink.violation(violation)
    }
}

/// Gives all states that are one step of some processes away, packed, and the violations on the way: the same as [`expand_some`], in
/// the same order.
pub fn expand_remembered<S: PackedSink>(
    of: Of<'_>,
    some: Option<Processes>,
    memo: &mut Memo,
    work: &mut Work,
    sink: &mut S,
) {
    work.start();
    memo.settle(of.program, of.layout, of.state);
    let all = memo.crowd().controls.len();
    let (mut left, mut any) = (some.unwrap_or(0), false);
    while left != 0 && !work.stopped {
        let process = left.ilog2() as usize;
        left &= !(1 << process);
        any |= memo.process_moves(of, process, work, sink);
    }
    let mut others = (0..all).rev();
    if !any {
        while !work.stopped
            && let Some(process) = others.next()
        {
            any |= memo.process_moves(of, process, work, sink);
        }
    }
    if !any && !work.stopped {
        memo.unpack(of.layout, of.state);
        let mut packing = Packing { layout: of.layout, base: &memo.base, sink };
        expand_some(of.program, &mut memo.machine, None, work, &mut packing);
    }
    memo.unpacked = false;
}
