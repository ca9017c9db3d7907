//! `prequel reproduce`: a paper's experiments run again, its cells beside ours.
//!
//! One file per paper, one line in [`PAPERS`]; what the papers print is in benchmarks/papers.

mod abc;
mod icc;
mod interpolation;
mod lazy;
mod measure;
mod nonblocking;
mod quotient;

use super::exit::{Exit, Failure};
use super::files::Places;
use super::limits::LimitArgs;
use super::output::{Output, write_files};
use prequel_engine::Refusal;
use prequel_harness::paper;
use prequel_harness::paper::number;
use prequel_model::Why;
use prequel_model::run::INTERRUPTED;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

/// The papers whose experiments can be run again.
const PAPERS: &[Paper] = &[quotient::PAPER, icc::PAPER, lazy::PAPER, interpolation::PAPER, nonblocking::PAPER];

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

/// A paper and its experiments.
struct Paper {
    /// Its name on the command line.
    name: &'static str,
    /// Authors and title.
    title: &'static str,
    /// The families of models that it looks at.
    families: &'static [&'static str],
    /// What must be known about our models to read the table.
    remark: &'static str,
    /// Runs the experiments; what there is when something fails, or somebody stops it, is there.
    run: fn(&Wanted<'_>, &mut Outcome) -> Result<(), Failure>,
}

/// What is to be run.
struct Wanted<'a> {
    /// Leave away what takes long.
    quick: bool,
    /// Only this family.
    family: Option<&'a str>,
    /// Of this size; the paper's, if there is none.
    size: Option<usize>,
    /// Where models are that are not ours.
    models: Option<&'a Path>,
    /// Whether ABC is asked, too.
    abc: bool,
    /// Only this column.
    column: Option<&'a str>,
    /// Whether somebody wants the curve.
    curve: bool,
    /// Limits for each run.
    limits: &'a LimitArgs,
    output: &'a Output,
}

impl Wanted<'_> {
    /// Whether a family is to be run.
    fn family(&self, name: &str) -> bool {
        self.family.is_none_or(|wanted| wanted == name)
    }

    /// Whether somebody wants it to end: then no other experiment is begun.
    fn over(&self) -> bool {
        INTERRUPTED.load(Relaxed)
    }
}

/// What came out.
#[derive(Default)]
struct Outcome {
    cells: Vec<Cell>,
    /// A curve of the paper, as CSV.
    csv: Option<String>,
    /// The same as SVG.
    plot: Option<String>,
    /// The cells once more, laid out as the paper does.
    tables: Vec<String>,
}

/// One cell of a table: what the paper prints and what we have.
struct Cell {
    /// Of which model.
    family: &'static str,
    size: usize,
    /// Which property or engine.
    row: String,
    /// What is measured.
    what: &'static str,
    /// As the paper prints it; none where it says nothing about a model of this size.
    paper: Option<String>,
    ours: String,
    /// For a verdict: whether it is as expected. None for what is only compared.
    expected: Option<Expected>,
}

/// How a verdict compares with what is expected.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Expected {
    Yes,
    No,
    /// There is no verdict.
    Open(Why),
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let papers: Vec<&Paper> = PAPERS.iter().filter(|p| args.paper == "all" || p.name == args.paper).collect();
    if papers.is_empty() && paper::names().any(|name| name == args.paper) {
        let why = format!(
            "what the paper prints is in benchmarks/papers/{}.csv; no engine here can run its experiments",
            args.paper
        );
        return Err(Refusal::new(why).into());
    }
    if papers.is_empty() {
        let names: Vec<&str> = PAPERS.iter().map(|p| p.name).collect();
        let help = format!("papers are {}, all", names.join(", "));
        return Err(Failure::input("PAPER", format!("no paper is called `{}`", args.paper), help));
    }
    if let Some(family) = &args.family
        && !papers.iter().any(|paper| paper.families.contains(&family.as_str()))
    {
        let names: Vec<&str> = papers.iter().flat_map(|p| p.families).copied().collect();
        let help = format!("families of this paper are {}", names.join(", "));
        return Err(Failure::input("--family", format!("`{family}` is not in it"), help));
    }
    Places::default().written(&args.csv).written(&args.plot).apart()?;
    let mut exit = Exit::Ok;
    let mut objects = Vec::new();
    let several = papers.len() > 1;
    for paper in &papers {
        let family = args.family.as_deref();
        let curve = args.csv.is_some() || args.plot.is_some();
        let (quick, size, abc, limits) = (args.quick, args.size, args.abc, &args.limits);
        let (models, column) = (args.models.as_deref(), args.column.as_deref());
        let wanted = Wanted { quick, family, size, models, abc, column, curve, limits, output };
        output.say(format!("{}: {}", paper.name, paper.title));
        output.say(paper.remark);
        let mut outcome = Outcome::default();
        let ended = (paper.run)(&wanted, &mut outcome);
        let curves = [(&args.csv, &outcome.csv), (&args.plot, &outcome.plot)];
        let mut files = Vec::new();
        for (path, text) in curves {
            if let (Some(path), Some(text)) = (path, text) {
                let path = if several { named_after(path, paper.name) } else { path.clone() };
                files.push((path, text.clone().into_bytes()));
            }
        }
        output.say(table(&outcome.cells));
        outcome.tables.iter().for_each(|table| output.say(format!("\n{table}")));
        write_files(&files)?;
        files.iter().for_each(|(path, _)| output.say(format!("wrote {}", path.display())));
        objects.push(json!({
            "paper": paper.name,
            "title": paper.title,
            "cells": outcome.cells.iter().map(Cell::json).collect::<Vec<_>>(),
        }));
        exit = worst(exit, &outcome.cells);
        if wanted.over() {
            break;
        }
        ended?;
    }
    let interrupted = INTERRUPTED.load(Relaxed);
    output.object(json!({ "papers": objects, "as_expected": exit == Exit::Ok, "interrupted": interrupted }));
    if interrupted {
        let missing: Vec<&str> = papers.iter().skip(objects.len()).map(|paper| paper.name).collect();
        let missing = if missing.is_empty() { String::new() } else { format!("; not begun: {}", missing.join(", ")) };
        output.say(format!("interrupted: this is what there was until then{missing}"));
        return Ok(Exit::Interrupted);
    }
    output.say(match exit {
        Exit::Ok => "every verdict is as expected",
        Exit::False => "a verdict is not as expected",
        _ => "a verdict is unknown",
    });
    Ok(exit)
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

