//! Real models.

use crate::promela::read;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The models that SPIN accepts, if they are there.
pub fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/promela");
    let Ok(table) = fs::read_to_string(root.join("oracle.tsv")) else {
        eprintln!("skipped: no models at {}", root.display());
        return Vec::new();
    };
    table.lines().skip(1).filter_map(|line| line.split('\t').next()).map(|file| root.join(file)).collect()
}

#[test]
fn all_real_models_are_read() {
    let mut failed = Vec::new();
    let models = models();
    for path in &models {
        let text = fs::read(path).unwrap();
        if let Err(errors) = read(&path.display().to_string(), &text, path.parent().unwrap(), &[]) {
            failed.push(errors[0].render());
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), models.len(), failed.join("\n"));
}

/// Numbers that look random and are the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let mut dice = Dice(1);
    for _ in 0..400 {
        let text: Vec<u8> = (0..dice.below(200)).map(|_| dice.below(256) as u8).collect();
        let _ = read("m.pml", &text, Path::new(""), &[]);
    }
    const WORDS: [&str; 40] = [
        "if", "fi", "do", "od", "::", "->", ";", "{", "}", "(", ")", "[", "]", "x", "P", "=", "==", "!", "?", "else",
        "\n", "proctype", "init", "ltl", "inline", "f", "typedef", "mtype", "byte", "chan", ",", ".", ":", "@",
        "#define", "#if", "1", "for", "\"", "unless",
    ];
    for _ in 0..2000 {
        let words: Vec<&str> = (0..dice.below(60)).map(|_| WORDS[dice.below(WORDS.len())]).collect();
        let _ = read("m.pml", words.join(" ").as_bytes(), Path::new(""), &[]);
    }
}

#[test]
fn truncated_models_are_reported_or_read() {
    let mut dice = Dice(2);
    for path in models() {
        let text = fs::read(&path).unwrap();
        let cut = &text[..dice.below(text.len())];
        if let Err(errors) = read("m.pml", cut, path.parent().unwrap(), &[]) {
            assert!(errors.iter().all(|e| !e.render().is_empty()) && !errors.is_empty());
        }
    }
}

#[test]
fn macros_expand_to_what_gcc_makes_of_them() {
    if !Command::new("gcc").arg("--version").output().is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: no gcc");
        return;
    }
    for path in models() {
        let text = fs::read(&path).unwrap();
        if !text.contains(&b'#') {
            continue;
        }
        let folder = path.parent().unwrap();
        // As SPIN calls it.
        let gcc = Command::new("gcc").args(["-std=gnu99", "-E", "-x", "c"]).arg(&path).output().unwrap();
        let (ours, _) = read("m.pml", &text, folder, &[]).unwrap();
        let (theirs, _) = read("m.pml", &gcc.stdout, folder, &[]).unwrap();
        // Spans are numbers of tokens, so equal trees come from equal tokens.
        assert!(ours.units == theirs.units, "{}", path.display());
    }
}
