//! The coarsest stable partition, by signatures.
//!
//! Signature refinement after Blom and Orzan ("A distributed algorithm for strong bisimulation reduction of state spaces",
//! 2002), with inductive signatures for branching bisimulation after Blom and van de Pol ("Distributed branching
//! bisimulation minimization by inductive signatures", 2009). The *signature* of a state is the set of pairs (label, block
//! of the target) over its edges. A block splits where its states have different signatures.
//!
//! Where this departs from those papers:
//! * Only *touched* states are signed again: those with an edge into a block that is new since their block was last
//!   split. Untouched states have no such edge, so they stay together, and no touched state can stay with them: nobody
//!   need look at them, or remember their signature.
//! * The largest part keeps the block's number (Hopcroft's trick), so a state changes its block at most log n times, and
//!   touches its predecessors only then.
//! * Blocks that are costly to sign wait until the others are stable: a state with an edge to almost everywhere (a large
//!   collapsed cycle) is touched by almost every split, and should be signed once for many of them.
//! * Inherited signatures are referred to, not copied along inert edges. States are signed in topological
//!   order, and an inert edge counts as one to the *new part* its target is going to be in. A state joins a part below it
//!   if it has nothing that the part has not; there is at most one such part, the youngest one below, because parts
//!   refer only to older parts. Bisimilar states still meet: the lowest of them has no edge to another of them, so all
//!   it has is in the signature of its part, and the others find nothing beyond that in themselves.
//! * Touching travels backwards over inert edges inside the block, each state being signed at most once a round.
//!
//! The invariant between rounds: two untouched states of a block have the same pairs over their own edges (in today's block
//! numbers) or, where signatures are inherited, what one has and the other has not is found along inert edges of the other.
//! When no state is touched, all states of a block have the same signature. Signatures are compared pair by pair; hashes
//! only find the candidates.

use super::partition::Partition;
use crate::algo::predecessors::Predecessors;
use fixedbitset::FixedBitSet;
use hashbrown::HashTable;
use prequel_model::{LabelId, Lts, StateId};
use rustc_hash::FxHasher;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::hash::Hasher;
use std::ops::Range;

/// How refinement treats tau edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Silent {
    /// Like all others: strong bisimulation.
    Ordinary,
    /// A tau edge inside a block is inert, and its source has all pairs that its target has: branching bisimulation.
    /// Inert edges must lead to lower state numbers.
    Inherited,
    /// A tau edge inside a block does not count: strong bisimulation of a system to which every tau self-loop was added,
    /// without the loops.
    Ignored,
}

/// Refines the partition by marks until all states of a block have the same signature.
///
/// A state in `loops` has a pair of its own, like an edge to nowhere under a label that nobody else uses.
pub(super) fn refine(graph: &Lts, silent: Silent, loops: &FixedBitSet) -> Partition {
    refine_while(graph, silent, loops, &|| true).expect("nobody stops it")
}

/// As [`refine`], unless it is to stop before the end; it asks now and then.
pub(super) fn refine_while(
    graph: &Lts,
    silent: Silent,
    loops: &FixedBitSet,
    go_on: &dyn Fn() -> bool,
) -> Option<Partition> {
    let mut refiner = Refiner::new(graph, silent, loops);
    let mut signed = 0;
    while let Some(block) = refiner.next() {
        signed += refiner.touched(block);
        refiner.split(block);
        if signed > 1 << 14 {
            signed = 0;
            if !go_on() {
                return None;
            }
        }
    }
    Some(Partition::from_keys(refiner.block_of.into_iter()))
}

/// A label and a block in one number that sorts and compares fast.
type Pair = u64;

/// Stands for a label in pairs with a part of the block that is being split, in place of a block. Greater than all labels,
/// so that these pairs come last.
const SIBLING: LabelId = LabelId(u32::MAX);

/// The pair of a state in `loops`. No label has this number either.
const LOOP: Pair = (u32::MAX as u64 - 1) << 32;

#[inline]
fn pair(label: LabelId, block: u32) -> Pair {
    u64::from(label.0) << 32 | u64::from(block)
}

fn hash(signature: &[Pair]) -> u64 {
    let mut hasher = FxHasher::default();
    signature.iter().for_each(|&p| hasher.write_u64(p));
    hasher.finish()
}

/// A block that takes the signing of more pairs than this waits for the others. Small in tests, so that they come here.
const COSTLY: usize = if cfg!(test) { 12 } else { 1 << 12 };

