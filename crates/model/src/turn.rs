//! Turns: several searches for one answer on fewer threads than there are searches.
//!
//! Each search has a thread of its own, but only as many work at a time as the [`Relay`] has places. A search counts its work each
//! time it looks at its limits; once it has done its share it waits there, and the next one goes on where it stopped before. Shares
//! are work, not time: with one place who comes first does not depend on the clock.

use crate::Why;
use crate::watch::resident_bytes;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Who works and who waits.
#[derive(Debug)]
pub struct Relay {
    state: Mutex<State>,
    changed: Condvar,
    places: usize,
    /// Work of all together after which nobody goes on.
    most: u64,
}

#[derive(Debug, Default)]
struct State {
    lanes: Vec<Lane>,
    waiting: VecDeque<usize>,
    working: usize,
    /// The first turn is over. Until then whoever is first works alone, however many places there are: what is decided in it does
    /// not depend on the clock either.
    begun: bool,
    over: bool,
    /// Work of all so far.
    spent: u64,
    /// Memory of the process when it was last looked at.
    resident: u64,
}

#[derive(Debug)]
struct Lane {
    /// Work that it may do at a time.
    share: u64,
    /// What is left of that.
    left: u64,
    stage: Stage,
    /// When its turn began.
    since: Instant,
    /// How long it has worked in all turns before.
    worked: Duration,
    /// By how much memory grew while it worked.
    holds: i64,
    /// It has to make room for the others.
    evicted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Waiting,
    Working,
    Left,
}

/// A place in a relay, for everything that one search does.
#[derive(Clone, Debug)]
pub struct Turn {
    relay: Arc<Relay>,
    lane: usize,
}

impl Relay {
    /// So many work at a time, until they have done so much together where that is limited.
    pub fn new(places: usize, most: Option<u64>) -> Arc<Self> {
        let state = State { resident: resident_bytes().unwrap_or(0), ..State::default() };
        Arc::new(Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            places: places.max(1),
            most: most.unwrap_or(u64::MAX),
        })
    }

    /// Another search, which comes last: it does `first` units of work at first, and `share` each time after that.
    pub fn join(self: &Arc<Self>, first: u64, share: u64) -> Turn {
        let mut state = self.lock();
        let lane = state.lanes.len();
        let (since, worked) = (Instant::now(), Duration::ZERO);
        let stage = Stage::Waiting;
        state.lanes.push(Lane { share, left: first, stage, since, worked, holds: 0, evicted: false });
        state.waiting.push_back(lane);
        Turn { relay: self.clone(), lane }
    }

    /// Nobody has to go on.
    pub fn end(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fills free places with those who wait longest.
    fn fill(&self, state: &mut State) {
        while !state.over && state.working < if state.begun { self.places } else { 1 } {
            let Some(next) = state.waiting.pop_front() else { break };
            (state.lanes[next].stage, state.lanes[next].since) = (Stage::Working, Instant::now());
            state.working += 1;
        }
        self.changed.notify_all();
    }

    /// With one place it can be told who took how much memory.
    fn note_memory(&self, state: &mut State, lane: usize) {
        let (Some(now), 1) = (resident_bytes(), self.places) else { return };
        state.lanes[lane].holds += now as i64 - state.resident as i64;
        state.resident = now;
    }
}

impl Turn {
    /// Waits until it is its turn for the first time. Whoever comes first is decided once all have joined.
    pub fn start(&self) -> Result<(), Why> {
        let mut state = self.relay.lock();
        self.relay.fill(&mut state);
        self.wait(state)
    }

    /// Counts work that was done; waits while others have their turn.
    pub fn spend(&self, work: u64) -> Result<(), Why> {
        let mut state = self.relay.lock();
        state.spent = state.spent.saturating_add(work);
        if state.spent > self.relay.most {
            state.over = true;
            self.relay.changed.notify_all();
        }
        let lane = &mut state.lanes[self.lane];
        if lane.stage == Stage::Working && lane.left > work {
            lane.left -= work;
            let evicted = lane.evicted;
            return if evicted || state.over { Err(Why::Interrupted) } else { Ok(()) };
        }
        self.pause(&mut state);
        self.wait(state)
    }

    /// Makes room where this search has used up the memory that all may have together: the one that holds most has to end. Tells
    /// whether that was another one, which has ended by then; where several work at a time, nobody knows who holds what.
    pub fn make_room(&self) -> bool {
        if self.relay.places > 1 {
            return false;
        }
        let mut state = self.relay.lock();
        self.relay.note_memory(&mut state, self.lane);
        let held = |lane: &usize| (state.lanes[*lane].holds, *lane);
        let others = (0..state.lanes.len()).filter(|&lane| state.lanes[lane].stage == Stage::Waiting);
        let Some(most) = others.max_by_key(held).filter(|&most| held(&most) > held(&self.lane)) else { return false };
        state.lanes[most].evicted = true;
        state.waiting.retain(|&lane| lane != most);
        state.waiting.push_front(most);
        self.pause(&mut state);
        // Nobody else has to wait for this one: it goes on as soon as there is room.
        if let Some(at) = state.waiting.iter().position(|&lane| lane == self.lane) {
            state.waiting.remove(at);
            state.waiting.push_front(self.lane);
        }
        self.wait(state).is_ok()
    }

    /// Whether nobody has to go on.
    pub fn is_over(&self) -> bool {
        self.relay.lock().over
    }

