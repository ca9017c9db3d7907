//! LoLA, a model checker for Petri nets, asked about a net that we wrote.
//!
//! It is there to compare with: nothing relies on its verdict. Of what it prints only the line `lola: result: yes` or `no` is taken.

use prequel_formats::lola;
use prequel_model::run::Run;
use prequel_model::{Net, NetQuery, Why};
use prequel_spin::process;
use std::path::{Path, PathBuf};
use std::time::Duration;

const NET: &str = "net.lola";
const FORMULA: &str = "query.formula";

/// LoLA on PATH.
pub fn find() -> Option<PathBuf> {
    process::find("lola")
}

/// Its verdict, and the wall time of its run; writing the net is not part of it.
pub fn ask(program: &Path, net: &Net, query: &NetQuery, run: &Run) -> Result<(bool, Duration), Why> {
    let broken = |e: std::io::Error| Why::External(format!("the temporary folder cannot be written to: {e}"));
    let folder = tempfile::Builder::new().prefix("prequel-lola-").tempdir().map_err(broken)?;
    let (mut text, mut formula) = (Vec::new(), Vec::new());
    lola::write(net, &mut text).map_err(broken)?;
    lola::write_formula(net, query, &mut formula).map_err(broken)?;
    std::fs::write(folder.path().join(NET), text).map_err(broken)?;
    std::fs::write(folder.path().join(FORMULA), formula).map_err(broken)?;
    let ended = process::run(program, &[NET.into(), format!("--formula={FORMULA}")], folder.path(), run)?;
    match result(&ended.stdout).or_else(|| result(&ended.stderr)) {
        Some(verdict) => Ok((verdict, ended.time)),
        None => Err(Why::External(format!("LoLA gave no verdict: {}", ended.first_words()))),
    }
}

/// The verdict in what it printed.
fn result(text: &str) -> Option<bool> {
    let mut said = text.lines().filter_map(|line| line.strip_prefix("lola: result: "));
    match said.next().map(str::trim) {
        Some("yes") => Some(true),
        Some("no") => Some(false),
        _ => None,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use prequel_model::run::Limits;
    use prequel_model::{Comparison, Condition, PlaceId};
    use std::os::unix::fs::PermissionsExt as _;

    /// Something in its place that looks at both files and prints as it does.
    fn stand_in(folder: &Path, says: &str) -> PathBuf {
        let program = folder.join("lola");
        let text =
            format!("#!/bin/sh\ngrep -q CONSUME $1 && grep -q '^EF (p >= 1)$' \"${{2#--formula=}}\" && {says}\n");
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    #[test]
    fn only_its_result_counts() {
        let net = prequel_formats::lola::read("n", b"PLACE p; MARKING p; TRANSITION t CONSUME p; PRODUCE;").unwrap().0;
        let query = NetQuery::Possible(Condition::Tokens(vec![(PlaceId(0), 1)], Comparison::AtLeast, 1));
        let folder = tempfile::tempdir().unwrap();
        let run = Run::new(Limits::default(), 0);
        let asked = |says: &str| ask(&stand_in(folder.path(), says), &net, &query, &run).map(|(verdict, _)| verdict);
        assert_eq!(asked("echo 'lola: NET\nlola: result: yes' >&2"), Ok(true));
        assert_eq!(asked("echo 'lola: result: no'"), Ok(false));
        for says in ["echo 'lola: result: unknown'", "echo yes", "exit 1"] {
            assert!(matches!(asked(says), Err(Why::External(why)) if why.contains("no verdict")), "{says}");
        }
    }
}
