//! SPIN: `spin -a`, the C compiler, `pan`, and `spin -t -p` for the trail.

use super::process::{self, Ended};
use super::report::{self, Fault, Incomplete, Report};
use crate::emit::promela::Promela;
use crate::engine::run::Run;
use crate::model::Why;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

/// What the program is called in its folder.
const FILE: &str = "network.pml";

/// Paths that `pan` is first told to expect. A step of the stack takes about 56 bytes.
const DEPTH: u64 = 1_000_000;

/// `pan` counts steps with an `int`.
const DEEPEST: u64 = 1_000_000_000;

/// Bytes of `pan`'s stack per step of depth.
const FRAME: u64 = 56;

/// The state vector that `pan` has room for without being told.
const VECTOR: usize = 1024;

/// The largest state vector that is tried.
const LARGEST_VECTOR: usize = 1 << 24;

/// Beyond this many lines the compiler's optimiser takes longer than it saves: 72 s instead of 7 s for 4,000 transitions.
const OPTIMISED_LINES: usize = 2_000;

/// SPIN's own optimisations off: every statement stays a step of its own, so that states can be counted.
const PLAIN: [&str; 3] = ["-o1", "-o2", "-o3"];

/// The programs that are needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tools {
    /// SPIN itself.
    pub spin: PathBuf,
    /// A C compiler.
    pub compiler: PathBuf,
    /// SPIN's version, as in `6.5.2`.
    pub version: String,
    /// What the compiler says of its version.
    pub compiler_version: String,
}

impl Tools {
    /// Looks on PATH, once; says what is missing.
    pub fn find() -> Result<&'static Tools, &'static str> {
        static FOUND: LazyLock<Result<Tools, String>> = LazyLock::new(Tools::look);
        FOUND.as_ref().map_err(String::as_str)
    }

    fn look() -> Result<Tools, String> {
        let missing = |what: &str| format!("{what} is not installed: there is none on PATH");
        let spin = process::find("spin").ok_or_else(|| missing("SPIN (`spin`)"))?;
        let compiler = ["gcc", "cc", "clang"].into_iter().find_map(process::find);
        let compiler = compiler.ok_or_else(|| missing("a C compiler (`gcc`, `cc` or `clang`), which SPIN needs,"))?;
        let said = first_line(&spin, "-V").unwrap_or_default();
        let version = said.strip_prefix("Spin Version ").and_then(|rest| rest.split_whitespace().next());
        let version = version.ok_or_else(|| format!("{} is not SPIN: it says `{said}`", spin.display()))?.to_owned();
        let compiler_version = first_line(&compiler, "--version").unwrap_or_default();
        Ok(Tools { spin, compiler, version, compiler_version })
    }
}

/// The first line that a program prints when asked for its version.
fn first_line(program: &Path, option: &str) -> Option<String> {
    let said = Command::new(program).arg(option).stdin(Stdio::null()).output().ok()?;
    String::from_utf8_lossy(&said.stdout).lines().next().map(str::to_owned)
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// With SPIN's partial-order reduction.
    pub reduce: bool,
    /// Optimised C: slower to compile, faster to run.
    pub optimise: bool,
}

/// Time spent in each phase, all attempts together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Phases {
    /// `spin -a`.
    pub generate: Duration,
    /// The C compiler.
    pub compile: Duration,
    /// `pan`.
    pub search: Duration,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Searched {
    /// What `pan` reports. It found a fault, or its search was whole.
    pub report: Report,
    /// The fault, and the lines of the program that lead to it.
    pub fault: Option<(Fault, Vec<usize>)>,
    /// Where the time went.
    pub phases: Phases,
}

