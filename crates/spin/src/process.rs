//! A child process in a folder of its own, under wall time, memory and Ctrl-C.
//!
//! The child leads a process group, so that a compiler's own children end with it. Memory is what the group has resident, as
//! the limit is defined for ourselves; an address-space limit somewhat above it catches what grows faster than we look. That limit
//! needs a system call between the start of a process and that of the program, which safe Rust has no way for: `sh` makes it.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use prequel_model::Why;
use prequel_model::run::Run;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Address space beyond the resident limit: libraries, and pages that are asked for but never touched.
const SLACK: u64 = 1 << 30;

/// How a child ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// By itself, with this number.
    Exit(i32),
    /// By a signal; zero where the system does not tell which.
    Signal(i32),
}

impl Status {
    fn of(status: ExitStatus) -> Self {
        match status.code() {
            Some(code) => Status::Exit(code),
            None => Status::Signal(signal(status).unwrap_or(0)),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Exit(code) => write!(f, "ended with status {code}"),
            Status::Signal(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(f, "was ended by {signal}"),
                Err(_) => write!(f, "was ended by signal {number}"),
            },
        }
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// What a finished child left behind.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How it ended.
    pub status: Status,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// Wall time.
    pub time: Duration,
}

impl Ended {
    /// Whether it ended with 0.
    pub fn success(&self) -> bool {
        self.status == Status::Exit(0)
    }

    /// The first line that it said, for a message.
    pub fn first_words(&self) -> &str {
        let lines = self.stderr.lines().chain(self.stdout.lines());
        lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or("no message")
    }
}

/// Runs a program in a folder until it ends or a limit of the run is reached; then nothing of it is left running.
pub fn run(program: &Path, arguments: &[String], folder: &Path, run: &Run) -> Result<Ended, Why> {
    watched(program, arguments, folder, run, &mut |_| Ok(()))
}

/// The same; what it has said so far is told once a second, and ends it where `told` does not let it go on.
pub fn watched(
    program: &Path,
    arguments: &[String],
    folder: &Path,
    run: &Run,
    told: &mut dyn FnMut(&str) -> Result<(), Why>,
) -> Result<Ended, Why> {
    let broken = |what: std::io::Error| Why::External(format!("{} could not be run: {what}", program.display()));
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let (out, err) = (folder.join(format!("{name}.stdout")), folder.join(format!("{name}.stderr")));
    let mut command = limited(program, run.limits.memory);
    // A compiler that is killed leaves its own temporary files behind: they go with the folder.
    command.args(arguments).current_dir(folder).env("TMPDIR", folder).stdin(Stdio::null());
    command.stdout(File::create(&out).map_err(broken)?).stderr(File::create(&err).map_err(broken)?);
    let started = Instant::now();
    let mut group = Group::start(command).map_err(broken)?;
    let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(broken);
    let status = group.wait(run, &mut || told(&text(&out)?))?.map_err(broken)?;
    Ok(Ended { status, stdout: text(&out)?, stderr: text(&err)?, time: started.elapsed() })
}

/// The program on PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// The command, behind a shell that lowers the address-space limit where there is one for memory.
fn limited(program: &Path, memory: Option<u64>) -> Command {
    match memory {
        Some(bytes) if cfg!(unix) => {
            let kib = (bytes.saturating_add(SLACK)) >> 10;
            let mut shell = Command::new("sh");
            // A shell that cannot set the limit runs the program all the same: we still look at what it uses.
            shell.arg("-c").arg(format!("ulimit -v {kib} 2>/dev/null; exec \"$@\"")).arg("sh").arg(program);
            shell
        }
        _ => Command::new(program),
    }
}

/// How often limits are looked at while a child runs: somebody who was overtaken ends at once.
const LOOK: Duration = Duration::from_millis(5);

/// How often is told what it says.
const SECOND: Duration = Duration::from_secs(1);

/// How often its memory is: that takes a look at every process there is.
const WEIGH: Duration = Duration::from_millis(50);

/// A running child and all that it starts. Dropped, it is killed.
struct Group {
    leader: u32,
    /// How it ends, from a thread that waits for it.
    end: Receiver<std::io::Result<ExitStatus>>,
    ended: bool,
}

impl Group {
    fn start(mut command: Command) -> std::io::Result<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            command.process_group(0);
        }
        let mut child = command.spawn()?;
        let (tell, end) = mpsc::channel();
        let group = Self { leader: child.id(), end, ended: false };
        // Nobody has to look again and again whether a short run is over.
        std::thread::Builder::new().spawn(move || drop(tell.send(child.wait())))?;
        Ok(group)
    }

    /// Waits until the child ends, and looks at the limits meanwhile.
    fn wait(
        &mut self,
        run: &Run,
        each_second: &mut dyn FnMut() -> Result<(), Why>,
    ) -> Result<std::io::Result<Status>, Why> {
        let (mut weighed, mut told) = (Instant::now(), Instant::now());
        loop {
            match self.end.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(status) => {
                    self.ended = true;
                    return Ok(status.map(Status::of));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Err(std::io::Error::other("nobody waits for it any more")));
                }
            }
            run.allowed()?;
            if told.elapsed() >= SECOND {
                each_second()?;
                told = Instant::now();
            }
            if let Some(limit) = run.limits.memory
                && weighed.elapsed() >= WEIGH
            {
                if resident_of_group(self.leader) >= limit {
                    return Err(Why::Memory(format!("{} MiB", limit >> 20)));
                }
                weighed = Instant::now();
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let group = Pid::from_raw(self.leader.cast_signed());
        // Should the group be gone already, there is nothing to end.
        let _ = killpg(group, Signal::SIGKILL);
        // Its folder is removed next: nobody may write there any more.
        let _ = self.end.recv();
    }
}

