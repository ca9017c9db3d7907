//! `make dve-parity`: every DVE model of a folder beside the numbers that were published for it.
//!
//! The folder has a table `results.tsv`: model, instance, states, whether that exploration was complete, and answers to
//! reachability goals. Where it was complete and ours finishes, the numbers of states must be equal. What the published goals are
//! called is known, but not what they say; the goals of [`GOALS`] are ours, worded after the models, and are compared with the
//! published answers. A difference that `docs/dve.md` does not name makes the command fail.

mod parity;

use clap::Parser;
use parity::{known, limited, write_csv};
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::dve::syntax::System;
use prequel::formats::dve::{read, read_goal};
use prequel::program::Sought;
use prequel::program::dve::{View, compile, compile_with};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: parity::Args,
    /// Differences that are explained.
    #[arg(long, default_value = "docs/dve.md")]
    known: PathBuf,
}

/// What a goal asks for.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// Two processes in states of this name.
    Two(&'static str),
    /// A process in a state of this name.
    Some(&'static str),
}

/// Model, published name of the goal, and what is asked.
const GOALS: [(&str, &str, Goal); 13] = [
    ("at", "p1", Goal::Two("CS")),
    ("blocks", "p1", Goal::Some("done")),
    ("cambridge", "p1", Goal::Some("q_error")),
    ("elevator_planning", "p1", Goal::Some("done")),
    ("frogs", "p1", Goal::Some("done")),
    ("lamport_nonatomic", "p1", Goal::Two("CS")),
    ("leader_filters", "p1", Goal::Two("elected")),
    ("lifts", "p1", Goal::Some("error_state")),
    ("mcs", "p1", Goal::Two("CS")),
    ("peterson", "p1", Goal::Two("CS")),
    ("rether", "p1", Goal::Some("error_st")),
    ("schedule_world", "p1", Goal::Some("done")),
    ("train-gate", "p1", Goal::Two("Cross")),
];

impl Goal {
    /// In the words of a model.
    fn text(self, system: &System) -> String {
        let (Goal::Two(state) | Goal::Some(state)) = self;
        let has = system.processes.iter().filter(|process| process.states.iter().any(|name| *name.text == *state));
        let places: Vec<String> = has.map(|process| format!("{}.{state}", process.name.text)).collect();
        let pairs = || {
            let pair = |(at, a): (usize, &String)| {
                places[at + 1..].iter().map(|b| format!("({a} and {b})")).collect::<Vec<_>>()
            };
            places.iter().enumerate().flat_map(pair).collect::<Vec<_>>()
        };
        let any = match self {
            Goal::Two(_) => pairs(),
            Goal::Some(_) => places.clone(),
        };
        if any.is_empty() { "false".into() } else { any.join(" or ") }
    }
}

/// A line of results.tsv.
struct Published {
    file: String,
    model: String,
    states: u64,
    complete: bool,
    goals: Vec<(String, String)>,
}

fn published(line: &str) -> Option<Published> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [model, instance, states, complete, goals] = cells[..] else { return None };
    let goals = goals.split_whitespace().filter_map(|goal| goal.split_once('='));
    Some(Published {
        file: format!("{model}.{instance}.dve"),
        model: model.into(),
        states: states.parse().ok()?,
        complete: complete == "yes",
        goals: goals.map(|(name, answer)| (name.into(), answer.into())).collect(),
    })
}

/// How a comparison came out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Absent,
    Unread,
    TooLong,
    Incomplete,
    Differs,
    Equal,
}

impl Stage {
    fn text(self) -> &'static str {
        match self {
            Stage::Absent => "no file",
            Stage::Unread => "not read",
            Stage::TooLong => "too long",
            Stage::Incomplete => "not published whole",
            Stage::Differs => "states differ",
            Stage::Equal => "equal",
        }
    }
}

struct Row {
    published: Published,
    stage: Stage,
    ours: u64,
    note: String,
    /// Our answers to goals: name, published, ours, whether they differ.
    goals: Vec<(String, String, &'static str, bool)>,
}

fn states(system: &System, limit: Duration) -> Result<(u64, bool), String> {
    let (program, _) = compile(system, View::Bare).map_err(|errors| errors[0].headline())?;
    let run = limited(limit);
    let outcome = verify(&program, Sought::Nothing, Otf::plain(Search::Breadth), &run);
    Ok((run.effort().states_peak, matches!(outcome, Outcome::Explored(_))))
}

fn answer(system: &System, goal: Goal, limit: Duration) -> Result<&'static str, String> {
    let text = goal.text(system);
    let first = |errors: Vec<prequel::formats::diag::Diagnostic>| errors[0].headline();
    let asked = read_goal("goal", &text).map_err(first)?;
    let ((program, goal), _) = compile_with(system, View::Bare, Some(("goal", &text, &asked))).map_err(first)?;
    let goal = goal.expect("a goal was asked for");
    Ok(match verify(&program, Sought::Goal(&goal), Otf::plain(Search::Breadth), &limited(limit)) {
        Outcome::Reached(_) => "yes",
        Outcome::Holds => "no",
        _ => "unknown",
    })
}

