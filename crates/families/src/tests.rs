//! Families against the plain reading of the definition, and against the witness systems of the papers' restatements.

use super::*;
use prequel_engine::Engine as _;
use prequel_engine::conflict::Conflict;
use prequel_engine::otf::Otf;
use prequel_formats::aut;
use prequel_model::run::{Limits, Run};
use prequel_model::{Answer, Component, Evidence, Goal, Labels, Network, Problem, Query, StateId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::time::Instant;

/// More states than this are not for the plain reading.
const MANY_STATES: usize = 40_000;
/// The same where a smaller instance of the family was looked at.
const MORE_STATES: usize = 8_000;
/// The same where it is asked from where marked states can be reached; engines look at larger ones.
const MANY_MARKED: usize = 4_000;

/// All reachable global states.
fn reachable(network: &Network) -> Vec<Vec<StateId>> {
    first_reachable(network, usize::MAX)
}

/// The first global states that are reached.
fn first_reachable(network: &Network, most: usize) -> Vec<Vec<StateId>> {
    let mut states = vec![network.initial()];
    let mut seen: FxHashSet<Vec<StateId>> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() && states.len() < most {
        for next in successors(network, &states[at]) {
            if seen.insert(next.clone()) {
                states.push(next);
            }
        }
        at += 1;
    }
    states
}

/// The states that one step leads to.
fn successors(network: &Network, state: &[StateId]) -> Vec<Vec<StateId>> {
    let after = |step: prequel_model::Step| {
        let mut next = state.to_vec();
        step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
        next
    };
    network.steps(state).into_iter().map(after).collect()
}

/// The truth of a query, by looking at every reachable state.
fn truth(network: &Network, states: &[Vec<StateId>], query: &Query) -> bool {
    match query {
        Query::DeadlockFree => states.iter().all(|s| !network.steps(s).is_empty()),
        Query::Reach(goal) => states.iter().any(|s| goal.holds(&|c| s[c.at()])),
        Query::Safety(monitor) => {
            let (labels, mut components) = network.clone().into_parts();
            components.push(monitor.automaton.clone());
            let watched = reachable(&Network::new(labels, components));
            !watched.iter().any(|s| monitor.automaton.lts.is_marked(s[s.len() - 1]))
        }
        Query::Nonblocking => {
            let marked = |s: &Vec<StateId>| network.components().iter().zip(s).all(|(c, &at)| c.lts.is_marked(at));
            let number: FxHashMap<&Vec<StateId>, usize> = states.iter().enumerate().map(|(n, s)| (s, n)).collect();
            let mut before: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
            for (n, s) in states.iter().enumerate() {
                successors(network, s).iter().for_each(|next| before[number[next]].push(n));
            }
            let mut open: Vec<usize> = (0..states.len()).filter(|&n| marked(&states[n])).collect();
            let mut gets_home: Vec<bool> = states.iter().map(marked).collect();
            while let Some(n) = open.pop() {
                open.extend(before[n].iter().copied().filter(|&n| !std::mem::replace(&mut gets_home[n], true)));
            }
            gets_home.into_iter().all(|home| home)
        }
    }
}

#[test]
fn what_families_expect_is_so() {
    for family in FAMILIES {
        for size in family.smallest..=family.largest.min(6) {
            let instance = (family.build)(size, 1);
            let marked = matches!(instance.queries[0].query, Query::Nonblocking);
            let most = match size == family.smallest {
                _ if marked => MANY_MARKED,
                true => MANY_STATES,
                false => MORE_STATES,
            };
            let states = first_reachable(&instance.network, most);
            if states.len() >= most {
                break;
            }
            assert!(!instance.queries.is_empty());
            for asked in &instance.queries {
                let found = truth(&instance.network, &states, &asked.query);
                assert!(asked.expected.is_none_or(|e| e == found), "{} {size}: {} is {found}", family.name, asked.text);
            }
        }
    }
}

/// The same of networks that are too large for the plain reading, by an engine.
#[test]
fn what_families_expect_is_so_where_they_are_large() {
    for (name, size) in
        [("transit", 2), ("havi", 3), ("link1394", 2), ("lann", 3), ("lamport", 4), ("lamport-faulty", 4)]
    {
        let instance = (find(name).unwrap().build)(size, 0);
        for asked in instance.queries {
            let problem = Problem { network: instance.network.clone(), query: asked.query };
            let run = Run::new(Limits::default(), 0);
            let found = Otf::default().solve(&problem, &run);
            let expected = asked.expected.expect("these are known");
            assert_eq!(found.word(), if expected { "true" } else { "false" }, "{name} {size}: {}", asked.text);
        }
    }
}

/// Whether families are nonblocking, by two engines; of larger ones by one.
#[test]
fn families_with_marks_block_or_do_not() {
    let solve = |engine: &dyn prequel_engine::Engine, name: &str, size: usize| {
        let Instance { network, mut queries, .. } = (find(name).unwrap().build)(size, 0);
        let asked = queries.remove(0);
        let problem = Problem { network, query: asked.query };
        let found = engine.solve(&problem, &Run::new(Limits::default(), 0));
        let expected = if asked.expected.expect("these are known") { "true" } else { "false" };
        assert_eq!(found.word(), expected, "{name} {size} by {}", engine.name());
        if let Answer::False(Evidence::Witness(trace)) = found {
            prequel_evidence::witness::check(&problem, &trace).unwrap();
        }
    };
    let small =
        [("diners", 6), ("line", 1), ("agv", 3), ("agv-ring", 3), ("cluster", 2), ("cluster-blocking", 3), ("aip", 3)];
    for (name, size) in small {
        solve(&Otf::default(), name, size);
    }
    let large = [
        ("diners", 60),
        ("diners-mixed", 60),
        ("line", 10),
        ("line-blocking", 10),
        ("agv", 6),
        ("agv-ring", 4),
        ("cluster", 8),
        ("cluster-blocking", 8),
        ("fms", 2),
        ("fms-blocking", 2),
        ("aip", 4),
        ("aip-blocking", 4),
    ];
    for (name, size) in large {
        solve(&Conflict::default(), name, size);
    }
}

#[test]
fn a_counter_counts_through_all_states_in_order() {
    for size in 1..=8 {
        let Instance { network, .. } = counter::bits(size, 0);
        let states = reachable(&network);
        assert_eq!(states.len(), 1 << size);
        let value = |s: &Vec<StateId>| s.iter().rev().fold(0, |v, bit| 2 * v + bit.0);
        assert!(states.iter().map(value).eq(0..1 << size));
        assert!(states.iter().all(|s| network.steps(s).len() == 1));
    }
}

#[test]
fn names_are_unique_and_every_state_has_one() {
    for family in FAMILIES {
        let Instance { network, origin, .. } = (family.build)((family.smallest + 2).min(family.largest), 1);
        let names: FxHashSet<&str> = network.components().iter().map(|c| &*c.name).collect();
        assert_eq!(names.len(), network.components().len());
        for c in network.ids() {
            for s in network.component(c).lts.states() {
                assert_eq!(origin.find_state(&network, c, &origin.state_name(c, s)), Some(s), "{}", family.name);
            }
        }
    }
}

#[test]
fn suggested_queries_are_spelled_with_numbers() {
    let texts = |i: Instance| i.queries.into_iter().map(|q| q.text).collect::<Vec<_>>();
    assert_eq!(texts(philo::plain(4, 0)), ["--deadlock-free", "--reach 'phil0@2 & phil2@2'"]);
    assert_eq!(texts(cyclic::hard(3, 0))[0], "--reach 'task0@2 & task2@2'");
    assert_eq!(texts(counter::bits(1, 0))[0], "--reach 'bit0@1'");
    let network = philo::plain(2, 0).network;
    let at = |c, s: &[u32]| Goal::In(prequel_model::ComponentId(c), s.iter().map(|&s| StateId(s)).collect());
    let goal = Goal::Or(vec![Goal::Not(Box::new(at(0, &[1, 2]))), Goal::And(vec![at(1, &[0]), at(2, &[1, 2])])]);
    let text = Suggested::reach(&network, goal, None, "").text;
    assert_eq!(text, "--reach '!(phil0@1 | phil0@2) | (phil1@0 & (fork0@1 | fork0@2))'");
}

/// A hundred thousand components in linear time; a quadratic search would take minutes.
#[test]
fn a_large_instance_is_built_at_once() {
    for family in FAMILIES.iter().filter(|f| f.largest >= 100_000) {
        let start = Instant::now();
        let instance = (family.build)(40_000, 0);
        assert!(instance.network.components().len() >= 40_000);
        assert!(start.elapsed().as_secs() < 20, "{}: {:?}", family.name, start.elapsed());
    }
}

/// Reads a witness system: components with alphabets, goals, expected verdict.
fn witness_system(folder: &Path) -> (Network, Goal, bool) {
    let text = std::fs::read_to_string(folder.join("system.txt")).unwrap();
    let (mut labels, mut components) = (Labels::new(), Vec::new());
    for line in text.lines().filter_map(|l| l.strip_prefix("component ")) {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let bytes = std::fs::read(folder.join(fields[1])).unwrap();
        let (lts, _) = aut::read(fields[1], &bytes, &aut::Dialect::default(), &mut labels).unwrap();
        let alphabet = fields[2].strip_prefix("alphabet=").unwrap().split(',');
        let alphabet: Vec<_> = alphabet.map(|l| labels.intern(l)).collect();
        components.push(Component::with_alphabet(fields[0], lts, alphabet));
    }
    let network = Network::new(labels, components);
    let goals = text.lines().filter_map(|l| l.strip_prefix("goal ")).map(|line| {
        let atoms = line.split_ascii_whitespace().map(|atom| {
            let (name, state) = atom.split_once('=').unwrap();
            Goal::at(network.find(name).unwrap(), StateId(state.parse().unwrap()))
        });
        Goal::And(atoms.collect())
    });
    let goal = Goal::Or(goals.collect());
    let expected = text.lines().find_map(|l| l.strip_prefix("expected: ")).unwrap();
    (network, goal, expected == "reachable")
}

#[test]
fn families_agree_with_the_witness_systems() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/algorithms/witness");
    if !root.is_dir() {
        eprintln!("skipped: {} is not there", root.display());
        return;
    }
    let kinds = [
        ("philo", "philo"),
        ("philodico", "philo-dict"),
        ("philosync", "philo-sync"),
        ("cyclic", "cyclic"),
        ("cyclichard", "cyclic-hard"),
        ("tokenring", "token-ring"),
        ("dac", "dac"),
    ];
    let mut compared = 0;
    for entry in std::fs::read_dir(&root).unwrap() {
        let folder = entry.unwrap().path();
        let Some(name) = folder.file_name().and_then(|n| n.to_str()?.strip_prefix("fam-")) else { continue };
        let (kind, size) = name.rsplit_once('-').unwrap();
        let family = kinds.iter().find(|k| k.0 == kind).and_then(|k| find(k.1)).expect(name);
        let (network, goal, expected) = witness_system(&folder);
        let ours = (family.build)(size.parse().unwrap(), 0);
        let (theirs_states, our_states) = (reachable(&network), reachable(&ours.network));
        assert_eq!(theirs_states.len(), our_states.len(), "{name}");
        assert_eq!(truth(&network, &theirs_states, &Query::Reach(goal.clone())), expected, "{name}");
        let same = |q: &&Suggested| matches!(&q.query, Query::Reach(g) if Goal::Or(vec![g.clone()]) == goal);
        let asked = ours.queries.iter().find(same).expect("the paper's goal is suggested");
        assert_eq!(asked.expected, Some(expected), "{name}");
        compared += 1;
    }
    assert!(compared >= 10, "only {compared} witness systems");
}
