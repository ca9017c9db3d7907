//! The command line, from outside: every session in tests/cli/*.md and in docs/*.md is run and its output compared.
//!
//! A session is a Markdown file with `console` blocks, run in a copy of the folder of the same name with `.in`. After a change of
//! the output `TRYCMD=overwrite cargo test --test cli` writes it anew; read the difference before you commit it.
//! Where it then holds a time or a memory size, write `[..]` instead.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of the system that sessions use to show files.
fn tool(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    found.unwrap_or_else(|| panic!("`{name}` is not in PATH"))
}

#[test]
fn sessions_print_what_they_are_documented_to_print() {
    let cases = trycmd::TestCases::new();
    // Help is wrapped to the terminal: sessions have one of a fixed width.
    cases.env("COLUMNS", "120").env("LC_ALL", "C");
    for name in ["cat", "ls"] {
        cases.register_bin(name, tool(name).as_path());
    }
    cases.case("tests/cli/*.md").case("tests/cli/*.toml");
}

#[test]
fn sessions_with_spin_print_what_they_are_documented_to_print() {
    if let Err(why) = prequel::spin::tools::Tools::find() {
        eprintln!("skipped: {why}");
        return;
    }
    let cases = trycmd::TestCases::new();
    cases.env("COLUMNS", "120").env("LC_ALL", "C");
    cases.register_bin("cat", tool("cat").as_path());
    cases.case("tests/cli/spin/*.md");
}

/// All files under a folder with their contents.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(|e| e.unwrap());
    let files = files.filter(|e| e.file_type().is_file());
    files.map(|e| (e.path().to_owned(), std::fs::read(e.path()).unwrap())).collect()
}

/// Runs in a fresh folder with the files of tests/cli/errors.in; gives the exit code and what was there before and after.
fn ends_with(arguments: &[&str]) -> (Option<i32>, bool) {
    let folder = tempfile::tempdir().unwrap();
    let given = Path::new("tests/cli/errors.in");
    for (path, text) in contents(given) {
        let copy = folder.path().join(path.strip_prefix(given).unwrap());
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::write(copy, text).unwrap();
    }
    let before = contents(folder.path());
    let ended =
        Command::new(env!("CARGO_BIN_EXE_prequel")).args(arguments).current_dir(folder.path()).output().unwrap();
    (ended.status.code(), contents(folder.path()) == before)
}

#[test]
fn nothing_is_written_on_errors_and_limits() {
    let cases: [(&str, i32); 16] = [
        ("check truncated.aut --deadlock-free --witness w.json", 3),
        ("check counts.aut --deadlock-free --witness w.json --chart=w.svg", 3),
        ("check gone.aut --deadlock-free --witness w.json", 3),
        ("check lift.aut --reach lift@9 --witness w.json", 3),
        ("check lift.aut --pattern sometimes(up) --witness w.json", 3),
        ("check lift.aut --property unknown-label.aut --witness w.json", 3),
        ("check lift.aut --nonblocking --witness w.json", 3),
        ("check counter.aut --reach counter@9 --states 3 --witness w.json", 2),
        ("convert truncated.aut -o out.aut", 3),
        ("convert lift.aut -o out.xyz", 3),
        ("convert missing.exp -o out.exp", 3),
        ("convert lift.aut counter.aut -o out.aut --states 3", 2),
        ("pattern sometimes(up) -o out.aut", 3),
        ("info truncated.aut --dot=out.dot", 3),
        ("generate philo 1 -o out", 3),
        ("generate phil 3 -o out", 3),
    ];
    for (line, code) in cases {
        let arguments: Vec<&str> = line.split(' ').collect();
        assert_eq!(
            ends_with(&arguments),
            (Some(code), true),
            "`prequel {line}` must end with {code} and write nothing"
        );
    }
    // The same check notices a file where one is asked for.
    assert_eq!(ends_with(&["check", "lift.aut", "--reach", "lift@1", "--witness", "w.json"]), (Some(0), false));
}

