//! The source lines of a trace, looked up when they are to be shown.

use crate::aut;
use prequel_model::{ComponentId, LabelId, Network, Origin, StateId, Trace};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;

/// For each step of a trace the `file:line` of every transition that is found in an `.aut` file, in component order.
///
/// Files that are gone or changed since they were read only make lines missing: a witness is shown without them.
pub fn of_trace(network: &Network, origin: &Origin, trace: &Trace, dialect: &aut::Dialect) -> Vec<Vec<String>> {
    type Local = (StateId, LabelId, StateId);
    let mut wanted: BTreeMap<ComponentId, Vec<Local>> = BTreeMap::new();
    for step in &trace.steps {
        for m in &step.moves {
            wanted.entry(m.component).or_default().push((m.from, step.label, m.to));
        }
    }
    let mut found: BTreeMap<(ComponentId, Local), String> = BTreeMap::new();
    for (c, mut transitions) in wanted {
        let Some(path) = origin.of(c).and_then(|source| source.file.as_deref()) else { continue };
        if path.extension().is_none_or(|e| e != "aut") {
            continue;
        }
        let Ok(file) = File::open(path) else { continue };
        transitions.sort_unstable();
        transitions.dedup();
        let tau: Vec<&str> = dialect.tau.iter().map(String::as_str).collect();
        let names: Vec<Vec<&str>> = (transitions.iter())
            .map(|t| if t.1.is_tau() { tau.clone() } else { vec![network.labels().name(t.1)] })
            .collect();
        let asked: Vec<(StateId, &[&str], StateId)> =
            transitions.iter().zip(&names).map(|(t, names)| (t.0, names.as_slice(), t.2)).collect();
        for (t, line) in transitions.iter().zip(aut::find_lines(BufReader::new(file), &asked)) {
            if let Some(line) = line {
                found.insert((c, *t), format!("{}:{line}", path.display()));
            }
        }
    }
    let lines = trace.steps.iter().map(|step| {
        let of_move = |m: &prequel_model::Move| found.get(&(m.component, (m.from, step.label, m.to))).cloned();
        step.moves.iter().filter_map(of_move).collect()
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_model::{Component, Labels, Source};
    use std::sync::Arc;

    #[test]
    fn lines_come_from_the_files_of_the_components() {
        let folder = tempfile::tempdir().unwrap();
        let (mut labels, mut components, mut origin) = (Labels::new(), Vec::new(), Origin::default());
        for (name, text) in [("x", "des (0,2,2)\n(0,i,1)\n(1,\"a\",0)\n"), ("y", "des (0,1,1)\n\n(0,a,0)\n")] {
            let path = folder.path().join(format!("{name}.aut"));
            std::fs::write(&path, text).unwrap();
            let (lts, _) = aut::read(name, text.as_bytes(), &aut::Dialect::default(), &mut labels).unwrap();
            components.push(Component::new(name, lts));
            origin.sources.push(Source { file: Some(Arc::new(path)), state_names: None });
        }
        let network = Network::new(labels, components);
        let mut trace = Trace::default();
        let mut state = network.initial();
        for _ in 0..2 {
            let step = network.steps(&state).swap_remove(0);
            step.moves.iter().for_each(|m| state[m.component.at()] = m.to);
            trace.steps.push(step);
        }
        let short = |lines: Vec<Vec<String>>| -> Vec<Vec<String>> {
            let name = |l: &String| l.rsplit(std::path::MAIN_SEPARATOR).next().unwrap().to_owned();
            lines.iter().map(|of| of.iter().map(name).collect()).collect()
        };
        let found = of_trace(&network, &origin, &trace, &aut::Dialect::default());
        assert_eq!(short(found), [vec!["x.aut:2"], vec!["x.aut:3", "y.aut:3"]]);
        std::fs::remove_file(folder.path().join("x.aut")).unwrap();
        let found = of_trace(&network, &origin, &trace, &aut::Dialect::default());
        assert_eq!(short(found), [vec![], vec!["y.aut:3"]]);
    }
}
