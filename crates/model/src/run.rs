//! One run of an engine: its limits, its counters, and the line to whoever is watching.

use crate::turn::Turn;
use crate::watch::machine_bytes;
use crate::{ComponentId, LabelId, Why};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

pub use crate::watch::{INTERRUPTED, Watch, peak_resident_bytes};

/// What a run may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Resident memory in bytes.
    pub memory: Option<u64>,
    /// States explored over all checks.
    pub states: Option<u64>,
    /// Worker threads.
    pub threads: usize,
    /// Work of all who take turns together, as turns count it: a limit that does not depend on the clock.
    pub work: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: None, memory: None, states: None, threads: 1, work: None }
    }
}

/// What a run has done so far. Counters are updated in batches, from any thread.
#[derive(Debug)]
pub struct Run {
    /// What it may use.
    pub limits: Limits,
    /// Seed of every random choice.
    pub seed: u64,
    started: Instant,
    stop: Arc<AtomicBool>,
    states_total: AtomicU64,
    states_peak: AtomicU64,
    transitions: AtomicU64,
    checks: AtomicU64,
    phases: Mutex<Vec<(&'static str, Duration)>>,
    counts: Mutex<Vec<(&'static str, u64)>>,
    needs: OnceLock<Needs>,
    news: Mutex<String>,
    proves: AtomicBool,
    turn: Option<Turn>,
}

/// What an answer needs of a network: it stays the same whatever the rest is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Needs {
    /// These components, sorted.
    pub components: Vec<ComponentId>,
    /// And that nobody else takes part in these labels, if any such are said.
    pub labels: Vec<LabelId>,
}

/// Counters of a finished run, as the contract names them.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// States explored by all checks.
    pub states_total: u64,
    /// States of the largest single check.
    pub states_peak: u64,
    /// Transitions explored by all checks.
    pub transitions: u64,
    /// How many checks.
    pub checks: u64,
    /// Seconds of each phase, where the engine has such.
    pub phases: Vec<(&'static str, f64)>,
    /// What else the engine counts.
    pub counts: Vec<(&'static str, u64)>,
}

impl Run {
    /// A run that starts now.
    pub fn new(limits: Limits, seed: u64) -> Self {
        let zero = || AtomicU64::new(0);
        let (started, phases) = (Instant::now(), Mutex::default());
        let (states_total, states_peak, transitions, checks) = (zero(), zero(), zero(), zero());
        let (stop, counts) = (Arc::default(), Mutex::default());
        let (needs, news) = (OnceLock::new(), Mutex::default());
        Self {
            limits,
            seed,
            started,
            stop,
            states_total,
            states_peak,
            transitions,
            checks,
            phases,
            counts,
            needs,
            news,
            proves: AtomicBool::new(false),
            turn: None,
        }
    }

    /// A run for the same question that takes turns with others, until the same time: one thread each.
    pub fn taking_turns(&self, turn: Turn) -> Self {
        let limits = Limits { threads: 1, ..self.limits.clone() };
        Self { turn: Some(turn), ..self.part(limits) }
    }

    /// A run on the way to the answer, or for a part of it: it began when this one did, and takes its turns.
    fn part(&self, limits: Limits) -> Self {
        let proves = AtomicBool::new(self.proves());
        Self { started: self.started, proves, turn: self.turn.clone(), ..Self::new(limits, self.seed) }
    }

    /// Another run for the same question at the same time, one of so many: they end at the same time, and share memory.
    pub fn beside(&self, runs: u64) -> Self {
        let memory = self.limits.memory.map(|memory| memory / runs);
        self.part(Limits { memory, ..self.limits.clone() })
    }

    /// A run for one of several questions: with the same limits of size, and until the same time.
    pub fn again(&self) -> Self {
        self.part(self.limits.clone())
    }

    /// A run on the way to the answer, with limits of size of its own: it ends when this one does.
    pub fn within(&self, limits: Limits) -> Self {
        let time = self.limits.time;
        Self { stop: self.stop.clone(), ..self.part(Limits { time, ..limits }) }
    }

    /// A run on the way to the answer: one in so many parts of the time that is left is for what comes after it.
    pub fn first_of(&self, parts: u32) -> Self {
        let until = |time: Duration| {
            let left = time.saturating_sub(self.elapsed());
            time - left / parts
        };
        let limits = Limits { time: self.limits.time.map(until), ..self.limits.clone() };
        Self { stop: self.stop.clone(), ..self.part(limits) }
    }

    /// Counts what a run for one of several questions has done.
    pub fn add(&self, effort: &Effort) {
        self.states_total.fetch_add(effort.states_total, Relaxed);
        self.states_peak.fetch_max(effort.states_peak, Relaxed);
        self.transitions.fetch_add(effort.transitions, Relaxed);
        self.checks.fetch_add(effort.checks, Relaxed);
        effort.counts.iter().for_each(|&(name, count)| self.count(name, count));
        effort.phases.iter().for_each(|&(name, seconds)| self.phase(name, Duration::from_secs_f64(seconds)));
    }

    /// Ends it from another thread: nobody waits for its answer.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// What [`Run::stop`] sets.
    pub fn stopped(&self) -> &AtomicBool {
        &self.stop
    }

    /// Opens a check: its states and transitions are counted through the handle.
    pub fn check(&self) -> Check<'_> {
        self.check_beside(0)
    }

    /// Opens a check that holds `states` more than it explores: its size is counted with them.
    pub fn check_beside(&self, states: u64) -> Check<'_> {
        self.checks.fetch_add(1, Relaxed);
        Check { run: self, states: AtomicU64::new(states) }
    }

