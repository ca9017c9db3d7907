//! What the comparisons with other tools' numbers have in common.

use prequel::engine::run::{Limits, Run};
use std::path::Path;
use std::time::Duration;

/// The first two cells of the tables of a file of known differences: part of a path, and which comparison.
pub fn known(path: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let cells = text.lines().filter_map(|line| {
        let mut cells = line.trim().strip_prefix('|')?.split('|').map(|cell| cell.trim().trim_matches('`').to_owned());
        Some((cells.next()?, cells.next()?))
    });
    cells.collect()
}

/// One search of ours.
pub fn limited(time: Duration) -> Run {
    Run::new(Limits { time: Some(time), memory: Some(4 << 30), ..Limits::default() }, 0)
}

/// A table for other programs; notes may hold anything.
pub fn write_csv(path: &Path, head: &str, rows: impl Iterator<Item = Vec<String>>) {
    let quoted = |cell: String| {
        if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "'")) } else { cell }
    };
    let mut text = format!("{head}\n");
    for row in rows {
        text += &(row.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n");
    }
    std::fs::write(path, text).expect("the CSV file can be written");
}
