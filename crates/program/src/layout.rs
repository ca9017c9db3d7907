//! States in a few words: every cell takes as many bits as its type, a channel as many as its messages can take.
//!
//! Globals come first, then the processes, then what is in the channels. Where a cell is follows from the processes there are and
//! from the channels that they made: from the [`Shape`] of the state. What is not there takes no room: a state that needs more words
//! than there are makes the search start again with more.
//!
//! A successor differs from its predecessor in few cells, so it is written as a copy with these changed ([`Layout::pack_near`]).

use super::data::{Program, Setup};
use super::machine::{HEAD, Machine};
use super::shape::{Place, Shape, Shapes};
use super::value::ValueType;

/// Bits for the number of processes and of channels.
const COUNT_BITS: u32 = 8;

/// How the states of a program are packed.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Words of a state.
    words: usize,
    /// Cells that are the same at the start of every state.
    template: Machine,
    /// Stored globals.
    globals: Vec<(u32, Field)>,
    /// Channels that are always there.
    fixed_channels: usize,
    /// Processes make channels of their own.
    dynamic: bool,
    proctype_bits: u32,
    channel_bits: u32,
    proctypes: Vec<Frame>,
    channels: Vec<Messages>,
    /// The control state of the claim: from this bit on, so many.
    claim: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Field {
    bits: u32,
    signed: bool,
}

#[derive(Clone, Debug)]
struct Frame {
    control_bits: u32,
    fields: Vec<Field>,
    bits: u32,
}

#[derive(Clone, Debug)]
struct Messages {
    length_bits: u32,
    /// Nothing is ever stored in a rendezvous channel.
    rendezvous: bool,
    fields: Vec<Field>,
    slots: usize,
}

/// The state needs more words than a state has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outgrown;

fn field(ty: ValueType) -> Field {
    Field { bits: u32::from(ty.bits()), signed: ty.signed() }
}

/// Bits for a number below `count`.
fn bits_for(count: usize) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

impl Layout {
    /// For states of so many words.
    pub fn new(program: &Program, words: usize) -> Self {
        let dynamic =
            program.proctypes.iter().any(|kind| kind.prologue.iter().any(|setup| matches!(setup, Setup::Channel(..))));
        let mut template = Machine { cells: program.initial.clone(), ..Machine::default() };
        for &ty in &program.channels {
            let kind = &program.channel_types[ty as usize];
            template.channels.push(template.cells.len() as u32);
            template.cells.push(ty as i32);
            template.cells.resize(template.cells.len() + 1 + kind.slots() * kind.fields.len(), 0);
        }
        let globals = program.globals.iter().enumerate().filter(|(_, cell)| cell.stored);
        let frame = |kind: &super::data::Proctype| {
            let fields: Vec<Field> = kind.cells.iter().map(|cell| field(cell.ty)).collect();
            let control_bits = bits_for(kind.states.len());
            let bits = control_bits + fields.iter().map(|field| field.bits).sum::<u32>();
            Frame { control_bits, fields, bits }
        };
        let messages = |kind: &super::data::ChannelType| Messages {
            length_bits: bits_for(kind.slots() + 1),
            rendezvous: kind.capacity == 0,
            fields: kind.fields.iter().map(|&ty| field(ty)).collect(),
            slots: kind.slots(),
        };
        let globals: Vec<(u32, Field)> = globals.map(|(at, cell)| (at as u32, field(cell.ty))).collect();
        let proctypes: Vec<Frame> = program.proctypes.iter().map(frame).collect();
        let proctype_bits = bits_for(program.proctypes.len());
        // The claim is the first process.
        let before = if dynamic { 2 * COUNT_BITS + 1 } else { COUNT_BITS };
        let claim_bits = program.claim.map_or(0, |claim| proctypes[claim as usize].control_bits);
        let claim = (globals.iter().map(|(_, field)| field.bits).sum::<u32>() + before + proctype_bits, claim_bits);
        Self {
            words,
            globals,
            fixed_channels: template.channels.len(),
            template,
            dynamic,
            proctype_bits,
            channel_bits: bits_for(program.channel_types.len()),
            proctypes,
            channels: program.channel_types.iter().map(messages).collect(),
            claim,
        }
    }

