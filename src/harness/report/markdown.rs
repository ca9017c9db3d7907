//! The report as a table for a terminal, a mail or a comment.

use super::{Night, Question, about, change_line, previous, turned_line};
use crate::harness::compare::compare;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The last night: one row for each question, one column for each engine; then what changed since the one before.
pub fn markdown(nights: &[Night], questions: &[Question]) -> String {
    let Some(last) = nights.last() else { return "no results\n".into() };
    let engines: BTreeSet<&str> = questions.iter().map(|question| &*question.engine).collect();
    let asked: BTreeSet<(&str, &str)> = questions.iter().map(|question| (&*question.model, &*question.query)).collect();
    let mut text = format!("# {} on {}\n\n{}\n\n", last.records[0].suite, last.date, about(last));
    let _ = writeln!(text, "| model | query | {} |", engines.iter().copied().collect::<Vec<_>>().join(" | "));
    let _ = writeln!(text, "| --- | --- |{}", " ---: |".repeat(engines.len()));
    for (model, query) in asked {
        let cell = |engine: &&str| {
            let found = questions.iter().find(|q| (&*q.model, &*q.query, &*q.engine) == (model, query, engine));
            found.map_or(String::new(), |q| match q.category {
                "correct" => format!("{} {:.3} s", q.verdict, q.seconds),
                "unverified" => format!("{} {:.3} s, unverified", q.verdict, q.seconds),
                "wrong" => format!("**WRONG: {}**", q.verdict),
                other => other.to_owned(),
            })
        };
        let cells: Vec<String> = engines.iter().map(cell).collect();
        let _ = writeln!(text, "| {model} | `{query}` | {} |", cells.join(" | "));
    }
    if let Some(before) = previous(nights) {
        let found = compare(&before.records, &last.records);
        let _ = writeln!(text, "\n## Since {}\n\n{} as before.\n", before.date, found.same);
        for (title, lines) in [
            ("Other answers", found.turned.iter().map(turned_line).collect::<Vec<_>>()),
            ("Worse", found.worse.iter().map(change_line).collect()),
            ("Better", found.better.iter().map(change_line).collect()),
        ] {
            if !lines.is_empty() {
                let _ = writeln!(text, "{title}:\n\n- {}\n", lines.join("\n- "));
            }
        }
    }
    text
}
