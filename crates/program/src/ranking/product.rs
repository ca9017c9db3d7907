//! All states and edges of the product of program and claim, breadth first, without any reduction.

use super::{ALL, Absent, Unranked, add};
use crate::data::Program;
use crate::endless::{ACCEPT, Endless, EndlessKind, Marks};
use crate::expand::{RawStep, Sink, Violation, Work, chain, expand};
use crate::layout::Layout;
use crate::machine::Machine;
use crate::witness::movable;
use indexmap::IndexSet;
use prequel_evidence::certificate::Bounds;
use rustc_hash::FxBuildHasher;

/// States between two looks at the limits.
const REPORT: usize = 1 << 12;

/// An edge of the product, between states in the order in which they are met.
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub marks: Marks,
}

/// Gives all edges to `look`, until that finds something wrong; tells how many states there are.
pub fn product(
    program: &Program,
    absent: Absent,
    bounds: &Bounds,
    mut look: impl FnMut(Edge) -> Result<(), Unranked>,
) -> Result<usize, Unranked> {
    let first = Machine::initial(program).map_err(|_| Unranked::NoStart)?;
    let mut states = States::new(program);
    states.number(&first);
    let (mut from, mut machine, mut work) = (0, Machine::default(), Work::default());
    while from < states.packed.len() {
        if from % REPORT == 0 && (bounds.stop)() {
            return Err(Unranked::Stopped);
        }
        states.load(from, &mut machine);
        let fair = absent.of.is_some_and(|of| of.fair);
        let unable = if fair { unable(program, &machine) } else { [!ACCEPT, u64::MAX, u64::MAX, u64::MAX] };
        let marked = absent.of.is_some_and(|of| of.is_marked(program, &machine));
        let mut edges = Edges { program, absent, marked, states: &mut states, found: Vec::new(), violated: false };
        expand(program, &mut machine, &mut work, &mut edges);
        let Edges { found, violated, .. } = edges;
        if violated {
            return Err(Unranked::Violated(from));
        }
        if states.packed.len() > bounds.states {
            return Err(Unranked::TooLarge(bounds.states));
        }
        for (to, mut marks) in found {
            add(&mut marks, &unable);
            look(Edge { from, to, marks })?;
        }
        from += 1;
    }
    Ok(states.packed.len())
}

/// The marks of all processes that cannot move, those that are not there among them.
fn unable(program: &Program, machine: &Machine) -> Marks {
    let mut unable = ALL;
    unable[0] &= !ACCEPT;
    for process in movable(program, machine) {
        unable[(process + 1) / 64] &= !(1 << ((process + 1) % 64));
    }
    unable
}

/// States by the order in which they were met.
struct States<'a> {
    program: &'a Program,
    layout: Layout,
    packed: IndexSet<Box<[u64]>, FxBuildHasher>,
    room: Vec<u64>,
}

impl<'a> States<'a> {
    fn new(program: &'a Program) -> Self {
        let layout = Layout::new(program, Layout::first_guess(program));
        Self { program, layout, packed: IndexSet::default(), room: Vec::new() }
    }

    fn number(&mut self, machine: &Machine) -> usize {
        loop {
            self.room.clear();
            if self.layout.pack(machine, &mut self.room).is_ok() {
                break;
            }
            self.grow();
        }
        match self.packed.get_index_of(&*self.room) {
            Some(number) => number,
            None => self.packed.insert_full(self.room.as_slice().into()).0,
        }
    }

    fn load(&self, number: usize, machine: &mut Machine) {
        self.layout.unpack(&self.packed[number], machine);
    }

    /// Packs all states anew, with more room.
    fn grow(&mut self) {
        let words = self.layout.words();
        let wider = Layout::new(self.program, words + words / 4 + 1);
        let (old, mut machine) = (std::mem::take(&mut self.packed), Machine::default());
        for state in old {
            self.layout.unpack(&state, &mut machine);
            let mut packed = Vec::new();
            wider.pack(&machine, &mut packed).expect("there was room in fewer words");
            self.packed.insert(packed.into());
        }
        self.layout = wider;
    }
}

/// Collects the edges of a state, and notes whether a step is a violation that is looked for.
struct Edges<'s, 'p> {
    program: &'p Program,
    absent: Absent,
    /// Whether the state that they leave is marked.
    marked: bool,
    states: &'s mut States<'p>,
    found: Vec<(usize, Marks)>,
    violated: bool,
}

impl Sink for Edges<'_, '_> {
    const TRAIL: bool = true;
    const REPEATS: bool = true;

    fn state(&mut self, machine: &Machine, trail: &[RawStep], step: u32) {
        // Without progress both ends of a step are.
        let there =
            |of: Endless| self.marked && (of.kind == EndlessKind::Accepting || of.is_marked(self.program, machine));
        let mut marks = [u64::from(self.absent.of.is_some_and(there)), 0, 0, 0];
        for raw in chain(trail, step) {
            if let Some(process) = (raw.process as usize).checked_sub(self.program.base()) {
                marks[(process + 1) / 64] |= 1 << ((process + 1) % 64);
            }
        }
        let to = self.states.number(machine);
        self.found.push((to, marks));
    }

    fn repeated(&mut self, machine: &Machine, _: u32) {
        // Where nothing moves there is no progress to be missed.
        if self.absent.of.is_some_and(|of| of.kind == EndlessKind::Accepting) {
            let to = self.states.number(machine);
            self.found.push((to, [u64::from(self.marked), 0, 0, 0]));
        }
    }

    fn violation(&mut self, violation: Violation, _: u32) -> bool {
        self.violated |= self.absent.sought.is(violation);
        true
    }
}
