//! Ranks of the states of a product: there are some where a question holds, and none are accepted where it does not, however they are made.

use crate::endless::{Question, program};
use crate::endless_random::{Case, cases, number};
use crate::partial_order;
use prequel_engine::otf::program::{Outcome, verify};
use prequel_engine::otf::{Otf, Search};
use prequel_evidence::Checked;
use prequel_evidence::certificate::Bounds;
use prequel_model::rng::Rng;
use prequel_model::run::{Limits, Run};
use prequel_program::ranking::{Absent, Ranking, SavedRanking, Unranked, find, fingerprint, read};
use prequel_program::{Claim, Endless, Program, Sought};

fn absent(program: &Program, question: Question, fair: bool) -> Absent {
    let of = match question {
        Question::NonProgress => Endless { fair, ..Endless::NON_PROGRESS },
        _ => Endless { fair, ..Endless::ACCEPTING },
    };
    let sought = match (program.claim, question) {
        (None, _) | (_, Question::NonProgress) => Sought::Endless(of),
        (Some(_), _) if fair => Sought::FairViolation,
        (Some(_), _) => Sought::Violation,
    };
    Absent { of: Some(of), sought }
}

fn bounds() -> Bounds {
    Bounds::from(1_000_000)
}

fn check(program: &Program, absent: Absent, ranks: Vec<u32>) -> Result<usize, Unranked> {
    Checked::new(Ranking { program, absent, ranks, bounds: bounds() }).map(|checked| *checked.end())
}

/// How many states there are, if no violation with an end is among them.
fn states(program: &Program, absent: Absent) -> Option<usize> {
    match check(program, absent, vec![0; 1 << 14]) {
        Err(Unranked::TooMany(_, states)) => Some(states),
        _ => None,
    }
}

fn one(text: &str, question: Question, fair: bool) -> (Program, Absent) {
    let program = program(text, Claim::Never).expect("a program");
    let absent = absent(&program, question, fair);
    (program, absent)
}

/// `PREQUEL_FUZZ_LIVENESS` programs from `PREQUEL_FUZZ_SEED` on.
#[test]
fn what_holds_has_ranks_and_what_does_not_has_none() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 300));
    let (mut shown, mut rejected) = (0, 0);
    for seed in first..first + count {
        let mut rng = Rng::new(seed ^ 0x5eed);
        for Case { what, text, claim, question, fair, holds, .. } in cases(seed) {
            let Ok(program) = program(&text, claim.map_or(Claim::None, Claim::Named)) else { continue };
            let absent = absent(&program, question, fair);
            let found = match find(&program, absent, &bounds()) {
                Ok(found) => found,
                Err(Unranked::Violated(_)) => None,
                Err(why) => panic!("{what}: {why}\n{text}"),
            };
            assert_eq!(found.is_some(), holds, "{what}\n{text}");
            if let Some(ranks) = found {
                assert_eq!(check(&program, absent, ranks.clone()), Ok(ranks.len()), "{what}\n{text}");
                assert!(check(&program, absent, ranks[1..].to_vec()).is_err(), "{what}: too few");
                assert!(check(&program, absent, [&ranks[..], &[0]].concat()).is_err(), "{what}: too many");
                shown += 1;
                continue;
            }
            let Some(states) = states(&program, absent) else { continue };
            for highest in [0, 1, 2, 5, states as u32] {
                // Whatever they are; and so that few edges rise.
                let any: Vec<u32> = (0..states).map(|_| rng.below(highest as usize + 1) as u32).collect();
                let mut falling = any.clone();
                falling.sort_unstable_by(|a, b| b.cmp(a));
                for ranks in [any, falling] {
                    assert!(check(&program, absent, ranks).is_err(), "{what}\n{text}");
                    rejected += 1;
                }
            }
        }
    }
    println!("{count} programs from seed {first}: {shown} shown, {rejected} wrong ranks rejected");
    assert!(shown > count && rejected > count, "{shown} shown, {rejected} rejected");
}

