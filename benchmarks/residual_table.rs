//! `make residual-table`: what `prequel reduce --method residual` makes of every Promela model of a folder, and what SPIN makes of that.
//!
//! For each model: whether it is written or why not, how long that takes, bytes before and after, SPIN's states before and after with
//! its own reduction and without, its verdicts about safety and about each claim, and the time from the user's text to the verdict with
//! and without the reduction, by the clock and of the processor; the latter is compared, since other programs on the machine do not change
//! it. Then how all that is distributed. A verdict that differs makes the command fail. Models that the CSV file
//! has already are not run again.
//!
//! With `--questions`, a list of questions about claims, labels and fairness takes the place of safety: each has a line, SPIN's states are
//! those of the product with the claim, and where something is wrong with the smaller text, `prequel spin` has to bring SPIN's run back
//! to the model, with a trail that SPIN follows.

#[path = "../tests/spin/mod.rs"]
#[allow(dead_code)] // tests ask SPIN for more
mod spin;
#[allow(dead_code)] // what is expected of a model is for the table of verdicts
mod suite;
mod table;

use clap::Parser;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use suite::Entry;
use table::{PERCENTS, prequel, shape, spread};

/// Models with fewer states show nothing about time.
const LARGE: f64 = 100_000.0;

#[derive(Parser)]
struct Args {
    /// Where the models are; the lines of its suite.tsv or oracle.tsv, or all files that look like models.
    dir: PathBuf,
    /// Seconds for each search of SPIN's, and for the reduction.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Only models whose path contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Models at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Claims of one model that are asked.
    #[arg(long, default_value_t = 2)]
    claims: usize,
    /// Options for `prequel reduce`, as in `--with=--keep=states`.
    #[arg(long, allow_hyphen_values = true)]
    with: Vec<String>,
    /// A list of questions about models of the folder: file, claim, question and verdict in its columns.
    #[arg(long)]
    questions: Option<PathBuf>,
    /// The table, one line for each model; what it has already is taken from it.
    #[arg(long)]
    csv: Option<PathBuf>,
}

/// The columns, each a field of a row.
const COLUMNS: [&str; 26] = [
    "model",
    "claim",
    "question",
    "expected",
    "outcome",
    "reason",
    "reduce_seconds",
    "bytes",
    "bytes_after",
    "verdict",
    "verdict_after",
    "states",
    "states_after",
    "full_verdict",
    "full_verdict_after",
    "full_states",
    "full_states_after",
    "claims",
    "claims_after",
    "seconds",
    "seconds_after",
    "reduce_cpu",
    "cpu",
    "cpu_after",
    "back",
    "trail",
];

/// One model: what stands in each column.
#[derive(Clone)]
struct Row(BTreeMap<&'static str, String>);

impl Row {
    fn get(&self, column: &str) -> &str {
        self.0.get(column).map_or("", String::as_str)
    }

    fn number(&self, column: &str) -> f64 {
        self.get(column).parse().unwrap_or(0.0)
    }

    fn set(&mut self, column: &'static str, value: impl ToString) {
        self.0.insert(column, value.to_string());
    }

    /// Written, changed or not.
    fn written(&self) -> bool {
        matches!(self.get("outcome"), "smaller" | "same")
    }

    /// SPIN decides both texts.
    fn decided(&self) -> bool {
        ["verdict", "verdict_after"].iter().all(|column| known_verdict(self.get(column)))
    }

    /// Something that SPIN says of both is not the same.
    fn differs(&self) -> bool {
        let pairs = [("verdict", "verdict_after"), ("full_verdict", "full_verdict_after"), ("claims", "claims_after")];
        let differ = |before: &str, after: &str| known_verdict(before) && known_verdict(after) && before != after;
        // A broken text has no verdict, but that is no better.
        let refused = self.get("verdict") != "refused" && self.get("verdict_after") == "refused";
        let each = |(before, after): &(&str, &str)| {
            let (before, after) = (self.get(before).split(' '), self.get(after).split(' '));
            before.zip(after).any(|(before, after)| differ(before, after))
        };
        let lost = !self.get("question").is_empty() && self.get("back").starts_with("lost");
        let unlike = ["verdict", "verdict_after"].iter().any(|column| differ(self.get("expected"), self.get(column)));
        refused || unlike || lost || self.get("outcome") == "failed" || pairs.iter().any(each)
    }

    /// How many times fewer states, where both searches end.
    fn fewer(&self, before: &str, after: &str) -> Option<f64> {
        let (before, after) = (self.number(before), self.number(after));
        (before > 0.0 && after > 0.0).then(|| before / after)
    }
}

fn known_verdict(verdict: &str) -> bool {
    !verdict.is_empty() && verdict.split('+').all(|part| matches!(part, "true" | "false" | "assertion" | "end"))
}

/// Where the smaller text is.
struct Smaller {
    folder: tempfile::TempDir,
    path: PathBuf,
}

/// Has the model reduced, and notes what came of it.
fn reduced(entry: &Entry, args: &Args, row: &mut Row) -> Option<Smaller> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.pml");
    let started = Instant::now();
    // The shell tells what of the processor it took.
    let mut command = Command::new("sh");
    command.args(["-c", &spin::timed("\"$0\" \"$@\"")]);
    command
        .arg(prequel())
        .arg("reduce")
        .arg(&entry.path)
        .args(&entry.options)
        .args(["--method", "residual", "--from", "pml", "-o"]);
    command.arg(&path).args(["--time", &format!("{}s", args.seconds), "--memory", "4G"]).args(&args.with);
    let output = command.output().expect("prequel starts");
    row.set("reduce_seconds", format!("{:.3}", started.elapsed().as_secs_f64()));
    row.set("reduce_cpu", format!("{:.3}", spin::cpu_seconds(&String::from_utf8_lossy(&output.stdout))));
    let before = std::fs::read(&entry.path).unwrap_or_default();
    row.set("bytes", before.len());
    let Some(after) = output.status.success().then(|| std::fs::read(&path).ok()).flatten() else {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = said.lines().find(|line| line.contains("error") || line.contains("refused"));
        row.set("reason", line.or(said.lines().next()).unwrap_or_default());
        row.set("outcome", if matches!(output.status.code(), Some(2 | 3)) { "refused" } else { "failed" });
        return None;
    };
    row.set("bytes_after", after.len());
    row.set("outcome", if before == after { "same" } else { "smaller" });
    Some(Smaller { folder, path })
}

