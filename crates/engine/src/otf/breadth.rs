//! Breadth-first search, level by level, on one or more threads.
//!
//! The set of states of each level does not depend on the threads, so the verdict and the length of the path are the same for any
//! number of them, and so are counts where there is no target. One thread ends at the first target; several finish its level, so that
//! what they count and which path they show does not depend on luck. No parent is stored: the path is found by walking back
//! through the levels.

use super::Stop;
use super::graph::{Graph, Log};
use super::space::{Expansion, Space};
use super::store::{Block, Full, Store, hash};
use prequel_model::Why;
use prequel_model::run::{Check, Run};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// States handed to a worker at a time.
const PORTION: u32 = 256;
/// Successor words gathered before they are looked up together, so that their cache misses overlap.
const BATCH_WORDS: usize = 512;
/// Explored words between two looks at the limits.
const REPORT_WORDS: u64 = 1 << 14;

/// A path of packed states from the initial one to a target, or `None` when there is no target.
pub fn search<S: Space>(space: &S, run: &Run) -> Result<Option<Vec<Vec<u64>>>, Stop> {
    let (explored, target) = explore(space, run)?;
    Ok(target.map(|target| explored.walk_back(space, target)))
}

/// The states that a search met.
pub struct Explored {
    /// The states themselves.
    pub store: Store,
    /// Their indices by level.
    pub levels: Vec<Vec<Range<u32>>>,
    /// The edges between them, where the space has marks for them.
    pub graph: Graph,
    /// Their order does not depend on threads.
    in_order: bool,
}

/// Explores until there is a target or nothing is left.
pub fn explore<S: Space>(space: &S, run: &Run) -> Result<(Explored, Option<Target>), Stop> {
    let mut explorer = Explorer::new(space, run)?;
    loop {
        match explorer.level()? {
            Level::Done => {}
            Level::Target(target) => return Ok((explorer.explored, Some(target))),
            Level::Empty => return Ok((explorer.explored, None)),
        }
    }
}

/// What became of a level.
pub enum Level {
    /// All its states were expanded.
    Done,
    /// It has a state that is looked for, or leads to one.
    Target(Target),
    /// It has no states: all were met.
    Empty,
}

/// A search that has come to some level.
pub struct Explorer<'a, S: Space> {
    space: &'a S,
    check: Check<'a>,
    threads: usize,
    pool: Option<rayon::ThreadPool>,
    workers: Vec<Mutex<Worker<S>>>,
    /// What it has met.
    pub explored: Explored,
}

impl<'a, S: Space> Explorer<'a, S> {
    /// It has met the first state.
    pub fn new(space: &'a S, run: &'a Run) -> Result<Self, Stop> {
        let threads = run.limits.threads.max(1);
        let pool = (threads > 1).then(|| {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("the system can start worker threads")
        });
        let (check, store) = (run.check(), Store::new(space.words(), threads));
        let mut workers: Vec<Mutex<Worker<S>>> = (0..threads).map(|_| Mutex::new(Worker::new(space))).collect();
        let initial = space.initial();
        let first = workers[0].get_mut().expect("not poisoned");
        let h = hash(&initial);
        store.intern(&initial, h, store.peek(h), &mut first.block).expect("an empty store has room");
        check.explored(1, 0)?;
        if space.is_target(&initial) {
            first.target = Some(Target { state: initial, stuck: true });
        }
        let levels = vec![first.block.take_used()];
        let explored = Explored { store, levels, graph: Graph::default(), in_order: threads == 1 };
        Ok(Self { space, check, threads, pool, workers, explored })
    }

