//! `prequel reproduce`: a paper's experiments run again, its cells beside ours.

use super::exit::{Exit, Failure};
use super::files::Places;
use super::limits::LimitArgs;
use super::output::{Output, write_files};
use crate::job::reproduce::{Cell, Expected, Paper, Reproduce, Table, reproduce};
use prequel_model::Why;
use prequel_model::run::INTERRUPTED;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// Runs a paper's experiments again and prints the paper's cells beside ours
///
/// Paper cells are as printed there, on the machine that its authors had; ours are measured in this run.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel reproduce quotient
  prequel reproduce quotient --family sliding-window --size 3
  prequel reproduce quotient --quick --csv figure7.csv --plot figure7.svg
  prequel reproduce icc --quick
  prequel reproduce icc --time 5m --csv growth.csv --plot growth.svg
  prequel reproduce lazy --family philo
  prequel reproduce nonblocking --csv peak.csv --plot peak.svg
  prequel reproduce nonblocking --models DIR --family supremica
  prequel reproduce all --csv curves.csv             curves-icc.csv and so on, one for each paper
  prequel reproduce interpolation --family msi --time 60s --abc
  prequel reproduce interpolation --family dining --size 200 --column 'C-ITP_P+A, ic3'

Each cell is followed by how ours compares: agree, faster or slower (on another machine than the paper's), fewer or more, a smaller or
larger factor, or why there is none. Ctrl-C ends it with what there is until then.

Exit: 0 every verdict is as expected, 1 one is not, 2 one is unknown, 3 bad input, 130 interrupted.")]
pub struct Args {
    /// Which paper: quotient, icc, lazy, interpolation, nonblocking, or all
    paper: String,
    /// Leave away what takes long
    #[arg(long)]
    quick: bool,
    /// Only this family of models
    #[arg(long, value_name = "NAME")]
    family: Option<String>,
    /// Models of this size instead of the paper's
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// For nonblocking: a folder of Supremica's models, with what is known of them
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
    /// Beside Berkeley's ABC (`int` and `pdr`) on the same systems as AIGER; for interpolation
    #[arg(long)]
    abc: bool,
    /// Only this column of the table, as it is printed (`C-ITP_P+A`); for interpolation
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// Save the paper's curve as numbers; of several papers, each into a file with its name
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
    /// Save the paper's curve as a picture; of several papers, each into a file with its name
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
}

impl Args {
    fn request(&self) -> Reproduce {
        Reproduce {
            paper: self.paper.clone(),
            quick: self.quick,
            family: self.family.clone(),
            size: self.size,
            models: self.models.clone(),
            abc: self.abc,
            column: self.column.clone(),
            curve: self.csv.is_some() || self.plot.is_some(),
            limits: self.limits.limits(),
            seed: self.limits.seed,
            program: std::env::current_exe().ok(),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let request = args.request();
    let papers = request.papers()?;
    Places::default().written(&args.csv).written(&args.plot).apart()?;
    let mut exit = Exit::Ok;
    let mut objects = Vec::new();
    for paper in &papers {
        output.say(format!("{}: {}", paper.name, paper.title));
        output.say(paper.remark);
        let outcome = reproduce(paper, &request, output);
        output.say(cells_text(&outcome.cells));
        outcome.tables.iter().for_each(|table| output.say(format!("\n{}", table_text(table))));
        let files: Vec<(PathBuf, Vec<u8>)> = [(&args.csv, outcome.csv), (&args.plot, outcome.plot)]
            .into_iter()
            .filter_map(|(path, text)| Some((path.as_ref()?, text?)))
            .map(|(path, text)| {
                (if papers.len() > 1 { named_after(path, paper.name) } else { path.clone() }, text.into_bytes())
            })
            .collect();
        write_files(&files)?;
        files.iter().for_each(|(path, _)| output.say(format!("wrote {}", path.display())));
        objects.push(json!({
            "paper": paper.name,
            "title": paper.title,
            "cells": outcome.cells.iter().map(json).collect::<Vec<_>>(),
        }));
        exit = worst(exit, &outcome.cells);
        if interrupted() {
            break;
        }
        if let Some(failure) = outcome.failure {
            return Err(failure);
        }
    }
    Ok(conclude(&papers, objects, exit, output))
}

fn interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

/// Says how all of it ended.
fn conclude(papers: &[&Paper], objects: Vec<serde_json::Value>, exit: Exit, output: &Output) -> Exit {
    let (interrupted, begun) = (interrupted(), objects.len());
    output.object(json!({ "papers": objects, "as_expected": exit == Exit::Ok, "interrupted": interrupted }));
    if interrupted {
        let missing: Vec<&str> = papers.iter().skip(begun).map(|paper| paper.name).collect();
        let missing = if missing.is_empty() { String::new() } else { format!("; not begun: {}", missing.join(", ")) };
        output.say(format!("interrupted: this is what there was until then{missing}"));
        return Exit::Interrupted;
    }
    output.say(match exit {
        Exit::Ok => "every verdict is as expected",
        Exit::False => "a verdict is not as expected",
        _ => "a verdict is unknown",
    });
    exit
}

/// A file beside this one, with a paper's name in its own: papers measure different things, so their curves are files of their own.
fn named_after(path: &Path, paper: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|extension| format!(".{}", extension.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{paper}{extension}"))
}

/// A verdict that is wrong counts more than one that is not there.
fn worst(before: Exit, cells: &[Cell]) -> Exit {
    let found = |wanted: fn(&Expected) -> bool| cells.iter().filter_map(|c| c.expected.as_ref()).any(wanted);
    match before {
        Exit::False => before,
        _ if found(|e| *e == Expected::No) => Exit::False,
        _ if found(|e| *e == Expected::Open(Why::Interrupted)) => Exit::Interrupted,
        _ if found(|e| matches!(e, Expected::Open(_))) => Exit::Unknown,
        _ => before,
    }
}

fn json(cell: &Cell) -> serde_json::Value {
    let expected = match &cell.expected {
        None => json!(null),
        Some(Expected::Yes) => json!(true),
        Some(Expected::No) => json!(false),
        Some(Expected::Open(why)) => json!(why.to_string()),
    };
    json!({
        "family": cell.family,
        "size": cell.size,
        "row": &cell.row,
        "what": cell.what,
        "paper": &cell.paper,
        "ours": &cell.ours,
        "as_expected": expected,
        "compared": cell.judgement(),
    })
}

/// The cells, one a line, families and rows named once.
fn cells_text(cells: &[Cell]) -> String {
    let text = |cell: &Cell| {
        let paper = cell.paper.clone().unwrap_or_else(|| "–".into());
        // Why there is none comes last.
        let ours =
            if cell.ours.starts_with("- ") && !cell.judgement().is_empty() { "-".into() } else { cell.ours.clone() };
        [format!("{} {}", cell.family, cell.size), cell.row.clone(), cell.what.into(), paper, ours, cell.judgement()]
    };
    let head = ["model", "row", "what", "paper", "ours", ""].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(cells.iter().map(text)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let mut lines = Vec::with_capacity(rows.len());
    let mut above = ["", ""];
    for row in &rows {
        let mut named = [row[0].as_str(), row[1].as_str()];
        if above[0] == named[0] {
            named[0] = "";
            if above[1] == named[1] {
                named[1] = "";
            }
        }
        above = [&row[0], &row[1]];
        let [model, of] = named;
        let (what, paper, ours, remark) = (&row[2], &row[3], &row[4], &row[5]);
        let [a, b, c, d, e] = [widths[0], widths[1], widths[2], widths[3], widths[4]];
        let line = format!("{model:<a$}  {of:<b$}  {what:<c$}  {paper:>d$}  {ours:>e$}  {remark}");
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

/// The title of a table, and its rows in columns, to the right.
fn table_text(Table { title, rows }: &Table) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    format!("{title}\n{}", rows.iter().map(line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_paper_has_a_file_of_its_own() {
        let named = |path: &str| named_after(Path::new(path), "icc").display().to_string();
        assert_eq!(
            (named("out/f.csv"), named("f"), named("a.b.svg")),
            ("out/f-icc.csv".into(), "f-icc".into(), "a.b-icc.svg".into())
        );
    }

    #[test]
    fn columns_are_aligned_to_the_right() {
        let rows = [["family", "ratio"], ["philo", "–"]].map(|row| row.map(str::to_owned).to_vec()).to_vec();
        let text = table_text(&Table { title: "Growth".into(), rows });
        assert_eq!(text, "Growth\nfamily  ratio\n philo      –");
    }
}
