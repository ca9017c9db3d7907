//! The last resort: ends a command that does not heed its limits, or Ctrl-C, by itself.
//!
//! Whoever can take long looks at a [`Watch`], stops, and tells what it had. Some cannot: a file that is never written to blocks
//! whoever reads it, and a library call on a large input goes on to its end. So a thread of its own looks too. It steps in a
//! little later, when all others had their chance; it says what the contract wants said and ends the process. Once the command has
//! begun to say its answer, or to move files to their places, it has the last word: there are never two answers, and no part of one.

use super::crash;
use super::exit::Exit;
use prequel_model::Why;
use prequel_model::watch::Watch;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Between two looks. Memory can grow by some ten megabytes in it.
const PAUSE: Duration = Duration::from_millis(5);
/// What a command may take to end by itself.
const GRACE: Duration = Duration::from_millis(250);
/// The same while there are children, which are ended first.
const GRACE_WITH_CHILDREN: Duration = Duration::from_secs(2);
/// What saying it may take: nobody may be reading.
const TELLING: Duration = Duration::from_millis(100);

/// How far the command is.
struct Progress {
    /// Who says how it ends, once somebody does.
    voice: Option<Voice>,
    /// Files that are not yet at their place.
    staged: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    Command,
    Watchdog,
}

static PROGRESS: Mutex<Progress> = Mutex::new(Progress { voice: None, staged: Vec::new() });

thread_local! {
    /// Set in the thread that speaks for the watchdog.
    static SPEAKS: Cell<bool> = const { Cell::new(false) };
}

fn progress() -> MutexGuard<'static, Progress> {
    PROGRESS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on the command says its answer. Does not come back where it is too late for that.
pub fn answer() {
    if SPEAKS.get() {
        return;
    }
    if *progress().voice.get_or_insert(Voice::Command) == Voice::Watchdog {
        loop {
            std::thread::park();
        }
    }
}

/// A file that goes again if the command ends before it is at its place.
pub fn staged(path: &Path) {
    progress().staged.push(path.to_owned());
}

/// Holds a command to its limits. `tell` says that they were reached.
pub fn start(watch: Watch, tell: impl FnOnce(&Why) + Send + 'static) {
    // Without a thread there is only what everybody does by themselves.
    let _ = std::thread::Builder::new().name("watchdog".into()).spawn(move || {
        let mut why = overdue(&watch);
        while crash::happened() {
            // Everybody was asked to stop because of it; it is told by whoever noticed.
            std::thread::park();
        }
        let mut progress = progress();
        if *progress.voice.get_or_insert(Voice::Watchdog) == Voice::Watchdog {
            progress.staged.iter().for_each(|path| drop(std::fs::remove_file(path)));
            let (told, over) = mpsc::channel();
            let reason = why.clone();
            std::thread::spawn(move || {
                SPEAKS.set(true);
                tell(&reason);
                let _ = told.send(());
            });
            let _ = over.recv_timeout(TELLING);
        } else {
            // An answer that nobody reads keeps the process; who interrupts it wants it gone.
            drop(progress);
            while why != Why::Interrupted {
                std::thread::sleep(GRACE);
                why = watch.allowed().err().unwrap_or(why);
            }
        }
        std::process::exit(if why == Why::Interrupted { Exit::Interrupted } else { Exit::Unknown } as i32);
    });
}

/// Waits until a limit was reached, and nothing came of it.
fn overdue(watch: &Watch) -> Why {
    let mut since: Option<Instant> = None;
    loop {
        std::thread::sleep(PAUSE);
        let grace = match watch.allowed() {
            // It has shrunk again.
            Ok(()) => {
                since = None;
                continue;
            }
            Err(why @ Why::Memory(_)) => {
                if watch.memory_far_beyond() {
                    return why;
                }
                continue;
            }
            Err(_) if since.is_some_and(|since| since.elapsed() >= GRACE) && has_children() => GRACE_WITH_CHILDREN,
            Err(_) => GRACE,
        };
        if since.get_or_insert_with(Instant::now).elapsed() >= grace
            && let Err(why) = watch.allowed()
        {
            return why;
        }
    }
}

/// Whether there are processes that this one has started, where the system tells.
fn has_children() -> bool {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return false };
    let of =
        |thread: std::io::Result<std::fs::DirEntry>| std::fs::read_to_string(thread.ok()?.path().join("children")).ok();
    threads.filter_map(of).any(|children| !children.trim().is_empty())
}
