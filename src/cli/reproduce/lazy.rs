//! The experiments of the paper on lazy reachability: Tables 2 and 3.
//!
//! The families are those of the paper (its Table 1), so cells can be read side by side. The paper's two columns are LaRA, which is the
//! engine `lazy`, and LoLA, a model checker for Petri nets; where one of them cannot be run here its cell says so. Beside them are the
//! engines that there are.

use super::measure::{aligned, grouped, limits, measure, sized};
use super::{Cell, Expected, Outcome, Paper, Wanted};
use crate::cli::exit::Failure;
use crate::engine::engines;
use crate::engine::otf::Otf;
use crate::harness::paper;
use crate::model::Problem;
use std::collections::BTreeSet;
use std::time::Duration;

/// L. Jezequel, D. Lime.
pub const PAPER: Paper = Paper {
    name: "lazy",
    title: "L. Jezequel, D. Lime: Lazy Reachability Analysis in Distributed Systems",
    families: &["cyclic", "dac", "philo", "philo-dict", "philo-sync", "token-ring"],
    remark: "The families are the paper's. LaRA is the engine `lazy`; otf, icc and minimise are engines that the paper does not have. Who gave\n\
        up on a smaller model with the same answer is not asked again.",
    run,
};

/// The tables' columns, with what runs them.
const COLUMNS: [(&str, &str); 2] = [("LaRA", "lazy"), ("LoLA", "lola")];
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

fn run(wanted: &Wanted<'_>) -> Result<Outcome, Failure> {
    let (cells, mut outcome) = (paper::cells("lazy"), Outcome::default());
    let tables = cells.iter().filter(|cell| !cell.model.is_empty() && cell.column == COLUMNS[0].0);
    let mut gave_up: BTreeSet<(&str, &str, Option<bool>)> = BTreeSet::new();
    let mut families: Vec<(&str, &str)> = Vec::new();
    let mut models: Vec<(&str, usize, &paper::Cell)> = Vec::new();
    for cell in tables {
        let (row, size) = cell.row.split_once(' ').expect("a row is a model and a size");
        let name = cell.model.split_once(' ').map_or("", |(family, _)| family);
        let family = PAPER.families.iter().copied().find(|family| *family == name).expect("it is one of the paper's");
        if !families.contains(&(row, family)) {
            families.push((row, family));
        }
        models.push((family, size.parse().expect("a size is a number"), cell));
    }
    for (row, family) in families.into_iter().filter(|(_, family)| wanted.family(family)) {
        let printed = models.iter().filter(|(of, ..)| *of == family).map(|(_, size, _)| *size);
        let sizes: Vec<usize> = match wanted.size {
            Some(size) => vec![size],
            None if wanted.quick => printed.filter(|size| *size <= LARGEST_QUICK).collect(),
            None => printed.chain((family != "token-ring").then_some(BEYOND)).collect(),
        };
        for size in sizes {
            model(wanted, &cells, (row, family, size), &mut gave_up, &mut outcome)?;
        }
    }
    outcome.tables = laid_out(&outcome.cells);
    Ok(outcome)
}