/// Resident memory of a process group, where the system tells.
fn resident_of_group(group: u32) -> u64 {
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let of = |entry: std::io::Result<fs::DirEntry>| {
        let stat = fs::read_to_string(entry.ok()?.path().join("stat")).ok()?;
        // After the name, which may hold anything: state, parent, group, … and resident pages as the 22nd.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let mine = fields.get(2)?.parse() == Ok(group);
        mine.then(|| fields.get(21)?.parse::<u64>().ok())?
    };
    let pages: u64 = processes.filter_map(of).sum();
    pages * PAGE
}

/// Bytes of a page on the systems that have `/proc`; where pages are larger, memory is taken for less than it is and the
/// address-space limit is what stops the child.
const PAGE: u64 = 4096;

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use prequel_model::run::Limits;

    fn shell(script: &str, limits: Limits) -> Result<Ended, Why> {
        let folder = tempfile::tempdir().unwrap();
        run(&find("sh").unwrap(), &["-c".into(), script.into()], folder.path(), &Run::new(limits, 0))
    }

    #[test]
    fn output_and_status_are_kept_apart() {
        let ended = shell("echo out; echo err >&2; exit 3", Limits::default()).unwrap();
        assert_eq!((ended.status, &*ended.stdout, &*ended.stderr), (Status::Exit(3), "out\n", "err\n"));
        assert_eq!(ended.first_words(), "err");
    }

    #[test]
    fn a_signal_is_no_status() {
        for (limits, memory) in
            [(Limits::default(), "none"), (Limits { memory: Some(1 << 33), ..Limits::default() }, "8 GiB")]
        {
            let ended = shell("echo half; kill -SEGV $$", limits).unwrap();
            assert_eq!(
                (ended.status, &*ended.stdout, ended.success()),
                (Status::Signal(11), "half\n", false),
                "{memory}"
            );
            assert_eq!(ended.status.to_string(), "was ended by SIGSEGV");
        }
    }

    #[test]
    fn time_ends_the_child_and_what_it_started() {
        let marked = format!("{}.5", 40_000 + std::process::id());
        let limits = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
        let started = Instant::now();
        assert!(matches!(shell(&format!("sleep {marked} & sleep {marked}; true"), limits), Err(Why::Time(_))));
        assert!(started.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(100));
        let left = fs::read_dir("/proc").unwrap().filter_map(|e| fs::read(e.ok()?.path().join("cmdline")).ok());
        let left: Vec<String> = left.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
        assert!(!left.iter().any(|line| line.starts_with("sleep\0") && line.contains(&marked)), "{left:?}");
    }

    #[test]
    fn memory_ends_the_child() {
        // Our own memory counts too, so the limit is well above it; the child doubles a string until it is stopped.
        let limits = Limits { memory: Some(300 << 20), time: Some(Duration::from_secs(60)), ..Limits::default() };
        let ended = shell("x=0123456789abcdef; while :; do x=$x$x; done", limits);
        let stopped = match &ended {
            Err(Why::Memory(_)) => true,
            Ok(ended) => !ended.success(),
            Err(_) => false,
        };
        assert!(stopped, "{ended:?}");
    }

    #[test]
    fn a_missing_program_is_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let ended = run(Path::new("/nowhere/spin"), &[], folder.path(), &Run::new(Limits::default(), 0));
        assert!(matches!(ended, Err(Why::External(why)) if why.contains("/nowhere/spin")));
        assert_eq!(find("no-such-program-anywhere"), None);
    }
}
