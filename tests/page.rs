//! The report and the page of a run in a real browser: Chromium without a screen opens the page, uses it, and tells what it saw.

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

/// What a driver saw of a page; nothing where there is no browser.
fn seen(folder: &Path, page: &str, driver: &str) -> Option<serde_json::Value> {
    let Some(browser) = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()))
    else {
        eprintln!("skipped: there is no Chromium");
        return None;
    };
    let listening =
        "<head><script>window.errors = []; window.onerror = what => { window.errors.push(String(what)); };</script>";
    let driven = page.replacen("<head>", listening, 1).replace("</body>", driver);
    std::fs::write(folder.join("driven.html"), driven).expect("room for a file");
    let output = Command::new("timeout")
        .args(["120", browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", folder.join("driven.html").display()))
        .output()
        .expect("it runs");
    let dom = String::from_utf8_lossy(&output.stdout);
    let text = dom.split("SEEN").nth(1).unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    Some(serde_json::from_str(&decoded(text)).expect("JSON"))
}

/// The texts of a list that was seen.
fn list<'v>(seen: &'v serde_json::Value, name: &str) -> Vec<&'v str> {
    seen[name].as_array().expect(name).iter().filter_map(serde_json::Value::as_str).collect()
}

#[test]
fn the_page_can_be_filtered_sorted_and_opened_and_marks_regressions() {
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
    let Some(seen) = seen(folder.path(), &page, DRIVER) else { return };
    let list = |name: &str| list(&seen, name);
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

/// A program with a cycle that begins in the middle, a rendezvous, a process that comes and goes, and a text that looks like markup.
const CYCLE: &str = "\
chan back = [0] of { byte };
chan line = [2] of { byte, byte };
byte x;
proctype child(byte n) { x = n }
init {
  run child(3);
  x == 3 -> line ! 1, 2; /* </script><b>bold</b> & \"quotes\" */
  do
  :: back ! 4; x = 5
  od
}
active proctype taker() { byte y; do :: back ? y od }
ltl ends { <> (x == 9) }
";

/// What is done to the page of a run, and seen.
const RUN_DRIVER: &str = r##"
<script>
const seen = {};
const all = query => [...document.querySelectorAll(query)].map(element => element.textContent);
const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const slider = document.getElementById("slider");
seen.ready = document.body.dataset.ready;
seen.last = data.rows.length; seen.cycle = data.cycle;
seen.first = all("#table .row.now");
// Every position is shown by all parts of the page, and agrees with the changes that its row tells.
seen.wrong = [];
for (let position = 1; position <= data.rows.length; position++) {
  slider.value = position; slider.dispatchEvent(new Event("input"));
  const now = document.querySelector("#table .row.now");
  const told = now.children[3].textContent;
  const global = /^([a-z]+) = (\d+)$/.exec(told);
  const values = Object.fromEntries([...document.querySelectorAll("#values .row")].map(row => [row.children[0].textContent, row.children[1].textContent]));
  const lines = all("#source .row.now > .number");
  if (!lines.includes(now.children[now.children.length - 1].textContent.split(":").pop())) seen.wrong.push("line " + position);
  if (global && values[global[1]] !== global[2]) seen.wrong.push(`${position}: ${told}, ${values[global[1]]}`);
  if (global && !all("#values .row.changed > :first-child").includes(global[1])) seen.wrong.push("no change " + position);
  if (document.querySelectorAll("#chart .band.now").length !== 1) seen.wrong.push("chart " + position);
  if (now.classList.contains("loop") !== position > data.cycle) seen.wrong.push("cycle " + position);
}
press("ArrowRight"); seen.round = Number(slider.value);
press("End"); press("ArrowLeft"); seen.back = Number(slider.value);
press("Home"); seen.home = Number(slider.value); seen.gone = all("#values .row.gone > :first-child");
const search = document.getElementById("search");
search.value = "back !"; search.dispatchEvent(new Event("input"));
seen.hits = document.getElementById("hits").textContent; seen.found = all("#table .row.now.hit").length;
seen.loop = document.getElementById("loop").getBoundingClientRect().width > 0;
seen.again = all("#chart .again").length;
seen.bold = document.querySelectorAll("main b").length;
seen.made = document.querySelectorAll("#table .row").length;
seen.fetched = performance.getEntriesByType("resource").length;
seen.errors = window.errors;
document.body.innerHTML = "";
document.body.append(Object.assign(document.createElement("pre"), { id: "seen", textContent: "SEEN" + encodeURIComponent(JSON.stringify(seen)) + "SEEN" }));
</script>
</body>"##;

/// The page that `check` makes of a model that is false.
fn page_of(folder: &Path, model: &str) -> String {
    let at = |name: &str| folder.join(name);
    std::fs::write(at("model.pml"), model).expect("room for a file");
    let command = [Path::new("check"), &at("model.pml"), Path::new("--html"), &at("run.html")];
    let output = Command::new(env!("CARGO_BIN_EXE_prequel")).args(command).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(at("run.html")).expect("it was written")
}

#[test]
fn the_page_of_a_run_is_walked_through_searched_and_marks_the_cycle() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = page_of(folder.path(), CYCLE);
    let Some(seen) = seen(folder.path(), &page, RUN_DRIVER) else { return };
    assert_eq!((list(&seen, "errors"), list(&seen, "wrong")), (vec![], vec![]));
    assert_eq!(
        (seen["ready"].as_str(), seen["fetched"].as_u64(), seen["bold"].as_u64()),
        (Some("yes"), Some(0), Some(0))
    );
    let (last, cycle) = (seen["last"].as_u64().expect("steps"), seen["cycle"].as_u64().expect("a cycle"));
    assert!(0 < cycle && cycle < last, "{cycle} of {last}");
    assert_eq!(list(&seen, "first"), ["0the initial state"]);
    assert_eq!((seen["round"].as_u64(), seen["back"].as_u64()), (Some(cycle + 1), Some(last - 1)));
    assert_eq!((seen["home"].as_u64(), seen["loop"].as_bool()), (Some(0), Some(true)));
    assert!(list(&seen, "gone").contains(&"child(2):n"), "{}", seen["gone"]);
    assert!(seen["hits"].as_str().expect("text").ends_with(&format!(" of {last}")));
    assert_eq!((seen["found"].as_u64(), seen["again"].as_u64()), (Some(1), Some(1)));
}

