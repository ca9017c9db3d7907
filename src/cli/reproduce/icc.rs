//! The experiments of the ICC paper: Tables 1 and 2, and how checks grow with size.
//!
//! The models are ours, written after the same descriptions, so state counts differ; the size of each is the one that comes nearest
//! to the paper's and can be explored here. The paper's PMC, which composes and minimises, is our engine `minimise`. On the
//! fly means without partial-order reduction, as in the paper. ICC is there twice: as the search of the paper, and after the levels
//! that come first by default.

use super::{Cell, Expected, Outcome, Paper, Wanted};
use crate::cli::exit::Failure;
use crate::cli::progress;
use crate::emit::plot::{self, Series};
use crate::engine::Engine;
use crate::engine::icc::{Icc, Options};
use crate::engine::minimise::Minimise;
use crate::engine::otf::Otf;
use crate::engine::run::{Limits, Run};
use crate::evidence::witness;
use crate::families::{Family, find};
use crate::model::{Answer, Evidence, Goal, Problem, Query, Why};
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

/// A line of Tables 1 and 2.
struct Printed {
    model: &'static str,
    family: &'static str,
    size: usize,
    /// A smaller one, for a quick run.
    quick: usize,
    /// Which of the family's queries is of the paper's type.
    query: usize,
    states: &'static str,
    otf: [&'static str; 2],
    pmc: [&'static str; 2],
    icc: [&'static str; 3],
}

const TIMEOUT: [&str; 2] = ["T/O", "-"];

const PRINTED: [Printed; 11] = [
    Printed {
        model: "1394",
        family: "link1394",
        size: 2,
        quick: 2,
        query: 0,
        states: "69,518",
        otf: ["9.35", "69,518"],
        pmc: ["26.13", "1,061"],
        icc: ["10.48", "5,659", "3"],
    },
    Printed {
        model: "1394.1",
        family: "link1394",
        size: 3,
        quick: 2,
        query: 0,
        states: "563,040",
        otf: ["51.04", "563,040"],
        pmc: ["36.15", "1,061"],
        icc: ["155.66", "219,981", "5"],
    },
    Printed {
        model: "transit",
        family: "transit",
        size: 2,
        quick: 2,
        query: 0,
        states: "3,480,248",
        otf: ["7.76", "50,970"],
        pmc: ["1,044.03", "1,437,433"],
        icc: ["5.69", "10,443", "5"],
    },
    Printed {
        model: "wafer_stepper.1",
        family: "wafer",
        size: 8,
        quick: 4,
        query: 0,
        states: "6,099,751",
        otf: ["20.27", "60,809"],
        pmc: ["68.09", "3,821"],
        icc: ["18.67", "28,227", "8"],
    },
    Printed {
        model: "Lamport8",
        family: "lamport-faulty",
        size: 5,
        quick: 3,
        query: 0,
        states: "62,669,317",
        otf: ["2.66", "30,041"],
        pmc: ["56.52", "301,711"],
        icc: ["11.78", "22,552", "6"],
    },
    Printed {
        model: "Lann5",
        family: "lann",
        size: 10,
        quick: 4,
        query: 0,
        states: "993,914",
        otf: ["289.65", "993,914"],
        pmc: TIMEOUT,
        icc: ["1.39", "33", "35"],
    },
    Printed {
        model: "Gas station c2",
        family: "gas-station",
        size: 2,
        quick: 2,
        query: 0,
        states: "165",
        otf: ["0.08", "165"],
        pmc: ["0.54", "342"],
        icc: ["0.91", "595", "11"],
    },
    Printed {
        model: "Gas station c3",
        family: "gas-station",
        size: 3,
        quick: 3,
        query: 0,
        states: "1,197",
        otf: ["0.21", "1,197"],
        pmc: ["12.53", "4,532"],
        icc: ["9.15", "4,930", "21"],
    },
    Printed {
        model: "HAVi3.2",
        family: "havi",
        size: 6,
        quick: 3,
        query: 1,
        states: "19,554,248",
        otf: TIMEOUT,
        pmc: ["21.24", "12"],
        icc: ["8.89", "167", "57"],
    },
    Printed {
        model: "Peterson7",
        family: "peterson",
        size: 5,
        quick: 4,
        query: 1,
        states: "142,471,098",
        otf: TIMEOUT,
        pmc: TIMEOUT,
        icc: ["7.11", "34", "73"],
    },
    Printed {
        model: "Szymanski5",
        family: "szymanski",
        size: 5,
        quick: 3,
        query: 0,
        states: "79,518,740",
        otf: TIMEOUT,
        pmc: TIMEOUT,
        icc: ["2.67", "48", "21"],
    },
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

fn run(wanted: &Wanted<'_>) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut done = Vec::new();
    for printed in PRINTED.iter().filter(|printed| wanted.family(printed.family)) {
        let usual = if wanted.quick { printed.quick } else { printed.size };
        let size = wanted.size.unwrap_or(usual);
        // Two lines of the table may come to the same model.
        if !done.contains(&(printed.family, size)) {
            done.push((printed.family, size));
            line(wanted, printed, size, size == printed.size, &mut outcome)?;
        }
    }
    if wanted.size.is_none() {
        growth(wanted, &mut outcome)?;
    }
    Ok(outcome)
}

/// The limits of one run.
fn limits(wanted: &Wanted<'_>, states: u64) -> Limits {
    let asked = wanted.limits.start().limits;
    let time = if wanted.quick { QUICK_TIME } else { TIME };
    Limits { time: asked.time.or(Some(time)), states: asked.states.or(Some(states)), ..asked }
}

fn sized(name: &str, size: usize) -> Result<&'static Family, Failure> {
    let family = find(name).expect("the families of the table exist");
    if (family.smallest..=family.largest).contains(&size) {
        return Ok(family);
    }
    let message = format!("{name} has sizes from {} to {}, not {size}", family.smallest, family.largest);
    Err(Failure::input("--size", message, "choose a size in that range"))
}

/// One model: its states, and the three ways to check it.
fn line(wanted: &Wanted<'_>, printed: &Printed, size: usize, same: bool, outcome: &mut Outcome) -> Result<(), Failure> {
    let instance = (sized(printed.family, size)?.build)(size, 0);
    let asked = &instance.queries[printed.query];
    let expected = asked.expected.expect("the families of the table know their answers");
    let problem = Problem { network: instance.network, query: asked.query.clone() };
    let mut cell = |row: &str, what, paper: Option<&str>, ours: String, expected| {
        let paper = paper.filter(|_| same).map(str::to_owned);
        let row = format!("{} {row}", printed.model);
        outcome.cells.push(Cell { family: printed.family, size, row, what, paper, ours, expected });
    };
    let otf = Otf { reduce: false, ..Otf::default() };
    let whole = Problem { network: problem.network.clone(), query: Query::Reach(Goal::Or(Vec::new())) };
    let run = Run::new(limits(wanted, STATES), 0);
    let space = match progress::watch(&run, printed.model, wanted.output, || otf.solve(&whole, &run)) {
        Answer::Unknown(why) => Err(why),
        _ => Ok(run.effort().states_total),
    };
    let shown = |counted: &Result<u64, Why>| match counted {
        Ok(states) => grouped(*states),
        Err(why) => format!("- ({why})"),
    };
    cell("", "states", Some(printed.states), shown(&space), None);
    let [seconds, largest, checks] = printed.icc;
    let icc = [seconds, largest];
    // Where icc explores the product, it does so as on the fly.
    let options = Options { reduce: false, ..Options::default() };
    let (minimise, levels) = (Minimise::default(), Icc { options });
    let incremental = Icc { options: Options { level: 0, ..levels.options } };
    let engines: [(&str, &dyn Engine, _); 4] = [
        ("OTF", &otf, printed.otf),
        ("minimise (PMC)", &minimise, printed.pmc),
        ("ICC", &incremental, icc),
        ("ICC after levels", &levels, icc),
    ];
    for (row, engine, paper) in engines {
        let measured = measure(wanted, printed.model, &problem, engine)?;
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
        cell(row, "holds", Some(if expected { "true" } else { "false" }), verdict, judged);
        let Some((_, measured)) = counts else { continue };
        cell(row, "seconds", Some(paper[0]), format!("{:.2}", measured.seconds), None);
        cell(row, "largest check", Some(paper[1]), grouped(measured.largest), None);
        if row.starts_with("ICC") {
            cell(row, "checks", Some(checks), grouped(measured.checks), None);
        }
        if let Ok(space) = space {
            let share = |largest: f64, space: f64| format!("{:.4} %", 100.0 * largest / space);
            let paper = number(paper[1]).zip(number(printed.states)).map(|(largest, space)| share(largest, space));
            cell(row, "share of states", paper.as_deref(), share(measured.largest as f64, space as f64), None);
        }
    }
    Ok(())
}

/// What a run comes to.
struct Measured {
    verdict: bool,
    seconds: f64,
    largest: u64,
    checks: u64,
}

/// Runs an engine; a witness is replayed.
fn measure(
    wanted: &Wanted<'_>,
    what: &str,
    problem: &Problem,
    engine: &dyn Engine,
) -> Result<Result<Measured, Why>, Failure> {
    let states = if engine.name() == "minimise" { COMPOSED } else { STATES };
    let run = Run::new(limits(wanted, states), wanted.limits.seed);
    let answer = progress::watch(&run, what, wanted.output, || engine.solve(problem, &run));
    let effort = run.effort();
    let (verdict, evidence) = match answer {
        Answer::True(evidence) => (true, evidence),
        Answer::False(evidence) => (false, evidence),
        Answer::Unknown(why) => return Ok(Err(why)),
    };
    if let Evidence::Witness(trace) = evidence {
        witness::check(problem, &trace)
            .map_err(|why| Failure::Internal(format!("the witness does not show the verdict: {why}")))?;
    }
    Ok(Ok(Measured { verdict, seconds: effort.seconds, largest: effort.states_peak, checks: effort.checks }))
}

/// How checks, and the largest of them, grow with size.
fn growth(wanted: &Wanted<'_>, outcome: &mut Outcome) -> Result<(), Failure> {
    let mut text = String::from("family,query,size,verdict,seconds,checks,largest check\n");
    let mut curves = Vec::new();
    for (name, query, title, sizes) in GROWTH.into_iter().filter(|(name, ..)| wanted.family(name)) {
        let mut series =
            ["checks", "largest check"].map(|what| Series { name: format!("{title}: {what}"), points: Vec::new() });
        for &size in sizes.iter().take(if wanted.quick { 4 } else { sizes.len() }) {
            let instance = (sized(name, size)?.build)(size, 0);
            let asked = &instance.queries[query];
            let problem = Problem { network: instance.network, query: asked.query.clone() };
            // Larger ones take longer.
            let Ok(measured) = measure(wanted, title, &problem, &Icc::default())? else { break };
            let Measured { verdict, seconds, largest, checks } = measured;
            let _ = writeln!(text, "{name},\"{}\",{size},{verdict},{seconds:.3},{checks},{largest}", asked.text);
            let judged = if Some(verdict) == asked.expected { Expected::Yes } else { Expected::No };
            let ours = format!("{} checks, largest {}", grouped(checks), grouped(largest));
            let (row, paper) = (format!("growth: {title}"), None);
            outcome.cells.push(Cell { family: name, size, row, what: "ICC", paper, ours, expected: Some(judged) });
            for (series, value) in series.iter_mut().zip([checks, largest]) {
                series.points.push((size as u64, value));
            }
        }
        curves.extend(series);
    }
    if !curves.is_empty() {
        outcome.csv = Some(text);
        outcome.plot = Some(plot::svg("Checks of icc, and the largest of them", "size", "checks, states", &curves));
    }
    Ok(())
}

/// A number as the paper prints it.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number that the paper prints, if it is one.
fn number(text: &str) -> Option<f64> {
    text.replace(',', "").parse().ok()
}
