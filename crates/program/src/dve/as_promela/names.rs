//! Names that can stand in a Promela text: none that Promela or C has a use for, and no two alike.

use super::SENDER;
use crate::data::{Cell, Program};
use prequel_formats::promela::RESERVED;
use rustc_hash::FxHashSet;

/// Words of C that a variable of SPIN's verifier cannot be called.
const OF_C: [&str; 24] = [
    "auto", "case", "char", "const", "continue", "default", "double", "enum", "extern", "float", "long", "main",
    "register", "return", "signed", "sizeof", "static", "struct", "switch", "union", "void", "volatile", "while",
    "now",
];

/// The same program with such names, and a label for each control state.
pub fn named(program: &Program) -> Program {
    let mut program = program.clone();
    let mut taken: FxHashSet<String> = RESERVED.into_iter().chain(OF_C).chain([SENDER]).map(str::to_owned).collect();
    cells(&mut program.globals, &mut taken);
    for name in &mut program.channel_names {
        *name = unlike(name, &mut taken).into();
    }
    for kind in &mut program.proctypes {
        kind.name = unlike(&kind.name, &mut taken).into();
    }
    for kind in &mut program.proctypes {
        cells(&mut kind.cells, &mut taken.clone());
        for state in &mut kind.states {
            let name = state.name.as_deref().unwrap_or_default();
            state.labels = [format!("{}_{name}", if state.end { "end" } else { "at" }).into()].into();
        }
    }
    program
}

/// A name like this one that is not taken yet.
fn unlike(name: &str, taken: &mut FxHashSet<String>) -> String {
    let mut new = name.trim_start_matches('_').to_owned();
    if !new.starts_with(|first: char| first.is_ascii_alphabetic()) {
        new.insert(0, 'v');
    }
    while !taken.insert(new.clone()) {
        new.push('_');
    }
    new
}

/// The cells of an array are called alike but for their index.
fn cells(cells: &mut [Cell], taken: &mut FxHashSet<String>) {
    let mut array = String::new();
    for cell in cells {
        let (name, index) = cell.name.split_at(cell.name.find('[').unwrap_or(cell.name.len()));
        if index.is_empty() || index == "[0]" {
            array = unlike(name, taken);
        }
        cell.name = format!("{array}{index}").into();
    }
}