#[test]
fn the_completion_script_knows_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Command::new(env!("CARGO_BIN_EXE_prequel")).args(["completions", shell]).output().unwrap();
        assert!(script.status.success());
        let script = String::from_utf8(script.stdout).unwrap();
        for command in ["check", "spin", "convert", "compare", "pattern", "engines", "info", "replay", "generate"] {
            assert!(script.contains(command), "{shell}: {command}");
        }
        // Names that options take are offered by shells whose scripts have room for them.
        let names = ["citp-pa", "dp-branching", "philo", "bit-counter"];
        let offered = names.iter().filter(|name| script.contains(*name)).count();
        assert!(offered == names.len() || !["bash", "zsh", "fish"].contains(&shell), "{shell}: {offered}");
    }
}

/// A run that would take for ever is told to stop as soon as it says that it has begun.
#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_with_130_and_a_result() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::Stdio;

    let folder = tempfile::tempdir().unwrap();
    let prequel = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
        command.current_dir(folder.path());
        command
    };
    assert!(prequel().args(["generate", "philo", "40", "-o", "."]).output().unwrap().status.success());
    let mut run = prequel()
        .args([
            "check",
            "philo.exp",
            "--reach",
            "phil0@2 & phil1@2",
            "--engine",
            "otf",
            "--no-por",
            "--verbose",
            "--witness",
            "w.json",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut begun = String::new();
    BufReader::new(run.stderr.take().unwrap()).read_line(&mut begun).unwrap();
    let stopped = Command::new("sh").args(["-c", &format!("kill -INT {}", run.id())]).status().unwrap();
    let mut said = String::new();
    run.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130), "{said}");
    assert!(stopped.success() && begun.contains("80 components"), "{begun}");
    assert!(said.contains("undecided: interrupted"), "{said}");
    assert_eq!(said.lines().last(), Some("RESULT unknown engine=otf evidence=none checked=no"));
    assert!(!folder.path().join("w.json").exists());
}

/// Engines that look at all states have nothing to show for a verdict that nothing is reached; those with a proof have it checked.
#[test]
fn an_empty_certificate_is_not_called_checked() {
    let folder = tempfile::tempdir().unwrap();
    let prequel = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
        let ended = command.args(line.split(' ')).current_dir(folder.path()).output().unwrap();
        (ended.status.code(), String::from_utf8(ended.stdout).unwrap())
    };
    let file = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(prequel("generate philo 3 -o .").0, Some(0));
    let proofs = [
        ("otf", "none"),
        ("icc", "steps"),
        ("minimise", "steps"),
        ("learn", "steps"),
        ("lazy", "parts"),
        ("itp", "invariant"),
    ];
    for (engine, proof) in proofs {
        let (code, said) =
            prequel(&format!("check philo.exp --reach phil0@2&phil1@2 --engine {engine} --certificate c.json"));
        let checked = if proof == "none" { "no" } else { "yes" };
        assert_eq!(code, Some(1), "{engine}: {said}");
        assert!(said.ends_with(&format!("RESULT false engine={engine} evidence=c.json checked={checked}\n")), "{said}");
        assert_eq!(said.contains("the certificate holds no proof"), proof == "none", "{said}");
        assert!(file("c.json").contains(&format!("\"proof\":\"{proof}\"")), "{engine}");
        let (_, json) =
            prequel(&format!("check philo.exp --reach phil0@2&phil1@2 --engine {engine} --certificate d.json --json"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["evidence"]["checked"], proof != "none", "{engine}");
        let (code, said) = prequel("audit philo.exp --certificate c.json");
        assert_eq!((code, said.contains("holds no proof")), (Some(0), proof == "none"), "{engine}: {said}");
        assert!(said.ends_with(&format!("RESULT true engine=audit evidence=c.json checked={checked}\n")), "{said}");
    }
    // One that was made up is found out, whether it says what it is or not.
    let claim = file("d.json").replace("\"verdict\":\"false\"", "\"verdict\":\"true\"");
    std::fs::write(folder.path().join("forged.json"), claim).unwrap();
    assert_eq!(prequel("audit philo.exp --certificate forged.json").0, Some(1));
    assert_eq!(prequel("check philo.exp --deadlock-free --witness w.json --certificate c.json").0, Some(1));
    let mut claim: serde_json::Value = serde_json::from_str(&file("c.json")).unwrap();
    claim["verdict"] = "true".into();
    claim.as_object_mut().unwrap().remove("witness");
    for proof in [None, Some("none"), Some("maps"), Some("invariant")] {
        match proof {
            None => drop(claim.as_object_mut().unwrap().remove("proof")),
            Some(proof) => claim["proof"] = proof.into(),
        }
        std::fs::write(folder.path().join("forged.json"), claim.to_string()).unwrap();
        let (code, said) = prequel("audit philo.exp --certificate forged.json");
        assert_eq!((code, said.contains("the certificate shows nothing")), (Some(1), true), "{proof:?}: {said}");
        assert!(said.ends_with("RESULT false engine=audit evidence=forged.json checked=no\n"), "{said}");
    }
}

