//! Rows of cells, one below the other in columns.

/// Characters of a cell beyond which it is cut.
const MOST: usize = 60;

/// Columns as wide as what is in them; what says nothing in any row is left out.
pub struct Columns {
    /// The width of each, and none where it is left out.
    widths: Vec<Option<usize>>,
}

impl Columns {
    /// For these rows, below a head.
    pub fn new<'a>(head: &[&str], rows: impl Iterator<Item = &'a [String]> + Clone) -> Self {
        let width = |column: usize| {
            let cells = rows.clone().map(|row| row[column].chars().count());
            let widest = cells.max().unwrap_or(0);
            (widest > 0 || column == 0).then(|| widest.max(head[column].chars().count()).min(MOST))
        };
        Self { widths: (0..head.len()).map(width).collect() }
    }

    /// One row.
    pub fn line<S: AsRef<str>>(&self, row: &[S]) -> String {
        let cells = row.iter().zip(&self.widths).filter_map(|(cell, width)| Some((cell.as_ref(), (*width)?)));
        let cells = cells.map(|(cell, width)| format!("{:<width$}", crop(cell, width)));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}

/// A cell's text in at most so many characters.
fn crop(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
