//! Types that are no wider than needed: SPIN's reduction says the same of the text before and after.

use crate::fuzz::number;
use crate::random_promela::structured::structured;
use crate::residual::{fold_with, searched};
use crate::spin;
use prequel::program::residual::{Options, Rule, Rules};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Everything but what is looked at here is left out.
fn only(rules: &[Rule]) -> Options {
    let others: Vec<Rule> = Rule::ALL.into_iter().filter(|rule| !rules.contains(rule)).collect();
    Options { rules: Rules::without(&others), ..Options::default() }
}

/// A text after that.
fn told(text: &str, rules: &[Rule]) -> String {
    match fold_with(text, only(rules)) {
        Ok((_, folded)) => String::from_utf8_lossy(&folded.text).into_owned(),
        Err(_) => text.to_owned(),
    }
}

/// What SPIN finds wrong with a text by a whole search with its reduction, and the states and bytes of each that it stores.
#[derive(Debug)]
struct Said {
    wrong: BTreeSet<String>,
    states: u64,
    bytes: u64,
}

fn spins(text: &str) -> Result<Said, String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), text).expect("room for a file");
    let script = format!(
        "spin -a m.pml || exit 1; {} -w -DSAFETY -o pan pan.c && ./pan -c0 -n -m20000 -w18 2>&1",
        spin::fastest()
    );
    let output = Command::new("sh").arg("-c").arg(script).current_dir(folder.path()).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !said.contains("State-vector") {
        return Err(said);
    }
    // Where something is wrong does not matter, and values in messages are places too.
    let kind =
        |line: &str| line.split_once(": ").map_or("", |(_, rest)| rest.split('(').next().unwrap_or(rest)).to_owned();
    let wrong = said.lines().filter(|line| line.starts_with("pan:1:") || line.contains("reduction invalid"));
    let before = |word: &str| {
        let line = said.lines().find(|line| line.contains(word)).unwrap_or_default();
        line.split_whitespace().find_map(|part| part.parse().ok()).unwrap_or(0)
    };
    Ok(Said { wrong: wrong.map(kind).collect(), states: before("states, stored"), bytes: before("State-vector") })
}

fn missing() -> bool {
    let missing = !spin::available();
    if missing {
        eprintln!("skipped: spin and gcc are not installed");
    }
    missing
}

/// Programs, a declaration that stands in what becomes of them, and something that must not.
const TYPES: [(&str, &str, &str); 13] = [
    ("int y, x; active proctype P() { x = 1; y = x }", "bit y, x;", "int"),
    (
        "int y, z[2], x = 3; active proctype P() { y = x; z[y - 3] = 7; assert(z[0] == 7); x = 2 }",
        "unsigned x : 2 = 3;",
        "unsigned z",
    ),
    ("int y, z, x; active proctype P() { y = 1; z = 1; x = 255; x = x + 1 }", "active", "byte"),
    ("int y, z, x; active proctype P() { x = -1; z = -300; y = x; assert(x < 0) }", "short", "unsigned"),
    ("int y, z, x; active proctype P() { do :: x++; y = x; z = y od }", "int y, z, x;", "unsigned"),
    ("int y; show int x; active proctype P() { x = 200; y = 5 }", "show byte x;", "show int"),
    ("int y; hidden int x; active proctype P() { x = 1; y = 5 }", "hidden int x;", "hidden bit"),
    ("mtype = { A, B }; mtype m; int y, x; active proctype P() { m = A; x = 1; y = 2 }", "mtype m;", "bit m"),
    ("chan q = [1] of { int }; int y, z, x; active proctype P() { q!300; q?x; y = 1; z = 1 }", "active", "byte x"),
    ("chan q = [1] of { byte }; int y, x; active proctype P() { q!259; q?x; y = 1 }", "unsigned x : 2;", "int"),
    ("int y, x; active proctype P() { d_step { x = 200; y = x; x = 1 }; assert(y == 200) }", "byte y, x;", "bit"),
    ("int y, x; active proctype P() { x = 1; y = 2 } never { do :: x = 9 -> skip od }", "int y, x;", "bit"),
    ("int y, x; active proctype P() { x = 1; y = 2 } ltl f { [] (x < 700 && y != 300) }", "bit x;", "int x"),
];

