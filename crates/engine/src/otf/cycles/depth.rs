//! Components, depth first, whether edges are computed on the way or stored already.
//!
//! J.-M. Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999), with the stacks of H. Gabow as in `components`: the
//! components that are not complete form a chain, and for each the marks of all edges inside of it are known. The search ends with
//! the edge that closes a component with all marks, which is the first moment that the graph seen so far has a cycle with all of
//! them.
//!
//! Where some edges lie on no cycle that counts, what they lead to is put off until the components before it are complete.
//!
//! The same stacks find a trap. The search ends at the first, so all components that were completed before lead to every mark, and
//! nothing else need be remembered of them.

use super::super::Stop;
use super::super::space::Expansion;
use super::super::store::{Block, Store, hash};
use super::walk::{Known, Recomputed};
use super::{MarkedSpace, REPORT, Seeks, add, split};
use prequel_model::Why;
use prequel_model::run::{Check, Run};

/// The component of a state is complete.
const COMPLETE: u32 = u32::MAX;
/// A state is stored, and no edge to it was taken yet.
const UNSEEN: u32 = u32::MAX - 1;
/// A state is known and put off.
const PUT_OFF: u32 = u32::MAX - 2;

/// Where edges come from.
pub trait Source<const K: usize> {
    /// The number of the first state.
    fn first(&self) -> u32;

    /// Shows the edges of a state: where each leads to, and its marks.
    fn expand(&mut self, state: u32, edge: impl FnMut(u32, [u64; K])) -> Result<Expanded, Stop>;
}

/// What became of the edges of a state.
pub enum Expanded {
    /// They were shown.
    Whole,
    /// They are not known yet.
    NotYet,
    /// One of its steps is a target.
    Target,
}

/// How a search ended.
pub enum Ended {
    /// With a component that is looked for.
    Component(Members),
    /// With a target step.
    Target,
    /// All states were looked at.
    Nothing,
    /// After as many states as it was given.
    Unfinished,
}

/// The states of a component.
pub struct Members {
    place: Vec<u32>,
    from: u32,
}

impl Members {
    /// Whether a state is one of them.
    pub fn contains(&self, state: u32) -> bool {
        (self.from..PUT_OFF).contains(&self.place[state as usize])
    }
}

/// A component as far as it is known.
struct Begun<const K: usize> {
    /// Its first state, by its place among the open ones.
    at: u32,
    /// The marks of the edges inside.
    inside: [u64; K],
    /// The marks of the edge that leads into it.
    into: [u64; K],
}

/// The path of the search: its states, and the edges of each that are still to be taken. What an edge leads to is stored before it is
/// taken, so four bytes and the marks are all that is kept of it.
struct Path<const K: usize> {
    /// States by index, and how many of their edges are left.
    states: Vec<(u32, u32)>,
    /// The edges that are left, those of the last state at the end.
    targets: Vec<u32>,
    marks: Vec<[u64; K]>,
}

impl<const K: usize> Path<K> {
    fn last(&self) -> Option<u32> {
        self.states.last().map(|&(index, _)| index)
    }

    /// Goes on to a state whose edges are to be added.
    fn push(&mut self, index: u32) {
        self.states.push((index, 0));
    }

    /// Adds an edge of the last state.
    #[inline]
    fn add(&mut self, target: u32, marks: [u64; K]) {
        self.states.last_mut().expect("somebody has the edge").1 += 1;
        self.targets.push(target);
        self.marks.push(marks);
    }

    /// Takes the next edge of the last state.
    #[inline]
    fn next(&mut self) -> Option<(u32, [u64; K])> {
        let (_, left) = self.states.last_mut()?;
        *left = left.checked_sub(1)?;
        self.targets.pop().zip(self.marks.pop())
    }
}

