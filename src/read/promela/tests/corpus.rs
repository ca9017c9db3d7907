//! Real models.

use crate::read::promela::read;
use std::fs;
use std::path::{Path, PathBuf};

/// The models that SPIN accepts, if they are there.
fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/models/promela");
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
