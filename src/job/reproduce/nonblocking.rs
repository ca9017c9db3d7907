//! The experiments of the paper on counterexamples to nonblocking: Table 1, and how peak states grow with the number of components.
//!
//! Of the paper's models one is at hand, `agvb`, where Supremica's files are there. Beside it are the other files of that folder, with what its
//! tables say of them, and our own scalable families. As in the paper each model is verified with and without limited certain
//! conflicts; then once more as the engine does by default, which looks for a shorter counterexample afterwards.

use super::measure::{Measured, grouped, limits, measure, sized};
use super::{Cell, Expected, Experiment, Outcome, Paper, Table};
use crate::job::Failure;
use prequel_engine::Engine as _;
use prequel_engine::conflict::{Conflict, Options, Rule};
use prequel_engine::otf::Otf;
use prequel_formats::picture::plot;
use prequel_formats::picture::plot::{Kind, Series};
use prequel_formats::supremica::{ACCEPTING, wdes, wmod};
use prequel_harness::paper;
use prequel_model::run::Run;
use prequel_model::{Answer, Evidence, Problem, Query};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// R. Malik, S. Ware.
pub const PAPER: Paper = Paper {
    name: "nonblocking",
    title: "R. Malik, S. Ware: On the Computation of Counterexamples in Compositional Nonblocking Verification",
    families: &[
        "diners",
        "diners-mixed",
        "line",
        "line-blocking",
        "agv",
        "agv-ring",
        "cluster",
        "cluster-blocking",
        "fms",
        "fms-blocking",
        "aip",
        "aip-blocking",
        FILES,
    ],
    remark: "The paper's agvb is among Supremica's files; the families are ours, after public descriptions of such systems. LCC: with limited\n\
        certain conflicts. The lengths of both are as the paper's algorithms give them; by default a shorter one is looked for.",
    run,
};

/// What the files of the folder count as.
const FILES: &str = "supremica";

/// Families with the sizes of the table, the first for a quick run.
const TABLE: [(&str, &[usize]); 12] = [
    ("diners", &[5, 9]),
    ("diners-mixed", &[5, 9]),
    ("line", &[2, 3]),
    ("line-blocking", &[2, 3]),
    ("agv", &[3, 6]),
    ("agv-ring", &[3, 6]),
    ("cluster", &[3, 5]),
    ("cluster-blocking", &[3, 6]),
    ("fms", &[1, 2]),
    ("fms-blocking", &[1, 2]),
    ("aip", &[3, 6]),
    ("aip-blocking", &[3, 6]),
];

/// Families that grow, up to a thousand automata; it ends at the first size that takes too long.
const GROWTH: [(&str, &[usize]); 12] = [
    ("diners", &[4, 8, 16, 32, 64, 128, 256, 500]),
    ("diners-mixed", &[4, 8, 16, 32, 64, 128, 256, 500]),
    ("line", &[2, 4, 8, 16, 32, 64, 128, 200]),
    ("line-blocking", &[2, 4, 8, 16, 32, 64, 128, 250]),
    ("agv", &[3, 6, 12, 24, 48, 96, 192, 333]),
    ("agv-ring", &[3, 6, 12, 24, 48, 96, 192, 334]),
    ("cluster", &[3, 6, 12, 24, 48, 96, 192, 250]),
    ("cluster-blocking", &[3, 6, 12, 24, 48, 96, 192, 334]),
    ("fms", &[1, 2, 4, 8, 16, 32, 58]),
    ("fms-blocking", &[1, 2, 4, 8, 16, 32, 58]),
    ("aip", &[3, 4, 5, 6, 8, 10]),
    ("aip-blocking", &[3, 4, 5, 6, 8, 10]),
];
/// How many of them a quick run has.
const QUICK_GROWTH: usize = 4;

/// What each run may use where the command line does not say.
const TIME: Duration = Duration::from_secs(60);
const QUICK_TIME: Duration = Duration::from_secs(10);
const STATES: u64 = 30_000_000;
const QUICK_STATES: u64 = 200_000;

