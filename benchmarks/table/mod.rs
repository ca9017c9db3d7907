//! What the tables of reductions have in common.

use crate::suite::Entry;
use prequel::formats::promela;
use prequel::formats::promela::syntax::Unit;
use prequel::program::{Claim, compile};
use std::path::{Path, PathBuf};

/// What is to be known of a model before it is run.
pub struct Shape {
    /// It has several processes.
    #[allow(dead_code)] // one table asks
    pub several: bool,
    /// Its claims and formulas, by the names that SPIN gives them.
    pub claims: Vec<String>,
}

/// What a model has. Nothing is known of what we do not read.
pub fn shape(entry: &Entry) -> Option<Shape> {
    let text = std::fs::read(&entry.path).ok()?;
    let dir = entry.path.parent().unwrap_or(Path::new("."));
    let define = |option: &String| {
        let (name, value) = option.strip_prefix("-D")?.split_once('=').unwrap_or((&option[2..], "1"));
        Some((name.to_owned(), value.to_owned()))
    };
    let defines: Vec<(String, String)> = entry.options.iter().filter_map(define).collect();
    let (model, _) = promela::read(&entry.path.to_string_lossy(), &text, dir, &defines).ok()?;
    let units = model.units.iter().filter(|unit| matches!(unit, Unit::Never(_) | Unit::Ltl(_)));
    let claims = units.enumerate().map(|(number, unit)| match unit {
        Unit::Ltl(formula) => formula.name.as_ref().map_or(format!("ltl_{number}"), |name| name.text.to_string()),
        _ => format!("never_{number}"),
    });
    let claims = claims.collect();
    let (program, _) = compile(&model, Claim::None).ok()?;
    Some(Shape { several: program.active.len() > 1 || program.proctypes.len() > 1, claims })
}

/// The program itself, beside this one.
pub fn prequel() -> PathBuf {
    let here = std::env::current_exe().expect("a path");
    here.with_file_name("prequel")
}

/// The columns of `spread`.
pub const PERCENTS: &str = "    least     10%     25%     50%     75%     90%     95%     99%    most";

/// How numbers are distributed, in columns.
pub fn spread(mut all: Vec<f64>) -> String {
    all.sort_by(f64::total_cmp);
    let at = |percent: usize| all[(all.len() - 1) * percent / 100];
    [0, 10, 25, 50, 75, 90, 95, 99, 100].map(|percent| format!("{:>8.2}", at(percent))).concat()
}
