//! The models that are bundled as files are what their generators write, and their questions have the answers that are said of them.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;

/// Folders of models; each holds one folder `FAMILY-SIZE` per model.
const FOLDERS: &[&str] = &["beem-models", "corbett-models"];

/// Every file under a folder, by its path in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = WalkDir::new(folder).into_iter().map(|entry| entry.expect("it can be listed"));
    all.filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(folder).expect("it is below").to_owned();
            (path, std::fs::read(entry.path()).expect("it can be read"))
        })
        .collect()
}

/// The models of all folders: where, family, size.
fn models() -> Vec<(PathBuf, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut models = Vec::new();
    for folder in FOLDERS {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder is there") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
                let (family, size) = name.rsplit_once('-').expect("FAMILY-SIZE");
                models.push((path, family.to_owned(), size.to_owned()));
            }
        }
    }
    models.sort();
    models
}

#[test]
fn bundled_models_are_what_their_generators_write_and_answer_as_said() {
    let prequel = env!("CARGO_BIN_EXE_prequel");
    let models = models();
    assert!(models.len() >= 11, "{} models", models.len());
    for (path, family, size) in models {
        let anew = tempfile::tempdir().expect("a folder");
        let output = Command::new(prequel).args(["generate", &family, &size, "--json", "-o"]).arg(anew.path()).output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{family} {size}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(
            files(&path) == files(anew.path()),
            "{} is not what `generate` writes: run `make models`",
            path.display()
        );

        let said: Value = serde_json::from_slice(&output.stdout).expect("an object");
        let model = path.join(format!("{family}.exp"));
        let mut known = 0;
        for question in said["queries"].as_array().expect("a list") {
            let Some(expected) = question["expected"].as_bool() else { continue };
            let query = question["query"].as_str().expect("a text");
            let check = format!("'{prequel}' check '{}' {query} --quiet", model.display());
            let status = Command::new("sh").args(["-c", &check]).stdout(std::process::Stdio::null()).status();
            let code = status.expect("it runs").code();
            assert_eq!(code, Some(i32::from(!expected)), "{check}");
            known += 1;
        }
        assert!(known > 0, "{family} {size}: nothing is known of it");
    }
}
