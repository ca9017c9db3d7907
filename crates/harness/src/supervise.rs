//! One command under limits, watched by a process of its own.
//!
//! The watcher is this program again (`prequel supervise`, which reads an [`Order`] and prints what it [`Measured`]): the peak
//! memory that the system reports of a child includes what its parent had when it was started, so the parent must be small. It
//! adopts what the command leaves behind, so that nothing gets away; what is left at the end is killed.
//!
//! | limit | how |
//! | --- | --- |
//! | wall time | looked at every few milliseconds |
//! | CPU time | `RLIMIT_CPU` for each process, and the sum of all looked at |
//! | memory | cgroup v2 where it can be had; otherwise `RLIMIT_AS`, and the resident sum of all looked at |
//! | output | what is beyond the limit is read and thrown away |

use super::cgroup::Cgroup;
use super::family_tree::{Member, members};
use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::sys::time::TimeValLike as _;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{Pid, getppid};
use prequel_model::run::INTERRUPTED;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Between two looks at the processes.
const LOOK: Duration = Duration::from_millis(10);
/// How long an interruption may take to reach a watcher by itself.
const GRACE: Duration = Duration::from_millis(500);
/// Address space beyond the memory limit: libraries, stacks, and pages that are asked for but never touched.
const SLACK: u64 = 1 << 30;
/// What the command writes is kept here.
pub(crate) const STDOUT: &str = "stdout";
/// What the command says is kept here.
pub(crate) const STDERR: &str = "stderr";

/// What is to be run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder that it runs in, and that its output goes to.
    pub folder: PathBuf,
    /// What it may use.
    pub limits: Allowance,
    /// The cores that it may run on; all, if none.
    pub cores: Vec<usize>,
    /// Who wants to know: when that process ends, so does this.
    pub parent: i32,
}

/// What a command may use.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Allowance {
    /// Seconds of wall time.
    pub wall: f64,
    /// Seconds of CPU time, all processes together.
    pub cpu: f64,
    /// Bytes of memory, all processes together.
    pub memory: u64,
    /// Bytes of output that are kept.
    pub output: u64,
}

/// How the command ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It could not be started.
    NotStarted(String),
}

/// Why it was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// Wall time.
    Wall,
    /// CPU time.
    Cpu,
    /// Memory.
    Memory,
    /// Nobody wants to know any more.
    Interrupted,
}

/// What memory is limited and measured by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// `setrlimit`, and looking at the processes.
    Rlimit,
    /// A control group, version 2.
    Cgroup,
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// How it ended.
    pub ended: Ended,
    /// Whether it was stopped, and why.
    pub stopped: Option<Stopped>,
    /// Seconds from the start to the end of the command itself.
    pub wall: f64,
    /// Seconds of CPU time of all its processes.
    pub cpu: f64,
    /// Peak resident bytes of the largest process.
    pub largest: u64,
    /// Peak bytes of all processes together, as far as was seen.
    pub together: u64,
    /// Processes that were still there when it ended, and were killed.
    pub left: u32,
    /// Bytes of output that were thrown away.
    pub cut: u64,
    /// How memory was limited.
    pub isolation: Isolation,
}

/// The cores that this process may run on: not all of them where a batch system gives them out.
pub fn cores() -> Vec<usize> {
    let allowed = sched_getaffinity(Pid::from_raw(0)).unwrap_or_default();
    (0..CpuSet::count()).filter(|&core| allowed.is_set(core).unwrap_or(false)).collect()
}

