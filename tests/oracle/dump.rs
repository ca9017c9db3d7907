//! A problem as files: what a failing case leaves behind, to be run by hand.

use prequel::formats::{aut, exp};
use prequel::formats::{goal, monitor};
use prequel::model::{Component, LabelId, Labels, Lts, Monitor, Origin, Problem, Query, StateId, Transition};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with a problem in it.
pub struct Case {
    pub folder: PathBuf,
    /// What to run there: the arguments of `prequel`.
    pub arguments: Vec<String>,
}

impl Case {
    /// The command line as a shell takes it.
    pub fn command(&self) -> String {
        let quoted = |argument: &String| format!("'{}'", argument.replace('\'', r"'\''"));
        let arguments: Vec<String> = self.arguments.iter().map(quoted).collect();
        format!("cd '{}' && prequel {}", self.folder.display(), arguments.join(" "))
    }
}

/// Writes a problem to a folder. `options` are those of the engine, as in `otf --no-por`.
pub fn write(problem: &Problem, options: &str, folder: &Path) -> Case {
    let put = |path: &str, text: &[u8]| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("the folder can be written to");
        fs::write(path, text).expect("the folder can be written to");
    };
    for (path, text) in exp::write(&problem.network, "network").expect("random networks are plain") {
        put(&path, &text);
    }
    let mut arguments: Vec<String> = ["check", "network.exp"].map(Into::into).to_vec();
    match &problem.query {
        Query::DeadlockFree => arguments.push("--deadlock-free".into()),
        Query::Nonblocking => arguments.push("--nonblocking".into()),
        Query::Reach(sought) => {
            arguments.extend(["--reach".into(), goal::show(sought, &problem.network, &Origin::default())]);
        }
        Query::Safety(monitor) => {
            put("monitor.aut", &monitor_file(monitor, problem.network.labels().clone()));
            arguments.extend(["--monitor", "monitor.aut"].map(Into::into));
        }
    }
    arguments.push("--engine".into());
    arguments.extend(options.split(' ').map(Into::into));
    let case = Case { folder: folder.to_owned(), arguments };
    put("command", format!("{}\n", case.command()).as_bytes());
    case
}

/// Writes a problem to a new folder that stays.
pub fn keep(problem: &Problem, options: &str) -> Case {
    let folder = tempfile::Builder::new().prefix("prequel-case-").tempdir().expect("there is a temporary folder");
    write(problem, options, &folder.keep())
}

/// A monitor as `--monitor` reads it. Its alphabet is what occurs in the file, so labels that it only blocks occur at a
/// state of their own that nothing leads to.
fn monitor_file(monitor: &Monitor, mut labels: Labels) -> Vec<u8> {
    let automaton: &Component = &monitor.automaton;
    let lts = monitor::with_accept_loops(&automaton.lts, &mut labels);
    let apart = StateId::new(lts.num_states());
    let blocked = automaton.blocked().into_iter().map(|label| Transition { source: apart, label, target: apart });
    let transitions: Vec<Transition> = lts.transitions().chain(blocked).collect();
    let lts = Lts::new(lts.initial(), lts.num_states() + 1, transitions);
    let mut text = Vec::new();
    aut::write(&lts, |l: LabelId| labels.name(l), &mut text).expect("writing to memory does not fail");
    text
}
