//! The experiments of the paper on interpolation-guided compositional verification: Table I.
//!
//! The models are ours (`families/boolean`), with the table's numbers of components and properties. A cell is one engine on all
//! properties of a model, one after another; its time is that of all of them, checks of invariants included. The columns are the paper's;
//! beside them is C-ITP_P+A with `abstract=ic3` in the place of decision diagrams. C-ITP and C-ITP_A begin with the components that
//! the property is about, where the paper takes the first four of a random order.

use super::measure::{aligned, limits};
use super::{Cell, Expected, Outcome, Paper, Wanted, abc};
use crate::cli::exit::Failure;
use crate::cli::progress;
use crate::engine::run::{Limits, Run};
use crate::engine::symbolic::{Check, Method, Symbolic, Verdict};
use crate::families::boolean::{BooleanFamily, BooleanSystem, find};
use crate::harness::paper::{self, number};
use crate::model::Why;
use std::collections::BTreeSet;
use std::fmt::Write as _;
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
/// How many sizes of a family a quick run looks at.
const QUICK_SIZES: usize = 2;

fn run(wanted: &Wanted<'_>) -> Result<Outcome, Failure> {
    let abc = if wanted.abc { abc::program() } else { None };
    if wanted.abc && abc.is_none() {
        wanted.output.say("ABC is left away: there is no berkeley-abc on PATH");
    }
    let (cells, mut outcome, mut lines) = (paper::cells("interpolation"), Outcome::default(), Vec::new());
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
        for size in sizes {
            lines.push(row(wanted, &cells, family, size, abc.as_deref(), &mut gave_up, &mut outcome));
        }
    }
    let (table, csv) = laid_out(&lines, abc.is_some());
    outcome.tables.push(table);
    outcome.csv = Some(csv);
    Ok(outcome)
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
}

/// One model with every column.
fn row(
    wanted: &Wanted<'_>,
    cells: &[paper::Cell],
    family: &'static BooleanFamily,
    size: usize,
    abc: Option<&Path>,
    gave_up: &mut BTreeSet<&'static str>,
    outcome: &mut Outcome,
) -> Line {
    let name = format!("{}-{size:02}", family.row.expect("it is in the table"));
    let system = (family.build)(size);
    let mut line = Line {
        name: name.clone(),
        components: system.circuit.parts.len(),
        properties: system.properties.len(),
        entries: Vec::new(),
    };
    let printed = |column: &str| paper::printed(cells, TABLE, &name, column).map(str::to_owned);
    let mut cell = |row: &str, what, paper, ours: String, expected| {
        outcome.cells.push(Cell { family: family.name, size, row: row.into(), what, paper, ours, expected });
    };
    cell("", "components", printed("n"), line.components.to_string(), None);
    cell("", "properties", printed("|φ|"), line.properties.to_string(), None);
    let (mut answered, mut open) = (false, Why::Interrupted);
    for column in columns(abc.is_some()) {
        let count = column.counts.and_then(|(symbol, ..)| printed(&format!("{} {symbol}", column.name)));
        let paper = (printed(&format!("{} Time", column.name)), count);
        let mut entry = Entry { paper, ..Entry::default() };
        if gave_up.contains(column.name) {
            entry.why = "gave up on a smaller one".into();
            cell(column.name, "seconds", entry.paper.0.clone(), format!("- ({})", entry.why), None);
            line.entries.push(entry);
            continue;
        }
        let run = Run::new(allowed(wanted), wanted.limits.seed);
        let what = format!("{} {size}, {}", family.name, column.name);
        match progress::watch(&run, &what, wanted.output, || column.who.all(&system, abc, &run)) {
            Ok((true, seconds)) => {
                answered |= matches!(column.who, Who::Ours(..));
                let effort = run.effort();
                let counted = |name| effort.counts.iter().find(|(other, _)| *other == name).map_or(0, |(_, n)| *n);
                let count = column.counts.map(|(_, _, name)| counted(name));
                cell(column.name, "holds", Some("true".into()), "true".into(), Some(Expected::Yes));
                cell(column.name, "seconds", entry.paper.0.clone(), format!("{seconds:.2}"), None);
                if let (Some(count), Some((_, what, _))) = (count, column.counts) {
                    cell(column.name, what, entry.paper.1.clone(), count.to_string(), None);
                }
                entry.ours = Some((seconds, count));
            }
            Ok((false, _)) => {
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

fn allowed(wanted: &Wanted<'_>) -> Limits {
    let asked = limits(wanted, if wanted.quick { QUICK_TIME } else { TIME }, u64::MAX);
    Limits { memory: asked.memory.or(Some(MEMORY)), ..asked }
}

/// The columns of this run.
fn columns(abc: bool) -> impl Iterator<Item = &'static Column> {
    COLUMNS.iter().filter(move |column| abc || matches!(column.who, Who::Ours(..)))
}

impl Who {
    /// Whether all properties hold, and how long that takes.
    fn all(&self, system: &BooleanSystem, program: Option<&Path>, run: &Run) -> Result<(bool, f64), Why> {
        let (method, check) = match (self, program) {
            (Who::Ours(method, check), _) => (*method, *check),
            (Who::Abc(command), Some(program)) => return abc::all(program, command, system, run),
            (Who::Abc(_), None) => unreachable!("without the program there is no such column"),
        };
        let engine = Symbolic { check, ..Symbolic::new(method) };
        for property in &system.properties {
            if let Verdict::Path(_) = engine.decide(&Arc::new(system.question(property)), run)? {
                return Ok((false, run.elapsed().as_secs_f64()));
            }
        }
        Ok((true, run.elapsed().as_secs_f64()))
    }
}

/// The table as the paper lays it out, and as CSV. The last columns are how much faster the best of ours is than the best of the
/// paper, and than the best of ABC.
fn laid_out(lines: &[Line], abc: bool) -> (String, String) {
    let mut rows = vec![["model", "n", "|φ|"].map(str::to_owned).to_vec()];
    rows[0].extend(columns(abc).map(|column| column.name.to_owned()));
    rows[0].push("paper / ours".into());
    if abc {
        rows[0].push("ABC / ours".into());
    }
    let mut csv = String::from("model,components,properties,column,seconds,count,paper seconds,paper count\n");
    for line in lines {
        let mut row = vec![line.name.clone(), line.components.to_string(), line.properties.to_string()];
        for (column, entry) in columns(abc).zip(&line.entries) {
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
            let entries = columns(abc).zip(&line.entries);
            let entries = entries.filter(move |(column, _)| matches!(column.who, Who::Ours(..)) == ours);
            least(entries.filter_map(|(_, entry)| Some(entry.ours?.0)).collect())
        };
        let ratio = |theirs: Option<f64>| match (of(true), theirs) {
            (Some(ours), Some(theirs)) => format!("{:.1}", theirs / ours),
            _ => "–".into(),
        };
        let paper = least(line.entries.iter().filter_map(|entry| number(entry.paper.0.as_deref()?)).collect());
        row.push(ratio(paper));
        if abc {
            row.push(ratio(of(false)));
        }
        rows.push(row);
    }
    let title = "Table I, seconds (refinements or re-partitions): ours | the paper's; ★ memory, ⊙ time; last, the best of others by the best of ours";
    (format!("{title}\n{}", aligned(&rows)), csv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::boolean::FAMILIES;

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
                crate::engine::Engine::name(&Symbolic::new(method)),
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
