//! Real files: all of them are read, and what is written is read back as the same system.

use prequel::formats::aut as out;
use prequel::formats::aut;
use prequel::formats::aut::Dialect;
use prequel::formats::diag::Diagnostic;
use prequel::formats::list::{FORMATS, Format, Listed, OutputFormat};
use prequel::model::{Labels, Lts, Transition};
use prequel::open as model;
use prequel::open::{Model, Options};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files under a folder with an extension, in order; none, with a message, where the folder is absent.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    if !Path::new(folder).is_dir() {
        eprintln!("skipped: there is no folder {folder}");
        return Vec::new();
    }
    let all = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(|e| e.unwrap().into_path());
    let found: Vec<PathBuf> = all.filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
    assert!(!found.is_empty(), "no .{extension} file under {folder}");
    found
}

fn written(lts: &Lts, labels: &Labels) -> Vec<u8> {
    let mut text = Vec::new();
    out::write(lts, |l| labels.name(l), &mut text).unwrap();
    text
}

/// Transitions by the names of their labels, sorted.
fn by_name(lts: &Lts, labels: &Labels) -> Vec<(u32, String, u32)> {
    let named = |t: Transition| (t.source.0, labels.name(t.label).to_owned(), t.target.0);
    let mut all: Vec<_> = lts.transitions().map(named).collect();
    all.sort_unstable();
    all
}

/// A probability is a fraction among the targets of a transition, or of the header.
fn is_probabilistic(text: &[u8]) -> bool {
    let after_label = |line: &[u8]| line[line.iter().rposition(|&b| b == b'"').unwrap_or(0)..].contains(&b'/');
    text.split(|&b| b == b'\n').any(after_label)
}

fn reads_and_is_written_back(path: &Path) {
    let name = path.display().to_string();
    let text = fs::read(path).unwrap();
    let mut labels = Labels::new();
    let shown = |errors: Vec<Diagnostic>| errors.iter().map(Diagnostic::render).collect::<Vec<_>>().join("\n");
    let lts = match aut::read(&name, &text, &Dialect::default(), &mut labels) {
        Ok((lts, _)) => lts,
        Err(errors) => panic!("{}", shown(errors)),
    };
    let once = written(&lts, &labels);

    // With a table of its own: the labels are numbered anew, but called the same.
    let mut own = Labels::new();
    let (again, warnings) =
        aut::read(&name, &once, &Dialect::default(), &mut own).unwrap_or_else(|e| panic!("{}", shown(e)));
    assert!(warnings.iter().all(|w| w.message.contains("none above")), "{name}: {}", shown(warnings));
    assert_eq!((again.initial(), again.num_states()), (lts.initial(), lts.num_states()), "{name}");
    assert!(by_name(&again, &own) == by_name(&lts, &labels), "{name}: other transitions after writing");

    // With the same table: the very same system, and the same bytes.
    let before = labels.len();
    let (again, _) = aut::read(&name, &once, &Dialect::default(), &mut labels).unwrap();
    assert!(again == lts && labels.len() == before, "{name}: another system after writing");
    assert!(written(&again, &labels) == once, "{name}: written differently the second time");
}

#[test]
fn every_automaton_is_read_and_written_back() {
    let models = files("../shared/models", "aut");
    let (probabilistic, plain): (Vec<_>, Vec<_>) =
        models.iter().partition(|path| is_probabilistic(&fs::read(path).unwrap()));
    plain.iter().for_each(|path| reads_and_is_written_back(path));
    if !models.is_empty() {
        assert_eq!(probabilistic.len(), 1, "{probabilistic:?}");
    }
    for path in probabilistic {
        let ended = Command::new(env!("CARGO_BIN_EXE_prequel")).arg("info").arg(path).output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(3), "{said}");
        assert!(said.contains("probabilistic"), "{said}");
    }
}

#[test]
fn every_automaton_of_the_witness_systems_is_read_and_written_back() {
    files("../shared/algorithms/witness", "aut").iter().for_each(|path| reads_and_is_written_back(path));
}

#[test]
fn every_network_is_read() {
    for path in files("../shared/models", "exp") {
        match model::read(std::slice::from_ref(&path), &Options::default()) {
            Ok((Model::Network(network, origin), _)) => {
                assert!(!network.components().is_empty(), "{}", path.display());
                assert_eq!(origin.sources.len(), network.components().len(), "{}", path.display());
            }
            Ok(_) => panic!("{} is a network", path.display()),
            Err(errors) => panic!("{}", errors.iter().map(Diagnostic::render).collect::<Vec<_>>().join("\n")),
        }
    }
}

/// A line of the table for each format of the list, in its order.
fn format_rows() -> Vec<String> {
    let listed = |all: Vec<&str>| match all.is_empty() {
        true => "–".to_owned(),
        false => all.iter().map(|extension| format!("`.{extension}`")).collect::<Vec<_>>().join(", "),
    };
    let row = |format: &Listed| {
        let written = format.written.iter().map(|(extension, _)| *extension).collect();
        format!("| [{}]({}) | {} | {} |", format.name, format.page, listed(format.extensions.to_vec()), listed(written))
    };
    FORMATS.iter().map(row).collect()
}

#[test]
fn the_documentation_lists_the_formats_that_there_are() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let text = fs::read_to_string(docs.join("formats.md")).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| [")).collect();
    assert_eq!(rows, format_rows());
    for format in &FORMATS {
        let page = fs::read_to_string(docs.join(format.page)).unwrap_or_else(|_| panic!("{} is a page", format.page));
        for extension in format.extensions.iter().filter(|_| format.page == "petri.md") {
            assert!(page.contains(&format!("`.{extension}`")), "{}: .{extension}", format.page);
        }
    }
}

#[test]
fn help_names_the_formats_that_there_are() {
    let help = |command: &str| {
        let told = Command::new(env!("CARGO_BIN_EXE_prequel")).args([command, "--help"]).output().unwrap().stdout;
        String::from_utf8(told).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(help("check").contains(&format!("whatever their extension ({})", Format::names())));
    assert!(help("convert").contains(&format!("Where to write; {}", OutputFormat::choice(|_| true))));
}