/// A circuit's certificate always holds a proof: one without is made up.
#[test]
fn an_empty_certificate_of_a_circuit_shows_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let claim = r#"{"schema": 1, "kind": "circuit-certificate", "query": "--reach 'a.tries > 9'", "verdict": "false"}"#;
    std::fs::write(folder.path().join("c.json"), claim).unwrap();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/doc-smv.in/lock.smv");
    let ended = Command::new(env!("CARGO_BIN_EXE_prequel"))
        .arg("audit")
        .arg(model)
        .args(["--certificate", "c.json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    assert!(said.ends_with("RESULT false engine=audit evidence=c.json checked=no\n"), "{said}");
}

/// A run whose statement was renamed, though its transition is right.
#[test]
fn a_run_of_a_program_that_names_another_statement_is_rejected_with_its_step() {
    let folder = tempfile::tempdir().unwrap();
    let prequel = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
        let ended = command.args(line.split(' ')).current_dir(folder.path()).output().unwrap();
        (ended.status.code(), String::from_utf8(ended.stdout).unwrap())
    };
    let text = "byte x;\nactive proctype p() { x = 1; assert(x == 2) }\n";
    std::fs::write(folder.path().join("m.pml"), text).unwrap();
    assert_eq!(prequel("check m.pml --witness w.json").0, Some(1));
    assert_eq!(prequel("replay m.pml --witness w.json").0, Some(0));
    let saved = std::fs::read_to_string(folder.path().join("w.json")).unwrap();
    let renamed = saved.replace("\"statement\": \"x = 1\"", "\"statement\": \"x = 7\"");
    assert_ne!(saved, renamed);
    std::fs::write(folder.path().join("w.json"), renamed).unwrap();
    let (code, said) = prequel("replay m.pml --witness w.json");
    assert!(code == Some(1) && said.contains("does not replay: step 1: "), "{said}");
}

/// The kind of a reason is one of the contract's, whatever the sentence.
#[test]
fn a_long_run_is_shown_by_its_ends_unless_all_of_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    // A loop would be told once.
    let steps: String = (0..1200).map(|at| format!("i = {at};")).collect();
    let model = format!("active proctype p() {{ int i; {steps} assert(false) }}");
    std::fs::write(folder.path().join("m.pml"), model).unwrap();
    let shown = |more: &str| {
        let arguments: Vec<&str> = more.split_whitespace().collect();
        let (code, out, _) = prequel(&arguments, folder.path());
        assert!(code == Some(1) || arguments[0] == "replay" && code == Some(0), "{more}: {out}");
        out
    };
    let steps = |out: &str| out.lines().filter(|line| line.contains("m.pml:1")).count();
    let short = shown("check m.pml --witness w.json");
    let left_out = short.lines().find(|line| line.starts_with('…')).expect("a line says so");
    assert!(left_out.starts_with("… steps 101 to ") && left_out.contains("--verbose"), "{left_out}");
    assert_eq!(steps(&short), 400 + 1, "the conclusion names the line too");
    let whole = steps(&shown("check m.pml --verbose"));
    assert!(whole > 1000, "{whole}");
    assert_eq!(steps(&shown("replay m.pml --witness w.json")), whole);
}

#[test]
fn a_reason_has_a_kind() {
    let kind = |line: &str| {
        let ended = Command::new(env!("CARGO_BIN_EXE_prequel"))
            .args(line.split(' '))
            .arg("--json")
            .current_dir("tests/cli/errors.in")
            .output()
            .unwrap();
        let object: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
        object["reason_kind"].as_str().unwrap_or("none").to_owned()
    };
    for (line, wanted) in [
        ("check counter.aut --reach counter@9 --states 3", "states"),
        ("check counter.aut --reach counter@9 --time 0s", "time"),
        ("check counter.aut --reach counter@9 --memory 1K", "memory"),
        ("check lift.aut --deadlock-free --engine lazy", "refused"),
        ("check lift.aut --reach lift@1 --engine bmc", "none"),
        ("check truncated.aut --deadlock-free", "input"),
        ("check lift.aut --no-such-option", "input"),
        ("convert lift.aut counter.aut -o out.aut --states 3", "states"),
    ] {
        assert_eq!(kind(line), wanted, "prequel {line}");
    }
}