fn judge(dir: &Path, published: Published, limit: Duration) -> Row {
    let mut row = Row { stage: Stage::Absent, ours: 0, note: String::new(), goals: Vec::new(), published };
    let file = row.published.file.clone();
    let Ok(text) = std::fs::read(dir.join(&file)) else { return row };
    let system = match read(&file, &text) {
        Ok((system, _)) => system,
        Err(errors) => return Row { stage: Stage::Unread, note: errors[0].headline(), ..row },
    };
    let whole = match states(&system, limit) {
        Ok((ours, whole)) => {
            row.ours = ours;
            whole
        }
        Err(note) => return Row { stage: Stage::Unread, note, ..row },
    };
    row.stage = match (whole, row.published.complete) {
        (false, _) => Stage::TooLong,
        (true, false) => Stage::Incomplete,
        (true, true) if row.ours == row.published.states => Stage::Equal,
        (true, true) => Stage::Differs,
    };
    for (name, theirs) in &row.published.goals {
        let ours = GOALS.iter().find(|(model, goal, _)| *model == row.published.model && goal == name);
        let ours = match ours.map(|(_, _, goal)| answer(&system, *goal, limit)) {
            None => "not known here",
            Some(Ok(ours)) => ours,
            Some(Err(note)) => {
                row.note = note;
                "not read"
            }
        };
        let decided = |answer: &str| matches!(answer, "yes" | "no");
        let differs = decided(theirs) && decided(ours) && theirs != ours;
        row.goals.push((name.clone(), theirs.clone(), ours, differs));
    }
    row
}

impl Row {
    fn goals(&self) -> String {
        let one = |(name, theirs, ours, differs): &(String, String, &str, bool)| {
            format!("{name}: {theirs}, ours {ours}{}", if *differs { " DIFFERS" } else { "" })
        };
        self.goals.iter().map(one).collect::<Vec<_>>().join("; ")
    }

    fn is_difference(&self) -> bool {
        matches!(self.stage, Stage::Unread | Stage::Differs) || self.goals.iter().any(|goal| goal.3)
    }
}

fn summary(rows: &[Row]) {
    let count = |holds: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| holds(row)).count();
    println!("\nmodels               {:>4}", count(&|row| row.stage > Stage::Absent));
    println!("read                 {:>4}", count(&|row| row.stage > Stage::Unread));
    println!("explored whole       {:>4}", count(&|row| row.stage > Stage::TooLong));
    println!("published whole too  {:>4}", count(&|row| row.stage > Stage::Incomplete));
    println!("states equal         {:>4}", count(&|row| row.stage == Stage::Equal));
    let decided = |answer: &str| matches!(answer, "yes" | "no");
    let both = rows.iter().flat_map(|row| &row.goals).filter(|goal| decided(&goal.1) && decided(goal.2));
    println!("goals decided by both{:>4}", both.clone().count());
    println!("goals equal          {:>4}", both.filter(|goal| !goal.3).count());
}

fn main() -> ExitCode {
    let Line { args, known: explained_in } = Line::parse();
    let Ok(table) = std::fs::read_to_string(args.dir.join("results.tsv")) else {
        println!("skipped: there is no results.tsv in {}", args.dir.display());
        return ExitCode::SUCCESS;
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build().expect("threads");
    let limit = Duration::from_secs(args.seconds);
    let lines: Vec<&str> = table.lines().skip(1).collect();
    let one = |line: &&str| {
        let row = judge(&args.dir, published(line).filter(|one| one.file.contains(&args.only))?, limit);
        let whole = if row.published.complete { "" } else { " (not whole)" };
        println!(
            "{:<20} {:<24} published {}{whole}, ours {}; {} {}",
            row.stage.text(),
            row.published.file,
            row.published.states,
            row.ours,
            row.goals(),
            row.note
        );
        Some(row)
    };
    let rows: Vec<Row> = pool.install(|| lines.par_iter().with_max_len(1).filter_map(one).collect());
    if let Some(csv) = &args.csv {
        let cells = |row: &Row| {
            let Published { file, states, complete, .. } = &row.published;
            let numbers = [states.to_string(), complete.to_string(), row.ours.to_string()];
            let mut cells = vec![file.clone(), row.stage.text().to_owned()];
            cells.extend(numbers);
            cells.extend([row.goals(), row.note.clone()]);
            cells
        };
        write_csv(csv, "model,outcome,published,whole,ours,goals,note", rows.iter().map(cells));
    }
    summary(&rows);
    let known = known(&explained_in);
    let explained =
        |row: &&Row| known.iter().any(|(part, way)| way == "dve" && row.published.file.contains(part.as_str()));
    let unknown: Vec<&Row> = rows.iter().filter(|row| row.is_difference() && !explained(row)).collect();
    for row in &unknown {
        println!("not explained in {}: {}: {}", explained_in.display(), row.published.file, row.stage.text());
    }
    if unknown.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
