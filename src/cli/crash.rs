//! What must not happen, told so that it can be mended: a panic in any thread ends the command with 4, one last line and the command
//! line that does it again.

use super::exit::Exit;
use super::output::{self, NO_ANSWER, Output};
use prequel_harness::export::quoted;
use prequel_model::containment::is_contained;
use prequel_model::run::INTERRUPTED;
use serde_json::json;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The first panic: where and what. Nothing else goes to standard output after it.
static FIRST: OnceLock<String> = OnceLock::new();

/// The last line where there is no answer, in the form that was asked for.
static LAST: Mutex<String> = Mutex::new(String::new());

/// How long others have to come to an end after a thread has broken down.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether a thread has broken down.
pub fn happened() -> bool {
    FIRST.get().is_some()
}

/// Sets the last line of a command that breaks down; the usual one otherwise.
pub fn last_line(text: String) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = text;
}

/// Runs a command; one that breaks down, in whatever thread, is told and ends with 4.
pub fn guarded(command: impl FnOnce() -> ExitCode) -> ExitCode {
    std::panic::set_hook(Box::new(hook));
    let ended = catch_unwind(AssertUnwindSafe(command));
    match (ended, FIRST.get()) {
        (Ok(code), None) => code,
        (_, first) => {
            tell(first.map_or("no reason was given", String::as_str));
            ExitCode::from(Exit::Internal as u8)
        }
    }
}

/// Keeps the first panic, and asks everybody to stop. What waits for the broken thread for ever is not waited for.
fn hook(info: &PanicHookInfo<'_>) {
    if is_contained() {
        return;
    }
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let mut first = format!("{place}: {}", text.unwrap_or("no message"));
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        first = format!("{first}\n{trace}");
    }
    if FIRST.set(first).is_err() {
        return;
    }
    INTERRUPTED.store(true, Ordering::Relaxed);
    let watch = || {
        std::thread::sleep(PATIENCE);
        tell(FIRST.get().map_or("", String::as_str));
        std::process::exit(Exit::Internal as i32);
    };
    // Without the watch the command still ends as soon as all threads do.
    let _ = std::thread::Builder::new().spawn(watch);
}

/// Tells people and programs, once.
fn tell(what: &str) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    let again = format!("prequel {}", words.join(" "));
    output::complain(&format!(
        "internal error: this must not happen: {what}\n  = to do it again: {again}\n  = help: please report it, with this \
         command and the files that it names"
    ));
    if std::env::args_os().any(|word| word == "--json") {
        let reason = format!("internal error: {}", what.lines().next().unwrap_or_default());
        let output = Output { json: true, quiet: false, verbose: false };
        let object = json!({ "verdict": "unknown", "reason": reason, "reason_kind": "internal", "errors": [reason], "command": again });
        output::print_always(&output.text(object));
    } else {
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        output::print_always(if last.is_empty() { NO_ANSWER } else { &last });
    }
}

/// Breaks down on purpose, to see that all of this works.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Where: here, in a thread, in a pool of threads, or in a thread that nobody waits for
    #[arg(value_enum)]
    place: Place,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Place {
    Here,
    Scope,
    Pool,
    Alone,
    Waiting,
}

/// Runs the command.
pub fn run(args: &Args) -> Exit {
    use rayon::prelude::*;
    match args.place {
        Place::Here => fall(),
        Place::Scope => std::thread::scope(|scope| drop(scope.spawn(fall))),
        Place::Pool => (0..64).into_par_iter().for_each(|number| {
            if number == 33 {
                fall()
            }
        }),
        Place::Alone => drop(std::thread::spawn(fall).join()),
        // Nobody ever opens this.
        Place::Waiting => {
            let barrier = std::sync::Barrier::new(2);
            std::thread::scope(|scope| {
                scope.spawn(fall);
                barrier.wait();
            });
        }
    }
    output::print("RESULT true engine=none evidence=none checked=no\n");
    Exit::Ok
}

fn fall() {
    panic!("as was asked for");
}
