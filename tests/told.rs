//! What SPIN is told of channels (`xr`, `xs`) and of types: its reduction, which lives on that, says the same of the text before and after.

use crate::fuzz::number;
use crate::random_promela::structured::structured;
use crate::residual::{fold_with, searched};
use crate::spin;
use prequel::program::residual::{Options, Rule, Rules};
use std::collections::BTreeSet;
use std::fmt::Write as _;
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
    asked(text, "-DSAFETY", "")
}

/// The same of cycles without progress.
fn cycles(text: &str) -> Result<Said, String> {
    asked(text, "-DNP", "-l")
}

fn asked(text: &str, built: &str, with: &str) -> Result<Said, String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), text).expect("room for a file");
    let script = format!(
        "spin -a m.pml || exit 1; {} -w {built} -o pan pan.c && ./pan {with} -c0 -n -m20000 -w18 2>&1",
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

/// Programs in which SPIN would be wrong if it was told of `q` where `TOLD` stands.
const TRAPS: [(&str, &str); 6] = [
    (
        "a sender that waits in the middle of an atomic lets others see what it has begun",
        "chan q = [2] of { byte }; byte h; active proctype P() { TOLD byte x; q?x; q?x; q?x }
         active proctype Q() { q!1; atomic { h = 1; q!1; q!1; h = 0 } } active proctype R() { assert(h == 0) }",
    ),
    (
        "a receiver that waits in the middle of an atomic does, too",
        "chan q = [1] of { byte }; byte h; active proctype P() { TOLD q!1 }
         active proctype Q() { byte x; if :: atomic { h = 1; q?x; h = 0 } fi } active proctype R() { assert(h == 0) }",
    ),
    (
        "else beside a send asks whether there is room",
        "chan q = [1] of { byte }; active proctype P() { TOLD byte x; q?x; end: q?x }
         active proctype Q() { q!1; if :: atomic { q!2 -> skip } :: else -> assert(false) fi }",
    ),
    (
        "else beside a receive asks whether there is a message",
        "chan q = [1] of { byte }; active proctype P() { TOLD q!1 }
         active proctype Q() { byte x; if :: atomic { q?x -> skip } :: else -> assert(false) fi }",
    ),
    (
        "a choice in a d_step asks as well",
        "chan q = [1] of { byte }; byte h; active proctype P() { TOLD q!1 }
         active proctype Q() { byte x; d_step { h = 1; if :: q?x :: h == 1 -> assert(false) fi } }",
    ),
    (
        "what is sent into the order of messages can come first",
        "chan q = [2] of { byte }; byte h; active proctype P() { TOLD byte x; q?x; h = x; assert(h == 2) }
         active proctype Q() { q!!2; q!!1 }",
    ),
];

#[test]
fn spin_is_not_told_what_makes_it_wrong() {
    if missing() {
        return;
    }
    for (name, text) in TRAPS {
        let user = text.replace("TOLD", "");
        let word = if text.contains("TOLD byte") { "xr q;" } else { "xs q;" };
        let (before, wrong) = (spins(&user).expect(name), spins(&text.replace("TOLD", word)).expect(name));
        assert_ne!(before.wrong, wrong.wrong, "{name}: it makes no difference here");
        let written = told(&user, &[Rule::Exclusive]);
        assert!(!written.contains(word), "{name}\n{written}");
        assert_eq!(before.wrong, spins(&written).expect(name).wrong, "{name}\n{written}");
    }
}

/// Programs of which nothing is said, or only what stands behind them.
const CHANNELS: [(&str, &str, &[&str]); 9] = [
    (
        "one of each",
        "active proctype P() { q!1; q!2 } active proctype Q() { byte x; q?x; q?x }",
        &["P() { xs q;", "Q() { xr q;"],
    ),
    ("two that send", "active [2] proctype P() { q!1 } active proctype Q() { byte x; q?x; q?x }", &["Q() { xr q;"]),
    ("a poll", "active proctype P() { q!1 } active proctype Q() { byte x; len(q) > 0; q?x }", &[]),
    ("a formula", "active proctype P() { q!1 } active proctype Q() { byte x; q?x } ltl f { [] (len(q) < 2) }", &[]),
    (
        "a parameter",
        "proctype P(chan c) { c!1; c!2 } init { run P(q) } active proctype Q() { byte x; q?x; q?x }",
        &["P(chan c) { xs c;", "Q() { xr q;"],
    ),
    (
        "one that may be started again and again",
        "proctype P() { q!1 } init { do :: run P() od } active proctype Q() { byte x; end: q?x; goto end }",
        &["Q() { xr q;"],
    ),
    ("a trace", "active proctype P() { q!1 } active proctype Q() { byte x; q?x } trace { q!_; q?_ }", &[]),
    (
        "a channel in a variable",
        "chan v; active proctype P() { q!1; v = q; v!2 } active proctype Q() { byte x; q?x; q?x }",
        &["Q() { xr q;"],
    ),
    ("its own words", "active proctype P() { xs q; q!1 } active proctype Q() { byte x; q?x }", &[]),
];

#[test]
fn a_channel_is_told_by_whoever_has_it_alone() {
    for (name, text, signs) in CHANNELS {
        let text = format!("chan q = [2] of {{ byte }}; {text}");
        let written = told(&text, &[Rule::Exclusive]);
        let told = |text: &str| text.matches("xr ").count() + text.matches("xs ").count();
        assert_eq!(told(&written) - told(&text), signs.len(), "{name}\n{written}");
        assert!(signs.iter().all(|sign| written.contains(sign)), "{name}\n{written}");
        if spin::available() {
            let (before, after) = (spins(&text).expect(name), spins(&written).expect(name));
            assert!(
                before.wrong == after.wrong && after.states <= before.states,
                "{name} {before:?} {after:?}\n{written}"
            );
        }
    }
}

/// A small random program about channels.
fn random(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
    let mut below = |most: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % most
    };
    let sizes = [1 + below(2), 1 + below(2)];
    let mut text =
        format!("chan a = [{}] of {{ byte }}; chan b = [{}] of {{ byte }};\nbyte g, h;\n", sizes[0], sizes[1]);
    for process in 0..2 {
        // Every other program goes on for ever.
        let [head, tail] = if seed % 2 == 1 { ["do :: ", "g = 0 od }\n"] } else { ["", "g = 0 }\n"] };
        let _ = write!(text, "active proctype P{process}() {{ byte x; {head}");
        for at in 0..2 + below(3) {
            let _ = write!(text, "{}", if at == 1 && seed % 4 == 1 { "progress: " } else { "" });
            let operation = |below: &mut dyn FnMut(u64) -> u64| {
                // Mostly one sends to `a` and receives from `b`, and the other the other way round.
                let other = u64::from(below(12) == 0);
                match ((process + other) % 2, below(2)) {
                    (0, 0) => format!("a!{}", 1 + below(2)),
                    (0, _) => "b?x".into(),
                    (_, 0) => "a?x".into(),
                    _ => format!("b!{}", 1 + below(2)),
                }
            };
            let (one, two) = (operation(&mut below), operation(&mut below));
            let line = match below(12) {
                0..3 => one,
                3 => format!("{one}; g = x"),
                4 | 5 => format!("atomic {{ h = 1; {one}; h = 0 }}"),
                6 => format!("atomic {{ h = 1; {one}; {two}; h = 0 }}"),
                7 => format!("atomic {{ {one}; {two} }}"),
                8 => format!("if :: atomic {{ {one} -> g = 1 }} :: else -> g = 2 fi"),
                9 => format!("if :: {one} :: {two} fi"),
                10 => format!("d_step {{ {one}; x = x + 1 }}; {two}"),
                _ => format!("if :: {one} :: timeout -> g = 1 fi"),
            };
            let _ = write!(text, "{line}; ");
        }
        text += tail;
    }
    text += ["assert(h == 0)", "assert(g != 2)", "assert(g != 1)"][below(3) as usize];
    text.replacen("assert", "active proctype O() { assert", 1) + " }\n"
}