    /// Expands the last level.
    pub fn level(&mut self) -> Result<Level, Stop> {
        let Explored { store, levels, graph, .. } = &mut self.explored;
        let (threads, workers) = (self.threads, &mut self.workers);
        // The first state can be what is looked for.
        if let Some(target) = workers[0].get_mut().expect("not poisoned").target.take() {
            return Ok(Level::Target(target));
        }
        let mut portions = cut(levels.last().expect("never empty"));
        if portions.is_empty() {
            levels.pop();
            return Ok(Level::Empty);
        }
        let alone = portions.len() < 2 * threads;
        while !portions.is_empty() {
            let level = LevelWork::new(self.space, store, &self.check, threads == 1, portions);
            match &self.pool {
                Some(pool) if !alone => {
                    pool.broadcast(|ctx| workers[ctx.index()].lock().expect("not poisoned").work(&level));
                }
                _ => workers[0].get_mut().expect("not poisoned").work(&level),
            }
            let full = level.full.load(Relaxed);
            portions = level.left();
            let mut stopped = None;
            for worker in workers.iter_mut().map(|w| w.get_mut().expect("not poisoned")) {
                stopped = stopped.or(worker.stopped.take()).or(worker.report(&self.check).err().map(Stop::Limit));
                if S::MARKS > 0 {
                    graph.take(&mut worker.log, store.end())?;
                }
            }
            if threads == 1 && workers[0].get_mut().expect("not poisoned").target.is_some() {
                break;
            }
            if let Some(why) = stopped {
                return Err(why);
            }
            if full {
                if self.check.is_much(store.bytes()) {
                    store.compress()?;
                }
                store.grow()?;
            }
        }
        let found = workers.iter_mut().filter_map(|w| w.get_mut().expect("not poisoned").target.take()).min();
        if let Some(target) = found {
            return Ok(Level::Target(target));
        }
        levels.push(workers.iter_mut().flat_map(|w| w.get_mut().expect("not poisoned").block.take_used()).collect());
        Ok(Level::Done)
    }
}

impl Explored {
    /// A path to a state of the level where it was first met, which is the last one looked at.
    pub fn path_to<S: Space>(&self, space: &S, state: Vec<u64>, level: usize) -> Vec<Vec<u64>> {
        self.back(space, &self.levels[..level], state)
    }

    /// A shortest path to a target.
    pub fn walk_back<S: Space>(&self, space: &S, target: Target) -> Vec<Vec<u64>> {
        let depth = if target.stuck { self.levels.len() - 1 } else { self.levels.len() };
        self.back(space, &self.levels[..depth], target.state)
    }

    /// Finds a path to a state by looking for a predecessor in each earlier level.
    ///
    /// The first in order of discovery, or, where threads make that order a matter of luck, the least.
    fn back<S: Space>(&self, space: &S, levels: &[Vec<Range<u32>>], state: Vec<u64>) -> Vec<Vec<u64>> {
        let mut scratch = space.scratch();
        let mut out = Vec::new();
        let mut path = vec![state];
        for level in levels.iter().rev() {
            let goal = path.last().expect("never empty").clone();
            let mut predecessors = level.iter().cloned().flatten().map(|index| self.store.get(index)).filter(|state| {
                out.clear();
                space.successors(state, &mut scratch, &mut out);
                out.chunks(space.words() + S::MARKS).any(|next| next[..space.words()] == goal)
            });
            let found = if self.in_order { predecessors.next() } else { predecessors.min() };
            path.push(found.expect("every state of a level has a predecessor in the one before"));
        }
        path.reverse();
        path
    }

    /// Of some states of one level the one to show: the first met, or, where that is a matter of luck, the least.
    pub fn choose(&self, mut states: impl Iterator<Item = u32>) -> Option<Vec<u64>> {
        if self.in_order {
            states.next().map(|index| self.store.get(index))
        } else {
            states.map(|i| self.store.get(i)).min()
        }
    }
}

/// Cuts the states of a level into portions.
fn cut(level: &[Range<u32>]) -> Vec<Range<u32>> {
    let pieces = |r: &Range<u32>| {
        let r = r.clone();
        r.clone().step_by(PORTION as usize).map(move |at| at..r.end.min(at.saturating_add(PORTION)))
    };
    level.iter().flat_map(pieces).collect()
}

/// A state to look for, ordered so that the choice among several does not depend on threads.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    state: Vec<u64>,
    /// It is one of the present level: it has no successor, or a step out of it is the target. Otherwise it belongs to the
    /// next level.
    stuck: bool,
}

