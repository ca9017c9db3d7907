//! `prequel report`: tables and plots from saved results; nothing is run again.

use super::exit::{Exit, Failure};
use super::output::{Output, counted, write_files};
use crate::diag::Diagnostic;
use crate::harness::compare::compare;
use crate::harness::record::{self, Record};
use crate::harness::{paper, report};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Tables and plots from saved results; nothing is run again
///
/// The last night is shown, compared with the one before; all nights are its history.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel report results -o report.html
  prequel report nights/nightly-2026-11-1*.csv -o report.md
  prequel report results -o all.csv
  prequel report results --fail-on-regression

Exit: 0 done, 1 with --fail-on-regression if the last night is worse than the one before, 3 bad input.")]
pub struct Args {
    /// Files of results, or folders of them
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,
    /// Where to: .html, .md or .csv
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What another paper says, as CSV: model, engine, column, value, source; those of benchmarks/papers are known
    #[arg(long, value_name = "FILE.csv")]
    paper: Vec<PathBuf>,
    /// End with 1 if the last night is worse than the one before
    #[arg(long)]
    fail_on_regression: bool,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let files = files(&args.results)?;
    let (mut records, mut warnings): (Vec<Record>, Vec<Diagnostic>) = Default::default();
    for file in &files {
        let (found, remarks) = record::read(file)?;
        records.extend(found);
        warnings.extend(remarks);
    }
    output.warn(&warnings);
    let paper = papers(&args.paper)?;
    let folder = files[0].parent().unwrap_or(Path::new("")).to_owned();
    let nights = report::nights(records);
    let Some(last) = nights.last() else {
        return Err(Failure::input(
            files[0].display().to_string(),
            "there is no run in it",
            "run `prequel bench` first",
        ));
    };
    let questions = report::questions(last, &folder, &paper);
    if let Some(path) = &args.output {
        let text = match path.extension().and_then(|extension| extension.to_str()) {
            Some("html") => report::html(&nights, &folder, &paper).into_bytes(),
            Some("md") => report::markdown(&nights, &questions).into_bytes(),
            Some("csv") => rows(nights.iter().flat_map(|night| &night.records))?,
            _ => {
                return Err(Failure::input(
                    path.display().to_string(),
                    "unknown kind of report",
                    "a report is .html, .md or .csv",
                ));
            }
        };
        write_files(&[(path.clone(), text)])?;
        output.say(format!(
            "wrote {}: {}, {}",
            path.display(),
            counted(nights.len(), "night"),
            counted(questions.len(), "question")
        ));
    } else {
        output.say(report::markdown(&nights, &questions));
    }
    let found = report::previous(&nights).map(|before| compare(&before.records, &last.records));
    let regression = found.as_ref().is_some_and(|found| found.is_regression());
    output.object(json!({
        "nights": nights.len(),
        "questions": questions.len(),
        "left_out": warnings.len(),
        "turned": found.iter().flat_map(|found| found.turned.iter().map(report::turned_line)).collect::<Vec<_>>(),
        "worse": found.iter().flat_map(|found| found.worse.iter().map(report::change_line)).collect::<Vec<_>>(),
        "better": found.iter().flat_map(|found| found.better.iter().map(report::change_line)).collect::<Vec<_>>(),
        "regression": regression,
    }));
    if regression {
        output.note("the last night is worse than the one before");
    }
    Ok(if regression && args.fail_on_regression { Exit::False } else { Exit::Ok })
}

/// The files that were named, and those of the folders.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in named {
        if path.is_dir() {
            let mut inside: Vec<PathBuf> =
                std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
            inside.retain(|file| file.extension().is_some_and(|extension| extension == "csv"));
            inside.sort();
            found.extend(inside);
        } else {
            found.push(path.clone());
        }
    }
    if found.is_empty() {
        return Err(Failure::input(
            named[0].display().to_string(),
            "there are no results in it",
            "run `prequel bench` first",
        ));
    }
    Ok(found)
}

/// What is known of papers, and what the files say.
fn papers(files: &[PathBuf]) -> Result<Vec<paper::Cell>, Failure> {
    let mut cells: Vec<paper::Cell> = paper::names().flat_map(paper::cells).collect();
    for path in files {
        let wrong = |why: String| {
            let help = "its columns are model, engine, column, value and source";
            Failure::input(path.display().to_string(), format!("cannot be read: {why}"), help)
        };
        let text = std::fs::read_to_string(path).map_err(|why| wrong(why.to_string()))?;
        cells.extend(paper::read(&text).map_err(|why| wrong(why.to_string()))?);
    }
    Ok(cells)
}

fn rows<'a>(records: impl Iterator<Item = &'a Record>) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.serialize(record).map_err(|why| Failure::Internal(why.to_string()))?;
    }
    writer.into_inner().map_err(|why| Failure::Internal(why.to_string()))
}
