//! The experiments of the quotient paper: its sliding window protocol.

use super::{Cell, Expected, Outcome, Paper, Wanted};
use crate::cli::exit::Failure;

/// B. Finkbeiner, S. Schewe, M. Brill.
pub const PAPER: Paper = Paper {
    name: "quotient",
    title: "B. Finkbeiner, S. Schewe, M. Brill: Automatic Synthesis of Assumptions for Compositional Model Checking",
    families: &["sliding-window"],
    run,
};

fn run(wanted: &Wanted<'_>) -> Result<Outcome, Failure> {
    let _ = (wanted.family("sliding-window"), Expected::Yes);
    Ok(Outcome { cells: Vec::<Cell>::new(), csv: None, plot: None })
}
