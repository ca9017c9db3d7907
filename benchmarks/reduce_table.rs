//! `make reduce-table`: SPIN alone beside `prequel spin`, for every Promela model of a folder that SPIN takes.
//!
//! Both are run on the spot, one after the other, from the text to the verdict: `spin -a`, the C compiler (`-O2`) and `pan` with its
//! defaults; and `prequel spin`, with all that it does before, beside and after. A verdict that differs makes the command fail.
//! Claims are not asked of either. Where `prequel spin` takes longer than 1.1 times SPIN and 0.3 s, both are run twice more, in
//! turn, and the medians count. At the end: how the times compare, and the worst.
//!
//! With `--method`, `prequel reduce` writes a network by that method, and SPIN runs on it as on any other text. That keeps
//! assertions only, so they are all that SPIN is asked about (`pan -E`).

#[path = "../tests/spin/mod.rs"]
#[allow(dead_code)] // tests ask SPIN for more
mod spin;
mod suite;
mod table;

use clap::Parser;
use serde_json::Value;
use spin::Alone;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use suite::Entry;
use table::{PERCENTS, Shape, prequel, shape, spread};

#[derive(Parser)]
struct Args {
    /// Where the models are; the lines of its suite.tsv or oracle.tsv, or all files that look like models.
    dir: PathBuf,
    /// Seconds for SPIN's verifier; `prequel spin` gets somewhat more for everything.
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// Only models whose path contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Every so many models only.
    #[arg(long, default_value_t = 1)]
    step: usize,
    /// Options for `prequel spin`, as in `--with=--threads=1`.
    #[arg(long, allow_hyphen_values = true, default_value = "--threads=2")]
    with: Vec<String>,
    /// Only models with several processes: those that a reduction may be for.
    #[arg(long)]
    several: bool,
    /// Networks that `prequel reduce` writes by this method, in place of `prequel spin`.
    #[arg(long)]
    method: Option<String>,
    /// The table, one line for each model.
    #[arg(long)]
    csv: Option<PathBuf>,
}

/// What `prequel spin` takes.
struct Ours {
    verdict: String,
    states: u64,
    seconds: f64,
    /// Before SPIN is asked, and in its verifier.
    reduce: f64,
    search: f64,
    /// Who answered.
    engine: String,
    /// Whether the answer is that on smaller processes; if not, why.
    used: bool,
    note: String,
    /// `name before→after` for each process that became smaller.
    processes: String,
}

struct Row {
    name: String,
    expected: Option<String>,
    alone: Alone,
    ours: Ours,
}

impl Row {
    /// Two verdicts that differ, or one that is not the expected one.
    fn differs(&self) -> bool {
        let known = |verdict: &str| verdict == "true" || verdict == "false";
        let (alone, ours) = (self.alone.verdict.as_str(), self.ours.verdict.as_str());
        let expected = self.expected.as_deref().unwrap_or(ours);
        known(alone) && known(ours) && alone != ours || known(ours) && ours != expected || ours == "failed"
    }

    /// How many times faster; a lower bound where SPIN alone has no verdict.
    fn factor(&self) -> Option<f64> {
        let decided = matches!(self.ours.verdict.as_str(), "true" | "false");
        decided.then(|| self.alone.seconds / self.ours.seconds)
    }

    /// By how many seconds it exceeds 1.1 times SPIN alone and 0.3 s; nothing is known where that has no verdict.
    fn beyond(&self) -> Option<f64> {
        self.bound().is_empty().then_some(self.ours.seconds - (1.1 * self.alone.seconds + 0.3))
    }

    /// Whether it has an answer within that.
    fn within(&self) -> Option<bool> {
        self.beyond().map(|beyond| beyond <= 0.0 && self.factor().is_some())
    }

    fn bound(&self) -> &'static str {
        if matches!(self.alone.verdict.as_str(), "true" | "false") { "" } else { ">" }
    }
}

fn ours(entry: &Entry, with: &[String], limit: Duration) -> Ours {
    let started = Instant::now();
    let time = format!("{}ms", limit.as_millis() * 11 / 10 + 1000);
    let mut command = Command::new(prequel());
    command
        .arg("spin")
        .arg(&entry.path)
        .args(&entry.options)
        .args(with)
        .args(["--from", "pml", "--json", "--time", &time]);
    let output = command.args(["--memory", "16G"]).output().expect("prequel starts");
    let seconds = started.elapsed().as_secs_f64();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let number = |at: &Value| at.as_f64().unwrap_or(0.0);
    let text = |at: &Value| at.as_str().unwrap_or_default().to_owned();
    let verdict = told["verdict"].as_str().unwrap_or("failed").to_owned();
    let note = if verdict == "failed" { String::from_utf8_lossy(&output.stderr).into_owned() } else { String::new() };
    let note = [note, text(&told["reason"]), text(&told["reduction"]["note"])].join(" ").trim().to_owned();
    Ours {
        verdict,
        states: told["effort"]["states_total"].as_u64().unwrap_or(0),
        seconds,
        reduce: number(&told["reduction"]["seconds"]),
        search: number(&told["spin"]["search_seconds"]),
        engine: text(&told["engine"]),
        used: told["reduction"]["used"] == true,
        note,
        processes: changes(&told["reduction"]),
    }
}

