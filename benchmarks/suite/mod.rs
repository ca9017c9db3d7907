//! Which Promela models of a folder are looked at.

use std::path::{Path, PathBuf};

/// A model, the options it is read with, and the verdict that is expected, where the folder says so.
#[derive(Clone, Debug)]
pub struct Entry {
    pub path: PathBuf,
    pub options: Vec<String>,
    pub expected: Option<String>,
}

/// The models of a folder: the lines of its suite.tsv (file, options, verdict) or oracle.tsv (file, …), or the files with a
/// process in them that no other file includes.
pub fn entries(dir: &Path) -> Vec<Entry> {
    let Ok(list) = std::fs::read_to_string(dir.join("suite.tsv")) else {
        let plain = |path| Entry { path, options: Vec::new(), expected: None };
        return models(dir).into_iter().map(plain).collect();
    };
    let entry = |line: &str| {
        let mut cells = line.split('\t');
        let path = dir.join(cells.next()?);
        let options = cells.next()?.split_whitespace().map(str::to_owned).collect();
        Some(Entry { path, options, expected: cells.next().map(str::to_owned) })
    };
    list.lines().skip(1).filter_map(entry).collect()
}

/// The models of a folder: those that its oracle.tsv lists, or the files with a process in them that no other file includes.
pub fn models(dir: &Path) -> Vec<PathBuf> {
    if let Ok(list) = std::fs::read_to_string(dir.join("oracle.tsv")) {
        return list.lines().skip(1).filter_map(|line| line.split('\t').next()).map(|file| dir.join(file)).collect();
    }
    let entries = walkdir::WalkDir::new(dir).sort_by_file_name().into_iter().filter_map(Result::ok);
    let texts: Vec<(PathBuf, String)> = entries
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| {
            Some((entry.path().to_owned(), String::from_utf8_lossy(&std::fs::read(entry.path()).ok()?).into()))
        })
        .collect();
    let included = |path: &Path| {
        let name = format!("{}\"", path.file_name().unwrap_or_default().to_string_lossy());
        texts
            .iter()
            .any(|(_, text)| text.lines().any(|line| line.trim_start().starts_with("#include") && line.contains(&name)))
    };
    let runs = |text: &str| text.contains("init") || text.contains("active");
    texts.iter().filter(|(path, text)| runs(text) && !included(path)).map(|(path, _)| path.clone()).collect()
}
