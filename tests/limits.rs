//! Limits hold everywhere: every engine and every command on inputs that are too hard for it, under `--time`, `--memory` and
//! `--states`. With `--nocapture` the table is printed.
//!
//! Half a second, 15 per cent and one batch are what a limit may be exceeded by. A machine that is busy with something else lets nobody
//! run in time, so a thread of ours sleeps for short times meanwhile: what it oversleeps is not the program's fault. What fails is
//! tried again, twice.
#![cfg(unix)]

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use prequel::engine::otf::Otf;
use prequel::engines::engines;
use prequel::evidence::certificate::{Certificate, CertifiedProof};
use prequel::model::{Problem, Query};
use prequel::open::{Model, Options, read};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What `--time` may be exceeded by.
const OVER_TIME: Duration = Duration::from_millis(500);
/// The limit of time.
const TIME: Duration = Duration::from_secs(1);
/// The limit of memory, and what may be used at most.
const MEMORY: u64 = 200 << 20;
const MOST_MEMORY: u64 = MEMORY + MEMORY * 15 / 100;
/// The limit of states, and states between two looks at it.
const STATES: u64 = 1000;
const BATCH: u64 = 1 << 14;
/// How often a case is tried before it fails.
const TRIES: usize = 3;
/// Programs at once.
const AT_ONCE: usize = 2;
/// A program that is still there then is killed.
const HANGS: Duration = Duration::from_secs(30);

/// The limits are about one program at a time: tests take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> std::sync::MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A command line, and what it is called in the table.
struct Case {
    name: String,
    arguments: Vec<String>,
}

/// How a command ended.
struct Ended {
    code: Option<i32>,
    took: Duration,
    /// What the machine kept a sleeping thread waiting for, meanwhile.
    stalled: Duration,
    /// The most resident memory that was seen.
    peak: u64,
    stdout: String,
    stderr: String,
}

impl Ended {
    fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }

    /// Beyond a time, without what the machine is to blame for.
    fn over(&self, time: Duration) -> Duration {
        self.took.saturating_sub(time).saturating_sub(self.stalled)
    }
}