    /// Words that a first search should try: enough for the first processes and one more of everything that can be run.
    pub fn first_guess(program: &Program) -> usize {
        let layout = Layout::new(program, 0);
        let channel = |messages: &Messages| {
            let message: u32 = messages.fields.iter().map(|field| field.bits).sum();
            if messages.rendezvous { 0 } else { messages.length_bits + message * messages.slots as u32 }
        };
        let process = |number: u32| {
            let setups = program.proctypes[number as usize].prologue.iter();
            let own = setups.filter_map(|setup| match setup {
                Setup::Channel(_, ty) => Some(1 + layout.channel_bits + channel(&layout.channels[*ty as usize])),
                Setup::Value(..) => None,
            });
            1 + layout.proctype_bits + layout.proctypes[number as usize].bits + own.sum::<u32>()
        };
        let mut bits = 2 * COUNT_BITS + layout.globals.iter().map(|(_, field)| field.bits).sum::<u32>();
        bits += program.channels.iter().map(|&ty| channel(&layout.channels[ty as usize])).sum::<u32>();
        bits += program.active.iter().chain(&program.claim).map(|&number| process(number)).sum::<u32>();
        let transitions = program.proctypes.iter().flat_map(|kind| &kind.states).flat_map(|state| &state.transitions);
        let runs = transitions.filter_map(|transition| match &transition.action {
            super::data::Action::Run(run) => Some(run.proctype),
            _ => None,
        });
        bits += runs.map(process).sum::<u32>();
        (bits as usize).div_ceil(64).max(1)
    }

    /// Words of a state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Appends a packed state.
    pub fn pack(&self, machine: &Machine, out: &mut Vec<u64>) -> Result<(), Outgrown> {
        let start = out.len();
        let mut writer = Writer { out, word: 0, used: 0 };
        self.walk(machine, |part| match part {
            Part::Cell(cell, field) => writer.put(machine.cells[cell], field.bits),
            Part::Shape(value, bits) => writer.put(value as i32, bits),
        });
        writer.finish();
        if out.len() - start > self.words {
            out.truncate(start);
            return Err(Outgrown);
        }
        out.resize(start + self.words, 0);
        Ok(())
    }

    /// Where everything is in states with the processes and channels of this one.
    pub fn shape(&self, machine: &Machine) -> Shape {
        let mut shape = Shape::new(machine);
        self.walk(machine, |part| match part {
            Part::Cell(cell, field) => shape.cell(cell, field.bits),
            Part::Shape(value, bits) => shape.shared(value, bits),
        });
        shape
    }

    /// Names all that is packed, in its order.
    #[inline]
    fn walk(&self, machine: &Machine, mut part: impl FnMut(Part)) {
        for &(cell, field) in &self.globals {
            part(Part::Cell(cell as usize, field));
        }
        part(Part::Shape(machine.processes.len() as u32, COUNT_BITS));
        let own = if self.dynamic { &machine.channels[self.fixed_channels..] } else { &[] };
        let mut own = own.iter().map(|&channel| channel as usize).peekable();
        if self.dynamic {
            part(Part::Shape(machine.channels.len() as u32, COUNT_BITS));
        }
        for at in machine.processes.iter().map(|&at| at as usize).chain([usize::MAX]) {
            while let Some(channel) = own.next_if(|&channel| channel < at) {
                part(Part::Shape(1, 1));
                part(Part::Shape(machine.cells[channel] as u32, self.channel_bits));
                self.walk_channel(machine, channel, &mut part);
            }
            if at == usize::MAX {
                break;
            }
            if self.dynamic {
                part(Part::Shape(0, 1));
            }
            let frame = &self.proctypes[machine.cells[at] as usize];
            part(Part::Shape(machine.cells[at] as u32, self.proctype_bits));
            part(Part::Cell(at + 1, Field { bits: frame.control_bits, signed: false }));
            for (cell, &field) in frame.fields.iter().enumerate() {
                part(Part::Cell(at + HEAD + cell, field));
            }
        }
        for &channel in &machine.channels[..self.fixed_channels] {
            self.walk_channel(machine, channel as usize, &mut part);
        }
    }