/// The other side: has an order carried out by a process of its own.
pub(crate) fn supervised(order: &Order) -> std::io::Result<Measured> {
    let own = std::env::current_exe()?;
    let mut watcher = Command::new(own)
        .arg("supervise")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    let text = serde_json::to_vec(order)?;
    watcher.stdin.take().expect("it is piped").write_all(&text)?;
    let (id, done) = (Pid::from_raw(watcher.id() as i32), AtomicBool::new(false));
    let output = std::thread::scope(|scope| {
        let teller = scope.spawn(|| tell(id, &done));
        let output = watcher.wait_with_output();
        done.store(true, Relaxed);
        teller.thread().unpark();
        output
    })?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Passes an interruption on to the watcher. A terminal tells it itself, and to be told twice would end it before it has cleaned up:
/// so it is only told if it goes on.
fn tell(watcher: Pid, done: &AtomicBool) {
    let mut since: Option<Instant> = None;
    while !done.load(Relaxed) {
        if INTERRUPTED.load(Relaxed) && since.get_or_insert_with(Instant::now).elapsed() > GRACE {
            let _ = kill(watcher, Signal::SIGTERM);
            return;
        }
        std::thread::park_timeout(GRACE / 5);
    }
}

/// What the watcher does: reads an order, has it carried out, prints what was measured.
pub fn serve() -> std::io::Result<()> {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let order: Order = serde_json::from_slice(&text)?;
    let measured = carry_out(&order)?;
    let mut out = std::io::stdout();
    out.write_all(&serde_json::to_vec(&measured)?)?;
    out.flush()
}

fn carry_out(order: &Order) -> std::io::Result<Measured> {
    prctl::set_child_subreaper(true)?;
    prctl::set_pdeathsig(Signal::SIGTERM)?;
    if getppid().as_raw() != order.parent {
        return Err(std::io::Error::other("whoever gave the order is gone"));
    }
    let Allowance { wall, cpu, memory, output } = order.limits;
    if !order.cores.is_empty() {
        let mut set = CpuSet::new();
        order.cores.iter().try_for_each(|&core| set.set(core))?;
        sched_setaffinity(Pid::from_raw(0), &set)?;
    }
    let cgroup = Cgroup::enter(memory);
    // Children inherit these. The watcher itself needs next to nothing.
    let seconds = cpu.ceil().max(1.0) as u64;
    setrlimit(Resource::RLIMIT_CPU, seconds, seconds + 1)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    if cgroup.is_none() {
        setrlimit(Resource::RLIMIT_AS, memory.saturating_add(SLACK), memory.saturating_add(SLACK))?;
    }
    let started = Instant::now();
    let mut measured = Measured {
        ended: Ended::Code(0),
        stopped: None,
        wall: 0.0,
        cpu: 0.0,
        largest: 0,
        together: 0,
        left: 0,
        cut: 0,
        isolation: if cgroup.is_some() { Isolation::Cgroup } else { Isolation::Rlimit },
    };
    let mut child = match start(order) {
        Ok(child) => child,
        Err(why) => {
            measured.ended = Ended::NotStarted(why.to_string());
            return Ok(measured);
        }
    };
    let pid = Pid::from_raw(child.id() as i32);
    let watch = Watch { started, wall, cpu, memory, seen: AtomicU64::new(0), stopped: Mutex::new(None) };
    let done = AtomicBool::new(false);
    let cut = AtomicU64::new(0);
    let (out, err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let keep = |from: Option<Box<dyn Read + Send>>, name: &'static str| {
            let (path, cut) = (order.folder.join(name), &cut);
            scope.spawn(move || from.map(|from| cut.fetch_add(copy(from, &path, output), Relaxed)));
        };
        keep(out.map(|out| Box::new(out) as Box<dyn Read + Send>), STDOUT);
        keep(err.map(|err| Box::new(err) as Box<dyn Read + Send>), STDERR);
        let watcher = scope.spawn(|| watch.look_until(&done));
        measured.ended = wait(pid);
        measured.wall = started.elapsed().as_secs_f64();
        done.store(true, Relaxed);
        watcher.thread().unpark();
        measured.left = sweep();
    });
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.num_microseconds() as f64 / 1e6;
    measured.cpu = seconds(usage.user_time()) + seconds(usage.system_time());
    measured.largest = (usage.max_rss() as u64) << 10;
    measured.together = watch.seen.load(Relaxed).max(measured.largest);
    measured.stopped = *watch.stopped.lock().expect("no panic while it is held");
    measured.cut = cut.load(Relaxed);
    if let Some(cgroup) = cgroup {
        measured.together = cgroup.peak().unwrap_or(measured.together);
        if cgroup.ran_out() {
            measured.stopped = Some(Stopped::Memory);
        }
        cgroup.leave();
    }
    // The system itself ends a process at its limit of CPU time.
    if measured.stopped.is_none() && measured.ended == Ended::Signal(Signal::SIGXCPU as i32) {
        measured.stopped = Some(Stopped::Cpu);
    }
    Ok(measured)
}