/// What `prequel reduce` writes, and SPIN's verdict on it.
fn written(entry: &Entry, method: &str, limit: Duration) -> Ours {
    let started = Instant::now();
    let dir = tempfile::tempdir().expect("a folder");
    let small = dir.path().join("small.pml");
    let mut command = Command::new(prequel());
    command.arg("reduce").arg(&entry.path).args(&entry.options).args(["--method", method, "--json", "-o"]).arg(&small);
    let time = format!("{}s", limit.as_secs());
    let output = command.args(["--time", &time, "--memory", "16G"]).output().expect("prequel starts");
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let reduce = started.elapsed().as_secs_f64();
    let used = output.status.success() && small.is_file();
    let ran = used.then(|| spin::alone(&small, &[], "", "-E", limit));
    Ours {
        // Refusals and limits are no verdict; anything else is wrong.
        verdict: match (&ran, output.status.code()) {
            (Some(ran), _) => ran.verdict.clone(),
            (None, Some(2 | 3)) => "unknown".into(),
            _ => "failed".into(),
        },
        states: ran.as_ref().map_or(0, |ran| ran.states),
        seconds: started.elapsed().as_secs_f64(),
        reduce,
        search: ran.as_ref().map_or(0.0, |ran| ran.seconds),
        engine: "spin".into(),
        used,
        note: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        processes: changes(&told),
    }
}

/// `name before→after` for each process of a report that has become smaller.
fn changes(told: &Value) -> String {
    let change = |row: &Value| {
        let (before, after) = (&row["states_before"], &row["states_after"]);
        (before != after).then(|| format!("{} {before}→{after}", row["name"].as_str().unwrap_or_default()))
    };
    let rows: Vec<String> = told["processes"].as_array().into_iter().flatten().filter_map(change).collect();
    rows.join(", ")
}

fn show(row: &Row) {
    let Row { name, alone, ours, .. } = row;
    let factor = row.factor().map_or("-".into(), |factor| format!("{}{factor:.1}", row.bound()));
    let what = format!("{}: {}", ours.engine, if ours.used { &ours.processes } else { &ours.note });
    let what: String = what.lines().next().unwrap_or_default().chars().take(90).collect();
    let mark = if row.differs() { "  VERDICT DIFFERS" } else { "" };
    println!(
        "{name:<44} {:>7} {:>9} {:>8.2}  {:>7} {:>9} {:>7.2} {:>8.2} {factor:>7}  {what}{mark}",
        alone.verdict, alone.states, alone.seconds, ours.verdict, ours.states, ours.reduce, ours.seconds
    );
}

fn summary(rows: &[Row], skipped: usize) {
    let count = |what: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| what(row)).count();
    let faster = |times: f64| count(&|row| row.factor().is_some_and(|factor| factor >= times));
    println!("\n{} models ({skipped} others left out)", rows.len());
    println!("  SPIN alone decides          {}", count(&|row| row.bound().is_empty()));
    println!("  of those 1.1 × SPIN + 0.3 s is enough for prequel spin  {}", count(&|row| row.within() == Some(true)));
    println!("  prequel spin decides        {}", count(&|row| row.factor().is_some()));
    println!("  verdicts that differ        {}", count(&Row::differs));
    println!("  answered by our own search  {}", count(&|row| row.factor().is_some() && row.ours.engine == "otf"));
    println!("  answered on smaller ones    {}", count(&|row| row.ours.used));
    println!("  10 times faster at least    {}", faster(10.0));
    println!("  100 times faster at least   {}", faster(100.0));
    let (alone, ours) = rows.iter().fold((0.0, 0.0), |(a, o), row| (a + row.alone.seconds, o + row.ours.seconds));
    println!("  seconds, SPIN alone / ours  {alone:.1} / {ours:.1}");
    distribution(rows);
}

