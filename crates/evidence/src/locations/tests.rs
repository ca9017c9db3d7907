//! Sets that are accepted and sets that are not, and random ones beside brute force.

use super::*;
use prequel_families::random;
use prequel_families::random::Shape;
use prequel_model::rng::Rng;
use prequel_model::{Labels, Lit, Lts, StateId, Transition};
use std::collections::BTreeSet;

/// The set of the states in which these components are in one of these rows.
fn set_of(problem: &Problem, about: &[ComponentId], rows: &BTreeSet<Vec<StateId>>) -> LocationSet {
    let (all, mut aig) = (components(problem), Aig::default());
    let width = |c: &ComponentId| LocationSet::width(all[c.at()].lts.num_states());
    let bits: Vec<(ComponentId, u32)> = about.iter().flat_map(|c| (0..width(c)).map(|place| (*c, place))).collect();
    let row = |aig: &mut Aig, row: &Vec<StateId>| {
        let bit = |(at, (c, place)): (usize, &(ComponentId, u32))| {
            let state = row[about.iter().position(|other| other == c).unwrap()];
            aig.input(Bit(at as u32).now()).negated_if(state.0 >> place & 1 == 0)
        };
        let literals: Vec<Lit> = bits.iter().enumerate().map(bit).collect();
        aig.all(literals)
    };
    let rows: Vec<Lit> = rows.iter().map(|states| row(&mut aig, states)).collect();
    let holds = aig.any(rows);
    LocationSet { bits, aig, holds }
}

/// Two that take a key in turns, and the key; the first may also wait, which is nobody else's business.
fn key(query: Query) -> Problem {
    let mut labels = Labels::new();
    let [take1, give1, take2, give2] = ["take1", "give1", "take2", "give2"].map(|name| labels.intern(name));
    let t = Transition::new;
    let user = |take, give| Lts::new(StateId(0), 2, vec![t(0, take, 1), t(1, give, 0)]);
    let first =
        Lts::new(StateId(0), 3, vec![t(0, take1, 1), t(1, give1, 0), t(0, LabelId::TAU, 2), t(2, LabelId::TAU, 0)]);
    let key = Lts::new(StateId(0), 2, vec![t(0, take1, 1), t(0, take2, 1), t(1, give1, 0), t(1, give2, 0)]);
    let components =
        vec![Component::new("first", first), Component::new("second", user(take2, give2)), Component::new("key", key)];
    Problem { network: Network::new(labels, components), query }
}

/// Both have the key.
fn both() -> Query {
    let at = |c, s| Goal::at(ComponentId(c), StateId(s));
    Query::Reach(Goal::And(vec![at(0, 1), at(1, 1)]))
}

fn rows(states: &[[u32; 3]]) -> BTreeSet<Vec<StateId>> {
    states.iter().map(|row| row.iter().map(|&s| StateId(s)).collect()).collect()
}

fn told(problem: &Problem, states: &[[u32; 3]]) -> Result<(), String> {
    let set = set_of(problem, &[ComponentId(0), ComponentId(1), ComponentId(2)], &rows(states));
    check(problem, &set, || false).map_err(|why| why.to_string())
}

const REACHED: [[u32; 3]; 5] = [[0, 0, 0], [2, 0, 0], [1, 0, 1], [0, 1, 1], [2, 1, 1]];

#[test]
fn only_a_set_that_is_not_left_and_has_what_it_must_is_accepted() {
    let problem = key(both());
    assert_eq!(told(&problem, &REACHED), Ok(()));
    let without = |state| REACHED.into_iter().filter(|other| *other != state).collect::<Vec<_>>();
    assert_eq!(told(&problem, &without([0, 0, 0])).unwrap_err(), "the first state is not in the invariant");
    assert_eq!(
        told(&problem, &[&REACHED[..], &[[1, 1, 0]]].concat()).unwrap_err(),
        "a state of the invariant is one that the verdict says is not reached"
    );
    assert_eq!(told(&problem, &[]).unwrap_err(), "the first state is not in the invariant");
    // What leads out is told: a label with those who move, or a tau.
    assert_eq!(
        told(&problem, &without([1, 0, 1])).unwrap_err(),
        "the invariant is left by `take1` (first 0→1, key 0→1)"
    );
    let left = told(&problem, &[[0, 0, 0], [1, 0, 1], [0, 1, 1], [2, 1, 1]]).unwrap_err();
    assert_eq!(left, "the invariant is left by `tau` (first 0→2)");
}

