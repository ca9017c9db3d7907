//! Is partial-order reduction of programs right? Random programs searched with it, in every order, as they are and optimised, beside the
//! plain search, and each witness replayed.

use crate::fuzz::number;
use crate::random_promela;
use prequel::engine::otf::program::{Outcome, Seen, verify};
use prequel::engine::otf::{Otf, Search};
use prequel::formats::promela;
use prequel::model::run::{Limits, Run};
use prequel::program::{Claim, Program, Sought, compile, optimised, replay};
use rayon::prelude::*;
use std::path::Path;
use std::time::Duration;

/// Larger programs are left out.
const LARGE: u64 = 20_000;

/// Order and threads of a search with reduction.
const WAYS: [(Search, usize); 3] = [(Search::Breadth, 1), (Search::Depth, 1), (Search::Breadth, 2)];

fn limited(threads: usize) -> Run {
    let time = Some(Duration::from_secs(20));
    Run::new(Limits { time, states: Some(LARGE), threads, ..Limits::default() }, 0)
}

/// All that a search sees, and its states.
fn seen(program: &Program, how: Otf, threads: usize) -> Option<(Seen, u64)> {
    let run = limited(threads);
    match verify(program, Sought::Nothing, how, &run) {
        Outcome::Explored(seen) => Some((seen, run.effort().states_total)),
        _ => None,
    }
}

/// What a text is, and what it is searched as.
fn programs(text: &str) -> Option<[Program; 2]> {
    let (model, _) = promela::read("model.pml", text.as_bytes(), Path::new("."), &[]).ok()?;
    let (plain, _) = compile(&model, Claim::None).ok()?;
    let (twin, _) = optimised(&model, Claim::None).ok()?;
    Some([plain, twin])
}

/// Whether a step goes wrong, and whether there is an invalid end state.
fn verdict(seen: Seen) -> (bool, bool) {
    (seen.assertion || seen.other, seen.end_state)
}

/// States without and with reduction, where there is something to compare.
fn compare(text: &str) -> Result<Option<(u64, u64)>, String> {
    let Some(programs) = programs(text) else { return Ok(None) };
    let Some((expected, states)) = seen(&programs[0], Otf::plain(Search::Breadth), 1) else { return Ok(None) };
    let mut fewest = states;
    for (number, program) in programs.iter().enumerate() {
        for (search, threads) in WAYS {
            let how = Otf { search, reduce: true };
            let way = format!("program {number}, {search:?}, {threads} threads");
            let Some((found, fewer)) = seen(program, how, threads) else {
                return Err(format!("{way}: more states than without"));
            };
            if number == 0 && found != expected || verdict(found) != verdict(expected) {
                return Err(format!("{way}: {found:?} instead of {expected:?}"));
            }
            if number == 0 {
                fewest = fewest.min(fewer);
            }
            for sought in [Sought::Violation, Sought::Fault, Sought::EndState] {
                finds(program, sought, how, threads, verdict(expected)).map_err(|why| format!("{way}: {why}"))?;
            }
        }
    }
    Ok(Some((states, fewest)))
}

/// Whether a search finds what it looks for where it is, and shows it.
fn finds(program: &Program, sought: Sought<'_>, how: Otf, threads: usize, is: (bool, bool)) -> Result<(), String> {
    let there = match sought {
        Sought::Fault => is.0,
        Sought::EndState => is.1,
        _ => is.0 || is.1,
    };
    match verify(program, sought, how, &limited(threads)) {
        Outcome::Violated(witness) if there => {
            replay(program, &witness).map_err(|why| format!("{sought:?}: {why}\n{witness:#?}"))
        }
        Outcome::Holds if !there => Ok(()),
        other => Err(format!("{sought:?} is {there}, but {other:?}")),
    }
}

#[test]
fn random_programs_keep_their_verdict() {
    let (count, first) = (number("PREQUEL_FUZZ_PARTIAL_ORDER", 300), number("PREQUEL_FUZZ_SEED", 1));
    let judge = |seed: u64| {
        let text = match seed % 3 {
            0 => random_promela::wide(seed).text,
            _ => random_promela::apart(seed).text,
        };
        compare(&text).map_err(|what| {
            let small = random_promela::shrink::shrink(&text, &mut |text: &str| compare(text).is_err());
            format!("seed {seed}: {what}\n{}\n{small}", compare(&small).err().unwrap_or_default())
        })
    };
    let judged: Vec<_> = (first..first + count).into_par_iter().map(judge).collect();
    let compared: Vec<(u64, u64)> = judged.iter().filter_map(|judged| judged.as_ref().ok().copied().flatten()).collect();
    let sum = |pick: fn(&(u64, u64)) -> u64| compared.iter().map(pick).sum::<u64>();
    eprintln!(
        "{} of {count} compared; {} states, {} with reduction",
        compared.len(),
        sum(|states| states.0),
        sum(|states| states.1)
    );
    let failures: Vec<&str> = judged.iter().filter_map(|judged| judged.as_ref().err()).map(|e| e.as_str()).collect();
    assert!(failures.is_empty(), "{} of {count}\n{}", failures.len(), failures[..failures.len().min(5)].join("\n\n"));
    assert!(compared.len() as u64 * 2 > count, "only {} of {count} could be compared", compared.len());
    assert!(sum(|states| states.1) * 10 < sum(|states| states.0) * 9, "there is no reduction to speak of");
}