/// How the times compare where SPIN alone decides, and where they compare worst.
fn distribution(rows: &[Row]) {
    let mut known: Vec<&Row> = rows.iter().filter(|row| row.bound().is_empty()).collect();
    if known.is_empty() {
        return;
    }
    let spread = |of: &dyn Fn(&Row) -> f64| spread(known.iter().map(|row| of(row)).collect());
    println!("\nwhere SPIN alone decides  {PERCENTS}");
    println!("  prequel spin / SPIN alone {}", spread(&|row| row.ours.seconds / row.alone.seconds));
    println!("  seconds more than SPIN    {}", spread(&|row| row.ours.seconds - row.alone.seconds));
    known.sort_by(|a, b| b.beyond().unwrap_or(0.0).total_cmp(&a.beyond().unwrap_or(0.0)));
    println!("\nworst, by seconds beyond 1.1 × SPIN + 0.3 s");
    for row in known.iter().take(5) {
        let (beyond, alone, ours) = (row.beyond().unwrap_or(0.0), row.alone.seconds, row.ours.seconds);
        println!("  {beyond:>7.2}  SPIN {alone:.2} s, prequel spin {ours:.2} s  {}", row.name);
    }
}

/// Both once more, twice, in turn, and their medians.
fn again(row: Row, mut alone: impl FnMut() -> Alone, mut ours: impl FnMut() -> Ours) -> Row {
    let mut both = vec![(row.alone, row.ours)];
    both.extend((0..2).map(|_| (alone(), ours())));
    let (mut alone, mut ours): (Vec<Alone>, Vec<Ours>) = both.into_iter().unzip();
    alone.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    ours.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Row { alone: alone.swap_remove(1), ours: ours.swap_remove(1), ..row }
}

const COLUMNS: [&str; 15] = [
    "model",
    "spin_verdict",
    "spin_states",
    "spin_seconds",
    "verdict",
    "states",
    "reduce_seconds",
    "search_seconds",
    "seconds",
    "engine",
    "reduced",
    "faster",
    "within",
    "processes",
    "note",
];

fn write_csv(path: &Path, rows: &[Row]) -> csv::Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(COLUMNS)?;
    for row in rows {
        let Row { name, alone, ours, .. } = row;
        writer.write_record([
            name.clone(),
            alone.verdict.to_string(),
            alone.states.to_string(),
            format!("{:.3}", alone.seconds),
            ours.verdict.clone(),
            ours.states.to_string(),
            format!("{:.3}", ours.reduce),
            format!("{:.3}", ours.search),
            format!("{:.3}", ours.seconds),
            ours.engine.clone(),
            ours.used.to_string(),
            format!("{}{:.2}", row.bound(), row.factor().unwrap_or(0.0)),
            row.within().map_or(String::new(), |within| within.to_string()),
            ours.processes.clone(),
            ours.note.clone(),
        ])?;
    }
    Ok(writer.flush()?)
}

fn main() -> ExitCode {
    let args = Args::parse();
    if !spin::ready(&args.dir) {
        return ExitCode::SUCCESS;
    }
    let limit = Duration::from_secs(args.seconds);
    let chosen = |entry: &Entry| entry.path.to_string_lossy().contains(&args.only);
    let all: Vec<Entry> = suite::entries(&args.dir).into_iter().filter(chosen).step_by(args.step.max(1)).collect();
    println!(
        "{:<44} {:>7} {:>9} {:>8}  {:>7} {:>9} {:>7} {:>8} {:>7}  what became smaller, or why nothing did",
        "", "SPIN", "states", "seconds", "ours", "states", "reduce", "seconds", "faster"
    );
    let mut rows = Vec::new();
    for entry in &all {
        let Some(Shape { several, claims, .. }) = shape(entry) else { continue };
        let claimed = !claims.is_empty();
        if args.several && !several {
            continue;
        }
        let name = entry.path.strip_prefix(&args.dir).unwrap_or(&entry.path).display().to_string();
        let name = [name, entry.options.join(" ")].join(" ").trim().to_owned();
        let (unclaimed, none) = if claimed { ("-DNOCLAIM", &["--ltl=none".to_owned()][..]) } else { ("", &[][..]) };
        let with: Vec<String> = args.with.iter().chain(none).cloned().collect();
        // With networks assertions alone are kept.
        let pan = if args.method.is_some() { "-E" } else { "" };
        let alone = || spin::alone(&entry.path, &entry.options, unclaimed, pan, limit);
        // What is expected of a model is about its end states too.
        let expected = entry.expected.clone().filter(|_| args.method.is_none());
        let first = alone();
        // The limit is for the verifier; the C compiler may take longer than that.
        let whole = limit.max(Duration::from_secs_f64(first.seconds));
        let ours = || match &args.method {
            None => ours(entry, &with, whole),
            Some(method) => written(entry, method, limit),
        };
        if first.verdict == "refused" {
            continue;
        }
        let mut row = Row { name, expected, alone: first, ours: ours() };
        if row.within() == Some(false) {
            row = again(row, alone, ours);
        }
        show(&row);
        rows.push(row);
        if let Some(path) = &args.csv {
            // What there is so far stays, should the rest be interrupted.
            write_csv(path, &rows).expect("the CSV file can be written");
        }
    }
    summary(&rows, all.len() - rows.len());
    if rows.iter().any(Row::differs) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