/// Searches the states of a program for a fault. Whatever is not a fault or a whole search is no answer.
pub fn search(tools: &Tools, promela: &Promela, options: Options, run: &Run) -> Result<Searched, Why> {
    let folder = tempfile::Builder::new().prefix("prequel-spin-").tempdir();
    let folder = folder.map_err(|e| Why::External(format!("no temporary folder: {e}")))?;
    std::fs::write(folder.path().join(FILE), &promela.text)
        .map_err(|e| Why::External(format!("the temporary folder cannot be written to: {e}")))?;
    let optimise = options.optimise && promela.text.lines().count() <= OPTIMISED_LINES;
    let options = Options { optimise, ..options };
    let session = Session { tools, folder: folder.path(), options, run };
    let mut phases = Phases { generate: session.generate()?, ..Phases::default() };
    let mut vector = promela.vector.next_multiple_of(VECTOR);
    let mut depth = DEPTH;
    phases.compile += session.compile(vector)?;
    loop {
        let ended = session.pan(depth)?;
        phases.search += ended.time;
        let report = Report::read(&format!("{}\n{}", ended.stdout, ended.stderr));
        // A fault is one, however much of the search is missing.
        if let Some((fault, _)) = report.fault {
            let fault = Some((fault, session.trail()?));
            return Ok(Searched { report, fault, phases });
        }
        match report.incomplete.first() {
            None => return Ok(Searched { report, fault: None, phases }),
            Some(Incomplete::Depth) if depth < DEEPEST && depth * 10 * FRAME < session.memory() => depth *= 10,
            Some(Incomplete::Vector) if vector < LARGEST_VECTOR => {
                vector *= 4;
                phases.compile += session.compile(vector)?;
            }
            Some(Incomplete::Memory) => {
                return Err(Why::Memory(format!("{} MiB", session.memory() >> 20)));
            }
            Some(why) => return Err(Why::External(format!("SPIN did not complete its search: {why}"))),
        }
    }
}

/// One program in its folder.
struct Session<'a> {
    tools: &'a Tools,
    folder: &'a Path,
    options: Options,
    run: &'a Run,
}

impl Session<'_> {
    fn call(&self, program: &Path, arguments: &[&str]) -> Result<Ended, Why> {
        let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
        process::run(program, &arguments, self.folder, self.run)
    }

    /// `spin -a`, which must have nothing to say.
    fn generate(&self) -> Result<Duration, Why> {
        let ended = self.call(&self.tools.spin, &["-a", PLAIN[0], PLAIN[1], PLAIN[2], FILE])?;
        if !ended.success || !ended.stdout.trim().is_empty() || !ended.stderr.trim().is_empty() {
            return Err(Why::External(format!("SPIN does not take the program: {}", ended.first_words())));
        }
        Ok(ended.time)
    }

    fn compile(&self, vector: usize) -> Result<Duration, Why> {
        let level = if self.options.optimise { "-O2" } else { "-O0" };
        let (memory, vector) = (format!("-DMEMLIM={}", self.memory() >> 20), format!("-DVECTORSZ={vector}"));
        let mut arguments = vec![level, "-w", "-DSAFETY", &memory, &vector, "-o", "pan", "pan.c"];
        if !self.options.reduce {
            arguments.push("-DNOREDUCE");
        }
        let ended = self.call(&self.tools.compiler, &arguments)?;
        if !ended.success {
            return Err(Why::External(format!("the C compiler failed on SPIN's output: {}", ended.first_words())));
        }
        Ok(ended.time)
    }

    fn pan(&self, depth: u64) -> Result<Ended, Why> {
        // The table of states grows by itself from a small one.
        self.call(&self.folder.join("pan"), &[&format!("-m{depth}"), "-w20"])
    }

    fn trail(&self) -> Result<Vec<usize>, Why> {
        let ended = self.call(&self.tools.spin, &["-t", "-p", FILE])?;
        Ok(report::trail(&ended.stdout))
    }

    /// What `pan` may use: the limit, or all that the machine has to give.
    fn memory(&self) -> u64 {
        self.run.limits.memory.or_else(available_bytes).unwrap_or(16 << 30)
    }
}

/// Memory that can be had without swapping, where the system tells.
fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}
