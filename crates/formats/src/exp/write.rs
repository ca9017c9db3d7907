//! CADP networks, `.exp`, out: one `label par` in which each component lists its whole alphabet, and an `.aut` file each.
//!
//! The component files use the names of labels; hiding and renaming around the composition say what is seen of them. Hiding
//! comes first, so that a label can be hidden while another is seen under its name. Marked states have no place in the format.

use crate::aut;
use crate::exp::SPECIAL;
use prequel_model::{LabelId, Network};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Why a network cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unwritable {
    /// There is nothing to compose.
    #[error("a network without components cannot be written as .exp")]
    Empty,
    /// A visible label that would be read back as tau.
    #[error("label `{0}` would be read back as the internal step; rename it first")]
    Tau(String),
    /// A label that does not fit on a line.
    #[error("label {0:?} contains a line end, which .exp and .aut cannot hold; rename it first")]
    Line(String),
    /// A stem that is no file name.
    #[error("{0:?} is no name for a file")]
    Stem(String),
}

/// The files of a network: `STEM.exp` first, then `STEM.d/NAME.aut` for each component, relative to one folder.
pub fn write(network: &Network, stem: &str) -> Result<Vec<(String, Vec<u8>)>, Unwritable> {
    if stem.is_empty() || stem.contains(['/', '\\', '\n', '\r']) {
        return Err(Unwritable::Stem(stem.into()));
    }
    if network.components().is_empty() {
        return Err(Unwritable::Empty);
    }
    let labels = network.labels();
    let used: Vec<LabelId> = labels.visible().filter(|&l| !network.participants(l).is_empty()).collect();
    let actions: Vec<LabelId> = used.iter().map(|&l| labels.action(l)).collect();
    for list in [&used, &actions] {
        if let Some(name) = aut::mistakable(labels, list).first() {
            return Err(Unwritable::Tau((*name).into()));
        }
        if let Some(&label) = list.iter().find(|&&l| labels.name(l).contains(['\n', '\r'])) {
            return Err(Unwritable::Line(labels.name(label).into()));
        }
    }
    let hidden: Vec<LabelId> = used.iter().copied().filter(|&l| labels.action(l).is_tau()).collect();
    let renamed: Vec<LabelId> =
        used.iter().copied().filter(|&l| labels.action(l) != l && !labels.action(l).is_tau()).collect();

    let names = file_names(network);
    let mut text = String::new();
    if !renamed.is_empty() {
        let rule = |&l: &LabelId| format!("{} -> {}", pattern(labels.name(l)), result(labels.seen(l)));
        let rules: Vec<String> = renamed.iter().map(rule).collect();
        let _ = writeln!(text, "total rename\n  {}\nin", rules.join(",\n  "));
    }
    if !hidden.is_empty() {
        let list: Vec<String> = hidden.iter().map(|&l| pattern(labels.name(l))).collect();
        let _ = writeln!(text, "total hide\n  {}\nin", list.join(",\n  "));
    }
    text.push_str("label par\n");
    let mut files = vec![(format!("{stem}.exp"), Vec::new())];
    for (component, name) in network.components().iter().zip(names) {
        let path = format!("{stem}.d/{name}.aut");
        let list: Vec<String> = component.alphabet().iter().map(|&l| quoted(labels.name(l))).collect();
        let arrow = if list.is_empty() { "" } else { " -> " };
        let separator = if files.len() == 1 { "  " } else { "||" };
        let _ = writeln!(text, "{separator} {}{arrow}{}", list.join(", "), quoted(&path));
        let mut contents = Vec::new();
        aut::write(&component.lts, |l| labels.name(l), &mut contents).expect("writing to memory");
        files.push((path, contents));
    }
    text.push_str("end par\n");
    if !hidden.is_empty() {
        text.push_str("end hide\n");
    }
    if !renamed.is_empty() {
        text.push_str("end rename\n");
    }
    files[0].1 = text.into_bytes();
    Ok(files)
}

/// A string in quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text, &['"', '\\']))
}

/// A label where a regular expression is expected.
fn pattern(label: &str) -> String {
    quoted(&escaped(label, &SPECIAL))
}

/// A label that replaces an expression, where a backslash and a digit would refer to a part of it.
fn result(label: &str) -> String {
    quoted(&escaped(label, &['\\']))
}

