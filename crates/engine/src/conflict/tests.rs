//! Random systems with silent steps and several initial states, beside the definition; and the witness systems.

use super::choose::{Candidates, Select};
use super::fsm::Fsm;
use super::history::{Back, Counterexample};
use super::options::Options;
use super::rules::Rule;
use super::verified;
use prequel_model::rng::Rng;
use prequel_model::run::{Limits, Run};
use prequel_model::{LabelId, Labels, Lts, StateId, Transition};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// How many systems; `make fuzz` raises it.
pub fn systems() -> u64 {
    std::env::var("PREQUEL_FUZZ_CONFLICT").ok().and_then(|n| n.parse().ok()).unwrap_or(5_000)
}

/// Where the seeds start; `make fuzz` moves it.
pub fn first_seed() -> u64 {
    std::env::var("PREQUEL_FUZZ_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// A random machine that takes part in these labels, some of which it may never enable.
pub fn machine(rng: &mut Rng, most_states: usize, alphabet: &[LabelId]) -> Fsm {
    let states = rng.between(1, most_states);
    let silent = *rng.pick(&[10, 35, 60]);
    let transitions = (0..rng.below(3 * states + 1))
        .map(|_| {
            let label = if alphabet.is_empty() || rng.chance(silent) { LabelId::TAU } else { *rng.pick(alphabet) };
            Transition::new(rng.below(states) as u32, label, rng.below(states) as u32)
        })
        .collect();
    let share = *rng.pick(&[20, 50, 80]);
    let marked: Vec<StateId> = (0..states).map(StateId::new).filter(|_| rng.chance(share)).collect();
    let initial = (0..*rng.pick(&[1, 1, 2])).map(|_| StateId::new(rng.below(states))).collect();
    Fsm::new(Lts::new(StateId(0), states, transitions).with_marked(marked), initial, alphabet.iter().copied())
}

/// A random system over labels 1 to 5.
pub fn system(rng: &mut Rng) -> Vec<Fsm> {
    let labels: Vec<LabelId> = (1..=rng.between(1, 5) as u32).map(LabelId).collect();
    let share = *rng.pick(&[40, 60, 90]);
    (0..rng.between(2, 4))
        .map(|_| {
            let own: Vec<LabelId> = labels.iter().copied().filter(|_| rng.chance(share)).collect();
            machine(rng, 4, &own)
        })
        .collect()
}

/// How many labels the systems have, tau included.
pub const LABELS: usize = 6;

type Global = Vec<StateId>;

/// All successors of a global state, by the definition.
fn successors(machines: &[Fsm], state: &Global) -> Vec<Global> {
    let mut next = Vec::new();
    for (at, fsm) in machines.iter().enumerate() {
        for e in fsm.silent(state[at]) {
            let mut moved = state.clone();
            moved[at] = e.target;
            next.push(moved);
        }
    }
    for label in (1..LABELS).map(LabelId::new) {
        if !machines.iter().any(|m| m.takes_part(label)) {
            continue;
        }
        let mut partial = vec![state.clone()];
        for (at, fsm) in machines.iter().enumerate().filter(|(_, m)| m.takes_part(label)) {
            partial = partial
                .iter()
                .flat_map(|moved| {
                    fsm.lts().row_on(state[at], label).iter().map(move |e| {
                        let mut moved = moved.clone();
                        moved[at] = e.target;
                        moved
                    })
                })
                .collect();
        }
        next.extend(partial);
    }
    next
}

fn initial(machines: &[Fsm]) -> Vec<Global> {
    machines.iter().fold(vec![Vec::new()], |starts, m| {
        starts.iter().flat_map(|s| m.initial().iter().map(move |&i| [&s[..], &[i]].concat())).collect()
    })
}

fn can_end(machines: &[Fsm], from: &Global) -> bool {
    let (mut seen, mut todo) = (HashSet::from([from.clone()]), vec![from.clone()]);
    while let Some(state) = todo.pop() {
        if machines.iter().zip(&state).all(|(m, &s)| m.lts().is_marked(s)) {
            return true;
        }
        todo.extend(successors(machines, &state).into_iter().filter(|next| seen.insert(next.clone())));
    }
    false
}

/// The truth: whether each reachable state can end in a marked one, and else how long a shortest counterexample is.
pub fn shortest(machines: &[Fsm]) -> Option<usize> {
    let mut queue: Vec<(Global, usize)> = initial(machines).into_iter().map(|s| (s, 0)).collect();
    let mut seen: HashMap<Global, bool> = queue.iter().map(|(s, _)| (s.clone(), true)).collect();
    let mut at = 0;
    while at < queue.len() {
        let (state, depth) = queue[at].clone();
        if !can_end(machines, &state) {
            return Some(depth);
        }
        for next in successors(machines, &state) {
            if seen.insert(next.clone(), true).is_none() {
                queue.push((next, depth + 1));
            }
        }
        at += 1;
    }
    None
}

/// Whether machines can each read the word and end so, and the ends block.
fn is_valid(machines: &[Fsm], found: &Counterexample) -> bool {
    let ends: Global = found.ends[..machines.len()].iter().map(|end| end.expect("a first machine")).collect();
    let reads = |fsm: &Fsm, end: StateId| {
        let mut now = fsm.silently_after(fsm.initial().iter().copied());
        for &letter in found.word.iter().filter(|&&l| fsm.takes_part(l)) {
            let steps = now.ones().flat_map(|s| fsm.lts().row_on(StateId::new(s), letter)).map(|e| e.target);
            now = fsm.silently_after(steps.collect::<Vec<_>>());
        }
        now.contains(end.at())
    };
    machines.iter().zip(&ends).all(|(m, &end)| reads(m, end)) && !can_end(machines, &ends)
}

/// Verifies a system; says what is wrong with the answer, if anything. Gives the length of the word.
pub fn agrees(machines: &[Fsm], options: &Options) -> Result<Option<usize>, String> {
    agrees_with(shortest(machines), machines, options)
}

/// The same where the truth is known.
fn agrees_with(truth: Option<usize>, machines: &[Fsm], options: &Options) -> Result<Option<usize>, String> {
    let run = Run::new(Limits::default(), 0);
    match (verified(machines.to_vec(), LABELS, options, &run), truth) {
        (Err(why), _) => Err(format!("unknown without limits: {why}")),
        (Ok(None), None) => Ok(None),
        (Ok(None), Some(_)) => Err("nonblocking is wrong".into()),
        (Ok(Some(_)), None) => Err("blocking is wrong".into()),
        (Ok(Some((_, found))), Some(_)) if is_valid(machines, &found) => Ok(Some(found.word.len())),
        (Ok(Some((_, found))), Some(_)) => Err(format!("no counterexample: {found:?}")),
    }
}

fn random_options(rng: &mut Rng) -> Options {
    let mut rules = Rule::ALL.to_vec();
    match rng.below(4) {
        0 => rules = vec![*rng.pick(&rules)],
        1 => {
            rules.retain(|_| rng.chance(50));
            rng.shuffle(&mut rules);
        }
        2 => rng.shuffle(&mut rules),
        _ => {}
    }
    Options {
        rules,
        special: rng.chance(60),
        candidates: *rng.pick(&[Candidates::MustL, Candidates::Pairs]),
        select: *rng.pick(&[Select::MinSync, Select::MinS, Select::MaxL, Select::MaxC]),
        back: *rng.pick(&[Back::Expansion, Back::Expansion, Back::Pairs]),
        extension: *rng.pick(&[1 << 18, 1 << 18, 3]),
        shorten: 0,
    }
}

#[test]
fn every_choice_of_rules_agrees_with_the_definition_on_random_systems() {
    let mut decided = [0usize; 2];
    for seed in first_seed()..first_seed() + systems() {
        let mut rng = Rng::new(seed);
        let machines = system(&mut rng);
        let truth = shortest(&machines);
        // Each rule alone in its turn, all of them, and some in some order.
        let rules = vec![Rule::ALL[seed as usize % Rule::ALL.len()]];
        let alone = Options { rules, special: rng.chance(50), ..Options::default() };
        for options in [Options::default(), alone, random_options(&mut rng)] {
            match agrees_with(truth, &machines, &options) {
                Ok(found) => decided[usize::from(found.is_some())] += 1,
                Err(what) => panic!("system {seed}, {options:?}: {what}\n{machines:#?}"),
            }
        }
    }
    let total = decided[0] + decided[1];
    assert!(decided.iter().all(|&n| n * 10 > total), "both verdicts must be common: {decided:?}");
}

/// Algorithm 3 finds a counterexample wherever Algorithms 1 and 2 do.
#[test]
fn pairs_agree_with_expansion_and_extension() {
    for seed in first_seed()..first_seed() + systems() / 4 {
        let machines = system(&mut Rng::new(seed ^ 0x1c));
        for special in [false, true] {
            for back in [Back::Expansion, Back::Pairs] {
                let options = Options { back, special, ..Options::default() };
                agrees(&machines, &options).unwrap_or_else(|what| panic!("system {seed}, {back:?}: {what}"));
            }
        }
    }
}

/// A witness system: its machines, whether it is nonblocking, and how long a shortest counterexample is.
struct Witness {
    name: String,
    machines: Vec<Fsm>,
    nonblocking: bool,
}

/// `../shared/algorithms/witness`, where that folder is there.
fn witnesses() -> Vec<Witness> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/algorithms/witness");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: {} is not there", folder.display());
        return Vec::new();
    };
    let mut folders: Vec<_> = entries.map(|e| e.expect("a readable folder").path()).collect();
    folders.sort();
    folders.iter().filter_map(|folder| witness(folder)).collect()
}