/// A range of `Refiner::members`: touched states first.
#[derive(Clone, Debug)]
struct Block {
    start: u32,
    touched_end: u32,
    end: u32,
    queued: bool,
}

impl Block {
    fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// The signatures met while one block is split. Group 0 is for the untouched states and has none.
#[derive(Default)]
struct Groups {
    pairs: Vec<Pair>,
    ranges: Vec<Range<usize>>,
    sizes: Vec<u32>,
    index: HashTable<u32>,
}

impl Groups {
    fn clear(&mut self) {
        self.pairs.clear();
        self.ranges.clear();
        self.ranges.push(0..0);
        self.sizes.clear();
        self.sizes.push(0);
        // Clearing costs as much as the table is large; one huge block must not make all small ones pay.
        if self.index.capacity() > 1024 {
            self.index = HashTable::new();
        } else {
            self.index.clear();
        }
    }

    fn signature(&self, group: u32) -> &[Pair] {
        &self.pairs[self.ranges[group as usize].clone()]
    }

    /// The group with this signature, new if need be.
    fn of(&mut self, signature: &[Pair]) -> u32 {
        let Self { pairs, ranges, sizes, index } = self;
        let hashed = hash(signature);
        if let Some(&group) = index.find(hashed, |&g| pairs[ranges[g as usize].clone()] == *signature) {
            return group;
        }
        let group = ranges.len() as u32;
        let start = pairs.len();
        pairs.extend_from_slice(signature);
        ranges.push(start..pairs.len());
        sizes.push(0);
        index.insert_unique(hashed, group, |&g| hash(&pairs[ranges[g as usize].clone()]));
        group
    }
}

struct Refiner<'a> {
    graph: &'a Lts,
    silent: Silent,
    loops: &'a FixedBitSet,
    predecessors: Predecessors,
    block_of: Vec<u32>,
    /// All states, block by block.
    members: Vec<StateId>,
    /// Where in `members` a state is.
    place: Vec<u32>,
    blocks: Vec<Block>,
    /// Blocks with touched states: those to look at, and those found costly.
    queue: VecDeque<u32>,
    costly: VecDeque<u32>,
    groups: Groups,
    /// The group of each state that was signed in this round.
    group_of: Vec<u32>,
    own: Vec<Pair>,
    todo: Vec<StateId>,
    late: BinaryHeap<Reverse<StateId>>,
}

impl<'a> Refiner<'a> {
    fn new(graph: &'a Lts, silent: Silent, loops: &'a FixedBitSet) -> Self {
        let states = graph.num_states();
        let (mut members, marked): (Vec<StateId>, Vec<StateId>) = graph.states().partition(|&s| !graph.is_marked(s));
        let unmarked = members.len();
        members.extend(marked);
        let mut refiner = Self {
            graph,
            silent,
            loops,
            predecessors: Predecessors::of(graph),
            block_of: vec![0; states],
            place: vec![0; states],
            members,
            blocks: Vec::new(),
            queue: VecDeque::new(),
            costly: VecDeque::new(),
            groups: Groups::default(),
            group_of: vec![0; states],
            own: Vec::new(),
            todo: Vec::new(),
            late: BinaryHeap::new(),
        };
        for (at, s) in refiner.members.iter().enumerate() {
            refiner.place[s.at()] = at as u32;
        }
        for range in [0..unmarked, unmarked..states].into_iter().filter(|r| !r.is_empty()) {
            let id = refiner.blocks.len() as u32;
            for s in &refiner.members[range.clone()] {
                refiner.block_of[s.at()] = id;
            }
            let (start, end) = (range.start as u32, range.end as u32);
            refiner.blocks.push(Block { start, touched_end: end, end, queued: true });
            refiner.queue.push_back(id);
        }
        refiner
    }

    /// How many states of a block are to be signed.
    fn touched(&self, id: u32) -> u32 {
        let block = &self.blocks[id as usize];
        block.touched_end - block.start
    }

    /// The next block to split.
    fn next(&mut self) -> Option<u32> {
        while let Some(id) = self.queue.pop_front() {
            let block = &self.blocks[id as usize];
            let touched = &self.members[block.start as usize..block.touched_end as usize];
            let pairs = touched.iter().map(|&s| self.graph.row(s).len()).sum::<usize>();
            if pairs <= COSTLY {
                return Some(id);
            }
            self.costly.push_back(id);
        }
        self.costly.pop_front()
    }

