//! What the comparisons with other tools' numbers have in common.

use prequel::model::run::{Limits, Run};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is compared, and for how long.
#[derive(clap::Args)]
pub struct Args {
    /// Where the models are, with the table of what is known of them.
    pub dir: PathBuf,
    /// Seconds for each of our searches.
    #[arg(long, default_value_t = 5)]
    pub seconds: u64,
    /// Only models whose path contains this.
    #[arg(long, default_value = "")]
    pub only: String,
    /// Models at a time.
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Where to save the table, one line for each comparison.
    #[arg(long)]
    pub csv: Option<PathBuf>,
}

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
    let mut writer = csv::Writer::from_path(path).expect("the CSV file can be written");
    let rows = std::iter::once(head.split(',').map(str::to_owned).collect()).chain(rows);
    for row in rows {
        writer.write_record(row).expect("the CSV file can be written");
    }
    writer.flush().expect("the CSV file can be written");
}