fn witness(folder: &Path) -> Option<Witness> {
    let text = std::fs::read_to_string(folder.join("system.txt")).expect("every witness has a system.txt");
    if !text.starts_with("kind: nonblocking") {
        return None;
    }
    let mut labels = Labels::new();
    let mut machines = Vec::new();
    for line in text.lines().filter_map(|l| l.strip_prefix("component ")) {
        let field = |name: &str| {
            let value = line.split_whitespace().find_map(|w| w.strip_prefix(name)).unwrap_or("");
            value.split(',').filter(|v| !v.is_empty())
        };
        let states = |name| field(name).map(|s| StateId(s.parse().expect("a state"))).collect::<Vec<_>>();
        let file = line.split_whitespace().nth(1).expect("a file");
        let bytes = std::fs::read(folder.join(file)).expect("a component file");
        let lts =
            prequel_formats::aut::read(file, &bytes, &Default::default(), &mut labels).expect("a valid component").0;
        let alphabet: Vec<LabelId> = field("alphabet=").map(|l| labels.intern(l)).collect();
        machines.push(Fsm::new(lts.with_marked(states("marked=")), states("init="), alphabet));
    }
    let name = folder.file_name()?.to_string_lossy().into_owned();
    Some(Witness { name, machines, nonblocking: text.contains("expected: nonblocking") })
}