    /// Notes the time that a phase took, more than once if it comes again.
    pub fn phase(&self, name: &'static str, time: Duration) {
        let mut phases = self.phases.lock().expect("nobody fails while noting a time");
        match phases.iter_mut().find(|(other, _)| *other == name) {
            Some((_, all)) => *all += time,
            None => phases.push((name, time)),
        }
    }

    /// Counts something that only this engine has, by its name.
    pub fn count(&self, name: &'static str, more: u64) {
        let mut counts = self.counts.lock().expect("nobody fails while counting");
        match counts.iter_mut().find(|(other, _)| *other == name) {
            Some((_, all)) => *all += more,
            None => counts.push((name, more)),
        }
    }

    /// Does something and notes how long it took.
    pub fn timed<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let before = self.worked();
        let done = work();
        self.phase(name, self.worked().saturating_sub(before));
        done
    }

    /// Says what is under way, for the progress line.
    pub fn tell(&self, news: String) {
        *self.news.lock().expect("nobody fails while telling") = news;
    }

    /// What is under way, where that is more than a number of states.
    pub fn news(&self) -> String {
        self.news.lock().expect("nobody fails while telling").clone()
    }

    /// Notes what the answer needs, once.
    pub fn needs(&self, mut components: Vec<ComponentId>, labels: Vec<LabelId>) {
        components.sort_unstable();
        components.dedup();
        self.needs.get_or_init(|| Needs { components, labels });
    }

    /// What the answer needs, where that is less than everything.
    pub fn needed(&self) -> Option<&Needs> {
        self.needs.get()
    }

    /// Asks for a proof of the answer, also where it takes some more work to write one down.
    pub fn prove(&self) {
        self.proves.store(true, Relaxed);
    }

    /// Whether a proof of the answer is asked for.
    pub fn proves(&self) -> bool {
        self.proves.load(Relaxed)
    }

    /// Time, memory and Ctrl-C. Cheap enough to ask every few thousand states.
    pub fn allowed(&self) -> Result<(), Why> {
        self.watch().allowed()
    }

    /// The same for somebody who only looks on while another thread works for this run.
    pub fn within_limits(&self) -> Result<(), Why> {
        self.watch().within_limits()
    }

    /// The same for somebody who cannot hold the run.
    pub fn watch(&self) -> Watch {
        let Limits { time, memory, .. } = self.limits;
        Watch::new(time, memory, self.started, self.stop.clone()).taking_turns(self.turn.clone())
    }

    /// Whether others wait while this one works.
    pub fn takes_turns(&self) -> bool {
        self.turn.is_some()
    }

    /// States explored so far, for the progress line.
    pub fn states(&self) -> u64 {
        self.states_total.load(Relaxed)
    }

    /// Time since the start, without the turns of others.
    fn worked(&self) -> Duration {
        self.turn.as_ref().map_or_else(|| self.elapsed(), Turn::worked)
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Sets the counts of states and transitions back: a check starts again, and what it explored so far does not count.
    pub fn set_back(&self, to: &Effort) {
        self.states_total.store(to.states_total, Relaxed);
        self.states_peak.store(to.states_peak, Relaxed);
        self.transitions.store(to.transitions, Relaxed);
    }

    /// The counters.
    pub fn effort(&self) -> Effort {
        let phases = self.phases.lock().expect("nobody fails while noting a time");
        Effort {
            counts: self.counts.lock().expect("nobody fails while counting").clone(),
            phases: phases.iter().map(|(name, time)| (*name, time.as_secs_f64())).collect(),
            seconds: self.started.elapsed().as_secs_f64(),
            states_total: self.states_total.load(Relaxed),
            states_peak: self.states_peak.load(Relaxed),
            transitions: self.transitions.load(Relaxed),
            checks: self.checks.load(Relaxed),
        }
    }
}

