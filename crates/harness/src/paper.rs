//! What papers print, as data: `benchmarks/papers/*.csv`, which say themselves what their columns are.
//!
//! A paper's cell is shown beside ours and never compared with a time as if it were an expectation: it was measured on another
//! machine, and often on other models.

use super::record::Record;
use serde::{Deserialize, Serialize};

const FILES: [(&str, &str); 5] = [
    ("icc", include_str!("../../../benchmarks/papers/icc.csv")),
    ("quotient", include_str!("../../../benchmarks/papers/quotient.csv")),
    ("lazy", include_str!("../../../benchmarks/papers/lazy.csv")),
    ("interpolation", include_str!("../../../benchmarks/papers/interpolation.csv")),
    ("nonblocking", include_str!("../../../benchmarks/papers/nonblocking.csv")),
];

/// One cell of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// Paper and table.
    pub source: String,
    /// The row, as printed.
    #[serde(default)]
    pub row: String,
    /// The column, as printed.
    pub column: String,
    /// Of the value.
    #[serde(default)]
    pub unit: String,
    /// As printed; empty where nothing is, or where the copy is damaged.
    pub value: String,
    /// The model's name in our suites; empty if there is none.
    pub model: String,
    /// How the question begins in our suites; empty for all.
    #[serde(default)]
    pub query: String,
    /// The engine's name in our suites; empty for all.
    pub engine: String,
    /// What is wrong with the copy.
    #[serde(default)]
    pub remark: String,
}

impl Cell {
    /// Whether it is shown beside a run.
    pub fn is_beside(&self, run: &Record) -> bool {
        !self.value.is_empty()
            && self.model == run.model
            && run.query.starts_with(&self.query)
            && (self.engine.is_empty() || self.engine == run.engine)
    }
}

/// Names of the papers whose tables are known.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The tables of a paper; none of one that is not known.
pub fn cells(paper: &str) -> Vec<Cell> {
    let text = FILES.iter().find(|(name, _)| *name == paper).map_or("", |(_, text)| text);
    read(text).expect("the files of this program are well formed")
}

/// Reads cells.
pub fn read(text: &str) -> csv::Result<Vec<Cell>> {
    csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes()).deserialize().collect()
}

/// What is printed in a cell; none if nothing is.
pub fn printed<'a>(cells: &'a [Cell], source: &str, row: &str, column: &str) -> Option<&'a str> {
    let found = cells.iter().find(|cell| cell.source == source && cell.row == row && cell.column == column);
    found.map(|cell| cell.value.as_str()).filter(|value| !value.is_empty())
}

/// A number as papers print it, if it is one.
pub fn number(text: &str) -> Option<f64> {
    text.trim_start_matches('<').replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;
    use prequel_families::boolean;
    use std::collections::BTreeSet;

    #[test]
    fn every_cell_stands_once_and_says_what_is_wrong_with_it() {
        for paper in names() {
            let (cells, mut seen) = (cells(paper), BTreeSet::new());
            assert!(!cells.is_empty(), "{paper}");
            for cell in &cells {
                let Cell { source, row, column, .. } = cell;
                assert!(seen.insert((source, row, column)), "{source} {row} {column} is there twice");
                assert!(source.starts_with(paper) && !row.is_empty() && !column.is_empty(), "{cell:?}");
                assert!(!cell.remark.contains("damaged: ") || cell.value.is_empty(), "{cell:?}");
                let is_limit = ["T/O", "Timeout", "★", "⊙"].contains(&&*cell.value);
                if cell.unit == "s" && !cell.value.is_empty() && !is_limit {
                    assert!(number(&cell.value).is_some(), "{cell:?}");
                }
            }
        }
    }

    #[test]
    fn what_stands_beside_a_cell_exists() {
        for cell in names().flat_map(cells).filter(|cell| !cell.model.is_empty()) {
            let (family, size) = cell.model.split_once(' ').expect("a family and a size");
            let sizes = prequel_families::find(family).map(|family| family.smallest..=family.largest);
            let sizes = sizes.or_else(|| boolean::find(family).map(|family| family.smallest..=family.largest));
            assert!(sizes.is_some_and(|sizes| sizes.contains(&size.parse().unwrap())), "{cell:?}");
        }
    }

    #[test]
    fn cells_are_found_by_what_is_printed() {
        let cells = cells("icc");
        assert_eq!(printed(&cells, "icc Table 2", "Peterson7", "ICC #states"), Some("34"));
        assert_eq!(printed(&cells, "icc Table 2", "Peterson7", "OTF Time"), Some("T/O"));
        assert_eq!(printed(&cells, "icc Table 2", "Peterson7", "OTF #states"), None);
        assert_eq!((number("1,044.03"), number("<0.01"), number("T/O")), (Some(1044.03), Some(0.01), None));
    }

    #[test]
    fn a_cell_is_beside_its_model_its_question_and_its_engine() {
        let text = "model,engine,column,value,source\nphilo 3,icc,checks,12,Table 2\n";
        let mut cell = read(text).unwrap().remove(0);
        let run = record("philo 3", "icc", 1, 1.0);
        assert!(cell.is_beside(&run) && !cell.is_beside(&record("philo 3", "otf", 1, 1.0)));
        cell.query = "--no-such".into();
        assert!(!cell.is_beside(&run));
    }
}