impl Cell {
    /// How ours compares with what the paper prints, in a word or two; nothing where the paper prints nothing.
    fn judgement(&self) -> String {
        match (&self.expected, &self.paper) {
            (Some(Expected::No), _) => return "not as expected".into(),
            (Some(Expected::Open(why)), _) => return format!("not reproduced: {why}"),
            (_, None) => return String::new(),
            (_, Some(paper)) if *paper == self.ours => return "agree".into(),
            _ => {}
        }
        let paper = self.paper.as_deref().unwrap_or_default();
        let is_factor = self.what.starts_with("factor");
        let is_time = self.what.contains("seconds") && !is_factor;
        if let Some(why) = self.ours.strip_prefix("- ") {
            return format!("not reproduced {why}");
        }
        match (number(paper), number(&self.ours)) {
            (Some(theirs), Some(ours)) if theirs == ours => "agree",
            // No more is known of a time below the paper's clock.
            (Some(theirs), Some(ours)) if is_time && paper.starts_with('<') && ours <= theirs => "agree",
            (Some(theirs), Some(ours)) if is_time => {
                if ours < theirs {
                    "faster"
                } else {
                    "slower"
                }
            }
            // How much faster something became: neither is it the time itself.
            (Some(theirs), Some(ours)) if is_factor => {
                if ours < theirs {
                    "smaller factor"
                } else {
                    "larger factor"
                }
            }
            (Some(theirs), Some(ours)) if !self.what.contains("share") => {
                if ours < theirs {
                    "fewer"
                } else {
                    "more"
                }
            }
            // The paper's run did not end within its limit.
            (None, Some(_)) if is_time => "faster",
            _ => "differs",
        }
        .into()
    }

    fn json(&self) -> serde_json::Value {
        let expected = match &self.expected {
            None => json!(null),
            Some(Expected::Yes) => json!(true),
            Some(Expected::No) => json!(false),
            Some(Expected::Open(why)) => json!(why.to_string()),
        };
        json!({
            "family": self.family,
            "size": self.size,
            "row": &self.row,
            "what": self.what,
            "paper": &self.paper,
            "ours": &self.ours,
            "as_expected": expected,
            "compared": self.judgement(),
        })
    }
}

/// The cells, one a line, families and rows named once.
fn table(cells: &[Cell]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(what: &'static str, paper: Option<&str>, ours: &str, expected: Option<Expected>) -> String {
        let (row, paper, ours) = (String::new(), paper.map(str::to_owned), ours.to_owned());
        Cell { family: "philo", size: 3, row, what, paper, ours, expected }.judgement()
    }

    #[test]
    fn every_paper_has_a_file_of_its_own() {
        let named = |path: &str| named_after(Path::new(path), "icc").display().to_string();
        assert_eq!(
            (named("out/f.csv"), named("f"), named("a.b.svg")),
            ("out/f-icc.csv".into(), "f-icc".into(), "a.b-icc.svg".into())
        );
    }

    #[test]
    fn cells_are_compared_for_what_they_are() {
        let of = |what, paper, ours| judged(what, Some(paper), ours, None);
        assert_eq!((of("seconds", "19", "4.00"), of("seconds", "3", "4.00")), ("faster".into(), "slower".into()));
        assert_eq!((of("seconds", "<0.01", "0.00"), of("seconds", "<0.01", "0.02")), ("agree".into(), "slower".into()));
        assert_eq!(of("seconds", "T/O", "4.00"), "faster");
        let factor = |paper, ours| of("factor of all seconds", paper, ours);
        assert_eq!((factor("4.8", "1.3"), factor("1.3", "4.8")), ("smaller factor".into(), "larger factor".into()));
        assert_eq!((of("checks", "1,061", "17"), of("checks", "3", "17")), ("fewer".into(), "more".into()));
        assert_eq!((of("classes", "j k", "j k"), of("classes", "j k", "jk")), ("agree".into(), "differs".into()));
        assert_eq!(of("seconds", "3", "- (time limit)"), "not reproduced (time limit)");
        assert_eq!(judged("seconds", None, "4.00", None), "");
        // A wrong answer is said whatever the paper prints.
        assert_eq!(judged("holds", None, "true", Some(Expected::No)), "not as expected");
    }
}
