//! Limits as everybody may look at them who can take long: engines, readers, and those who write or check evidence.
//!
//! Whoever loops over something that the user chose the size of takes a [`Watch`] and asks it, through a [`Pace`] where the
//! steps are small. What nobody asked in time the command line ends by itself.

use crate::Why;
use crate::turn::Turn;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Set by Ctrl-C; every watch looks at it.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The limits of something that has begun. The default one has none but Ctrl-C and what the system can give.
#[derive(Clone, Debug)]
pub struct Watch {
    time: Option<Duration>,
    memory: Option<u64>,
    started: Instant,
    stop: Arc<AtomicBool>,
    turn: Option<Turn>,
}

impl Default for Watch {
    fn default() -> Self {
        Self::new(None, None, Instant::now(), Arc::default())
    }
}

impl Watch {
    /// Wall-clock time since `started`, resident memory in bytes, and a flag that ends it from another thread.
    pub fn new(time: Option<Duration>, memory: Option<u64>, started: Instant, stop: Arc<AtomicBool>) -> Self {
        Self { time, memory, started, stop, turn: None }
    }

    /// The same for one of several searches that take turns.
    pub fn taking_turns(self, turn: Option<Turn>) -> Self {
        Self { turn, ..self }
    }

    /// Time, memory and Ctrl-C, after a little work. Where several searches take turns, whoever has done its share waits here.
    pub fn allowed(&self) -> Result<(), Why> {
        self.allowed_after(LITTLE)
    }

    /// The same after so much work: about as many states or transitions of a search.
    pub fn allowed_after(&self, work: u64) -> Result<(), Why> {
        let within = self.within_limits();
        let Some(turn) = &self.turn else { return within };
        match within {
            Err(Why::Memory(_)) if turn.make_room() => turn.spend(work),
            Err(why) => Err(why),
            Ok(()) => turn.spend(work),
        }
        .map_err(|why| if turn.evicted() { Why::Memory(EVICTED.into()) } else { why })
    }

    /// Time, memory and Ctrl-C, for somebody who only looks on while another works.
    pub fn within_limits(&self) -> Result<(), Why> {
        let over = || self.turn.as_ref().is_some_and(Turn::is_over);
        if INTERRUPTED.load(Relaxed) || self.stop.load(Relaxed) || over() {
            return Err(Why::Interrupted);
        }
        if let Some(limit) = self.time.filter(|&t| self.started.elapsed() >= t) {
            return Err(Why::Time(format!("{} s", limit.as_secs_f64())));
        }
        self.memory_within(lately())
    }

    /// Whether memory is well beyond its limit: somebody did not look at it in time.
    pub fn memory_far_beyond(&self) -> bool {
        let used = Usage::now();
        let less = |bytes: Option<u64>| bytes.map(|bytes| bytes - bytes / BEYOND);
        self.memory_within(Usage { resident: less(used.resident), mapped: less(used.mapped) }).is_err()
    }

    fn memory_within(&self, used: Usage) -> Result<(), Why> {
        let over =
            |used: Option<u64>, limit: Option<u64>| limit.filter(|&limit| used.is_some_and(|used| used >= limit));
        if let Some(limit) = over(used.resident, self.memory) {
            return Err(Why::Memory(mebibytes(limit)));
        }
        let system = System::get();
        if let Some(limit) = over(used.resident, system.resident) {
            return Err(Why::Memory(format!("{}, nearly all that this machine has,", mebibytes(limit))));
        }
        if let Some(limit) = over(used.mapped, system.mapped) {
            return Err(Why::Memory(format!(
                "{} of addresses, nearly all that this process may have,",
                mebibytes(limit)
            )));
        }
        Ok(())
    }

    /// Asks now and then.
    pub fn pace(&self) -> Pace<'_> {
        Pace { watch: self, left: BETWEEN }
    }
}

/// The work between two looks of somebody who does not say how much it was.
const LITTLE: u64 = 64;

/// The memory limit of a search that holds more than the others.
const EVICTED: &str = "what it can have beside the others";

