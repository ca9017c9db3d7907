//! `prequel reduce` on Promela: what the model states keeps its verdict, by every method, or is refused by name; SPIN is asked before and
//! after.

use crate::fuzz::number;
use crate::{random_promela, spin};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A model in a folder of its own.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("m.pml"), text).expect("room for a file");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program in the folder: exit code, standard output and error.
    fn prequel(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
        let output = command.args(arguments).current_dir(self.folder.path()).output().expect("it runs");
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code(), said.concat())
    }

    /// Reduces the model to `small.pml`; what was said, where nothing was written.
    fn reduced(&self, options: &[&str]) -> Result<PathBuf, String> {
        let small = self.path("small.pml");
        drop(std::fs::remove_file(&small));
        let arguments = ["reduce", "m.pml", "-o", "small.pml", "--time", "20s"];
        match self.prequel(&[&arguments, options].concat()) {
            (Some(0), _) if small.exists() => Ok(small),
            (Some(2), said) if !small.exists() => Err(said),
            (code, said) => panic!("{options:?}: exit {code:?}, written: {}\n{said}", small.exists()),
        }
    }
}

/// Whether an assertion fails, and whether there is an invalid end state, as SPIN says.
fn asked(path: &Path) -> Option<(bool, bool)> {
    let ask = spin::Ask { claim: false, optimised: false, reduce: false, compiler: spin::fastest() };
    match spin::verify(path, ask, Duration::from_secs(60)) {
        spin::Said::Done(pan) => Some((pan.assertion, pan.end_state)),
        spin::Said::Refused(_) | spin::Said::Time => None,
    }
}

fn missing() -> bool {
    let missing = !spin::available();
    if missing {
        eprintln!("skipped: spin and gcc are not installed");
    }
    missing
}

/// What the model includes comes through a pipe, which gives it once: whoever opened it again would find nothing there.
#[test]
fn what_is_included_is_read_once() {
    let text = "#include \"/dev/stdin\"\nbyte x;\n\
        active proctype P() { byte i; do :: i < N -> bump(i) :: i == N -> i = 0 od }\n\
        active proctype Q() { do :: bump(x) od }\nactive proctype R() { assert(x < N) }\n";
    let case = Case::new(text);
    std::fs::create_dir(case.path("elsewhere")).expect("room for a folder");
    let reduce = ["reduce", "m.pml", "-o", "elsewhere/small.pml"];
    for arguments in [&["check", "m.pml"][..], &["check", "m.pml", "--reach", "x == N"], &reduce] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
        command.args(arguments).current_dir(case.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(b"#define N 3\ninline bump(v) { v = (v + 1) % N }\n").expect("it reads");
        drop(pipe);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(i32::from(arguments.contains(&"--reach"))), "{arguments:?}: {output:?}");
    }
}

#[test]
fn an_invalid_end_state_survives_every_method() {
    if missing() {
        return;
    }
    let case = Case::new("active proctype p() { false }\n");
    assert_eq!(asked(&case.path("m.pml")), Some((false, true)));
    for method in ["quotient", "minimise"] {
        let small = case.reduced(&["--method", method]).expect("a smaller model");
        assert_eq!(asked(&small), Some((false, true)), "{method}");
    }
    let why = case.reduced(&["--method", "icc"]).expect_err("icc keeps no end states");
    assert!(why.contains("icc keeps whether assertions hold, not where the program may end"), "{why}");
    let why = case.reduced(&["--certificate", "c.json"]).expect_err("a certificate is about one question");
    assert!(why.contains("ask --assertions or --deadlock-free") && !case.path("c.json").exists(), "{why}");
}