/// A line of the table.
struct Model {
    family: &'static str,
    size: usize,
    name: String,
    problem: Problem,
    expected: Option<bool>,
    /// Lengths of counterexamples of another tool, where they are known.
    reference: Option<String>,
}

fn run(wanted: &Experiment<'_>, outcome: &mut Outcome) -> Result<(), Failure> {
    let mut rows = head();
    let cells = paper::cells("nonblocking");
    for (family, sizes) in TABLE.into_iter().filter(|(family, _)| wanted.family(family)) {
        let sizes = match wanted.size {
            Some(size) => vec![size],
            None => sizes[..if wanted.quick { 1 } else { sizes.len() }].to_vec(),
        };
        for size in sizes.into_iter().take_while(|_| !wanted.over()) {
            let instance = (sized(family, size)?.build)(size, 0);
            let asked = instance.queries.into_iter().next().expect("it is asked whether it is nonblocking");
            let problem = Problem { network: instance.network, query: asked.query };
            let name = format!("{family} {size}");
            let model = Model { family, size, name, problem, expected: asked.expected, reference: None };
            line(wanted, &model, &cells, outcome, &mut rows)?;
        }
    }
    if wanted.family(FILES) && wanted.size.is_none() {
        match &wanted.models {
            Some(folder) if folder.is_dir() => {
                for model in files(folder, wanted.quick)?.take_while(|_| !wanted.over()) {
                    line(wanted, &model?, &cells, outcome, &mut rows)?;
                }
            }
            Some(folder) => {
                let help = "it has folders wdes and wmod, and oracle.csv with what is known of the models";
                return Err(Failure::input("--models", format!("{} is no folder", folder.display()), help));
            }
            None => wanted.observer.say("only our own families: --models DIR names a folder of Supremica's models"),
        }
    }
    outcome.tables.push(Table { title: "Table 1: ours; a second number is the paper's".into(), rows });
    if wanted.size.is_none() && wanted.family.as_deref() != Some(FILES) {
        growth(wanted, outcome)?;
    }
    Ok(())
}

/// The models of a folder, in the order of its tables; of a quick run, those of the paper.
fn files(folder: &Path, quick: bool) -> Result<impl Iterator<Item = Result<Model, Failure>>, Failure> {
    let mut known = Vec::new();
    for table in ["oracle.csv", "oracle-control.csv"] {
        known.extend(rows_of(&folder.join(table))?);
    }
    let printed = paper::cells("nonblocking");
    known.retain(|(name, _)| !quick || printed.iter().any(|cell| cell.row == *name));
    let folder = folder.to_owned();
    Ok(known.into_iter().filter_map(move |(name, row)| {
        let found = ["wdes", "wmod"].map(|kind| folder.join(kind).join(format!("{name}.{kind}")));
        let file = found.into_iter().find(|file| file.exists())?;
        let column = |names: [&str; 2]| names.iter().find_map(|name| row.get(*name)).cloned();
        let expected = column(["verdict", "verdict_of_reference_tool"]).map(|word| word == "nonblocking");
        let reference = column(["reference_counterexample_lengths", "counterexample_length"]);
        let model = problem(&file).map(|problem| {
            let (family, size) = (FILES, problem.network.components().len());
            Model { family, size, name, problem, expected, reference }
        });
        Some(model)
    }))
}

/// A line of a table: the model, and the cells by their columns.
type Row = (String, BTreeMap<String, String>);

/// The lines of a table; none of one that is not there.
fn rows_of(path: &Path) -> Result<Vec<Row>, Failure> {
    let bad = |error: csv::Error| Failure::input(path.display().to_string(), error.to_string(), "it is no table");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let mut reader = csv::Reader::from_path(path).map_err(bad)?;
    let columns = reader.headers().map_err(bad)?.clone();
    let row = |row: csv::StringRecord| {
        let cells: BTreeMap<String, String> = columns.iter().zip(&row).map(|(c, v)| (c.into(), v.into())).collect();
        (row.get(0).unwrap_or_default().trim_end_matches(".wdes").to_owned(), cells)
    };
    reader.records().map(|record| record.map(row).map_err(bad)).collect()
}

