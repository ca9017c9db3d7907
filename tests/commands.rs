//! Every command on damaged real files, as a user would run it: it ends with a code of the contract, says so on its last line, and no
//! panic leaves it.
//!
//! The files are those of this project and, where they are, the real models beside it. `make fuzz` tries more of them.

use crate::damage::mutant;
use crate::fuzz::{first_seed, number};
use prequel::model::rng::Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How many files; `make fuzz` raises it.
fn files() -> u64 {
    number("PREQUEL_FUZZ_COMMANDS", 60)
}

/// Longer files only take more time.
const LONGEST: u64 = 40_000;

/// Time of a run: all engines are asked where none is named, and one of them mostly goes on until it is over.
const TIME: &str = "100ms";

/// A run that takes longer is stopped: that limits are kept is tested elsewhere.
const PATIENCE: Duration = Duration::from_secs(60);

/// What kind of model a file is, by its extension.
fn kind(path: &Path) -> Option<&'static str> {
    Some(match path.extension()?.to_str()? {
        "pml" | "pm" | "prm" | "promela" | "spin" | "pr" | "prom" | "sumo" => "promela",
        "dve" => "dve",
        "pnml" | "lola" | "ll_net" | "net" | "nupn" => "net",
        "wmod" | "wdes" => "des",
        "aut" => "aut",
        "exp" => "exp",
        "smv" | "aag" | "aig" => "circuit",
        _ => return None,
    })
}

/// Real files by kind.
fn models() -> BTreeMap<&'static str, Vec<PathBuf>> {
    let mut found: BTreeMap<&str, Vec<PathBuf>> = BTreeMap::new();
    for folder in ["tests", "examples", "demo", "../shared/models"] {
        let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
        let short = files.filter(|f| f.metadata().is_ok_and(|about| about.is_file() && about.len() < LONGEST));
        for file in short {
            if let Some(kind) = kind(file.path()) {
                found.entry(kind).or_default().push(file.into_path());
            }
        }
    }
    if !Path::new("../shared/models").is_dir() {
        eprintln!("../shared/models is not there: only files of this project are damaged");
    }
    found
}

/// The command lines for a file of some kind; `OUT` stands for a file to write.
fn commands(kind: &str, rng: &mut Rng) -> Vec<Vec<&'static str>> {
    let engines = ["otf", "icc", "lazy", "quotient", "minimise", "learn", "conflict", "bdd", "ic3", "citp-pa"];
    let query = match kind {
        "aut" | "exp" | "net" => &["--deadlock-free"][..],
        _ => &[],
    };
    let (first, second) = match kind {
        "promela" => ("aut", "exp"),
        "dve" => ("exp", "pml"),
        "net" => ("lola", "exp"),
        "des" => ("wdes", "pml"),
        "aut" => ("exp", "smv"),
        "exp" => ("pml", "lola"),
        _ => ("aag", "smv"),
    };
    let with = |words: &[&'static str]| [words, query].concat();
    let mut lines = vec![
        with(&["check", "FILE", "--witness", "OUT.json"]),
        vec!["info", "FILE"],
        with(&["reduce", "FILE", "-o", "OUT.pml"]),
        with(&["reduce", "FILE", "-o", "OUT.exp", "--method", *rng.pick(&["icc", "minimise"])]),
        with(&["advise", "FILE"]),
        vec!["compare", "FILE", "FILE", "--equivalence", *rng.pick(&["strong", "branching", "weak", "weak-trace"])],
    ];
    for extension in [first, second] {
        let out = ["aut", "exp", "pml", "lola", "wdes", "smv", "aag"].iter().position(|e| *e == extension);
        let outs = ["OUT.aut", "OUT.exp", "OUT.pml", "OUT.lola", "OUT.wdes", "OUT.smv", "OUT.aag"];
        lines.push(vec!["convert", "FILE", "-o", outs[out.expect("it is there")]]);
    }
    lines.push(match kind {
        "promela" => vec!["check", "FILE", "--optimise"],
        "des" => vec!["check", "FILE", "--controllable"],
        _ => with(&["check", "FILE", "--engine", *rng.pick(&engines)]),
    });
    lines
}

