//! SPIN itself, and what it makes of Promela that we wrote.

use super::process;
use super::report::{self, Fault, Report};
use super::session::{Build, FILE, Session};
use crate::emit::promela::Promela;
use crate::engine::run::Run;
use crate::model::Why;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

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
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// With SPIN's partial-order reduction.
    pub reduce: bool,
    /// Optimised C: slower to compile, faster to run.
    pub optimise: bool,
    /// The claims and formulas of the text are not looked at.
    pub without_claims: bool,
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
    if !ended.success || !ended.stdout.trim().is_empty() || !ended.stderr.trim().is_empty() {
        return Err(Why::External(format!("SPIN does not take the program: {}", ended.first_words())));
    }
    let Options { reduce, optimise, .. } = options;
    let build = Build { reduce, optimise, flags: vec!["-DSAFETY".into()], vector: promela.vector };
    let (report, _) = session.search(build, &[])?;
    let fault = match report.fault {
        Some((fault, _)) => Some((fault, report::trail(&session.follow(None)?))),
        None => None,
    };
    session.phases.note(run);
    Ok(Searched { report, fault })
}
