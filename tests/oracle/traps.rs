//! The small systems that set traps for compositional engines: `../shared/algorithms/witness`, where that folder is there.

use prequel::formats::aut;
use prequel::model::{Component, Goal, LabelId, Labels, Lts, Monitor, Network, Problem, Query, StateId};
use std::fs;
use std::path::Path;

/// A trap: its name, the problem, and the verdict that its `system.txt` states.
pub struct Trap {
    pub name: String,
    pub problem: Problem,
    pub expected: bool,
}

/// The traps about paths: reachability and safety.
pub fn traps() -> Vec<Trap> {
    understood(trap)
}

/// The traps that `read` makes sense of; empty, with a message, where the folder is absent.
pub fn understood(read: impl Fn(&Path) -> Option<Trap>) -> Vec<Trap> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/algorithms/witness");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("skipped: {} is not there", folder.display());
        return Vec::new();
    };
    let mut folders: Vec<_> = entries.map(|e| e.expect("a readable folder").path()).collect();
    folders.sort();
    folders.iter().filter_map(|folder| read(folder)).collect()
}

fn trap(folder: &Path) -> Option<Trap> {
    let text = fs::read_to_string(folder.join("system.txt")).expect("every trap has a system.txt");
    let field = |name: &str| text.lines().find_map(|l| l.strip_prefix(name)).map(str::trim);
    let name = folder.file_name()?.to_string_lossy().into_owned();
    let (verdict, reach) = match (field("kind:"), field("expected:"), field("expected verdict:")) {
        (Some("reachability"), Some(verdict), _) => (verdict, true),
        (None, _, Some(verdict)) => (verdict, false),
        _ => return None,
    };
    let expected = match verdict {
        "reachable" | "holds" => true,
        "unreachable" | "violated" => false,
        other => panic!("{name}: unknown verdict {other}"),
    };
    let mut labels = Labels::new();
    let mut components = Vec::new();
    let mut monitor = None;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("component") => {
                let words: Vec<&str> = words.collect();
                let (name, file) =
                    if reach { (words[0], words[1]) } else { (words[0].trim_end_matches(".aut"), words[0]) };
                let alphabet = alphabet(line, &mut labels);
                components.push(Component::with_alphabet(name, system(folder, file, &mut labels), alphabet));
            }
            Some("property") => {
                let lts = system(folder, words.next().expect("a file"), &mut labels);
                let accepting = between(line, "accepting(bad) {", "}").expect("accepting states");
                let accepting = list(accepting).map(|s| StateId(s.parse().expect("a state")));
                monitor = Some((lts.with_marked(accepting), alphabet(line, &mut labels)));
            }
            _ => {}
        }
    }
    let network = Network::new(labels, components);
    let query = match monitor {
        Some((lts, alphabet)) => {
            // An action that no component takes part in is a free move of the monitor: a tau.
            let foreign = |l: LabelId| !l.is_tau() && network.participants(l).is_empty();
            let lts = lts.relabelled(|l| if foreign(l) { LabelId::TAU } else { l });
            let alphabet = alphabet.into_iter().filter(|&l| !foreign(l));
            Query::Safety(Monitor { automaton: Component::with_alphabet("P", lts, alphabet) })
        }
        None => Query::Reach(goal(&text, &network)),
    };
    Some(Trap { name, problem: Problem { network, query }, expected })
}

fn system(folder: &Path, file: &str, labels: &mut Labels) -> Lts {
    let text = fs::read(folder.join(file)).expect("a component file");
    aut::read(file, &text, &aut::Dialect::default(), labels).expect("a valid component").0
}

/// `goal A=1 B=2` lines: a disjunction of conjunctions.
fn goal(text: &str, network: &Network) -> Goal {
    let atom = |atom: &str| {
        let (component, state) = atom.split_once('=').expect("component=state");
        Goal::at(network.find(component).expect("a component"), StateId(state.parse().expect("a state")))
    };
    let goals = text.lines().filter_map(|l| l.strip_prefix("goal "));
    Goal::Or(goals.map(|g| Goal::And(g.split_whitespace().map(atom).collect())).collect())
}

/// `alphabet=a,b` or `alphabet {a, b}`.
fn alphabet(line: &str, labels: &mut Labels) -> Vec<LabelId> {
    let names = match between(line, "alphabet {", "}") {
        Some(names) => names,
        None => line.split_once("alphabet=").map_or("", |(_, names)| names.split_whitespace().next().unwrap_or("")),
    };
    list(names).map(|name| labels.intern(name)).collect()
}

fn list(names: &str) -> impl Iterator<Item = &str> {
    names.split(',').map(str::trim).filter(|name| !name.is_empty())
}

fn between<'a>(line: &'a str, start: &str, end: &str) -> Option<&'a str> {
    line.split_once(start)?.1.split_once(end).map(|(inside, _)| inside)
}