/// What somebody would write who only counts who uses a channel.
fn careless(text: &str) -> String {
    let mut out: Vec<String> = text.lines().map(str::to_owned).collect();
    for (sign, word) in [("a!", "xs a"), ("a?", "xr a"), ("b!", "xs b"), ("b?", "xr b")] {
        let using: Vec<usize> = (0..out.len()).filter(|&line| out[line].contains(sign)).collect();
        if let [one] = using[..] {
            out[one] = out[one].replace("byte x; ", &format!("{word}; byte x; "));
        }
    }
    out.join("\n")
}

/// Random programs about channels: `PREQUEL_FUZZ_TOLD` of them, from `PREQUEL_FUZZ_SEED` on.
#[test]
fn spin_says_the_same_of_random_programs_that_tell_it_more() {
    if missing() {
        return;
    }
    let (count, first) = (number("PREQUEL_FUZZ_TOLD", 60), number("PREQUEL_FUZZ_SEED", 1));
    let (mut compared, mut fewer, mut different) = (0, 0, Vec::new());
    for seed in first..first + count {
        let text = random(seed);
        let written = told(&text, &[Rule::Exclusive]);
        let Ok(before) = spins(&text) else { continue };
        if written != text {
            let after = spins(&written).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{written}"));
            compared += 1;
            fewer += usize::from(after.states < before.states);
            let both = (seed % 2 == 1).then(|| (cycles(&text), cycles(&written)));
            let cycle = both.is_some_and(|(one, other)| match (one, other) {
                (Ok(one), Ok(other)) => one.wrong != other.wrong,
                (one, other) => one.is_ok() != other.is_ok(),
            });
            if before.wrong != after.wrong || cycle {
                different.push(format!("seed {seed}: {before:?} {after:?}\n{written}"));
            }
        }
    }
    println!("{compared} programs were told more, {fewer} have fewer states");
    assert!(different.is_empty(), "{} differ\n{}", different.len(), different.join("\n"));
    assert!(compared > 0 && fewer > 0, "nothing was told");
}

/// Seeds of programs that can tell: SPIN is wrong where it is told of their channels without care.
const CAN_TELL: [u64; 6] = [18, 36, 90, 94, 134, 398];

#[test]
fn some_random_programs_are_wrong_where_spin_is_told_without_care() {
    if missing() {
        return;
    }
    let wrong = |seed: u64| {
        let text = random(seed);
        let (Ok(before), Ok(after)) = (spins(&text), spins(&careless(&text))) else { return false };
        before.wrong != after.wrong
    };
    for seed in CAN_TELL {
        assert!(wrong(seed), "seed {seed} can tell nothing");
    }
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
        let written = told(&text, &[Rule::Narrow, Rule::Exclusive]);
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