#[test]
fn a_set_about_a_few_components_holds_whatever_the_others_do_but_they_may_keep_a_label_from_happening() {
    // The key is free only if neither has it; nothing is said of where the second is otherwise.
    let problem =
        key(Query::Reach(Goal::And(vec![Goal::at(ComponentId(0), StateId(1)), Goal::at(ComponentId(2), StateId(0))])));
    let about = [ComponentId(0), ComponentId(2)];
    let of = |rows: &[[u32; 2]]| -> BTreeSet<Vec<StateId>> {
        rows.iter().map(|row| row.iter().map(|&s| StateId(s)).collect()).collect()
    };
    // The second may give the key back from anywhere where it could be: without more of it, the set is left.
    let set = set_of(&problem, &about, &of(&[[0, 0], [2, 0], [0, 1], [2, 1], [1, 1]]));
    assert_eq!(check(&problem, &set, || false).unwrap_err().to_string(), "the invariant is left by `give2` (key 1→0)");
    // Somebody who takes part in it and never takes it is enough, although the set does not name him.
    let (labels, mut components) = problem.network.clone().into_parts();
    let give2 = labels.get("give2").unwrap();
    components.push(Component::with_alphabet("never", Lts::new(StateId(0), 1, vec![]), [give2]));
    let problem = Problem { network: Network::new(labels, components), query: problem.query };
    assert_eq!(check(&problem, &set, || false), Ok(()));
}

#[test]
fn deadlocks_and_monitors_are_looked_for() {
    let problem = key(Query::DeadlockFree);
    assert_eq!(told(&problem, &REACHED), Ok(()));
    // Both want what they have not got: nobody can move. The key is with nobody who could give it.
    let stuck = [&REACHED[..], &[[1, 1, 0]]].concat();
    assert_eq!(told(&problem, &stuck), Err(Rejected::Inside.to_string()));

    let mut problem = key(both());
    let take1 = problem.network.labels().get("take1").unwrap();
    let give1 = problem.network.labels().get("give1").unwrap();
    let edges = vec![Transition::new(0, take1, 1), Transition::new(1, give1, 0), Transition::new(1, take1, 2)];
    let automaton = Component::new("twice", Lts::new(StateId(0), 3, edges).with_marked([StateId(2)]));
    problem.query = Query::Safety(prequel_model::Monitor { automaton });
    // The monitor has the first one's place: it waits for `give1` just where that one can do nothing else.
    let about = [ComponentId(0), ComponentId(3)];
    let of = |rows: &[[u32; 2]]| -> BTreeSet<Vec<StateId>> {
        rows.iter().map(|row| row.iter().map(|&s| StateId(s)).collect()).collect()
    };
    let set = set_of(&problem, &about, &of(&[[0, 0], [2, 0], [1, 1]]));
    assert_eq!(check(&problem, &set, || false), Ok(()));
    let wrong = set_of(&problem, &about, &of(&[[0, 0], [2, 0], [1, 1], [0, 1]]));
    let left = check(&problem, &wrong, || false).unwrap_err().to_string();
    assert!(left.starts_with("the invariant is left by `"), "{left}");
    let accepting = set_of(&problem, &about, &of(&[[0, 0], [2, 0], [1, 1], [1, 2]]));
    assert!(check(&problem, &accepting, || false).is_err());
    // As it is saved the monitor has no name, and comes back as itself.
    let kept = saved(&problem.network, &set);
    assert!(kept.inputs.iter().any(|(name, _)| name.is_none()));
    assert_eq!(check(&problem, &named(&problem, &kept).unwrap(), || false), Ok(()));
    let other = key(both());
    assert_eq!(named(&other, &kept).unwrap_err().to_string(), "the model has no monitor");
}

#[test]
fn what_a_saved_set_says_of_another_model_is_told() {
    let problem = key(both());
    let fault = |name: &str, place, holds| {
        let set = SavedSet { inputs: vec![(Some(name.to_owned()), place)], gates: vec![], holds };
        named(&problem, &set).unwrap_err().to_string()
    };
    assert_eq!(fault("third", 0, 2), "the model has no component `third`");
    assert_eq!(fault("first", 2, 2), "the component `first` has 3 states, and their numbers no bit 2");
    assert_eq!(
        fault("first", usize::MAX, 2),
        format!("the component `first` has 3 states, and their numbers no bit {}", usize::MAX)
    );
    assert_eq!(fault("first", 1, 4), "the literal 4 is not defined before it is used");
}