    /// How long it has worked so far, without the turns of others.
    pub fn worked(&self) -> Duration {
        let state = self.relay.lock();
        let lane = &state.lanes[self.lane];
        if lane.stage == Stage::Working { lane.worked + lane.since.elapsed() } else { lane.worked }
    }

    /// Whether it had to end so that others can go on.
    pub fn evicted(&self) -> bool {
        self.relay.lock().lanes[self.lane].evicted
    }

    /// This search is over; the others go on.
    pub fn leave(&self) {
        let mut state = self.relay.lock();
        let lane = &mut state.lanes[self.lane];
        match std::mem::replace(&mut lane.stage, Stage::Left) {
            Stage::Working => {
                lane.worked += lane.since.elapsed();
                state.working -= 1;
                state.begun = true;
            }
            Stage::Waiting => state.waiting.retain(|&lane| lane != self.lane),
            Stage::Left => {}
        }
        self.relay.note_memory(&mut state, self.lane);
        self.relay.fill(&mut state);
    }

    /// The end of its turn.
    fn pause(&self, state: &mut State) {
        let lane = &mut state.lanes[self.lane];
        if lane.stage == Stage::Working {
            (lane.left, lane.stage) = (lane.share, Stage::Waiting);
            lane.worked += lane.since.elapsed();
            state.working -= 1;
            state.begun = true;
            state.waiting.push_back(self.lane);
            self.relay.note_memory(state, self.lane);
            self.relay.fill(state);
        }
    }

    fn wait(&self, state: MutexGuard<'_, State>) -> Result<(), Why> {
        let waits = |state: &mut State| state.lanes[self.lane].stage == Stage::Waiting && !state.over;
        let state = self.relay.changed.wait_while(state, waits).unwrap_or_else(PoisonError::into_inner);
        let lane = &state.lanes[self.lane];
        if state.over || lane.evicted || lane.stage == Stage::Left { Err(Why::Interrupted) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What several searches do, in the order in which they do it: each so many steps of one unit of work.
    fn log(places: usize, first: u64, share: u64, steps: &[usize]) -> Vec<(usize, usize)> {
        let (relay, log) = (Relay::new(places, None), Mutex::new(Vec::new()));
        let turns: Vec<Turn> = steps.iter().map(|_| relay.join(first, share)).collect();
        std::thread::scope(|scope| {
            for (who, turn) in turns.iter().enumerate() {
                let log = &log;
                scope.spawn(move || {
                    turn.start().unwrap();
                    for step in 0..steps[who] {
                        log.lock().unwrap().push((who, step));
                        turn.spend(1).unwrap();
                    }
                    turn.leave();
                });
            }
        });
        log.into_inner().unwrap()
    }

    #[test]
    fn one_place_gives_turns_by_work_and_not_by_the_clock() {
        let expected = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (0, 4), (1, 3), (1, 4), (0, 5)];
        for _ in 0..20 {
            assert_eq!(log(1, 3, 2, &[6, 5]), expected);
        }
    }

    #[test]
    fn everybody_comes_to_an_end_whatever_the_number_of_places() {
        for places in 1..5 {
            let steps = [40, 0, 7, 100, 3];
            assert_eq!(log(places, 5, 3, &steps).len(), steps.iter().sum::<usize>());
        }
    }

    #[test]
    fn whoever_is_first_has_its_first_turn_alone() {
        for places in 1..4 {
            let log = log(places, 50, 1, &[40, 30, 30]);
            assert!(log[..40].iter().all(|&(who, _)| who == 0), "{places}: {log:?}");
        }
    }

    #[test]
    fn the_end_reaches_those_who_wait() {
        let relay = Relay::new(1, None);
        let (first, second) = (relay.join(1, 1), relay.join(1, 1));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| second.start());
            first.start().unwrap();
            relay.end();
            assert_eq!(waiting.join().unwrap(), Err(Why::Interrupted));
        });
        assert_eq!(first.spend(0), Err(Why::Interrupted));
    }

    #[test]
    fn nobody_goes_on_once_all_have_done_what_they_may_together() {
        let relay = Relay::new(1, Some(6));
        let (first, second) = (relay.join(4, 4), relay.join(4, 4));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| second.start().and_then(|()| (0..9).try_for_each(|_| second.spend(1))));
            first.start().unwrap();
            let ended = (0..9).try_for_each(|_| first.spend(1));
            assert_eq!(ended, Err(Why::Interrupted));
            assert_eq!(other.join().unwrap(), Err(Why::Interrupted));
        });
        assert_eq!(relay.lock().spent, 7);
    }

    #[test]
    fn who_joins_later_has_its_turn_too() {
        let relay = Relay::new(1, None);
        let first = relay.join(1, 1);
        first.start().unwrap();
        let second = relay.join(10, 1);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                second.start()?;
                second.leave();
                Ok::<(), Why>(())
            });
            first.spend(1).unwrap();
            assert_eq!(other.join().unwrap(), Ok(()));
        });
    }

    #[test]
    fn who_holds_most_makes_room() {
        let relay = Relay::new(1, None);
        let (large, small) = (relay.join(1, 1), relay.join(1, 1));
        std::thread::scope(|scope| {
            let ended = scope.spawn(|| {
                large.start().unwrap();
                relay.lock().lanes[0].holds = i64::MAX / 2;
                let ended = large.spend(1);
                large.leave();
                ended
            });
            small.start().unwrap();
            assert!(small.make_room());
            assert!(!small.make_room(), "nobody else is left");
            assert_eq!(ended.join().unwrap(), Err(Why::Interrupted));
            assert!(large.evicted() && !small.evicted());
        });
    }
}
