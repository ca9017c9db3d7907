//! Small programs for every construct, and random ones, beside SPIN run on the spot: the verdict and the number of stored
//! states must be the same, and every witness must replay.

use crate::fuzz::number;
use crate::{random_promela, spin};
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::promela;
use prequel::model::run::{Limits, Run};
use prequel::program::{Claim, Program, Sought, compile, optimised, replay};
use prequel::spin::spin_errors;
use prequel::spin::spin_errors::Doubts;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

const TOO_LONG: &str = "too long";

/// States, whether a step goes wrong, whether there is an invalid end state.
type Verdict = (u64, bool, bool);

/// What we say of a text, after a look at the witness of a search that stops.
fn ours(text: &str, claim: bool, optimise: bool) -> Result<Verdict, String> {
    let messages = |errors: Vec<prequel::formats::diag::Diagnostic>| {
        errors.iter().map(|e| e.render()).collect::<Vec<_>>().join("\n")
    };
    let (model, _) = promela::read("model.pml", text.as_bytes(), Path::new("."), &[]).map_err(messages)?;
    let claim = if claim { Claim::Never } else { Claim::None };
    let program = if optimise { optimised(&model, claim) } else { compile(&model, claim) };
    let (program, _) = program.map_err(messages)?;
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    let run = Run::new(limits.clone(), 0);
    let Outcome::Explored(seen) = verify(&program, Sought::Nothing, Otf::plain(Search::Breadth), &run) else {
        return Err(TOO_LONG.into());
    };
    let wrong = (seen.assertion || seen.claim || seen.other, seen.end_state);
    // Runs without an end are looked at elsewhere; with a claim no state is an invalid end.
    let sought = if program.claim.is_some() { Sought::Fault } else { Sought::Violation };
    for order in [Search::Breadth, Search::Depth] {
        match verify(&program, sought, Otf::plain(order), &Run::new(limits.clone(), 0)) {
            Outcome::Violated(witness) if wrong.0 || wrong.1 => {
                replay(&program, &witness).map_err(|e| format!("{e}\n{witness:#?}"))?;
            }
            Outcome::Holds if !wrong.0 && !wrong.1 => {}
            other => return Err(format!("{seen:?}, but {other:?}")),
        }
    }
    // SPIN reports other errors whatever it is asked to look for.
    Ok((run.effort().states_peak, wrong.0, wrong.1 || seen.other))
}

fn theirs(text: &str, claim: bool, optimised: bool) -> Result<Verdict, String> {
    asked(text, spin::Ask { claim, optimised, reduce: false, compiler: spin::fastest() })
}

fn asked(text: &str, ask: spin::Ask) -> Result<Verdict, String> {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("model.pml");
    std::fs::write(&path, text).expect("room for a file");
    match spin::verify(&path, ask, Duration::from_secs(60)) {
        spin::Said::Done(pan) => Ok((pan.states, pan.assertion, pan.end_state && !ask.claim)),
        spin::Said::Refused(said) => Err(said),
        spin::Said::Time => Err(TOO_LONG.into()),
    }
}

