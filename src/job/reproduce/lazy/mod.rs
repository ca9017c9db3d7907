//! The experiments of the paper on lazy reachability: Tables 2 and 3.
//!
//! The families are those of the paper (its Table 1), so cells can be read side by side. The paper's two columns are LaRA, which is the
//! engine `lazy`, and LoLA, a model checker for Petri nets, which is run where it is installed. Beside them are the engines that there
//! are. What of a property its first component needs alone is there for the paper's argument: that does not grow with the system.

mod tables;

use super::measure::{Measured, grouped, limits, measure, sized};
use super::{Cell, Expected, Experiment, Outcome, Paper};
use crate::engines::engines;
use crate::job::Failure;
use prequel_engine::lazy::Lazy;
use prequel_engine::otf::Otf;
use prequel_harness::lola;
use prequel_harness::paper;
use prequel_harness::paper::number;
use prequel_model::run::Run;
use prequel_model::{Goal, NetQuery, Origin, Problem, Query, Why};
use prequel_net::join;
use std::collections::BTreeSet;
use std::time::Duration;
use tables::Point;

/// L. Jezequel, D. Lime.
pub const PAPER: Paper = Paper {
    name: "lazy",
    title: "L. Jezequel, D. Lime: Lazy Reachability Analysis in Distributed Systems",
    families: &["cyclic", "dac", "philo", "philo-dict", "philo-sync", "token-ring"],
    remark: "The families are the paper's. LaRA is the engine `lazy`; otf, icc and minimise are engines that the paper does not have. Who gave\n\
        up on a smaller model with the same answer is not asked again. Seconds are those of the engine on a model in memory, for\n\
        `lazy` the least of some runs; LoLA reads a file.",
    run,
};

/// The tables' column that is ours, and the one that is not.
const LARA: &str = "LaRA";
const LOLA: &str = "LoLA";
/// Engines beside them.
const OURS: [&str; 3] = ["otf", "icc", "minimise"];
/// The largest size that other engines are asked about unless `--size` says otherwise: beyond it are models that only `lazy` is made for.
const LARGEST: usize = 45;
const LARGEST_QUICK: usize = 16;
/// The largest one where `--size` names it.
const LARGEST_ASKED: usize = 1000;
/// Beyond the paper.
const BEYOND: usize = 100_000;
/// What each run may use where the command line does not say.
const TIME: Duration = Duration::from_secs(20);
const QUICK_TIME: Duration = Duration::from_secs(5);
const STATES: u64 = 30_000_000;
/// Runs of `lazy` on one model, as long as all together take less than so many seconds.
const RUNS: usize = 5;
const ENOUGH: f64 = 2.0;

/// Who gave up on which question: family, who, and the verdict that was expected.
type GaveUp = BTreeSet<(&'static str, &'static str, Option<bool>)>;

fn run(wanted: &Experiment<'_>, outcome: &mut Outcome) -> Result<(), Failure> {
    let cells = paper::cells("lazy");
    let tables = cells.iter().filter(|cell| !cell.model.is_empty() && cell.column == LARA);
    let (mut gave_up, mut points) = (GaveUp::new(), Vec::new());
    let mut families: Vec<(&str, &str)> = Vec::new();
    let mut models: Vec<(&str, usize)> = Vec::new();
    for cell in tables {
        let (row, size) = cell.row.split_once(' ').expect("a row is a model and a size");
        let name = cell.model.split_once(' ').map_or("", |(family, _)| family);
        let family = PAPER.families.iter().copied().find(|family| *family == name).expect("it is one of the paper's");
        if !families.contains(&(row, family)) {
            families.push((row, family));
        }
        models.push((family, size.parse().expect("a size is a number")));
    }
    for (row, family) in families.into_iter().filter(|(_, family)| wanted.family(family)) {
        let printed = models.iter().filter(|(of, ..)| *of == family).map(|(_, size)| *size);
        let sizes: Vec<usize> = match wanted.size {
            Some(size) => vec![size],
            None if wanted.quick => printed.filter(|size| *size <= LARGEST_QUICK).collect(),
            None => printed.chain((family != "token-ring").then_some(BEYOND)).collect(),
        };
        for size in sizes.into_iter().take_while(|_| !wanted.over()) {
            points.extend(model(wanted, &cells, (row, family, size), &mut gave_up, outcome)?);
        }
    }
    outcome.tables = tables::laid_out(&points);
    if !points.is_empty() {
        (outcome.csv, outcome.plot) = (Some(tables::csv(&points)), Some(tables::plot(&points)));
    }
    Ok(())
}

