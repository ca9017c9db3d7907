//! Berkeley's ABC beside us: the same systems as AIGER, its interpolation (`int`) and its property-directed search (`pdr`).

use prequel_families::boolean::BooleanSystem;
use prequel_formats::aiger;
use prequel_formats::aiger::Form;
use prequel_model::Why;
use prequel_model::run::Run;
use prequel_spin::process;
use std::io;
use std::path::{Path, PathBuf};

/// What Debian calls it.
const PROGRAM: &str = "berkeley-abc";

/// The program, if it is there.
pub fn program() -> Option<PathBuf> {
    process::find(PROGRAM)
}

/// Whether all properties hold as it says, and how many seconds one process takes for all of them, reading included.
pub fn all(program: &Path, command: &str, system: &BooleanSystem, run: &Run) -> Result<(bool, f64), Why> {
    let broken = |e: io::Error| Why::External(format!("a file for {PROGRAM}: {e}"));
    let folder = tempfile::tempdir().map_err(broken)?;
    let mut script = String::new();
    for (at, property) in system.properties.iter().enumerate() {
        let name = format!("{at}.aig");
        let mut text = Vec::new();
        aiger::write(&system.question(property), Form::Binary, &mut text).map_err(broken)?;
        std::fs::write(folder.path().join(&name), text).map_err(broken)?;
        script += &format!("read_aiger {name}\n{command}\n");
    }
    std::fs::write(folder.path().join("script"), script).map_err(broken)?;
    let ended = process::run(program, &["-f".into(), "script".into()], folder.path(), run)?;
    // It ends with 0 whatever happens, so only what it says of each property counts.
    let said = |words: &str| ended.stdout.matches(words).count();
    let (proved, refuted) = (said("Property proved"), said("was asserted in frame"));
    if proved + refuted != system.properties.len() {
        let why = format!("{PROGRAM} says nothing of {} properties", system.properties.len() - proved - refuted);
        return Err(Why::External(why));
    }
    Ok((refuted == 0, ended.time.as_secs_f64()))
}
