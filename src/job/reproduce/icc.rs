//! The experiments of the ICC paper: Tables 1 and 2, and how checks grow with size.
//!
//! The models are ours, written after the same descriptions, so state counts differ; the size of each is the one that comes nearest
//! to the paper's and can be explored here. The paper's PMC, which composes and minimises, is our engine `minimise`. On the
//! fly means without partial-order reduction, as in the paper. ICC is there twice: as the search of the paper, and after the levels
//! that come first by default.

use super::measure::{Measured, grouped, limits, measure, sized};
use super::{Cell, Expected, Experiment, Outcome, Paper};
use crate::job::Failure;
use prequel_engine::Engine;
use prequel_engine::icc::{Icc, Options};
use prequel_engine::minimise::Minimise;
use prequel_engine::otf::Otf;
use prequel_formats::picture::plot;
use prequel_formats::picture::plot::{Kind, Series};
use prequel_harness::paper;
use prequel_harness::paper::number;
use prequel_model::run::{Limits, Run};
use prequel_model::{Answer, Goal, Problem, Query, Why};
use std::fmt::Write as _;
use std::time::Duration;

/// A. Wijs, T. Neele.
pub const PAPER: Paper = Paper {
    name: "icc",
    title: "A. Wijs, T. Neele: Compositional Model Checking with Incremental Counter-Example Construction",
    families: &[
        "link1394",
        "transit",
        "wafer",
        "lamport-faulty",
        "lann",
        "gas-station",
        "havi",
        "peterson",
        "szymanski",
        "philo",
        "token-ring",
    ],
    remark: "The models are ours, after the same descriptions; so state counts differ. The queries of HAVi and Peterson are easy ones\n\
        of their type, and the engine's defaults were chosen on these models.",
    run,
};

/// What of ours stands beside a line of Tables 1 and 2, whose cells are in benchmarks/papers/icc.csv.
struct Ours {
    /// The line, as printed.
    model: &'static str,
    family: &'static str,
    size: usize,
    /// A smaller one, for a quick run.
    quick: usize,
    /// Which of the family's queries is of the paper's type.
    query: usize,
}

const OURS: [Ours; 11] = [
    Ours { model: "1394", family: "link1394", size: 2, quick: 2, query: 0 },
    Ours { model: "1394.1", family: "link1394", size: 3, quick: 2, query: 0 },
    Ours { model: "transit", family: "transit", size: 2, quick: 2, query: 0 },
    Ours { model: "wafer_stepper.1", family: "wafer", size: 8, quick: 4, query: 0 },
    Ours { model: "Lamport8", family: "lamport-faulty", size: 5, quick: 3, query: 0 },
    Ours { model: "Lann5", family: "lann", size: 10, quick: 4, query: 0 },
    Ours { model: "Gas station c2", family: "gas-station", size: 2, quick: 2, query: 0 },
    Ours { model: "Gas station c3", family: "gas-station", size: 3, quick: 3, query: 0 },
    Ours { model: "HAVi3.2", family: "havi", size: 6, quick: 3, query: 1 },
    Ours { model: "Peterson7", family: "peterson", size: 5, quick: 4, query: 1 },
    Ours { model: "Szymanski5", family: "szymanski", size: 5, quick: 3, query: 0 },
];

/// What each run may use where the command line does not say.
const TIME: Duration = Duration::from_secs(60);
const QUICK_TIME: Duration = Duration::from_secs(10);
const STATES: u64 = 30_000_000;
/// Of an engine that minimises what it explores, however large: that takes longer than to explore it.
const COMPOSED: u64 = 2_000_000;

/// Families, a query of each, and sizes, for the curves.
const GROWTH: [(&str, usize, &str, &[usize]); 5] = [
    ("peterson", 1, "peterson, precedence", &[3, 4, 5, 6, 7, 8, 9]),
    ("peterson", 2, "peterson, mutual exclusion", &[3, 4, 5]),
    ("philo", 1, "philosophers, every second eats", &[3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16]),
    ("philo", 0, "philosophers, deadlock", &[3, 4, 5, 6, 7, 8]),
    ("token-ring", 0, "ring, one token", &[3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16]),
];

