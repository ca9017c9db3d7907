//! The experiments of the paper on interpolation-guided compositional verification: Table I.
//!
//! The models are ours (`families/boolean`), with the table's numbers of components and properties. A cell is one engine on all
//! properties of a model, one after another; its time is that of all of them, checks of invariants included. The columns are the paper's;
//! beside them is C-ITP_P+A with `abstract=ic3` in the place of decision diagrams. C-ITP and C-ITP_A begin with the components that
//! the property is about, where the paper takes the first four of a random order.

use super::measure::limits;
use super::{Cell, Expected, Experiment, Outcome, Paper, Table, abc};
use crate::job::Failure;
use prequel_engine::symbolic::{Check, Method, Symbolic, Verdict};
use prequel_families::boolean::{BooleanFamily, BooleanSystem, find};
use prequel_harness::paper;
use prequel_harness::paper::number;
use prequel_model::Why;
use prequel_model::run::{Limits, Run};
use prequel_spin::process;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// S.-W. Lin and others.
pub const PAPER: Paper = Paper {
    name: "interpolation",
    title: "S.-W. Lin, J. Sun, T. K. Nguyen, Y. Liu, J. S. Dong: Interpolation Guided Compositional Verification",
    families: &["fms-smv", "dining", "aip-smv", "sba", "msi"],
    remark: "The models are ours, after the same descriptions, with the paper's numbers of components and properties. Who gave up on a\n\
        smaller model of a family is not asked again.",
    run,
};

const TABLE: &str = "interpolation Table I";

