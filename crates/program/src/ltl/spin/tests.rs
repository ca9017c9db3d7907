//! The claims of random formulas, beside a direct evaluation on words that end in a loop, and beside SPIN's own claims.

use super::super::sample::{COMMON, formulas, holds, random, units, value, word};
use super::never;
use prequel_formats::promela::syntax::{Expression, Never, Sequence, StatementKind, Unit};
use prequel_model::rng::Rng;
use std::process::Command;

/// A claim as numbers: for each state whether it accepts, and its transitions. The end of a claim is a state, too.
#[derive(PartialEq, Eq, Debug)]
struct Claim {
    states: Vec<(bool, Vec<(u16, usize)>)>,
}

/// The letters in which an expression holds.
fn letters(expression: &Expression) -> u16 {
    (0..16).filter(|&letter| value(expression, letter)).map(|letter| 1 << letter).sum()
}

fn claim(never: &Never) -> Claim {
    let label = |name: &str| never.body.iter().position(|s| s.labels.iter().any(|l| *l.text == *name));
    let states = never.body.iter().enumerate().map(|(at, statement)| {
        let accepts = statement.labels.iter().any(|label| label.text.starts_with("accept"));
        // The end of a claim accepts whatever comes.
        let StatementKind::Do(choices) = &statement.kind else { return (accepts, vec![(u16::MAX, at)]) };
        let transition = |body: &Sequence| match (&body[0].kind, body.get(1).map(|s| &s.kind)) {
            (StatementKind::Condition(when), Some(StatementKind::Goto(to))) => {
                // SPIN gives an accepting state a second name.
                let to = label(&to.text).unwrap_or_else(|| panic!("no state {}", to.text));
                Some((letters(when), to))
            }
            (StatementKind::Atomic(inner), None) => {
                let StatementKind::Condition(when) = &inner[0].kind else { panic!("a condition") };
                Some((letters(when), label("accept_all").expect("a state")))
            }
            (StatementKind::Condition(when), None) => {
                assert_eq!(letters(when), 0);
                None
            }
            other => panic!("{other:?}"),
        };
        (accepts, choices.iter().filter_map(|choice| transition(&choice.body)).collect())
    });
    Claim { states: states.collect() }
}

/// Whether a claim accepts a word: letters, the last ones from `back` on again and again.
fn accepts(claim: &Claim, word: &[usize], back: usize) -> bool {
    let next = |at: usize| if at + 1 == word.len() { back } else { at + 1 };
    let node = |state: usize, at: usize| state * word.len() + at;
    let size = claim.states.len() * word.len();
    let edges: Vec<Vec<usize>> = (0..size)
        .map(|n| {
            let (state, at) = (n / word.len(), n % word.len());
            let open = claim.states[state].1.iter().filter(|(when, _)| when >> word[at] & 1 == 1);
            open.map(|&(_, to)| node(to, next(at))).collect()
        })
        .collect();
    let reach = |from: Vec<usize>| {
        let (mut seen, mut open) = (vec![false; size], from);
        while let Some(n) = open.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                open.extend(&edges[n]);
            }
        }
        seen
    };
    let reached = reach(vec![0]);
    (0..size).any(|n| reached[n] && claim.states[n / word.len()].0 && reach(edges[n].clone())[n])
}

#[test]
fn claims_accept_what_formulas_exclude() {
    let mut rng = Rng::new(11);
    let mut texts: Vec<String> = COMMON.iter().map(|text| text.to_string()).collect();
    texts.extend(["[] (p -> X q)", "X (p U X q)", "[] (X p || r)", "X X !p"].map(str::to_owned));
    texts.extend((0..200).map(|_| {
        let size = rng.between(1, 5);
        random(&mut rng, size, true)
    }));
    for text in texts {
        let formula = &formulas(&format!("ltl {{ {text} }}"))[0];
        let claim = claim(&never(formula).expect("small"));
        for _ in 0..60 {
            let (word, back) = word(&mut rng);
            let holds = holds(&formula.formula, &word, back)[0];
            assert_eq!(accepts(&claim, &word, back), !holds, "{text} on {word:?} from {back}\n{claim:?}");
        }
    }
}

#[test]
fn claims_are_those_of_spin() {
    if Command::new("spin").arg("-V").output().is_err() {
        eprintln!("skipped: spin is not installed");
        return;
    }
    let mut rng = Rng::new(5);
    let mut texts: Vec<String> = COMMON.iter().map(|text| text.to_string()).collect();
    texts.extend((0..120).map(|_| {
        let size = rng.between(1, 4);
        random(&mut rng, size, false)
    }));
    let dir = tempfile::tempdir().expect("a folder");
    let (mut different, mut compared) = (Vec::new(), 0);
    for text in &texts {
        let model = format!("bool p, q, r; active proctype P() {{ p = 1 }}\nltl f {{ {text} }}\n");
        std::fs::write(dir.path().join("m.pml"), model).expect("room for a file");
        let ran = Command::new("timeout").args(["5", "spin", "-a", "m.pml"]).current_dir(dir.path()).output();
        if ran.expect("a shell").status.code() == Some(124) {
            // SPIN's tableau can explode.
            continue;
        }
        let theirs = std::fs::read_to_string(dir.path().join("_spin_nvr.tmp")).expect("a claim");
        // Where SPIN says in a comment that a state is gone, the comment stands in its output only.
        let Some(Unit::Never(theirs)) = units(&theirs).pop() else { panic!("{theirs}") };
        let ours = never(&formulas(&format!("ltl {{ {text} }}"))[0]).expect("small");
        compared += 1;
        if claim(&ours) != claim(&theirs) {
            different.push(format!("{text}\nours {:?}\nSPIN {:?}", claim(&ours), claim(&theirs)));
        }
    }
    assert!(different.is_empty(), "{} of {compared}\n{}", different.len(), different.join("\n"));
}
