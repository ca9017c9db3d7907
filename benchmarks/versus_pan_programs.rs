//! `otf` on Promela programs beside SPIN's `pan -O2` in one run: the same file, the same number of stored states, one thread.
//!
//! SPIN's own optimisations are off (`-o1 -o2 -o3`, `-DNOREDUCE`), so that both store the same states; a difference fails the
//! run. Bytes per state are pan's own figure for its stored states, and for us the whole process's peak memory.

mod measure;

use std::fs;
use std::path::Path;

/// A model and what is defined in it.
struct Subject {
    name: &'static str,
    text: String,
    defines: Vec<String>,
}

fn example(name: &'static str, defines: &[&str]) -> Subject {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
    let text = fs::read_to_string(path).expect("a bundled model");
    Subject { name, text, defines: defines.iter().map(|define| format!("-D{define}")).collect() }
}

fn made(name: &'static str, text: &str, defines: &[&str]) -> Subject {
    Subject { name, text: text.into(), defines: defines.iter().map(|define| format!("-D{define}")).collect() }
}

/// Shared variables: philosophers of whom the last takes the other fork first.
const PHILOSOPHERS: &str = "byte fork[N];
active [N] proctype phil() {
  byte first = _pid, second = (_pid + 1) % N;
  if :: _pid == N - 1 -> first = 0; second = N - 1 :: else fi;
  do
  :: atomic { fork[first] == 0 -> fork[first] = 1 + _pid };
     atomic { fork[second] == 0 -> fork[second] = 1 + _pid };
     assert(fork[first] == 1 + _pid && fork[second] == 1 + _pid);
     fork[first] = 0;
     fork[second] = 0
  od
}
";

/// Buffered channels with two fields: workers that pass on tasks and answers.
const WORKERS: &str = "mtype = { task, answer };
chan in[N] = [M] of { mtype, byte };
chan back = [M] of { mtype, byte };
active [N] proctype worker() {
  byte value; mtype kind;
  end: do
  :: in[_pid]?kind,value ->
     if
     :: kind == task && value > 0 -> in[(_pid + 1) % N]!task,value - 1
     :: else -> back!answer,_pid
     fi
  od
}
active proctype source() {
  byte left = M, who; mtype kind;
  end: do
  :: left > 0 -> in[left % N]!task,left; left--
  :: back?kind,who -> assert(kind == answer && who < N)
  od
}
";

/// Rendezvous, dynamic processes and arrays of integers.
const SORT: &str = "chan link[N] = [0] of { short };
int sum[2];
proctype cell(byte at) {
  short held, next;
  link[at]?held;
  end: do
  :: link[at]?next ->
     if
     :: next > held -> atomic { sum[at % 2] = sum[at % 2] + held; link[at + 1]!held; held = next }
     :: else -> link[at + 1]!next
     fi
  od
}
proctype sink() { short got; end: do :: link[N - 1]?got od }
init {
  byte i; short value;
  atomic { i = 0; do :: i < N - 1 -> run cell(i); i++ :: else -> break od; run sink() };
  i = 0;
  do
  :: i < M -> if :: value = 1 :: value = 5 :: value = 9 :: value = 700 fi; link[0]!value; i++
  :: else -> break
  od
}
";

fn main() {
    // `cargo test --benches` and the like only ask whether it builds.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    if !measure::available() {
        println!("versus_pan_programs: skipped, spin or gcc is not installed (`make tools`)");
        return;
    }
    println!("{:<16} {:>9} | {:>9} {:>8} | {:>9} {:>8} {:>6}", "", "", "pan", "", "otf", "", "");
    println!(
        "{:<16} {:>9} | {:>9} {:>8} | {:>9} {:>8} {:>6}",
        "model", "states", "states/s", "B/state", "states/s", "B/state", "ratio"
    );
    let subjects = [
        example("leader.pml", &["N=10"]),
        made("philosophers", PHILOSOPHERS, &["N=9"]),
        made("workers", WORKERS, &["N=3", "M=6"]),
        made("sort", SORT, &["N=6", "M=6"]),
    ];
    for subject in subjects {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("model.pml"), &subject.text).expect("the model is written");
        let pan = measure::pan(folder.path(), "model.pml", &subject.defines);
        let ours = measure::prequel(folder.path(), "model.pml", &subject.defines, 1);
        assert_eq!(pan.states, ours.states, "{}: the numbers of states differ", subject.name);
        println!(
            "{:<16} {:>9} | {:>9.0} {:>8.1} | {:>9.0} {:>8.1} {:>6.2}",
            subject.name,
            ours.states,
            pan.rate(),
            pan.bytes_per_state(),
            ours.rate(),
            ours.bytes_per_state(),
            ours.rate() / pan.rate(),
        );
    }
}
