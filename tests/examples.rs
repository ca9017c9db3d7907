//! The Promela examples say what `examples/README.md` says of them.

use prequel::spin::tools::Tools;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Rows of the table: the model, the option, whether there is an error.
fn rows(table: &str) -> Vec<(String, Vec<String>, bool)> {
    let mut model = String::new();
    let mut rows = Vec::new();
    for line in table.lines().filter(|l| l.starts_with('|')).skip(2) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        if let Some(name) = quoted(cells[0]).first() {
            model = name.clone();
        }
        let violated = match cells[2] {
            "no error" => false,
            "assertion violated" => true,
            other => panic!("unknown expectation {other}"),
        };
        // `-DA`, `_B` stands for -DA and the same with another ending.
        let options = quoted(cells[1]);
        let stem = options.first().and_then(|o| o.rsplit_once('_')).map_or("", |(stem, _)| stem);
        let full = |o: &String| if o.starts_with('_') { format!("{stem}{o}") } else { o.clone() };
        if options.is_empty() {
            rows.push((model.clone(), Vec::new(), violated));
        }
        rows.extend(options.iter().map(|o| (model.clone(), vec![full(o)], violated)));
    }
    rows
}

#[test]
fn every_example_has_the_verdict_of_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let rows = rows(&std::fs::read_to_string(folder.join("README.md")).expect("the table"));
    assert_eq!(rows.len(), 12);
    for (model, options, violated) in rows {
        let run = Command::new(env!("CARGO_BIN_EXE_prequel"))
            .arg("check")
            .arg(folder.join(&model))
            .args(&options)
            .output()
            .expect("prequel starts");
        let said = String::from_utf8_lossy(&run.stdout);
        assert_eq!(run.status.code(), Some(i32::from(violated)), "{model} {options:?}: {said}");
        assert_eq!(said.contains("assertion violated"), violated, "{model} {options:?}: {said}");
    }
}

/// The scaled examples at their smallest: SPIN's verdict on smaller processes is that of our own run of the program, and a
/// violation leads back.
#[test]
fn scaled_examples_keep_their_verdicts_when_processes_are_smaller() {
    if Tools::find().is_err() {
        eprintln!("skipped: spin and a C compiler are not installed");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scaled");
    let told = |command: &str, model: &str, options: &[&str]| -> Value {
        let mut run = Command::new(env!("CARGO_BIN_EXE_prequel"));
        run.arg(command).arg(folder.join(model)).args(["-DN=2", "--json"]).args(options);
        serde_json::from_slice(&run.output().expect("prequel starts").stdout).expect("a JSON object")
    };
    let mut seen = Vec::new();
    let suite = std::fs::read_to_string(folder.join("suite.tsv")).expect("the suite");
    for line in suite.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let options: Vec<&str> = cells[1].split_whitespace().filter(|option| !option.starts_with("-DN=")).collect();
        if seen.contains(&(cells[0], options.clone())) {
            continue;
        }
        let ours = told("check", cells[0], &options);
        // Asked for both sides, it does not leave the answer to whoever is first.
        let reduced = told("spin", cells[0], &[&options[..], &["--compare"]].concat());
        assert_eq!(ours["verdict"], cells[2], "{line}");
        assert_eq!(reduced["verdict"], cells[2], "{line}: {reduced}");
        assert_eq!(reduced["reduction"]["used"], true, "{line}: {reduced}");
        assert_eq!(reduced["evidence"]["checked"], cells[2] == "false", "{line}: {reduced}");
        seen.push((cells[0], options));
    }
    assert_eq!(seen.len(), 10);
}

/// A search that goes deep first comes to the violation behind tens of thousands of steps: where nobody in particular is asked, a run is
/// shown that can be read.
#[test]
fn a_long_run_is_not_shown_where_a_short_one_does() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/scaled/workers.pml");
    let steps = |engine: &[&str]| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_prequel"));
        let output = run.arg("check").arg(&model).args(["-DN=4", "-DLAZY", "--json"]).args(engine).output();
        let told: Value = serde_json::from_slice(&output.expect("prequel starts").stdout).expect("a JSON object");
        assert_eq!((&told["verdict"], &told["evidence"]["checked"]), (&"false".into(), &true.into()));
        told["evidence"]["steps"].as_array().expect("steps").len()
    };
    assert!(steps(&["--engine", "otf", "--search", "depth"]) > 10_000);
    let short = steps(&[]);
    assert!(short < 200, "{short} steps");
}