/// What SPIN says of one text, into columns that end with a word.
fn spin_says(
    path: &Path,
    options: &[String],
    claims: &[String],
    limit: Duration,
    row: &mut Row,
    columns: [&'static str; 7],
) {
    let [verdict, states, seconds, cpu, full_verdict, full_states, claimed] = columns;
    let unclaimed = if claims.is_empty() { "" } else { "-DNOCLAIM" };
    let alone = spin::alone(path, options, unclaimed, "", limit);
    row.set(verdict, &alone.verdict);
    row.set(states, alone.states);
    row.set(seconds, format!("{:.3}", alone.seconds));
    row.set(cpu, format!("{:.3}", alone.cpu));
    if alone.verdict == "refused" {
        return;
    }
    // All errors of a whole search are told apart.
    let quick = spin::fastest();
    let full = format!("{quick} -DSAFETY -DNOREDUCE {unclaimed}");
    let found = spin::searched(path, options, &full, "-c0", limit);
    let told = match found.verdict.as_str() {
        "false" => {
            let without = |option| spin::searched(path, options, &full, option, limit).verdict;
            let parts = [("assertion", without("-E")), ("end", without("-A"))];
            let wrong: Vec<&str> = parts.iter().filter(|(_, v)| v == "false").map(|(name, _)| *name).collect();
            wrong.join("+")
        }
        other => other.to_owned(),
    };
    row.set(full_verdict, told);
    row.set(full_states, found.states);
    let claim = |name: &String| {
        let option = if claims.len() > 1 { format!("-a -E -N {name}") } else { "-a -E".into() };
        spin::searched(path, options, &format!("{quick} -DNOREDUCE"), &option, limit).verdict
    };
    let verdicts: Vec<String> = claims.iter().map(claim).collect();
    row.set(claimed, verdicts.join(" "));
}

/// The whole line of a model; nothing where SPIN or we do not take it at all.
fn measured(entry: &Entry, args: &Args, name: &str) -> Option<Row> {
    let mut row = Row(BTreeMap::new());
    row.set("model", name);
    let claims: Vec<String> = shape(entry)?.claims.into_iter().take(args.claims).collect();
    let limit = Duration::from_secs(args.seconds);
    let smaller = reduced(entry, args, &mut row);
    let before = ["verdict", "states", "seconds", "cpu", "full_verdict", "full_states", "claims"];
    let after = [
        "verdict_after",
        "states_after",
        "seconds_after",
        "cpu_after",
        "full_verdict_after",
        "full_states_after",
        "claims_after",
    ];
    spin_says(&entry.path, &entry.options, &claims, limit, &mut row, before);
    if row.get("verdict") == "refused" {
        return None;
    }
    match smaller {
        Some(smaller) if row.get("outcome") == "smaller" => {
            spin_says(&smaller.path, &[], &claims, limit, &mut row, after);
            drop(smaller.folder);
        }
        // The same text has the same answers.
        _ => {
            for (from, to) in before.into_iter().zip(after) {
                let value = row.get(from).to_owned();
                row.set(to, value);
            }
        }
    }
    for (reducing, after) in [("reduce_seconds", "seconds_after"), ("reduce_cpu", "cpu_after")] {
        let total = row.number(reducing) + row.number(after);
        row.set(after, format!("{total:.3}"));
    }
    Some(row)
}

/// A question about a model.
struct Asked {
    entry: Entry,
    claim: String,
    question: String,
    expected: String,
}

/// How `pan` is made and asked, and `prequel spin`.
struct Ways {
    definitions: &'static str,
    pan: String,
    prequel: Vec<String>,
}

impl Asked {
    /// Where nothing in particular is asked: all that is wrong without claims, and claims beside that.
    fn safety(entry: Entry) -> Self {
        Self { entry, claim: String::new(), question: String::new(), expected: String::new() }
    }

    /// The lines of a list.
    fn all(list: &Path, dir: &Path) -> Vec<Self> {
        let text = std::fs::read_to_string(list).expect("the list of questions can be read");
        let line = |line: &str| {
            let cells: Vec<String> = line.split('\t').take(4).map(str::to_owned).collect();
            let [file, claim, question, expected] = <[String; 4]>::try_from(cells).ok()?;
            Some(Self {
                entry: Entry { path: dir.join(file), options: Vec::new(), expected: None },
                claim,
                question,
                expected,
            })
        };
        text.lines().skip(1).filter_map(line).collect()
    }

    /// Whether it is about labels of processes.
    fn is_about_labels(&self) -> bool {
        self.claim.starts_with('(')
    }

    fn ways(&self, several: bool) -> Ways {
        let fair = self.question.ends_with("-fair");
        let name = if self.claim == "never" { "never_0" } else { &self.claim };
        let chosen = if several && !self.is_about_labels() { format!(" -N {name}") } else { String::new() };
        let (definitions, pan, prequel) = match self.question.trim_end_matches("-fair") {
            "safety" => ("-DSAFETY", chosen, vec!["--ltl", name]),
            "nonprogress" => ("-DNP", " -l -A -E".into(), vec!["--non-progress"]),
            _ if self.is_about_labels() => ("-DNOCLAIM", " -a -A -E".into(), vec!["--accept-labels"]),
            _ => ("", format!(" -a{chosen}"), vec!["--ltl", name]),
        };
        let pan = format!("{pan}{}", if fair { " -f" } else { "" });
        let prequel = prequel.into_iter().chain(fair.then_some("--fair")).map(str::to_owned).collect();
        Ways { definitions, pan, prequel }
    }

    /// The line of a question; nothing where SPIN or we do not take the model.
    fn measured(&self, args: &Args, name: &str) -> Option<Row> {
        let mut row = Row(BTreeMap::new());
        row.set("model", name);
        row.set("claim", &self.claim);
        row.set("question", &self.question);
        row.set("expected", &self.expected);
        let ways = self.ways(shape(&self.entry)?.claims.len() > 1);
        let smaller = reduced(&self.entry, args, &mut row)?;
        let limit = Duration::from_secs(args.seconds);
        let both = [
            (&self.entry.path, ["verdict", "states", "full_verdict", "full_states"]),
            (&smaller.path, ["verdict_after", "states_after", "full_verdict_after", "full_states_after"]),
        ];
        for (path, [verdict, states, full_verdict, full_states]) in both {
            let searched = |order: &str| {
                let compiler = format!("{} {} {order}", spin::fastest(), ways.definitions);
                spin::searched(path, &[], &compiler, &ways.pan, limit)
            };
            let (reduced, full) = (searched(""), searched("-DNOREDUCE"));
            row.set(verdict, &reduced.verdict);
            row.set(states, reduced.states);
            row.set(full_verdict, &full.verdict);
            row.set(full_states, full.states);
        }
        if row.get("full_verdict_after") == "false" {
            self.bring_back(args, &ways, &smaller, &mut row);
        }
        Some(row)
    }

    /// Has SPIN's run on the smaller text brought back to the model.
    fn bring_back(&self, args: &Args, ways: &Ways, smaller: &Smaller, row: &mut Row) {
        let trail = smaller.folder.path().join("back.trail");
        let mut command = Command::new(prequel());
        command.arg("spin").arg(&self.entry.path).args(&ways.prequel).args(["--method", "residual", "--from", "pml"]);
        command.args(["--time", &format!("{}s", 4 * args.seconds), "--memory", "4G"]);
        let result = |command: &mut Command| {
            let output = command.output().expect("prequel starts");
            let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            let line = said.lines().find(|line| line.starts_with("RESULT")).unwrap_or("no result").to_owned();
            let why = said.lines().find(|line| line.contains("not reduced") || line.contains("undecided"));
            (line, why.unwrap_or_default().to_owned())
        };
        let (line, why) = result(&mut command);
        let back = match line.as_str() {
            line if !line.starts_with("RESULT false") || !line.contains("checked=yes") => format!("lost: {line} {why}"),
            _ if why.is_empty() => "replayed".into(),
            _ => format!("on the model itself: {why}"),
        };
        row.set("back", back);
        let (line, _) = result(command.arg(format!("--trail={}", trail.display())));
        row.set("trail", if trail.exists() { "followed".into() } else { line });
    }
}

fn show(row: &Row) {
    let pair = |before: &str, after: &str| format!("{} → {}", row.get(before), row.get(after));
    let reason: String = row.get("reason").chars().take(80).collect();
    if !row.get("question").is_empty() {
        println!(
            "{:<44} {:<16} {:<16} {:>8} {:>21} {:>21} {:>13}  {} {}{}",
            row.get("model"),
            row.get("claim"),
            row.get("question"),
            row.get("expected"),
            pair("states", "states_after"),
            pair("full_states", "full_states_after"),
            pair("full_verdict", "full_verdict_after"),
            row.get("back"),
            row.get("trail"),
            if row.differs() { "  DIFFERS" } else { "" }
        );
        return;
    }
    println!(
        "{:<44} {:<8} {:>6} s {:>17} B {:>21} {:>21} {:>15} s  {} {reason}{}",
        row.get("model"),
        row.get("outcome"),
        row.get("reduce_seconds"),
        pair("bytes", "bytes_after"),
        pair("states", "states_after"),
        pair("full_states", "full_states_after"),
        pair("seconds", "seconds_after"),
        pair("verdict", "verdict_after"),
        if row.differs() { "  VERDICT DIFFERS" } else { "" }
    );
}

/// What the whole folder shows.
fn summary(rows: &[Row]) {
    let share = |what: &str, of: &[&Row], holds: &dyn Fn(&Row) -> bool| {
        let count = of.iter().filter(|row| holds(row)).count();
        println!(
            "  {what:<52} {count:>4} of {:>4}  ({:.1} %)",
            of.len(),
            100.0 * count as f64 / of.len().max(1) as f64
        );
    };
    let all: Vec<&Row> = rows.iter().collect();
    let written: Vec<&Row> = rows.iter().filter(|row| row.written()).collect();
    println!();
    share("written", &all, &Row::written);
    share("became smaller", &all, &|row| row.get("outcome") == "smaller");
    share("reduced within 1 s", &all, &|row| row.number("reduce_cpu") <= 1.0);
    share("text at most twice as long", &written, &|row| row.number("bytes_after") <= 2.0 * row.number("bytes"));
    share("verdict differs", &all, &Row::differs);
    let only_now = |row: &Row| !known_verdict(row.get("verdict")) && known_verdict(row.get("verdict_after"));
    share("decided where SPIN alone is not done in time", &all, &only_now);
    let wrong: Vec<&Row> = rows.iter().filter(|row| !row.get("back").is_empty()).collect();
    if !wrong.is_empty() {
        share("SPIN's runs on smaller texts that came back", &wrong, &|row| row.get("back") == "replayed");
        share("trails that SPIN follows", &wrong, &|row| row.get("trail") == "followed");
    }
    for (what, before, after) in
        [("SPIN's reduction on", "states", "states_after"), ("off", "full_states", "full_states_after")]
    {
        let ten = |row: &Row| row.fewer(before, after).is_some_and(|fewer| fewer >= 10.0);
        share(&format!("ten times fewer states, {what}"), &all, &ten);
    }
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.written()) {
        *reasons.entry(row.get("reason").rsplit("error: ").next().unwrap_or_default().to_owned()).or_default() += 1;
    }
    for (reason, count) in reasons {
        println!("  {count:>4} × {reason}");
    }
    let is_large = |row: &&Row| {
        let stopped = ["verdict", "full_verdict"].iter().any(|column| row.get(column) == "time");
        stopped || row.number("full_states").max(row.number("states")) >= LARGE
    };
    let large: Vec<&Row> = rows.iter().filter(is_large).collect();
    println!("\nmodels with {LARGE} states or more, or with which SPIN alone is not done in time");
    for (what, before, after) in
        [("SPIN's reduction on", "states", "states_after"), ("off", "full_states", "full_states_after")]
    {
        let ten = |row: &Row| row.fewer(before, after).is_some_and(|fewer| fewer >= 10.0);
        share(&format!("ten times fewer states, {what}"), &large, &ten);
    }
    // What SPIN alone is not done with takes as long as the limit at least.
    let ends: Vec<&Row> = large.iter().copied().filter(|row| known_verdict(row.get("verdict_after"))).collect();
    share("half the time or less", &ends, &|row| row.number("cpu_after") <= 0.5 * row.number("cpu"));
    let known: Vec<&Row> = large.iter().copied().filter(|row| row.decided()).collect();
    let slower = |row: &Row| row.number("cpu_after") > 1.1 * row.number("cpu") + 0.3;
    share("slower than 1.1 × SPIN alone + 0.3 s", &known, &slower);
    let decided: Vec<&Row> = all.into_iter().filter(|row| row.decided()).collect();
    share("the same, of all models that SPIN decides", &decided, &slower);
    for (what, rows) in [("large ones", &known), ("all", &decided)] {
        let of = |value: &dyn Fn(&Row) -> Option<f64>| rows.iter().filter_map(|row| value(row)).collect::<Vec<f64>>();
        let lines = [
            ("states before / after", of(&|row| row.fewer("full_states", "full_states_after"))),
            ("  with SPIN's reduction", of(&|row| row.fewer("states", "states_after"))),
            ("seconds after / before", of(&|row| Some(row.number("cpu_after") / row.number("cpu")))),
            ("reduction, seconds", of(&|row| Some(row.number("reduce_cpu")))),
        ];
        println!("\n{what:<28}{PERCENTS}");
        for (name, values) in lines.into_iter().filter(|(_, values)| !values.is_empty()) {
            println!("  {name:<26}{}", spread(values));
        }
    }
}

