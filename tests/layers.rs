//! Does each layer of the application keep to itself? The crates are kept apart by their dependencies; `src/job` and `src/cli`, which are
//! one crate, by what is looked for here.

use std::fs;
use std::path::{Path, PathBuf};

/// What the command line may not name: who does the work.
const WORKERS: [&str; 11] = [
    "prequel_engine",
    "prequel_spin",
    "prequel_net",
    "prequel_program",
    "prequel_sat",
    "crate::engine::",
    "crate::engines",
    "crate::spin::",
    "crate::net::",
    "crate::program::",
    "crate::sat::",
];

/// What a job may not do: talk to anybody but its observer, or end the process.
const TALK: [&str; 7] = ["println!", "eprintln!", "print!(", "eprint!(", "process::exit", "io::stdout", "io::stderr"];

/// Every line of a text that names one of these, comments aside.
fn named<'t>(text: &'t str, words: &[&str]) -> Vec<&'t str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.filter(|line| words.iter().any(|word| line.contains(word))).collect()
}

/// All sources in a folder of `src`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the sources").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(sources(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
    found
}

/// Every line in a folder of `src` that names one of these, with its file.
fn offences(folder: &str, words: &[&str]) -> Vec<String> {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder));
    assert!(sources.len() > 20, "src/{folder} was looked at");
    let of = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a source is text");
        named(&text, words).into_iter().map(|line| format!("{}: {}", path.display(), line.trim())).collect::<Vec<_>>()
    };
    sources.iter().flat_map(of).collect()
}

#[test]
fn the_command_line_only_talks() {
    assert_eq!(offences("cli", &WORKERS), [""; 0]);
}

#[test]
fn jobs_do_not_talk() {
    assert_eq!(offences("job", &TALK), [""; 0]);
}

#[test]
fn an_offence_is_seen() {
    let text = "//! prequel_engine is named in words.\nuse prequel_engine::otf::Otf;\nuse crate::job::program::Step;\n";
    assert_eq!(named(text, &WORKERS), ["use prequel_engine::otf::Otf;"]);
    assert_eq!(named("use crate::spin::tools::Tools;", &WORKERS).len(), 1);
    assert_eq!(named("        println!(\"done\");\n        std::process::exit(0);", &TALK).len(), 2);
}
