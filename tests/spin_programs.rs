//! SPIN on Promela files: its verdict is that of our own run of the program, every trail of SPIN's becomes a witness that
//! replays, and every witness of ours a trail that SPIN follows.

use crate::fuzz::number;
use crate::random_promela;
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::promela;
use prequel::formats::promela::Text;
use prequel::model::run::{Limits, Run};
use prequel::program::{Claim, Fault, Program, Sought, Violation, Witness, compile, replay};
use prequel::spin::file::{File, Trouble};
use prequel::spin::tools::{Options, Tools};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// How a comparison ended.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Seen {
    /// Both find nothing.
    Holds,
    /// Both find a violation; both directions of the trail work.
    Violated,
    /// SPIN finds a cycle, which replays, and which SPIN follows.
    Cycle,
    /// There is nothing to compare, and why.
    Nothing(String),
}

fn limits(seconds: u64) -> Limits {
    Limits { time: Some(Duration::from_secs(seconds)), memory: Some(3 << 30), ..Limits::default() }
}

fn read(source: &Text) -> Result<Program, String> {
    let headline = |errors: Vec<prequel::formats::diag::Diagnostic>| errors[0].headline();
    let (model, _) = promela::read(&source.name, &source.bytes, &source.folder, &source.defines).map_err(headline)?;
    compile(&model, Claim::Never).map(|(program, _)| program).map_err(headline)
}

/// SPIN and our own run of a program side by side; says what is wrong, if anything.
fn compare(source: &Text, reduce: bool, seconds: u64) -> Result<Seen, String> {
    let Ok(tools) = Tools::find() else { return Ok(Seen::Nothing("no SPIN".into())) };
    let program = match read(source) {
        Ok(program) => program,
        Err(why) => return Ok(Seen::Nothing(format!("not read: {why}"))),
    };
    let run = Run::new(limits(seconds), 0);
    let ours = match verify(&program, Sought::Violation, Otf::plain(Search::Breadth), &run) {
        Outcome::Unknown(why) => return Ok(Seen::Nothing(format!("ours: {why}"))),
        Outcome::Violated(witness) => Some(witness),
        Outcome::Holds | Outcome::Explored(_) | Outcome::Reached(_) => None,
    };
    let run = Run::new(limits(seconds * 3), 0);
    let trouble = |why: Trouble| match why {
        Trouble::Lost(why) => Err(why),
        other => Ok(Seen::Nothing(format!("SPIN: {other}"))),
    };
    let mut file = match File::open(source, tools, &run) {
        Ok(file) => file,
        Err(why) => return trouble(why),
    };
    let verified = match file.verify(Options { reduce, ..Options::default() }, None) {
        Ok(verified) => verified,
        // SPIN stops for what it cannot compute, and a trail that is not there cannot be followed.
        Err(why) => return trouble(why),
    };
    assert!(verified.report.stored > 0);
    if verified.claim.is_some() != program.claim.is_some() {
        return Ok(Seen::Nothing("SPIN: a formula".into()));
    }
    let theirs = match &verified.found {
        None => None,
        Some(found) => match file.witness(&program, found) {
            Ok(witness) => Some(witness),
            Err(why) => return trouble(why),
        },
    };
    for witness in ours.iter().chain(&theirs) {
        replay(&program, witness).map_err(|why| format!("{why}\n{witness:#?}"))?;
        let endless = matches!(witness.violation, Violation::Fault { fault: Fault::Endless | Fault::Division, .. });
        if !endless {
            match file.trail(&program, &witness.steps, Some(witness.violation)) {
                Err(why @ Trouble::Lost(_)) => return Err(format!("{why}\n{witness:#?}")),
                Err(why) => return trouble(why),
                Ok(_) => {}
            }
        }
    }
    match (ours, theirs) {
        (None, None) => Ok(Seen::Holds),
        (Some(_), Some(Witness { violation: Violation::Cycle(_), .. })) => Ok(Seen::Cycle),
        (Some(_), Some(_)) => Ok(Seen::Violated),
        // Accept labels of processes are a question of their own.
        (None, Some(Witness { violation: Violation::Cycle(_), .. })) if program.claim.is_none() => Ok(Seen::Cycle),
        (ours, theirs) => Err(format!("ours {ours:?}, SPIN {theirs:?}")),
    }
}

