//! One Promela text in a folder of its own: `spin -a`, the C compiler, `pan`, the last two again where `pan` asks for more room.

use super::process::{self, Ended, Status};
use super::report::{Incomplete, Report};
use super::tools::Tools;
use prequel_model::Why;
use prequel_model::run::{Effort, Limits, Run};
use std::path::Path;
use std::time::{Duration, Instant};

/// What the text is called in its folder.
pub const FILE: &str = "model.pml";

/// What `spin -a` writes.
const GENERATED: [&str; 5] = ["pan.c", "pan.h", "pan.t", "pan.m", "pan.b"];

/// What the C compiler makes of it.
const PAN: &str = "pan";

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

/// How long a search with C that was compiled in no time may take: less than the optimiser would. Measured, a search with it takes a
/// quarter longer than with optimised C, which takes 0.4 to 1.5 s to compile.
const QUICK: Duration = Duration::from_millis(250);

/// SPIN's own optimisations off: every statement stays a step of its own.
const PLAIN: [&str; 3] = ["-o1", "-o2", "-o3"];

/// Time spent in each phase, all attempts together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Phases {
    /// The preprocessor and `spin -a`.
    pub generate: Duration,
    /// The C compiler.
    pub compile: Duration,
    /// `pan`.
    pub search: Duration,
}

impl Phases {
    /// Notes them in a run.
    pub fn note(self, run: &Run) {
        run.phase("generation", self.generate);
        run.phase("compilation", self.compile);
        run.phase("search", self.search);
    }
}

/// C that is fast to compile or fast to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum C {
    /// As fast to compile as can be.
    #[default]
    Quick,
    /// Optimised, unless the program is so long that the optimiser takes longer than it saves.
    Optimised,
    /// Quick for a short search; optimised if that does not end soon.
    QuickFirst,
}

/// How `pan` is compiled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Build {
    /// With SPIN's partial-order reduction.
    pub reduce: bool,
    /// How it is compiled.
    pub c: C,
    /// Definitions and other options for the compiler.
    pub flags: Vec<String>,
    /// Bytes of a state, as far as is known.
    pub vector: usize,
}

/// A text in its folder. Dropped, all of it is gone.
#[derive(Debug)]
pub struct Session<'a> {
    /// What is run.
    pub tools: &'a Tools,
    run: &'a Run,
    folder: tempfile::TempDir,
    /// How the `pan` that is there was made.
    built: Option<Build>,
    /// Where the time went.
    pub phases: Phases,
}

impl<'a> Session<'a> {
    /// An empty folder.
    pub fn open(tools: &'a Tools, run: &'a Run) -> Result<Self, Why> {
        tools.are_what_they_say(run)?;
        let folder = tempfile::Builder::new().prefix("prequel-spin-").tempdir();
        let folder = folder.map_err(|e| Why::External(format!("no temporary folder: {e}")))?;
        Ok(Self { tools, run, folder, built: None, phases: Phases::default() })
    }

    /// Puts a file into the folder.
    pub fn write(&self, name: &str, text: &[u8]) -> Result<(), Why> {
        std::fs::write(self.folder.path().join(name), text)
            .map_err(|e| Why::External(format!("the temporary folder cannot be written to: {e}")))
    }