#[test]
fn types_are_those_that_the_values_need() {
    for (text, sign, wrong) in TYPES {
        // SPIN leaves out of its states what nobody reads.
        let read = if text.contains(" z,") { " && z != 7777" } else { "" };
        let text = &format!("{text} active proctype R() {{ assert(x != 7777 && y != 7777{read}) }}");
        let written = told(text, &[Rule::Narrow]);
        let globals = written.split("active").next().unwrap_or_default();
        assert!(written.contains(sign) && !globals.contains(wrong), "{text}\n{written}");
        if spin::available() && !text.contains("never") {
            let (before, after) = (spins(text).expect(text), spins(&written).expect(&written));
            let same = (&before.wrong, before.states) == (&after.wrong, after.states);
            // What is written otherwise has to be worth it.
            let shorter = written == *text || after.bytes < before.bytes;
            assert!(same && shorter, "{before:?} {after:?}\n{text}\n{written}");
        }
    }
}

/// Random programs with wide types, by our own search: the same with types that fit, and not with one bit less.
#[test]
fn random_programs_mean_the_same_with_types_that_fit() {
    let (count, first) = (number("PREQUEL_FUZZ_TOLD", 60) * 2, number("PREQUEL_FUZZ_SEED", 1));
    let (mut compared, mut noticed, mut different) = (0, 0, Vec::new());
    for seed in first..first + count {
        let text = structured(seed).replace("byte ", "int ");
        let written = told(&text, &[Rule::Narrow]);
        if written == text {
            continue;
        }
        let (Some(before), Some(after)) = (searched(&text), searched(&written)) else { continue };
        compared += 1;
        if before != after {
            different.push(format!("seed {seed}: {before:?} {after:?}\n{text}---\n{written}"));
        }
        let less = written.replace(" : 2", " : 1").replace(" : 3", " : 1");
        noticed += usize::from(searched(&less).is_some_and(|less| less != before));
    }
    println!("{compared} programs of {count} have narrower types; {noticed} differ with less");
    assert!(different.is_empty(), "{} differ\n{}", different.len(), different.join("\n"));
    assert!(compared > 0 && noticed > 0, "nothing was compared");
}

/// Variables of processes, kept: each process is filled up to a whole word.
#[test]
fn a_process_becomes_shorter_by_words() {
    let text = "byte g; active [3] proctype P() { int x, y, z; do :: x = g; y = x; z = y + 1; g = z % 3 od }";
    let written = told(text, &[Rule::Narrow]);
    assert!(written.contains("int x; unsigned y : 2, z : 2;"), "as few as are enough: {written}");
    let few = "byte g; active proctype P() { byte x; do :: x = g; g = 1 - x od }";
    assert_eq!(told(few, &[Rule::Narrow]), few, "a word stays a word");
    if spin::available() {
        let (before, after) = (spins(text).expect(text), spins(&written).expect(&written));
        assert!(before.states == after.states && after.bytes < before.bytes, "{before:?} {after:?}");
    }
}

/// Models of others, where they are at hand: every text is taken by SPIN.
#[test]
fn models_at_hand_are_taken_by_spin() {
    let folder = Path::new("../shared/models/promela");
    if missing() || !folder.is_dir() {
        eprintln!("skipped: no models in {}", folder.display());
        return;
    }
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    let models = files.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "pml"));
    for entry in models.step_by(number("PREQUEL_TOLD_STEP", 12) as usize) {
        let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
        let written = told(&text, &[Rule::Narrow]);
        if written != text && Command::new("spin").arg("-V").output().is_ok() {
            let folder = tempfile::tempdir().expect("a folder");
            std::fs::write(folder.path().join("m.pml"), &written).expect("room for a file");
            let spin =
                Command::new("spin").args(["-a", "m.pml"]).current_dir(folder.path()).output().expect("it starts");
            let taken = spin.status.success() && folder.path().join("pan.c").exists();
            assert!(taken, "{}: {}", entry.path().display(), String::from_utf8_lossy(&spin.stdout));
        }
    }
}