/// Compares all, two at a time; panics with all that is wrong.
fn compare_all(sources: &[(String, Text)], seconds: u64) -> Vec<(String, Seen)> {
    let (next, failures, seen) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let work = || {
        while let Some((name, source)) = sources.get(next.fetch_add(1, Relaxed)) {
            // With and without the reduction in turn.
            match compare(source, name.len() % 2 == 0, seconds) {
                Ok(how) => seen.lock().unwrap().push((name.clone(), how)),
                Err(why) => failures.lock().unwrap().push(format!("{name}: {why}")),
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let (failures, mut seen) = (failures.into_inner().unwrap(), seen.into_inner().unwrap());
    seen.sort();
    assert!(failures.is_empty(), "{} of {}\n{}\n{seen:#?}", failures.len(), sources.len(), failures.join("\n"));
    seen
}

fn missing() -> bool {
    let missing = Tools::find().err();
    missing.inspect(|why| eprintln!("skipped: {why}")).is_some()
}

fn source(name: &str, text: &str) -> (String, Text) {
    let source =
        Text { name: "model.pml".into(), bytes: text.into(), folder: PathBuf::new(), defines: vec![], allow_c: false };
    (name.to_owned(), source)
}

fn constructs(file: &str) -> Vec<(String, Text)> {
    let programs = file.split("// == ").filter(|program| !program.trim().is_empty());
    programs.map(|program| program.split_once('\n').expect("a name and a program")).map(|(n, t)| source(n, t)).collect()
}

#[test]
fn constructs_have_the_same_verdict_and_steps() {
    if missing() {
        return;
    }
    let mut all = constructs(include_str!("constructs/control.pml"));
    all.extend(constructs(include_str!("constructs/channels.pml")));
    all.extend(constructs(include_str!("constructs/data.pml")));
    all.extend(constructs(include_str!("constructs/claims.pml")));
    all.extend(constructs(include_str!("constructs/formulas.pml")));
    all.extend(constructs(include_str!("constructs/cycles.pml")));
    let wanted = std::env::var("PREQUEL_CONSTRUCT").unwrap_or_default();
    all.retain(|(name, _)| name.contains(&wanted));
    let seen = compare_all(&all, 60);
    if !wanted.is_empty() {
        return;
    }
    let count = |how: fn(&Seen) -> bool| seen.iter().filter(|(_, seen)| how(seen)).count();
    let (holds, violated) = (count(|how| *how == Seen::Holds), count(|how| *how == Seen::Violated));
    let cycles = count(|how| *how == Seen::Cycle);
    let nothing: Vec<_> = seen.iter().filter(|(_, how)| matches!(how, Seen::Nothing(_))).collect();
    assert!(holds > 50 && violated > 20 && cycles > 5, "{holds} hold, {violated} do not, {cycles} by a cycle");
    assert!(nothing.is_empty(), "{nothing:#?}");
}

#[test]
fn random_programs_have_the_same_verdict_and_steps() {
    if missing() {
        return;
    }
    let (count, first) = (number("PREQUEL_FUZZ_PROGRAMS", 8), number("PREQUEL_FUZZ_SEED", 1));
    let all: Vec<_> = (first..first + count)
        .map(|seed| source(&format!("seed {seed}"), &random_promela::program(seed).text))
        .collect();
    let seen = compare_all(&all, 60);
    let compared = seen.iter().filter(|(_, how)| !matches!(how, Seen::Nothing(_))).count();
    assert!(compared * 3 > all.len(), "only {compared} of {}: {seen:#?}", all.len());
}

#[test]
fn examples_have_the_same_verdict_and_steps() {
    if missing() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let all: Vec<_> = files(&folder).iter().map(|path| read_text(path)).collect();
    let seen = compare_all(&all, 20);
    assert!(seen.iter().any(|(_, how)| *how == Seen::Violated || *how == Seen::Holds), "{seen:#?}");
}

/// What SPIN says of a model with smaller processes is what our own search says of the model, and whoever is first; its
/// counterexamples come back.
#[test]
fn smaller_processes_keep_the_verdict() {
    if missing() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let verdict = |command: &str, path: &Path, more: &[&str]| {
        let mut prequel = std::process::Command::new(env!("CARGO_BIN_EXE_prequel"));
        let output = prequel.arg(command).arg(path).args(more).args(["--time", "60s"]).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.lines().last().unwrap_or_default().to_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!matches!(output.status.code(), Some(3 | 4) | None), "{command} {}: {text}{said}", path.display());
        (last.split(' ').nth(1).unwrap_or_default().to_owned(), text.contains(" → "))
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let examples =
        [("alternating_bit.pml", "-DNO_BIT"), ("alternating_bit.pml", "-DX"), ("sliding_window.pml", "-DPROPERTY_A")];
    let mut cases: Vec<(PathBuf, Vec<&str>)> =
        examples.iter().map(|(file, define)| (folder.join(file), vec![*define])).collect();
    for seed in 1..=6 {
        let path = dir.path().join(format!("seed{seed}.pml"));
        std::fs::write(&path, random_promela::program(seed).text).expect("room for a file");
        cases.push((path, Vec::new()));
    }
    let mut reduced = 0;
    for (path, more) in &cases {
        let (ours, _) = verdict("check", path, more);
        let compared = more.iter().copied().chain(["--compare"]).collect::<Vec<_>>();
        let (spins, smaller) = verdict("spin", path, &compared);
        reduced += usize::from(smaller);
        let (first, _) = verdict("spin", path, more);
        for other in [spins, first] {
            assert!(ours == "unknown" || other == "unknown" || ours == other, "{}: {ours}, {other}", path.display());
        }
    }
    assert!(reduced >= 3, "only {reduced} of {} became smaller", cases.len());
}

/// Every model of a folder, which takes long: `PREQUEL_SPIN_DIR=../shared/models/promela`, with `PREQUEL_SPIN_SECONDS` each.
#[test]
fn models_at_hand_have_the_same_verdict_and_steps() {
    let Ok(folder) = std::env::var("PREQUEL_SPIN_DIR") else {
        eprintln!("skipped: PREQUEL_SPIN_DIR names no folder");
        return;
    };
    let only = std::env::var("PREQUEL_SPIN_ONLY").unwrap_or_default();
    let seconds = std::env::var("PREQUEL_SPIN_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(10);
    let mut paths = files(Path::new(&folder));
    // A list of models, one in each line, or a part of their names.
    match std::fs::read_to_string(&only) {
        Ok(list) => paths.retain(|path| list.lines().any(|line| path.ends_with(line))),
        Err(_) => paths.retain(|path| path.display().to_string().contains(&only)),
    }
    let all: Vec<_> = paths.iter().map(|path| read_text(path)).collect();
    for (name, how) in compare_all(&all, seconds) {
        println!("{how:?}\t{name}");
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let is_model = |path: &PathBuf| {
        path.extension().is_some_and(|e| ["pml", "pm", "pr", "prm", "promela", "spin"].iter().any(|x| e == *x))
    };
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter();
    entries.filter_map(|entry| entry.ok().map(|entry| entry.into_path())).filter(is_model).collect()
}

fn read_text(path: &Path) -> (String, Text) {
    let bytes = std::fs::read(path).expect("the model is there");
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let name = path.display().to_string();
    (name.clone(), Text { name, bytes, folder, defines: vec![], allow_c: false })
}
