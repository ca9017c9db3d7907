//! Runs without an end: a cycle whose edges have all marks between them, by strongly connected components found depth first.
//!
//! J.-M. Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999), with the stacks of H. Gabow as in `components`: the
//! components that are not complete form a chain, and for each the marks of all edges inside of it are known. The search ends with
//! the edge that closes a component with all marks, which is the first moment that the graph seen so far has a cycle with all of
//! them. A component with all marks has such a cycle: walk through one edge for each mark. States are not copied for any mark.
//!
//! Where edges without acceptance lie on no cycle that counts (non-progress), components are those of the other edges: what an edge
//! without acceptance leads to is put off until the components before it are complete.
//!
//! The same stacks find a trap: a component that has not all marks and leads to no other. The search ends at the first, so all that
//! were completed before lead to every mark, and nothing else need be remembered of them.
//!
//! The lasso is found afterwards, breadth first through the states that are known: a shortest way to the component, and inside of it
//! from one mark to the nearest that is missing. Successors are computed again, nothing is stored for it.

use super::Stop;
use super::space::Expansion;
use super::store::{Block, Store, hash};
use prequel_model::Why;
use prequel_model::run::Run;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// States between two looks at the limits.
const REPORT: u64 = 1 << 12;
/// The component of a state is complete.
const COMPLETE: u32 = u32::MAX;
/// A state is stored, and no edge to it was taken yet.
const UNSEEN: u32 = u32::MAX - 1;
/// A state is known and put off.
const PUT_OFF: u32 = u32::MAX - 2;

/// A state space whose edges have marks, in `K` words.
pub trait MarkedSpace<const K: usize> {
    /// What is kept between calls so that nothing is allocated per state.
    type Scratch;

    /// A fresh scratch.
    fn scratch(&self) -> Self::Scratch;

    /// Words per packed state.
    fn words(&self) -> usize;

    /// Where the search starts.
    fn initial(&self) -> Vec<u64>;

    /// Appends the edges of a state: the words of a successor, and `K` words of marks each.
    fn edges(&self, state: &[u64], scratch: &mut Self::Scratch, out: &mut Vec<u64>) -> Expansion;