/// Traps that fewer than one random system in a thousand sets.
#[test]
fn the_witness_systems_catch_nobody() {
    let witnesses = witnesses();
    for Witness { name, machines, nonblocking } in &witnesses {
        assert_eq!(shortest(machines).is_none(), *nonblocking, "{name}: the definition disagrees with system.txt");
        let mut choices: Vec<Vec<Rule>> = Rule::ALL.iter().map(|&rule| vec![rule]).collect();
        choices.extend(Rule::ALL.iter().flat_map(|&a| Rule::ALL.iter().map(move |&b| vec![a, b])));
        choices.push(Rule::ALL.to_vec());
        choices.push(Rule::ALL.iter().rev().copied().collect());
        for rules in choices {
            for back in [Back::Expansion, Back::Pairs] {
                for special in [false, true] {
                    let options = Options { rules: rules.clone(), back, special, ..Options::default() };
                    agrees(machines, &options).unwrap_or_else(|what| panic!("{name}, {options:?}: {what}"));
                }
            }
        }
    }
    assert!(witnesses.is_empty() || witnesses.len() == 16, "{} witnesses", witnesses.len());
}

/// `nb-alg1-shortest`: states are settled when they are taken out of the queue.
#[test]
fn expansion_finds_the_run_with_the_fewest_silent_steps() {
    for Witness { machines, .. } in witnesses().into_iter().filter(|w| w.name == "nb-alg1-shortest") {
        let fsm = &machines[0];
        let run = super::expand::run_on(fsm, &fsm.alphabet()[..2], LabelId::is_tau, |s| s == StateId(4)).unwrap();
        assert_eq!(run.steps.len(), 3);
    }
}
