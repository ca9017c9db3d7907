//! States in a few words: every cell takes as many bits as its type, a channel only as many as its messages.
//!
//! Globals come first, then the processes, then what is in the channels. Positions depend on what is before, so a state is
//! read from its start. What is not there takes no room: a state that needs more words than there are makes the search start
//! again with more.
//!
//! A successor differs from its predecessor in few cells, so it is written as a copy with these changed ([`Layout::pack_near`]).

use super::data::{Program, Setup};
use super::machine::{HEAD, Machine};
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
        self.write(out, |writer| {
            for &(cell, field) in &self.globals {
                writer.put(machine.cells[cell as usize], field.bits);
            }
            writer.put(machine.processes.len() as i32, COUNT_BITS);
            if self.dynamic {
                writer.put(machine.channels.len() as i32, COUNT_BITS);
                let mut own = machine.channels[self.fixed_channels..].iter().peekable();
                for &at in &machine.processes {
                    while let Some(&channel) = own.next_if(|&&channel| channel < at) {
                        self.pack_own_channel(machine, channel as usize, writer);
                    }
                    writer.put(0, 1);
                    self.pack_process(machine, at as usize, writer);
                }
                for &channel in own {
                    self.pack_own_channel(machine, channel as usize, writer);
                }
            } else {
                for &at in &machine.processes {
                    self.pack_process(machine, at as usize, writer);
                }
            }
            self.pack_channels(machine, writer);
        })
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
        if self.dynamic || machine.processes != base.processes {
            return self.pack(machine, out);
        }
        let start = out.len();
        out.extend_from_slice(&base.words[..self.words]);
        let mut channels = false;
        let pairs = machine.cells.chunks(CHUNK).zip(base.cells.chunks(CHUNK)).enumerate();
        for (chunk, (new, old)) in pairs.filter(|(_, (new, old))| new != old) {
            for (at, (new, old)) in new.iter().zip(old).enumerate().filter(|(_, (new, old))| new != old) {
                match base.places[chunk * CHUNK + at] {
                    Place::Bits(bit, bits) => change(&mut out[start..], bit, bits, (new ^ old) as u32),
                    Place::Channel => channels = true,
                    Place::Nowhere => {}
                    // Another process has come in the place of the old one.
                    Place::Shape => {
                        out.truncate(start);
                        return self.pack(machine, out);
                    }
                }
            }
        }
        if channels {
            let (word, used) = (base.channels_at as usize / 64, base.channels_at % 64);
            let kept = out.get(start + word).map_or(0, |kept| kept & !(u64::MAX << used));
            out.truncate(start + word);
            let mut writer = Writer { out, word: kept, used };
            self.pack_channels(machine, &mut writer);
            writer.finish();
            return self.sized(start, out);
        }
        Ok(())
    }

    fn write(&self, out: &mut Vec<u64>, fill: impl FnOnce(&mut Writer<'_>)) -> Result<(), Outgrown> {
        let start = out.len();
        let mut writer = Writer { out, word: 0, used: 0 };
        fill(&mut writer);
        writer.finish();
        self.sized(start, out)
    }

    fn sized(&self, start: usize, out: &mut Vec<u64>) -> Result<(), Outgrown> {
        if out.len() - start > self.words {
            out.truncate(start);
            return Err(Outgrown);
        }
        out.resize(start + self.words, 0);
        Ok(())
    }

    #[inline]
    fn pack_channels(&self, machine: &Machine, writer: &mut Writer<'_>) {
        for &at in &machine.channels[..self.fixed_channels] {
            self.pack_channel(machine, at as usize, writer);
        }
    }

    fn pack_own_channel(&self, machine: &Machine, at: usize, writer: &mut Writer<'_>) {
        writer.put(1, 1);
        writer.put(machine.cells[at], self.channel_bits);
        self.pack_channel(machine, at, writer);
    }

    #[inline]
    fn pack_process(&self, machine: &Machine, at: usize, writer: &mut Writer<'_>) {
        let frame = &self.proctypes[machine.cells[at] as usize];
        writer.put(machine.cells[at], self.proctype_bits);
        writer.put(machine.cells[at + 1], frame.control_bits);
        for (field, &value) in frame.fields.iter().zip(&machine.cells[at + HEAD..]) {
            writer.put(value, field.bits);
        }
    }

    #[inline]
    fn pack_channel(&self, machine: &Machine, at: usize, writer: &mut Writer<'_>) {
        let messages = &self.channels[machine.cells[at] as usize];
        if messages.rendezvous {
            return;
        }
        let length = machine.cells[at + 1];
        writer.put(length, messages.length_bits);
        let width = messages.fields.len();
        let mut values = machine.cells[at + 2..at + 2 + length as usize * width].iter();
        for _ in 0..length {
            for (field, &value) in messages.fields.iter().zip(values.by_ref().take(width)) {
                writer.put(value, field.bits);
            }
        }
    }

    /// Unpacks a state.
    pub fn unpack(&self, state: &[u64], machine: &mut Machine) {
        self.unpack_base(state, machine, &mut Base::default());
    }

    /// Unpacks a state, and notes where everything is so that its successors can be packed quickly.
    #[inline]
    pub fn unpack_base(&self, state: &[u64], machine: &mut Machine, base: &mut Base) {
        machine.copy_from(&self.template);
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
        let channels_at = reader.bit as u32;
        for channel in 0..self.fixed_channels {
            let at = machine.channels[channel] as usize;
            self.unpack_channel(at, &mut reader, machine);
        }
        if !self.dynamic {
            self.note(machine, channels_at, base);
        }
    }

    /// Notes where the cells of a state are; most states have the same processes as the one before.
    fn note(&self, machine: &Machine, channels_at: u32, base: &mut Base) {
        base.cells.clear();
        base.cells.extend_from_slice(&machine.cells);
        let kinds = machine.processes.iter().map(|&at| machine.cells[at as usize]);
        if base.processes == machine.processes && kinds.clone().eq(base.kinds.iter().copied()) {
            return;
        }
        base.processes.clone_from(&machine.processes);
        base.kinds.clear();
        base.kinds.extend(kinds);
        base.channels_at = channels_at;
        base.places.clear();
        base.places.resize(machine.cells.len(), Place::Shape);
        let globals =
            machine.channels.first().or(machine.processes.first()).map_or(machine.cells.len(), |&at| at as usize);
        base.places[..globals].fill(Place::Nowhere);
        let mut bit = 0;
        for &(cell, field) in &self.globals {
            base.places[cell as usize] = Place::Bits(bit, field.bits);
            bit += field.bits;
        }
        for &at in &machine.channels[..self.fixed_channels] {
            let messages = &self.channels[machine.cells[at as usize] as usize];
            let cells = at as usize..at as usize + 2 + messages.slots * messages.fields.len();
            base.places[cells].fill(Place::Channel);
        }
        bit += COUNT_BITS;
        for &at in &machine.processes {
            let at = at as usize;
            let frame = &self.proctypes[machine.cells[at] as usize];
            bit += self.proctype_bits;
            base.places[at + 1] = Place::Bits(bit, frame.control_bits);
            bit += frame.control_bits;
            for (cell, field) in frame.fields.iter().enumerate() {
                base.places[at + HEAD + cell] = Place::Bits(bit, field.bits);
                bit += field.bits;
            }
        }
    }

    #[inline]
    fn unpack_channel(&self, at: usize, reader: &mut Reader<'_>, machine: &mut Machine) {
        let messages = &self.channels[machine.cells[at] as usize];
        if messages.rendezvous {
            return;
        }
        let length = reader.take(messages.length_bits) as usize;
        machine.cells[at + 1] = length as i32;
        let mut cell = at + 2;
        for _ in 0..length {
            for &field in &messages.fields {
                machine.cells[cell] = reader.get(field);
                cell += 1;
            }
        }
    }
}

/// A state that was unpacked, and where its cells are.
#[derive(Clone, Debug, Default)]
pub struct Base {
    words: Vec<u64>,
    cells: Vec<i32>,
    processes: Vec<u32>,
    /// The proctype of each process.
    kinds: Vec<i32>,
    places: Vec<Place>,
    /// The bit where the channels start.
    channels_at: u32,
}

/// Where a cell is in a packed state.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// From this bit on, so many.
    Bits(u32, u32),
    /// Somewhere among the channels.
    Channel,
    /// It is not stored.
    Nowhere,
    /// It decides where others are.
    Shape,
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