    /// Signs the touched states of a block and splits it accordingly.
    fn split(&mut self, id: u32) {
        self.groups.clear();
        self.sign_touched(id);

        let block = &mut self.blocks[id as usize];
        self.groups.sizes[0] = block.end - block.touched_end;
        let touched = block.start..block.touched_end;
        block.touched_end = block.start;
        block.queued = false;
        let whole = block.len() as u32;
        let sizes = &self.groups.sizes;
        let keeper = (0..sizes.len()).max_by_key(|&g| sizes[g]).expect("group 0 is always there");
        if sizes[keeper] < whole {
            self.sort_by_group(touched);
            self.part(id, keeper);
        }
    }

    /// Gives every touched state of the block a group, and every state whose signature changes with theirs.
    fn sign_touched(&mut self, id: u32) {
        let block = &self.blocks[id as usize];
        let mut todo = std::mem::take(&mut self.todo);
        todo.clear();
        todo.extend_from_slice(&self.members[block.start as usize..block.touched_end as usize]);
        if self.silent == Silent::Inherited {
            if !todo.is_sorted() {
                todo.sort_unstable();
            }
            let mut next = 0;
            loop {
                let early = todo.get(next).copied();
                let s = match (early, self.late.peek()) {
                    (Some(s), Some(&Reverse(late))) if s < late => s,
                    (Some(s), None) => s,
                    (_, Some(&Reverse(late))) => late,
                    (None, None) => break,
                };
                if early == Some(s) {
                    next += 1;
                } else {
                    self.late.pop();
                }
                self.sign(s, id);
                self.touch_inheritors(s, id);
            }
        } else {
            for &s in &todo {
                self.sign(s, id);
            }
        }
        self.todo = todo;
    }

    /// Computes the signature of one state and gives the state its group.
    fn sign(&mut self, s: StateId, id: u32) {
        self.own.clear();
        if self.loops.contains(s.at()) {
            self.own.push(LOOP);
        }
        for e in self.graph.row(s) {
            let block = self.block_of[e.target.at()];
            if self.silent == Silent::Ordinary || !e.label.is_tau() || block != id {
                self.own.push(pair(e.label, block));
            } else if self.silent == Silent::Inherited {
                // Inert edges lead to lower numbers: if the target is touched, it was signed before.
                let signed = self.place[e.target.at()] < self.blocks[id as usize].touched_end;
                let group = if signed { self.group_of[e.target.at()] } else { 0 };
                self.own.push(pair(SIBLING, group));
            }
        }
        self.own.sort_unstable();
        self.own.dedup();
        let group = self.youngest_below().unwrap_or_else(|| self.groups.of(&self.own));
        self.group_of[s.at()] = group;
        self.groups.sizes[group as usize] += 1;
    }

    /// The youngest group that the pairs at hand refer to, if there is nothing in the others that it has not.
    fn youngest_below(&self) -> Option<u32> {
        let (&last, others) = self.own.split_last()?;
        let group = last as u32;
        let joins = last > pair(SIBLING, 0) && is_subset(others, self.groups.signature(group));
        joins.then_some(group)
    }

    /// Touches the untouched states that inherit from a touched one.
    fn touch_inheritors(&mut self, s: StateId, id: u32) {
        for at in 0..self.predecessors.silent(s).len() {
            let source = self.predecessors.silent(s)[at];
            if self.block_of[source.at()] == id && self.touch(source) {
                self.late.push(Reverse(source));
            }
        }
    }

    /// Sorts the touched states of a block by group.
    fn sort_by_group(&mut self, touched: Range<u32>) {
        let mut todo = std::mem::take(&mut self.todo);
        todo.clear();
        todo.extend_from_slice(&self.members[touched.start as usize..touched.end as usize]);
        // Group 0 has no touched states; its slot is never used.
        let mut next = vec![0u32; self.groups.sizes.len()];
        let mut at = touched.start;
        for (slot, size) in next.iter_mut().zip(&self.groups.sizes).skip(1) {
            *slot = at;
            at += size;
        }
        for &s in &todo {
            let slot = &mut next[self.group_of[s.at()] as usize];
            self.members[*slot as usize] = s;
            self.place[s.at()] = *slot;
            *slot += 1;
        }
        self.todo = todo;
    }