/// One in so many parts of a memory limit is what it may be exceeded by before somebody else steps in.
const BEYOND: u64 = 16;

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// Asks a watch once in so many steps, so that a step may be small.
#[derive(Debug)]
pub struct Pace<'a> {
    watch: &'a Watch,
    left: usize,
}

/// Small steps between two looks: some microseconds each at most.
const BETWEEN: usize = 1 << 12;

impl Pace<'_> {
    /// Counts a step.
    #[inline]
    pub fn step(&mut self) -> Result<(), Why> {
        self.steps(1)
    }

    /// Counts several, or one large one.
    #[inline]
    pub fn steps(&mut self, steps: usize) -> Result<(), Why> {
        if self.left > steps {
            self.left -= steps;
            return Ok(());
        }
        self.left = BETWEEN;
        self.watch.allowed_after(BETWEEN.max(steps) as u64)
    }
}

/// Memory of this process, where the system tells.
#[derive(Clone, Copy, Debug)]
struct Usage {
    resident: Option<u64>,
    /// Addresses that it has, used or not.
    mapped: Option<u64>,
}

impl Usage {
    fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self { resident: field(&status, "VmRSS:"), mapped: field(&status, "VmSize:") }
    }
}

/// Resident memory of this process, where the system tells.
pub(crate) fn resident_bytes() -> Option<u64> {
    Usage::now().resident
}

/// The largest resident memory of this process so far, where the system tells.
pub fn peak_resident_bytes() -> Option<u64> {
    field(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The memory that this process may have, where the system tells: that of the machine, or of the group that it is in.
pub fn machine_bytes() -> Option<u64> {
    static BYTES: OnceLock<Option<u64>> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemTotal:"));
        let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
        machine.into_iter().chain(group).min()
    })
}

/// A field in kibibytes, as bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// The same as of a few milliseconds ago at most: limits are looked at far more often than memory can grow, and the system takes
/// some 20 microseconds to tell.
fn lately() -> Usage {
    const LATELY: Duration = Duration::from_millis(5);
    static LAST: Mutex<Option<(Instant, Usage)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match *last {
        Some((when, used)) if when.elapsed() < LATELY => used,
        _ => {
            let used = Usage::now();
            *last = Some((Instant::now(), used));
            used
        }
    }
}

/// What the system lets a process have, less what is needed to end in order. Beyond it an allocation fails, or the system ends
/// the process, and nobody is told why.
#[derive(Debug)]
struct System {
    resident: Option<u64>,
    mapped: Option<u64>,
}

impl System {
    fn get() -> &'static Self {
        static SYSTEM: OnceLock<System> = OnceLock::new();
        SYSTEM.get_or_init(|| Self {
            resident: machine_bytes().map(|bytes| bytes - bytes / 16),
            mapped: address_space().map(|bytes| bytes - (bytes / 8).min(256 << 20)),
        })
    }
}

/// What `ulimit -v` was set to.
fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find(|line| line.starts_with("Max address space"))?;
    line.split_ascii_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_looks_once_in_a_while() {
        let late = Watch::new(Some(Duration::ZERO), None, Instant::now(), Arc::default());
        let mut pace = late.pace();
        let steps = (0..).take_while(|_| pace.step().is_ok()).count();
        assert_eq!(steps, BETWEEN - 1);
        assert!(matches!(late.pace().steps(BETWEEN), Err(Why::Time(_))));
        assert_eq!(Watch::default().pace().steps(usize::MAX), Ok(()));
    }

    #[test]
    fn memory_is_beyond_its_limit_before_it_is_far_beyond() {
        let Some(used) = resident_bytes() else { return };
        let watch = |memory| Watch::new(None, Some(memory), Instant::now(), Arc::default());
        assert!(matches!(watch(used / 2).allowed(), Err(Why::Memory(_))));
        assert!(watch(used / 2).memory_far_beyond());
        assert!(!watch(used * 4).memory_far_beyond());
    }
}
