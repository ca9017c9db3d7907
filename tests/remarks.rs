//! Is what `check --format sarif` and `--format github` print what their readers take?

use crate::fuzz::{first_seed, number};
use crate::random_promela;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs a check; gives what it prints and its exit code.
fn check(folder: &Path, arguments: &[&str]) -> (String, i64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
    let ended = command.arg("check").args(arguments).current_dir(folder).output().expect("it runs");
    (String::from_utf8(ended.stdout).expect("text"), ended.status.code().expect("no signal").into())
}

/// A physical location, by the rules of SARIF 2.1.0 (3.29, 3.30).
fn location_is_valid(location: &Value) {
    let place = &location["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().expect("3.4.3: a reference");
    assert!(!uri.is_empty() && uri.bytes().all(|b| b.is_ascii_graphic() && !b"\\\"<>^`{|}".contains(&b)), "{uri}");
    if let Some(region) = place.get("region") {
        let line = region["startLine"].as_u64().expect("3.30.5");
        assert!(line >= 1);
        if let Some(start) = region.get("startColumn") {
            let (start, end) = (start.as_u64().expect("3.30.6"), region["endColumn"].as_u64().expect("3.30.8"));
            assert!(start >= 1 && end >= start);
        }
    }
}

/// A whole document: what the schema of SARIF 2.1.0 and its prose want of what we write.
fn is_valid(text: &str, exit: i64) -> Value {
    let document: Value = serde_json::from_str(text).expect("one JSON document and nothing else");
    assert_eq!(document["version"], "2.1.0");
    let [run] = document["runs"].as_array().expect("3.13.4").as_slice() else { panic!("one run") };
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].as_str().is_some_and(|name| !name.is_empty()), "3.19.8");
    let rules: Vec<&str> =
        driver["rules"].as_array().expect("3.19.23").iter().map(|rule| rule["id"].as_str().expect("3.49.3")).collect();
    let mut unique = rules.clone();
    unique.dedup();
    assert_eq!(rules, unique, "3.19.23: each rule once");
    let [invocation] = run["invocations"].as_array().expect("3.14.11").as_slice() else { panic!("one invocation") };
    assert_eq!(invocation["exitCode"].as_i64(), Some(exit));
    assert_eq!(invocation["executionSuccessful"].as_bool(), Some(exit < 3), "3.20.14");
    assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&run["columnKind"].as_str().expect("3.14.17")));
    for result in run["results"].as_array().expect("3.14.23") {
        let index = result["ruleIndex"].as_u64().expect("3.27.6") as usize;
        assert_eq!(result["ruleId"].as_str(), rules.get(index).copied(), "3.27.6");
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()), "3.27.11");
        let (kind, level) = (result["kind"].as_str().expect("3.27.9"), result["level"].as_str().expect("3.27.10"));
        assert!(["pass", "open", "fail"].contains(&kind) && ["none", "warning", "error"].contains(&level));
        assert_eq!(kind == "fail", level != "none", "3.27.10: a level is for what failed");
        result["locations"].as_array().expect("3.27.12").iter().for_each(location_is_valid);
        for flow in result["codeFlows"].as_array().into_iter().flatten() {
            let threads = flow["threadFlows"].as_array().expect("3.36.3");
            assert!(!threads.is_empty());
            for thread in threads {
                let locations = thread["locations"].as_array().expect("3.37.6");
                assert!(!locations.is_empty(), "3.37.6: at least one");
                let order: Vec<u64> =
                    locations.iter().map(|at| at["executionOrder"].as_u64().expect("3.38.11")).collect();
                assert!(order.is_sorted() && order[0] >= 1);
                for at in locations {
                    location_is_valid(&at["location"]);
                    assert!(["important", "essential", "unimportant"].contains(&at["importance"].as_str().unwrap()));
                }
            }
        }
    }
    document
}

/// A line for GitHub's runners: a known command, properties without what ends them, a message without line ends.
fn is_command(line: &str) {
    let rest = line.strip_prefix("::").expect("a command");
    let (head, _) = rest.split_once("::").expect("two pairs of colons");
    let (name, properties) = head.split_once(' ').expect("properties");
    assert!(["error", "warning", "notice"].contains(&name), "{line}");
    for property in properties.split(',') {
        let (key, value) = property.split_once('=').expect("a name and a value");
        assert!(["file", "line", "col", "endColumn", "title"].contains(&key) && !value.contains(':'), "{line}");
    }
}

#[test]
fn remarks_are_what_their_readers_take() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files: Vec<(String, String)> = vec![
        ("odd name, ü.pml".into(), "byte x;\nactive proctype p() { x++; assert(x == 0) }\n".into()),
        ("wrong.pml".into(), "active proctype p() { y = 1; z = }\n".into()),
        ("loop.pml".into(), "bool x;\nactive proctype p() { do :: x = !x od }\nltl never { <> [] x }\n".into()),
        ("dead.pml".into(), "chan c = [1] of { byte };\nactive proctype p() { c!1; c!2 }\n".into()),
        ("bad.aut".into(), "des (0,1,2)\n(0,\"a\",\n".into()),
    ];
    for seed in (first_seed()..).take(number("PREQUEL_FUZZ_REMARKS", 10) as usize) {
        files.push((format!("r{seed}.pml"), random_promela::program(seed).text));
    }
    let (mut failed, mut flows) = (0, 0);
    for (name, text) in &files {
        std::fs::write(folder.path().join(name), text).expect("a file");
        let (said, exit) = check(folder.path(), &[name, "--format", "sarif", "--time", "10s"]);
        let document = is_valid(&said, exit);
        let results = document["runs"][0]["results"].as_array().expect("results");
        assert!(!results.is_empty(), "{name}");
        failed += results.iter().filter(|result| result["kind"] == "fail").count();
        flows += results.iter().filter(|result| result.get("codeFlows").is_some()).count();
        let (said, again) = check(folder.path(), &[name, "--format", "github", "--time", "10s"]);
        assert_eq!(again, exit, "{name}");
        said.lines().for_each(is_command);
        assert!(!said.is_empty());
    }
    assert!(failed >= 6 && flows >= 3, "{failed} failures, {flows} runs");
}

#[test]
fn a_long_run_is_told_by_its_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "int n;\nactive proctype p() { do :: n < 5000 -> n++ :: else -> break od; assert(n == 0) }\n";
    std::fs::write(folder.path().join("long.pml"), text).expect("a file");
    let (said, exit) = check(folder.path(), &["long.pml", "--format", "sarif"]);
    let document = is_valid(&said, exit);
    let locations = &document["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(locations.as_array().map(Vec::len), Some(1000));
    assert_eq!(locations[999]["importance"], "essential");
}