/// Runs in a folder; gives the exit code, standard output and standard error.
fn prequel(arguments: &[&str], folder: &Path) -> (Option<i32>, String, String) {
    let ended = Command::new(env!("CARGO_BIN_EXE_prequel")).args(arguments).current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ended.status.code(), text(&ended.stdout), text(&ended.stderr))
}

/// A folder with two automata and a network of them.
fn folder_with_models() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("a.aut", "des (0,2,2)\n(0,\"go\",1)\n(1,\"back\",0)\n");
    write("b.aut", "des (0,1,2)\n(0,\"go\",1)\n");
    write("both.exp", "\"a.aut\" |[go]| \"b.aut\"\n");
    folder
}

#[test]
fn a_panic_in_any_thread_ends_with_4_and_one_last_line() {
    let folder = tempfile::tempdir().unwrap();
    for place in ["here", "scope", "pool", "alone", "waiting"] {
        let (code, out, err) = prequel(&["crash", place], folder.path());
        assert_eq!((code, &*out), (Some(4), "RESULT unknown engine=none evidence=none checked=no\n"), "{place}: {err}");
        assert!(err.contains("src/cli/crash.rs:") && err.contains("as was asked for"), "{place}: {err}");
        assert!(err.contains(&format!("prequel crash {place}\n")), "{place}: {err}");
    }
    let (code, out, _) = prequel(&["crash", "pool", "--json"], folder.path());
    let object: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &object["verdict"], &object["reason_kind"]),
        (Some(4), &"unknown".into(), &"internal".into()),
        "{out}"
    );
}

#[test]
fn what_cannot_be_said_on_standard_error_is_no_panic() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let folder = folder_with_models();
    let ended = Command::new(env!("CARGO_BIN_EXE_prequel"))
        .args(["check", "gone.aut", "--deadlock-free"])
        .current_dir(folder.path())
        .stderr(full)
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(3));
}

#[test]
fn an_input_is_never_written_over() {
    let refused = |line: &str| {
        let folder = folder_with_models();
        #[cfg(unix)]
        std::os::unix::fs::symlink("a.aut", folder.path().join("link.aut")).unwrap();
        std::fs::hard_link(folder.path().join("a.aut"), folder.path().join("second.aut")).unwrap();
        let before = contents(folder.path());
        let (code, out, err) = prequel(&line.split(' ').collect::<Vec<_>>(), folder.path());
        assert_eq!(code, Some(3), "{line}: {out}{err}");
        assert!(contents(folder.path()) == before, "{line}");
        err
    };
    for line in [
        "convert a.aut -o a.aut",
        "convert a.aut -o ./a.aut",
        "convert a.aut -o second.aut",
        "convert both.exp -o both.exp",
        "reduce a.aut --deadlock-free -o a.aut",
        "check a.aut --reach a@1 --witness a.aut",
        "check a.aut --property b.aut --witness b.aut",
        "check a.aut --deadlock-free --certificate a.aut",
        "info a.aut --dot=a.aut",
        // A part of what is read.
        "convert both.exp -o b.aut",
    ] {
        assert!(refused(line).contains("would be written over"), "{line}");
    }
    if cfg!(unix) {
        assert!(refused("convert a.aut -o link.aut").contains("would be written over"));
    }
    for line in [
        "check a.aut --reach a@1 --witness w --dot w",
        "check a.aut --reach a@1 --witness w --dot ./w",
        "reduce a.aut --deadlock-free -o w.aut --certificate w.aut",
    ] {
        assert!(refused(line).contains("two things would be written"), "{line}");
    }
}

