//! The DVE models of BEEM: all of them are read, and the states of the small ones are as many as were published, run directly and
//! as a network. `make dve-parity` does the same for the large ones. As Promela they mean the same, and so do random models.

use crate::fuzz::number;
use crate::random_dve::random_dve;
use prequel::engine::algo::explicit::explicit;
use prequel::engine::otf::program::{Outcome, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::dve::read;
use prequel::formats::promela;
use prequel::model::Why;
use prequel::model::run::{Limits, Run};
use prequel::program::components;
use prequel::program::components::split;
use prequel::program::dve::{PromelaForm, View, compile};
use prequel::program::{Claim, Program, Sought, Witness, end_of, retrace};
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

/// What a search of all states meets: failed assertions, other faults, states without a step where some process may not end.
type Met = [bool; 3];

/// That of a program, if it is not too large.
fn met(program: &Program) -> Option<Met> {
    let run = Run::new(Limits { states: Some(20_000), ..Limits::default() }, 0);
    match verify(program, Sought::Nothing, Otf::plain(Search::Breadth), &run) {
        Outcome::Explored(seen) => Some([seen.assertion, seen.other, seen.end_state]),
        _ => None,
    }
}

/// How a model compares with its text in Promela.
#[derive(Default)]
struct Compared {
    same: usize,
    wrong: usize,
    /// Too large for a test.
    large: usize,
    /// Senders have effects that others notice.
    refused: usize,
}

impl Compared {
    /// Compares what both meet, and has every violation of the text come back.
    fn compare(&mut self, name: &str, text: &[u8]) {
        let (system, _) = read(name, text).unwrap_or_else(|errors| panic!("{}", errors[0].render()));
        for view in [View::Assertions, View::Bare] {
            let (program, _) = compile(&system, view).unwrap_or_else(|errors| panic!("{}", errors[0].render()));
            let Ok(form) = PromelaForm::of(&program) else {
                self.refused += 1;
                continue;
            };
            let error =
                |what: &str| format!("{name}, {view:?}: {what}\n{}---\n{}", String::from_utf8_lossy(text), form.text);
            let read = promela::read("form.pml", form.text.as_bytes(), Path::new(""), &[]);
            let (model, _) = read.unwrap_or_else(|errors| panic!("{}", error(&errors[0].render())));
            let (written, _) = prequel::program::compile(&model, Claim::None).expect("it was read");
            let (Some(theirs), Some(ours)) = (met(&program), met(&written)) else {
                self.large += 1;
                continue;
            };
            assert_eq!(theirs, ours, "{}", error("they do not mean the same"));
            self.same += 1;
            let run = Run::new(Limits::default(), 0);
            if let Outcome::Violated(found) = verify(&written, Sought::Violation, Otf::plain(Search::Depth), &run) {
                let lost =
                    |why: &dyn std::fmt::Display| error(&format!("its run does not come back: {why}\n{found:?}"));
                let steps =
                    retrace(&program, &form.moves(&written, &found)).unwrap_or_else(|why| panic!("{}", lost(&why)));
                let violation = end_of(&program, &steps).unwrap_or_else(|why| panic!("{}", lost(&why)));
                let kind = std::mem::discriminant;
                assert_eq!(kind(&violation), kind(&found.violation), "{}", lost(&"it shows something else"));
                prequel::program::replay(&program, &Witness { steps, violation })
                    .unwrap_or_else(|why| panic!("{}", lost(&why)));
                self.wrong += 1;
            }
        }
    }
}

#[test]
fn models_mean_the_same_as_promela() {
    let mut compared = Compared::default();
    for (file, _) in
        models().unwrap_or_default().iter().filter(|(_, states)| states.is_some_and(|states| states <= 10_000))
    {
        compared.compare(file, &std::fs::read(Path::new(FOLDER).join(file)).unwrap());
    }
    let Compared { same, wrong, large, refused } = compared;
    println!("{same} the same, {wrong} of them wrong, {large} too large, {refused} without a text");
}

/// `PREQUEL_FUZZ_DVE` random models, from `PREQUEL_FUZZ_SEED` on.
#[test]
fn random_models_mean_the_same_as_promela() {
    let (count, seed) = (number("PREQUEL_FUZZ_DVE", 300), number("PREQUEL_FUZZ_SEED", 1));
    let mut compared = Compared::default();
    for seed in seed..seed + count {
        compared.compare(&format!("seed {seed}"), random_dve(seed).as_bytes());
    }
    let Compared { same, wrong, large, refused } = compared;
    println!("{same} the same, {wrong} of them wrong, {large} too large, {refused} without a text");
    assert!(same > 0 && wrong > 0, "nothing was compared");
}
