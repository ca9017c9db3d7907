//! The harness with badly behaved programs: each is limited, killed, and recorded for what it is; nothing is left behind.

#![cfg(target_os = "linux")]

use prequel::harness::record;
use prequel::harness::record::{Category, Record};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A suite whose tools are shell scripts; each is asked once about one model.
fn suite(folder: &Path, tools: &[(&str, &str)], more: &str) -> PathBuf {
    // More than any of them needs, on the slowest machine.
    limited(folder, tools, more, "60s")
}

fn limited(folder: &Path, tools: &[(&str, &str)], more: &str, time: &str) -> PathBuf {
    std::fs::write(folder.join("m.aut"), "des (0, 1, 1)\n(0, a, 0)\n").expect("room for a file");
    let mut text = format!("name = \"bad\"\n{more}\n[limits]\ntime = \"{time}\"\ncpu = \"60s\"\nmemory = \"300M\"\n");
    for (name, script) in tools {
        text += &format!(
            "[[tool]]\nname = \"{name}\"\nversion = [\"sh\", \"-c\", \"echo 1\"]\nphases = [[\"sh\", \"-c\", '''{script}''']]\n\
             true = [\"YES\"]\nfalse = [\"NO\"]\n[[engine]]\nname = \"{name}\"\ntool = \"{name}\"\n"
        );
    }
    text += "[[model]]\npath = \"m.aut\"\nquery = [\"--deadlock-free\"]\nexpected = \"true\"\nsource = \"it goes on for ever\"\n";
    let path = folder.join("bad.toml");
    std::fs::write(&path, text).expect("room for a file");
    path
}

fn bench(suite: &Path, results: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
    command.arg("bench").arg(suite).arg("--results").arg(results).args(more);
    command
}

fn records(results: &Path) -> Vec<Record> {
    let files = std::fs::read_dir(results).expect("results").flatten().map(|entry| entry.path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "csv"));
    // A file that was just made has no line of names yet.
    files.flat_map(|path| record::read(&path).map_or(Vec::new(), |(records, _)| records)).collect()
}

/// Processes with a mark in their command line.
fn alive(mark: &str) -> usize {
    let all = std::fs::read_dir("/proc").expect("/proc").flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| {
            String::from_utf8_lossy(line).starts_with("sleep") && String::from_utf8_lossy(line).contains(mark)
        })
        .count()
}

#[test]
fn badly_behaved_programs_are_stopped_and_recorded_for_what_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("9{}", std::process::id());
    let forks = format!("sleep {mark} & setsid sleep {mark} & echo YES");
    let stubborn = format!("trap '' TERM; while true; do sleep {mark}; done");
    let tools: Vec<(&str, &str)> = vec![
        ("honest", "echo YES"),
        ("liar", "echo NO"),
        ("silent", "true"),
        ("crash", "kill -SEGV $$"),
        ("forks", &forks),
        ("hungry", "tail /dev/zero"),
        ("talker", "head -c 1000000000 /dev/zero; echo YES >&2"),
    ];
    let path = suite(folder.path(), &tools, "");
    let results = folder.path().join("results");
    let output = bench(&path, &results, &[]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // A wrong verdict makes the command fail, loudly.
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("WRONG: liar says false"), "{said}");
    let found = records(&results);
    let category = |name: &str| found.iter().find(|run| run.engine == name).map(|run| run.category);
    let expected = [
        ("honest", Category::Correct),
        ("liar", Category::Wrong),
        ("silent", Category::Unknown),
        ("crash", Category::Error),
        ("forks", Category::Correct),
        ("talker", Category::Correct),
    ];
    for (name, wanted) in expected {
        assert_eq!(category(name), Some(wanted), "{name}");
    }
    // It may notice the limit itself, or be stopped.
    assert!(matches!(category("hungry"), Some(Category::OutOfMemory | Category::Error)), "{:?}", category("hungry"));
    let path = limited(folder.path(), &[("stubborn", &stubborn)], "", "1s");
    let late = folder.path().join("late");
    assert!(bench(&path, &late, &[]).status().expect("it runs").success());
    assert_eq!(records(&late).iter().map(|run| run.category).collect::<Vec<_>>(), [Category::Timeout]);
    assert_eq!(alive(&mark), 0, "something is still running");
    let kept: u64 =
        walkdir::WalkDir::new(&results).into_iter().flatten().filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum();
    assert!(kept < 64 << 20, "{kept} bytes are kept");
}

