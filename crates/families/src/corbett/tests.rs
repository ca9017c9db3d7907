//! The families beside the figures that are known of the classic instances.

use crate::find;
use prequel_engine::Engine as _;
use prequel_engine::otf::{Otf, Search};
use prequel_model::run::{Limits, Run};
use prequel_model::{Goal, Network, Problem, Query};
use std::path::Path;

/// What is compared: states of all processes, transitions as a net of processes has them, processes, the largest one, and
/// the reachable states of the whole where they are not too many.
#[derive(PartialEq, Eq, Debug)]
struct Figures {
    places: u64,
    transitions: u64,
    components: u64,
    largest: u64,
    states: Option<u64>,
}

const MOST: u64 = 150_000;

fn figures(network: &Network) -> Figures {
    let sizes = || network.components().iter().map(|c| c.lts.num_states() as u64);
    let ways = |label| -> u64 {
        let edges = |c: &prequel_model::ComponentId| {
            let lts = &network.component(*c).lts;
            lts.states().map(|s| lts.row(s).iter().filter(|t| t.label == label).count() as u64).sum::<u64>()
        };
        network.participants(label).iter().map(edges).product()
    };
    let problem = Problem { network: network.clone(), query: Query::Reach(Goal::Or(Vec::new())) };
    let run = Run::new(Limits { states: Some(MOST), ..Limits::default() }, 0);
    let whole = Otf { search: Search::Breadth, reduce: false };
    let states = (whole.solve(&problem, &run).word() == "false").then(|| run.effort().states_total);
    Figures {
        places: sizes().sum(),
        transitions: network.labels().visible().map(ways).sum(),
        components: sizes().count() as u64,
        largest: sizes().max().unwrap_or(0),
        states,
    }
}

/// Families that are the classic ones in all figures, and those that are in all but the reachable states.
const SAME: [&str; 6] = ["dp", "dph", "dpfm", "rw", "hartstone", "scheduler"];
const SAME_BUT_STATES: [&str; 1] = ["dpd"];

/// What the table calls a family of ours: `cyclic` is the scheduler of the paper on lazy reachability here.
fn called_here(classic: &str) -> &str {
    if classic == "cyclic" { "scheduler" } else { classic }
}

#[test]
fn families_that_are_meant_to_be_the_same_have_the_known_figures() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/petri/corbett-counts.csv");
    let Ok(mut table) = csv::Reader::from_path(&path) else {
        eprintln!("skipped: {} is not there", path.display());
        return;
    };
    let mut compared = 0;
    for row in table.records().map(|row| row.expect("a table")) {
        let [family, size] = [called_here(&row[0]), &row[2]];
        let same = SAME.contains(&family);
        let Some(known) = find(family).filter(|_| same || SAME_BUT_STATES.contains(&family)) else { continue };
        let ours = figures(&(known.build)(size.parse().expect("a number"), 0).network);
        let number = |at: usize| row[at].parse::<u64>().expect("a number");
        let states = if same { row[7].parse().ok().filter(|&n| n < MOST) } else { ours.states };
        let theirs =
            Figures { places: number(3), transitions: number(4), components: number(5), largest: number(6), states };
        assert_eq!(ours, theirs, "{family} {size}");
        compared += 1;
    }
    assert!(compared >= 20, "{compared} instances compared");
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corbett-models")
}

/// Cells of the rows of the table: family, size, states here, states of the classic instance.
fn table() -> Vec<[String; 4]> {
    let text = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').replace(',', "")).collect()
    };
    rows.map(cells).map(|cells| [0, 2, 3, 4].map(|at| cells[at].clone())).collect()
}

#[test]
fn the_table_of_states_is_so() {
    let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/petri/corbett-counts.csv");
    let known: Vec<csv::StringRecord> = csv::Reader::from_path(known)
        .map(|mut table| table.records().map(Result::unwrap).collect())
        .unwrap_or_default();
    let rows = table();
    assert!(rows.len() >= 20, "{} rows", rows.len());
    for [family, size, states, classic] in rows {
        let network = (find(&family).unwrap_or_else(|| panic!("{family}")).build)(size.parse().unwrap(), 0).network;
        let ours = figures(&network).states.map_or("–".to_owned(), |n| n.to_string());
        assert_eq!(ours, states, "{family} {size}");
        let theirs = known
            .iter()
            .find(|row| (row[0] == *family || called_here(&row[0]) == family) && row[2] == *size)
            .map(|row| &row[7]);
        assert!(theirs.is_none_or(|theirs| theirs == classic), "{family} {size}: {theirs:?}, not {classic}");
    }
}
