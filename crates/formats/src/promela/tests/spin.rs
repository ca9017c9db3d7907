//! Agreement with SPIN on models with one token removed, doubled or moved, or one line end more or less.
//!
//! `PREQUEL_MUTANTS` sets how many are tried; few by default, because each is a run of SPIN.

use super::corpus::{Dice, models};
use crate::promela::read;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

/// Names, numbers and single symbols outside directives.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim_start().starts_with('#') && !line.contains("/*") && !line.contains("*/") {
            let mut rest = 0;
            while let Some(c) = line[rest..].chars().next() {
                let word =
                    line[rest..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum();
                let length = if word > 0 { word } else { c.len_utf8() };
                if !c.is_whitespace() {
                    pieces.push(at + rest..at + rest + length);
                }
                rest += length;
            }
        }
        at += line.len();
    }
    pieces
}

fn mutated(text: &str, dice: &mut Dice) -> Option<String> {
    let pieces = pieces(text);
    let at = dice.below(pieces.len().checked_sub(1)?);
    let (one, two) = (pieces[at].clone(), pieces[at + 1].clone());
    Some(match dice.below(5) {
        0 => format!("{} {}", &text[..one.start], &text[one.end..]),
        1 => format!("{} {}{}", &text[..one.end], &text[one.clone()], &text[one.end..]),
        2 => format!("{}\n{}", &text[..one.end], &text[one.end..]),
        3 => format!("{} {}", &text[..one.end], text[one.end..].replacen('\n', " ", 1)),
        _ => {
            let between = &text[one.end..two.start];
            format!("{}{}{between}{}{}", &text[..one.start], &text[two.clone()], &text[one.clone()], &text[two.end..])
        }
    })
}

/// What SPIN says, or nothing if it is content.
fn complaint(folder: &Path, text: &str) -> Option<String> {
    fs::write(folder.join("m.pml"), text).unwrap();
    let run = Command::new("timeout").args(["20", "spin", "-a", "m.pml"]).current_dir(folder).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    let wrong = said.contains("Error") || said.contains("error:") || !run.status.success();
    wrong.then_some(said)
}

#[test]
fn spin_and_we_accept_the_same_mutants() {
    if !Command::new("spin").arg("-V").output().is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: no spin");
        return;
    }
    let count = std::env::var("PREQUEL_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    let small: Vec<String> = models()
        .iter()
        // The safety variants repeat the models of BEEM.
        .filter(|path| !path.to_string_lossy().contains("beem_safety"))
        .filter_map(|path| fs::read_to_string(path).ok())
        // SPIN scans `select` letter by letter and takes `select(x: ..1)`.
        .filter(|text| text.lines().count() < 200 && !text.contains("#include") && !text.contains("select"))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(std::env::var("PREQUEL_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(3));
    let (mut both, mut neither, mut lenient, mut tried) = (0, 0, Vec::new(), 0);
    let mut strict = Vec::new();
    while tried < count && !small.is_empty() {
        let Some(text) = mutated(&small[dice.below(small.len())], &mut dice) else { continue };
        tried += 1;
        match (complaint(folder.path(), &text), read("m.pml", text.as_bytes(), folder.path(), &[])) {
            (None, Ok(_)) => both += 1,
            (Some(_), Err(_)) => neither += 1,
            (Some(said), Ok(_)) => {
                lenient.push(said.lines().find(|l| l.contains("rror")).unwrap_or_default().to_owned())
            }
            (None, Err(errors)) => {
                // SPIN takes a label for a variable, and writes C code that does not compile.
                let label = errors[0].message.strip_suffix(" is not declared").map(|name| name.trim_matches('`'));
                if !label.is_some_and(|label| text.contains(&format!("{label}:"))) {
                    strict.push(errors[0].render());
                }
            }
        }
    }
    println!(
        "{tried}: both accept {both}, both refuse {neither}, only we accept {}, only SPIN {}",
        lenient.len(),
        strict.len()
    );
    println!("{}", lenient.join("\n"));
    assert!(strict.is_empty(), "SPIN accepts:\n{}", strict.join("\n"));
    let syntactic = lenient.iter().filter(|said| said.contains("syntax error")).count();
    assert!(syntactic * 10 <= count, "too lenient:\n{}", lenient.join("\n"));
}
