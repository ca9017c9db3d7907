//! Does a guided simulation do what SPIN's does, step for step? And does going back lead to where one was?

use crate::fuzz::{first_seed, number};
use crate::random_promela;
use crate::spin;
use prequel::job::simulate::{Guide, Simulate, Simulation, simulate};
use prequel::job::{Models, Silent};
use prequel::model::rng::Rng;
use prequel::model::run::{Limits, Run};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A step as SPIN prints it: its number, who moves, in which line, if that is told, and whether it only goes on elsewhere.
type Row = (usize, String, Option<usize>, bool);

/// The steps that `spin -t -p` prints. Several statements that are one step have the same number.
fn rows(said: &str) -> Vec<Row> {
    let steps = said.split("spin: trail ends after").next().unwrap_or_default();
    let row = |line: &str| {
        let (number, rest) = line.trim_start().split_once(":")?;
        let rest = rest.trim_start().strip_prefix("proc ")?.trim_start();
        let process = rest.split(' ').next()?.to_owned();
        let jumps = rest.ends_with("[break]") || rest.contains("[goto ") || rest.ends_with("[.(goto)]");
        let line = rest.split_once(") ").and_then(|(_, rest)| rest.split_once(" (state "));
        let line = line.and_then(|(place, _)| place.rsplit_once(':')?.1.parse().ok());
        Some((number.parse().ok()?, process, line, jumps))
    };
    steps.lines().filter_map(row).collect()
}

/// The global variables that SPIN prints at the end of a trail.
fn globals(said: &str) -> Vec<(String, String)> {
    let end = said.split_once("#processes:").map_or("", |(_, end)| end);
    let line = |line: &str| {
        let (name, value) = line.strip_prefix("\t\t")?.split_once(" = ")?;
        Some((name.to_owned(), value.trim().to_owned()))
    };
    end.lines().filter_map(line).collect()
}

/// What SPIN writes and says of a model that it finds wrong; nothing where it finds nothing or loses its own way.
fn trail(folder: &Path) -> Option<String> {
    let shell = |command: &str| {
        let ended =
            Command::new("timeout").args(["60", "sh", "-c", command]).current_dir(folder).output().expect("a shell");
        String::from_utf8_lossy(&ended.stdout).into_owned()
    };
    let compiler = spin::fastest();
    shell(&format!("spin -a m.pml && {compiler} -DSAFETY -o pan pan.c && ./pan -m100000"));
    let steps = std::fs::read_to_string(folder.join("m.pml.trail")).ok()?;
    let last = steps.lines().last()?.split(':').next()?.to_owned();
    let said = shell("spin -t -p m.pml");
    let whole = said.contains(&format!("spin: trail ends after {last} steps")) && !said.contains("transition failed");
    whole.then_some(said)
}

/// Follows a trail; gives who moves in which line, what the statement is, the values at the end, and whether the run went wrong there.
type Followed = (Vec<(String, usize, String)>, Vec<(String, String)>, bool);

