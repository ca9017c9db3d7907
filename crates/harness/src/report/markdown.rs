//! The report as a table for a terminal, a mail or a comment.

use super::{Question, Suite, about, change_line, previous, turned_line};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The last night of a suite: one row for each question, one column for each engine; then what changed since the one before.
pub fn markdown(suite: &Suite, questions: &[Question]) -> String {
    let last = suite.last();
    let engines: BTreeSet<&str> = questions.iter().map(|question| &*question.engine).collect();
    let asked: BTreeSet<(&str, &str)> = questions.iter().map(|question| (&*question.model, &*question.query)).collect();
    let mut text = format!("# {} on {}\n\n{}\n\n", suite.name, last.date, about(last));
    let papers = questions.iter().any(|question| !question.paper.is_empty());
    let last_column = |text: &str| if papers { format!(" {text} |") } else { String::new() };
    let names = engines.iter().copied().collect::<Vec<_>>().join(" | ");
    let _ = writeln!(text, "| model | query | {names} |{}", last_column("paper"));
    let _ = writeln!(text, "| --- | --- |{}{}", " ---: |".repeat(engines.len()), last_column("---"));
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
        let beside = questions.iter().filter(|q| (&*q.model, &*q.query) == (model, query)).flat_map(|q| &q.paper);
        let mut told: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for cell in beside {
            told.entry(&cell.source).or_default().insert(format!("{} {}", cell.column, cell.value));
        }
        let told = told.into_iter().map(|(source, cells)| {
            let cells: Vec<String> = cells.into_iter().collect();
            format!("{} ({source})", cells.join(", "))
        });
        let told = last_column(&told.collect::<Vec<_>>().join("; "));
        let _ = writeln!(text, "| {model} | `{query}` | {} |{told}", cells.join(" | "));
    }
    if let Some((before, found)) = previous(&suite.nights).zip(suite.comparison()) {
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