    #[inline]
    fn walk_channel(&self, machine: &Machine, at: usize, part: &mut impl FnMut(Part)) {
        let messages = &self.channels[machine.cells[at] as usize];
        if messages.rendezvous {
            return;
        }
        part(Part::Cell(at + 1, Field { bits: messages.length_bits, signed: false }));
        let mut cell = at + 2;
        for _ in 0..messages.slots {
            for &field in &messages.fields {
                part(Part::Cell(cell, field));
                cell += 1;
            }
        }
    }

    /// Appends the last packed state again, and the words that come with it, with the claim at a control state.
    #[inline]
    pub fn again(&self, control: u32, with: usize, out: &mut Vec<u64>) {
        let last = out.len() - self.words - with;
        out.extend_from_within(last..);
        let ((bit, bits), state) = (self.claim, &mut out[last + self.words + with..]);
        if bits == 0 {
            return;
        }
        let (word, shift) = (bit as usize / 64, bit % 64);
        let low = state[word] >> shift;
        let high = if shift + bits > 64 { state[word + 1] << (64 - shift) } else { 0 };
        change(state, bit, bits, (low | high) as u32 ^ control);
    }

    /// Appends a packed state that differs in little from one that was unpacked.
    #[inline]
    pub fn pack_near(&self, base: &Base, machine: &Machine, out: &mut Vec<u64>) -> Result<(), Outgrown> {
        let shape = base.shapes.current();
        let alike = machine.cells.len() == base.cells.len() && machine.processes == shape.processes;
        if !alike || machine.channels != shape.channels {
            return self.pack(machine, out);
        }
        let start = out.len();
        out.extend_from_slice(&base.words[..self.words]);
        let (new, old) = (machine.cells.as_chunks::<CHUNK>(), base.cells.as_chunks::<CHUNK>());
        // Arrays are compared at once, slices one cell after the other.
        let chunks = new.0.iter().zip(old.0).enumerate().filter(|(_, (new, old))| new != old);
        let chunks = chunks.map(|(chunk, (new, old))| (chunk, (new.as_slice(), old.as_slice())));
        for (chunk, (new, old)) in chunks.chain([(new.0.len(), (new.1, old.1))]) {
            for (at, (new, old)) in new.iter().zip(old).enumerate().filter(|(_, (new, old))| new != old) {
                match shape.places[chunk * CHUNK + at] {
                    Place::Bits(bit, bits) => change(&mut out[start..], bit, bits, (new ^ old) as u32),
                    Place::Nowhere => {}
                    // Another process has come in the place of the old one.
                    Place::Shape => {
                        out.truncate(start);
                        return self.pack(machine, out);
                    }
                }
            }
        }
        Ok(())
    }

    /// Unpacks a state.
    pub fn unpack(&self, state: &[u64], machine: &mut Machine) {
        self.unpack_base(state, machine, &mut Base::default());
    }