fn followed(folder: &Path) -> Result<Followed, String> {
    let (models, guide) = (Models::from(folder.join("m.pml")), Some(Guide::Trail(folder.join("m.pml.trail"))));
    let run = Run::new(Limits { time: Some(Duration::from_secs(120)), ..Limits::default() }, 0);
    let mut found = (Vec::new(), Vec::new(), false);
    let done = simulate(&Simulate { models, guide }, &run, &Silent, &mut |simulation| {
        while let Some(choice) = simulation.guided() {
            let taken = simulation.take(choice);
            let line = taken.offered.place.rsplit(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
            let process = taken.process.map_or("-".to_owned(), |process| process.to_string());
            found.0.push((process, line, taken.offered.what));
            found.2 = taken.fault.is_some();
        }
        found.1 = simulation.values();
        if simulation.steps() == simulation.guide() {
            Ok(())
        } else {
            Err(prequel::job::Failure::Internal("stuck".into()))
        }
    });
    done.map(|()| found).map_err(|why| why.to_string())
}

/// Why the two differ, if they do.
fn difference(said: &str, (ours, values, wrong): &Followed) -> Option<String> {
    let theirs = rows(said);
    let mut at = 0;
    for (number, (process, line, what)) in ours.iter().enumerate() {
        // That a choice is over is a step, which SPIN tells only where it is not taken as one with another.
        let again = number > 0 && ours[number] == ours[number - 1];
        let over = ["if ", "do ", "goto ", "break"].iter().any(|word| what.starts_with(word))
            || what.starts_with("select") && again;
        if over && theirs.get(at).is_none_or(|(.., jumps)| !jumps) {
            continue;
        }
        let Some((step, other, place, jumps)) = theirs.get(at) else {
            return Some(format!("SPIN has no step {}", number + 1));
        };
        // Of a `d_step` SPIN tells each statement, all with one number.
        let several = what.starts_with("d_step");
        if other != process || !(several || over && *jumps) && place.is_some_and(|place| place != *line) {
            return Some(format!("step {}: {:?} here, {:?} there", number + 1, ours[number], theirs[at]));
        }
        at += 1;
        while several && theirs.get(at).is_some_and(|(other, ..)| other == step) {
            at += 1;
        }
    }
    if *wrong {
        // In one step with a failing assertion SPIN does more.
        return None;
    }
    if at < theirs.len() {
        return Some(format!("SPIN goes on: {:?}", theirs[at]));
    }
    let value = |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    // Of an `mtype` that is still 0 SPIN says the name of another value.
    let is_number = |text: &str| text.parse::<i64>().is_ok();
    let other = globals(said)
        .into_iter()
        .find(|(name, theirs)| value(name).is_some_and(|ours| ours != theirs && (is_number(theirs) || ours != "0")));
    other.map(|(name, theirs)| format!("{name} is {theirs} in SPIN and {:?} here", value(&name)))
}

#[test]
fn a_trail_is_followed_step_for_step_as_by_spin() {
    if !spin::available() {
        println!("skipped: spin or gcc is not installed (`make tools`)");
        return;
    }
    let (mut same, mut steps) = (0, 0);
    for seed in (first_seed()..).take(number("PREQUEL_FUZZ_TRAILS", 24) as usize) {
        let program = if seed % 2 == 0 { random_promela::program(seed) } else { random_promela::apart(seed) };
        if program.claim {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("m.pml"), &program.text).expect("a model");
        let Some(said) = trail(folder.path()) else { continue };
        let ours = match followed(folder.path()) {
            Ok(ours) => ours,
            // What we do not read, SPIN may.
            Err(why) if why.contains("not supported") => continue,
            Err(why) => panic!("seed {seed}: {why}\n{}", program.text),
        };
        if let Some(why) = difference(&said, &ours) {
            panic!("seed {seed}: {why}\n{}\n{said}", program.text);
        }
        (same, steps) = (same + 1, steps + ours.0.len());
    }
    println!("{same} trails with {steps} steps are the same");
}

/// Takes random steps and goes back; what is offered and what has a value is as it was.
fn wander(simulation: &mut dyn Simulation, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut past = Vec::new();
    for _ in 0..200 {
        let now = (simulation.offered(), simulation.values(), simulation.steps());
        if now.0.is_empty() || rng.chance(30) {
            let Some((offered, values, steps)) = past.pop() else {
                assert!(!simulation.back());
                if now.0.is_empty() {
                    break;
                }
                continue;
            };
            assert!(simulation.back());
            assert_eq!(
                (simulation.offered(), simulation.values(), simulation.steps()),
                (offered, values, steps),
                "seed {seed}"
            );
        } else {
            let choice = rng.below(now.0.len());
            let taken = simulation.take(choice);
            assert_eq!(taken.offered, now.0[choice], "seed {seed}");
            past.push(now);
        }
    }
}

#[test]
fn going_back_leads_to_where_one_was() {
    for seed in (first_seed()..).take(number("PREQUEL_FUZZ_TRAILS", 24) as usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let model = folder.path().join("m.pml");
        std::fs::write(&model, random_promela::program(seed).text).expect("a model");
        let request = Simulate { models: Models::from(model), guide: None };
        let run = Run::new(Limits::default(), 0);
        // What does not even start cannot be walked through.
        let _ = simulate(&request, &run, &Silent, &mut |simulation| {
            wander(simulation, seed);
            Ok(())
        });
    }
    for model in
        ["beem-models/peterson-3/peterson.exp", "tests/cli/doc-petri.in/lamps.pnml", "tests/cli/doc-dve.in/lock.dve"]
    {
        let Some(path) = Some(Path::new(model)).filter(|path| path.exists()) else { continue };
        let request = Simulate { models: Models::from(path.to_owned()), guide: None };
        let run = Run::new(Limits::default(), 0);
        let mut seen = 0;
        simulate(&request, &run, &Silent, &mut |simulation| {
            wander(simulation, 7);
            seen += 1;
            Ok(())
        })
        .expect("it can be run");
        assert_eq!(seen, 1, "{model}");
    }
}