/// Ends a run that takes too long.
fn run(arguments: &[String], folder: &Path) -> Option<Output> {
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let file = |path: &Path| fs::File::create(path).expect("room for a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_prequel"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(file(&out))
        .stderr(file(&err))
        .spawn()
        .expect("the program starts");
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            let text = |path: &Path| fs::read(path).expect("it was just written");
            return Some(Output { status, stdout: text(&out), stderr: text(&err) });
        }
        if started.elapsed() > PATIENCE {
            drop((child.kill(), child.wait()));
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What is wrong with the end of a run, if anything.
fn wrong(line: &[String], ended: &Output) -> Option<String> {
    let (code, said) = (ended.status.code(), String::from_utf8_lossy(&ended.stderr));
    if !matches!(code, Some(0..=3)) {
        return Some(format!("it ends with {:?}: {}", ended.status, said.lines().next().unwrap_or("no message")));
    }
    let out = String::from_utf8_lossy(&ended.stdout);
    let last = out.lines().last().unwrap_or_default();
    if line[0] == "check" && !last.starts_with("RESULT ") {
        return Some(format!("the last line is `{last}`"));
    }
    let results = out.lines().filter(|line| line.starts_with("RESULT ")).count();
    (results > 1).then(|| format!("there are {results} last lines"))
}

/// Damages one file and tries all commands on it; gives what went wrong, and how many runs had to be stopped.
fn attempt(seed: u64, models: &BTreeMap<&'static str, Vec<PathBuf>>) -> (Vec<String>, u64, u64) {
    let mut rng = Rng::new(seed);
    let kinds: Vec<&str> = models.keys().copied().collect();
    let kind = kinds[seed as usize % kinds.len()];
    let path = rng.pick(&models[kind]);
    let read = |path: &PathBuf| fs::read(path).expect("a model can be read");
    let other = read(rng.pick(&models[kind]));
    let text = mutant(&mut rng, &read(path), &[other]);
    let folder = tempfile::tempdir().expect("a folder");
    // What the file includes is looked for beside it.
    let own = path.file_name().expect("a file has a name");
    for entry in fs::read_dir(path.parent().expect("a file is somewhere")).expect("a folder can be listed").flatten() {
        if entry.file_name() != own {
            let target = entry.path().canonicalize().unwrap_or_else(|_| entry.path());
            #[cfg(unix)]
            drop(std::os::unix::fs::symlink(target, folder.path().join(entry.file_name())));
            #[cfg(not(unix))]
            drop(fs::copy(target, folder.path().join(entry.file_name())));
        }
    }
    let file = folder.path().join(own);
    fs::write(&file, &text).expect("room for a file");
    let work = tempfile::tempdir().expect("a folder");
    let (mut faults, mut stopped, mut runs) = (Vec::new(), 0, 0);
    for words in commands(kind, &mut rng) {
        let place = |word: &str| match word {
            "FILE" => file.display().to_string(),
            word => word.replace("OUT", &work.path().join("out").display().to_string()),
        };
        let mut line: Vec<String> = words.iter().map(|word| place(word)).collect();
        line.extend(["--time", TIME, "--states", "1000", "--memory", "1500M"].map(str::to_owned));
        runs += 1;
        let Some(ended) = run(&line, work.path()) else {
            stopped += 1;
            continue;
        };
        if let Some(what) = wrong(&line, &ended) {
            let kept = std::env::temp_dir().join(format!("prequel-mutant-{seed}-{}", own.to_string_lossy()));
            drop(fs::write(&kept, &text));
            faults.push(format!("{what}\n  of {}: {}\n  prequel {}", path.display(), kept.display(), words.join(" ")));
        }
    }
    (faults, stopped, runs)
}

#[test]
fn no_panic_leaves_a_command() {
    let models = models();
    let seeds = first_seed()..first_seed() + files();
    let all: Vec<(Vec<String>, u64, u64)> = seeds.into_par_iter().map(|seed| attempt(seed, &models)).collect();
    let runs: u64 = all.iter().map(|one| one.2).sum();
    let stopped: u64 = all.iter().map(|one| one.1).sum();
    eprintln!("{} damaged files, {runs} runs, {stopped} of them stopped after {PATIENCE:?}", files());
    let faults: Vec<String> = all.into_iter().flat_map(|one| one.0).collect();
    assert!(faults.is_empty(), "{} runs went wrong:\n{}", faults.len(), faults.join("\n"));
}