/// A column of the table.
struct Column {
    /// As printed; ours where it is not in the paper.
    name: &'static str,
    who: Who,
    /// What it counts, as printed and as our engines call it.
    counts: Option<(&'static str, &'static str, &'static str)>,
}

/// Who fills a column.
enum Who {
    Ours(Method, Check),
    /// ABC, with this command.
    Abc(&'static str),
}

const REFINEMENTS: Option<(&str, &str, &str)> = Some(("|R|", "refinements", "refinements"));
const REPARTITIONS: Option<(&str, &str, &str)> = Some(("|P|", "re-partitions", "repartitions"));

const COLUMNS: [Column; 8] = [
    Column { name: "BDD", who: Who::Ours(Method::Bdd, Check::Bdd), counts: None },
    Column { name: "Mc-ITP", who: Who::Ours(Method::Itp, Check::Bdd), counts: REFINEMENTS },
    Column { name: "C-ITP", who: Who::Ours(Method::Citp, Check::Bdd), counts: REFINEMENTS },
    Column { name: "C-ITP_A", who: Who::Ours(Method::CitpA, Check::Bdd), counts: REFINEMENTS },
    Column { name: "C-ITP_P+A", who: Who::Ours(Method::CitpPa, Check::Bdd), counts: REPARTITIONS },
    Column { name: "C-ITP_P+A, ic3", who: Who::Ours(Method::CitpPa, Check::Ic3), counts: REPARTITIONS },
    Column { name: "ABC int", who: Who::Abc("int"), counts: None },
    Column { name: "ABC pdr", who: Who::Abc("pdr"), counts: None },
];

/// What each cell may use where the command line does not say: as in the paper.
const TIME: Duration = Duration::from_secs(30 * 60);
const QUICK_TIME: Duration = Duration::from_secs(5);
const MEMORY: u64 = 4 << 30;
/// How long a process that measures a column may take to say that its time is over.
const GRACE: Duration = Duration::from_secs(10);
/// How many sizes of a family a quick run looks at.
const QUICK_SIZES: usize = 2;

fn run(wanted: &Experiment<'_>, outcome: &mut Outcome) -> Result<(), Failure> {
    let columns = columns(wanted)?;
    let (cells, mut lines) = (paper::cells("interpolation"), Vec::new());
    for name in PAPER.families.iter().filter(|name| wanted.family(name)) {
        let family = find(name).expect("the families of the table exist");
        let sizes = match wanted.size {
            Some(size) => {
                family.has(size).map_err(|message| Failure::input("--size", message, "choose one of these sizes"))?;
                vec![size]
            }
            None => {
                let all = printed_sizes(family, &cells);
                all.into_iter().take(if wanted.quick { QUICK_SIZES } else { usize::MAX }).collect()
            }
        };
        let mut gave_up = BTreeSet::new();
        for size in sizes.into_iter().take_while(|_| !wanted.over()) {
            lines.push(row(wanted, &cells, family, size, &columns, &mut gave_up, outcome));
        }
    }
    let (table, csv) = laid_out(&lines, &columns);
    outcome.tables.push(table);
    outcome.csv = (!lines.is_empty()).then_some(csv);
    Ok(())
}

/// The columns that are wanted; those of ABC where it is there.
fn columns(wanted: &Experiment<'_>) -> Result<Vec<&'static Column>, Failure> {
    let named = |column: &&Column| match &wanted.column {
        Some(name) => column.name.eq_ignore_ascii_case(name),
        None => wanted.abc || matches!(column.who, Who::Ours(..)),
    };
    let mut columns: Vec<&Column> = COLUMNS.iter().filter(named).collect();
    if let (Some(name), true) = (&wanted.column, columns.is_empty()) {
        let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        let help = format!("columns are {}", names.join("; "));
        return Err(Failure::input("--column", format!("no column is called `{name}`"), help));
    }
    let by_abc = |column: &&Column| matches!(column.who, Who::Abc(_));
    if columns.iter().any(by_abc) && abc::program().is_none() {
        wanted.observer.say("ABC is left away: there is no berkeley-abc on PATH");
        columns.retain(|column| !by_abc(column));
    }
    Ok(columns)
}

/// The sizes of a family in the table.
fn printed_sizes(family: &BooleanFamily, cells: &[paper::Cell]) -> Vec<usize> {
    let rows = cells.iter().filter(|cell| cell.column == "n").filter_map(|cell| cell.row.split_once('-'));
    rows.filter(|(row, _)| Some(*row) == family.row)
        .map(|(_, size)| size.parse().expect("a size is a number"))
        .collect()
}

/// What a column came to, and what the paper prints: seconds and a count each.
#[derive(Default)]
struct Entry {
    ours: Option<(f64, Option<u64>)>,
    /// Why there is nothing.
    why: String,
    paper: (Option<String>, Option<String>),
}

/// A row of the table, ours and the paper's.
struct Line {
    name: String,
    components: usize,
    properties: usize,
    entries: Vec<Entry>,
    /// Seconds of the paper's best column, whatever columns are run.
    paper: Option<f64>,
}

/// One model with every column.
fn row(
    wanted: &Experiment<'_>,
    cells: &[paper::Cell],
    family: &'static BooleanFamily,
    size: usize,
    columns: &[&'static Column],
    gave_up: &mut BTreeSet<&'static str>,
    outcome: &mut Outcome,
) -> Line {
    let name = format!("{}-{size:02}", family.row.expect("it is in the table"));
    let system = (family.build)(size);
    let printed = |column: &str| paper::printed(cells, TABLE, &name, column).map(str::to_owned);
    let times = COLUMNS.iter().filter_map(|column| number(&printed(&format!("{} Time", column.name))?));
    let mut line = Line {
        paper: times.reduce(f64::min),
        name: name.clone(),
        components: system.circuit.parts.len(),
        properties: system.properties.len(),
        entries: Vec::new(),
    };
    let mut cell = |row: &str, what, paper, ours: String, expected| {
        outcome.add(wanted.observer, Cell { family: family.name, size, row: row.into(), what, paper, ours, expected });
    };
    cell("", "components", printed("n"), line.components.to_string(), None);
    cell("", "properties", printed("|φ|"), line.properties.to_string(), None);
    let (mut answered, mut open) = (false, Why::Interrupted);
    for column in columns {
        let count = column.counts.and_then(|(symbol, ..)| printed(&format!("{} {symbol}", column.name)));
        let paper = (printed(&format!("{} Time", column.name)), count);
        let mut entry = Entry { paper, ..Entry::default() };
        if gave_up.contains(column.name) {
            entry.why = "gave up on a smaller one".into();
            cell(column.name, "seconds", entry.paper.0.clone(), format!("- ({})", entry.why), None);
            line.entries.push(entry);
            continue;
        }
        match cell_of(wanted, family, size, &system, column, columns.len() > 1) {
            Ok(Measured { holds: true, seconds, count }) => {
                answered |= matches!(column.who, Who::Ours(..));
                cell(column.name, "holds", Some("true".into()), "true".into(), Some(Expected::Yes));
                cell(column.name, "seconds", entry.paper.0.clone(), format!("{seconds:.2}"), None);
                if let (Some(count), Some((_, what, _))) = (count, column.counts) {
                    cell(column.name, what, entry.paper.1.clone(), count.to_string(), None);
                }
                entry.ours = Some((seconds, count));
            }
            Ok(Measured { holds: false, .. }) => {
                answered |= matches!(column.who, Who::Ours(..));
                cell(column.name, "holds", Some("true".into()), "false".into(), Some(Expected::No));
                entry.why = "false".into();
            }
            Err(why) => {
                gave_up.insert(column.name);
                cell(column.name, "seconds", entry.paper.0.clone(), format!("- ({why})"), None);
                entry.why = match why {
                    Why::Time(_) => "⊙".into(),
                    Why::Memory(_) => "★".into(),
                    _ => why.to_string(),
                };
                open = why;
            }
        }
        line.entries.push(entry);
    }
    if !answered {
        // That some give up is what the paper shows, too; that all do is no answer.
        cell("all", "holds", Some("true".into()), "-".into(), Some(Expected::Open(open)));
    }
    line
}

fn allowed(wanted: &Experiment<'_>) -> Limits {
    let asked = limits(wanted, if wanted.quick { QUICK_TIME } else { TIME }, u64::MAX);
    Limits { memory: asked.memory.or(Some(MEMORY)), ..asked }
}

/// What a cell comes to.
struct Measured {
    holds: bool,
    seconds: f64,
    /// Refinements or re-partitions.
    count: Option<u64>,
}

/// One system and one column. Where there are several columns each is measured by a process of its own, if there is a program for it: an
/// operation on decision diagrams that has run out of its time would go on beside the next column, and its memory would count there.
fn cell_of(
    wanted: &Experiment<'_>,
    family: &BooleanFamily,
    size: usize,
    system: &BooleanSystem,
    column: &Column,
    apart: bool,
) -> Result<Measured, Why> {
    let limits = allowed(wanted);
    let what = format!("{} {size}, {}", family.name, column.name);
    let watched = |limits: Limits, work: &dyn Fn(&Run) -> Result<Measured, Why>| {
        let run = Run::new(limits, wanted.seed);
        wanted.observer.during(&run, &what, || work(&run))
    };
    match (&column.who, &wanted.program) {
        (Who::Abc(command), _) => watched(limits, &|run| {
            let program = abc::program().expect("a column of ABC is there where ABC is");
            let (holds, seconds) = abc::all(&program, command, system, run)?;
            Ok(Measured { holds, seconds, count: None })
        }),
        (Who::Ours(..), Some(program)) if apart => {
            let longer = Limits { time: limits.time.map(|time| time + GRACE), ..limits.clone() };
            watched(longer, &|run| elsewhere(program, (family, size), column, &limits, run))
        }
        (Who::Ours(method, check), _) => watched(limits, &|run| here(*method, *check, column, system, run)),
    }
}

/// All properties of a system, one after the other, until one does not hold.
fn here(method: Method, check: Check, column: &Column, system: &BooleanSystem, run: &Run) -> Result<Measured, Why> {
    let engine = Symbolic { check, ..Symbolic::new(method) };
    let mut holds = true;
    for property in &system.properties {
        if let Verdict::Path(_) = engine.decide(&Arc::new(system.question(property)), run)? {
            holds = false;
            break;
        }
    }
    let effort = run.effort();
    let counted = |name| effort.counts.iter().find(|(other, _)| *other == name).map_or(0, |(_, n)| *n);
    let count = column.counts.map(|(_, _, name)| counted(name));
    Ok(Measured { holds, seconds: run.elapsed().as_secs_f64(), count })
}

/// The same in another process: the command line, asked for one column.
fn elsewhere(
    program: &Path,
    (family, size): (&BooleanFamily, usize),
    column: &Column,
    limits: &Limits,
    run: &Run,
) -> Result<Measured, Why> {
    let broken = |e: io::Error| Why::External(format!("a process of its own for a column: {e}"));
    let folder = tempfile::tempdir().map_err(broken)?;
    let mut arguments: Vec<String> =
        ["reproduce", "interpolation", "--json", "--family", family.name, "--column", column.name]
            .map(str::to_owned)
            .to_vec();
    arguments.extend(["--size".into(), size.to_string()]);
    arguments.extend(limits.time.iter().flat_map(|time| ["--time".into(), format!("{}ms", time.as_millis())]));
    arguments.extend(limits.memory.iter().flat_map(|bytes| ["--memory".into(), bytes.to_string()]));
    let ended = process::run(program, &arguments, folder.path(), run)?;
    let said: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    let told = |what: &str| {
        let cells = said["papers"][0]["cells"].as_array()?;
        cells.iter().find(|cell| cell["row"] == column.name && cell["what"] == what)?["ours"].as_str()
    };
    if told("holds") == Some("false") {
        return Ok(Measured { holds: false, seconds: 0.0, count: None });
    }
    let seconds = told("seconds").ok_or_else(|| Why::External(ended.first_words().to_owned()))?;
    let count = column.counts.and_then(|(_, what, _)| told(what)?.parse().ok());
    match seconds.parse() {
        Ok(seconds) => Ok(Measured { holds: true, seconds, count }),
        Err(_) => Err(reason(seconds)),
    }
}

/// Why there are no seconds, from the words of a cell.
fn reason(ours: &str) -> Why {
    let words = ours.trim_start_matches("- (").trim_end_matches(')');
    let limit = |kind: &str| Some(words.strip_prefix(kind)?.strip_suffix(" reached")?.to_owned());
    if let Some(time) = limit("time limit of ") {
        Why::Time(time)
    } else if let Some(memory) = limit("memory limit of ") {
        Why::Memory(memory)
    } else {
        Why::External(words.to_owned())
    }
}

/// The table as the paper lays it out, and as CSV. The last columns are how much faster the best of ours is than the best of the
/// paper, and than the best of ABC.
fn laid_out(lines: &[Line], columns: &[&Column]) -> (Table, String) {
    let abc = columns.iter().any(|column| matches!(column.who, Who::Abc(_)));
    let mut rows = vec![["model", "n", "|φ|"].map(str::to_owned).to_vec()];
    rows[0].extend(columns.iter().map(|column| column.name.to_owned()));
    rows[0].push("paper / ours".into());
    if abc {
        rows[0].push("ABC / ours".into());
    }
    let mut csv = String::from("model,components,properties,column,seconds,count,paper seconds,paper count\n");
    for line in lines {
        let mut row = vec![line.name.clone(), line.components.to_string(), line.properties.to_string()];
        for (column, entry) in columns.iter().zip(&line.entries) {
            let (seconds, count) = match entry.ours {
                Some((seconds, count)) => (format!("{seconds:.2}"), count.map(|count| count.to_string())),
                None => (entry.why.clone(), None),
            };
            let with = |seconds: &str, count: Option<&str>| match count {
                Some(count) => format!("{seconds} ({count})"),
                None => seconds.to_owned(),
            };
            let ours = with(&seconds, count.as_deref());
            row.push(match &entry.paper.0 {
                Some(paper) => format!("{ours} | {}", with(paper, entry.paper.1.as_deref())),
                None => ours,
            });
            let _ = writeln!(
                csv,
                "{},{},{},\"{}\",{seconds},{},{},{}",
                line.name,
                line.components,
                line.properties,
                column.name,
                count.unwrap_or_default(),
                entry.paper.0.as_deref().unwrap_or_default(),
                entry.paper.1.as_deref().unwrap_or_default(),
            );
        }
        let least = |times: Vec<f64>| times.into_iter().reduce(f64::min);
        let of = |ours: bool| {
            let entries = columns.iter().zip(&line.entries);
            let entries = entries.filter(move |(column, _)| matches!(column.who, Who::Ours(..)) == ours);
            least(entries.filter_map(|(_, entry)| Some(entry.ours?.0)).collect())
        };
        let ratio = |theirs: Option<f64>| match (of(true), theirs) {
            (Some(ours), Some(theirs)) => format!("{:.1}", theirs / ours),
            _ => "–".into(),
        };
        row.push(ratio(line.paper));
        if abc {
            row.push(ratio(of(false)));
        }
        rows.push(row);
    }
    let title = "Table I, seconds (refinements or re-partitions): ours | the paper's; ★ memory, ⊙ time; last, the best of others by the best of ours";
    (Table { title: title.into(), rows }, csv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::boolean::FAMILIES;

    #[test]
    fn the_words_of_a_cell_tell_why_it_is_empty() {
        for why in [Why::Time("20s".into()), Why::Memory("4G".into()), Why::External("no such file".into())] {
            assert_eq!(reason(&format!("- ({why})")), why);
        }
    }

    #[test]
    fn every_row_and_column_of_the_table_is_run() {
        let cells = paper::cells("interpolation");
        let rows: usize = PAPER.families.iter().map(|name| printed_sizes(find(name).unwrap(), &cells).len()).sum();
        assert_eq!(rows, cells.iter().filter(|cell| cell.column == "n").count());
        for cell in cells.iter().filter(|cell| cell.unit == "s") {
            let column = cell.column.strip_suffix(" Time").expect("seconds are times");
            let ours = COLUMNS.iter().find(|ours| ours.name == column).expect("every column is run");
            let Who::Ours(method, _) = ours.who else { panic!("{column} is not ours") };
            assert_eq!(
                cell.engine,
                prequel_engine::Engine::name(&Symbolic::new(method)),
                "{} {}",
                cell.row,
                cell.column
            );
            let (row, size) = cell.row.split_once('-').unwrap();
            let family = FAMILIES.iter().find(|family| family.row == Some(row)).unwrap();
            assert_eq!(cell.model, format!("{} {}", family.name, size.trim_start_matches('0')), "{}", cell.row);
        }
    }
}
