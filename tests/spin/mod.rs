//! SPIN run on the spot: what its verifier says of a model, with and without partial-order reduction.

#[allow(dead_code)] // only tests of reductions ask everything
pub mod questions;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What the verifier said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pan {
    /// States that it stored.
    pub states: u64,
    /// Violated assertions were found, wrong indices among them; with a claim, also its end.
    pub assertion: bool,
    /// Invalid end states were found.
    pub end_state: bool,
}

/// What can come of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// The search was complete.
    Done(Pan),
    /// SPIN does not accept the model, or the verifier stops with an error of its own.
    Refused(String),
    /// It took too long.
    Time,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// With the claim of the model.
    pub claim: bool,
    /// With what SPIN does by default: dead variables reset, steps merged.
    pub optimised: bool,
    /// With partial-order reduction.
    pub reduce: bool,
    /// The C compiler and how much it optimises.
    pub compiler: &'static str,
}

/// As fast as gcc compiles.
const GCC: &str = "gcc -O0";

/// The fastest C compiler that is here: `tcc` takes 30 ms where gcc takes half a second.
pub fn fastest() -> &'static str {
    let here = Command::new("tcc").arg("-v").output().is_ok_and(|o| o.status.success());
    if here { "tcc" } else { GCC }
}

/// Depth of the searches: a stack for more costs time to set up, so it is asked for where it is needed.
const DEPTHS: [u32; 2] = [100_000, 2_000_000];

/// Whether SPIN and a C compiler are here.
pub fn available() -> bool {
    let runs =
        |program: &str, option: &str| Command::new(program).arg(option).output().is_ok_and(|o| o.status.success());
    runs("spin", "-V") && runs("gcc", "--version")
}

/// Whether SPIN and the folder of models are here; says so where not.
#[allow(dead_code)] // for the commands that compare whole folders
pub fn ready(dir: &Path) -> bool {
    if !available() {
        println!("skipped: spin or gcc is not installed (`make tools`)");
    } else if !dir.is_dir() {
        println!("skipped: there is no folder {}", dir.display());
    } else {
        return true;
    }
    false
}

fn run(dir: &Path, limit: Duration, command: &str) -> Option<(bool, String)> {
    let seconds = limit.as_secs().max(1);
    let output = Command::new("timeout").args([&seconds.to_string(), "sh", "-c", command]).current_dir(dir).output();
    let output = output.expect("a shell");
    if output.status.code() == Some(124) {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some((output.status.success(), text))
}

fn count(output: &str, what: &str) -> Option<u64> {
    let at = output.find(what)?;
    let number = output[..at].split_whitespace().last()?;
    number.parse::<f64>().ok().map(|n| n as u64)
}

fn errors(output: &str) -> Option<u64> {
    let at = output.find("errors:")?;
    output[at + 7..].split_whitespace().next()?.parse().ok()
}

/// What SPIN says of a model when it reads it; nothing, if there is nothing to say.
#[allow(dead_code)] // not every test that runs SPIN asks
pub fn remarks(model: &Path) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let (_, said) =
        run(dir.path(), Duration::from_secs(60), &format!("spin -a '{}'", model.display())).expect("an answer");
    said
}

/// Runs SPIN on a model.
pub fn verify(model: &Path, ask: Ask, limit: Duration) -> Said {
    let dir = tempfile::tempdir().expect("a folder");
    let model = std::fs::canonicalize(model).expect("the model is there");
    let plain = if ask.optimised { "" } else { "-o1 -o2 -o3" };
    // A text without directives needs no preprocessor, which takes longer than SPIN. Comments are left to it: SPIN itself trips over
    // some that are followed by a line end.
    let processed = std::fs::read_to_string(&model).is_ok_and(|text| !text.contains('#') && !text.contains("/*"));
    let preprocessor = if processed { "-Pcat" } else { "" };
    let generate = format!("spin {preprocessor} -a {plain} '{}'", model.display());
    let Some((_, said)) = run(dir.path(), limit, &generate) else { return Said::Time };
    if !dir.path().join("pan.t").exists() {
        return Said::Refused(said);
    }
    let claim = if ask.claim { "" } else { "-DNOCLAIM" };
    let order = if ask.reduce { "" } else { "-DNOREDUCE" };
    // Compiling is no part of what is limited.
    let compile = format!("{} -w {order} -DSAFETY {claim} -DVECTORSZ=16000 -o pan pan.c", ask.compiler);
    let patience = limit + Duration::from_secs(60);
    let Some((compiled, said)) = run(dir.path(), patience, &compile) else { return Said::Time };
    if !compiled {
        return Said::Refused(said);
    }
    let mut said = Said::Time;
    for depth in DEPTHS {
        said = search(dir.path(), depth, limit);
        if !matches!(&said, Said::Refused(why) if why.contains("search depth too small")) {
            break;
        }
    }
    said
}