/// The rows that exist of a run of ten thousand steps, at its start and at its end.
const LONG_DRIVER: &str = r##"
<script>
const seen = { errors: window.errors, steps: data.rows.length, made: [] };
for (const position of [0, 5000, data.rows.length]) {
  const slider = document.getElementById("slider");
  slider.value = position; slider.dispatchEvent(new Event("input"));
  seen.made.push([document.querySelector("#table .row.now").children[0].textContent, document.querySelectorAll("#table .row, #chart g").length < 200 ? "few" : "many"].join(" "));
}
document.body.innerHTML = "";
document.body.append(Object.assign(document.createElement("pre"), { id: "seen", textContent: "SEEN" + encodeURIComponent(JSON.stringify(seen)) + "SEEN" }));
</script>
</body>"##;

#[test]
fn of_a_long_run_only_the_rows_in_sight_are_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "int x; active proctype p() { do :: x < 5000 -> x++ :: else -> break od; assert(false) }";
    let page = page_of(folder.path(), text);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let Some(seen) = seen(folder.path(), &page, LONG_DRIVER) else { return };
    let steps = seen["steps"].as_u64().expect("steps");
    assert!(steps > 10_000 && list(&seen, "errors").is_empty(), "{seen}");
    assert_eq!(list(&seen, "made"), ["0 few".to_owned(), "5000 few".into(), format!("{steps} few")]);
}
