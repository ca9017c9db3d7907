//! Traces, systems and curves for people: tables, message charts, pages, graphs, plots; and when not to draw.

pub mod chart;
pub mod dot;
pub mod extent;
pub mod page;
pub mod plot;
pub mod table;
pub mod view;

use std::io;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum NoPicture {
    /// Nobody could read it, and the programs that lay it out would not end.
    #[error("{what} is too large to draw: {found} {unit}, at most {most} are drawn")]
    TooLarge {
        /// What was to be drawn.
        what: String,
        /// How many parts it has.
        found: usize,
        /// How many would be drawn.
        most: usize,
        /// What its parts are called.
        unit: &'static str,
    },
    /// It could not be written.
    #[error("cannot write the picture: {0}")]
    Io(#[from] io::Error),
}

impl NoPicture {
    /// Refuses what has more parts than can be drawn.
    pub(crate) fn unless(
        what: impl FnOnce() -> String,
        found: usize,
        most: usize,
        unit: &'static str,
    ) -> Result<(), NoPicture> {
        if found <= most { Ok(()) } else { Err(NoPicture::TooLarge { what: what(), found, most, unit }) }
    }
}