/// One check of a run: the exploration of one product.
#[derive(Debug)]
pub struct Check<'a> {
    run: &'a Run,
    states: AtomicU64,
}

impl Check<'_> {
    /// Adds to the counters and looks at every limit.
    pub fn explored(&self, states: u64, transitions: u64) -> Result<(), Why> {
        let mine = self.states.fetch_add(states, Relaxed) + states;
        self.run.states_peak.fetch_max(mine, Relaxed);
        self.run.transitions.fetch_add(transitions, Relaxed);
        let total = self.run.states_total.fetch_add(states, Relaxed) + states;
        if let Some(limit) = self.run.limits.states.filter(|&limit| total >= limit) {
            return Err(Why::States(limit));
        }
        self.run.watch().allowed_after(states + transitions)
    }

    /// Whether so many bytes are so much of the memory that there may be that it is time to save.
    pub fn is_much(&self, bytes: usize) -> bool {
        let limit = self.run.limits.memory.into_iter().chain(machine_bytes()).min();
        limit.is_some_and(|limit| bytes as u64 > limit / 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_give_their_reason() {
        let limits = Limits { states: Some(10), ..Limits::default() };
        let run = Run::new(limits, 0);
        let check = run.check();
        assert_eq!(check.explored(9, 20), Ok(()));
        assert_eq!(check.explored(1, 2), Err(Why::States(10)));
        let run = Run::new(Limits { time: Some(Duration::ZERO), ..Limits::default() }, 0);
        assert!(matches!(run.allowed(), Err(Why::Time(_))));
        let run = Run::new(Limits { memory: Some(1), ..Limits::default() }, 0);
        assert!(matches!(run.allowed(), Err(Why::Memory(_))) || peak_resident_bytes().is_none());
    }

    #[test]
    fn what_comes_after_has_its_part_of_the_time() {
        let run = Run::new(Limits { time: Some(Duration::from_secs(100)), ..Limits::default() }, 0);
        let part = run.first_of(4).limits.time.unwrap().as_secs_f64();
        assert!((part - 75.0).abs() < 5.0, "{part}");
        assert_eq!(Run::new(Limits::default(), 0).first_of(4).limits.time, None);
        let late = Run::new(Limits { time: Some(Duration::ZERO), ..Limits::default() }, 0);
        assert_eq!(late.first_of(4).limits.time, Some(Duration::ZERO));
    }

    #[test]
    fn effort_adds_up_over_checks() {
        let run = Run::new(Limits::default(), 0);
        run.check().explored(5, 7).unwrap();
        run.check_beside(4).explored(3, 1).unwrap();
        let effort = run.effort();
        assert_eq!((effort.states_total, effort.states_peak, effort.transitions, effort.checks), (8, 7, 8, 2));
    }
}
