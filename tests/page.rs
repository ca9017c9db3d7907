//! The report in a real browser: Chromium without a screen opens the page, uses it, and tells what it saw.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

/// Three tools that are asked about two models; one is slower in the last night.
fn suite(slow: &str) -> String {
    let mut text = String::from("name = \"page\"\nrepetitions = 3\n[limits]\ntime = \"20s\"\nmemory = \"1G\"\n");
    for (name, script) in [("quick", "echo YES"), ("slow", slow), ("silent", "true")] {
        text += &format!(
            "[[tool]]\nname = \"{name}\"\nversion = [\"sh\", \"-c\", \"echo 1\"]\nphases = [[\"sh\", \"-c\", '''{script}''']]\n\
             true = [\"YES\"]\n[[engine]]\nname = \"{name}\"\ntool = \"{name}\"\n"
        );
    }
    let model = "[[model]]\nfamily = \"philo\"\nsizes = [3, 5]\nquery = [\"--deadlock-free\"]\nexpected = \"true\"\n";
    text + model + "source = \"the test says so\"\n"
}

/// What is done to the page, and seen.
const DRIVER: &str = r##"
<script>
const seen = {};
const rows = () => [...document.querySelectorAll("#questions tr.row")].map(row => row.children[0].textContent + "/" + row.children[2].textContent);
const set = (id, value) => { document.getElementById(id).value = value; document.getElementById(id).dispatchEvent(new Event("input")); };
const press = column => [...document.querySelectorAll("#questions th")].find(head => head.dataset.sort === column).click();
seen.ready = document.body.dataset.ready;
seen.all = rows();
set("search", "philo 5"); seen.searched = rows(); seen.shown = document.getElementById("shown").textContent; set("search", "");
set("engine", "slow"); seen.engine = rows(); set("engine", "");
set("category", "unknown"); seen.category = rows(); set("category", "");
press("seconds"); press("seconds"); seen.slowest = rows()[0];
press("model"); seen.up = rows()[0]; press("model"); seen.down = rows()[0];
set("engine", "quick"); set("search", "philo 3");
document.querySelector("#questions tr.row").click();
seen.opened = document.querySelector("#questions tr.behind").textContent;
document.querySelector("#questions tr.row").click();
seen.closed = document.querySelectorAll("#questions tr.behind").length;
seen.paper = [...document.querySelectorAll("#questions th")].map(head => head.textContent).includes("paper");
seen.beside = document.querySelector("#questions td.paper").textContent;
seen.figures = document.querySelectorAll("#plots figure").length;
seen.marks = [...document.querySelectorAll("#plots svg text")].filter(text => text.textContent.startsWith("▼")).length;
seen.alarms = document.getElementById("alarms").textContent;
seen.fetched = performance.getEntriesByType("resource").length;
seen.errors = window.errors;
document.body.innerHTML = "";
document.body.append(Object.assign(document.createElement("pre"), { id: "seen", textContent: "SEEN" + encodeURIComponent(JSON.stringify(seen)) + "SEEN" }));
</script>
</body>"##;

fn prequel(arguments: &[&Path]) {
    let output = Command::new(env!("CARGO_BIN_EXE_prequel")).args(arguments).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The text between percent signs and their digits.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).expect("JSON is text")
}

#[test]
fn the_page_can_be_filtered_sorted_and_opened_and_marks_regressions() {
    let Some(browser) = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()))
    else {
        eprintln!("skipped: there is no Chromium");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    // Three nights; only the last one is worse than the one before.
    for slow in ["sleep 0.1; echo YES", "sleep 0.1; echo YES", "sleep 1; echo YES"] {
        std::fs::write(at("page.toml"), suite(slow)).expect("room for a file");
        prequel(&[Path::new("bench"), &at("page.toml"), Path::new("--results"), &at("results")]);
    }
    let cells = "model,engine,column,value,source\nphilo 3,quick,Time,12.5,A paper\n";
    std::fs::write(at("paper.csv"), cells).expect("room for a file");
    prequel(&[
        Path::new("report"),
        &at("results"),
        Path::new("-o"),
        &at("page.html"),
        Path::new("--paper"),
        &at("paper.csv"),
    ]);
    let page = std::fs::read_to_string(at("page.html")).expect("it was written");
    let listening =
        "<head><script>window.errors = []; window.onerror = what => { window.errors.push(String(what)); };</script>";
    std::fs::write(at("driven.html"), page.replacen("<head>", listening, 1).replace("</body>", DRIVER)).expect("room");
    let output = Command::new("timeout")
        .args(["120", browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", at("profile").display()))
        .arg(format!("file://{}", at("driven.html").display()))
        .output()
        .expect("it runs");
    let dom = String::from_utf8_lossy(&output.stdout);
    let text = dom.split("SEEN").nth(1).unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let seen: serde_json::Value = serde_json::from_str(&decoded(text)).expect("JSON");
    let list = |name: &str| -> Vec<&str> {
        seen[name].as_array().expect(name).iter().filter_map(serde_json::Value::as_str).collect()
    };
    assert_eq!(list("errors"), Vec::<&str>::new());
    assert_eq!((seen["ready"].as_str(), seen["fetched"].as_u64()), (Some("yes"), Some(0)));
    assert_eq!(list("all").len(), 6);
    assert_eq!(list("searched"), ["philo 5/quick", "philo 5/silent", "philo 5/slow"]);
    assert_eq!(seen["shown"], "3 of 6");
    assert_eq!(list("engine"), ["philo 3/slow", "philo 5/slow"]);
    assert_eq!(list("category"), ["philo 3/silent", "philo 5/silent"]);
    assert!(seen["slowest"].as_str().expect("a row").ends_with("/slow"));
    assert!(seen["up"].as_str().expect("a row").starts_with("philo 3"));
    assert!(seen["down"].as_str().expect("a row").starts_with("philo 5"));
    let opened = seen["opened"].as_str().expect("text");
    for part in ["echo YES", "3 runs", "expected true (the test says so)"] {
        assert!(opened.contains(part), "{part} in {opened}");
    }
    assert_eq!(seen["closed"], 0);
    assert_eq!(seen["paper"], true);
    assert_eq!(seen["beside"], "Time 12.5");
    assert!(opened.contains("Time 12.5 (A paper)"), "{opened}");
    // Scatter, cactus, one family, history with one mark in it.
    assert_eq!((seen["figures"].as_u64(), seen["marks"].as_u64()), (Some(4), Some(1)));
    assert!(seen["alarms"].as_str().expect("text").contains("Regression"), "{}", seen["alarms"]);
}