/// Tables 2 and 3, a line for each size and a column for each family; then how many components were used.
fn laid_out(cells: &[Cell]) -> Vec<String> {
    let mut families: Vec<&str> = cells.iter().map(|cell| cell.family).collect();
    families.dedup();
    let mut sizes: Vec<usize> = cells.iter().map(|cell| cell.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let find = |family: &str, size: usize, row: &str, what: &str| {
        cells.iter().find(|c| c.family == family && c.size == size && c.row == row && c.what == what)
    };
    let printed = |cell: Option<&Cell>| cell.and_then(|cell| cell.paper.clone()).unwrap_or_else(|| "–".into());
    let ours = |cell: &Cell| cell.ours.split(' ').next().unwrap_or_default().to_owned();
    let seconds = |family: &str, size: usize| {
        let (lara, lola) = (find(family, size, "LaRA", "seconds"), find(family, size, "LoLA", "seconds"));
        lara.map_or(String::new(), |cell| format!("{} | {} | {}", ours(cell), printed(lara), printed(lola)))
    };
    let used = |family: &str, size: usize| {
        find(family, size, "LaRA", "components used").map_or(String::new(), |cell| cell.ours.clone())
    };
    let grid = |title: &str, text: &dyn Fn(&str, usize) -> String| {
        let head = std::iter::once("size".to_owned()).chain(families.iter().map(|&family| family.into())).collect();
        let row = |&size: &usize| {
            std::iter::once(size.to_string()).chain(families.iter().map(|family| text(family, size))).collect()
        };
        format!("{title}\n{}", aligned(&std::iter::once(head).chain(sizes.iter().map(row)).collect::<Vec<_>>()))
    };
    vec![
        grid("Tables 2 and 3, seconds: ours | LaRA in the paper | LoLA in the paper", &seconds),
        grid("Components that the answer needs", &used),
    ]
}

/// One model: the paper's columns, then the engines that there are.
fn model(
    wanted: &Wanted<'_>,
    cells: &[paper::Cell],
    (row, family, size): (&str, &'static str, usize),
    gave_up: &mut BTreeSet<(&'static str, &'static str, Option<bool>)>,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let instance = (sized(family, size)?.build)(size, 0);
    let asked = instance.queries.iter().find(|query| query.why.starts_with("the paper's property"));
    let asked = asked.expect("these families know the paper's property");
    let problem = Problem { network: instance.network, query: asked.query.clone() };
    let verified = paper::printed(cells, "lazy Table 1", row, "Verified?").map(|text| holds(text, size).to_string());
    let table = if family == "token-ring" { "lazy Table 3" } else { "lazy Table 2" };
    let components = problem.network.components().len();
    let known = engines(Otf::default());
    let mut cell = |row: &str, what, paper, ours: String, expected| {
        outcome.cells.push(Cell { family, size, row: row.into(), what, paper, ours, expected });
    };
    let asked_too = size <= if wanted.size.is_some() { LARGEST_ASKED } else { LARGEST };
    let beside = OURS.into_iter().filter(|_| asked_too).map(|name| (name, name, None));
    let columns = COLUMNS.into_iter().map(|(column, name)| {
        (column, name, paper::printed(cells, table, &format!("{row} {size}"), column).map(str::to_owned))
    });
    for (column, name, printed) in columns.chain(beside) {
        let Some(engine) = known.iter().find(|engine| engine.name() == name) else {
            if printed.is_some() {
                cell(column, "seconds", printed, format!("- (there is no engine `{name}` here)"), None);
            }
            continue;
        };
        let group = (family, engine.name(), asked.expected);
        if gave_up.contains(&group) {
            continue;
        }
        let time = if wanted.quick { QUICK_TIME } else { TIME };
        match measure(wanted, &format!("{family} {size}"), &problem, engine.as_ref(), limits(wanted, time, STATES))? {
            Ok(measured) => {
                let judged = if Some(measured.verdict) == asked.expected { Expected::Yes } else { Expected::No };
                cell(column, "holds", verified.clone(), measured.verdict.to_string(), Some(judged));
                cell(column, "seconds", printed, format!("{:.2}", measured.seconds), None);
                cell(column, "states", None, grouped(measured.states), None);
                if let Some(needed) = measured.needed {
                    cell(column, "components used", None, format!("{needed} of {components}"), None);
                }
            }
            Err(why) => {
                gave_up.insert(group);
                cell(column, "seconds", printed, format!("- ({why})"), None);
            }
        }
    }
    Ok(())
}

/// What Table 1 says of a size: `Yes.`, `No.`, or `Yes for even sizes. No for odd sizes.`
fn holds(text: &str, size: usize) -> bool {
    text.starts_with("Yes") && (!text.contains("even") || size.is_multiple_of(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::find;

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