/// Looks for a target step, or for what is sought, among so many states at most.
pub fn search<E: Source<K>, const K: usize>(source: &mut E, seeks: Seeks, most: u64) -> Result<Ended, Stop> {
    let traps = seeks == Seeks::Trap;
    let mut path = Path { states: Vec::new(), targets: Vec::new(), marks: Vec::new() };
    // Open states; for each state its place among them; components that are not complete; states that are put off.
    let (mut open, mut place, mut begun) = (Vec::<u32>::new(), Vec::<u32>::new(), Vec::<Begun<K>>::new());
    let mut later = vec![source.first()];
    place.resize(later[0] as usize + 1, PUT_OFF);
    let mut looked = 0;
    loop {
        let (index, into) = if let Some((index, mut marks)) = path.next() {
            let at = place[index as usize];
            if !seeks.counts(&marks) {
                if at == UNSEEN {
                    place[index as usize] = PUT_OFF;
                    later.push(index);
                }
                continue;
            }
            if at == COMPLETE {
                if traps && let Some(component) = begun.last_mut() {
                    component.inside = [u64::MAX; K];
                }
                continue;
            }
            if at < PUT_OFF {
                // All that began since then is one component with it.
                while begun.last().is_some_and(|component| component.at > at) {
                    let inner = begun.pop().expect("there is one");
                    add(&mut marks, &inner.inside);
                    add(&mut marks, &inner.into);
                }
                let component = begun.last_mut().expect("the state is in one");
                add(&mut component.inside, &marks);
                if !traps && component.inside == [u64::MAX; K] {
                    return Ok(Ended::Component(Members { place, from: component.at }));
                }
                continue;
            }
            (index, marks)
        } else if let Some(last) = path.last() {
            let component = begun.last().expect("the last state of the path is in a component");
            if component.at == place[last as usize] {
                if traps && component.inside != [u64::MAX; K] {
                    return Ok(Ended::Component(Members { place, from: component.at }));
                }
                open.drain(component.at as usize..).for_each(|member| place[member as usize] = COMPLETE);
                begun.pop();
                if traps && let Some(before) = begun.last_mut() {
                    before.inside = [u64::MAX; K];
                }
            }
            path.states.pop();
            continue;
        } else if let Some(index) = later.pop() {
            if place[index as usize] != PUT_OFF {
                continue;
            }
            (index, [0; K])
        } else {
            return Ok(Ended::Nothing);
        };
        looked += 1;
        if looked > most {
            return Ok(Ended::Unfinished);
        }
        place[index as usize] = open.len() as u32;
        begun.push(Begun { at: open.len() as u32, inside: [0; K], into });
        open.push(index);
        path.push(index);
        let expanded = source.expand(index, |target, marks| {
            if place.len() <= target as usize {
                place.resize(target as usize + 1, UNSEEN);
            }
            path.add(target, marks);
        })?;
        match expanded {
            Expanded::Whole => {}
            // What is not known yet can lead to every mark.
            Expanded::NotYet => {
                begun.last_mut().expect("it was pushed").inside = if traps { [u64::MAX; K] } else { [0; K] }
            }
            Expanded::Target => return Ok(Ended::Target),
        }
    }
}

/// States that are met as their edges are computed.
pub struct OnTheFly<'a, S, Scratch> {
    space: &'a S,
    store: Store,
    block: Block,
    first: u32,
    scratch: Scratch,
    state: Vec<u64>,
    packed: Vec<u64>,
    check: Check<'a>,
    states: u64,
    transitions: u64,
}

impl<'a, S> OnTheFly<'a, S, ()> {
    /// The first state is met.
    pub fn new<const K: usize>(space: &'a S, run: &'a Run) -> Result<OnTheFly<'a, S, S::Scratch>, Why>
    where
        S: MarkedSpace<K>,
    {
        let (mut store, mut block, first) = (Store::new(space.words(), 1), Block::default(), space.initial());
        let first = store.intern_growing(&first, hash(&first), &mut block)?.0;
        let (scratch, check) = (space.scratch(), run.check());
        let (state, packed) = Default::default();
        Ok(OnTheFly { space, store, block, first, scratch, state, packed, check, states: 0, transitions: 0 })
    }
}

impl<S, Scratch> OnTheFly<'_, S, Scratch> {
    /// Counts what was not counted yet.
    pub fn count(&mut self) -> Result<(), Why> {
        self.check.explored(std::mem::take(&mut self.states), std::mem::take(&mut self.transitions))
    }

    /// What was met.
    pub fn known<const K: usize>(&self) -> Known<'_, Recomputed<'_, S, S::Scratch>>
    where
        S: MarkedSpace<K>,
    {
        let edges = Recomputed::new(self.space, &self.store);
        Known { store: &self.store, first: self.first, edges, seeks: self.space.seeks() }
    }
}

impl<S: MarkedSpace<K>, const K: usize> Source<K> for OnTheFly<'_, S, S::Scratch> {
    fn first(&self) -> u32 {
        self.first
    }

    fn expand(&mut self, state: u32, mut edge: impl FnMut(u32, [u64; K])) -> Result<Expanded, Stop> {
        self.states += 1;
        self.store.load(state, &mut self.state);
        self.packed.clear();
        match self.space.edges(&self.state, &mut self.scratch, &mut self.packed) {
            Expansion::Outgrown => return Err(Stop::Outgrown),
            Expansion::Target => return Ok(Expanded::Target),
            Expansion::Complete => {}
        }
        for packed in self.packed.chunks_exact(self.space.words() + K) {
            let (target, marks) = split::<K>(packed);
            let (target, _) = self.store.intern_growing(target, hash(target), &mut self.block)?;
            edge(target, marks);
            self.transitions += 1;
        }
        if self.states >= REPORT {
            self.count()?;
        }
        Ok(Expanded::Whole)
    }
}