/// Where violations with an end alone are asked about, states say all: `PREQUEL_FUZZ_LIVENESS` programs from `PREQUEL_FUZZ_SEED` on.
#[test]
fn all_states_show_that_nothing_goes_wrong() {
    let (first, count) = (number("PREQUEL_FUZZ_SEED", 0), number("PREQUEL_FUZZ_LIVENESS", 300));
    let (mut shown, mut violated) = (0, 0);
    for seed in first..first + count {
        let Ok(program) = program(&partial_order::text(&mut Rng::new(seed), 0), Claim::None) else { continue };
        for sought in [Sought::Violation, Sought::Fault, Sought::EndState] {
            let absent = Absent { of: None, sought };
            let run = Run::new(Limits { states: Some(100_000), ..Limits::default() }, 0);
            let holds = match verify(&program, sought, Otf { search: Search::Breadth, reduce: true }, &run) {
                Outcome::Holds => true,
                Outcome::Violated(_) => false,
                _ => continue,
            };
            let ranks = match find(&program, absent, &bounds()) {
                Ok(ranks) => ranks,
                // Without reduction there may be many more.
                Err(Unranked::TooLarge(_)) => continue,
                Err(_) => {
                    assert!(!holds, "seed {seed}: {sought:?}");
                    let checked = check(&program, absent, vec![0; 1 << 20]);
                    assert!(matches!(checked, Err(Unranked::Violated(_))), "seed {seed}: {sought:?}: {checked:?}");
                    violated += 1;
                    continue;
                }
            };
            let ranks = ranks.expect("no marks are asked for");
            assert!(holds, "seed {seed}: {sought:?}");
            assert_eq!(check(&program, absent, ranks.clone()), Ok(ranks.len()));
            assert!(check(&program, absent, ranks[1..].to_vec()).is_err(), "seed {seed}: too few");
            assert!(check(&program, absent, [&ranks[..], &[0]].concat()).is_err(), "seed {seed}: too many");
            shown += 1;
        }
    }
    println!("{count} programs from seed {first}: {shown} shown, {violated} violated");
    assert!(shown > count / 4 && violated > count / 4, "{shown} shown, {violated} violated");
}

/// Each program is false, and each of these ranks is wrong for one reason.
#[test]
fn every_reason_is_looked_at() {
    use Question::{Acceptance, NonProgress};
    let (accepting, absent) = one("byte x; active proctype p() { accept: do :: x = 1 - x od }", Acceptance, false);
    let all = states(&accepting, absent).expect("no violation with an end");
    assert_eq!(check(&accepting, absent, vec![0; all]), Err(Unranked::Full(0)));
    assert!(matches!(check(&accepting, absent, (0..all as u32).rev().collect()), Err(Unranked::Rises(..))));
    assert!(matches!(check(&accepting, absent, vec![u32::MAX; all]), Err(Unranked::TooHigh(_))));
    assert!(matches!(check(&accepting, absent, vec![]), Err(Unranked::Missing(0))));
    // A run that ends at the label stays there for ever.
    let (resting, absent) = one("byte x; active proctype p() { x = 1; accept: (x == 2) }", Acceptance, false);
    let all = states(&resting, absent).expect("no violation with an end");
    assert_eq!(check(&resting, absent, vec![0; all]), Err(Unranked::Full(0)));
    assert_eq!(find(&resting, absent, &bounds()), Ok(None));
    // Only who never moves keeps it from being a violation: fairness is looked at for each process.
    let text = "byte x; active proctype p() { accept: do :: x == 0 -> skip od } active proctype q() { x = 1 }";
    let (fairly, unfairly) = (one(text, Acceptance, true), one(text, Acceptance, false));
    assert_eq!(find(&unfairly.0, unfairly.1, &bounds()), Ok(None));
    let ranks = find(&fairly.0, fairly.1, &bounds()).expect("no limit");
    // Behind the second process's step the first is blocked at its label for ever, which is fair.
    assert_eq!(ranks, None);
    let text = "byte x; active proctype p() { do :: x == 0 -> accept: skip :: x == 1 -> break od } \
                active proctype q() { x = 1 }";
    let (fairly, unfairly) = (one(text, Acceptance, true), one(text, Acceptance, false));
    assert_eq!(find(&unfairly.0, unfairly.1, &bounds()), Ok(None));
    let ranks = find(&fairly.0, fairly.1, &bounds()).expect("no limit").expect("q moves at last");
    assert_eq!(check(&fairly.0, fairly.1, ranks.clone()), Ok(ranks.len()));
    assert!(matches!(check(&unfairly.0, unfairly.1, ranks), Err(Unranked::Full(_))));
    // Progress on the way round, and none.
    let text = |label: &str| format!("byte x; active proctype p() {{ do :: x = 1; {label} x = 0 od }}");
    let (good, absent) = one(&text("progress:"), NonProgress, false);
    let ranks = find(&good, absent, &bounds()).expect("no limit").expect("there is progress");
    assert!(check(&good, absent, ranks.clone()).is_ok());
    let (bad, absent) = one(&text(""), NonProgress, false);
    assert_eq!(check(&bad, absent, ranks), Err(Unranked::Full(0)));
    // A violation with an end.
    let text = "byte x; active proctype p() { do :: x < 3 -> x++ od } never { do :: x == 3 -> break :: else od }";
    let (ends, absent) = one(text, Acceptance, false);
    assert!(matches!(check(&ends, absent, vec![0; 9]), Err(Unranked::Violated(_))));
}