/// Runs the verifier: all errors at once, then each kind on its own if there is one. -E leaves out end states, -A assertions.
fn search(dir: &Path, depth: u32, limit: Duration) -> Said {
    let mut found = Vec::new();
    for options in ["-c0", "-c1 -E", "-c1 -A"] {
        let Some((_, output)) = run(dir, limit, &format!("./pan -n -w18 -m{depth} {options}")) else {
            return Said::Time;
        };
        match (count(&output, "states, stored"), errors(&output)) {
            _ if output.contains("search depth too small") => return Said::Refused(output),
            _ if found.is_empty() && output.contains("Search not completed") => return Said::Refused(output),
            (Some(states), Some(errors)) => found.push((states, errors)),
            _ => return Said::Refused(output),
        }
        if found[0].1 == 0 {
            return Said::Done(Pan { states: found[0].0, assertion: false, end_state: false });
        }
    }
    Said::Done(Pan { states: found[0].0, assertion: found[1].1 > 0, end_state: found[2].1 > 0 })
}

/// How SPIN can be asked: with what it does by default, and with partial-order reduction.
#[allow(dead_code)] // for the random programs
pub const WAYS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// A small model asked in several of these ways, all in one go: a random test has little to do but to start programs. With `-c0`
/// the verifier counts all errors, and with `-E` all but end states.
#[allow(dead_code)] // for the random programs
pub fn ways(text: &str, claim: bool, compiler: &str, wanted: &[usize]) -> Result<Vec<(usize, Said)>, String> {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("model.pml"), text).expect("room for a file");
    let mut script = String::from("pan() { timeout 3 ./pan -n -w16 -m50000 -c0 $1 2>&1; echo \"status $?\"; }\n");
    let mut generated = None;
    for &way in wanted {
        let (optimised, reduce) = WAYS[way];
        if generated != Some(optimised) {
            generated = Some(optimised);
            let plain = if optimised { "" } else { "-o1 -o2 -o3" };
            script += &format!("rm -f pan.*; timeout 20 spin -Pcat {plain} -a model.pml >said 2>&1\n");
            script += "test -s pan.t || { head -3 said; exit 1; }\n";
        }
        let (order, claim) = (if reduce { "" } else { "-DNOREDUCE" }, if claim { "" } else { "-DNOCLAIM" });
        script +=
            &format!("timeout 60 {compiler} -w {order} -DSAFETY {claim} -DVECTORSZ=8000 -o pan pan.c 2>&1 || exit 1\n");
        script += &format!("echo 'way {way}'; pan '' >all; cat all; grep -q 'status 124' all && exit 1\n");
        script += "echo 'without end states'; grep -q 'errors: 0' all || pan -E\n";
    }
    let (done, said) = run(dir.path(), Duration::from_secs(300), &script).ok_or("too long")?;
    if !done {
        return Err(said);
    }
    let parts = said.split("\nway ").flat_map(|part| part.strip_prefix("way ").or(Some(part)));
    parts.map(|part| Ok((part[..1].parse().map_err(|_| said.clone())?, told(part)))).collect()
}

/// What the verifier said in one of the ways.
fn told(part: &str) -> Said {
    let (all, steps) = part.split_once("without end states").unwrap_or((part, ""));
    let strange = [
        "cannot be used for rv",
        "search depth too small",
        "Search not completed",
        "reduction invalid",
        // SPIN's own complaint about `xr` and `xs`: it counts an error, but of the reduction and not of the model.
        "violates po reduction",
        "rendezvous stmnts in the escape",
    ];
    if let Some(why) = strange.iter().find(|why| part.contains(**why)) {
        return Said::Refused((*why).into());
    }
    let whole = |text: &str| text.contains("status 0").then(|| errors(text)).flatten();
    match (whole(all), count(all, "states, stored"), whole(steps)) {
        (Some(0), Some(states), _) => Said::Done(Pan { states, assertion: false, end_state: false }),
        (Some(errors), Some(states), Some(steps)) => {
            Said::Done(Pan { states, assertion: steps > 0, end_state: errors > steps })
        }
        _ => Said::Refused(part.into()),
    }
}