#[test]
fn a_network_of_a_program_keeps_its_end_states_too() {
    let case = Case::new("byte x; active proctype p() { x = 1; false } active proctype q() { assert(x < 2) }\n");
    let (code, said) = case.prequel(&["reduce", "m.pml", "-o", "small.exp", "--method", "minimise"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("--deadlock-free"), "{said}");
    let (code, said) = case.prequel(&["check", "small.exp", "--deadlock-free"]);
    assert_eq!(code, Some(1), "{said}");
}

#[test]
fn a_claim_is_kept_out_of_what_cannot_keep_it() {
    if missing() {
        return;
    }
    let text = "byte x;\nltl small { [] (x < 2) }\nactive proctype p() { byte i; do :: i < 3 -> i++ :: else -> break od; x = 1; false }\n";
    let case = Case::new(text);
    let why = case.reduced(&["--method", "quotient"]).expect_err("a formula is not kept");
    assert!(why.contains("formula small is not kept") && why.contains("--ltl none"), "{why}");
    for options in [&["--ltl", "none", "--method", "quotient"][..], &["--deadlock-free", "--method", "quotient"]] {
        let small = case.reduced(options).expect("a smaller model");
        let written = std::fs::read_to_string(&small).expect("it is there");
        assert!(!written.contains("[] (x < 2)"), "{written}");
        assert_eq!(asked(&small), Some((false, true)), "{written}");
    }
    let (code, said) = case.prequel(&["check", "m.pml", "--ltl", "none"]);
    assert!(code == Some(1) && said.contains("invalid end state"), "{said}");
    let (code, said) = case.prequel(&["spin", "m.pml", "--ltl", "none"]);
    assert!(code == Some(1) && said.contains("invalid end state"), "{said}");
    let (code, said) = case.prequel(&["spin", "m.pml", "--ltl", "none", "--no-reduce"]);
    assert!(code == Some(1) && said.contains("invalid end state"), "{said}");
}

#[test]
fn a_formula_is_kept_by_residual_statements() {
    if missing() {
        return;
    }
    let case = Case::new(
        "byte x;\nltl small { [] (x < 2) }\nactive proctype p() { byte i; do :: i < 3 -> i++ :: else -> break od; x = 1; false }\n",
    );
    let small = case.reduced(&[]).expect("a smaller model");
    let written = std::fs::read_to_string(&small).expect("it is there");
    assert!(written.contains("[] (x < 2)") && !written.contains("byte i"), "{written}");
    assert_eq!(asked(&small), Some((false, true)), "{written}");
}

#[test]
fn what_spin_does_not_take_is_not_called_done() {
    if missing() {
        return;
    }
    // A `spin` that takes nothing stands in the way of the real one.
    let case = Case::new("active proctype p() { byte i; do :: i < 3 -> i++ :: else -> break od }\n");
    let (script, real) = (case.path("spin"), std::env::var("PATH").unwrap_or_default());
    let says = "#!/bin/sh\ncase \"$1\" in -V) echo 'Spin Version 6.5.2 -- 6 December 2019';; *) echo 'spin: error: d_step sequence too long'; exit 1;; esac\n";
    std::fs::write(&script, says).expect("room for a file");
    assert!(Command::new("chmod").arg("+x").arg(&script).status().is_ok_and(|status| status.success()));
    let output = Command::new(env!("CARGO_BIN_EXE_prequel"))
        .args(["reduce", "m.pml", "-o", "small.pml"])
        .env("PATH", format!("{}:{real}", case.folder.path().display()))
        .current_dir(case.folder.path())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("d_step sequence too long") && !case.path("small.pml").exists(), "{said}");
}

#[test]
fn a_text_that_includes_files_stands_for_itself_elsewhere() {
    if missing() {
        return;
    }
    let case = Case::new(
        "#include \"part.h\"\nactive proctype p() { byte i; do :: i < LIMIT -> i++ :: else -> break od; false }\n",
    );
    std::fs::write(case.path("part.h"), "#define LIMIT 3\n").expect("room for a file");
    std::fs::create_dir(case.path("there")).expect("a folder");
    let (code, said) = case.prequel(&["reduce", "m.pml", "-o", "there/small.pml"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(asked(&case.path("there/small.pml")), Some((false, true)));
}

/// Random programs by every method, SPIN before and after: `PREQUEL_FUZZ_REDUCTIONS` of them, from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_programs_keep_what_they_state() {
    if missing() {
        return;
    }
    let (count, seed) = (number("PREQUEL_FUZZ_REDUCTIONS", 8), number("PREQUEL_FUZZ_SEED", 1));
    let (mut kept, mut refused) = ([0; 3], [0; 3]);
    for seed in seed..seed + count {
        let text = random_promela::program(seed).text;
        let case = Case::new(&text);
        let Some(before) = asked(&case.path("m.pml")) else { continue };
        let ways: [&[&str]; 3] =
            [&["--method", "quotient"], &["--method", "minimise"], &["--method", "icc", "--assertions"]];
        for (way, options) in ways.into_iter().enumerate() {
            match case.reduced(&[options, &["--ltl", "none"]].concat()) {
                Err(_) => refused[way] += 1,
                Ok(small) => {
                    let after = asked(&small);
                    let same = match way {
                        // Only assertions were asked, and the network states nothing else.
                        2 => after.is_some_and(|after| after == (before.0, false)),
                        _ => after == Some(before),
                    };
                    assert!(same, "seed {seed}, {options:?}: {before:?}, then {after:?}\n{text}");
                    kept[way] += 1;
                }
            }
        }
    }
    println!("quotient, minimise, icc: {kept:?} kept, {refused:?} refused");
}
