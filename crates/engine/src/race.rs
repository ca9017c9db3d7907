//! Several ways to one answer at once: the one that gets there with the fewest explored states wins.
//!
//! Lanes are compared by states, not by the clock, so the winner does not depend on luck: a lane that hears of a better one goes
//! on until it has explored more itself. Lanes explore at about the same speed, so that costs little time.

use prequel_model::Why;
use prequel_model::run::{Check, Run};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Why a lane ended without an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A limit of the run was reached.
    Limit(Why),
    /// Another lane had its answer with less.
    Outrun,
    /// It may not do more checks, or no larger ones.
    Spent,
}

/// One of the searches of a race.
pub struct Lane<'a> {
    run: &'a Run,
    /// The least [`Lane::score`] of a lane that has an answer.
    best: &'a AtomicU64,
    lanes: u64,
    number: u64,
    explored: Cell<u64>,
    checks: Cell<u64>,
    /// States that every check holds besides those it explores.
    beside: Cell<u64>,
    most: Most,
}

/// How far a lane may go.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Checks.
    pub checks: u64,
    /// States of one check.
    pub states: u64,
}

impl Most {
    /// As far as it likes.
    pub const UNBOUNDED: Self = Self { checks: u64::MAX, states: u64::MAX };
}

impl<'a> Lane<'a> {
    /// Its place in the race.
    pub fn number(&self) -> usize {
        self.number as usize
    }

    /// The states of all restrictions, for the size of later checks.
    pub fn holds(&self, states: u64) {
        self.beside.set(states);
    }

    /// Whether it may do another check.
    pub fn may_go_on(&self) -> Result<(), Stop> {
        if self.checks.get() >= self.most.checks { Err(Stop::Spent) } else { Ok(()) }
    }

    /// Whether its run may go on: for what takes long between two looks at the limits.
    pub fn allowed(&self) -> bool {
        self.run.allowed().is_ok()
    }

    /// Whether a proof is asked for.
    pub fn proves(&self) -> bool {
        self.run.proves()
    }

    /// Checks so far.
    pub fn checks(&self) -> u64 {
        self.checks.get()
    }

    /// Opens a check.
    pub fn check(&self) -> Counted<'_, 'a> {
        self.checks.set(self.checks.get() + 1);
        Counted { lane: self, check: self.run.check_beside(self.beside.get()), states: Cell::new(0) }
    }

    /// Fewer states first, then the lower number.
    fn score(&self) -> u64 {
        self.explored.get().saturating_mul(self.lanes).saturating_add(self.number)
    }
}

/// A check that is counted for the run and for its lane.
pub struct Counted<'l, 'a> {
    lane: &'l Lane<'a>,
    check: Check<'a>,
    states: Cell<u64>,
}

impl Counted<'_, '_> {
    /// Adds to the counters and looks at every limit.
    pub fn explored(&self, states: u64, transitions: u64) -> Result<(), Stop> {
        let lane = self.lane;
        lane.explored.set(lane.explored.get() + states);
        self.states.set(self.states.get() + states);
        self.check.explored(states, transitions).map_err(Stop::Limit)?;
        if self.states.get() > lane.most.states {
            return Err(Stop::Spent);
        }
        if lane.score() > lane.best.load(Relaxed) { Err(Stop::Outrun) } else { Ok(()) }
    }
}

/// A search without competitors.
pub fn alone<T>(run: &Run, most: Most, search: impl FnOnce(&Lane) -> T) -> T {
    let (zero, best) = (|| Cell::new(0), AtomicU64::new(u64::MAX));
    let (explored, checks, beside) = (zero(), zero(), zero());
    search(&Lane { run, best: &best, lanes: 1, number: 0, explored, checks, beside, most })
}

/// Runs `search` in as many lanes as the run has threads, at most `ways`; the answer of the best lane, or why there is none.
pub fn race<T: Send>(
    run: &Run,
    ways: usize,
    most: Most,
    search: impl Fn(&Lane) -> Result<T, Stop> + Sync,
) -> Result<T, Stop> {
    let lanes = run.limits.threads.clamp(1, ways.max(1)) as u64;
    let best = AtomicU64::new(u64::MAX);
    let drive = |number: u64| {
        let zero = || Cell::new(0);
        let lane = Lane { run, best: &best, lanes, number, explored: zero(), checks: zero(), beside: zero(), most };
        let found = search(&lane)?;
        best.fetch_min(lane.score(), Relaxed);
        Ok((lane.score(), found))
    };
    if lanes == 1 {
        return drive(0).map(|(_, found)| found);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(lanes as usize).build();
    let pool = pool.expect("the system can start worker threads");
    let ended: Vec<Result<(u64, T), Stop>> = pool.broadcast(|thread| drive(thread.index() as u64));
    let (found, stopped): (Vec<_>, Vec<_>) = ended.into_iter().partition(Result::is_ok);
    let winner = found.into_iter().flatten().min_by_key(|(score, _)| *score);
    let stops = || stopped.iter().filter_map(|s| s.as_ref().err());
    match winner {
        Some((_, found)) => Ok(found),
        // A limit says more than a spent budget.
        None => {
            Err(stops().find(|s| matches!(s, Stop::Limit(_))).or(stops().next()).expect("every lane ended").clone())
        }
    }
}
