//! Formulas about a DVE model: its expressions, also over `process.state` and `process->variable`.
//!
//! `->` is an implication, but not behind the name of a process.

use super::{Idiom, OPTION, read as formula};
use crate::diag::Diagnostic;
use crate::dve::read_goal;
use crate::dve::syntax::{Expression, System};
use prequel_model::Temporal;

/// Reads a formula; names are looked up later.
pub fn read(text: &str, system: &System) -> Result<Temporal<Expression>, Vec<Diagnostic>> {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let owners: Vec<&str> = system.processes.iter().map(|process| &*process.name.text).collect();
    let idiom = Idiom { bare, quotes: false, single: false, denies_comparisons: false, owners: &owners };
    formula(text, &idiom, |atom| read_goal(OPTION, atom).map(Temporal::Atom))
}