fn run(wanted: &Experiment<'_>, outcome: &mut Outcome) -> Result<(), Failure> {
    let mut done = Vec::new();
    let cells = paper::cells("icc");
    for ours in OURS.iter().filter(|ours| wanted.family(ours.family)).take_while(|_| !wanted.over()) {
        let usual = if wanted.quick { ours.quick } else { ours.size };
        let size = wanted.size.unwrap_or(usual);
        // Two lines of the table may come to the same model.
        if !done.contains(&(ours.family, size)) {
            done.push((ours.family, size));
            line(wanted, ours, size, &cells, outcome)?;
        }
    }
    if wanted.size.is_none() {
        growth(wanted, outcome)?;
    }
    Ok(())
}

/// The limits of a run of an engine.
fn limited(wanted: &Experiment<'_>, engine: &dyn Engine) -> Limits {
    let states = if engine.name() == "minimise" { COMPOSED } else { STATES };
    limits(wanted, if wanted.quick { QUICK_TIME } else { TIME }, states)
}

/// One model: its states, and the three ways to check it.
fn line(
    wanted: &Experiment<'_>,
    ours: &Ours,
    size: usize,
    cells: &[paper::Cell],
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let instance = (sized(ours.family, size)?.build)(size, 0);
    let asked = &instance.queries[ours.query];
    let expected = asked.expected.expect("the families of the table know their answers");
    let problem = Problem { network: instance.network, query: asked.query.clone() };
    let printed =
        |table: &str, column: &str| paper::printed(cells, table, ours.model, column).filter(|_| size == ours.size);
    let mut cell = |row: &str, what, paper: Option<&str>, found: String, expected| {
        let (paper, row) = (paper.map(str::to_owned), format!("{} {row}", ours.model));
        outcome.add(wanted.observer, Cell { family: ours.family, size, row, what, paper, ours: found, expected });
    };
    let otf = Otf { reduce: false, ..Otf::default() };
    let whole = Problem { network: problem.network.clone(), query: Query::Reach(Goal::Or(Vec::new())) };
    let run = Run::new(limited(wanted, &otf), 0);
    let space = match wanted.observer.during(&run, ours.model, || otf.solve(&whole, &run)) {
        Answer::Unknown(why) => Err(why),
        _ => Ok(run.effort().states_total),
    };
    let shown = |counted: &Result<u64, Why>| match counted {
        Ok(states) => grouped(*states),
        Err(why) => format!("- ({why})"),
    };
    let states = printed("icc Table 1", "#states");
    cell("", "states", states, shown(&space), None);
    let satisfied = printed("icc Table 1", "Satisfied").map(|word| if word == "Y" { "true" } else { "false" });
    // Where icc explores the product, it does so as on the fly.
    let options = Options { reduce: false, ..Options::default() };
    let (minimise, levels) = (Minimise::default(), Icc { options });
    let incremental = Icc { options: Options { level: 0, ..options } };
    let engines: [(&str, &dyn Engine, _); 4] = [
        ("OTF", &otf, "OTF"),
        ("minimise (PMC)", &minimise, "PMC"),
        ("ICC", &incremental, "ICC"),
        ("ICC after levels", &levels, "ICC"),
    ];
    for (row, engine, columns) in engines.into_iter().take_while(|_| !wanted.over()) {
        let paper = |column: &str| printed("icc Table 2", &format!("{columns} {column}"));
        let measured = measure(wanted, ours.model, &problem, engine, limited(wanted, engine))?;
        let (verdict, counts) = match &measured {
            Ok(measured) => {
                let as_expected = if measured.verdict == expected { Expected::Yes } else { Expected::No };
                (measured.verdict.to_string(), Some((as_expected, measured)))
            }
            Err(why) => (format!("- ({why})"), None),
        };
        let judged = match (&measured, &counts) {
            (_, Some((judged, _))) => Some(judged.clone()),
            // That the others do not finish is what the paper shows.
            (Err(why), _) if row.starts_with("ICC") => Some(Expected::Open(why.clone())),
            _ => None,
        };
        cell(row, "holds", satisfied, verdict, judged);
        let Some((_, measured)) = counts else { continue };
        cell(row, "seconds", paper("Time"), format!("{:.2}", measured.seconds), None);
        cell(row, "largest check", paper("#states"), grouped(measured.largest), None);
        if row.starts_with("ICC") {
            cell(row, "checks", paper("#iters"), grouped(measured.checks), None);
        }
        if let Ok(space) = space {
            let share = |largest: f64, space: f64| format!("{:.4} %", 100.0 * largest / space);
            let of = paper("#states").and_then(number).zip(states.and_then(number));
            let paper = of.map(|(largest, space)| share(largest, space));
            cell(row, "share of states", paper.as_deref(), share(measured.largest as f64, space as f64), None);
        }
    }
    Ok(())
}

