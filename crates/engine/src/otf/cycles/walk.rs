//! Walks through states that a search has met: to a target, along a lasso, into a trap.

use super::super::space::Expansion;
use super::super::store::{Store, hash};
use super::depth::{Ended, Members};
use super::{Found, MarkedSpace, REPORT, Seeks, add, split};
use prequel_model::Why;
use prequel_model::run::Run;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// An edge to a state that is known, with its marks.
pub type Edge<const K: usize> = (u32, [u64; K]);

/// The edges between states that are known.
pub trait KnownEdges<const K: usize> {
    /// Appends those of a state; tells whether a step out of it is a target.
    fn of(&mut self, state: u32, out: &mut Vec<Edge<K>>) -> bool;
}

/// Edges that are computed again, since nothing was stored of them.
pub struct Recomputed<'a, S, Scratch> {
    space: &'a S,
    store: &'a Store,
    scratch: Scratch,
    state: Vec<u64>,
    packed: Vec<u64>,
}

impl<'a, S> Recomputed<'a, S, ()> {
    /// The edges of a space between states of a store.
    pub fn new<const K: usize>(space: &'a S, store: &'a Store) -> Recomputed<'a, S, S::Scratch>
    where
        S: MarkedSpace<K>,
    {
        Recomputed { space, store, scratch: space.scratch(), state: Vec::new(), packed: Vec::new() }
    }
}

impl<S: MarkedSpace<K>, const K: usize> KnownEdges<K> for Recomputed<'_, S, S::Scratch> {
    fn of(&mut self, state: u32, out: &mut Vec<Edge<K>>) -> bool {
        self.store.load(state, &mut self.state);
        self.packed.clear();
        let expansion = self.space.edges(&self.state, &mut self.scratch, &mut self.packed);
        if expansion != Expansion::Outgrown {
            for edge in self.packed.chunks_exact(self.space.words() + K) {
                let (next, marks) = split::<K>(edge);
                let h = hash(next);
                // The search did not come to all states.
                out.extend(self.store.find(next, h, self.store.peek(h)).map(|next| (next, marks)));
            }
        }
        expansion == Expansion::Target
    }
}

/// States that a search has met, the first of them, and the edges between them.
pub struct Known<'a, E> {
    pub store: &'a Store,
    pub first: u32,
    pub edges: E,
    pub seeks: Seeks,
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

impl<E> Known<'_, E> {
    /// A shortest walk from a state along known edges. `look` is asked about each edge; the last of the walk is the one that is looked
    /// for, and the state that it leads to is given besides. Nothing if there is none; a target step ends it where `targets` says so.
    fn walk<const K: usize>(
        &mut self,
        from: u32,
        targets: bool,
        mut look: impl FnMut(u32, &[u64; K]) -> Step,
        run: &Run,
    ) -> Result<Option<(Way<K>, u32)>, Why>
    where
        E: KnownEdges<K>,
    {
        let mut before: FxHashMap<u32, (u32, [u64; K])> = FxHashMap::default();
        let mut open = VecDeque::from([from]);
        let (mut edges, mut since) = (Vec::new(), 0);
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
            edges.clear();
            if self.edges.of(at, &mut edges) && targets {
                return Ok(Some((way(&before, at), at)));
            }
            for &(next, marks) in &edges {
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

    fn states<const K: usize>(&self, way: &Way<K>, last: u32) -> Vec<Vec<u64>> {
        way.iter().map(|&(state, _)| state).chain([last]).map(|state| self.store.get(state)).collect()
    }

    /// A shortest path to a state that a target step leaves.
    fn target<const K: usize>(&mut self, run: &Run) -> Result<Found<K>, Why>
    where
        E: KnownEdges<K>,
    {
        let found = self.walk::<K>(self.first, true, |_, _| Step::On, run)?;
        let (way, last) = found.expect("a state that was met leads to a target");
        Ok(Found::Target(self.states(&way, last)))
    }

    /// A shortest way to a component, and a cycle with all marks inside of it.
    fn lasso<const K: usize>(&mut self, component: &Members, run: &Run) -> Result<Found<K>, Why>
    where
        E: KnownEdges<K>,
    {
        let (stem, start) = self.way_to(component, run)?;
        let seeks = self.seeks;
        let inside = |to: u32, marks: &[u64; K]| component.contains(to) && seeks.counts(marks);
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

    /// A shortest path into a trap.
    fn trap<const K: usize>(&mut self, trap: &Members, run: &Run) -> Result<Found<K>, Why>
    where
        E: KnownEdges<K>,
    {
        let (way, last) = self.way_to::<K>(trap, run)?;
        Ok(Found::Trap(self.states(&way, last)))
    }

    /// A shortest way to a component.
    fn way_to<const K: usize>(&mut self, component: &Members, run: &Run) -> Result<(Way<K>, u32), Why>
    where
        E: KnownEdges<K>,
    {
        if component.contains(self.first) {
            return Ok((Vec::new(), self.first));
        }
        let look = |to: u32, _: &[u64; K]| if component.contains(to) { Step::There } else { Step::On };
        Ok(self.walk(self.first, false, look, run)?.expect("the component was met"))
    }

    /// What a search ended with, and how to come there.
    pub fn shown<const K: usize>(&mut self, ended: &Ended, run: &Run) -> Result<Option<Found<K>>, Why>
    where
        E: KnownEdges<K>,
    {
        Ok(Some(match ended {
            Ended::Nothing | Ended::Unfinished => return Ok(None),
            Ended::Target => self.target(run)?,
            Ended::Component(trap) if self.seeks == Seeks::Trap => self.trap(trap, run)?,
            Ended::Component(component) => self.lasso(component, run)?,
        }))
    }
}