#[test]
fn a_missing_folder_is_an_error_and_is_not_made() {
    for line in [
        "check a.aut --reach a@1 --witness new/w.json",
        "convert a.aut -o new/a.aut",
        "convert both.exp -o new/both.exp",
        "reduce a.aut --deadlock-free -o new/a.pml",
        "pattern never(go) -o new/p.aut",
        "info a.aut --dot=new/a.dot",
        "generate philo 3 -o new/philo",
        "generate dining 2 -o new/dining",
    ] {
        let folder = folder_with_models();
        let (code, _, err) = prequel(&line.split(' ').collect::<Vec<_>>(), folder.path());
        assert_eq!((code, folder.path().join("new").exists()), (Some(3), false), "{line}: {err}");
        assert!(err.contains("there is no folder `new`"), "{line}: {err}");
    }
    let folder = folder_with_models();
    // What is made anyway: the folder of an instance, and that of the components of a network.
    assert_eq!(prequel(&["generate", "philo", "3", "-o", "philo"], folder.path()).0, Some(0));
    assert_eq!(prequel(&["convert", "both.exp", "-o", "again.exp"], folder.path()).0, Some(0));
    assert!(folder.path().join("philo/philo.d").is_dir() && folder.path().join("again.d").is_dir());
}

#[cfg(unix)]
#[test]
fn devices_pipes_and_links_are_written_through() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    let folder = folder_with_models();
    let here = |name: &str| folder.path().join(name);
    let check = |place: &str| prequel(&["check", "a.aut", "--reach", "a@1", "--witness", place], folder.path());
    let is_link = |name: &str| here(name).symlink_metadata().unwrap().is_symlink();

    // A link stays one, and what it leads to gets the bytes, be it not there yet.
    std::fs::create_dir(here("elsewhere")).unwrap();
    std::fs::write(here("elsewhere/old.json"), "old").unwrap();
    symlink("elsewhere/old.json", here("link")).unwrap();
    symlink("elsewhere/new.json", here("dangling")).unwrap();
    for (link, target) in [("link", "elsewhere/old.json"), ("dangling", "elsewhere/new.json")] {
        assert_eq!(check(link).0, Some(0));
        assert!(is_link(link) && std::fs::read_to_string(here(target)).unwrap().starts_with('{'), "{link}");
    }
    // Only the files are there that should be.
    assert_eq!(std::fs::read_dir(here("elsewhere")).unwrap().count(), 2);

    // A device takes what it can; what it does not take is an error, and the files beside it are not written.
    symlink("/dev/null", here("nothing")).unwrap();
    assert_eq!(check("nothing").0, Some(0));
    assert!(is_link("nothing") && here("nothing").metadata().unwrap().file_type().is_char_device());
    if Path::new("/dev/full").exists() {
        symlink("/dev/full", here("full")).unwrap();
        let line = ["check", "a.aut", "--reach", "a@1", "--witness", "full", "--dot", "a.dot"];
        let (code, _, err) = prequel(&line, folder.path());
        assert_eq!(code, Some(3), "{err}");
        assert!(is_link("full") && here("full").metadata().unwrap().file_type().is_char_device());
        assert!(!here("a.dot").exists());
    }

    // Standard output, also where it is a file.
    let (code, out, _) = check("/dev/stdout");
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with('{') && out.ends_with("RESULT true engine=otf evidence=/dev/stdout checked=yes\n"),
        "{out}"
    );
    let script = format!("'{}' check a.aut --reach a@1 --witness /dev/stdout > all.txt", env!("CARGO_BIN_EXE_prequel"));
    assert!(Command::new("sh").args(["-c", &script]).current_dir(folder.path()).status().unwrap().success());
    let all = std::fs::read_to_string(here("all.txt")).unwrap();
    assert!(all.starts_with('{') && all.ends_with("checked=yes\n"), "{all}");

    // A pipe with a name.
    assert!(Command::new("mkfifo").arg(here("pipe")).status().unwrap().success());
    let path = here("pipe");
    let reader = std::thread::spawn(move || std::fs::read_to_string(path).unwrap());
    assert_eq!(check("pipe").0, Some(0));
    assert!(reader.join().unwrap().starts_with('{'));
    assert!(here("pipe").metadata().unwrap().file_type().is_fifo());
}

