//! The DVE models of BEEM: all of them are read, and the states of the small ones are as many as were published, run directly and
//! as a network. `make dve-parity` does the same for the large ones.

use prequel::engine::algo::explicit::explicit;
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::dve::read;
use prequel::model::Why;
use prequel::model::run::{Limits, Run};
use prequel::program::components;
use prequel::program::components::split;
use prequel::program::dve::{View, compile};
use prequel::program::{Program, Sought};
use std::path::Path;

const FOLDER: &str = "../shared/models/dve";

/// The file of each model with its published number of states, where all were counted; the smaller ones first.
fn models() -> Option<Vec<(String, Option<u64>)>> {
    let Ok(table) = std::fs::read_to_string(Path::new(FOLDER).join("results.tsv")) else {
        eprintln!("skipped: no models in {FOLDER}");
        return None;
    };
    let published = |file: &str| {
        let row = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let row = row.into_iter().find(|row| format!("{}.{}.dve", row[0], row[1]) == file)?;
        if row[3] == "yes" { row[2].parse().ok() } else { None }
    };
    let files = std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut models: Vec<(String, Option<u64>)> =
        files.filter(|file| file.ends_with(".dve")).map(|file| (file.clone(), published(&file))).collect();
    models.sort_by_key(|(file, states)| (states.unwrap_or(u64::MAX), file.clone()));
    Some(models)
}

fn program(file: &str) -> Program {
    let text = std::fs::read(Path::new(FOLDER).join(file)).unwrap();
    let (system, _) = read(file, &text).unwrap_or_else(|errors| panic!("{}", errors[0].render()));
    compile(&system, View::Bare).unwrap_or_else(|errors| panic!("{}", errors[0].render())).0
}

#[test]
fn every_model_is_read() {
    for (file, _) in models().unwrap_or_default() {
        assert!(!program(&file).proctypes.is_empty(), "{file}");
    }
}

#[test]
fn as_many_states_as_published() {
    let Some(models) = models() else { return };
    let mut compared = 0;
    for (file, published) in models.iter().filter(|(_, states)| states.is_some_and(|states| states <= 25_000)) {
        let run = Run::new(Limits::default(), 0);
        let outcome = verify(&program(file), Sought::Nothing, Otf::plain(Search::Breadth), &run);
        assert!(matches!(outcome, Outcome::Explored(_)), "{file}: {outcome:?}");
        assert_eq!(Some(run.effort().states_peak), *published, "{file}");
        compared += 1;
    }
    assert!(compared >= 40, "{compared} compared");
}

#[test]
fn the_network_has_the_same_states() {
    let Some(models) = models() else { return };
    let small = components::Limits { states: 2_000, labels: 5_000, paths: 20_000, ..components::Limits::default() };
    let (mut compared, mut refused) = (0, Vec::new());
    for (file, published) in models.iter().filter(|(_, states)| states.is_some_and(|states| states <= 10_000)) {
        let split = match split(&program(file), small) {
            Ok(split) => split,
            Err(why) => {
                refused.push(format!("{file}: {}", why[0].message));
                continue;
            }
        };
        // A network with other states may have many more.
        let most = published.unwrap_or(0) as usize + 1;
        let product = explicit(&split.network, |states, _| {
            if states as usize <= most { Ok(()) } else { Err(Why::Refused(format!("more than {most} states"))) }
        });
        let states = product.unwrap_or_else(|why| panic!("{file}: {why}")).num_states() as u64;
        assert_eq!(Some(states), *published, "{file}");
        compared += 1;
    }
    println!("{compared} networks compared; not put into components:\n{}", refused.join("\n"));
    assert!(compared >= 8, "{compared} compared");
}
