//! `otf` on Promela programs beside SPIN's `pan -O2` in one run: the same file, the same number of stored states, one thread.
//!
//! SPIN's own optimisations are off (`-o1 -o2 -o3`, `-DNOREDUCE`), so that both store the same states; a difference fails the
//! run. Bytes per state are pan's own figure for its stored states, and for us the whole process's peak memory.
//!
//! Models of a folder `../shared/models/promela`, where there is one, are then searched past all violations on both sides (`pan -c0`),
//! one after the other, with the geometric mean of what we take of pan's processor time.
//!
//! Then runs without an end, `pan -a` and `pan -l`, without reduction on both sides and with it; besides programs of our own the models
//! of a folder `../shared/models/promela` where there is one.

mod measure;

use measure::{Asked, Measured};
use nix::sys::resource::{UsageWho, getrusage};
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::promela;
use prequel::model::run::{Limits, Run};
use prequel::program::{Claim, Sought, compile};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// Models of a folder with 150,000 to ten million states.
const LARGE: [&str; 22] = [
    "beem/lamport_nonatomic/lamport_nonatomic.1.pm",
    "beem/lamport_nonatomic/lamport_nonatomic.3.pm",
    "beem/needham/needham.3.pm",
    "beem/mcs/mcs.3.pm",
    "beem/cambridge/cambridge.1.pm",
    "beem/hanoi/hanoi.2.pm",
    "beem/rether/rether.6.pm",
    "beem/krebs/krebs.2.pm",
    "beem/frogs/frogs.3.pm",
    "beem/telephony/telephony.3.pm",
    "beem/peterson/peterson.4.pm",
    "beem/leader_filters/leader_filters.5.pm",
    "beem/adding/adding.2.pm",
    "beem/adding/adding.3.pm",
    "beem/blocks/blocks.3.pm",
    "beem/sorter/sorter.3.pm",
    "beem/sorter/sorter.4.pm",
    "spins/case_studies/i-protocol/code/spin/i3",
    "spins/case_studies/garp/garp-b/garp_ls",
    "spins/sumo/bench-02-deep.sumo",
    "spin/cambridge.pml",
    "perfbook/CodeSamples/formal/promela/dyntick/dyntickRCU-irqnn-ssl.spin",
];

/// The option by which this program searches a model itself, in a process of its own.
const EXPLORE: &str = "--explore";

/// Counts the states of a model, and the bytes that it took.
fn explore(model: &Path) {
    let text = fs::read(model).expect("the model can be read");
    let (name, folder) = (model.to_str().expect("a name"), model.parent().expect("it is in a folder"));
    let (model, _) = promela::read(name, &text, folder, &[]).expect("it is Promela");
    let (program, _) = compile(&model, Claim::None).expect("it is a program");
    let run = Run::new(Limits { threads: 1, ..Limits::default() }, 0);
    let outcome = verify(&program, Sought::Nothing, Otf::plain(Search::Breadth), &run);
    assert!(matches!(outcome, Outcome::Explored(_)), "{outcome:?}");
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the system counts");
    println!("{} {}", run.effort().states_total, 1024 * usage.max_rss());
}

/// The same, from outside.
fn explored(model: &Path) -> Measured {
    let here = std::env::current_exe().expect("a path");
    let before = measure::cpu_seconds();
    let out = Command::new(here).arg(EXPLORE).arg(model).output().expect("it starts");
    let seconds = measure::cpu_seconds() - before;
    let told = String::from_utf8_lossy(&out.stdout);
    let mut numbers = told.split_whitespace().map(|number| number.parse().expect("a number"));
    let mut next = || numbers.next().unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&out.stderr)));
    Measured { states: next(), seconds, bytes: next() }
}

/// The folder of models, where there is one.
fn models() -> Option<PathBuf> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/models/promela");
    if !models.is_dir() {
        println!("skipped: there is no {}", models.display());
        return None;
    }
    Some(models)
}

/// A folder with a copy of a model and of what stands beside it, and the model's name.
fn copied(model: &Path) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let beside = fs::read_dir(model.parent().expect("it is in a folder")).expect("the folder can be read");
    for file in beside.flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(file.path(), folder.path().join(file.file_name())).expect("it can be copied");
    }
    (folder, model.file_name().and_then(|name| name.to_str()).expect("a name").into())
}

fn every_state() {
    let Some(models) = models() else { return };
    println!(
        "\n{:<28} {:>9} | {:>8} {:>8} | {:>6} {:>8}",
        "every state", "states", "pan s", "otf s", "ratio", "B/state"
    );
    let mut ratios: Vec<f64> = Vec::new();
    for model in LARGE {
        let (folder, name) = copied(&models.join(model));
        let everything = Asked { pan: &["-c0"], ..measure::SAFETY };
        let pan = measure::pan(folder.path(), &name, &[], &everything);
        let ours = explored(&folder.path().join(&name));
        assert_eq!(pan.states, ours.states, "{name}: the numbers of states differ");
        let ratio = ours.seconds / pan.seconds;
        println!(
            "{name:<28} {:>9} | {:>8.2} {:>8.2} | {ratio:>6.2} {:>8.1}",
            ours.states,
            pan.seconds,
            ours.seconds,
            ours.bytes_per_state()
        );
        ratios.push(ratio);
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let most = ratios.iter().copied().fold(0.0, f64::max);
    println!("{} models: geometric mean {mean:.2}, most {most:.2}", ratios.len());
}

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
    let Some(models) = models() else { return };
    for (model, progress) in FOUND {
        let (folder, name) = copied(&models.join(model));
        endless(&name, folder.path(), &name, &[], progress);
    }
}

fn main() {
    // `cargo test --benches` and the like only ask whether it builds.
    if std::env::args().any(|a| a == "--test" || a == "--list") {
        return;
    }
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == EXPLORE) {
        return explore(Path::new(&arguments[at + 1]));
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
    every_state();
    runs_without_an_end();
}