fn problem(file: &Path) -> Result<Problem, Failure> {
    let (name, text) = (file.display().to_string(), std::fs::read(file));
    let text =
        text.map_err(|error| Failure::input(name.clone(), error.to_string(), "is it there, and may it be read?"))?;
    let (des, _) = match file.extension().and_then(|e| e.to_str()) {
        Some("wdes") => wdes::read(&name, &text, ACCEPTING)?,
        _ => wmod::read(&name, &text, file.parent().unwrap_or(Path::new("")), ACCEPTING)?,
    };
    Ok(Problem { network: des.system().0, query: Query::Nonblocking })
}

/// The engine as the paper has it, with or without certain conflicts.
fn as_in_the_paper(certain_conflicts: bool) -> Conflict {
    let mut options = Options { shorten: 0, ..Options::default() };
    options.rules.retain(|&rule| certain_conflicts || rule != Rule::CertainConflicts);
    Conflict { options }
}

/// One model: its states and the shortest counterexample, where they can be counted; then the engine in three ways.
fn line(
    wanted: &Experiment<'_>,
    model: &Model,
    printed: &[paper::Cell],
    outcome: &mut Outcome,
    rows: &mut Vec<Vec<String>>,
) -> Result<(), Failure> {
    let (time, states) = if wanted.quick { (QUICK_TIME, QUICK_STATES) } else { (TIME, STATES) };
    let paper = |column: &str| paper::printed(printed, "nonblocking Table 1", &model.name, column).map(str::to_owned);
    let mut row = vec![model.name.clone(), model.problem.network.components().len().to_string()];
    let mut cell = |of: &str, what, column: &str, ours: String, expected| {
        let (family, size) = (model.family, model.size);
        let label = if family == FILES { format!("{} {of}", model.name) } else { of.into() };
        let paper = if column.is_empty() { None } else { paper(column) };
        row.push(match &paper {
            Some(paper) => format!("{ours} | {paper}"),
            None => ours.clone(),
        });
        outcome.add(wanted.observer, Cell { family, size, row: label, what, paper, ours, expected });
    };
    let run = Run::new(limits(wanted, time, states), 0);
    let whole = wanted.observer.during(&run, &model.name, || Otf::default().solve(&model.problem, &run));
    let (space, shortest) = match whole {
        Answer::Unknown(why) => (format!("- ({why})"), "-".into()),
        Answer::False(Evidence::Witness(trace)) => (grouped(run.effort().states_total), trace.steps.len().to_string()),
        _ => (grouped(run.effort().states_total), "-".into()),
    };
    cell("otf", "states", "State space", space, None);
    cell("otf", "shortest counterexample", "CE min", shortest, None);
    let mut verdict = String::new();
    for (of, engine) in
        [("No LCC", as_in_the_paper(false)), ("LCC", as_in_the_paper(true)), ("default", Conflict::default())]
    {
        let measured = measure(wanted, &model.name, &model.problem, &engine, limits(wanted, time, STATES))?;
        let judged = match &measured {
            Ok(Measured { verdict, .. }) => {
                model.expected.map(|expected| if *verdict == expected { Expected::Yes } else { Expected::No })
            }
            Err(why) if of == "default" => Some(Expected::Open(why.clone())),
            Err(_) => None,
        };
        let column = |name: &str| if of == "default" { String::new() } else { format!("{of} {name}") };
        let text = |value: &dyn Fn(&Measured) -> String| match &measured {
            Ok(measured) => value(measured),
            Err(why) => format!("- ({why})"),
        };
        if of == "default" {
            verdict = text(&|m| if m.verdict { "nonblocking" } else { "blocking" }.into());
        }
        cell(of, "seconds", &column("Total"), text(&|m| format!("{:.3}", m.seconds)), judged);
        if of != "default" {
            cell(of, "expansion, seconds", &column("Exp"), text(&|m| format!("{:.3}", m.phase("expansion"))), None);
        }
        if of == "LCC" {
            cell(of, "extension, seconds", &column("Ext"), text(&|m| format!("{:.3}", m.phase("extension"))), None);
            cell(of, "extensions", &column("Ext #"), text(&|m| m.count("extensions").to_string()), None);
        }
        let length = |m: &Measured| m.length.map_or("-".into(), |length| length.to_string());
        cell(of, "length", &column("CE len"), text(&length), None);
    }
    row.insert(2, verdict);
    row.push(model.reference.clone().unwrap_or_else(|| "-".into()));
    rows.push(row);
    Ok(())
}

