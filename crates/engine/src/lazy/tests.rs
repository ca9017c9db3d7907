use super::*;
use prequel_families::philo;
use prequel_model::run::Limits;
use prequel_model::{Component, ComponentId, LabelId, Labels, Lts, Network, StateId, Transition};

fn ask(network: &Network, goal: Goal, engine: Lazy) -> (String, usize, u64) {
    let run = Run::new(Limits::default(), 0);
    let answer = engine.solve(&Problem { network: network.clone(), query: Query::Reach(goal) }, &run);
    (answer.word().to_owned(), run.needed().expect("it is said").components.len(), run.effort().states_peak)
}

/// Cells that pass tokens around: one of them starts with the only one.
fn ring(cells: usize) -> Network {
    let mut labels = Labels::new();
    let pass: Vec<LabelId> = (0..cells).map(|at| labels.intern(&format!("pass{at}"))).collect();
    let cell = |at: usize| {
        let (into, out) = (pass[(at + cells - 1) % cells], pass[at]);
        // 0 waits, 1 has the token, 2 is critical.
        let enter = LabelId::TAU;
        let edges = vec![
            Transition::new(0, into, 1),
            Transition::new(1, enter, 2),
            Transition::new(2, enter, 1),
            Transition::new(1, out, 0),
        ];
        let initial = StateId(u32::from(at == 0));
        Component::new(format!("cell{at}"), Lts::new(initial, 3, edges))
    };
    let components = (0..cells).map(cell).collect();
    Network::new(labels, components)
}

fn critical(cells: impl IntoIterator<Item = usize>) -> Goal {
    Goal::And(cells.into_iter().map(|at| Goal::at(ComponentId::new(at), StateId(2))).collect())
}

#[test]
fn what_a_component_reaches_alone_needs_nobody_else() {
    let network = ring(50);
    assert_eq!(ask(&network, critical([0]), Lazy::default()).1, 1);
}

#[test]
fn a_token_ring_takes_as_many_states_as_cells_when_parts_are_minimised() {
    let both = |cells: usize| critical([0, cells / 2]);
    let (answer, used, peak) = ask(&ring(40), both(40), Lazy::default());
    assert_eq!((answer.as_str(), used), ("false", 40));
    assert!(peak <= 4 * 40, "{peak} states in one product");
    let (answer, used, peak) = ask(&ring(8), both(8), Lazy { minimise: false, next: Next::First, ..Lazy::default() });
    assert_eq!((answer.as_str(), used), ("false", 8));
    assert!(peak > 1000, "{peak} states: as in the paper, complete products grow exponentially");
}

#[test]
fn a_goal_nobody_can_meet_is_refuted_by_its_own_component() {
    let network = ring(5);
    let both = Goal::And(vec![Goal::at(ComponentId(2), StateId(1)), Goal::at(ComponentId(2), StateId(2))]);
    assert_eq!(ask(&network, both, Lazy::default()).0, "false");
    let nowhere = Goal::Not(Box::new(Goal::In(ComponentId(2), vec![StateId(0), StateId(1), StateId(2)])));
    assert_eq!(ask(&network, nowhere, Lazy::default()), ("false".into(), 1, 0));
}

#[test]
fn what_is_used_does_not_grow_with_the_number_of_philosophers() {
    let eat = |size: usize| {
        let instance = philo::plain(size, 0);
        // The first philosopher has both forks: some state of it that it does not start in.
        let last = instance.network.component(ComponentId(0)).lts.states().last().expect("it has states");
        ask(&instance.network, Goal::at(ComponentId(0), last), Lazy::default())
    };
    assert_eq!(eat(10), eat(1000));
}

#[test]
fn a_choice_of_too_many_partial_states_is_refused() {
    let network = ring(30);
    let each =
        |at| Goal::Or(vec![Goal::at(ComponentId::new(at), StateId(1)), Goal::at(ComponentId::new(at), StateId(2))]);
    let goal = Goal::And(
        (0..30).map(|at| Goal::Or(vec![each(at), Goal::at(ComponentId::new((at + 1) % 30), StateId(0))])).collect(),
    );
    let run = Run::new(Limits::default(), 0);
    let answer = Lazy::default().solve(&Problem { network, query: Query::Reach(goal) }, &run);
    assert!(matches!(answer, Answer::Unknown(Why::Refused(_))), "{answer:?}");
}

#[test]
fn the_list_of_options_is_what_can_be_set() {
    crate::option::check_list(OPTIONS, Lazy::default);
}