/// One pass over (what is left of) a level, shared by the workers.
struct LevelWork<'a, S> {
    space: &'a S,
    store: &'a Store,
    check: &'a Check<'a>,
    /// With one worker the first target ends the search; with more, the level is finished so that the choice is sure.
    stop_at_target: bool,
    portions: Vec<Range<u32>>,
    next: AtomicUsize,
    stop: AtomicBool,
    full: AtomicBool,
    unfinished: Mutex<Vec<Range<u32>>>,
}

impl<'a, S> LevelWork<'a, S> {
    fn new(
        space: &'a S,
        store: &'a Store,
        check: &'a Check<'a>,
        stop_at_target: bool,
        portions: Vec<Range<u32>>,
    ) -> Self {
        let (next, stop, full) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(false));
        Self { space, store, check, stop_at_target, portions, next, stop, full, unfinished: Mutex::default() }
    }

    fn take(&self) -> Option<Range<u32>> {
        if self.stop.load(Relaxed) { None } else { self.portions.get(self.next.fetch_add(1, Relaxed)).cloned() }
    }

    /// What nobody explored.
    fn left(self) -> Vec<Range<u32>> {
        let untaken = self.portions.into_iter().skip(self.next.into_inner());
        self.unfinished.into_inner().expect("not poisoned").into_iter().chain(untaken).collect()
    }
}

/// What a worker keeps from call to call.
struct Worker<S: Space> {
    block: Block,
    target: Option<Target>,
    stopped: Option<Stop>,
    states: u64,
    transitions: u64,
    scratch: S::Scratch,
    state: Vec<u64>,
    successors: Vec<u64>,
    /// Hash and first slot of each successor.
    probes: Vec<(u32, u64)>,
    /// Where edges have marks: the states of the batch, and how many edges each has.
    owners: Vec<(u32, u32)>,
    /// All of this level that were admitted.
    log: Log,
}

impl<S: Space> Worker<S> {
    fn new(space: &S) -> Self {
        Self {
            block: Block::default(),
            target: None,
            stopped: None,
            states: 0,
            transitions: 0,
            scratch: space.scratch(),
            state: Vec::new(),
            successors: Vec::new(),
            probes: Vec::new(),
            owners: Vec::new(),
            log: Log::default(),
        }
    }

    /// Works on portions until there are none, or something stops the level.
    fn work(&mut self, level: &LevelWork<'_, S>) {
        while let Some(portion) = level.take() {
            let mut at = portion.start;
            while at < portion.end {
                let batch_end = self.expand(level, at..portion.end);
                if self.admit(level).is_err() {
                    level.full.store(true, Relaxed);
                    level.stop.store(true, Relaxed);
                    level.unfinished.lock().expect("not poisoned").push(at..portion.end);
                    return;
                }
                at = batch_end;
                if self.target.is_some() && level.stop_at_target {
                    return;
                }
                if self.states * level.space.words() as u64 > REPORT_WORDS
                    && let Err(why) = self.report(level.check)
                {
                    self.stopped = Some(why.into());
                    level.stop.store(true, Relaxed);
                    return;
                }
            }
        }
    }

    /// Gathers the successors of as many states as make a batch; gives the first state that is not in it.
    fn expand(&mut self, level: &LevelWork<'_, S>, states: Range<u32>) -> u32 {
        self.successors.clear();
        self.owners.clear();
        for index in states.clone() {
            level.store.load(index, &mut self.state);
            let before = self.successors.len();
            let expansion = level.space.successors(&self.state, &mut self.scratch, &mut self.successors);
            if S::MARKS > 0 {
                let words = self.successors.len() - before;
                self.owners.push((index, (words / (level.space.words() + S::MARKS)) as u32));
            }
            // A successor that does not fit is one: the state is not stuck.
            let alone = expansion == Expansion::Complete && self.successors.len() == before;
            let stuck = alone && level.space.stuck_is_target();
            if stuck || expansion == Expansion::Target {
                self.found(&self.state.clone(), true);
            } else if expansion == Expansion::Outgrown {
                self.stopped = Some(Stop::Outgrown);
                level.stop.store(true, Relaxed);
            }
            if self.successors.len() >= BATCH_WORDS {
                return index + 1;
            }
        }
        states.end
    }