/// One model: the paper's columns, then the engines that there are. What `lazy` came to, if it came to an end.
fn model(
    wanted: &Experiment<'_>,
    cells: &[paper::Cell],
    (row, family, size): (&str, &'static str, usize),
    gave_up: &mut GaveUp,
    outcome: &mut Outcome,
) -> Result<Option<Point>, Failure> {
    let instance = (sized(family, size)?.build)(size, 0);
    let asked = instance.queries.iter().find(|query| query.why.starts_with("the paper's property"));
    let asked = asked.expect("these families know the paper's property");
    let (expected, name) = (asked.expected, format!("{family} {size}"));
    let problem = Problem { network: instance.network, query: asked.query.clone() };
    let verified = paper::printed(cells, "lazy Table 1", row, "Verified?").map(|text| holds(text, size).to_string());
    let table = if family == "token-ring" { "lazy Table 3" } else { "lazy Table 2" };
    let printed = |column: &str| paper::printed(cells, table, &format!("{row} {size}"), column).map(str::to_owned);
    let components = problem.network.components().len();
    let mut point = None;
    let mut cell = |row: &str, what, paper, ours: String, expected| {
        outcome.add(wanted.observer, Cell { family, size, row: row.into(), what, paper, ours, expected });
    };
    let mut told = |row: &str, printed: Option<String>, measured: Result<Measured, Why>| match measured {
        Ok(measured) => {
            let judged = if Some(measured.verdict) == expected { Expected::Yes } else { Expected::No };
            cell(row, "holds", verified.clone(), measured.verdict.to_string(), Some(judged));
            cell(row, "seconds", printed, format!("{:.3}", measured.seconds), None);
            if measured.states > 0 {
                cell(row, "states", None, grouped(measured.states), None);
            }
            if let Some(needed) = measured.needed {
                cell(row, "components used", None, format!("{needed} of {components}"), None);
            }
            Some(measured)
        }
        Err(why) => {
            cell(row, "seconds", printed, format!("- ({why})"), None);
            None
        }
    };
    let may_use = || limits(wanted, if wanted.quick { QUICK_TIME } else { TIME }, STATES);
    let lazy = Lazy::default();
    if !gave_up.contains(&(family, LARA, expected)) {
        let measured = least(wanted, || measure(wanted, &name, &problem, &lazy, may_use()))?;
        match told(LARA, printed(LARA), measured) {
            None => drop(gave_up.insert((family, LARA, expected))),
            Some(measured) => {
                let alone = Problem { network: problem.network.clone(), query: first_alone(&problem.query) };
                let alone = measure(wanted, &name, &alone, &lazy, may_use())?.ok().and_then(|measured| measured.needed);
                let (lara, lola) = (printed(LARA), printed(LOLA));
                let Measured { verdict, seconds, states, needed, .. } = measured;
                point = Some(Point { family, size, verdict, seconds, states, components, needed, alone, lara, lola });
            }
        }
    }
    let measured = match lola::find() {
        _ if gave_up.contains(&(family, LOLA, expected)) => None,
        Some(program) => Some(ask_lola(&program, &problem, &Run::new(may_use(), 0))),
        None => printed(LOLA).map(|_| Err(Why::External("LoLA is not installed: there is no `lola` on PATH".into()))),
    };
    if let Some(measured) = measured
        && told(LOLA, printed(LOLA), measured).is_none()
        && lola::find().is_some()
    {
        gave_up.insert((family, LOLA, expected));
    }
    let largest = if wanted.size.is_some() { LARGEST_ASKED } else { LARGEST };
    let known = engines(Otf::default());
    for name in OURS.into_iter().filter(|_| size <= largest).take_while(|_| !wanted.over()) {
        let engine = known.iter().find(|engine| engine.name() == name).expect("it is one of ours");
        if gave_up.contains(&(family, name, expected)) {
            continue;
        }
        let measured = measure(wanted, &format!("{family} {size}"), &problem, engine.as_ref(), may_use())?;
        if told(name, None, measured).is_none() {
            gave_up.insert((family, name, expected));
        }
    }
    Ok(point)
}

/// The run that took least of a few, as long as they are short.
fn least(
    wanted: &Experiment<'_>,
    mut run: impl FnMut() -> Result<Result<Measured, Why>, Failure>,
) -> Result<Result<Measured, Why>, Failure> {
    let mut best = match run()? {
        Ok(measured) => measured,
        Err(why) => return Ok(Err(why)),
    };
    let mut all = best.seconds;
    for _ in 1..if wanted.quick { 1 } else { RUNS } {
        if all >= ENOUGH {
            break;
        }
        let Ok(again) = run()? else { break };
        all += again.seconds;
        if again.seconds < best.seconds {
            best = again;
        }
    }
    Ok(Ok(best))
}

/// What the goal asks of the first component that it mentions.
fn first_alone(query: &Query) -> Query {
    match query {
        Query::Reach(Goal::And(all)) if !all.is_empty() => Query::Reach(all[0].clone()),
        other => other.clone(),
    }
}

/// What LoLA says of the network as a net.
fn ask_lola(program: &std::path::Path, problem: &Problem, run: &Run) -> Result<Measured, Why> {
    let Query::Reach(goal) = &problem.query else {
        return Err(Why::Refused("LoLA is asked for goals".into()));
    };
    let net = join::join(&problem.network, &Origin::default()).map_err(|why| Why::Refused(why.to_string()))?;
    let query = NetQuery::Possible(join::condition(&problem.network, goal));
    let (verdict, time) = lola::ask(program, &net, &query, run)?;
    Ok(Measured::told(verdict, time.as_secs_f64()))
}

/// What Table 1 says of a size: `Yes.`, `No.`, or `Yes for even sizes. No for odd sizes.`
fn holds(text: &str, size: usize) -> bool {
    text.starts_with("Yes") && (!text.contains("even") || size.is_multiple_of(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_families::find;

    #[test]
    fn our_families_have_the_answers_of_the_paper() {
        let cells = paper::cells("lazy");
        let of = cells.iter().filter(|cell| !cell.model.is_empty());
        let mut seen = 0;
        for cell in of {
            let (row, size) = cell.row.split_once(' ').unwrap();
            let size: usize = size.parse().unwrap();
            if size > LARGEST {
                continue;
            }
            let instance = (find(cell.model.split_once(' ').unwrap().0).unwrap().build)(size, 0);
            let asked = instance.queries.iter().find(|query| query.why.starts_with("the paper's property")).unwrap();
            let verified = paper::printed(&cells, "lazy Table 1", row, "Verified?").unwrap();
            assert_eq!(asked.expected, Some(holds(verified, size)), "{}", cell.row);
            assert!(asked.text.replace('\'', "").starts_with(&cell.query), "{}: {}", cell.row, asked.text);
            seen += 1;
        }
        // Nine sizes of five families, seven of the ring; two columns.
        assert_eq!(seen, 2 * (5 * 9 + 7));
    }
}