    /// Makes blocks of the groups; the keeper keeps the number. Touches every state whose pairs change with it.
    fn part(&mut self, id: u32, keeper: usize) {
        let first_new = self.blocks.len() as u32;
        let mut start = self.blocks[id as usize].start;
        for group in (1..self.groups.sizes.len()).chain([0]) {
            let size = self.groups.sizes[group];
            if size == 0 {
                continue;
            }
            let end = start + size;
            if group == keeper {
                let block = &mut self.blocks[id as usize];
                (block.start, block.touched_end, block.end) = (start, start, end);
            } else {
                let part = self.blocks.len() as u32;
                self.blocks.push(Block { start, touched_end: start, end, queued: false });
                for s in &self.members[start as usize..end as usize] {
                    self.block_of[s.at()] = part;
                }
            }
            start = end;
        }
        for part in first_new..self.blocks.len() as u32 {
            self.touch_around(part, id, first_new);
        }
    }

    /// Touches what changes because these states have a new block: sources of edges into it and, where inert edges were
    /// ignored, those of its own states from which such an edge leads to another part of the old block.
    fn touch_around(&mut self, part: u32, old: u32, first_new: u32) {
        let block = &self.blocks[part as usize];
        let mut todo = std::mem::take(&mut self.todo);
        todo.clear();
        todo.extend_from_slice(&self.members[block.start as usize..block.end as usize]);
        let is_sibling = |block: u32| block == old || block >= first_new;
        for &s in &todo {
            for at in 0..self.predecessors.silent(s).len() {
                let source = self.predecessors.silent(s)[at];
                let block = self.block_of[source.at()];
                let unchanged = match self.silent {
                    Silent::Ordinary => false,
                    Silent::Ignored => block == part,
                    // Such edges were signed as edges to this part already.
                    Silent::Inherited => is_sibling(block),
                };
                if !unchanged {
                    self.touch(source);
                }
            }
            for at in 0..self.predecessors.visible(s).len() {
                self.touch(self.predecessors.visible(s)[at]);
            }
            if self.silent == Silent::Ignored {
                let targets = self.graph.row(s).iter().take_while(|e| e.label.is_tau()).map(|e| e.target);
                let mut blocks = targets.map(|t| self.block_of[t.at()]);
                if blocks.any(|block| block != part && is_sibling(block)) {
                    self.touch(s);
                }
            }
        }
        self.todo = todo;
    }

    /// Puts a state among the touched ones of its block, unless it is there or alone; says whether it did.
    #[inline]
    fn touch(&mut self, s: StateId) -> bool {
        let id = self.block_of[s.at()];
        let block = &mut self.blocks[id as usize];
        let place = self.place[s.at()];
        if block.end - block.start == 1 || place < block.touched_end {
            return false;
        }
        let front = block.touched_end;
        block.touched_end += 1;
        if !block.queued {
            block.queued = true;
            self.queue.push_back(id);
        }
        let other = self.members[front as usize];
        self.members.swap(front as usize, place as usize);
        self.place[other.at()] = place;
        self.place[s.at()] = front;
        true
    }
}

/// Whether one sorted list is part of another.
fn is_subset(small: &[Pair], large: &[Pair]) -> bool {
    let mut rest = large;
    small.iter().all(|p| {
        let at = rest.partition_point(|q| q < p);
        rest = &rest[at..];
        rest.first() == Some(p)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::bisimulation::{Bisimulation, naive, saturate};
    use prequel_model::Transition;

    #[test]
    fn an_ignored_edge_counts_once_its_target_is_left_behind() {
        // 0 and 1 can do a and b, 2 to 5 only a. The larger part, 2 to 5, keeps the block's number, so nobody has an edge into
        // a new block; but the silent edge of 0 is no longer one inside its block.
        let (a, b) = (LabelId(1), LabelId(2));
        let mut transitions: Vec<Transition> = (0..6).map(|s| Transition::new(s, a, 2)).collect();
        transitions.extend([Transition::new(0, b, 2), Transition::new(1, b, 2), Transition::new(0, LabelId::TAU, 2)]);
        let classes = refine(&Lts::new(StateId(0), 6, transitions), Silent::Ignored, &FixedBitSet::new());
        assert_eq!(classes.len(), 3);
        assert!(!classes.together(StateId(0), StateId(1)));
    }

    #[test]
    fn refining_weak_steps_directly_agrees_with_naive_refinement() {
        for seed in 0..1500 {
            let lts = naive::sample(seed);
            let found = refine(&saturate(&lts).unwrap(), Silent::Ignored, &FixedBitSet::new());
            let expected = naive::classes(&lts, Bisimulation::Weak);
            for s in lts.states() {
                for t in lts.states() {
                    assert_eq!(found.together(s, t), expected[s.at()] == expected[t.at()], "seed {seed}");
                }
            }
        }
    }
}