fn start(order: &Order) -> std::io::Result<Child> {
    use std::os::unix::process::CommandExt as _;
    let (program, arguments) =
        order.command.split_first().ok_or_else(|| std::io::Error::other("there is no command"))?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&order.folder).env("TMPDIR", &order.folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()
}

/// Keeps the beginning of what comes; tells how much was thrown away.
fn copy(mut from: Box<dyn Read + Send>, path: &Path, most: u64) -> u64 {
    let Ok(mut file) = File::create(path) else { return 0 };
    let (mut kept, mut thrown, mut buffer) = (0, 0, [0; 1 << 16]);
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let room = (most - kept).min(count as u64) as usize;
        // A full disk must not stop the command.
        if file.write_all(&buffer[..room]).is_err() {
            return thrown + count as u64;
        }
        kept += room as u64;
        thrown += (count - room) as u64;
    }
    thrown
}

fn wait(pid: Pid) -> Ended {
    loop {
        match waitpid(pid, None) {
            Ok(WaitStatus::Exited(_, code)) => return Ended::Code(code),
            Ok(WaitStatus::Signaled(_, signal, _)) => return Ended::Signal(signal as i32),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(why) => return Ended::NotStarted(why.to_string()),
        }
    }
}

/// Kills all that is left and waits for it; tells how many there were.
fn sweep() -> u32 {
    let mut left = 0;
    loop {
        kill_all();
        match waitpid(None, None) {
            Ok(_) => left += 1,
            Err(Errno::EINTR) => {}
            Err(_) => return left,
        }
    }
}

fn kill_all() {
    for member in members() {
        let _ = kill(Pid::from_raw(member.pid), Signal::SIGKILL);
    }
}

/// Looks at the processes from time to time.
struct Watch {
    started: Instant,
    wall: f64,
    cpu: f64,
    memory: u64,
    /// The largest resident sum that was seen.
    seen: AtomicU64,
    stopped: Mutex<Option<Stopped>>,
}

impl Watch {
    fn look_until(&self, done: &AtomicBool) {
        while !done.load(Relaxed) {
            let wall = self.started.elapsed().as_secs_f64();
            let members: Vec<Member> = members();
            let resident = members.iter().map(|member| member.resident).sum();
            let cpu: f64 = members.iter().map(|member| member.cpu).sum();
            self.seen.fetch_max(resident, Relaxed);
            let why = if INTERRUPTED.load(Relaxed) {
                Some(Stopped::Interrupted)
            } else if wall >= self.wall {
                Some(Stopped::Wall)
            } else if cpu >= self.cpu {
                Some(Stopped::Cpu)
            } else if resident > self.memory {
                Some(Stopped::Memory)
            } else {
                None
            };
            if why.is_some() && !done.load(Relaxed) {
                let mut stopped = self.stopped.lock().expect("no panic while it is held");
                *stopped = stopped.or(why);
                kill_all();
            }
            let rest = Duration::try_from_secs_f64(self.wall - wall).unwrap_or(LOOK);
            std::thread::park_timeout(rest.min(LOOK).max(Duration::from_millis(1)));
        }
    }
}
