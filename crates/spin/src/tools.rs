//! SPIN itself, and what it makes of Promela that we wrote.

use super::process;
use super::report::{self, Fault, Report};
pub use super::session::C;
use super::session::{Build, FILE, Session};
use crate::promela::Promela;
use prequel_model::Why;
use prequel_model::run::{Limits, Run};
use prequel_program::Endless;
use std::path::PathBuf;
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

/// The programs that are needed.
#[derive(Debug)]
pub struct Tools {
    /// SPIN itself.
    pub spin: PathBuf,
    /// A C compiler.
    pub compiler: PathBuf,
    /// One that is done in no time, where it is installed: with the usual one, most of a short search is the compiler's.
    pub quick: Option<PathBuf>,
    /// SPIN's version, once it was asked; or what it says instead.
    version: OnceLock<Result<String, String>>,
}

/// How long a program may take to say its version where nobody set a limit.
const PATIENCE: Duration = Duration::from_secs(10);

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
        Ok(Tools { spin, compiler, quick: process::find("tcc"), version: OnceLock::new() })
    }

    /// SPIN's version, as in `6.5.2`, if it says so in time.
    pub fn version(&self) -> Option<&str> {
        let limits = Limits { time: Some(PATIENCE), ..Limits::default() };
        self.asked(&Run::new(limits, 0)).ok()
    }

    /// Whether what is called `spin` says that it is SPIN.
    pub fn are_what_they_say(&self, run: &Run) -> Result<(), Why> {
        self.asked(run).map(drop)
    }

    /// SPIN's version; it is asked once. What does not answer within the limits of this run may do so in another one.
    fn asked(&self, run: &Run) -> Result<&str, Why> {
        if self.version.get().is_none() {
            let folder = tempfile::Builder::new().prefix("prequel-spin-").tempdir();
            let folder = folder.map_err(|e| Why::External(format!("no temporary folder: {e}")))?;
            let ended = process::run(&self.spin, &["-V".into()], folder.path(), run)?;
            let said = ended.stdout.lines().next().unwrap_or_default();
            let version = said.strip_prefix("Spin Version ").and_then(|rest| rest.split_whitespace().next());
            let other = || format!("{} is not SPIN: it says `{said}`", self.spin.display());
            // Should another thread have asked at the same time, it was told the same.
            let _ = self.version.set(version.map(str::to_owned).ok_or_else(other));
        }
        match self.version.get() {
            Some(Ok(version)) => Ok(version),
            Some(Err(why)) => Err(Why::Refused(why.clone())),
            None => Err(Why::External("SPIN does not tell its version".into())),
        }
    }
}

/// How to search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// With SPIN's partial-order reduction.
    pub reduce: bool,
    /// C that is fast to compile or fast to run.
    pub c: C,
    /// The claims and formulas of the text are not looked at.
    pub without_claims: bool,
    /// Runs without an end that are looked for; where nothing is said, those that the claim accepts. Where the claims are not looked
    /// at, it is these runs alone.
    pub endless: Option<Endless>,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Searched {
    /// What `pan` reports. It found a fault, or its search was whole.
    pub report: Report,
    /// The fault, and the lines of the program that lead to it.
    pub fault: Option<(Fault, Vec<usize>)>,
}

/// Searches the states of a program that we wrote for a fault.
pub fn search(tools: &Tools, promela: &Promela, options: Options, run: &Run) -> Result<Searched, Why> {
    let mut session = Session::open(tools, run)?;
    session.write(FILE, promela.text.as_bytes())?;
    // SPIN must have nothing to say about a text of ours.
    let ended = session.generate(true)?;
    if !ended.success() || !ended.stdout.trim().is_empty() || !ended.stderr.trim().is_empty() {
        return Err(Why::External(format!("SPIN does not take the program: {}", ended.first_words())));
    }
    let Options { reduce, c, .. } = options;
    let build = Build { reduce, c, flags: vec!["-DSAFETY".into()], vector: promela.vector };
    let (report, _) = session.search(build, &[])?;
    let fault = match report.fault {
        Some((fault, _)) => Some((fault, report::trail(&session.follow(None)?))),
        None => None,
    };
    session.phases.note(run);
    Ok(Searched { report, fault })
}