/// What a plain run of SPIN takes, as anybody would do it.
#[derive(Clone, PartialEq, Debug)]
#[allow(dead_code)] // for the table of reductions
pub struct Alone {
    /// `true`, `false`, or why there is none.
    pub verdict: String,
    /// States that it stored.
    pub states: u64,
    /// For `spin -a`, the compiler and the verifier together.
    pub seconds: f64,
    /// Of these the processor's, which other programs on the machine do not change; as long as the limit where that ended it.
    pub cpu: f64,
}

/// A command, with what it and its children took of the processor in its last lines.
#[allow(dead_code)] // for the table of reductions
pub fn timed(command: &str) -> String {
    format!("{command}; code=$?; echo; times; exit $code")
}

/// Seconds of the processor, from the last line of a timed command: `0m1.25s 0m0.50s`.
#[allow(dead_code)] // for the table of reductions
pub fn cpu_seconds(said: &str) -> f64 {
    let one = |word: &str| {
        let (minutes, seconds) = word.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    };
    said.lines().last().unwrap_or_default().split_whitespace().filter_map(one).sum()
}

/// SPIN with its defaults, partial-order reduction among them; each step within a limit. The compiler also gets `gcc`, the verifier
/// `pan`. Where its usual stack of a million steps is too small, the time is that of a search with the next larger one alone.
#[allow(dead_code)] // for the table of reductions
pub fn alone(model: &Path, options: &[String], gcc: &str, pan: &str, limit: Duration) -> Alone {
    searched(model, options, &format!("gcc -O2 -DSAFETY {gcc}"), pan, limit)
}

/// SPIN on a model, its verifier made by this compiler with these definitions, and run with these options.
#[allow(dead_code)] // for the tables of reductions
pub fn searched(model: &Path, options: &[String], compiler: &str, pan: &str, limit: Duration) -> Alone {
    let dir = tempfile::tempdir().expect("a folder");
    let model = std::fs::canonicalize(model).expect("the model is there");
    let started = std::time::Instant::now();
    let now = || started.elapsed().as_secs_f64();
    let ended = |verdict: &str, states, seconds, cpu| Alone { verdict: verdict.into(), states, seconds, cpu };
    let timed = |limit: Duration, command: &str| {
        let done = run(dir.path(), limit, &timed(command));
        let cpu = done.as_ref().map_or(limit.as_secs_f64(), |(_, said)| cpu_seconds(said));
        (done, cpu)
    };
    let (generated, generating) = timed(limit, &format!("spin -a {} '{}'", options.join(" "), model.display()));
    if generated.is_none() {
        return ended("time", 0, now(), generating);
    }
    if !dir.path().join("pan.t").exists() {
        return ended("refused", 0, now(), generating);
    }
    let compile = format!("{compiler} -w -DMEMLIM=8000 -DVECTORSZ=16000 -o pan pan.c");
    let (compiled, compiling) = timed(limit + Duration::from_secs(60), &compile);
    let (made, making) = (now(), generating + compiling);
    match compiled {
        None => return ended("time", 0, made, making),
        Some((false, _)) => return ended("refused", 0, made, making),
        Some(_) => {}
    }
    // Deeper than its default of 10,000, so that its search is whole.
    for depth in ["1000000", "10000000", "100000000"] {
        let began = std::time::Instant::now();
        let (said, searching) = timed(limit, &format!("./pan -n -m{depth} {pan}"));
        let (seconds, cpu) = (made + began.elapsed().as_secs_f64(), making + searching);
        let Some((_, said)) = said else { return ended("time", 0, seconds, cpu) };
        let states = count(&said, "states, stored").unwrap_or(0);
        // SPIN's own complaint about `xr` and `xs` is counted as an error, but of the reduction and not of the model.
        let complains = ["reduction invalid", "violates po reduction"].iter().any(|words| said.contains(words));
        let verdict = match errors(&said) {
            _ if complains => "stopped",
            Some(1..) => "false",
            _ if said.contains("search depth too small") => continue,
            Some(0) if !said.contains("Search not completed") => "true",
            _ => "stopped",
        };
        return ended(verdict, states, seconds, cpu);
    }
    ended("depth", 0, now(), 0.0)
}