#[test]
fn a_limit_stops_the_solver() {
    // CaDiCaL asks before it searches: a question that needs a search is not answered.
    let problem = Problem {
        query: Query::DeadlockFree,
        network: random::network(7, &Shape { components: 12, ..Shape::default() }),
    };
    let about: Vec<ComponentId> = problem.network.ids().collect();
    let initial = BTreeSet::from([problem.network.initial()]);
    assert_eq!(check(&problem, &set_of(&problem, &about, &initial), || true), Err(Rejected::Stopped));
}

/// All global states, the monitor last, and the network with it.
fn whole(problem: &Problem) -> (Network, Vec<Vec<StateId>>) {
    let all: Vec<Component> = components(problem).into_iter().cloned().collect();
    let mut states = vec![Vec::new()];
    for component in &all {
        states = states
            .into_iter()
            .flat_map(|state: Vec<StateId>| {
                component.lts.states().map(move |s| state.iter().copied().chain([s]).collect())
            })
            .collect();
    }
    (Network::new(problem.network.labels().clone(), all), states)
}

/// What the definitions say, state by state.
fn brute_force(problem: &Problem, inside: &dyn Fn(&[StateId]) -> bool) -> Result<(), Rejected> {
    let (network, states) = whole(problem);
    if !inside(&network.initial()) {
        return Err(Rejected::NotInitial);
    }
    let steps: Vec<_> = states.iter().filter(|s| inside(s)).map(|s| (s, network.steps(s))).collect();
    for (state, steps) in &steps {
        for step in steps {
            let mut next = (*state).clone();
            step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
            if !inside(&next) {
                return Err(Rejected::Left(String::new()));
            }
        }
    }
    let looked_for = |state: &[StateId], stuck: bool| match &problem.query {
        Query::Reach(goal) => goal.holds(&|c: ComponentId| state[c.at()]),
        Query::Safety(monitor) => monitor.automaton.lts.is_marked(*state.last().unwrap()),
        _ => stuck,
    };
    match steps.iter().any(|(state, steps)| looked_for(state, steps.is_empty())) {
        true => Err(Rejected::Inside),
        false => Ok(()),
    }
}

#[test]
fn random_sets_are_accepted_just_where_brute_force_accepts_them() {
    let mut outcomes = [0; 4];
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let shape =
            Shape { components: rng.between(1, 3), states: rng.between(1, 4), labels: rng.between(1, 4), degree: 2 };
        let network = random::network(seed, &shape);
        let query = match rng.below(3) {
            0 => Query::DeadlockFree,
            1 => Query::Reach(random::goal(&mut rng, &network)),
            _ => Query::Safety(random::monitor(&mut rng, &network)),
        };
        let problem = Problem { network, query };
        let (network, states) = whole(&problem);
        let about: Vec<ComponentId> = network.ids().filter(|_| rng.chance(75)).collect();
        let row = |state: &[StateId]| about.iter().map(|c| state[c.at()]).collect::<Vec<_>>();
        let mut rows = BTreeSet::from([row(&network.initial())]);
        if rng.chance(20) {
            rows.insert(row(&states[rng.below(states.len())]));
        }
        // Closed under steps, or nearly: otherwise hardly any set would be accepted.
        loop {
            let before = rows.len();
            for state in &states {
                if !rows.contains(&row(state)) {
                    continue;
                }
                for step in network.steps(state) {
                    let mut next = state.clone();
                    step.moves.iter().for_each(|m| next[m.component.at()] = m.to);
                    rows.insert(row(&next));
                }
            }
            if rows.len() == before {
                break;
            }
        }
        if rng.chance(30) {
            let other = row(&states[rng.below(states.len())]);
            if !rows.remove(&other) {
                rows.insert(other);
            }
        }
        let set = set_of(&problem, &about, &rows);
        let expected = brute_force(&problem, &|state| rows.contains(&row(state)));
        let found = check(&problem, &named(&problem, &saved(&problem.network, &set)).unwrap(), || false);
        let kind = |outcome: &Result<(), Rejected>| match outcome {
            Ok(()) => 0,
            Err(Rejected::NotInitial) => 1,
            Err(Rejected::Left(_)) => 2,
            Err(Rejected::Inside) => 3,
            Err(other) => panic!("seed {seed}: {other}"),
        };
        assert_eq!(kind(&found), kind(&expected), "seed {seed}: {found:?}, and {expected:?} by brute force");
        outcomes[kind(&found)] += 1;
    }
    assert!(outcomes.iter().all(|&n| n >= 10), "every outcome must come up: {outcomes:?}");
}
