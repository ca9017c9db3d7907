//! Promela models at hand, for tests that go over a folder of them.

use crate::fuzz::number;
use std::path::{Path, PathBuf};

/// Every so manieth model of a folder, in order: `PREFIX_DIR`, `PREFIX_FILTER` (a part of the path), `PREFIX_STEP`. None, and a
/// message, where there is no such folder.
pub fn models(prefix: &str) -> Option<Vec<PathBuf>> {
    let dir = std::env::var(format!("{prefix}_DIR")).unwrap_or("../shared/models/promela".into());
    if !Path::new(&dir).is_dir() {
        eprintln!("skipped: no models in {dir}");
        return None;
    }
    let filter = std::env::var(format!("{prefix}_FILTER")).unwrap_or_default();
    let ends = ["pml", "pm", "pr", "prm", "promela", "spin"];
    let mut models: Vec<PathBuf> = walkdir::WalkDir::new(dir)
        .into_iter()
        .filter_map(|entry| entry.ok().map(|entry| entry.into_path()))
        .filter(|path| path.extension().is_some_and(|e| ends.iter().any(|x| e == *x)))
        .filter(|path| path.display().to_string().contains(&filter))
        .collect();
    models.sort();
    Some(models.into_iter().step_by(number(&format!("{prefix}_STEP"), 40).max(1) as usize).collect())
}
