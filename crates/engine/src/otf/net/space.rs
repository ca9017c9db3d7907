//! The packed markings of a net as a state space.
//!
//! A transition is tried only where one chosen place of those that it takes from is marked, and firing it is one addition for
//! each word it touches.

use super::marking::{Field, Fields};
use super::stubborn::{Arcs, Sought};
use crate::otf::stubborn::Scratch;
use crate::otf::{Expansion, Space};
use prequel_model::{Condition, Net, PlaceId, TransitionId};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Bits of one word that are looked at together, or a number that is added to it.
#[derive(Clone, Copy, Debug)]
struct Word {
    at: u32,
    bits: u64,
}

/// A field compared with a number.
#[derive(Clone, Copy, Debug)]
struct Bound {
    field: Field,
    number: u64,
    place: PlaceId,
}

/// Where the lists of a transition start; they end where those of the next start.
#[derive(Clone, Copy, Debug, Default)]
struct Starts {
    all: u32,
    least: u32,
    gain: u32,
    add: u32,
}

/// The markings of a net with what is looked for in them.
pub struct NetSpace<'a> {
    net: &'a Net,
    condition: &'a Condition,
    fields: Fields,
    starts: Vec<Starts>,
    /// Bits that must all be set: fields that must be full, above all those of one bit.
    all: Vec<Word>,
    /// Other fields with the least number that they must hold.
    least: Vec<Bound>,
    /// Fields that gain, with the most that they may hold before.
    gain: Vec<Bound>,
    /// What firing adds to words; taking is adding, too.
    add: Vec<Word>,
    /// For each place the transitions that are tried where it is marked.
    tried: Vec<Vec<TransitionId>>,
    /// Transitions that take nothing.
    always: Vec<TransitionId>,
    /// What stubborn sets are computed from, where only they are explored.
    reduce: Option<(Arcs, Sought<'a>)>,
    outgrown: AtomicU32,
}

impl<'a> NetSpace<'a> {
    /// With fields of these widths, which must do for the initial marking.
    pub fn new(net: &'a Net, widths: &[u32], condition: &'a Condition, reduce: bool) -> Self {
        let mut space = Self {
            net,
            condition,
            fields: Fields::new(widths),
            starts: vec![Starts::default()],
            all: Vec::new(),
            least: Vec::new(),
            gain: Vec::new(),
            add: Vec::new(),
            tried: vec![Vec::new(); widths.len()],
            always: Vec::new(),
            reduce: reduce.then(|| (Arcs::new(net, *condition == Condition::Dead), Sought::new(net, condition))),
            outgrown: AtomicU32::new(0),
        };
        let mut takers = vec![0u32; widths.len()];
        net.transitions().flat_map(|t| net.inputs(t)).for_each(|arc| takers[arc.place.at()] += 1);
        for t in net.transitions() {
            // The place that fewest others take from: it is marked for this transition rather than for another.
            match net.inputs(t).iter().map(|arc| arc.place).min_by_key(|p| takers[p.at()]) {
                Some(place) => space.tried[place.at()].push(t),
                None => space.always.push(t),
            }
            space.compile(t);
        }
        space
    }

    fn compile(&mut self, t: TransitionId) {
        let start = *self.starts.last().expect("never empty");
        for arc in self.net.inputs(t) {
            let field = self.fields.of(arc.place);
            if u64::from(arc.weight) == field.most {
                join(&mut self.all, start.all, field.word, field.bits(), |bits, more| bits | more);
            } else {
                self.least.push(Bound { field, number: arc.weight.into(), place: arc.place });
            }
        }
        let (mut inputs, mut outputs) = (self.net.inputs(t).iter().peekable(), self.net.outputs(t).iter().peekable());
        loop {
            let place = match (inputs.peek(), outputs.peek()) {
                (Some(a), Some(b)) => a.place.min(b.place),
                (Some(a), None) => a.place,
                (None, Some(b)) => b.place,
                (None, None) => break,
            };
            let taken = inputs.next_if(|arc| arc.place == place).map_or(0, |arc| i64::from(arc.weight));
            let given = outputs.next_if(|arc| arc.place == place).map_or(0, |arc| i64::from(arc.weight));
            let (field, change) = (self.fields.of(place), given - taken);
            if change > 0 {
                // A gain that no field of this width can take leaves no number that is small enough.
                let number = field.most.checked_sub(change.unsigned_abs()).unwrap_or(u64::MAX);
                self.gain.push(Bound { field, number, place });
            }
            if change != 0 {
                let bits = (change as u64).wrapping_shl(field.shift);
                join(&mut self.add, start.add, field.word, bits, u64::wrapping_add);
            }
        }
        self.starts.push(Starts {
            all: self.all.len() as u32,
            least: self.least.len() as u32,
            gain: self.gain.len() as u32,
            add: self.add.len() as u32,
        });
    }