/// How checks, and the largest of them, grow with size.
fn growth(wanted: &Experiment<'_>, outcome: &mut Outcome) -> Result<(), Failure> {
    let mut text = String::from("family,query,size,verdict,seconds,checks,largest check\n");
    let mut curves = Vec::new();
    for (name, query, title, sizes) in GROWTH.into_iter().filter(|(name, ..)| wanted.family(name)) {
        let mut series =
            ["checks", "largest check"].map(|what| Series { name: format!("{title}: {what}"), points: Vec::new() });
        for &size in sizes.iter().take(if wanted.quick { 4 } else { sizes.len() }).take_while(|_| !wanted.over()) {
            let instance = (sized(name, size)?.build)(size, 0);
            let asked = &instance.queries[query];
            let problem = Problem { network: instance.network, query: asked.query.clone() };
            // Larger ones take longer.
            let limits = limited(wanted, &Icc::default());
            let Ok(measured) = measure(wanted, title, &problem, &Icc::default(), limits)? else { break };
            let Measured { verdict, seconds, largest, checks, .. } = measured;
            let _ = writeln!(text, "{name},\"{}\",{size},{verdict},{seconds:.3},{checks},{largest}", asked.text);
            let judged = if Some(verdict) == asked.expected { Expected::Yes } else { Expected::No };
            let ours = format!("{} checks, largest {}", grouped(checks), grouped(largest));
            let (row, paper) = (format!("growth: {title}"), None);
            outcome.add(
                wanted.observer,
                Cell { family: name, size, row, what: "ICC", paper, ours, expected: Some(judged) },
            );
            for (series, value) in series.iter_mut().zip([checks, largest]) {
                series.points.push((size as u64, value));
            }
        }
        curves.extend(series);
    }
    if curves.iter().any(|curve| !curve.points.is_empty()) {
        outcome.csv = Some(text);
        outcome.plot =
            Some(plot::svg("Checks of icc, and the largest of them", "size", "checks, states", Kind::Growth, &curves));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::find;

    #[test]
    fn the_table_and_its_file_name_the_same_models_and_answers() {
        let cells = paper::cells("icc");
        for ours in &OURS {
            let of: Vec<&paper::Cell> = cells.iter().filter(|cell| cell.row == ours.model).collect();
            assert_eq!(of.len(), 11, "{}", ours.model);
            assert!(of.iter().all(|cell| cell.model == format!("{} {}", ours.family, ours.size)), "{}", ours.model);
            let instance = (find(ours.family).unwrap().build)(ours.size, 0);
            let asked = &instance.queries[ours.query];
            let satisfied = paper::printed(&cells, "icc Table 1", ours.model, "Satisfied");
            assert_eq!(satisfied.map(|word| word == "Y"), asked.expected, "{}", ours.model);
            let text = asked.text.replace('\'', "");
            assert!(of.iter().all(|cell| text.starts_with(&cell.query)), "{}: {text}", ours.model);
        }
        assert_eq!(cells.len(), 11 * OURS.len());
    }
}
