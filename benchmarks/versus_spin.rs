//! `otf` beside SPIN's `pan` on twins with the same state space, in one run: states per second and bytes per state.
//!
//! `pan` is built with `-O2 -DNOREDUCE -DSAFETY` from Promela written here by hand, one statement per step of the network, with
//! SPIN's own optimisations off (`-o1 -o2 -o3`). Both programs must report the same number of states, or the run fails.
//! Bytes per state are pan's own figure for its stored states, and for us the whole process's peak memory.

mod measure;

use measure::Measured;
use prequel::families::philo;
use prequel::formats::exp;
use prequel::model::{Component, LabelId, Labels, Lts, Network, StateId, Transition};
use std::fs;
use std::path::Path;

/// A network and its Promela twin.
struct Twin {
    name: String,
    network: Network,
    promela: String,
}

fn main() {
    // `cargo test --benches` and the like only ask whether it builds.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    if !measure::available() {
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
        println!(
            "{:<16} {:>10} | {:>10.0} {:>8.1} | {:>10.0} {:>8.1} {:>6.2} | {:>10.0} {:>6.2}",
            twin.name,
            one.states,
            pan.rate(),
            pan.bytes_per_state(),
            one.rate(),
            one.bytes_per_state(),
            one.rate() / pan.rate(),
            two.rate(),
            two.rate() / one.rate(),
        );
    }
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

fn pan(twin: &Twin, folder: &Path) -> Measured {
    fs::write(folder.join("twin.pml"), &twin.promela).expect("the twin is written");
    measure::pan(folder, "twin.pml", &[], &measure::SAFETY)
}

fn ours(twin: &Twin, folder: &Path, threads: usize) -> Measured {
    for (path, text) in exp::write(&twin.network, "twin").expect("a plain network") {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
        fs::write(path, text).expect("the network is written");
    }
    measure::prequel(folder, "twin.exp", &["--reach", "false", "--no-por"].map(String::from), threads)
}