    /// Looks up the batch and keeps what is new. On [`Full`] the batch can simply be done again.
    fn admit(&mut self, level: &LevelWork<'_, S>) -> Result<(), Full> {
        let (words, noted) = (level.space.words(), self.log.len());
        let stride = words + S::MARKS;
        self.probes.clear();
        self.probes.extend(self.successors.chunks_exact(stride).map(|next| {
            let h = hash(&next[..words]);
            (h, level.store.peek(h))
        }));
        level.store.touch(&self.probes);
        for at in 0..self.probes.len() {
            let (h, slot) = self.probes[at];
            let (state, marks) = self.successors[at * stride..(at + 1) * stride].split_at(words);
            let interned = level.store.intern(state, h, slot, &mut self.block);
            if S::MARKS > 0 {
                match &interned {
                    Ok((index, _)) => self.log.edge(*index, marks),
                    Err(Full) => self.log.truncate(noted, S::MARKS),
                }
            }
            if interned?.1 {
                self.states += 1;
                if level.space.is_target(state) {
                    let state = state.to_vec();
                    self.found(&state, false);
                    if level.stop_at_target {
                        break;
                    }
                }
            }
        }
        self.owners.iter().for_each(|&(state, edges)| self.log.state(state, edges));
        self.transitions += self.probes.len() as u64;
        Ok(())
    }

    fn found(&mut self, state: &[u64], stuck: bool) {
        let target = Target { state: state.to_vec(), stuck };
        if self.target.as_ref().is_none_or(|best| target < *best) {
            self.target = Some(target);
        }
    }

    fn report(&mut self, check: &Check) -> Result<(), Why> {
        check.explored(std::mem::take(&mut self.states), std::mem::take(&mut self.transitions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::run::Limits;

    /// Counters that count up and wrap; where the first is two, a bit of the next one changes too.
    struct Counters(usize);

    impl Space for Counters {
        type Scratch = ();

        fn scratch(&self) {}

        fn words(&self) -> usize {
            self.0
        }

        fn initial(&self) -> Vec<u64> {
            vec![0; self.0]
        }

        fn successors(&self, state: &[u64], (): &mut (), out: &mut Vec<u64>) -> Expansion {
            for counter in 0..self.0 {
                let start = out.len();
                out.extend_from_slice(state);
                out[start + counter] = (state[counter] * 5 + 1) % 4;
                out[start + (counter + 1) % self.0] ^= u64::from(state[0] == 2) << 40;
            }
            Expansion::Complete
        }

        fn is_target(&self, _: &[u64]) -> bool {
            false
        }

        fn stuck_is_target(&self) -> bool {
            false
        }
    }

    /// The states of all levels, where those met in the first levels become trees.
    fn states(words: usize, threads: usize, compress_after: usize) -> Vec<Vec<Vec<u64>>> {
        let (space, run) = (Counters(words), Run::new(Limits { threads, ..Limits::default() }, 0));
        let mut explorer = Explorer::new(&space, &run).unwrap();
        while let Level::Done = explorer.level().unwrap() {
            if explorer.explored.levels.len() == compress_after {
                explorer.explored.store.make_trees();
            }
        }
        let Explored { store, levels, .. } = explorer.explored;
        let level = |level: &Vec<Range<u32>>| level.iter().cloned().flatten().map(|index| store.get(index)).collect();
        levels.iter().map(level).collect()
    }

    #[test]
    fn a_search_goes_on_where_it_was_when_states_become_trees() {
        for words in [2, 3, 5] {
            let plain = states(words, 1, usize::MAX);
            assert!(words < 5 || plain.iter().flatten().count() > 5_000);
            for after in [1, 4, 9] {
                assert_eq!(states(words, 1, after), plain, "{words} words");
            }
            let sorted = |mut levels: Vec<Vec<Vec<u64>>>| {
                levels.iter_mut().for_each(|level| level.sort());
                levels
            };
            assert_eq!(sorted(states(words, 2, 4)), sorted(plain), "{words} words");
        }
    }
}