    /// What is looked for.
    fn seeks(&self) -> Seeks;
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seeks {
    /// A cycle with all marks. Where there is a mark here, in the first word, an edge that lacks it is on no cycle that counts.
    Cycle(Option<u64>),
    /// A state from which some mark can never be met.
    Trap,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found<const K: usize> {
    /// A path to a state that a step leaves which the search looks for.
    Target(Vec<Vec<u64>>),
    /// A path to the first state of a cycle, and the cycle: each state with the marks of the edge that leaves it.
    Lasso(Vec<Vec<u64>>, Vec<(Vec<u64>, [u64; K])>),
    /// A path to a state from which some mark can never be met.
    Trap(Vec<Vec<u64>>),
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

fn add<const K: usize>(to: &mut [u64; K], marks: &[u64; K]) {
    to.iter_mut().zip(marks).for_each(|(to, marks)| *to |= marks);
}

fn split<const K: usize>(edge: &[u64]) -> (&[u64], [u64; K]) {
    let (state, marks) = edge.split_at(edge.len() - K);
    (state, std::array::from_fn(|word| marks[word]))
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

/// Looks for a target step, or a cycle with all marks.
pub fn search<S: MarkedSpace<K>, const K: usize>(space: &S, run: &Run) -> Result<Option<Found<K>>, Stop> {
    let (check, words) = (run.check(), space.words());
    let (mut store, mut block, mut scratch) = (Store::new(words, 1), Block::default(), space.scratch());
    let (needed, traps) = match space.seeks() {
        Seeks::Cycle(needed) => (needed, false),
        Seeks::Trap => (None, true),
    };
    let mut path = Path { states: Vec::new(), targets: Vec::new(), marks: Vec::new() };
    // Open states; for each state its place among them; components that are not complete; states that are put off.
    let (mut open, mut place, mut begun) = (Vec::<u32>::new(), Vec::<u32>::new(), Vec::<Begun<K>>::new());
    let first = space.initial();
    let mut later = vec![store.intern_growing(&first, hash(&first), &mut block)?.0];
    place.resize(later[0] as usize + 1, PUT_OFF);
    let (mut state, mut edges) = (Vec::new(), Vec::new());
    let (mut states, mut transitions) = (0u64, 0u64);
    loop {
        let (index, into) = if let Some((index, mut marks)) = path.next() {
            let at = place[index as usize];
            if needed.is_some_and(|mark| marks[0] & mark == 0) {
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
                    // A limit that is reached in the same moment does not take the answer back.
                    let _ = check.explored(states, transitions);
                    let members = Members { place: &place, from: component.at };
                    return Ok(Some(Known { space, store: &store, needed }.lasso(&members, run)?));
                }
                continue;
            }
            (index, marks)
        } else if let Some(last) = path.last() {
            let component = begun.last().expect("the last state of the path is in a component");
            if component.at == place[last as usize] {
                if traps && component.inside != [u64::MAX; K] {
                    let _ = check.explored(states, transitions);
                    let members = Members { place: &place, from: component.at };
                    return Ok(Some(Known { space, store: &store, needed }.trap(&members, run)?));
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
            check.explored(states, transitions)?;
            return Ok(None);
        };
        states += 1;
        begun.push(Begun { at: open.len() as u32, inside: [0; K], into });
        place[index as usize] = open.len() as u32;
        open.push(index);
        path.push(index);
        store.load(index, &mut state);
        edges.clear();
        match space.edges(&state, &mut scratch, &mut edges) {
            Expansion::Outgrown => return Err(Stop::Outgrown),
            Expansion::Target => {
                let _ = check.explored(states, transitions);
                return Ok(Some(Found::Target(Known { space, store: &store, needed }.way_to_target(run)?)));
            }
            Expansion::Complete => {}
        }
        for edge in edges.chunks_exact(words + K) {
            let (target, marks) = split::<K>(edge);
            let (target, new) = store.intern_growing(target, hash(target), &mut block)?;
            if new && place.len() <= target as usize {
                place.resize(target as usize + 1, UNSEEN);
            }
            path.add(target, marks);
            transitions += 1;
        }
        if states >= REPORT {
            check.explored(std::mem::take(&mut states), std::mem::take(&mut transitions))?;
        }
    }
}

/// The states of an open component.
struct Members<'a> {
    place: &'a [u32],
    from: u32,
}

impl Members<'_> {
    fn contains(&self, index: u32) -> bool {
        let at = self.place[index as usize];
        at >= self.from && at < PUT_OFF
    }
}

/// States that a search has met.
struct Known<'a, S> {
    space: &'a S,
    store: &'a Store,
    needed: Option<u64>,
}

/// How a walk goes on.
enum Step {
    /// To the next state.
    On,
    /// This state is not passed.
    Not,
    /// This is what is looked for.
    There,
}

/// States by which a walk came, and the edge of each that leads to the next.
type Way<const K: usize> = Vec<(u32, [u64; K])>;

impl<S> Known<'_, S> {
    /// A shortest walk from a state along known edges. `look` is asked about each edge; the last of the walk is the one that is looked
    /// for, and the state that it leads to is given besides. Nothing if there is none; a target step ends it where `targets` says so.
    fn walk<const K: usize>(
        &self,
        from: u32,
        targets: bool,
        mut look: impl FnMut(u32, &[u64; K]) -> Step,
        run: &Run,
    ) -> Result<Option<(Way<K>, u32)>, Why>
    where
        S: MarkedSpace<K>,
    {
        let mut scratch = self.space.scratch();
        let mut before: FxHashMap<u32, (u32, [u64; K])> = FxHashMap::default();
        let mut open = VecDeque::from([from]);
        let (mut state, mut edges, mut since) = (Vec::new(), Vec::new(), 0);
        let way = |before: &FxHashMap<u32, (u32, [u64; K])>, mut at: u32| {
            let mut way = Vec::new();
            while at != from {
                let (earlier, marks) = before[&at];
                way.push((earlier, marks));
                at = earlier;
            }
            way.reverse();
            way
        };
        while let Some(at) = open.pop_front() {
            since += 1;
            if since % REPORT == 0 {
                run.allowed()?;
            }
            self.store.load(at, &mut state);
            edges.clear();
            match self.space.edges(&state, &mut scratch, &mut edges) {
                Expansion::Target if targets => return Ok(Some((way(&before, at), at))),
                // The search did not come to this state.
                Expansion::Outgrown => continue,
                Expansion::Target | Expansion::Complete => {}
            }
            for edge in edges.chunks_exact(self.space.words() + K) {
                let (next, marks) = split::<K>(edge);
                let h = hash(next);
                let Some(next) = self.store.find(next, h, self.store.peek(h)) else { continue };
                match look(next, &marks) {
                    Step::Not => {}
                    Step::There => {
                        let mut way = way(&before, at);
                        way.push((at, marks));
                        return Ok(Some((way, next)));
                    }
                    Step::On if next != from && !before.contains_key(&next) => {
                        before.insert(next, (at, marks));
                        open.push_back(next);
                    }
                    Step::On => {}
                }
            }
        }
        Ok(None)
    }

    fn first<const K: usize>(&self) -> u32
    where
        S: MarkedSpace<K>,
    {
        let first = self.space.initial();
        let h = hash(&first);
        self.store.find(&first, h, self.store.peek(h)).expect("the search starts with it")
    }

    fn states<const K: usize>(&self, way: &Way<K>, last: u32) -> Vec<Vec<u64>> {
        way.iter().map(|&(state, _)| state).chain([last]).map(|state| self.store.get(state)).collect()
    }

    fn way_to_target<const K: usize>(&self, run: &Run) -> Result<Vec<Vec<u64>>, Why>
    where
        S: MarkedSpace<K>,
    {
        let found = self.walk::<K>(self.first(), true, |_, _| Step::On, run)?;
        let (way, last) = found.expect("a state that was met leads to a target");
        Ok(self.states(&way, last))
    }

    fn lasso<const K: usize>(&self, members: &Members<'_>, run: &Run) -> Result<Found<K>, Why>
    where
        S: MarkedSpace<K>,
    {
        let (stem, start) = self.way_to(members, run)?;
        let inside =
            |to: u32, marks: &[u64; K]| members.contains(to) && self.needed.is_none_or(|mark| marks[0] & mark != 0);
        let (mut cycle, mut at, mut have): (Way<K>, u32, [u64; K]) = (Vec::new(), start, [0; K]);
        while have != [u64::MAX; K] || at != start {
            let look = |to: u32, marks: &[u64; K]| match inside(to, marks) {
                false => Step::Not,
                true if have == [u64::MAX; K] && to == start => Step::There,
                true if marks.iter().zip(&have).any(|(marks, have)| marks & !have != 0) => Step::There,
                true => Step::On,
            };
            let (way, to) = self.walk(at, false, look, run)?.expect("the component has an edge with each mark");
            way.iter().for_each(|(_, marks)| add(&mut have, marks));
            cycle.extend(way);
            at = to;
        }
        let cycle = cycle.into_iter().map(|(state, marks)| (self.store.get(state), marks)).collect();
        Ok(Found::Lasso(self.states(&stem, start), cycle))
    }

    /// A shortest way to a component.
    fn way_to<const K: usize>(&self, members: &Members<'_>, run: &Run) -> Result<(Way<K>, u32), Why>
    where
        S: MarkedSpace<K>,
    {
        let first = self.first();
        if members.contains(first) {
            return Ok((Vec::new(), first));
        }
        let look = |to: u32, _: &[u64; K]| if members.contains(to) { Step::There } else { Step::On };
        Ok(self.walk(first, false, look, run)?.expect("the component was met"))
    }

    fn trap<const K: usize>(&self, members: &Members<'_>, run: &Run) -> Result<Found<K>, Why>
    where
        S: MarkedSpace<K>,
    {
        let (way, last) = self.way_to::<K>(members, run)?;
        Ok(Found::Trap(self.states(&way, last)))
    }
}