/// The head of the table.
fn head() -> Vec<Vec<String>> {
    let head = [
        "model",
        "n",
        "verdict",
        "states",
        "CE min",
        "No LCC s",
        "Exp",
        "CE len",
        "LCC s",
        "Exp",
        "Ext",
        "Ext #",
        "CE len",
        "default s",
        "CE len",
        "reference",
    ];
    vec![head.map(str::to_owned).to_vec()]
}

/// How the largest composition grows with the number of components.
fn growth(wanted: &Experiment<'_>, outcome: &mut Outcome) -> Result<(), Failure> {
    let mut text =
        String::from("family,size,components,verdict,seconds,peak states,states of all compositions,length\n");
    let mut curves = Vec::new();
    for (family, sizes) in GROWTH.into_iter().filter(|(family, _)| wanted.family(family)) {
        let mut series = Series { name: family.into(), points: Vec::new() };
        let sizes = sizes.iter().take(if wanted.quick { QUICK_GROWTH } else { sizes.len() });
        for &size in sizes.take_while(|_| !wanted.over()) {
            let instance = (sized(family, size)?.build)(size, 0);
            let asked = &instance.queries[0];
            let components = instance.network.components().len();
            let problem = Problem { network: instance.network, query: asked.query.clone() };
            let time = if wanted.quick { QUICK_TIME } else { TIME };
            // Larger ones take longer.
            let what = format!("{family} {size}");
            let found = measure(wanted, &what, &problem, &as_in_the_paper(true), limits(wanted, time, STATES))?;
            let Ok(measured) = found else { break };
            let Measured { verdict, seconds, largest, states, length, .. } = measured;
            let length = length.map_or(String::new(), |length| length.to_string());
            let _ = writeln!(text, "{family},{size},{components},{verdict},{seconds:.3},{largest},{states},{length}");
            let judged = if Some(verdict) == asked.expected { Expected::Yes } else { Expected::No };
            let ours = format!("{}, {seconds:.2} s", grouped(largest));
            let (row, what) = ("growth".into(), "peak states");
            outcome.add(wanted.observer, Cell { family, size, row, what, paper: None, ours, expected: Some(judged) });
            series.points.push((components as u64, largest));
        }
        curves.push(series);
    }
    if curves.iter().any(|curve| !curve.points.is_empty()) {
        outcome.csv = Some(text);
        let title = "Largest composition of conflict";
        outcome.plot = Some(plot::svg(title, "components", "states", Kind::Growth, &curves));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::find;

    #[test]
    fn every_family_of_the_tables_knows_whether_it_is_nonblocking() {
        assert!(TABLE.iter().chain(&GROWTH).all(|(family, _)| PAPER.families.contains(family)));
        for (family, sizes) in TABLE {
            let instance = (find(family).unwrap().build)(sizes[0], 0);
            assert!(matches!(instance.queries[0].query, Query::Nonblocking), "{family}");
            assert!(instance.queries[0].expected.is_some(), "{family}");
        }
    }

    #[test]
    fn the_paper_prints_what_the_columns_are_called() {
        let cells = paper::cells("nonblocking");
        let columns =
            ["CE min", "No LCC Total", "No LCC Exp", "No LCC CE len", "LCC Exp", "LCC Ext", "LCC Ext #", "LCC CE len"];
        for column in columns {
            assert!(paper::printed(&cells, "nonblocking Table 1", "agvb", column).is_some(), "{column}");
        }
    }
}