/// The text with a backslash before each of some characters.
fn escaped(text: &str, special: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if special.contains(&c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Names that any file system can hold and tell apart, as close to the components' as possible.
fn file_names(network: &Network) -> Vec<String> {
    /// Leaves room for a number and an extension in the 255 bytes that file systems allow.
    const LONGEST: usize = 200;
    let mut taken: HashSet<String> = HashSet::with_capacity(network.components().len());
    let mut number = 1;
    network
        .components()
        .iter()
        .map(|component| {
            let safe = |c: char| if c.is_ascii_alphanumeric() || "_-.#".contains(c) { c } else { '_' };
            let mut name: String = component.name.chars().map(safe).take(LONGEST).collect();
            if name.is_empty() || name.starts_with('.') {
                name.insert(0, '_');
            }
            // Names that differ in case only are one file on some systems.
            if !taken.insert(name.to_ascii_lowercase()) {
                let numbered = std::iter::repeat_with(|| {
                    number += 1;
                    format!("{name}-{number}")
                });
                let mut numbered = numbered.filter(|name| taken.insert(name.to_ascii_lowercase()));
                name = numbered.next().expect("some number is unused");
            }
            name
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Diagnostic;
    use prequel_families::random::{Shape, network};
    use prequel_model::rng::Rng;
    use prequel_model::{Component, Labels, Lts, StateId, Transition};
    use std::collections::{BTreeSet, HashSet, VecDeque};
    use std::path::Path;

    fn put(files: &[(String, Vec<u8>)], dir: &Path) {
        for (path, contents) in files {
            let path = dir.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, contents).unwrap();
        }
    }

    fn reread(network: &Network, dir: &Path) -> (Network, Vec<Diagnostic>) {
        let files = write(network, "n").unwrap();
        put(&files, dir);
        let ((network, _), warnings) = crate::exp::read("n.exp", &files[0].1, dir, &Default::default())
            .unwrap_or_else(|e| panic!("{}\n{}", String::from_utf8_lossy(&files[0].1), e[0].render()));
        (network, warnings)
    }

    fn steps(network: &Network, state: &[StateId]) -> BTreeSet<(String, Vec<StateId>)> {
        let taken = |step: prequel_model::Step| {
            let mut next = state.to_vec();
            step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
            (network.labels().seen(step.label).to_owned(), next)
        };
        network.steps(state).into_iter().map(taken).collect()
    }

    fn alphabets(network: &Network) -> Vec<(String, Vec<String>)> {
        let of = |c: &Component| {
            let mut names: Vec<String> = c.alphabet().iter().map(|&l| network.labels().seen(l).into()).collect();
            names.sort();
            (c.name.to_string(), names)
        };
        network.components().iter().map(of).collect()
    }

    /// The same network with random labels hidden, or seen as others, some of which nobody takes part in.
    fn disguised(network: Network, rng: &mut Rng) -> Network {
        let (mut labels, components) = network.into_parts();
        let all: Vec<LabelId> = labels.visible().collect();
        let foreign = labels.intern("x \"y\" \\ [z]*");
        for &label in &all {
            match rng.below(6) {
                0 => labels.show(label, LabelId::TAU),
                1 => labels.show(label, *rng.pick(&all)),
                2 => labels.show(label, foreign),
                _ => {}
            }
        }
        Network::new(labels, components)
    }

    #[test]
    fn what_is_written_is_read_back_with_the_same_behaviour() {
        let dir = tempfile::tempdir().unwrap();
        for seed in 0..2500 {
            let mut rng = Rng::new(seed);
            let original = disguised(network(seed, &Shape::default()), &mut rng);
            let (again, warnings) = reread(&original, dir.path());
            // The random systems may end with states that no transition mentions.
            assert!(warnings.iter().all(|w| w.message.starts_with("the header declares")), "seed {seed}: {warnings:?}");
            assert_eq!(alphabets(&again), alphabets(&original), "seed {seed}");
            assert_eq!(again.initial(), original.initial(), "seed {seed}");
            let mut known = HashSet::from([original.initial()]);
            let mut queue = VecDeque::from([original.initial()]);
            while let Some(state) = queue.pop_front().filter(|_| known.len() < 300) {
                let expected = steps(&original, &state);
                assert_eq!(steps(&again, &state), expected, "seed {seed} in {state:?}");
                for (_, next) in expected {
                    if known.insert(next.clone()) {
                        queue.push_back(next);
                    }
                }
            }
        }
    }

    fn one(name: &str, label: &str) -> Network {
        let mut labels = Labels::new();
        let a = labels.intern(label);
        let lts = Lts::new(StateId(0), 2, vec![Transition::new(0, a, 1)]);
        Network::new(labels, vec![Component::new(name, lts.clone()), Component::new(name.to_uppercase(), lts)])
    }

    #[test]
    fn odd_labels_and_names_survive_or_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        for label in
            ["a[1]", r"a\[", r"\1", r#"say "hi""#, "\\", "", " a, b ", "A.*", "é", "(* x", "--", "_", "in", "a#2"]
        {
            for hide in [None, Some(LabelId::TAU), Some(LabelId(2))] {
                let (mut labels, components) = one("m", label).into_parts();
                labels.intern(r"seen \1 & [as]");
                hide.into_iter().for_each(|action| labels.show(LabelId(1), action));
                let original = Network::new(labels, components);
                let (again, warnings) = reread(&original, dir.path());
                assert_eq!(steps(&again, &again.initial()), steps(&original, &original.initial()), "{label}");
                assert!(warnings.is_empty(), "{warnings:?}");
            }
        }
        assert_eq!(write(&one("m", "i"), "n"), Err(Unwritable::Tau("i".into())));
        assert_eq!(write(&one("m", "a\nb"), "n"), Err(Unwritable::Line("a\nb".into())));
        assert_eq!(write(&one("m", "a"), "x/y"), Err(Unwritable::Stem("x/y".into())));
        assert_eq!(write(&Network::new(Labels::new(), Vec::new()), "n"), Err(Unwritable::Empty));
        let paths = |name: &str| write(&one(name, "a"), "n").unwrap().into_iter().map(|f| f.0).collect::<Vec<_>>();
        assert_eq!(paths("m#2"), ["n.exp", "n.d/m#2.aut", "n.d/M#2-2.aut"]);
        assert_eq!(paths("../a b"), ["n.exp", "n.d/_.._a_b.aut", "n.d/_.._A_B-2.aut"]);
    }

    #[test]
    fn the_text_is_as_people_would_write_it() {
        let (mut labels, components) = one("m", "C").into_parts();
        let x = labels.intern("x");
        labels.show(LabelId(1), x);
        let files = write(&Network::new(labels, components), "n").unwrap();
        let expected = "total rename\n  \"C\" -> \"x\"\nin\nlabel par\n   \"C\" -> \"n.d/m.aut\"\n|| \"C\" -> \"n.d/M-2.aut\"\nend par\nend rename\n";
        assert_eq!(String::from_utf8_lossy(&files[0].1), expected);
        assert_eq!(String::from_utf8_lossy(&files[1].1), "des (0,1,2)\n(0,\"C\",1)\n");
    }
}