#[test]
fn nothing_is_lost_or_doubled_when_the_harness_is_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = suite(folder.path(), &[("honest", "echo YES"), ("slow", "sleep 0.05; echo YES")], "repetitions = 40");
    let results = folder.path().join("results");
    let mut first = bench(&path, &results, &[]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !results.exists() || records(&results).len() < 5 {
        assert!(Instant::now() < deadline, "no runs after a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
    first.kill().expect("it can be killed");
    first.wait().expect("it is gone");
    let before = records(&results).len();
    assert!((5..80).contains(&before), "{before}");
    let second = bench(&path, &results, &["--resume"]).output().expect("it runs");
    assert!(second.status.success(), "{}", String::from_utf8_lossy(&second.stderr));
    let mut keys: Vec<(String, u32)> = records(&results).into_iter().map(|run| (run.engine, run.repetition)).collect();
    assert_eq!(keys.len(), 80);
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 80, "a run is there twice");
}

/// 100 runs, or as many as PREQUEL_HARNESS_RUNS says, of a program that leaves processes and files behind.
#[test]
fn many_runs_leave_no_process_and_no_file_behind() {
    let runs: usize = std::env::var("PREQUEL_HARNESS_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    let folder = tempfile::tempdir().expect("a folder");
    // Where the harness and its runs put what they need for a while.
    let scratch = folder.path().join("scratch");
    std::fs::create_dir(&scratch).expect("room for a folder");
    let mark = format!("8{}", std::process::id());
    let messy =
        format!("setsid sleep {mark} & (sleep {mark} &); echo x > left; echo x > \"$TMPDIR/too\"; mkdir d; echo YES");
    let path = suite(folder.path(), &[("messy", &messy)], &format!("repetitions = {runs}"));
    let results = folder.path().join("results");
    let output = bench(&path, &results, &[]).env("TMPDIR", &scratch).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = records(&results);
    assert_eq!(found.len(), runs);
    assert!(found.iter().all(|run| run.category == Category::Correct));
    assert_eq!(alive(&mark), 0, "something is still running");
    let left: Vec<PathBuf> = std::fs::read_dir(&scratch).expect("it is there").flatten().map(|e| e.path()).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
    let kept: Vec<PathBuf> = std::fs::read_dir(&results).expect("results").flatten().map(|e| e.path()).collect();
    assert_eq!(kept.len(), 1, "one file of records, and no output of runs that went well: {kept:?}");
}

fn installed(name: &str) -> bool {
    Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The parts of a suite as a script runs them: all runs, once, in one night.
fn parts_are_whole(runner: &mut Command, results: &Path, runs: usize) {
    for _ in 0..2 {
        // The second time there is nothing left to do.
        let output = runner.output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let found = records(results);
        let mut keys: Vec<(&str, u32)> = found.iter().map(|run| (run.engine.as_str(), run.repetition)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!((found.len(), keys.len()), (runs, runs));
        assert!(found.iter().all(|run| run.night == found[0].night && run.category == Category::Correct));
    }
}

#[test]
fn exported_scripts_run_every_run_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let tools = [("honest", "echo YES"), ("other", "echo YES")];
    let path = suite(folder.path(), &tools, "repetitions = 5\nwarmup = 1");
    let script = folder.path().join("script with spaces.sh");
    for executor in ["parallel", "slurm"] {
        let results = folder.path().join(format!("results of {executor}"));
        let script = script.to_str().expect("it is text");
        let output =
            bench(&path, &results, &["--executor", executor, "--parts", "3", "-o", script]).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!results.exists(), "nothing is run");
        if executor == "slurm" {
            // What Slurm does, without it: the script once for each number.
            let array = "for n in 1 2 3; do SLURM_ARRAY_TASK_ID=$n sh \"$1\" || exit 1; done";
            parts_are_whole(Command::new("sh").args(["-c", array, "sh", script]), &results, 10);
        } else if installed("parallel") {
            parts_are_whole(Command::new("sh").arg(script), &results, 10);
        } else {
            eprintln!("skipped: GNU parallel is not installed");
        }
    }
}

#[test]
fn tasks_for_benchexec_name_files_that_exist() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.toml");
    let text = "name = \"s\"\n[[engine]]\nname = \"otf\"\n[[engine]]\nname = \"icc\"\n[[model]]\nfamily = \"philo\"\nsizes = [3, 4]\n";
    std::fs::write(&path, text).expect("room for a file");
    let target = folder.path().join("tasks");
    let more = ["--executor", "benchexec", "-o", target.to_str().expect("it is text")];
    let output = bench(&path, &folder.path().join("results"), &more).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut tasks = 0;
    for entry in std::fs::read_dir(&target)
        .expect("tasks")
        .flatten()
        .filter(|e| e.path().extension().is_some_and(|x| x == "yml"))
    {
        let text = std::fs::read_to_string(entry.path()).expect("text");
        let field = |name: &str| {
            let line =
                text.lines().find_map(|line| line.trim_start_matches([' ', '-']).strip_prefix(name)).expect(name);
            line.trim().trim_matches('\'').to_owned()
        };
        assert!(
            target.join(field("input_files:")).is_file() && target.join(field("property_file:")).is_file(),
            "{text}"
        );
        assert!(["true", "false"].contains(&&*field("expected_verdict:")), "{text}");
        tasks += 1;
    }
    assert_eq!(tasks, 4, "two sizes, two questions; engines are options");
}

#[test]
fn corrupt_rows_are_named_skipped_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = suite(folder.path(), &[("honest", "echo YES")], "repetitions = 3");
    let results = folder.path().join("results");
    assert!(bench(&path, &results, &[]).status().expect("it runs").success());
    let file = std::fs::read_dir(&results).expect("results").flatten().next().expect("a file").path();
    let text = std::fs::read_to_string(&file).expect("text");
    let rows: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(rows.len(), 4, "a line of names and three runs");
    std::fs::write(&file, format!("{}{}bad,row\n{}{}", rows[0], rows[1], rows[2], rows[3])).expect("room for a file");
    let report = Command::new(env!("CARGO_BIN_EXE_prequel"))
        .arg("report")
        .arg(&results)
        .arg("--json")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&report.stderr).into_owned();
    assert!(report.status.success() && said.contains("line 3 is no run and is left out"), "{said}");
    let object: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(object["left_out"], 1);
    assert_eq!(records(&results).len(), 3);
}