#[test]
fn limits_are_limits_and_no_verdict() {
    let text = "byte x, y; active proctype p() { do :: x++ od } active proctype q() { do :: y++ od }";
    let (program, absent) = one(text, Question::Acceptance, false);
    let ranking = |states: usize, stop: bool| Ranking {
        program: &program,
        absent,
        ranks: vec![0; 1 << 16],
        bounds: Bounds { states, stop: std::rc::Rc::new(move || stop) },
    };
    let check = |ranking| Checked::new(ranking).map(|checked| *checked.end());
    assert_eq!(check(ranking(1 << 16, false)), Ok(1 << 16));
    assert_eq!(check(ranking(1000, false)), Err(Unranked::TooLarge(1000)));
    assert_eq!(check(ranking(1 << 16, true)), Err(Unranked::Stopped));
}

/// A file is read back; damaged, it is refused, or its ranks show what they say of the program that it names; never of another.
#[test]
fn a_damaged_file_shows_nothing_that_is_false() {
    let good = "byte x; active proctype p() { do :: x = 1; accept: x = 2; break od; do :: x = 3 - x od }";
    let bad = "byte x; active proctype p() { do :: x = 1; accept: x = 2 od; do :: x = 3 - x od }";
    let ((good, absent), (bad, _)) = (one(good, Question::Acceptance, false), one(bad, Question::Acceptance, false));
    let ranks = find(&good, absent, &bounds()).expect("no limit").expect("it holds");
    let saved =
        |program: &Program| SavedRanking::new("q".into(), Some("--accept-labels".into()), None, false, program, &ranks);
    let text = saved(&good).text();
    assert_eq!(read("c.json", &text), Ok(saved(&good)));
    assert_eq!(saved(&good).ranks(), Ok(ranks.clone()));
    assert_ne!(fingerprint(&good), fingerprint(&bad));
    let all = states(&bad, absent).expect("no violation with an end");
    // As if somebody had made it for the program that is false.
    let forged = SavedRanking::new(
        "q".into(),
        Some("--accept-labels".into()),
        None,
        false,
        &bad,
        &ranks.iter().copied().cycle().take(all).collect::<Vec<_>>(),
    );
    let (mut rng, mut read_back) = (Rng::new(7), 0);
    for round in 0..2000 {
        let mut text = if round % 2 == 0 { forged.text() } else { text.clone() };
        for _ in 0..rng.between(1, 4) {
            let at = rng.below(text.len());
            match rng.below(3) {
                0 => text[at] = b"0123456789* \"{}[],x"[rng.below(19)],
                1 => drop(text.remove(at)),
                _ => text.insert(at, b"0123456789* "[rng.below(12)]),
            }
        }
        let Ok(saved) = read("c.json", &text) else { continue };
        let Ok(ranks) = saved.ranks() else { continue };
        read_back += 1;
        assert!(check(&bad, absent, ranks).is_err(), "{}", String::from_utf8_lossy(&text));
    }
    assert!(read_back > 200, "{read_back}");
}
