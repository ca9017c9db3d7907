//! Runs `pan` and our binary as anybody would, and reads what they report.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// What one program did.
pub struct Measured {
    pub states: u64,
    /// Of the processor, from start to end: what else the machine does is no part of it.
    pub seconds: f64,
    pub bytes: u64,
}

impl Measured {
    pub fn rate(&self) -> f64 {
        self.states as f64 / self.seconds
    }

    pub fn bytes_per_state(&self) -> f64 {
        self.bytes as f64 / self.states as f64
    }
}

/// Whether SPIN and a C compiler are here.
pub fn available() -> bool {
    ["spin", "gcc"].iter().all(|program| Command::new(program).arg("--version").output().is_ok())
}

/// What `pan` is asked: options of `spin -a`, of the compiler and of `pan`.
pub struct Asked<'a> {
    pub spin: &'a [&'a str],
    pub compiler: &'a [&'a str],
    pub pan: &'a [&'a str],
}

/// Assertions, and every state that there is.
pub const SAFETY: Asked<'static> =
    Asked { spin: &["-o1", "-o2", "-o3"], compiler: &["-DNOREDUCE", "-DSAFETY"], pan: &[] };

/// Generates, compiles and runs `pan` on a model of a folder; its time is that of the search alone.
pub fn pan(folder: &Path, model: &str, defines: &[String], asked: &Asked<'_>) -> Measured {
    let run = |program: &str, args: &[&str]| {
        let out = Command::new(program).args(args).current_dir(folder).output().expect("it starts");
        assert!(out.status.success(), "{program} failed: {}", String::from_utf8_lossy(&out.stdout));
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    let mut spin = [asked.spin, &["-a"]].concat();
    spin.extend(defines.iter().map(String::as_str));
    spin.push(model);
    run("spin", &spin);
    run("gcc", &[asked.compiler, &["-O2", "-w", "-DMEMLIM=16000", "-o", "pan", "pan.c"]].concat());
    let before = cpu_seconds();
    // -E: a deadlock is not what is measured; a table as large as it needs to be.
    let report = run("./pan", &[asked.pan, &["-E", "-m10000000", "-w24"]].concat());
    let seconds = cpu_seconds() - before;
    assert!(!report.contains("Search not completed") && !report.contains("max search depth too small"), "{report}");
    let number = |mark: &str| -> f64 {
        let line = report.lines().find(|l| l.contains(mark)).unwrap_or_else(|| panic!("no `{mark}` in {report}"));
        line.split_whitespace().next().and_then(|w| w.parse().ok()).unwrap_or_else(|| panic!("no number in {line}"))
    };
    // What pan counts for its stored states alone: its hash table and search stack, which are sized by options, are left out.
    let bytes = (number("actual memory usage for states") * 1024.0 * 1024.0) as u64;
    Measured { states: number("states, stored") as u64, seconds, bytes }
}

/// The program that stands beside this benchmark, built anew: what is measured is what the sources say.
static PREQUEL: LazyLock<PathBuf> = LazyLock::new(|| {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let build = Command::new(cargo).args(["build", "--release", "--quiet", "--locked"]).current_dir(root).status();
    assert!(build.expect("cargo starts").success(), "prequel does not build");
    let here = std::env::current_exe().expect("a path");
    here.ancestors().nth(2).expect("the folder of the build").join("prequel")
});

/// What all programs that were started here and have ended took of the processor.
pub fn cpu_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system counts");
    (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6
}

/// Runs `prequel check` in a folder.
pub fn prequel(folder: &Path, model: &str, options: &[String], threads: usize) -> Measured {
    let program = &*PREQUEL;
    let before = cpu_seconds();
    let out = Command::new(program)
        .args(["check", model, "--json", "--threads", &threads.to_string()])
        .args(options)
        .current_dir(folder)
        .output()
        .expect("prequel starts");
    let seconds = cpu_seconds() - before;
    let report: Value = serde_json::from_slice(&out.stdout).expect("a JSON object");
    let effort = &report["effort"];
    Measured {
        states: effort["states_total"].as_u64().expect("a count"),
        seconds,
        bytes: effort["peak_rss_bytes"].as_u64().expect("a size"),
    }
}