/// The rows of an earlier run.
fn earlier(path: &Path) -> Vec<Row> {
    let Ok(mut reader) = csv::Reader::from_path(path) else { return Vec::new() };
    let row = |record: csv::StringRecord| Row(COLUMNS.into_iter().zip(record.iter().map(str::to_owned)).collect());
    reader.records().filter_map(Result::ok).map(row).collect()
}

fn write_csv(path: &Path, rows: &[Row]) -> csv::Result<()> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(COLUMNS)?;
    rows.iter().try_for_each(|row| writer.write_record(COLUMNS.map(|column| row.get(column))))?;
    Ok(writer.flush()?)
}

fn main() -> ExitCode {
    let args = Args::parse();
    if !spin::ready(&args.dir) {
        return ExitCode::SUCCESS;
    }
    let rows = Mutex::new(args.csv.as_deref().map_or_else(Vec::new, earlier));
    let key = |row: &Row| ["model", "claim", "question"].map(|column| row.get(column).to_owned());
    let known: Vec<[String; 3]> = rows.lock().unwrap().iter().map(key).collect();
    let name = |entry: &Entry| {
        let name = entry.path.strip_prefix(&args.dir).unwrap_or(&entry.path).display().to_string();
        [name, entry.options.join(" ")].join(" ").trim().to_owned()
    };
    let asked = match &args.questions {
        Some(list) => Asked::all(list, &args.dir),
        None => suite::entries(&args.dir).into_iter().map(Asked::safety).collect(),
    };
    let new = |asked: &&Asked| !known.contains(&[name(&asked.entry), asked.claim.clone(), asked.question.clone()]);
    let wanted = |asked: &&Asked| asked.entry.path.to_string_lossy().contains(&args.only);
    let asked: Vec<&Asked> = asked.iter().filter(wanted).filter(new).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build().expect("threads");
    let each = |asked: &&Asked| {
        let name = name(&asked.entry);
        let row =
            if asked.question.is_empty() { measured(&asked.entry, &args, &name) } else { asked.measured(&args, &name) };
        let Some(row) = row else { return };
        show(&row);
        let mut rows = rows.lock().unwrap();
        rows.push(row);
        if let Some(path) = &args.csv {
            // What there is so far stays, should the rest be interrupted.
            write_csv(path, &rows).expect("the CSV file can be written");
        }
    };
    pool.install(|| asked.par_iter().with_max_len(1).for_each(each));
    let rows = rows.into_inner().unwrap();
    summary(&rows);
    if rows.iter().any(Row::differs) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