    /// Whether a transition can fire.
    #[inline]
    pub fn enabled(&self, t: TransitionId, marking: &[u64]) -> bool {
        let (from, to) = (self.starts[t.at()], self.starts[t.at() + 1]);
        let set = |word: &Word| marking[word.at as usize] & word.bits == word.bits;
        let enough = |bound: &Bound| bound.field.get(marking) >= bound.number;
        self.all[from.all as usize..to.all as usize].iter().all(set)
            && self.least[from.least as usize..to.least as usize].iter().all(enough)
    }

    /// Appends the successor by a transition, if it can fire. `Err` is a place that would have to hold too much.
    #[inline]
    fn fire(&self, t: TransitionId, marking: &[u64], out: &mut Vec<u64>) -> Result<bool, PlaceId> {
        if !self.enabled(t, marking) {
            return Ok(false);
        }
        let (from, to) = (self.starts[t.at()], self.starts[t.at() + 1]);
        for bound in &self.gain[from.gain as usize..to.gain as usize] {
            if bound.number == u64::MAX || bound.field.get(marking) > bound.number {
                return Err(bound.place);
            }
        }
        let start = out.len();
        out.extend_from_slice(marking);
        for word in &self.add[from.add as usize..to.add as usize] {
            let slot = &mut out[start + word.at as usize];
            *slot = slot.wrapping_add(word.bits);
        }
        Ok(true)
    }

    /// Appends all successors, and tells which transitions lead to them; and whether they all fit.
    pub fn fire_all(&self, marking: &[u64], out: &mut Vec<u64>, mut fired: impl FnMut(TransitionId)) -> bool {
        let mut fits = true;
        self.candidates(marking, |t| match self.fire(t, marking, out) {
            Ok(true) => fired(t),
            Ok(false) => {}
            Err(place) => {
                self.outgrown.store(place.0, Relaxed);
                fits = false;
            }
        });
        fits
    }

    /// Calls `with` for all transitions that may be able to fire.
    #[inline]
    pub fn candidates(&self, marking: &[u64], mut with: impl FnMut(TransitionId)) {
        self.always.iter().for_each(|&t| with(t));
        for (at, &word) in marking.iter().enumerate() {
            let mut bits = word;
            while bits != 0 {
                let place = self.fields.owner(at, bits.trailing_zeros());
                bits &= !self.fields.of(place).bits();
                self.tried[place.at()].iter().for_each(|&t| with(t));
            }
        }
    }

    /// The transitions along a path of packed markings.
    pub fn fired(&self, path: &[Vec<u64>]) -> Vec<TransitionId> {
        let mut next = Vec::new();
        let step = |pair: &[Vec<u64>]| {
            let by = |&t: &TransitionId| {
                next.clear();
                self.fire(t, &pair[0], &mut next) == Ok(true) && next == pair[1]
            };
            self.net.transitions().find(by).expect("a path of the net")
        };
        path.windows(2).map(step).collect()
    }

    /// The tokens of a place in a packed marking.
    #[inline]
    pub fn tokens(&self, marking: &[u64], p: PlaceId) -> u32 {
        self.fields.of(p).get(marking) as u32
    }

    /// The net.
    pub fn net(&self) -> &'a Net {
        self.net
    }

    /// The place that had to hold more than its field can.
    pub fn outgrown(&self) -> PlaceId {
        PlaceId(self.outgrown.load(Relaxed))
    }
}

/// Joins bits to those of the same word in a list, from a place in it on.
fn join(list: &mut Vec<Word>, from: u32, at: u32, bits: u64, how: impl Fn(u64, u64) -> u64) {
    match list[from as usize..].iter_mut().find(|word| word.at == at) {
        Some(word) => word.bits = how(word.bits, bits),
        None => list.push(Word { at, bits }),
    }
}

impl Space for NetSpace<'_> {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch::new(self.reduce.as_ref().map_or(0, |(arcs, _)| arcs.nodes()))
    }

    fn words(&self) -> usize {
        self.fields.words()
    }

    fn initial(&self) -> Vec<u64> {
        self.fields.initial(self.net)
    }

    #[inline]
    fn successors(&self, state: &[u64], scratch: &mut Scratch, out: &mut Vec<u64>) -> Expansion {
        let mut expansion = Expansion::Complete;
        let mut fire = |t| {
            if let Err(place) = self.fire(t, state, out) {
                self.outgrown.store(place.0, Relaxed);
                expansion = Expansion::Outgrown;
            }
        };
        match &self.reduce {
            None => self.candidates(state, fire),
            Some((arcs, sought)) => {
                let marking = arcs.at(self);
                match sought.is_deadlock() {
                    true => scratch.first_with_a_step(&marking, state),
                    false => scratch.closure(&marking, state, |seeds| marking.must_fire(state, sought, false, seeds)),
                }
                scratch.chosen.iter().filter_map(|&node| arcs.transition(node)).for_each(&mut fire);
            }
        }
        expansion
    }

    #[inline]
    fn is_target(&self, state: &[u64]) -> bool {
        // Deadlocks are found where the search has nothing to go on with.
        *self.condition != Condition::Dead && self.condition.holds(self.net, &|p| self.tokens(state, p))
    }

    fn stuck_is_target(&self) -> bool {
        *self.condition == Condition::Dead
    }
}