#[test]
fn bad_suites_and_results_are_refused_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let path = folder.path().join("typo.toml");
    std::fs::write(&path, "name = \"x\"\nrepetition = 3\n").expect("room for a file");
    let output = bench(&path, &results, &[]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3));
    assert!(said.contains("typo.toml:2:1") && said.contains("did you mean `repetitions`?"), "{said}");
    assert!(!results.exists(), "nothing is written");
    let good = suite(folder.path(), &[("honest", "echo YES")], "");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("room for a file");
    let output = bench(&good, &file.join("results"), &[]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(3), "a folder that cannot be made");
    let output = bench(&good, &results, &["--resume"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(3), "nothing to go on with");
}

fn prequel(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
    command.args(arguments);
    command
}

fn interrupt(id: u32) {
    assert!(Command::new("sh").args(["-c", &format!("kill -INT {id}")]).status().expect("it runs").success());
}

#[test]
fn an_interruption_during_warm_up_leaves_nothing_and_poisons_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = format!("7{}", std::process::id());
    let path = suite(folder.path(), &[("slow", &format!("sleep {mark}"))], "warmup = 1");
    let results = folder.path().join("results");
    let warming = bench(&path, &results, &[]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it runs");
    let deadline = Instant::now() + Duration::from_secs(60);
    while alive(&mark) == 0 {
        assert!(Instant::now() < deadline, "no run after a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(warming.id());
    let ended = warming.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("nothing was written"), "{said}");
    let left: Vec<PathBuf> = std::fs::read_dir(&results).expect("results").flatten().map(|e| e.path()).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
    // What an earlier version left is gone on with, and told.
    let path = suite(folder.path(), &[("honest", "echo YES")], "");
    std::fs::write(results.join("bad-2026-01-01T000000Z.csv"), "").expect("room for a file");
    let resumed = bench(&path, &results, &["--resume"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&resumed.stderr).into_owned();
    assert!(resumed.status.success() && said.contains("it is empty: there is no run in it"), "{said}");
    assert_eq!(records(&results).len(), 1);
}

#[test]
fn a_report_shows_every_suite_and_names_what_it_cannot_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    for name in ["first", "second"] {
        let path = suite(folder.path(), &[("honest", "echo YES")], "");
        let text =
            std::fs::read_to_string(&path).expect("text").replace("name = \"bad\"", &format!("name = \"{name}\""));
        std::fs::write(&path, text).expect("room for a file");
        assert!(bench(&path, &results, &[]).status().expect("it runs").success());
    }
    std::fs::create_dir(results.join("folder.csv")).expect("room for a folder");
    std::fs::write(results.join("foreign.csv"), "x,y\n1,2\n").expect("room for a file");
    std::fs::write(results.join("empty.csv"), "").expect("room for a file");
    let folder_of = results.to_str().expect("it is text");
    let report = prequel(&["report", folder_of]).output().expect("it runs");
    let (text, said) = (String::from_utf8_lossy(&report.stdout), String::from_utf8_lossy(&report.stderr));
    assert!(report.status.success(), "{said}");
    assert!(text.contains("# first on ") && text.contains("# second on "), "{text}");
    for name in ["folder.csv", "foreign.csv", "empty.csv"] {
        assert!(said.contains(name), "{name}: {said}");
    }
    let json = prequel(&["report", folder_of, "--json"]).output().expect("it runs");
    let object: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(
        (object["suites"].as_array().map(Vec::len), object["unread"].as_array().map(Vec::len)),
        (Some(2), Some(2))
    );
    let page = folder.path().join("report.html");
    assert!(prequel(&["report", folder_of, "-o", page.to_str().expect("text")]).status().expect("it runs").success());
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("\"suite\":\"first\"") && page.contains("\"suite\":\"second\""));
    // Where there is nothing else it is an error.
    let only = results.join("folder.csv");
    std::fs::create_dir(only.join("inner.csv")).expect("room for a folder");
    let report = prequel(&["report", only.to_str().expect("text")]).output().expect("it runs");
    assert_eq!(report.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&report.stderr).contains("inner.csv"));
    // To go on with, too, a folder is none.
    let path = suite(folder.path(), &[("honest", "echo YES")], "");
    std::fs::create_dir(results.join("bad-2026-01-01T000000Z.csv")).expect("room for a folder");
    let resumed = bench(&path, &results, &["--resume"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&resumed.stderr).into_owned();
    assert_eq!(resumed.status.code(), Some(3), "{said}");
    assert!(said.contains("bad-2026-01-01T000000Z.csv") && said.contains("no results of `bad`"), "{said}");
}

#[test]
fn an_interrupted_reproduction_prints_the_rows_that_it_had() {
    use std::io::{BufRead as _, BufReader, Read as _};
    // Its first family is done at once; the windows take long.
    let mut running = prequel(&["reproduce", "quotient"]).stdout(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(running.stdout.take().expect("it is piped"));
    let mut said = String::new();
    lines.read_line(&mut said).expect("the title");
    std::thread::sleep(Duration::from_secs(2));
    interrupt(running.id());
    lines.read_to_string(&mut said).expect("text");
    assert_eq!(running.wait().expect("it ends").code(), Some(130), "{said}");
    assert!(
        said.contains("classes of Figure 3") && said.contains("interrupted: this is what there was until then"),
        "{said}"
    );
}

#[test]
fn every_paper_leaves_its_curve() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("curve.csv");
    let family = ["reproduce", "all", "--quick", "--family", "token-ring", "--time", "2s", "--csv"];
    prequel(&family).arg(&file).output().expect("it runs");
    let mut left: Vec<String> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["curve-icc.csv", "curve-lazy.csv"]);
}