    /// Unpacks a state, and notes where everything is so that its successors can be packed quickly.
    #[inline]
    pub fn unpack_base(&self, state: &[u64], machine: &mut Machine, base: &mut Base) {
        machine.copy_from(&self.template);
        let known = base.shapes.find_packed(state);
        base.words.clear();
        base.words.extend_from_slice(state);
        // The reader looks at two words at a time.
        base.words.push(0);
        base.words.push(0);
        let mut reader = Reader { state: &base.words, bit: 0 };
        for &(cell, field) in &self.globals {
            machine.cells[cell as usize] = reader.get(field);
        }
        let processes = reader.take(COUNT_BITS) as usize;
        let channels = if self.dynamic { reader.take(COUNT_BITS) as usize } else { self.fixed_channels };
        while machine.processes.len() < processes || machine.channels.len() < channels {
            let at = machine.cells.len();
            if self.dynamic && reader.take(1) == 1 {
                let ty = reader.take(self.channel_bits);
                let messages = &self.channels[ty as usize];
                machine.channels.push(at as u32);
                machine.cells.push(ty as i32);
                machine.cells.resize(at + 2 + messages.slots * messages.fields.len(), 0);
                self.unpack_channel(at, &mut reader, machine);
            } else {
                let ty = reader.take(self.proctype_bits);
                let frame = &self.proctypes[ty as usize];
                machine.processes.push(at as u32);
                machine.cells.push(ty as i32);
                machine.cells.push(reader.take(frame.control_bits) as i32);
                machine.cells.extend(frame.fields.iter().map(|&field| reader.get(field)));
            }
        }
        for channel in 0..self.fixed_channels {
            let at = machine.channels[channel] as usize;
            self.unpack_channel(at, &mut reader, machine);
        }
        base.cells.clear();
        base.cells.extend_from_slice(&machine.cells);
        if !known {
            base.shapes.meet(self, machine);
        }
    }

    #[inline]
    fn unpack_channel(&self, at: usize, reader: &mut Reader<'_>, machine: &mut Machine) {
        let messages = &self.channels[machine.cells[at] as usize];
        if messages.rendezvous {
            return;
        }
        machine.cells[at + 1] = reader.take(messages.length_bits) as i32;
        let mut cell = at + 2;
        for _ in 0..messages.slots {
            for &field in &messages.fields {
                machine.cells[cell] = reader.get(field);
                cell += 1;
            }
        }
    }
}

/// What a packed state is made of.
enum Part {
    /// A cell of the state.
    Cell(usize, Field),
    /// A number of so many bits that is the same in all states of one shape.
    Shape(u32, u32),
}

/// A state that was unpacked, and where its cells are.
#[derive(Clone, Debug, Default)]
pub struct Base {
    words: Vec<u64>,
    cells: Vec<i32>,
    /// That of the state is the current one.
    pub(crate) shapes: Shapes,
}

/// Cells that are compared at once.
const CHUNK: usize = 8;

/// Changes bits of a packed state.
#[inline]
fn change(state: &mut [u64], bit: u32, bits: u32, difference: u32) {
    let difference = u64::from(difference) & ((1u64 << bits) - 1);
    let (word, shift) = (bit as usize / 64, bit % 64);
    state[word] ^= difference << shift;
    if shift + bits > 64 {
        state[word + 1] ^= difference >> (64 - shift);
    }
}

struct Writer<'a> {
    out: &'a mut Vec<u64>,
    word: u64,
    used: u32,
}

impl Writer<'_> {
    fn finish(self) {
        if self.used > 0 {
            self.out.push(self.word);
        }
    }

    #[inline]
    fn put(&mut self, value: i32, bits: u32) {
        let value = u64::from(value as u32) & ((1u64 << bits) - 1);
        self.word |= value << self.used;
        self.used += bits;
        if self.used >= 64 {
            self.out.push(self.word);
            self.used -= 64;
            self.word = if self.used == 0 { 0 } else { value >> (bits - self.used) };
        }
    }
}

struct Reader<'a> {
    state: &'a [u64],
    bit: usize,
}

impl Reader<'_> {
    #[inline]
    fn take(&mut self, bits: u32) -> u32 {
        let (word, shift) = (self.bit >> 6, (self.bit & 63) as u32);
        self.bit += bits as usize;
        // Shifted in two steps, because a shift by 64 is none.
        let value = (self.state[word] >> shift) | ((self.state[word + 1] << 1) << (63 - shift));
        (value & ((1u64 << bits) - 1)) as u32
    }

    #[inline]
    fn get(&mut self, field: Field) -> i32 {
        let value = self.take(field.bits);
        if field.signed {
            let unused = 32 - field.bits;
            ((value << unused) as i32) >> unused
        } else {
            value as i32
        }
    }
}