/// Waits for a command; what it prints must fit a pipe or be read by somebody.
fn wait(mut child: Child) -> Ended {
    const NAP: Duration = Duration::from_millis(2);
    let started = Instant::now();
    let (mut stalled, mut peak) = (Duration::ZERO, 0);
    let status = format!("/proc/{}/status", child.id());
    let read = |pipe: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut text));
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let stdout = read(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let stderr = read(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let code = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if started.elapsed() > HANGS {
            child.kill().unwrap();
        }
        peak = peak.max(peak_memory(&status));
        let before = Instant::now();
        std::thread::sleep(NAP);
        // A nap may be some milliseconds longer at the best of times.
        stalled += before.elapsed().saturating_sub(5 * NAP);
    };
    let took = started.elapsed();
    Ended { code, took, stalled, peak, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

fn peak_memory(status: &str) -> u64 {
    let text = fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

fn prequel(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Inputs that are too hard, made once.
struct Inputs {
    folder: tempfile::TempDir,
}

impl Inputs {
    fn new() -> Self {
        let inputs = Self { folder: tempfile::tempdir().unwrap() };
        for (name, text) in bombs() {
            fs::write(inputs.path().join(name), text).unwrap();
        }
        inputs
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// An instance of a family; its network, or its circuit.
    fn family(&self, name: &str, size: usize) -> String {
        let folder = format!("{name}{size}");
        if !self.path().join(&folder).is_dir() {
            let made =
                prequel(self.path()).args(["generate", name, &size.to_string(), "-o", &folder]).output().unwrap();
            assert!(made.status.success(), "{name} {size}: {made:?}");
        }
        let files = fs::read_dir(self.path().join(&folder)).unwrap().map(|entry| entry.unwrap().path());
        let whole = |path: &PathBuf| path.extension().is_some_and(|e| e == "exp" || e == "smv" || e == "wdes");
        let found = files.into_iter().find(whole).unwrap_or_else(|| panic!("{name} {size} is no whole model"));
        found.strip_prefix(self.path()).unwrap().display().to_string()
    }
}

/// A real model, where it is there.
fn real(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models").join(name);
    let found = path.canonicalize().ok().map(|path| path.display().to_string());
    if found.is_none() {
        eprintln!("skipped: there is no ../shared/models/{name}");
    }
    found
}

/// Small texts that stand for large ones.
fn bombs() -> Vec<(String, String)> {
    let doubling = |first: &str, next: &dyn Fn(usize) -> String, body: &str| {
        let lines: Vec<String> = std::iter::once(first.to_owned()).chain((1..60).map(next)).collect();
        format!("{}\nactive proctype p() {{ {body} }}\n", lines.join("\n"))
    };
    let mut files = vec![
        ("text.pml".into(), doubling("#define a0 skip;", &|n| format!("#define a{n} a{0} a{0}", n - 1), "a59")),
        ("nothing.pml".into(), doubling("#define a0", &|n| format!("#define a{n} a{0} a{0}", n - 1), "a59 skip")),
        ("passed.pml".into(), doubling("#define f0(x) x", &|n| format!("#define f{n}(x) f{0}(x x)", n - 1), "f59(1)")),
        (
            "inline.pml".into(),
            doubling("inline a0() { skip }", &|n| format!("inline a{n}() {{ a{0}(); a{0}() }}", n - 1), "a59()"),
        ),
        (
            "inline_passed.pml".into(),
            doubling("inline a0(x) { skip }", &|n| format!("inline a{n}(x) {{ a{0}(x + x) }}", n - 1), "a59(1)"),
        ),
        ("include.pml".into(), "#include \"i0.h\"\nactive proctype p() { skip }\n".into()),
    ];
    let included = |n: usize| (format!("i{n}.h"), format!("#include \"i{0}.h\"\n#include \"i{0}.h\"\n", n + 1));
    files.extend((0..50).map(included).chain([("i50.h".into(), String::new())]));
    let defines = (1..50_000).map(|n| format!("#define A{n} A{}", n - 1));
    let chain: Vec<String> = std::iter::once("#define A0 1".into()).chain(defines).collect();
    files.push(("chain.pml".into(), format!("{}\nbyte b; active proctype p() {{ b = A49999 }}\n", chain.join("\n"))));
    let counters = (0..6).map(|n| {
        let (a, b, c) = ((n + 1) % 6, (n + 2) % 6, (n + 3) % 6);
        format!("active proctype p{n}() {{ do :: v{n}++ :: v{n} = v{a} + v{b} :: v{n} = v{n} * v{c} od }}\n")
    });
    let counters: String = std::iter::once("byte v0, v1, v2, v3, v4, v5;\n".into()).chain(counters).collect();
    files.push(("counters.pml".into(), counters));
    files
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn case(line: &str) -> Case {
    Case { name: line.replace(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/models/"), ""), arguments: words(line) }
}

/// Runs cases, a few at once, and tells what is wrong with any.
fn all(inputs: &Inputs, cases: &[Case], limit: &[&str], wrong: impl Fn(&Case, &Ended) -> Option<String> + Sync) {
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<(usize, String)>> = Mutex::default();
    let faults: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((at, case)) = Some(next.fetch_add(1, Relaxed)).and_then(|at| Some((at, cases.get(at)?)))
                {
                    let (ended, fault) = tried(inputs, case, limit, &wrong);
                    let millis = |time: Duration| time.as_millis();
                    rows.lock().unwrap().push((
                        at,
                        format!(
                            "{:<64} {:>6} ms {:>5} ms stalled {:>5} MiB  exit {:<4} {}",
                            case.name,
                            millis(ended.took),
                            millis(ended.stalled),
                            ended.peak >> 20,
                            ended.code.unwrap_or(-1),
                            ended.last_line(),
                        ),
                    ));
                    faults
                        .lock()
                        .unwrap()
                        .extend(fault.map(|fault| format!("{}: {fault}\n{}", case.name, ended.stderr)));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap();
    rows.sort();
    eprintln!("{}", limit.join(" "));
    rows.iter().for_each(|(_, row)| eprintln!("  {row}"));
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn tried(
    inputs: &Inputs,
    case: &Case,
    limit: &[&str],
    wrong: impl Fn(&Case, &Ended) -> Option<String>,
) -> (Ended, Option<String>) {
    let mut tries = (0..TRIES).map(|_| {
        let ended = wait(prequel(inputs.path()).args(&case.arguments).args(limit).spawn().unwrap());
        let fault = wrong(case, &ended);
        (ended, fault)
    });
    let first = tries.next().unwrap();
    if first.1.is_none() { first } else { tries.find(|(_, fault)| fault.is_none()).unwrap_or(first) }
}

/// Whether a command that was ended by a limit says so as the contract wants it.
fn said(case: &Case, ended: &Ended) -> Option<String> {
    // A text that is too long to be read may be found to be so in time.
    let is_text = case.arguments.iter().any(|word| word.ends_with(".pml") || word == "/dev/zero");
    match ended.code {
        Some(0 | 1) => None,
        Some(2) if ended.last_line().starts_with("RESULT unknown ") => None,
        Some(2) => Some(format!("`{}` is no result", ended.last_line())),
        Some(3) if is_text => None,
        code => Some(format!("exit {code:?}")),
    }
}

fn engine_names() -> Vec<&'static str> {
    let installed = prequel::spin::tools::Tools::find().is_ok();
    let names = engines(Otf::default()).iter().map(|engine| engine.name()).collect::<Vec<_>>();
    names.into_iter().filter(|&name| installed || name != "spin").collect()
}

/// Commands on inputs that they cannot be done with in a second, or only just.
fn hard(inputs: &Inputs) -> Vec<Case> {
    let (philo, cyclic, line) = (inputs.family("philo", 400), inputs.family("cyclic", 40), inputs.family("line", 40));
    let mut cases: Vec<String> = Vec::new();
    for engine in engine_names() {
        if engine == "conflict" {
            cases.push(format!("check {line} --nonblocking --engine conflict"));
        } else {
            cases.push(format!("check {philo} --deadlock-free --engine {engine}"));
            cases.push(format!("check {cyclic} --deadlock-free --engine {engine} --certificate c-{engine}.json"));
        }
    }
    for method in ["quotient", "icc", "minimise"] {
        cases.push(format!("reduce {philo} --reach phil0@1 --method {method} -o r-{method}.exp"));
    }
    for kind in ["aut", "smv", "pnml"] {
        cases.push(format!("convert {philo} -o o.{kind}"));
    }
    cases.push(format!("compare {philo} {cyclic} --equivalence weak"));
    cases.push(format!("advise {philo} --deadlock-free"));
    cases.push(format!("audit {cyclic} --deadlock-free --certificate empty.json"));
    for bomb in ["text", "nothing", "passed", "inline", "inline_passed", "include", "chain", "counters"] {
        cases.push(format!("check {bomb}.pml"));
    }
    cases.push("info nothing.pml".into());
    cases.push("convert counters.pml -o o.exp".into());
    cases.push("reduce counters.pml -o r.pml".into());
    cases.push("check counters.pml --as-network --engine icc".into());
    cases.push("replay include.pml --witness w.json".into());
    if let Some(net) = real("petri/mcc/Kanban-PT-00020.pnml") {
        cases.push(format!("check {net} --deadlock-free"));
        cases.push(format!("info {net}"));
    }
    if let Some(net) = real("petri/mcc/NoC3x3-PT-5A.pnml") {
        cases.push(format!("check {net} --deadlock-free --engine icc"));
    }
    cases.iter().map(|line| case(line)).collect()
}

/// A certificate without anything in it, so that whoever audits it has to look at everything.
fn empty_certificate(inputs: &Inputs, model: &str) {
    let (model, _) = read(&[inputs.path().join(model)], &Options::default()).unwrap();
    let Model::Network(network, _) = model else { panic!("a network") };
    let problem = Problem { network, query: Query::DeadlockFree };
    let certificate = Certificate::new(&problem, "--deadlock-free", true, CertifiedProof::Nothing);
    fs::write(inputs.path().join("empty.json"), certificate.to_json()).unwrap();
}

#[test]
fn time_is_kept_by_every_engine_and_command() {
    let _turn = turn();
    let inputs = Inputs::new();
    let cases = hard(&inputs);
    empty_certificate(&inputs, &inputs.family("cyclic", 40));
    let wrong = |case: &Case, ended: &Ended| {
        let over = ended.over(TIME);
        if over > OVER_TIME { Some(format!("{} ms over", over.as_millis())) } else { said(case, ended) }
    };
    all(&inputs, &cases, &["--time", "1s"], wrong);
    let left: Vec<_> = fs::read_dir(inputs.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".tmp")), "half a file is left: {left:?}");
}

#[test]
fn memory_is_kept_while_reading_and_searching() {
    let _turn = turn();
    if peak_memory("/proc/self/status") == 0 {
        eprintln!("skipped: this system does not tell how much memory a process has");
        return;
    }
    let inputs = Inputs::new();
    let (philo, cyclic) = (inputs.family("philo", 400), inputs.family("cyclic", 40));
    let mut cases = vec![
        "check /dev/zero --from pml".to_owned(),
        "info /dev/zero --from aut".to_owned(),
        "check /dev/zero --from pnml --deadlock-free".to_owned(),
        "check inline.pml".to_owned(),
        "check inline_passed.pml".to_owned(),
        format!("check {cyclic} --deadlock-free --engine minimise --certificate c.json"),
    ];
    cases.push(format!("check {philo} --reach phil0@2&phil1@2 --engine otf --no-por"));
    cases.push(format!("convert {philo} -o large.aut"));
    for engine in ["icc", "learn"] {
        cases.push(format!("check {philo} --deadlock-free --engine {engine}"));
    }
    let cases: Vec<Case> = cases.iter().map(|line| case(line)).collect();
    let wrong = |case: &Case, ended: &Ended| {
        let over = ended.peak > MOST_MEMORY;
        if over { Some(format!("{} MiB", ended.peak >> 20)) } else { said(case, ended) }
    };
    all(&inputs, &cases, &["--memory", "200M", "--time", "5s"], wrong);
}

#[test]
fn states_are_kept_or_refused_by_name() {
    let _turn = turn();
    let inputs = Inputs::new();
    let (cyclic, line) = (inputs.family("cyclic", 40), inputs.family("line", 40));
    let mut cases = vec![];
    for engine in engine_names().into_iter().filter(|&engine| engine != "spin") {
        let conflict = format!("{line} --nonblocking");
        let asked = if engine == "conflict" { conflict } else { format!("{cyclic} --deadlock-free") };
        cases.push(case(&format!("check {asked} --engine {engine} --json")));
    }
    let counting = |name: &str| engines(Otf::default()).iter().any(|e| e.name() == name && e.counts_states());
    let wrong = |case: &Case, ended: &Ended| {
        let told: serde_json::Value = serde_json::from_str(&ended.stdout).ok()?;
        let engine = case.arguments.iter().skip_while(|word| *word != "--engine").nth(1).unwrap();
        let (states, reason) = (told["effort"]["states_total"].as_u64(), told["reason"].as_str().unwrap_or_default());
        if states.is_some_and(|states| states > STATES + BATCH) {
            return Some(format!("{states:?} states"));
        }
        let refused = reason.contains("--states") && reason.contains(engine.as_str()) && ended.code == Some(2);
        if !counting(engine) && !refused { Some(format!("`{reason}` is no refusal by name")) } else { None }
    };
    all(&inputs, &cases, &["--states", "1000", "--time", "10s"], wrong);
}

/// A child that waits for input that never comes.
fn blocked(inputs: &Inputs, arguments: &[&str]) -> Child {
    prequel(inputs.path()).args(arguments).stdin(Stdio::piped()).spawn().unwrap()
}

#[test]
fn the_first_sigterm_ends_a_command_that_waits_for_its_model() {
    let _turn = turn();
    let inputs = Inputs::new();
    for arguments in [&["check", "-", "--from", "pml"][..], &["info", "-", "--from", "aut", "--json"]] {
        let mut child = blocked(&inputs, arguments);
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"byte b;").unwrap();
        std::thread::sleep(Duration::from_millis(400));
        kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
        let ended = wait(child);
        assert!(ended.over(Duration::ZERO) < Duration::from_secs(2), "{:?}", ended.took);
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        let told = if arguments.contains(&"--json") { "\"verdict\": \"unknown\"" } else { "RESULT unknown " };
        assert!(ended.stdout.contains(told), "{}", ended.stdout);
        drop(stdin);
    }
}

#[test]
fn the_first_sigterm_ends_the_writing_of_a_certificate() {
    let _turn = turn();
    let inputs = Inputs::new();
    let cyclic = inputs.family("cyclic", 40);
    let arguments = ["check", &cyclic, "--deadlock-free", "--engine", "icc", "--certificate", "c.json"];
    let child = prequel(inputs.path()).args(arguments).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    let ended = wait(child);
    // It may have been done before.
    assert!(matches!(ended.code, Some(130 | 0 | 2)), "{:?}: {}", ended.code, ended.stderr);
    assert!(ended.over(Duration::ZERO) < Duration::from_secs(2), "{:?}", ended.took);
    assert!(ended.last_line().starts_with("RESULT "), "{}", ended.stdout);
    assert_eq!(ended.code == Some(130), !inputs.path().join("c.json").exists());
}

#[test]
fn time_is_kept_while_a_command_waits_for_its_model() {
    let _turn = turn();
    let inputs = Inputs::new();
    let mut child = blocked(&inputs, &["check", "-", "--from", "pml", "--time", "300ms"]);
    let stdin = child.stdin.take();
    let ended = wait(child);
    assert_eq!((ended.code, ended.last_line()), (Some(2), "RESULT unknown engine=none evidence=none checked=no"));
    assert!(ended.over(Duration::from_millis(300)) < OVER_TIME + OVER_TIME, "{:?}", ended.took);
    drop(stdin);
}

#[test]
fn memory_that_cannot_be_had_is_unknown() {
    let _turn = turn();
    let inputs = Inputs::new();
    let philo = inputs.family("philo", 2000);
    let mut shell = Command::new("sh");
    let script = "ulimit -v 600000 && exec \"$@\"";
    shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_prequel"), "check", &philo, "--reach", "phil0@2 & phil1@2"]);
    shell.args(["--engine", "otf", "--no-por", "--time", "20s"]);
    shell.current_dir(inputs.path()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ended = wait(shell.spawn().unwrap());
    assert_eq!(ended.code, Some(2), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.last_line().starts_with("RESULT unknown "), "{}", ended.stdout);
}

#[test]
fn more_threads_than_there_are_is_said_and_capped() {
    let _turn = turn();
    let inputs = Inputs::new();
    let philo = inputs.family("philo", 3);
    let run = |more: &[&str]| {
        let arguments = ["check", &philo, "--deadlock-free", "--threads", "65535"];
        wait(prequel(inputs.path()).args(arguments).args(more).spawn().unwrap())
    };
    let told = run(&[]);
    assert!(told.code == Some(1) && told.stderr.contains("threads at once"), "{}", told.stderr);
    for silent in ["--quiet", "--json"] {
        let ended = run(&[silent]);
        assert!(ended.code == Some(1) && ended.stderr.is_empty(), "{}", ended.stderr);
    }
}
