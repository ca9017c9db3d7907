//! Small changes of a problem: a trap that is sprung a little differently is the best test of whoever avoids it.

use prequel::model::rng::Rng;
use prequel::model::{Component, Goal, LabelId, Lts, Monitor, Network, Problem, Query, StateId, Transition};

/// A problem that differs from the given one by one to four small changes; sometimes with its components in another order.
pub fn mutant(problem: &Problem, seed: u64) -> Problem {
    let mut rng = Rng::new(seed ^ 0x07a9);
    let (mut labels, mut components) = problem.network.clone().into_parts();
    if labels.len() < 3 || rng.chance(10) {
        labels.fresh("new");
    }
    let all: Vec<LabelId> = labels.visible().collect();
    let mut monitor = match &problem.query {
        Query::Safety(monitor) => Some(monitor.automaton.clone()),
        _ => None,
    };
    for _ in 0..rng.between(1, 4) {
        let count = components.len();
        match rng.below(10) {
            0 if count < 6 && monitor.is_some() => {
                let copied = changed(&components[rng.below(count)].clone(), &all, &mut rng);
                components.push(Component::with_alphabet(
                    format!("n{count}"),
                    copied.lts.clone(),
                    copied.alphabet().to_vec(),
                ));
            }
            1 | 2 if monitor.is_some() => {
                let automaton = monitor.as_ref().expect("it is there");
                monitor = Some(changed(automaton, &all, &mut rng));
            }
            _ => {
                let at = rng.below(count);
                components[at] = changed(&components[at], &all, &mut rng);
            }
        }
    }
    // A goal names components by their place; a monitor does not care.
    if monitor.is_some() && rng.chance(50) {
        let by = rng.below(components.len());
        components.rotate_left(by);
    }
    let network = Network::new(labels, components);
    let query = match (monitor, &problem.query) {
        (Some(automaton), _) => Query::Safety(Monitor { automaton: bound(&automaton, &network) }),
        (None, Query::Reach(goal)) if rng.chance(30) => Query::Reach(Goal::Not(Box::new(goal.clone()))),
        (None, _) if rng.chance(30) => Query::DeadlockFree,
        (None, query) => query.clone(),
    };
    Problem { network, query }
}

/// Moves of a monitor that no component takes part in are its own.
fn bound(automaton: &Component, network: &Network) -> Component {
    let foreign = |l: LabelId| !l.is_tau() && network.participants(l).is_empty();
    let lts = automaton.lts.clone().relabelled(|l| if foreign(l) { LabelId::TAU } else { l });
    let alphabet: Vec<LabelId> = automaton.alphabet().iter().copied().filter(|&l| !foreign(l)).collect();
    Component::with_alphabet(automaton.name.clone(), lts, alphabet)
}

/// One change of a component: an edge, a mark, a letter of the alphabet, a state.
fn changed(component: &Component, labels: &[LabelId], rng: &mut Rng) -> Component {
    let lts = &component.lts;
    let mut states = lts.num_states();
    let mut transitions: Vec<Transition> = lts.transitions().collect();
    let mut marked: Vec<StateId> = lts.marked().collect();
    let mut alphabet = component.alphabet().to_vec();
    let any_label = |rng: &mut Rng| if rng.chance(15) { LabelId::TAU } else { *rng.pick(labels) };
    match rng.below(8) {
        0 | 1 => {
            let (source, target) = (rng.below(states) as u32, rng.below(states) as u32);
            transitions.push(Transition::new(source, any_label(rng), target));
        }
        2 if !transitions.is_empty() => {
            transitions.swap_remove(rng.below(transitions.len()));
        }
        3 if !transitions.is_empty() => {
            let at = rng.below(transitions.len());
            transitions[at].target = StateId::new(rng.below(states));
        }
        4 if !transitions.is_empty() => {
            let at = rng.below(transitions.len());
            transitions[at].label = any_label(rng);
        }
        5 if lts.has_marked() => {
            let s = StateId::new(rng.below(states));
            match marked.iter().position(|&m| m == s) {
                Some(at) => drop(marked.swap_remove(at)),
                None => marked.push(s),
            }
        }
        6 => alphabet.push(*rng.pick(labels)),
        _ => {
            states += 1;
            let (source, label) = (rng.below(states - 1) as u32, any_label(rng));
            transitions.push(Transition::new(source, label, states as u32 - 1));
            transitions.push(Transition::new(states as u32 - 1, any_label(rng), rng.below(states) as u32));
        }
    }
    let lts = Lts::new(lts.initial(), states, transitions).with_marked(marked);
    Component::with_alphabet(component.name.clone(), lts, alphabet)
}
