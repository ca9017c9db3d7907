//! Problems about nonblocking: random networks with marks, and the small systems that set traps.

use crate::oracle::traps::{Trap, understood};
use prequel::families::random;
use prequel::families::random::Shape;
use prequel::formats::aut;
use prequel::model::rng::Rng;
use prequel::model::{Component, LabelId, Labels, Lts, Network, Problem, Query, StateId, Transition};
use std::fs;
use std::path::Path;

/// A random network with marks; now and then a component has none at all.
pub fn problem(seed: u64) -> Problem {
    let mut rng = Rng::new(seed ^ 0xb10c);
    let shape = match seed % 3 {
        0 => Shape { components: 6, states: 4, labels: 8, degree: 3 },
        _ => Shape { components: 4, states: 4, labels: 5, degree: 2 },
    };
    let share = *rng.pick(&[40, 70, 90]);
    let (labels, components) = random::network(seed, &shape).into_parts();
    let with_marks = |mut c: Component| {
        let marked: Vec<StateId> = c.lts.states().filter(|_| rng.chance(share)).collect();
        c.lts = c.lts.with_marked(marked);
        c
    };
    let network = Network::new(labels, components.into_iter().map(with_marks).collect());
    Problem { network, query: Query::Nonblocking }
}

/// The traps about nonblocking.
pub fn traps() -> Vec<Trap> {
    understood(trap)
}

fn trap(folder: &Path) -> Option<Trap> {
    let text = fs::read_to_string(folder.join("system.txt")).expect("every trap has a system.txt");
    if !text.starts_with("kind: nonblocking") {
        return None;
    }
    let mut labels = Labels::new();
    let component = |line: &str, labels: &mut Labels| {
        let field = |name: &str| {
            let value = line.split_whitespace().find_map(|w| w.strip_prefix(name)).unwrap_or("");
            value.split(',').filter(|v| !v.is_empty())
        };
        let states = |name| field(name).map(|s| StateId(s.parse().expect("a state"))).collect::<Vec<_>>();
        let words: Vec<&str> = line.split_whitespace().collect();
        let bytes = fs::read(folder.join(words[1])).expect("a component file");
        let lts = aut::read(words[1], &bytes, &aut::Dialect::default(), labels).expect("a valid component").0;
        let alphabet: Vec<LabelId> = field("alphabet=").map(|l| labels.intern(l)).collect();
        let lts = started(&lts, &states("init=")).with_marked(states("marked="));
        Component::with_alphabet(words[0], lts, alphabet)
    };
    let lines = text.lines().filter_map(|l| l.strip_prefix("component "));
    let components: Vec<Component> = lines.map(|line| component(line, &mut labels)).collect();
    let name = folder.file_name()?.to_string_lossy().into_owned();
    let problem = Problem { network: Network::new(labels, components), query: Query::Nonblocking };
    Some(Trap { name, problem, expected: text.contains("expected: nonblocking") })
}

/// Several initial states become one from which silent steps lead to each of them: what can be reached and what blocks is the same.
fn started(lts: &Lts, initial: &[StateId]) -> Lts {
    if let [only] = initial {
        return lts.clone().with_initial(*only);
    }
    let first = StateId::new(lts.num_states());
    let into = initial.iter().map(|&target| Transition { source: first, label: LabelId::TAU, target });
    Lts::new(first, lts.num_states() + 1, lts.transitions().chain(into).collect())
}