/// Every program of a file, cut at lines that start with `// ==`.
fn check_all(file: &str, claim: bool, optimised: bool) {
    if !spin::available() {
        eprintln!("skipped: spin and gcc are not installed");
        return;
    }
    let mut failures = Vec::new();
    let wanted = std::env::var("PREQUEL_CONSTRUCT").unwrap_or_default();
    for program in file.split("// == ").filter(|program| !program.trim().is_empty()) {
        let (name, text) = program.split_once('\n').expect("a name and a program");
        if !name.contains(&wanted) {
            continue;
        }
        let (ours, theirs) = (ours(text, claim, optimised), theirs(text, claim, optimised));
        match (&ours, &theirs) {
            (Ok(a), Ok(b)) if a == b => {}
            (ours, theirs) => failures.push(format!("{name}: ours {ours:?}, SPIN {theirs:?}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn control_constructs_agree_with_spin() {
    check_all(include_str!("constructs/control.pml"), false, false);
}

#[test]
fn channel_constructs_agree_with_spin() {
    check_all(include_str!("constructs/channels.pml"), false, false);
}

#[test]
fn data_and_processes_agree_with_spin() {
    check_all(include_str!("constructs/data.pml"), false, false);
}

#[test]
fn optimised_programs_agree_with_spin() {
    check_all(include_str!("constructs/optimised.pml"), false, true);
}

#[test]
fn claims_agree_with_spin() {
    check_all(include_str!("constructs/claims.pml"), true, false);
}

#[test]
fn formulas_agree_with_spin() {
    check_all(include_str!("constructs/formulas.pml"), true, false);
}

#[test]
fn traces_agree_with_spin() {
    check_all(include_str!("constructs/traces.pml"), false, false);
}

#[test]
fn priorities_agree_with_spin() {
    check_all(include_str!("constructs/priorities.pml"), false, false);
}

/// Two at a time: most of the time goes into compiling `pan`.
#[test]
fn random_programs_agree_with_spin() {
    if !spin::available() {
        eprintln!("skipped: spin and gcc are not installed");
        return;
    }
    let (count, seed) = (number("PREQUEL_FUZZ_PROGRAMS", 24), number("PREQUEL_FUZZ_SEED", 1));
    let judge = |seed: u64| {
        let random_promela::Random { text, claim } = random_promela::program(seed);
        let differs = |kind: &str, ours: &Result<Verdict, String>, spin: &Result<Verdict, String>| {
            Err(format!("seed {seed} ({kind}): ours {ours:?}, SPIN {spin:?}\n{text}"))
        };
        let optimised = seed.is_multiple_of(3) && !claim;
        match (ours(&text, claim, optimised), theirs(&text, claim, optimised)) {
            (Ok(a), Ok(b)) if a == b => Ok(true),
            // Of a claim that moves alone SPIN stores fewer states.
            (Ok(a), Ok(b)) if claim && (a.1, a.2) == (b.1, b.2) && a.0 > b.0 => Ok(true),
            // Some atomic sequences do not end and exceed every depth; some jumps are refused.
            (_, Err(_)) => Ok(false),
            (Err(ours), _) if ours == TOO_LONG => Ok(false),
            (ours, spin) => differs(if optimised { "optimised" } else { "plain" }, &ours, &spin),
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let judged: Vec<Result<bool, String>> = pool.install(|| (seed..seed + count).into_par_iter().map(judge).collect());
    let compared = judged.iter().filter(|judged| **judged == Ok(true)).count() as u64;
    let failures: Vec<&String> = judged.iter().filter_map(|judged| judged.as_ref().err()).collect();
    eprintln!("{compared} of {count} random programs were compared, {} differ", failures.len());
    let shown: Vec<&str> = failures.iter().map(|failure| failure.as_str()).collect();
    assert!(failures.is_empty(), "{} of {count}\n{}", failures.len(), shown.join("\n"));
    assert!(compared * 6 > count, "only {compared} of {count} could be compared");
}

/// Larger programs take SPIN longer than they tell.
const LARGE: u64 = 3_000;

/// Programs that are compared where nobody asks for more.
const USUAL: u64 = 30;

/// What came of a comparison.
enum Compared {
    /// There is nothing to compare.
    Nothing,
    /// All say the same.
    Same,
    /// SPIN errs, as is known of it.
    Known(Vec<&'static str>),
    /// Somebody errs.
    Differs(String),
}

/// Our own search, plain, optimised and with reduction, beside SPIN in several ways.
fn compare(text: &str, claim: bool, compiler: &'static str, ways: &[usize]) -> Compared {
    let limits = Limits { time: Some(Duration::from_secs(20)), states: Some(LARGE), ..Limits::default() };
    let Ok((model, _)) = promela::read("model.pml", text.as_bytes(), Path::new("."), &[]) else {
        return Compared::Nothing;
    };
    let stated = if claim { Claim::Never } else { Claim::None };
    let (Ok((program, _)), twin) = (compile(&model, stated), optimised(&model, stated)) else {
        return Compared::Nothing;
    };
    let searched = |program: &Program, how: Otf| {
        let run = Run::new(limits.clone(), 0);
        match verify(program, Sought::Nothing, how, &run) {
            Outcome::Explored(seen) => {
                let (step, end) = (seen.assertion || seen.claim || seen.other, seen.end_state && !claim);
                Some((run.effort().states_peak, step, end))
            }
            _ => None,
        }
    };
    let plain = Otf::plain(Search::Breadth);
    let Some(ours) = searched(&program, plain) else { return Compared::Nothing };
    // Where SPIN stops at other errors, it does not count end states.
    let ours_of = |said: &Verdict| (said.1, said.2);
    for how in [plain, Otf::default()] {
        let fewer = twin.as_ref().ok().and_then(|(twin, _)| searched(twin, how));
        if let Some(fewer) = fewer.filter(|fewer| ours_of(fewer) != ours_of(&ours)) {
            return Compared::Differs(format!("ours {ours:?}, optimised {fewer:?} by {how:?}"));
        }
    }
    let said = match spin::ways(text, claim, compiler, ways) {
        Err(_) => return Compared::Nothing,
        Ok(said) => said,
    };
    let doubts = Doubts::of(&model, &program);
    let (mut known, mut wrong) = (false, Vec::new());
    for (way, said) in said {
        let spin::Said::Done(pan) = said else { continue };
        let theirs = (pan.states, pan.assertion, pan.end_state && !claim);
        let (optimised, reduced) = spin::WAYS[way];
        let counted = !optimised && !reduced && !claim;
        if ours_of(&ours) == ours_of(&theirs) && (!counted || ours.0 == theirs.0) {
            continue;
        }
        // A claim that counts steps is never searched with the reduction.
        let excused = !doubts.allow_spin() || reduced && (!doubts.allow_reduction() || claim && !program.has_formula());
        known |= excused;
        if !excused {
            wrong.push(format!("way {way}: ours {ours:?}, SPIN {theirs:?}"));
        }
    }
    match (wrong.is_empty(), known) {
        (false, _) => Compared::Differs(wrong.join("; ")),
        (true, true) => Compared::Known(doubts.names()),
        (true, false) => Compared::Same,
    }
}

/// Ways to ask SPIN about the program of a seed: all of them where time does not matter.
fn ways(seed: u64, all: bool) -> &'static [usize] {
    match (all, seed % 4) {
        (true, _) => &[0, 1, 2, 3],
        (false, 0) => &[1, 3],
        (false, 1) => &[0, 2],
        (false, _) => &[0, 3],
    }
}

#[test]
fn spin_errs_on_random_programs_only_where_it_is_known() {
    if !spin::available() {
        eprintln!("skipped: spin and gcc are not installed");
        return;
    }
    let (count, first) = (number("PREQUEL_FUZZ_WAYS", USUAL), number("PREQUEL_FUZZ_SEED", 1));
    let compiler = spin::fastest();
    let (done, wrong) = (AtomicU64::new(0), AtomicU64::new(0));
    let judge = |seed: u64| {
        let random_promela::Random { text, claim } = random_promela::wide(seed);
        let ways = ways(seed, count > USUAL);
        let compared = compare(&text, claim, compiler, ways);
        let number = done.fetch_add(1, Relaxed) + 1;
        if number.is_multiple_of(500) {
            eprintln!("{number} programs, {} differ", wrong.load(Relaxed));
        }
        let Compared::Differs(what) = compared else { return (compared, String::new()) };
        let differs = |text: &str| matches!(compare(text, claim, compiler, ways), Compared::Differs(_));
        // Some are enough to work with.
        let few = wrong.fetch_add(1, Relaxed) < 10;
        let small = if few { random_promela::shrink::shrink(&text, &mut { differs }) } else { text };
        eprintln!("seed {seed}: {what}\n{small}");
        (Compared::Differs(what), small)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let judged: Vec<(Compared, String)> = pool.install(|| (first..first + count).into_par_iter().map(judge).collect());
    let compared = judged.iter().filter(|(compared, _)| !matches!(compared, Compared::Nothing)).count() as u64;
    let mut known = BTreeMap::<&str, u64>::new();
    for (compared, _) in &judged {
        if let Compared::Known(names) = compared {
            names.iter().for_each(|name| *known.entry(name).or_default() += 1);
        }
    }
    eprintln!("{compared} of {count} compared, {wrong:?} differ; where SPIN errs as is known: {known:?}");
    let failures: Vec<String> = judged
        .iter()
        .filter_map(|(compared, small)| match compared {
            Compared::Differs(what) => Some(format!("{what}\n{small}")),
            _ => None,
        })
        .collect();
    assert!(failures.is_empty(), "{} of {count}\n{}", failures.len(), failures.join("\n"));
    assert!(compared * 4 > count, "only {compared} of {count} could be compared");
}

/// A model of docs/spin-errors.md: the section that it is in, its text, and the row of verdicts below it.
type Described = (String, String, Vec<String>);

fn described() -> Vec<Described> {
    let (mut section, mut text, mut inside) = (String::new(), String::new(), false);
    let mut found = Vec::new();
    for line in include_str!("../docs/spin-errors.md").lines() {
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().to_owned()).collect();
        match line {
            "```promela" => (inside, text) = (true, String::new()),
            "```" => inside = false,
            _ if inside => text += &format!("{line}\n"),
            _ if line.starts_with("## ") => section = line[3..].to_owned(),
            _ if ["true", "false"].contains(&cells.get(1).map_or("", |cell| cell)) => {
                found.push((section.clone(), std::mem::take(&mut text), cells[1..6].to_vec()));
            }
            _ => {}
        }
    }
    found
}

/// What `prequel` says of a model, by the last line that it prints.
fn prequel(command: &[&str], text: &str) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("model.pml");
    std::fs::write(&path, text).expect("room for a file");
    let mut prequel = std::process::Command::new(env!("CARGO_BIN_EXE_prequel"));
    let said = prequel.args(command).arg(&path).args(["--time", "300s"]).output().expect("it runs");
    assert!(!matches!(said.status.code(), Some(4) | None), "{command:?}: {said:?}");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    said.lines().last().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned()
}

#[test]
fn the_page_on_errors_of_spin_is_true() {
    let all = described();
    let mut sections: Vec<&str> = all.iter().map(|(section, ..)| &**section).collect();
    sections.dedup();
    assert_eq!(sections, spin_errors::KNOWN.iter().map(|error| error.name).collect::<Vec<_>>());
    if !spin::available() {
        eprintln!("skipped: spin and gcc are not installed");
        return;
    }
    let judge = |(section, text, row): &Described| {
        let claim = text.contains("never {");
        let said = spin::ways(text, claim, spin::fastest(), &[3, 2, 0]).expect("SPIN takes the model");
        let verdict = |(_, said): &(usize, spin::Said)| match said {
            spin::Said::Done(pan) => (!pan.assertion && (claim || !pan.end_state)).to_string(),
            // It stops at an error of its own making.
            spin::Said::Refused(why) if why == "Search not completed" => "false".into(),
            other => format!("{other:?}"),
        };
        let mut said: Vec<String> = said.iter().map(verdict).collect();
        said.push(row[3].clone());
        let ours = [&["check"][..], &["check", "--no-optimise", "--no-por"], &["spin"], &["spin", "--no-reduce"]];
        let ours: Vec<String> = ours.iter().map(|command| prequel(command, text)).collect();
        let agree = ours.iter().all(|verdict| *verdict == row[4]);
        (said != row[..4] || !agree).then(|| format!("{section}: SPIN {said:?}, ours {ours:?}, the page {row:?}"))
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let wrong: Vec<String> = pool.install(|| all.par_iter().filter_map(judge).collect());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
