//! `otf` on Promela programs beside SPIN's `pan -O2` in one run: the same file, the same number of stored states, one thread.
//!
//! SPIN's own optimisations are off (`-o1 -o2 -o3`, `-DNOREDUCE`), so that both store the same states; a difference fails the
//! run. Bytes per state are pan's own figure for its stored states, and for us the whole process's peak memory.
//!
//! Then runs without an end, `pan -a` and `pan -l`, without reduction on both sides and with it; besides programs of our own the models
//! of a folder `../shared/models/promela` where there is one.

mod measure;

use measure::{Asked, Measured};
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

/// Both sides of it are the same: nothing violates it, and its claim has several states.
const NOW_AND_THEN: &str = "ltl now_and_then { ([] <> (CONDITION)) || (<> [] !(CONDITION)) }\n";

/// A model with a claim, or with progress labels, none of which is violated; from a folder of models.
const FOUND: [(&str, bool); 9] = [
    ("spin/LTL/mobile1.pml", false),
    ("qemu/docs/spin/tcg-exclusive.promela", false),
    ("spins/case_studies/brp/brp.prm", false),
    ("spin/Book_1991/p337.pftp.ses.pml", true),
    ("spin/Book_1991/p347.pftp.ses5.pml", true),
    ("spins/case_studies/i-protocol/code/spin/i3", true),
    ("spins/case_studies/i-protocol/code/spin/i4", true),
    ("spins/case_studies/giop/giop1.nomig.pr", true),
    ("spins/case_studies/giop/giop2.nomig.pr", true),
];

/// One line of the table of runs without an end.
fn endless(name: &str, folder: &Path, model: &str, defines: &[String], progress: bool) {
    let pan = |reduces: bool| -> Measured {
        let spin: &[&str] = if reduces { &[] } else { &["-o1", "-o2", "-o3"] };
        let np: &[&str] = if progress { &["-DNP"] } else { &[] };
        let compiler = [np, if reduces { &[] } else { &["-DNOREDUCE"] }].concat();
        let asked = Asked { spin, compiler: &compiler, pan: &[if progress { "-l" } else { "-a" }] };
        measure::pan(folder, model, defines, &asked)
    };
    let ours = |reduces: bool| {
        let how = ["--engine", "otf", "--no-optimise"].into_iter();
        let how = how.chain((!reduces).then_some("--no-por")).chain(progress.then_some("--non-progress"));
        let options: Vec<String> = defines.iter().cloned().chain(how.map(String::from)).collect();
        measure::prequel(folder, model, &options, 1)
    };
    let side = |pan: &Measured, ours: &Measured| {
        let seconds = format!("{:>7.2} {:>7.2} {:>5.2}", pan.seconds, ours.seconds, ours.seconds / pan.seconds);
        format!("{:>9} {:>9} {seconds}", pan.states, ours.states)
    };
    let (whole, reduced) = ((pan(false), ours(false)), (pan(true), ours(true)));
    println!("{name:<22} | {} | {}", side(&whole.0, &whole.1), side(&reduced.0, &reduced.1));
}

fn runs_without_an_end() {
    let head = format!("{:>9} {:>9} {:>7} {:>7} {:>5}", "pan", "otf", "pan s", "otf s", "ratio");
    println!("\n{:<22} | {:<41} | with reduction", "runs without an end", "states and seconds, every order");
    println!("{:<22} | {head} | {head}", "model");
    for (subject, condition) in [
        (made("philosophers", PHILOSOPHERS, &["N=7"]), "fork[0] == 0"),
        (made("workers", WORKERS, &["N=3", "M=5"]), "len(back) == 0"),
        (made("sort", SORT, &["N=5", "M=5"]), "sum[0] == 0"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = subject.text + &NOW_AND_THEN.replace("CONDITION", condition);
        fs::write(folder.path().join("model.pml"), text).expect("the model is written");
        endless(subject.name, folder.path(), "model.pml", &subject.defines, false);
    }
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/models/promela");
    if !models.is_dir() {
        println!("skipped: there is no {}", models.display());
        return;
    }
    for (model, progress) in FOUND {
        let path = models.join(model);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let beside = fs::read_dir(path.parent().expect("it is in a folder")).expect("the folder can be read");
        for file in beside.flatten().filter(|entry| entry.path().is_file()) {
            fs::copy(file.path(), folder.path().join(file.file_name())).expect("it can be copied");
        }
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        endless(name, folder.path(), name, &[], progress);
    }
}

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
        let pan = measure::pan(folder.path(), "model.pml", &subject.defines, &measure::SAFETY);
        let plain =
            subject.defines.iter().cloned().chain(["--engine", "otf", "--no-por", "--no-optimise"].map(String::from));
        let ours = measure::prequel(folder.path(), "model.pml", &plain.collect::<Vec<_>>(), 1);
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
    runs_without_an_end();
}
