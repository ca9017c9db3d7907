//! Can the packages be installed, and does the program in them run? They are unpacked here and not installed: `packaging/try.sh` does
//! that where it may.

use std::path::Path;
use std::process::Command;

fn is_here(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|ended| ended.status.success())
}

#[test]
fn each_package_brings_a_program_that_runs() {
    if !(is_here("dpkg-deb") && is_here("python3") && is_here("tar")) {
        println!("skipped: dpkg-deb, python3 or tar is not installed");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let make = |program: &str, script: &str| {
        let script = root.join("packaging").join(script);
        let mut command = Command::new(program);
        command.arg(script).arg(env!("CARGO_BIN_EXE_prequel")).arg(folder.path());
        let ended = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&ended.stdout).trim().to_owned();
        assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
        said
    };
    make("sh", "archive.sh");
    let package = make("sh", "deb.sh");
    make("python3", "wheel.py");
    let list = Command::new("dpkg-deb").args(["--contents", &package]).output().expect("it runs");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    for file in ["usr/bin/prequel", "man1/prequel-check.1.gz", "completions/prequel", "copyright", "_prequel"] {
        assert!(list.contains(file), "{file} is not in\n{list}");
    }
    let tried =
        Command::new("sh").arg(root.join("packaging/try.sh")).arg(folder.path()).env("NO_INSTALL", "1").output();
    let tried = tried.expect("it runs");
    let said = String::from_utf8_lossy(&tried.stdout);
    assert_eq!(said.matches(": ok").count(), 3, "{said}{}", String::from_utf8_lossy(&tried.stderr));
}