    /// The text of a file of the folder, if it is there.
    pub fn read(&self, name: &str) -> Option<String> {
        let bytes = std::fs::read(self.folder.path().join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn call(&self, program: &Path, arguments: &[String]) -> Result<Ended, Why> {
        process::run(program, arguments, self.folder.path(), self.run)
    }

    /// Runs the compiler's preprocessor as SPIN would.
    pub fn preprocess(&mut self, arguments: &[String]) -> Result<Ended, Why> {
        let usual = ["-std=gnu99", "-E", "-x", "c"].map(str::to_owned);
        let arguments: Vec<String> = usual.into_iter().chain(arguments.iter().cloned()).collect();
        let ended = self.call(&self.tools.compiler, &arguments)?;
        self.phases.generate += ended.time;
        by_itself("the C preprocessor", &ended)?;
        Ok(ended)
    }

    /// `spin -a`; `plain` without SPIN's own optimisations.
    pub fn generate(&mut self, plain: bool) -> Result<Ended, Why> {
        let options = PLAIN.iter().filter(|_| plain).chain(&["-a", FILE]);
        let arguments: Vec<String> = options.map(|&option| option.to_owned()).collect();
        self.built = None;
        // What an earlier call wrote must not be taken for what this one writes.
        GENERATED.iter().for_each(|name| self.remove(name));
        let ended = self.call(&self.tools.spin, &arguments)?;
        self.phases.generate += ended.time;
        by_itself("SPIN", &ended)?;
        let missing = GENERATED.iter().find(|name| self.read(name).is_none_or(|text| text.is_empty()));
        match missing {
            Some(name) if ended.success() => {
                Err(Why::External(format!("SPIN says that it is done, but wrote no {name}")))
            }
            _ => Ok(ended),
        }
    }

    /// Makes `pan` of what `spin -a` left, unless it is there.
    pub fn compile(&mut self, build: &Build) -> Result<(), Why> {
        if self.built.as_ref() == Some(build) {
            return Ok(());
        }
        let lines = || self.read(FILE).map_or(0, |text| text.lines().count());
        let mut arguments: Vec<String> = ["-w", "-o", PAN, "pan.c"].map(str::to_owned).to_vec();
        arguments.push(format!("-DMEMLIM={}", self.memory() >> 20));
        arguments.push(format!("-DVECTORSZ={}", build.vector.max(1).next_multiple_of(VECTOR)));
        arguments.extend(build.flags.iter().cloned());
        arguments.extend((!build.reduce).then(|| "-DNOREDUCE".to_owned()));
        self.remove(PAN);
        let tools = self.tools;
        match &tools.quick {
            _ if build.c == C::Optimised && lines() <= OPTIMISED_LINES => self.compile_with("-O2", arguments)?,
            // What a small compiler does not take, the usual one may.
            Some(quick) if self.compiled(quick, &arguments)?.success() && self.has_pan() => {}
            _ => self.compile_with("-O0", arguments)?,
        }
        self.built = Some(build.clone());
        Ok(())
    }

    /// Makes `pan` with the usual compiler.
    fn compile_with(&mut self, level: &str, mut arguments: Vec<String>) -> Result<(), Why> {
        arguments.insert(0, level.into());
        let tools = self.tools;
        let ended = self.compiled(&tools.compiler, &arguments)?;
        by_itself("the C compiler", &ended)?;
        if !ended.success() {
            return Err(Why::External(format!("the C compiler failed on SPIN's output: {}", ended.first_words())));
        }
        if !self.has_pan() {
            return Err(Why::External("the C compiler says that it is done, but wrote no program".into()));
        }
        Ok(())
    }

    fn compiled(&mut self, compiler: &Path, arguments: &[String]) -> Result<Ended, Why> {
        let ended = self.call(compiler, arguments)?;
        self.phases.compile += ended.time;
        Ok(ended)
    }

    fn has_pan(&self) -> bool {
        self.folder.path().join(PAN).is_file()
    }

    /// Runs `pan` once.
    pub fn pan(&self, arguments: &[String]) -> Result<Ended, Why> {
        self.call(&self.folder.path().join(PAN), arguments)
    }

    /// Compiles and searches, with more depth, larger states or without the reduction where `pan` asks for that. What is not a
    /// fault or a whole search is no answer. Gives also how `pan` was made in the end.
    pub fn search(&mut self, build: Build, arguments: &[String]) -> Result<(Report, Build), Why> {
        if build.c != C::QuickFirst {
            return self.searched(build, arguments, self.run);
        }
        self.compile(&Build { c: C::Quick, ..build.clone() })?;
        let mut soon = self.run.within(self.run.limits.clone());
        let until = self.run.elapsed() + QUICK;
        soon.limits.time = Some(soon.limits.time.map_or(until, |time| time.min(until)));
        match self.searched(Build { c: C::Quick, ..build.clone() }, arguments, &soon) {
            Err(Why::Time(_)) => {
                self.run.allowed()?;
                self.searched(Build { c: C::Optimised, ..build }, arguments, self.run)
            }
            searched => searched,
        }
    }

    fn searched(&mut self, mut build: Build, arguments: &[String], run: &Run) -> Result<(Report, Build), Why> {
        let mut depth = DEPTH;
        loop {
            self.compile(&build)?;
            let deeper = depth < DEEPEST && depth * 10 * FRAME < self.memory();
            // The table of states grows by itself from a small one.
            let mut room = vec![format!("-m{depth}"), "-w20".into(), "-n".into()];
            // Where the search will be begun again with more room, it need not go on without.
            room.extend(deeper.then(|| "-b".to_owned()));
            let arguments: Vec<String> = room.into_iter().chain(arguments.iter().cloned()).collect();
            self.remove(&format!("{FILE}.trail"));
            let ended = self.timed_search(&arguments, run)?;
            let report = Report::read(&format!("{}\n{}", ended.stdout, ended.stderr));
            // `pan` ends with 0 unless it says what is wrong.
            if matches!(ended.status, Status::Signal(_)) || (!ended.success() && report.incomplete.is_empty()) {
                return Err(Why::External(format!("SPIN's verifier {}", ended.status)));
            }
            if report.fault.is_some() && report.whole() {
                return Ok((report, build));
            }
            match report.incomplete.first() {
                None => return Ok((report, build)),
                Some(Incomplete::Depth) if deeper => depth *= 10,
                Some(Incomplete::Vector) if build.vector < LARGEST_VECTOR => {
                    build.vector = build.vector.max(VECTOR) * 4
                }
                Some(Incomplete::Reduction) if build.reduce => build.reduce = false,
                Some(Incomplete::Memory) => return Err(Why::Memory(format!("{} MiB", self.memory() >> 20))),
                Some(why) => return Err(Why::Incomplete(format!("SPIN did not complete its search: {why}"))),
            }
        }
    }

    /// `pan`, with what it says of its states on the way: whoever watches the run sees them, and a limit of states ends it.
    fn timed_search(&mut self, arguments: &[String], run: &Run) -> Result<Ended, Why> {
        let (before, started) = (run.effort(), Instant::now());
        let none = Run::new(Limits::default(), 0).effort();
        let mut known = 0;
        let ended = process::watched(&self.folder.path().join(PAN), arguments, self.folder.path(), run, &mut |said| {
            let states = progress(said).unwrap_or(known).max(known);
            let more = states - std::mem::replace(&mut known, states);
            run.add(&Effort { states_total: more, ..none.clone() });
            match run.limits.states.filter(|&limit| run.states() >= limit) {
                Some(limit) => Err(Why::States(limit)),
                None => Ok(()),
            }
        });
        self.phases.search += started.elapsed();
        // A search that ends says itself what it did; of one that was stopped nothing more is known.
        if ended.is_ok() {
            run.set_back(&before);
        }
        ended
    }

    /// `spin -t -p`: what SPIN prints when it follows a trail of the folder, its own unless another is named.
    pub fn follow(&self, trail: Option<&str>) -> Result<String, Why> {
        let named = trail.map_or(vec![], |name| vec!["-k", name]);
        let arguments = ["-t", "-p"].into_iter().chain(named).chain([FILE]).map(str::to_owned);
        Ok(self.call(&self.tools.spin, &arguments.collect::<Vec<_>>())?.stdout)
    }

    fn remove(&self, name: &str) {
        // What is not there need not be removed.
        let _ = std::fs::remove_file(self.folder.path().join(name));
    }

    /// What `pan` may use: the limit, or all that the machine has to give.
    fn memory(&self) -> u64 {
        self.run.limits.memory.or_else(available_bytes).unwrap_or(16 << 30)
    }
}

/// A program that was ended by a signal says nothing.
fn by_itself(what: &str, ended: &Ended) -> Result<(), Why> {
    match ended.status {
        Status::Exit(_) => Ok(()),
        Status::Signal(_) => Err(Why::External(format!("{what} {}", ended.status))),
    }
}

/// The states in the last `Depth=     204 States=    2e+06 Transitions= 5.63e+06 Memory=   242.491 ...` that `pan` printed.
fn progress(said: &str) -> Option<u64> {
    let line = said.lines().rev().find(|line| line.starts_with("Depth="))?;
    let states: f64 = line.split_once("States=")?.1.split_ascii_whitespace().next()?.parse().ok()?;
    Some(states as u64)
}

/// Memory that can be had without swapping, where the system tells.
fn available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_progress_counts() {
        let said = "Depth=     204 States=    1e+06 Transitions= 2.8e+06 Memory=   187.1\t t=  0.5 R= 2e+06\n\
            Depth=     204 States=    2e+06 Transitions= 5.63e+06 Memory=   242.491\t t=     1.09 R=   2e+06\n";
        assert_eq!(progress(said), Some(2_000_000));
        assert_eq!((progress(""), progress("Depth= 3 States=")), (None, None));
    }
}
