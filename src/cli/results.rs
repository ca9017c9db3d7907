//! `prequel report`: tables and plots from saved results; nothing is run again.

use super::exit::{Exit, Failure};
use super::files::Places;
use super::output::{Output, counted, write_files};
use prequel_formats::diag::{Diagnostic, Severity};
use prequel_harness::compare::Comparison;
use prequel_harness::record;
use prequel_harness::record::Record;
use prequel_harness::{paper, report};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Tables and plots from saved results; nothing is run again
///
/// Of each suite the last run is shown, compared with the one before; all runs of the suite are its history. What cannot be read is named, and
/// the rest is reported.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel report results -o report.html
  prequel report nights/nightly-2026-11-1*.csv -o report.md
  prequel report results -o all.csv
  prequel report results --fail-on-regression

Exit: 0 done, 1 with --fail-on-regression if the last run is worse than the one before, 3 bad input.")]
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
    /// End with 1 if the last run is worse than the one before
    #[arg(long)]
    fail_on_regression: bool,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    let named = files(&args.results)?;
    Places::default().read(&named).read(&args.paper).written(&args.output).apart()?;
    let Found { files, records, remarks, unread } = read(named)?;
    output.warn(&remarks);
    let paper = papers(&args.paper)?;
    let folders: BTreeSet<PathBuf> =
        files.iter().map(|file| file.parent().unwrap_or(Path::new("")).to_owned()).collect();
    let folders: Vec<PathBuf> = folders.into_iter().collect();
    let suites = report::suites(records);
    if suites.is_empty() {
        let named = args.results[0].display().to_string();
        return Err(Failure::input(named, "there is no run in it", "run `prequel bench` first"));
    }
    let questions: Vec<Vec<report::Question>> =
        suites.iter().map(|suite| report::questions(suite.last(), &folders, &paper)).collect();
    let sections = || -> Vec<String> {
        suites.iter().zip(&questions).map(|(suite, questions)| report::markdown(suite, questions)).collect()
    };
    let nights = || suites.iter().flat_map(|suite| &suite.nights);
    if let Some(path) = &args.output {
        let text = match path.extension().and_then(|extension| extension.to_str()) {
            Some("html") => report::html(&suites, &folders, &paper).into_bytes(),
            Some("md") => sections().join("\n").into_bytes(),
            Some("csv") => rows(nights().flat_map(|night| &night.records))?,
            _ => {
                return Err(Failure::input(
                    path.display().to_string(),
                    "unknown kind of report",
                    "a report is .html, .md or .csv",
                ));
            }
        };
        write_files(&[(path.clone(), text)])?;
        let names: Vec<&str> = suites.iter().map(|suite| &*suite.name).collect();
        let which = if names.len() == 1 { String::new() } else { format!(" of the suites {}", names.join(", ")) };
        output.say(format!(
            "wrote {}: {}, {}{which}",
            path.display(),
            counted(nights().count(), "run"),
            counted(questions.iter().map(Vec::len).sum::<usize>(), "question"),
        ));
    } else {
        output.say(sections().join("\n"));
    }
    let found: Vec<Option<Comparison>> = suites.iter().map(report::Suite::comparison).collect();
    let regression = |found: &Option<Comparison>| found.as_ref().is_some_and(Comparison::is_regression);
    let told = |of: fn(&Comparison) -> Vec<String>| found.iter().flatten().flat_map(of).collect::<Vec<_>>();
    let each = suites.iter().zip(&questions).zip(&found).map(|((suite, questions), found)| {
        json!({
            "suite": suite.name,
            "nights": suite.nights.len(),
            "questions": questions.len(),
            "regression": regression(found),
        })
    });
    output.object(json!({
        "nights": nights().count(),
        "questions": questions.iter().map(Vec::len).sum::<usize>(),
        "suites": each.collect::<Vec<_>>(),
        "left_out": remarks.len(),
        "unread": unread,
        "turned": told(|found| found.turned.iter().map(report::turned_line).collect()),
        "worse": told(|found| found.worse.iter().map(report::change_line).collect()),
        "better": told(|found| found.better.iter().map(report::change_line).collect()),
        "regression": found.iter().any(regression),
    }));
    for (suite, _) in suites.iter().zip(&found).filter(|(_, found)| regression(found)) {
        let of = if suites.len() == 1 { String::new() } else { format!(" of {}", suite.name) };
        output.note(format!("the last run{of} is worse than the one before"));
    }
    Ok(if found.iter().any(regression) && args.fail_on_regression { Exit::False } else { Exit::Ok })
}

/// All runs that there are to be read.
#[derive(Default)]
struct Found {
    /// The files that they are from.
    files: Vec<PathBuf>,
    records: Vec<Record>,
    /// What is wrong or odd.
    remarks: Vec<Diagnostic>,
    /// Those that could not be read.
    unread: Vec<String>,
}

/// Reads files of results. One that cannot be read is named; the others count.
fn read(files: Vec<PathBuf>) -> Result<Found, Failure> {
    let mut found = Found::default();
    for file in files {
        match record::read(&file) {
            Ok((records, remarks)) => {
                found.records.extend(records);
                found.remarks.extend(remarks);
                found.files.push(file);
            }
            Err(why) => {
                found.remarks.extend(why.into_iter().map(Diagnostic::as_warning));
                found.unread.push(file.display().to_string());
            }
        }
    }
    if found.files.is_empty() {
        let error = |remark: Diagnostic| Diagnostic { severity: Severity::Error, ..remark };
        return Err(Failure::Input(found.remarks.into_iter().map(error).collect()));
    }
    Ok(found)
}

/// The files that were named, and those of the folders.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in named {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let unreadable = |why: std::io::Error| {
            Failure::input(path.display().to_string(), format!("cannot read: {why}"), "is it a folder of results?")
        };
        let inside = std::fs::read_dir(path).map_err(unreadable)?;
        let mut inside: Vec<PathBuf> = inside.flatten().map(|entry| entry.path()).collect();
        inside.retain(|file| file.extension().is_some_and(|extension| extension == "csv"));
        inside.sort();
        found.extend(inside);
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
