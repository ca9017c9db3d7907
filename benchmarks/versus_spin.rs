//! `otf` beside SPIN's `pan` on twins with the same state space, in one run: states per second and bytes per state.
//!
//! `pan` is built with `-O2 -DNOREDUCE -DSAFETY` from Promela written here by hand, one statement per step of the network, with
//! SPIN's own optimisations off (`-o1 -o2 -o3`). Both programs must report the same number of states, or the run fails.
//! Bytes per state are pan's own figure for its stored states, and for us the whole process's peak memory.

use prequel::emit::exp;
use prequel::families::philo;
use prequel::model::{Component, LabelId, Labels, Lts, Network, StateId, Transition};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::{fs, time::Instant};

/// A network and its Promela twin.
struct Twin {
    name: String,
    network: Network,
    promela: String,
}

/// What one program did.
struct Measured {
    states: u64,
    seconds: f64,
    bytes: u64,
}

fn main() {
    // `cargo test --benches` and the like only ask whether it builds.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    if !installed("spin") || !installed("gcc") {
        println!("versus_spin: skipped, spin or gcc is not installed (`make tools`)");
        return;
    }
    println!(
        "{:<16} {:>10} | {:>10} {:>8} | {:>10} {:>8} {:>6} | {:>10} {:>6}",
        "", "", "pan", "", "otf", "", "", "2 threads", ""
    );
    println!(
        "{:<16} {:>10} | {:>10} {:>8} | {:>10} {:>8} {:>6} | {:>10} {:>6}",
        "model", "states", "states/s", "B/state", "states/s", "B/state", "ratio", "states/s", "×1"
    );
    for twin in [philosophers(12), philosophers(14), ring(12), ring(14)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pan = pan(&twin, folder.path());
        let one = ours(&twin, folder.path(), 1);
        let two = ours(&twin, folder.path(), 2);
        assert_eq!(pan.states, one.states, "{}: the twins differ", twin.name);
        assert_eq!(one.states, two.states, "{}: threads change the count", twin.name);
        let rate = |m: &Measured| m.states as f64 / m.seconds;
        println!(
            "{:<16} {:>10} | {:>10.0} {:>8.1} | {:>10.0} {:>8.1} {:>6.2} | {:>10.0} {:>6.2}",
            twin.name,
            one.states,
            rate(&pan),
            pan.bytes as f64 / pan.states as f64,
            rate(&one),
            one.bytes as f64 / one.states as f64,
            rate(&one) / rate(&pan),
            rate(&two),
            rate(&two) / rate(&one),
        );
    }
}

fn installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Dining philosophers, left fork first.
fn philosophers(n: usize) -> Twin {
    let promela = format!(
        "#define N {n}\n#define LEFT fork[_pid]\n#define RIGHT fork[(_pid + 1) % N]\nbyte fork[N];\n\
         active [N] proctype phil() {{\n  do\n  :: d_step {{ LEFT == 0 -> LEFT = 1 }};\n     d_step {{ RIGHT == 0 -> RIGHT = 2 }};\n     \
         LEFT = 0;\n     RIGHT = 0\n  od\n}}\n"
    );
    Twin { name: format!("philosophers {n}"), network: philo::plain(n, 0).network, promela }
}

/// A ring of cells, every second one with a token: receive, work, rest, pass on.
fn ring(n: usize) -> Twin {
    let mut labels = Labels::new();
    let cells = (0..n)
        .map(|i| {
            let receive = labels.intern(&format!("pass{i}"));
            let pass = labels.intern(&format!("pass{}", (i + 1) % n));
            let work = labels.intern(&format!("work{i}"));
            let steps = vec![
                Transition::new(0, receive, 1),
                Transition::new(1, work, 2),
                Transition::new(2, LabelId::TAU, 3),
                Transition::new(3, pass, 0),
            ];
            Component::new(format!("cell{i}"), Lts::new(StateId((i % 2) as u32), 4, steps))
        })
        .collect();
    // Instances of the first proctype have the lower numbers: they are the even cells, which wait for a token.
    let promela = format!(
        "#define N {n}\n#define EVEN (2 * _pid)\n#define ODD (2 * (_pid - N / 2) + 1)\nchan pass[N] = [0] of {{ bit }};\n\
         active [N / 2] proctype even() {{\nzero: pass[EVEN]?_;\none:  skip; skip; pass[(EVEN + 1) % N]!1; goto zero\n}}\n\
         active [N / 2] proctype odd() {{\none:  skip; skip; pass[(ODD + 1) % N]!1;\nzero: pass[ODD]?_; goto one\n}}\n"
    );
    Twin { name: format!("ring {n}"), network: Network::new(labels, cells), promela }
}

/// Generates, compiles and runs `pan`; its time is that of the search alone.
fn pan(twin: &Twin, folder: &Path) -> Measured {
    fs::write(folder.join("twin.pml"), &twin.promela).expect("the twin is written");
    let run = |program: &str, args: &[&str]| {
        let out = Command::new(program).args(args).current_dir(folder).output().expect("it starts");
        assert!(out.status.success(), "{program} failed: {}", String::from_utf8_lossy(&out.stdout));
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    run("spin", &["-o1", "-o2", "-o3", "-a", "twin.pml"]);
    run("gcc", &["-O2", "-w", "-DNOREDUCE", "-DSAFETY", "-DMEMLIM=16000", "-o", "pan", "pan.c"]);
    let start = Instant::now();
    // -E: the philosophers' deadlock is not what is measured; a table as large as it needs to be.
    let report = run("./pan", &["-E", "-m10000000", "-w24"]);
    let seconds = start.elapsed().as_secs_f64();
    assert!(!report.contains("Search not completed") && !report.contains("max search depth too small"), "{report}");
    let number = |mark: &str| -> f64 {
        let line = report.lines().find(|l| l.contains(mark)).unwrap_or_else(|| panic!("no `{mark}` in {report}"));
        line.split_whitespace().next().and_then(|w| w.parse().ok()).unwrap_or_else(|| panic!("no number in {line}"))
    };
    // What pan counts for its stored states alone: its hash table and search stack, which are sized by options, are left out.
    let bytes = (number("actual memory usage for states") * 1024.0 * 1024.0) as u64;
    Measured { states: number("states, stored") as u64, seconds, bytes }
}

/// Runs our binary as anybody would.
fn ours(twin: &Twin, folder: &Path, threads: usize) -> Measured {
    for (path, text) in exp::write(&twin.network, "twin").expect("a plain network") {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        fs::write(path, text).expect("the network is written");
    }
    let out = Command::new(env!("CARGO_BIN_EXE_prequel"))
        .args(["check", "twin.exp", "--reach", "false", "--no-por", "--json", "--threads", &threads.to_string()])
        .current_dir(folder)
        .output()
        .expect("prequel starts");
    let report: Value = serde_json::from_slice(&out.stdout).expect("a JSON object");
    let effort = &report["effort"];
    Measured {
        states: effort["states_total"].as_u64().expect("a count"),
        seconds: effort["seconds"].as_f64().expect("a time"),
        bytes: effort["peak_rss_bytes"].as_u64().expect("a size"),
    }
}