#[test]
fn a_model_is_read_by_its_content_and_as_the_user_says() {
    let folder = folder_with_models();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let model = "byte x;\nactive proctype P() { if :: x == 0 --> x = 1 fi; assert(x == 1) }\n";
    let check = |line: &str| prequel(&format!("check {line}").split(' ').collect::<Vec<_>>(), folder.path());
    // Extensions that people use, and none.
    for name in ["m.spin", "m.pr", "m.prom", "m.sumo", "m", "m.v2", "m.h"] {
        write(name, model);
        assert_eq!(check(name).0, Some(0), "{name}");
    }
    write("outer", "#include \"m.h\"\n");
    assert_eq!(check("outer").0, Some(0));
    // A mistake in it is told as one of Promela.
    write("wrong", "active proctype P() { x = }\n");
    let (code, _, err) = check("wrong");
    assert!(code == Some(3) && err.contains("wrong:1:"), "{err}");
    write("letter", "Dear reader,\nthis is no model.\n");
    let (code, _, err) = check("letter");
    assert!(code == Some(3) && err.contains("letter: unknown extension"), "{err}");
    // What the user says goes before any extension.
    for name in ["m.txt", "m.xml", "m.aut", "m.formula"] {
        write(name, model);
        assert_eq!(check(&format!("{name} --from pml")).0, Some(0), "{name}");
    }
    // A net and its formulas, whatever they are called.
    write("net.lola", "PLACE p, q; MARKING p; TRANSITION t CONSUME p; PRODUCE q;\n");
    write("f.formula", "EF (q > 0)\n");
    for line in [
        "net.lola f.formula",
        "net.txt f.formula --from lola",
        "f.formula net.dat --from lola",
        "net.xml f.formula --from lola",
    ] {
        for name in ["net.txt", "net.dat", "net.xml"] {
            drop(std::fs::copy(folder.path().join("net.lola"), folder.path().join(name)));
        }
        let (code, out, err) = check(line);
        assert_eq!(code, Some(0), "{line}: {out}{err}");
    }
    // All files are automata if they are said to be.
    write("one.txt", "des (0,1,2)\n(0,\"go\",1)\n");
    write("two.task", "des (0,1,2)\n(0,\"go\",1)\n");
    assert_eq!(check("one.txt two.task --from aut --reach one@1").0, Some(0));
}

/// What a number of threads may change and what not, as ARCHITECTURE.md has it.
#[test]
fn the_number_of_threads_changes_no_verdict_and_the_same_number_nothing() {
    fn without_times(value: &mut serde_json::Value) {
        if let Some(object) = value.as_object_mut() {
            object.retain(|name, _| !name.ends_with("seconds") && name != "peak_rss_bytes");
            object.values_mut().for_each(without_times);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let prequel = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_prequel")).args(arguments).current_dir(folder.path()).output().unwrap().stdout
    };
    prequel(&["generate", "philo", "3", "-o", "."]);
    prequel(&["generate", "line-blocking", "2", "-o", "."]);
    let engines = ["otf", "quotient", "icc", "minimise", "lazy", "learn", "citp-pa"];
    let philo = [&["--deadlock-free"][..], &["--reach", "phil0@2"], &["--reach", "phil0@2 & phil1@2"]];
    let asked = engines.iter().flat_map(|&engine| philo.iter().map(move |&query| (engine, "philo.exp", query)));
    let blocking = ["otf", "conflict"].map(|engine| (engine, "line-blocking.exp", &["--nonblocking"][..]));
    for (engine, model, query) in asked.chain(blocking) {
        let said = |threads: &str| {
            let line = [&["check", model], query, &["--engine", engine, "--threads", threads, "--json"]].concat();
            let mut object: serde_json::Value = serde_json::from_slice(&prequel(&line)).unwrap();
            without_times(&mut object);
            if matches!(engine, "icc" | "lazy") {
                // Those who lose a race count as far as they came.
                let counts = ["effort", "scope", engine];
                object.as_object_mut().unwrap().retain(|name, _| !counts.contains(&&**name));
            }
            object
        };
        let [one, two, again, three] = ["1", "2", "2", "3"].map(said);
        assert_eq!(two, again, "{engine} {query:?}");
        assert!(one["verdict"] == two["verdict"] && two["verdict"] == three["verdict"], "{engine} {query:?}");
        let steps = |of: &serde_json::Value| of["evidence"]["steps"].as_array().map(Vec::len);
        match engine {
            "otf" | "conflict" | "quotient" => {
                assert!(two == three && steps(&one) == steps(&two), "{engine} {query:?}")
            }
            "icc" | "lazy" => {}
            _ => assert!(one == two && two == three, "{engine} {query:?}"),
        }
    }
}
